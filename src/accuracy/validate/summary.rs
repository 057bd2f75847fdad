//! Errors of a group of points in a few numbers.

use std::collections::BTreeMap;

use super::Judged;
use crate::fit::robust::median;
use crate::units::Bytes;

/// By what points are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grouping {
    /// The system on which they were measured.
    System,
    /// The operation.
    Operation,
    /// The operation and the algorithm.
    Algorithm,
    /// The bytes of the buffer.
    Size,
    /// The nodes and the ranks on each.
    Ranks,
}

impl Grouping {
    /// All of them.
    pub const ALL: &'static [Self] = &[Self::System, Self::Operation, Self::Algorithm, Self::Size, Self::Ranks];

    /// In a word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Operation => "operation",
            Self::Algorithm => "algorithm",
            Self::Size => "size",
            Self::Ranks => "ranks",
        }
    }

    /// The place of a point's group among the others, and its name.
    fn key(self, point: &Judged) -> ((u64, u64), String) {
        let measured = &point.measured;
        let (nodes, on_each) = (u64::from(measured.nodes), u64::from(measured.ranks_per_node));
        match self {
            Self::System => ((0, 0), measured.system.clone()),
            Self::Operation => ((0, 0), measured.operation.clone()),
            Self::Algorithm => ((0, 0), format!("{} {}", measured.operation, measured.algorithm)),
            Self::Size => ((measured.bytes, 0), Bytes::new(measured.bytes).to_string()),
            Self::Ranks if on_each == 1 => ((nodes, 1), nodes.to_string()),
            Self::Ranks => ((nodes, on_each), format!("{nodes} × {on_each}")),
        }
    }

    pub(super) fn summaries<'j>(self, errors: impl Iterator<Item = (&'j Judged, f64)>) -> Vec<Summary> {
        let mut groups: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (point, error) in errors {
            groups.entry(self.key(point)).or_default().push((point, error));
        }
        groups.iter().map(|((_, name), points)| Summary::of(name, points)).collect()
    }
}

/// The errors of some points.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// What the points have in common.
    pub group: String,
    /// The number of points.
    pub count: usize,
    /// The median of the absolute errors.
    pub median: Option<f64>,
    /// Their mean.
    pub mean: Option<f64>,
    /// The median of the signed errors: below 0 where predictions are too short.
    pub bias: Option<f64>,
    /// The share of points with an absolute error of at most 0.1.
    pub within_10: Option<f64>,
    /// The same for 0.25.
    pub within_25: Option<f64>,
    /// The share of points predicted within a factor of 2, too long or too short.
    pub within_double: Option<f64>,
    /// Spearman's rank correlation of predicted and measured times.
    pub correlation: Option<f64>,
}

impl Summary {
    /// The summary of points with their errors.
    pub(super) fn of(group: &str, points: &[(&Judged, f64)]) -> Self {
        let share = |holds: &dyn Fn(f64) -> bool| {
            let count = points.iter().filter(|(_, error)| holds(*error)).count();
            (!points.is_empty()).then(|| count as f64 / points.len() as f64)
        };
        let signed: Vec<f64> = points.iter().map(|(_, error)| *error).collect();
        let absolute: Vec<f64> = signed.iter().map(|error| error.abs()).collect();
        let pairs: Vec<(f64, f64)> = points
            .iter()
            .map(|(point, error)| (point.measured.median, point.measured.median * (1.0 + error)))
            .collect();
        Self {
            group: group.to_owned(),
            count: points.len(),
            median: median(&absolute),
            mean: (!points.is_empty()).then(|| absolute.iter().sum::<f64>() / points.len() as f64),
            bias: median(&signed),
            within_10: share(&|error| error.abs() <= 0.1),
            within_25: share(&|error| error.abs() <= 0.25),
            within_double: share(&|error| (-0.5..=1.0).contains(&error)),
            correlation: spearman(&pairs),
        }
    }
}

/// Spearman's rank correlation: Pearson's of the ranks, of which equal values share the mean (C. Spearman, American
/// Journal of Psychology 15, 1904). Nothing for fewer than two pairs, or where one side does not vary.
pub(super) fn spearman(pairs: &[(f64, f64)]) -> Option<f64> {
    let ranked = |values: Vec<f64>| {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
        let mut ranks = vec![0.0; values.len()];
        let mut first = 0;
        for equal in order.chunk_by(|a, b| values[*a] == values[*b]) {
            let mean = first as f64 + (equal.len() - 1) as f64 / 2.0;
            for at in equal {
                ranks[*at] = mean;
            }
            first += equal.len();
        }
        ranks
    };
    let xs = ranked(pairs.iter().map(|pair| pair.0).collect());
    let ys = ranked(pairs.iter().map(|pair| pair.1).collect());
    let mean = (pairs.len() as f64 - 1.0) / 2.0;
    let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>();
    let spread = sum(&xs, &xs) * sum(&ys, &ys);
    (spread > 0.0).then(|| sum(&xs, &ys) / spread.sqrt())
}
