//! LoGPC: LogGP with a term for network contention *(recalled)*. The term of the paper is for k-ary n-cubes; here it is
//! the measured factor by which a message's bytes take longer while all pairs communicate at once.

use super::loggp::Loggp;
use super::{Capabilities, Predictor};
use crate::cost_curve::CostCurve;
use crate::observations::Observations;

#[derive(Debug)]
pub(super) struct Logpc;

impl Predictor for Logpc {
    fn capabilities(&self) -> Capabilities {
        Capabilities { heterogeneous: false, hierarchical: false, contention: true }
    }

    fn columns(&self) -> [&'static str; 4] {
        ["L", "g + G", "o", "o"]
    }

    /// The benchmarks of LogGP, and all pairs at once.
    fn measurements(&self, sizes: u32) -> u32 {
        Loggp.measurements(sizes) + 1
    }

    fn fit(&self, observations: &Observations, packet: f64) -> CostCurve {
        CostCurve { contention: observations.contention(), ..Loggp.fit(observations, packet) }
    }
}
