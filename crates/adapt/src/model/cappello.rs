//! Cappello et al. (HiHCoHP): σ + πm + λ + (m−1)/β + πm, packing and unpacking at the ends *(recalled)*. The next send
//! may start when the message is packed and its bytes have left.

use super::{Capabilities, Predictor};
use crate::cost_curve::{CostCurve, Curve};
use crate::observations::Observations;

#[derive(Debug)]
pub(super) struct Cappello;

impl Predictor for Cappello {
    fn capabilities(&self) -> Capabilities {
        Capabilities { heterogeneous: true, hierarchical: true, contention: false }
    }

    fn columns(&self) -> [&'static str; 4] {
        ["λ", "included", "π", "π"]
    }

    /// A round trip and both overheads, each at two sizes.
    fn measurements(&self, _: u32) -> u32 {
        6
    }

    fn fit(&self, observations: &Observations, _: f64) -> CostCurve {
        let packing = observations.line(|one| one.send);
        let unpacking = observations.line(|one| one.receive);
        let whole = observations.line(|one| one.one_way);
        let wire = (whole.1 - packing.1 - unpacking.1).max(0.0);
        CostCurve::new(Curve::Lines(vec![packing, (0.0, wire)]), Curve::Lines(vec![whole]))
    }
}
