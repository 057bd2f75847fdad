//! The benchmarks as a program: one experiment after the other, so that none disturbs another.

use rand_distr::{Distribution, Exp};

use super::plan::{Plan, Processor};
use crate::cluster::{Machine, NodeId, Program, TimerId, WorkId};
use crate::engine::Stream;
use crate::fit::{Cost, Measurements, PairSamples, Series, TripletSamples, robust};
use crate::units::Time;

/// By how much a delayed ping-pong waits longer than a round trip usually takes.
const DELAY: f64 = 4.0;

/// What the benchmarks' messages say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Message {
    /// You are the next to start an experiment.
    Go,
    /// There and back.
    Ping,
    /// And back.
    Pong,
    /// One of a train of so many.
    Car(u32),
    /// The whole train is here.
    Arrived,
    /// A ping whose answer will have to wait.
    Probe,
    /// The answer that waits.
    Reply,
    /// To one of two.
    Out,
    /// Its empty answer.
    Back,
    /// Somebody else's.
    Load,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    RoundTrip,
    Train,
    Overheads,
    Triplet,
}

/// An experiment with a pair or a triplet at one size.
#[derive(Debug, Clone, Copy)]
struct Task {
    kind: Kind,
    subject: u32,
    size: u32,
}

/// The experiment that goes on.
#[derive(Debug, Clone, Copy, Default)]
struct Current {
    /// When it began, all repetitions.
    begun: Time,
    /// Messages sent before it.
    sent_before: u64,
    repetition: u32,
    /// When the repetition began.
    started: Time,
    /// Messages that are still awaited.
    awaited: u32,
    /// How long the first train took.
    first_train: Option<Time>,
    /// When the delay was over.
    waited: Option<Time>,
    /// Computations that still run.
    computing: u32,
    /// The timer that runs out when the send's overhead is paid.
    paid: Option<TimerId>,
}

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
    loads: Vec<(Option<TimerId>, Stream)>,
    interval: Option<Exp<f64>>,
    measurements: Measurements,
}

