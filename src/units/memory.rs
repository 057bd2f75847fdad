//! How much memory what is made before a run may take.
//!
//! A scenario says in a line what takes terabytes to list. So whoever lists something (the steps of a collective, the
//! segments of a broadcast) says beforehand what that takes, in a closed form, and is refused above a bound: 2 GiB, or
//! what the environment variable `HETSIM_PLAN_MEMORY` says (`8GiB`). The bound decides what is refused and nothing
//! else: results don't depend on it.

use std::sync::OnceLock;

use super::Bytes;

/// The environment variable that raises the bound.
pub const VARIABLE: &str = "HETSIM_PLAN_MEMORY";

/// The bound where nobody says otherwise: 2 GiB.
const USUAL: u64 = 2 << 30;

/// The bound in bytes. What can't be read as a size counts as not given; it is said on the log once.
#[must_use]
pub fn bound() -> u64 {
    static BOUND: OnceLock<u64> = OnceLock::new();
    *BOUND.get_or_init(|| match Bytes::from_environment(VARIABLE) {
        Ok(bound) => bound.map_or(USUAL, Bytes::count),
        Err(fault) => {
            log::warn!("{fault}; the bound stays {}", told(USUAL));
            USUAL
        }
    })
}

/// A sentence where what is to be made takes more than the [bound].
///
/// # Errors
/// What it would take, the bound, and how to raise it.
pub fn check(bytes: impl TryInto<u64>) -> Result<(), TooMuch> {
    within(bytes.try_into().unwrap_or(u64::MAX), bound())
}

const fn within(bytes: u64, bound: u64) -> Result<(), TooMuch> {
    if bytes > bound { Err(TooMuch { bytes, bound }) } else { Ok(()) }
}

/// What would take more memory than the bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{} of memory, above the bound of {} (the environment variable {VARIABLE} raises it)", told(*bytes), told(*bound))]
pub struct TooMuch {
    /// What it would take.
    pub bytes: u64,
    /// What it may take.
    pub bound: u64,
}

/// A size to be read: two digits and a unit.
fn told(bytes: u64) -> String {
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
    fn sizes_are_told() {
        assert_eq!(
            [0, 512, 1 << 10, 1536, 2 << 30, 43 << 30].map(told),
            ["0 B", "512 B", "1 KiB", "1.5 KiB", "2 GiB", "43 GiB"]
        );
        assert_eq!(told(u64::MAX), "16 EiB");
        assert!(within(USUAL, USUAL).is_ok());
        let error = within(USUAL + 1, USUAL).unwrap_err().to_string();
        assert!(error.starts_with("2.0 GiB of memory"), "{error}");
        let error = within(u64::MAX, USUAL).unwrap_err().to_string();
        assert!(error.starts_with("16 EiB of memory") && error.contains(VARIABLE), "{error}");
    }
}
