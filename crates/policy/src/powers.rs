//! Workers as several slowest ones: the powers of the distributed self-scheduling schemes.

/// The nominal speed of each worker over that of the slowest; 0 for a worker without speed.
pub(super) fn powers(speeds: &[f64]) -> Vec<f64> {
    let slowest = speeds.iter().copied().filter(|speed| *speed > 0.0).fold(f64::INFINITY, f64::min);
    speeds.iter().map(|speed| speed / slowest).collect()
}

/// The sum of the powers, at least 1.
pub(super) fn total(powers: &[f64]) -> f64 {
    powers.iter().sum::<f64>().max(1.0)
}
