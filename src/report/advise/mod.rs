//! Which algorithm for which operation, size and number of ranks: from measured times to a table, a file of all
//! choices, a map an operation, and files of rules for MPI libraries.

mod doubt;
mod followed;
mod libraries;
mod limit;
mod map;
mod measured;
mod mpich;
mod own;
mod rules;
mod rules_json;
mod scale;
pub mod tasks;
#[cfg(test)]
mod tests;
mod ucc;

use std::io;

use crate::communication::{Algorithm, Operation};
use crate::fit::read::collectives::Maker;
use crate::record::Value;
use crate::report::csv_file::{self, Column};
use crate::report::text::{TextTable, humane};
use crate::workload::advise::{AdvisedMethod, Candidate, usual};

pub use doubt::{SEVERAL_RANKS, falling, several_ranks};
pub use followed::Ruled;
pub use libraries::{TunedRule, rule};
pub use map::map;
pub use measured::{Uncertainty, candidate, caveats, correct};
pub use mpich::{mpich, selection_json};
pub use own::{KNOWN, OwnChoice};
pub use rules::rules;
pub use rules_json::rules_json;
pub use scale::{MeasuredRatios, scale};
pub use ucc::{Named, settings, ucc};

/// A candidate, and when its last rank was done.
#[derive(Debug, Clone, PartialEq)]
pub struct Timed {
    /// The candidate.
    pub candidate: Candidate,
    /// When the last rank was done, in seconds; the mean where there were several replicas.
    pub seconds: f64,
    /// Whether this time was measured on the real machine, and not simulated.
    pub measured: bool,
}

/// The times of all candidates for an operation, a number of ranks and a size.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The operation.
    pub operation: Operation,
    /// The number of ranks, at least two.
    pub ranks: u32,
    /// How many of them are on each node, if that was asked.
    pub ranks_per_node: Option<u32>,
    /// Whether some node of the platform has several ranks, asked or not.
    pub has_shared_nodes: bool,
    /// The size, as the operation counts it; 0 for a barrier.
    pub bytes: u64,
    /// Whether times are those of a benchmark of a library, whose trees are in that library's order.
    pub benchmark: bool,
    /// Every candidate that is possible. Of equally fast ones the first wins.
    pub timed: Vec<Timed>,
    /// How far off simulated times are, as a share, if that is known.
    pub error: Option<f64>,
    /// What libraries run by themselves, where that is timed.
    pub own: Vec<OwnChoice>,
    /// How simulated times are scaled, if some times are measured.
    pub scale: Option<MeasuredRatios>,
}

/// Where the times are from.
fn source(choices: &[Choice]) -> &'static str {
    let is_measured = choices.iter().flat_map(|choice| &choice.timed).any(|timed| timed.measured);
    if is_measured { "in part measured, else simulated" } else { "simulated" }
}

