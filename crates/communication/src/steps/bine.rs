//! The numbers of Bine trees and butterflies: binomial negabinary trees, whose partners are nearer to each other than
//! those of binomial trees.
//!
//! D. De Sensi, S. Pasqualoni et al., *Bine trees: enhancing collective operations by optimizing communication
//! locality*, SC '25; what its authors' library does was read in libbine (HLC-Lab/pico, `libbine_utils.h`). Among P = 2^s
//! ranks the partner of an even rank in step k is (1 − (−2)^(k+1))/3 places on in a circle, that of an odd rank as many
//! back: 1, −1, 3, −5, 11, …
//!
//! Two ways to number the ranks make binomial trees of Bine trees, in which the parent's number is that of the child
//! without its lowest bit:
//!
//! - by *doubling* distances from the root, where the butterfly's partners of step k differ in bit s − 1 − k and agree
//!   in all above it, so that each part that is exchanged is contiguous;
//! - by *halving* distances, where what belongs to a subtree is contiguous among the ranks, in a circle.

/// Every other bit: adding it and taking it away by exclusive or turns a number into base −2.
const ALTERNATE: u32 = 0xAAAA_AAAA;

/// The lowest digits of a number in base −2, of which `mask` are asked for.
const fn negabinary(number: u32, mask: u32) -> u32 {
    (number.wrapping_add(ALTERNATE) ^ ALTERNATE) & mask
}

/// The number of such digits, modulo `mask` + 1.
const fn value(digits: u32, mask: u32) -> u32 {
    (digits ^ ALTERNATE).wrapping_sub(ALTERNATE) & mask
}

/// Each bit and the one above it, by exclusive or.
const fn gray(bits: u32) -> u32 {
    bits ^ bits >> 1
}

const fn from_gray(mut bits: u32) -> u32 {
    let mut shift = 1;
    while shift < u32::BITS {
        bits ^= bits >> shift;
        shift *= 2;
    }
    bits
}

/// The bits of a number below `ranks`, the other way around.
const fn reversed(bits: u32, ranks: u32) -> u32 {
    if ranks < 2 { bits } else { bits.reverse_bits() >> (u32::BITS - ranks.trailing_zeros()) }
}

/// How ranks are numbered, of which there are a power of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbering {
    /// As they are.
    Natural,
    /// As the Bine tree with doubling distances, and the butterflies.
    BineDoubling,
    /// As the Bine tree with halving distances.
    BineHalving,
}

impl Numbering {
    /// The number of a rank.
    pub(super) const fn number(self, rank: u32, ranks: u32) -> u32 {
        let mask = ranks.wrapping_sub(1);
        match self {
            Self::Natural => rank,
            Self::BineDoubling => {
                let signed = if rank % 2 == 1 { rank } else { rank.wrapping_neg() };
                reversed(gray(negabinary(signed, mask)), ranks)
            }
            Self::BineHalving => gray(negabinary(rank, mask)),
        }
    }

    /// The rank with a number.
    pub(super) const fn rank(self, number: u32, ranks: u32) -> u32 {
        let mask = ranks.wrapping_sub(1);
        match self {
            Self::Natural => number,
            Self::BineDoubling => {
                let signed = value(from_gray(reversed(number, ranks)), mask);
                if signed % 2 == 1 { signed } else { signed.wrapping_neg() & mask }
            }
            Self::BineHalving => value(from_gray(number), mask),
        }
    }

    /// With whom a rank exchanges what differs in a bit of their numbers, which is `mask`.
    pub(super) const fn partner(self, rank: u32, mask: u32, ranks: u32) -> u32 {
        match self {
            Self::Natural => rank ^ mask,
            Self::BineDoubling => partner(rank, ranks.trailing_zeros() - 1 - mask.trailing_zeros(), ranks),
            Self::BineHalving => partner(rank, mask.trailing_zeros(), ranks),
        }
    }
}

/// The partner of a rank in a step, of any even number of ranks.
pub(super) const fn partner(rank: u32, step: u32, ranks: u32) -> u32 {
    // 1, −1, 3, −5, … = (1 − (−2)^(k+1))/3.
    let power = 1i64 << (step + 1);
    let distance = (if step.is_multiple_of(2) { 1 + power } else { 1 - power }) / 3;
    let distance = if rank.is_multiple_of(2) { distance } else { -distance };
    (rank as i64 + distance).rem_euclid(ranks as i64) as u32
}

/// Where the 2^k ranks begin that a rank knows of after k steps of doubling distances: they are contiguous, in a circle.
pub(super) const fn run(rank: u32, steps: u32, ranks: u32) -> u32 {
    // Even ranks grow downwards in odd steps, odd ranks in even ones.
    let grown = if rank.is_multiple_of(2) { ALTERNATE } else { !ALTERNATE };
    let below = grown & ((1u64 << steps) - 1) as u32;
    rank.wrapping_sub(below) & ranks.wrapping_sub(1)
}

