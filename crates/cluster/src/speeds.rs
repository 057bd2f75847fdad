//! Speeds of a given diversity.
//!
//! Diversity is d_conf of Bazterra et al. (JPDC 2005, Eq. 10): a cluster of n nodes reaches at most the speedup
//! s_max = Σ v_i / v_max = n / (1 + d_conf), so d_conf = n·v_max / Σ v_i − 1: 0 where all nodes are alike.
//!
//! A family of speeds has one parameter; a node keeps its draw, and bisection finds the parameter at which the cluster
//! has exactly the requested diversity. If the slowest speed is given as well, the draws are raised to a power instead,
//! and bisection finds the power.

use thiserror::Error;

/// d_conf of these speeds (Eq. 10); zero for no speeds.
#[must_use]
pub fn diversity(speeds: &[f64]) -> f64 {
    let fastest = speeds.iter().copied().fold(0.0, f64::max);
    let total: f64 = speeds.iter().sum();
    if total > 0.0 { speeds.len() as f64 * fastest / total - 1.0 } else { 0.0 }
}

hetsim_base::registry::names! {
    /// How speeds differ between the nodes of a generated cluster.
    "family of speeds": Family {
        TwoClass "two_class" = "Half of the nodes (rounded up) are fast, the others slower by one factor. With a given slowest speed: as many fast and slow nodes as needed, and at most one in between.",
        #[default]
        Uniform "uniform" = "Uniform between the slowest speed and the fastest.",
        LogNormal "log_normal" = "Log-normal.",
        PowerLaw "power_law" = "A power of a uniform draw.",
        ClockRates "clock_rates" = "Five rates in equal ratios, the fastest 1. Each is equally likely, and their ratio determines the diversity. With a given slowest speed, the number of nodes at each rate determines it, and at most a few nodes lie in between.",
    }
}

/// The number of rates of [`Family::ClockRates`].
const RATES: u8 = 5;

/// Why speeds of a diversity cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum DiversityError {
    /// The family does not reach the diversity with so many nodes and these draws.
    #[error(
        "a diversity of {wanted} is out of reach for {nodes} nodes of this family; the largest is just below \
         {largest:.4} (`diversity_family = \"log_normal\"` reaches almost the number of nodes less 1)"
    )]
    OutOfReach {
        /// The requested diversity.
        wanted: f64,
        /// The number of nodes.
        nodes: usize,
        /// The limit.
        largest: f64,
    },
    /// No speeds have both the diversity and the slowest speed.
    #[error(
        "a diversity of {wanted} with the slowest node at {slowest} of the fastest is out of reach for {nodes} nodes; \
         it can be from {least:.4} to {most:.4}"
    )]
    OutOfRange {
        /// The requested diversity.
        wanted: f64,
        /// The ratio of the slowest speed to the fastest.
        slowest: f64,
        /// The number of nodes.
        nodes: usize,
        /// The diversity with one slow node.
        least: f64,
        /// The diversity with one fast node.
        most: f64,
    },
    /// A diversity is negative or not finite, or a slowest speed is not in (0, 1].
    #[error("a diversity must be finite and not negative, and a slowest speed above 0 and at most 1; {value} is not")]
    NoSuch {
        /// The value.
        value: f64,
    },
    /// A single node with a slowest speed below the fastest.
    #[error("a single node can't be slower than the fastest: its slowest speed must be 1")]
    Single,
}

