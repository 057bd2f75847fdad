//! Plans with as many steps in every rank, each told by arithmetic: those whose lists would grow with the square of the
//! ranks.

use super::blocks::Blocks;
use super::plan::Step;

/// A plan that is never listed: step n of all is step n mod k of rank n / k, where each rank has k.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Regular {
    ranks: u32,
    pattern: Pattern,
}

/// Who sends what to whom. There are at least two ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pattern {
    /// Around a ring: in each step every rank sends on what it got in the last, first its own slot.
    Ring,
    /// Twice around: what comes the first time is combined; then rank r has combined slot r + 1, and hands it out.
    TwoRings,
    /// In step s every rank sends slot s to the one s ranks on, and receives from the one s ranks back.
    Pairwise,
    /// All sends of a rank first, then whatever comes. Slot j goes j ranks further: none is passed on, so nobody waits.
    AllAtOnce,
    /// Pairs of slots go to the one neighbour, then to the other. The number of ranks is even.
    Neighbours,
}

impl Regular {
    pub(super) const fn new(ranks: u32, pattern: Pattern) -> Self {
        Self { ranks, pattern }
    }

    /// How many ranks take part.
    pub(super) const fn ranks(self) -> u32 {
        self.ranks
    }

    /// How many messages each rank sends, and how many it receives.
    pub(super) const fn messages(self) -> u32 {
        match self.pattern {
            Pattern::Ring | Pattern::Pairwise | Pattern::AllAtOnce => self.ranks - 1,
            Pattern::TwoRings => (self.ranks - 1).saturating_mul(2),
            Pattern::Neighbours => self.ranks / 2,
        }
    }

    /// How many steps each rank has.
    pub(super) const fn each(self) -> u32 {
        2 * self.messages()
    }

    /// A step by its number among those of all ranks.
    #[inline]
    pub(super) const fn step(self, number: u32) -> Step {
        let (rank, place) = (number / self.each(), number % self.each());
        // All sends come first, or sends and receives by turns.
        let (message, sends) = match self.pattern {
            Pattern::AllAtOnce => (place % self.messages(), place < self.messages()),
            _ => (place / 2, place.is_multiple_of(2)),
        };
        let (to, from) = self.partners(rank, message);
        if !sends {
            return Step::Receive { from, blocks: self.blocks(from, message), combine: self.combines(message) };
        }
        let awaited = match self.pattern {
            Pattern::AllAtOnce => self.messages() + message,
            _ => 2 * message + 1,
        };
        Step::Send { to, blocks: self.blocks(rank, message), receive: to * self.each() + awaited }
    }

    /// To whom a rank sends its n-th message, and from whom it receives its n-th.
    const fn partners(self, rank: u32, message: u32) -> (u32, u32) {
        let ranks = self.ranks;
        match self.pattern {
            Pattern::Ring | Pattern::TwoRings => self.around(rank, 1),
            Pattern::Pairwise | Pattern::AllAtOnce => self.around(rank, message + 1),
            // Even ranks turn to the one before them in odd steps, odd ranks to the one after them.
            Pattern::Neighbours => {
                let partner = match (rank.is_multiple_of(2), message % 2 == 1) {
                    (_, false) => rank ^ 1,
                    (true, true) => (rank + ranks - 1) % ranks,
                    (false, true) => (rank + 1) % ranks,
                };
                (partner, partner)
            }
        }
    }

    /// The ranks so many places on and back, in a circle.
    const fn around(self, rank: u32, by: u32) -> (u32, u32) {
        ((rank + by) % self.ranks, (rank + self.ranks - by) % self.ranks)
    }

    /// What is in the n-th message of a rank.
    const fn blocks(self, rank: u32, message: u32) -> Blocks {
        let ranks = self.ranks;
        let (first, count) = match self.pattern {
            Pattern::Ring | Pattern::TwoRings => {
                let (ahead, step) = (message / (ranks - 1), message % (ranks - 1));
                ((rank + ahead + ranks - step) % ranks, 1)
            }
            Pattern::Pairwise | Pattern::AllAtOnce => (message + 1, 1),
            Pattern::Neighbours if message == 0 => (rank, 1),
            Pattern::Neighbours => (2 * latest(rank, message - 1, ranks / 2), 2),
        };
        Blocks::Range { first, count }
    }

    const fn combines(self, message: u32) -> bool {
        matches!(self.pattern, Pattern::TwoRings) && message < self.ranks - 1
    }
}

/// The pair of blocks (of `pairs`) that a rank got in a step: pairs come from both sides in turn, from further away
/// each time.
const fn latest(rank: u32, step: u32, pairs: u32) -> u32 {
    let (own, distance) = (rank / 2, step.div_ceil(2));
    // An even rank has pairs from before it in odd steps, an odd rank from after it.
    let before = rank.is_multiple_of(2) != step.is_multiple_of(2);
    if before { (own + pairs - distance) % pairs } else { (own + distance) % pairs }
}
