//! What a line or a colour of bars stands for: a value of the series' key, a figure, or both.

use super::along::called;
use crate::report::chart::SeriesStyle;
use crate::scenario::ChartSpec;

/// One figure of one group of points (or of rows of a long table).
pub(super) struct Strand<'a, T> {
    /// The words in the picture.
    pub(super) name: String,
    /// What is shown of the group.
    pub(super) figure: &'a str,
    /// The points or rows.
    pub(super) members: &'a T,
    /// The look as a line.
    pub(super) style: SeriesStyle,
}

/// A strand for each figure of each group, in the order of the groups. A group without a name is the only one.
pub(super) fn strands<'a, T>(spec: &'a ChartSpec, groups: &'a [(Option<String>, T)]) -> Vec<Strand<'a, T>> {
    let figures = spec.y.all();
    let mut strands = Vec::new();
    for (family, (group, members)) in groups.iter().enumerate() {
        for (member, figure) in figures.iter().enumerate() {
            let (name, style) = match group {
                None => (called(spec, figure), SeriesStyle::Data),
                Some(group) if figures.len() == 1 => (group.clone(), SeriesStyle::Data),
                Some(group) => (format!("{group}, {}", called(spec, figure)), SeriesStyle::Member { family, member }),
            };
            strands.push(Strand { name, figure, members, style });
        }
    }
    strands
}
