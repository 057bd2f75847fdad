//! Steffenel 2006: the parameters of pLogP and a measured contention factor for exchanges among all ranks *(recalled)*.
//!
//! Table 1 says that it does not model contention, though its source is about contention: the table decides for which
//! platforms it is refused, the source what it predicts.

use super::plogp::Plogp;
use super::{Capabilities, Predictor};
use crate::cost_curve::CostCurve;
use crate::observations::Observations;

#[derive(Debug)]
pub(super) struct Steffenel;

impl Predictor for Steffenel {
    fn capabilities(&self) -> Capabilities {
        Capabilities { heterogeneous: true, hierarchical: true, contention: false }
    }

    fn columns(&self) -> [&'static str; 4] {
        ["L", "g", "o_s", "o_r"]
    }

    /// The benchmarks of pLogP, and an exchange among all ranks at two sizes.
    fn measurements(&self, sizes: u32) -> u32 {
        Plogp.measurements(sizes) + 2
    }

    fn fit(&self, observations: &Observations, packet: f64) -> CostCurve {
        CostCurve { contention: observations.contention(), ..Plogp.fit(observations, packet) }
    }
}
