//! Who sends what to whom, told by arithmetic: the patterns of which algorithms are made.
//!
//! A pattern says how many steps a rank has in it, and what each of them is, by its number. The number of the step that
//! receives a message follows from the pattern too, so nothing is ever listed.

use super::backward::Combining;
use super::exchanges::{Ranks, Rounds};
use super::fold::Fold;
use super::forward;
use super::grid::Grid;
use super::local::Local;
use super::moves::{Data, Move, Piece, back, children, on, subtree};
use super::nomial::Nomial;
use super::rooted::{Others, Renumber, Spread, Subtrees, Synchronised};
use crate::rounds::rounds;
use crate::segments::Segments;
use crate::tree::{SplitBinary, Tree};

/// A stage of a plan. Ranks are counted from the root; there are at least two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pattern {
    /// From the root down a tree: each rank forwards each segment to all its children, then awaits the next.
    Forward {
        /// Who forwards to whom.
        tree: Tree,
        /// How the message is cut; a slot is a segment.
        segments: Segments,
    },
    /// Each half of a message down one side of a tree, then across; a slot is a segment of the one half, then of the
    /// other.
    Split(SplitBinary),
    /// Up a tree, segment by segment: each rank combines what its children send with its own.
    Backward {
        /// Who combines for whom.
        combining: Combining,
        /// How the vector is cut; a slot is a segment.
        segments: Segments,
    },
    /// What ranks do to their own memory.
    Local(Local),
    /// The root sends to every other rank in turn.
    Outward(Others),
    /// The root sends to all other ranks at once.
    OutwardAtOnce(Others),
    /// Every other rank sends to the root, which receives from one after the other.
    Inward {
        /// Whether it combines what it receives.
        combine: bool,
        /// In which order.
        others: Others,
        /// Whether it has posted all its receives at first.
        at_once: bool,
    },
    /// From the root down the binomial tree of the members, largest subtrees first.
    Down {
        /// How many members are sent something: those from this number on have no data.
        reach: u32,
    },
    /// The same to all members; each sends to all its children at once.
    DownAtOnce,
    /// The first member hands its part to the root if that stands aside, which takes its place from then on.
    ToAside,
    /// From the leaves up the binomial tree of the members to the root, smallest subtrees first.
    Up {
        /// Whether parents combine what they receive.
        combine: bool,
    },
    /// Who stands aside hands its data to its partner.
    HandOver {
        /// Whether the partner combines them with its own.
        combine: bool,
    },
    /// Who stands aside is handed the outcome.
    HandBack,
    /// Who stands aside is handed its own part of the outcome.
    HandOwn,
    /// The rank with the last number sends the outcome to the root of this number, if that is another one.
    ToRoot(u32),
    /// Every rank awaits what the one before it has, combines it, and sends it to the next.
    ToNext,
    /// Blocks along a Bine tree.
    Subtrees(Subtrees),
    /// Blocks along a k-nomial tree.
    Nomial(Nomial),
    /// The all-gather behind a scatter along a Bine tree.
    Spread(Spread),
    /// Blocks go to the ranks whose numbers they bear, or come from there.
    Renumber(Renumber),
    /// A gather in which the root asks one rank after the other.
    Synchronised(Synchronised),
    /// Rounds of messages that go all at once.
    Rounds(Rounds),
    /// Members exchange what they have with the partner at distance 1, then 2, 4 and so on.
    Doubling {
        /// Whether they combine what they receive.
        combine: bool,
    },
    /// Members exchange halves of what they have with the partner at the greatest distance, then half of it, and so on,
    /// and combine what they receive.
    Halving,
    /// Around a circle, at distance 1, then 2, 4 and so on.
    Circle {
        /// Whether messages go to ranks with higher numbers.
        ahead: bool,
        /// Whether what comes is combined.
        combine: bool,
    },
    /// The same ahead with the slots that have a digit set, which are copied together before and apart behind it.
    Shuffle,
    /// Members exchange half of all slots with the partner at the greatest distance, then half of it, and so on: those
    /// for the partner's group, which are copied together before, and those that stay.
    Exchange,
    /// Around a ring: in each step every rank sends on what it got in the last, first its own slot.
    Ring,
    /// Once around, each slot combined at every stop, until rank r has slot r combined.
    RingCombine,
    /// In step s every rank sends the slot of the one s ranks on, which combines it.
    PairwiseCombine,
    /// Members exchange all but what belongs to their group with the partner at distance 1, then 2, 4 and so on, and
    /// combine what they receive; groups are as large as the distance.
    Outside,
    /// Twice around: what comes the first time is combined; then rank r has combined slot r + 1, and hands it out.
    TwoRings,
    /// In step s every rank sends slot s to the one s ranks on, and receives from the one s ranks back.
    Pairwise,
    /// All sends of a rank first, then whatever comes. Slot j goes j ranks further: none is passed on, so nobody waits.
    AllAtOnce,
    /// The same of a rank's own slot, which it sends to all others.
    OwnToAll,
    /// All that a rank has goes to every rank after it at once; then it combines what comes from those before it.
    ToAllAfter,
    /// So many messages of an all-to-all at a time: a rank goes on when these have gone and as many have come.
    Window(u32),
    /// Pairs of slots go to the one neighbour, then to the other. The number of ranks is even.
    Neighbours,
    /// Everyone sends to all its neighbours on a grid, then receives from them.
    Halo(Grid),
}

