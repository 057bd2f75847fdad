//! The measured points of a calibration: those used, and those left out.

use super::super::arguments::Calibrate;
use super::super::measured::check_selections;
use super::super::{Failure, bad_input};
use crate::accuracy::calibrate::{Key, Simulated};
use crate::accuracy::{Machine, check_point, selected};
use crate::fit::read::collectives::Measurement;

/// The points of a calibration.
pub(super) struct CalibrationPoints<'a> {
    /// Those whose predictions are to come near.
    pub(super) used: Vec<&'a Measurement>,
    /// Those that only show how well others are predicted.
    pub(super) left_out: Vec<&'a Measurement>,
    /// What is to be said of the rest.
    pub(super) notes: Vec<String>,
}

/// What counts as much as any other: an algorithm of an operation.
pub(super) fn group(point: &Measurement) -> (&str, &str) {
    (&point.operation, &point.algorithm)
}

impl<'a> CalibrationPoints<'a> {
    /// Sorts points as the command line asks. Those that can't be simulated with the file's own values are not used.
    pub(super) fn sorted(
        measured: &'a [Measurement],
        arguments: &Calibrate,
        machine: &Machine,
        keys: &[Key],
    ) -> Result<Self, Failure> {
        let is_left_out = |point: &Measurement| arguments.leave_out.iter().any(|selection| selection.takes(point));
        let is_used = |point: &Measurement| selected(&arguments.used, point) && !is_left_out(point);
        check_selections(measured, [("--use", &arguments.used), ("--leave-out", &arguments.leave_out)])?;
        let (known, unknown): (Vec<_>, Vec<_>) = measured.iter().partition(|point| point.model.is_some());
        let mut faults = Vec::new();
        let is_short = |point: &&Measurement| {
            let checked = check_point(point, arguments.max_messages);
            checked.map_err(|fault| faults.push(format!("{}: {fault}", described(point)))).is_ok()
        };
        let known = known.into_iter().filter(is_short).collect::<Vec<_>>();
        let (asked, left_out): (Vec<_>, Vec<_>) = known.into_iter().partition(|point| is_used(point));
        let start: Vec<f64> = keys.iter().map(|key| key.start).collect();
        let predicted = Simulated::new(machine, keys, asked.iter().copied(), arguments.seed).explain(&start);
        let mut used = Vec::new();
        for (point, predicted) in asked.into_iter().zip(predicted) {
            match predicted {
                Ok(seconds) if seconds > 0.0 => used.push(point),
                Ok(_) => faults.push(format!("{}: it takes no time", described(point))),
                Err(fault) => faults.push(format!("{}: {fault}", described(point))),
            }
        }
        if used.is_empty() {
            let why = faults.first().map_or_else(String::new, |fault| format!("; {fault}"));
            return Err(bad_input(format!("there is no point to calibrate on that hetsim can simulate{why}")));
        }
        Ok(Self { notes: notes(&unknown, &faults), used, left_out })
    }
}

/// A point in words.
pub(super) fn described(point: &Measurement) -> String {
    format!("{} by {}, {} nodes, {} B", point.operation, point.algorithm, point.nodes, point.bytes)
}

/// What is not used, and why.
fn notes(unknown: &[&Measurement], faults: &[String]) -> Vec<String> {
    let mut notes = Vec::new();
    if !unknown.is_empty() {
        let mut names: Vec<&str> = unknown.iter().map(|point| point.algorithm.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let (count, shown) = (unknown.len(), names.len().min(3));
        let more = if names.len() > shown { format!(" and {} others", names.len() - shown) } else { String::new() };
        let (points, are) = if count == 1 { ("point", "is") } else { ("points", "are") };
        let names = names[..shown].join(", ");
        notes.push(format!("{count} {points} {are} by algorithms that hetsim does not have: {names}{more}"));
    }
    if let Some(first) = faults.first() {
        let points = if faults.len() == 1 { "point" } else { "points" };
        notes.push(format!("{} {points} can't be simulated on this platform: {first}", faults.len()));
    }
    notes
}
