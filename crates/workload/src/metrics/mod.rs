//! How well a parallel run uses unequal nodes: speedup, effective processors, diversity.
//!
//! The definitions of V. E. Bazterra, M. Cuma, M. B. Ferraro, J. C. Facelli, *A general framework to understand
//! parallel performance in heterogeneous clusters*, J. Parallel Distrib. Comput. 65, 2005, as plain functions. K
//! operations are spread over n nodes: node i has speed v_i and a share p_i of them, with Σ p_i = 1. A metric that
//! would need a division by zero is `None`.
//!
//! Two remarks of the paper do not hold. Eq. 8 cannot exceed n, since no node is busy longer than the longest:
//! super-linear speedup shows as a speedup above [`largest_speedup`]. And the equality of Proposition 4, s = n_eff, is
//! not limited to equal speeds: it holds whenever every node that does any work is as fast as the fastest.

mod performance;

pub use performance::{Measured, Performance};

pub use hetsim_cluster::speeds::diversity;

/// T_i = K·p_i/v_i: the computing time of each node, in seconds (Eq. 1). `operations` is K.
#[must_use]
pub fn busy_times(operations: f64, shares: &[f64], speeds: &[f64]) -> Vec<f64> {
    shares.iter().zip(speeds).map(|(share, speed)| operations * share / speed).collect()
}

/// T_n = max T_i: the time of the parallel computation without idling (Eq. 2); 0 for no nodes.
#[must_use]
pub fn parallel_time(busy: &[f64]) -> f64 {
    busy.iter().copied().fold(0.0, f64::max)
}

/// T = Σ T_i: the computing time of all nodes together (Eq. 3).
#[must_use]
pub fn total_time(busy: &[f64]) -> f64 {
    busy.iter().sum()
}

/// s = T_1,min / T_n: the speedup over the best serial run on the fastest node (Eq. 4). With the completion time in
/// place of T_n it is s_tot, which includes idling (Eq. 15).
#[must_use]
pub fn speedup(serial: f64, parallel: f64) -> Option<f64> {
    ratio(serial, parallel)
}

/// s = 1 / (v_max · max(p_i/v_i)): the speedup for given shares and speeds (Eq. 5).
#[must_use]
pub fn speedup_of_shares(shares: &[f64], speeds: &[f64]) -> Option<f64> {
    ratio(1.0, fastest(speeds)? * parallel_time(&busy_times(1.0, shares, speeds)))
}

/// s_max = Σ v_i / v_max = n / (1 + d_conf): the largest speedup, reached by shares in proportion to speed (Eqs. 6, 9,
/// Proposition 3).
#[must_use]
pub fn largest_speedup(speeds: &[f64]) -> Option<f64> {
    ratio(speeds.iter().sum(), fastest(speeds)?)
}

/// e = s / s_max: the efficiency relative to the largest speedup (Eq. 7).
#[must_use]
pub fn efficiency(speedup: f64, largest: f64) -> Option<f64> {
    ratio(speedup, largest)
}

/// n_eff = T / T_n: the effective number of nodes, from 1 to n (Eq. 8).
#[must_use]
pub fn effective_processors(busy: &[f64]) -> Option<f64> {
    ratio(total_time(busy), parallel_time(busy))
}

/// n_eff from shares and speeds: Σ p_i/v_i / max(p_i/v_i) (Eq. 8).
#[must_use]
pub fn effective_processors_of_shares(shares: &[f64], speeds: &[f64]) -> Option<f64> {
    effective_processors(&busy_times(1.0, shares, speeds))
}

/// T_id = T_tot − T_n: the time of the run beyond its longest computation, in seconds (Eq. 14).
#[must_use]
pub fn idle_time(completion: f64, parallel: f64) -> f64 {
    completion - parallel
}

/// s_tot = s / (1 + T_id/T_n): the speedup including idling (Eq. 15).
#[must_use]
pub fn speedup_with_idle(speedup: f64, idle: f64, parallel: f64) -> Option<f64> {
    ratio(speedup, 1.0 + idle_diversity(idle, parallel)?)
}

/// d_id = T_id / T_n: the increase of the diversity by idling (Eq. 16).
///
/// The paper speaks of an additive increment; the exact relation is a product, see [`Performance`].
#[must_use]
pub fn idle_diversity(idle: f64, parallel: f64) -> Option<f64> {
    ratio(idle, parallel)
}

/// s_max/s − 1: the increase of the diversity by shares out of proportion to speed, analogous to d_conf and d_id.
#[must_use]
pub fn distribution_diversity(speedup: f64, largest: f64) -> Option<f64> {
    Some(ratio(largest, speedup)? - 1.0)
}

/// n·v_min / v_max: the speedup of equal shares, which the slowest node limits (Eq. 17).
#[must_use]
pub fn static_bound(speeds: &[f64]) -> Option<f64> {
    let slowest = speeds.iter().copied().fold(f64::INFINITY, f64::min);
    Some(speeds.len() as f64 * ratio(slowest, fastest(speeds)?)?)
}

/// The mean of |p_i − v_i/Σ v_k|: the distance of the shares from the best ones (Fig. 4).
#[must_use]
pub fn share_error(shares: &[f64], speeds: &[f64]) -> Option<f64> {
    fastest(speeds)?;
    let total: f64 = speeds.iter().sum();
    let error: f64 = shares.iter().zip(speeds).map(|(share, speed)| (share - speed / total).abs()).sum();
    ratio(error, speeds.len() as f64)
}

/// The greatest speed; `None` without nodes.
fn fastest(speeds: &[f64]) -> Option<f64> {
    let fastest = speeds.iter().copied().fold(0.0, f64::max);
    (fastest > 0.0).then_some(fastest)
}

/// A quotient, if it is defined.
fn ratio(part: f64, whole: f64) -> Option<f64> {
    let ratio = part / whole;
    (whole > 0.0 && ratio.is_finite()).then_some(ratio)
}

#[cfg(test)]
mod tests;
