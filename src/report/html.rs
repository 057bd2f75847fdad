//! One page with everything: tables, charts, expectations and the scenario, in a file that needs nothing else.
//!
//! The page loads nothing, runs no script, follows the reader's choice of light or dark, and prints.

use std::fmt::Write as _;

use super::chart::Picture;
use super::expect::Verdict;
use super::text::TextTable;
use crate::printable::escape;

/// The parts of a page. Empty parts leave no trace.
#[derive(Debug, Default)]
pub(super) struct Page<'a> {
    /// The title of the page and its first heading.
    pub(super) title: String,
    /// What the reader wanted to know.
    pub(super) question: Option<&'a str>,
    /// Tables that answer it.
    pub(super) tables: &'a [TextTable],
    /// Sentences that sum it up.
    pub(super) sentences: Vec<String>,
    /// Charts that show it. They are trusted and not escaped.
    pub(super) pictures: &'a [Picture],
    /// The verdicts on expectations.
    pub(super) verdicts: &'a [Verdict],
    /// The text of the scenario, folded away.
    pub(super) scenario: &'a str,
    /// Names and values of what made the page: version, seed, number of runs.
    pub(super) facts: Vec<(&'static str, String)>,
}

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1d1d1f;--soft:#5b6068;--line:#d9dce1;--back:#fff;--head:#f5f6f8;--good:#00704f;--bad:#b23c00}
@media(prefers-color-scheme:dark){:root{--ink:#e8e9eb;--soft:#a2a8b1;--line:#3a3f47;--back:#16181c;--head:#20242a;--good:#4cc9a0;--bad:#ff9457}}
*{box-sizing:border-box}
body{margin:0 auto;padding:2rem 1.25rem 4rem;max-width:60rem;background:var(--back);color:var(--ink);\
font:16px/1.5 Helvetica,Arial,sans-serif}
h1{font-size:1.7rem;line-height:1.2;margin:0 0 .4rem}
h2{font-size:1.15rem;margin:2.4rem 0 .8rem}
.question{color:var(--soft);font-size:1.1rem;margin:0}
.scroll{overflow-x:auto;margin:0 0 1.5rem}
table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--soft);padding:0 0 .4rem}
th,td{padding:.3rem .75rem;text-align:left;border-bottom:1px solid var(--line);vertical-align:top;white-space:nowrap}
thead th{background:var(--head);font-weight:600}
td.wide{white-space:normal;min-width:12rem}
.number{text-align:right}
.ok{color:var(--good);font-weight:600}
.miss{color:var(--bad);font-weight:600}
figure{margin:0 0 2rem}
.chart{background:#fff;border:1px solid var(--line);border-radius:6px;padding:.4rem;overflow-x:auto}
.chart svg{display:block;max-width:100%;height:auto;margin:0 auto}
figcaption{color:var(--soft);font-size:.875rem;margin:.5rem .2rem 0}
pre{overflow-x:auto;padding:1rem;background:var(--head);border:1px solid var(--line);border-radius:6px;\
font:13px/1.45 Menlo,Consolas,monospace}
summary{cursor:pointer}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1.2rem;margin:0;font-size:.875rem}
dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere}
@media print{:root{color-scheme:light;--ink:#000;--soft:#444;--line:#bbb;--back:#fff;--head:#f5f6f8;--good:#00704f;--bad:#b23c00}\
body{padding:0;max-width:none;font-size:11pt}.scroll,.chart{overflow:visible}.chart{border:0;padding:0}\
figure,tr{break-inside:avoid}h2,caption{break-after:avoid}thead{display:table-header-group}}
";

impl Page<'_> {
    /// The page as an HTML document.
    pub(super) fn html(&self) -> String {
        let title = escape(&self.title);
        let mut html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
             <style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n"
        );
        if let Some(question) = self.question {
            push(&mut html, format_args!("<p class=\"question\">{}</p>\n", escape(question)));
        }
        html.push_str("</header>\n<main>\n");
        section(&mut html, "Results", !self.tables.is_empty() || !self.sentences.is_empty(), |html| {
            for table in self.tables {
                push_table(html, table);
            }
            for sentence in &self.sentences {
                push(html, format_args!("<p>{}</p>\n", escape(sentence)));
            }
        });
        section(&mut html, "Charts", !self.pictures.is_empty(), |html| {
            for (index, picture) in self.pictures.iter().enumerate() {
                push_picture(html, picture, index + 1);
            }
        });
        section(&mut html, "Expectations", !self.verdicts.is_empty(), |html| {
            push_verdicts(html, self.verdicts);
        });
        section(&mut html, "Scenario", !self.scenario.is_empty(), |html| {
            let text = escape(self.scenario);
            push(
                html,
                format_args!("<details>\n<summary>The text of the scenario</summary>\n<pre>{text}</pre>\n</details>\n"),
            );
        });
        html.push_str("</main>\n");
        if !self.facts.is_empty() {
            html.push_str("<footer>\n<h2>About this page</h2>\n<dl>\n");
            for (name, value) in &self.facts {
                push(&mut html, format_args!("<dt>{}</dt><dd>{}</dd>\n", escape(name), escape(value)));
            }
            html.push_str("</dl>\n</footer>\n");
        }
        html.push_str("</body>\n</html>\n");
        html
    }
}

