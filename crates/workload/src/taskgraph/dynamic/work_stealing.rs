//! Work stealing, with messages.
//!
//! Tasks without predecessors are dealt to the nodes in turn; any other task becomes ready at the node where its last
//! predecessor ends. A node takes the task that became ready there last. A node with an idle core and no ready task
//! asks the other nodes in turn, beginning with one drawn at random. A node that is asked gives its oldest ready task.
//! If it has none, it remembers the thief and gives it a task as soon as it has more than its cores can start, so that
//! an idle node need not ask for ever. The data of a task are fetched from the nodes where they were made, with one
//! request for each. As with every message, a node whose cores all compute answers only when one of them is free: on
//! nodes of one core, long tasks make requests wait.
//!
//! Blumofe and Leiserson: Scheduling multithreaded computations by work stealing. J. ACM 46(5), 1999,
//! doi:10.1145/324133.324234. Remembered thieves: Saraswat et al.: Lifeline-based global load balancing. PPoPP 2011,
//! doi:10.1145/1941553.1941582, here with a lifeline to everyone.

use std::collections::VecDeque;

use rand::RngExt;

use super::super::book::{Book, Booked};
use super::super::instance::Instance;
use super::Setup;
use hetsim_base::engine::Stream;
use hetsim_cluster::{Context, NodeId, PhaseOf, Program, WorkId};

/// What nodes say to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StealingMessage {
    /// Have you a task?
    Ask,
    /// None now.
    Nothing,
    /// The answer: this task.
    Give(u32),
    /// A task for who asked earlier.
    Gift(u32),
    /// The data of this edge are wanted.
    Fetch(u32),
    /// Data for this task.
    Data(u32),
}

/// A node.
#[derive(Debug)]
struct Worker {
    /// Ready tasks, the last ready at the end.
    ready: VecDeque<u32>,
    idle: u32,
    /// Who asked and got nothing.
    remembered: VecDeque<u32>,
    asking: Option<Asking>,
    stream: Stream,
}

/// A round of questions.
#[derive(Debug, Clone, Copy)]
struct Asking {
    victim: u32,
    /// Who has not been asked yet.
    left: u32,
}

/// The program.
#[derive(Debug)]
pub struct StealingProgram<'a> {
    instance: &'a Instance<'a>,
    signal: u64,
    workers: Vec<Worker>,
    book: Book<'a>,
}

impl<'a> StealingProgram<'a> {
    /// The program of a graph on a machine.
    #[must_use]
    pub fn new(setup: &Setup<'a>) -> Self {
        let instance = setup.instance;
        let nodes = instance.platform.nodes();
        let worker = |node: u32| Worker {
            ready: VecDeque::new(),
            idle: instance.platform.cores(NodeId(node)),
            remembered: VecDeque::new(),
            asking: None,
            stream: setup.streams.stream("steal", u64::from(node)),
        };
        let mut workers: Vec<Worker> = (0..nodes).map(worker).collect();
        for (number, task) in instance.graph.entries().enumerate() {
            // Taken from the end: the first is dealt to the end.
            workers[number % nodes as usize].ready.push_front(task);
        }
        Self { instance, signal: setup.signal_size.count(), workers, book: Book::new(instance) }
    }

    /// Gives a node's idle cores something to do, and passes on what is too much for it.
    fn serve(&mut self, at: NodeId, context: &mut impl Context<StealingMessage>) {
        while self.workers[at.index()].idle > 0
            && let Some(task) = self.workers[at.index()].ready.pop_back()
        {
            self.begin(task, at, context);
        }
        let worker = &mut self.workers[at.index()];
        if worker.idle > 0 && worker.asking.is_none() && self.book.ended() < self.instance.graph.tasks() {
            self.ask(at, context);
        }
        let worker = &mut self.workers[at.index()];
        while let (Some(&task), Some(&thief)) = (worker.ready.front(), worker.remembered.front()) {
            worker.ready.pop_front();
            worker.remembered.pop_front();
            context.send(at, NodeId(thief), self.signal, StealingMessage::Gift(task));
        }
    }

    /// Starts a round of questions, where there is anybody to ask.
    fn ask(&mut self, at: NodeId, context: &mut impl Context<StealingMessage>) {
        let nodes = self.workers.len() as u32;
        if nodes < 2 {
            return;
        }
        let worker = &mut self.workers[at.index()];
        let victim = (at.0 + worker.stream.random_range(1..nodes)) % nodes;
        worker.asking = Some(Asking { victim, left: nodes - 2 });
        context.send(at, NodeId(victim), self.signal, StealingMessage::Ask);
    }

