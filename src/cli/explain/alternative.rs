//! What a named alternative is: an algorithm, a policy, a workload, a network model, a kind of chart.

use super::{Explanation, key, likely};
use crate::cli::catalogue::{Section, catalogue};
use crate::scenario::{KeyForm, KeyTable, studies, workloads};

pub(super) fn explain(name: &str, tables: &[KeyTable], explanation: &mut Explanation) {
    for section in catalogue() {
        for entry in section.entries.iter().filter(|entry| entry.name == name) {
            let title = section.title.replace('\n', " ");
            explanation.part(name, &title, likely::of_value(name, title.contains("tables")));
            explanation.describe(&entry.about);
            explanation.read(entry.page);
            if let Some((table, form)) = form_of(name, &section, &entry.about, tables) {
                keys(table, form, explanation);
                metrics(name, &entry.about, explanation);
            }
        }
    }
    for (table, form) in forms(name, tables) {
        if let Some(choice) = table.choice.as_ref().filter(|_| !explanation.has_said(&form.about)) {
            explanation.part(name, &format!("a value of `{}`", table.dotted(choice)), 0);
            explanation.describe(&form.about);
            keys(table, form, explanation);
        }
    }
}

/// The form that a section of the catalogue has. The catalogue and the schema take its name and description from the
/// same place; of several such forms the one is meant whose key the section's title names.
fn form_of<'a>(
    name: &str,
    section: &Section,
    about: &str,
    tables: &'a [KeyTable],
) -> Option<(&'a KeyTable, &'a KeyForm)> {
    let alike: Vec<_> = forms(name, tables).filter(|(_, form)| same(&form.about, about)).collect();
    let is_named = |(table, _): &&(&KeyTable, &KeyForm)| {
        let own = table.path.rsplit('.').next().unwrap_or_default();
        table.choice.as_ref().is_some_and(|choice| section.title.contains(&format!("{own}.{choice}")))
    };
    alike.iter().find(is_named).or(alike.first()).copied()
}

/// The forms of tables that a name chooses.
fn forms<'a>(name: &str, tables: &'a [KeyTable]) -> impl Iterator<Item = (&'a KeyTable, &'a KeyForm)> {
    let described = tables.iter().filter(|table| table.same_as.is_none());
    let forms = described.flat_map(|table| table.forms.iter().map(move |form| (table, form)));
    forms.filter(move |(_, form)| form.name.as_deref() == Some(name))
}

/// The keys of a form.
fn keys(table: &KeyTable, form: &KeyForm, explanation: &mut Explanation) {
    if !form.keys.is_empty() {
        explanation.heading(&format!("Keys in `{}`", table.path));
    }
    for own in &form.keys {
        key::line(own, explanation);
    }
    explanation.read(&table.page());
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
