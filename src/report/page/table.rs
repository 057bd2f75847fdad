//! Tables on a page: the first rows as HTML, the others as data that the script shows page by page.

use super::html::{Html, href};
use crate::printable::escape;
use crate::report::text::{BestCell, TextTable};

/// So many rows are there without a script.
const FIRST_ROWS: usize = 200;
/// As many where a page has little room left.
const FEW_ROWS: usize = 20;
/// The other rows of a table take no more bytes than this.
const MOST_OTHERS: usize = 2_000_000;

/// The classes of cells, and none.
const PLAIN: &str = "";
const NUMBER: &str = "number";

/// A row: its cells, and what it says besides, such as where a chart shows it.
pub(super) struct PageRow<'a> {
    pub(super) cells: &'a [String],
    /// Attributes: their names and values.
    pub(super) data: Vec<(&'static str, String)>,
}

/// A table of a page.
pub(super) struct PageTable<'a> {
    pub(super) caption: &'a str,
    /// What stands over all columns but so many.
    pub(super) over: Option<(&'a str, usize)>,
    pub(super) heads: Vec<&'a str>,
    pub(super) rows: Vec<PageRow<'a>>,
    /// The cells that are best, by row and column.
    pub(super) best: &'a [(usize, usize, BestCell)],
}

impl<'a> PageTable<'a> {
    pub(super) fn of(table: &'a TextTable) -> Self {
        Self {
            caption: &table.title,
            over: table.over.as_deref().map(|over| (over, table.key_columns())),
            heads: table.columns.iter().map(String::as_str).collect(),
            rows: table.rows.iter().map(|cells| PageRow { cells, data: Vec::new() }).collect(),
            best: &table.best,
        }
    }

