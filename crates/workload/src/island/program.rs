//! The islands at work: each evaluates, breeds, and exchanges migrants with its neighbours.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::rc::Rc;

use super::IslandParameters;
use crate::RunFailure;
use crate::farm::Tasks;
use hetsim_base::engine::Streams;
use hetsim_base::units::{Bytes, Quantity, Time};
use hetsim_cluster::{Context, NodeId, PhaseOf, Program, TimerId, WorkId};
use hetsim_search::genetic::{Migrants, Population, Settings};

/// What islands say to each other.
#[derive(Debug, Clone)]
pub enum Message {
    /// The best of the generation of that number; no individuals where only time passes.
    Migrants {
        /// The generation that they come from.
        generation: u32,
        /// Shared by all that they are sent to.
        migrants: Option<Rc<Migrants>>,
    },
    /// The target is reached.
    Stop,
}

/// What an island is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Evaluating,
    /// Its generation is evaluated: it looks for migrants, or waits for those that are missing.
    Gathering,
    Breeding,
    Ended,
}

/// Migrants that are there, and from where.
#[derive(Debug)]
struct Arrived {
    from: u32,
    migrants: Option<Rc<Migrants>>,
}

/// What arrived of the migrants of one generation. Without synchronisation all that arrived is in the first of them.
type Boat = Vec<Arrived>;

/// An island.
#[derive(Debug)]
struct Island {
    /// Nothing where only time passes.
    population: Option<Population>,
    /// Its individuals, and those of the islands before it.
    size: u32,
    before: u32,
    phase: Phase,
    /// The generation that is evaluated or bred from, from 1, and how many of it are evaluated.
    generation: u32,
    evaluated: u32,
    /// Of the next generation whose migrants are waited for, and of those after it.
    boats: VecDeque<Boat>,
    /// How many boats were taken.
    settled: u32,
    /// Whether the target is reached elsewhere.
    told: bool,
}

/// What is known of an island when a generation of it was evaluated.
#[derive(Debug, Clone, Copy)]
pub(super) struct Evaluated {
    pub at: Time,
    pub island: u32,
    pub generation: u32,
    pub best: Option<f64>,
    pub mean: Option<f64>,
    /// The least error that any island had found by then.
    pub least: Option<f64>,
}

/// The program of the islands.
#[derive(Debug)]
pub struct Islands<'a> {
    parameters: &'a IslandParameters,
    costs: Tasks<'a>,
    streams: Streams,
    all: Vec<Island>,
    least: Option<f64>,
    /// The generations that were evaluated, in the order of time.
    pub(super) series: Vec<Evaluated>,
    /// When an island first reached the target.
    pub(super) target_at: Option<Time>,
    /// How many individuals were evaluated.
    pub(super) evaluations: u64,
    /// How many migrants were sent.
    pub(super) migrations: u64,
}

impl<'a> Islands<'a> {
    /// Islands of so many individuals each, in the order of the nodes.
    ///
    /// # Errors
    /// A sentence, where there is no such population or no such cost.
    pub(super) fn new(parameters: &'a IslandParameters, sizes: &[u32], streams: Streams) -> Result<Self, RunFailure> {
        let mut before = 0;
        let mut islands = Vec::with_capacity(sizes.len());
        for (island, &size) in (0..).zip(sizes) {
            let first = |search: &Settings| {
                let settings = Settings { population: size, ..search.clone() };
                Population::first(&settings, &mut streams.stream("generation", stream_of(island, 0)))
            };
            let population = parameters.search.as_ref().map(first).transpose().map_err(|error| error.to_string())?;
            islands.push(Island {
                population,
                size,
                before,
                phase: Phase::Evaluating,
                generation: 1,
                evaluated: 0,
                boats: VecDeque::new(),
                settled: 0,
                told: false,
            });
            before += size;
        }
        Ok(Self {
            parameters,
            costs: Tasks::new(&parameters.task, streams)?,
            streams,
            all: islands,
            least: None,
            series: Vec::new(),
            target_at: None,
            evaluations: 0,
            migrations: 0,
        })
    }

