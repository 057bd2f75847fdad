//! Whether a formula makes sense between the points that it was fitted to.

use super::constants::Fitter;
use super::data::Points;
use crate::formula::Expression;

/// Points between the measured ones at most.
const MOST_POINTS: usize = 2048;

/// How far outside of the measured times a value between points may lie, as a factor.
const LEEWAY: f64 = 4.0;

/// Points half-way between measured values of the variables, without times.
#[derive(Debug)]
pub(super) struct Between {
    points: Points,
    least: f64,
    greatest: f64,
}

impl Between {
    /// Half-way points, each between two neighbours in every variable: of the product of all of them an even share.
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

    /// Whether the formula has a value within reach of the measured times at all of these points.
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
    // A variable that does not vary has its value.
    if middles.is_empty() {
        middles.extend(values.first());
    }
    middles
}
