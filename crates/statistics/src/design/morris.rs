//! Elementary effects (Morris, "Factorial sampling plans for preliminary computational experiments", Technometrics 33
//! (1991)): finds the parameters that matter with a few runs per parameter.

use rand::RngExt;
use rand::seq::SliceRandom;

use super::{DesignError, Point, as_many, some};
use crate::{Confidence, bootstrap, mean, standard_deviation};
use hetsim_base::engine::Streams;

/// Trajectories through a grid: each step changes one coordinate, and a trajectory changes each coordinate once.
#[derive(Debug, Clone, PartialEq)]
pub struct Morris {
    levels: usize,
    trajectories: Vec<Trajectory>,
}

/// A trajectory through the grid, with one point more than there are dimensions.
#[derive(Debug, Clone, PartialEq)]
struct Trajectory {
    /// The initial level in each dimension.
    start: Vec<usize>,
    /// The final level in each dimension.
    end: Vec<usize>,
    /// The part of the whole range by which each dimension moves: less than zero downwards.
    moved: Vec<f64>,
    /// The dimensions in the order of their changes.
    order: Vec<usize>,
}

impl Morris {
    /// Makes trajectories through a grid of `levels` levels in each dimension: 0, 1/(levels − 1), …, 1. A larger design
    /// contains the smaller one.
    ///
    /// # Errors
    /// [`DesignError::NoDimensions`], [`DesignError::NoPoints`] without a trajectory, [`DesignError::Levels`].
    pub fn new(dimensions: usize, trajectories: usize, levels: usize, seed: u64) -> Result<Self, DesignError> {
        some(dimensions, trajectories)?;
        if levels < 2 || !levels.is_multiple_of(2) {
            return Err(DesignError::Levels(levels));
        }
        let half = levels / 2;
        let trajectory = |number: u64| {
            let mut stream = Streams::new(seed, 0).stream("design.morris", number);
            let mut start = Vec::with_capacity(dimensions);
            let mut end = Vec::with_capacity(dimensions);
            for _ in 0..dimensions {
                // Half the levels, p / (2(p − 1)) of the range, makes all levels equally likely (Morris, section 3).
                let low = stream.random_range(0..half);
                let (from, to) = if stream.random() { (low, low + half) } else { (low + half, low) };
                start.push(from);
                end.push(to);
            }
            let mut order: Vec<usize> = (0..dimensions).collect();
            order.shuffle(&mut stream);
            Trajectory { start, end, moved: Vec::new(), order }
        };
        let trajectories = (0..trajectories as u64).map(trajectory).collect();
        Ok(Self { levels, trajectories }.moved_by(|_, from, to| to - from))
    }

    /// The same design, of dimensions whose values do not move as their coordinates do, since they are whole numbers or
    /// names: `part` is the part of the whole range by which a dimension moves between two coordinates, and not zero.
    #[must_use]
    pub fn moved_by(mut self, part: impl Fn(usize, f64, f64) -> f64) -> Self {
        let coordinate = |level: usize| level as f64 / (self.levels - 1) as f64;
        for Trajectory { start, end, moved, .. } in &mut self.trajectories {
            let ends = start.iter().zip(&*end).enumerate();
            *moved = ends.map(|(dimension, (&from, &to))| part(dimension, coordinate(from), coordinate(to))).collect();
        }
        self
    }

    /// The number of points.
    #[must_use]
    pub fn count(&self) -> usize {
        self.trajectories.iter().map(|trajectory| trajectory.order.len() + 1).sum()
    }

    /// The points in [0, 1], trajectory by trajectory. A point shared by two trajectories appears twice.
    #[must_use]
    pub fn points(&self) -> Vec<Point> {
        let gaps = (self.levels - 1) as f64;
        let mut points = Vec::with_capacity(self.count());
        for trajectory in &self.trajectories {
            let mut levels = trajectory.start.clone();
            let point = |levels: &[usize]| levels.iter().map(|&level| level as f64 / gaps).collect();
            points.push(point(&levels));
            for &dimension in &trajectory.order {
                levels[dimension] = trajectory.end[dimension];
                points.push(point(&levels));
            }
        }
        points
    }

