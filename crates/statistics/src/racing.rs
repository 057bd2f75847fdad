//! Racing: of several candidates those that take less are found with few replicas, since the ones that surely take more
//! drop out early (Maron and Moore, "The racing algorithm: model selection for lazy learners", Artificial Intelligence
//! Review 11 (1997)). All candidates meet the same draws in a replica, so they are compared pair by pair.

use std::ops::Range;

use super::compare::paired;
use super::{Confidence, mean};

/// When a candidate drops out, and how many replicas the others get.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Race {
    /// The replicas before any candidate can drop out; they double from one look to the next.
    pub first: u32,
    /// The most replicas.
    pub most: u32,
    /// The confidence with which a candidate takes more than the best one.
    pub confidence: Confidence,
    /// Up to this share, more is as good as equal.
    pub negligible: f64,
}

impl Race {
    /// Whether a candidate surely takes more than another one, by more than is negligible. One pair of values is sure,
    /// since nothing tells otherwise.
    #[must_use]
    pub fn takes_more(&self, candidate: &[f64], other: &[f64]) -> bool {
        let pairs: Vec<(f64, f64)> = candidate.iter().copied().zip(other.iter().copied()).collect();
        paired(&pairs, self.confidence).is_some_and(|found| {
            let low = found.difference.interval.map_or(found.difference.value, |(low, _)| low);
            low > 0.0 && found.difference.value > self.negligible * found.means.1
        })
    }

    /// Runs a race among so many candidates, of which the first stays in it to the end. `run` gives the values of
    /// each of some candidates for some replicas; one without all of them drops out without any.
    ///
    /// Returns the values of each candidate, as many as it had replicas.
    ///
    /// # Errors
    /// That of `run`.
    pub fn run<E>(
        &self,
        candidates: usize,
        mut run: impl FnMut(&[usize], Range<u32>) -> Result<Vec<Option<Vec<f64>>>, E>,
    ) -> Result<Vec<Vec<f64>>, E> {
        let mut values: Vec<Vec<f64>> = vec![Vec::new(); candidates];
        let mut racing: Vec<usize> = (0..candidates).collect();
        let mut done = 0;
        while done < self.most {
            let next = (2 * done).clamp(self.first.min(self.most), self.most);
            for (&candidate, new) in racing.iter().zip(run(&racing, done..next)?) {
                match new {
                    Some(new) => values[candidate].extend(new),
                    None => values[candidate].clear(),
                }
            }
            done = next;
            racing.retain(|&candidate| !values[candidate].is_empty());
            let of_best = racing.iter().filter_map(|&candidate| Some((mean(&values[candidate])?, candidate)));
            let Some((_, best)) = of_best.min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
            racing.retain(|&candidate| candidate == 0 || !self.takes_more(&values[candidate], &values[best]));
            let is_steady = |&candidate: &usize| values[candidate].iter().all(|value| *value == values[candidate][0]);
            // Where nothing is drawn, further replicas tell nothing.
            if done > 1 && racing.iter().all(is_steady) {
                break;
            }
        }
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use rand_distr::{Distribution, StandardNormal};

    use super::*;
    use hetsim_base::engine::Streams;

    const RACE: Race = Race { first: 4, most: 32, confidence: Confidence::P95, negligible: 0.005 };

    /// The replicas that each candidate gets, of means to which a replica adds the same for all, and each its own noise.
    fn replicas(means: &[f64], common: f64, own: f64) -> Vec<usize> {
        let value = |candidate: usize, replica: u32| {
            let draw = |name: &str, number: u64| -> f64 {
                StandardNormal.sample(&mut Streams::new(5, u64::from(replica)).stream(name, number))
            };
            means[candidate] + common * draw("common", 0) + own * draw("own", candidate as u64)
        };
        let run = |racing: &[usize], replicas: Range<u32>| {
            let of = |&one: &usize| Some(replicas.clone().map(|replica| value(one, replica)).collect());
            Ok::<_, Infallible>(racing.iter().map(of).collect())
        };
        let Ok(values) = RACE.run(means.len(), run);
        values.iter().map(Vec::len).collect()
    }

    /// What all have in common hides no difference; what is far behind drops out first, and the first candidate never.
    #[test]
    fn those_that_take_more_drop_out() {
        assert_eq!(replicas(&[20.0, 10.0, 15.0, 10.01], 5.0, 0.02), [32, 32, 4, 32]);
        let slow = replicas(&[10.0, 10.0, 11.0], 0.0, 1.0);
        assert!(slow[..2] == [32, 32] && (4..32).contains(&slow[2]), "{slow:?}");
    }

    /// A hundredth is told apart without noise, three thousandths are negligible.
    #[test]
    fn without_draws_one_look_is_enough() {
        assert_eq!(replicas(&[10.0, 10.1, 10.03, 9.0], 0.0, 0.0), [4; 4]);
        assert!(RACE.takes_more(&[10.1; 4], &[10.0; 4]) && !RACE.takes_more(&[10.03; 4], &[10.0; 4]));
        assert!(!RACE.takes_more(&[10.0; 4], &[10.1; 4]));
    }

    #[test]
    fn what_cannot_run_has_no_values() {
        let run = |racing: &[usize], replicas: Range<u32>| {
            let of = |&one: &usize| (one != 1).then(|| replicas.clone().map(f64::from).collect());
            if racing.len() > 3 { Err("too many") } else { Ok(racing.iter().map(of).collect()) }
        };
        assert_eq!(RACE.run(3, run).map(|values| values.iter().map(Vec::len).collect()), Ok(vec![32, 0, 32]));
        assert_eq!(RACE.run(4, run), Err("too many"));
    }
}
