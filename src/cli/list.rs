//! `hetsim list`: lists everything that a scenario can name, and finds metrics, files and commands, too.

mod files;

use std::fmt::Write;

use super::arguments::List;
use super::catalogue::{Section, catalogue};
use super::console::Console;
use super::explain;
use super::meanings::{Meaning, in_words, meanings, properties};
use super::terminal::wrapped;
use super::{Failure, bad_input};
use crate::fit::read::collectives::operation_name;
use crate::scenario::nearest;

/// The width of the name column.
const NAMES: usize = 30;

/// What the list without a word leaves out.
const MORE: &str = "Metrics of runs: hetsim list metrics\nFiles: hetsim list files\nCommands: hetsim list commands\n\
                    More about a name: hetsim explain NAME\n";

/// Something that has a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What it is: the title of its section.
    pub section: String,
    /// Its name.
    pub name: String,
    /// What it means, in a few words.
    pub about: String,
}

/// Prints every section, or the lines with all given words, and whole sections whose title has them.
pub(super) fn list(console: &Console, arguments: &List) -> Result<(), Failure> {
    let mut text = String::new();
    for section in entries(&arguments.words).map_err(bad_input)?.chunk_by(|a, b| a.section == b.section) {
        let _ = writeln!(text, "{}\n{}", section[0].section, section.iter().map(line).collect::<String>());
    }
    if arguments.words.is_empty() {
        text.push_str(MORE);
    } else if arguments.words[0].eq_ignore_ascii_case("metrics") {
        text.push_str("The direction says which value is best;\n`largest = true` and `least = true` override it.\n");
    }
    console.print(&text)
}

/// Everything that a scenario can name but metrics; or what has all of these words, or whose section has them: also
/// metrics, files and commands.
///
/// # Errors
/// Nothing matches; the message suggests a name.
pub fn entries(words: &[String]) -> Result<Vec<Entry>, String> {
    // Operations have MPI's names, too.
    let own_name = |word: String| operation_name(&word).map_or(word, str::to_owned);
    let wanted = words.iter().map(|word| own_name(word.to_lowercase())).collect();
    let mut listing = Listing { entries: Vec::new(), wanted, names: Vec::new() };
    for section in catalogue() {
        listing.add(section.into());
    }
    if !words.is_empty() {
        let files = [files::of_keys(), files::of_commands()];
        for group in files.into_iter().chain(metrics()).chain([files::commands()]) {
            listing.add(group);
        }
    }
    if listing.entries.is_empty() {
        let asked = words.join(" ");
        let names: Vec<&str> = listing.names.iter().map(String::as_str).collect();
        let help = match nearest(&asked, names.iter().copied()) {
            _ if explain::knows(&asked) => format!("`hetsim explain {asked}` explains it"),
            Some(name) => format!("did you mean `{name}`?"),
            None => "`hetsim list` lists everything".to_owned(),
        };
        return Err(format!("nothing in the list matches `{asked}`; {help}"));
    }
    Ok(listing.entries)
}

/// An entry as lines of text; continuation lines are indented below the first.
fn line(Entry { name, about, .. }: &Entry) -> String {
    let about = wrapped(about, NAMES, NAMES);
    if name.len() + 2 < NAMES {
        format!("  {name:<width$}{}", about.trim_start(), width = NAMES - 2)
    } else {
        format!("  {name}\n{:NAMES$}{}", "", about.trim_start())
    }
}

/// The metrics, by the kinds of workloads and studies that have them: name, unit, direction and meaning.
fn metrics() -> Vec<Group> {
    let (mut groups, mut meanings) = (Vec::<Group>::new(), meanings());
    // What is special to a kind first, what all have last.
    meanings.sort_by_key(|meaning| meaning.kinds.len());
    for Meaning { metric, kinds } in meanings {
        let title = format!("Metrics of {}", in_words(&kinds));
        let what = properties(metric);
        let what = if what.is_empty() { what } else { format!("[{what}] ") };
        let entry = (metric.name.to_owned(), format!("{what}{}", metric.explained()));
        match groups.iter_mut().find(|group| group.title == title) {
            Some(group) => group.entries.push(entry),
            None => groups.push(Group { title, entries: vec![entry] }),
        }
    }
    groups
}

/// A part of the list.
struct Group {
    title: String,
    /// Names and what they mean.
    entries: Vec<(String, String)>,
}

impl From<Section> for Group {
    fn from(section: Section) -> Self {
        let entries = section.entries.into_iter().map(|entry| (entry.name.to_owned(), entry.about)).collect();
        Self { title: section.title.to_owned(), entries }
    }
}

/// The entries of the list that match the request.
struct Listing {
    entries: Vec<Entry>,
    /// The words that a line or its title must contain, in lower case; empty for all lines.
    wanted: Vec<String>,
    /// Every name, for suggestions.
    names: Vec<String>,
}

impl Listing {
    /// Whether words of a text begin with all requested words. A plural matches its singular.
    fn is_wanted(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        let is_start = |at: usize| !text[..at].ends_with(char::is_alphanumeric);
        let starts = |word: &str| text.match_indices(word).any(|(at, _)| is_start(at));
        let singular = |word: &'_ str| word.strip_suffix('s').filter(|rest| !rest.ends_with('s')).is_some_and(starts);
        self.wanted.iter().all(|word| starts(word) || singular(word))
    }

    /// Adds what is requested of a group.
    fn add(&mut self, Group { title, entries }: Group) {
        let whole = self.is_wanted(&title);
        for (name, about) in entries {
            self.names.push(name.clone());
            if whole || self.is_wanted(&format!("{title} {name} {about}")) {
                let about = about.trim_end_matches('.').to_owned();
                self.entries.push(Entry { section: title.clone(), name, about });
            }
        }
    }
}
