//! What runs tolerate least, in a sentence below the tables.

use super::contention::conditions;
use super::critical::{Most, most, of_points};
use super::results::Results;

/// The most parts that are named.
const MOST_PARTS: usize = 3;

/// The parts of the machine by which runs are 1 % longer soonest, the most frequent first. Nothing where tolerances were
/// not searched for.
#[must_use]
pub(super) fn sentence(results: &Results<'_>) -> Option<String> {
    let columns = [results.column("least_tolerant")?, results.column("least_tolerance")?];
    let all = most(results, columns, 0..results.rows().len());
    let runs: usize = all.iter().map(|part| part.runs).sum();
    let named = |Most { what, runs: own, shares }: &Most| {
        let of = if *own == runs { String::new() } else { format!(" in {own} of {runs} runs") };
        format!("{what}{of} ({} worse)", percent(*shares))
    };
    let of_point = |(point, Most { what, shares, .. }): &(usize, Most)| {
        format!("with {}, {what} ({} worse)", conditions(results, *point), percent(*shares))
    };
    let named: Vec<String> = match (all.as_slice(), of_points(results, columns)) {
        ([], _) => return None,
        ([_, _, ..], Some(points)) => points.iter().map(of_point).collect(),
        (parts, _) => parts.iter().take(MOST_PARTS).map(named).collect(),
    };
    let others = if named.len() < all.len() { "; and others" } else { "" };
    Some(format!("Least tolerated before a run is 1 % longer: {}{others}.", named.join("; ")))
}

/// By how many percent factors exceed 1, with two digits: `1.7 %`, or `1.7 to 25 %`.
fn percent((least, most): (f64, f64)) -> String {
    let percent = |factor: f64| {
        let percent = 100.0 * (factor - 1.0);
        if percent < 9.95 { format!("{percent:.1}") } else { format!("{percent:.0}") }
    };
    match (percent(least), percent(most)) {
        (_, most) if most == "0.0" => "a little".to_owned(),
        (least, most) if least == most => format!("{most} %"),
        (least, most) => format!("{least} to {most} %"),
    }
}
