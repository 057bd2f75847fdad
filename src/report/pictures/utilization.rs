//! `kind = "utilization"`: how much of each link, or of each node's cores, is in use over the course of one run.

use crate::cluster::Activity;
use crate::report::chart::{UsedRow, Utilization};
use crate::scenario::{Of, Traced, TracedLink};
use crate::units::Time;

/// How many equal parts the time of a run has in the picture.
const PARTS: usize = 200;
/// The most rows of a picture: the rest is counted.
const MOST_ROWS: usize = 40;

/// How much of each link, or of each node's cores, is in use, the most used first.
#[must_use]
pub fn utilization(traced: &Traced, of: Of, title: String, subtitle: Option<String>) -> Utilization {
    let (mut rows, what) = match of {
        Of::Links => (used_links(traced, PARTS), "links"),
        Of::Nodes => (used_nodes(traced), "nodes"),
    };
    let all = rows.len();
    rows.truncate(MOST_ROWS);
    let y_label = if all > MOST_ROWS {
        format!("the {MOST_ROWS} most used of {all} {what}")
    } else {
        format!("{what}, the most used first")
    };
    Utilization { title, subtitle, y_label, rows, end: traced.tick.seconds(traced.end) }
}

/// The use of the links that messages shared, in so many parts of the run, the most used first.
pub(super) fn used_links(traced: &Traced, parts: usize) -> Vec<UsedRow> {
    let row = |link: &TracedLink| {
        let shares = link.rates.iter().map(|&(since, rate)| (since, rate / link.capacity)).collect::<Vec<_>>();
        UsedRow { name: link.name.clone(), shares: means(&shares, traced.end, parts) }
    };
    most_used_first(traced.links.iter().map(row).collect())
}

/// The use of the nodes' cores: by computations, and by what messages take of the receiver's processor.
fn used_nodes(traced: &Traced) -> Vec<UsedRow> {
    // When the number of busy cores of each node changes, and by how much.
    let mut changes: Vec<Vec<(Time, i64)>> = vec![Vec::new(); traced.cluster_of.len()];
    for span in &traced.timeline.spans {
        if matches!(span.activity, Activity::Compute | Activity::Receive) && span.end > span.start {
            changes[span.at.index()].extend([(span.start, 1), (span.end, -1)]);
        }
    }
    let several = traced.clusters.len() > 1;
    let row = |(node, changes): (usize, &mut Vec<(Time, i64)>)| {
        changes.sort_unstable();
        let cores = f64::from(traced.cores[node]);
        let mut busy = 0;
        let shares: Vec<(Time, f64)> = changes
            .iter()
            .map(|&(at, change)| {
                busy += change;
                // Computations that share the cores may be more than these.
                (at, (busy as f64).min(cores) / cores)
            })
            .collect();
        let cluster = &traced.clusters[traced.cluster_of[node]];
        let name = if several { format!("{cluster} {node}") } else { node.to_string() };
        UsedRow { name, shares: means(&shares, traced.end, PARTS) }
    };
    most_used_first(changes.iter_mut().enumerate().map(row).collect())
}

fn most_used_first(mut rows: Vec<UsedRow>) -> Vec<UsedRow> {
    // Equal uses may differ in their last digits.
    rows.sort_by_cached_key(|row| std::cmp::Reverse((row.mean() * 1e9).round() as i64));
    rows
}

/// The means, in equal parts of the time until `end`, of a value that is zero at first and then has each of these from an
/// instant on until the next: its integral over the part, over the length of the part.
fn means(steps: &[(Time, f64)], end: Time, parts: usize) -> Vec<f64> {
    let length = end.as_f64() / parts as f64;
    let mut means = vec![0.0; parts];
    for (place, &(start, value)) in steps.iter().enumerate() {
        let stop = steps.get(place + 1).map_or(end, |&(next, _)| next.min(end));
        if value == 0.0 || stop <= start {
            continue;
        }
        let (start, stop) = (start.as_f64() / length, stop.as_f64() / length);
        for (part, mean) in means.iter_mut().enumerate().skip(start as usize) {
            let part = part as f64;
            if part >= stop {
                break;
            }
            *mean += value * (stop.min(part + 1.0) - start.max(part)).max(0.0);
        }
    }
    means
}

#[cfg(test)]
mod tests;
