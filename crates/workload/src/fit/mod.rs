//! Formulas for run times as a workload: any method of [`fit::runtime`](hetsim_fit::runtime) fits a formula to points
//! that are simulated on the platform.
//!
//! After Heinrich-Litan, Fissgus, Sutter, Molitor and Rauber (004): a grid of ranks and sizes with some repetitions,
//! curve fitting beside genetic programming, and the deviations in the form of their table 1. Two metrics are added:
//! the error on points off the grid, and the least error that the noise leaves to any formula.

mod fitting;
mod grid;
mod outcome;
mod settings;
mod simulate;
#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use web_time::Instant;

use super::communication::Placement;
use super::{KeyError, Prepared, Run, RunFailure, Workload};
use hetsim_base::engine::Streams;
use hetsim_base::record::TableShape;
use hetsim_base::units::Operations;
use hetsim_base::units::defaults::count;
use hetsim_cluster::Platform;
use hetsim_communication::{Algorithm, Operation as Collective};
use hetsim_fit::runtime::Method;
use hetsim_fit::runtime::data::{Data, Points};

pub use fitting::{Fitting, Repeated};
pub use grid::{GridSizes, SizeRange};
pub use outcome::TABLES;
pub use outcome::{FitMetrics, Samples};
pub use settings::{Genetic, Paper};
use simulate::{FittedOperation, Made, RunGrid};

/// `kind = "fit"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct FitParameters {
    /// The keys of every fit.
    #[serde(flatten)]
    pub fitting: Fitting,
    /// What is simulated: one transfer between two nodes (`single`), or a collective operation, whose times are fitted
    /// over `ranks` and `bytes`.
    pub operation: Operation,
    /// The algorithm of the collective operation; by default the usual one. It has no effect on a single transfer.
    #[serde(default)]
    pub algorithm: Option<Algorithm>,
    /// The numbers of ranks of the grid, each from 2 to the platform's nodes. They have no effect on a single transfer,
    /// which has two ends.
    #[serde(default)]
    pub ranks: Vec<u32>,
    /// The sizes of the grid: single ones, and ranges `{ from = "4B", to = "784B", step = "20B" }`. A size that is
    /// given twice counts once.
    #[serde(default)]
    pub sizes: Vec<GridSizes>,
    /// The number of simulations of each point, each with other draws.
    #[serde(default = "count::<3>")]
    #[schemars(range(min = 1, max = 10_000))]
    pub repetitions: u32,
    /// Numbers of ranks off the grid, to judge the formula by. By default they lie half-way between neighbours of
    /// the grid, as far as the algorithm allows them; a grid of one number keeps it. They have no effect on a single
    /// transfer.
    #[serde(default)]
    pub unseen_ranks: Option<Vec<u32>>,
    /// Sizes off the grid; by default half-way between neighbours of the grid.
    #[serde(default)]
    pub unseen_sizes: Option<Vec<GridSizes>>,
    /// Repetitions of each point, besides those that are fitted to, whose mean is taken for the true time: the noise
    /// floor is its error. With 0 there is none.
    #[serde(default = "count::<30>")]
    #[schemars(range(max = 100_000))]
    pub floor_repetitions: u32,
    /// The rank that has the data at first, or gets it; of a single transfer the sender.
    #[serde(default)]
    pub root: u32,
    /// The receiver of a single transfer, as a rank among all nodes.
    #[serde(default = "count::<1>")]
    pub receiver: u32,
    /// On which nodes the ranks are: the first ones of this order.
    #[serde(default)]
    pub placement: Placement,
    /// The work to combine two bytes, on the node that does it.
    #[serde(default)]
    pub reduction: Operations,
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

