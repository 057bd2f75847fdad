//! What a line or a colour of bars stands for: a value of the series' key, a metric, or both.

use super::along::called;
use crate::report::chart::SeriesStyle;
use crate::scenario::ChartSpec;

/// One metric of one group of points (or of rows of a long table).
pub(super) struct Strand<'a, T> {
    /// The words in the picture.
    pub(super) name: String,
    /// What is shown of the group.
    pub(super) metric: &'a str,
    /// The points or rows.
    pub(super) members: &'a T,
    /// The look as a line.
    pub(super) style: SeriesStyle,
}

/// A strand for each metric of each group, in the order of the groups. A group without a name is the only one.
pub(super) fn strands<'a, T>(spec: &'a ChartSpec, groups: &'a [(Option<String>, T)]) -> Vec<Strand<'a, T>> {
    let metrics = spec.y.all();
    let mut strands = Vec::new();
    for (family, (group, members)) in groups.iter().enumerate() {
        for (member, metric) in metrics.iter().enumerate() {
            let (name, style) = match group {
                None => (called(spec, metric), SeriesStyle::Data),
                Some(group) if metrics.len() == 1 => (group.clone(), SeriesStyle::Data),
                Some(group) => (format!("{group}, {}", called(spec, metric)), SeriesStyle::Member { family, member }),
            };
            strands.push(Strand { name, metric, members, style });
        }
    }
    strands
}
