//! How much work a run has, and how fast the nodes are that may share it.

use super::KeyError;
use hetsim_base::units::Seconds;
use hetsim_cluster::Platform;

/// The most outages of a run that make sense: as many events may wait at once, and each of them makes some.
const MOST_OUTAGES: f64 = (1u64 << 26) as f64;

/// Checks how often nodes and links fail in the least time of a run, in seconds; `key` is what takes it.
///
/// # Errors
/// If that is more often than a run can tell.
pub(super) fn check_outages(key: &str, platform: &Platform, least_s: impl FnOnce() -> f64) -> Result<(), KeyError> {
    let rate = platform.outage_rate();
    if rate == 0.0 {
        return Ok(());
    }
    let seconds = least_s();
    let outages = rate * seconds;
    KeyError::unless(outages <= MOST_OUTAGES, key, || {
        format!(
            "there would be about {outages:.1e} outages in the {} that a run takes at best; at most {MOST_OUTAGES:.1e} \
             are simulated",
            Seconds::shown(seconds)
        )
    })
}

/// The work of a run, known before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Demand {
    /// The work of the program in operations, its mean where it is drawn; without what is done twice, and without
    /// messages.
    pub operations: f64,
    /// The speed of all cores together that may compute for it, in operations per second, without load and faults.
    pub speed: f64,
}

impl Demand {
    /// The ideal time in seconds: the work over the speed, as if it could be shared out evenly and messages took no
    /// time. No run is shorter, but by chance where work is drawn.
    #[must_use]
    pub fn ideal_s(self) -> f64 {
        if self.operations > 0.0 { self.operations / self.speed } else { 0.0 }
    }
}
