//! The Sobol sequence (Sobol, "On the distribution of points in a cube and the approximate evaluation of integrals",
//! USSR Computational Mathematics and Mathematical Physics 7 (1967)), in the order of Antonov and Saleev (1979).

use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::joe_kuo::JOE_KUO;
use super::{DesignError, Point, some};
use hetsim_base::engine::Streams;

/// The maximum number of dimensions.
pub const MOST_DIMENSIONS: usize = JOE_KUO.len() + 1;

/// The number of binary digits of a coordinate.
const DIGITS: usize = 32;

/// The randomisation of the sequence. Each kind keeps the even spread, and each single point is uniform in the cube.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scramble {
    /// None: the published sequence, which begins in the corner at 0.
    Unscrambled,
    /// A random digital shift: the digits of every coordinate are flipped by one random word per dimension (Cranley and
    /// Patterson's shift, digit by digit).
    Shift,
    /// Nested uniform scrambling (Owen, "Randomly permuted (t,m,s)-nets and (t,s)-sequences", Monte Carlo and
    /// Quasi-Monte Carlo Methods (1995)): every digit is flipped at random, depending on all digits before it. The
    /// random bits are hashes of these digits.
    #[default]
    Owen,
}

/// The first points of the Sobol sequence. A larger design contains the smaller one; numbers of points that are powers
/// of two have the most even spread.
///
/// # Errors
/// [`DesignError::NoDimensions`], [`DesignError::NoPoints`], [`DesignError::TooManyDimensions`],
/// [`DesignError::TooManyPoints`].
pub fn sobol(dimensions: usize, points: usize, scramble: Scramble, seed: u64) -> Result<Vec<Point>, DesignError> {
    some(dimensions, points)?;
    if dimensions > MOST_DIMENSIONS {
        return Err(DesignError::TooManyDimensions(dimensions));
    }
    if u32::try_from(points - 1).is_err() {
        return Err(DesignError::TooManyPoints(points));
    }
    let axes: Vec<Axis> = (0..dimensions).map(|dimension| Axis::new(dimension, seed)).collect();
    let point = |number: u32| axes.iter().map(|axis| axis.coordinate(number, scramble)).collect();
    Ok((0..points as u32).map(point).collect())
}

/// One dimension of the sequence.
struct Axis {
    /// The direction numbers, with the leading digit in the highest bit.
    directions: [u32; DIGITS],
    /// The word of the digital shift, also the key of the scrambling hashes.
    shift: u32,
    key: u64,
}

impl Axis {
    fn new(dimension: usize, seed: u64) -> Self {
        let mut stream = Streams::new(seed, 0).stream("design.sobol", dimension as u64);
        Self { directions: directions(dimension), shift: stream.random(), key: stream.random() }
    }

    /// The coordinate of a point, which is that of the point's Gray code in the original sequence.
    fn coordinate(&self, number: u32, scramble: Scramble) -> f64 {
        let mut gray = number ^ (number >> 1);
        let mut digits = 0;
        while gray != 0 {
            digits ^= self.directions[gray.trailing_zeros() as usize];
            gray &= gray - 1;
        }
        let digits = match scramble {
            Scramble::Unscrambled => digits,
            Scramble::Shift => digits ^ self.shift,
            Scramble::Owen => self.scrambled(digits),
        };
        f64::from(digits) / (DIGITS as f64).exp2()
    }

    /// Flips each digit depending on the digits before it.
    fn scrambled(&self, digits: u32) -> u32 {
        let flip = |place: usize| {
            // A leading one separates prefixes of different lengths.
            let before = (u64::from(digits) | (1 << DIGITS)) >> (DIGITS - place);
            let coin = xxh3_64_with_seed(&before.to_le_bytes(), self.key) as u32 & 1;
            coin << (DIGITS - 1 - place)
        };
        (0..DIGITS).fold(digits, |flipped, place| flipped ^ flip(place))
    }
}

