//! Latin hypercubes (McKay, Beckman and Conover, "A comparison of three methods for selecting values of input variables
//! in the analysis of output from a computer code", Technometrics 21 (1979)).

use rand::RngExt;
use rand::seq::SliceRandom;

use super::{DesignError, Point, some, transposed};
use hetsim_base::engine::{Stream, Streams};

/// The positions of the points in the strata of a Latin hypercube, and the choice among several hypercubes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LatinHypercube {
    /// Each point is uniform in its strata.
    #[default]
    Random,
    /// Each point is in the middle of its strata.
    Centred,
    /// Each point is uniform in its strata. Of `tries` hypercubes (at least one), the one whose two closest points are
    /// farthest apart is taken: the maximin criterion of Johnson, Moore and Ylvisaker, "Minimax and maximin distance
    /// designs", Journal of Statistical Planning and Inference 26 (1990), by random search.
    Maximin {
        /// The number of drawn hypercubes.
        tries: usize,
    },
}

/// The bits of a position within a stratum. With 26 bits, rounding moves no point into a neighbouring stratum for up to
/// 2^25 strata.
const PLACE_BITS: u32 = 26;

/// The maximum number of points in a Latin hypercube.
const MOST_POINTS: usize = 1 << 25;

/// Makes a Latin hypercube: each dimension has as many equal strata as there are points, and each stratum holds exactly
/// one point.
///
/// # Errors
/// [`DesignError::NoDimensions`], [`DesignError::NoPoints`], [`DesignError::TooManyStrata`].
pub fn latin_hypercube(
    dimensions: usize,
    points: usize,
    kind: LatinHypercube,
    seed: u64,
) -> Result<Vec<Point>, DesignError> {
    some(dimensions, points)?;
    if points > MOST_POINTS {
        return Err(DesignError::TooManyStrata(points));
    }
    let streams = Streams::new(seed, 0);
    // One stream per dimension: an additional key does not change the coordinates of the others.
    let mut streams: Vec<Stream> =
        (0..dimensions).map(|dimension| streams.stream("design.latin", dimension as u64)).collect();
    let mut hypercube = || {
        let columns: Vec<Vec<f64>> = streams.iter_mut().map(|stream| column(points, kind, stream)).collect();
        transposed(&columns, points)
    };
    let mut best = hypercube();
    if let LatinHypercube::Maximin { tries } = kind {
        let mut apart = least_distance_above(&best, f64::NEG_INFINITY).unwrap_or_default();
        for _ in 1..tries {
            let candidate = hypercube();
            if let Some(distance) = least_distance_above(&candidate, apart) {
                (best, apart) = (candidate, distance);
            }
        }
    }
    Ok(best)
}

/// The coordinates of one dimension: a position in each stratum, in random order.
fn column(points: usize, kind: LatinHypercube, stream: &mut Stream) -> Vec<f64> {
    let mut strata: Vec<usize> = (0..points).collect();
    strata.shuffle(stream);
    let in_stratum = |stratum: usize| {
        let place = match kind {
            LatinHypercube::Centred => 0.5,
            // Half a step away from the borders, where rounding decides the stratum of a point.
            _ => (f64::from(stream.random::<u32>() >> (32 - PLACE_BITS)) + 0.5) / f64::from(1u32 << PLACE_BITS),
        };
        (stratum as f64 + place) / points as f64
    };
    strata.into_iter().map(in_stratum).collect()
}

/// The square of the least distance between two points, if it is above `limit`.
fn least_distance_above(points: &[Point], limit: f64) -> Option<f64> {
    let mut least = f64::INFINITY;
    for (number, a) in points.iter().enumerate() {
        for b in &points[number + 1..] {
            let distance: f64 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum();
            if distance <= limit {
                return None;
            }
            least = least.min(distance);
        }
    }
    Some(least)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kinds() -> impl Strategy<Value = LatinHypercube> {
        prop_oneof![
            Just(LatinHypercube::Random),
            Just(LatinHypercube::Centred),
            (0..8usize).prop_map(|tries| LatinHypercube::Maximin { tries }),
        ]
    }

    proptest! {
        #[test]
        fn each_stratum_of_each_dimension_holds_one_point(d in 1..8usize, n in 1..200usize, kind in kinds(), seed: u64) {
            let points = latin_hypercube(d, n, kind, seed).unwrap();
            prop_assert_eq!(points.len(), n);
            for dimension in 0..d {
                let mut strata: Vec<usize> = points.iter().map(|point| (point[dimension] * n as f64) as usize).collect();
                strata.sort_unstable();
                prop_assert_eq!(strata, (0..n).collect::<Vec<_>>());
            }
        }

        #[test]
        fn a_further_dimension_leaves_the_others(d in 1..6usize, n in 1..50usize, seed: u64) {
            let small = latin_hypercube(d, n, LatinHypercube::Random, seed).unwrap();
            let large = latin_hypercube(d + 1, n, LatinHypercube::Random, seed).unwrap();
            for (small, large) in small.iter().zip(&large) {
                prop_assert_eq!(small.as_slice(), &large[..d]);
            }
        }

        #[test]
        fn more_tries_are_never_closer(d in 1..5usize, n in 2..30usize, seed: u64) {
            let least = |tries| {
                let points = latin_hypercube(d, n, LatinHypercube::Maximin { tries }, seed).unwrap();
                least_distance_above(&points, f64::NEG_INFINITY).unwrap()
            };
            prop_assert!(least(20) >= least(5) && least(5) >= least(1));
        }
    }

    #[test]
    fn the_middles_of_strata() {
        let points = latin_hypercube(1, 4, LatinHypercube::Centred, 3).unwrap();
        let mut column: Vec<f64> = points.into_iter().map(|point| point[0]).collect();
        column.sort_by(f64::total_cmp);
        assert_eq!(column, [0.125, 0.375, 0.625, 0.875]);
    }

    #[test]
    fn strata_stay_apart_where_there_are_many() {
        let n = 3_000_001;
        let mut seen = vec![false; n];
        for point in latin_hypercube(1, n, LatinHypercube::Random, 1).unwrap() {
            assert!((0.0..1.0).contains(&point[0]));
            let stratum = (point[0] * n as f64) as usize;
            assert!(!std::mem::replace(&mut seen[stratum], true), "{stratum}");
        }
        let too_many = latin_hypercube(1, MOST_POINTS + 1, LatinHypercube::Random, 1);
        assert_eq!(too_many, Err(DesignError::TooManyStrata(MOST_POINTS + 1)));
    }

    #[test]
    fn a_hypercube_estimates_a_mean_better_than_random_points() {
        // McKay and others: for a monotone function the variance of the estimated mean is never larger.
        let square_error = |points: &dyn Fn(u64) -> Vec<Point>| -> f64 {
            let errors = (0..200).map(|seed| {
                let sum: f64 = points(seed).iter().map(|p| p.iter().map(|x| x * x).sum::<f64>()).sum();
                (sum / 20.0 - 1.0).powi(2)
            });
            errors.sum()
        };
        let latin = square_error(&|seed| latin_hypercube(3, 20, LatinHypercube::Random, seed).unwrap());
        let random = square_error(&|seed| super::super::random(3, 20, seed).unwrap());
        assert!(latin < random / 50.0, "{latin} {random}");
    }
}
