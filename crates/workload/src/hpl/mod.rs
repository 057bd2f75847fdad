//! High-Performance Linpack: the solution of a dense system of equations by a grid of processes, message by message.
//!
//! What costs time in HPL 2.2 is simulated: the factorisation of panels with their pivots, look-ahead, the broadcasts
//! that a process looks for between pieces of its update, the exchanges of rows, the update, the back substitution.
//! There are no numbers in the matrix, so which rows become pivots is drawn. The routines take what the
//! [kernels](hetsim_cluster::Kernel) of the platform say.

mod broadcast;
mod costs;
mod factor;
mod grid;
mod panel;
mod process;
mod program;
mod settings;
mod solve;
mod swap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Demand, KeyError, Prepared, Run, RunFailure, Workload};
use crate::ranks::RankProgram;
use crate::share;
use hetsim_base::engine::Streams;
use hetsim_base::record::{Metric, TableShape, Value};
use hetsim_base::units::Time;
use hetsim_base::units::defaults::count;
use hetsim_cluster::network::Port;
use hetsim_cluster::{CallSize, Connection, NodeId, Platform};

use crate::communication::Placement;
use costs::RoutineCosts;
use grid::ProcessGrid;
use panel::Recursion;
use process::{HplRun, PARTS, Process, Ways};

pub use grid::GridOrder;
pub use panel::Variant;
pub use settings::{Factorisation, PanelBroadcast, RowSwap};

/// `kind = "hpl"`: the keys have the names of `HPL.dat`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HplParameters {
    /// The order of the matrix.
    #[schemars(range(min = 1))]
    pub n: u64,
    /// The length of a block, which is the width of a panel.
    #[serde(default = "count::<128>")]
    #[schemars(range(min = 1))]
    pub nb: u32,
    /// The rows of the grid of processes.
    #[schemars(range(min = 1))]
    pub p: u32,
    /// The columns of the grid of processes. There are as many ranks as processes.
    #[schemars(range(min = 1))]
    pub q: u32,
    /// How ranks are numbered on the grid.
    #[serde(default)]
    pub pmap: GridOrder,
    /// How many panels are factored ahead of the update: 0 or 1.
    #[serde(default = "count::<1>")]
    #[schemars(range(max = 1))]
    pub depth: u32,
    /// How a panel goes along its row of the grid.
    #[serde(default)]
    pub bcast: PanelBroadcast,
    /// How pivot rows are exchanged in a column of the grid.
    #[serde(default)]
    pub swap: RowSwap,
    /// The number of columns up to which `swap = "mix"` exchanges rows by binary exchange. Default: `nb`.
    #[serde(default)]
    pub threshold: Option<u32>,
    /// How the narrowest parts of a panel are factored.
    #[serde(default = "crout")]
    pub pfact: Variant,
    /// How parts of a panel are put together.
    #[serde(default)]
    pub rfact: Variant,
    /// The width up to which a part of a panel is cut no further.
    #[serde(default = "count::<2>")]
    #[schemars(range(min = 1))]
    pub nbmin: u32,
    /// Into how many parts a panel, and each of its parts, is cut.
    #[serde(default = "count::<2>")]
    #[schemars(range(min = 2))]
    pub ndiv: u32,
    /// How the factorisation of a panel is simulated. Default: `one_step`, or `messages` where messages hold the ports of
    /// nodes, where latency or bandwidth vary, and where nodes have external load, none of which one step knows.
    #[serde(default)]
    pub factorisation: Option<Factorisation>,
    /// On which nodes the ranks are.
    #[serde(default)]
    pub placement: Placement,
}

const fn crout() -> Variant {
    Variant::Crout
}

hetsim_base::metrics! {
    /// The metrics of HPL.
    pub struct HplMetrics {
        completion_s: f64 = "when the system was solved, simulated" [less],
        gflops: f64 = "the rate that HPL reports, in 10⁹ operations a second" [more, formula("(2/3 n³ + 3/2 n²) / completion_s / 10⁹")],
        peak_share: f64 = "its part of the rate at which all ranks together multiply matrices" [more],
        factorisation_share: f64 = "the part of all ranks' time that the factorisation of panels took, waiting included" [less],
        broadcast_share: f64 = "the part that the broadcast of panels took" [less],
        swap_share: f64 = "the part that the exchange of rows took" [less],
        update_share: f64 = "the part that the update took" [neither],
        solve_share: f64 = "the part that the back substitution took" [less],
        slowest_node: u64 = "the node whose update took longest" [neither],
        update_spread: f64 = "how much longer its update took than that of the mean node, as a part of it" [less],
    }
}

