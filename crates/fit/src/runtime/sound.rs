//! Checks whether a formula behaves between the training points.

use super::constants::Fitter;
use super::data::Points;
use hetsim_formula::Expression;

/// The maximum number of intermediate points.
const MOST_POINTS: usize = 2048;

/// The factor by which a value may lie outside the range of measured times.
const LEEWAY: f64 = 4.0;

/// Points half-way between measured values of the variables, without times.
#[derive(Debug)]
pub(super) struct Intermediate {
    points: Points,
    least: f64,
    greatest: f64,
}

impl Intermediate {
    /// Half-way points between neighbouring values of every variable: an even sample of their product.
    pub(super) fn new(points: &Points) -> Self {
        let middles: Vec<Vec<f64>> = points.columns.iter().map(|column| middles(column)).collect();
        let all = middles.iter().map(Vec::len).fold(1, usize::saturating_mul);
        let count = all.min(MOST_POINTS);
        let mut columns = vec![Vec::with_capacity(count); middles.len()];
        for number in 0..count {
            let mut place = (number as u128 * all as u128 / count as u128) as usize;
            for (column, middles) in columns.iter_mut().zip(&middles) {
                column.push(middles[place % middles.len()]);
                place /= middles.len();
            }
        }
        let extreme = |start: f64, choose: fn(f64, f64) -> f64| points.target.iter().copied().fold(start, choose);
        Self {
            points: Points { columns, target: vec![1.0; count], weights: vec![1.0; count] },
            least: extreme(f64::INFINITY, f64::min) / LEEWAY,
            greatest: extreme(0.0, f64::max) * LEEWAY,
        }
    }

    /// Whether the formula has a value in the allowed range at all of these points.
    pub(super) fn sound(&self, expression: &Expression, fitter: &mut Fitter) -> bool {
        let values = fitter.values(expression, &self.points);
        values.iter().all(|value| *value >= self.least && *value <= self.greatest)
    }
}

fn middles(column: &[f64]) -> Vec<f64> {
    let mut values = column.to_vec();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let mut middles: Vec<f64> = values.windows(2).map(|pair| f64::midpoint(pair[0], pair[1])).collect();
    // A constant variable keeps its value.
    if middles.is_empty() {
        middles.extend(values.first());
    }
    middles
}
