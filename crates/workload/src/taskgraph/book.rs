//! What is known of a run's tasks: where they ran, in which order they started and ended, and when.

use hetsim_base::units::Time;
use hetsim_cluster::{Context, NodeId, Observer, WorkId};

use super::arrivals::JobBook;
use super::instance::Instance;
use super::system::{Stage, System};

/// The place of a task that has none yet.
pub(super) const NOWHERE: u32 = u32::MAX;

/// The tasks of a run, kept by the program.
#[derive(Debug)]
pub struct Book<'a> {
    instance: &'a Instance<'a>,
    /// For each task, how many of the things that it waits for are missing: predecessors, or messages.
    waiting: Vec<u32>,
    /// The node of each task.
    node: Vec<u32>,
    /// The task of each computation, in the order of starting.
    started: Vec<u32>,
    /// The tasks whose computations have ended, in that order.
    computed: Vec<u32>,
    /// How many tasks have ended.
    ended: usize,
    /// The bytes that were sent.
    moved: u128,
    /// What tasks pass before and after their computation.
    system: Option<System>,
    /// When jobs have ended, where they arrive.
    jobs: Option<JobBook>,
}

impl<'a> Book<'a> {
    /// The book of a run that has not begun: each task waits for all its predecessors.
    #[must_use]
    pub fn new(instance: &'a Instance<'a>) -> Self {
        let graph = instance.graph;
        Self {
            instance,
            waiting: graph.ids().map(|task| graph.in_degree(task)).collect(),
            node: vec![NOWHERE; graph.tasks()],
            started: Vec::with_capacity(graph.tasks()),
            computed: Vec::with_capacity(graph.tasks()),
            ended: 0,
            moved: 0,
            system: None,
            jobs: JobBook::new(instance),
        }
    }

    /// Has tasks pass a system.
    pub(super) fn pass(&mut self, system: Option<System>) {
        self.system = system;
    }

    /// Whether a task waits for nothing.
    #[inline]
    pub(super) fn is_ready(&self, task: u32) -> bool {
        self.waiting[task as usize] == 0
    }

    /// Something that a task waits for is there. Returns true if nothing else is missing.
    #[inline]
    pub(super) fn arrived(&mut self, task: u32) -> bool {
        let missing = &mut self.waiting[task as usize];
        *missing -= 1;
        *missing == 0
    }

    /// Places a task that waits for so many messages, and starts it if there are none.
    #[inline]
    pub(super) fn place<M>(&mut self, task: u32, at: NodeId, messages: u32, context: &mut impl Context<M>) {
        self.node[task as usize] = at.0;
        self.waiting[task as usize] = messages;
        if messages == 0 {
            self.start(task, at, context);
        }
    }

    /// Has a task's data sent to where it will run, and starts it if they are there. Messages name the task.
    pub(super) fn fetch(&mut self, task: u32, at: NodeId, context: &mut impl Context<u32>) {
        let mut missing = 0;
        for edge in self.instance.graph.predecessors(task) {
            let from = self.node(edge.from);
            if from != at {
                missing += 1;
                self.send(from, at, edge.bytes, task, context);
            }
        }
        self.place(task, at, missing, context);
    }

    /// Where a task runs, once that is known.
    #[must_use]
    #[inline]
    pub fn node(&self, task: u32) -> NodeId {
        NodeId(self.node[task as usize])
    }

    /// Starts a task. Nothing else of the run may compute.
    #[inline]
    pub fn start<M>(&mut self, task: u32, at: NodeId, context: &mut impl Context<M>) {
        self.node[task as usize] = at.0;
        match &mut self.system {
            None => self.compute(task, context),
            Some(system) => system.take(task, at, context),
        }
    }

    #[inline]
    fn compute<M>(&mut self, task: u32, context: &mut impl Context<M>) {
        let at = self.node(task);
        self.started.push(task);
        context.enter_phase(at, task);
        let operations = self.instance.drawn_operations(task, at, context);
        context.compute(at, operations);
    }

    /// A computation has ended: its task, unless the system is not done with it.
    #[inline]
    pub fn computed<M>(&mut self, work: WorkId, context: &mut impl Context<M>) -> Option<u32> {
        // Computations are numbered as they start.
        let task = self.started[work.number() as usize];
        self.computed.push(task);
        let at = self.node(task);
        if let Some(system) = &mut self.system
            && (system.fails(task, at, context) || system.bring(Stage::Out(task), at, self.instance, context))
        {
            return None;
        }
        self.look_at(task, context)
    }

