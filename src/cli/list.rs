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

/// Prints every section, or the lines with all given words, and whole sections whose title has them.
pub(super) fn list(arguments: &List) -> Result<(), Failure> {
    let wanted = arguments.words.iter().map(|word| word.to_lowercase()).collect();
    let mut listing = Listing { text: String::new(), wanted, names: Vec::new() };
    for of_kind in catalogue() {
        section(&mut listing, of_kind.title, of_kind.entries.iter().map(|entry| (entry.name, entry.about.as_str())));
    }
    if arguments.words.is_empty() {
        listing.text.push_str("Metrics of runs: hetsim list metrics\nMore about a name: hetsim explain NAME\n");
    } else {
        listing = metrics(listing);
    }
    if listing.text.is_empty() {
        let asked = arguments.words.join(" ");
        let names: Vec<&str> = listing.names.iter().map(String::as_str).collect();
        let meant = nearest(&asked, names.iter().copied());
        let help =
            meant.map_or_else(|| "`hetsim list` lists everything".to_owned(), |name| format!("did you mean `{name}`?"));
        return Err(bad_input(format!("nothing in the list matches `{asked}`; {help}")));
    }
    if listing.wanted.first().is_some_and(|word| word == "metrics") {
        listing
            .text
            .push_str("The direction says which value is best;\n`largest = true` and `least = true` override it.\n");
    }
    print(&listing.text)
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

/// The sections of the list that match the request.
struct Listing {
    text: String,
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
    let mut text = String::new();
    for (name, about) in entries {
        listing.names.push(name.to_owned());
        if !whole && !listing.is_wanted(&format!("{title} {name} {about}")) {
            continue;
        }
        // Continuation lines are indented below the first.
        let about = wrapped(about.trim_end_matches('.'), NAMES, NAMES);
        if name.len() + 2 < NAMES {
            let _ = write!(text, "  {name:<width$}{}", about.trim_start(), width = NAMES - 2);
        } else {
            let _ = write!(text, "  {name}\n{:NAMES$}{}", "", about.trim_start());
        }
    }
    if !text.is_empty() {
        let _ = writeln!(listing.text, "{title}\n{text}");
    }
}
