//! Which formula of a front predicts best: the error on points left out decides how large it may be.
//!
//! The whole search runs again without each part of the points in turn. The errors of those searches on the parts left out
//! tell how much size is worth; the smallest size is taken whose error is within a standard error of the least (Breiman
//! et al. 1984, the rule for pruning trees).

use std::sync::atomic::AtomicBool;

use crate::formula::Evaluator;

use super::data::Points;
use super::front::Candidate;

/// Sizes at which errors are compared.
const SIZES: [usize; 22] = [1, 3, 5, 7, 9, 11, 13, 15, 18, 21, 25, 30, 35, 40, 50, 60, 80, 110, 150, 220, 330, 500];

/// What a single point may add to an error, as a share: a pole at one point is not to decide all.
const MOST: f64 = 10.0;

/// The error on points left out, for formulas up to a size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SizeError {
    /// Nodes at most.
    pub size: usize,
    /// Mean absolute percentage error over all points, each left out once.
    pub error: f64,
    /// The least and the greatest of the folds' errors.
    pub range: (f64, f64),
}

/// The errors of a search on points left out, by size, and the size to take.
#[derive(Debug, Clone, PartialEq)]
pub struct Validation {
    /// By growing size.
    pub errors: Vec<SizeError>,
    /// The smallest size whose error is within a standard error of the least.
    pub size: usize,
}

/// Runs a search without each part of the points in turn. `None` with fewer than four points a part.
pub fn validate(
    points: &Points,
    folds: usize,
    seed: u64,
    stop: &AtomicBool,
    search: &mut dyn FnMut(&Points, usize) -> Vec<Candidate>,
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
            // The front is sorted by size, errors fall along it.
            let found = front.iter().rev().find(|candidate| candidate.size <= *size).or(front.first());
            let Some(found) = found else { return None };
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
    let within = |place: &usize| {
        // Of the difference at each point, since all formulas meet the same noise.
        let differences: Vec<f64> = errors[*place].iter().zip(&errors[least]).map(|(own, best)| own - best).collect();
        let centre = mean(&differences);
        let variance = differences.iter().map(|difference| (difference - centre).powi(2)).sum::<f64>();
        let standard = (variance / (differences.len() * (differences.len() - 1)) as f64).sqrt();
        centre <= standard
    };
    let chosen = (0..SIZES.len()).find(within).unwrap_or(least);
    let table = |place: usize| SizeError { size: SIZES[place], error: 100.0 * means[place], range: ranges[place] };
    Some(Validation { errors: (0..SIZES.len()).map(table).collect(), size: SIZES[chosen] })
}
