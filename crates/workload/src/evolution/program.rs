//! Master and slaves as Garamendi and Bosque describe them (§3.2): what travels is the number of individuals that a
//! slave is to create, and after each round its best.

use super::balance::{Move, State, flow, moves};
use super::clock::Count;
use super::settings::{Balancer, Distribution, Measure};
use super::site::Site;
use hetsim_base::units::Time;
use hetsim_cluster::{Context, NodeId, Program, WorkId};
use hetsim_search::strategy::Individuals;

/// What master and slaves say to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Message {
    /// To the master: the power that was measured.
    Power,
    /// To a slave: create so many individuals, and evolve them.
    Create(u32),
    /// To the master: a round is over, and this is the best individual.
    Best,
    /// To a slave: the next round.
    GoOn,
    /// To a slave: measure your power again.
    Measure,
    /// To a slave: its part of the plan by which individuals move.
    Moves,
    /// To a slave: agree with your neighbours on who has too many.
    Even,
    /// To a neighbour: how many individuals there are here, and the power.
    State,
    /// To another slave: individuals.
    Parcel(u32),
    /// To a slave: the solution is found, or the last round is over.
    Stop,
}

/// What a slave's processor is busy with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Doing {
    #[default]
    Nothing,
    Benchmark,
    Round,
}

/// What a slave has.
#[derive(Debug, Default)]
pub(super) struct Slave {
    pub individuals: Vec<u32>,
    doing: Doing,
    count: Count,
    /// The last measured power, in individuals and generations a second.
    pub power: f64,
    /// The first, by which individuals were distributed.
    pub first_power: Option<f64>,
    /// How many individuals it created.
    pub created: u32,
    started: Time,
    /// What its last round took by its clock.
    round: Time,
    /// The operations of its rounds.
    pub operations: f64,
    /// What it told its neighbours, whom it now waits for.
    told: State,
    asks: bool,
    /// How many neighbours have told it theirs.
    heard: u32,
    /// Parcels that it waits for, less those that came before it knew.
    missing: i32,
    /// It knows of all parcels and starts the next round when it has them.
    settled: bool,
}

/// Individuals on their way.
#[derive(Debug)]
struct Parcel {
    numbers: Vec<u32>,
    /// Where each slave has a population of its own.
    individuals: Option<Individuals>,
}

/// The program.
#[derive(Debug)]
pub(super) struct MasterSlaves<'a> {
    pub site: Site<'a>,
    pub slaves: Vec<Slave>,
    /// From how many slaves the master has heard since it last spoke to all.
    heard: u32,
    /// The master's evaluation of the best individuals.
    deciding: Option<WorkId>,
    plan: Vec<Move>,
    parcels: Vec<Parcel>,
    /// When the master first knew all powers.
    pub measured: Option<Time>,
    pub rebalances: u32,
}

impl<'a> MasterSlaves<'a> {
    pub(super) fn new(site: Site<'a>) -> Self {
        let slaves = (0..site.slaves).map(|_| Slave::default()).collect();
        Self {
            site,
            slaves,
            heard: 0,
            deciding: None,
            plan: Vec::new(),
            parcels: Vec::new(),
            measured: None,
            rebalances: 0,
        }
    }

    // The master.

    fn tell(&self, slave: u32, message: Message, bytes: u64, context: &mut impl Context<Message>) {
        context.send(self.site.master, self.site.node_of(slave), self.site.message_bytes + bytes, message);
    }

    fn tell_all(&mut self, message: Message, context: &mut impl Context<Message>) {
        self.heard = 0;
        for slave in 0..self.site.slaves {
            self.tell(slave, message, 0, context);
        }
    }

    /// Sends each slave its number (§3.2, steps 2 and 3 of the master).
    fn distribute(&mut self, counts: &[u32], context: &mut impl Context<Message>) {
        self.heard = 0;
        self.site.create(counts);
        self.site.enter_round(context);
        let dealt_in_turn = self.site.parameters.distribution == Distribution::RoundRobin;
        let mut next = 0;
        for (slave, &count) in (0..self.site.slaves).zip(counts) {
            let numbers: Vec<u32> = if dealt_in_turn {
                (slave..self.site.parameters.population).step_by(self.site.slaves as usize).collect()
            } else {
                (next..next + count).collect()
            };
            next += count;
            self.slaves[slave as usize].created = numbers.len() as u32;
            self.slaves[slave as usize].individuals = numbers;
            self.tell(slave, Message::Create(count), 0, context);
        }
    }

