//! How simulated times are scaled where they stand beside measured ones.

use super::{Choice, Timed};
use crate::fit::robust::median;
use crate::workload::advise::{AdvisedMethod, Candidate};

/// What measured times are over simulated ones, as logarithms.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredRatios {
    /// The median of all that is measured in a choice, and of 0 for the simulation as it is: measurements of few algorithms
    /// tell little of another.
    here: f64,
    /// Of each algorithm that is measured anywhere, at the nearest ranks and size.
    own: Vec<(AdvisedMethod, f64)>,
}

impl Choice {
    /// By what a simulated time of a candidate is multiplied: 1 where nothing is measured.
    #[must_use]
    pub fn factor(&self, candidate: &Candidate) -> f64 {
        let Some(MeasuredRatios { here, own }) = &self.scale else { return 1.0 };
        let own = own.iter().find(|(method, _)| *method == candidate.method).map_or(*here, |(_, own)| *own);
        f64::midpoint(*here, own).exp()
    }

    /// Whether a time is simulated and stands beside measured ones.
    pub(super) fn is_scaled(&self, timed: &Timed) -> bool {
        !timed.measured && self.scale.is_some()
    }

    /// How many doublings of the ranks and of the size another choice is away; nothing if it is of another operation or
    /// has another number of ranks on a node.
    fn distance(&self, other: &Self) -> Option<f64> {
        let doublings = |a: u64, b: u64| (a.max(1) as f64 / b.max(1) as f64).log2().abs();
        let is_alike = (self.operation, self.ranks_per_node) == (other.operation, other.ranks_per_node);
        is_alike.then(|| doublings(self.ranks.into(), other.ranks.into()) + doublings(self.bytes, other.bytes))
    }
}

/// Lets choices with measured times know how simulated ones are scaled: `measured` are the measured over simulated
/// times of each.
pub fn scale(choices: &mut [Choice], measured: &[Vec<(Candidate, f64)>]) {
    let scale_of = |(choice, here): (&Choice, &Vec<(Candidate, f64)>)| {
        let here: Vec<f64> = here.iter().map(|(_, ratio)| ratio.ln()).collect();
        (!here.is_empty()).then(|| MeasuredRatios {
            here: median(&[here.as_slice(), &[0.0]].concat()).unwrap_or_default(),
            own: nearest(choice, choices, measured),
        })
    };
    let scales: Vec<Option<MeasuredRatios>> = choices.iter().zip(measured).map(scale_of).collect();
    choices.iter_mut().zip(scales).for_each(|(choice, scale)| choice.scale = scale);
}

/// The logarithm of each algorithm's ratio nearest to a choice, the median of several.
fn nearest(choice: &Choice, choices: &[Choice], measured: &[Vec<(Candidate, f64)>]) -> Vec<(AdvisedMethod, f64)> {
    let alike = choices.iter().zip(measured).filter_map(|(other, ratios)| Some((choice.distance(other)?, ratios)));
    let each =
        alike.flat_map(|(distance, ratios)| ratios.iter().map(move |(candidate, ratio)| (distance, candidate, ratio)));
    let mut known: Vec<(AdvisedMethod, f64, Vec<f64>)> = Vec::new();
    for (distance, candidate, ratio) in each {
        let logarithm = ratio.ln();
        match known.iter_mut().find(|(method, ..)| *method == candidate.method) {
            None => known.push((candidate.method, distance, vec![logarithm])),
            Some((_, least, nearest)) if distance < *least => (*least, *nearest) = (distance, vec![logarithm]),
            Some((_, least, nearest)) if distance <= *least => nearest.push(logarithm),
            Some(_) => {}
        }
    }
    known.into_iter().filter_map(|(method, _, nearest)| Some((method, median(&nearest)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::choice;
    use super::*;
    use crate::communication::{Algorithm, Operation};

    const fn plain(algorithm: Algorithm) -> Candidate {
        Candidate { method: AdvisedMethod::Plain(algorithm), segment: None }
    }

    const RING: Candidate = plain(Algorithm::Ring);
    const BRUCK: Candidate = plain(Algorithm::Bruck);

    fn factors(places: &[(u32, u64)], measured: &[Vec<(Candidate, f64)>], of: Candidate) -> Vec<f64> {
        let mut choices: Vec<Choice> =
            places.iter().map(|&(ranks, bytes)| choice(Operation::AllGather, ranks, bytes, &[])).collect();
        scale(&mut choices, measured);
        choices.iter().map(|choice| (choice.factor(&of) * 1e9).round() / 1e9).collect()
    }

    /// Of an algorithm that was measured elsewhere its ratio at the nearest place counts, and as much what is measured here.
    #[test]
    fn an_algorithm_has_its_own_nearest_ratio() {
        let places = [(8, 1 << 10), (8, 1 << 13), (16, 1 << 12), (8, 1 << 20)];
        // Of a single ratio of 16 and a one the median is 4, and the ratio near by is 1.
        let measured = [vec![(RING, 9.0)], vec![(BRUCK, 16.0)], vec![(RING, 1.0), (BRUCK, 1.0)], vec![(BRUCK, 16.0)]];
        // The second place is three doublings away from the first, and two from the third.
        assert_eq!(factors(&places, &measured, RING)[1..], [2.0, 1.0, 2.0]);
        // As far from either, √(4 · 9), and here again 4.
        let between = [vec![(RING, 4.0)], vec![(BRUCK, 16.0)], vec![(RING, 9.0)]];
        let places = [(8, 1 << 10), (8, 1 << 11), (16, 1 << 11)];
        assert_eq!(factors(&places, &between, RING)[1], 4.898_979_486);
    }

    /// Of another algorithm the median of all ratios counts, and of a one; nothing where nothing is measured.
    #[test]
    fn what_is_measured_nowhere_follows_the_others() {
        let of = |ratios: &[f64]| {
            let measured = ratios.iter().map(|&ratio| (BRUCK, ratio)).collect();
            factors(&[(8, 64), (4, 64)], &[measured, Vec::new()], plain(Algorithm::NeighbourExchange))
        };
        assert_eq!(of(&[]), [1.0, 1.0]);
        assert_eq!(of(&[4.0]), [2.0, 1.0]);
        assert_eq!(of(&[4.0, 9.0]), [4.0, 1.0]);
    }
}
