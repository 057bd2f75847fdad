//! A way to run a program among which to choose: what advice needs of those of farms, of task graphs and of HPL.

use hetsim_base::engine::Streams;
use hetsim_cluster::Platform;

use super::{Prepared, RunFailure, Workload};

/// A way to run a program.
pub trait TaskSetting: Copy + Send + Sync + 'static {
    /// The keys of the workload.
    type Keys: Clone + Send + Sync + 'static;

    /// When all is done, in seconds, on all nodes of a platform that take part or on these.
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

    /// The same for so many nodes, where it depends on their number.
    #[must_use]
    fn on(self, _nodes: usize) -> Self {
        self
    }

    /// Whether it names nodes by their numbers, which others would have if there were other nodes.
    fn names_nodes(self) -> bool {
        false
    }
}

/// What a run with these keys measures, on all nodes of a platform or on these alone.
///
/// # Errors
/// Why it cannot run.
pub(crate) fn measured_on<W: Workload>(
    keys: &W,
    platform: &Platform,
    nodes: Option<&[u32]>,
    streams: Streams,
) -> Result<<W::Prepared as Prepared>::Metrics, RunFailure> {
    let part = nodes.map(|nodes| platform.of_nodes(nodes.to_vec()).map_err(RunFailure::of)).transpose()?;
    let platform = part.as_ref().unwrap_or(platform);
    keys.prepare(platform)?.measure(platform, streams)
}