impl Choice {
    /// The fastest of some candidates, the first of several.
    fn fastest_of<'a>(candidates: impl Iterator<Item = &'a Timed>) -> Option<&'a Timed> {
        candidates.min_by(|a, b| a.seconds.total_cmp(&b.seconds))
    }

    /// The fastest; nothing where no candidate is possible.
    #[must_use]
    pub fn fastest(&self) -> Option<&Timed> {
        Self::fastest_of(self.timed.iter())
    }

    /// The fastest that uses another method than the fastest of all, not merely other segments.
    #[must_use]
    pub fn second(&self) -> Option<&Timed> {
        let first = self.fastest()?.candidate.method;
        Self::fastest_of(self.timed.iter().filter(|timed| timed.candidate.method != first))
    }

    /// The other methods that may be as fast as the fastest, the faster first, each with its best segments: their times
    /// are within the error of the simulation. Of two measured times the less is less.
    #[must_use]
    pub fn rivals(&self) -> Vec<&Timed> {
        let (Some(fastest), Some(error)) = (self.fastest(), self.error) else { return Vec::new() };
        let is_near = |timed: &&Timed| {
            timed.candidate.method != fastest.candidate.method
                && timed.seconds <= fastest.seconds * (1.0 + error)
                && !(timed.measured && fastest.measured)
        };
        let mut near: Vec<&Timed> = self.timed.iter().filter(is_near).collect();
        near.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        let mut rivals: Vec<&Timed> = Vec::new();
        for timed in near {
            if rivals.iter().all(|known| known.candidate.method != timed.candidate.method) {
                rivals.push(timed);
            }
        }
        rivals
    }

    /// The operation's default algorithm.
    #[must_use]
    pub fn usual(&self) -> Option<&Timed> {
        let usual = usual(self.operation);
        self.timed.iter().find(|timed| timed.candidate.method == usual)
    }

    /// The fastest of those that Open MPI has; or its own choice, where what is saved over that is within the error.
    #[must_use]
    pub fn for_open_mpi(&self) -> Option<(&Timed, TunedRule)> {
        self.kept(Maker::OpenMpi).map(|own| (own, TunedRule::OWN)).or_else(|| self.fastest_for_open_mpi())
    }

    /// The fastest of those that Open MPI has.
    fn fastest_for_open_mpi(&self) -> Option<(&Timed, TunedRule)> {
        let known = self.timed.iter().filter_map(|timed| Some((timed, self.rule_of(timed)?)));
        known.min_by(|a, b| a.0.seconds.total_cmp(&b.0.seconds))
    }

    /// The rule by which Open MPI runs what was timed. Where several names have one rule, its measured time is that of the
    /// rule; and a benchmark's binomial tree goes to the farthest rank first, as Open MPI's does not.
    fn rule_of(&self, timed: &Timed) -> Option<TunedRule> {
        let of = |timed: &Timed| rule(self.operation, &timed.candidate, self.ranks);
        let own = of(timed)?;
        let is_measured = || self.timed.iter().any(|other| other.measured && of(other) == Some(own));
        let is_binomial = timed.candidate.method == AdvisedMethod::Plain(Algorithm::Binomial);
        let is_other = self.benchmark && self.operation == Operation::Broadcast && is_binomial;
        (timed.measured || !(is_other || is_measured())).then_some(own)
    }

    /// The fastest of those that a library has, and how the library is told to run it.
    pub fn fastest_known<R>(&self, known: impl Fn(&Candidate) -> Option<R>) -> Option<(&Timed, R)> {
        let timed = Self::fastest_of(self.timed.iter().filter(|timed| known(&timed.candidate).is_some()))?;
        Some((timed, known(&timed.candidate)?))
    }

    /// The time of the usual algorithm over that of the fastest.
    fn gain(&self) -> Option<f64> {
        let (usual, fastest) = (self.usual()?.seconds, self.fastest()?.seconds);
        (fastest > 0.0).then(|| usual / fastest)
    }
}

/// The choices of an operation among so many ranks, by size.
fn along(choices: &[Choice], operation: Operation, ranks: u32) -> impl Iterator<Item = &Choice> {
    choices.iter().filter(move |choice| (choice.operation, choice.ranks) == (operation, ranks))
}

/// The numbers of ranks that some choices are about, rising.
fn ranks_of(choices: &[Choice], operation: Operation) -> Vec<u32> {
    let of_operation = choices.iter().filter(|choice| choice.operation == operation);
    let mut ranks: Vec<u32> = of_operation.map(|choice| choice.ranks).collect();
    ranks.dedup();
    ranks
}

/// What a library runs among so many ranks, and from which size on: the fastest of those that `known` gives. What goes
/// on as before is one range; the first one begins at 0.
fn ranges<'c, R: PartialEq>(
    choices: &'c [Choice],
    operation: Operation,
    ranks: u32,
    known: &dyn Fn(&'c Choice) -> Option<(&'c Timed, R)>,
) -> Vec<(u64, &'c Timed, R)> {
    let mut ranges: Vec<(u64, &Timed, R)> = Vec::new();
    for choice in along(choices, operation, ranks) {
        let Some((timed, rule)) = known(choice) else { continue };
        if ranges.last().is_none_or(|(.., before)| *before != rule) {
            ranges.push((if ranges.is_empty() { 0 } else { choice.bytes }, timed, rule));
        }
    }
    ranges
}

