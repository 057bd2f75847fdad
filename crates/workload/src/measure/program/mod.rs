//! The benchmarks as a program: one experiment after the other, so that none disturbs another.

mod samples;
mod task;

use super::plan::{ExperimentPlan, Processor};
use super::traffic::Loads;
use hetsim_base::units::Time;
use hetsim_cluster::{Context, NodeId, Program, TimerId, WorkId};
use hetsim_fit::{Cost, Measurements, PairSamples, TripletSamples, robust};

pub use task::BenchmarkMessage;
use task::{Current, ExperimentKind, Task};

/// By how much a delayed ping-pong waits longer than a round trip usually takes.
const DELAY: f64 = 4.0;

/// The benchmarks of an [`ExperimentPlan`]. When it has ended, [`measurements`](Self::into_measurements) holds all
/// samples.
#[derive(Debug)]
pub struct Benchmarks {
    plan: ExperimentPlan,
    processors: Vec<Processor>,
    tasks: Vec<Task>,
    next: usize,
    current: Current,
    sent: u64,
    /// When the program started, which inside another one is late.
    since: Time,
    done: bool,
    loads: Loads,
    /// By repetition, what gaps by round trips are counted from: g(0) − RTT(0), in seconds.
    empty: Vec<f64>,
    cost_of_empty: Cost,
    measurements: Measurements,
}

impl Benchmarks {
    /// The benchmarks of `plan` on nodes with these processors.
    #[must_use]
    pub fn new(plan: ExperimentPlan, processors: Vec<Processor>) -> Self {
        let pair = |&(from, to): &(u32, u32)| PairSamples { from, to, ..PairSamples::default() };
        let triplet = |&(root, first, last): &(u32, u32, u32)| TripletSamples { root, first, last, times: Vec::new() };
        let measurements = Measurements {
            pairs: plan.pairs.iter().map(pair).collect(),
            triplets: plan.triplets.iter().map(triplet).collect(),
            cost: Cost::default(),
        };
        Self {
            tasks: Task::all(&plan),
            loads: Loads::new(plan.traffic.clone()),
            plan,
            processors,
            next: 0,
            current: Current::default(),
            sent: 0,
            since: Time::ZERO,
            done: false,
            empty: Vec::new(),
            cost_of_empty: Cost::default(),
            measurements,
        }
    }

    /// The samples, once the program has ended.
    #[must_use]
    pub fn into_measurements(self) -> Measurements {
        self.measurements
    }

    /// Whether all experiments have been made.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        self.done
    }

    fn send(
        &mut self,
        from: NodeId,
        to: NodeId,
        bytes: u64,
        message: BenchmarkMessage,
        context: &mut impl Context<BenchmarkMessage>,
    ) {
        self.sent += 1;
        context.send(from, to, bytes, message);
    }

    /// The task that goes on; nothing after the last.
    fn task(&self) -> Option<Task> {
        self.tasks.get(self.next).copied()
    }

    /// The other node of a pair.
    fn partner(&self, pair: usize) -> NodeId {
        NodeId(self.plan.pairs[pair].1)
    }

    /// Begins the next task at its initiator, where a handler runs.
    fn begin(&mut self, at: NodeId, context: &mut impl Context<BenchmarkMessage>) {
        self.current = Current { begun: context.now(), sent_before: self.sent, ..Current::default() };
        self.begin_series();
        self.repeat(at, context);
    }

    /// Starts a repetition of the current experiment.
    fn repeat(&mut self, at: NodeId, context: &mut impl Context<BenchmarkMessage>) {
        let Some(Task { kind, subject, bytes }) = self.task() else { return };
        let subject = subject as usize;
        self.current.started = context.now();
        self.current.waited = None;
        self.current.awaited = 1;
        match kind {
            ExperimentKind::RoundTrip => self.send(at, self.partner(subject), bytes, BenchmarkMessage::Ping, context),
            ExperimentKind::Train => self.send_train(at, context),
            ExperimentKind::Empty | ExperimentKind::Answered => {
                self.send(at, self.partner(subject), bytes, BenchmarkMessage::Out, context);
            }
            ExperimentKind::Overheads => {
                self.send(at, self.partner(subject), bytes, BenchmarkMessage::Probe, context);
                // Its handler can't run before the processor is free of the send.
                self.current.paid = Some(context.set_timer(at, Time::ZERO));
            }
            ExperimentKind::Triplet => {
                let TripletSamples { first, last, .. } = self.measurements.triplets[subject];
                self.current.awaited = 2;
                self.send(at, NodeId(first), bytes, BenchmarkMessage::Out, context);
                self.send(at, NodeId(last), bytes, BenchmarkMessage::Out, context);
            }
        }
    }

    /// Sends a train, the second one twice as long as the first.
    fn send_train(&mut self, at: NodeId, context: &mut impl Context<BenchmarkMessage>) {
        let Some(Task { subject, bytes, .. }) = self.task() else { return };
        let to = self.partner(subject as usize);
        let cars = self.plan.train << u32::from(self.current.first_train.is_some());
        self.current.started = context.now();
        self.current.awaited = cars;
        for _ in 0..cars {
            self.send(at, to, bytes, BenchmarkMessage::Car(cars), context);
        }
    }

    /// A repetition has ended; what held its node up passes before anything else.
    fn end_repetition(&mut self, at: NodeId, context: &mut impl Context<BenchmarkMessage>) {
        if self.current.held_up > Time::ZERO {
            self.current.resume = Some(context.set_timer(at, self.current.held_up));
        } else {
            self.go_on(at, context);
        }
    }

    /// The next repetition, or the next experiment.
    fn go_on(&mut self, at: NodeId, context: &mut impl Context<BenchmarkMessage>) {
        self.current.repetition += 1;
        self.current.first_train = None;
        (self.current.times, self.current.held_up) = (0, Time::ZERO);
        if self.current.repetition < self.plan.repetitions {
            self.repeat(at, context);
            return;
        }
        self.note_cost(context);
        self.next += 1;
        match self.task().map(|task| task.initiator(&self.plan)) {
            Some(initiator) if initiator == at => self.begin(at, context),
            Some(initiator) => self.send(at, initiator, 0, BenchmarkMessage::Go, context),
            None => {
                self.done = true;
                self.measurements.cost =
                    Cost { messages: self.sent, seconds: context.tick().seconds(context.now() - self.since) };
                self.loads.stop(context);
                context.complete(at);
                context.conclude();
            }
        }
    }

    /// The send's overhead is paid: now the processor is kept busy until the answer waits.
    fn wait(&mut self, at: NodeId, context: &mut impl Context<BenchmarkMessage>) {
        let Some(task) = self.task() else { return };
        let overhead = self.since_start(context);
        self.note(|all, subject| &mut all.pairs[subject].send_overheads, overhead);
        let round_trips = &self.measurements.pairs[task.subject as usize].round_trips;
        let usual = round_trips.iter().find(|series| series.bytes == task.bytes);
        let usual = usual.and_then(|series| robust::median(&series.seconds)).unwrap_or(0.0);
        let Processor { speed, cores } = self.processors[at.index()];
        self.current.computing = cores;
        for _ in 0..cores {
            context.compute(at, speed * usual * DELAY);
        }
    }

    fn end_delayed(&mut self, at: NodeId, context: &mut impl Context<BenchmarkMessage>) {
        if self.current.awaited == 0 && self.current.computing == 0 {
            self.end_repetition(at, context);
        }
    }
}

