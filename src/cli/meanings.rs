//! The metrics that runs can have, each once, with the kinds of workloads and studies whose runs have it.

use crate::record::{Direction, Metric, MetricKind};
use crate::scenario::{Kind, studies, workloads};

/// A metric with the kinds that have it. A name that kinds describe differently has several meanings.
pub(super) struct Meaning {
    pub(super) metric: &'static Metric,
    pub(super) kinds: Vec<&'static Kind>,
}

/// All metrics, in the order of the kinds.
pub(super) fn meanings() -> Vec<Meaning> {
    let mut meanings: Vec<Meaning> = Vec::new();
    for kind in workloads().iter().chain(studies()) {
        for metric in kind.metrics.iter().copied() {
            match meanings.iter_mut().find(|other| other.metric == metric) {
                Some(meaning) => meaning.kinds.push(kind),
                None => meanings.push(Meaning { metric, kinds: vec![kind] }),
            }
        }
    }
    meanings
}

/// Kinds of workloads and studies in words.
pub(super) fn in_words(kinds: &[&Kind]) -> String {
    let is_study = |kind: &&&Kind| studies().iter().any(|study| std::ptr::eq(study, **kind));
    let (of_studies, others): (Vec<&&Kind>, Vec<&&Kind>) = kinds.iter().partition(is_study);
    let mut words: Vec<String> = match others.len() {
        all if all == workloads().len() => vec!["every workload".to_owned()],
        _ => others.iter().map(|kind| format!("`{}`", kind.name)).collect(),
    };
    words.extend(of_studies.iter().map(|kind| format!("the study `{}`", kind.name)));
    words.join(", ")
}

/// The unit of a metric, its better direction, and whether this computer's clock measures it; may be empty.
pub(super) fn properties(metric: &Metric) -> String {
    let clock = (metric.kind == MetricKind::Timing).then_some("wall-clock time");
    let kind = if metric.is_name() { Some("a name") } else { metric.unit() };
    let direction = metric.direction.and_then(Direction::words);
    [kind, direction, clock].into_iter().flatten().collect::<Vec<_>>().join(", ")
}
