//! Lastovetsky et al. (LMO): C + tm + L + m/b + C + tm, and the next send after C + tm *(recalled)*: the link occupies
//! no port.

use super::{Capabilities, Predictor};
use crate::cost_curve::{CostCurve, Curve};
use crate::observations::Observations;

#[derive(Debug)]
pub(super) struct Lastovetsky;

impl Predictor for Lastovetsky {
    fn capabilities(&self) -> Capabilities {
        Capabilities { heterogeneous: true, hierarchical: false, contention: false }
    }

    fn columns(&self) -> [&'static str; 4] {
        ["T_net", "included", "L_i", "L_j"]
    }

    /// Among three nodes, at two sizes: three round trips and three one-to-two exchanges.
    fn measurements(&self, _: u32) -> u32 {
        12
    }

    fn fit(&self, observations: &Observations, _: f64) -> CostCurve {
        let processor = observations.line(|one| one.send);
        let whole = observations.line(|one| one.one_way);
        CostCurve::new(Curve::Lines(vec![processor]), Curve::Lines(vec![whole]))
    }
}
