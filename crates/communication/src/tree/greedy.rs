//! The optimal broadcast of one message among equal ranks: nobody who has it ever rests.

use std::collections::VecDeque;

use super::explicit::ExplicitTree;
use super::shape::Tree;
use crate::Cost;
use hetsim_base::units::Time;

/// The optimal broadcast tree of `ranks` ranks: every rank, once informed, starts a send every gap, and each send goes
/// to the next rank that has nothing (Karp, Sahay, Santos, Schauser 1993, for `LogP`; here for any gap and hop, so also
/// for the postal model of Bar-Noy and Kipnis, where the gap is 1 and the hop λ).
///
/// Ranks are numbered in the order they are informed, so a parent's number is below its children's. O(P) time: the
/// arrivals come in order, so those of repeated sends (one gap later) and those of first sends (one hop later) each
/// form a queue that is sorted by itself.
#[must_use]
pub fn greedy(ranks: u32, cost: Cost) -> Tree {
    let mut sends = Vec::with_capacity(ranks.saturating_sub(1) as usize);
    let mut again: VecDeque<(Time, u32)> = VecDeque::new();
    let mut first: VecDeque<(Time, u32)> = VecDeque::from([(cost.hop, 0)]);
    for receiver in 1..ranks {
        let repeats = match (again.front(), first.front()) {
            (Some(repeat), Some(fresh)) => repeat.0 <= fresh.0,
            (repeat, _) => repeat.is_some(),
        };
        let queue = if repeats { &mut again } else { &mut first };
        let Some((arrival, sender)) = queue.pop_front() else { break };
        sends.push((sender, receiver));
        again.push_back((arrival + cost.gap, sender));
        first.push_back((arrival + cost.hop, receiver));
    }
    // The sends inform every rank once; only without any rank there is no tree to list.
    ExplicitTree::new(ranks, 0, &sends).map_or(Tree::Linear(0), Tree::Explicit)
}

/// How many ranks can have the message `time` after the start, the root included: P(t) = P(t − gap) + P(t − hop), and
/// 1 before the first hop (Karp et al. 1993; with gap 1 the postal model's F(t)). Stops counting at `limit`.
///
/// Summed over the hops on a rank's path instead of by recurrence, because a tick is short: a path of a hops
/// within t leaves b = ⌊(t − a·hop)/gap⌋ gaps to spread, which makes C(a + b, a) ranks.
#[must_use]
pub fn reach(time: Time, cost: Cost, limit: u64) -> u64 {
    if time >= cost.hop && (cost.gap == Time::ZERO || cost.hop == Time::ZERO) {
        return limit;
    }
    let mut count: u64 = 0;
    let mut hops: u64 = 0;
    let mut left = Some(time.0);
    while let Some(spare) = left {
        let gaps = spare.checked_div(cost.gap.0).unwrap_or(0);
        count = count.saturating_add(choose(gaps.saturating_add(hops), hops, limit));
        if count >= limit {
            return limit;
        }
        hops += 1;
        left = spare.checked_sub(cost.hop.0);
    }
    count
}

/// The binomial coefficient C(n, k), or `limit` where it is no smaller.
fn choose(n: u64, k: u64, limit: u64) -> u64 {
    let k = k.min(n - k);
    let mut product: u128 = 1;
    for step in 1..=k {
        // Exact: the product of `step` consecutive numbers is divisible by step!. The factors only grow it.
        product = product * u128::from(n - k + step) / u128::from(step);
        if product >= u128::from(limit) {
            return limit;
        }
    }
    product as u64
}

/// The least time in which `ranks` ranks can all have the message: the least t with [`reach`] ≥ P. The completion of
/// [`greedy`]'s tree, without building it.
#[must_use]
pub fn optimal_time(ranks: u32, cost: Cost) -> Time {
    if ranks < 2 {
        return Time::ZERO;
    }
    // The linear broadcast is always possible, so the answer lies below its time.
    let (mut low, mut high) = (0, (cost.hop + cost.gap * u64::from(ranks - 2)).0);
    while low < high {
        let middle = low + (high - low) / 2;
        if reach(Time(middle), cost, u64::from(ranks)) >= u64::from(ranks) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Time(low)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Segments;
    use crate::tree::{arrivals, completion};

    fn recurrence(time: i64, gap: i64, hop: i64) -> u64 {
        if time < hop { 1 } else { recurrence(time - gap, gap, hop) + recurrence(time - hop, gap, hop) }
    }

    /// The worked example of Karp et al. 1993: P = 8, L = 6, o = 2, g = 4.
    #[test]
    fn logp_example_takes_24() {
        let cost = Cost::loggp(Time(6), Time(2), Time(4), Time::ZERO);
        let whole = Segments::whole(1);
        let mut informed = arrivals(&greedy(8, cost), whole, |_| cost);
        informed.sort();
        assert_eq!(informed, [0, 10, 14, 18, 20, 22, 24, 24].map(Time));
        assert_eq!(optimal_time(8, cost), Time(24));
        assert_eq!(completion(&Tree::Binomial(8), whole, |_| cost), Time(30));
        assert_eq!(completion(&Tree::Linear(8), whole, |_| cost), Time(34));
    }

    /// Bar-Noy and Kipnis's postal model: λ = 2, n = 8 takes 5; F is then Fibonacci's sequence.
    #[test]
    fn postal_model_counts_like_fibonacci() {
        let cost = Cost { gap: Time(1), hop: Time(2) };
        let counts: Vec<_> = (0..8).map(|time| reach(Time(time), cost, u64::MAX)).collect();
        assert_eq!(counts, [1, 1, 2, 3, 5, 8, 13, 21]);
        assert_eq!(optimal_time(8, cost), Time(5));
    }

    #[test]
    fn free_messages_reach_everybody_at_once() {
        for cost in [Cost::default(), Cost { gap: Time(0), hop: Time(5) }, Cost { gap: Time(5), hop: Time(0) }] {
            let expected = if cost.gap == Time::ZERO { cost.hop } else { Time::ZERO };
            assert_eq!(optimal_time(1000, cost), expected);
            assert_eq!(completion(&greedy(1000, cost), Segments::whole(1), |_| cost), expected);
        }
        assert_eq!((greedy(0, Cost::default()).len(), optimal_time(1, Cost::default())), (0, Time::ZERO));
    }

    proptest! {
        #[test]
        fn reach_is_its_recurrence(time in 0i64..60, gap in 4i64..20, hop in 4i64..20) {
            let cost = Cost { gap: Time(gap as u64), hop: Time(hop as u64) };
            prop_assert_eq!(reach(Time(time as u64), cost, u64::MAX), recurrence(time, gap, hop));
        }

        #[test]
        fn greedy_takes_the_optimal_time(ranks in 1u32..400, gap in 0u64..50, hop in 0u64..200) {
            let cost = Cost { gap: Time(gap), hop: Time(hop) };
            let whole = Segments::whole(1);
            let best = completion(&greedy(ranks, cost), whole, |_| cost);
            prop_assert_eq!(best, optimal_time(ranks, cost));
            for shape in [Tree::Linear, Tree::Binomial, Tree::BinomialFarthestFirst, Tree::Binary] {
                let tree = shape(ranks);
                prop_assert!(best <= completion(&tree, whole, |_| cost));
            }
        }
    }
}