    /// Appends the table. What has no room is in the file `csv`, if there is one.
    pub(super) fn push(&self, html: &mut Html, csv: Option<&str>) {
        let classes: Vec<&str> =
            (0..self.heads.len()).map(|column| if self.is_numeric(column) { NUMBER } else { PLAIN }).collect();
        let first = if html.room() < 1_000_000 { FEW_ROWS } else { FIRST_ROWS };
        let caption = escape(self.caption);
        html.raw("<div class=\"table\">\n");
        if !caption.is_empty() {
            html.push(format_args!("<h3>{caption}</h3>\n"));
        }
        html.push(format_args!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n<table>\n",
            if caption.is_empty() { "table" } else { &caption }
        ));
        self.push_head(html, &classes);
        html.raw("<tbody>\n");
        for (number, row) in self.rows.iter().take(first).enumerate() {
            self.push_row(html, (number, row), &classes);
        }
        html.raw("</tbody>\n</table>\n</div>\n");
        self.push_others(html, first, csv);
        html.raw("</div>\n");
        if !self.best.is_empty() {
            let has = |wanted: BestCell| self.best.iter().any(|(.., best)| *best == wanted);
            html.raw("<p class=\"note\">Bold is best.");
            html.raw(if has(BestCell::Equal) { " = is as good as another." } else { "" });
            html.raw(if has(BestCell::Untold) { " ≈ can't be told from the best.</p>\n" } else { "</p>\n" });
        }
    }

    fn push_head(&self, html: &mut Html, classes: &[&str]) {
        html.raw("<thead>");
        if let Some((over, keys)) = self.over {
            let (over, others) = (escape(over), self.heads.len().saturating_sub(keys).max(1));
            html.push(format_args!("<tr class=\"over\"><td colspan=\"{keys}\"></td>"));
            html.push(format_args!("<th scope=\"colgroup\" colspan=\"{others}\">{over}</th></tr>\n"));
        }
        html.raw("<tr>");
        for (head, class) in self.heads.iter().zip(classes) {
            html.push(format_args!("<th scope=\"col\"{}>{}</th>", class_of(class), escape(head)));
        }
        html.raw("</tr></thead>\n");
    }

    fn push_row(&self, html: &mut Html, (number, row): (usize, &PageRow<'_>), classes: &[&str]) {
        html.raw("<tr");
        for (name, value) in &row.data {
            html.push(format_args!(" data-{name}=\"{}\"", escape(value)));
        }
        html.raw(">");
        for (column, cell) in row.cells.iter().enumerate() {
            let class = classes.get(column).copied().unwrap_or(PLAIN);
            let sign = |sign: &str| format!(" <span class=\"tie\">{sign}</span>");
            let best = self.best_in(number).find(|(own, _)| *own == column);
            let (class, tie) = match best.map(|(_, best)| best) {
                Some(BestCell::Alone) => (format!("{class} best"), String::new()),
                Some(BestCell::Equal) => (format!("{class} best"), sign("=")),
                Some(BestCell::Untold) => (class.to_owned(), sign("≈")),
                None => (class.to_owned(), String::new()),
            };
            html.push(format_args!("<td{}>{}{tie}</td>", class_of(class.trim()), escape(cell)));
        }
        html.raw("</tr>\n");
    }

    /// The best cells of a row: their columns, and how they are best. They stand in the order of rows.
    fn best_in(&self, row: usize) -> impl Iterator<Item = (usize, BestCell)> {
        let start = self.best.partition_point(|&(own, ..)| own < row);
        self.best[start..].iter().take_while(move |(own, ..)| *own == row).map(|&(_, column, best)| (column, best))
    }

    /// The same as data: "2" is best, "3=" is as good as another, "4≈" is not told from the best.
    fn best_of(&self, row: usize) -> String {
        let sign = |best: BestCell| match best {
            BestCell::Alone => "",
            BestCell::Equal => "=",
            BestCell::Untold => "≈",
        };
        self.best_in(row).map(|(column, best)| format!("{column}{}", sign(best))).collect::<Vec<_>>().join(" ")
    }

    /// Appends the rows after the first ones: a line each, cells and data between tabs, as one string of JSON.
    fn push_others(&self, html: &mut Html, first: usize, csv: Option<&str>) {
        let (all, most) = (self.rows.len(), MOST_OTHERS.min(html.room()));
        if all <= first {
            return;
        }
        let mut lines = String::new();
        let mut there = first;
        for (number, row) in self.rows.iter().enumerate().skip(first) {
            let before = lines.len();
            let marks = (!self.best.is_empty()).then(|| self.best_of(number));
            for cell in row.cells.iter().chain(row.data.iter().map(|(_, value)| value)).chain(&marks) {
                lines.extend(crate::printable::printable(cell).chars().map(|c| if c.is_control() { ' ' } else { c }));
                lines.push('\t');
            }
            lines.pop();
            if lines.len() > most {
                lines.truncate(before);
                break;
            }
            lines.push('\n');
            there += 1;
        }
        let marks = (!self.best.is_empty()).then_some("best");
        let data: Vec<&str> = self.rows[first].data.iter().map(|(name, _)| *name).chain(marks).collect();
        let json = serde_json::to_string(lines.trim_end_matches('\n')).unwrap_or_default().replace('<', "\\u003c");
        let rest = |what: &str| match csv {
            Some(csv) => format!("{what} <a href=\"{}\">{}</a>", href(csv), escape(csv)),
            None => "the others are left out here".to_owned(),
        };
        html.push(format_args!("<p class=\"note more\">{first} of {all} rows; {}.</p>\n", rest("all values are in")));
        if there < all {
            html.push(format_args!("<p class=\"note\">{there} of {all} rows; {}.</p>\n", rest("the others are in")));
        }
        html.push(format_args!(
            "<script type=\"application/json\" data-names=\"{}\">{json}</script>\n",
            data.join(" ")
        ));
    }

    /// Whether all cells of a column that are not blank read as numbers, perhaps with units.
    fn is_numeric(&self, column: usize) -> bool {
        let mut cells =
            self.rows.iter().filter_map(|row| row.cells.get(column)).filter(|cell| !cell.trim().is_empty()).peekable();
        cells.peek().is_some() && cells.all(|cell| reads_as_number(cell))
    }
}

fn class_of(class: &str) -> String {
    if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") }
}

/// Whether a cell reads as a number, perhaps with a unit ("12.5 ms", "3.1 ± 0.2").
pub(super) fn reads_as_number(cell: &str) -> bool {
    // Group separators are spaces too, so "12 000 ms" is two numbers and a unit.
    let cell = cell.split_once(")×10").map_or(cell, |(number, _)| number);
    let power = |c: char| "⁻⁰¹²³⁴⁵⁶⁷⁸⁹".contains(c);
    let mut words = cell.split_whitespace().map(|word| match word.split_once("×10") {
        Some((number, raised)) if raised.chars().all(power) => number,
        _ if word.starts_with("10") => word.trim_end_matches(power),
        _ => word,
    });
    let number = |word: &str| word.trim_end_matches('%').replace('−', "-").parse::<f64>().is_ok();
    // What stands beside an equal choice is no unit.
    let rest =
        |word: &str| number(word) || word.starts_with('(') || (word.chars().count() <= 5 && !"=≈".contains(word));
    words.next().is_some_and(|word| number(word.trim_start_matches('('))) && words.all(rest)
}
