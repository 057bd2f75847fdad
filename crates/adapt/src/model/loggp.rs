//! LogGP: L + 2o + (m−1)G, and the next send after max(o, g + (m−1)G). G is the slope of the gap from the shortest to
//! the longest message.

use super::{Capabilities, Predictor};
use crate::cost_curve::{CostCurve, Curve};
use crate::observations::Observations;

#[derive(Debug)]
pub(super) struct Loggp;

impl Predictor for Loggp {
    fn capabilities(&self) -> Capabilities {
        Capabilities { heterogeneous: false, hierarchical: false, contention: false }
    }

    fn columns(&self) -> [&'static str; 4] {
        ["L", "g + G", "o", "o"]
    }

    /// The benchmarks of LogP, and a train of long messages.
    fn measurements(&self, _: u32) -> u32 {
        4
    }

    fn fit(&self, observations: &Observations, _: f64) -> CostCurve {
        let short = observations.shortest();
        let (gap, per_byte) = observations.line(|one| one.gap);
        let hop = (short.one_way - per_byte * short.bytes as f64).max(0.0);
        CostCurve::new(Curve::Lines(vec![(short.send, 0.0), (gap, per_byte)]), Curve::Lines(vec![(hop, per_byte)]))
    }
}