/// Relative speeds, the fastest 1, whose diversity is `wanted`; `draws` holds a uniform draw from (0, 1) for each node.
///
/// # Errors
/// If the family cannot reach it.
pub fn with_diversity(family: Family, wanted: f64, draws: &[f64]) -> Result<Vec<f64>, DiversityError> {
    check_diversity(wanted)?;
    let speeds = |spread: f64| -> Vec<f64> {
        let raw: Vec<f64> =
            draws.iter().enumerate().map(|(node, &u)| family.speed(node, draws.len(), u, spread)).collect();
        let fastest = raw.iter().copied().fold(0.0, f64::max);
        raw.into_iter().map(|speed| speed / fastest).collect()
    };
    if wanted == 0.0 {
        return Ok(vec![1.0; draws.len()]);
    }
    let mut high = family.widest();
    let largest = diversity(&speeds(high));
    if wanted >= largest {
        return Err(DiversityError::OutOfReach { wanted, nodes: draws.len(), largest });
    }
    let mut low = 0.0;
    // Bisection reaches neighbouring floats well within 200 steps.
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if diversity(&speeds(middle)) < wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    Ok(speeds(high))
}

/// Relative speeds, the fastest 1 and the slowest `slowest`, whose diversity is `wanted`; `draws` holds a uniform draw
/// from (0, 1) for each node.
///
/// The family's draws are scaled to [0, 1], raised to the power at which the total is right, and mapped to speeds. The
/// power keeps their order, so the lowest draw gives the slowest node.
///
/// # Errors
/// If so many nodes cannot have both.
pub fn with_slowest(family: Family, wanted: f64, slowest: f64, draws: &[f64]) -> Result<Vec<f64>, DiversityError> {
    check_diversity(wanted)?;
    if !(slowest > 0.0 && slowest <= 1.0) {
        return Err(DiversityError::NoSuch { value: slowest });
    }
    let nodes = draws.len();
    let count = nodes as f64;
    if nodes == 1 && slowest != 1.0 {
        return Err(DiversityError::Single);
    }
    let one_fast = 1.0 + (count - 1.0) * slowest;
    let one_slow = count - 1.0 + slowest;
    let (least, most) = (count / one_slow - 1.0, count / one_fast - 1.0);
    let out_of_range = DiversityError::OutOfRange { wanted, slowest, nodes, least, most };
    if !(least - 1e-12..=most + 1e-12).contains(&wanted) {
        return Err(out_of_range);
    }
    let places = scaled(draws.iter().map(|&u| family.draw(u)).collect());
    let speeds = |power: f64| -> Vec<f64> {
        places.iter().map(|place| family.speed_between(place.powf(power.exp()), slowest)).collect()
    };
    let total = (count / (1.0 + wanted)).clamp(one_fast, one_slow);
    let sum = |speeds: &[f64]| speeds.iter().sum::<f64>();
    // By its logarithm: as the power grows, all nodes but the fastest become slow.
    let (mut low, mut high) = (-60.0, 60.0);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if sum(&speeds(middle)) > total {
            low = middle;
        } else {
            high = middle;
        }
    }
    // If the speeds are few, the total jumps: faster speeds from the other side of the jump correct the rest.
    let (mut found, faster) = (speeds(high), speeds(low));
    let mut rest = total - sum(&found);
    for (speed, faster) in found.iter_mut().zip(faster) {
        let more = rest.clamp(0.0, (faster - *speed).max(0.0));
        *speed += more;
        rest -= more;
    }
    // Equal draws move together, so the total may be out of reach.
    if (diversity(&found) - wanted).abs() > 1e-9 { Err(out_of_range) } else { Ok(found) }
}

fn check_diversity(wanted: f64) -> Result<(), DiversityError> {
    if wanted >= 0.0 && wanted.is_finite() { Ok(()) } else { Err(DiversityError::NoSuch { value: wanted }) }
}

/// The numbers mapped linearly to [0, 1]; equally spaced if all are equal.
fn scaled(mut numbers: Vec<f64>) -> Vec<f64> {
    let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let range = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max) - least;
    let steps = numbers.len().saturating_sub(1).max(1) as f64;
    for (index, number) in numbers.iter_mut().enumerate() {
        *number = if range > 0.0 { (*number - least) / range } else { index as f64 / steps };
    }
    numbers
}

