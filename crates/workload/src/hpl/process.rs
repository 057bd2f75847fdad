//! A process of HPL, and what all processes of a run share.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rand::RngExt;

use super::costs::{Routine, RoutineCosts};
use super::grid::ProcessGrid;
use super::panel::{Factoring, PivotSearch, Recursion, Steps};
use super::settings::{Factorisation, PanelBroadcast, RowSwap};
use crate::ranks::{Rank, Tag};
use hetsim_base::engine::{Stream, Streams};
use hetsim_base::units::Time;
use hetsim_cluster::{CallSize, NodeId, Platform, Usage};

/// What a process spends its time on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HplPart {
    Factorisation,
    Broadcast,
    Swap,
    Update,
    Solve,
}

/// The names of the parts, in their order.
pub(super) const PARTS: [&str; 5] = ["factorisation", "broadcast", "swap", "update", "solve"];

/// The tag of a message that belongs to a part of the work on a panel.
pub(super) const fn tag(part: HplPart, panel: u64) -> Tag {
    ((part as u32) << 28) | panel as u32
}

/// How the parts of the work are done.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ways {
    /// How panels are cut.
    pub(super) recursion: Recursion,
    /// Whether a panel is factored while the update by the one before it goes on.
    pub(super) looks_ahead: bool,
    pub(super) factorisation: Factorisation,
    pub(super) broadcast: PanelBroadcast,
    pub(super) swap: RowSwap,
    /// The columns up to which `swap` may be by binary exchange.
    pub(super) threshold: u64,
}

/// The processes of a column that have come to the factorisation of a panel.
#[derive(Debug, Default)]
struct Meeting {
    come: u32,
    /// By row, when it came.
    since: Vec<Time>,
}

/// A run of HPL: what all processes share.
#[derive(Debug)]
pub(super) struct HplRun<'p> {
    pub(super) grid: ProcessGrid,
    pub(super) ways: Ways,
    platform: &'p Platform,
    nodes: Vec<NodeId>,
    costs: RoutineCosts<'p>,
    streams: Streams,
    /// The steps for a panel of full width, and for the last one.
    steps: [Steps; 2],
    meetings: RefCell<Vec<Meeting>>,
    pivots: RefCell<Vec<Rc<[u32]>>>,
    /// By rank: the time spent on each part.
    spent: RefCell<Vec<[Time; PARTS.len()]>>,
    /// By rank: the seconds for which it has computed in factorisations as one step.
    computed: RefCell<Vec<f64>>,
}

impl<'p> HplRun<'p> {
    pub(super) fn new(
        grid: ProcessGrid,
        ways: Ways,
        platform: &'p Platform,
        nodes: Vec<NodeId>,
        streams: Streams,
    ) -> Self {
        let (q, p) = (grid.q as usize, grid.p as usize);
        let meeting = || Meeting { come: 0, since: vec![Time::ZERO; p] };
        Self {
            grid,
            ways,
            platform,
            costs: RoutineCosts::new(platform),
            streams,
            steps: [0, grid.panels() - 1].map(|panel| Steps::new(&ways.recursion, grid.width(panel))),
            meetings: RefCell::new(std::iter::repeat_with(meeting).take(q).collect()),
            pivots: RefCell::default(),
            spent: RefCell::new(vec![[Time::ZERO; PARTS.len()]; nodes.len()]),
            computed: RefCell::new(vec![0.0; nodes.len()]),
            nodes,
        }
    }

    /// By rank: the time spent on each part.
    pub(super) fn spent(&self) -> Vec<[Time; PARTS.len()]> {
        self.spent.borrow().clone()
    }

    /// Adds to the machine's book what the ranks have computed in factorisations as one step.
    pub(super) fn book(&self, usage: &mut [Usage]) {
        for (&node, &seconds) in self.nodes.iter().zip(&*self.computed.borrow()) {
            if let Some(usage) = usage.get_mut(node.index()) {
                usage.busy += self.platform.tick().time(seconds);
                usage.operations += seconds * self.platform.speed_per_second(node);
            }
        }
    }

    /// The rate of a rank's node at the product of matrices of its first update, in operations a second.
    pub(super) fn rate(&self, rank: u32) -> f64 {
        let (row, column) = self.grid.place(rank);
        let (m, n) = (self.grid.rows_below(0, row).max(1), self.grid.columns_after(0, column).max(1));
        let size = CallSize::new(m as f64, n as f64, self.grid.width(0) as f64);
        self.costs.rate(self.nodes[rank as usize], size)
    }

