//! The link that messages contended for most, in a sentence below the tables.

use super::results::Results;
use super::text::axis_text;
use crate::scenario::Axis;

/// Up to this many points each has its link named, where the links differ.
const MOST_POINTS: usize = 6;
/// The most links that are named where there are more points; the rest is counted.
const MOST_LINKS: usize = 3;

/// A link that was the most used one of some runs.
#[derive(Debug)]
struct Contended {
    name: String,
    runs: usize,
    /// The least and the greatest share of its bandwidth in use over one of these runs.
    shares: (f64, f64),
    /// The least and the greatest number of links that were used as much in one of these runs, itself included.
    equal: (f64, f64),
}

impl Contended {
    /// The link, and how many others were used as much.
    fn called(&self) -> String {
        let Self { name, equal: (least, most), .. } = self;
        match (least, most) {
            (_, most) if *most <= 1.0 => name.clone(),
            (least, most) if least == most => format!("{name} (one of {most} equal ones)"),
            _ => format!("{name} (one of {least} to {most} equal ones)"),
        }
    }
}

/// Which link was used most: the same in all runs, or for each point, or the most frequent ones. Nothing where messages
/// share no links.
#[must_use]
pub fn sentence(results: &Results<'_>) -> Option<String> {
    let column = |name: &str| results.column(name);
    let columns = [column("most_used_link")?, column("most_used_link_share")?, column("most_used_links")?];
    let all = contended(results, columns, 0..results.rows().len());
    let points: Vec<(usize, Vec<Contended>)> = (0..results.scenario().points.len())
        .map(|point| (point, contended(results, columns, results.rows_of(point))))
        .filter(|(_, links)| !links.is_empty())
        .collect();
    let is_one_each = points.iter().all(|(_, links)| links.len() == 1);
    match all.as_slice() {
        [] => None,
        [only] => Some(format!("Most contended link: {}, {} used.", only.called(), percent(only.shares))),
        _ if points.len() <= MOST_POINTS && is_one_each => {
            let of_point = |(point, links): &(usize, Vec<Contended>)| {
                let link = &links[0];
                format!("{}: {}, {} used", conditions(results, *point), link.called(), percent(link.shares))
            };
            let sentences: Vec<String> = points.iter().map(of_point).collect();
            Some(format!("Most contended link with {}.", sentences.join("; with ")))
        }
        several => Some(most_frequent(several)),
    }
}

/// The links that were the most used ones of these runs, the most frequent first.
fn contended(
    results: &Results<'_>,
    [link, share, equal]: [usize; 3],
    rows: impl Iterator<Item = usize>,
) -> Vec<Contended> {
    let mut links: Vec<Contended> = Vec::new();
    for row in rows {
        let Some(share) = results.number(row, share) else { continue };
        let name = results.cell(row, link).to_string();
        let equal = results.number(row, equal).unwrap_or(1.0);
        match links.iter_mut().find(|known| known.name == name) {
            Some(known) => {
                known.runs += 1;
                known.shares = (known.shares.0.min(share), known.shares.1.max(share));
                known.equal = (known.equal.0.min(equal), known.equal.1.max(equal));
            }
            None => links.push(Contended { name, runs: 1, shares: (share, share), equal: (equal, equal) }),
        }
    }
    links.sort_by_key(|link| std::cmp::Reverse(link.runs));
    links
}

/// The most frequent of several links, and how many others there are.
fn most_frequent(links: &[Contended]) -> String {
    let runs: usize = links.iter().map(|link| link.runs).sum();
    let named =
        |link: &Contended| format!("{} in {} of {runs} runs, {} used", link.called(), link.runs, percent(link.shares));
    let named: Vec<String> = links.iter().take(MOST_LINKS).map(named).collect();
    let others = match links.len().saturating_sub(MOST_LINKS) {
        0 => String::new(),
        1 => "; and another one".to_owned(),
        others => format!("; and {others} others"),
    };
    format!("Most contended links: {}{others}.", named.join("; "))
}

