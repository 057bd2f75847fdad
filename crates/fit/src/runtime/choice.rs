//! Selects the formula of a front that predicts best: the shortest of those that held-out points find as good as the
//! best.
//!
//! The whole search is repeated without each fold of the points, and so is the piecewise fit that the search starts
//! with. The errors on the held-out folds measure the benefit of size, and whether evolution is worth more than the
//! piecewise formula. What is within a standard error of the least (Breiman et al. 1984, the rule for pruning trees)
//! counts as equally good, and the smallest of these sizes gives the formula to predict with.

use std::sync::atomic::{AtomicBool, Ordering};

use hetsim_formula::{Evaluator, Expression};

use super::data::Points;
use super::front::ScoredFormula;
use super::genetic::Searched;

/// The sizes at which errors are compared.
const SIZES: [usize; 25] =
    [1, 3, 5, 7, 9, 11, 13, 15, 18, 21, 25, 30, 35, 40, 50, 60, 80, 110, 150, 220, 330, 500, 750, 1100, 1700];

/// The maximum relative error of a single point, so that a pole at one point does not decide everything.
const MOST: f64 = 10.0;

/// The error on held-out points of the formulas that one rule takes from each search.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldOut {
    /// The mean absolute percentage error over all points, each held out once.
    pub error: f64,
    /// The least and the greatest error of any fold.
    pub range: (f64, f64),
    /// Whether the error is within a standard error of the least.
    pub good: bool,
    /// The predicted time of each point, by the formula that has not seen it.
    pub predicted: Vec<f64>,
}

/// The errors of a search on held-out points.
#[derive(Debug, Clone, PartialEq)]
pub struct Validation {
    /// By rising size: the most nodes, and the error of the best formula of each search up to that size.
    pub sizes: Vec<(usize, HeldOut)>,
    /// The piecewise formula that the search starts with, and the error of those without each fold.
    pub piecewise: Option<(ScoredFormula, HeldOut)>,
}

/// What is chosen.
#[derive(Debug, Clone, PartialEq)]
pub enum ChosenFormula<'a> {
    /// The formula of the front with this index, and its error on held-out points.
    Front(usize, Option<&'a HeldOut>),
    /// The piecewise formula, with its error on held-out points.
    Piecewise(&'a HeldOut),
}

/// The formula to predict with. With a validation the smallest size counts that the front has and that is as good as
/// the best on held-out points; of the formulas of that size, and of all without a validation, it is the least by
/// Schwarz's criterion.
#[must_use]
pub fn chosen<'a>(front: &[ScoredFormula], validation: Option<&'a Validation>, points: usize) -> ChosenFormula<'a> {
    let least = |among: &mut dyn Iterator<Item = usize>| {
        among.min_by(|a, b| criterion(&front[*a], points).total_cmp(&criterion(&front[*b], points)))
    };
    let Some(validation) = validation else {
        return ChosenFormula::Front(least(&mut (0..front.len())).unwrap_or(0), None);
    };
    let mut above = 0;
    let of_size = |(most, error): &'a (usize, HeldOut)| {
        let own = std::mem::replace(&mut above, *most) + 1..=*most;
        Some((least(&mut (0..front.len()).filter(|at| own.contains(&front[*at].size)))?, error))
    };
    let sizes: Vec<(usize, &HeldOut)> = validation.sizes.iter().filter_map(of_size).collect();
    let nearest = sizes.iter().min_by(|a, b| a.1.error.total_cmp(&b.1.error));
    // What is best in the folds may have no counterpart of its size in the front.
    let of_front = sizes.iter().find(|(_, error)| error.good).or(nearest);
    match (of_front, &validation.piecewise) {
        (Some((at, error)), Some((formula, own))) if predicts_better((formula.size, own), (front[*at].size, error)) => {
            ChosenFormula::Piecewise(own)
        }
        (Some((at, error)), _) => ChosenFormula::Front(*at, Some(error)),
        (None, Some((_, error))) => ChosenFormula::Piecewise(error),
        (None, None) => ChosenFormula::Front(front.len().saturating_sub(1), None),
    }
}

/// Whether a formula of a size is as good as the best and another one is not; if both are, whether it is smaller, and if
/// neither is, whether its error is less.
fn predicts_better((size, own): (usize, &HeldOut), (other_size, other): (usize, &HeldOut)) -> bool {
    match (own.good, other.good) {
        (true, true) => size < other_size,
        (false, false) => own.error < other.error,
        (is_good, _) => is_good,
    }
}

/// Schwarz's criterion (1978) for exponentially distributed relative differences: n·ln(error) + ½·k·ln(n) with k fitted
/// numbers, including borders.
fn criterion(candidate: &ScoredFormula, points: usize) -> f64 {
    let numbers = candidate.expression.constants().count() + candidate.expression.borders();
    let count = points as f64;
    count * candidate.error.max(1e-6).ln() + 0.5 * numbers as f64 * count.ln()
}

