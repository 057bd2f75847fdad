//! What is to be said of runs that hardly went as they were meant to.

use super::results::Results;
use crate::record::Metric;

/// A sentence for each metric that raises a doubt where it is above zero, with the number of such runs, and one about the
/// error of times on a platform that was calibrated.
#[must_use]
pub fn sentences(results: &Results<'_>) -> Vec<String> {
    let sentence = |metric: &&Metric| {
        let (doubt, column) = (metric.doubt?, results.column(metric.name)?);
        let runs = results.rows().len();
        let doubtful = (0..runs).filter(|&row| results.number(row, column) > Some(0.0)).count();
        (doubtful > 0).then(|| format!("In {doubtful} of {runs} runs {doubt}."))
    };
    let error = results.scenario().calibration().map(|calibration| {
        format!("Simulated times are ±{:.1} %, {calibration}.", 100.0 * calibration.expected_error())
    });
    results.scenario().kind().metrics.iter().filter_map(sentence).chain(error).collect()
}
