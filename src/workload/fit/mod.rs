//! Formulas for run times as a workload: points that are simulated on the platform, or a file of measurements, and a formula
//! that is fitted to them by any method of [`fit::runtime`](crate::fit::runtime).
//!
//! After Heinrich-Litan, Fissgus, Sutter, Molitor and Rauber (004): a grid of ranks and sizes with some repetitions, curve fitting
//! beside genetic programming, and the deviations in the form of their table 1. What they do not show stands beside it:
//! the error on points off the grid, and the least error that any formula could have in view of the noise.

mod grid;
mod outcome;
mod settings;
mod simulate;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::communication::Placement;
use super::{Files, KeyError, Prepared, Run, RunFailure, Workload};
use crate::cluster::{NodeId, Platform};
use crate::communication::collective::{Algorithm, Operation as Collective};
use crate::engine::Streams;
use crate::fit::runtime::data::{Data, Points, Reading, Repeats};
use crate::fit::runtime::{Method, Request, fit};
use crate::record::TableShape;
use crate::units::{Bytes, Operations};

pub use grid::{Range, Sizes};
pub use outcome::FitMetrics;
pub use settings::{Genetic, Paper};
use simulate::{FittedOperation, Grid};

/// `kind = "fit"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FitParameters {
    /// How the formula is found.
    pub method: Method,
    /// What is simulated: one transfer between two nodes (`single`), or a collective operation, whose times are fitted over
    /// `ranks` and `bytes`. Either this or a `file`.
    #[serde(default)]
    pub operation: Option<Operation>,
    /// Who sends what to whom in a collective operation; the usual algorithm if not given. For a single transfer it says nothing.
    #[serde(default)]
    pub algorithm: Option<Algorithm>,
    /// The numbers of ranks of the grid, each from 2 to the platform's nodes. A single transfer has two ends, whatever stands here.
    #[serde(default)]
    pub ranks: Vec<u32>,
    /// The sizes of the grid: single ones, and ranges `{ from = "4B", to = "784B", step = "20B" }`. One that comes twice counts
    /// once.
    #[serde(default)]
    pub sizes: Vec<Sizes>,
    /// How often each point is simulated, each time with other draws.
    #[serde(default = "three")]
    #[schemars(range(min = 1, max = 10_000))]
    pub repetitions: u32,
    /// Numbers of ranks off the grid, to judge the formula by; half-way between neighbours of the grid if not given, as
    /// far as the algorithm can do with them, and the grid's own where it has only one. For a single transfer they say nothing.
    #[serde(default)]
    pub unseen_ranks: Option<Vec<u32>>,
    /// Sizes off the grid; half-way between neighbours of the grid if not given.
    #[serde(default)]
    pub unseen_sizes: Option<Vec<Sizes>>,
    /// Repetitions of each point, besides those that are fitted to, whose mean is taken for the true time: the noise
    /// floor is its error. With 0 there is none.
    #[serde(default = "thirty")]
    #[schemars(range(max = 100_000))]
    pub floor_repetitions: u32,
    /// The rank that has the data at first, or gets it; of a single transfer the sender.
    #[serde(default)]
    pub root: u32,
    /// The receiver of a single transfer, as a rank among all nodes.
    #[serde(default = "one")]
    pub receiver: u32,
    /// On which nodes the ranks are: the first ones of this order.
    #[serde(default)]
    pub placement: Placement,
    /// What it costs to combine a byte with another, on the node that does it.
    #[serde(default)]
    pub reduction: Operations,
    /// Messages up to this size are short: they have an error of their own, and the long table `short`.
    #[serde(default = "short")]
    pub short: Bytes,
    /// A CSV file of measured times instead of a simulation, read as `hetsim fit` reads it (docs/fitting.md).
    #[serde(default)]
    #[schemars(extend("format" = "file"))]
    pub file: Option<String>,
    /// The file's column of times, all above 0.
    #[serde(default)]
    pub target: Option<String>,
    /// The file's columns of numbers that the time may depend on.
    #[serde(default)]
    pub by: Vec<String>,
    /// The file's columns of words that it may depend on: each word becomes a variable that is 0 or 1.
    #[serde(default)]
    pub category: Vec<String>,
    /// The file's column of weights.
    #[serde(default)]
    pub weights: Option<String>,
    /// The file's column that says which rows are unseen: `train` or `test`. Without it a share is drawn.
    #[serde(default)]
    pub split: Option<String>,
    /// The share of a file's points that is held back, drawn for each replica, where no column says which.
    #[serde(default = "thirty_percent")]
    #[schemars(range(min = 0.0, max = 0.99))]
    pub held_back: f64,
    /// What several times of one point are: `all` points of their own, or `median`, one point. If not given, `all` for what is
    /// simulated and `median` for files.
    #[serde(default)]
    pub repeats: Option<Repeated>,
    /// The genetic programming of `gp` and `smooth`.
    #[serde(default)]
    pub genetic: Genetic,
    /// The genetic programming of `paper`.
    #[serde(default)]
    pub paper: Paper,
    /// What the file holds, once somebody has read it.
    #[serde(skip)]
    pub data: Option<Arc<Data>>,
}

