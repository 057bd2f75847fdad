//! The summary of a sample that a box of a box plot shows.

use crate::statistics::quantile;

/// Quartiles, whiskers and outliers of a sample, as Tukey draws them ("Exploratory Data Analysis", 1977).
///
/// Quartiles are quantiles of type 7 of Hyndman and Fan (see [`quantile`]). A whisker ends at the farthest value that
/// is no more than 1.5 interquartile ranges away from the box, or at the box where there is none outside of it; what
/// lies beyond the whiskers is an outlier.
#[derive(Debug, Clone, PartialEq)]
pub struct BoxSummary {
    /// How many values there are.
    pub count: usize,
    /// The quantile at one quarter: where the box begins.
    pub lower_quartile: f64,
    /// The quantile at one half.
    pub median: f64,
    /// The quantile at three quarters: where the box ends.
    pub upper_quartile: f64,
    /// The end of the lower whisker, at most the lower quartile.
    pub low: f64,
    /// The end of the upper whisker, at least the upper quartile.
    pub high: f64,
    /// The values beyond the whiskers, in rising order.
    pub outliers: Vec<f64>,
}

/// How many interquartile ranges a whisker may be long.
const REACH: f64 = 1.5;

impl BoxSummary {
    /// Summarises `values`; nothing for none, or where one of them is not finite.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let [lower_quartile, median, upper_quartile] =
            [quantile(values, 0.25)?, quantile(values, 0.5)?, quantile(values, 0.75)?];
        let reach = REACH * (upper_quartile - lower_quartile);
        let (lowest, highest) = (lower_quartile - reach, upper_quartile + reach);
        let (within, mut outliers): (Vec<f64>, Vec<f64>) =
            values.iter().copied().partition(|value| (lowest..=highest).contains(value));
        outliers.sort_by(f64::total_cmp);
        Some(Self {
            count: values.len(),
            lower_quartile,
            median,
            upper_quartile,
            // A quartile between two values may lie beyond all that are within reach.
            low: within.iter().copied().fold(lower_quartile, f64::min),
            high: within.iter().copied().fold(upper_quartile, f64::max),
            outliers,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_known_sample() {
        // The quartiles lie at places 2.25, 4.5 and 6.75 of the ordered values; the fences at −3.5 and 14.5.
        let values = [15.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
        let summary = BoxSummary::of(&values).unwrap();
        assert_eq!((summary.lower_quartile, summary.median, summary.upper_quartile), (3.25, 5.5, 7.75));
        assert_eq!((summary.low, summary.high, summary.count), (1.0, 9.0, 10));
        assert_eq!(summary.outliers, [15.0]);
    }

    #[test]
    fn evenly_spaced_values_have_no_outliers() {
        // 0, 1, …, 4k: the quartiles are k, 2k and 3k.
        for k in 1..20u32 {
            let values: Vec<f64> = (0..=4 * k).map(f64::from).collect();
            let summary = BoxSummary::of(&values).unwrap();
            let quartiles = [summary.lower_quartile, summary.median, summary.upper_quartile];
            assert_eq!(quartiles, [k, 2 * k, 3 * k].map(f64::from));
            assert_eq!((summary.low, summary.high), (0.0, f64::from(4 * k)));
            assert!(summary.outliers.is_empty());
        }
    }

    #[test]
    fn few_values() {
        assert_eq!(BoxSummary::of(&[]), None);
        assert_eq!(BoxSummary::of(&[1.0, f64::NAN]), None);
        let one = BoxSummary::of(&[7.0]).unwrap();
        assert_eq!((one.low, one.lower_quartile, one.median, one.upper_quartile, one.high), (7.0, 7.0, 7.0, 7.0, 7.0));
        // The lower quartile is 7.5 and its fence 3.75: nothing lies between them.
        let gap = BoxSummary::of(&[0.0, 10.0, 10.0, 10.0]).unwrap();
        assert_eq!((gap.low, gap.lower_quartile, gap.high), (7.5, 7.5, 10.0));
        assert_eq!(gap.outliers, [0.0]);
    }

    proptest! {
        #[test]
        fn a_quarter_of_the_values_lies_on_each_side_of_a_box(values in prop::collection::vec(-1e6..1e6f64, 1..80)) {
            let summary = BoxSummary::of(&values).unwrap();
            prop_assert!(summary.low <= summary.lower_quartile && summary.lower_quartile <= summary.median);
            prop_assert!(summary.median <= summary.upper_quartile && summary.upper_quartile <= summary.high);
            // The quartile lies at place (n − 1)/4, so at most (n + 2)/4 values come before it.
            let below = values.iter().filter(|v| **v < summary.lower_quartile).count();
            let above = values.iter().filter(|v| **v > summary.upper_quartile).count();
            prop_assert!(4 * below.max(above) <= values.len() + 2);
            let beyond = values.iter().filter(|v| !(summary.low..=summary.high).contains(*v)).count();
            prop_assert_eq!(beyond, summary.outliers.len());
        }
    }
}
