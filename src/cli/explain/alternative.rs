//! What a named alternative is: an algorithm, a policy, a workload, a network model, a kind of chart.

use super::{Explanation, key, sentence};
use crate::cli::catalogue::catalogue;
use crate::scenario::{KeyForm, KeyTable, studies, workloads};

pub(super) fn explain(name: &str, tables: &[KeyTable], explanation: &mut Explanation) {
    for section in catalogue() {
        for entry in section.entries.iter().filter(|entry| entry.name == name) {
            explanation.part(name, &section.title.replace('\n', " "));
            explanation.say(&sentence(&entry.about));
            explanation.read(entry.page);
            // The catalogue and the schema take a form's name and description from the same place.
            let form = tables.iter().filter(|table| table.same_as.is_none()).find_map(|table| {
                let own = |form: &&KeyForm| form.name.as_deref() == Some(name) && same(&form.about, &entry.about);
                table.forms.iter().find(own).map(|form| (table, form))
            });
            if let Some((table, form)) = form {
                if !form.keys.is_empty() {
                    explanation.heading(&format!("Keys in `{}`", table.path));
                }
                for own in &form.keys {
                    key::line(own, explanation);
                }
                explanation.read(&table.page());
                metrics(name, &entry.about, explanation);
            }
        }
    }
}

/// The metrics of a workload or study.
fn metrics(name: &str, about: &str, explanation: &mut Explanation) {
    let kind = workloads().iter().chain(studies()).find(|kind| kind.name == name && kind.about == about);
    let Some(kind) = kind else { return };
    explanation.heading("Metrics of its own");
    let names: Vec<&str> = kind.own_metrics.iter().map(|metric| metric.name).collect();
    explanation.below(&names.join(", "));
}

/// Whether two descriptions are the same but for their lines.
fn same(a: &str, b: &str) -> bool {
    a.split_whitespace().eq(b.split_whitespace())
}
