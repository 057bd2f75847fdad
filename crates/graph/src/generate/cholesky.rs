//! Cholesky factorisation of a symmetric matrix of t × t tiles, right-looking, on the lower half. Step k factors the
//! diagonal tile (POTRF), solves the column below it (TRSM), and updates the diagonal (SYRK) and the rest (GEMM). The
//! graph has t + t (t − 1) + t (t − 1)(t − 2) / 6 tasks and (t − 1) t (t + 1) / 2 edges.
//!
//! Shares of work in b³ for tiles of b × b: 1/3, 1, 1 and 2. Every edge carries one tile.
use schemars::JsonSchema;
use serde::Deserialize;

use super::sketch::Sketch;
use super::tiles::Tiles;
use super::{GenerateError, Shape, at_least};
use hetsim_base::engine::Stream;

/// `family = "cholesky"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cholesky {
    /// The number of tiles in a row of the matrix (t).
    #[schemars(range(min = 1))]
    pub tiles: u32,
}

impl Shape for Cholesky {
    fn check(&self) -> Result<(), GenerateError> {
        at_least("tiles", self.tiles, 1)
    }

    fn size(&self) -> (f64, f64) {
        let t = f64::from(self.tiles);
        (t * t + t * (t - 1.0) * (t - 2.0) / 6.0, (t - 1.0) * t * (t + 1.0) / 2.0)
    }

    fn sketch(&self, _: &mut Stream) -> Sketch {
        let mut sketch = Sketch::with_room(self.size());
        let mut tiles = Tiles::new(self.tiles);
        for k in 0..self.tiles {
            tiles.write(&mut sketch, ("potrf", 1.0 / 3.0), (k, k), &[]);
            for row in k + 1..self.tiles {
                tiles.write(&mut sketch, ("trsm", 1.0), (row, k), &[(k, k)]);
            }
            for row in k + 1..self.tiles {
                tiles.write(&mut sketch, ("syrk", 1.0), (row, row), &[(row, k)]);
                for column in k + 1..row {
                    tiles.write(&mut sketch, ("gemm", 2.0), (row, column), &[(row, k), (column, k)]);
                }
            }
        }
        sketch
    }
}
