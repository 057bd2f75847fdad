//! The files of a validation.

use std::io::{self, Write};

use super::tables::tables;
use crate::accuracy::validate::{ChoiceSummary, Grouping, Judged, MeasuredChoice, Summary, Unpredicted, Validation};
use crate::record::Value;
use crate::report::chart::Picture;
use crate::report::csv_file::{Column, write_csv};
use crate::report::page::Page;

/// A number with all its digits, without a power of ten; blank for none.
fn number(value: Option<f64>) -> Value {
    value.map(|value| value.to_string()).into()
}

/// Writes a row for each point.
///
/// # Errors
/// What `out` gives.
pub fn points_csv(validation: &Validation, out: &mut dyn Write) -> io::Result<()> {
    let algorithm = |point: &Judged| point.measured.model.as_ref().map(|model| model.algorithm().to_owned());
    let note = |point: &Judged| match &point.predicted {
        Ok(_) => String::new(),
        Err(Unpredicted::LibraryChoice) => "the library's own choice".to_owned(),
        Err(Unpredicted::NotModelled) => "not modelled".to_owned(),
        Err(Unpredicted::OneRank) => "one rank exchanges nothing".to_owned(),
        Err(Unpredicted::Failed(why)) => why.clone(),
    };
    let columns: [Column<'_, Judged>; 17] = [
        ("system", &|point| point.measured.system.as_str().into()),
        ("run", &|point| point.measured.run.as_str().into()),
        ("nodes", &|point| point.measured.nodes.into()),
        ("ranks_per_node", &|point| point.measured.ranks_per_node.into()),
        ("library", &|point| point.measured.library.as_str().into()),
        ("operation", &|point| point.measured.operation.as_str().into()),
        ("algorithm", &|point| point.measured.algorithm.as_str().into()),
        ("simulated_as", &|point| algorithm(point).into()),
        ("buffer_bytes", &|point| point.measured.bytes.into()),
        ("size_bytes", &|point| point.measured.model.as_ref().map(|model| model.size).into()),
        ("measured_s", &|point| number(Some(point.measured.median))),
        ("p10_s", &|point| number(point.measured.p10)),
        ("p90_s", &|point| number(point.measured.p90)),
        ("predicted_s", &|point| number(point.predicted.as_ref().ok().copied())),
        ("error", &|point| number(point.error())),
        ("counts", &|point| u64::from(point.counts).into()),
        ("note", &|point| note(point).into()),
    ];
    write_csv(&validation.points, &columns, out)
}

/// A row of `summary.csv`: the errors of a group and, where choices are grouped alike, those.
struct SummaryRow {
    by: &'static str,
    errors: Summary,
    choices: Option<ChoiceSummary>,
}

/// Writes a row for all points, and for each group.
///
/// # Errors
/// What `out` gives.
pub fn summary_csv(validation: &Validation, out: &mut dyn Write) -> io::Result<()> {
    let mut rows =
        vec![SummaryRow { by: "all", errors: validation.summary(), choices: Some(validation.choice_summary()) }];
    for &grouping in Grouping::ALL {
        let of_operations =
            if grouping == Grouping::Operation { validation.choices_by_operation() } else { Vec::new() };
        rows.extend(validation.by(grouping).into_iter().map(|errors| {
            let choices = of_operations.iter().find(|choices| choices.group == errors.group).cloned();
            SummaryRow { by: grouping.name(), errors, choices }
        }));
    }
    let choices =
        |row: &SummaryRow, value: &dyn Fn(&ChoiceSummary) -> Option<f64>| number(row.choices.as_ref().and_then(value));
    let columns: [Column<'_, SummaryRow>; 17] = [
        ("by", &|row| row.by.into()),
        ("group", &|row| row.errors.group.as_str().into()),
        ("points", &|row| (row.errors.count as u64).into()),
        ("median_error", &|row| number(row.errors.median)),
        ("mean_error", &|row| number(row.errors.mean)),
        ("bias", &|row| number(row.errors.bias)),
        ("within_10_percent", &|row| number(row.errors.within_10)),
        ("within_25_percent", &|row| number(row.errors.within_25)),
        ("within_factor_2", &|row| number(row.errors.within_double)),
        ("rank_correlation", &|row| number(row.errors.correlation)),
        ("choices", &|row| row.choices.as_ref().map(|choices| choices.count as u64).into()),
        ("right", &|row| row.choices.as_ref().map(|choices| choices.right as u64).into()),
        ("mean_regret", &|row| choices(row, &|choices| choices.regret)),
        ("median_regret", &|row| choices(row, &|choices| choices.median_regret)),
        ("worst_regret", &|row| choices(row, &|choices| choices.worst_regret)),
        ("default_regret", &|row| choices(row, &|choices| choices.default_regret)),
        ("saved", &|row| choices(row, &|choices| choices.saved)),
    ];
    write_csv(&rows, &columns, out)
}

/// Writes a row for each choice.
///
/// # Errors
/// What `out` gives.
pub fn choices_csv(validation: &Validation, out: &mut dyn Write) -> io::Result<()> {
    let columns: [Column<'_, MeasuredChoice>; 16] = [
        ("system", &|choice| choice.system.as_str().into()),
        ("run", &|choice| choice.run.as_str().into()),
        ("nodes", &|choice| choice.nodes.into()),
        ("ranks_per_node", &|choice| choice.ranks_per_node.into()),
        ("operation", &|choice| choice.operation.as_str().into()),
        ("buffer_bytes", &|choice| choice.bytes.into()),
        ("candidates", &|choice| (choice.candidates as u64).into()),
        ("best", &|choice| choice.best.as_str().into()),
        ("best_s", &|choice| number(Some(choice.best_time))),
        ("advised", &|choice| choice.advice.names.as_str().into()),
        ("advised_s", &|choice| number(Some(choice.advice.time))),
        ("regret", &|choice| number(Some(choice.regret()))),
        ("default_s", &|choice| number(choice.default_time)),
        ("default_regret", &|choice| number(choice.default_regret())),
        ("saved", &|choice| number(choice.saved())),
        ("rank_correlation", &|choice| number(choice.correlation)),
    ];
    write_csv(&validation.choices, &columns, out)
}

/// The tables beside the page.
const FILES: [&str; 3] = ["points.csv", "summary.csv", "choices.csv"];

/// A page with the tables and pictures. `facts` say what made it.
#[must_use]
pub fn page(
    title: &str,
    validation: &Validation,
    pictures: &[Picture],
    platform: &str,
    facts: Vec<(&'static str, String)>,
) -> String {
    let tables = tables(validation);
    let page = Page {
        title: title.to_owned(),
        question: Some("How far are predictions from what was measured, and how good are the choices made by them?"),
        tables: &tables,
        pictures,
        scenario: platform,
        files: FILES
            .iter()
            .map(|name| (*name).to_owned())
            .chain(pictures.iter().map(|picture| format!("charts/{}.svg", picture.name)))
            .collect(),
        facts,
        ..Page::default()
    };
    page.html()
}