/// The number of the rate, from 0 for the slowest, at a position from 0 to 1.
fn rate(place: f64) -> u8 {
    ((place * f64::from(RATES)) as u8).min(RATES - 1)
}

impl Family {
    /// A node's draw before scaling.
    fn draw(self, u: f64) -> f64 {
        match self {
            Self::LogNormal => normal_quantile(u).exp(),
            Self::TwoClass | Self::Uniform | Self::PowerLaw | Self::ClockRates => u,
        }
    }

    /// The speed at a position from 0 (the slowest) to 1.
    fn speed_between(self, place: f64, slowest: f64) -> f64 {
        let place = match self {
            Self::TwoClass => place.round(),
            Self::Uniform | Self::LogNormal | Self::PowerLaw => place,
            Self::ClockRates => match rate(place) {
                0 => 0.0,
                number if number == RATES - 1 => 1.0,
                number => return slowest.powf(1.0 - f64::from(number) / f64::from(RATES - 1)),
            },
        };
        // Exact at both ends.
        if place >= 1.0 { 1.0 } else { slowest + (1.0 - slowest) * place }
    }

    /// The speed of a node with the draw `u`; the spread 0 makes all speeds equal.
    fn speed(self, node: usize, nodes: usize, u: f64, spread: f64) -> f64 {
        match self {
            Self::TwoClass if node < nodes.div_ceil(2) => 1.0,
            Self::TwoClass => 1.0 - spread,
            Self::Uniform => 1.0 - spread * u,
            Self::LogNormal => (spread * normal_quantile(u)).exp(),
            Self::PowerLaw => u.powf(spread),
            Self::ClockRates => (1.0 - spread).powf(1.0 - f64::from(rate(u)) / f64::from(RATES - 1)),
        }
    }

    /// The spread beyond which speeds vanish.
    const fn widest(self) -> f64 {
        match self {
            Self::TwoClass | Self::Uniform | Self::ClockRates => 1.0 - 1e-9,
            Self::LogNormal | Self::PowerLaw => 50.0,
        }
    }
}

