//! `hetsim list`: lists everything that a scenario can name.

use std::fmt::Write;

use super::arguments::List;
use super::catalogue::catalogue;
use super::say::print;
use super::terminal::wrapped;
use super::{Failure, bad_input};
use crate::record::{Direction, Metric, MetricKind};
use crate::scenario::{common_metrics, nearest, studies, workloads};

/// The width of the name column.
const NAMES: usize = 30;

/// Something that a scenario can name.
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
pub(super) fn list(arguments: &List) -> Result<(), Failure> {
    let mut text = String::new();
    for section in entries(&arguments.words).map_err(bad_input)?.chunk_by(|a, b| a.section == b.section) {
        let _ = writeln!(text, "{}\n{}", section[0].section, section.iter().map(line).collect::<String>());
    }
    if arguments.words.is_empty() {
        text.push_str("Metrics of runs: hetsim list metrics\nMore about a name: hetsim explain NAME\n");
    } else if arguments.words[0].eq_ignore_ascii_case("metrics") {
        text.push_str("The direction says which value is best;\n`largest = true` and `least = true` override it.\n");
    }
    print(&text)
}

/// Everything that a scenario can name but metrics; or what has all of these words, or whose section has them, metrics
/// included.
///
/// # Errors
/// Nothing matches; the message suggests a name.
pub fn entries(words: &[String]) -> Result<Vec<Entry>, String> {
    let wanted = words.iter().map(|word| word.to_lowercase()).collect();
    let mut listing = Listing { entries: Vec::new(), wanted, names: Vec::new() };
    for of_kind in catalogue() {
        section(&mut listing, of_kind.title, of_kind.entries.iter().map(|entry| (entry.name, entry.about.as_str())));
    }
    if !words.is_empty() {
        listing = metrics(listing);
    }
    if listing.entries.is_empty() {
        let asked = words.join(" ");
        let names: Vec<&str> = listing.names.iter().map(String::as_str).collect();
        let meant = nearest(&asked, names.iter().copied());
        let help =
            meant.map_or_else(|| "`hetsim list` lists everything".to_owned(), |name| format!("did you mean `{name}`?"));
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

/// The metrics of each workload and study: name, unit, direction and meaning.
fn metrics(mut listing: Listing) -> Listing {
    for kind in workloads() {
        section_of_metrics(&mut listing, &format!("Metrics of `{}`", kind.name), &kind.own_metrics);
    }
    for kind in studies() {
        section_of_metrics(&mut listing, &format!("Metrics of the study `{}`", kind.name), &kind.own_metrics);
    }
    section_of_metrics(&mut listing, "Metrics of every workload", &common_metrics());
    listing
}

fn section_of_metrics(listing: &mut Listing, title: &str, metrics: &[&'static Metric]) {
    let about = |metric: &Metric| {
        let what = properties(metric);
        let what = if what.is_empty() { what } else { format!("[{what}] ") };
        (metric.name, format!("{what}{}", metric.explained()))
    };
    let entries: Vec<(&str, String)> = metrics.iter().copied().map(about).collect();
    section(listing, title, entries.iter().map(|(name, about)| (*name, about.as_str())));
}

/// The unit of a metric, its better direction, and whether this computer's clock measures it; may be empty.
pub(super) fn properties(metric: &Metric) -> String {
    let clock = (metric.kind == MetricKind::Timing).then_some("wall-clock time");
    let kind = if metric.is_name() { Some("a name") } else { metric.unit() };
    let direction = metric.direction.and_then(Direction::words);
    [kind, direction, clock].into_iter().flatten().collect::<Vec<_>>().join(", ")
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
    /// Whether a text contains all requested words. A plural matches its singular.
    fn is_wanted(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        let singular = |word: &str| word.strip_suffix('s').filter(|rest| !rest.ends_with('s')).map(str::to_owned);
        let is_there = |word: &String| text.contains(word) || singular(word).is_some_and(|word| text.contains(&word));
        self.wanted.iter().all(is_there)
    }
}

fn section<'a>(listing: &mut Listing, title: &str, entries: impl Iterator<Item = (&'a str, &'a str)>) {
    let whole = listing.is_wanted(title);
    for (name, about) in entries {
        listing.names.push(name.to_owned());
        if whole || listing.is_wanted(&format!("{title} {name} {about}")) {
            let about = about.trim_end_matches('.').to_owned();
            listing.entries.push(Entry { section: title.to_owned(), name: name.to_owned(), about });
        }
    }
}