    fn powers(&self) -> Vec<f64> {
        self.slaves.iter().map(|slave| slave.power).collect()
    }

    fn counts(&self) -> Vec<u32> {
        self.slaves.iter().map(|slave| slave.individuals.len() as u32).collect()
    }

    fn power_arrived(&mut self, context: &mut impl Context<Message>) {
        self.heard += 1;
        if self.heard < self.site.slaves {
            return;
        }
        if self.measured.is_none() && self.site.series.is_empty() {
            self.measured = Some(context.now());
            for slave in &mut self.slaves {
                slave.first_power = Some(slave.power);
            }
            let counts = self.site.shares(&self.powers());
            self.distribute(&counts, context);
        } else {
            self.rearrange(context);
        }
    }

    fn best_arrived(&mut self, context: &mut impl Context<Message>) {
        self.heard += 1;
        if self.heard == self.site.slaves {
            let bests = self.slaves.iter().filter(|slave| !slave.individuals.is_empty()).count();
            let operations = bests as f64 * self.site.evaluation();
            self.deciding = Some(context.compute(self.site.master, operations));
        }
    }

    /// Steps 6 and 7 of the master.
    fn decide(&mut self, context: &mut impl Context<Message>) {
        let evolving = || self.slaves.iter().filter(|slave| !slave.individuals.is_empty());
        let longest = evolving().map(|slave| slave.round).max().unwrap_or_default();
        let shortest = evolving().map(|slave| slave.round).min().unwrap_or_default();
        if !self.site.decide(context.now(), longest, shortest) {
            context.complete(self.site.master);
            return self.tell_all(Message::Stop, context);
        }
        self.site.enter_round(context);
        let rounds = self.site.series.len() as u32;
        let spread = self.site.series.last().map_or(0.0, super::site::Round::spread);
        let rebalance = self.site.parameters.rebalance.as_ref().filter(|rebalance| rebalance.is_due(rounds, spread));
        let Some(rebalance) = rebalance else { return self.tell_all(Message::GoOn, context) };
        self.rebalances += 1;
        match (rebalance.by, rebalance.measure) {
            (Balancer::Diffusion, _) => self.tell_all(Message::Even, context),
            (Balancer::Master, Measure::Benchmark) => self.tell_all(Message::Measure, context),
            (Balancer::Master, Measure::Rounds) => {
                // Each slave's time came with its best.
                for slave in 0..self.site.slaves {
                    self.measure_by_round(slave);
                }
                self.rearrange(context);
            }
        }
    }

    /// Says who sends how many individuals to whom.
    fn rearrange(&mut self, context: &mut impl Context<Message>) {
        self.heard = 0;
        self.plan = moves(&self.counts(), &self.site.shares(&self.powers()));
        for slave in 0..self.site.slaves {
            let concerned = self.plan.iter().filter(|one| one.from == slave || one.to == slave).count();
            self.tell(slave, Message::Moves, concerned as u64 * BYTES_OF_A_MOVE, context);
        }
    }

    // A slave.

    fn benchmark(&mut self, slave: u32, context: &mut impl Context<Message>) {
        let individuals = self.site.parameters.benchmark.individuals;
        self.set_working_set(slave, individuals, context);
        let state = &mut self.slaves[slave as usize];
        state.doing = Doing::Benchmark;
        state.count = Count::start(context.now());
        self.iterate(slave, context);
    }

    /// One iteration of the benchmark: a generation of all its individuals.
    fn iterate(&self, slave: u32, context: &mut impl Context<Message>) {
        let evaluations = f64::from(self.site.parameters.benchmark.individuals) * f64::from(self.site.evaluations);
        context.compute(self.site.node_of(slave), evaluations * self.site.evaluation());
    }

    fn set_working_set(&self, slave: u32, individuals: u32, context: &mut impl Context<Message>) {
        if let Some(bytes) = self.site.working_set(individuals) {
            context.set_working_set(self.site.node_of(slave), bytes);
        }
    }

