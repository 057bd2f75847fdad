//! Designs of experiments: the points of the unit cube at which a model is run, and the sensitivity of the results to
//! its parameters.
//!
//! A design is a pure function of the number of dimensions, the number of points and a seed. Points lie in [0, 1) in
//! every dimension, those of [`morris`] in [0, 1]; the caller maps a coordinate to the range of its key.

mod joe_kuo;
mod latin;
pub mod morris;
pub mod saltelli;
mod sobol;

use rand::RngExt;

use hetsim_base::engine::Streams;

pub use latin::{LatinHypercube, latin_hypercube};
pub use sobol::{MOST_DIMENSIONS, Scramble, sobol};

/// A point of the unit cube with one coordinate per dimension.
pub type Point = Vec<f64>;

/// The reason why a design or an analysis is impossible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DesignError {
    /// There is no dimension.
    #[error("a design needs at least one dimension")]
    NoDimensions,
    /// There is no point.
    #[error("a design needs at least one point")]
    NoPoints,
    /// The tables of direction numbers have too few dimensions.
    #[error("the Sobol sequence has at most {MOST_DIMENSIONS} dimensions here, not {0}")]
    TooManyDimensions(usize),
    /// The Sobol sequence consists of 32-bit numbers.
    #[error("the Sobol sequence has at most 2^32 points, not {0}")]
    TooManyPoints(usize),
    /// The number of levels in a Morris design is odd or below two.
    #[error("a Morris design needs an even number of levels, at least 2, not {0}")]
    Levels(usize),
    /// Doubles cannot separate the strata of a Latin hypercube.
    #[error("a Latin hypercube has at most 2^25 points, not {0}")]
    TooManyStrata(usize),
    /// The numbers of values and points differ.
    #[error("{expected} points need {expected} values, not {found}")]
    Values {
        /// The number of points in the design.
        expected: usize,
        /// The number of values.
        found: usize,
    },
}

/// Independent, uniformly drawn points. The coordinates of a dimension depend on neither the number of points nor the
/// number of dimensions, so a larger design contains the smaller one.
///
/// # Errors
/// [`DesignError::NoDimensions`], [`DesignError::NoPoints`].
pub fn random(dimensions: usize, points: usize, seed: u64) -> Result<Vec<Point>, DesignError> {
    some(dimensions, points)?;
    let columns = (0..dimensions).map(|dimension| {
        let mut stream = Streams::new(seed, 0).stream("design.random", dimension as u64);
        (0..points).map(|_| stream.random()).collect()
    });
    Ok(transposed(&columns.collect::<Vec<Vec<f64>>>(), points))
}

/// Checks that there is at least one point and at least one dimension.
fn some(dimensions: usize, points: usize) -> Result<(), DesignError> {
    match (dimensions, points) {
        (0, _) => Err(DesignError::NoDimensions),
        (_, 0) => Err(DesignError::NoPoints),
        _ => Ok(()),
    }
}

/// Checks that there is one value per point.
fn as_many(expected: usize, found: usize) -> Result<(), DesignError> {
    if expected == found { Ok(()) } else { Err(DesignError::Values { expected, found }) }
}

/// Converts columns of coordinates to points.
fn transposed(columns: &[Vec<f64>], points: usize) -> Vec<Point> {
    (0..points).map(|point| columns.iter().map(|column| column[point]).collect()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nothing_to_design_is_an_error() {
        assert_eq!(random(0, 3, 1), Err(DesignError::NoDimensions));
        assert_eq!(random(3, 0, 1), Err(DesignError::NoPoints));
    }

    #[test]
    fn uniform_coordinates_have_the_moments_of_a_uniform_distribution() {
        let points = random(2, 100_000, 7).unwrap();
        for dimension in 0..2 {
            let mean: f64 = points.iter().map(|point| point[dimension]).sum::<f64>() / 1e5;
            let square: f64 = points.iter().map(|point| point[dimension].powi(2)).sum::<f64>() / 1e5;
            // Six standard errors: √(1/12/n) and √(4/45/n).
            assert!((mean - 0.5).abs() < 6.0 * 0.000_913, "{mean}");
            assert!((square - 1.0 / 3.0).abs() < 6.0 * 0.000_943, "{square}");
        }
        let product: f64 = points.iter().map(|point| point[0] * point[1]).sum::<f64>() / 1e5;
        // Independent: E(xy) = 1/4, variance 1/9 − 1/16.
        assert!((product - 0.25).abs() < 6.0 * 0.000_697, "{product}");
    }

    proptest! {
        #[test]
        fn a_larger_random_design_holds_the_smaller(d in 1..6usize, n in 1..40usize, seed: u64) {
            let small = random(d, n, seed).unwrap();
            let large = random(d + 1, n + 3, seed).unwrap();
            for (small, large) in small.iter().zip(&large) {
                prop_assert_eq!(small.as_slice(), &large[..d]);
                prop_assert!(small.iter().all(|x| (0.0..1.0).contains(x)));
            }
        }
    }
}
