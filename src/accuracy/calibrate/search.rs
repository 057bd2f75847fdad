//! The values with the least loss: an evolution strategy finds where they are, a pattern search finds them.
//!
//! All coordinates are shares of the way from a key's least value to its greatest, in the logarithm.

use super::evaluations::Evaluations;
use super::key::Key;
use super::loss::{Measured, loss_of, typical};
use super::quadratic::{Quadratic, clamped};
use super::{FixedKey, Halt, Stage};
use crate::engine::Streams;
use crate::search::strategy::Distribution;

/// The first standard deviation of the evolution strategy: bounds of 30 either way become a factor of four.
const FIRST_STEP: f64 = 0.2;

/// The strategy ends where its distribution is as narrow as this; the local search goes on from there.
const NARROW: f64 = 0.02;

/// The most generations of the strategy.
const GENERATIONS: u32 = 40;

/// The first distance of the local search, as the logarithm of a ratio, and its least.
const DISTANCE: (f64, f64) = (0.05, 2e-4);

/// The most rounds of the local search.
const ROUNDS: u32 = 25;

/// The damping of the steps that the local search tries.
const DAMPINGS: [f64; 4] = [1e-4, 1e-2, 0.3, 10.0];

/// A point of the search space with its loss.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SearchPoint {
    pub at: Vec<f64>,
    pub loss: f64,
}

/// A search for the least loss.
pub(super) struct Search<'a, 'b> {
    /// All keys.
    pub keys: &'a [Key],
    /// The numbers of those that are searched, in order: the coordinates.
    pub free: Vec<usize>,
    /// The others, in order.
    pub fixed: Vec<FixedKey>,
    pub measured: &'a Measured,
    pub evaluations: &'a mut Evaluations<'b>,
    pub progress: &'a mut dyn FnMut(Stage, f64, f64),
}

impl Search<'_, '_> {
    /// The key of a coordinate.
    pub(super) fn key(&self, coordinate: usize) -> &Key {
        &self.keys[self.free[coordinate]]
    }

    /// The values of all keys at a point.
    pub(super) fn values(&self, at: &[f64]) -> Vec<f64> {
        let mut values: Vec<f64> = self.keys.iter().map(|key| key.start).collect();
        self.fixed.iter().for_each(|fixed| values[fixed.key] = fixed.value);
        self.free.iter().zip(at).for_each(|(&key, share)| values[key] = self.keys[key].at(*share));
        values
    }

