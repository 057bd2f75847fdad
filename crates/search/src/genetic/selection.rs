//! Selection of parents.

use rand::{Rng, RngExt};

use hetsim_base::registry::names;

names! {
    /// The selection of parents.
    "selection": Selection {
        #[default]
        Tournament "tournament" = "the best of a few drawn at random, with replacement",
        Roulette "roulette" = "in proportion to the difference between the worst error and its own; uniform if all are equal",
        Rank "rank" = "in proportion to the rank: the worst of N has weight 1, the best N",
    }
}

/// Selects parents from one generation.
///
/// Of N individuals, the i-th best becomes a parent with probability ((N−i+1)^t − (N−i)^t)/N^t in tournaments of t,
/// 2(N−i+1)/(N(N+1)) by rank (Baker's linear ranking), and (e_worst − e_i)/Σ(e_worst − e_j) by roulette.
#[derive(Debug, Clone, Default)]
pub(super) struct Selector {
    /// The individuals, best first; ties by number.
    order: Vec<u32>,
    /// The position of each individual in the order.
    place: Vec<u32>,
    /// The cumulative weights in that order, for roulette.
    sums: Vec<f64>,
}

impl Selector {
    /// Ranks a generation by its errors; NaN counts as the worst.
    pub(super) fn rank(&mut self, errors: &[f64], selection: Selection) {
        self.order.clear();
        self.order.extend(0..errors.len() as u32);
        let key = |individual: u32| {
            let error = errors[individual as usize];
            if error.is_nan() { f64::INFINITY } else { error }
        };
        self.order.sort_unstable_by(|&a, &b| key(a).total_cmp(&key(b)).then(a.cmp(&b)));
        match selection {
            Selection::Tournament => {
                self.place.resize(errors.len(), 0);
                for (place, &individual) in (0..).zip(&self.order) {
                    self.place[individual as usize] = place;
                }
            }
            Selection::Roulette => {
                let worst = self.order.iter().rev().map(|&i| key(i)).find(|error| error.is_finite()).unwrap_or(0.0);
                let mut sum = 0.0;
                self.sums.clear();
                self.sums.extend(self.order.iter().map(|&individual| {
                    sum += (worst - key(individual)).max(0.0);
                    sum
                }));
            }
            Selection::Rank => {}
        }
    }

    /// The individuals of the generation, best first.
    pub(super) fn best_first(&self) -> &[u32] {
        &self.order
    }

    /// Selects one parent.
    pub(super) fn parent(&self, selection: Selection, tournament: u32, rng: &mut impl Rng) -> usize {
        let count = self.order.len() as u32;
        let place = match selection {
            Selection::Tournament => {
                let entrants = (0..tournament).map(|_| self.place[rng.random_range(0..count) as usize]);
                entrants.min().unwrap_or(0)
            }
            Selection::Roulette => match self.sums.last() {
                Some(&all) if all > 0.0 && all.is_finite() => {
                    let ball = rng.random::<f64>() * all;
                    // Rounding may put the draw on the last sum itself.
                    self.sums.partition_point(|&sum| sum <= ball).min(count as usize - 1) as u32
                }
                _ => rng.random_range(0..count),
            },
            // The better of two uniform positions, the second drawn among one more: P(i) ∝ N − i, without a sum.
            Selection::Rank => {
                let first = rng.random_range(0..count);
                first.min(rng.random_range(0..=count))
            }
        };
        self.order[place as usize] as usize
    }
}

#[cfg(test)]
mod tests {
    use statrs::distribution::{ChiSquared, ContinuousCDF};

    use super::*;
    use hetsim_base::engine::Streams;

    /// Draws parents from ten individuals and tests the counts against the closed form, at a significance level of
    /// 10⁻⁶.
    fn fits(selection: Selection, tournament: i32, errors: &[f64], expected: &[f64]) {
        const DRAWS: u32 = 200_000;
        let mut selector = Selector::default();
        selector.rank(errors, selection);
        let mut rng = Streams::new(5, 0).stream("selection", u64::from(tournament.unsigned_abs()));
        let mut counts = vec![0_u32; errors.len()];
        for _ in 0..DRAWS {
            counts[selector.parent(selection, tournament.unsigned_abs(), &mut rng)] += 1;
        }
        let mut statistic = 0.0;
        let mut classes = 0;
        for (&count, &probability) in counts.iter().zip(expected) {
            let mean = probability * f64::from(DRAWS);
            if mean == 0.0 {
                assert_eq!(count, 0);
            } else {
                statistic += (f64::from(count) - mean).powi(2) / mean;
                classes += 1;
            }
        }
        assert!((expected.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        // A single class receives all draws.
        if classes == 1 {
            return;
        }
        let level = 1.0 - ChiSquared::new(f64::from(classes - 1)).unwrap().cdf(statistic);
        assert!(level > 1e-6, "{selection} {tournament}: {counts:?} against {expected:?}");
    }

    #[test]
    fn parents_are_chosen_with_the_closed_forms_probabilities() {
        // Individual i has rank 10 − i; the last is the best.
        let errors: Vec<f64> = (0..10).map(|i| f64::from(9 - i) * 1.5 + 0.25).collect();
        for size in [1, 2, 3, 7] {
            let expected: Vec<f64> =
                (0..10_i32).map(|i| (f64::from(i + 1) / 10.0).powi(size) - (f64::from(i) / 10.0).powi(size)).collect();
            fits(Selection::Tournament, size, &errors, &expected);
        }
        let by_rank: Vec<f64> = (1..=10).map(|weight| f64::from(weight) / 55.0).collect();
        fits(Selection::Rank, 0, &errors, &by_rank);
        let by_error: Vec<f64> = (0..10).map(|i| f64::from(i) / 45.0).collect();
        fits(Selection::Roulette, 0, &errors, &by_error);
        fits(Selection::Roulette, 0, &[3.0; 4], &[0.25; 4]);
    }

    #[test]
    fn unknown_errors_are_worst() {
        let errors = [f64::NAN, 2.0, f64::INFINITY, 1.0];
        fits(Selection::Roulette, 0, &errors, &[0.0, 0.0, 0.0, 1.0]);
        fits(Selection::Rank, 0, &errors, &[0.2, 0.3, 0.1, 0.4]);
    }
}
