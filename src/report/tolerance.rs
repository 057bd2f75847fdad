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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Reported as _;
    use crate::scenario::{Scenario, Source};

    /// The sentence for a message: 10 ms and 10 ms a megabyte.
    fn of(sweep: &str) -> Option<String> {
        let text = format!(
            "version = 1\n[platform.cluster.lab]\nnodes = 2\n\
             network = {{ model = 'hockney', latency = '10ms', bandwidth = '100MB/s' }}\n[workload]\nkind = 'broadcast'\n\
             algorithm = 'linear'\nsize = '1MB'\n[output]\ntables = ['tolerance']\n{sweep}\n"
        );
        let source = Source { name: "test".to_owned(), folder: ".".into(), text: text.into() };
        let scenario = Scenario::read("test".to_owned(), source, &[]).unwrap_or_else(|problems| panic!("{problems}"));
        let records = (0..scenario.points.len()).map(|point| (point, 0, scenario.run(point, 0).unwrap()));
        sentence(&Results::new(&scenario, records.collect::<Vec<_>>()))
    }

    #[test]
    fn parts_are_named_for_their_points() {
        let key = "platform.cluster.lab.network";
        let expected = format!("Least tolerated before a run is 1 % longer: {key}.latency (1.0 % worse).");
        assert_eq!(of("[sweep]\n'workload.size' = ['0B', '1kB']").unwrap(), expected);
        let expected = format!(
            "Least tolerated before a run is 1 % longer: with size 1\u{a0}KiB, {key}.latency (1.0 % worse); with size 9\u{a0}MiB, \
             {key}.bandwidth (1.1 % worse)."
        );
        assert_eq!(of("[sweep]\n'workload.size' = ['1KiB', '9MiB']").unwrap(), expected);
    }

    #[test]
    fn factors_in_words() {
        assert_eq!([(1.017, 1.25), (1.5, 1.5), (1.0, 1.0)].map(percent), ["1.7 to 25 %", "50 %", "a little"]);
    }
}
