//! What a machine whose keys have other values predicts for measured points.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::key::Key;
use crate::accuracy::identity::Identity;
use crate::accuracy::predict::{Machine, predict};
use crate::cluster::Platform;
use crate::fit::read::collectives::{Measurement, Modelled};

/// Points to be predicted again and again, for many values of some keys. What several points share is simulated once.
#[derive(Debug)]
pub struct Simulated<'a> {
    machine: &'a Machine,
    keys: &'a [Key],
    /// The numbers of nodes and of ranks on each.
    shapes: Vec<(u32, u32)>,
    /// The shape of each simulation, and what is simulated.
    runs: Vec<(usize, &'a Modelled)>,
    /// The simulation of each point.
    points: Vec<usize>,
    seed: u64,
    stop: Option<&'a AtomicBool>,
}

impl<'a> Simulated<'a> {
    /// Of these points those that hetsim can carry out.
    #[must_use]
    pub fn new(
        machine: &'a Machine,
        keys: &'a [Key],
        points: impl IntoIterator<Item = &'a Measurement>,
        seed: u64,
    ) -> Self {
        let mut simulated =
            Self { machine, keys, shapes: Vec::new(), runs: Vec::new(), points: Vec::new(), seed, stop: None };
        let mut known = HashMap::new();
        for point in points {
            let Some(model) = &point.model else { continue };
            let shape = (point.nodes, point.ranks_per_node);
            let shape = simulated.shapes.iter().position(|known| *known == shape).unwrap_or_else(|| {
                simulated.shapes.push(shape);
                simulated.shapes.len() - 1
            });
            let next = simulated.runs.len();
            let run = *known.entry((shape, model.size, model.keys.to_string())).or_insert(next);
            if run == next {
                simulated.runs.push((shape, model));
            }
            simulated.points.push(run);
        }
        simulated
    }

    /// The same; once `stop` is set, no further simulation begins, and points are left without a prediction.
    #[must_use]
    pub const fn until(mut self, stop: &'a AtomicBool) -> Self {
        self.stop = Some(stop);
        self
    }

    /// The predicted seconds of each point at values of the keys, in their base units.
    #[must_use]
    pub fn predict(&self, values: &[f64]) -> Vec<f64> {
        let seconds: Vec<f64> = self.run(values).into_iter().map(|found| found.unwrap_or(f64::NAN)).collect();
        self.points.iter().map(|&run| seconds[run]).collect()
    }

    /// The same, with the reason where there is no prediction.
    #[must_use]
    pub fn explain(&self, values: &[f64]) -> Vec<Result<f64, String>> {
        let found = self.run(values);
        self.points.iter().map(|&run| found[run].clone()).collect()
    }

    fn run(&self, values: &[f64]) -> Vec<Result<f64, String>> {
        let platforms: Vec<Result<Platform, String>> = match self.with(values) {
            Ok(machine) => self
                .shapes
                .par_iter()
                .map(|&(nodes, ranks_per_node)| machine.platform(nodes, ranks_per_node, self.seed))
                .collect(),
            Err(fault) => self.shapes.iter().map(|_| Err(fault.clone())).collect(),
        };
        let one = |&(shape, model): &(usize, &Modelled)| {
            if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                return Err("it is interrupted".to_owned());
            }
            platforms[shape].as_ref().map_err(Clone::clone).and_then(|platform| predict(platform, model, self.seed))
        };
        // Simulations differ by orders of magnitude in length.
        self.runs.par_iter().with_max_len(1).map(one).collect()
    }

    fn with(&self, values: &[f64]) -> Result<Machine, String> {
        let mut machine = self.machine.clone();
        for (key, value) in self.keys.iter().zip(values) {
            for (path, value) in key.set(*value) {
                machine.tree.set_number(path, value)?;
            }
        }
        Ok(machine)
    }

    /// A number that differs where predictions may.
    #[must_use]
    pub fn identity(&self) -> u64 {
        let mut identity = Identity::new(self.machine, self.seed);
        self.keys.iter().for_each(|key| identity.add(&key.path));
        for (shape, model) in self.points.iter().map(|&run| self.runs[run]) {
            identity.add_point(self.shapes[shape], model);
        }
        identity.number()
    }
}