/// The values of the swept keys at a point that tell it from others.
pub(super) fn conditions(results: &Results<'_>, point: usize) -> String {
    let told = results.scenario().values(point).filter(|(axis, _)| axis.values.len() > 1);
    let value = |(axis, value): (&Axis, _)| format!("{} {}", axis.name, axis_text(axis.format.as_deref(), value));
    told.map(value).collect::<Vec<_>>().join(", ")
}

/// Shares of a bandwidth in whole percent: `98 %`, or `40 to 98 %`.
pub(super) fn percent((least, most): (f64, f64)) -> String {
    let (least, most) = ((100.0 * least).round(), (100.0 * most).round());
    match (least, most) {
        (_, most) if most < 1.0 => "less than 1 %".to_owned(),
        (least, most) if least == most => format!("{most} %"),
        _ => format!("{least} to {most} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Reported as _;
    use crate::scenario::{Scenario, Source};

    /// The sentence for a star of eight nodes, one of which has 1 MB for each other one: 10 ms each after 100 µs, so
    /// its link up is full for 70 of 70.1 ms.
    fn of(network: &str, sweep: &str) -> Option<String> {
        let text = format!(
            "version = 1\n[platform.cluster.lab]\nnodes = 8\n\
             network = {{ model = '{network}', latency = '100us', bandwidth = '100MB/s' }}\n\
             [workload]\nkind = 'broadcast'\nalgorithm = 'linear'\nsize = '1MB'\n[sweep]\n{sweep}\n"
        );
        let source = Source { name: "test".to_owned(), folder: ".".into(), text: text.into() };
        let scenario = Scenario::read("test".to_owned(), source, &[]).unwrap_or_else(|problems| panic!("{problems}"));
        let records = (0..scenario.points.len()).map(|point| (point, 0, scenario.run(point, 0).unwrap()));
        sentence(&Results::new(&scenario, records.collect::<Vec<_>>()))
    }

    #[test]
    fn one_link_is_named_once() {
        // Of 7.1 ms it is full for 7 with a tenth of the message.
        let both = of("fair", "'workload.size' = ['100kB', '1MB']").unwrap();
        assert_eq!(both, "Most contended link: lab node 0 up, 99 to 100 % used.");
    }

    #[test]
    fn equal_links_are_counted() {
        let text = "version = 1\n[platform.cluster.lab]\nnodes = 8\n\
             network = { model = 'fair', latency = '100us', bandwidth = '100MB/s' }\n\
             [workload]\nkind = 'traffic'\npattern = { kind = 'ring' }\nsize = '1MB'\n";
        let source = Source { name: "test".to_owned(), folder: ".".into(), text: text.into() };
        let scenario = Scenario::read("test".to_owned(), source, &[]).unwrap_or_else(|problems| panic!("{problems}"));
        let results = Results::new(&scenario, [(0, 0, scenario.run(0, 0).unwrap())]);
        let all = sentence(&results).unwrap();
        assert!(all.contains(" (one of 16 equal ones), "), "{all}");
    }

    #[test]
    fn different_links_are_named_for_their_points() {
        let both = of("fair", "'workload.root' = [0, 3]\n'workload.size' = ['10kB']").unwrap();
        let expected =
            "Most contended link with root 0: lab node 0 up, 88 % used; with root 3: lab node 3 up, 88 % used.";
        assert_eq!(both, expected);
    }

    #[test]
    fn many_links_are_counted() {
        let many = of("fair", "'workload.root' = [0, 1, 2, 3]\n'workload.size' = ['10kB', '100kB']").unwrap();
        let each = |node: u32| format!("lab node {node} up in 2 of 8 runs, 88 to 99 % used");
        let expected = format!("Most contended links: {}; {}; {}; and another one.", each(0), each(1), each(2));
        assert_eq!(many, expected);
    }

    #[test]
    fn links_that_nothing_shares_are_not_named() {
        assert_eq!(of("hockney", "'workload.root' = [0, 3]"), None);
    }
}
