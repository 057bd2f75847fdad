//! Speeds of a given diversity.
//!
//! Diversity is d_conf of Bazterra et al. (JPDC 2005, Eq. 10): a cluster of n nodes reaches at most the speedup
//! s_max = Σ v_i / v_max = n / (1 + d_conf), so d_conf = n·v_max / Σ v_i − 1: 0 where all nodes are alike.
//!
//! A family of speeds has one parameter; a node keeps its draw, and bisection finds the parameter at which the cluster
//! has exactly the diversity that is wanted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// d_conf of these speeds (Eq. 10); zero for none.
#[must_use]
pub fn diversity(speeds: &[f64]) -> f64 {
    let fastest = speeds.iter().copied().fold(0.0, f64::max);
    let total: f64 = speeds.iter().sum();
    if total > 0.0 { speeds.len() as f64 * fastest / total - 1.0 } else { 0.0 }
}

/// How speeds differ between the nodes of a generated cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// Half of the nodes (rounded up) fast, the others slower by one factor.
    TwoClass,
    /// Uniform between the slowest speed and the fastest.
    Uniform,
    /// Log-normal.
    LogNormal,
    /// A power of a uniform draw.
    PowerLaw,
}

/// Why speeds of a diversity cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum DiversityError {
    /// The family does not get that far with so many nodes and these draws.
    #[error(
        "a diversity of {wanted} is out of reach for {nodes} nodes of this family; the largest is just below {largest:.4}"
    )]
    OutOfReach {
        /// What was asked for.
        wanted: f64,
        /// The number of nodes.
        nodes: usize,
        /// The limit.
        largest: f64,
    },
}

/// Relative speeds, the fastest 1, whose diversity is `wanted`; `draws` holds a uniform draw from (0, 1) for each node.
///
/// # Errors
/// Where the family cannot reach it.
pub fn with_diversity(family: Family, wanted: f64, draws: &[f64]) -> Result<Vec<f64>, DiversityError> {
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
    // Halving reaches neighbouring floats well within 200 steps.
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

impl Family {
    /// The speed of a node with the draw `u`, the spread 0 making all alike.
    fn speed(self, node: usize, nodes: usize, u: f64, spread: f64) -> f64 {
        match self {
            Self::TwoClass if node < nodes.div_ceil(2) => 1.0,
            Self::TwoClass => 1.0 - spread,
            Self::Uniform => 1.0 - spread * u,
            Self::LogNormal => (spread * normal_quantile(u)).exp(),
            Self::PowerLaw => u.powf(spread),
        }
    }

    /// The spread beyond which speeds vanish.
    const fn widest(self) -> f64 {
        match self {
            Self::TwoClass | Self::Uniform => 1.0 - 1e-9,
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
    use crate::engine::Streams;

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
        // Half of the nodes at full speed: d_conf stays below (1 − f)/f = 1.
        assert!(with_diversity(Family::TwoClass, 0.999, &[0.5; 4]).is_ok());
        assert!(matches!(
            with_diversity(Family::TwoClass, 1.0, &[0.5; 4]),
            Err(DiversityError::OutOfReach { nodes: 4, .. })
        ));
    }

    proptest! {
        #[test]
        fn the_diversity_is_the_one_wanted(
            family in prop::sample::select(vec![Family::TwoClass, Family::Uniform, Family::LogNormal, Family::PowerLaw]),
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
