//! The distribution of the times of calls around their mean.

use statrs::distribution::{Continuous, Gamma, LogNormal, Normal};

use hetsim_cluster::Noise;

/// A coefficient of variation below is none: clocks and rounding.
pub(super) const LEAST_VARIATION: f64 = 1e-3;

/// The share of calls that may come from elsewhere: without it, one call below the least time of a half-normal distribution
/// would rule that out.
const ELSEWHERE: f64 = 0.01;

/// How many times wider than the noise that is spread.
const WIDER: f64 = 5.0;

/// The distribution under which the times of calls over their mean are most likely, each with the coefficient of variation
/// of its processor. The first of equal ones.
pub(crate) fn distribution(ratios: &(impl Iterator<Item = (f64, f64)> + Clone)) -> Noise {
    let mut best = (f64::NEG_INFINITY, Noise::None);
    for noise in [Noise::HalfNormal, Noise::Normal, Noise::LogNormal, Noise::Gamma] {
        let noisy = ratios.clone().filter(|(_, variation)| *variation >= LEAST_VARIATION);
        let mut calls = 0;
        let likelihood: f64 =
            noisy.inspect(|_| calls += 1).map(|(ratio, variation)| log_density(noise, ratio, variation)).sum();
        if calls > 0 && likelihood > best.0 {
            best = (likelihood, noise);
        }
    }
    best.1
}

/// The logarithm of the density of a ratio whose mean is 1.
fn log_density(noise: Noise, ratio: f64, variation: f64) -> f64 {
    let normal = |width: f64| Normal::new(1.0, width).map_or(0.0, |normal| normal.pdf(ratio));
    let own = match noise {
        Noise::None => 0.0,
        Noise::Normal => normal(variation),
        Noise::HalfNormal => {
            // |N(0, 1)| has the mean √(2/π) and the variance 1 − 2/π.
            let two_over_pi = std::f64::consts::FRAC_2_PI;
            let width = variation / (1.0 - two_over_pi).sqrt();
            let least = 1.0 - width * two_over_pi.sqrt();
            let half = Normal::new(least, width).map_or(0.0, |half| 2.0 * half.pdf(ratio));
            if ratio >= least { half } else { 0.0 }
        }
        Noise::LogNormal => {
            let variance = variation.powi(2).ln_1p();
            LogNormal::new(-variance / 2.0, variance.sqrt()).map_or(0.0, |normal| normal.pdf(ratio))
        }
        Noise::Gamma => {
            let shape = variation.powi(-2);
            Gamma::new(shape, shape).map_or(0.0, |gamma| gamma.pdf(ratio))
        }
    };
    ((1.0 - ELSEWHERE) * own + ELSEWHERE * normal(WIDER * variation)).ln()
}
