//! Broadcast by scattering the message and gathering it everywhere (van de Geijn; Thakur, Rabenseifner, Gropp 2005).

use std::ops::Range;

use super::shape::{Tree, bit_length};
use crate::communication::Blocks;
use crate::communication::Cost;
use crate::units::Time;

/// One message of a plan: these blocks to that rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transfer {
    /// The rank that receives.
    pub to: u32,
    /// The blocks it receives.
    pub blocks: Range<u32>,
}

/// What one rank does in one step of an allgather: it sends, and goes on when it has received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// What the rank sends, and to whom.
    pub send: Transfer,
    /// The rank it receives from.
    pub from: u32,
    /// The blocks it receives.
    pub receives: Range<u32>,
}

/// How blocks that are scattered come together again everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allgather {
    /// In P − 1 steps, every rank passes to the next one the block it got last (at first its own).
    Ring,
    /// In log₂ P steps, partners at distances 1, 2, 4, … exchange all they have.
    RecursiveDoubling,
}

/// The plan of a scatter down the binomial tree (largest subtree first) followed by an allgather.
///
/// Recursive doubling needs a power of two, 2^k ranks: where there are more, the P − 2^k ranks from 2^k on stand aside,
/// and each gets the whole message at the end from the rank 2^k below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScatterAllgather {
    ranks: u32,
    members: u32,
    blocks: Blocks,
    allgather: Allgather,
}

impl ScatterAllgather {
    /// The plan that brings `message` bytes to `ranks` ranks.
    #[must_use]
    pub const fn new(ranks: u32, message: u64, allgather: Allgather) -> Self {
        let members = match allgather {
            Allgather::RecursiveDoubling if ranks > 0 => 1 << ranks.ilog2(),
            _ => ranks,
        };
        Self { ranks, members, blocks: Blocks::new(message, members), allgather }
    }

    /// All ranks, those that stand aside included.
    #[must_use]
    pub const fn ranks(self) -> u32 {
        self.ranks
    }

    /// The ranks 0..members that scatter and gather; the others stand aside.
    #[must_use]
    pub const fn members(self) -> u32 {
        self.members
    }

    /// How the message is cut: one block a member.
    #[must_use]
    pub const fn blocks(self) -> Blocks {
        self.blocks
    }

    /// Whether [`arrivals`](Self::arrivals) is all that a machine with one receiving port a rank does. Partners of uneven
    /// progress, which blocks of different lengths bring about in recursive doubling, may meet at a receiver's port, of
    /// which it knows nothing; then it is a lower bound.
    #[must_use]
    pub const fn is_exact(self) -> bool {
        matches!(self.allgather, Allgather::Ring) || self.blocks.are_even(self.members)
    }

    /// The tree of the scatter.
    #[must_use]
    pub const fn tree(self) -> Tree {
        Tree::BinomialLargestFirst(self.members)
    }

    /// The blocks that `rank` holds after the scatter, its own first: its subtree's.
    #[must_use]
    pub fn scattered(self, rank: u32) -> Range<u32> {
        let width = 1u64 << rank.trailing_zeros();
        rank..(u64::from(rank) + width).min(u64::from(self.members)) as u32
    }

    /// What `rank` sends in the scatter, in order; subtrees whose blocks are all empty are left out.
    pub fn scatter(self, rank: u32) -> impl Iterator<Item = Transfer> {
        let room = self.members.saturating_sub(rank).saturating_sub(1);
        (0..bit_length(room).min(rank.trailing_zeros()))
            .rev()
            .map(move |exponent| rank + (1 << exponent))
            .map(move |to| Transfer { to, blocks: self.scattered(to) })
            .filter(move |transfer| self.blocks.bytes(&transfer.blocks) > 0)
    }

    /// The member that sends `rank` its blocks in the scatter; none for the root, and for one whose blocks are empty.
    #[must_use]
    pub fn scatterer(self, rank: u32) -> Option<u32> {
        self.tree().parent(rank).filter(|_| self.blocks.bytes(&self.scattered(rank)) > 0)
    }

    /// How many steps the allgather has.
    #[must_use]
    pub const fn steps(self) -> u32 {
        match self.allgather {
            Allgather::Ring => self.members.saturating_sub(1),
            Allgather::RecursiveDoubling => self.members.saturating_sub(1).count_ones(),
        }
    }

    /// What member `rank` does in `step` of the allgather (below [`steps`](Self::steps)). Every exchange takes place,
    /// even one of empty blocks.
    #[must_use]
    pub const fn exchange(self, rank: u32, step: u32) -> Exchange {
        match self.allgather {
            Allgather::Ring => {
                let (to, from) = (self.around(rank, 1), self.around(rank, self.members - 1));
                let sent = self.around(rank, self.members - step);
                let received = self.around(from, self.members - step);
                Exchange { send: Transfer { to, blocks: sent..sent + 1 }, from, receives: received..received + 1 }
            }
            Allgather::RecursiveDoubling => {
                let width = 1 << step;
                let partner = rank ^ width;
                let (own, theirs) = (rank & !(width - 1), partner & !(width - 1));
                let send = Transfer { to: partner, blocks: own..own + width };
                Exchange { send, from: partner, receives: theirs..theirs + width }
            }
        }
    }

    /// The rank that stands `by` places after `rank` in the ring of members; `by` is at most their number.
    const fn around(self, rank: u32, by: u32) -> u32 {
        ((rank as u64 + by as u64) % self.members as u64) as u32
    }

