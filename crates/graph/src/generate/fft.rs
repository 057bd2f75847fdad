//! The one-dimensional fast Fourier transform as a task graph (Topcuoglu, Hariri and Wu 2002, section 5.3). For m
//! points, a binary tree of 2m − 1 recursive calls feeds log₂ m rows of m butterflies from its m leaves; every
//! butterfly needs its own position and its partner's in the previous row. The graph has 2m − 2 + 2 m log₂ m edges. All
//! tasks of a level have the same share of work.
use schemars::JsonSchema;
use serde::Deserialize;

use super::sketch::Sketch;
use super::{GenerateError, Shape, fault};
use hetsim_base::engine::Stream;

/// `family = "fft"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fft {
    /// The number of points (m), a power of two.
    #[schemars(range(min = 2))]
    pub points: u32,
}

impl Shape for Fft {
    fn check(&self) -> Result<(), GenerateError> {
        if self.points < 2 || !self.points.is_power_of_two() {
            return fault("points", format!("must be a power of two of at least 2, not {}", self.points));
        }
        Ok(())
    }

    fn size(&self) -> (f64, f64) {
        let points = f64::from(self.points);
        let rows = f64::from(self.points.ilog2());
        (2.0 * points - 1.0 + points * rows, 2.0 * points - 2.0 + 2.0 * points * rows)
    }

    fn sketch(&self, _: &mut Stream) -> Sketch {
        let mut sketch = Sketch::with_room(self.size());
        let points = self.points;
        // The calls in heap order: call k calls 2k + 1 and 2k + 2; the last m are the leaves.
        sketch.task(1.0);
        for call in 1..2 * points - 1 {
            sketch.task(1.0);
            sketch.edge((call - 1) / 2, call, 1.0);
        }
        let mut above = points - 1;
        for row in 0..points.ilog2() {
            for place in 0..points {
                let butterfly = sketch.task(1.0);
                sketch.edge(above + place, butterfly, 1.0);
                sketch.edge(above + (place ^ (1 << row)), butterfly, 1.0);
            }
            above += points;
        }
        sketch
    }
}
