//! pLogP: L + g(m), the next send after g(m), with g as measured at every size.

use super::{Capabilities, Predictor};
use crate::cost_curve::{CostCurve, Curve};
use crate::observations::Observations;

#[derive(Debug)]
pub(super) struct Plogp;

impl Predictor for Plogp {
    fn capabilities(&self) -> Capabilities {
        Capabilities { heterogeneous: true, hierarchical: true, contention: false }
    }

    fn columns(&self) -> [&'static str; 4] {
        ["L", "g", "o_s", "o_r"]
    }

    /// A round trip, and the gap and both overheads at every size.
    fn measurements(&self, sizes: u32) -> u32 {
        1 + 3 * sizes
    }

    fn fit(&self, observations: &Observations, _: f64) -> CostCurve {
        let table = |offset| Curve::Table { points: observations.gaps(), factor: 1.0, offset };
        CostCurve::new(table(0.0), table(observations.latency()))
    }
}
