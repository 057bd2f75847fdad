//! Writing plans: steps are noted rank by rank, then every send is joined to its receive.

use super::blocks::{Blocks, Slots};
use super::plan::{Listed, Plan, Step};

/// A plan that is being written.
#[derive(Debug)]
pub(super) struct Builder {
    slots: Slots,
    ranks: u32,
    noted: Vec<Noted>,
}

/// A step that is not joined yet.
#[derive(Debug, Clone, Copy)]
struct Noted {
    rank: u32,
    kind: Kind,
    other: u32,
    blocks: Blocks,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Send,
    Receive,
    Combine,
}

impl Builder {
    /// A plan without steps.
    pub(super) const fn new(ranks: u32, slots: Slots) -> Self {
        Self { slots, ranks, noted: Vec::new() }
    }

    /// How many ranks there are.
    pub(super) const fn ranks(&self) -> u32 {
        self.ranks
    }

    /// In what a rank holds its data.
    pub(super) const fn slots(&self) -> Slots {
        self.slots
    }

    /// `rank` sends, after all that was noted for it before.
    pub(super) fn send(&mut self, rank: u32, to: u32, blocks: Blocks) {
        self.noted.push(Noted { rank, kind: Kind::Send, other: to, blocks });
    }

    /// `rank` waits for a message, whose content takes the place of what it has.
    pub(super) fn receive(&mut self, rank: u32, from: u32, blocks: Blocks) {
        self.noted.push(Noted { rank, kind: Kind::Receive, other: from, blocks });
    }

    /// `rank` waits for a message and combines its content with what it has.
    pub(super) fn combine(&mut self, rank: u32, from: u32, blocks: Blocks) {
        self.noted.push(Noted { rank, kind: Kind::Combine, other: from, blocks });
    }

    /// A message that `from` sends next and `to` awaits next.
    pub(super) fn pass(&mut self, from: u32, to: u32, blocks: Blocks) {
        self.send(from, to, blocks);
        self.receive(to, from, blocks);
    }

    /// The same, combined by the receiver.
    pub(super) fn pass_combined(&mut self, from: u32, to: u32, blocks: Blocks) {
        self.send(from, to, blocks);
        self.combine(to, from, blocks);
    }

    /// The plan: the n-th message from one rank to another meets the n-th receive there. Algorithms note as many of one as
    /// of the other; what they wrote is checked by following it (see the tests).
    pub(super) fn finish(mut self) -> Plan {
        self.noted.sort_by_key(|noted| noted.rank);
        let mut starts = vec![0u32; self.ranks as usize + 1];
        for noted in &self.noted {
            starts[noted.rank as usize + 1] += 1;
        }
        for rank in 0..self.ranks as usize {
            starts[rank + 1] += starts[rank];
        }
        let receives = self.pair();
        let step = |(noted, receive): (&Noted, u32)| match noted.kind {
            Kind::Send => Step::Send { to: noted.other, blocks: noted.blocks, receive },
            kind => Step::Receive { from: noted.other, blocks: noted.blocks, combine: kind == Kind::Combine },
        };
        let steps = self.noted.iter().zip(receives).map(step).collect();
        Plan::listed(self.ranks, Listed { slots: self.slots, starts, steps })
    }

    /// For each step, the one that receives its message; of no meaning where it sends none.
    fn pair(&self) -> Vec<u32> {
        let (mut sends, mut receives) = (Vec::new(), Vec::new());
        for (noted, step) in self.noted.iter().zip(0u32..) {
            match noted.kind {
                Kind::Send => sends.push((noted.rank, noted.other, step)),
                _ => receives.push((noted.other, noted.rank, step)),
            }
        }
        sends.sort_unstable();
        receives.sort_unstable();
        debug_assert_eq!(sends.len(), receives.len(), "a message is awaited once");
        let mut pairs = vec![0; self.noted.len()];
        for (&(from, to, send), &(from_there, to_there, receive)) in sends.iter().zip(&receives) {
            debug_assert_eq!((from, to), (from_there, to_there), "a message is awaited where it goes");
            pairs[send as usize] = receive;
        }
        pairs
    }
}