/// Which libraries have no counterpart of an algorithm that is the fastest somewhere, in a sentence each.
#[must_use]
pub fn without_counterpart(choices: &[Choice]) -> Vec<String> {
    type Knows = fn(&Choice, &Timed) -> bool;
    let libraries: [(&str, Knows); 3] = [
        ("Open MPI's tuned", |choice, timed| choice.rule_of(timed).is_some()),
        ("MPICH", |choice, timed| mpich(choice.operation, &timed.candidate, choice.ranks).is_some()),
        ("UCC", |choice, timed| ucc(choice.operation, &timed.candidate, choice.ranks, choice.bytes).is_some()),
    ];
    let sentence = |(library, knows): &(&str, Knows)| {
        let mut missing: Vec<String> = Vec::new();
        for (choice, fastest) in choices.iter().filter_map(|choice| Some((choice, choice.fastest()?))) {
            let name = format!("{} by {}", choice.operation, fastest.candidate.method);
            if !knows(choice, fastest) && !missing.contains(&name) {
                missing.push(name);
            }
        }
        let shown = missing.len().min(MOST_MISSING);
        let more = if missing.len() > shown { format!(", and {} more", missing.len() - shown) } else { String::new() };
        (shown > 0).then(|| {
            format!(
                "{library} has no counterpart of {}{more}; its file takes the next best",
                missing[..shown].join(", ")
            )
        })
    };
    libraries.iter().filter_map(sentence).collect()
}

/// The most algorithms without counterpart that are listed.
const MOST_MISSING: usize = 4;

/// The words for a size.
fn size(bytes: u64) -> String {
    humane("size_bytes", bytes as f64)
}

/// The ranges of sizes in which one algorithm is fastest, among the greatest number of ranks.
///
/// `choices` go by operation, rising ranks and rising size.
#[must_use]
pub fn table(choices: &[Choice], operation: Operation) -> TextTable {
    let most = ranks_of(choices, operation).last().copied().unwrap_or_default();
    let chosen: Vec<(&Choice, &Timed, String)> = along(choices, operation, most)
        .filter_map(|choice| Some((choice, choice.fastest()?, names(choice, choice.fastest()?))))
        .collect();
    let row = |run: &[(&Choice, &Timed, String)]| {
        let (first, fastest, names) = &run[0];
        let [_, .., (last, last_fastest, _)] = run else {
            return cells(size_or_none(first), names, fastest, [first.time(fastest), first.gain_text()]);
        };
        let sizes = format!("{} to {}", size(first.bytes), size(last.bytes));
        let range = |from: String, to: String| if from == to { from } else { format!("{from} to {to}") };
        let time = range(first.time(fastest), last.time(last_fastest));
        cells(sizes, names, fastest, [time, range(first.gain_text(), last.gain_text())])
    };
    let over = format!("over {}", usual(operation));
    let mut columns: Vec<String> = ["size", "algorithm", "segment", "time", &over].map(str::to_owned).to_vec();
    let mut rows: Vec<Vec<String>> =
        chosen.chunk_by(|a, b| a.1.candidate == b.1.candidate && a.2 == b.2).map(row).collect();
    // A column that says nothing only takes width.
    if rows.iter().all(|row| row[SEGMENT].is_empty()) {
        columns.remove(SEGMENT);
        for row in &mut rows {
            row.remove(SEGMENT);
        }
    }
    let title = format!("The fastest {operation} among {most} ranks{}", on_nodes(choices));
    let names = chosen.iter().map(|(_, _, names)| names.as_str());
    TextTable { title, columns, rows, notes: notes(names, choices, operation), ..TextTable::default() }
}

/// Behind a number of ranks: how many of them are on each node, if that was asked.
fn on_nodes(choices: &[Choice]) -> String {
    let asked = choices.first().and_then(|choice| choice.ranks_per_node);
    asked.map_or_else(String::new, |ranks| format!(", {ranks} on each node"))
}

/// The most names of rivals in a cell.
const MOST_RIVALS: usize = 2;

/// Behind the name of an algorithm whose time was measured.
const MEASURED: char = '*';

/// Behind the name of an algorithm whose time was simulated and scaled.
const SCALED: char = '†';

/// Between algorithms without a clear winner.
const RIVAL: &str = " ≈ ";

/// The fastest method, and its rivals.
fn names(choice: &Choice, fastest: &Timed) -> String {
    let name = |timed: &Timed| {
        let mut name = timed.candidate.method.to_string();
        name.extend(timed.measured.then_some(MEASURED));
        name.extend(choice.is_scaled(timed).then_some(SCALED));
        name
    };
    let rivals = choice.rivals();
    let mut names: Vec<String> =
        [fastest].into_iter().chain(rivals.iter().copied().take(MOST_RIVALS)).map(name).collect();
    if rivals.len() > MOST_RIVALS {
        names.push("…".to_owned());
    }
    names.join(RIVAL)
}

