//! A document of what is known of the accuracy of predictions: made from measurements and a plan that says which
//! platforms predict which of them.

use std::fmt::Write as _;

use serde::Deserialize;

use super::cells::{percent, without_blank_columns};
use super::pictures::predicted;
use super::rules::{RulesSummary, ruled_choices};
use super::tables::tables;
use crate::accuracy::validate::{Bounds, Judged, Validation, Verdict};
use crate::report::chart::Picture;
use crate::report::text::{TextTable, humane};

/// What a document is made of.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValidationPlan {
    /// The heading.
    pub title: String,
    /// The file, seen from the plan's folder, of the picture that the document begins with.
    #[serde(default)]
    pub picture: Option<String>,
    /// What stands under it, as Markdown.
    #[serde(default)]
    pub text: String,
    /// What stands under the table of all sections, as Markdown: what they mean together.
    #[serde(default)]
    pub remarks: String,
    /// The sections, in order.
    pub section: Vec<ValidationSection>,
}

/// A section: measurements of one file, predicted in one way.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValidationSection {
    /// The heading.
    pub title: String,
    /// The file, seen from the plan's folder, of a page of its own, which the document links to.
    #[serde(default)]
    pub page: Option<String>,
    /// What stands under it, as Markdown.
    #[serde(default)]
    pub text: String,
    /// The file with the measurements, in the folder of the data.
    pub file: String,
    /// What the file does not say, by column, instead of the command's `--with`: `"over_ranks=mean"`.
    #[serde(default)]
    pub with: Option<String>,
    /// The targets, in per cent: `"median=15,within25=80,regret=4"`.
    #[serde(default)]
    pub within: Option<String>,
    /// How many of the worst predictions are listed.
    #[serde(default = "ten")]
    pub worst: usize,
    /// What stands under them, as Markdown: why they are bad.
    #[serde(default)]
    pub remarks: String,
    /// Which points are predicted on which platform.
    pub case: Vec<Case>,
}

const fn ten() -> usize {
    10
}

/// Points that are predicted on one platform.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The platform file, seen from the plan's folder.
    pub platform: String,
    /// The points; all by default.
    #[serde(default, rename = "use")]
    pub used: Vec<String>,
    /// The points whose errors do not count.
    #[serde(default)]
    pub leave_out: Vec<String>,
    /// The most messages of a point that is simulated; default: that of the command.
    pub max_messages: Option<u64>,
}

/// A document, and what stands beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The document as Markdown.
    pub text: String,
    /// Its picture and the pages of its sections: the file of each, seen from the plan's folder, and its content.
    pub files: Vec<(String, String)>,
}

/// Makes the document; `validations` are those of the sections.
///
/// # Errors
/// A section's targets mean nothing.
pub fn document(plan: &ValidationPlan, validations: &[Validation], command: &str) -> Result<Document, String> {
    let made_by = format!("Made by `{command}`; not edited by hand.");
    let mut text = format!("# {}\n\n", plan.title);
    let mut files = Vec::new();
    if let Some((file, picture)) = leading_picture(plan, validations) {
        let _ = writeln!(text, "![{}]({file})\n", picture.caption);
        files.push((file.to_owned(), picture.svg));
    }
    push_text(&mut text, &plan.text);
    push_text(&mut text, &made_by);
    push_table(&mut text, &overview(plan, validations));
    push_text(&mut text, &plan.remarks);
    for (section, validation) in plan.section.iter().zip(validations) {
        if let Some(file) = &section.page {
            let mut page = format!("# {}\n\n", section.title);
            push_section(&mut page, section, validation)?;
            push_text(&mut page, &made_by);
            files.push((file.clone(), ended(&page)));
        } else {
            let _ = writeln!(text, "## {}\n", section.title);
            push_section(&mut text, section, validation)?;
        }
    }
    Ok(Document { text: ended(&text), files })
}

/// The picture that the document begins with, and its file: predicted against measured times of the first section that
/// has any.
fn leading_picture<'p>(plan: &'p ValidationPlan, validations: &[Validation]) -> Option<(&'p str, Picture)> {
    let mut sections = plan.section.iter().zip(validations);
    let (section, validation) = sections.find(|(_, validation)| validation.errors().next().is_some())?;
    Some((plan.picture.as_deref()?, predicted(validation, &section.title)))
}

