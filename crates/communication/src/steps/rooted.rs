//! Patterns with few messages a rank: to and from a root, along Bine trees, and between a rank and its number's rank.

use super::bine;
use super::exchanges::Ranks;
use super::fold::Fold;
use super::moves::{Data, Move, Piece};

/// The ranks other than the root, one after the other by their numbers, as a library goes through them that passes over
/// its root wherever that stands. Ranks are counted from the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Others {
    /// The root's number.
    pub root: u32,
    /// Whether the highest number comes first.
    pub falling: bool,
}

impl Others {
    /// The n-th of them, where there are so many ranks with the root.
    pub(crate) const fn nth(self, place: u32, ranks: u32) -> u32 {
        let place = if self.falling { ranks - 2 - place } else { place };
        // Those whose numbers are lower than the root's are the last ones, counted from it.
        if place < self.root { ranks - self.root + place } else { place - self.root + 1 }
    }

    /// The place of a rank among them.
    pub(super) const fn place(self, rank: u32, ranks: u32) -> u32 {
        let wraps = rank >= ranks - self.root;
        let place = if wraps { rank - (ranks - self.root) } else { rank - 1 + self.root };
        if self.falling { ranks - 2 - place } else { place }
    }
}

/// Blocks along the Bine tree with halving distances, in which what belongs to a subtree is contiguous in a circle.
/// What goes beyond the last block is a message of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subtrees {
    /// To the root, smallest subtrees first; else from it, largest first.
    pub up: bool,
}

/// How many messages the blocks of 2^`levels` ranks take, of which `rank` is one, and what the n-th of them holds.
fn pieces(rank: u32, levels: u32, ranks: Ranks) -> u32 {
    1 + u32::from(u64::from(bine::run(rank, levels, ranks.all)) + (1 << levels) > u64::from(ranks.all))
}

fn piece(rank: u32, levels: u32, number: u32, ranks: Ranks) -> Data {
    let (first, length) = (bine::run(rank, levels, ranks.all), 1 << levels);
    let room = ranks.all - first;
    if number == 0 { Data::Span(first, room.min(length)) } else { Data::Span(0, length - room) }
}

impl Subtrees {
    /// How many levels are below a rank.
    fn levels(rank: u32, ranks: Ranks) -> u32 {
        let number = ranks.fold.member(rank).unwrap_or(0);
        if number == 0 { ranks.all.trailing_zeros() } else { number.trailing_zeros() }
    }

    /// A rank's child over so many levels.
    fn child(rank: u32, levels: u32, ranks: Ranks) -> u32 {
        bine::partner(rank, levels, ranks.all)
    }

    /// The steps between a rank and its children, and with its parent.
    fn sides(rank: u32, ranks: Ranks) -> [u32; 2] {
        let levels = Self::levels(rank, ranks);
        let children = (0..levels).map(|level| pieces(Self::child(rank, level, ranks), level, ranks)).sum();
        [children, if rank == 0 { 0 } else { pieces(rank, levels, ranks) }]
    }

    pub(super) fn steps(rank: u32, ranks: Ranks) -> u32 {
        Self::sides(rank, ranks).iter().sum()
    }

    pub(super) fn step(self, rank: u32, number: u32, ranks: Ranks) -> Move {
        let (levels, [children, parent]) = (Self::levels(rank, ranks), Self::sides(rank, ranks));
        let before = if self.up { children } else { 0 };
        if let Some(number) = number.checked_sub(before).filter(|number| *number < parent) {
            let other = Self::child(rank, levels, ranks);
            let data = piece(rank, levels, number, ranks);
            return if self.up {
                // The parent receives from its smaller subtrees before.
                let smaller: u32 =
                    (0..levels).map(|level| pieces(Self::child(other, level, ranks), level, ranks)).sum();
                Move::send(other, data, smaller + number)
            } else {
                Move::receive(other, data, false)
            };
        }
        let mut number = if self.up { number } else { number - parent };
        for place in 0..levels {
            let level = if self.up { place } else { levels - 1 - place };
            let child = Self::child(rank, level, ranks);
            let count = pieces(child, level, ranks);
            if number < count {
                let data = piece(child, level, number, ranks);
                return if self.up { Move::receive(child, data, false) } else { Move::send(child, data, number) };
            }
            number -= count;
        }
        Move::receive(rank, Data::All, false)
    }
}

/// How a rank of a Bine tree takes part in the all-gather behind a scatter down that tree: it already has what belongs
/// to its subtree, so it sends first, then receives from its parent, and then exchanges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spread;

impl Spread {
    /// The exchange in which a member receives for the first time; for the root, how many there are.
    const fn first(member: u32, fold: Fold) -> u32 {
        if member == 0 { fold.members.trailing_zeros() } else { member.trailing_zeros() }
    }

    pub(super) fn steps(rank: u32, fold: Fold) -> u32 {
        let Some(member) = fold.member(rank) else { return 0 };
        let (first, exchanges) = (Self::first(member, fold), fold.members.trailing_zeros());
        if first == exchanges { exchanges } else { first + 1 + 2 * (exchanges - first - 1) }
    }

