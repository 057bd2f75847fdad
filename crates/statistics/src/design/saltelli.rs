//! Variance-based sensitivity: the share of a metric's variance due to each parameter, alone and in interaction with
//! others (Saltelli and others, "Variance based sensitivity analysis of model output. Design and estimator for the
//! total sensitivity index", Computer Physics Communications 181 (2010)).

use rand::RngExt;

use super::{DesignError, Point, Scramble, as_many, sobol, some};
use crate::{Confidence, percentiles};
use hetsim_base::engine::Streams;

/// The points of a variance-based analysis. For each row of two independent samples A and B: the row of A, the row of A
/// with each coordinate in turn taken from B, and the row of B.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Saltelli {
    dimensions: usize,
    rows: usize,
}

impl Saltelli {
    /// A design of `rows` rows; powers of two are best.
    ///
    /// # Errors
    /// [`DesignError::NoDimensions`], [`DesignError::NoPoints`].
    pub fn new(dimensions: usize, rows: usize) -> Result<Self, DesignError> {
        some(dimensions, rows)?;
        Ok(Self { dimensions, rows })
    }

    /// The number of points: d + 2 per row.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.rows * (self.dimensions + 2)
    }

    /// The points, row by row, each as A, A with the first coordinate of B, …, A with the last coordinate of B, B. A
    /// larger design begins with the smaller one. A and B are the two halves of a Sobol sequence in twice the
    /// dimensions.
    ///
    /// # Errors
    /// [`DesignError::TooManyDimensions`], [`DesignError::TooManyPoints`].
    pub fn points(&self, scramble: Scramble, seed: u64) -> Result<Vec<Point>, DesignError> {
        let mut points = Vec::with_capacity(self.count());
        for row in sobol(2 * self.dimensions, self.rows, scramble, seed)? {
            let (a, b) = row.split_at(self.dimensions);
            points.push(a.to_vec());
            for dimension in 0..self.dimensions {
                let mut mixed = a.to_vec();
                mixed[dimension] = b[dimension];
                points.push(mixed);
            }
            points.push(b.to_vec());
        }
        Ok(points)
    }

    /// Computes the indices of each dimension from the values at [`Saltelli::points`]. Rows with a missing value are
    /// omitted. `resamples` and `seed` belong to the bootstrap of the intervals, which draws whole rows. Rows of a
    /// Sobol sequence are spread more evenly than independent ones, so the intervals are somewhat too wide.
    ///
    /// Returns `None` for fewer than two complete rows, or if the values do not vary.
    ///
    /// # Errors
    /// [`DesignError::Values`].
    pub fn indices(
        &self,
        values: &[Option<f64>],
        confidence: Confidence,
        resamples: usize,
        seed: u64,
    ) -> Result<Option<Indices>, DesignError> {
        as_many(self.count(), values.len())?;
        let rows: Vec<Vec<f64>> =
            values.chunks(self.dimensions + 2).filter_map(|row| row.iter().copied().collect()).collect();
        let all: Vec<usize> = (0..rows.len()).collect();
        let Some((variance, whole)) = estimate(&rows, &all, self.dimensions) else { return Ok(None) };
        let mut stream = Streams::new(seed, 0).stream("design.indices", 0);
        let mut drawn_indices = vec![(Vec::new(), Vec::new()); self.dimensions];
        let mut drawn = all;
        for _ in 0..resamples {
            for row in &mut drawn {
                *row = stream.random_range(0..rows.len());
            }
            // A resample without variance gives no index.
            let Some((_, estimates)) = estimate(&rows, &drawn, self.dimensions) else { continue };
            for ((first, total), estimate) in drawn_indices.iter_mut().zip(estimates) {
                first.push(estimate.first);
                total.push(estimate.total);
            }
        }
        let index = |(estimate, (first, total)): (SobolIndices, (Vec<f64>, Vec<f64>))| Index {
            first: estimate.first,
            first_interval: percentiles(first, confidence),
            total: estimate.total,
            total_interval: percentiles(total, confidence),
        };
        let parameters = whole.into_iter().zip(drawn_indices).map(index).collect();
        Ok(Some(Indices { rows: rows.len(), variance, parameters }))
    }
}

