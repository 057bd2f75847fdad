//! Quantities as tables over the message size.

use super::estimate::Estimate;
use super::samples::Series;

/// A quantity measured at some sizes: linear between them, constant below the first and extrapolated with the last
/// slope beyond the last, as in the network model `plogp`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SizeTable {
    /// The sizes in ascending order, each with the quantity in seconds.
    pub points: Vec<(u64, Estimate)>,
}

impl SizeTable {
    /// The robust means of `series`, in ascending order of sizes.
    #[must_use]
    pub fn of(series: &[Series]) -> Self {
        let mut points: Vec<_> = series.iter().filter_map(|series| Some((series.bytes, series.middle()?))).collect();
        points.sort_by_key(|(bytes, _)| *bytes);
        points.dedup_by_key(|(bytes, _)| *bytes);
        Self { points }
    }

    /// The quantity for a message of `bytes`; `None` if the table is empty.
    #[must_use]
    pub fn at(&self, bytes: u64) -> Option<f64> {
        let above = self.points.partition_point(|(size, _)| *size < bytes);
        match (above, self.points.len()) {
            (_, 0) => None,
            (0, _) | (_, 1) => Some(self.points[0].1.value),
            (above, len) => {
                let right = above.min(len - 1);
                let [(x0, low), (x1, high)] = [self.points[right - 1], self.points[right]];
                let part = (bytes as f64 - x0 as f64) / (x1 as f64 - x0 as f64);
                Some((low.value + (high.value - low.value) * part).max(0.0))
            }
        }
    }

    /// The estimate at exactly this size.
    #[must_use]
    pub fn exactly(&self, bytes: u64) -> Option<Estimate> {
        let place = self.points.binary_search_by_key(&bytes, |(size, _)| *size).ok()?;
        Some(self.points[place].1)
    }

    /// Whether there are no points.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.points.is_empty()
    }
}
