//! Fits the formula of a piece: a sum of a few terms or a product of powers, selected by cross-validation.

use hetsim_formula::{Binary, Evaluator, Expression, Unary};

use super::constants::Fitter;
use super::data::Points;
use super::linear::{Loss, factors, rich_terms, sum};
use super::sound::Intermediate;

/// The maximum number of terms in a sum.
const MOST_TERMS: usize = 6;

/// A larger form must lower the error on held-out points by this factor.
const WORTH: f64 = 0.97;

/// An error below this is rounding, and not worth improving.
pub(super) const EXACT: f64 = 1e-9;

/// The number of cross-validation folds.
const FOLDS: usize = 5;

/// Candidate terms with their values at some points.
struct Terms {
    list: Vec<Expression>,
    columns: Vec<Vec<f64>>,
    /// Whether the sum is the logarithm of the time, so that the formula is its exponential.
    logarithmic: bool,
}

impl Terms {
    fn new(terms: Vec<Expression>, logarithmic: bool, points: &Points) -> Self {
        let mut evaluator = Evaluator::default();
        let mut kept = Self { list: Vec::new(), columns: Vec::new(), logarithmic };
        for term in terms {
            let mut values = vec![0.0; points.len()];
            evaluator.evaluate(&term, &points.columns, &mut values);
            // A constant term duplicates the first one, 1.
            let varies = kept.list.is_empty() || values.iter().any(|value| *value != values[0]);
            if varies && values.iter().all(|value| value.is_finite()) {
                kept.list.push(term);
                kept.columns.push(values);
            }
        }
        kept
    }

    /// The factors of these terms over these points.
    fn factors(&self, chosen: &[usize], points: &Points, numbers: &[usize], loss: Loss) -> Option<Vec<f64>> {
        let pick = |values: &[f64]| -> Vec<f64> { numbers.iter().map(|at| values[*at]).collect() };
        let columns: Vec<Vec<f64>> = chosen.iter().map(|term| pick(&self.columns[*term])).collect();
        let (target, weights) = (pick(&points.target), pick(&points.weights));
        if self.logarithmic {
            // The loss divides by the target: dividing the columns by the time, with a logarithmic target, has the same
            // effect.
            let logarithms: Vec<f64> = target.iter().map(|time| time.ln()).collect();
            return factors(&columns, &logarithms, &weights, Loss::Squared);
        }
        factors(&columns, &target, &weights, loss)
    }

    /// The mean relative error at these points, as a fraction.
    fn error(&self, chosen: &[usize], factors: &[f64], points: &Points, numbers: &[usize]) -> f64 {
        let (mut total, mut weight) = (0.0, 0.0);
        for at in numbers {
            let value: f64 = chosen.iter().zip(factors).map(|(term, factor)| self.columns[*term][*at] * factor).sum();
            let value = if self.logarithmic { value.exp() } else { value };
            total += points.weights[*at] * (value / points.target[*at] - 1.0).abs();
            weight += points.weights[*at];
        }
        if total.is_finite() { total / weight } else { f64::INFINITY }
    }

    /// Greedy forward selection: sums of 1, 2, … terms, each adding the term that lowers the error most.
    fn path(&self, points: &Points, numbers: &[usize]) -> Vec<Vec<usize>> {
        let mut chosen = vec![0];
        let mut path = vec![chosen.clone()];
        while path.len() < MOST_TERMS && chosen.len() + 2 < numbers.len() {
            let tried = (0..self.list.len()).filter(|term| !chosen.contains(term)).filter_map(|term| {
                let with: Vec<usize> = chosen.iter().copied().chain([term]).collect();
                let factors = self.factors(&with, points, numbers, Loss::RelativeSquared)?;
                Some((self.error(&with, &factors, points, numbers), with))
            });
            let Some((_, best)) = tried.min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
            chosen = best;
            path.push(chosen.clone());
        }
        path
    }

