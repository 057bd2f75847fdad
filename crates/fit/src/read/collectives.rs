//! Reads collectives measured on a real machine: a CSV with a row per test, the output of an OSU benchmark, or
//! ping-pongs. The names of columns, operations and algorithms are those of `pico.toml`.

mod names;
mod osu;
mod rows;
#[cfg(test)]
mod tests;

use std::str::FromStr;

use serde::Deserialize;
use toml::Table;

use super::{ReadError, number, size};
use hetsim_communication::{Algorithm, Operation};
use names::{Buffer, OperationNames, names};

/// The operation of a ping-pong, whose time is half a round trip.
pub const PING_PONG: &str = "ping_pong";

/// Collectives measured on real machines.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MeasuredCollectives {
    /// A point for each test, in the order of the file.
    pub points: Vec<Measurement>,
}

/// A collective, by one algorithm, measured many times.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    /// The line in the file, from 1.
    pub line: usize,
    /// The machine; empty if the file does not say.
    pub system: String,
    /// The run of the benchmark; empty if the file does not say.
    pub run: String,
    /// The number of nodes, at least 1.
    pub nodes: u32,
    /// The number of ranks on each node, at least 1.
    pub ranks_per_node: u32,
    /// The MPI library and its version; empty if the file does not say.
    pub library: String,
    /// The operation by hetsim's name, [`PING_PONG`], or as the file names it where it is unknown.
    pub operation: String,
    /// The algorithm as the file names it; `default` if it names none.
    pub algorithm: String,
    /// The bytes of the buffer as the file counts them.
    pub bytes: u64,
    /// The median of the times, in seconds, above 0.
    pub median: f64,
    /// The 10th percentile, in seconds, if given.
    pub p10: Option<f64>,
    /// The 90th percentile, in seconds, if given.
    pub p90: Option<f64>,
    /// The number of iterations, if given.
    pub iterations: Option<u64>,
    /// Which of the ranks' own times is meant.
    pub over_ranks: OverRanks,
    /// How hetsim carries it out; nothing if it has no such algorithm.
    pub model: Option<Modelled>,
    /// Whether the library chose the algorithm by itself.
    pub is_default: bool,
}

/// What a time says of the times that the ranks take each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OverRanks {
    /// The longest.
    #[default]
    Longest,
    /// Their mean, as in the average latency of the OSU benchmarks.
    Mean,
}

impl FromStr for OverRanks {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "" | "max" => Ok(Self::Longest),
            "mean" | "avg" => Ok(Self::Mean),
            _ => Err(format!("{text:?} is neither `max`, the longest time of a rank, nor `mean`, that of all ranks")),
        }
    }
}

/// Whose program an algorithm is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Maker {
    /// Open MPI's own.
    OpenMpi,
    /// MPICH's own, or that of a library made of it.
    Mpich,
    /// Of a library over MPI, or of one that the file does not name.
    Other,
}

/// A measured collective as hetsim carries it out.
#[derive(Debug, Clone, PartialEq)]
pub struct Modelled {
    /// The keys of a `kind = "collective"` except its `size`: `operation`, `algorithm` or `library`, and others.
    pub keys: Table,
    /// Its `size`, in bytes.
    pub size: u64,
}

impl Modelled {
    /// hetsim's name of the algorithm, or of the library that chooses it.
    #[must_use]
    pub fn algorithm(&self) -> &str {
        let named = self.keys.get("algorithm").or_else(|| self.keys.get("library"));
        named.and_then(toml::Value::as_str).unwrap_or_default()
    }
}

impl Measurement {
    /// The algorithm's name in the file, without an ending that tells whose it is (`binomial` of `binomial_ompi`).
    #[must_use]
    pub fn bare_algorithm(&self) -> &str {
        names().bare(&self.algorithm)
    }

    /// Whose the algorithm is, by the ending of its name.
    #[must_use]
    pub fn maker(&self) -> Maker {
        names().maker(&self.algorithm)
    }

    /// The number of ranks.
    #[must_use]
    pub const fn ranks(&self) -> u64 {
        self.nodes as u64 * self.ranks_per_node as u64
    }
}

impl MeasuredCollectives {
    /// How many points hetsim has no algorithm for. A library's own choices are not counted.
    #[must_use]
    pub fn not_modelled(&self) -> usize {
        self.points.iter().filter(|point| point.model.is_none() && !point.is_default).count()
    }
}

/// hetsim's name of an operation that a file may name otherwise (`bcast`), or nothing if it is unknown.
#[must_use]
pub fn operation_name(name: &str) -> Option<&'static str> {
    names().operation(name).map(|(known, _)| known)
}

/// Other names of an operation of hetsim, such as MPI's.
#[must_use]
pub fn other_names(operation: &str) -> &'static [String] {
    names().operation.get(operation).map_or(&[], |entry| entry.names.as_slice())
}

/// What a file does not say, by the names of its columns: `nodes = 32`, `algorithm = "binomial"`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GivenColumns {
    columns: Vec<(&'static str, String)>,
}

