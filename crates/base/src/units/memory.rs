//! A bound on the memory of what is built before a run.
//!
//! One line of a scenario can describe a plan of terabytes. Code that lists such a plan (the steps of a collective, the
//! segments of a broadcast) computes its size in closed form beforehand, and the plan is refused above a bound: 2 GiB,
//! or the value of the environment variable `HETSIM_PLAN_MEMORY` (such as `8GiB`). Results do not depend on the bound.

use std::sync::OnceLock;

use super::Bytes;

/// The environment variable that raises the bound.
pub const VARIABLE: &str = "HETSIM_PLAN_MEMORY";

/// The default bound: 2 GiB.
const DEFAULT_BOUND: u64 = 2 << 30;

/// The bound in bytes. A value that is not a size is ignored, with one warning in the log.
#[must_use]
pub fn bound() -> u64 {
    static BOUND: OnceLock<u64> = OnceLock::new();
    *BOUND.get_or_init(|| match Bytes::from_environment(VARIABLE) {
        Ok(bound) => bound.map_or(DEFAULT_BOUND, Bytes::count),
        Err(fault) => {
            log::warn!("{fault}; the bound stays {}", readable(DEFAULT_BOUND));
            DEFAULT_BOUND
        }
    })
}

/// Checks a size against the [bound].
///
/// # Errors
/// [`TooMuch`] if `bytes` exceeds the bound.
pub fn check(bytes: impl TryInto<u64>) -> Result<(), TooMuch> {
    within(bytes.try_into().unwrap_or(u64::MAX), bound())
}

const fn within(bytes: u64, bound: u64) -> Result<(), TooMuch> {
    if bytes > bound { Err(TooMuch { bytes, bound }) } else { Ok(()) }
}

/// A plan that would take more memory than the bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{} of memory, above the bound of {} (the environment variable {VARIABLE} raises it)", readable(*bytes), readable(*bound))]
pub struct TooMuch {
    /// The size of the plan, in bytes.
    pub bytes: u64,
    /// The bound, in bytes.
    pub bound: u64,
}

/// A size for people: two digits and a unit.
fn readable(bytes: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let place = (bytes.max(1).ilog2() / 10) as usize;
    let value = bytes as f64 / (1u64 << (10 * place)) as f64;
    if place == 0 || value >= 10.0 || value.fract() == 0.0 {
        format!("{value:.0} {}", units[place])
    } else {
        format!("{value:.1} {}", units[place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_printed() {
        assert_eq!(
            [0, 512, 1 << 10, 1536, 2 << 30, 43 << 30].map(readable),
            ["0 B", "512 B", "1 KiB", "1.5 KiB", "2 GiB", "43 GiB"]
        );
        assert_eq!(readable(u64::MAX), "16 EiB");
        assert!(within(DEFAULT_BOUND, DEFAULT_BOUND).is_ok());
        let error = within(DEFAULT_BOUND + 1, DEFAULT_BOUND).unwrap_err().to_string();
        assert!(error.starts_with("2.0 GiB of memory"), "{error}");
        let error = within(u64::MAX, DEFAULT_BOUND).unwrap_err().to_string();
        assert!(error.starts_with("16 EiB of memory") && error.contains(VARIABLE), "{error}");
    }
}
