//! The Pareto front of formulas by error and size.

use hetsim_formula::Expression;

/// A formula with its error and size.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredFormula {
    /// The formula.
    pub expression: Expression,
    /// The mean absolute percentage error on the training points.
    pub error: f64,
    /// The number of its nodes.
    pub size: usize,
    /// The hash of its rounded values at some points; formulas with the same values share it.
    pub(super) hash: u64,
}

impl ScoredFormula {
    /// Whether this candidate is no worse in error and size, and better in one of them.
    pub(super) fn dominates(&self, other: &Self) -> bool {
        let (less, more) = (self.error <= other.error && self.size <= other.size, self.error < other.error);
        less && (more || self.size < other.size)
    }
}

/// The non-dominated candidates by size; of equal ones the first is kept.
#[must_use]
pub fn front(mut candidates: Vec<ScoredFormula>) -> Vec<ScoredFormula> {
    candidates.retain(|candidate| candidate.error.is_finite());
    candidates.sort_by(|a, b| a.size.cmp(&b.size).then(a.error.total_cmp(&b.error)));
    let mut least = f64::INFINITY;
    candidates.retain(|candidate| {
        let kept = candidate.error < least;
        least = least.min(candidate.error);
        kept
    });
    candidates
}

/// The knee of a front: the formula farthest below the line from the smallest formula to the one with the least error,
/// on logarithmic axes. `None` for an empty front.
#[must_use]
pub fn knee(front: &[ScoredFormula]) -> Option<usize> {
    let place = |candidate: &ScoredFormula| ((candidate.size as f64).ln(), candidate.error.max(1e-9).ln());
    let (first, last) = (place(front.first()?), place(front.last()?));
    let (width, height) = ((last.0 - first.0).max(1e-12), (first.1 - last.1).max(1e-12));
    let below = |candidate: &ScoredFormula| {
        let (x, y) = place(candidate);
        1.0 - (x - first.0) / width - (y - last.1) / height
    };
    (0..front.len()).max_by(|a, b| below(&front[*a]).total_cmp(&below(&front[*b])))
}

/// Sorts by non-dominated rank and, within a rank, by falling crowding distance (Deb et al. 2002, NSGA-II).
pub(super) fn ranked(candidates: Vec<ScoredFormula>) -> Vec<ScoredFormula> {
    let mut rest = candidates;
    let mut sorted = Vec::with_capacity(rest.len());
    while !rest.is_empty() {
        let (mut layer, others): (Vec<ScoredFormula>, Vec<ScoredFormula>) = {
            let beaten: Vec<bool> = rest.iter().map(|own| rest.iter().any(|other| other.dominates(own))).collect();
            let mut beaten = beaten.into_iter();
            rest.into_iter().partition(|_| !beaten.next().unwrap_or(false))
        };
        layer.sort_by(|a, b| a.size.cmp(&b.size).then(a.error.total_cmp(&b.error)));
        let gap = |at: usize| {
            if at == 0 || at + 1 == layer.len() {
                return f64::INFINITY;
            }
            let (before, after) = (&layer[at - 1], &layer[at + 1]);
            let sizes = (after.size as f64 / before.size as f64).ln();
            sizes + (before.error.max(1e-9) / after.error.max(1e-9)).ln()
        };
        let mut order: Vec<(f64, usize)> = (0..layer.len()).map(|at| (gap(at), at)).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        sorted.extend(order.into_iter().map(|(_, at)| layer[at].clone()));
        rest = others;
    }
    sorted
}