impl Pattern {
    /// How many messages a rank sends in a pattern in which all send as many.
    const fn turns(&self, ranks: u32) -> u32 {
        match self {
            Self::TwoRings => 2 * (ranks - 1),
            Self::Neighbours => ranks / 2,
            Self::Circle { .. } => rounds(ranks),
            _ => ranks - 1,
        }
    }

    /// How many steps a rank has.
    #[inline]
    pub(super) fn steps(&self, rank: u32, ranks: u32, fold: Fold) -> u32 {
        match *self {
            Self::Backward { ref combining, segments } => combining.steps(rank, segments),
            Self::Local(local) => local.steps(rank, fold),
            Self::Rounds(ref rounds) => rounds.steps(rank, Ranks { all: ranks, fold }),
            Self::Subtrees(_) => Subtrees::steps(rank, Ranks { all: ranks, fold }),
            Self::Nomial(nomial) => nomial.steps(rank, ranks),
            Self::Spread(_) => Spread::steps(rank, fold),
            Self::Renumber(_) => Renumber::steps(rank, fold),
            Self::Synchronised(_) => Synchronised::steps(rank, ranks),
            Self::ToRoot(root) => u32::from(root + 1 < ranks && (rank == 0 || rank + root + 1 == ranks)),
            Self::ToNext => u32::from(rank > 0) + u32::from(rank + 1 < ranks),
            Self::ToAllAfter => ranks - 1,
            Self::DownAtOnce => Self::Down { reach: fold.members }.steps(rank, ranks, fold),
            Self::Forward { ref tree, segments } => {
                (segments.count() as u32).saturating_mul(forward::per_segment(tree, rank))
            }
            Self::Split(split) => forward::split_steps(split, rank),
            Self::Outward(_) | Self::OutwardAtOnce(_) | Self::Inward { .. } => {
                if rank == 0 {
                    ranks - 1
                } else {
                    1
                }
            }
            Self::Down { reach } => fold
                .member(rank)
                .filter(|member| *member < reach)
                .map_or(0, |member| children(member, reach) + u32::from(member > 0)),
            Self::Up { .. } => {
                fold.gathering(rank).map_or(0, |member| children(member, fold.members) + u32::from(member > 0))
            }
            Self::ToAside => u32::from(fold.member(0).is_none() && (rank == 0 || fold.member(rank) == Some(0))),
            Self::HandOver { .. } | Self::HandBack | Self::HandOwn => u32::from(fold.partner(rank).is_some()),
            Self::Doubling { .. } | Self::Halving | Self::Outside => {
                if fold.member(rank).is_some() {
                    2 * fold.members.trailing_zeros()
                } else {
                    0
                }
            }
            Self::Halo(grid) => 2 * grid.neighbours(rank).count() as u32,
            Self::Shuffle => 5 * rounds(ranks),
            Self::Exchange => 4 * fold.members.trailing_zeros(),
            _ => 2 * self.turns(ranks),
        }
    }