    fn iterated(&mut self, slave: u32, context: &mut impl Context<Message>) {
        let (span, clock) = (self.site.span, self.site.clock);
        let state = &mut self.slaves[slave as usize];
        if state.count.iterated(context.now(), span, clock) {
            return self.iterate(slave, context);
        }
        state.doing = Doing::Nothing;
        state.power = state.count.power(self.site.parameters.benchmark.individuals, span, self.site.tick.per_second());
        if self.diffuses() {
            self.tell_neighbours(slave, context);
        } else {
            context.send(
                self.site.node_of(slave),
                self.site.master,
                self.site.message_bytes + BYTES_OF_A_POWER,
                Message::Power,
            );
        }
    }

    /// Whether slaves even out among themselves what they measure now.
    fn diffuses(&self) -> bool {
        let by_diffusion = |rebalance: &super::Rebalance| rebalance.by == Balancer::Diffusion;
        !self.site.series.is_empty() && self.site.parameters.rebalance.as_ref().is_some_and(by_diffusion)
    }

    /// The power that the last round shows; what was known before, where there was nothing to evolve.
    fn measure_by_round(&mut self, slave: u32) {
        let slave = &mut self.slaves[slave as usize];
        let work = slave.individuals.len() as f64 * f64::from(self.site.parameters.generations);
        if work > 0.0 && slave.round > Time::ZERO {
            slave.power = work * self.site.tick.per_second() / slave.round.as_f64();
        }
    }

    fn start_round(&mut self, slave: u32, context: &mut impl Context<Message>) {
        let state = &mut self.slaves[slave as usize];
        (state.settled, state.started, state.doing) = (false, context.now(), Doing::Round);
        let operations = self.site.load(&state.individuals) * f64::from(self.site.parameters.generations);
        let count = state.individuals.len() as u32;
        if count == 0 {
            return self.end_round(slave, context);
        }
        state.operations += operations;
        self.set_working_set(slave, count, context);
        context.compute(self.site.node_of(slave), operations);
    }

    fn end_round(&mut self, slave: u32, context: &mut impl Context<Message>) {
        let state = &mut self.slaves[slave as usize];
        state.doing = Doing::Nothing;
        state.round = self.site.clock.between(state.started, context.now());
        let best = if state.individuals.is_empty() { 0 } else { self.site.individual_bytes };
        let bytes = self.site.message_bytes + best;
        context.send(self.site.node_of(slave), self.site.master, bytes, Message::Best);
    }

    /// A slave's neighbours in the ring.
    fn neighbours(&self, slave: u32) -> impl Iterator<Item = u32> + use<> {
        let slaves = self.site.slaves;
        let (before, after) = ((slave + slaves - 1) % slaves, (slave + 1) % slaves);
        [before, after].into_iter().take(slaves.min(3) as usize - 1)
    }

    fn tell_neighbours(&mut self, slave: u32, context: &mut impl Context<Message>) {
        let state = &mut self.slaves[slave as usize];
        state.told = State { count: state.individuals.len() as u32, power: state.power };
        state.asks = true;
        for neighbour in self.neighbours(slave) {
            let bytes = self.site.message_bytes + BYTES_OF_A_STATE;
            context.send(self.site.node_of(slave), self.site.node_of(neighbour), bytes, Message::State);
        }
        self.settle_with_neighbours(slave, context);
    }

    /// Sends each neighbour a part of the surplus, once all of them are known. Both ends of a link reckon the same.
    fn settle_with_neighbours(&mut self, slave: u32, context: &mut impl Context<Message>) {
        let state = &self.slaves[slave as usize];
        if !state.asks || state.heard < self.neighbours(slave).count() as u32 {
            return;
        }
        let own = state.told;
        for neighbour in self.neighbours(slave) {
            match flow(own, self.slaves[neighbour as usize].told) {
                count if count > 0 => self.send_parcel(slave, neighbour, count as u32, context),
                count if count < 0 => self.slaves[slave as usize].missing += 1,
                _ => {}
            }
        }
        let state = &mut self.slaves[slave as usize];
        (state.heard, state.asks) = (0, false);
        self.settle(slave, context);
    }

    fn carry_out_plan(&mut self, slave: u32, context: &mut impl Context<Message>) {
        for place in 0..self.plan.len() {
            let Move { from, to, count } = self.plan[place];
            if from == slave {
                self.send_parcel(slave, to, count, context);
            } else if to == slave {
                self.slaves[slave as usize].missing += 1;
            }
        }
        self.settle(slave, context);
    }

