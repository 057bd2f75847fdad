//! Schedules of task graphs on unequal processors: the processor, start and end of each task as plain data.
//!
//! [`Costs`] holds the duration of each task on each processor and of each message between each pair, in the ticks of
//! the simulated platform, so that a predicted makespan equals the simulated one. A [`Schedule`] is a processor, a
//! start and an end for each task; [`Schedule::check`] says whether it is valid. A [`Timeline`] holds one processor's
//! idle intervals, in which a scheduler finds the earliest slot.
//!
//! All schedules here are semi-active: a task starts when its data have arrived or when the previous task on its
//! processor ends, whichever is later. So a processor that runs its tasks in the order of [`Schedule::order`], each as
//! soon as it can, meets the predicted times exactly if nothing else uses the platform.

pub mod adversary;
mod bil;
pub mod bounds;
mod check;
mod costs;
mod cpop;
mod dls;
mod duplex;
mod etf;
mod fastest_node;
mod fcp;
mod first_idle;
mod flb;
mod frontier;
mod hbmct;
mod heft;
mod layout;
mod list;
mod lookahead_heft;
pub mod mapping;
mod max_min;
mod mcp;
mod mct;
mod met;
mod min_min;
mod olb;
mod partial;
mod peft;
mod random;
pub mod rank;
mod round_robin;
mod sufferage;
mod timeline;
mod wba;

pub use check::ScheduleError;
pub use costs::{CostError, Costs};
pub use layout::Layout;
pub use partial::{Partial, TaskSlot};
pub use timeline::Timeline;

use hetsim_base::engine::Streams;
use hetsim_base::registry::names;
use hetsim_base::units::Time;
use hetsim_graph::TaskGraph;

/// The options of a scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Whether a task may go into a sufficiently long gap between others. By default as the scheduler was published:
    /// [`Scheduler::inserts`].
    pub insertion: Option<bool>,
    /// The streams for schedulers that draw.
    pub streams: Streams,
}

impl Default for Options {
    /// As published, with the streams of seed 0 and replica 0.
    fn default() -> Self {
        Self { insertion: None, streams: Streams::new(0, 0) }
    }
}

/// The input of a scheduler.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Setup<'a> {
    /// The tasks.
    pub graph: &'a TaskGraph,
    /// The costs of the tasks and messages of this graph.
    pub costs: &'a Costs,
    /// Whether tasks may go into gaps.
    pub insertion: bool,
    /// The random streams of a scheduler that draws.
    pub streams: Streams,
}

/// What each scheduler implements, and a scheduler of your own. [`Partial`] finds slots and places tasks;
/// [`schedule_by`] makes the schedule.
pub trait Rule {
    /// Whether tasks go into gaps unless [`Options::insertion`] says otherwise.
    fn inserts(&self) -> bool {
        false
    }

    /// Whether it draws from [`Setup::streams`], so that other streams give other schedules.
    fn draws(&self) -> bool {
        false
    }

    /// Makes the schedule of all tasks.
    fn schedule(&self, setup: &Setup<'_>) -> Schedule;
}

/// The schedule of a graph by a rule. Whether it can be is what [`Schedule::check`] says.
///
/// # Errors
/// [`CostError::OtherGraph`].
pub fn schedule_by(
    rule: &dyn Rule,
    graph: &TaskGraph,
    costs: &Costs,
    options: &Options,
) -> Result<Schedule, CostError> {
    costs.fit(graph)?;
    let insertion = options.insertion.unwrap_or_else(|| rule.inserts());
    Ok(rule.schedule(&Setup { graph, costs, insertion, streams: options.streams }))
}

names! {
    /// A static scheduler: it places all tasks of a graph before the first one runs. To add one, write a file with its
    /// rule and add a line here.
    ///
    /// Ties go to the task that comes first in [`TaskGraph::order`] and to the processor with the lowest number. "By
    /// number" means by rising number among the ready tasks.
    "scheduler": Scheduler of Rule {
        heft::Heft = "by upward rank, each where it ends first (HEFT; Topcuoglu et al. 2002)",
        cpop::Cpop = "the critical path on one processor (CPOP; Topcuoglu et al. 2002)",
        peft::Peft = "looks ahead by a table of optimistic costs (PEFT; Arabnejad and Barbosa 2014)",
        lookahead_heft::LookaheadHeft = "HEFT by the end of the last child (Bittencourt et al. 2010)",
        dls::Dls = "the highest dynamic level (DLS; Sih and Lee 1993)",
        etf::Etf = "the earliest start of all ready tasks (ETF; Hwang et al. 1989)",
        mcp::Mcp = "by latest start, each where it starts first (MCP; Wu and Gajski 1990)",
        min_min::MinMin = "the ready task with the least earliest end (Ibarra and Kim 1977)",
        max_min::MaxMin = "the ready task with the greatest earliest end (Ibarra and Kim 1977)",
        sufferage::Sufferage = "the ready task that would lose most by its second best end (Maheswaran et al. 1999)",
        mct::Mct = "by number, each where it ends first (minimum completion time)",
        met::Met = "by number, each on its fastest processor (minimum execution time)",
        olb::Olb = "by number, each on the processor idle first (opportunistic load balancing)",
        fastest_node::FastestNode = "all tasks on the processor that is fastest for all of them",
        round_robin::RoundRobin = "by number, to one processor after the other",
        random::Random = "by number, each on a processor drawn uniformly",
        bil::Bil = "the best imaginary makespan (BIL; Oh and Ha 1996)",
        hbmct::Hbmct = "groups of independent tasks, balanced between processors (HBMCT; Sakellariou and Zhao 2004)",
        duplex::Duplex = "the better of min-min and max-min (Braun et al. 2001)",
        fcp::Fcp = "the longest way to the end, on one of two processors (FCP; Radulescu and van Gemund 1999)",
        flb::Flb = "the ready task that can start first, one of two (FLB; Radulescu and van Gemund 1999)",
        wba::Wba = "drawn among what makes the schedule little longer (WBA; Blythe et al. 2005)",
    }
}

impl Scheduler {
    /// Whether it puts tasks into gaps, as it was published.
    #[must_use]
    pub fn inserts(self) -> bool {
        self.entry().inserts()
    }

