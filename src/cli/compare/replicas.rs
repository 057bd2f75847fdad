//! Compares the replicas of two results folders metric by metric. Replicas with the same seed had the same draws and
//! are paired.

use std::collections::BTreeMap;
use std::path::Path;

use super::super::{Failure, bad_input};
use super::points::ComparedPoints;
use crate::input::Input;
use crate::record::Direction;
use crate::report::compare::{Compared, correct};
use crate::statistics::Confidence;
use crate::statistics::compare::{Comparison, independent, paired};

/// A `results.csv`: the names of its columns, and the runs of each point.
struct Runs {
    keys: Vec<String>,
    metrics: Vec<String>,
    points: ComparedPoints<Vec<ComparedRun>>,
}

/// A run.
struct ComparedRun {
    replica: u64,
    seed: u64,
    metrics: Vec<Option<f64>>,
}

/// The metrics that differ at common points with replicas in both folders, metric by metric. `None` if a folder has no
/// `results.csv`.
pub(super) fn compare(first: &Path, second: &Path, keys: usize) -> Result<Vec<Compared>, Failure> {
    let (Some(first), Some(second)) = (read(first, keys)?, read(second, keys)?) else { return Ok(Vec::new()) };
    let mut compared = Vec::new();
    for (own, metric) in first.metrics.iter().enumerate() {
        let Some(other) = second.metrics.iter().position(|theirs| theirs == metric) else { continue };
        let declared = crate::scenario::metric(metric).and_then(|metric| metric.direction);
        let direction = declared.unwrap_or(Direction::Neither);
        let at = |(point, runs): (&Vec<String>, &Vec<ComparedRun>)| {
            let comparison = of_point((second.points.get(point)?, other), (runs, own))?;
            let place = first.keys.iter().zip(point).map(|(key, value)| format!("{key} = {value}"));
            let place = place.collect::<Vec<_>>().join(", ");
            let (a, b) = ("the second".to_owned(), "the first".to_owned());
            Some(Compared { metric: metric.clone(), a, b, place, comparison, corrected: None, direction })
        };
        let mut of_metric: Vec<Compared> = first.points.iter().filter_map(at).collect();
        correct(&mut of_metric);
        compared.extend(of_metric);
    }
    Ok(compared)
}

/// Compares a metric of one point in both folders; `None` if it is equal, or if either has a single value.
fn of_point((a, in_a): (&[ComparedRun], usize), (b, in_b): (&[ComparedRun], usize)) -> Option<Comparison> {
    let values = |runs: &[ComparedRun], column: usize| -> Vec<f64> {
        runs.iter().filter_map(|run| run.metrics[column]).collect()
    };
    let (of_a, of_b) = (values(a, in_a), values(b, in_b));
    if of_a == of_b || of_a.len() < 2 || of_b.len() < 2 {
        return None;
    }
    let others: BTreeMap<(u64, u64), f64> =
        b.iter().filter_map(|run| Some(((run.seed, run.replica), run.metrics[in_b]?))).collect();
    let pair = |run: &ComparedRun| Some((run.metrics[in_a]?, *others.get(&(run.seed, run.replica))?));
    let pairs: Vec<(f64, f64)> = a.iter().filter_map(pair).collect();
    if pairs.is_empty() { independent(&of_a, &of_b, Confidence::P95) } else { paired(&pairs, Confidence::P95) }
}

fn read(folder: &Path, keys: usize) -> Result<Option<Runs>, Failure> {
    let path = folder.join("results.csv");
    if !path.exists() {
        return Ok(None);
    }
    let fault = |error: csv::Error| bad_input(format!("{} cannot be read: {error}", path.display()));
    let file = Input::open_own(&path).map_err(|error| bad_input(error.to_string()))?;
    let mut reader = csv::Reader::from_reader(file);
    let header: Vec<String> = reader.headers().map_err(fault)?.iter().map(str::to_owned).collect();
    // A run's name, the keys, replica and seed, and then the metrics.
    let [_, keys_and_metrics @ ..] = header.as_slice() else { return Ok(None) };
    if keys_and_metrics.get(keys).is_none_or(|name| name != "replica") {
        return Err(bad_input(format!("{} is not a table of hetsim: it has no column `replica`", path.display())));
    }
    let mut runs = Runs {
        keys: keys_and_metrics[..keys].to_vec(),
        metrics: keys_and_metrics.get(keys + 2..).unwrap_or_default().to_vec(),
        points: ComparedPoints::default(),
    };
    for record in reader.records() {
        let record = record.map_err(fault)?;
        let whole = |column: usize| record.get(column).and_then(|cell| cell.parse().ok()).unwrap_or_default();
        let point = record.iter().skip(1).take(keys).map(str::to_owned).collect();
        let metrics = record.iter().skip(keys + 3).map(|cell| cell.parse().ok()).collect();
        let run = ComparedRun { replica: whole(keys + 1), seed: whole(keys + 2), metrics };
        runs.points.entry(point).push(run);
    }
    Ok(Some(runs))
}
