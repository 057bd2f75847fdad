//! LogP: a message of m bytes is ⌈m/w⌉ short ones of w bytes, a gap apart. Exact for short messages, and too slow for
//! long ones if the network carries a long message faster than many short ones.

use super::{Capabilities, Predictor};
use crate::cost_curve::{CostCurve, Curve};
use crate::observations::Observations;

#[derive(Debug)]
pub(super) struct Logp;

impl Predictor for Logp {
    fn capabilities(&self) -> Capabilities {
        Capabilities { heterogeneous: false, hierarchical: false, contention: false }
    }

    fn columns(&self) -> [&'static str; 4] {
        ["L", "g", "o", "o"]
    }

    /// A round trip, a train and a delayed ping-pong, all of short messages.
    fn measurements(&self, _: u32) -> u32 {
        3
    }

    fn fit(&self, observations: &Observations, packet: f64) -> CostCurve {
        let short = observations.nearest(packet);
        let gap = short.gap.max(short.send);
        CostCurve::new(
            Curve::Packets { first: gap, each: gap, packet },
            Curve::Packets { first: short.one_way, each: gap, packet },
        )
    }
}
