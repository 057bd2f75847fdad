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
use super::moves::{After, Data, Move, Piece, back, children, on, subtree};
use super::nomial::Nomial;
use super::rooted::{Others, Renumber, Spread, Subtrees, Synchronised};
use super::shifts::Shifts;
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
    /// Around a circle, at distance 1, then 2, 4 and so on, with the slots that have a digit set, which are copied
    /// together before and apart behind it.
    Shuffle,
    /// Members exchange half of all slots with the partner at the greatest distance, then half of it, and so on: those
    /// for the partner's group, which are copied together before, and those that stay.
    Exchange,
    /// Members exchange all but what belongs to their group with the partner at distance 1, then 2, 4 and so on, and
    /// combine what they receive; groups are as large as the distance.
    Outside,
    /// All that a rank has goes to every rank after it at once; then it combines what comes from those before it.
    ToAllAfter,
    /// Turns in which every rank sends and receives.
    Shifts(Shifts),
    /// Everyone sends to all its neighbours on a grid, then receives from them.
    Halo(Grid),
}

impl Pattern {
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
            Self::Shifts(shifts) => shifts.steps(ranks),
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
            Self::HandOver { combine } => {
                hand(rank, fold, true, |aside| if combine { Data::All } else { Data::Own(aside) }, combine)
            }
            Self::HandBack => hand(rank, fold, false, Data::Others, false),
            Self::HandOwn => hand(rank, fold, false, Data::Own, false),
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
            Self::Shifts(shifts) => shifts.step(rank, number, ranks),
        }
    }

    /// What a rank does after one of its `steps`.
    pub(super) fn after(&self, rank: u32, number: u32, steps: u32, ranks: u32, fold: Fold) -> After {
        After::waits_if(match *self {
            Self::Forward { ref tree, .. } => forward::ends(tree, rank, number, steps),
            Self::Split(split) => forward::split_ends(split, rank, number),
            Self::Backward { ref combining, segments } => combining.ends(rank, number, segments),
            Self::Rounds(ref rounds) => rounds.ends(rank, number, Ranks { all: ranks, fold }),
            Self::Spread(_) => Spread::ends(rank, number, fold),
            Self::Synchronised(_) => Synchronised::ends(rank, number, ranks),
            Self::Shifts(shifts) => return shifts.after(number, ranks),
            // All at once, behind what has come.
            Self::ToAllAfter | Self::Halo(_) | Self::OutwardAtOnce(_) | Self::Inward { at_once: true, .. } => {
                number + 1 == steps
            }
            Self::DownAtOnce => number + 1 == steps || (number == 0 && rank > 0),
            // Blocking sends and receives, and what takes place at once.
            Self::Outward(_)
            | Self::Inward { at_once: false, .. }
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
            // Pairs of a send and a receive.
            Self::Doubling { .. } | Self::Halving | Self::Outside | Self::Renumber(_) => number % 2 == 1,
            Self::Shuffle => number % 5 != 1,
            Self::Exchange => number % 4 != 2,
        })
    }

    /// Whether a message may meet another at its receiver, since partners do not get on alike; blocks of different
    /// lengths hold up one of two that exchange.
    pub(super) const fn meets(&self, are_even: bool, fold: Fold) -> bool {
        match self {
            Self::Doubling { .. } | Self::Halving => !are_even,
            // A root that stands aside is handed its part while others send theirs.
            Self::ToAside => fold.member(0).is_none(),
            Self::Rounds(_) | Self::Renumber(_) | Self::Spread(_) | Self::Backward { .. } => true,
            Self::Forward { .. }
            | Self::Split(_)
            | Self::Local(_)
            | Self::Outward(_)
            | Self::OutwardAtOnce(_)
            | Self::Inward { .. }
            | Self::Down { .. }
            | Self::DownAtOnce
            | Self::Up { .. }
            | Self::HandOver { .. }
            | Self::HandBack
            | Self::HandOwn
            | Self::ToRoot(_)
            | Self::ToNext
            | Self::ToAllAfter
            | Self::Subtrees(_)
            | Self::Nomial(_)
            | Self::Synchronised(_)
            | Self::Outside
            | Self::Exchange
            | Self::Shuffle
            | Self::Shifts(_)
            | Self::Halo(_) => false,
        }
    }

    /// Whether all ranks do the same in each step, turn by turn.
    pub(super) const fn is_alike(&self, fold: Fold) -> bool {
        match self {
            Self::Shifts(shifts) => shifts.go_by_turns(),
            Self::Local(local) => local.is_alike(fold),
            // Where nobody stands aside, nothing is handed over or back.
            Self::Doubling { .. }
            | Self::Halving
            | Self::Outside
            | Self::Exchange
            | Self::ToAside
            | Self::HandOver { .. }
            | Self::HandBack
            | Self::HandOwn => fold.aside == 0,
            Self::Shuffle => true,
            Self::Backward { .. }
            | Self::Rounds(_)
            | Self::Subtrees(_)
            | Self::Nomial(_)
            | Self::Spread(_)
            | Self::Renumber(_)
            | Self::Synchronised(_)
            | Self::ToRoot(_)
            | Self::ToNext
            | Self::ToAllAfter
            | Self::Forward { .. }
            | Self::Split(_)
            | Self::Outward(_)
            | Self::OutwardAtOnce(_)
            | Self::Inward { .. }
            | Self::Down { .. }
            | Self::DownAtOnce
            | Self::Up { .. }
            | Self::Halo(_) => false,
        }
    }
}

/// What someone who stands aside and its partner do: one of them hands `data` over, which follow from who stands aside.
fn hand(rank: u32, fold: Fold, from_aside: bool, data: impl Fn(u32) -> Data, combine: bool) -> Move {
    let (partner, stands_aside) = (fold.partner(rank).unwrap_or(rank), fold.member(rank).is_none());
    let data = data(if stands_aside { rank } else { partner });
    if stands_aside == from_aside { Move::send(partner, data, 0) } else { Move::receive(partner, data, combine) }
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