/// A row a rank.
const PARTS_OF_RANKS: TableShape = TableShape {
    name: "parts",
    about: "what each rank spent its time on",
    columns: &[
        Metric::number("rank", "the rank's number"),
        Metric::number("node", "its node"),
        Metric::number("row", "its row of the grid"),
        Metric::number("column", "its column of the grid"),
        Metric::number("factorisation_s", "the factorisation of panels, waiting for the column included"),
        Metric::number("broadcast_s", "the broadcast of panels"),
        Metric::number("swap_s", "the exchange of rows"),
        Metric::number("update_s", "the update"),
        Metric::number("solve_s", "the back substitution"),
    ],
};

/// A matrix on a grid, ready to be solved any number of times.
#[derive(Debug)]
pub struct PreparedHpl {
    keys: HplParameters,
    nodes: Vec<NodeId>,
}

/// Tags hold the number of a panel.
const MOST_PANELS: u64 = 1 << 27;

impl HplParameters {
    fn grid(&self) -> ProcessGrid {
        ProcessGrid { n: self.n, nb: u64::from(self.nb), p: self.p, q: self.q, order: self.pmap }
    }

    fn ways(&self, nodes: &[NodeId], platform: &Platform) -> Ways {
        let (least, parts) = (u64::from(self.nbmin), u64::from(self.ndiv));
        Ways {
            recursion: Recursion { inner: self.pfact, outer: self.rfact, least, parts },
            looks_ahead: self.depth > 0 && self.q > 1,
            factorisation: self.factorisation(nodes, platform),
            broadcast: self.bcast,
            swap: self.swap,
            threshold: u64::from(self.threshold.unwrap_or(self.nb)),
        }
    }
}

impl HplParameters {
    /// The rate of a node at a product of matrices as its share of the first update, in operations a second.
    pub(crate) fn rate(&self, platform: &Platform, node: NodeId) -> f64 {
        let share = |ranks: u32| (self.n as f64 / f64::from(ranks)).max(1.0);
        RoutineCosts::new(platform).rate(node, CallSize::new(share(self.p), share(self.q), f64::from(self.nb)))
    }
}

/// The bytes of a message as they go in the search for a pivot.
const SHORT_MESSAGE: u64 = 1024;

impl HplParameters {
    /// How the factorisation of a panel is simulated.
    fn factorisation(&self, nodes: &[NodeId], platform: &Platform) -> Factorisation {
        let column: Vec<NodeId> = (0..self.p).map(|row| nodes[self.grid().rank(row, 0) as usize]).collect();
        let holds_port = |pair: &[NodeId]| {
            let port = platform.transfer(pair[0], pair[1], SHORT_MESSAGE).port;
            !matches!(port, Port::Free | Port::Gap(Time::ZERO))
        };
        let varies = || platform.connections().iter().any(Connection::varies);
        let by_messages = !platform.loads().is_empty() || self.p > 1 && (varies() || column.windows(2).any(holds_port));
        let usual = || if by_messages { Factorisation::Messages } else { Factorisation::OneStep };
        self.factorisation.unwrap_or_else(usual)
    }
}

fn fault<T>(key: &str, message: String) -> Result<T, KeyError> {
    Err(KeyError { key: key.to_owned(), message })
}

impl Workload for HplParameters {
    const NAME: &'static str = "hpl";
    const ABOUT: &'static str = "High-Performance Linpack: a dense system of equations on a grid of processes.";
    const TABLES: &'static [TableShape] = &[share::NODES, PARTS_OF_RANKS];
    type Prepared = PreparedHpl;

    fn prepare(&self, platform: &Platform) -> Result<PreparedHpl, KeyError> {
        let nodes = self.placement.nodes(platform);
        let (ranks, grid) = (nodes.len(), u64::from(self.p) * u64::from(self.q));
        if grid != ranks as u64 {
            return fault(
                "p",
                format!("a grid of {} × {} has {grid} processes, and there are {ranks} ranks", self.p, self.q),
            );
        }
        if u64::from(self.nb) > self.n {
            return fault("nb", format!("a block of {} is longer than the matrix, whose order is {}", self.nb, self.n));
        }
        if self.grid().panels() > MOST_PANELS {
            return fault("nb", format!("{} panels are too many; choose a longer block", self.grid().panels()));
        }
        let is_faulty = platform.faults().iter().any(|faults| !faults.is_empty());
        if is_faulty {
            return fault("kind", "HPL does not survive a node that goes down; leave out the faults".to_owned());
        }
        Ok(PreparedHpl { keys: self.clone(), nodes })
    }
}

impl Prepared for PreparedHpl {
    type Metrics = HplMetrics;

    fn run(&self, run: &mut Run<'_>) -> Result<HplMetrics, RunFailure> {
        let platform = run.platform;
        let keys = &self.keys;
        let job = HplRun::new(keys.grid(), keys.ways(&self.nodes, platform), platform, self.nodes.clone(), run.streams);
        let mut program = RankProgram::new(self.nodes.clone(), &PARTS, |rank| Process::new(rank, &job).run());
        if run.is_traced() {
            program = program.recorded();
        }
        let mut end = run.simulate(&mut program)?;
        if let Some(calls) = program.calls() {
            run.show_calls(calls);
        }
        drop(program);
        let completion = end.completion_of_all(self.nodes.len() as u32, "ranks were done")?;
        job.book(&mut end.usage);
        run.share_among_all(&end.usage, completion);
        let spent = job.spent();
        run.table(&PARTS_OF_RANKS, || self.rows(&spent, platform));
        Ok(self.metrics(&job, &spent, platform.tick().seconds(completion)))
    }