/// What is simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Operation {
    /// One transfer.
    Single(Single),
    /// An operation of all ranks.
    Collective(Collective),
}

/// The name of one transfer between two nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Single {
    /// One message from one node to another, until it has been received.
    Single,
}

/// What several times of one point are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Repeated {
    /// Points of their own.
    All,
    /// One point with their median.
    Median,
}

const fn one() -> u32 {
    1
}

const fn three() -> u32 {
    3
}

const fn thirty() -> u32 {
    30
}

const fn thirty_percent() -> f64 {
    0.3
}

fn short() -> Bytes {
    Bytes::new(500)
}

fn wrong(key: &str, message: impl Into<String>) -> KeyError {
    KeyError { key: key.to_owned(), message: message.into() }
}

/// Where the points come from.
#[derive(Debug)]
enum Source {
    Simulated { simulation: FittedOperation, fitted: Grid, unseen: Grid },
    File(Arc<Data>),
}

/// A fit, ready to be made any number of times.
#[derive(Debug)]
pub struct PreparedFit {
    parameters: Box<FitParameters>,
    source: Source,
}

impl Workload for FitParameters {
    const NAME: &'static str = "fit";
    const ABOUT: &'static str =
        "A formula for run times, simulated or measured: curve fitting, genetic programming, models.";
    const TABLES: &'static [TableShape] = outcome::TABLES;
    type Prepared = PreparedFit;

    fn read_files(&mut self, files: &mut dyn Files) -> Result<(), KeyError> {
        if let Some(reading) = self.reading() {
            self.data = Some(files.measured("file", &reading)?);
        }
        Ok(())
    }

    fn prepare(&self, platform: &Platform) -> Result<Self::Prepared, KeyError> {
        self.genetic.check().map_err(|error| error.under("genetic"))?;
        self.paper.check().map_err(|error| error.under("paper"))?;
        let source = match (self.operation, &self.file) {
            (None, None) => return Err(wrong("kind", "say where the times are from: an `operation` or a `file`")),
            (Some(_), Some(_)) => return Err(wrong("file", "give either an `operation` or a `file`")),
            (None, Some(_)) => self.of_file()?,
            (Some(operation), None) => self.simulated(operation, platform)?,
        };
        Ok(PreparedFit { parameters: Box::new(self.clone()), source })
    }
}

impl FitParameters {
    /// How the file is to be read; nothing where there is none. No points are held back: that is drawn for each run.
    #[must_use]
    pub fn reading(&self) -> Option<Reading> {
        let target = self.target.clone().filter(|_| self.file.is_some())?;
        Some(Reading {
            target,
            by: self.by.clone(),
            categories: self.category.clone(),
            weights: self.weights.clone(),
            split: self.split.clone(),
            repeats: if self.repeats == Some(Repeated::All) { Repeats::All } else { Repeats::Median },
            held_back: 0.0,
            ..Reading::default()
        })
    }

    fn of_file(&self) -> Result<Source, KeyError> {
        let others = [
            ("ranks", !self.ranks.is_empty()),
            ("sizes", !self.sizes.is_empty()),
            ("algorithm", self.algorithm.is_some()),
            ("unseen_ranks", self.unseen_ranks.is_some()),
            ("unseen_sizes", self.unseen_sizes.is_some()),
        ];
        if let Some((key, _)) = others.into_iter().find(|(_, given)| *given) {
            return Err(wrong(key, format!("`{key}` is of what is simulated, and the times come from a file")));
        }
        if self.target.is_none() {
            return Err(wrong("file", "`target` says which column of the file is the time"));
        }
        if !(0.0..1.0).contains(&self.held_back) {
            return Err(wrong("held_back", format!("`held_back` is a share in [0, 1), not {}", self.held_back)));
        }
        let data = self.data.as_ref().ok_or_else(|| wrong("file", "nobody has read the file"))?;
        self.method.check(&data.names, &data.train).map_err(|error| wrong("method", error.to_string()))?;
        Ok(Source::File(Arc::clone(data)))
    }