    /// The error on held-out points for each number of terms, as a fraction.
    fn validated(&self, points: &Points, folds: &[(Vec<usize>, Vec<usize>)]) -> Vec<f64> {
        let mut errors = vec![0.0; MOST_TERMS];
        let mut seen = vec![0_usize; MOST_TERMS];
        for (fitted, left_out) in folds {
            for (size, chosen) in self.path(points, fitted).iter().enumerate() {
                let Some(factors) = self.factors(chosen, points, fitted, Loss::Relative) else { continue };
                errors[size] += self.error(chosen, &factors, points, left_out) * left_out.len() as f64;
                seen[size] += left_out.len();
            }
        }
        let complete =
            |(error, seen): (f64, usize)| if seen == points.len() { error / seen as f64 } else { f64::INFINITY };
        errors.into_iter().zip(seen).map(complete).collect()
    }

    fn expression(&self, chosen: &[usize], points: &Points) -> Option<Expression> {
        let all: Vec<usize> = (0..points.len()).collect();
        let factors = self.factors(chosen, points, &all, Loss::Relative)?;
        let terms: Vec<&Expression> = chosen.iter().map(|term| &self.list[*term]).collect();
        let sum = sum(&terms, &factors)?;
        Some(if self.logarithmic { sum.unary(Unary::Exponential) } else { sum })
    }
}

/// Whether each variable is above 0 at all points.
pub(super) fn positive(points: &Points) -> Vec<bool> {
    points.columns.iter().map(|column| column.iter().all(|value| *value > 0.0)).collect()
}

/// Terms for the logarithm of the time: 1, the variables, their logarithms, and products of two logarithms.
fn logarithmic_terms(positive: &[bool]) -> Vec<Expression> {
    let variable = |at: usize| Expression::variable(at as u16);
    let logarithm = |at: usize| variable(at).unary(Unary::Logarithm);
    let mut terms = vec![Expression::constant(1.0)];
    for at in 0..positive.len() {
        terms.push(variable(at));
        if positive[at] {
            terms.push(logarithm(at));
            terms.push(logarithm(at).unary(Unary::Square));
            for other in (at + 1..positive.len()).filter(|other| positive[*other]) {
                terms.push(logarithm(at).binary(Binary::Multiply, &logarithm(other)));
            }
        }
    }
    terms
}

/// The formula for these points with its cross-validation error as a fraction. With too few points for folds, the
/// formula is the constant with the least relative deviation, with its error at these points.
#[must_use]
pub fn best(points: &Points, seed: u64) -> Option<(Expression, f64)> {
    let positive = positive(points);
    let kinds = [(rich_terms(&positive), false), (logarithmic_terms(&positive), true)];
    let folds = if points.len() >= 2 * FOLDS { points.folds(FOLDS, seed) } else { Vec::new() };
    let all: Vec<usize> = (0..points.len()).collect();
    let (between, mut fitter) = (Intermediate::new(points), Fitter::default());
    let mut found: Option<(Expression, f64)> = None;
    for (terms, logarithmic) in kinds {
        let terms = Terms::new(terms, logarithmic, points);
        let path = terms.path(points, &all);
        let errors = if folds.is_empty() { vec![f64::INFINITY; 1] } else { terms.validated(points, &folds) };
        let mut size = 0;
        for larger in 1..path.len().min(errors.len()) {
            if errors[size] > EXACT && errors[larger] < errors[size] * WORTH {
                size = larger;
            }
        }
        // A formula that leaves all bounds between the points is rejected; a constant never does.
        let mut expression = path.get(size).and_then(|chosen| terms.expression(chosen, points));
        while size > 0 && !expression.as_ref().is_some_and(|expression| between.sound(expression, &mut fitter)) {
            size -= 1;
            expression = terms.expression(&path[size], points);
        }
        let Some(expression) = expression else { continue };
        let error = if folds.is_empty() {
            terms
                .factors(&path[0], points, &all, Loss::Relative)
                .map_or(f64::INFINITY, |f| terms.error(&path[0], &f, points, &all))
        } else {
            errors[size]
        };
        if found.as_ref().is_none_or(|(_, least)| *least > EXACT && error < least * WORTH) {
            found = Some((expression, error));
        }
    }
    found
}
