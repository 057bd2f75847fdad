//! The children of a rank, computed while they are asked for.

use std::iter::FusedIterator;
use std::ops::Range;
use std::slice;

/// The children of one rank, in the order it sends to them. Made by [`Tree::children`](super::Tree::children) without
/// allocating.
#[derive(Debug, Clone)]
pub struct Children<'t>(Pattern<'t>);

/// The arithmetic behind the children of the regular shapes.
#[derive(Debug, Clone)]
enum Pattern<'t> {
    /// `next`, `next + step`, …: `left` of them.
    Spaced { next: u32, step: u32, left: u32 },
    /// `rank + 2^k`, k ascending.
    Doubling { rank: u32, exponents: Range<u32> },
    /// `rank + 2^k`, k descending.
    Halving { rank: u32, exponents: Range<u32> },
    /// `rank + digit·step`, digit = 1, 2, …; after the last digit the step shrinks by `radix`.
    Digits { rank: u32, radix: u32, step: u32, digit: u32, digits: u32, left: u32 },
    /// `next`, then `step` on each time: `step` + 1 the first `longer` times; `left` of them.
    Heads { next: u32, step: u32, longer: u32, left: u32 },
    /// Listed one by one.
    Listed(slice::Iter<'t, u32>),
}

impl<'t> Children<'t> {
    pub(super) const NONE: Self = Self(Pattern::Spaced { next: 0, step: 0, left: 0 });

    /// The first ranks of `fanout` chains of `others` ranks together, counted from 1.
    pub(super) fn heads(others: u32, fanout: u32) -> Self {
        let left = fanout.clamp(1, others.max(1)).min(others);
        let (step, longer) = (others.checked_div(left).unwrap_or(0), others.checked_rem(left).unwrap_or(0));
        Self(Pattern::Heads { next: 1, step, longer, left })
    }

    /// The single child `rank`.
    pub(super) const fn one(rank: u32) -> Self {
        Self(Pattern::Spaced { next: rank, step: 0, left: 1 })
    }

    /// At most `limit` children `first`, `first + step`, … below `ranks`.
    pub(super) fn spaced(first: u64, step: u64, limit: u32, ranks: u32) -> Self {
        let room = u64::from(ranks).saturating_sub(first);
        if room == 0 {
            return Self::NONE;
        }
        // `first` is below `ranks`, so it fits; a step that does not fit is never taken.
        let left = room.div_ceil(step.max(1)).min(u64::from(limit)) as u32;
        Self(Pattern::Spaced { next: first as u32, step: step as u32, left })
    }

    /// Children `rank + 2^k` for ascending `exponents`.
    pub(super) const fn doubling(rank: u32, exponents: Range<u32>) -> Self {
        Self(Pattern::Doubling { rank, exponents })
    }

    /// Children `rank + 2^k` for descending `exponents`.
    pub(super) const fn halving(rank: u32, exponents: Range<u32>) -> Self {
        Self(Pattern::Halving { rank, exponents })
    }

    /// The k-nomial children of `rank` among `ranks`: it may fill every digit below its lowest one that is not 0.
    pub(super) fn digits(rank: u32, ranks: u32, radix: u32) -> Self {
        let last = ranks - 1;
        let free = |step: u64| u64::from(rank).is_multiple_of(step * u64::from(radix));
        if rank >= last || !free(1) {
            return Self::NONE;
        }
        let (mut step, mut smaller) = (1u64, 0);
        while u64::from(rank) + step * u64::from(radix) <= u64::from(last) && free(step * u64::from(radix)) {
            step *= u64::from(radix);
            smaller += 1;
        }
        // Only the widest step can run out of ranks before it runs out of digits.
        let step = step as u32;
        let digits = ((last - rank) / step).min(radix - 1);
        let left = digits + smaller * (radix - 1);
        Self(Pattern::Digits { rank, radix, step, digit: 1, digits, left })
    }

    /// Children that are `listed`.
    pub(super) fn listed(listed: &'t [u32]) -> Self {
        Self(Pattern::Listed(listed.iter()))
    }
}

impl Iterator for Children<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        match &mut self.0 {
            Pattern::Spaced { next, step, left } => {
                *left = left.checked_sub(1)?;
                let child = *next;
                *next = child.wrapping_add(*step);
                Some(child)
            }
            Pattern::Heads { next, step, longer, left } => {
                *left = left.checked_sub(1)?;
                let child = *next;
                *next = child.wrapping_add(*step + u32::from(*longer > 0));
                *longer = longer.saturating_sub(1);
                Some(child)
            }
            Pattern::Doubling { rank, exponents } => exponents.next().map(|exponent| *rank + (1 << exponent)),
            Pattern::Halving { rank, exponents } => exponents.next_back().map(|exponent| *rank + (1 << exponent)),
            Pattern::Digits { rank, radix, step, digit, digits, left } => {
                *left = left.checked_sub(1)?;
                let child = *rank + *digit * *step;
                if *digit == *digits {
                    (*step, *digit, *digits) = (*step / *radix, 1, *radix - 1);
                } else {
                    *digit += 1;
                }
                Some(child)
            }
            Pattern::Listed(listed) => listed.next().copied(),
        }
    }

    fn nth(&mut self, skipped: usize) -> Option<u32> {
        match &mut self.0 {
            Pattern::Spaced { next, step, left } => {
                let skipped = (*left).min(skipped as u32);
                *left -= skipped;
                *next = next.wrapping_add(step.wrapping_mul(skipped));
            }
            Pattern::Listed(listed) => return listed.nth(skipped).copied(),
            // A rank has some tens of these at most.
            _ => drop(self.take(skipped).count()),
        }
        self.next()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = match &self.0 {
            Pattern::Spaced { left, .. } | Pattern::Digits { left, .. } | Pattern::Heads { left, .. } => *left as usize,
            Pattern::Doubling { exponents, .. } | Pattern::Halving { exponents, .. } => exponents.len(),
            Pattern::Listed(listed) => listed.len(),
        };
        (left, Some(left))
    }
}

impl ExactSizeIterator for Children<'_> {}
impl FusedIterator for Children<'_> {}
