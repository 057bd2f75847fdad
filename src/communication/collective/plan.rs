//! The plan of a collective operation: an ordered list of steps for each rank.
//!
//! Nothing is listed before somebody asks for a step, so that a scenario is checked without its plans; and what
//! arithmetic tells (rings, pairwise exchanges) is never listed.

use std::ops::Range;
use std::sync::OnceLock;

use super::algorithm::{Algorithm, Collective};
use super::blocks::{Blocks, Slots};
use super::regular::Regular;

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
#[derive(Debug, Clone)]
pub struct Plan {
    ranks: u32,
    steps: Steps,
}

/// Where the steps come from.
#[derive(Debug, Clone)]
enum Steps {
    /// They are there.
    Listed(Listed),
    /// They are listed once they are asked for.
    Later(Algorithm, Collective, OnceLock<Listed>),
    /// Each is told by its number.
    Regular(Slots, Regular),
}

/// Steps that are there.
#[derive(Debug, Clone)]
pub(super) struct Listed {
    pub(super) slots: Slots,
    /// By rank: where its steps begin; at the end, how many there are.
    pub(super) starts: Vec<u32>,
    pub(super) steps: Vec<Step>,
}

impl Plan {
    /// A plan whose steps are there.
    pub(super) const fn listed(ranks: u32, listed: Listed) -> Self {
        Self { ranks, steps: Steps::Listed(listed) }
    }

    /// A plan that its algorithm lists once it is asked for.
    pub(super) const fn later(algorithm: Algorithm, collective: Collective) -> Self {
        Self { ranks: collective.ranks, steps: Steps::Later(algorithm, collective, OnceLock::new()) }
    }

    /// A plan that is never listed.
    pub(super) const fn regular(slots: Slots, regular: Regular) -> Self {
        Self { ranks: regular.ranks(), steps: Steps::Regular(slots, regular) }
    }

    /// The list of a plan that is no regular one.
    pub(super) fn into_listed(self) -> Option<Listed> {
        match self.steps {
            Steps::Listed(listed) => Some(listed),
            Steps::Later(algorithm, collective, listed) => {
                Some(listed.into_inner().unwrap_or_else(|| algorithm.list(&collective)))
            }
            Steps::Regular(..) => None,
        }
    }

    /// How many ranks take part.
    #[must_use]
    pub const fn ranks(&self) -> u32 {
        self.ranks
    }

    /// In what a rank holds its data.
    #[must_use]
    #[inline]
    pub fn slots(&self) -> Slots {
        match &self.steps {
            Steps::Regular(slots, _) => *slots,
            Steps::Listed(listed) => listed.slots,
            Steps::Later(..) => self.list().map_or(Slots::Each { count: 1, bytes: 0 }, |listed| listed.slots),
        }
    }

    /// How many steps all ranks have together.
    #[must_use]
    pub fn count(&self) -> u32 {
        match &self.steps {
            Steps::Regular(_, regular) => self.ranks * regular.each(),
            _ => self.list().map_or(0, |listed| listed.steps.len() as u32),
        }
    }

    /// A step by its number among those of all ranks, which is below their [count](Self::count).
    #[must_use]
    #[inline]
    pub fn step(&self, number: u32) -> Step {
        match &self.steps {
            Steps::Regular(_, regular) => regular.step(number),
            Steps::Listed(listed) => listed.steps[number as usize],
            Steps::Later(algorithm, collective, listed) => {
                listed.get_or_init(|| algorithm.list(collective)).steps[number as usize]
            }
        }
    }

    /// The steps of all ranks, rank after rank.
    pub fn steps(&self) -> impl Iterator<Item = Step> + '_ {
        (0..self.count()).map(|number| self.step(number))
    }

    /// The numbers of a rank's steps among those of all.
    #[must_use]
    #[inline]
    pub fn of(&self, rank: u32) -> Range<u32> {
        match &self.steps {
            Steps::Regular(_, regular) => rank * regular.each()..(rank + 1) * regular.each(),
            _ => self.list().map_or(0..0, |listed| listed.starts[rank as usize]..listed.starts[rank as usize + 1]),
        }
    }

    /// The length of a message that carries these blocks.
    #[must_use]
    #[inline]
    pub fn bytes(&self, blocks: Blocks) -> u64 {
        self.slots().bytes(blocks)
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
        let combined = self.steps().filter_map(|step| match step {
            Step::Receive { blocks, combine: true, .. } => Some(self.bytes(blocks)),
            _ => None,
        });
        combined.fold(0, u64::saturating_add)
    }

    fn list(&self) -> Option<&Listed> {
        match &self.steps {
            Steps::Listed(listed) => Some(listed),
            Steps::Later(algorithm, collective, listed) => Some(listed.get_or_init(|| algorithm.list(collective))),
            Steps::Regular(..) => None,
        }
    }

    fn sends(&self) -> impl Iterator<Item = Blocks> + '_ {
        self.steps().filter_map(|step| match step {
            Step::Send { blocks, .. } => Some(blocks),
            Step::Receive { .. } => None,
        })
    }
}

impl Listed {
    /// The same without anything to combine: what a barrier's messages say is only that someone has come.
    pub(super) fn without_combining(mut self) -> Self {
        for step in &mut self.steps {
            if let Step::Receive { combine, .. } = step {
                *combine = false;
            }
        }
        self
    }
}
