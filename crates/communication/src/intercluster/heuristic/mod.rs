//! The heuristics that decide on a broadcast between clusters.

mod bottom_up;
mod ecef;
mod ecef_la;
mod ecef_la_mean;
mod ecef_lat_max;
mod ecef_lat_min;
mod exact;
mod fastest_node_first;
mod fef;
mod fef_latency;
mod flat;
mod mst;

use super::frontier::Frontier;
use super::grid::{Grid, IntraclusterStart};
use super::lookahead::ecef_with;
use super::schedule::Schedule;
use hetsim_base::registry::names;
use hetsim_base::units::Time;

pub use exact::{Optimum, STEPS, exact};

/// What each heuristic's file says.
trait HeuristicMethod {
    /// Who sends to whom; `inside` is the convention that the result will be judged by.
    fn schedule(&self, grid: &Grid, inside: IntraclusterStart) -> Schedule;
}

names! {
    /// A way to decide on a broadcast between clusters. A new one is a file that makes a [`Schedule`] and a line here.
    ///
    /// A is the set of informed clusters, B that of waiting ones, Rᵢ when i's port is ready (RT in the papers), Cᵢⱼ =
    /// gᵢⱼ + Lᵢⱼ, and Tᵢ the time inside. Ties go to the lowest sender, then the lowest receiver.
    "broadcast heuristic": Heuristic of HeuristicMethod {
        flat::Flat = "the root sends to every cluster in turn (flat tree)",
        fef::Fef = "fastest edge first: the pair with the least cost",
        fef_latency::FefLatency = "fastest edge first, judged by latency alone",
        ecef::Ecef = "early completion edge first: each step sends from a cluster that has the message to one that has not, by the pair whose message arrives first",
        ecef_la::EcefLa = "ECEF with look-ahead: plus the receiver's least cost to another that waits",
        ecef_la_mean::EcefLaMean = "ECEF with look-ahead: plus the receiver's mean cost to others that wait",
        ecef_lat_min::EcefLatMin = "ECEF-LAt: plus the receiver's least cost and time inside of another that waits",
        ecef_lat_max::EcefLatMax = "ECEF-LAT: plus the receiver's greatest cost and time inside of another that waits",
        bottom_up::BottomUp = "first the cluster whose best completion is worst",
        fastest_node_first::FastestNodeFirst = "receivers by mean cost of sending, each from the least busy fast sender",
        mst::Mst = "Prim's spanning tree of least costs; longest subtrees are sent to first",
        exact::Exact = "branch and bound: the optimum for about ten clusters, the best found for more",
    }
}

