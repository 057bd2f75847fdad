//! What measurements say about choices, and how sure predictions are.

use std::collections::BTreeMap;

use super::doubt::rounded;
use super::{Choice, Timed};
use crate::communication::{Algorithm, Operation};
use crate::fit::read::collectives::{Measurement, OverRanks};
use crate::fit::robust::median;
use crate::units::Bytes;
use crate::workload::advise::{AdvisedMethod, Candidate, RADIX};

/// How far off predictions are, as shares: by operation, or for all.
#[derive(Debug, Clone, PartialEq)]
pub enum Uncertainty {
    /// The same for all operations.
    Equal(f64),
    /// By the operation's name; that of `all` for those that are not there.
    ByOperation(BTreeMap<String, f64>),
}

impl Uncertainty {
    /// The uncertainty of an operation; nothing where it is unknown.
    #[must_use]
    pub fn of(&self, operation: Operation) -> Option<f64> {
        match self {
            Self::Equal(share) => Some(*share),
            Self::ByOperation(shares) => shares.get(operation.name()).or_else(|| shares.get("all")).copied(),
        }
    }

    /// Reads `summary.csv` of `hetsim validate`: the median of the errors of each operation.
    ///
    /// # Errors
    /// A sentence if the text is no such file.
    pub fn read_summary(text: &str) -> Result<Self, String> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let headers = reader.headers().map_err(|error| error.to_string())?.clone();
        let place = |name: &str| {
            let place = headers.iter().position(|header| header == name);
            place.ok_or_else(|| format!("there is no column `{name}`, which `hetsim validate` writes into summary.csv"))
        };
        let (by, group, error) = (place("by")?, place("group")?, place("median_error")?);
        let mut shares = BTreeMap::new();
        for row in reader.records() {
            let row = row.map_err(|error| error.to_string())?;
            let cell = |place: usize| row.get(place).unwrap_or_default();
            let share = cell(error).parse::<f64>().ok().filter(|share| share.is_finite() && *share >= 0.0);
            if let (Some(share), "all" | "operation") = (share, cell(by)) {
                shares.insert(cell(group).to_owned(), share);
            }
        }
        if shares.is_empty() { Err("there are no errors in it".to_owned()) } else { Ok(Self::ByOperation(shares)) }
    }
}

/// Puts measured times in the place of predicted ones, and adds what was measured but not simulated among the
/// candidates. Of several measurements the median counts. Returns how many times are measured.
///
/// A measurement is of a candidate with its operation, ranks, size, algorithm and segment, and as many ranks on a node;
/// one where that was not asked.
pub fn correct(choices: &mut [Choice], measured: &[Measurement]) -> usize {
    let mut known: Vec<(Measured, Vec<f64>)> = Vec::new();
    for point in measured {
        let Some(what) = described(point) else { continue };
        match known.iter_mut().find(|(known, _)| *known == what) {
            Some((_, times)) => times.push(point.median),
            None => known.push((what, vec![point.median])),
        }
    }
    let mut corrected = 0;
    for (Measured { operation, ranks, ranks_per_node, bytes, candidate }, times) in known {
        let asked = (operation, ranks, ranks_per_node, bytes);
        let of = |choice: &Choice| (choice.operation, choice.ranks, choice.ranks_per_node.unwrap_or(1), choice.bytes);
        let choice = choices.iter_mut().find(|choice| of(choice) == asked);
        let (Some(choice), Some(seconds)) = (choice, median(&times)) else { continue };
        let timed = Timed { candidate, seconds, measured: true };
        match choice.timed.iter_mut().find(|timed| timed.candidate == candidate) {
            Some(known) => *known = timed,
            None => choice.timed.push(timed),
        }
        corrected += 1;
    }
    corrected
}

/// What a reader must know of measurements beside simulated times, a sentence each: measurements that are of no
/// candidate, and by what simulated times are scaled.
#[must_use]
pub fn caveats(choices: &[Choice], measured: &[Measurement]) -> Vec<String> {
    let count = |count: usize, one: &str, several: &str| format!("{count} {}", if count == 1 { one } else { several });
    let by_library = measured.iter().filter(|point| point.is_default).count();
    let others = measured.iter().filter(|point| !point.is_default && described(point).is_none()).count();
    let mut notes = Vec::new();
    if by_library > 0 {
        let these = count(by_library, "measurement is of an algorithm", "measurements are of algorithms");
        notes.push(format!("{these} that the library chose, and cannot be used; --with algorithm=NAME names it"));
    }
    if others > 0 {
        let these = count(others, "measurement is", "measurements are");
        notes.push(format!("{these} of algorithms that hetsim does not choose from"));
    }
    let means =
        measured.iter().filter(|point| point.over_ranks == OverRanks::Mean && described(point).is_some()).count();
    if means > 0 {
        let these = count(means, "measurement is the mean", "measurements are the means");
        notes.push(format!("{these} over the ranks, and less than the simulated times, which are of the slowest rank"));
    }
    let factors = choices.iter().flat_map(|choice| {
        let scaled = choice.timed.iter().filter(|timed| choice.is_scaled(timed));
        scaled.map(|timed| choice.factor(&timed.candidate))
    });
    let factors: Vec<f64> = factors.collect();
    let ends = [f64::min, f64::max].map(|end| factors.iter().copied().reduce(end));
    if let [Some(least), Some(most)] = ends.map(|end| end.map(|end| rounded(end, 2))) {
        let scaled = choices.iter().filter(|choice| choice.timed.iter().any(|timed| choice.is_scaled(timed))).count();
        let these = count(scaled, "choice", "choices");
        let by = if least < most { format!("{least} to {most}") } else { most.to_string() };
        notes.push(format!("in {these} simulated times are scaled by {by}, to stand beside measured ones"));
    }
    notes
}

/// A candidate that was measured, and for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Measured {
    operation: Operation,
    ranks: u32,
    ranks_per_node: u32,
    bytes: u64,
    candidate: Candidate,
}

/// What was measured, if it is a candidate.
fn described(point: &Measurement) -> Option<Measured> {
    let (operation, candidate) = candidate(point)?;
    let (ranks, ranks_per_node) = (u32::try_from(point.ranks()).ok()?, point.ranks_per_node);
    Some(Measured { operation, ranks, ranks_per_node, bytes: point.model.as_ref()?.size, candidate })
}

/// The candidate that was measured, and of which operation; nothing for a library's choice, another radix and other
/// variants.
#[must_use]
pub fn candidate(point: &Measurement) -> Option<(Operation, Candidate)> {
    let keys = &point.model.as_ref()?.keys;
    let is_usual = |(key, value): (&String, &toml::Value)| match key.as_str() {
        "operation" | "algorithm" | "segment" | "timing" => true,
        "radix" => value.as_integer() == Some(RADIX.into()),
        // All messages at once.
        "window" => value.as_integer() == Some(0),
        _ => false,
    };
    if !keys.iter().all(is_usual) {
        return None;
    }
    let text = |key: &str| keys.get(key).and_then(toml::Value::as_str);
    let algorithm: Algorithm = text("algorithm")?.parse().ok()?;
    let segment = text("segment").map(str::parse::<Bytes>).transpose().ok()?;
    let segment = segment.map(Bytes::count).filter(|&bytes| bytes > 0 && algorithm.cuts());
    Some((text("operation")?.parse().ok()?, Candidate { method: AdvisedMethod::Plain(algorithm), segment }))
}