    /// The most generations that an island has evaluated to the last individual.
    pub(super) fn generations(&self) -> u32 {
        self.series.iter().map(|generation| generation.generation).max().unwrap_or(0)
    }

    /// The evaluations of one island.
    pub(super) fn evaluations_of(&self, island: usize) -> u64 {
        let Island { size, generation, evaluated, .. } = &self.all[island];
        u64::from(*size) * u64::from(generation - 1) + u64::from(*evaluated)
    }

    /// The least and the mean error of all individuals that are evaluated at the end.
    pub(super) fn errors(&self) -> (Option<f64>, Option<f64>) {
        let populations = || self.all.iter().filter_map(|island| island.population.as_ref());
        let errors = || populations().flat_map(|all| (0..all.len()).filter_map(|individual| all.error(individual)));
        let count = errors().count();
        (errors().reduce(f64::min), (count > 0).then(|| errors().sum::<f64>() / count as f64))
    }

    /// Checks that every island has ended, once nothing is left to happen.
    ///
    /// # Errors
    /// A sentence that says which islands have not, and for whom they wait.
    pub fn check_end(&self) -> Result<(), RunFailure> {
        const MOST: usize = 4;
        let list = |all: &[u32]| {
            let mut text = all.iter().take(MOST).map(u32::to_string).collect::<Vec<_>>().join(", ");
            if let Some(more) = all.len().checked_sub(MOST).filter(|more| *more > 0) {
                let _ = write!(text, " and {more} more");
            }
            text
        };
        let stuck: Vec<usize> = (0..self.all.len()).filter(|&i| self.all[i].phase != Phase::Ended).collect();
        if stuck.is_empty() {
            return Ok(());
        }
        let why = |&island: &usize| {
            let Island { generation, phase, boats, .. } = &self.all[island];
            if *phase != Phase::Gathering {
                return format!("island {island} stopped in generation {generation}");
            }
            let here = boats.front().map_or(&[][..], Vec::as_slice);
            let neighbours = self.parameters.topology.in_neighbours(island as u32, self.all.len() as u32);
            let missing: Vec<u32> =
                neighbours.into_iter().filter(|from| here.iter().all(|arrived| arrived.from != *from)).collect();
            format!("island {island} waits for the migrants of generation {generation} from island {}", list(&missing))
        };
        let mut sentences: Vec<String> = stuck.iter().take(MOST).map(why).collect();
        if let Some(more) = stuck.len().checked_sub(MOST).filter(|more| *more > 0) {
            sentences.push(format!("and so on for {more} more"));
        }
        Err(format!("the islands came to a halt before their last generation: {}", sentences.join("; ")).into())
    }

    fn count(&self) -> u32 {
        self.all.len() as u32
    }

    fn migrates_after(&self, generation: u32) -> bool {
        generation.is_multiple_of(self.parameters.period)
    }

    fn evaluate(&self, at: NodeId, context: &mut impl Context<Message>) {
        let Island { before, generation, evaluated, .. } = self.all[at.index()];
        // Numbered as a server with one population would number them.
        let task = (generation - 1) * self.parameters.population + before + evaluated;
        context.compute(at, self.costs.operations(task));
    }

    fn evaluation_ended(&mut self, at: NodeId, context: &mut impl Context<Message>) {
        self.evaluations += 1;
        let island = &mut self.all[at.index()];
        let individual = island.evaluated;
        island.evaluated += 1;
        let error = island.population.as_mut().map(|population| population.evaluate(individual as usize));
        let whole = island.evaluated == island.size;
        self.least = [self.least, error].into_iter().flatten().reduce(f64::min);
        if whole {
            self.note(at, context.now());
        }
        let reached = error.zip(self.parameters.target).is_some_and(|(error, target)| error <= target);
        if reached && !self.all[at.index()].told {
            self.announce(at, context);
        }
        if reached || self.all[at.index()].told {
            self.end(at, context);
        } else if whole {
            self.generation_ended(at, context);
        } else {
            self.evaluate(at, context);
        }
    }

