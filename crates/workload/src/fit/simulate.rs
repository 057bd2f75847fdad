//! The points: an operation on some of the platform's nodes, again and again.

use rand::RngExt;

use super::super::communication::{Carrier, Communication, Part, check_root};
use super::super::{KeyError, Run};
use super::{FitParameters, Operation};
use hetsim_base::engine::Streams;
use hetsim_base::units::{Quantity, Time};
use hetsim_cluster::{NodeId, Platform, Simulation};
use hetsim_communication::{Algorithm, Collective, Operation as Planned, Plan};
use hetsim_fit::robust::median;
use hetsim_fit::runtime::data::Points;

/// Numbers of ranks and sizes: each of the ones with each of the others.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RunGrid {
    pub(super) ranks: Vec<u32>,
    pub(super) sizes: Vec<u64>,
}

impl RunGrid {
    pub(super) fn points(&self) -> impl Iterator<Item = (u32, u64)> {
        self.ranks.iter().flat_map(|&ranks| self.sizes.iter().map(move |&size| (ranks, size)))
    }
}

/// What is simulated, whatever the point.
#[derive(Debug)]
pub(super) struct FittedOperation {
    operation: Planned,
    algorithm: Algorithm,
    root: u32,
    single: bool,
    reduction: f64,
    nodes: Vec<NodeId>,
}

/// What all simulations came to.
#[derive(Debug, Default)]
pub(super) struct Made {
    pub(super) messages: u64,
    pub(super) events: u64,
}

/// The times of the points of a grid.
#[derive(Debug, Default)]
pub(super) struct Sampled {
    points: Vec<(u32, u64)>,
    /// By point, in seconds.
    times: Vec<Vec<f64>>,
    /// By point: what is taken for its true time; empty where nothing is.
    means: Vec<f64>,
}

impl FittedOperation {
    pub(super) fn new(parameters: &FitParameters, platform: &Platform) -> Result<Self, KeyError> {
        let mut nodes = parameters.placement.nodes(platform);
        let reduction = parameters.reduction.base();
        let (operation, algorithm, root, single) = match parameters.operation {
            // A broadcast to one other rank is one message. Both ranks are among the platform's nodes: `prepare` checks
            // it.
            Operation::Single(_) => {
                nodes = [parameters.root, parameters.receiver].map(|rank| nodes[rank as usize]).to_vec();
                (Planned::Broadcast, Algorithm::Linear, 0, true)
            }
            Operation::Collective(operation) => {
                if parameters.root != 0 && !operation.has_root() {
                    return Err(KeyError::new("root", format!("the operation {operation} has no root")));
                }
                let algorithm = parameters.algorithm.unwrap_or_else(|| operation.usual_algorithm());
                (operation, algorithm, parameters.root, false)
            }
        };
        Ok(Self { operation, algorithm, root, single, reduction, nodes })
    }

    pub(super) const fn is_single(&self) -> bool {
        self.single
    }

    /// Whether the operation is possible among so many ranks.
    pub(super) fn check(&self, ranks: u32, size: u64) -> Result<(), KeyError> {
        if ranks < 2 || ranks as usize > self.nodes.len() {
            let nodes = self.nodes.len();
            return Err(KeyError::new(
                "ranks",
                format!("there are from 2 to {nodes} ranks, one on each node, not {ranks}"),
            ));
        }
        check_root(self.root, ranks)?;
        self.plan(ranks, size).map(|_| ())
    }

    fn plan(&self, ranks: u32, size: u64) -> Result<Plan, KeyError> {
        let call = Collective { root: self.root, ..Collective::new(self.operation, ranks, size) };
        self.algorithm.plan(&call).map_err(|error| KeyError::new("algorithm", error.to_string()))
    }

