//! Least squares of relative errors: normal equations of a few terms, of which some coefficients cannot be negative.
//!
//! A call counts by the square of its error relative to the time that the form gives it, so small calls count as much as
//! long ones. Weights by the measured time instead would draw the form below the mean, since quick calls would weigh more.

use super::forms::{Form, MOST_TERMS, dot};
use crate::estimate::Estimate;
use crate::robust::median;

/// The coefficients of a form, in its order; zeros behind them.
pub(super) type Coefficients = [f64; MOST_TERMS];

type TermMatrix = [[f64; MOST_TERMS]; MOST_TERMS];

/// What part of a term has to be left when earlier ones have explained it; below it is rounding.
const LEAST_PIVOT: f64 = 1e-11;

/// The least share of the measured time that a form may give while it is sought: below, weights would have no bound.
const LEAST_SHARE: f64 = 0.01;

/// How often weights are taken from the form found last. Few are enough, as they hardly change.
const REWEIGHTINGS: usize = 4;

/// The folds of a cross-validation.
pub(super) const FOLDS: usize = 5;

/// A call as it counts in a fit.
#[derive(Debug, Clone, Copy)]
pub(super) struct WeightedCall {
    pub(super) sizes: [f64; 3],
    /// The time in seconds, over the slowness of the processor.
    pub(super) seconds: f64,
    /// From 0 for what is left out to 1.
    pub(super) weight: f64,
}

/// The sums of normal equations: weighted products of terms with each other and with the times.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NormalEquations {
    products: TermMatrix,
    times: Coefficients,
}

/// The solution of normal equations.
struct Solution {
    coefficients: Coefficients,
    /// The inverse of the products, with zeros for coefficients that are held at zero.
    inverse: TermMatrix,
}

impl NormalEquations {
    fn add(&mut self, terms: &Coefficients, seconds: f64, weight: f64) {
        for (row, term) in terms.iter().enumerate() {
            for (product, other) in self.products[row].iter_mut().zip(terms) {
                *product += weight * term * other;
            }
            self.times[row] += weight * term * seconds;
        }
    }

    /// The sums of both.
    fn with(mut self, other: &Self) -> Self {
        for row in 0..MOST_TERMS {
            for (product, more) in self.products[row].iter_mut().zip(other.products[row]) {
                *product += more;
            }
            self.times[row] += other.times[row];
        }
        self
    }

    /// The coefficients with the least squares, where those that have to be are not negative; `None` if the calls do not
    /// determine them.
    fn solve(&self, form: &Form) -> Option<Solution> {
        let mut active: Vec<usize> = (0..form.count()).collect();
        loop {
            let inverse = inverse(&self.products, &active)?;
            let coefficients: Coefficients = std::array::from_fn(|row| dot(&inverse[row], &self.times));
            let negative = active.iter().position(|&number| form.is_physical(number) && coefficients[number] < 0.0);
            match negative {
                None => {
                    let all_finite = coefficients.iter().all(|coefficient| coefficient.is_finite());
                    return all_finite.then_some(Solution { coefficients, inverse });
                }
                Some(place) => drop(active.remove(place)),
            }
        }
    }
}

/// The inverse of the part of a positive matrix that these rows and columns are, by Gauss and Jordan's elimination; `None`
/// if it has none.
fn inverse(products: &TermMatrix, active: &[usize]) -> Option<TermMatrix> {
    if active.is_empty() {
        return None;
    }
    let scale: Coefficients = std::array::from_fn(|row| products[row][row].sqrt());
    let mut left = [[0.0; MOST_TERMS]; MOST_TERMS];
    let mut right = [[0.0; MOST_TERMS]; MOST_TERMS];
    for &row in active {
        for &column in active {
            left[row][column] = products[row][column] / (scale[row] * scale[column]);
        }
        right[row][row] = 1.0;
    }
    for &pivot in active {
        let value = left[pivot][pivot];
        // Not above: it may be no number.
        if !(value > LEAST_PIVOT && value.is_finite()) {
            return None;
        }
        for matrix in [&mut left, &mut right] {
            matrix[pivot].iter_mut().for_each(|cell| *cell /= value);
        }
        let (pivot_left, pivot_right) = (left[pivot], right[pivot]);
        for &row in active.iter().filter(|&&row| row != pivot) {
            let factor = left[row][pivot];
            for column in 0..MOST_TERMS {
                left[row][column] -= factor * pivot_left[column];
                right[row][column] -= factor * pivot_right[column];
            }
        }
    }
    for &row in active {
        for &column in active {
            right[row][column] /= scale[row] * scale[column];
        }
    }
    Some(right)
}

/// The weight of a call's squared error.
fn weight(form: &Form, coefficients: &Coefficients, point: &WeightedCall) -> f64 {
    point.weight / given(form, coefficients, point).powi(2)
}

/// What a form gives for a call, in seconds, within the bound of a search.
pub(super) fn given(form: &Form, coefficients: &Coefficients, point: &WeightedCall) -> f64 {
    form.seconds(coefficients, point.sizes).max(LEAST_SHARE * point.seconds)
}

/// A first fit, weighted by the measured times: calls that took far too long hardly count in it.
pub(super) fn first(form: &Form, points: impl Iterator<Item = WeightedCall>) -> Option<Coefficients> {
    let mut sums = NormalEquations::default();
    for point in points {
        sums.add(&form.terms(point.sizes), point.seconds, point.weight / point.seconds.powi(2));
    }
    sums.solve(form).map(|solution| solution.coefficients)
}

/// One more step from some coefficients.
pub(super) fn step(
    form: &Form,
    points: impl Iterator<Item = WeightedCall>,
    from: &Coefficients,
) -> Option<Coefficients> {
    let mut sums = NormalEquations::default();
    for point in points {
        sums.add(&form.terms(point.sizes), point.seconds, weight(form, from, &point));
    }
    sums.solve(form).map(|solution| solution.coefficients)
}

