//! Patterns of turns, in each of which every rank sends a message to one rank and receives one from another: shifts
//! around the circle of all ranks.

use super::moves::{After, Data, Move, back, on};
use crate::rounds::rounds;

/// Who sends what how far in each turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shifts {
    /// Around a circle, at distance 1, then 2, 4 and so on.
    Circle {
        /// Whether messages go to ranks with higher numbers.
        ahead: bool,
        /// Whether what comes is combined.
        combine: bool,
    },
    /// Around a ring: in each step every rank sends on what it got in the last, first its own slot.
    Ring,
    /// Once around, each slot combined at every stop, until rank r has slot r combined.
    RingCombine,
    /// Twice around: what comes the first time is combined; then rank r has combined slot r + 1, and hands it out.
    TwoRings,
    /// In step s every rank sends slot s to the one s ranks on, and receives from the one s ranks back.
    Pairwise,
    /// In step s every rank sends the slot of the one s ranks on, which combines it.
    PairwiseCombine,
    /// All sends of a rank first, then whatever comes. Slot j goes j ranks further: none is passed on, so nobody waits.
    AllAtOnce,
    /// The same of a rank's own slot, which it sends to all others.
    OwnToAll,
    /// So many messages of an all-to-all at a time: a rank goes on when these have gone and as many have come.
    Window(u32),
    /// Pairs of slots go to the one neighbour, then to the other. The number of ranks is even.
    Neighbours,
}

impl Shifts {
    /// How many messages a rank sends.
    const fn turns(self, ranks: u32) -> u32 {
        match self {
            Self::Circle { .. } => rounds(ranks),
            Self::TwoRings => 2 * (ranks - 1),
            Self::Neighbours => ranks / 2,
            Self::Ring
            | Self::RingCombine
            | Self::Pairwise
            | Self::PairwiseCombine
            | Self::AllAtOnce
            | Self::OwnToAll
            | Self::Window(_) => ranks - 1,
        }
    }

    /// How many steps a rank has.
    pub(super) const fn steps(self, ranks: u32) -> u32 {
        2 * self.turns(ranks)
    }

    /// A step by its number, which is below the [steps](Self::steps).
    #[inline]
    pub(super) fn step(self, rank: u32, number: u32, ranks: u32) -> Move {
        // All sends come first, or sends and receives by turns.
        let turns = self.turns(ranks);
        let (turn, sends, receive) = match self {
            Self::AllAtOnce | Self::OwnToAll if number >= turns => (number - turns, false, 0),
            Self::AllAtOnce | Self::OwnToAll => (number, true, number + turns),
            Self::Window(window) => {
                let (before, within) = (number / (2 * window) * window, number % (2 * window));
                let sends = window.min(turns - before);
                let is_send = within < sends;
                (before + if is_send { within } else { within - sends }, is_send, number + sends)
            }
            Self::Circle { .. }
            | Self::Ring
            | Self::RingCombine
            | Self::TwoRings
            | Self::Pairwise
            | Self::PairwiseCombine
            | Self::Neighbours => (number / 2, number.is_multiple_of(2), number + 1),
        };
        let (to, from) = self.partners(rank, turn, ranks);
        if sends {
            Move::send(to, self.data(rank, turn, ranks), receive)
        } else {
            Move::receive(from, self.data(from, turn, ranks), self.combines(turn, ranks))
        }
    }

