//! Why runs took so long, in a sentence below the tables: what most of their critical paths is spent on.

use super::contention::{conditions, percent};
use super::results::Results;

/// Up to this many points each has its part named, where the parts differ.
const MOST_POINTS: usize = 6;
/// The most parts that are named where there are more points; the rest is counted.
const MOST_PARTS: usize = 3;

/// What most of some runs' critical paths is spent on, or what else a run names with a number.
#[derive(Debug)]
pub(super) struct Most {
    pub(super) what: String,
    /// The number of runs that name it.
    pub(super) runs: usize,
    /// The least and the greatest share of a path, or other number.
    pub(super) shares: (f64, f64),
}

/// What most of the time is spent on: the same in all runs, or for each point, or the most frequent ones. Nothing where
/// paths were not followed.
#[must_use]
pub fn sentence(results: &Results<'_>) -> Option<String> {
    let columns = [results.column("path_most")?, results.column("path_most_share")?];
    let all = most(results, columns, 0..results.rows().len());
    match all.as_slice() {
        [] => None,
        [only] => Some(format!("{} of the time is {}.", percent(only.shares), only.what)),
        several => Some(of_points(results, columns).map_or_else(
            || most_frequent(several),
            |points| {
                let of_point = |(point, Most { what, shares, .. }): &(usize, Most)| {
                    format!("with {}, {} is {what}", conditions(results, *point), percent(*shares))
                };
                format!("Of the time, {}.", points.iter().map(of_point).collect::<Vec<_>>().join("; "))
            },
        )),
    }
}

/// What the runs of each point name, where there are few points and all runs of a point name the same.
pub(super) fn of_points(results: &Results<'_>, columns: [usize; 2]) -> Option<Vec<(usize, Most)>> {
    let mut points = Vec::new();
    for point in 0..results.scenario().points.len() {
        let mut named = most(results, columns, results.rows_of(point));
        match (named.pop(), named.is_empty()) {
            (Some(only), true) if points.len() < MOST_POINTS => points.push((point, only)),
            (None, _) => {}
            _ => return None,
        }
    }
    Some(points)
}

/// What these runs name in a column, with a number in another, the most frequent first.
pub(super) fn most(results: &Results<'_>, [what, share]: [usize; 2], rows: impl Iterator<Item = usize>) -> Vec<Most> {
    let mut parts: Vec<Most> = Vec::new();
    for row in rows {
        let Some(share) = results.number(row, share) else { continue };
        let what = results.cell(row, what).to_string();
        match parts.iter_mut().find(|known| known.what == what) {
            Some(known) => {
                known.runs += 1;
                known.shares = (known.shares.0.min(share), known.shares.1.max(share));
            }
            None => parts.push(Most { what, runs: 1, shares: (share, share) }),
        }
    }
    parts.sort_by_key(|part| std::cmp::Reverse(part.runs));
    parts
}

/// The most frequent of several parts, and how many others there are.
fn most_frequent(parts: &[Most]) -> String {
    let runs: usize = parts.iter().map(|part| part.runs).sum();
    let named = |part: &Most| format!("{} in {} of {runs} runs, {} of it", part.what, part.runs, percent(part.shares));
    let named: Vec<String> = parts.iter().take(MOST_PARTS).map(named).collect();
    let others = match parts.len().saturating_sub(MOST_PARTS) {
        0 => String::new(),
        1 => "; and something else".to_owned(),
        others => format!("; and {others} others"),
    };
    format!("Most of the time is {}{others}.", named.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Reported as _;
    use crate::scenario::{Scenario, Source};

    /// The sentence for a broadcast from one site to another: a message of 10 kB takes 10 ms and 0.1 ms, one of 1 MB
    /// 10 ms each.
    fn of(sweep: &str) -> Option<String> {
        let text = format!(
            "version = 1\n[platform.cluster.orsay]\nnodes = 1\nnetwork = {{ model = 'ideal' }}\n\
             [platform.cluster.sophia]\nnodes = 1\nnetwork = {{ model = 'ideal' }}\n\
             [[platform.link]]\nbetween = ['orsay', 'sophia']\n\
             network = {{ model = 'hockney', latency = '10ms', bandwidth = '100MB/s' }}\n\
             [workload]\nkind = 'broadcast'\nalgorithm = 'linear'\nsize = '10kB'\n[output]\ntables = ['path']\n{sweep}\n"
        );
        let source = Source { name: "test".to_owned(), folder: ".".into(), text: text.into() };
        let scenario = Scenario::read("test".to_owned(), source, &[]).unwrap_or_else(|problems| panic!("{problems}"));
        let records = (0..scenario.points.len()).map(|point| (point, 0, scenario.run(point, 0).unwrap()));
        sentence(&Results::new(&scenario, records.collect::<Vec<_>>()))
    }

    #[test]
    fn one_cause_is_told_once() {
        assert_eq!(of("").unwrap(), "99 % of the time is latency between orsay and sophia.");
        let both = of("[sweep]\n'workload.size' = ['0B', '10kB']").unwrap();
        assert_eq!(both, "99 to 100 % of the time is latency between orsay and sophia.");
    }

    #[test]
    fn different_causes_are_told_for_their_points() {
        let expected = "Of the time, with size 10\u{a0}KiB, 99 % is latency between orsay and sophia; \
                        with size 9\u{a0}MiB, 90 % is transmission between orsay and sophia.";
        assert_eq!(of("[sweep]\n'workload.size' = ['10KiB', '9MiB']").unwrap(), expected);
    }

    #[test]
    fn many_causes_are_counted() {
        let many = of("[sweep]\n'workload.size' = ['0B', '1B', '10B', '1kB', '10kB', '9MB', '99MB']").unwrap();
        let expected = "Most of the time is latency between orsay and sophia in 5 of 7 runs, 99 to 100 % of it; \
                        transmission between orsay and sophia in 2 of 7 runs, 90 to 99 % of it.";
        assert_eq!(many, expected);
    }
}
