//! Tables of formulas and of their deviations.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::Approach;
use crate::cli::terminal::text_table;
use crate::fit::runtime::FittedFormulas;
use crate::fit::runtime::choice::{HeldOut, Validation};
use crate::fit::runtime::data::Data;
use crate::fit::runtime::error::{BOUNDS, Deviations};
use crate::formula::{Notation, print};
use crate::report::text::TextTable;

/// The maximum length of a formula in a table on the terminal.
const SHOWN: usize = 48;

/// The training points, each predicted by what was found without it.
const VALIDATED: &str = "cross-validated";

/// The tables of a fit, for the files and the terminal.
pub(super) struct Tables {
    front: Vec<FrontRow>,
    deviations: Vec<(String, &'static str, Deviations)>,
    validation: Option<Validation>,
}

struct FrontRow {
    size: usize,
    error: f64,
    unseen: Option<f64>,
    mark: &'static str,
    formula: String,
    exact: String,
}

impl Tables {
    pub(super) fn of(found: &FittedFormulas, approaches: &[Approach], data: &Data) -> Self {
        let names: Vec<&str> = data.names.iter().map(String::as_str).collect();
        let row = |at: usize| {
            let candidate = &found.front[at];
            FrontRow {
                size: candidate.size,
                error: candidate.error,
                unseen: Deviations::of(&candidate.expression, &data.test).map(|deviations| deviations.mean),
                mark: match (at == found.knee, at == found.chosen) {
                    (true, true) => "knee, chosen",
                    (true, false) => "knee",
                    (false, true) => "chosen",
                    (false, false) => "",
                },
                formula: print(&candidate.expression.rounded(4), &names, Notation::Text),
                exact: print(&candidate.expression, &names, Notation::Text),
            }
        };
        let deviations = approaches.iter().flat_map(|approach| {
            let on = |points| Deviations::of(&approach.expression, points);
            let rows =
                [("fitted", on(&data.train)), (VALIDATED, approach.held_out.clone()), ("unseen", on(&data.test))];
            rows.into_iter().filter_map(|(points, deviations)| Some((approach.name.clone(), points, deviations?)))
        });
        Self {
            deviations: deviations.collect(),
            front: (0..found.front.len()).map(row).collect(),
            validation: found.validation.clone(),
        }
    }

    /// The tables for the terminal.
    pub(super) fn text(&self) -> String {
        let number = |value: f64| format!("{value:.2}");
        let row = |row: &FrontRow| {
            let unseen = row.unseen.map_or(String::new(), number);
            vec![row.size.to_string(), number(row.error), unseen, row.mark.to_owned(), shortened(&row.formula, SHOWN)]
        };
        let front = TextTable {
            title: "Formulas: mean percentage error against size".to_owned(),
            columns: ["nodes", "fitted %", "unseen %", "", "formula"].map(str::to_owned).to_vec(),
            rows: self.front.iter().map(row).collect(),
            ..TextTable::default()
        };
        let mut text = text_table(&front);
        if let Some(validation) = &self.validation {
            text.push_str(&text_table(&validation_table(validation)));
        }
        text.push_str(&text_table(&self.deviations_table()));
        text
    }

    /// The deviations in the form of Table 1 of the paper.
    fn deviations_table(&self) -> TextTable {
        let row = |(name, points, deviations): &(String, &'static str, Deviations)| {
            let mut cells = vec![name.clone(), (*points).to_owned(), format!("{:.2}", deviations.mean)];
            cells.extend(BOUNDS.iter().map(|bound| format!("{:.1}", deviations.share_below(*bound))));
            cells
        };
        let mut columns = ["approach", "points", "error %"].map(str::to_owned).to_vec();
        columns.extend(BOUNDS.iter().map(|bound| format!("< {bound}")));
        TextTable {
            title: "Deviations: mean percentage error, and the share of points below a percentage error".to_owned(),
            columns,
            rows: self.deviations.iter().map(row).collect(),
            ..TextTable::default()
        }
    }

    pub(super) fn write_front(&self, writer: &mut dyn Write) -> io::Result<()> {
        let mut csv = csv::Writer::from_writer(writer);
        csv.write_record(["nodes", "error_percent", "unseen_error_percent", "mark", "formula"])?;
        for row in &self.front {
            let unseen = row.unseen.map_or(String::new(), |error| error.to_string());
            csv.write_record([&row.size.to_string(), &row.error.to_string(), &unseen, row.mark, &row.exact])?;
        }
        csv.flush()
    }

    pub(super) fn write_deviations(&self, writer: &mut dyn Write) -> io::Result<()> {
        let mut csv = csv::Writer::from_writer(writer);
        let mut header = ["approach", "points", "error_percent"].map(str::to_owned).to_vec();
        header.extend(BOUNDS.iter().map(|bound| format!("below_{bound}_percent")));
        csv.write_record(&header)?;
        for (name, points, deviations) in &self.deviations {
            let mut cells = vec![name.clone(), (*points).to_owned(), deviations.mean.to_string()];
            cells.extend(BOUNDS.iter().map(|bound| deviations.share_below(*bound).to_string()));
            csv.write_record(&cells)?;
        }
        csv.flush()
    }
}

/// The errors on held-out points, by size and of the piecewise formula.
fn validation_table(validation: &Validation) -> TextTable {
    let row = |nodes: String, held_out: &HeldOut| {
        let range = format!("{:.2} – {:.2}", held_out.range.0, held_out.range.1);
        let good = if held_out.good { "as good as the best" } else { "" };
        vec![nodes, format!("{:.2}", held_out.error), range, good.to_owned()]
    };
    let sizes = &validation.sizes;
    // Larger formulas without an improvement are not worth a row.
    let news = |at: &usize| *at == 0 || sizes[*at].1.error != sizes[at - 1].1.error;
    let by_size = (0..sizes.len()).filter(news).map(|at| row(sizes[at].0.to_string(), &sizes[at].1));
    let piecewise = validation.piecewise.iter();
    let piecewise = piecewise.map(|(formula, held_out)| row(format!("{}, piecewise", formula.size), held_out));
    TextTable {
        title: "Mean percentage error on held-out points, by size".to_owned(),
        columns: ["nodes up to", "error %", "by part", ""].map(str::to_owned).to_vec(),
        rows: by_size.chain(piecewise).collect(),
        ..TextTable::default()
    }
}

/// Truncates a text that is too long.
pub(super) fn shortened(text: &str, length: usize) -> String {
    if text.chars().count() <= length {
        return text.to_owned();
    }
    text.chars().take(length - 2).chain(" …".chars()).collect()
}

/// The formulas at the knee and to predict with, in every notation.
pub(super) fn notations(found: &FittedFormulas, data: &Data) -> String {
    let names: Vec<&str> = data.names.iter().map(String::as_str).collect();
    let mut text = String::new();
    for (title, at) in [("knee", found.knee), ("chosen", found.chosen)] {
        let expression = &found.front[at].expression;
        let _ = writeln!(text, "# {title}: {} ({:.2} %)\n", data.target, found.front[at].error);
        for (notation, name) in Notation::ALL {
            let _ = writeln!(text, "{name}:\n{}\n", print(&expression.rounded(6), &names, notation));
        }
    }
    text
}
