//! The master has the population and ships individuals: two of the older systems (Garamendi and Bosque, §2).
//!
//! Under `ship`, in each step, the master mutates every individual and slaves evaluate the mutants, each slave as many.
//! Under `largest_first` a slave evolves one individual for a round, returns it, and is sent the costliest one left.

use super::settings::Distribution;
use super::site::Site;
use hetsim_base::units::{Quantity, Time};
use hetsim_cluster::{Context, NodeId, Program, WorkId};

/// What master and slaves say to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CentralMessage {
    /// To a slave: individuals.
    Individuals,
    /// To the master: what came of them.
    Results,
    /// To a slave: the solution is found, or the last round is over.
    Stop,
}

/// What a slave is given.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Slave {
    /// Of its last task: how many individuals, and operations.
    count: u32,
    task: f64,
    /// The individuals of its share (`ship`).
    pub share: Option<u32>,
    /// The operations of an evaluation of each of them.
    load: f64,
    /// All operations that it was given.
    pub operations: f64,
    started: Time,
    /// How long it has computed in this round.
    round: Time,
}

/// The program.
#[derive(Debug)]
pub(super) struct Central<'a> {
    pub site: Site<'a>,
    pub slaves: Vec<Slave>,
    ships: bool,
    /// Evaluations of everybody that are over in this round (`ship`).
    step: u64,
    /// Slaves that have something.
    busy: u32,
    /// The individuals, the costliest first, and how many are dealt in this round (`largest_first`).
    order: Vec<u32>,
    dealt: usize,
    /// The master's mutations.
    mutating: Option<WorkId>,
}

impl<'a> Central<'a> {
    pub(super) fn new(mut site: Site<'a>) -> Self {
        let ships = site.parameters.distribution == Distribution::Ship;
        let mut slaves = vec![Slave::default(); site.slaves as usize];
        let counts = site.shares(&vec![1.0; slaves.len()]);
        site.create(&counts);
        let mut first = 0;
        for (slave, count) in slaves.iter_mut().zip(counts) {
            let numbers: Vec<u32> = (first..first + count).collect();
            first += count;
            (slave.share, slave.load) = (ships.then_some(count), site.load(&numbers) / f64::from(site.evaluations));
        }
        let mut order: Vec<u32> = if ships { Vec::new() } else { (0..site.parameters.population).collect() };
        order.sort_by(|&a, &b| site.cost(b).total_cmp(&site.cost(a)));
        Self { site, slaves, ships, step: 0, busy: 0, order, dealt: 0, mutating: None }
    }

    fn give(&mut self, slave: u32, count: u32, operations: f64, context: &mut impl Context<CentralMessage>) {
        let state = &mut self.slaves[slave as usize];
        (state.count, state.task) = (count, operations);
        state.operations += operations;
        self.busy += 1;
        let bytes = self.site.message_bytes + u64::from(count) * self.site.individual_bytes;
        context.send(self.site.master, self.site.node_of(slave), bytes, CentralMessage::Individuals);
    }

    /// `ship`: the master mutates everybody, or deals at once where that takes no time.
    fn mutate(&mut self, context: &mut impl Context<CentralMessage>) {
        let operations = self.site.parameters.mutation.base() * f64::from(self.site.parameters.population);
        if operations > 0.0 {
            self.mutating = Some(context.compute(self.site.master, operations));
        } else {
            self.deal_shares(context);
        }
    }

    fn deal_shares(&mut self, context: &mut impl Context<CentralMessage>) {
        for slave in 0..self.site.slaves {
            let Slave { share, load, .. } = self.slaves[slave as usize];
            if let Some(share) = share.filter(|&share| share > 0) {
                self.give(slave, share, load, context);
            }
        }
    }

    /// `largest_first`: the next individual, if there is one.
    fn deal_next(&mut self, slave: u32, context: &mut impl Context<CentralMessage>) {
        if let Some(&individual) = self.order.get(self.dealt) {
            self.dealt += 1;
            let operations = self.site.cost(individual) * f64::from(self.site.parameters.generations);
            self.give(slave, 1, operations, context);
        }
    }

    fn start_round(&mut self, context: &mut impl Context<CentralMessage>) {
        self.site.enter_round(context);
        self.step = 0;
        self.dealt = 0;
        for slave in &mut self.slaves {
            slave.round = Time::ZERO;
        }
        if self.ships {
            self.mutate(context);
        } else {
            (0..self.site.slaves).for_each(|slave| self.deal_next(slave, context));
        }
    }

    fn results(&mut self, slave: u32, context: &mut impl Context<CentralMessage>) {
        self.busy -= 1;
        if !self.ships {
            self.deal_next(slave, context);
        }
        if self.busy > 0 {
            return;
        }
        self.step += 1;
        let steps = u64::from(self.site.evaluations) * u64::from(self.site.parameters.generations);
        if self.ships && self.step < steps {
            return self.mutate(context);
        }
        // Slaves that got nothing took no time for it.
        let times = || self.slaves.iter().map(|slave| slave.round).filter(|&round| round > Time::ZERO);
        let (longest, shortest) = (times().max().unwrap_or_default(), times().min().unwrap_or_default());
        if self.site.decide(context.now(), longest, shortest) {
            return self.start_round(context);
        }
        context.complete(self.site.master);
        for slave in 0..self.site.slaves {
            context.send(self.site.master, self.site.node_of(slave), self.site.message_bytes, CentralMessage::Stop);
        }
    }
}

/// The value of an individual.
const BYTES_OF_A_VALUE: u64 = 8;

impl Program for Central<'_> {
    type Message = CentralMessage;

    fn describe(message: &CentralMessage) -> &'static str {
        match message {
            CentralMessage::Individuals => "individuals",
            CentralMessage::Results => "results",
            CentralMessage::Stop => "stop",
        }
    }

    fn phase_name(&self, round: u32) -> String {
        Site::phase_name(round)
    }

    fn start(&mut self, context: &mut impl Context<CentralMessage>) {
        self.start_round(context);
    }

    fn on_message(
        &mut self,
        at: NodeId,
        from: NodeId,
        message: CentralMessage,
        context: &mut impl Context<CentralMessage>,
    ) {
        match message {
            CentralMessage::Results => self.results(self.site.slave_at(from), context),
            CentralMessage::Individuals => {
                let slave = &mut self.slaves[self.site.slave_at(at) as usize];
                slave.started = context.now();
                if let Some(bytes) = self.site.working_set(slave.count) {
                    context.set_working_set(at, bytes);
                }
                context.compute(at, slave.task);
            }
            CentralMessage::Stop => {}
        }
    }

    fn on_computed(&mut self, at: NodeId, work: WorkId, context: &mut impl Context<CentralMessage>) {
        if self.mutating.take_if(|mutating| *mutating == work).is_some() {
            return self.deal_shares(context);
        }
        let slave = &mut self.slaves[self.site.slave_at(at) as usize];
        slave.round += context.now() - slave.started;
        let each = if self.ships { BYTES_OF_A_VALUE } else { self.site.individual_bytes };
        let bytes = self.site.message_bytes + u64::from(slave.count) * each;
        context.send(at, self.site.master, bytes, CentralMessage::Results);
    }
}