    /// The elementary effects of each dimension on the values at [`Morris::points`]: the change of the value for a
    /// change over the whole range, one effect per trajectory (Morris, Eq. 1). A missing value at either end gives no
    /// effect.
    ///
    /// # Errors
    /// [`DesignError::Values`].
    pub fn effects(&self, values: &[Option<f64>]) -> Result<Vec<Vec<f64>>, DesignError> {
        as_many(self.count(), values.len())?;
        let dimensions = self.trajectories.first().map_or(0, |trajectory| trajectory.order.len());
        let mut effects = vec![Vec::with_capacity(self.trajectories.len()); dimensions];
        for (trajectory, values) in self.trajectories.iter().zip(values.chunks(dimensions + 1)) {
            for (&dimension, pair) in trajectory.order.iter().zip(values.windows(2)) {
                if let [Some(before), Some(after)] = pair {
                    effects[dimension].push((after - before) / trajectory.moved[dimension]);
                }
            }
        }
        Ok(effects)
    }

    /// Summarises the elementary effects of each dimension. `resamples` and `seed` belong to the bootstrap of the
    /// interval.
    ///
    /// # Errors
    /// [`DesignError::Values`].
    pub fn screen(
        &self,
        values: &[Option<f64>],
        confidence: Confidence,
        resamples: usize,
        seed: u64,
    ) -> Result<Vec<Option<Screening>>, DesignError> {
        let effects = self.effects(values)?;
        let of = |(dimension, effects): (usize, &Vec<f64>)| {
            let sizes: Vec<f64> = effects.iter().map(|effect| effect.abs()).collect();
            let mut stream = Streams::new(seed, 0).stream("design.screen", dimension as u64);
            Some(Screening {
                effects: effects.len(),
                mean: mean(effects)?,
                mean_size: mean(&sizes)?,
                interval: bootstrap::percentile(&sizes, confidence, resamples, &mut stream),
                deviation: standard_deviation(effects),
            })
        };
        Ok(effects.iter().enumerate().map(of).collect())
    }
}