    fn simulated(&self, operation: Operation, platform: &Platform) -> Result<Source, KeyError> {
        let of_files = [
            ("target", self.target.is_some()),
            ("by", !self.by.is_empty()),
            ("category", !self.category.is_empty()),
            ("weights", self.weights.is_some()),
            ("split", self.split.is_some()),
        ];
        if let Some((key, _)) = of_files.into_iter().find(|(_, given)| *given) {
            return Err(wrong(key, format!("`{key}` is a column of a file, and here the times are simulated")));
        }
        if self.repetitions == 0 {
            return Err(wrong("repetitions", "`repetitions` must be at least 1"));
        }
        if !platform.faults().is_empty() {
            return Err(wrong("kind", "the platform has faults, and an operation whose messages are lost never ends"));
        }
        if self.method == Method::Poly && operation != Operation::Single(Single::Single) {
            let message = "poly is of single messages between two nodes, whose time depends on their bytes alone; \
                           fit it to operation = \"single\"";
            return Err(wrong("method", message));
        }
        let sizes = grid::sizes(&self.sizes).map_err(|message| wrong("sizes", message))?;
        if sizes.len() < 2 {
            return Err(wrong("sizes", "a formula over the size needs at least two sizes"));
        }
        let ranks = self.ranks_of(operation, platform)?;
        let simulation = FittedOperation::new(self, operation, platform)?;
        for &ranks in &ranks {
            simulation.check(ranks, sizes[0])?;
        }
        let fitted = Grid { ranks: ranks.clone(), sizes: sizes.clone() };
        let unseen = Grid {
            // A single transfer has two ends on and off the grid.
            ranks: match &self.unseen_ranks {
                _ if simulation.is_single() => vec![2],
                Some(given) => given.clone(),
                None if ranks.len() == 1 => ranks.clone(),
                None => grid::between(&ranks),
            },
            sizes: match &self.unseen_sizes {
                Some(given) => grid::sizes(given).map_err(|message| wrong("unseen_sizes", message))?,
                None => grid::between(&sizes),
            },
        };
        for &ranks in &unseen.ranks {
            // Ranks half-way between others may be odd, which not every algorithm can do with: those are left out below.
            if self.unseen_ranks.is_some() && !simulation.is_single() {
                simulation.check(ranks, sizes[0]).map_err(|error| wrong("unseen_ranks", error.message))?;
            }
        }
        let unseen = Grid {
            ranks: unseen.ranks.into_iter().filter(|&ranks| simulation.check(ranks, sizes[0]).is_ok()).collect(),
            ..unseen
        };
        Ok(Source::Simulated { simulation, fitted, unseen })
    }

    /// The numbers of ranks of the grid; two for a single transfer.
    fn ranks_of(&self, operation: Operation, platform: &Platform) -> Result<Vec<u32>, KeyError> {
        let nodes = platform.nodes();
        if operation == Operation::Single(Single::Single) {
            return match self.root.max(self.receiver) {
                _ if self.root == self.receiver => Err(wrong("receiver", "a node sends to another, not to itself")),
                last if last >= nodes => {
                    let key = if self.root >= nodes { "root" } else { "receiver" };
                    Err(wrong(key, format!("the platform has {nodes} nodes, numbered from 0")))
                }
                _ => Ok(vec![2]),
            };
        }
        if self.ranks.is_empty() {
            return Err(wrong("ranks", "a collective operation needs at least one number of `ranks`"));
        }
        let mut ranks = self.ranks.clone();
        ranks.sort_unstable();
        ranks.dedup();
        Ok(ranks)
    }
}

/// Points to fit to and points to judge by, and what is known of them.
struct Drawn {
    data: Data,
    /// The noise floors of either, in percent.
    floors: [Option<f64>; 2],
    messages: u64,
    events: u64,
}

impl Prepared for PreparedFit {
    type Metrics = FitMetrics;

