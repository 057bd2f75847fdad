//! Time steps of a stencil over a line of cells: one task per cell and step, which needs all cells within the radius,
//! including its own, from the previous step. With w cells, s steps and radius r < w, the graph has w s tasks and (s −
//! 1)(w (2r + 1) − r (r + 1)) edges.
use schemars::JsonSchema;
use serde::Deserialize;

use super::sketch::Sketch;
use super::{GenerateError, Shape, at_least, fault};
use hetsim_base::engine::Stream;
use hetsim_base::units::defaults::count;

/// `family = "stencil"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stencil {
    /// The number of cells in the line.
    #[schemars(range(min = 1))]
    pub cells: u32,
    /// The number of time steps.
    #[schemars(range(min = 1))]
    pub steps: u32,
    /// The number of neighbours that a cell needs on either side; below the number of cells.
    #[serde(default = "count::<1>")]
    pub radius: u32,
}

impl Shape for Stencil {
    fn check(&self) -> Result<(), GenerateError> {
        at_least("cells", self.cells, 1)?;
        at_least("steps", self.steps, 1)?;
        // A single cell has no neighbour, whatever the default radius.
        if self.radius >= self.cells && self.cells > 1 {
            return fault("radius", "must be below the number of cells");
        }
        Ok(())
    }

    fn size(&self) -> (f64, f64) {
        let (cells, steps) = (f64::from(self.cells), f64::from(self.steps));
        let radius = f64::from(self.radius.min(self.cells - 1));
        (cells * steps, (steps - 1.0) * (cells * (2.0 * radius + 1.0) - radius * (radius + 1.0)))
    }

    fn sketch(&self, _: &mut Stream) -> Sketch {
        let mut sketch = Sketch::with_room(self.size());
        for step in 0..self.steps {
            for cell in 0..self.cells {
                let task = sketch.task(1.0);
                if step == 0 {
                    continue;
                }
                let before = (step - 1) * self.cells;
                for near in cell.saturating_sub(self.radius)..=cell.saturating_add(self.radius).min(self.cells - 1) {
                    sketch.edge(before + near, task, 1.0);
                }
            }
        }
        sketch
    }
}