impl GivenColumns {
    /// Takes a column's value: for every row of a file without that column.
    ///
    /// # Errors
    /// The column is unknown.
    pub fn set(&mut self, column: &str, value: &str) -> Result<(), String> {
        let known = || names().columns.iter();
        let found = known().find(|(name, others)| *name == column || others.iter().any(|other| other == column));
        let Some((name, _)) = found else {
            let all: Vec<&str> = known().map(|(name, _)| name.as_str()).collect();
            return Err(format!("there is no column {column:?}; expected one of {}", all.join(", ")));
        };
        self.columns.retain(|(other, _)| other != name);
        self.columns.push((name, value.to_owned()));
        Ok(())
    }

    /// The algorithm that it names.
    #[must_use]
    pub fn algorithm(&self) -> Option<&str> {
        self.get("algorithm")
    }

    /// The value of a column, by its first name.
    fn get(&self, column: &str) -> Option<&str> {
        self.columns.iter().find(|(name, _)| *name == column).map(|(_, value)| value.as_str())
    }
}

impl FromStr for GivenColumns {
    type Err = String;

    /// Reads `column=value,…`.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut given = Self::default();
        for part in text.split(',') {
            let (column, value) = part.split_once('=').ok_or_else(|| format!("{part:?} is not column=value"))?;
            given.set(column.trim(), value.trim())?;
        }
        Ok(given)
    }
}

/// The first line that is neither blank nor a comment.
fn first_row(text: &str) -> Option<&str> {
    text.lines().find(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
}

/// The given columns that the file has itself, each with the part of the file that says it: what is given of them says
/// nothing.
#[must_use]
pub fn repeated(text: &str, given: &GivenColumns) -> Vec<(&'static str, String)> {
    match first_row(text) {
        Some(first) if rows::is_table(first, given) => rows::repeated(first, given),
        Some(first) if !first.contains(',') => osu::repeated(text, given),
        _ => Vec::new(),
    }
}

/// Reads a CSV whose first row names its columns, or the output of an OSU benchmark. Comment lines start with `#`.
///
/// `given` has what the file does not say; an OSU benchmark says neither the number of nodes nor the algorithm.
///
/// # Errors
/// The first invalid line, with the column and the reason.
pub fn read(text: &str, given: &GivenColumns) -> Result<MeasuredCollectives, ReadError> {
    let points = match first_row(text) {
        None => return Err(ReadError::at(0, "there are no measurements in the file")),
        Some(line) if rows::is_table(line, given) => rows::read(text, given)?,
        Some(line) if line.contains(',') => osu::ping_pongs(text, given)?,
        Some(_) => osu::read(text, given)?,
    };
    if points.is_empty() {
        return Err(ReadError::at(0, "there are no measurements in the file"));
    }
    Ok(MeasuredCollectives { points })
}

/// The ranks on each of so many nodes.
fn spread(ranks: u32, nodes: u32) -> Result<u32, String> {
    if ranks.is_multiple_of(nodes) {
        Ok(ranks / nodes)
    } else {
        Err(format!("{ranks} ranks are not a multiple of the {nodes} nodes"))
    }
}

/// Whether a name is that of a library's own choice.
fn is_default(algorithm: &str) -> bool {
    algorithm.strip_prefix("default").is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
}

/// How hetsim carries out an operation on `bytes` by an algorithm of a file, and what of it was measured.
fn modelled(
    (name, entry): (&str, &OperationNames),
    algorithm: &str,
    bytes: u64,
    ranks: u64,
    over_ranks: OverRanks,
) -> Option<Modelled> {
    let operation = name.parse::<Operation>().ok();
    let own = || {
        let known = names().bare(algorithm).parse::<Algorithm>().ok()?;
        known.fits(operation?).then(|| Table::from_iter([("algorithm".to_owned(), known.name().into())]))
    };
    let any = || names().any.get(algorithm).filter(|_| operation.is_some()).cloned();
    let mut keys = entry.algorithms.get(algorithm).cloned().or_else(any).or_else(own)?;
    keys.entry("operation").or_insert_with(|| name.into());
    // A library chooses the parameters with the algorithm.
    if !keys.contains_key("library") {
        for (key, value) in &names().keys {
            keys.entry(key.as_str()).or_insert_with(|| value.clone());
        }
    }
    if keys.get("segment").and_then(toml::Value::as_str) == Some("block") {
        keys.insert("segment".to_owned(), format!("{}B", (bytes / ranks).max(1)).into());
    }
    // A ping-pong is half a round trip, of no rank alone.
    if over_ranks == OverRanks::Mean && name != PING_PONG {
        keys.insert("timing".to_owned(), "barrier_mean".into());
    }
    Some(Modelled { keys, size: size_in(entry.buffer, bytes, ranks) })
}

/// The bytes of hetsim's `size` in a buffer. Where the ranks do not divide it, the last bytes are left out.
const fn size_in(buffer: Buffer, bytes: u64, ranks: u64) -> u64 {
    match buffer {
        Buffer::Vector => bytes,
        Buffer::Blocks => bytes / ranks,
    }
}
