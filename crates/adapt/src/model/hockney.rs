//! Hockney: α + βm, which also occupies the port.

use super::{Capabilities, Predictor};
use crate::cost_curve::{CostCurve, Curve};
use crate::observations::Observations;

#[derive(Debug)]
pub(super) struct Hockney;

impl Predictor for Hockney {
    fn capabilities(&self) -> Capabilities {
        Capabilities { heterogeneous: false, hierarchical: false, contention: false }
    }

    fn columns(&self) -> [&'static str; 4] {
        ["α", "1/β", "", ""]
    }

    /// Two round trips.
    fn measurements(&self, _: u32) -> u32 {
        2
    }

    fn fit(&self, observations: &Observations, _: f64) -> CostCurve {
        let line = observations.line(|one| one.one_way);
        CostCurve::new(Curve::Lines(vec![line]), Curve::Lines(vec![line]))
    }
}