    /// A step by its number, which is below the rank's [steps](Self::steps).
    #[inline]
    pub(super) fn step(&self, rank: u32, number: u32, ranks: u32, fold: Fold) -> Move {
        // Only members have steps where it matters.
        let member = || fold.member(rank).unwrap_or(0);
        match *self {
            Self::Forward { ref tree, .. } => forward::step(tree, rank, number),
            Self::Split(split) => forward::split(split, rank, number),
            Self::Backward { ref combining, segments } => combining.step(rank, number, segments),
            Self::Local(local) => local.step(rank, ranks, fold),
            Self::Rounds(ref rounds) => rounds.step(rank, number, Ranks { all: ranks, fold }),
            Self::Subtrees(subtrees) => subtrees.step(rank, number, Ranks { all: ranks, fold }),
            Self::Nomial(nomial) => nomial.step(rank, number, ranks),
            Self::Spread(_) => Spread::step(rank, number, fold),
            Self::Renumber(renumber) => renumber.step(rank, number, fold),
            Self::Synchronised(gather) => gather.step(rank, number, ranks),
            Self::ToRoot(root) if rank == 0 => Move::receive(ranks - 1 - root, Data::All, false),
            Self::ToRoot(_) => Move::send(0, Data::All, 0),
            Self::ToAllAfter => match number.checked_sub(ranks - 1 - rank) {
                Some(from) => Move::receive(from, Data::All, true),
                None => Move::send(rank + 1 + number, Data::All, ranks - 2 - number),
            },
            Self::ToNext if number == 0 && rank > 0 => Move::receive(rank - 1, Data::All, true),
            Self::ToNext => Move::send(rank + 1, Data::All, 0),
            Self::DownAtOnce => down(member(), number, fold.members, fold),
            Self::Outward(others) | Self::OutwardAtOnce(others) if rank == 0 => {
                let other = others.nth(number, ranks);
                Move::send(other, Data::Own(other), 0)
            }
            Self::Outward(_) | Self::OutwardAtOnce(_) => Move::receive(0, Data::Own(rank), false),
            Self::Inward { combine, others, .. } if rank == 0 => {
                let other = others.nth(number, ranks);
                Move::receive(other, if combine { Data::All } else { Data::Own(other) }, combine)
            }
            Self::Inward { combine, others, .. } => {
                Move::send(0, if combine { Data::All } else { Data::Own(rank) }, others.place(rank, ranks))
            }
            Self::Down { reach } => down(member(), number, reach, fold),
            Self::ToAside if rank == 0 => Move::receive(fold.rank(0), Data::Members(0, 1), false),
            Self::ToAside => Move::send(0, Data::Members(0, 1), 0),
            Self::Up { combine } => up(fold.gathering(rank).unwrap_or(0), number, combine, fold),
            Self::HandOver { .. } | Self::HandBack | Self::HandOwn => self.hand(rank, fold),
            Self::Doubling { combine } => {
                let (member, mask) = (member(), 1 << (number / 2));
                exchange(member, number, mask, [member, member ^ mask], combine, fold)
            }
            Self::Halving => {
                // A member keeps the half in which its own part lies.
                let (member, mask) = (member(), fold.members >> (number / 2 + 1));
                exchange(member, number, mask, [member ^ mask, member], true, fold)
            }
            Self::Outside => {
                let (member, mask) = (member(), 1 << (number / 2));
                let group = |member: u32| (member & !(mask - 1)) + mask;
                let data = |member: u32| Data::Members(group(member) % fold.members, fold.members - mask);
                let other = fold.across(member, mask);
                if number.is_multiple_of(2) {
                    Move::send(other, data(member), number + 1)
                } else {
                    Move::receive(other, data(member ^ mask), true)
                }
            }
            Self::Halo(grid) => halo(grid, rank, number),
            Self::Shuffle => shuffle(rank, number, ranks),
            Self::Exchange => half(member(), number, fold),
            _ => self.turn(rank, number, ranks),
        }
    }

    /// Whether a rank waits after one of its `steps` for all that it has begun.
    pub(super) fn ends(&self, rank: u32, number: u32, steps: u32, ranks: u32, fold: Fold) -> bool {
        match *self {
            Self::Forward { ref tree, .. } => forward::ends(tree, rank, number, steps),
            Self::Split(split) => forward::split_ends(split, rank, number),
            Self::Backward { ref combining, segments } => combining.ends(rank, number, segments),
            Self::Rounds(ref rounds) => rounds.ends(rank, number, Ranks { all: ranks, fold }),
            Self::Spread(_) => Spread::ends(rank, number, fold),
            Self::Synchronised(_) => Synchronised::ends(rank, number, ranks),
            // All at once, behind what has come.
            Self::AllAtOnce
            | Self::OwnToAll
            | Self::ToAllAfter
            | Self::Halo(_)
            | Self::OutwardAtOnce(_)
            | Self::Inward { at_once: true, .. } => number + 1 == steps,
            Self::DownAtOnce => number + 1 == steps || (number == 0 && rank > 0),
            Self::Window(window) => number + 1 == steps || (number + 1).is_multiple_of(2 * window),
            // Blocking sends and receives, and what takes place at once.
            Self::Outward(_)
            | Self::Inward { .. }
            | Self::Down { .. }
            | Self::ToAside
            | Self::Up { .. }
            | Self::Subtrees(_)
            | Self::Nomial(_)
            | Self::HandOver { .. }
            | Self::HandBack
            | Self::HandOwn
            | Self::ToRoot(_)
            | Self::ToNext
            | Self::Local(_) => true,
            Self::Shuffle => number % 5 != 1,
            Self::Exchange => number % 4 != 2,
            // Blocking sends, behind what came in the turn before.
            Self::RingCombine => number.is_multiple_of(2) || number + 1 == steps,
            Self::TwoRings if number < steps / 2 => number.is_multiple_of(2) || number + 1 == steps / 2,
            // Pairs of a send and a receive.
            _ => number % 2 == 1,
        }
    }