/// What the signs among the names mean.
fn notes<'a>(names: impl Iterator<Item = &'a str>, choices: &[Choice], operation: Operation) -> Vec<String> {
    let names: String = names.collect();
    let mut notes = Vec::new();
    if names.contains(MEASURED) {
        notes.push(format!("{MEASURED}: measured, not simulated"));
    }
    if names.contains(SCALED) {
        notes.push(format!("{SCALED}: simulated, and scaled by measured over simulated times"));
    }
    let error = choices.iter().find(|choice| choice.operation == operation).and_then(|choice| choice.error);
    if let Some(error) = error.filter(|_| names.contains(RIVAL)) {
        notes.push(format!(
            "≈: no clear winner; these times lie within the error of the simulation, {:.1} %",
            error * 100.0
        ));
    }
    notes
}

/// The column of the segments.
const SEGMENT: usize = 2;

fn size_or_none(choice: &Choice) -> String {
    if choice.operation == Operation::Barrier { "-".to_owned() } else { size(choice.bytes) }
}

/// A row of the table, with a time and what is gained.
fn cells(sizes: String, names: &str, fastest: &Timed, [time, gain]: [String; 2]) -> Vec<String> {
    vec![sizes, names.to_owned(), fastest.candidate.segment.map_or_else(String::new, size), time, gain]
}

/// Writes a row for each choice.
///
/// # Errors
/// What `writer` gives.
pub fn write_csv(choices: &[Choice], writer: &mut dyn io::Write) -> io::Result<()> {
    let name = |timed: Option<&Timed>| -> Value { timed.map(|timed| timed.candidate.method.to_string()).into() };
    let segment = |timed: Option<&Timed>| -> Value { timed.and_then(|timed| timed.candidate.segment).into() };
    // Written out, without a power of ten.
    let seconds = |timed: Option<&Timed>| -> Value { timed.map(|timed| timed.seconds.to_string()).into() };
    let open_mpi = |choice: &Choice| choice.for_open_mpi().map(|(timed, _)| timed.clone());
    let listed = |choice: &Choice| -> Value {
        let rivals = choice.rivals();
        let names: Vec<String> = rivals.iter().map(|timed| timed.candidate.method.to_string()).collect();
        names.join(" ").into()
    };
    let always: [Column<'_, Choice>; 15] = [
        ("operation", &|choice| choice.operation.to_string().into()),
        ("ranks", &|choice| choice.ranks.into()),
        ("bytes", &|choice| choice.bytes.into()),
        ("algorithm", &|choice| name(choice.fastest())),
        ("segment_bytes", &|choice| segment(choice.fastest())),
        ("completion_s", &|choice| seconds(choice.fastest())),
        ("second", &|choice| name(choice.second())),
        ("second_segment_bytes", &|choice| segment(choice.second())),
        ("second_s", &|choice| seconds(choice.second())),
        ("usual", &|choice| name(choice.usual())),
        ("usual_s", &|choice| seconds(choice.usual())),
        ("openmpi", &|choice| name(open_mpi(choice).as_ref())),
        ("openmpi_id", &|choice| choice.for_open_mpi().map(|(_, rule)| rule.algorithm).into()),
        ("openmpi_segment_bytes", &|choice| segment(open_mpi(choice).as_ref())),
        ("openmpi_s", &|choice| seconds(open_mpi(choice).as_ref())),
    ];
    // What follows says something only where there are measurements, or the error of the simulation is known.
    let compared = |choice: &Choice| choice.error.is_some() || choice.timed.iter().any(|timed| timed.measured);
    let of_comparison: [Column<'_, Choice>; 2] = [
        ("measured", &|choice| choice.fastest().map(|timed| u64::from(timed.measured)).into()),
        ("no_clear_winner_over", &listed),
    ];
    let of_nodes: Column<'_, Choice> = ("ranks_per_node", &|choice| choice.ranks_per_node.into());
    let of_scale: Column<'_, Choice> = ("scaled_by", &|choice| {
        let fastest = choice.fastest().filter(|fastest| choice.is_scaled(fastest));
        fastest.map(|fastest| choice.factor(&fastest.candidate).to_string()).into()
    });
    let mut columns = always.to_vec();
    if choices.iter().any(compared) {
        columns.extend(of_comparison);
    }
    if choices.iter().any(|choice| choice.scale.is_some()) {
        columns.push(of_scale);
    }
    if choices.iter().any(|choice| choice.ranks_per_node.is_some()) {
        columns.push(of_nodes);
    }
    csv_file::write_csv(choices, &columns, writer)
}