    pub(super) fn step(rank: u32, number: u32, fold: Fold) -> Move {
        let member = fold.member(rank).unwrap_or(0);
        let first = Self::first(member, fold);
        let (exchange, sends) = match number.checked_sub(first) {
            None => (number, true),
            Some(0) => (first, false),
            Some(after) => (first + after.div_ceil(2), after % 2 == 1),
        };
        let mask = 1 << exchange;
        let other = fold.across(member, mask);
        let group = |member: u32| Data::Members(member & !(mask - 1), mask);
        if sends {
            let there = Self::first(fold.member(other).unwrap_or(0), fold);
            Move::send(other, group(member), there + 2 * (exchange - there))
        } else {
            Move::receive(other, group(member ^ mask), false)
        }
    }

    pub(super) fn ends(rank: u32, number: u32, fold: Fold) -> bool {
        let first = Self::first(fold.member(rank).unwrap_or(0), fold);
        number <= first || (number - first).is_multiple_of(2)
    }
}

/// Blocks go to the ranks whose numbers they bear, before an all-gather of numbered blocks, or come from there behind a
/// reduce-scatter. A rank that bears its own number has nothing to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Renumber {
    /// Whether a rank holds the block of its number, and wants its own.
    pub back: bool,
}

impl Renumber {
    pub(super) fn steps(rank: u32, fold: Fold) -> u32 {
        if fold.member(rank) == Some(rank) { 0 } else { 2 }
    }

    pub(super) fn step(self, rank: u32, number: u32, fold: Fold) -> Move {
        let (of_number, number_of) = (fold.rank(rank), fold.member(rank).unwrap_or(rank));
        match (number == 0, self.back) {
            (true, false) => Move::send(of_number, Data::Own(rank), 1),
            (true, true) => Move::send(number_of, Data::Own(number_of), 1),
            (false, false) => Move::receive(number_of, Data::Own(number_of), false),
            (false, true) => Move::receive(of_number, Data::Own(rank), false),
        }
    }
}

/// Every other rank waits until the root asks it for its block, and sends the first bytes of it, then the rest. The root
/// goes on to the next one when the first bytes are there (Open MPI's `coll_base_gather.c`, linear with
/// synchronisation; there the rest may still be under way to the end, here until the next first bytes are there).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Synchronised {
    /// How many bytes come first.
    pub first: u64,
    /// In which order the root asks.
    pub others: Others,
}

impl Synchronised {
    pub(super) const fn steps(rank: u32, ranks: u32) -> u32 {
        if rank == 0 { 3 * (ranks - 1) } else { 3 }
    }

    const fn piece(self, is_first: bool) -> Piece {
        if is_first {
            Piece::Of { start: 0, length: self.first, last: false }
        } else {
            Piece::Of { start: self.first, length: u64::MAX, last: true }
        }
    }

    pub(super) const fn step(self, rank: u32, number: u32, ranks: u32) -> Move {
        if rank > 0 {
            // The root's steps with it: it is asked, then awaited, and the rest comes with the next one's first bytes.
            let place = self.others.place(rank, ranks) + 1;
            let (first, last) = (if place == 1 { 1 } else { 3 * place - 3 }, place + 1 == ranks);
            return match number {
                0 => Move::receive(0, Data::Own(rank), false).of(Piece::NOTHING),
                1 => Move::send(0, Data::Own(rank), first).of(self.piece(true)),
                _ => Move::send(0, Data::Own(rank), if last { 3 * place - 1 } else { 3 * place + 1 })
                    .of(self.piece(false)),
            };
        }
        let (place, kind) = match number {
            0 | 1 => (0, number),
            _ if number + 1 == 3 * (ranks - 1) => (ranks - 2, 2),
            _ => ((number - 2) / 3 + 1, (number - 2) % 3),
        };
        let other = self.others.nth(place, ranks);
        match kind {
            0 => Move::send(other, Data::Own(other), 0).of(Piece::NOTHING),
            1 => Move::receive(other, Data::Own(other), false).of(self.piece(true)),
            _ => {
                let block = if number + 1 == 3 * (ranks - 1) { other } else { self.others.nth(place - 1, ranks) };
                Move::receive(block, Data::Own(block), false).of(self.piece(false))
            }
        }
    }

    pub(super) const fn ends(rank: u32, number: u32, ranks: u32) -> bool {
        rank > 0 || number == 1 || number + 1 == 3 * (ranks - 1) || (number > 2 && number % 3 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counted from rank 2 of five, rank 0 is 3: the others are 0, 1, 3 and 4 by number.
    #[test]
    fn others_go_by_number() {
        let all = |falling| (0..4).map(|place| Others { root: 2, falling }.nth(place, 5)).collect::<Vec<_>>();
        assert_eq!(all(false), [3, 4, 1, 2]);
        assert_eq!(all(true), [2, 1, 4, 3]);
        for (ranks, root, falling) in
            (2..9).flat_map(|ranks| (0..ranks).flat_map(move |root| [(ranks, root, false), (ranks, root, true)]))
        {
            let others = Others { root, falling };
            assert!((0..ranks - 1).all(|place| others.place(others.nth(place, ranks), ranks) == place));
        }
    }
}