    /// The last victim had nothing: asks the next, unless all were asked or there is something to do by now.
    fn ask_next(&mut self, at: NodeId, context: &mut impl Context<StealingMessage>) {
        let nodes = self.workers.len() as u32;
        let worker = &mut self.workers[at.index()];
        let Some(asking) = worker.asking.take().filter(|asking| worker.idle > 0 && asking.left > 0) else { return };
        let next = (asking.victim + 1) % nodes;
        let victim = if next == at.0 { (next + 1) % nodes } else { next };
        worker.asking = Some(Asking { victim, left: asking.left - 1 });
        context.send(at, NodeId(victim), self.signal, StealingMessage::Ask);
    }

    /// Takes a core for a task and fetches its data.
    fn begin(&mut self, task: u32, at: NodeId, context: &mut impl Context<StealingMessage>) {
        self.workers[at.index()].idle -= 1;
        let mut missing = 0;
        for edge in self.instance.graph.predecessors(task) {
            let from = self.book.node(edge.from);
            if from != at {
                missing += 1;
                context.send(at, from, self.signal, StealingMessage::Fetch(edge.id));
            }
        }
        self.book.place(task, at, missing, context);
    }
}

impl Booked for StealingProgram<'_> {
    fn book(&self) -> &Book<'_> {
        &self.book
    }
}

impl Program for StealingProgram<'_> {
    type Message = StealingMessage;

    fn describe(message: &StealingMessage) -> &'static str {
        match message {
            StealingMessage::Ask => "ask",
            StealingMessage::Nothing => "nothing",
            StealingMessage::Give(_) | StealingMessage::Gift(_) => "task",
            StealingMessage::Fetch(_) => "fetch",
            StealingMessage::Data(_) => "data",
        }
    }

    fn phase(message: &StealingMessage) -> PhaseOf {
        match message {
            StealingMessage::Give(task) | StealingMessage::Gift(task) | StealingMessage::Data(task) => {
                PhaseOf::Number(*task)
            }
            StealingMessage::Ask | StealingMessage::Nothing | StealingMessage::Fetch(_) => PhaseOf::Nothing,
        }
    }

    fn phase_name(&self, task: u32) -> String {
        self.book.phase_name(task)
    }

    fn start(&mut self, context: &mut impl Context<StealingMessage>) {
        for node in 0..context.nodes() {
            self.serve(NodeId(node), context);
        }
    }

    fn on_message(
        &mut self,
        at: NodeId,
        from: NodeId,
        message: StealingMessage,
        context: &mut impl Context<StealingMessage>,
    ) {
        match message {
            StealingMessage::Ask => {
                let worker = &mut self.workers[at.index()];
                let answer = worker.ready.pop_front().map_or(StealingMessage::Nothing, StealingMessage::Give);
                if answer == StealingMessage::Nothing && !worker.remembered.contains(&from.0) {
                    worker.remembered.push_back(from.0);
                }
                context.send(at, from, self.signal, answer);
            }
            StealingMessage::Nothing => self.ask_next(at, context),
            StealingMessage::Give(task) => {
                let worker = &mut self.workers[at.index()];
                worker.asking = None;
                worker.ready.push_back(task);
                self.serve(at, context);
            }
            StealingMessage::Gift(task) => {
                self.workers[at.index()].ready.push_back(task);
                self.serve(at, context);
            }
            StealingMessage::Fetch(edge) => {
                let (task, bytes) = (self.instance.graph.head(edge), self.instance.graph.bytes(edge));
                self.book.send(at, from, bytes, StealingMessage::Data(task), context);
            }
            StealingMessage::Data(task) => {
                if self.book.arrived(task) {
                    self.book.start(task, at, context);
                }
            }
        }
    }

    fn on_computed(&mut self, at: NodeId, work: WorkId, context: &mut impl Context<StealingMessage>) {
        let Some(task) = self.book.computed(work, context) else { return };
        self.workers[at.index()].idle += 1;
        let graph = self.instance.graph;
        for edge in graph.successors(task) {
            if self.book.arrived(edge.to) {
                self.workers[at.index()].ready.push_back(edge.to);
            }
        }
        if self.book.ended() == graph.tasks() {
            context.complete(at);
        } else {
            self.serve(at, context);
        }
    }
}