/// The sensitivity of a metric to each parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Indices {
    /// The number of complete rows.
    pub rows: usize,
    /// The variance of the metric over the whole ranges, from both samples.
    pub variance: f64,
    /// One entry per parameter.
    pub parameters: Vec<Index>,
}

/// The sensitivity of a metric to one parameter, as shares of the metric's variance. Estimates may lie slightly outside
/// 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Index {
    /// The first-order index: the mean share of the variance that vanishes once the parameter is known.
    pub first: f64,
    /// The bootstrap percentile interval of the first-order index.
    pub first_interval: Option<(f64, f64)>,
    /// The total index: the mean share of the variance that remains while only this parameter is unknown. The excess
    /// over the first-order index is due to interactions.
    pub total: f64,
    /// The bootstrap percentile interval of the total index.
    pub total_interval: Option<(f64, f64)>,
}

#[derive(Clone, Copy)]
struct SobolIndices {
    first: f64,
    total: f64,
}

/// The variance and the indices of the rows with these numbers.
///
/// First order by Saltelli and others (2010, Table 2, estimator b), of the values minus their mean, which removes most
/// of the error without bias; total by Jansen, "Analysis of variance designs for model output", Computer Physics
/// Communications 117 (1999).
fn estimate(rows: &[Vec<f64>], chosen: &[usize], dimensions: usize) -> Option<(f64, Vec<SobolIndices>)> {
    if chosen.len() < 2 {
        return None;
    }
    let count = chosen.len() as f64;
    let ends = || chosen.iter().flat_map(|&row| [rows[row][0], rows[row][dimensions + 1]]);
    // The mean of equal values may differ from them in its last digit, and the variance from zero.
    if ends().all(|value| value == rows[chosen[0]][0]) {
        return None;
    }
    let mean = ends().sum::<f64>() / (2.0 * count);
    let variance = ends().map(|value| (value - mean).powi(2)).sum::<f64>() / (2.0 * count);
    if variance <= 0.0 || !variance.is_finite() {
        return None;
    }
    let of = |dimension: usize| {
        let (mut first, mut total) = (0.0, 0.0);
        for &row in chosen {
            let row = &rows[row];
            let (a, mixed, b) = (row[0], row[dimension + 1], row[dimensions + 1]);
            first += (b - mean) * (mixed - a);
            total += (a - mixed).powi(2);
        }
        SobolIndices { first: first / count / variance, total: total / (2.0 * count) / variance }
    };
    Some((variance, (0..dimensions).map(of).collect()))
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use proptest::prelude::*;

    use super::*;

    fn indices(dimensions: usize, rows: usize, seed: u64, model: impl Fn(&[f64]) -> f64) -> Indices {
        let design = Saltelli::new(dimensions, rows).unwrap();
        let points = design.points(Scramble::Owen, seed).unwrap();
        let values: Vec<Option<f64>> = points.iter().map(|point| Some(model(point))).collect();
        design.indices(&values, Confidence::P95, 200, 1).unwrap().unwrap()
    }

    fn close(found: &Indices, first: &[f64], total: &[f64], tolerance: f64) {
        for ((index, first), total) in found.parameters.iter().zip(first).zip(total) {
            assert!((index.first - first).abs() < tolerance, "{index:?}, first {first}");
            assert!((index.total - total).abs() < tolerance, "{index:?}, total {total}");
        }
        assert_eq!(found.parameters.len(), first.len());
    }

    /// Ishigami and Homma (1990) with a = 7 and b = 0.1.
    fn ishigami(point: &[f64]) -> f64 {
        let [x, y, z] = [0, 1, 2].map(|i| PI * (2.0 * point[i] - 1.0));
        x.sin() + 7.0 * y.sin().powi(2) + 0.1 * z.powi(4) * x.sin()
    }

    #[test]
    fn the_ishigami_function() {
        let variance = 49.0 / 8.0 + 0.1 * PI.powi(4) / 5.0 + 0.01 * PI.powi(8) / 18.0 + 0.5;
        let alone = 0.5 * (1.0 + 0.1 * PI.powi(4) / 5.0).powi(2);
        let together = 8.0 * 0.01 * PI.powi(8) / 225.0;
        let first = [alone / variance, 49.0 / 8.0 / variance, 0.0];
        let total = [(alone + together) / variance, first[1], together / variance];
        // The published values.
        for (found, published) in first.iter().chain(&total).zip([0.3139, 0.4424, 0.0, 0.5576, 0.4424, 0.2437]) {
            assert!((found - published).abs() < 5e-5);
        }
        for seed in 0..5 {
            let found = indices(3, 4096, seed, ishigami);
            close(&found, &first, &total, 0.01);
            assert!((found.variance / variance - 1.0).abs() < 0.01);
            for (index, (first, total)) in found.parameters.iter().zip(first.iter().zip(&total)) {
                let (low, high) = index.first_interval.unwrap();
                assert!(low - 0.005 < *first && *first < high + 0.005 && high - low < 0.15);
                let (low, high) = index.total_interval.unwrap();
                assert!(low - 0.005 < *total && *total < high + 0.005 && high - low < 0.1);
            }
        }
    }

    #[test]
    fn the_g_function() {
        // Saltelli and Sobol (1995): the product of (|4x − 2| + a) / (1 + a).
        let a = [0.0, 1.0, 4.5, 9.0, 99.0, 99.0, 99.0, 99.0];
        let g = |point: &[f64]| point.iter().zip(a).map(|(x, a)| ((4.0 * x - 2.0).abs() + a) / (1.0 + a)).product();
        let partial = a.map(|a: f64| 1.0 / (3.0 * (1.0 + a).powi(2)));
        let product: f64 = partial.iter().map(|v| 1.0 + v).product();
        let variance = product - 1.0;
        let first = partial.map(|v| v / variance);
        let total = partial.map(|v| v * product / (1.0 + v) / variance);
        // The published values of the first three parameters.
        for (found, published) in first.iter().zip([0.7162, 0.1790, 0.0237]) {
            assert!((found - published).abs() < 5e-5, "{found}");
        }
        close(&indices(8, 4096, 3, g), &first, &total, 0.01);
    }

    #[test]
    fn a_linear_model_has_no_interactions() {
        let coefficients = [1.0, 2.0, 3.0, 0.0];
        let linear = |point: &[f64]| point.iter().zip(coefficients).map(|(x, c)| x * c).sum();
        let shares = coefficients.map(|c: f64| c * c / 14.0);
        close(&indices(4, 1024, 1, linear), &shares, &shares, 0.01);
    }

    #[test]
    fn where_nothing_varies_nothing_is_said() {
        let design = Saltelli::new(2, 8).unwrap();
        assert_eq!(design.indices(&[Some(3.0); 32], Confidence::P95, 10, 1), Ok(None));
        assert_eq!(design.indices(&[None; 32], Confidence::P95, 10, 1), Ok(None));
        let wrong = Err(DesignError::Values { expected: 32, found: 31 });
        assert_eq!(design.indices(&[None; 31], Confidence::P95, 10, 1), wrong);
        assert_eq!(Saltelli::new(65, 1).unwrap().points(Scramble::Owen, 0), Err(DesignError::TooManyDimensions(130)));
    }

    #[test]
    fn rows_with_a_missing_value_are_left_out() {
        let design = Saltelli::new(3, 512).unwrap();
        let points = design.points(Scramble::Owen, 1).unwrap();
        let mut values: Vec<Option<f64>> = points.iter().map(|point| Some(ishigami(point))).collect();
        values[3] = None;
        values[12] = None;
        let found = design.indices(&values, Confidence::P95, 50, 1).unwrap().unwrap();
        assert_eq!(found.rows, 510);
        let whole: Vec<Option<f64>> = [&values[5..10], &values[15..]].concat();
        let rest = Saltelli::new(3, 510).unwrap().indices(&whole, Confidence::P95, 50, 1).unwrap().unwrap();
        assert_eq!(found, rest);
    }

    proptest! {
        #[test]
        fn a_row_mixes_two_samples(d in 1..12usize, rows in 1..20usize, seed: u64) {
            let design = Saltelli::new(d, rows).unwrap();
            let points = design.points(Scramble::Owen, seed).unwrap();
            prop_assert_eq!(points.len(), rows * (d + 2));
            for row in points.chunks(d + 2) {
                let (a, b) = (&row[0], &row[d + 1]);
                for i in 0..d {
                    for j in 0..d {
                        prop_assert_eq!(row[i + 1][j], if i == j { b[j] } else { a[j] });
                    }
                }
            }
        }
    }
}
