//! `hetsim new`: prints a commented scenario to start from, or the kinds of them.

use std::fmt::Write;

use super::arguments::New;
use super::console::Console;
use super::terminal::wrapped;
use super::{Failure, bad_input};
use crate::scenario::{TEMPLATES, template};

pub(super) fn new(console: &Console, new: &New) -> Result<(), Failure> {
    let Some(kind) = &new.kind else { return console.print(&kinds()) };
    let text = template(kind).ok_or_else(|| bad_input(format!("there is no kind `{kind}`")))?;
    console.print_data(|out| out.write_all(text.as_bytes()))
}

/// The kinds, each with its topic.
fn kinds() -> String {
    let width = TEMPLATES.iter().map(|(kind, _)| kind.len()).max().unwrap_or(0) + 2;
    let mut text = "Kinds of scenarios (hetsim new KIND > mine.toml)\n".to_owned();
    for (kind, about) in TEMPLATES {
        // Continuation lines are indented below the first.
        let _ = write!(text, "  {kind:<width$}{}", wrapped(about, width + 2, width + 2).trim_start());
    }
    text
}
