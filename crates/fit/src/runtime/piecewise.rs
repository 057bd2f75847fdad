//! Piecewise formulas: finds intervals of the variables together with a formula for each.
//!
//! Message-passing libraries change their protocol with the message size, so a single formula for all sizes is wrong
//! near the switches. The authors of 004 name intervals found along with the formulas as future work (section 5). Along
//! one variable, dynamic programming over all intervals finds the best borders for each number of pieces exactly
//! (Bellman 1961); cross-validation selects the number of pieces. Each piece is then divided along the other variables
//! in the same way, as long as that lowers the error on held-out points.

use hetsim_formula::{Evaluator, Expression};

use super::data::Points;
use super::forms::{EXACT, best, positive};
use super::linear::rich_terms;

/// The maximum number of pieces along one variable.
const MOST_PIECES: usize = 8;

/// The maximum number of values between which borders are considered; more values are grouped.
const MOST_VALUES: usize = 110;

/// The maximum depth of division.
const DEEPEST: usize = 3;

/// A division must lower the error on held-out points by this factor.
const WORTH: f64 = 0.95;

/// The number of cross-validation folds.
const FOLDS: usize = 5;

/// A piecewise formula.
#[derive(Debug, Clone)]
pub struct Piecewise {
    /// The formula.
    pub expression: Expression,
    /// The mean relative error on held-out points in cross-validation, as a fraction.
    pub error: f64,
}

/// Formulas with 1, 2, … pieces along each variable and, last, the choice of the cross-validation with its pieces
/// divided further if that helps.
#[must_use]
pub fn fit(points: &Points, seed: u64) -> Vec<Piecewise> {
    let mut found = Vec::new();
    for variable in 0..points.columns.len() {
        for borders in segmentations(points, variable).into_iter().skip(1) {
            found.extend(built(points, variable, &borders, seed, 0));
        }
    }
    found.extend(divided(points, seed, DEEPEST));
    found
}

/// The best formula found by dividing the points as far as that helps.
fn divided(points: &Points, seed: u64, depth: usize) -> Option<Piecewise> {
    let (expression, error) = best(points, seed)?;
    let whole = Piecewise { expression, error };
    if depth == 0 || points.len() < 4 * FOLDS || whole.error < EXACT {
        return Some(whole);
    }
    // The error on held-out points for each number of pieces along each variable.
    let mut chosen: Option<(usize, usize, f64)> = None;
    for variable in 0..points.columns.len() {
        for (pieces, error) in validated(points, variable, seed).into_iter().enumerate().skip(1) {
            if error < chosen.map_or(whole.error, |(_, _, least)| least) * WORTH {
                chosen = Some((variable, pieces, error));
            }
        }
    }
    let Some((variable, pieces, _)) = chosen else { return Some(whole) };
    let borders = segmentations(points, variable).into_iter().nth(pieces)?;
    built(points, variable, &borders, seed, depth - 1)
}

/// The formula with these borders along a variable.
fn built(points: &Points, variable: usize, borders: &[f64], seed: u64, depth: usize) -> Option<Piecewise> {
    let mut parts = Vec::new();
    let mut error = 0.0;
    for (numbers, border) in pieces(points, variable, borders) {
        let own = points.chosen(&numbers);
        let piece = if depth > 0 {
            divided(&own, seed, depth)?
        } else {
            best(&own, seed).map(|(expression, error)| Piecewise { expression, error })?
        };
        error += piece.error * own.len() as f64 / points.len() as f64;
        parts.push((piece.expression, border));
    }
    let (last, _) = parts.pop()?;
    let join = |beyond: Expression, (piece, border): (Expression, f64)| piece.up_to(variable as u16, border, &beyond);
    Some(Piecewise { expression: parts.into_iter().rev().fold(last, join), error })
}

/// The indices of the points in each piece, with its upper border (infinite for the last).
fn pieces(points: &Points, variable: usize, borders: &[f64]) -> Vec<(Vec<usize>, f64)> {
    let column = &points.columns[variable];
    let lower = std::iter::once(f64::NEG_INFINITY).chain(borders.iter().copied());
    let upper = borders.iter().copied().chain([f64::INFINITY]);
    let within =
        |low: f64, high: f64| (0..column.len()).filter(|at| column[*at] > low && column[*at] <= high).collect();
    lower.zip(upper).map(|(low, high)| (within(low, high), high)).collect()
}

