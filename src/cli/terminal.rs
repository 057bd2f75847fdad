//! Messages and tables on the terminal.

use super::console::Console;
use super::layout::layout;
use crate::report::expect::Verdict;
use crate::report::statement::tally;
use crate::report::text::TextTable;
use crate::scenario::Problems;

/// The width of text if the terminal does not give one, as in a pipe. Tables then stay in one piece.
const WIDTH: u16 = 80;

/// Prints the errors in the input, each with its position in the text.
pub(super) fn show_problems(console: &Console, problems: &Problems) {
    console.say_coloured(&problems.shown(console.is_coloured()));
}

/// A table as text, followed by a blank line.
pub(super) fn text_table(table: &TextTable) -> String {
    let notes: String = table.notes.iter().map(|note| wrapped(note, 0, 2)).collect();
    format!(
        "{}{}\n{notes}\n",
        wrapped(&table.title, 0, 0),
        layout(table, usize::from(terminal_width()), known_width().is_some())
    )
}

/// The maximum number of missed expectations shown; the rest is counted.
const MOST_MISSED: usize = 20;

/// Expectations as text: statements are counted, and the rows that are missed are shown with their reasons.
pub(super) fn expectations(verdicts: &[Verdict]) -> String {
    if verdicts.is_empty() {
        return String::new();
    }
    let missed: Vec<&Verdict> = verdicts.iter().filter(|verdict| !verdict.met).collect();
    let mut text = format!("Expectations: {}\n", tally(verdicts));
    for verdict in missed.iter().take(MOST_MISSED) {
        let simulated = match verdict.simulated_text() {
            text if text.is_empty() => "nothing".to_owned(),
            text => text,
        };
        let at = if verdict.place.is_empty() { String::new() } else { format!(" at {}", verdict.place) };
        let difference = match verdict.difference_text() {
            percent if percent.is_empty() => percent,
            percent => format!(" ({percent})"),
        };
        text.push_str(&wrapped(&format!("✗ {}{at}", verdict.metric), 1, 3));
        let line = format!(
            "{} {} ({}), {} {simulated}{difference}; {}",
            verdict.kind.participle(),
            verdict.shown,
            verdict.tolerance,
            if verdict.clocked { "wall-clock time" } else { "simulated" },
            verdict.source
        );
        text.push_str(&wrapped(&line, 3, 3));
        if !verdict.note.is_empty() {
            text.push_str(&wrapped(&format!("Note: {}", verdict.note), 3, 3));
        }
    }
    if missed.len() > MOST_MISSED {
        text.push_str(&wrapped(&format!("… and {} more in expect.csv", missed.len() - MOST_MISSED), 1, 3));
    }
    text.push('\n');
    text
}

/// The maximum number of sentences shown; the rest is counted.
const MOST_SENTENCES: usize = 20;

/// Sentences below a heading, followed by a blank line; empty without sentences.
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

/// Wraps text to the terminal, with different indentation of the first line and the others.
pub(super) fn wrapped(text: &str, first: usize, others: usize) -> String {
    let width = usize::from(terminal_width());
    let mut lines = String::new();
    for paragraph in text.lines() {
        let mut column = 0;
        for word in words(paragraph) {
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
            lines.push_str(&word);
            column += length;
        }
        lines.push('\n');
    }
    lines
}

/// Splits a text into words; a number with its unit, joined by a no-break space, is one word.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split([' ', '\t']).filter(|word| !word.is_empty()) {
        match words.last_mut() {
            Some(number) if word.starts_with('%') => {
                number.push(' ');
                number.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

/// The width of the terminal, or the value of `COLUMNS`; `None` without either, as in a pipe.
fn known_width() -> Option<u16> {
    let given = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let real = || terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| width.0);
    given.or_else(real).map(|width: u16| width.max(40))
}

/// The width for wrapping text.
pub(super) fn terminal_width() -> u16 {
    known_width().unwrap_or(WIDTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_stays_with_its_unit() {
        assert_eq!(
            words("is  12.4 % (95 % interval 11.7\u{a0}ms to 13)"),
            ["is", "12.4 %", "(95 %", "interval", "11.7\u{a0}ms", "to", "13)"]
        );
    }
}
