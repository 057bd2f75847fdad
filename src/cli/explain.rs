//! `hetsim explain`: what the documentation says of a metric, a key or a named alternative.

mod alternative;
mod key;
mod likely;
mod metric;
mod page;

use std::fmt::Write;

use super::catalogue::catalogue;
use super::console::Console;
use super::terminal::wrapped;
use super::{Failure, bad_input};
use crate::report::spec::NOTATION;
use crate::scenario::{KeyTable, key_tables, nearest};

/// Prints all that a name means.
pub(super) fn explain(console: &Console, name: &str) -> Result<(), Failure> {
    let (name, tables) = (name.trim_matches('`'), key_tables(NOTATION.schema()));
    let explanation = explanation(name, &tables);
    if explanation.text.is_empty() {
        let known = names(&tables);
        let near = nearest(name, known.iter().map(String::as_str));
        let help = near.map_or_else(
            || "`hetsim list` and `hetsim list metrics` list the names".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        return Err(bad_input(format!("`{name}` is not a metric, a key or a named alternative; {help}")));
    }
    console.print(&explanation.printed())
}

/// Whether a name can be explained.
pub(super) fn knows(name: &str) -> bool {
    !explanation(name, &key_tables(NOTATION.schema())).text.is_empty()
}

fn explanation(name: &str, tables: &[KeyTable]) -> Explanation {
    let mut explanation = Explanation::default();
    metric::explain(name, &mut explanation);
    alternative::explain(name, tables, &mut explanation);
    key::explain_value(name, tables, &mut explanation);
    key::explain(name, tables, &mut explanation);
    explanation.sorted()
}

/// Every name that can be explained; keys alone and with their tables.
fn names(tables: &[KeyTable]) -> Vec<String> {
    let metrics = metric::names().map(str::to_owned);
    let catalogue = catalogue();
    let alternatives = catalogue.iter().flat_map(|section| &section.entries).map(|entry| entry.name.to_owned());
    metrics.chain(alternatives).chain(chosen(tables)).chain(key::names(tables)).collect()
}

/// Every name that a key takes or a table is chosen by.
fn chosen(tables: &[KeyTable]) -> impl Iterator<Item = String> {
    let forms = || tables.iter().flat_map(|table| &table.forms);
    let values = forms().flat_map(|form| &form.keys).flat_map(|key| &key.names).map(|value| value.name.clone());
    forms().filter_map(|form| form.name.clone()).chain(values)
}

/// The names for completion in a shell: without the tables of keys.
pub(super) fn completed() -> Vec<String> {
    let mut names: Vec<String> = names(&key_tables(NOTATION.schema()));
    names.retain(|name| !name.contains('.'));
    names.sort();
    names.dedup();
    names
}

/// A text for the terminal, and the pages to read next.
#[derive(Debug, Default)]
struct Explanation {
    /// The part that is being written; in the end all of them.
    text: String,
    /// How often the meaning of this part is met with, and the parts before it with the same.
    uses: usize,
    parts: Vec<(usize, String)>,
    pages: Vec<String>,
    /// The descriptions of alternatives in it.
    said: Vec<String>,
}

impl Explanation {
    /// Starts a part: one meaning of the name, which is met with so often in the templates.
    fn part(&mut self, name: &str, what: &str, uses: usize) {
        self.end_part();
        self.uses = uses;
        self.text.push_str(&wrapped(&format!("{name}: {what}"), 0, 2));
    }

    fn end_part(&mut self) {
        if !self.text.is_empty() {
            self.parts.push((self.uses, std::mem::take(&mut self.text)));
        }
    }

    /// The same with the likeliest meaning first.
    fn sorted(mut self) -> Self {
        self.end_part();
        self.parts.sort_by_key(|(uses, _)| std::cmp::Reverse(*uses));
        let texts: Vec<String> = std::mem::take(&mut self.parts).into_iter().map(|(_, text)| text).collect();
        Self { text: texts.join("\n"), ..self }
    }

    /// Adds the description of an alternative.
    fn describe(&mut self, about: &str) {
        self.say(&sentence(about));
        self.said.push(about.to_owned());
    }

    /// Whether it describes an alternative by these words; more may follow them, such as the operations of an algorithm.
    fn has_said(&self, about: &str) -> bool {
        let about = words(about);
        !about.is_empty() && self.said.iter().any(|said| words(said).starts_with(&about))
    }

    /// Whether it describes alternatives.
    const fn has_alternatives(&self) -> bool {
        !self.said.is_empty()
    }

    /// Adds a paragraph.
    fn say(&mut self, text: &str) {
        self.text.push_str(&wrapped(text, 2, 2));
    }

    /// Adds an item of a list.
    fn item(&mut self, text: &str) {
        self.text.push_str(&wrapped(text, 2, 4));
    }

    /// Adds a heading within a part.
    fn heading(&mut self, text: &str) {
        let _ = writeln!(self.text, "\n{}", wrapped(text, 2, 4).trim_end());
    }

    /// Adds a paragraph below a heading.
    fn below(&mut self, text: &str) {
        self.text.push_str(&wrapped(text, 4, 4));
    }

    /// Adds a page of `docs/`.
    fn read(&mut self, page: &str) {
        let page = format!("docs/{page}");
        if !self.pages.contains(&page) {
            self.pages.push(page);
        }
    }

    fn printed(&self) -> String {
        format!("{}\n{}", self.text, wrapped(&format!("Read {}", self.pages.join(", ")), 0, 5))
    }
}

/// A description as its words, however its lines end.
fn words(text: &str) -> Vec<&str> {
    text.trim_end_matches('.').split_whitespace().collect()
}

/// A description as a sentence.
fn sentence(text: &str) -> String {
    let mut letters = text.trim_end_matches('.').chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", letters.as_str())
}

#[cfg(test)]
mod tests;
