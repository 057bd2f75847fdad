//! Closed forms: the time of a broadcast as a formula, each named with its source.
//!
//! They are exact, in whole ticks, for any [`Cost`]: they equal the evaluation of the tree.

use crate::Cost;
use crate::Segments;
use crate::rounds::bit_length;
use hetsim_base::units::Time;

/// The flat tree: hop + (P − 2)·gap. In pLogP's terms L + (P − 1)·g(m), as in Table 3 of Nasri, Steffenel, Trystram
/// 2008.
#[must_use]
pub fn linear(ranks: u32, cost: Cost) -> Time {
    if ranks < 2 { Time::ZERO } else { cost.hop + cost.gap * u64::from(ranks - 2) }
}

/// The chain without segments: (P − 1)·hop.
#[must_use]
pub fn chain(ranks: u32, cost: Cost) -> Time {
    cost.hop * u64::from(ranks.saturating_sub(1))
}

/// The segmented chain of k segments: (P − 2)·hop(s) + (k − 1)·gap(s) + hop(last), where the last segment may be
/// shorter; with equal ones in pLogP's terms (P − 1)·(g(s) + L) + (k − 1)·g(s), as in Table 3 of Nasri et al. 2008.
///
/// Exact where the last segment is no slower than the others and cannot overtake: hop(s) ≤ gap(s) + hop(last), as in
/// all models whose port is taken while bytes leave it. Elsewhere use [`completion`](super::completion).
pub fn pipeline(ranks: u32, segments: Segments, cost: impl Fn(u64) -> Cost) -> Time {
    if ranks < 2 {
        return Time::ZERO;
    }
    let (full, last) = (cost(segments.full()), cost(segments.last()));
    full.hop * u64::from(ranks - 2) + full.gap * (segments.count() - 1) + last.hop
}

/// The binary tree in heap order, exactly. A left child is a hop away, a right child a hop and a gap, so a rank at
/// position p of level d is reached at d·hop + popcount(p)·gap; the last rank is on the last level or the one before.
#[must_use]
pub fn binary(ranks: u32, cost: Cost) -> Time {
    let Some(depth) = ranks.checked_ilog2().filter(|&depth| depth > 0) else { return Time::ZERO };
    let level = |depth: u32, rights: u32| cost.hop * u64::from(depth) + cost.gap * u64::from(rights);
    let last_position = ranks - (1 << depth);
    level(depth - 1, depth - 1).max(level(depth, most_ones_up_to(last_position)))
}

/// The binomial tree, nearest rank first, exactly: the greatest popcount(v)·(hop − gap) + bitlen(v)·gap over
/// 1 ≤ v < P. For P a power of two that is log₂P·hop or, where the gap is longer, hop + (log₂P − 1)·gap.
#[must_use]
pub fn binomial(ranks: u32, cost: Cost) -> Time {
    let last = ranks.saturating_sub(1);
    let bits = bit_length(last);
    if bits == 0 {
        return Time::ZERO;
    }
    let time = |bits: u32, ones: u32| cost.hop * u64::from(ones) + cost.gap * u64::from(bits - ones);
    if cost.hop <= cost.gap {
        return time(bits, 1);
    }
    // Of the ranks with fewer bits, the one with all of them set is the last.
    let top = 1 << (bits - 1);
    time(bits - 1, bits - 1).max(time(bits, 1 + most_ones_up_to(last - top)))
}

/// The binomial tree, farthest rank first (MPICH's order), exactly.
///
/// With h = ⌈log₂P⌉, the root's first child takes over the P − 2^(h−1) ranks from 2^(h−1) on, and the root goes on with
/// a full tree one gap later: T(P) = max(hop + T(P − 2^(h−1)), gap + F(h − 1)), where a full tree of 2^k ranks takes
/// F(k) = hop + (k − 1)·max(hop, gap).
#[must_use]
pub fn binomial_farthest_first(ranks: u32, cost: Cost) -> Time {
    let full = |exponent: u32| match exponent {
        0 => Time::ZERO,
        _ => cost.hop + cost.hop.max(cost.gap) * u64::from(exponent - 1),
    };
    let (mut ranks, mut informed, mut last) = (ranks, Time::ZERO, Time::ZERO);
    while ranks > 1 {
        let exponent = bit_length(ranks - 1) - 1;
        if exponent > 0 {
            last = last.max(informed + cost.gap + full(exponent));
        }
        informed += cost.hop;
        ranks -= 1 << exponent;
    }
    last.max(informed)
}

