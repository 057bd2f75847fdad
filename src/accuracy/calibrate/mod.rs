//! Calibration: the values of a platform's keys that explain measured times best.
//!
//! The search is a pure function of the keys, the measurements, the seed, and what is predicted; it does not know what
//! a prediction is. CMA-ES finds the region from anywhere between the bounds, a pattern search with Levenberg and
//! Marquardt's steps finds the minimum in it, and a walk from there along each key finds its range. Predictions of
//! one generation, neighbourhood or round of walks are computed at once, on all cores.

mod certainty;
mod evaluations;
mod fixed;
mod key;
mod loss;
mod quadratic;
mod search;
mod simulated;
#[cfg(test)]
mod tests;

use search::Search;

pub use certainty::{CORRELATION, KeyCertainty, RISE, TradeOff};
pub use evaluations::{Evaluations, Predict, Save};
pub use key::{Key, REACH, replaced};
pub use loss::{Measured, percent};
pub use simulated::Simulated;

/// Why there is no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Halt {
    /// It was interrupted.
    Interrupted,
    /// A sentence that says what failed.
    Failed(String),
}

/// What a calibration is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// It seeks the region of the minimum.
    Globally,
    /// It seeks the minimum.
    Locally,
    /// It seeks the range of each key.
    Ranges,
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// The value of each key, in its base unit, in few digits.
    pub values: Vec<f64>,
    /// The range of each key; a fixed one has none.
    pub ranges: Vec<KeyCertainty>,
    /// Keys that ran to a bound, and were taken out of the fit.
    pub fixed: Vec<FixedKey>,
    /// Keys of which the data determine only some combination.
    pub trade_offs: Vec<TradeOff>,
    /// The typical deviation of these values, and of the file's: the logarithm of a ratio.
    pub error: f64,
    /// The same of the file's values.
    pub first_error: f64,
    /// How many vectors of values were tried.
    pub evaluations: usize,
}

/// A key that ran to a bound of its search, and was taken out of the fit: it is not free to vary any more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FixedKey {
    /// Its number.
    pub key: usize,
    /// The bound.
    pub bound: f64,
    /// The value that it has: the file's, or the bound if the points are explained worse with the file's.
    pub value: f64,
}

/// How often the search goes on from a better place that was met on the way along a key.
const RETURNS: u32 = 2;

/// Finds the values that explain the measurements best. `progress` hears of the stage, the share of it that is done at
/// most, and the least typical deviation so far. `seed` is that of the evolution strategy, which looks within all
/// bounds first; without one the search stays near the file's values.
///
/// # Errors
/// It was interrupted, the file of the evaluations can't be written, or the file's own values predict nothing.
pub fn calibrate(
    keys: &[Key],
    measured: &Measured,
    evaluations: &mut Evaluations<'_>,
    seed: Option<u64>,
    progress: &mut dyn FnMut(Stage, f64, f64),
) -> Result<Calibration, Halt> {
    let mut search =
        Search { keys, free: (0..keys.len()).collect(), fixed: Vec::new(), measured, evaluations, progress };
    let start: Vec<f64> = keys.iter().map(|key| key.share(key.start)).collect();
    let first = search.losses(std::slice::from_ref(&start))?[0];
    if !first.is_finite() {
        let message = "the platform's own values give no time for some of the points".to_owned();
        return Err(Halt::Failed(message));
    }
    let mut found = search.least(seed)?;
    found = search.fixed(found)?;
    let mut certainty = search.certainty(&found)?;
    for _ in 0..RETURNS {
        let Some(better) = certainty.better.take().filter(|better| better.loss < 0.999 * found.loss) else { break };
        found = search.locally(better)?;
        found = search.fixed(found)?;
        certainty = search.certainty(&found)?;
    }
    let trade_offs = search.trade_offs(&found)?;
    let rounded: Vec<f64> = keys.iter().zip(search.values(&found.at)).map(|(key, value)| key.rounded(value)).collect();
    let predicted = search.evaluations.of(std::slice::from_ref(&rounded))?;
    let error = loss::typical(measured.loss(&predicted[0]));
    let mut ranges = vec![KeyCertainty { low: None, high: None }; keys.len()];
    search.free.iter().zip(certainty.ranges).for_each(|(&key, range)| ranges[key] = range);
    Ok(Calibration {
        values: rounded,
        ranges,
        fixed: search.fixed,
        trade_offs,
        error,
        first_error: loss::typical(first),
        evaluations: search.evaluations.count(),
    })
}
