//! A way to run tasks among which to choose: what advice needs of those of farms and of task graphs.

use hetsim_base::engine::Streams;
use hetsim_cluster::Platform;

use super::RunFailure;

/// A way to run tasks.
pub trait TaskSetting: Copy + Send + Sync + 'static {
    /// The keys of the workload that has the tasks.
    type Keys: Clone + Send + Sync + 'static;

    /// When the last task is done, in seconds, on all nodes of a platform that run tasks or on these.
    ///
    /// # Errors
    /// Why it cannot run.
    fn completion_s(
        self,
        keys: &Self::Keys,
        platform: &Platform,
        nodes: Option<&[u32]>,
        streams: Streams,
    ) -> Result<f64, RunFailure>;

    /// Whether it names nodes by their numbers, which others would have if there were other nodes.
    fn names_nodes(self) -> bool {
        false
    }
}
