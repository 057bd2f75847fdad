//! Curve fitting: sums of given terms with least-squares factors.
//!
//! Rauber and Rünger fitted t = a + b·p + c·p·m to a scatter and t = a + c·m to a single transfer (004, section 2) by
//! ordinary least squares, which large times dominate. Relative least squares weights each point by 1/t².

use hetsim_formula::{Binary, Evaluator, Expression, Unary};

use super::data::Points;

/// The loss to minimise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// The sum of squared differences.
    Squared,
    /// The sum of squared relative differences.
    RelativeSquared,
    /// The sum of relative differences, which is the mean percentage error, by iterative reweighting.
    Relative,
}

/// The number of reweightings for [`Loss::Relative`].
const REWEIGHTINGS: usize = 12;

/// The sum of terms with the best factors, without terms that are linear combinations of earlier ones. `None` if no
/// term has a value at all points.
#[must_use]
pub fn fit(points: &Points, terms: &[Expression], loss: Loss) -> Option<Expression> {
    let mut evaluator = Evaluator::default();
    let mut usable = Vec::new();
    let mut columns = Vec::new();
    for term in terms {
        let mut values = vec![0.0; points.len()];
        evaluator.evaluate(term, &points.columns, &mut values);
        if values.iter().all(|value| value.is_finite()) {
            usable.push(term);
            columns.push(values);
        }
    }
    let factors = factors(&columns, &points.target, &points.weights, loss)?;
    sum(&usable, &factors)
}

/// The factors of columns of values that best fit a target; 0 for linear combinations of earlier columns.
#[must_use]
pub fn factors(columns: &[Vec<f64>], target: &[f64], weights: &[f64], loss: Loss) -> Option<Vec<f64>> {
    let base = |at: usize| match loss {
        Loss::Squared => weights[at].sqrt(),
        Loss::RelativeSquared | Loss::Relative => weights[at].sqrt() / target[at],
    };
    let mut scales: Vec<f64> = (0..target.len()).map(base).collect();
    let mut factors = least_squares(columns, target, &scales)?;
    if loss == Loss::Relative {
        let mut best = (f64::INFINITY, factors.clone());
        for _ in 0..REWEIGHTINGS {
            let mut error = 0.0;
            for (at, scale) in scales.iter_mut().enumerate() {
                let value: f64 = columns.iter().zip(&factors).map(|(column, factor)| column[at] * factor).sum();
                let relative = (value / target[at] - 1.0).abs();
                error += weights[at] * relative;
                // Weights of 1/|r| turn squares into absolute values; the lower bound keeps them finite.
                *scale = base(at) / relative.max(1e-3).sqrt();
            }
            if error < best.0 {
                best = (error, factors);
            }
            factors = least_squares(columns, target, &scales)?;
        }
        return Some(best.1);
    }
    Some(factors)
}

/// Σ factor · term, without terms of factor 0.
pub(super) fn sum(terms: &[&Expression], factors: &[f64]) -> Option<Expression> {
    let one = Expression::constant(1.0);
    let scaled = |(term, factor): (&&Expression, &f64)| {
        let factor = Expression::constant(*factor);
        if **term == one { factor } else { factor.binary(Binary::Multiply, term) }
    };
    let parts = terms.iter().zip(factors).filter(|(_, factor)| **factor != 0.0).map(scaled);
    parts.reduce(|sum, part| sum.binary(Binary::Add, &part))
}

/// The terms of the paper's curve fit: 1 and each variable or, for two variables (processors p and bytes b), 1, p and
/// p·b (004, section 2).
#[must_use]
pub fn paper_terms(variables: usize) -> Vec<Expression> {
    let variable = |at: usize| Expression::variable(at as u16);
    let mut terms = vec![Expression::constant(1.0)];
    if variables == 2 {
        terms.push(variable(0));
        terms.push(variable(0).binary(Binary::Multiply, &variable(1)));
    } else {
        terms.extend((0..variables).map(variable));
    }
    terms
}

/// A richer set of terms: 1, each variable, its root and its logarithm if it is above 0 (`positive`), and products of
/// two variables, also with the logarithm of one.
#[must_use]
pub fn rich_terms(positive: &[bool]) -> Vec<Expression> {
    let variable = |at: usize| Expression::variable(at as u16);
    let mut terms = paper_terms(1);
    terms.truncate(1);
    for at in 0..positive.len() {
        terms.push(variable(at));
        if positive[at] {
            terms.push(variable(at).unary(Unary::Logarithm));
            terms.push(variable(at).unary(Unary::SquareRoot));
        }
        for other in at + 1..positive.len() {
            terms.push(variable(at).binary(Binary::Multiply, &variable(other)));
            for (logarithm, plain) in [(at, other), (other, at)] {
                if positive[logarithm] {
                    let logarithm = variable(logarithm).unary(Unary::Logarithm);
                    terms.push(logarithm.binary(Binary::Multiply, &variable(plain)));
                }
            }
        }
    }
    terms
}

/// Least squares by Gram–Schmidt orthogonalisation, repeated for accuracy; `scales` scale columns and target row by
/// row.
fn least_squares(columns: &[Vec<f64>], target: &[f64], scales: &[f64]) -> Option<Vec<f64>> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut residual: Vec<f64> = target.iter().zip(scales).map(|(value, scale)| value * scale).collect();
    // Each basis vector with its combination of columns.
    let mut basis: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    let mut factors = vec![0.0; columns.len()];
    for (number, column) in columns.iter().enumerate() {
        let mut vector: Vec<f64> = column.iter().zip(scales).map(|(value, scale)| value * scale).collect();
        let length = dot(&vector, &vector).sqrt();
        let mut combination = vec![0.0; columns.len()];
        combination[number] = 1.0;
        for _ in 0..2 {
            for (unit, parts) in &basis {
                let share = dot(unit, &vector);
                vector.iter_mut().zip(unit).for_each(|(value, unit)| *value -= share * unit);
                combination.iter_mut().zip(parts).for_each(|(own, part)| *own -= share * part);
            }
        }
        let rest = dot(&vector, &vector).sqrt();
        // The remainder of a linear combination of earlier columns is rounding.
        if !(rest > 1e-9 * length && rest.is_finite()) || basis.len() == target.len() {
            continue;
        }
        for value in vector.iter_mut().chain(&mut combination) {
            *value /= rest;
        }
        let share = dot(&vector, &residual);
        residual.iter_mut().zip(&vector).for_each(|(value, unit)| *value -= share * unit);
        factors.iter_mut().zip(&combination).for_each(|(factor, part)| *factor += share * part);
        basis.push((vector, combination));
    }
    (!basis.is_empty() && factors.iter().all(|factor| factor.is_finite())).then_some(factors)
}