impl Program for Benchmarks {
    type Message = BenchmarkMessage;

    fn describe(message: &BenchmarkMessage) -> &'static str {
        message.name()
    }

    fn start(&mut self, context: &mut impl Context<BenchmarkMessage>) {
        let Some(task) = self.task() else { return };
        self.since = context.now();
        self.loads.start(context);
        self.begin(task.initiator(&self.plan), context);
    }

    fn on_message(
        &mut self,
        at: NodeId,
        from: NodeId,
        message: BenchmarkMessage,
        context: &mut impl Context<BenchmarkMessage>,
    ) {
        let Some(Task { bytes, .. }) = self.task() else { return };
        match message {
            BenchmarkMessage::Go => self.begin(at, context),
            BenchmarkMessage::Ping => self.send(at, from, bytes, BenchmarkMessage::Pong, context),
            BenchmarkMessage::Pong => {
                let took = self.since_start(context);
                self.note(|all, subject| &mut all.pairs[subject].round_trips, took);
                self.end_repetition(at, context);
            }
            BenchmarkMessage::Car(_) => {
                self.current.awaited -= 1;
                if self.current.awaited == 0 {
                    self.send(at, from, 0, BenchmarkMessage::Arrived, context);
                }
            }
            BenchmarkMessage::Arrived => self.arrived(at, context),
            BenchmarkMessage::Probe => self.send(at, from, bytes, BenchmarkMessage::Reply, context),
            BenchmarkMessage::Reply => {
                self.current.awaited = 0;
                // An answer that came before the delay was over did not wait, and says nothing.
                if let Some(waited) = self.current.waited {
                    let overhead = self.taken(context.now() - waited, context);
                    self.note(|all, subject| &mut all.pairs[subject].receive_overheads, overhead);
                }
                self.end_delayed(at, context);
            }
            BenchmarkMessage::Out => self.send(at, from, 0, BenchmarkMessage::Back, context),
            BenchmarkMessage::Back => {
                self.current.awaited -= 1;
                if self.current.awaited == 0 {
                    self.answered(at, context);
                }
            }
            BenchmarkMessage::Load => {}
        }
    }

    fn on_computed(&mut self, at: NodeId, _: WorkId, context: &mut impl Context<BenchmarkMessage>) {
        self.current.computing -= 1;
        self.current.waited.get_or_insert(context.now());
        self.end_delayed(at, context);
    }

    fn on_timer(&mut self, at: NodeId, timer: TimerId, context: &mut impl Context<BenchmarkMessage>) {
        if self.current.paid == Some(timer) {
            self.current.paid = None;
            self.wait(at, context);
        } else if self.current.resume == Some(timer) {
            self.current.resume = None;
            self.go_on(at, context);
        } else if !self.done {
            self.loads.on_timer(at, timer, BenchmarkMessage::Load, context);
        }
    }
}
