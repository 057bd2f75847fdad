//! The factorisation of a panel by the processes of a column: its computations, and the search of a pivot in each column.
//!
//! Between two pivots every process of the column waits for all others, and for nobody else. So the factorisation is
//! computed as one step: the instants at which the processes leave it, from those at which they come.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::costs::{Routine, RoutineCosts};
use super::grid::ProcessGrid;
use hetsim_base::engine::Stream;
use hetsim_cluster::{CallSize, NodeId, Platform};

/// In which order a factorisation goes over its columns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Variant {
    /// A column is brought up to date just before its turn.
    Left,
    /// Row and column of the diagonal are.
    Crout,
    /// All later columns are, after each.
    #[default]
    Right,
}

/// How a panel is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Recursion {
    /// How the widest parts are factored.
    pub(super) inner: Variant,
    /// How parts are put together.
    pub(super) outer: Variant,
    /// The width from which a part is cut no further.
    pub(super) least: u64,
    /// Into how many parts one is cut.
    pub(super) parts: u64,
}

/// A step of a factorisation, in the order of its columns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum PanelStep {
    /// The search of the pivot of the next column, its exchange, and the scaling of the column.
    Pivot,
    /// A column is brought up to date by so many before it.
    Gemv(f64),
    /// So many columns are, by the one before them.
    Ger(f64),
    /// So many columns are solved for, by a triangle of some width; the root copies the result.
    Solve { columns: f64, width: f64 },
    /// So many columns are brought up to date by some others.
    Update { columns: f64, depth: f64 },
}

/// The steps for a panel of some width.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Steps(Vec<PanelStep>);

impl Steps {
    /// All of them, in their order.
    pub(super) fn all(&self) -> &[PanelStep] {
        &self.0
    }

    pub(super) fn new(recursion: &Recursion, width: u64) -> Self {
        let mut steps = Self(Vec::new());
        steps.cut(recursion, width);
        steps
    }

    /// A part that may be cut.
    fn cut(&mut self, recursion: &Recursion, width: u64) {
        if width <= recursion.least.max(1) {
            return self.leaf(recursion.inner, width);
        }
        let each = width.div_ceil(recursion.parts).div_ceil(recursion.least) * recursion.least;
        let mut done = 0;
        while done < width {
            let part = each.min(width - done);
            if recursion.outer == Variant::Left && done > 0 {
                self.0.push(PanelStep::Solve { columns: part as f64, width: done as f64 });
            }
            if recursion.outer != Variant::Right && done > 0 {
                self.0.push(PanelStep::Update { columns: part as f64, depth: done as f64 });
            }
            self.cut(recursion, part);
            let left = width - done - part;
            if recursion.outer != Variant::Left && left > 0 {
                self.0.push(PanelStep::Solve { columns: left as f64, width: part as f64 });
            }
            if recursion.outer == Variant::Right && left > 0 {
                self.0.push(PanelStep::Update { columns: left as f64, depth: part as f64 });
            }
            done += part;
        }
    }

    /// A part that is cut no further.
    fn leaf(&mut self, variant: Variant, width: u64) {
        for column in 0..width {
            if variant != Variant::Right && column > 0 {
                self.0.push(PanelStep::Gemv(column as f64));
            }
            self.0.push(PanelStep::Pivot);
            if variant == Variant::Right && column + 1 < width {
                self.0.push(PanelStep::Ger((width - column - 1) as f64));
            }
        }
    }
}

/// What a message between two processes takes, in seconds, while nothing hinders it.
#[derive(Debug, Clone, Copy, Default)]
struct Hop {
    /// The sender's processor.
    overhead: f64,
    /// From its start until the message is at the receiver.
    flight: f64,
    /// The receiver's processor.
    receive: f64,
    /// A rendezvous before it; nothing for an eager message.
    handshake: Option<f64>,
}

impl Hop {
    fn new(platform: &Platform, from: NodeId, to: NodeId, bytes: u64) -> Self {
        let transfer = platform.transfer(from, to, bytes);
        let seconds = |time| platform.tick().seconds(time);
        let whole = transfer.injection + transfer.transmission + transfer.latency + transfer.tail;
        Self {
            overhead: seconds(transfer.overhead),
            flight: seconds(whole) - seconds(transfer.receive_overhead),
            receive: seconds(transfer.receive_overhead),
            handshake: transfer.handshake.map(|handshake| seconds(handshake.time)),
        }
    }

    /// How long a sender is held that need not wait for its receiver.
    fn eager_overhead(self) -> f64 {
        if self.handshake.is_none() { self.overhead } else { 0.0 }
    }

    /// When a sender goes on, and when its message has been received by one that waits from an instant on.
    fn pass(self, sent: f64, waits: f64) -> (f64, f64) {
        match self.handshake {
            None => (sent + self.overhead, waits.max(sent + self.flight) + self.receive),
            Some(handshake) => {
                let through = sent.max(waits) + handshake + self.flight + self.receive;
                (through, through)
            }
        }
    }
}

/// An exchange of candidates between two processes of a column, or a message from one to another; in bytes.
#[derive(Debug, Clone, Copy)]
struct Exchange {
    a: u32,
    b: u32,
    there: u64,
    back: Option<u64>,
}

/// What a process sends to another of its column and receives of it, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct PivotCall {
    /// The row of the other.
    pub(super) with: u32,
    pub(super) sent: Option<u64>,
    pub(super) received: Option<u64>,
}

/// The exchanges that find a pivot, in their order.
#[derive(Debug)]
pub(super) struct PivotSearch(Vec<Exchange>);