    /// Whether other streams give other schedules.
    #[must_use]
    pub fn draws(self) -> bool {
        self.entry().draws()
    }

    /// Schedules a graph. The same graph, costs and options give the same schedule.
    ///
    /// # Errors
    /// [`CostError::OtherGraph`].
    pub fn schedule(self, graph: &TaskGraph, costs: &Costs, options: &Options) -> Result<Schedule, CostError> {
        schedule_by(self.entry(), graph, costs, options)
    }
}

/// The processor, start and end of each task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    processor: Vec<u32>,
    start: Vec<Time>,
    finish: Vec<Time>,
    /// The tasks in the order of their placement; empty for the graph's order.
    sequence: Vec<u32>,
}

impl Schedule {
    /// A schedule from a processor, a start and an end for each task; `None` if the lists differ in length.
    /// [`Self::check`] says whether it is valid.
    #[must_use]
    pub fn new(processor: Vec<u32>, start: Vec<Time>, finish: Vec<Time>) -> Option<Self> {
        let whole = processor.len() == start.len() && start.len() == finish.len();
        whole.then(|| Self { processor, start, finish, sequence: Vec::new() })
    }

    /// The number of tasks.
    #[must_use]
    pub fn tasks(&self) -> usize {
        self.processor.len()
    }

    /// The processor that a task runs on.
    #[must_use]
    #[inline]
    pub fn processor(&self, task: u32) -> u32 {
        self.processor[task as usize]
    }

    /// When a task starts.
    #[must_use]
    #[inline]
    pub fn start(&self, task: u32) -> Time {
        self.start[task as usize]
    }

    /// When a task ends.
    #[must_use]
    #[inline]
    pub fn finish(&self, task: u32) -> Time {
        self.finish[task as usize]
    }

    /// The processor of each task.
    #[must_use]
    pub fn mapping(&self) -> &[u32] {
        &self.processor
    }

    /// The end of the last task; zero for a graph without tasks.
    #[must_use]
    pub fn makespan(&self) -> Time {
        self.finish.iter().copied().max().unwrap_or_default()
    }

    /// The tasks of each processor in execution order. Tasks of zero duration at the same instant follow the order in
    /// which the scheduler placed them ([`TaskGraph::order`] for those of [`Self::new`]), so no task waits for a later
    /// one. `processors` must be above every processor number in the schedule; tasks on higher ones are omitted.
    #[must_use]
    pub fn order(&self, graph: &TaskGraph, processors: u32) -> Order {
        let sequence = if self.sequence.is_empty() { graph.order() } else { &self.sequence };
        let dealt = || sequence.iter().copied().filter(|&task| self.processor(task) < processors);
        let mut starts = vec![0u32; processors as usize + 1];
        for task in dealt() {
            starts[self.processor(task) as usize + 1] += 1;
        }
        for index in 0..processors as usize {
            starts[index + 1] += starts[index];
        }
        let mut next = starts.clone();
        let mut tasks = vec![0; starts[processors as usize] as usize];
        for task in dealt() {
            let place = &mut next[self.processor(task) as usize];
            tasks[*place as usize] = task;
            *place += 1;
        }
        for range in starts.windows(2) {
            // A stable sort, which is fast since most tasks were placed in this order.
            let tasks = &mut tasks[range[0] as usize..range[1] as usize];
            tasks.sort_by_key(|&task| (self.start(task), self.finish(task)));
        }
        Order { starts, tasks }
    }
}

/// The tasks of each processor in execution order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    starts: Vec<u32>,
    tasks: Vec<u32>,
}

impl Order {
    /// The number of processors.
    #[must_use]
    pub fn processors(&self) -> u32 {
        (self.starts.len() - 1) as u32
    }

    /// The tasks of a processor in execution order.
    #[must_use]
    #[inline]
    pub fn tasks(&self, processor: u32) -> &[u32] {
        &self.tasks[self.starts[processor as usize] as usize..self.starts[processor as usize + 1] as usize]
    }
}

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;
