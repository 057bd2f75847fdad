//! A complete tree from its leaves to its root: a reversed [out-tree](super::out_tree) whose leaves are numbered first.
use schemars::JsonSchema;
use serde::Deserialize;

use super::out_tree::OutTree;
use super::sketch::Sketch;
use super::{GenerateError, Shape};
use hetsim_base::engine::Stream;

/// `family = "in_tree"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct InTree(pub OutTree);

impl Shape for InTree {
    fn check(&self) -> Result<(), GenerateError> {
        self.0.check()
    }

    fn size(&self) -> (f64, f64) {
        self.0.size()
    }

    fn sketch(&self, stream: &mut Stream) -> Sketch {
        let mut sketch = self.0.sketch(stream);
        let root = sketch.weights.len() as u32 - 1;
        for (from, to, _) in &mut sketch.edges {
            (*from, *to) = (root - *to, root - *from);
        }
        sketch
    }
}
