//! The back substitution: block after block up the diagonal.

use super::costs::Routine;
use super::process::{HplPart, Process, tag};
use hetsim_cluster::CallSize;

impl Process<'_> {
    /// Solves the triangular system that the factorisation leaves.
    ///
    /// The process on the diagonal solves for its block, which goes up its column around the ring. Each process of the
    /// column brings its part of the right-hand side up to date; what the column before it needs next goes there first.
    pub(super) async fn substitute(&self) {
        self.enter(HplPart::Solve);
        let grid = &self.job.grid;
        let last = grid.panels() - 1;
        for block in (0..=last).rev().filter(|&block| grid.root_column(block) == self.column) {
            let tag = tag(HplPart::Solve, block);
            let urgent = self.urgent_rows(block);
            if grid.q > 1 && block < last {
                let right = grid.rank(self.row, (self.column + 1) % grid.q);
                self.rank.receive(right, 8 * self.urgent_rows(block + 1), tag + 1).await;
            }
            self.share_solution(block, tag).await;
            let width = grid.width(block) as f64;
            self.call(Routine::Dgemv, CallSize::new(urgent as f64, width, 1.0)).await;
            if grid.q > 1 && block > 0 {
                let left = grid.rank(self.row, (self.column + grid.q - 1) % grid.q);
                self.rank.send(left, 8 * urgent, tag).await;
            }
            let rest = grid.rows_above(block, self.row) - urgent;
            self.call(Routine::Dgemv, CallSize::new(rest as f64, width, 1.0)).await;
        }
    }

    /// The rows that the column before needs first, of those that this process has above a block.
    fn urgent_rows(&self, block: u64) -> u64 {
        let grid = &self.job.grid;
        let most = (u64::from(grid.q) - 1) * grid.nb / u64::from(grid.p);
        most.max(grid.nb).min(grid.rows_above(block, self.row))
    }

    /// Solves for a block on the diagonal, or gets its solution; passes it up the column.
    async fn share_solution(&self, block: u64, tag: u32) {
        let grid = &self.job.grid;
        let (root, bytes) = (grid.root_row(block), 8 * grid.width(block));
        let distance = (root + grid.p - self.row) % grid.p;
        if distance == 0 {
            let width = grid.width(block) as f64;
            self.call(Routine::Dtrsv, CallSize::new(width, width, 1.0)).await;
        } else {
            let below = grid.rank((self.row + 1) % grid.p, self.column);
            self.rank.receive(below, bytes, tag).await;
        }
        if distance + 1 < grid.p {
            let above = grid.rank((self.row + grid.p - 1) % grid.p, self.column);
            self.rank.send(above, bytes, tag).await;
        }
    }
}