    /// Those of the exchanges of rows, and of the panels that are passed on; those of the search for pivots if each of its
    /// messages is one.
    fn expected_events(&self, platform: &Platform) -> Option<f64> {
        let grid = self.keys.grid();
        let ranks = self.nodes.len() as f64;
        let rounds = match self.keys.swap {
            RowSwap::BinaryExchange => f64::from(grid.p).log2().ceil(),
            RowSwap::Long | RowSwap::Mix => f64::from(grid.p) + f64::from(grid.p).log2(),
        };
        let of_rank = EVENTS_OF_A_MESSAGE * (rounds + 1.0) + EVENTS_OF_AN_UPDATE;
        let of_pivot = match self.keys.factorisation(&self.nodes, platform) {
            Factorisation::OneStep => 0.0,
            Factorisation::Messages => EVENTS_OF_A_MESSAGE * f64::from(grid.p).log2().ceil() + 2.0,
        };
        Some(grid.panels() as f64 * ranks * of_rank + self.keys.n as f64 * f64::from(grid.p) * of_pivot)
    }

    fn warning(&self, platform: &Platform) -> Option<String> {
        if self.keys.factorisation(&self.nodes, platform) == Factorisation::Messages {
            return None;
        }
        let unfelt = if !platform.loads().is_empty() {
            "external load slows the update, but not the factorisation of panels; it does"
        } else if platform.has_power() {
            "the energy leaves out what cores compute while they factor panels; it has it"
        } else {
            return None;
        };
        Some(format!("{unfelt} with `workload.factorisation = \"messages\"`"))
    }

    fn demand(&self, platform: &Platform, _: Streams) -> Result<Option<Demand>, RunFailure> {
        let n = self.keys.n as f64;
        let speed = self.nodes.iter().map(|&node| platform.speed_per_second(node)).sum();
        Ok(Some(Demand { operations: operations(n), speed }))
    }
}

/// A request, its answer, the message, and what both sides learn of it.
const EVENTS_OF_A_MESSAGE: f64 = 6.0;
/// Pieces of an update.
const EVENTS_OF_AN_UPDATE: f64 = 4.0;

/// The operations that HPL counts.
fn operations(n: f64) -> f64 {
    2.0 / 3.0 * n.powi(3) + 1.5 * n.powi(2)
}

impl PreparedHpl {
    fn metrics(&self, job: &HplRun<'_>, spent: &[[Time; PARTS.len()]], completion_s: f64) -> HplMetrics {
        let ranks = self.nodes.len() as u32;
        let rate: f64 = (0..ranks).map(|rank| job.rate(rank)).sum();
        let whole: f64 = spent.iter().flatten().map(|time| time.as_f64()).sum();
        let share = |part: usize| spent.iter().map(|spent| spent[part].as_f64()).sum::<f64>() / whole.max(1.0);
        let [factorisation_share, broadcast_share, swap_share, update_share, solve_share] = [0, 1, 2, 3, 4].map(share);
        let updates = || spent.iter().map(|spent| spent[process::HplPart::Update as usize].as_f64());
        let slowest = (0..spent.len()).max_by(|&a, &b| f64::total_cmp(&spent[a][3].as_f64(), &spent[b][3].as_f64()));
        let mean = updates().sum::<f64>() / f64::from(ranks);
        let greatest = updates().fold(0.0, f64::max);
        let flops = operations(self.keys.n as f64) / completion_s;
        HplMetrics {
            completion_s,
            gflops: flops / 1e9,
            peak_share: flops / rate,
            factorisation_share,
            broadcast_share,
            swap_share,
            update_share,
            solve_share,
            slowest_node: slowest.map_or(0, |rank| u64::from(self.nodes[rank].0)),
            update_spread: if mean > 0.0 { greatest / mean - 1.0 } else { 0.0 },
        }
    }

    fn rows(&self, spent: &[[Time; PARTS.len()]], platform: &Platform) -> Vec<Vec<Value>> {
        let grid = self.keys.grid();
        let row = |(rank, spent): (u32, &[Time; PARTS.len()])| {
            let (row, column) = grid.place(rank);
            let mut cells: Vec<Value> =
                [rank, self.nodes[rank as usize].0, row, column].map(|number| Value::Count(u64::from(number))).into();
            cells.extend(spent.iter().map(|&time| Value::Number(platform.tick().seconds(time))));
            cells
        };
        (0..).zip(spent).map(row).collect()
    }
}