    fn note(&mut self, at: NodeId, now: Time) {
        let Island { population, generation, .. } = &self.all[at.index()];
        let best = population.as_ref().and_then(Population::best);
        let mean = population.as_ref().and_then(Population::mean);
        self.series.push(Evaluated { at: now, island: at.0, generation: *generation, best, mean, least: self.least });
    }

    fn announce(&mut self, at: NodeId, context: &mut impl Context<Message>) {
        self.target_at.get_or_insert(context.now());
        let bytes = self.parameters.signal_size.count();
        for other in (0..self.count()).filter(|other| *other != at.0) {
            context.send(at, NodeId(other), bytes, Message::Stop);
        }
    }

    fn end(&mut self, at: NodeId, context: &mut impl Context<Message>) {
        self.all[at.index()].phase = Phase::Ended;
        context.complete(at);
    }

    fn generation_ended(&mut self, at: NodeId, context: &mut impl Context<Message>) {
        let generation = self.all[at.index()].generation;
        if generation == self.parameters.generations {
            return self.end(at, context);
        }
        let migrates = self.migrates_after(generation);
        if migrates {
            self.send_migrants(at, context);
        }
        let alone = self.parameters.topology.in_degree(at.0, self.count()) == 0;
        if alone || (self.parameters.synchronous && !migrates) {
            return self.breed(at, context);
        }
        self.all[at.index()].phase = Phase::Gathering;
        if self.parameters.synchronous {
            self.go_on_if_all_are_there(at, context);
        } else {
            // What arrived during the last evaluation waits for the processor; the timer waits behind it.
            context.set_timer(at, Time::ZERO);
        }
    }

    fn send_migrants(&mut self, at: NodeId, context: &mut impl Context<Message>) {
        let neighbours = self.parameters.topology.out_neighbours(at.0, self.count());
        if neighbours.is_empty() {
            return;
        }
        let IslandParameters { count, signal_size, migrant_size, .. } = self.parameters;
        let bytes = signal_size.count() + u64::from(*count) * migrant_size.map_or(0, Bytes::count);
        let island = &mut self.all[at.index()];
        let generation = island.generation;
        let migrants = island.population.as_mut().map(|population| Rc::new(population.take_best(*count as usize)));
        for to in neighbours {
            self.migrations += u64::from(*count);
            context.send(at, NodeId(to), bytes, Message::Migrants { generation, migrants: migrants.clone() });
        }
    }

    fn migrants_arrived(&mut self, at: NodeId, generation: u32, arrived: Arrived, context: &mut impl Context<Message>) {
        let (synchronous, period) = (self.parameters.synchronous, self.parameters.period);
        let island = &mut self.all[at.index()];
        // A sender may be ahead by several migrations, where others keep this island waiting. None is behind: this
        // island has had the migrants of all that it has settled.
        let boat = if synchronous { (generation / period).saturating_sub(island.settled + 1) } else { 0 };
        let boat = boat as usize;
        if island.boats.len() <= boat {
            island.boats.resize_with(boat + 1, Boat::new);
        }
        island.boats[boat].push(arrived);
        if synchronous && island.phase == Phase::Gathering {
            self.go_on_if_all_are_there(at, context);
        }
    }

    fn go_on_if_all_are_there(&mut self, at: NodeId, context: &mut impl Context<Message>) {
        let here = self.all[at.index()].boats.front().map_or(0, Vec::len);
        if here as u32 == self.parameters.topology.in_degree(at.0, self.count()) {
            self.settle(at);
            self.breed(at, context);
        }
    }

