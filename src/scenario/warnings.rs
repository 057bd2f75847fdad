//! Warnings: what a scenario may say but hardly means.

use super::Scenario;
use super::resolve::PointSetup;

/// The most points whose workloads are looked at.
const MOST_POINTS: usize = 64;

impl Scenario {
    /// What is allowed but hardly meant, a sentence each: a tick so coarse that results change with it, and the first
    /// doubt about a workload.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let points = 0..self.points.len().min(MOST_POINTS);
        let of_workload = points.filter_map(|point| self.machine(point).ok()).find_map(|machine| {
            let PointSetup { platform, resolved } = machine;
            resolved.ready.warning(platform.as_ref().map(|platform| platform.platform()))
        });
        self.coarse_tick().into_iter().chain(of_workload).collect()
    }
}