/// The most bits that are set in any number up to `limit`: keep some top bits of `limit`, drop the next that is set,
/// and set all below it.
fn most_ones_up_to(limit: u32) -> u32 {
    let dropped = (0..u32::BITS).filter(|&bit| limit >> bit & 1 == 1);
    dropped.map(|bit| (limit >> bit).count_ones() - 1 + bit).max().unwrap_or(0).max(limit.count_ones())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tree::{Tree, completion};
    use crate::{Algorithm, Collective};
    use hetsim_base::units::Tick;

    /// pLogP with L = 50, g = 100.
    const LINK: Cost = Cost { gap: Time(100), hop: Time(150) };

    /// Worked by hand from arrival = start + gap + latency.
    #[test]
    fn binomial_orders_differ() {
        assert_eq!([5, 8, 20, 88].map(|ranks| binomial(ranks, LINK)), [350, 450, 650, 950].map(Time));
        assert_eq!([5, 20, 88].map(|ranks| binomial_farthest_first(ranks, LINK)), [400, 700, 1000].map(Time));
        assert_eq!(binary(7, LINK), Time(500));
    }

    #[test]
    fn pipeline_of_sixteen_segments() {
        let cost = |_| Cost::plogp(Time(10), Time(50));
        assert_eq!([8, 88].map(|ranks| pipeline(ranks, Segments::new(16, 1), cost)), [570, 5370].map(Time));
    }

    /// What `LogGOPSim` prints for its binomial broadcast (L, o, g, G = 2500, 1500, 1000, 6 ns; Hoefler, Schneider,
    /// Lumsdaine 2010): its CPU and NIC clocks reduce to `LogGP`'s gap and hop here.
    #[test]
    fn loggopsim_prints_these() {
        let times = |bytes: u64| {
            let cost = Cost::loggp(Time(2500), Time(1500), Time(1000), Time(6 * (bytes - 1)));
            [8, 64, 1000].map(|ranks| binomial(ranks, cost))
        };
        assert_eq!(times(1), [16_500, 33_000, 51_000].map(Time));
        assert_eq!(times(1024), [34_914, 69_828, 111_880].map(Time));
    }

    #[test]
    fn evaluation_agrees_up_to_300_ranks() {
        let costs = [(100, 150), (100, 100), (150, 20), (0, 7), (7, 0)];
        for (cost, ranks) in costs.iter().flat_map(|cost| (0..=300).map(move |ranks| (cost, ranks))) {
            let cost = Cost { gap: Time(cost.0), hop: Time(cost.1) };
            let evaluated = |tree: Tree| completion(&tree, Segments::whole(1), |_| cost);
            assert_eq!(linear(ranks, cost), evaluated(Tree::Linear(ranks)));
            assert_eq!(chain(ranks, cost), evaluated(Tree::Chain(ranks)));
            assert_eq!(binary(ranks, cost), evaluated(Tree::Binary(ranks)), "{ranks} {cost:?}");
            assert_eq!(binomial(ranks, cost), evaluated(Tree::Binomial(ranks)), "{ranks} {cost:?}");
            let farthest_first = evaluated(Tree::BinomialFarthestFirst(ranks));
            assert_eq!(binomial_farthest_first(ranks, cost), farthest_first, "{ranks} {cost:?}");
        }
    }

    /// The models of Table 3 of Nasri, Steffenel, Trystram 2008 as they are printed: linear and pipeline are exact,
    /// binomial is where P is a power of two, and binary is an upper bound that is loose by a level or more.
    #[test]
    fn printed_forms_bound_the_exact_ones() {
        let (gap, latency) = (Time(100), Time(50));
        for ranks in 1..300 {
            let others = u64::from(ranks - 1);
            let rounds = u64::from(bit_length(ranks - 1));
            let printed = if ranks > 1 { latency + gap * others } else { Time::ZERO };
            assert_eq!(linear(ranks, LINK), printed);
            let cost = |_| Cost::plogp(Time(10), latency);
            let printed = if ranks > 1 { (Time(10) + latency) * others + Time(10) * 15 } else { Time::ZERO };
            assert_eq!(pipeline(ranks, Segments::new(16, 1), cost), printed);
            let (printed, exact) = ((latency + gap) * rounds, binomial(ranks, LINK));
            assert!(exact <= printed);
            assert_eq!(exact == printed, ranks.is_power_of_two(), "{ranks}");
            assert!(binary(ranks, LINK) <= (gap * 2 + latency) * rounds);
        }
        assert_eq!(
            [5, 8, 20, 88].map(|ranks| (latency + gap) * u64::from(bit_length(ranks - 1))),
            [450, 450, 750, 1050].map(Time)
        );
    }

    /// P = 8, m = 1 MiB, α = 50 µs, β = 10 ns/B under Hockney's model, in µs, worked from the forms of Thakur,
    /// Rabenseifner, Gropp 2005 and Pješivac-Grbović et al. 2007.
    #[test]
    fn eight_ranks_and_a_mebibyte() {
        let cost = |bytes: u64| Cost::hockney(Tick::PICOSECOND.time(50e-6 + 10e-9 * bytes as f64));
        let call = Collective::broadcast(8, 1 << 20, 8192, &cost);
        let moved = 2.0 * 7.0 / 8.0 * 10_485.76;
        for (algorithm, expected) in [
            (Algorithm::Linear, 73_750.32),
            (Algorithm::Chain, 73_750.32),
            (Algorithm::Binomial, 31_607.28),
            (Algorithm::BinomialMpich, 31_607.28),
            (Algorithm::Pipeline, 17_677.28),
            (Algorithm::ScatterRing, 10.0 * 50.0 + moved),
            (Algorithm::ScatterRecursiveDoubling, 6.0 * 50.0 + moved),
        ] {
            let time = 1e6 * Tick::PICOSECOND.seconds(algorithm.completion(&call, &algorithm.plan(&call).unwrap()));
            assert!((time - expected).abs() < 1e-5, "{algorithm}: {time} for {expected}");
        }
    }

    proptest! {
        #[test]
        fn pipeline_is_exact(
            ranks in 0u32..40, message in 0u64..500, segment in 0u64..90, setup in 0u64..50, latency in 0u64..90,
        ) {
            let cost = |bytes: u64| Cost::plogp(Time(setup + bytes), Time(latency));
            let segments = Segments::new(message, segment);
            prop_assert_eq!(pipeline(ranks, segments, cost), completion(&Tree::Chain(ranks), segments, cost));
        }

        #[test]
        fn most_ones_is_a_maximum(limit in 0u32..5000) {
            prop_assert_eq!(Some(most_ones_up_to(limit)), (0..=limit).map(u32::count_ones).max());
        }
    }
}