/// Appends formatted text; a string takes everything, so there is no error to report.
fn push(html: &mut String, text: std::fmt::Arguments<'_>) {
    html.write_fmt(text).ok();
}

/// A section with its heading, if there is anything in it.
fn section(html: &mut String, heading: &str, wanted: bool, content: impl FnOnce(&mut String)) {
    if wanted {
        push(html, format_args!("<section>\n<h2>{heading}</h2>\n"));
        content(html);
        html.push_str("</section>\n");
    }
}

/// The classes of cells, and none.
const PLAIN: &str = "";
const NUMBER: &str = " class=\"number\"";
const WIDE: &str = " class=\"wide\"";

fn push_table(html: &mut String, table: &TextTable) {
    let class = |column: usize| if is_numeric(table, column) { NUMBER } else { PLAIN };
    let classes: Vec<&'static str> = (0..table.columns.len()).map(class).collect();
    let cells = |row: &Vec<String>| {
        row.iter()
            .enumerate()
            .map(|(n, cell)| (classes.get(n).copied().unwrap_or(PLAIN), cell.clone()))
            .collect::<Vec<_>>()
    };
    let heads: Vec<(&str, &str)> = classes.iter().copied().zip(table.columns.iter().map(String::as_str)).collect();
    let over = table.over.as_deref().map(|over| (over, table.key_columns()));
    push_rows(html, &table.title, over, &heads, table.rows.iter().map(cells));
    for note in &table.notes {
        push(html, format_args!("<p>{}</p>\n", escape(note)));
    }
}

