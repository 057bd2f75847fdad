//! Fits lines to measured curves.

use statrs::distribution::{ContinuousCDF, FisherSnedecor};

use super::error::FitError;
use super::estimate::Estimate;
use super::robust;
use super::samples::Series;

/// A line over the message size.
///
/// Noise is assumed to be relative: residuals are relative to the measured time. If repetitions give the size of the
/// noise and the points are as close to the line as the noise predicts (F test at 1 %), the line is the weighted
/// least-squares line, and the errors follow from those of the points. Otherwise the curve is not a line or the noise
/// is unknown: the line is Huber's, starting from Theil and Sen's, and the errors follow from the residuals (sandwich
/// estimator, factor n/(n − 2)).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// The value for an empty message in seconds.
    pub fixed: Estimate,
    /// The increase in seconds per byte.
    pub per_byte: Estimate,
}

/// A measured point.
struct MeasuredPoint {
    x: f64,
    middle: Estimate,
}

impl Line {
    /// Fits a line to the trimmed means of `series` over their sizes minus `shift` bytes (for models with m − 1).
    ///
    /// # Errors
    /// Fewer than two sizes. The error names `model` and `what`.
    pub fn fit(series: &[Series], shift: u64, model: &'static str, what: &'static str) -> Result<Self, FitError> {
        let point = |series: &Series| {
            let x = series.bytes.saturating_sub(shift) as f64;
            series.middle().filter(|middle| middle.value > 0.0).map(|middle| MeasuredPoint { x, middle })
        };
        let points: Vec<MeasuredPoint> = series.iter().filter_map(point).collect();
        let few = FitError::Sizes { model, what, needed: 2, found: points.len() };
        if points.is_empty() {
            return Err(FitError::Missing { model, what });
        }
        let even = vec![1.0; points.len()];
        let plain = solve(&points, &even).ok_or(few.clone())?;
        match noise(&points) {
            Some(noise) if !is_off(&points, &plain, noise) => Ok(plain.with_errors_of_points(&points)),
            _ => huber(&points).ok_or(few).map(|line| line.with_errors_of_residuals(&points)),
        }
    }

    /// The value for a message of `bytes`.
    #[must_use]
    pub fn at(&self, bytes: u64) -> f64 {
        self.fixed.value + self.per_byte.value * bytes as f64
    }
}

/// A line, with the dependence of its parameters on the points' values.
struct Solved {
    fixed: f64,
    slope: f64,
    of_fixed: Vec<f64>,
    of_slope: Vec<f64>,
}

impl Solved {
    fn residual(&self, point: &MeasuredPoint) -> f64 {
        point.middle.value - self.fixed - self.slope * point.x
    }

    fn with_errors_of_points(&self, points: &[MeasuredPoint]) -> Line {
        let combine = |factors: &[f64], value: f64| {
            let parts: Vec<_> = factors.iter().zip(points).map(|(&factor, point)| (factor, point.middle)).collect();
            Estimate { value, ..Estimate::combined(&parts) }
        };
        Line { fixed: combine(&self.of_fixed, self.fixed), per_byte: combine(&self.of_slope, self.slope) }
    }

    fn with_errors_of_residuals(&self, points: &[MeasuredPoint]) -> Line {
        let count = points.len() as f64;
        let estimate = |factors: &[f64], value: f64| {
            if points.len() < 3 {
                return Estimate::without_error(value);
            }
            let squares = factors.iter().zip(points).map(|(factor, point)| (factor * self.residual(point)).powi(2));
            let variance = squares.sum::<f64>() * count / (count - 2.0);
            Estimate { value, error: Some(variance.sqrt()), freedom: count - 2.0 }
        };
        Line { fixed: estimate(&self.of_fixed, self.fixed), per_byte: estimate(&self.of_slope, self.slope) }
    }
}

