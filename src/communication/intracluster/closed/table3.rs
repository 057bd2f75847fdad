//! The communication models of Table 3 of Nasri, Steffenel, Trystram 2008, as they are printed, in pLogP's terms.
//!
//! Linear and pipeline are exact. Binomial is exact only where P is a power of two, binary is an upper bound that is
//! loose by a level or more; [`closed`](super) has exact forms of both. ⌈log₂P⌉ is 0 for one rank.

use crate::communication::rounds::rounds;
use crate::units::Time;

/// Linear: L + (P − 1)·g(m); zero for one rank.
#[must_use]
pub fn linear(ranks: u32, gap: Time, latency: Time) -> Time {
    if ranks < 2 { Time::ZERO } else { latency + gap * u64::from(ranks - 1) }
}

/// Pipeline: (P − 1)·(g(s) + L) + g(s)·(k − 1), for k equal segments; zero for one rank.
#[must_use]
pub fn pipeline(ranks: u32, segments: u64, segment_gap: Time, latency: Time) -> Time {
    if ranks < 2 {
        return Time::ZERO;
    }
    (segment_gap + latency) * u64::from(ranks - 1) + segment_gap * segments.saturating_sub(1)
}

/// Binary: at most ⌈log₂P⌉·(2·g(m) + L).
#[must_use]
pub fn binary(ranks: u32, gap: Time, latency: Time) -> Time {
    (gap * 2 + latency) * u64::from(rounds(ranks))
}

/// Binomial: ⌈log₂P⌉·L + ⌈log₂P⌉·g(m).
#[must_use]
pub fn binomial(ranks: u32, gap: Time, latency: Time) -> Time {
    (latency + gap) * u64::from(rounds(ranks))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::communication::Cost;
    use crate::communication::intracluster::closed;

    const GAP: Time = Time(100);
    const LATENCY: Time = Time(50);

    #[test]
    fn printed_forms() {
        assert_eq!([5, 8, 20, 88].map(|ranks| binomial(ranks, GAP, LATENCY)), [450, 450, 750, 1050].map(Time));
        assert_eq!(binary(7, GAP, LATENCY), Time(750));
        assert_eq!([8, 88].map(|ranks| pipeline(ranks, 16, Time(10), LATENCY)), [570, 5370].map(Time));
        assert_eq!(linear(1, GAP, LATENCY), Time::ZERO);
    }

    #[test]
    fn printed_forms_bound_the_exact_ones() {
        let cost = Cost::plogp(GAP, LATENCY);
        for ranks in 1..300 {
            assert_eq!(linear(ranks, GAP, LATENCY), closed::linear(ranks, cost));
            let (printed, exact) = (binomial(ranks, GAP, LATENCY), closed::binomial(ranks, cost));
            assert!(exact <= printed);
            assert_eq!(exact == printed, ranks.is_power_of_two(), "{ranks}");
            assert!(closed::binary(ranks, cost) <= binary(ranks, GAP, LATENCY));
        }
    }
}
