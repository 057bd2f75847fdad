//! Logical clusters: machines with similar latencies, found in a matrix or in sampled pairs.
//!
//! Nasri, Steffenel and Trystram (IJGUC 2008, §3.3) first subdivide a platform into homogeneous subnets and then choose
//! a communication model for each. [`Method`] lists the rules, [`Pairs`] holds the measurements, [`Partition`] the
//! resulting clusters, and [`Quality`] their homogeneity and outliers.

mod groups;
mod linkage;
mod lowekamp;
mod pairs;
mod quality;
mod read;

use hetsim_base::registry::names;

pub use pairs::{Pair, Pairs, PairsError};
pub use quality::Quality;
pub use read::{Latencies, LatenciesError, Unit, read};

names! {
    /// A way to form logical clusters.
    "partition method": Method {
        #[default]
        Lowekamp "lowekamp" = "Lowekamp and Beguelin's rule: an edge joins subnets unless it is much slower than theirs",
        SingleLinkage "single_linkage" = "joins machines that a chain of edges below the threshold connects",
        CompleteLinkage "complete_linkage" = "joins clusters all of whose edges lie below the threshold, the closest first",
    }
}

/// The criterion for machines to form a cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// The method.
    pub method: Method,
    /// The largest allowed ratio of a latency inside a cluster to the smallest one (ρ), 1 or more: 1.2 is Lowekamp and
    /// Beguelin's 20 %. Only their rule uses it.
    pub bound: f64,
    /// The largest latency inside a cluster, in the unit of the latencies. Only the linkages use it.
    pub threshold: f64,
}

impl Default for Rule {
    fn default() -> Self {
        Self { method: Method::default(), bound: 1.2, threshold: f64::INFINITY }
    }
}

/// A partition of the machines into logical clusters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    cluster_of: Vec<u32>,
    clusters: Vec<Vec<u32>>,
}

impl Partition {
    /// The partition of the measured machines by a rule.
    #[must_use]
    pub fn of(pairs: &Pairs, rule: Rule) -> Self {
        match rule.method {
            Method::Lowekamp => lowekamp::partition(pairs, rule.bound),
            Method::SingleLinkage => linkage::single(pairs, rule.threshold),
            Method::CompleteLinkage => linkage::complete(pairs, rule.threshold),
        }
    }

    /// The bytes of memory that the measurements of all pairs of machines take, and the method with them.
    #[must_use]
    pub fn memory(machines: u32, method: Method) -> u128 {
        let a_pair = match method {
            // The measurement, and a reference to it where it may join two subnets.
            Method::Lowekamp => 24,
            Method::SingleLinkage => 16,
            // Besides, an entry of the heap and one of a hash table at each end.
            Method::CompleteLinkage => 112,
        };
        u128::from(machines) * u128::from(machines.saturating_sub(1)) / 2 * a_pair
    }

    /// The partition in which machines with equal labels form a cluster. Clusters are numbered by their first machines.
    #[must_use]
    pub fn from_labels(labels: impl IntoIterator<Item = usize>) -> Self {
        let mut number_of = rustc_hash::FxHashMap::default();
        let (mut cluster_of, mut clusters) = (Vec::new(), Vec::<Vec<u32>>::new());
        for (machine, label) in (0..).zip(labels) {
            let number = *number_of.entry(label).or_insert(clusters.len());
            if number == clusters.len() {
                clusters.push(Vec::new());
            }
            clusters[number].push(machine);
            cluster_of.push(number as u32);
        }
        Self { cluster_of, clusters }
    }

    /// The number of each machine's cluster.
    #[must_use]
    pub fn cluster_of(&self) -> &[u32] {
        &self.cluster_of
    }

    /// The machines of each cluster, by number; clusters in the order of their first machines.
    #[must_use]
    pub fn clusters(&self) -> &[Vec<u32>] {
        &self.clusters
    }

    /// All machines, cluster by cluster: the order of a block matrix.
    #[must_use]
    pub fn order(&self) -> Vec<u32> {
        self.clusters.concat()
    }