    /// The rank that stands aside and gets the whole message from member `rank` at the end, if there is one.
    #[must_use]
    pub fn aside(self, rank: u32) -> Option<u32> {
        rank.checked_add(self.members).filter(|&aside| rank < self.members && aside < self.ranks)
    }

    /// When each rank has the whole message. A rank starts a step once it has received all earlier ones and its port is
    /// free. O(P) memory; O(P) time a step.
    pub fn arrivals(self, cost: impl Fn(u64) -> Cost) -> Vec<Time> {
        let mut ports = self.scatter_times(&cost);
        for step in 0..self.steps() {
            let starts: Vec<_> = ports.iter().map(|port| port.free.max(port.ready)).collect();
            for (rank, port) in (0..).zip(&mut ports) {
                let Exchange { send, from, receives } = self.exchange(rank, step);
                port.free = starts[rank as usize] + cost(self.blocks.bytes(&send.blocks)).gap;
                port.ready = port.ready.max(starts[from as usize] + cost(self.blocks.bytes(&receives)).hop);
            }
        }
        let whole = cost(self.blocks.message());
        let aside = (0..self.ranks - self.members).map(|rank| {
            let port = &ports[rank as usize];
            port.free.max(port.ready) + whole.hop
        });
        ports.iter().map(|port| port.ready).chain(aside).collect()
    }

    /// When each member has its blocks, and when it has passed on those of others.
    fn scatter_times(self, cost: impl Fn(u64) -> Cost) -> Vec<Port> {
        let mut ports = vec![Port::default(); self.members as usize];
        // A parent's number is below its children's, so its own time is known when it sends.
        for rank in 0..self.members {
            let mut start = ports[rank as usize].ready;
            for transfer in self.scatter(rank) {
                let cost = cost(self.blocks.bytes(&transfer.blocks));
                ports[transfer.to as usize].ready = start + cost.hop;
                start += cost.gap;
            }
            ports[rank as usize].free = start;
        }
        ports
    }
}

/// When a rank has received all it has to before its next step, and when its port is free for it.
#[derive(Debug, Clone, Copy, Default)]
struct Port {
    ready: Time,
    free: Time,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plans(ranks: u32, message: u64) -> [ScatterAllgather; 2] {
        [Allgather::Ring, Allgather::RecursiveDoubling].map(|kind| ScatterAllgather::new(ranks, message, kind))
    }

    #[test]
    fn empty_blocks_are_not_scattered() {
        // 9 bytes for 8 ranks: the last three blocks are empty.
        let [plan, _] = plans(8, 9);
        assert_eq!(plan.scatter(4).count(), 0);
        assert_eq!((plan.scatterer(6), plan.scatterer(4), plan.scatterer(0)), (None, Some(0), None));
    }

    /// Hockney's forms are exact for P = 2^k and a message that P divides: here in ticks, with α = 3 and β = 1.
    #[test]
    fn hockney_forms_are_exact_for_powers_of_two() {
        let cost = |bytes| Cost::hockney(Time(3 + bytes));
        for exponent in 0..8u64 {
            let (ranks, message) = (1u64 << exponent, 5 << exponent);
            let moved = 2 * (ranks - 1) * (message / ranks);
            let expected = [(exponent + ranks - 1) * 3 + moved, 2 * exponent * 3 + moved];
            let times = plans(ranks as u32, message).map(|plan| plan.arrivals(cost).into_iter().max());
            assert_eq!(times, expected.map(|time| Some(Time(time))));
        }
    }

    proptest! {
        /// Carried out block by block, every plan brings every block to every rank, and sends nothing it does not hold.
        #[test]
        fn everyone_ends_with_every_block(ranks in 1u32..70, message in 0u64..200) {
            for plan in plans(ranks, message) {
                let members = plan.members() as usize;
                let mut held = vec![vec![false; members]; members];
                held[0].fill(true);
                for rank in 0..plan.members() {
                    prop_assert_eq!(plan.scatter(rank).filter(|t| plan.scatterer(t.to) != Some(rank)).count(), 0);
                    for Transfer { to, blocks } in plan.scatter(rank) {
                        for block in blocks {
                            prop_assert!(held[rank as usize][block as usize]);
                            held[to as usize][block as usize] = true;
                        }
                    }
                }
                for block in 0..plan.members() {
                    // Nothing need be sent to hold an empty block.
                    let empty = plan.blocks().bytes(&(block..block + 1)) == 0;
                    held[block as usize][block as usize] |= empty;
                    prop_assert!(held[block as usize][block as usize]);
                }
                for step in 0..plan.steps() {
                    let before = held.clone();
                    for rank in 0..plan.members() {
                        let Exchange { send, from, receives } = plan.exchange(rank, step);
                        prop_assert_eq!(plan.exchange(send.to, step).from, rank);
                        let sent = plan.exchange(from, step).send;
                        prop_assert_eq!(sent, Transfer { to: rank, blocks: receives.clone() });
                        for block in receives {
                            prop_assert!(before[from as usize][block as usize]);
                            held[rank as usize][block as usize] = true;
                        }
                    }
                }
                prop_assert!(held.iter().flatten().all(|&held| held));
                let aside: Vec<_> = (0..ranks).filter_map(|rank| plan.aside(rank)).collect();
                prop_assert_eq!(aside, (plan.members()..ranks).collect::<Vec<_>>());
                prop_assert_eq!(plan.arrivals(|_| Cost::default()).len(), ranks as usize);
            }
        }
    }
}
