//! The plan of a collective operation: an ordered list of steps for each rank.

use super::blocks::{Blocks, Slots};

/// What a rank does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Hands a message over and goes on.
    Send {
        /// To whom.
        to: u32,
        /// What is in it.
        blocks: Blocks,
        /// The number of the step (over all ranks) that receives it.
        receive: u32,
    },
    /// Waits for a message.
    Receive {
        /// From whom.
        from: u32,
        /// What is in it.
        blocks: Blocks,
        /// Whether it is combined with what is in the slots; it takes their place otherwise.
        combine: bool,
    },
}

/// What the ranks do: for each of them a list of steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub(super) slots: Slots,
    /// By rank: where its steps begin; at the end, how many there are.
    pub(super) starts: Vec<u32>,
    pub(super) steps: Vec<Step>,
}

impl Plan {
    /// How many ranks take part.
    #[must_use]
    pub const fn ranks(&self) -> u32 {
        (self.starts.len() - 1) as u32
    }

    /// In what a rank holds its data.
    #[must_use]
    pub const fn slots(&self) -> Slots {
        self.slots
    }

    /// The steps of all ranks, rank after rank.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The numbers of a rank's steps among those of all.
    #[must_use]
    pub fn of(&self, rank: u32) -> std::ops::Range<u32> {
        self.starts[rank as usize]..self.starts[rank as usize + 1]
    }

    /// The length of a message that carries these blocks.
    #[must_use]
    pub fn bytes(&self, blocks: Blocks) -> u64 {
        self.slots.bytes(blocks)
    }

    /// How many messages are sent.
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.sends().count() as u64
    }

    /// The bytes of all messages together.
    #[must_use]
    pub fn moved_bytes(&self) -> u64 {
        self.sends().fold(0u64, |sum, blocks| sum.saturating_add(self.bytes(blocks)))
    }

    /// The bytes of all messages that are combined with what their receiver has.
    #[must_use]
    pub fn combined_bytes(&self) -> u64 {
        let combined = self.steps.iter().filter_map(|step| match step {
            Step::Receive { blocks, combine: true, .. } => Some(self.bytes(*blocks)),
            _ => None,
        });
        combined.fold(0, u64::saturating_add)
    }

    /// The same without anything to combine: what a barrier's messages say is only that someone has come.
    pub(super) fn without_combining(mut self) -> Self {
        for step in &mut self.steps {
            if let Step::Receive { combine, .. } = step {
                *combine = false;
            }
        }
        self
    }

    fn sends(&self) -> impl Iterator<Item = Blocks> {
        self.steps.iter().filter_map(|step| match step {
            Step::Send { blocks, .. } => Some(*blocks),
            Step::Receive { .. } => None,
        })
    }
}
