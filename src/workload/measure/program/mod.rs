//! The benchmarks as a program: one experiment after the other, so that none disturbs another.

mod samples;
mod task;

use super::plan::{Plan, Processor};
use super::traffic::Loads;
use crate::cluster::{Machine, NodeId, Program, TimerId, WorkId};
use crate::fit::{Cost, Measurements, PairSamples, TripletSamples, robust};
use crate::units::Time;

pub use task::Message;
use task::{Current, Kind, Task};

/// By how much a delayed ping-pong waits longer than a round trip usually takes.
const DELAY: f64 = 4.0;

/// The benchmarks of a [`Plan`]. When it has ended, [`measurements`](Self::into_measurements) holds all samples.
#[derive(Debug)]
pub struct Benchmarks {
    plan: Plan,
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
    pub fn new(plan: Plan, processors: Vec<Processor>) -> Self {
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

    fn send(&mut self, from: NodeId, to: NodeId, bytes: u64, message: Message, machine: &mut impl Machine<Message>) {
        self.sent += 1;
        machine.send(from, to, bytes, message);
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
    fn begin(&mut self, at: NodeId, machine: &mut impl Machine<Message>) {
        self.current = Current { begun: machine.now(), sent_before: self.sent, ..Current::default() };
        self.begin_series();
        self.repeat(at, machine);
    }

    /// Starts a repetition of the current experiment.
    fn repeat(&mut self, at: NodeId, machine: &mut impl Machine<Message>) {
        let Some(Task { kind, subject, bytes }) = self.task() else { return };
        let subject = subject as usize;
        self.current.started = machine.now();
        self.current.waited = None;
        self.current.awaited = 1;
        match kind {
            Kind::RoundTrip => self.send(at, self.partner(subject), bytes, Message::Ping, machine),
            Kind::Train => self.send_train(at, machine),
            Kind::Empty | Kind::Answered => self.send(at, self.partner(subject), bytes, Message::Out, machine),
            Kind::Overheads => {
                self.send(at, self.partner(subject), bytes, Message::Probe, machine);
                // Its handler can't run before the processor is free of the send.
                self.current.paid = Some(machine.set_timer(at, Time::ZERO));
            }
            Kind::Triplet => {
                let TripletSamples { first, last, .. } = self.measurements.triplets[subject];
                self.current.awaited = 2;
                self.send(at, NodeId(first), bytes, Message::Out, machine);
                self.send(at, NodeId(last), bytes, Message::Out, machine);
            }
        }
    }

    /// Sends a train, the second one twice as long as the first.
    fn send_train(&mut self, at: NodeId, machine: &mut impl Machine<Message>) {
        let Some(Task { subject, bytes, .. }) = self.task() else { return };
        let to = self.partner(subject as usize);
        let cars = self.plan.train << u32::from(self.current.first_train.is_some());
        self.current.started = machine.now();
        self.current.awaited = cars;
        for _ in 0..cars {
            self.send(at, to, bytes, Message::Car(cars), machine);
        }
    }

    /// A repetition has ended; what held its node up passes before anything else.
    fn end_repetition(&mut self, at: NodeId, machine: &mut impl Machine<Message>) {
        if self.current.held_up > Time::ZERO {
            self.current.resume = Some(machine.set_timer(at, self.current.held_up));
        } else {
            self.go_on(at, machine);
        }
    }

    /// The next repetition, or the next experiment.
    fn go_on(&mut self, at: NodeId, machine: &mut impl Machine<Message>) {
        self.current.repetition += 1;
        self.current.first_train = None;
        (self.current.times, self.current.held_up) = (0, Time::ZERO);
        if self.current.repetition < self.plan.repetitions {
            self.repeat(at, machine);
            return;
        }
        self.note_cost(machine);
        self.next += 1;
        match self.task().map(|task| task.initiator(&self.plan)) {
            Some(initiator) if initiator == at => self.begin(at, machine),
            Some(initiator) => self.send(at, initiator, 0, Message::Go, machine),
            None => {
                self.done = true;
                self.measurements.cost =
                    Cost { messages: self.sent, seconds: machine.tick().seconds(machine.now() - self.since) };
                self.loads.stop(machine);
                machine.complete(at);
                machine.conclude();
            }
        }
    }

    /// The send's overhead is paid: now the processor is kept busy until the answer waits.
    fn wait(&mut self, at: NodeId, machine: &mut impl Machine<Message>) {
        let Some(task) = self.task() else { return };
        let overhead = self.since_start(machine);
        self.note(|all, subject| &mut all.pairs[subject].send_overheads, overhead);
        let round_trips = &self.measurements.pairs[task.subject as usize].round_trips;
        let usual = round_trips.iter().find(|series| series.bytes == task.bytes);
        let usual = usual.and_then(|series| robust::median(&series.seconds)).unwrap_or(0.0);
        let Processor { speed, cores } = self.processors[at.index()];
        self.current.computing = cores;
        for _ in 0..cores {
            machine.compute(at, speed * usual * DELAY);
        }
    }

    fn end_delayed(&mut self, at: NodeId, machine: &mut impl Machine<Message>) {
        if self.current.awaited == 0 && self.current.computing == 0 {
            self.end_repetition(at, machine);
        }
    }
}

impl Program for Benchmarks {
    type Message = Message;

    fn describe(message: &Message) -> &'static str {
        message.name()
    }

    fn start(&mut self, machine: &mut impl Machine<Message>) {
        let Some(task) = self.task() else { return };
        self.since = machine.now();
        self.loads.start(machine);
        self.begin(task.initiator(&self.plan), machine);
    }

    fn on_message(&mut self, at: NodeId, from: NodeId, message: Message, machine: &mut impl Machine<Message>) {
        let Some(Task { bytes, .. }) = self.task() else { return };
        match message {
            Message::Go => self.begin(at, machine),
            Message::Ping => self.send(at, from, bytes, Message::Pong, machine),
            Message::Pong => {
                let took = self.since_start(machine);
                self.note(|all, subject| &mut all.pairs[subject].round_trips, took);
                self.end_repetition(at, machine);
            }
            Message::Car(_) => {
                self.current.awaited -= 1;
                if self.current.awaited == 0 {
                    self.send(at, from, 0, Message::Arrived, machine);
                }
            }
            Message::Arrived => self.arrived(at, machine),
            Message::Probe => self.send(at, from, bytes, Message::Reply, machine),
            Message::Reply => {
                self.current.awaited = 0;
                // An answer that came before the delay was over did not wait, and says nothing.
                if let Some(waited) = self.current.waited {
                    let overhead = self.taken(machine.now() - waited, machine);
                    self.note(|all, subject| &mut all.pairs[subject].receive_overheads, overhead);
                }
                self.end_delayed(at, machine);
            }
            Message::Out => self.send(at, from, 0, Message::Back, machine),
            Message::Back => {
                self.current.awaited -= 1;
                if self.current.awaited == 0 {
                    self.answered(at, machine);
                }
            }
            Message::Load => {}
        }
    }

    fn on_computed(&mut self, at: NodeId, _: WorkId, machine: &mut impl Machine<Message>) {
        self.current.computing -= 1;
        self.current.waited.get_or_insert(machine.now());
        self.end_delayed(at, machine);
    }

    fn on_timer(&mut self, at: NodeId, timer: TimerId, machine: &mut impl Machine<Message>) {
        if self.current.paid == Some(timer) {
            self.current.paid = None;
            self.wait(at, machine);
        } else if self.current.resume == Some(timer) {
            self.current.resume = None;
            self.go_on(at, machine);
        } else if !self.done {
            self.loads.on_timer(at, timer, Message::Load, machine);
        }
    }
}