/// The mean relative error on held-out points for each number of pieces along a variable, as a fraction.
fn validated(points: &Points, variable: usize, seed: u64) -> Vec<f64> {
    let mut errors = vec![0.0; MOST_PIECES];
    let mut counts = vec![0; MOST_PIECES];
    let mut evaluator = Evaluator::default();
    for (fitted, left_out) in points.folds(FOLDS, seed) {
        let (fitted, left_out) = (points.chosen(&fitted), points.chosen(&left_out));
        let mut values = vec![0.0; left_out.len()];
        for (count, borders) in segmentations(&fitted, variable).into_iter().enumerate() {
            let Some(formula) = built(&fitted, variable, &borders, seed, 0) else { continue };
            evaluator.evaluate(&formula.expression, &left_out.columns, &mut values);
            // The error of a single point counts as at most 3, so that a point outside its piece does not decide.
            let pairs = values.iter().zip(&left_out.target);
            let sum: f64 =
                pairs.map(|(value, time)| (value / time - 1.0).abs()).map(|e| if e < 3.0 { e } else { 3.0 }).sum();
            errors[count] += sum;
            counts[count] += left_out.len();
        }
    }
    let complete = |(error, seen): (f64, usize)| if seen == points.len() { error / seen as f64 } else { f64::INFINITY };
    errors.into_iter().zip(counts).map(complete).collect()
}

/// The best borders along a variable for 1, 2, … pieces.
fn segmentations(points: &Points, variable: usize) -> Vec<Vec<f64>> {
    let column = &points.columns[variable];
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|a, b| column[*a].total_cmp(&column[*b]));
    let groups = groups(column, &order);
    let table = costs(points, &order, &groups);
    let count = groups.len() - 1;
    // best[m][j]: the least cost of m + 1 pieces over the first j groups, and the start of the last piece.
    let mut best = vec![vec![(f64::INFINITY, 0); count + 1]; MOST_PIECES];
    for (end, cost) in table[0].iter().enumerate() {
        best[0][end + 1] = (*cost, 0);
    }
    for more in 1..MOST_PIECES {
        for end in 1..=count {
            for start in 1..end {
                let cost = best[more - 1][start].0 + table[start][end - start - 1];
                if cost < best[more][end].0 {
                    best[more][end] = (cost, start);
                }
            }
        }
    }
    let mut all = Vec::new();
    for pieces in 0..MOST_PIECES {
        if !best[pieces][count].0.is_finite() {
            break;
        }
        let mut borders = Vec::new();
        let mut end = count;
        for more in (1..=pieces).rev() {
            end = best[more][end].1;
            borders.push(border(column[order[groups[end] - 1]], column[order[groups[end]]]));
        }
        borders.reverse();
        all.push(borders);
    }
    all
}

/// A border between two values: a power of two if there is one, since protocols switch there, else the lower value.
fn border(low: f64, high: f64) -> f64 {
    let power = high.log2().ceil().exp2() / 2.0;
    if low > 0.0 && power >= low && power < high { power } else { low }
}

/// The starts of the groups of points in the order: points with the same value stay together.
fn groups(column: &[f64], order: &[usize]) -> Vec<usize> {
    let mut starts: Vec<usize> =
        (0..order.len()).filter(|at| *at == 0 || column[order[*at]] != column[order[at - 1]]).collect();
    if starts.len() > MOST_VALUES {
        let all = starts.len();
        starts = (0..MOST_VALUES).map(|group| starts[group * all / MOST_VALUES]).collect();
    }
    starts.push(order.len());
    starts
}

/// The number of terms in the quick fit used for the costs.
const QUICK: usize = 5;