impl PivotSearch {
    /// HPL's search in a column of `p` processes, for rows of `width` numbers, by recursive doubling: a candidate row goes to
    /// a partner at each distance from the root; processes beyond a power of two give theirs before and get the result after.
    pub(super) fn new(p: u32, root: u32, width: u64) -> Self {
        let process = |distance: u32| (root + distance) % p;
        let half = 1 << p.ilog2();
        let (candidate, with_row) = (8 * (4 + width), 8 * (4 + 2 * width));
        let exchange =
            |a: u32, b: u32, there: u64, back: Option<u64>| Exchange { a: process(a), b: process(b), there, back };
        let mut all = Vec::new();
        for beyond in half..p {
            let lower = beyond - half;
            all.push(exchange(lower, beyond, if lower == 0 { with_row } else { candidate }, Some(candidate)));
        }
        for distance in (0..half.trailing_zeros()).map(|round| 1 << round) {
            for a in (0..half).filter(|a| a & distance == 0) {
                // Those nearer than the distance have the root's current row, and send it along.
                let there = if a < distance { with_row } else { candidate };
                all.push(exchange(a, a | distance, there, Some(candidate)));
            }
        }
        for beyond in half..p {
            all.push(exchange(beyond - half, beyond, candidate, None));
        }
        Self(all)
    }

    /// What one process does to find a pivot.
    pub(super) fn of(&self, row: u32) -> Vec<PivotCall> {
        let call = |&Exchange { a, b, there, back }: &Exchange| match (row == a, row == b) {
            (true, _) => Some(PivotCall { with: b, sent: Some(there), received: back }),
            (_, true) => Some(PivotCall { with: a, sent: back, received: Some(there) }),
            _ => None,
        };
        self.0.iter().filter_map(call).collect()
    }

    /// What the messages take between the nodes of the column.
    pub(super) fn on(&self, platform: &Platform, nodes: &[NodeId]) -> TimedSearch {
        let hop = |from: u32, to: u32, bytes| Hop::new(platform, nodes[from as usize], nodes[to as usize], bytes);
        let timed = |&Exchange { a, b, there, back }: &Exchange| TimedExchange {
            a,
            b,
            there: hop(a, b, there),
            back: back.map(|bytes| hop(b, a, bytes)),
        };
        TimedSearch(self.0.iter().map(timed).collect())
    }
}

/// An exchange with what its messages take.
#[derive(Debug, Clone, Copy)]
struct TimedExchange {
    a: u32,
    b: u32,
    there: Hop,
    back: Option<Hop>,
}

/// A search whose messages meet no others.
#[derive(Debug)]
pub(super) struct TimedSearch(Vec<TimedExchange>);

impl TimedSearch {
    /// Lets the processes of a column find a pivot: from the instants at which they begin to those at which they know.
    fn run(&self, times: &mut [f64]) {
        for &TimedExchange { a, b, there, back } in &self.0 {
            let (start_a, start_b) = (times[a as usize], times[b as usize]);
            let Some(back) = back else {
                (times[a as usize], times[b as usize]) = there.pass(start_a, start_b);
                continue;
            };
            // Both send first, then receive.
            times[b as usize] = there.pass(start_a, start_b + back.eager_overhead()).1;
            times[a as usize] = back.pass(start_b, start_a + there.eager_overhead()).1;
        }
    }
}

/// A panel and the column of processes that factors it.
pub(super) struct Factoring<'a> {
    pub(super) grid: &'a ProcessGrid,
    pub(super) costs: &'a RoutineCosts<'a>,
    pub(super) nodes: &'a [NodeId],
    pub(super) search: &'a TimedSearch,
    pub(super) steps: &'a Steps,
    pub(super) panel: u64,
}

impl Factoring<'_> {
    /// Factors the panel: from the seconds at which each process of the column comes to those at which it leaves. Adds to
    /// `computed` the seconds for which it computes.
    pub(super) fn run(&self, times: &mut [f64], computed: &mut [f64], stream: &mut Stream) {
        let root = self.grid.root_row(self.panel);
        let mut rows: Vec<f64> =
            (0..times.len() as u32).map(|row| self.grid.rows_from(self.panel, row) as f64).collect();
        for step in &self.steps.0 {
            let mut spend = |times: &mut [f64], routine, size: &dyn Fn(f64) -> CallSize| {
                for (row, (time, computed)) in times.iter_mut().zip(&mut *computed).enumerate() {
                    let seconds = self.costs.seconds(routine, self.nodes[row], size(rows[row]), stream);
                    *time += seconds;
                    *computed += seconds;
                }
            };
            match *step {
                PanelStep::Pivot => {
                    spend(times, Routine::Idamax, &|m| CallSize::new(m, 1.0, 1.0));
                    self.search.run(times);
                    spend(times, Routine::Dscal, &|m| CallSize::new(m, 1.0, 1.0));
                    rows[root as usize] -= 1.0;
                }
                PanelStep::Gemv(n) => spend(times, Routine::Dgemv, &|m| CallSize::new(m, n, 1.0)),
                PanelStep::Ger(n) => spend(times, Routine::Dger, &|m| CallSize::new(m, n, 1.0)),
                PanelStep::Solve { columns, width } => {
                    spend(times, Routine::Dtrsm, &|_| CallSize::new(width, columns, 1.0));
                    let size = CallSize::new(width, columns, 1.0);
                    let copied = self.costs.seconds(Routine::Dlatcpy, self.nodes[root as usize], size, stream);
                    times[root as usize] += copied;
                    computed[root as usize] += copied;
                }
                PanelStep::Update { columns, depth } => {
                    spend(times, Routine::Dgemm, &|m| CallSize::new(m, columns, depth));
                }
            }
        }
    }
}