    /// The times of each point. Ranks, size and repetition name the draws: a point has the same times on any grid, and
    /// any operation and algorithm has the same streams.
    pub(super) fn sample(
        &self,
        grid: &RunGrid,
        repetitions: u32,
        others: u32,
        platform: &Platform,
        streams: &Streams,
        made: &mut Made,
    ) -> Result<Sampled, String> {
        let mut sampled = Sampled::default();
        for (ranks, size) in grid.points() {
            let plan = self.plan(ranks, size).map_err(|error| error.message)?;
            let of_ranks = Streams::new(streams.stream("ranks", u64::from(ranks)).random(), 0);
            let of_point = Streams::new(of_ranks.stream("size", size).random(), 0);
            let mut time = |purpose: &str, number: u32| {
                let streams = Streams::new(of_point.stream(purpose, u64::from(number)).random(), 0);
                let mut simulation = Simulation::with_streams(platform, streams);
                let time = self.execute(&plan, &mut simulation)?;
                made.messages += simulation.messages();
                made.events += simulation.events();
                let seconds = platform.tick().seconds(time);
                let none = || format!("{ranks} ranks with {size} B take no time at all, of which there is no share");
                if seconds > 0.0 { Ok(seconds) } else { Err(none()) }
            };
            sampled.times.push((0..repetitions).map(|number| time("repetition", number)).collect::<Result<_, _>>()?);
            let mut sum = 0.0;
            for number in 0..others {
                sum += time("floor", number)?;
            }
            if others > 0 {
                sampled.means.push(sum / f64::from(others));
            }
            sampled.points.push((ranks, size));
        }
        Ok(sampled)
    }

    /// Simulates one point for a trace.
    pub(super) fn watch(&self, ranks: u32, size: u64, run: &mut Run<'_>) -> Result<(), String> {
        let plan = self.plan(ranks, size).map_err(|error| error.message)?;
        let mut simulation = Simulation::with_streams(run.platform, run.streams);
        if let Some(observer) = run.observer() {
            simulation = simulation.observed_by(observer);
        }
        self.execute(&plan, &mut simulation).map(drop)
    }

    fn execute(&self, plan: &Plan, simulation: &mut Simulation<'_, Part>) -> Result<Time, String> {
        let ranks = plan.ranks();
        let mut nodes = self.nodes[..ranks as usize].to_vec();
        nodes.rotate_left(self.root as usize);
        let mut program = Communication::placed(Carrier::new(plan.clone(), self.reduction), nodes);
        simulation.run(&mut program).map_err(|error| error.to_string())?;
        let completed = simulation.completed();
        let completion = simulation.completion().filter(|_| completed == ranks);
        completion.ok_or_else(|| format!("only {completed} of {ranks} ranks were done"))
    }
}

impl Sampled {
    /// The times of a point that count.
    fn counted(times: &[f64], as_median: bool) -> Vec<f64> {
        if as_median { median(times).into_iter().collect() } else { times.to_vec() }
    }

    /// The points to fit to, in seconds over ranks and bytes, or over bytes alone.
    pub(super) fn points(&self, as_median: bool, bytes_alone: bool) -> Points {
        let mut points = Points { columns: vec![Vec::new(); if bytes_alone { 1 } else { 2 }], ..Points::default() };
        for (&(ranks, size), times) in self.points.iter().zip(&self.times) {
            for time in Self::counted(times, as_median) {
                if !bytes_alone {
                    points.columns[0].push(f64::from(ranks));
                }
                points.columns[usize::from(!bytes_alone)].push(size as f64);
                points.target.push(time);
                points.weights.push(1.0);
            }
        }
        points
    }

    /// The mean of |m − t|/m in percent, where t is the mean of other repetitions. A formula below it is lucky, not
    /// right.
    pub(super) fn floor(&self, as_median: bool) -> Option<f64> {
        let of_point = |(times, mean): (&Vec<f64>, &f64)| {
            let mean = *mean;
            Self::counted(times, as_median)
                .into_iter()
                .map(move |time| 100.0 * (mean / time - 1.0).abs())
                .collect::<Vec<_>>()
        };
        let errors: Vec<f64> = self.times.iter().zip(&self.means).flat_map(of_point).collect();
        (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64)
    }
}