impl Benchmarks {
    /// The benchmarks of `plan` on nodes with these processors.
    #[must_use]
    pub fn new(plan: Plan, processors: Vec<Processor>) -> Self {
        let sizes = plan.sizes.len();
        let experiments = plan.experiments;
        let kinds = [
            (Kind::RoundTrip, experiments.round_trips.of(sizes)),
            (Kind::Train, experiments.gaps.of(sizes)),
            (Kind::Overheads, experiments.overheads.of(sizes)),
        ];
        let mut tasks = Vec::new();
        for subject in 0..plan.pairs.len() as u32 {
            for (kind, count) in kinds {
                tasks.extend((0..count as u32).map(|size| Task { kind, subject, size }));
            }
        }
        // Which of two is farther is known when all pairs are.
        let count = experiments.triplets.of(sizes) as u32;
        for subject in 0..plan.triplets.len() as u32 {
            tasks.extend((0..count).map(|size| Task { kind: Kind::Triplet, subject, size }));
        }
        let pair = |&(from, to): &(u32, u32)| PairSamples { from, to, ..PairSamples::default() };
        let triplet = |&(root, first, last): &(u32, u32, u32)| TripletSamples { root, first, last, times: Vec::new() };
        let measurements = Measurements {
            pairs: plan.pairs.iter().map(pair).collect(),
            triplets: plan.triplets.iter().map(triplet).collect(),
            cost: Cost::default(),
        };
        let interval = Exp::new(1.0 / plan.traffic.interval_s).ok();
        Self {
            plan,
            processors,
            tasks,
            next: 0,
            current: Current::default(),
            sent: 0,
            since: Time::ZERO,
            done: false,
            loads: Vec::new(),
            interval,
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

    fn initiator(&self, task: Task) -> NodeId {
        NodeId(match task.kind {
            Kind::Triplet => self.plan.triplets[task.subject as usize].0,
            _ => self.plan.pairs[task.subject as usize].0,
        })
    }

    fn send(&mut self, from: NodeId, to: NodeId, bytes: u64, message: Message, machine: &mut impl Machine<Message>) {
        self.sent += 1;
        machine.send(from, to, bytes, message);
    }

    /// The task that goes on, with its bytes; nothing after the last.
    fn task(&self) -> Option<(Task, u64)> {
        let task = *self.tasks.get(self.next)?;
        Some((task, self.plan.sizes[task.size as usize]))
    }

    /// Begins the next task at its initiator, where a handler runs.
    fn begin(&mut self, at: NodeId, machine: &mut impl Machine<Message>) {
        let Some((task, bytes)) = self.task() else { return };
        self.current = Current { begun: machine.now(), sent_before: self.sent, ..Current::default() };
        let subject = task.subject as usize;
        let series = || Series { bytes, ..Series::default() };
        match task.kind {
            Kind::RoundTrip => self.measurements.pairs[subject].round_trips.push(series()),
            Kind::Train => self.measurements.pairs[subject].gaps.push(series()),
            Kind::Overheads => {
                let pair = &mut self.measurements.pairs[subject];
                pair.send_overheads.push(series());
                pair.receive_overheads.push(series());
            }
            Kind::Triplet => {
                self.order(subject);
                self.measurements.triplets[subject].times.push(series());
            }
        }
        self.repeat(at, machine);
    }

    /// Sees to it that the farther of two receivers comes last.
    fn order(&mut self, triplet: usize) {
        let TripletSamples { root, first, last, .. } = self.measurements.triplets[triplet];
        let distance = |node| {
            let pair = self.measurements.between(root, node);
            let middles = pair.into_iter().flat_map(|pair| &pair.round_trips).filter_map(Series::middle);
            middles.map(|middle| middle.value).sum::<f64>()
        };
        if distance(first) > distance(last) {
            let triplet = &mut self.measurements.triplets[triplet];
            (triplet.first, triplet.last) = (last, first);
        }
    }

    /// Starts a repetition of the current experiment.
    fn repeat(&mut self, at: NodeId, machine: &mut impl Machine<Message>) {
        let Some((task, bytes)) = self.task() else { return };
        let subject = task.subject as usize;
        self.current.started = machine.now();
        self.current.waited = None;
        match task.kind {
            Kind::RoundTrip => self.send(at, NodeId(self.plan.pairs[subject].1), bytes, Message::Ping, machine),
            Kind::Train => {
                let to = NodeId(self.plan.pairs[subject].1);
                let second = u32::from(self.current.first_train.is_some());
                let cars = self.plan.train << second;
                self.current.awaited = cars;
                for _ in 0..cars {
                    self.send(at, to, bytes, Message::Car(cars), machine);
                }
            }
            Kind::Overheads => {
                self.send(at, NodeId(self.plan.pairs[subject].1), bytes, Message::Probe, machine);
                self.current.awaited = 1;
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

    /// A repetition has ended: the next one, or the next experiment.
    fn end_repetition(&mut self, at: NodeId, machine: &mut impl Machine<Message>) {
        self.current.repetition += 1;
        self.current.first_train = None;
        if self.current.repetition < self.plan.repetitions {
            self.repeat(at, machine);
            return;
        }
        self.end_task(machine);
        self.next += 1;
        match self.task() {
            Some((task, _)) if self.initiator(task) == at => self.begin(at, machine),
            Some((task, _)) => self.send(at, self.initiator(task), 0, Message::Go, machine),
            None => {
                self.done = true;
                self.measurements.cost =
                    Cost { messages: self.sent, seconds: machine.tick().seconds(machine.now() - self.since) };
                for (timer, _) in &mut self.loads {
                    if let Some(timer) = timer.take() {
                        machine.cancel_timer(timer);
                    }
                }
                machine.complete(at);
                machine.conclude();
            }
        }
    }

    fn end_task(&mut self, machine: &mut impl Machine<Message>) {
        let Some((task, _)) = self.task() else { return };
        let seconds = machine.tick().seconds(machine.now() - self.current.begun);
        let cost = Cost { messages: self.sent - self.current.sent_before, seconds };
        let subject = task.subject as usize;
        let half = Cost { messages: cost.messages / 2, seconds: cost.seconds / 2.0 };
        let other = Cost { messages: cost.messages - half.messages, seconds: cost.seconds / 2.0 };
        let put = |list: &mut Vec<Series>, cost| {
            if let Some(series) = list.last_mut() {
                series.cost = cost;
            }
        };
        match task.kind {
            Kind::RoundTrip => put(&mut self.measurements.pairs[subject].round_trips, cost),
            Kind::Train => put(&mut self.measurements.pairs[subject].gaps, cost),
            // Both overheads come from the same messages.
            Kind::Overheads => {
                put(&mut self.measurements.pairs[subject].send_overheads, half);
                put(&mut self.measurements.pairs[subject].receive_overheads, other);
            }
            Kind::Triplet => put(&mut self.measurements.triplets[subject].times, cost),
        }
    }

    /// Notes a sample of the current experiment; `of` is its list.
    fn note(&mut self, of: fn(&mut Measurements, usize) -> &mut Vec<Series>, seconds: f64) {
        let Some((task, _)) = self.task() else { return };
        if let Some(series) = of(&mut self.measurements, task.subject as usize).last_mut() {
            series.seconds.push(seconds);
        }
    }

    fn arrived(&mut self, at: NodeId, machine: &mut impl Machine<Message>) {
        let elapsed = machine.now() - self.current.started;
        match self.current.first_train {
            None => {
                self.current.first_train = Some(elapsed);
                self.repeat(at, machine);
            }
            Some(first) => {
                // The ends of both trains are alike, so that their difference is gaps only.
                let seconds = |time: Time| machine.tick().seconds(time);
                let gap = (seconds(elapsed) - seconds(first)) / f64::from(self.plan.train);
                self.note(|all, subject| &mut all.pairs[subject].gaps, gap);
                self.end_repetition(at, machine);
            }
        }
    }

    /// The send's overhead is paid: now the processor is kept busy until the answer waits.
    fn wait(&mut self, at: NodeId, machine: &mut impl Machine<Message>) {
        let Some((task, bytes)) = self.task() else { return };
        let overhead = machine.tick().seconds(machine.now() - self.current.started);
        self.note(|all, subject| &mut all.pairs[subject].send_overheads, overhead);
        let round_trips = &self.measurements.pairs[task.subject as usize].round_trips;
        let usual = round_trips.iter().find(|series| series.bytes == bytes);
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

    /// Starts the waiting time of a background pair.
    fn wait_for_load(&mut self, load: usize, machine: &mut impl Machine<Message>) {
        let Some(interval) = self.interval else { return };
        let seconds = interval.sample(&mut self.loads[load].1);
        let delay = machine.tick().time(seconds);
        let timer = machine.set_timer(self.plan.traffic.pairs[load].0, delay);
        self.loads[load].0 = Some(timer);
    }
}

impl Program for Benchmarks {
    type Message = Message;

    fn describe(message: &Message) -> &'static str {
        match message {
            Message::Go => "go",
            Message::Ping => "ping",
            Message::Pong => "pong",
            Message::Car(_) => "train",
            Message::Arrived => "arrived",
            Message::Probe => "probe",
            Message::Reply => "reply",
            Message::Out => "out",
            Message::Back => "back",
            Message::Load => "load",
        }
    }

    fn start(&mut self, machine: &mut impl Machine<Message>) {
        let Some((task, _)) = self.task() else { return };
        self.since = machine.now();
        for load in 0..self.plan.traffic.pairs.len() {
            self.loads.push((None, machine.stream("background", load as u64)));
            self.wait_for_load(load, machine);
        }
        let first = self.initiator(task);
        self.begin(first, machine);
    }

    fn on_message(&mut self, at: NodeId, from: NodeId, message: Message, machine: &mut impl Machine<Message>) {
        let Some((_, bytes)) = self.task() else { return };
        let elapsed = machine.tick().seconds(machine.now() - self.current.started);
        match message {
            Message::Go => self.begin(at, machine),
            Message::Ping => self.send(at, from, bytes, Message::Pong, machine),
            Message::Pong => {
                self.note(|all, subject| &mut all.pairs[subject].round_trips, elapsed);
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
                    let overhead = machine.tick().seconds(machine.now() - waited);
                    self.note(|all, subject| &mut all.pairs[subject].receive_overheads, overhead);
                }
                self.end_delayed(at, machine);
            }
            Message::Out => self.send(at, from, 0, Message::Back, machine),
            Message::Back => {
                self.current.awaited -= 1;
                if self.current.awaited == 0 {
                    self.note(|all, subject| &mut all.triplets[subject].times, elapsed);
                    self.end_repetition(at, machine);
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
            return;
        }
        let Some(load) = self.loads.iter().position(|(of, _)| *of == Some(timer)) else { return };
        if self.done {
            return;
        }
        let (_, to) = self.plan.traffic.pairs[load];
        machine.send(at, to, self.plan.traffic.bytes, Message::Load);
        self.wait_for_load(load, machine);
    }
}