/// The least-squares line of relative residuals with additional `weights`; `None` if all points have the same x.
fn solve(points: &[MeasuredPoint], weights: &[f64]) -> Option<Solved> {
    let weights: Vec<f64> =
        points.iter().zip(weights).map(|(point, weight)| weight / point.middle.value.powi(2)).collect();
    let total: f64 = weights.iter().sum();
    let mean = points.iter().zip(&weights).map(|(point, weight)| weight * point.x).sum::<f64>() / total;
    let spread: f64 = points.iter().zip(&weights).map(|(point, weight)| weight * (point.x - mean).powi(2)).sum();
    if points.len() < 2 || spread.is_nan() || spread <= 0.0 {
        return None;
    }
    let of_slope: Vec<f64> =
        points.iter().zip(&weights).map(|(point, weight)| weight * (point.x - mean) / spread).collect();
    let of_fixed: Vec<f64> =
        of_slope.iter().zip(&weights).map(|(slope, weight)| weight / total - mean * slope).collect();
    let sum = |factors: &[f64]| factors.iter().zip(points).map(|(factor, point)| factor * point.middle.value).sum();
    Some(Solved { fixed: sum(&of_fixed), slope: sum(&of_slope), of_fixed, of_slope })
}

/// The pooled relative variance of a point and its degrees of freedom; `None` if a point has no variance.
fn noise(points: &[MeasuredPoint]) -> Option<(f64, f64)> {
    let parts = points.iter().map(|point| {
        let relative = point.middle.error? / point.middle.value;
        Some((relative * relative, point.middle.freedom))
    });
    let parts = parts.collect::<Option<Vec<(f64, f64)>>>()?;
    let freedom: f64 = parts.iter().map(|(_, freedom)| freedom).sum();
    Some((parts.iter().map(|(variance, freedom)| variance * freedom).sum::<f64>() / freedom, freedom))
}

/// Whether the points are farther from the line than their noise explains.
fn is_off(points: &[MeasuredPoint], line: &Solved, (variance, freedom): (f64, f64)) -> bool {
    let spare = points.len().saturating_sub(2);
    if spare == 0 {
        return false;
    }
    let squares = points.iter().map(|point| (line.residual(point) / point.middle.value).powi(2));
    let found = squares.sum::<f64>() / spare as f64;
    let expected = FisherSnedecor::new(spare as f64, freedom).map_or(f64::NAN, |f| f.inverse_cdf(0.99)) * variance;
    // Times are whole ticks: a rounding error does not indicate a curve.
    found > expected.max(1e-12)
}

/// Huber's line by iterative reweighting until convergence.
fn huber(points: &[MeasuredPoint]) -> Option<Solved> {
    let pairs: Vec<(f64, f64)> = points.iter().map(|point| (point.x, point.middle.value)).collect();
    let slope = robust::theil_sen(&pairs)?;
    let above: Vec<f64> = pairs.iter().map(|(x, y)| y - slope * x).collect();
    let relative = |residuals: &[f64]| -> Vec<f64> {
        residuals.iter().zip(points).map(|(residual, point)| residual / point.middle.value).collect()
    };
    let fixed = robust::median(&above)?;
    let mut residuals = relative(&above.iter().map(|above| above - fixed).collect::<Vec<f64>>());
    let mut line = solve(points, &vec![1.0; points.len()])?;
    for _ in 0..100 {
        let distances: Vec<f64> = residuals.iter().map(|residual| residual.abs()).collect();
        let scale = 1.4826 * robust::median(&distances)?;
        let weights: Vec<f64> = residuals.iter().map(|&residual| robust::huber_weight(residual, scale)).collect();
        let next = solve(points, &weights)?;
        let still = (next.slope - line.slope).abs() <= 1e-12 * line.slope.abs()
            && (next.fixed - line.fixed).abs() <= 1e-12 * line.fixed.abs();
        line = next;
        if still {
            break;
        }
        residuals = relative(&points.iter().map(|point| line.residual(point)).collect::<Vec<f64>>());
    }
    Some(line)
}
