//! Steffenel 2006: pLogP's parameters and a measured factor of contention for exchanges among all ranks *(recalled)*.
//!
//! Table 1 says that it models no contention, though its own source is about contention: the table decides what it is
//! refused for, the source what it predicts.

use super::plogp::Plogp;
use super::{Capabilities, Predictor};
use crate::adapt::cost_curve::CostCurve;
use crate::adapt::observations::Observations;

#[derive(Debug)]
pub(super) struct Steffenel;

impl Predictor for Steffenel {
    fn capabilities(&self) -> Capabilities {
        Capabilities { heterogeneous: true, hierarchical: true, contention: false }
    }

    fn columns(&self) -> [&'static str; 4] {
        ["L", "g", "o_s", "o_r"]
    }

    /// Those of pLogP, and an exchange among all ranks at two sizes.
    fn measurements(&self, sizes: u32) -> u32 {
        Plogp.measurements(sizes) + 2
    }

    fn fit(&self, observations: &Observations, packet: f64) -> CostCurve {
        CostCurve { contention: observations.contention(), ..Plogp.fit(observations, packet) }
    }
}
