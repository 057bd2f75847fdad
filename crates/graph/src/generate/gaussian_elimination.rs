//! Gaussian elimination of an m × m matrix by columns (Topcuoglu, Hariri and Wu 2002, section 5.3). Step k = 1 … m − 1
//! has a pivot task and an update of each later column. The graph has (m² + m − 2) / 2 tasks and m² − m − 1 edges.
//!
//! Shares of work: the pivot divides the m − k values below it; an update multiplies and subtracts as many. Shares of
//! data: the m − k values of the column that is passed on.
use schemars::JsonSchema;
use serde::Deserialize;

use super::sketch::Sketch;
use super::{GenerateError, Shape, at_least};
use hetsim_base::engine::Stream;

/// `family = "gaussian_elimination"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GaussianElimination {
    /// The size of the matrix (m).
    #[schemars(range(min = 2))]
    pub size: u32,
}

impl Shape for GaussianElimination {
    fn check(&self) -> Result<(), GenerateError> {
        at_least("size", self.size, 2)
    }

    fn size(&self) -> (f64, f64) {
        let m = f64::from(self.size);
        ((m * m + m - 2.0) / 2.0, m * m - m - 1.0)
    }

    fn sketch(&self, _: &mut Stream) -> Sketch {
        let mut sketch = Sketch::with_room(self.size());
        let m = self.size;
        // The last task that wrote each column.
        let mut writer: Vec<Option<u32>> = vec![None; m as usize];
        for k in 0..m - 1 {
            let below = f64::from(m - k - 1);
            let handed_on = f64::from(m - k);
            let pivot = sketch.task(below);
            if let Some(before) = writer[k as usize] {
                sketch.edge(before, pivot, handed_on);
            }
            for column in k + 1..m {
                let update = sketch.task(2.0 * below);
                sketch.edge(pivot, update, below);
                if let Some(before) = writer[column as usize] {
                    sketch.edge(before, update, handed_on);
                }
                writer[column as usize] = Some(update);
            }
        }
        sketch
    }
}
