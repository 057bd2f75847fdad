//! Which algorithm for which operation, size and number of ranks: from measured times to a table, a file of all
//! choices, a map an operation, and a file of rules for Open MPI.

mod libraries;
mod map;
mod rules;

use std::io;

use crate::communication::Operation;
use crate::record::Value;
use crate::report::csv_file::{self, Column};
use crate::report::text::{TextTable, humane};
use crate::workload::advise::{Candidate, usual};

pub use libraries::{Rule, rule, switch_points};
pub use map::map;
pub use rules::rules;

/// A candidate, and when its last rank was done.
#[derive(Debug, Clone, PartialEq)]
pub struct Timed {
    /// The candidate.
    pub candidate: Candidate,
    /// When the last rank was done, in seconds; the mean where there were several replicas.
    pub seconds: f64,
}

/// The times of all candidates for an operation, a number of ranks and a size.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The operation.
    pub operation: Operation,
    /// The number of ranks, at least two.
    pub ranks: u32,
    /// The size, as the operation counts it; 0 for a barrier.
    pub bytes: u64,
    /// Every candidate that is possible. Of equally fast ones the first wins.
    pub timed: Vec<Timed>,
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

    /// The operation's default algorithm.
    #[must_use]
    pub fn usual(&self) -> Option<&Timed> {
        let usual = usual(self.operation);
        self.timed.iter().find(|timed| timed.candidate.method == usual)
    }

    /// The fastest of those that Open MPI has.
    #[must_use]
    pub fn for_open_mpi(&self) -> Option<(&Timed, Rule)> {
        let known = |timed: &&Timed| rule(self.operation, &timed.candidate, self.ranks).is_some();
        let timed = Self::fastest_of(self.timed.iter().filter(known))?;
        Some((timed, rule(self.operation, &timed.candidate, self.ranks)?))
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
    let chosen: Vec<(&Choice, &Timed)> =
        along(choices, operation, most).filter_map(|choice| Some((choice, choice.fastest()?))).collect();
    let row = |run: &[(&Choice, &Timed)]| {
        let [(first, fastest), .., (last, last_fastest)] = run else {
            let (only, fastest) = run[0];
            return cells(size_or_none(only), &fastest.candidate, [fastest.seconds; 2], [only.gain(); 2]);
        };
        let sizes = format!("{} to {}", size(first.bytes), size(last.bytes));
        cells(sizes, &fastest.candidate, [fastest.seconds, last_fastest.seconds], [first.gain(), last.gain()])
    };
    let over = format!("over {}", usual(operation));
    let mut columns: Vec<String> = ["size", "algorithm", "segment", "time", &over].map(str::to_owned).to_vec();
    let mut rows: Vec<Vec<String>> = chosen.chunk_by(|a, b| a.1.candidate == b.1.candidate).map(row).collect();
    // A column that says nothing only takes width.
    if rows.iter().all(|row| row[SEGMENT].is_empty()) {
        columns.remove(SEGMENT);
        for row in &mut rows {
            row.remove(SEGMENT);
        }
    }
    TextTable { title: format!("The fastest {operation} among {most} ranks"), columns, rows, ..TextTable::default() }
}

/// The column of the segments.
const SEGMENT: usize = 2;

fn size_or_none(choice: &Choice) -> String {
    if choice.operation == Operation::Barrier { "-".to_owned() } else { size(choice.bytes) }
}

/// A row of the table: of a range, what holds at its ends.
fn cells(sizes: String, candidate: &Candidate, seconds: [f64; 2], gains: [Option<f64>; 2]) -> Vec<String> {
    let range = |[from, to]: [String; 2]| if from == to { from } else { format!("{from} to {to}") };
    let gain = |gain: Option<f64>| gain.map_or_else(String::new, |gain| format!("{gain:.2}×"));
    vec![
        sizes,
        candidate.method.to_string(),
        candidate.segment.map_or_else(String::new, size),
        range(seconds.map(|seconds| humane("completion_s", seconds))),
        range(gains.map(gain)),
    ]
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
    let columns: [Column<'_, Choice>; 15] = [
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
    csv_file::write_csv(choices, &columns, writer)
}
