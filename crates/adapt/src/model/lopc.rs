//! LoPC: LogP with queueing at the receiving node *(recalled)*. In a homogeneous all-to-all, a visit to a handler of
//! length h takes between h and √3·h (the bounds W + 2L + 2h ≤ R ≤ W + 2L + 3.46h contain two visits); the upper bound
//! is used where all ranks exchange messages. Down a tree a rank receives from one sender, so nothing queues and the
//! model is LogP.

use super::logp::Logp;
use super::{Capabilities, Predictor};
use crate::cost_curve::CostCurve;
use crate::observations::Observations;

#[derive(Debug)]
pub(super) struct Lopc;

impl Predictor for Lopc {
    fn capabilities(&self) -> Capabilities {
        Capabilities { heterogeneous: false, hierarchical: false, contention: true }
    }

    fn columns(&self) -> [&'static str; 4] {
        ["L", "g", "o", "o"]
    }

    /// The benchmarks of LogP: a handler takes o.
    fn measurements(&self, sizes: u32) -> u32 {
        Logp.measurements(sizes)
    }

    fn fit(&self, observations: &Observations, packet: f64) -> CostCurve {
        let handler = observations.nearest(packet).receive;
        CostCurve { meeting: (3.0f64.sqrt() - 1.0) * handler, ..Logp.fit(observations, packet) }
    }
}