/// For each step of a butterfly that sends block by block, which blocks: those so many places on in a circle (for even
/// ranks; as many back for odd ones), for any even number of ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distances {
    /// Ordered by the step from the last one on.
    listed: Vec<u32>,
    /// Where those of each step begin, and the last ones end.
    starts: Vec<u32>,
}

impl Distances {
    /// Of so many ranks, an even number.
    #[must_use]
    pub fn new(ranks: u32) -> Self {
        let digits = crate::rounds::rounds(ranks);
        let mut listed: Vec<(u32, u32)> =
            (1..ranks).map(|distance| (last_bit(distance, ranks, digits), distance)).collect();
        listed.sort_unstable();
        let starts = (0..=digits).map(|bit| listed.partition_point(|(other, _)| *other < bit) as u32).collect();
        Self { listed: listed.into_iter().map(|(_, distance)| distance).collect(), starts }
    }

    /// Those that are sent when groups are 2^`bit` blocks long.
    pub(super) fn of(&self, bit: u32) -> &[u32] {
        let [from, to] = [bit, bit + 1].map(|bit| self.starts[bit as usize] as usize);
        &self.listed[from..to]
    }

    #[cfg(test)]
    const fn steps(&self) -> u32 {
        self.starts.len() as u32 - 1
    }
}

/// The highest bit of the number that belongs to a distance; of two representations in base −2 the smaller counts.
fn last_bit(distance: u32, ranks: u32, digits: u32) -> u32 {
    let (least, greatest) = digits_reach(digits);
    let (own, other) = (i64::from(distance), i64::from(distance) - i64::from(ranks));
    let signed = if distance % 2 == 1 { [own, other] } else { [-own, -other] };
    let numbers = signed.into_iter().filter(|value| (least..=greatest).contains(value)).map(|value| {
        let bits = negabinary(value as u32, ((1u64 << digits) - 1) as u32);
        gray(bits).reverse_bits() >> (u32::BITS - digits)
    });
    numbers.min().map_or(0, |number| number.max(1).ilog2())
}

/// The least and the greatest number of so many digits in base −2.
const fn digits_reach(digits: u32) -> (i64, i64) {
    let all = (1i64 << digits) - 1;
    (-(all & ALTERNATE as i64), all & !ALTERNATE as i64 & 0xFFFF_FFFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figures of the library: partners of the first ranks of 16, and the numbers of 8.
    #[test]
    fn partners_by_hand() {
        assert_eq!([0, 1, 2, 3].map(|step| partner(0, step, 16)), [1, 15, 3, 11]);
        assert_eq!([0, 1, 2, 3].map(|step| partner(5, step, 16)), [4, 6, 2, 10]);
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 6, 7].map(|rank| Numbering::BineHalving.number(rank, 8)),
            [0, 1, 5, 4, 6, 7, 3, 2]
        );
    }

    #[test]
    fn numbers_make_binomial_trees() {
        for exponent in 0..11 {
            let ranks = 1u32 << exponent;
            for numbering in [Numbering::Natural, Numbering::BineDoubling, Numbering::BineHalving] {
                for rank in 0..ranks {
                    let number = numbering.number(rank, ranks);
                    assert_eq!(numbering.rank(number, ranks), rank, "{numbering:?} {ranks}");
                    let parent = numbering.rank(number & number.saturating_sub(1), ranks);
                    if rank > 0 {
                        assert_eq!(numbering.partner(rank, 1 << number.trailing_zeros(), ranks), parent);
                    }
                    for bit in 0..exponent {
                        let other = numbering.partner(rank, 1 << bit, ranks);
                        assert_eq!(numbering.partner(other, 1 << bit, ranks), rank);
                        let apart = number ^ numbering.number(other, ranks);
                        assert!(numbering == Numbering::BineHalving || apart >> bit == 1, "{numbering:?} {ranks}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_a_rank_knows_is_contiguous() {
        for exponent in 1..9 {
            let ranks = 1u32 << exponent;
            for rank in 0..ranks {
                let number = Numbering::BineHalving.number(rank, ranks);
                let levels = number.trailing_zeros().min(exponent);
                let below = |place: u32| (rank_in(rank, levels, place, ranks), place);
                let subtree = (0..1 << levels).map(|member| Numbering::BineHalving.rank(number + member, ranks));
                let mut subtree: Vec<u32> = subtree.collect();
                let mut run: Vec<u32> = (0..1 << levels).map(|place| below(place).0).collect();
                subtree.sort_unstable();
                run.sort_unstable();
                assert_eq!(subtree, run);
            }
        }
    }

    fn rank_in(rank: u32, steps: u32, place: u32, ranks: u32) -> u32 {
        (run(rank, steps, ranks) + place) % ranks
    }

    /// Every block but the own one goes out in some step.
    #[test]
    fn distances_are_all_there() {
        for ranks in (2..60).step_by(2) {
            let distances = Distances::new(ranks);
            let mut all: Vec<u32> = (0..distances.steps()).flat_map(|bit| distances.of(bit).to_vec()).collect();
            all.sort_unstable();
            assert_eq!(all, (1..ranks).collect::<Vec<_>>());
        }
    }
}