/// The coefficients from some on, with standard errors from the residuals (sandwich estimator, factor n/(n − p)); `None`
/// if the calls do not determine them, or if a call would take no time.
pub(super) fn fitted(
    form: &Form,
    points: impl Iterator<Item = WeightedCall> + Clone,
    from: &Coefficients,
) -> Option<Vec<Estimate>> {
    let mut coefficients = *from;
    for _ in 1..REWEIGHTINGS {
        coefficients = step(form, points.clone(), &coefficients)?;
    }
    let mut sums = NormalEquations::default();
    let mut count = 0.0;
    for point in points.clone() {
        sums.add(&form.terms(point.sizes), point.seconds, weight(form, &coefficients, &point));
        count += f64::from(u8::from(point.weight > 0.0));
    }
    let weights = coefficients;
    let Solution { coefficients, inverse } = sums.solve(form)?;
    let mut squares = NormalEquations::default();
    for point in points.filter(|point| point.weight > 0.0) {
        let seconds = form.seconds(&coefficients, point.sizes);
        if seconds <= 0.0 {
            return None;
        }
        let error = weight(form, &weights, &point) * (point.seconds - seconds);
        squares.add(&form.terms(point.sizes), 0.0, error * error);
    }
    let freedom = count - form.count() as f64;
    let estimate = |number: usize| {
        let value = coefficients[number];
        if freedom < 1.0 || inverse[number][number] == 0.0 {
            return Estimate::without_error(value);
        }
        let through: Coefficients = std::array::from_fn(|row| dot(&squares.products[row], &inverse[number]));
        let variance = dot(&inverse[number], &through).max(0.0) * count / freedom;
        Estimate { value, error: Some(variance.sqrt()), freedom }
    };
    Some((0..form.count()).map(estimate).collect())
}

/// The coefficients alone, zeros behind them.
pub(super) fn values(estimates: &[Estimate]) -> Coefficients {
    std::array::from_fn(|number| estimates.get(number).map_or(0.0, |estimate| estimate.value))
}

/// The median relative error of these coefficients at all points.
pub(super) fn error(
    form: &Form,
    points: impl Iterator<Item = WeightedCall>,
    coefficients: &Coefficients,
) -> Option<f64> {
    let errors: Vec<f64> = points.map(|point| relative_error(form, &point, coefficients)).collect();
    median(&errors)
}

/// The median relative error at all points, each predicted by what is fitted to the four folds without it; point by point
/// goes to the next fold. `None` if the calls do not determine the coefficients.
pub(super) fn unseen_error(
    form: &Form,
    points: impl Iterator<Item = WeightedCall> + Clone,
    coefficients: &Coefficients,
) -> Option<f64> {
    let mut folds = [NormalEquations::default(); FOLDS];
    for (number, point) in points.clone().enumerate() {
        let own = weight(form, coefficients, &point);
        folds[number % FOLDS].add(&form.terms(point.sizes), point.seconds, own);
    }
    let mut others = Vec::with_capacity(FOLDS);
    for own in 0..FOLDS {
        let mut sums = NormalEquations::default();
        // Added up anew: a difference from the sum of all could round away what a fold alone determines.
        for other in folds.iter().enumerate().filter(|(number, _)| *number != own) {
            sums = sums.with(other.1);
        }
        others.push(sums.solve(form)?.coefficients);
    }
    let errors: Vec<f64> =
        points.enumerate().map(|(number, point)| relative_error(form, &point, &others[number % FOLDS])).collect();
    median(&errors)
}

fn relative_error(form: &Form, point: &WeightedCall, coefficients: &Coefficients) -> f64 {
    (form.seconds(coefficients, point.sizes) / point.seconds - 1.0).abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(formula: &str) -> Form {
        Form::candidates([true; 3]).into_iter().find(|form| form.formula() == formula).unwrap()
    }

    fn points(seconds: impl Fn(f64) -> f64) -> Vec<WeightedCall> {
        (1..=40)
            .map(f64::from)
            .map(|m| WeightedCall { sizes: [m, 1.0, 1.0], seconds: seconds(m), weight: 1.0 })
            .collect()
    }

    #[test]
    fn a_line_without_noise_is_found() {
        let (form, points) = (form("a + b*m"), points(|m| 3.0 + 0.5 * m));
        let start = first(&form, points.iter().copied()).unwrap();
        let found = fitted(&form, points.iter().copied(), &start).unwrap();
        assert!((found[0].value - 3.0).abs() < 1e-9 && (found[1].value - 0.5).abs() < 1e-10, "{found:?}");
        assert!(unseen_error(&form, points.iter().copied(), &start).unwrap() < 1e-9);
    }

    /// A start-up below zero is none: the line then goes through the origin.
    #[test]
    fn no_call_takes_less_than_no_time() {
        let (form, points) = (form("a + b*m"), points(|m| 0.5 * m - 0.3));
        let found = fitted(&form, points.iter().copied(), &[0.0, 0.5, 0.0, 0.0, 0.0]).unwrap();
        assert_eq!((found[0].value, found[0].error), (0.0, None));
        assert!(found[1].value > 0.45 && found[1].value < 0.5, "{found:?}");
    }

    #[test]
    fn what_the_calls_do_not_determine_is_not_fitted() {
        let points = points(|m| m);
        assert_eq!(first(&form("a + b*n"), points.iter().copied()), None);
        assert_eq!(unseen_error(&form("a + b*m"), points[..1].iter().copied(), &[0.0, 1.0, 0.0, 0.0, 0.0]), None);
    }
}