impl Heuristic {
    /// Who sends to whom on `grid`; `inside` is the convention that the result will be judged by, which only the
    /// searching ones use.
    #[must_use]
    pub fn schedule(self, grid: &Grid, inside: IntraclusterStart) -> Schedule {
        self.entry().schedule(grid, inside)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Cost;
    use crate::intercluster::grid::samples::{grids, gusto, of_costs};
    use crate::intercluster::{Matrix, exact};
    use crate::tree::closed;
    use hetsim_base::units::Time;

    fn completion(heuristic: Heuristic, grid: &Grid) -> Time {
        heuristic.schedule(grid, IntraclusterStart::AfterSends).completion(grid, IntraclusterStart::Overlapped)
    }

    #[test]
    fn names_are_the_same_everywhere() {
        for &heuristic in Heuristic::ALL {
            assert_eq!(serde_json::to_value(heuristic).unwrap(), heuristic.name());
            assert_eq!(heuristic.name().parse(), Ok(heuristic));
        }
        assert!("prim".parse::<Heuristic>().is_err());
    }

    /// Bhat, Raghavendra, Prasanna: 10 MB on GUSTO, in seconds.
    #[test]
    fn gusto_example() {
        for (heuristic, expected) in [
            (Heuristic::Flat, 520),
            (Heuristic::Fef, 317),
            (Heuristic::Ecef, 317),
            (Heuristic::Mst, 317),
            (Heuristic::FastestNodeFirst, 364),
            (Heuristic::Exact, 296),
        ] {
            assert_eq!(completion(heuristic, &gusto()), Time(expected), "{heuristic}");
        }
    }

    /// Bhat, Raghavendra, Prasanna: a node's mean cost says nothing about the edge that is used, without bound.
    #[test]
    fn fastest_node_first_is_unbounded() {
        let grid = of_costs(&[&[0, 995, 10], &[5, 0, 5], &[1000, 10, 0]]);
        assert_eq!(completion(Heuristic::FastestNodeFirst, &grid), Time(1000));
        assert_eq!(completion(Heuristic::Ecef, &grid), Time(20));
        assert_eq!(completion(Heuristic::Exact, &grid), Time(20));
    }

    /// The latencies of Table 2 of Nasri, Steffenel, Trystram 2008 (in 10 ns), with the gap of 8 KiB on Gigabit
    /// Ethernet (136 µs) and binomial trees inside: the paper's choice, ECEF, is not the best there under either
    /// convention.
    #[test]
    fn flat_or_bottom_up_wins_table_2_at_8_kb() {
        let machines = [20, 11, 1, 7, 20, 19];
        let latencies = [
            [4839, 657_749, 659_251, 658_649, 521_194, 860_273],
            [657_749, 3552, 5996, 5996, 538_748, 273_656],
            [659_251, 5996, 0, 7951, 540_578, 274_598],
            [658_649, 5996, 7951, 6008, 539_398, 274_026],
            [521_194, 538_748, 540_578, 539_398, 2694, 363_051],
            [860_273, 273_656, 274_598, 274_026, 363_051, 3504],
        ];
        let gap = Time(13_600);
        let inside = |node: usize| closed::binomial(machines[node], Cost::plogp(gap, Time(latencies[node][node])));
        for (root, convention) in
            (0..6).flat_map(|root| [(root, IntraclusterStart::AfterSends), (root, IntraclusterStart::Overlapped)])
        {
            let latency = Matrix::from_fn(6, |from, to| Time(latencies[from][to]));
            let gap = Matrix::from_fn(6, |_, _| gap);
            let grid = Grid::new(gap, latency, (0..6).map(inside).collect(), root).unwrap();
            let time = |heuristic: Heuristic| heuristic.schedule(&grid, convention).completion(&grid, convention);
            assert!(time(Heuristic::Flat).min(time(Heuristic::BottomUp)) < time(Heuristic::Ecef));
            assert!(time(Heuristic::Fef) > time(Heuristic::Ecef));
        }
    }

    #[test]
    fn ties_go_to_the_lowest_numbers() {
        let matrix = Matrix::from_fn(5, |_, _| Time(1));
        let grid = Grid::new(matrix.clone(), matrix, vec![Time::ZERO; 5], 2).unwrap();
        let first: Vec<_> =
            Heuristic::ALL.iter().map(|h| h.schedule(&grid, IntraclusterStart::Overlapped).sends()[0]).collect();
        assert!(first.iter().all(|&send| send == (2, 0)), "{first:?}");
    }

    #[test]
    fn hundreds_of_clusters_are_no_trouble() {
        let mixed =
            |seed: usize| move |from: usize, to: usize| Time(((from * 7919 + to * 104_729 + seed) % 1009) as u64);
        let inside = (0..300).map(|node| Time(node * 37 % 501)).collect();
        let grid = Grid::new(Matrix::from_fn(300, mixed(1)), Matrix::from_fn(300, mixed(2)), inside, 17).unwrap();
        for &heuristic in Heuristic::ALL {
            assert_eq!(heuristic.schedule(&grid, IntraclusterStart::AfterSends).sends().len(), 299);
        }
    }

    proptest! {
        /// Schedules are checked as they are made: every cluster is informed once, by one that is informed.
        #[test]
        fn schedules_are_sound_and_none_beats_the_optimum(grid in grids(1..=6)) {
            for inside in [IntraclusterStart::AfterSends, IntraclusterStart::Overlapped] {
                let optimum = exact(&grid, inside, u64::MAX);
                prop_assert!(optimum.proved);
                for &heuristic in Heuristic::ALL {
                    let schedule = heuristic.schedule(&grid, inside);
                    prop_assert_eq!(schedule.sends().len() as u32, grid.size() - 1);
                    let completion = schedule.completion(&grid, inside);
                    prop_assert!(optimum.completion <= completion, "{heuristic}");
                }
            }
        }
    }
}