/// What the times of a single transfer or of a collective operation depend on.
fn variables(is_single: bool) -> Vec<String> {
    let names: &[&str] = if is_single { &["bytes"] } else { &["ranks", "bytes"] };
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// A fit, ready to be made any number of times.
#[derive(Debug)]
pub struct PreparedFit {
    parameters: FitParameters,
    simulation: FittedOperation,
    fitted: RunGrid,
    unseen: RunGrid,
}

impl Workload for FitParameters {
    const NAME: &'static str = "fit";
    const ABOUT: &'static str = "A formula for simulated run times, by curve fitting, genetic programming or models.";
    const TABLES: &'static [TableShape] = TABLES;
    type Prepared = PreparedFit;

    fn prepare(&self, platform: &Platform) -> Result<Self::Prepared, KeyError> {
        self.fitting.check(&variables(self.operation == Operation::Single(Single::Single)))?;
        KeyError::at_least_one(&[("repetitions", self.repetitions)])?;
        KeyError::unless(
            platform.faults().is_empty(),
            "kind",
            || "the platform has faults, and an operation whose messages are lost never ends",
        )?;
        let operation = self.operation;
        if self.fitting.method == Method::Poly && operation != Operation::Single(Single::Single) {
            let message = "poly is of single messages between two nodes, whose time depends on their bytes alone; \
                           fit it to operation = \"single\"";
            return Err(KeyError::new("method", message));
        }
        let sizes = grid::sizes(&self.sizes).map_err(|message| KeyError::new("sizes", message))?;
        KeyError::unless(sizes.len() >= 2, "sizes", || "a formula over the size needs at least two sizes")?;
        let ranks = self.grid_ranks(platform)?;
        let simulation = FittedOperation::new(self, platform)?;
        for &ranks in &ranks {
            simulation.check(ranks, sizes[0])?;
        }
        let fitted = RunGrid { ranks: ranks.clone(), sizes: sizes.clone() };
        let unseen = RunGrid {
            // A single transfer has two ends on and off the grid.
            ranks: match &self.unseen_ranks {
                _ if simulation.is_single() => vec![2],
                Some(given) => given.clone(),
                None if ranks.len() == 1 => ranks.clone(),
                None => grid::between(&ranks),
            },
            sizes: match &self.unseen_sizes {
                Some(given) => grid::sizes(given).map_err(|message| KeyError::new("unseen_sizes", message))?,
                None => grid::between(&sizes),
            },
        };
        for &ranks in &unseen.ranks {
            // Ranks half-way between others may be odd, which some algorithms do not allow: those are left out below.
            if self.unseen_ranks.is_some() && !simulation.is_single() {
                simulation.check(ranks, sizes[0]).map_err(|error| KeyError::new("unseen_ranks", error.message))?;
            }
        }
        let unseen = RunGrid {
            ranks: unseen.ranks.into_iter().filter(|&ranks| simulation.check(ranks, sizes[0]).is_ok()).collect(),
            ..unseen
        };
        Ok(PreparedFit { parameters: self.clone(), simulation, fitted, unseen })
    }
}

impl FitParameters {
    /// The numbers of ranks of the grid; two for a single transfer.
    fn grid_ranks(&self, platform: &Platform) -> Result<Vec<u32>, KeyError> {
        let nodes = platform.nodes();
        if self.operation == Operation::Single(Single::Single) {
            let differ = self.root != self.receiver;
            KeyError::unless(differ, "receiver", || "a node sends to another, not to itself")?;
            for (key, node) in [("root", self.root), ("receiver", self.receiver)] {
                KeyError::unless(node < nodes, key, || format!("the platform has {nodes} nodes, numbered from 0"))?;
            }
            return Ok(vec![2]);
        }
        KeyError::unless(
            !self.ranks.is_empty(),
            "ranks",
            || "a collective operation needs at least one number of `ranks`",
        )?;
        let mut ranks = self.ranks.clone();
        ranks.sort_unstable();
        ranks.dedup();
        Ok(ranks)
    }
}

impl Prepared for PreparedFit {
    type Metrics = FitMetrics;

    /// Simulates the points, and fits.
    fn run(&self, run: &mut Run<'_>) -> Result<FitMetrics, RunFailure> {
        let started = Instant::now();
        let (samples, made) = self.simulate(run.platform, &run.streams)?;
        let simulating_s = started.elapsed().as_secs_f64();
        run.set_counts(made.messages, made.events);
        self.parameters.fitting.measure(&samples, simulating_s, &run.streams, &mut run.tables)
    }

    /// Shows the largest point of the grid.
    fn trace(&self, run: &mut Run<'_>) -> Result<(), RunFailure> {
        let (ranks, bytes) = self.fitted.points().last().ok_or("the grid is empty")?;
        Ok(self.simulation.watch(ranks, bytes, run)?)
    }
}

impl PreparedFit {
    fn simulate(&self, platform: &Platform, streams: &Streams) -> Result<(Samples, Made), String> {
        let FitParameters { repetitions, floor_repetitions, ref fitting, .. } = self.parameters;
        let mut made = Made::default();
        let median = fitting.repeats == Some(Repeated::Median);
        let (mut floors, mut points) = ([None; 2], [Points::default(), Points::default()]);
        for (number, grid) in [&self.fitted, &self.unseen].into_iter().enumerate() {
            let sampled = self.simulation.sample(grid, repetitions, floor_repetitions, platform, streams, &mut made)?;
            floors[number] = sampled.floor(median);
            points[number] = sampled.points(median, self.simulation.is_single());
        }
        let [train, test] = points;
        let names = variables(self.simulation.is_single());
        let data = Data { target: "time_s".to_owned(), names, train, test, notes: Vec::new() };
        Ok((Samples { data, floors }, made))
    }
}
