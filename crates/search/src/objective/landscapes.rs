//! The functions, each over `LANES` points at once: `genes[i][lane]` is coordinate i of point `lane`.
//!
//! Loops over lanes are innermost and free of branches, so that they compile to vector instructions. A single point
//! uses one lane of the same arithmetic and gives the same bits.

use std::array::from_fn;
use std::f64::consts::{E, TAU};

use super::waves::{cosine_of_turns, sine_of_turns, sine_squared};

/// One coordinate of every point.
type Lanes<const LANES: usize> = [f64; LANES];

/// Sums `term` over the coordinates, lane by lane.
#[inline]
fn sum<const LANES: usize>(genes: &[Lanes<LANES>], term: impl Fn(f64) -> f64) -> Lanes<LANES> {
    let mut total = [0.0; LANES];
    for row in genes {
        for lane in 0..LANES {
            total[lane] += term(row[lane]);
        }
    }
    total
}

/// The number of coordinates below ½.
#[inline]
pub(super) fn zeros<const LANES: usize>(genes: &[Lanes<LANES>]) -> Lanes<LANES> {
    sum(genes, |gene| if gene < 0.5 { 1.0 } else { 0.0 })
}

/// Σ x².
#[inline]
pub(super) fn sphere<const LANES: usize>(genes: &[Lanes<LANES>]) -> Lanes<LANES> {
    sum(genes, |x| x * x)
}

/// Σ 100 (x_{i+1} − x_i²)² + (1 − x_i)²; (1 − x)² for a single coordinate.
#[inline]
pub(super) fn rosenbrock<const LANES: usize>(genes: &[Lanes<LANES>]) -> Lanes<LANES> {
    let mut total = [0.0; LANES];
    if let [only] = genes {
        return from_fn(|lane| (1.0 - only[lane]).powi(2));
    }
    for pair in genes.windows(2) {
        for lane in 0..LANES {
            let (x, next) = (pair[0][lane], pair[1][lane]);
            let (valley, slope) = (next - x * x, 1.0 - x);
            total[lane] += 100.0 * (valley * valley) + slope * slope;
        }
    }
    total
}

/// Σ x² + 10 (1 − cos 2πx), the second part as 20 sin² πx.
#[inline]
pub(super) fn rastrigin<const LANES: usize>(genes: &[Lanes<LANES>]) -> Lanes<LANES> {
    sum(genes, |x| x * x + 20.0 * sine_squared(x))
}

/// −20 exp(−0.2 √(Σ x²/n)) − exp(Σ cos 2πx / n) + 20 + e, with both exponentials subtracted from 1, so that nothing
/// cancels near the optimum.
#[inline]
pub(super) fn ackley<const LANES: usize>(genes: &[Lanes<LANES>]) -> Lanes<LANES> {
    let count = genes.len().max(1) as f64;
    let squares = sphere(genes);
    let waves = sum(genes, sine_squared);
    from_fn(|lane| {
        let hollow = (-0.2 * (squares[lane] / count).sqrt()).exp_m1();
        let ripple = (-2.0 * waves[lane] / count).exp_m1();
        -20.0 * hollow - E * ripple
    })
}

/// 1 + Σ x²/4000 − Π cos(x_i / √i).
#[inline]
pub(super) fn griewank<const LANES: usize>(genes: &[Lanes<LANES>]) -> Lanes<LANES> {
    let squares = sphere(genes);
    let mut product = [1.0; LANES];
    for (row, number) in genes.iter().zip(1_u32..) {
        let turns = 1.0 / (TAU * f64::from(number).sqrt());
        for lane in 0..LANES {
            product[lane] *= cosine_of_turns(row[lane] * turns);
        }
    }
    from_fn(|lane| squares[lane] / 4000.0 + (1.0 - product[lane]))
}

/// Every coordinate of the optimum of [`schwefel`]: s = √x satisfies tan s = −s/2 with s in (6.5π, 7π).
pub(super) const SCHWEFEL_OPTIMUM: f64 = 420.968_746_359_982_03;

/// x sin √|x| at the optimum, the largest value within the domain.
const SCHWEFEL_PEAK: f64 = 418.982_887_272_433_7;

/// Σ 418.98… − x sin √|x|. The formula falls below zero beyond ±500; there the function keeps the border's value plus
/// the square of the distance from the border.
#[inline]
pub(super) fn schwefel<const LANES: usize>(genes: &[Lanes<LANES>]) -> Lanes<LANES> {
    let total = sum(genes, |x| {
        let inside = x.clamp(-500.0, 500.0);
        let beyond = x - inside;
        SCHWEFEL_PEAK - inside * sine_of_turns(inside.abs().sqrt() / TAU) + beyond * beyond
    });
    // Rounding may give a negative value at the optimum.
    from_fn(|lane| total[lane].max(0.0))
}
