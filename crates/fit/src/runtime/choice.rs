//! Selects the formula of a front that predicts best: the error on held-out points limits the size of the formula.
//!
//! The whole search is repeated without each fold of the points. The errors of these searches on the held-out folds
//! measure the benefit of size. Sizes whose error is within a standard error of the least (Breiman et al. 1984, the
//! rule for pruning trees) count as equally good; among these, Schwarz's criterion selects the formula.

use std::sync::atomic::AtomicBool;

use hetsim_formula::Evaluator;

use super::data::Points;
use super::front::ScoredFormula;

/// The sizes at which errors are compared.
const SIZES: [usize; 22] = [1, 3, 5, 7, 9, 11, 13, 15, 18, 21, 25, 30, 35, 40, 50, 60, 80, 110, 150, 220, 330, 500];

/// The maximum relative error of a single point, so that a pole at one point does not decide everything.
const MOST: f64 = 10.0;

/// The error of formulas up to a size on held-out points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SizeError {
    /// The maximum number of nodes.
    pub size: usize,
    /// The mean absolute percentage error over all points, each held out once.
    pub error: f64,
    /// The least and the greatest error of any fold.
    pub range: (f64, f64),
    /// Whether the error is within a standard error of the least.
    pub good: bool,
}

/// The errors of a search on held-out points, by size.
#[derive(Debug, Clone, PartialEq)]
pub struct Validation {
    /// The errors by rising size.
    pub errors: Vec<SizeError>,
}

/// The index of the formula of a front to predict with: the least by Schwarz's criterion among the sizes that the
/// validation, if there is one, finds as good as the best.
#[must_use]
pub fn chosen(front: &[ScoredFormula], validation: Option<&Validation>, points: usize) -> usize {
    let eligible = |candidate: &ScoredFormula| {
        validation.is_none_or(|validation| {
            let place = validation.errors.iter().find(|error| error.size >= candidate.size);
            place.or(validation.errors.last()).is_some_and(|error| error.good)
        })
    };
    let least = |numbers: &mut dyn Iterator<Item = usize>| {
        numbers.min_by(|a, b| criterion(&front[*a], points).total_cmp(&criterion(&front[*b], points)))
    };
    let among = least(&mut (0..front.len()).filter(|at| eligible(&front[*at])));
    among.or_else(|| least(&mut (0..front.len()))).unwrap_or(0)
}

/// Schwarz's criterion (1978) for exponentially distributed relative differences: n·ln(error) + ½·k·ln(n) with k fitted
/// numbers, including borders.
fn criterion(candidate: &ScoredFormula, points: usize) -> f64 {
    let numbers = candidate.expression.constants().count() + candidate.expression.borders();
    let count = points as f64;
    count * candidate.error.max(1e-6).ln() + 0.5 * numbers as f64 * count.ln()
}

/// Repeats a search without each fold of the points. `None` with fewer than four points per fold.
pub fn validate(
    points: &Points,
    folds: usize,
    seed: u64,
    stop: &AtomicBool,
    search: &mut dyn FnMut(&Points, usize) -> Vec<ScoredFormula>,
) -> Option<Validation> {
    if folds < 2 || points.len() < 4 * folds {
        return None;
    }
    // errors[size][point]
    let mut errors = vec![vec![0.0; points.len()]; SIZES.len()];
    let mut ranges = vec![(f64::INFINITY, 0.0_f64); SIZES.len()];
    let mut evaluator = Evaluator::default();
    for (fold, (fitted, left_out)) in points.folds(folds, seed).into_iter().enumerate() {
        let front = search(&points.chosen(&fitted), fold);
        if stop.load(std::sync::atomic::Ordering::Relaxed) {
            return None;
        }
        let unseen = points.chosen(&left_out);
        let mut values = vec![0.0; unseen.len()];
        for (place, size) in SIZES.iter().enumerate() {
            // The front is sorted by size, and errors fall along it.
            let found = front.iter().rev().find(|candidate| candidate.size <= *size).or(front.first());
            let found = found?;
            evaluator.evaluate(&found.expression, &unseen.columns, &mut values);
            let mut sum = 0.0;
            for ((at, value), time) in left_out.iter().zip(&values).zip(&unseen.target) {
                let error = (value / time - 1.0).abs();
                errors[place][*at] = if error < MOST { error } else { MOST };
                sum += errors[place][*at];
            }
            let mean = 100.0 * sum / unseen.len() as f64;
            ranges[place] = (ranges[place].0.min(mean), ranges[place].1.max(mean));
        }
    }
    let mean = |errors: &[f64]| errors.iter().sum::<f64>() / errors.len() as f64;
    let means: Vec<f64> = errors.iter().map(|errors| mean(errors)).collect();
    let least = (0..means.len()).min_by(|a, b| means[*a].total_cmp(&means[*b]))?;
    let within = |place: usize| {
        // Use the difference at each point, since all formulas see the same noise.
        let differences: Vec<f64> = errors[place].iter().zip(&errors[least]).map(|(own, best)| own - best).collect();
        let centre = mean(&differences);
        let variance = differences.iter().map(|difference| (difference - centre).powi(2)).sum::<f64>();
        let standard = (variance / (differences.len() * (differences.len() - 1)) as f64).sqrt();
        centre <= standard
    };
    let table = |place: usize| SizeError {
        size: SIZES[place],
        error: 100.0 * means[place],
        range: ranges[place],
        good: within(place),
    };
    Some(Validation { errors: (0..SIZES.len()).map(table).collect() })
}
