//! One page with everything: the answer first, then charts, the scenario and the files, in a file that needs nothing
//! else.
//!
//! The page loads nothing, follows the reader's choice of light or dark, prints, and is read on a phone. Its script
//! sorts, filters and pages tables, tells values that are pointed at, and zooms; without it everything can be read.

mod figure;
mod html;
mod table;
mod verdicts;

#[cfg(test)]
mod tests;

use html::{Html, href};
use table::PageTable;

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
    /// What was set over the scenario's file.
    pub(super) set: Option<String>,
    /// Tables that answer it.
    pub(super) tables: &'a [TextTable],
    /// Sentences that sum it up.
    pub(super) sentences: Vec<String>,
    /// Charts that show it. They are trusted and not escaped.
    pub(super) pictures: &'a [Picture],
    /// The verdicts on expectations.
    pub(super) verdicts: &'a [Verdict],
    /// The text of the scenario as it ran, folded away.
    pub(super) scenario: &'a str,
    /// The files beside the page, by their paths from it.
    pub(super) files: Vec<String>,
    /// Names and values of what made the page: version, seed, number of runs.
    pub(super) facts: Vec<(&'static str, String)>,
}

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Files that have all values, the likeliest first.
const VALUES: [&str; 3] = ["summary.csv", "points.csv", "results.csv"];

impl Page<'_> {
    /// The page as an HTML document.
    pub(super) fn html(&self) -> String {
        let mut html = Html::default();
        let title = escape(&self.title);
        html.push(format_args!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
             <style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n"
        ));
        if let Some(question) = self.question {
            html.push(format_args!("<p class=\"question\">{}</p>\n", escape(question)));
        }
        if let Some(set) = &self.set {
            html.push(format_args!("<p>{}</p>\n", escape(set)));
        }
        html.raw("</header>\n");
        self.push_contents(&mut html);
        html.raw("<main>\n");
        let sections = self.sections();
        for &(id, heading, push) in &sections {
            html.section(id, heading, |html| push(self, html));
        }
        html.raw("</main>\n");
        if !self.facts.is_empty() {
            html.raw("<footer id=\"about\">\n<h2>About this page</h2>\n<dl>\n");
            for (name, value) in &self.facts {
                html.push(format_args!("<dt>{}</dt><dd>{}</dd>\n", escape(name), escape(value)));
            }
            html.raw("</dl>\n</footer>\n");
        }
        html.push(format_args!("<script>\n{}</script>\n</body>\n</html>\n", shipped(SCRIPT)));
        html.done()
    }

    /// The sections that have anything in them: their ids, headings and contents.
    fn sections(&self) -> Vec<Section> {
        let has_answer = !self.tables.is_empty() || !self.sentences.is_empty() || !self.verdicts.is_empty();
        let sections: [(bool, Section); 5] = [
            (has_answer, ("answer", "Answer", |page, html| page.push_answer(html))),
            (
                !self.verdicts.is_empty(),
                ("expectations", "Expectations", |page, html| {
                    verdicts::push(html, page.verdicts);
                }),
            ),
            (
                !self.pictures.is_empty(),
                ("charts", "Charts", |page, html| {
                    for (index, picture) in page.pictures.iter().enumerate() {
                        figure::push(html, picture, index + 1, &page.files, page.csv());
                    }
                }),
            ),
            (
                !self.scenario.is_empty(),
                ("scenario", "Scenario", |page, html| {
                    let text = escape(page.scenario);
                    let as_it_ran = if page.set.is_some() { ", with what was set" } else { "" };
                    html.push(format_args!(
                        "<details>\n<summary>The text of the scenario{as_it_ran}</summary>\n<pre>{text}</pre>\n</details>\n"
                    ));
                }),
            ),
            (!self.files.is_empty(), ("files", "Files", |page, html| page.push_files(html))),
        ];
        sections.into_iter().filter_map(|(wanted, section)| wanted.then_some(section)).collect()
    }

    fn csv(&self) -> Option<&'static str> {
        VALUES.into_iter().find(|name| self.files.iter().any(|file| file == name))
    }

    /// What is where. A page of one part needs no list.
    fn push_contents(&self, html: &mut Html) {
        let sections = self.sections();
        if sections.len() < 2 {
            return;
        }
        html.raw("<nav aria-label=\"Contents\">\n<ul>\n");
        for (id, heading, _) in sections {
            html.push(format_args!("<li><a href=\"#{id}\">{heading}</a>"));
            if id == "charts" && self.pictures.len() > 1 {
                html.raw("\n<ul>\n");
                for picture in self.pictures {
                    let name = escape(&picture.name.replace(['-', '_'], " "));
                    html.push(format_args!("<li><a href=\"#{}\">{name}</a></li>\n", figure::id(picture)));
                }
                html.raw("</ul>\n");
            }
            html.raw("</li>\n");
        }
        html.raw("</ul>\n</nav>\n");
    }

    fn push_answer(&self, html: &mut Html) {
        if !self.verdicts.is_empty() {
            verdicts::push_chip(html, self.verdicts);
        }
        for table in self.tables {
            PageTable::of(table).push(html, self.csv());
            for note in &table.notes {
                html.push(format_args!("<p class=\"note\">{}</p>\n", escape(note)));
            }
        }
        for sentence in &self.sentences {
            html.push(format_args!("<p>{}</p>\n", escape(sentence)));
        }
    }

    fn push_files(&self, html: &mut Html) {
        html.raw("<ul class=\"files\">\n");
        for file in &self.files {
            html.push(format_args!("<li><a href=\"{}\">{}</a></li>\n", href(file), escape(file)));
        }
        html.raw("</ul>\n");
    }
}

/// A part of the page: its id, its heading, and what writes it.
type Section = (&'static str, &'static str, fn(&Page<'_>, &mut Html));

/// A script without its comments and the space that it does not need. Strings, templates and regular expressions stay.
fn shipped(script: &str) -> String {
    let lines = script.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    let text: Vec<char> = lines.flat_map(|line| line.chars().chain(['\n'])).collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(&c) = text.get(at) {
        let last = out.chars().next_back().unwrap_or('\n');
        let next = text.get(at + 1).copied().unwrap_or('\n');
        let length = match c {
            '\'' | '`' => literal(&text[at..], c),
            '/' if "(=,:&|?!".contains(last) => literal(&text[at..], c),
            _ => 1,
        };
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let is_needless = match c {
            ' ' => !(is_word(last) && is_word(next) || "+-".contains(last) && last == next),
            // What ends like this goes on in the next line, and what begins like this goes on from the last one.
            '\n' => "\n,;{([=>&|?:".contains(last) || ")]}?:.&|".contains(next),
            _ => false,
        };
        if c == '}' && last == ';' {
            out.pop();
        }
        if !is_needless {
            out.extend(&text[at..at + length]);
        }
        at += length;
        // Nothing is assigned to what is constant, so the shorter word does as well.
        if is_word(c) && !text.get(at).copied().is_some_and(is_word) && ends_with_word(&out, "const") {
            out.truncate(out.len() - "const".len());
            out.push_str("let");
        }
    }
    out
}

/// Whether a text ends with a word, and not with a longer one.
fn ends_with_word(text: &str, word: &str) -> bool {
    text.strip_suffix(word).is_some_and(|before| !before.ends_with(|c: char| c.is_alphanumeric() || "_$.".contains(c)))
}

/// The length of the literal that a text begins with, up to the same sign again.
fn literal(text: &[char], sign: char) -> usize {
    let mut ends = (1..text.len()).filter(|&at| text[at] == sign && text[at - 1] != '\\');
    ends.next().map_or(text.len(), |end| end + 1)
}
