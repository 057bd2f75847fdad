//! What a run tolerates: how much worse each part of the machine may become before the run is so much longer.
//!
//! The run is simulated again with a part that is worse by a factor, with the same draws, and the factor is searched
//! for at which the run is longer by a given share. This holds for every workload, also where decisions change with the
//! machine; of a run that does not grow steadily with the factor, the search finds one of the crossings.

mod search;
pub(super) mod table;

use std::ops::Range;

use rayon::prelude::*;

use super::network_keys::NetworkKey;
use super::resolve::PointSetup;
use super::{Scenario, unmade};
use hetsim_base::engine::Streams;
use hetsim_base::record::{Metrics as _, Record, Table, Value as Cell};
use hetsim_cluster::Platform;
use hetsim_workload::RunFailure;
use search::{Known, SHARES};
use table::{TOLERANCE, ToleranceMetrics};

/// Why a machine with a worse part cannot be made.
const WORSE: &str = "with a worse part, for the table `tolerance`";

/// The most parts whose tolerance is searched for.
const MOST_PARTS: usize = 2000;

/// A part of a machine that becomes worse.
#[derive(Debug)]
enum WorsePart {
    /// A node, with its ranks: its computations take longer.
    Node(usize, Range<u32>),
    /// A kernel: its calls take longer on all nodes.
    Kernel(usize, String),
    /// A key of a network: a duration becomes longer, a bandwidth less.
    Key(NetworkKey),
}

/// A run whose tolerance is searched for.
struct Examined<'a> {
    scenario: &'a Scenario,
    point: usize,
    replica: u32,
    setup: PointSetup,
    /// How long it takes, in seconds.
    completion: f64,
}

/// Adds the table and the metrics to the record of a run.
///
/// # Errors
/// The workload has no completion, a part is one of too many, or a run with a worse part fails.
pub(super) fn add(scenario: &Scenario, point: usize, replica: u32, record: &mut Record) -> Result<(), RunFailure> {
    let setup = scenario.machine(point, replica)?;
    let completion = completion_of(record)?;
    let examined = Examined { scenario, point, replica, setup, completion };
    let parts = examined.parts()?;
    if parts.len() > MOST_PARTS {
        let message = format!("the table `tolerance` is for at most {MOST_PARTS} parts, and there are {}", parts.len());
        return Err(message.into());
    }
    let factors: Vec<[Option<f64>; SHARES.len()]> =
        parts.par_iter().map(|part| examined.tolerances(part)).collect::<Result<_, _>>()?;
    let tolerances = parts.iter().zip(&factors);
    let least = tolerances.clone().filter_map(|(part, factors)| Some((part, factors[0]?)));
    if let Some((part, factor)) = least.min_by(|a, b| a.1.total_cmp(&b.1)) {
        ToleranceMetrics { least_tolerant: part.words(), least_tolerance: factor }.write(record);
    }
    let rows = tolerances.flat_map(|(part, factors)| SHARES.iter().zip(factors).map(|(&share, &f)| part.row(share, f)));
    record.tables.push(Table { rows: rows.collect(), ..Table::new(&TOLERANCE) });
    Ok(())
}

/// How long a run took, in seconds.
fn completion_of(record: &Record) -> Result<f64, RunFailure> {
    let completion = record.get("completion_s").and_then(Cell::number).filter(|&seconds| seconds > 0.0);
    completion.ok_or_else(|| "the table `tolerance` needs a run with a completion above zero".into())
}

impl Examined<'_> {
    /// Everything that may become worse.
    fn parts(&self) -> Result<Vec<WorsePart>, RunFailure> {
        let Some(plan) = &self.setup.platform else { return Ok(Vec::new()) };
        let nodes = plan.ranks_of_nodes().into_iter().enumerate();
        let kernels = plan.platform().kernels().iter().enumerate();
        let keys = self.scenario.resolver.network_keys(self.point, &self.scenario.drawn_values(self.replica));
        let keys = keys.map_err(|problems| unmade(WORSE, &problems))?;
        Ok(nodes
            .map(|(node, ranks)| WorsePart::Node(node, ranks))
            .chain(kernels.map(|(number, kernel)| WorsePart::Kernel(number, kernel.name().to_owned())))
            .chain(keys.into_iter().map(WorsePart::Key))
            .collect())
    }

    /// The factor that a part tolerates for each share; `None` where it exceeds any that is tried.
    fn tolerances(&self, part: &WorsePart) -> Result<[Option<f64>; SHARES.len()], RunFailure> {
        let mut known = Known::default();
        let mut found = [None; SHARES.len()];
        for (share, found) in SHARES.into_iter().zip(&mut found) {
            *found =
                known.tolerated(share, |factor| Ok(self.completion_with(part, factor)? / self.completion - 1.0))?;
        }
        Ok(found)
    }

    /// How long the run takes with a worse part, in seconds.
    fn completion_with(&self, part: &WorsePart, factor: f64) -> Result<f64, RunFailure> {
        let streams = Streams::new(self.scenario.file.seed, u64::from(self.replica));
        let run = |setup: &PointSetup, worse: &dyn Fn(&Platform) -> Result<Platform, RunFailure>| {
            setup.act(streams, |resolved, platform, streams| {
                let platform = platform.map(worse).transpose()?;
                resolved.ready.record(platform.as_ref(), streams, &[])
            })
        };
        let record = match part {
            WorsePart::Node(_, ranks) => {
                run(&self.setup, &|platform| platform.with_nodes_slowed(ranks.clone(), factor).map_err(RunFailure::of))
            }
            WorsePart::Kernel(number, _) => {
                run(&self.setup, &|platform| Ok(platform.with_kernel_slowed(*number, factor)))
            }
            WorsePart::Key(key) => {
                let mut values = self.scenario.drawn_values(self.replica);
                values.push((&key.key, key.worse(factor)));
                let setup = self
                    .scenario
                    .resolver
                    .machine_with(self.point, &values)
                    .map_err(|problems| unmade(WORSE, &problems))?;
                run(&setup, &|platform| Ok(platform.clone()))
            }
        };
        completion_of(&record?)
    }
}

impl WorsePart {
    /// The part in words.
    fn words(&self) -> String {
        match self {
            Self::Node(number, _) => format!("node {number}"),
            Self::Kernel(_, name) => format!("kernel {name}"),
            Self::Key(key) => key.key.clone(),
        }
    }

    fn row(&self, share: f64, factor: Option<f64>) -> Vec<Cell> {
        let (part, name, value) = match self {
            Self::Node(number, _) => ("node", number.to_string(), None),
            Self::Kernel(_, name) => ("kernel", name.clone(), None),
            Self::Key(key) => ("key", key.key.clone(), factor.map(|factor| key.value(factor))),
        };
        let number = |value: Option<f64>| value.map_or(Cell::Blank, Cell::from);
        vec![part.into(), name.as_str().into(), share.into(), number(factor), number(value)]
    }
}
