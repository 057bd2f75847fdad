//! The help of `hetsim` itself: its commands in groups, by what one wants to do. And the examples of every command.

mod examples;

use std::fmt::Write;

use clap::{Command, CommandFactory};

use super::arguments::Hetsim;
use super::terminal::{terminal_width, wrapped};

/// The groups of commands, in the order in which one comes to need them.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Run", &["new", "check", "run", "list"]),
    ("Explore", &["explain", "plot", "trace", "compare"]),
    ("Measure and predict", &["measure", "calibrate", "validate", "advise", "fit", "partition"]),
    ("On clusters", &["submit", "merge", "status"]),
    ("Files and tools", &["convert", "schema", "completions", "help"]),
];

/// The width of the column of names.
const NAMES: usize = 15;

/// The command line, with the commands in groups.
pub(super) fn command() -> Command {
    let command = Hetsim::command();
    let (groups, options) = (groups(&built()), heading(&command, "Options"));
    let before = "{before-help}{about-with-newline}\n{usage-heading} {usage}\n\n";
    let width = usize::from(terminal_width());
    let command = with_examples(command, width).mut_subcommands(|command| with_examples(command, width));
    command.term_width(width).help_template(format!("{before}{groups}{options}\n{{options}}{{after-help}}"))
}

/// The command with its examples laid out for a width.
fn with_examples(command: Command, width: usize) -> Command {
    match command.get_after_help().map(ToString::to_string) {
        Some(text) => command.after_help(examples::fitted(&text, width)),
        None => command,
    }
}

/// The command line with what is added when it is built: the command `help`.
fn built() -> Command {
    let mut command = Hetsim::command();
    command.build();
    command
}

/// A title in the style of the other headings.
fn heading(command: &Command, title: &str) -> String {
    let style = command.get_styles().get_header();
    format!("{style}{title}:{style:#}")
}

fn groups(command: &Command) -> String {
    let style = command.get_styles().get_literal();
    let mut text = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(text, "{}", heading(command, title));
        for one in names.iter().filter_map(|name| command.find_subcommand(name)) {
            let about = one.get_about().map(ToString::to_string).unwrap_or_default();
            let space = NAMES - 2 - one.get_name().len();
            let about = wrapped(&about, NAMES, NAMES);
            let _ = write!(text, "  {style}{}{style:#}{:space$}{}", one.get_name(), "", about.trim_start());
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let command = built();
        let all: BTreeSet<&str> = command.get_subcommands().map(Command::get_name).collect();
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        assert_eq!(grouped.iter().copied().collect::<BTreeSet<_>>(), all);
        assert_eq!(grouped.len(), all.len());
    }
}