/// The direction numbers of a dimension, by the recurrence of its polynomial (Joe and Kuo, Eq. 3).
fn directions(dimension: usize) -> [u32; DIGITS] {
    let mut directions = [0; DIGITS];
    if dimension == 0 {
        for (place, direction) in directions.iter_mut().enumerate() {
            *direction = 1 << (DIGITS - 1 - place);
        }
        return directions;
    }
    let (coefficients, initial) = JOE_KUO[dimension - 1];
    let degree = initial.len();
    for place in 0..DIGITS {
        directions[place] = if place < degree {
            initial[place] << (DIGITS - 1 - place)
        } else {
            let last = directions[place - degree];
            (1..degree).fold(last ^ (last >> degree), |sum, back| {
                let taken = (coefficients >> (degree - 1 - back)) & 1;
                sum ^ (taken * directions[place - back])
            })
        };
    }
    directions
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_points_in_three_dimensions() {
        // As printed by Joe and Kuo's own program.
        let expected = [
            [0.0, 0.0, 0.0],
            [0.5, 0.5, 0.5],
            [0.75, 0.25, 0.25],
            [0.25, 0.75, 0.75],
            [0.375, 0.375, 0.625],
            [0.875, 0.875, 0.125],
            [0.625, 0.125, 0.875],
            [0.125, 0.625, 0.375],
        ];
        assert_eq!(sobol(3, 8, Scramble::Unscrambled, 0).unwrap(), expected);
    }

    #[test]
    fn the_first_dimension_is_the_van_der_corput_sequence() {
        for (number, point) in sobol(1, 256, Scramble::Unscrambled, 0).unwrap().iter().enumerate() {
            let gray = number as u32 ^ (number as u32 >> 1);
            assert_eq!(point[0], f64::from(gray.reverse_bits()) / 2f64.powi(32));
        }
    }

    #[test]
    fn far_points_in_high_dimensions() {
        // Computed with SciPy's `qmc.Sobol(128, scramble=False, bits=32)`, in units of 2^-12.
        let points = sobol(MOST_DIMENSIONS, 4096, Scramble::Unscrambled, 0).unwrap();
        let at = |point: usize, dimension: usize| points[point][dimension] * 4096.0;
        assert_eq!([0, 20, 39, 63, 127].map(|dimension| at(4095, dimension)), [1.0, 925.0, 931.0, 2267.0, 1071.0]);
        assert_eq!([5, 40, 100].map(|dimension| at(1234, dimension)), [1010.0, 3686.0, 2494.0]);
    }

    #[test]
    fn what_is_not_known_is_an_error() {
        let most = MOST_DIMENSIONS;
        assert_eq!(sobol(most + 1, 1, Scramble::Owen, 0), Err(DesignError::TooManyDimensions(most + 1)));
        assert_eq!(sobol(1, 1 << 33, Scramble::Owen, 0), Err(DesignError::TooManyPoints(1 << 33)));
    }

    #[test]
    fn initial_direction_numbers_are_odd_and_small() {
        for (_, initial) in JOE_KUO {
            assert!(initial.iter().enumerate().all(|(place, m)| m % 2 == 1 && *m < 2 << place));
        }
    }

    proptest! {
        #[test]
        fn powers_of_two_fill_every_stratum(power in 0..9u32, seed: u64, way in 0..3usize) {
            let scramble = [Scramble::Unscrambled, Scramble::Shift, Scramble::Owen][way];
            let n = 1usize << power;
            let points = sobol(MOST_DIMENSIONS, n, scramble, seed).unwrap();
            for dimension in 0..MOST_DIMENSIONS {
                let mut strata: Vec<usize> = points.iter().map(|p| (p[dimension] * n as f64) as usize).collect();
                strata.sort_unstable();
                prop_assert_eq!(&strata, &(0..n).collect::<Vec<_>>(), "dimension {}", dimension);
            }
        }

        #[test]
        fn the_first_two_dimensions_fill_every_elementary_box(power in 1..9u32, cut in 0..9u32, seed: u64) {
            // A (0, 2)-sequence: each of the 2^cut × 2^(power − cut) boxes holds one point.
            let (wide, high) = (1usize << cut.min(power), 1usize << (power - cut.min(power)));
            for scramble in [Scramble::Unscrambled, Scramble::Shift, Scramble::Owen] {
                let points = sobol(2, 1 << power, scramble, seed).unwrap();
                let boxed = |p: &Point| (p[0] * wide as f64) as usize * high + (p[1] * high as f64) as usize;
                let mut boxes: Vec<usize> = points.iter().map(boxed).collect();
                boxes.sort_unstable();
                prop_assert_eq!(boxes, (0..1usize << power).collect::<Vec<_>>());
            }
        }

        #[test]
        fn a_larger_design_holds_the_smaller(d in 1..20usize, n in 1..60usize, seed: u64) {
            let small = sobol(d, n, Scramble::Owen, seed).unwrap();
            let large = sobol(d + 3, n + 5, Scramble::Owen, seed).unwrap();
            for (small, large) in small.iter().zip(&large) {
                prop_assert_eq!(small.as_slice(), &large[..d]);
            }
        }
    }

    #[test]
    fn scrambled_points_are_uniform() {
        // The first point over many seeds: mean 1/2, standard error √(1/12/2000) = 0.00645.
        for scramble in [Scramble::Shift, Scramble::Owen] {
            let sum: f64 = (0..2000).map(|seed| sobol(1, 1, scramble, seed).unwrap()[0][0]).sum();
            assert!((sum / 2000.0 - 0.5).abs() < 0.025, "{}", sum / 2000.0);
        }
    }
}
