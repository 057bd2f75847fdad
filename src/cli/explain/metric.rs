//! What a metric is: its declaration, and what the page about metrics adds.

use std::collections::BTreeSet;

use super::page::passages;
use super::{Explanation, sentence};
use crate::cli::list::properties;
use crate::record::Metric;
use crate::scenario::{Kind, studies, workloads};

pub(super) fn explain(name: &str, explanation: &mut Explanation) {
    let meanings = meanings(name);
    // The page's tables name kinds of workloads, too.
    let passages = if meanings.is_empty() { Vec::new() } else { passages(name) };
    for (meaning, kinds) in meanings {
        let what = properties(meaning);
        explanation.part(name, &if what.is_empty() { "metric".to_owned() } else { format!("metric ({what})") });
        explanation.say(&sentence(&meaning.explained()));
        explanation.say(&format!("Of runs of {}.", kinds_in_words(&kinds)));
        explanation.read("metrics.md");
    }
    for passage in passages {
        explanation.heading(passage.section);
        for paragraph in &passage.paragraphs {
            explanation.below(paragraph);
        }
    }
}

/// The metrics of a name that are described differently, each with the kinds of workloads and studies that have it.
fn meanings(name: &str) -> Vec<(&'static Metric, Vec<&'static Kind>)> {
    let mut meanings: Vec<(&'static Metric, Vec<&'static Kind>)> = Vec::new();
    for kind in workloads().iter().chain(studies()) {
        for metric in kind.metrics.iter().copied().filter(|metric| metric.name == name) {
            match meanings.iter_mut().find(|(other, _)| *other == metric) {
                Some((_, kinds)) => kinds.push(kind),
                None => meanings.push((metric, vec![kind])),
            }
        }
    }
    meanings
}

/// Kinds of workloads and studies in words.
fn kinds_in_words(kinds: &[&Kind]) -> String {
    if kinds.len() == workloads().len() {
        return "every workload".to_owned();
    }
    let word = |kind: &&Kind| {
        let is_study = studies().iter().any(|study| std::ptr::eq(study, *kind));
        format!("{}`{}`", if is_study { "the study " } else { "" }, kind.name)
    };
    kinds.iter().map(word).collect::<Vec<_>>().join(", ")
}

/// The names of all metrics.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let metrics = workloads().iter().chain(studies()).flat_map(|kind| &kind.metrics);
    metrics.map(|metric| metric.name).collect::<BTreeSet<_>>().into_iter()
}