/// A summary of the elementary effects of one parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Screening {
    /// The number of effects.
    pub effects: usize,
    /// The mean μ (Morris 1991); effects of opposite sign cancel.
    pub mean: f64,
    /// The mean μ* of the absolute effects (Campolongo, Cariboni and Saltelli, "An effective screening design for
    /// sensitivity analysis of large models", Environmental Modelling & Software 22 (2007)), which measures how much
    /// the parameter matters.
    pub mean_size: f64,
    /// The bootstrap percentile interval of `mean_size`; undefined for a single effect.
    pub interval: Option<(f64, f64)>,
    /// The standard deviation σ (Morris 1991), which is large if the parameter interacts with others or acts
    /// non-linearly; undefined for a single effect.
    pub deviation: Option<f64>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn values(design: &Morris, model: impl Fn(&[f64]) -> f64) -> Vec<Option<f64>> {
        design.points().iter().map(|point| Some(model(point))).collect()
    }

    fn screen(design: &Morris, values: &[Option<f64>]) -> Vec<Screening> {
        let screenings = design.screen(values, Confidence::P95, 200, 1).unwrap();
        screenings.into_iter().map(|screening| screening.unwrap()).collect()
    }

    proptest! {
        #[test]
        fn each_step_changes_one_coordinate_by_the_step(d in 1..9usize, r in 1..9usize, half in 1..6usize, seed: u64) {
            let levels = 2 * half;
            let design = Morris::new(d, r, levels, seed).unwrap();
            let points = design.points();
            prop_assert_eq!(points.len(), r * (d + 1));
            prop_assert_eq!(points.len(), design.count());
            for trajectory in points.chunks(d + 1) {
                let mut changed = Vec::new();
                for pair in trajectory.windows(2) {
                    let differ: Vec<usize> = (0..d).filter(|&i| pair[0][i] != pair[1][i]).collect();
                    prop_assert_eq!(differ.len(), 1);
                    let size = (pair[0][differ[0]] - pair[1][differ[0]]).abs();
                    prop_assert!((size - levels as f64 / (2.0 * (levels - 1) as f64)).abs() < 1e-12);
                    changed.push(differ[0]);
                }
                changed.sort_unstable();
                prop_assert_eq!(changed, (0..d).collect::<Vec<_>>());
                for coordinate in trajectory.iter().flatten() {
                    let level = coordinate * (levels - 1) as f64;
                    prop_assert!((0.0..=1.0).contains(coordinate) && (level - level.round()).abs() < 1e-9);
                }
            }
        }

        #[test]
        fn a_larger_design_holds_the_smaller(d in 1..6usize, r in 1..9usize, seed: u64) {
            let (small, large) = (Morris::new(d, r, 4, seed).unwrap(), Morris::new(d, r + 2, 4, seed).unwrap());
            let (small, large) = (small.points(), large.points());
            prop_assert_eq!(small.as_slice(), &large[..r * (d + 1)]);
        }

        #[test]
        fn effects_of_a_linear_model_are_its_coefficients(
            coefficients in prop::collection::vec(-10.0..10.0f64, 1..8), seed: u64,
        ) {
            let design = Morris::new(coefficients.len(), 6, 4, seed).unwrap();
            let linear = |p: &[f64]| 3.0 + p.iter().zip(&coefficients).map(|(x, c)| x * c).sum::<f64>();
            let screenings = screen(&design, &values(&design, linear));
            for (screening, coefficient) in screenings.iter().zip(&coefficients) {
                prop_assert!((screening.mean - coefficient).abs() < 1e-9);
                prop_assert!((screening.mean_size - coefficient.abs()).abs() < 1e-9);
                prop_assert!(screening.deviation.unwrap() < 1e-9);
                prop_assert_eq!(screening.effects, 6);
            }
        }
    }

    #[test]
    fn every_starting_point_is_as_likely() {
        // Four levels, a base of 0 or 1/3, upwards or downwards: each start has probability 1/4.
        let design = Morris::new(1, 8000, 4, 5).unwrap();
        let mut counts = [0; 4];
        for trajectory in design.points().chunks(2) {
            counts[(trajectory[0][0] * 3.0).round() as usize] += 1;
        }
        // Six standard deviations: 6 × √(8000 × 3/16) = 232.
        assert!(counts.iter().all(|count: &i32| (count - 2000).abs() < 232), "{counts:?}");
    }

    #[test]
    fn an_interaction_shows_in_the_deviation() {
        // y = x₁x₂: the effect of x₁ is the level of x₂. Over the four levels its mean is 1/2, its variance 5/36.
        let design = Morris::new(2, 20_000, 4, 11).unwrap();
        let screenings = screen(&design, &values(&design, |p| p[0] * p[1]));
        for screening in screenings {
            assert!((screening.mean - 0.5).abs() < 0.015, "{screening:?}");
            assert!((screening.deviation.unwrap() - (5.0 / 36.0f64).sqrt()).abs() < 0.01, "{screening:?}");
            let (low, high) = screening.interval.unwrap();
            assert!(low < screening.mean_size && screening.mean_size < high && high - low < 0.02);
        }
    }

    #[test]
    fn effects_of_opposite_signs_cancel_in_the_mean_only() {
        let design = Morris::new(1, 4000, 4, 2).unwrap();
        let screening = screen(&design, &values(&design, |p| (p[0] - 0.5).powi(2)))[0];
        // From 0 to 2/3: (1/36 − 1/4) / (2/3) = −1/3; from 1/3 to 1: 1/3.
        assert!((screening.mean_size - 1.0 / 3.0).abs() < 1e-12);
        assert!(screening.mean.abs() < 0.03);
    }

    /// Three whole numbers stand for four levels, so that a step is over half of their range or over all of it.
    #[test]
    fn effects_are_by_what_a_value_moves() {
        let whole = |coordinate: f64| (3.0 * coordinate).floor().min(2.0) / 2.0;
        let design = Morris::new(1, 400, 4, 3).unwrap().moved_by(|_, from, to| whole(to) - whole(from));
        let screening = screen(&design, &values(&design, |p| 7.0 * whole(p[0])))[0];
        assert!((screening.mean - 7.0).abs() < 1e-12 && screening.deviation.unwrap() < 1e-12, "{screening:?}");
    }

    #[test]
    fn missing_values_leave_out_their_effects() {
        let design = Morris::new(2, 3, 4, 9).unwrap();
        let mut values = values(&design, |p| p[0] + 2.0 * p[1]);
        values[1] = None;
        let effects = design.effects(&values).unwrap();
        // The middle point of the first trajectory is an end of both of its changes.
        assert_eq!(effects.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2]);
        let nothing = vec![None; 9];
        assert_eq!(design.screen(&nothing, Confidence::P95, 10, 1).unwrap(), [None, None]);
        assert_eq!(design.effects(&nothing[..5]), Err(DesignError::Values { expected: 9, found: 5 }));
    }

    #[test]
    fn wrong_grids_are_errors() {
        for levels in [0, 1, 3, 7] {
            assert_eq!(Morris::new(2, 3, levels, 0), Err(DesignError::Levels(levels)));
        }
        assert_eq!(Morris::new(0, 3, 4, 0), Err(DesignError::NoDimensions));
        assert_eq!(Morris::new(2, 0, 4, 0), Err(DesignError::NoPoints));
    }
}