    /// The sizes in the notation of the paper: `20/11/1/7/20/19`.
    #[must_use]
    pub fn sizes(&self) -> String {
        let sizes: Vec<String> = self.clusters.iter().map(|cluster| cluster.len().to_string()).collect();
        sizes.join("/")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Table 2 of Nasri, Steffenel, Trystram 2008, in µs: sizes, and latencies within and between.
    pub(super) const SIZES: [usize; 6] = [20, 11, 1, 7, 20, 19];
    pub(super) const LATENCIES: [[f64; 6]; 6] = [
        [48.39, 6577.49, 6592.51, 6586.49, 5211.94, 8602.73],
        [6577.49, 35.52, 59.96, 59.96, 5387.48, 2736.56],
        [6592.51, 59.96, 0.0, 79.51, 5405.78, 2745.98],
        [6586.49, 59.96, 79.51, 60.08, 5393.98, 2740.26],
        [5211.94, 5387.48, 5405.78, 5393.98, 26.94, 3630.51],
        [8602.73, 2736.56, 2745.98, 2740.26, 3630.51, 35.04],
    ];

    fn table_2() -> Pairs {
        let group: Vec<usize> = (0..6).flat_map(|group| std::iter::repeat_n(group, SIZES[group])).collect();
        Pairs::from_fn(78, |a, b| LATENCIES[group[a as usize]][group[b as usize]]).unwrap()
    }

    fn sizes(rule: Rule) -> String {
        Partition::of(&table_2(), rule).sizes()
    }

    #[test]
    fn table_2_falls_into_the_papers_clusters() {
        for bound in [1.0022, 1.1, 1.2, 1.32] {
            assert_eq!(sizes(Rule { bound, ..Rule::default() }), "20/11/1/7/20/19", "{bound}");
        }
        // Outside 1.0021 ≤ ρ < 1.326 the clusters differ.
        for bound in [1.0, 1.0019, 1.327] {
            assert_ne!(sizes(Rule { bound, ..Rule::default() }), "20/11/1/7/20/19", "{bound}");
        }
    }

    /// No threshold separates them: a latency between clusters of Grenoble is 59.96 µs, one inside a cluster 60.08 µs.
    #[test]
    fn no_absolute_threshold_gives_them() {
        let values: Vec<f64> = LATENCIES.into_iter().flatten().collect();
        for method in [Method::SingleLinkage, Method::CompleteLinkage] {
            for &value in &values {
                for threshold in [value - 1e-3, value, value + 1e-3] {
                    assert_ne!(
                        sizes(Rule { method, threshold, bound: 1.2 }),
                        "20/11/1/7/20/19",
                        "{method} {threshold}"
                    );
                }
            }
        }
        let single = |threshold| sizes(Rule { method: Method::SingleLinkage, threshold, bound: 1.2 });
        assert_eq!(single(1000.0), "20/19/20/19");
    }

    /// Ten thousand machines of fifty clusters: each is compared with 60 others only, some of them its neighbours.
    #[test]
    fn samples_are_enough_for_ten_thousand_machines() {
        let machines = 10_000u32;
        let latency = |a: u32, b: u32| if a % 50 == b % 50 { 40.0 + f64::from(a % 50) } else { 5000.0 };
        let pairs = (0..machines).flat_map(|a| {
            (1..=30).flat_map(move |step| [(a, (a + 50 * step) % machines), (a, (a + 331 * step) % machines)])
        });
        let pairs = pairs.filter(|(a, b)| a != b).map(|(a, b)| Pair { a, b, latency: latency(a, b) });
        let pairs = Pairs::new(machines, pairs.collect()).unwrap();
        for method in [Method::Lowekamp, Method::SingleLinkage] {
            let partition = Partition::of(&pairs, Rule { method, bound: 1.2, threshold: 100.0 });
            assert_eq!(partition.clusters().len(), 50, "{method}");
            assert!(partition.cluster_of().iter().zip(0u32..).all(|(&cluster, machine)| cluster == machine % 50));
        }
    }

    #[test]
    fn what_was_not_measured_joins_nothing() {
        let pairs = Pairs::new(3, vec![Pair { a: 0, b: 1, latency: 1.0 }]).unwrap();
        for &method in Method::ALL {
            assert_eq!(Partition::of(&pairs, Rule { method, ..Rule::default() }).sizes(), "2/1", "{method}");
        }
        assert_eq!(Partition::of(&Pairs::new(0, Vec::new()).unwrap(), Rule::default()).sizes(), "");
    }

    proptest! {
        /// The clusters satisfy their definitions for any matrix.
        #[test]
        fn clusters_keep_their_rules(
            cells in proptest::collection::vec(1.0..100.0f64, 12 * 12), threshold in 1.0..100.0f64,
            bound in 1.0..2.0f64, scale in 0.001..1000.0f64,
        ) {
            let latency = |a: u32, b: u32| cells[(a.min(b) * 12 + a.max(b)) as usize];
            let pairs = Pairs::from_fn(12, latency).unwrap();
            let of = |method| Partition::of(&pairs, Rule { method, bound, threshold });
            let complete = of(Method::CompleteLinkage);
            for pair in pairs.all() {
                if complete.cluster_of()[pair.a as usize] == complete.cluster_of()[pair.b as usize] {
                    prop_assert!(pair.latency <= threshold);
                }
            }
            let single = of(Method::SingleLinkage);
            for pair in pairs.all() {
                if pair.latency <= threshold {
                    prop_assert_eq!(single.cluster_of()[pair.a as usize], single.cluster_of()[pair.b as usize]);
                }
            }
            // The relative rule does not depend on the unit.
            let scaled = Pairs::from_fn(12, |a, b| latency(a, b) * 1024.0f64.powi(scale as i32 % 3)).unwrap();
            let rule = Rule { method: Method::Lowekamp, bound, threshold };
            prop_assert_eq!(Partition::of(&scaled, rule), of(Method::Lowekamp));
        }
    }
}