    /// What a rank does after a step. Open MPI's rings post a receive ahead while they combine
    /// (`coll_base_reduce_scatter.c`, `coll_base_allreduce.c`).
    pub(super) const fn after(self, number: u32, ranks: u32) -> After {
        let (steps, sends) = (self.steps(ranks), number.is_multiple_of(2));
        match self {
            // Blocking sends, behind what came in the turn before.
            Self::RingCombine if sends => After::PostsAndWaits,
            Self::TwoRings if number < steps / 2 && sends => After::PostsAndWaits,
            Self::TwoRings if number < steps / 2 => After::waits_if(number + 1 == steps / 2),
            Self::RingCombine | Self::AllAtOnce | Self::OwnToAll => After::waits_if(number + 1 == steps),
            Self::Window(window) => After::waits_if(number + 1 == steps || (number + 1).is_multiple_of(2 * window)),
            // Pairs of a send and a receive.
            Self::Circle { .. }
            | Self::Ring
            | Self::TwoRings
            | Self::Pairwise
            | Self::PairwiseCombine
            | Self::Neighbours => After::waits_if(!sends),
        }
    }

    /// Whether a rank sends in a turn only when what comes in the turn before has come.
    pub(super) const fn go_by_turns(self) -> bool {
        match self {
            Self::AllAtOnce | Self::OwnToAll | Self::Window(_) => false,
            Self::Circle { .. }
            | Self::Ring
            | Self::RingCombine
            | Self::TwoRings
            | Self::Pairwise
            | Self::PairwiseCombine
            | Self::Neighbours => true,
        }
    }

    /// Whether what comes in a turn is combined.
    const fn combines(self, turn: u32, ranks: u32) -> bool {
        match self {
            Self::Circle { combine, .. } => combine,
            Self::TwoRings => turn < ranks - 1,
            Self::RingCombine | Self::PairwiseCombine => true,
            Self::Ring | Self::Pairwise | Self::AllAtOnce | Self::OwnToAll | Self::Window(_) | Self::Neighbours => {
                false
            }
        }
    }

    /// To whom a rank sends its n-th message, and from whom it receives its n-th.
    #[inline]
    const fn partners(self, rank: u32, turn: u32, ranks: u32) -> (u32, u32) {
        let distance = match self {
            Self::Ring | Self::TwoRings | Self::RingCombine => 1,
            Self::Circle { ahead: true, .. } => 1 << turn,
            Self::Circle { ahead: false, .. } => ranks - (1 << turn),
            // Even ranks turn to the one before them in odd steps, odd ranks to the one after them.
            Self::Neighbours => {
                let partner = match (rank.is_multiple_of(2), turn % 2 == 1) {
                    (_, false) => rank ^ 1,
                    (true, true) => back(rank, 1, ranks),
                    (false, true) => on(rank, 1, ranks),
                };
                return (partner, partner);
            }
            Self::Pairwise | Self::PairwiseCombine | Self::AllAtOnce | Self::OwnToAll | Self::Window(_) => turn + 1,
        };
        (on(rank, distance, ranks), back(rank, distance, ranks))
    }

    /// What is in the n-th message of a rank.
    #[inline]
    const fn data(self, rank: u32, turn: u32, ranks: u32) -> Data {
        match self {
            Self::Ring => Data::Members(back(rank, turn, ranks), 1),
            Self::OwnToAll => Data::Members(rank, 1),
            Self::RingCombine => Data::Members(back(rank, turn + 1, ranks), 1),
            Self::PairwiseCombine => Data::Own(on(rank, turn + 1, ranks)),
            Self::TwoRings if turn < ranks - 1 => Data::Members(back(rank, turn, ranks), 1),
            Self::TwoRings => Data::Members(back(on(rank, 1, ranks), turn - (ranks - 1), ranks), 1),
            Self::Circle { ahead: true, .. } => Data::Digit(turn),
            Self::Circle { ahead: false, .. } => {
                // A rank has what belongs to the ranks from itself on, twice as many after each step.
                let (held, missing) = (1 << turn, ranks - (1 << turn));
                Data::Members(rank, if held < missing { held } else { missing })
            }
            Self::Neighbours if turn == 0 => Data::Members(rank, 1),
            Self::Neighbours => Data::Members(2 * latest(rank, turn - 1, ranks / 2), 2),
            Self::Pairwise | Self::AllAtOnce | Self::Window(_) => Data::Members(turn + 1, 1),
        }
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