    fn send_parcel(&mut self, slave: u32, to: u32, count: u32, context: &mut impl Context<Message>) {
        let here = &mut self.slaves[slave as usize].individuals;
        let numbers = here.split_off(here.len().saturating_sub(count as usize));
        let individuals = self.site.colony.leave(slave, numbers.len() as u32);
        if let Some(round) = self.site.series.last_mut() {
            round.moved += numbers.len() as u32;
        }
        let bytes = self.site.message_bytes + numbers.len() as u64 * self.site.individual_bytes;
        let parcel = self.parcels.len() as u32;
        self.parcels.push(Parcel { numbers, individuals });
        context.send(self.site.node_of(slave), self.site.node_of(to), bytes, Message::Parcel(parcel));
    }

    fn take_parcel(&mut self, slave: u32, parcel: u32, context: &mut impl Context<Message>) {
        let Parcel { numbers, individuals } = &mut self.parcels[parcel as usize];
        let (numbers, individuals) = (std::mem::take(numbers), individuals.take());
        if let Some(Err(error)) = individuals.map(|individuals| self.site.colony.join(slave, &individuals)) {
            self.site.note(&error);
        }
        let state = &mut self.slaves[slave as usize];
        state.individuals.extend(numbers);
        state.missing -= 1;
        if state.settled && state.missing == 0 {
            self.start_round(slave, context);
        }
    }

    fn settle(&mut self, slave: u32, context: &mut impl Context<Message>) {
        let state = &mut self.slaves[slave as usize];
        state.settled = true;
        if state.missing == 0 {
            self.start_round(slave, context);
        }
    }
}

/// A power is a number of double precision.
const BYTES_OF_A_POWER: u64 = 8;
/// A slave and a number of individuals.
const BYTES_OF_A_MOVE: u64 = 8;
/// A power and a number of individuals.
const BYTES_OF_A_STATE: u64 = 12;

impl Program for MasterSlaves<'_> {
    type Message = Message;

    fn describe(message: &Message) -> &'static str {
        match message {
            Message::Power => "power",
            Message::Create(_) => "number",
            Message::Best => "best",
            Message::GoOn => "go on",
            Message::Measure => "measure",
            Message::Moves => "moves",
            Message::Even => "even out",
            Message::State => "state",
            Message::Parcel(_) => "individuals",
            Message::Stop => "stop",
        }
    }

    fn phase_name(&self, round: u32) -> String {
        Site::phase_name(round)
    }

    fn start(&mut self, context: &mut impl Context<Message>) {
        let slaves = self.site.slaves;
        match self.site.parameters.distribution {
            Distribution::Benchmark => (0..slaves).for_each(|slave| self.benchmark(slave, context)),
            Distribution::Nominal => {
                let counts = self.site.shares(&self.site.speeds);
                self.distribute(&counts, context);
            }
            _ => {
                let counts = self.site.shares(&vec![1.0; slaves as usize]);
                self.distribute(&counts, context);
            }
        }
    }

    fn on_message(&mut self, at: NodeId, _: NodeId, message: Message, context: &mut impl Context<Message>) {
        match message {
            Message::Power => return self.power_arrived(context),
            Message::Best => return self.best_arrived(context),
            _ => {}
        }
        let slave = self.site.slave_at(at);
        match message {
            Message::Create(_) | Message::GoOn => self.start_round(slave, context),
            Message::Measure => self.benchmark(slave, context),
            Message::Moves => self.carry_out_plan(slave, context),
            Message::Even => {
                let measure = self.site.parameters.rebalance.as_ref().map(|rebalance| rebalance.measure);
                if measure == Some(Measure::Rounds) {
                    self.measure_by_round(slave);
                    self.tell_neighbours(slave, context);
                } else {
                    self.benchmark(slave, context);
                }
            }
            Message::State => {
                self.slaves[slave as usize].heard += 1;
                self.settle_with_neighbours(slave, context);
            }
            Message::Parcel(parcel) => self.take_parcel(slave, parcel, context),
            Message::Power | Message::Best | Message::Stop => {}
        }
    }

    fn on_computed(&mut self, at: NodeId, work: WorkId, context: &mut impl Context<Message>) {
        if self.deciding.take_if(|deciding| *deciding == work).is_some() {
            return self.decide(context);
        }
        let slave = self.site.slave_at(at);
        match self.slaves[slave as usize].doing {
            Doing::Benchmark => self.iterated(slave, context),
            Doing::Round => self.end_round(slave, context),
            Doing::Nothing => {}
        }
    }
}
