//! What a metric is: its declaration, and what the page about metrics adds.

use std::collections::BTreeSet;

use super::page::passages;
use super::{Explanation, likely, sentence};
use crate::cli::meanings::{Meaning, in_words, meanings, properties};

pub(super) fn explain(name: &str, explanation: &mut Explanation) {
    let meanings: Vec<Meaning> = meanings().into_iter().filter(|meaning| meaning.metric.name == name).collect();
    // The page's tables name kinds of workloads, too.
    let passages = if meanings.is_empty() { Vec::new() } else { passages(name) };
    for Meaning { metric, kinds } in meanings {
        let what = properties(metric);
        explanation.part(
            name,
            &if what.is_empty() { "metric".to_owned() } else { format!("metric ({what})") },
            likely::of_metric(name),
        );
        explanation.say(&sentence(&metric.explained()));
        explanation.say(&format!("Of runs of {}.", in_words(&kinds)));
        explanation.read("metrics.md");
    }
    for passage in passages {
        explanation.heading(passage.section);
        for paragraph in &passage.paragraphs {
            explanation.below(paragraph);
        }
    }
}

/// The names of all metrics.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    meanings().into_iter().map(|meaning| meaning.metric.name).collect::<BTreeSet<_>>().into_iter()
}
