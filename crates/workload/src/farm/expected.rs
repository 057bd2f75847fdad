//! What a farm's run takes, estimated before it.

use super::{Cost, FarmParameters, Protocol};
use hetsim_cluster::Platform;
use hetsim_policy::Kind;

/// As many chunks of a round are counted one by one.
const COUNTED: u32 = 100_000;

impl FarmParameters {
    /// About how many events a run of so many rounds of so many tasks handles without faults: one for each task, and
    /// one for each message of the chunks.
    #[must_use]
    pub fn expected_events(&self, tasks: u32, rounds: u32, task: &Cost, platform: &Platform) -> f64 {
        let messages = match self.protocol {
            Protocol::Plain => 2.0,
            Protocol::Signals => 4.0,
        };
        f64::from(rounds) * (f64::from(tasks) + messages * self.chunks(tasks, task, platform))
    }

    /// About how many chunks a round of tasks is dealt in, if all workers ask in turn.
    fn chunks(&self, tasks: u32, task: &Cost, platform: &Platform) -> f64 {
        let workers = platform.nodes() - 1;
        let mut policy = self.dealer(task, platform);
        if policy.kind() != Kind::SelfScheduling {
            return f64::from(workers.min(tasks));
        }
        policy.begin(tasks);
        let (mut left, mut chunks) = (tasks, 0);
        while left > 0 && chunks < COUNTED {
            left -= policy.chunk(chunks % workers, left);
            chunks += 1;
        }
        // If there are more, they are as long as these.
        f64::from(chunks) * f64::from(tasks) / f64::from(tasks - left)
    }
}
