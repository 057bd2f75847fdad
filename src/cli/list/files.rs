//! The commands, and the files that keys and commands take, from the definitions of both.

use clap::{Arg, Command, CommandFactory, ValueHint};

use super::Group;
use crate::cli::arguments::Hetsim;
use crate::report::spec::NOTATION;
use crate::scenario::{KeyTable, key_tables};

/// The commands in the order of the help.
pub(super) fn commands() -> Group {
    let command = Hetsim::command();
    let entry = |one: &Command| (one.get_name().to_owned(), about(one.get_about()));
    Group {
        title: "Commands (hetsim COMMAND --help)".to_owned(),
        entries: command.get_subcommands().map(entry).collect(),
    }
}

/// The files and folders that commands take; commands that take the same are named together.
pub(super) fn of_commands() -> Group {
    let command = Hetsim::command();
    let mut taken: Vec<(Vec<&str>, String, String)> = Vec::new();
    for one in command.get_subcommands() {
        for arg in one.get_positionals().filter(|arg| arg.get_value_hint() == ValueHint::AnyPath) {
            let (value, about) = (value_name(arg), about(arg.get_help()));
            match taken.iter_mut().find(|(_, other, help)| *other == value && *help == about) {
                Some((commands, ..)) => commands.push(one.get_name()),
                None => taken.push((vec![one.get_name()], value, about)),
            }
        }
    }
    let entries = taken.into_iter().map(|(commands, value, about)| (format!("{} {value}", commands.join(", ")), about));
    Group { title: "Files and folders of commands (hetsim COMMAND --help)".to_owned(), entries: entries.collect() }
}

fn value_name(arg: &Arg) -> String {
    let named = arg.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
    named.unwrap_or_else(|| arg.get_id().as_str().to_uppercase())
}

fn about(text: Option<&clap::builder::StyledStr>) -> String {
    text.map(ToString::to_string).unwrap_or_default()
}

/// The files that keys name. Keys that take the same are listed once, by the first.
pub(super) fn of_keys() -> Group {
    let mut entries: Vec<(String, String)> = Vec::new();
    for table in key_tables(NOTATION.schema()).iter().filter(|table| table.same_as.is_none()) {
        for (name, about) in files_of(table) {
            if entries.iter().all(|(_, other)| *other != about) {
                entries.push((name, about));
            }
        }
    }
    Group { title: "Files that keys name (hetsim explain KEY)".to_owned(), entries }
}

fn files_of(table: &KeyTable) -> impl Iterator<Item = (String, String)> {
    let keys = table.forms.iter().flat_map(|form| &form.keys);
    let files = keys.filter(|key| key.takes.split(" or ").any(|kind| matches!(kind, "file" | "list of files")));
    files.map(|key| (table.dotted(&key.name), key.about.clone()))
}