    /// The deviations at each point, which lies within the bounds.
    pub(super) fn deviations(&mut self, points: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, Halt> {
        let batch: Vec<Vec<f64>> = points.iter().map(|at| self.values(at)).collect();
        let predicted = self.evaluations.of(&batch)?;
        Ok(predicted.iter().map(|predicted| self.measured.deviations(predicted)).collect())
    }

    /// The loss at each point, which lies within the bounds.
    pub(super) fn losses(&mut self, points: &[Vec<f64>]) -> Result<Vec<f64>, Halt> {
        let batch: Vec<Vec<f64>> = points.iter().map(|at| self.values(at)).collect();
        let predicted = self.evaluations.of(&batch)?;
        Ok(predicted.iter().map(|predicted| self.measured.loss(predicted)).collect())
    }

    fn best(&mut self, points: Vec<Vec<f64>>) -> Result<Option<SearchPoint>, Halt> {
        let losses = self.losses(&points)?;
        let found = points.into_iter().zip(losses).map(|(at, loss)| SearchPoint { at, loss });
        Ok(found.min_by(|a, b| a.loss.total_cmp(&b.loss)))
    }

    /// The whole search, from the file's values.
    pub(super) fn least(&mut self, seed: Option<u64>) -> Result<SearchPoint, Halt> {
        let start: Vec<f64> = self.keys.iter().map(|key| key.share(key.start)).collect();
        let found = match seed {
            Some(seed) => self.globally(&start, seed)?,
            None => SearchPoint { at: start.clone(), loss: self.losses(std::slice::from_ref(&start))?[0] },
        };
        let found = self.locally(found)?;
        self.unasked(&start, found)
    }

    /// CMA-ES from the file's values on. A point beyond the bounds costs what the nearest one within them costs, and
    /// the square of its distance (Hansen's tutorial, §B.5).
    fn globally(&mut self, start: &[f64], seed: u64) -> Result<SearchPoint, Halt> {
        let mut stream = Streams::new(seed, 0).stream("calibrate", 0);
        let mut distribution = Distribution::new(start, FIRST_STEP, 4 + (3.0 * (start.len() as f64).ln()) as usize);
        let mut best = SearchPoint { at: start.to_vec(), loss: self.losses(&[start.to_vec()])?[0] };
        for generation in 0..GENERATIONS {
            let drawn: Vec<Vec<f64>> = distribution.draw(&mut stream).map(<[f64]>::to_vec).collect();
            let within: Vec<Vec<f64>> = drawn.iter().map(|point| clamped(point)).collect();
            let losses = self.losses(&within)?;
            let beyond = |(point, within): (&Vec<f64>, &Vec<f64>)| -> f64 {
                point.iter().zip(within).map(|(a, b)| (a - b).powi(2)).sum()
            };
            let penalised: Vec<f64> = drawn.iter().zip(&within).map(beyond).zip(&losses).map(|(a, b)| a + b).collect();
            distribution.learn(&penalised);
            for (at, loss) in within.into_iter().zip(losses) {
                if loss < best.loss {
                    best = SearchPoint { at, loss };
                }
            }
            (self.progress)(Stage::Globally, f64::from(generation + 1) / f64::from(GENERATIONS), typical(best.loss));
            if distribution.spread() < NARROW || distribution.is_exhausted() {
                break;
            }
        }
        Ok(best)
    }

    /// A pattern search (Torczon, "On the Convergence of Pattern Search Algorithms", SIAM Journal on Optimization 7,
    /// 1997): it polls either neighbour along each coordinate, and comes nearer where none is better. The neighbours
    /// also give derivatives, from which it tries Levenberg and Marquardt's steps: near a minimum without a kink one
    /// of them is enough, where polling alone would creep along every valley.
    pub(super) fn locally(&mut self, mut best: SearchPoint) -> Result<SearchPoint, Halt> {
        let (mut distance, least) = DISTANCE;
        for round in 0..ROUNDS {
            let (quadratic, polled) = self.quadratic(&best, distance)?;
            let tried = DAMPINGS.map(|damping| quadratic.step(&best.at, damping));
            let tried = self.best(tried.to_vec())?;
            let next = [polled, tried].into_iter().flatten().min_by(|a, b| a.loss.total_cmp(&b.loss));
            let gained = next.as_ref().map_or(0.0, |next| best.loss - next.loss);
            let enough = 1e-3 * best.loss;
            if let Some(next) = next.filter(|_| gained > 0.0) {
                best = next;
            }
            if gained <= enough {
                distance /= 4.0;
            }
            (self.progress)(Stage::Locally, f64::from(round + 1) / f64::from(ROUNDS), typical(best.loss));
            // Below a hundredth of a per cent nothing can be measured.
            if distance < least || best.loss < loss_of(1e-4) {
                break;
            }
        }
        Ok(best)
    }

    /// The local model of the loss from neighbours at a distance, and the best of these neighbours.
    pub(super) fn quadratic(
        &mut self,
        found: &SearchPoint,
        distance: f64,
    ) -> Result<(Quadratic, Option<SearchPoint>), Halt> {
        let mut points = vec![found.at.clone()];
        for number in 0..self.free.len() {
            let step = distance / self.key(number).width();
            for sign in [1.0, -1.0] {
                let mut point = found.at.clone();
                point[number] = (point[number] + sign * step).clamp(0.0, 1.0);
                points.push(point);
            }
        }
        let deviations = self.deviations(&points)?;
        let quadratic = Quadratic::new(&points, &deviations, self.measured);
        Ok((quadratic, self.best(points)?))
    }

    /// Puts back the file's value of every key that the data do not ask to be changed.
    fn unasked(&mut self, start: &[f64], mut found: SearchPoint) -> Result<SearchPoint, Halt> {
        let unchanged = found.loss * 1.001 + loss_of(1e-5);
        for number in 0..start.len() {
            let mut at = found.at.clone();
            at[number] = start[number];
            let loss = self.losses(std::slice::from_ref(&at))?[0];
            if loss <= unchanged {
                found = SearchPoint { at, loss };
            }
        }
        Ok(found)
    }
}