    /// Whether the receive behind a step is posted ahead (see [`StepPlan::posts_ahead`](super::StepPlan::posts_ahead)):
    /// Open MPI's rings do so while they combine (`coll_base_reduce_scatter.c`, `coll_base_allreduce.c`).
    pub(super) const fn posts_ahead(&self, number: u32, ranks: u32) -> bool {
        match self {
            Self::RingCombine => number.is_multiple_of(2),
            Self::TwoRings => number.is_multiple_of(2) && number < 2 * (ranks - 1),
            _ => false,
        }
    }

    /// What someone who stands aside and its partner do.
    fn hand(&self, rank: u32, fold: Fold) -> Move {
        let (partner, stands_aside) = (fold.partner(rank).unwrap_or(rank), fold.member(rank).is_none());
        let aside = if stands_aside { rank } else { partner };
        match *self {
            Self::HandOver { combine } => {
                let data = if combine { Data::All } else { Data::Own(aside) };
                if stands_aside { Move::send(partner, data, 0) } else { Move::receive(partner, data, combine) }
            }
            Self::HandOwn if stands_aside => Move::receive(partner, Data::Own(aside), false),
            Self::HandOwn => Move::send(partner, Data::Own(aside), 0),
            _ if stands_aside => Move::receive(partner, Data::Others(aside), false),
            _ => Move::send(partner, Data::Others(aside), 0),
        }
    }

    /// A step of a pattern in which all ranks send and receive as often.
    #[inline]
    fn turn(&self, rank: u32, number: u32, ranks: u32) -> Move {
        // All sends come first, or sends and receives by turns.
        let turns = self.turns(ranks);
        let (turn, sends, receive) = match *self {
            Self::AllAtOnce | Self::OwnToAll if number >= turns => (number - turns, false, 0),
            Self::AllAtOnce | Self::OwnToAll => (number, true, number + turns),
            Self::Window(window) => {
                let (before, within) = (number / (2 * window) * window, number % (2 * window));
                let sends = window.min(turns - before);
                let is_send = within < sends;
                (before + if is_send { within } else { within - sends }, is_send, number + sends)
            }
            _ => (number / 2, number.is_multiple_of(2), number + 1),
        };
        let (to, from) = self.partners(rank, turn, ranks);
        if sends {
            Move::send(to, self.data(rank, turn, ranks), receive)
        } else {
            let combine = match *self {
                Self::Circle { combine, .. } => combine,
                Self::TwoRings => turn < ranks - 1,
                Self::RingCombine | Self::PairwiseCombine => true,
                _ => false,
            };
            Move::receive(from, self.data(from, turn, ranks), combine)
        }
    }

    /// To whom a rank sends its n-th message, and from whom it receives its n-th.
    #[inline]
    const fn partners(&self, rank: u32, turn: u32, ranks: u32) -> (u32, u32) {
        let distance = match self {
            Self::Ring | Self::TwoRings | Self::RingCombine => 1,
            Self::Circle { ahead: true, .. } => 1 << turn,
            Self::Circle { .. } => ranks - (1 << turn),
            // Even ranks turn to the one before them in odd steps, odd ranks to the one after them.
            Self::Neighbours => {
                let partner = match (rank.is_multiple_of(2), turn % 2 == 1) {
                    (_, false) => rank ^ 1,
                    (true, true) => back(rank, 1, ranks),
                    (false, true) => on(rank, 1, ranks),
                };
                return (partner, partner);
            }
            _ => turn + 1,
        };
        (on(rank, distance, ranks), back(rank, distance, ranks))
    }

