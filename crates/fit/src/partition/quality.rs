//! The homogeneity of a logical cluster, and its outliers.

use super::{Pairs, Partition};

/// The latencies inside a cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Quality {
    /// The number of machines.
    pub machines: usize,
    /// The smallest latency inside; `None` if no pair was measured.
    pub least: Option<f64>,
    /// The mean latency inside.
    pub mean: Option<f64>,
    /// The largest latency inside.
    pub greatest: Option<f64>,
    /// Machines whose mean latency to the others exceeds the bound times the median of these means.
    pub outliers: Vec<u32>,
}

impl Quality {
    /// The quality of each cluster of `partition`. A machine is an outlier if its mean latency exceeds `bound` times
    /// the median.
    #[must_use]
    pub fn of(partition: &Partition, pairs: &Pairs, bound: f64) -> Vec<Self> {
        let cluster_of = partition.cluster_of();
        // For each machine: the sum and the number of its latencies inside.
        let mut sums = vec![(0.0, 0u32); cluster_of.len()];
        let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); partition.clusters().len()];
        for pair in pairs.all() {
            let cluster = cluster_of[pair.a as usize];
            if cluster != cluster_of[pair.b as usize] {
                continue;
            }
            for end in [pair.a, pair.b] {
                let (sum, count) = &mut sums[end as usize];
                (*sum, *count) = (*sum + pair.latency, *count + 1);
            }
            let (least, greatest) = &mut ranges[cluster as usize];
            (*least, *greatest) = (least.min(pair.latency), greatest.max(pair.latency));
        }
        let of_cluster = |(members, &(least, greatest)): (&Vec<u32>, &(f64, f64))| {
            let known: Vec<(u32, f64)> = members
                .iter()
                .map(|&machine| (machine, sums[machine as usize]))
                .filter(|(_, (_, count))| *count > 0)
                .map(|(machine, (sum, count))| (machine, sum / f64::from(count)))
                .collect();
            let (total, count) =
                members.iter().fold((0.0, 0), |(t, c), &m| (t + sums[m as usize].0, c + sums[m as usize].1));
            let limit = bound * median(known.iter().map(|(_, mean)| *mean).collect());
            Self {
                machines: members.len(),
                least: (count > 0).then_some(least),
                mean: (count > 0).then(|| total / f64::from(count)),
                greatest: (count > 0).then_some(greatest),
                outliers: known.iter().filter(|(_, mean)| *mean > limit).map(|(machine, _)| *machine).collect(),
            }
        };
        partition.clusters().iter().zip(&ranges).map(of_cluster).collect()
    }

    /// The ratio of the largest to the smallest latency inside: 1 for a perfectly homogeneous cluster. `None` without a
    /// pair, or if only the smallest is 0.
    #[must_use]
    pub fn spread(&self) -> Option<f64> {
        let (least, greatest) = (self.least?, self.greatest?);
        if least == greatest { Some(1.0) } else { (least > 0.0).then(|| greatest / least) }
    }
}

/// The median; NaN for no values.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let (low, high) = (values.get(values.len().wrapping_sub(1) / 2), values.get(values.len() / 2));
    low.zip(high).map_or(f64::NAN, |(low, high)| f64::midpoint(*low, *high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_machine_is_seen() {
        let pairs = Pairs::from_fn(5, |_, b| if b == 4 { 15.0 } else { 10.0 }).unwrap();
        let partition = Partition::from_labels([0, 0, 0, 0, 0]);
        let quality = &Quality::of(&partition, &pairs, 1.2)[0];
        assert_eq!((quality.least, quality.greatest, quality.spread()), (Some(10.0), Some(15.0), Some(1.5)));
        // Its mean is 15, those of the others 11.25.
        assert_eq!((quality.mean, &quality.outliers[..]), (Some(12.0), &[4][..]));
    }

    #[test]
    fn one_machine_has_no_latency() {
        let partition = Partition::from_labels([7, 3]);
        let pairs = Pairs::from_fn(2, |_, _| 1.0).unwrap();
        let quality = Quality::of(&partition, &pairs, 1.2);
        assert!(quality.iter().all(|one| one.spread().is_none() && one.mean.is_none() && one.outliers.is_empty()));
    }
}