    /// A task has ended: it is returned if the server sees it at once.
    fn look_at<M>(&mut self, task: u32, context: &mut impl Context<M>) -> Option<u32> {
        let at = self.node(task);
        if let Some(system) = &mut self.system
            && !system.sees(task, at, context)
        {
            return None;
        }
        Some(self.end(task, context))
    }

    fn end<M>(&mut self, task: u32, context: &mut impl Context<M>) -> u32 {
        self.ended += 1;
        if let Some(jobs) = &mut self.jobs {
            jobs.end(self.instance.graph.jobs().of(task), context.now());
        }
        if let Some(system) = &mut self.system {
            system.end(context);
        }
        task
    }

    /// Goes on with the tasks that are set up by now: they bring what they read, or start.
    pub(super) fn set_up<M>(&mut self, context: &mut impl Context<M>) {
        while let Some(system) = &mut self.system
            && let Some(task) = system.set_up(context)
        {
            let at = NodeId(self.node[task as usize]);
            if !system.bring(Stage::In(task), at, self.instance, context) {
                self.compute(task, context);
            }
        }
    }

    /// Goes on with the tasks that have brought something by now, and those that the server sees by now: they start, or the
    /// next that has ended is returned.
    pub(super) fn next_ended<M>(&mut self, context: &mut impl Context<M>) -> Option<u32> {
        while let Some(stage) = self.system.as_mut()?.brought(self.instance.graph, context) {
            match stage {
                Stage::In(task) => self.compute(task, context),
                Stage::Out(task) => {
                    if let Some(task) = self.look_at(task, context) {
                        return Some(task);
                    }
                }
            }
        }
        let task = self.system.as_mut()?.seen(context.now())?;
        Some(self.end(task, context))
    }

    /// The runs of tasks that have failed, if any could.
    pub(super) fn failed(&self) -> Option<u64> {
        self.system.as_ref().and_then(System::failed)
    }

    /// When jobs have ended, where they arrive.
    pub(super) const fn jobs(&self) -> Option<&JobBook> {
        self.jobs.as_ref()
    }

    /// A task as a phase of the program.
    pub(super) fn phase_name(&self, task: u32) -> String {
        format!("task {}", self.instance.graph.label(task))
    }

    /// Sends a task's data.
    #[inline]
    pub fn send<M>(&mut self, from: NodeId, to: NodeId, bytes: u64, message: M, context: &mut impl Context<M>) {
        let bytes = self.instance.sent(bytes);
        self.moved += u128::from(bytes);
        context.send(from, to, bytes, message);
    }

    /// How many tasks have ended.
    #[must_use]
    #[inline]
    pub fn ended(&self) -> usize {
        self.ended
    }

    /// The bytes that were sent, or brought from the storage or to it.
    #[must_use]
    pub fn moved(&self) -> u128 {
        self.moved + self.system.as_ref().map_or(0, System::moved)
    }

    /// Node, start and end of each task of a run that is over, by the spans that were seen.
    #[must_use]
    pub fn times(&self, spans: &[(NodeId, Time, Time)], nodes: u32) -> Vec<(NodeId, Time, Time)> {
        // A node's computations end in the order in which their tasks are told of.
        let mut of_node = vec![Vec::new(); nodes as usize];
        for &(at, start, end) in spans.iter().rev() {
            of_node[at.index()].push((start, end));
        }
        let mut times = vec![(NodeId(NOWHERE), Time::NEVER, Time::NEVER); self.node.len()];
        for &task in &self.computed {
            let at = self.node(task);
            if let Some((start, end)) = of_node[at.index()].pop() {
                times[task as usize] = (at, start, end);
            }
        }
        times
    }
}

/// The computations of a run, in the order in which they ended.
#[derive(Debug, Default)]
pub(super) struct Computed(pub(super) Vec<(NodeId, Time, Time)>);

impl Observer for Computed {
    fn wants_names(&self) -> bool {
        false
    }

    fn on_compute(&mut self, at: NodeId, start: Time, end: Time) {
        self.0.push((at, start, end));
    }
}

/// A program whose tasks are all in a book.
pub trait Booked {
    /// What is known of the tasks.
    fn book(&self) -> &Book<'_>;

    /// For how long a node's cores had tasks, summed over them, where that is not the sum of its tasks' times: where
    /// tasks share a core.
    fn busy(&self, _: NodeId) -> Option<Time> {
        None
    }
}