/// Repeats a search without each fold of the points; `piecewise` is the formula that the search over all points starts
/// with. `None` with fewer than four points per fold.
pub fn validate(
    points: &Points,
    folds: usize,
    seed: u64,
    piecewise: Option<&ScoredFormula>,
    stop: &AtomicBool,
    search: &mut dyn FnMut(&Points, usize) -> Searched,
) -> Option<Validation> {
    if folds < 2 || points.len() < 4 * folds {
        return None;
    }
    // Of each size and, last, of the piecewise formula.
    let mut rows = vec![Predictions::new(points); SIZES.len() + usize::from(piecewise.is_some())];
    for (fold, (fitted, left_out)) in points.folds(folds, seed).into_iter().enumerate() {
        let Searched { front, piecewise } = search(&points.chosen(&fitted), fold);
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let unseen = points.chosen(&left_out);
        // The front is sorted by size, and errors fall along it.
        let of_size = |size: &usize| front.iter().rev().find(|candidate| candidate.size <= *size).or(front.first());
        let found = SIZES.iter().map(of_size).chain([piecewise.as_ref()]);
        for (row, found) in rows.iter_mut().zip(found) {
            row.hold_out(&found?.expression, &left_out, &unseen);
        }
    }
    let least = rows.iter().map(|row| &row.errors).min_by(|a, b| mean(a).total_cmp(&mean(b)))?.clone();
    let mut held_out = rows.into_iter().map(|row| row.compared(&least));
    let sizes = SIZES.into_iter().zip(&mut held_out).collect();
    Some(Validation { sizes, piecewise: piecewise.cloned().zip(held_out.next()) })
}

/// What is known of one rule, fold by fold.
#[derive(Clone)]
struct Predictions {
    /// The relative error of each point.
    errors: Vec<f64>,
    predicted: Vec<f64>,
    range: (f64, f64),
}

impl Predictions {
    fn new(points: &Points) -> Self {
        let none = vec![0.0; points.len()];
        Self { errors: none.clone(), predicted: none, range: (f64::INFINITY, 0.0) }
    }

    /// Predicts the points of a fold.
    fn hold_out(&mut self, expression: &Expression, left_out: &[usize], unseen: &Points) {
        let mut values = vec![0.0; unseen.len()];
        Evaluator::default().evaluate(expression, &unseen.columns, &mut values);
        let mut sum = 0.0;
        for ((at, value), time) in left_out.iter().zip(values).zip(&unseen.target) {
            let error = (value / time - 1.0).abs();
            self.errors[*at] = if error < MOST { error } else { MOST };
            self.predicted[*at] = value;
            sum += self.errors[*at];
        }
        let error = 100.0 * sum / unseen.len() as f64;
        self.range = (self.range.0.min(error), self.range.1.max(error));
    }

    fn compared(self, least: &[f64]) -> HeldOut {
        // Use the difference at each point, since all formulas see the same noise.
        let differences: Vec<f64> = self.errors.iter().zip(least).map(|(own, best)| own - best).collect();
        let centre = mean(&differences);
        let variance = differences.iter().map(|difference| (difference - centre).powi(2)).sum::<f64>();
        let standard = (variance / (differences.len() * (differences.len() - 1)) as f64).sqrt();
        let good = centre <= standard;
        HeldOut { error: 100.0 * mean(&self.errors), range: self.range, good, predicted: self.predicted }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formula(size: usize, error: f64) -> ScoredFormula {
        ScoredFormula { expression: Expression::constant(1.0), error, size, hash: 0 }
    }

    fn held_out(good: bool) -> HeldOut {
        HeldOut { error: 1.0, range: (1.0, 1.0), good, predicted: Vec::new() }
    }

    /// The index of the chosen formula of the front, none for the piecewise one.
    fn at(good: &[usize], piecewise: Option<(usize, bool)>) -> Option<usize> {
        let front = [formula(5, 20.0), formula(40, 4.0), formula(41, 3.9), formula(90, 3.0)];
        let sizes = SIZES.map(|size| (size, held_out(good.contains(&size)))).to_vec();
        let piecewise = piecewise.map(|(size, good)| (formula(size, 3.5), held_out(good)));
        let validation = Validation { sizes, piecewise };
        match chosen(&front, Some(&validation), 100) {
            ChosenFormula::Front(at, _) => Some(at),
            ChosenFormula::Piecewise(..) => None,
        }
    }

    #[test]
    fn the_smallest_of_what_is_as_good_is_chosen() {
        assert_eq!(at(&[110, 150], None), Some(3));
        // 41 nodes are of the size up to 50, and so few more count as nothing beside the error.
        assert_eq!(at(&[50, 60, 110, 150], None), Some(2));
        assert_eq!(at(&[40, 50, 110], None), Some(1));
        // No formula has 51 to 60 nodes, and those of fewer are not as good.
        assert_eq!(at(&[60, 110], None), Some(3));
        // The piecewise formula has to be as good, and smaller.
        assert_eq!(at(&[110], Some((60, true))), None);
        assert_eq!(at(&[110], Some((60, false))), Some(3));
        assert_eq!(at(&[40, 110], Some((60, true))), Some(1));
        // Though greater it is chosen, if no formula of the front is as good.
        assert_eq!(at(&[500], Some((522, true))), None);
    }

    /// Without held-out points a number more must lower the logarithm of the error by ln(n)/2n.
    #[test]
    fn without_a_validation_the_criterion_decides() {
        let front = [formula(5, 20.0), formula(40, 4.0)];
        assert_eq!(chosen(&front, None, 100), ChosenFormula::Front(1, None));
    }

    #[test]
    fn what_is_within_a_standard_error_is_as_good() {
        // Differences of 1, 1, 1 and −1 have the mean 1/2 and the standard error 1/2; of 1, 1, 1 and 0: 3/4 and 1/4.
        let least = [1.0; 4];
        let row = |errors: [f64; 4]| Predictions { errors: errors.to_vec(), predicted: Vec::new(), range: (0.0, 0.0) };
        assert!(row([2.0, 2.0, 2.0, 0.0]).compared(&least).good);
        assert!(!row([2.0, 2.0, 2.0, 1.0]).compared(&least).good);
        assert!(row(least).compared(&least).good);
    }
}