/// A table of cells with their classes; `over` stands over all columns but so many.
fn push_rows(
    html: &mut String,
    caption: &str,
    over: Option<(&str, usize)>,
    heads: &[(&str, &str)],
    rows: impl Iterator<Item = Vec<(&'static str, String)>>,
) {
    let caption = escape(caption);
    push(html, format_args!("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{caption}\">\n"));
    push(html, format_args!("<table>\n<caption>{caption}</caption>\n<thead>"));
    if let Some((over, keys)) = over {
        let (over, others) = (escape(over), heads.len().saturating_sub(keys).max(1));
        push(html, format_args!("<tr><td colspan=\"{keys}\"></td>"));
        push(html, format_args!("<th scope=\"colgroup\" colspan=\"{others}\">{over}</th></tr>\n"));
    }
    html.push_str("<tr>");
    for (class, head) in heads {
        push(html, format_args!("<th scope=\"col\"{class}>{}</th>", escape(head)));
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        html.push_str("<tr>");
        for (class, cell) in row {
            push(html, format_args!("<td{class}>{}</td>", escape(&cell)));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody>\n</table>\n</div>\n");
}

/// Whether all cells of a column that are not blank read as numbers, perhaps with units ("12.5 ms", "3.1 ± 0.2").
fn is_numeric(table: &TextTable, column: usize) -> bool {
    let mut cells =
        table.rows.iter().filter_map(|row| row.get(column)).filter(|cell| !cell.trim().is_empty()).peekable();
    cells.peek().is_some() && cells.all(|cell| reads_as_number(cell))
}

fn reads_as_number(cell: &str) -> bool {
    // Group separators are spaces too, so "12 000 ms" is two numbers and a unit.
    let mut words = cell.split_once(")×10").map_or(cell, |(number, _)| number).split_whitespace();
    let number = |word: &str| word.trim_end_matches('%').replace('−', "-").parse::<f64>().is_ok();
    // What stands beside an equal choice is no unit.
    let rest =
        |word: &str| number(word) || word.starts_with('(') || (word.chars().count() <= 5 && !"=≈".contains(word));
    words.next().is_some_and(|word| number(word.trim_start_matches('('))) && words.all(rest)
}

fn push_picture(html: &mut String, picture: &Picture, number: usize) {
    let caption = escape(&picture.caption);
    let svg = with_own_ids(&picture.svg, number);
    push(
        html,
        format_args!(
            "<figure>\n<div class=\"chart\" role=\"img\" aria-label=\"{caption}\">\n{svg}</div>\n\
             <figcaption>{caption}</figcaption>\n</figure>\n"
        ),
    );
}

/// The root element of an SVG document, with a prefix before all ids and references to them: pictures on one page
/// share one name space.
fn with_own_ids(svg: &str, number: usize) -> String {
    let root = svg.find("<svg").map_or(svg, |start| &svg[start..]);
    let mut own = String::with_capacity(root.len());
    for piece in root.split_inclusive('>') {
        // Only the tag may hold ids: text that looks like one stays as it is.
        let (text, tag) = piece.split_at(piece.find('<').unwrap_or(piece.len()));
        own.push_str(text);
        if tag.contains('#') || tag.contains(" id=") {
            let tag = tag.replace(" id=\"", &format!(" id=\"figure{number}-"));
            let tag = tag.replace("url(#", &format!("url(#figure{number}-"));
            own.push_str(&tag.replace("href=\"#", &format!("href=\"#figure{number}-")));
        } else {
            own.push_str(tag);
        }
    }
    own
}

fn push_verdicts(html: &mut String, verdicts: &[Verdict]) {
    let met = verdicts.iter().filter(|verdict| verdict.met).count();
    let caption = format!("{met} of {} expectations are met", verdicts.len());
    let heads = [
        (PLAIN, ""),
        (PLAIN, "metric"),
        (PLAIN, "where"),
        (NUMBER, "expected"),
        (NUMBER, "simulated"),
        (NUMBER, "difference"),
        (NUMBER, "tolerance"),
        (PLAIN, "source"),
    ];
    let cells = |verdict: &Verdict| {
        let note = if verdict.note.is_empty() { String::new() } else { format!(" ({})", verdict.note) };
        let met = if verdict.met { (" class=\"ok\"", "✓ ok") } else { (" class=\"miss\"", "✗ miss") };
        vec![
            (met.0, met.1.to_owned()),
            (PLAIN, verdict.metric.clone()),
            (WIDE, verdict.place.clone()),
            (NUMBER, verdict.shown.clone()),
            (NUMBER, verdict.simulated_text()),
            (NUMBER, verdict.difference_text()),
            (NUMBER, verdict.tolerance.clone()),
            (WIDE, format!("{}{note}", verdict.source)),
        ]
    };
    push_rows(html, &caption, None, &heads, verdicts.iter().map(cells));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_escaped() {
        let evil = "<script>\"&'".to_owned();
        let table = TextTable {
            title: evil.clone(),
            columns: vec![evil.clone()],
            rows: vec![vec![evil.clone()]],
            keys: 1,
            over: Some(evil.clone()),
            notes: vec![evil.clone()],
        };
        let page = Page {
            title: evil.clone(),
            question: Some(&evil),
            tables: &[table],
            sentences: vec![evil.clone()],
            pictures: &[Picture {
                name: "a".to_owned(),
                caption: evil.clone(),
                svg: "<svg/>".to_owned(),
                ..Picture::default()
            }],
            verdicts: &[Verdict {
                metric: evil.clone(),
                source: evil.clone(),
                note: evil.clone(),
                ..Verdict::default()
            }],
            scenario: &evil,
            facts: vec![("fact", evil.clone())],
        };
        let html = page.html();
        assert!(!html.contains("<script") && !html.contains("\"&'"), "{html}");
        assert!(html.contains("&lt;script&gt;&quot;&amp;&#39;"));
    }

    #[test]
    fn nothing_is_fetched_and_empty_parts_are_not_there() {
        let html = Page { title: "Empty".to_owned(), ..Page::default() }.html();
        assert!(!html.contains("http") && !html.contains("<section") && !html.contains("<footer"), "{html}");
        assert!(html.contains("<title>Empty</title>") && html.contains("lang=\"en\""));
    }

    #[test]
    fn ids_of_pictures_do_not_meet() {
        let svg =
            "<?xml version=\"1.0\"?><svg><g id=\"a\"/><use href=\"#a\" fill=\"url(#a)\"/><text>url(#a)</text></svg>";
        assert_eq!(
            with_own_ids(svg, 3),
            "<svg><g id=\"figure3-a\"/><use href=\"#figure3-a\" fill=\"url(#figure3-a)\"/><text>url(#a)</text></svg>"
        );
    }

    #[test]
    fn numbers_are_told_from_words() {
        for number in ["12", "-3.5", "−3.5", "12.5 ms", "3.1 ± 0.2", "12\u{a0}000", "5%", "1e-9", "(2.50 ± 0.03)×10⁷"]
        {
            assert!(reads_as_number(number), "{number}");
        }
        for word in ["binomial", "a 1", "1 broadcast algorithm", "2nd", "0 = 1 = 2"] {
            assert!(!reads_as_number(word), "{word}");
        }
    }
}