    /// Puts the migrants of the first boat in the places of the worst.
    fn settle(&mut self, at: NodeId) {
        let island = &mut self.all[at.index()];
        let Some(mut boat) = island.boats.pop_front() else { return };
        island.settled += 1;
        // Of what is waited for, the order of arrival must not matter.
        if self.parameters.synchronous {
            boat.sort_unstable_by_key(|arrived| arrived.from);
        }
        if let Some(population) = &mut island.population {
            for migrants in boat.iter().filter_map(|arrived| arrived.migrants.as_deref()) {
                let settled = population.replace_worst(migrants);
                debug_assert!(settled.is_ok(), "all islands have the same kind of genes");
            }
        }
    }

    fn breed(&mut self, at: NodeId, context: &mut impl Context<Message>) {
        self.all[at.index()].phase = Phase::Breeding;
        let operations = self.parameters.breeding.base();
        if operations > 0.0 {
            context.compute(at, operations);
        } else {
            self.next_generation(at, context);
        }
    }

    fn next_generation(&mut self, at: NodeId, context: &mut impl Context<Message>) {
        let island = &mut self.all[at.index()];
        let mut stream = self.streams.stream("generation", stream_of(at.0, island.generation));
        if let Some(population) = &mut island.population {
            population.next_generation(&mut stream);
        }
        island.phase = Phase::Evaluating;
        island.generation += 1;
        island.evaluated = 0;
        context.enter_phase(at, island.generation);
        self.evaluate(at, context);
    }
}

/// The number of the stream from which an island makes the generation after that of the number. Island 0 draws as a
/// server with one population does.
const fn stream_of(island: u32, generation: u32) -> u64 {
    (island as u64) << 32 | generation as u64
}

impl Program for Islands<'_> {
    type Message = Message;

    fn describe(message: &Message) -> &'static str {
        match message {
            Message::Migrants { .. } => "migrants",
            Message::Stop => "stop",
        }
    }

    fn phase(message: &Message) -> PhaseOf {
        match message {
            Message::Migrants { generation, .. } => PhaseOf::Number(*generation),
            Message::Stop => PhaseOf::Node,
        }
    }

    fn phase_name(&self, generation: u32) -> String {
        format!("generation {generation}")
    }

    fn start(&mut self, context: &mut impl Context<Message>) {
        let memory = self.parameters.individual_memory.count();
        for island in 0..self.count() {
            let at = NodeId(island);
            if memory > 0 {
                let individuals = u64::from(self.all[at.index()].size);
                context.set_working_set(at, memory.saturating_mul(individuals));
            }
            context.enter_phase(at, 1);
            self.evaluate(at, context);
        }
    }

    fn on_message(&mut self, at: NodeId, from: NodeId, message: Message, context: &mut impl Context<Message>) {
        if self.all[at.index()].phase == Phase::Ended {
            return;
        }
        match message {
            Message::Migrants { generation, migrants } => {
                self.migrants_arrived(at, generation, Arrived { from: from.0, migrants }, context);
            }
            Message::Stop => {
                self.all[at.index()].told = true;
                // A computation is ended first.
                if self.all[at.index()].phase == Phase::Gathering {
                    self.end(at, context);
                }
            }
        }
    }

    fn on_computed(&mut self, at: NodeId, _: WorkId, context: &mut impl Context<Message>) {
        match self.all[at.index()].phase {
            Phase::Evaluating => self.evaluation_ended(at, context),
            Phase::Breeding if self.all[at.index()].told => self.end(at, context),
            Phase::Breeding => self.next_generation(at, context),
            // An island computes nothing then.
            Phase::Gathering | Phase::Ended => {}
        }
    }

    fn on_timer(&mut self, at: NodeId, _: TimerId, context: &mut impl Context<Message>) {
        if self.all[at.index()].phase == Phase::Gathering {
            self.settle(at);
            self.breed(at, context);
        }
    }
}