/// What stands under the heading of a section.
fn push_section(text: &mut String, section: &ValidationSection, validation: &Validation) -> Result<(), String> {
    push_text(text, &section.text);
    let mut platforms: Vec<&str> = section.case.iter().map(|case| case.platform.as_str()).collect();
    platforms.dedup();
    let _ = writeln!(text, "Measurements: `{}`. Platforms: `{}`.\n", section.file, platforms.join("`, `"));
    if let Some(within) = &section.within {
        let bounds: Bounds = within.parse().map_err(|error| format!("{}: {error}", section.title))?;
        push_table(text, &targets(&bounds.verdicts(validation)));
    }
    for table in tables(validation) {
        push_table(text, &table);
    }
    push_table(text, &worst(validation, section.worst));
    push_text(text, &section.remarks);
    Ok(())
}

/// A row for each section, which leads to its page.
fn overview(plan: &ValidationPlan, validations: &[Validation]) -> TextTable {
    let row = |(section, validation): (&ValidationSection, &Validation)| {
        let (errors, choices) = (validation.summary(), validation.choice_summary());
        let rules = RulesSummary::of_all(&ruled_choices(validation));
        let noise = validation.noise.between_runs.map_or_else(String::new, |factor| format!("{factor:.2}×"));
        vec![
            section.page.as_ref().map_or_else(|| section.title.clone(), |page| format!("[{}]({page})", section.title)),
            errors.count.to_string(),
            percent(errors.median),
            percent(errors.within_25),
            percent(errors.within_double),
            format!("{} of {}", choices.right, choices.count),
            percent(choices.regret),
            percent(choices.default_regret),
            percent(rules.regret),
            percent(rules.default_regret),
            noise,
        ]
    };
    let columns =
        ["", "points", "median", "≤ 25", "≤ 2×", "right", "regret", "default", "rules", "no rules", "between runs"];
    without_blank_columns(TextTable {
        title: "In a few numbers, in per cent".to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: plan.section.iter().zip(validations).map(row).collect(),
        ..TextTable::default()
    })
}

fn targets(verdicts: &[Verdict]) -> TextTable {
    let row = |verdict: &Verdict| {
        let found = verdict.found.map_or_else(String::new, |found| format!("{found:.1} %"));
        let kept = if verdict.kept { "met" } else { "missed" };
        vec![verdict.name.to_owned(), verdict.bound.clone(), found, kept.to_owned()]
    };
    TextTable {
        title: "Targets".to_owned(),
        columns: ["", "target", "found", ""].map(str::to_owned).to_vec(),
        rows: verdicts.iter().map(row).collect(),
        ..TextTable::default()
    }
}

/// The predictions that lie farthest from what was measured, as a ratio, too long or too short.
fn worst(validation: &Validation, most: usize) -> TextTable {
    let mut errors: Vec<(&Judged, f64)> = validation.errors().collect();
    let far = |error: f64| (1.0 + error).ln().abs();
    errors.sort_by(|a, b| far(b.1).total_cmp(&far(a.1)));
    let row = |(point, error): &(&Judged, f64)| {
        let measured = &point.measured;
        vec![
            measured.operation.clone(),
            measured.algorithm.clone(),
            if measured.ranks_per_node == 1 {
                measured.nodes.to_string()
            } else {
                format!("{} × {}", measured.nodes, measured.ranks_per_node)
            },
            humane("buffer_bytes", measured.bytes as f64),
            humane("measured_s", measured.median),
            humane("predicted_s", measured.median * (1.0 + error)),
            format!("{:+.0} %", 100.0 * error).replace('-', "−"),
        ]
    };
    let columns = ["operation", "algorithm", "ranks", "buffer", "measured", "predicted", "error"];
    TextTable {
        title: "The worst predictions".to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: errors.iter().take(most).map(row).collect(),
        ..TextTable::default()
    }
}

/// The text with one end of a line behind it.
fn ended(text: &str) -> String {
    text.trim_end().to_owned() + "\n"
}

fn push_text(document: &mut String, text: &str) {
    if !text.trim().is_empty() {
        let _ = writeln!(document, "{}\n", text.trim());
    }
}

/// A table as Markdown under its title, with numbers at the right of their columns; nothing if it has no rows.
fn push_table(document: &mut String, table: &TextTable) {
    if table.rows.is_empty() {
        return;
    }
    let cells = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " ")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let _ = writeln!(document, "**{}**\n", table.title);
    document.push_str(&cells(&table.columns));
    let is_number = |cell: &str| cell.starts_with(|first: char| first.is_ascii_digit() || "+−".contains(first));
    let side = |column: usize| {
        let all = table.rows.iter().map(|row| row[column].as_str()).filter(|cell| !cell.is_empty());
        if all.into_iter().all(is_number) { "--:" } else { "---" }.to_owned()
    };
    document.push_str(&cells(&(0..table.columns.len()).map(side).collect::<Vec<_>>()));
    for row in &table.rows {
        document.push_str(&cells(row));
    }
    document.push('\n');
    for note in &table.notes {
        let _ = writeln!(document, "{note}\n");
    }
}
