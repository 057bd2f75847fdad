//! What a scenario's platform was calibrated by, and where the scenario leaves that.

use super::Scenario;
use super::platform::CalibrationSpec;
use hetsim_base::units::Bytes;

/// The table whose keys change no run: a run is the same without it.
pub(super) const TABLE: &str = "platform.calibration";

/// The most points that are looked at.
const MOST_POINTS: usize = 64;

impl Scenario {
    /// By what the platform of the first point was calibrated, if it was.
    #[must_use]
    pub fn calibration(&self) -> Option<&CalibrationSpec> {
        self.first.platform.as_ref()?.calibration()
    }

    /// A sentence where points lie outside of what their platform was calibrated by: their ranks, and the size of a
    /// broadcast or a collective.
    #[must_use]
    pub fn beyond_calibration(&self) -> Option<String> {
        let phrases = |point: usize| -> Option<Vec<String>> {
            let platform = self.resolver.machine_platform(point).ok()??;
            let ranks = platform.platform().nodes();
            Some(platform.calibration()?.beyond(ranks, None, self.size(point)))
        };
        let points = 0..self.points.len().min(MOST_POINTS);
        CalibrationSpec::warning(points.filter_map(phrases).flatten())
    }

    /// The size of a point's broadcast or collective.
    fn size(&self, point: usize) -> Option<u64> {
        let workload = self.resolver.varied("workload", point).ok()?;
        let kind = workload.get("kind")?.text()?;
        let size = || workload.get("size")?.text()?.parse::<Bytes>().ok();
        if ["broadcast", "collective"].contains(&kind) { size().map(Bytes::count) } else { None }
    }
}
