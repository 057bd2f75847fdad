//! Messages and tables on the terminal.

use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle, Width};
use miette::{GraphicalReportHandler, GraphicalTheme};

use super::say::{coloured, say, say_coloured};
use crate::record::Value;
use crate::report::expect::Verdict;
use crate::report::page::percent;
use crate::report::tables::{TextTable, humane};
use crate::scenario::Problems;

/// How wide tables and messages are where the terminal does not say.
const WIDTH: u16 = 80;

/// Says what is wrong with the input: each problem with its place in the text.
pub(super) fn show_problems(problems: &Problems) {
    let theme = if coloured() { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler = GraphicalReportHandler::new_themed(theme).with_width(usize::from(WIDTH)).with_context_lines(1);
    for report in problems.reports() {
        let mut text = String::new();
        // Writing to a string can't fail; a problem without its frame is better than none.
        if handler.render_report(&mut text, report).is_err() {
            text = report.to_string();
        }
        say_coloured(text.trim_end());
    }
    if problems.reports().len() > 1 {
        say(&format!("\n{} problems; nothing was run", problems.reports().len()));
    }
}

/// A table as text, with a blank line after it.
pub(super) fn text_table(table: &TextTable) -> String {
    format!("{}{}\n\n", wrapped(&table.title, 0, 0), layout(&table.columns, &table.rows))
}

/// The most missed expectations that are shown; the rest is counted.
const MOST_MISSED: usize = 20;

/// Expectations as text: what is met is counted, what is missed is shown.
pub(super) fn expectations(verdicts: &[Verdict]) -> String {
    if verdicts.is_empty() {
        return String::new();
    }
    let missed: Vec<&Verdict> = verdicts.iter().filter(|verdict| !verdict.met).collect();
    let mut text = format!("Expectations: {} of {} met\n", verdicts.len() - missed.len(), verdicts.len());
    for verdict in missed.iter().take(MOST_MISSED) {
        let simulated = match verdict.simulated.number() {
            Some(number) => humane(&verdict.metric, number),
            None if verdict.simulated == Value::Blank => "nothing".to_owned(),
            None => verdict.simulated.to_string(),
        };
        let at = if verdict.place.is_empty() { String::new() } else { format!(" at {}", verdict.place) };
        let difference = match percent(&verdict.difference_percent) {
            percent if percent.is_empty() => percent,
            percent => format!(" ({percent})"),
        };
        text.push_str(&wrapped(&format!("✗ {}{at}", verdict.metric), 1, 3));
        let line = format!(
            "expected {} ({}), {} {simulated}{difference}; {}",
            verdict.shown,
            verdict.tolerance,
            if verdict.clocked { "on this machine's clock" } else { "simulated" },
            verdict.source
        );
        text.push_str(&wrapped(&line, 3, 3));
    }
    if missed.len() > MOST_MISSED {
        text.push_str(&wrapped(&format!("… and {} more in expect.csv", missed.len() - MOST_MISSED), 1, 3));
    }
    text.push('\n');
    text
}

/// The most sentences that are shown; the rest is counted.
const MOST_SENTENCES: usize = 20;

/// Sentences below a heading, with a blank line after them; nothing for none.
pub(super) fn sentences(heading: &str, sentences: &[String]) -> String {
    if sentences.is_empty() {
        return String::new();
    }
    let mut text = format!("{heading}\n");
    for sentence in sentences.iter().take(MOST_SENTENCES) {
        text.push_str(&wrapped(sentence, 1, 3));
    }
    if sentences.len() > MOST_SENTENCES {
        text.push_str(&wrapped(&format!("… and {} more", sentences.len() - MOST_SENTENCES), 1, 3));
    }
    text.push('\n');
    text
}

/// Text in lines that fit the terminal, the first and the others indented.
pub(super) fn wrapped(text: &str, first: usize, others: usize) -> String {
    let width = usize::from(terminal_width());
    let mut lines = String::new();
    for paragraph in text.lines() {
        let mut column = 0;
        for word in paragraph.split_whitespace() {
            let length = word.chars().count();
            if column > 0 && column + 1 + length <= width {
                lines.push(' ');
                column += 1;
            } else {
                let indent = if column > 0 || !lines.is_empty() { others } else { first };
                if column > 0 {
                    lines.push('\n');
                }
                lines.extend(std::iter::repeat_n(' ', indent));
                column = indent;
            }
            lines.push_str(word);
            column += length;
        }
        lines.push('\n');
    }
    lines
}

/// A rule under the headings and no other lines.
const RULED: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// A table as text. Where it has to be squeezed, words stay whole if there is room for them.
fn layout(columns: &[String], rows: &[Vec<String>]) -> String {
    let width = usize::from(terminal_width());
    let fits = |text: &String| text.lines().all(|line| line.chars().count() <= width);
    let whole = (natural_width(columns, rows) > width).then(|| rendered(columns, rows, &longest_words(columns, rows)));
    whole.filter(fits).unwrap_or_else(|| rendered(columns, rows, &[]))
}

/// How wide a table is that nothing squeezes, with the space at the sides of its columns.
fn natural_width(columns: &[String], rows: &[Vec<String>]) -> usize {
    let of_column = |(index, heading): (usize, &String)| {
        let cells = rows.iter().filter_map(|row| row.get(index)).map(|cell| cell.chars().count());
        2 + cells.chain([heading.chars().count()]).max().unwrap_or(0)
    };
    columns.iter().enumerate().map(of_column).sum()
}

/// A table as text, with the least width of the text in each column, where one is given.
fn rendered(columns: &[String], rows: &[Vec<String>], least: &[usize]) -> String {
    let mut table = Table::new();
    table.load_style(RULED).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(terminal_width());
    table.set_header(columns.iter().map(Cell::new));
    for row in rows {
        table.add_row(row.iter().map(Cell::new));
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        // Two more for the space at its sides.
        if let Some(width) = least.get(index).and_then(|&least| u16::try_from(least + 2).ok()) {
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(width)));
        }
        if index > 0 && is_numeric(rows, index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let text = table.to_string();
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// The length of the longest word of each column, numbers with their units counted as one: narrower, it would have to be
/// broken.
fn longest_words(columns: &[String], rows: &[Vec<String>]) -> Vec<usize> {
    let longest = |text: &String| text.split(' ').map(|word| word.chars().count()).max().unwrap_or(0);
    let of_column = |(index, heading): (usize, &String)| {
        let cells = rows.iter().filter_map(|row| row.get(index)).map(longest);
        cells.chain([longest(heading)]).max().unwrap_or(0)
    };
    columns.iter().enumerate().map(of_column).collect()
}

fn is_numeric(rows: &[Vec<String>], column: usize) -> bool {
    let mut cells = rows.iter().filter_map(|row| row.get(column)).filter(|cell| !cell.is_empty()).peekable();
    cells.peek().is_some() && cells.all(|cell| cell.starts_with(|c: char| c.is_ascii_digit() || "+-−".contains(c)))
}

/// The width of the terminal, or what `COLUMNS` says, or 80.
fn terminal_width() -> u16 {
    let given = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let real = || terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| width.0);
    given.or_else(real).unwrap_or(WIDTH).max(40)
}