    /// Makes or takes the points, and fits.
    fn run(&self, run: &mut Run<'_>) -> Result<FitMetrics, RunFailure> {
        let started = Instant::now();
        let drawn = match &self.source {
            Source::Simulated { simulation, fitted, unseen } => {
                self.simulate(simulation, fitted, unseen, run.platform, &run.streams)?
            }
            Source::File(data) => self.held_back(data, &run.streams)?,
        };
        let simulating = started.elapsed().as_secs_f64();
        let FitParameters { method, genetic, paper, .. } = &*self.parameters;
        let seed = run.streams.stream("fit", 0).random();
        let request = Request {
            method: *method,
            genetic: genetic.options(seed),
            paper: paper.options(seed),
            folds: genetic.folds as usize,
        };
        let started = Instant::now();
        let found = fit(&drawn.data.train, &request, &AtomicBool::new(false), &mut |_| {});
        let found = found.ok_or_else(|| format!("{method} found no formula that has a value at all points"))?;
        let fitting = started.elapsed().as_secs_f64();
        run.set_counts(drawn.messages, drawn.events);
        Ok(outcome::metrics(&drawn, &found, self.parameters.short.count(), [fitting, simulating], run))
    }

    /// Shows the largest point of the grid; of files, of which nothing is simulated, nothing.
    fn trace(&self, run: &mut Run<'_>) -> Result<(), RunFailure> {
        match &self.source {
            Source::Simulated { simulation, fitted, .. } => {
                let (ranks, bytes) = fitted.points().last().ok_or("the grid is empty")?;
                Ok(simulation.watch(ranks, bytes, run)?)
            }
            Source::File(_) => Err("the times are from a file, so nothing is simulated that could be shown".into()),
        }
    }
}

impl PreparedFit {
    fn simulate(
        &self,
        simulation: &FittedOperation,
        fitted: &Grid,
        unseen: &Grid,
        platform: &Platform,
        streams: &Streams,
    ) -> Result<Drawn, String> {
        let FitParameters { repetitions, floor_repetitions, repeats, .. } = *self.parameters;
        let mut made = simulate::Made::default();
        let median = repeats == Some(Repeated::Median);
        let mut floors = [None; 2];
        let mut points = [Points::default(), Points::default()];
        for (number, grid) in [fitted, unseen].into_iter().enumerate() {
            let sampled = simulation.sample(grid, repetitions, floor_repetitions, platform, streams, &mut made)?;
            floors[number] = sampled.floor(median);
            points[number] = sampled.points(median, simulation.is_single());
        }
        let [train, test] = points;
        let names = if simulation.is_single() { vec!["bytes"] } else { vec!["ranks", "bytes"] };
        let names = names.into_iter().map(str::to_owned).collect();
        let data = Data { target: "time_s".to_owned(), names, train, test, notes: Vec::new() };
        Ok(Drawn { data, floors, messages: made.messages, events: made.events })
    }

    /// The file's points, some of them held back where no column says which.
    fn held_back(&self, data: &Data, streams: &Streams) -> Result<Drawn, String> {
        let mut data = data.clone();
        if self.parameters.split.is_none() {
            let count = data.train.len();
            let held = (count as f64 * self.parameters.held_back) as usize;
            let mut stream = streams.stream("held back", 0);
            let mut order: Vec<usize> = (0..count).collect();
            for at in (1..count).rev() {
                order.swap(at, stream.random_range(0..=at));
            }
            let (test, train) = order.split_at_mut(held);
            test.sort_unstable();
            train.sort_unstable();
            (data.test, data.train) = (data.train.chosen(test), data.train.chosen(train));
        }
        if data.train.len() < 2 {
            return Err(format!("{} points are left to fit to; at least 2 are needed", data.train.len()));
        }
        Ok(Drawn { data, floors: [None; 2], messages: 0, events: 0 })
    }
}

/// The nodes of the ranks of a platform, for one transfer those of its two ends.
fn nodes_of(parameters: &FitParameters, operation: Operation, platform: &Platform) -> Vec<NodeId> {
    let nodes = parameters.placement.nodes(platform);
    match operation {
        Operation::Collective(_) => nodes,
        Operation::Single(_) => [parameters.root, parameters.receiver]
            .iter()
            .filter_map(|rank| nodes.get(*rank as usize).copied())
            .collect(),
    }
}