/// The quantile of the standard normal distribution.
fn normal_quantile(u: f64) -> f64 {
    use statrs::distribution::{ContinuousCDF, Normal};
    Normal::standard().inverse_cdf(u)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::RngExt;

    use super::*;
    use hetsim_base::engine::Streams;

    /// Bazterra et al., Fig. 4: 32 clients with d_conf 0.96 have s_max = 32/1.96 ≈ 16.3.
    #[test]
    fn diversity_bounds_the_speedup() {
        let draws: Vec<f64> = (0..32).map(|node| Streams::new(1, 0).stream("speed", node).random()).collect();
        let speeds = with_diversity(Family::LogNormal, 0.96, &draws).unwrap();
        let s_max: f64 = speeds.iter().sum();
        assert!((s_max - 32.0 / 1.96).abs() < 1e-9, "{s_max}");
    }

    #[test]
    fn two_classes_end_at_their_limit() {
        // Half of the nodes run at full speed: d_conf stays below (1 − f)/f = 1.
        assert!(with_diversity(Family::TwoClass, 0.999, &[0.5; 4]).is_ok());
        assert!(matches!(
            with_diversity(Family::TwoClass, 1.0, &[0.5; 4]),
            Err(DiversityError::OutOfReach { nodes: 4, .. })
        ));
    }

    /// Bazterra et al., Fig. 4: d_conf 0.96 with v_min/v_max 0.266, from a table of 32 clients.
    #[test]
    fn two_classes_with_a_slowest_have_one_node_in_between() {
        let draws: Vec<f64> = (0..32).map(|node| Streams::new(1, 0).stream("speed", node).random()).collect();
        let mut speeds = with_slowest(Family::TwoClass, 0.96, 0.266, &draws).unwrap();
        speeds.sort_by(f64::total_cmp);
        // f + x + (31 - f)·0.266 = 32/1.96 with f fast nodes: f = 10 and x = 0.740...
        assert_eq!(speeds[..21], [0.266; 21]);
        assert!((speeds[21] - (32.0 / 1.96 - 10.0 - 21.0 * 0.266)).abs() < 1e-12, "{speeds:?}");
        assert_eq!(speeds[22..], [1.0; 10]);
    }

    #[test]
    fn clock_rates_are_five() {
        let draws: Vec<f64> = (0..40).map(|node| Streams::new(1, 0).stream("speed", node).random()).collect();
        let known = |slowest: f64, speed: f64| (0..5).any(|n| (speed - slowest.powf(f64::from(n) / 4.0)).abs() < 1e-12);
        let speeds = with_diversity(Family::ClockRates, 0.5, &draws).unwrap();
        let slowest = speeds.iter().copied().fold(1.0, f64::min);
        assert!(speeds.iter().all(|&speed| known(slowest, speed)), "{speeds:?}");
        let speeds = with_slowest(Family::ClockRates, 0.96, 0.266, &draws).unwrap();
        assert!(speeds.iter().filter(|&&speed| !known(0.266, speed)).count() <= 1, "{speeds:?}");
    }

    #[test]
    fn what_a_slowest_speed_allows_is_said() {
        // Four nodes, one or three of them at half speed: 4/3.5 - 1 to 4/2.5 - 1.
        for wanted in [0.1, 0.7] {
            let error = with_slowest(Family::Uniform, wanted, 0.5, &[0.1, 0.4, 0.7, 0.9]).unwrap_err();
            assert!(error.to_string().contains("from 0.1429 to 0.6000"), "{error}");
        }
        assert_eq!(with_slowest(Family::Uniform, 0.0, 0.5, &[0.3]), Err(DiversityError::Single));
        assert_eq!(with_slowest(Family::ClockRates, 0.0, 1.0, &[0.3, 0.2]), Ok(vec![1.0; 2]));
    }

    proptest! {
        #[test]
        fn diversity_and_slowest_are_exact(
            family in prop::sample::select(Family::ALL),
            share in 0.0..=1.0f64, slowest in 0.01..0.99f64, nodes in 2usize..60, seed: u64,
        ) {
            let draws: Vec<f64> = (0..nodes as u64).map(|n| Streams::new(seed, 0).stream("speed", n).random()).collect();
            let n = nodes as f64;
            let (least, most) = (n / (n - 1.0 + slowest) - 1.0, n / (1.0 + (n - 1.0) * slowest) - 1.0);
            let wanted = least + share * (most - least);
            let speeds = with_slowest(family, wanted, slowest, &draws).unwrap();
            prop_assert!((diversity(&speeds) - wanted).abs() < 1e-9);
            prop_assert_eq!(speeds.iter().copied().fold(0.0, f64::max), 1.0);
            prop_assert_eq!(speeds.iter().copied().fold(f64::INFINITY, f64::min), slowest);
            // The nodes are in the order of their draws, for any family.
            let mut order: Vec<usize> = (0..nodes).collect();
            order.sort_by(|&a, &b| draws[a].total_cmp(&draws[b]));
            prop_assert!(order.windows(2).all(|pair| speeds[pair[0]] <= speeds[pair[1]]));
        }

        #[test]
        fn the_diversity_is_the_one_wanted(
            family in prop::sample::select(Family::ALL),
            wanted in 0.0..0.4f64, nodes in 4usize..60, seed: u64,
        ) {
            let draws: Vec<f64> = (0..nodes as u64).map(|n| Streams::new(seed, 0).stream("speed", n).random()).collect();
            if let Ok(speeds) = with_diversity(family, wanted, &draws) {
                prop_assert!((diversity(&speeds) - wanted).abs() < 1e-9);
                prop_assert!(speeds.iter().all(|&speed| speed > 0.0 && speed <= 1.0));
            }
        }
    }
}