    /// What is in the n-th message of a rank.
    #[inline]
    const fn data(&self, rank: u32, turn: u32, ranks: u32) -> Data {
        match self {
            Self::Ring => Data::Members(back(rank, turn, ranks), 1),
            Self::OwnToAll => Data::Members(rank, 1),
            Self::RingCombine => Data::Members(back(rank, turn + 1, ranks), 1),
            Self::PairwiseCombine => Data::Own(on(rank, turn + 1, ranks)),
            Self::TwoRings if turn < ranks - 1 => Data::Members(back(rank, turn, ranks), 1),
            Self::TwoRings => Data::Members(back(on(rank, 1, ranks), turn - (ranks - 1), ranks), 1),
            Self::Circle { ahead: true, .. } => Data::Digit(turn),
            Self::Circle { .. } => {
                // A rank has what belongs to the ranks from itself on, twice as many after each step.
                let (held, missing) = (1 << turn, ranks - (1 << turn));
                Data::Members(rank, if held < missing { held } else { missing })
            }
            Self::Neighbours if turn == 0 => Data::Members(rank, 1),
            Self::Neighbours => Data::Members(2 * latest(rank, turn - 1, ranks / 2), 2),
            _ => Data::Members(turn + 1, 1),
        }
    }
}

fn down(member: u32, number: u32, reach: u32, fold: Fold) -> Move {
    let receives = u32::from(member > 0);
    if number < receives {
        return Move::receive(fold.rank(member & (member - 1)), subtree(member, fold.members), false);
    }
    let child = member + (1 << (children(member, reach) + receives - 1 - number));
    Move::send(fold.rank(child), subtree(child, fold.members), 0)
}

fn up(member: u32, number: u32, combine: bool, fold: Fold) -> Move {
    // What is combined is all that there is.
    let data = |member: u32| if combine { Data::All } else { subtree(member, fold.members) };
    if number < children(member, fold.members) {
        let child = member + (1 << number);
        return Move::receive(fold.gatherer(child), data(child), combine);
    }
    // The parent receives from its smaller subtrees before.
    let (parent, receive) = (member & (member - 1), member.trailing_zeros());
    Move::send(fold.gatherer(parent), data(member), receive)
}

/// A member sends what belongs to the group of the first member given, and receives what belongs to that of the second;
/// groups are as large as the distance of the partner.
fn exchange(member: u32, number: u32, mask: u32, [sent, received]: [u32; 2], combine: bool, fold: Fold) -> Move {
    let (partner, group) = (fold.across(member, mask), |member: u32| Data::Members(member & !(mask - 1), mask));
    if number.is_multiple_of(2) {
        Move::send(partner, group(sent), number + 1)
    } else {
        Move::receive(partner, group(received), combine)
    }
}

/// A step of Bruck's all-to-all: packing, a message each way, unpacking and putting back.
const fn shuffle(rank: u32, number: u32, ranks: u32) -> Move {
    let (turn, data) = (number / 5, Data::Digit(number / 5));
    match number % 5 {
        1 => Move::send(on(rank, 1 << turn, ranks), data, number + 1),
        2 => Move::receive(back(rank, 1 << turn, ranks), data, false),
        _ => Move::copy(rank, data),
    }
}

/// A step of an exchange of half of all slots.
const fn half(member: u32, number: u32, fold: Fold) -> Move {
    let mask = fold.members >> (number / 4 + 1);
    let other = fold.across(member, mask);
    let travels = Piece::Times(fold.members / 2 / mask);
    match number % 4 {
        2 => Move::send(other, Data::Members((member ^ mask) & !(mask - 1), mask), number + 1).of(travels),
        3 => Move::receive(other, Data::Members(member & !(mask - 1), mask), false).of(travels),
        _ => Move::copy(fold.rank(member), Data::Half),
    }
}

fn halo(grid: Grid, rank: u32, number: u32) -> Move {
    let count = grid.neighbours(rank).count();
    let (place, sends) =
        if (number as usize) < count { (number as usize, true) } else { (number as usize - count, false) };
    let other = grid.neighbours(rank).nth(place).unwrap_or(rank);
    if !sends {
        return Move::receive(other, Data::All, false);
    }
    // Around a line of two the same rank is on both sides: the n-th message to it meets the n-th receive from here.
    let before = grid.neighbours(rank).take(place).filter(|&one| one == other).count();
    let there = grid.neighbours(other).zip(0u32..).filter(|(one, _)| *one == rank).nth(before);
    let receives = grid.neighbours(other).count() as u32;
    Move::send(other, Data::All, receives + there.map_or(0, |(_, place)| place))
}

/// The pair of blocks (of `pairs`) that a rank got in a step: pairs come from both sides in turn, from further away
/// each time.
const fn latest(rank: u32, step: u32, pairs: u32) -> u32 {
    let (own, distance) = (rank / 2, step.div_ceil(2));
    // An even rank has pairs from before it in odd steps, an odd rank from after it.
    let before = rank.is_multiple_of(2) != step.is_multiple_of(2);
    if before { (own + pairs - distance) % pairs } else { (own + distance) % pairs }
}