/// The total relative error of each interval of groups under a quick fit; infinite with too few points.
fn costs(points: &Points, order: &[usize], groups: &[usize]) -> Vec<Vec<f64>> {
    let mut evaluator = Evaluator::default();
    let mut columns = Vec::new();
    for term in quick_terms(points) {
        let mut values = vec![0.0; points.len()];
        evaluator.evaluate(&term, &points.columns, &mut values);
        // Divided by the time, columns fit the target 1, and differences are relative.
        let column: Vec<f64> = order.iter().map(|at| values[*at] / points.target[*at]).collect();
        columns.push(column);
    }
    let weights: Vec<f64> = order.iter().map(|at| points.weights[*at]).collect();
    let rows: Vec<[f64; QUICK]> = (0..order.len())
        .map(|at| std::array::from_fn(|term| columns.get(term).map_or(0.0, |column| column[at])))
        .collect();
    let count = groups.len() - 1;
    let interval = |start: usize, end: usize| {
        let range = groups[start]..groups[end + 1];
        // A constant needs one point; a sum of terms needs a few spare points.
        let terms = if range.len() >= columns.len() + 3 { columns.len() } else { 1 };
        if range.len() < 2 { f64::INFINITY } else { quick_cost(&rows[range.clone()], &weights[range], terms) }
    };
    (0..count).map(|start| (start..count).map(|end| interval(start, end)).collect()).collect()
}

fn quick_terms(points: &Points) -> Vec<Expression> {
    let rich = rich_terms(&positive(points));
    let wanted: &[usize] = if points.columns.len() == 1 { &[0, 1, 3] } else { &[0, 1, 2, 4, 7] };
    // With one variable 1, x and √x; with more 1, x, ln x, x·y and the second variable, or substitutes for them.
    wanted.iter().filter_map(|at| rich.get(*at).cloned()).take(QUICK).collect()
}

/// The sum of absolute relative differences after a least-squares fit and two reweightings.
fn quick_cost(rows: &[[f64; QUICK]], weights: &[f64], terms: usize) -> f64 {
    let mut factors = [0.0; QUICK];
    let mut cost = f64::INFINITY;
    for round in 0..3 {
        let mut matrix = [[0.0; QUICK]; QUICK];
        let mut right = [0.0; QUICK];
        for (row, weight) in rows.iter().zip(weights) {
            let value: f64 = row.iter().zip(&factors).map(|(column, factor)| column * factor).sum();
            let weight = if round == 0 { *weight } else { weight / (value - 1.0).abs().max(0.01) };
            for a in 0..terms {
                right[a] += weight * row[a];
                for b in 0..=a {
                    matrix[a][b] += weight * row[a] * row[b];
                }
            }
        }
        let Some(solved) = solve(&mut matrix, right, terms) else { break };
        factors = solved;
        let difference = |row: &[f64; QUICK]| row.iter().zip(&factors).map(|(c, f)| c * f).sum::<f64>() - 1.0;
        let sum = rows.iter().zip(weights).map(|(row, weight)| weight * difference(row).abs()).sum::<f64>();
        cost = if sum < cost { sum } else { cost };
    }
    cost
}

/// Solves by Cholesky factorisation with slight damping, for nearly equal columns.
#[allow(clippy::needless_range_loop, reason = "two rows of a matrix are indexed alike")]
fn solve(matrix: &mut [[f64; QUICK]; QUICK], mut right: [f64; QUICK], terms: usize) -> Option<[f64; QUICK]> {
    for row in 0..terms {
        matrix[row][row] *= 1.0 + 1e-10;
        for column in 0..=row {
            let mut rest = matrix[row][column];
            for at in 0..column {
                rest -= matrix[row][at] * matrix[column][at];
            }
            if row != column {
                matrix[row][column] = rest / matrix[column][column];
            } else if rest > 0.0 {
                matrix[row][row] = rest.sqrt();
            } else {
                return None;
            }
        }
    }
    for row in 0..terms {
        for at in 0..row {
            right[row] -= matrix[row][at] * right[at];
        }
        right[row] /= matrix[row][row];
    }
    for row in (0..terms).rev() {
        for at in row + 1..terms {
            right[row] -= matrix[at][row] * right[at];
        }
        right[row] /= matrix[row][row];
    }
    Some(right)
}
