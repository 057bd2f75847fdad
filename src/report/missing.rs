//! Which runs have no results, in words: means are of the others.

use super::results::Results;

/// The maximum number of points named; the rest is counted.
const MOST_POINTS: usize = 3;

/// A point that is missing runs.
struct MissingPoint {
    number: usize,
    missing: usize,
    /// The number of its runs that are there.
    there: usize,
}

/// What a reader must know of points that are missing some of their runs or, where runs failed, all; nothing if no run
/// is missing.
#[must_use]
pub fn sentences(results: &Results<'_>) -> Vec<String> {
    let of_points = results.missing().chunk_by(|a, b| a.0 == b.0);
    let point = |runs: &[(usize, u32)]| {
        let number = runs[0].0;
        MissingPoint { number, missing: runs.len(), there: results.rows_of(number).len() }
    };
    let (some, all): (Vec<MissingPoint>, Vec<MissingPoint>) = of_points.map(point).partition(|point| point.there > 0);
    // A point without any run shows no mean: what is left to compute is no news.
    let all = if results.have_failed() { all } else { Vec::new() };
    [of_some(results, &some), of_all(results, &all)].into_iter().flatten().collect()
}

/// The points some of whose runs are missing.
fn of_some(results: &Results<'_>, points: &[MissingPoint]) -> Option<String> {
    let what = if results.have_failed() { "failed" } else { "are missing" };
    let of_total = |point: &MissingPoint| format!("{} of {}", point.missing, point.missing + point.there);
    match points {
        [] => None,
        [point] => {
            let runs = format!("{} runs {what}", of_total(point));
            Some(format!("{}: means are of the others.", at(runs, &place(results, point))))
        }
        points => {
            let one = |point: &MissingPoint| at(of_total(point), &place(results, point));
            Some(format!("Runs {what} at {} points: {}. Means are of the others.", points.len(), named(points, one)))
        }
    }
}

/// The points all of whose runs failed.
fn of_all(results: &Results<'_>, points: &[MissingPoint]) -> Option<String> {
    match points {
        [] => None,
        [point] => Some(format!("{}.", at("All runs failed".to_owned(), &place(results, point)))),
        points => {
            let named = named(points, |point| place(results, point));
            Some(format!("All runs failed at {} points: {named}.", points.len()))
        }
    }
}

/// The first points in words, and the number of the others.
fn named(points: &[MissingPoint], one: impl Fn(&MissingPoint) -> String) -> String {
    let mut named: Vec<String> = points.iter().take(MOST_POINTS).map(one).collect();
    if points.len() > MOST_POINTS {
        named.push(format!("and at {} more", points.len() - MOST_POINTS));
    }
    named.join("; ")
}

/// The values of a point's swept keys; empty for the only point.
fn place(results: &Results<'_>, point: &MissingPoint) -> String {
    results.scenario().place(point.number, &[])
}

fn at(text: String, place: &str) -> String {
    if place.is_empty() { text } else { format!("{text} at {place}") }
}
