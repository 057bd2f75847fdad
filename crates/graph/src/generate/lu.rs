//! LU factorisation of a matrix of t × t tiles, right-looking, without pivoting. Step k factors the diagonal tile,
//! solves its row and its column, and updates all later tiles. The graph has t + t (t − 1) + (t − 1) t (2t − 1) / 6
//! tasks and t (t − 1) + (t − 1) t (2t − 1) / 2 edges.
//!
//! Shares of work in b³ for tiles of b × b: 2/3, 1 and 2 (Golub and Van Loan, Matrix Computations). Every edge carries
//! one tile.
use schemars::JsonSchema;
use serde::Deserialize;

use super::sketch::Sketch;
use super::tiles::Tiles;
use super::{GenerateError, Shape, at_least};
use hetsim_base::engine::Stream;

/// `family = "lu"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lu {
    /// The number of tiles in a row of the matrix (t).
    #[schemars(range(min = 1))]
    pub tiles: u32,
}

impl Shape for Lu {
    fn check(&self) -> Result<(), GenerateError> {
        at_least("tiles", self.tiles, 1)
    }

    fn size(&self) -> (f64, f64) {
        let t = f64::from(self.tiles);
        let updates = (t - 1.0) * t * (2.0 * t - 1.0) / 6.0;
        (t + t * (t - 1.0) + updates, t * (t - 1.0) + 3.0 * updates)
    }

    fn sketch(&self, _: &mut Stream) -> Sketch {
        let mut sketch = Sketch::with_room(self.size());
        let mut tiles = Tiles::new(self.tiles);
        for k in 0..self.tiles {
            tiles.write(&mut sketch, ("getrf", 2.0 / 3.0), (k, k), &[]);
            for beyond in k + 1..self.tiles {
                tiles.write(&mut sketch, ("trsm", 1.0), (k, beyond), &[(k, k)]);
                tiles.write(&mut sketch, ("trsm", 1.0), (beyond, k), &[(k, k)]);
            }
            for row in k + 1..self.tiles {
                for column in k + 1..self.tiles {
                    tiles.write(&mut sketch, ("gemm", 2.0), (row, column), &[(row, k), (k, column)]);
                }
            }
        }
        sketch
    }
}