    /// How many of a panel's pivot rows each row of the grid has. Which rows become pivots depends on the numbers in the
    /// matrix: they are drawn, each from all rows that are left.
    pub(super) fn pivot_rows(&self, panel: u64) -> Rc<[u32]> {
        let mut pivots = self.pivots.borrow_mut();
        for next in pivots.len() as u64..=panel {
            let mut rows = vec![0; self.grid.p as usize];
            let mut stream = self.streams.stream("hpl.pivots", next);
            let first = next * self.grid.nb;
            for column in first..first + self.grid.width(next) {
                rows[self.grid.row_of(stream.random_range(column..self.grid.n)) as usize] += 1;
            }
            pivots.push(rows.into());
        }
        Rc::clone(&pivots[panel as usize])
    }

    /// The nodes of a column of the grid.
    fn column(&self, column: u32) -> Vec<NodeId> {
        (0..self.grid.p).map(|row| self.nodes[self.grid.rank(row, column) as usize]).collect()
    }

    /// A process comes to the factorisation of a panel. Returns for how long from now on each process of its column is busy
    /// with it, if it is the last to come; nothing otherwise.
    pub(super) fn come(&self, panel: u64, (row, column): (u32, u32), now: Time) -> Vec<Time> {
        let since = {
            let meeting = &mut self.meetings.borrow_mut()[column as usize];
            meeting.since[row as usize] = now;
            meeting.come = (meeting.come + 1) % self.grid.p;
            if meeting.come > 0 {
                return Vec::new();
            }
            meeting.since.clone()
        };
        self.factor(panel, now, &since)
    }

    /// The search of the pivots of a panel, by the column of processes that factors it.
    pub(super) fn search(&self, panel: u64) -> PivotSearch {
        PivotSearch::new(self.grid.p, self.grid.root_row(panel), self.grid.width(panel))
    }

    /// The steps of the factorisation of a panel.
    pub(super) fn steps(&self, panel: u64) -> &Steps {
        &self.steps[usize::from(panel + 1 == self.grid.panels())]
    }

    /// Factors a panel, to whose column the last process has come now. Returns for how long from now on each process of
    /// the column is busy with it.
    fn factor(&self, panel: u64, now: Time, since: &[Time]) -> Vec<Time> {
        let tick = self.platform.tick();
        let mut times: Vec<f64> = since.iter().map(|&since| -tick.seconds(now.since(since))).collect();
        let column = self.grid.root_column(panel);
        let nodes = self.column(column);
        let factoring = Factoring {
            grid: &self.grid,
            costs: &self.costs,
            nodes: &nodes,
            search: &self.search(panel).on(self.platform, &nodes),
            steps: self.steps(panel),
            panel,
        };
        let mut computed = vec![0.0; nodes.len()];
        factoring.run(&mut times, &mut computed, &mut self.streams.stream("hpl.panel", panel));
        let mut of_ranks = self.computed.borrow_mut();
        for (row, seconds) in (0..).zip(computed) {
            of_ranks[self.grid.rank(row, column) as usize] += seconds;
        }
        times.into_iter().map(|seconds| tick.time(seconds.max(0.0))).collect()
    }
}

/// One process.
#[derive(Debug)]
pub(super) struct Process<'j> {
    pub(super) rank: Rank,
    pub(super) job: &'j HplRun<'j>,
    pub(super) row: u32,
    pub(super) column: u32,
    node: NodeId,
    stream: RefCell<Stream>,
    /// What it does, and since when.
    doing: Cell<(HplPart, Time)>,
}

impl<'j> Process<'j> {
    pub(super) fn new(rank: Rank, job: &'j HplRun<'j>) -> Self {
        let (row, column) = job.grid.place(rank.number());
        Self {
            job,
            row,
            column,
            node: job.nodes[rank.number() as usize],
            stream: RefCell::new(job.streams.stream("hpl.calls", u64::from(rank.number()))),
            doing: Cell::new((HplPart::Update, Time::ZERO)),
            rank,
        }
    }

    /// Turns to another part of the work. Returns the one before.
    pub(super) fn enter(&self, part: HplPart) -> HplPart {
        let (before, since) = self.doing.replace((part, self.rank.now()));
        self.job.spent.borrow_mut()[self.rank.number() as usize][before as usize] += self.rank.now().since(since);
        self.rank.enter(part as u32);
        before
    }

    /// What a call takes, in seconds.
    pub(super) fn seconds(&self, routine: Routine, size: CallSize) -> f64 {
        self.job.costs.seconds(routine, self.node, size, &mut *self.stream.borrow_mut())
    }

    pub(super) async fn compute(&self, seconds: f64) {
        self.rank.compute(seconds * self.job.platform.speed_per_second(self.node)).await;
    }

    /// Calls a routine.
    pub(super) async fn call(&self, routine: Routine, size: CallSize) {
        self.compute(self.seconds(routine, size)).await;
    }

    /// The bytes of a panel: its rows below the diagonal block, that block, its pivots and a flag.
    pub(super) fn panel_bytes(&self, panel: u64) -> u64 {
        let width = self.job.grid.width(panel);
        8 * (self.job.grid.rows_below(panel, self.row) * width + width * width + width + 1)
    }
}
