//! The report: what the terminal shows, the pictures and the scenario on one page.

use super::html::{Expectation, Figure, HtmlTable, Page};
use super::output::Report;
use super::tables::humane;
use crate::record::Value;

pub(super) fn page(report: &Report<'_>) -> String {
    let scenario = report.results.scenario();
    let table = |table: &super::tables::TextTable| HtmlTable {
        caption: table.title.clone(),
        columns: table.columns.clone(),
        rows: table.rows.clone(),
        over: table.over.clone().map(|over| (over, table.key_columns())),
        notes: table.notes.clone(),
    };
    let figure =
        |picture: &super::chart::Picture| Figure { caption: picture.caption.clone(), svg: picture.svg.clone() };
    let mut facts = vec![
        ("hetsim".to_owned(), report.manifest.version.clone()),
        ("seed".to_owned(), scenario.file.seed.to_string()),
        ("points".to_owned(), scenario.points.len().to_string()),
        ("replicas".to_owned(), super::replicas::counts(report.results)),
        ("events".to_owned(), report.manifest.events.to_string()),
        ("messages".to_owned(), report.manifest.messages.to_string()),
    ];
    let (there, all) = (report.results.rows().len(), scenario.runs());
    if there < all {
        facts.insert(
            0,
            ("partial".to_owned(), format!("{there} of {all} runs; the others failed or were not computed")),
        );
    }
    if let Some(notes) = &scenario.file.notes {
        facts.push(("notes".to_owned(), notes.trim().to_owned()));
    }
    let verdict = |verdict: &super::expect::Verdict| Expectation {
        metric: verdict.metric.clone(),
        place: verdict.place.clone(),
        expected: verdict.shown.clone(),
        simulated: match verdict.simulated.number() {
            Some(number) => humane(&verdict.metric, number),
            None => verdict.simulated.to_string(),
        },
        difference: percent(&verdict.difference_percent),
        tolerance: verdict.tolerance.clone(),
        ok: Some(verdict.met),
        source: if verdict.note.is_empty() {
            verdict.source.clone()
        } else {
            format!("{} ({})", verdict.source, verdict.note)
        },
    };
    let page = Page {
        title: scenario.name.replace(['_', '-'], " "),
        question: scenario.file.question.clone(),
        tables: report.tables.iter().map(table).collect(),
        sentences: super::replicas::sentence(report.results)
            .into_iter()
            .chain(super::contention::sentence(report.results))
            .chain(report.comparisons.iter().map(super::compare::Compared::words))
            .collect(),
        figures: report.pictures.iter().map(figure).collect(),
        expectations: report.verdicts.iter().map(verdict).collect(),
        scenario: Some(scenario.text.to_string()),
        facts,
    };
    page.html()
}

/// A difference in percent as a person reads it.
#[must_use]
pub(crate) fn percent(difference: &Value) -> String {
    difference.number().map(|number| format!("{number:+.2} %")).unwrap_or_default()
}
