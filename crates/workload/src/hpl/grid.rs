//! The matrix over a grid of processes, block by block in turn.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How ranks are numbered on the grid.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GridOrder {
    /// Row after row: ranks in a row of the grid are neighbours.
    #[default]
    RowMajor,
    /// Column after column.
    ColumnMajor,
}

/// A matrix of some order on a grid, with the right-hand side as one more column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ProcessGrid {
    /// The order of the matrix.
    pub n: u64,
    /// The length of a block.
    pub nb: u64,
    /// The rows of the grid.
    pub p: u32,
    /// The columns of the grid.
    pub q: u32,
    /// How ranks are numbered.
    pub order: GridOrder,
}

impl ProcessGrid {
    /// The number of panels.
    pub(super) const fn panels(&self) -> u64 {
        self.n.div_ceil(self.nb)
    }

    /// The columns of a panel.
    pub(super) fn width(&self, panel: u64) -> u64 {
        self.nb.min(self.n - panel * self.nb)
    }

    /// The first row and column after a panel.
    fn after(&self, panel: u64) -> u64 {
        panel * self.nb + self.width(panel)
    }

    /// The row of the grid that has a panel's diagonal block.
    pub(super) const fn root_row(&self, panel: u64) -> u32 {
        (panel % self.p as u64) as u32
    }

    /// The column of the grid that has a panel.
    pub(super) const fn root_column(&self, panel: u64) -> u32 {
        (panel % self.q as u64) as u32
    }

    /// The rows from a panel's diagonal block on that a row of the grid has.
    pub(super) fn rows_from(&self, panel: u64, row: u32) -> u64 {
        local(self.n, self.nb, row, self.p) - local(panel * self.nb, self.nb, row, self.p)
    }

    /// The rows below a panel's diagonal block that a row of the grid has.
    pub(super) fn rows_below(&self, panel: u64, row: u32) -> u64 {
        local(self.n, self.nb, row, self.p) - local(self.after(panel), self.nb, row, self.p)
    }

    /// The rows above a panel's diagonal block that a row of the grid has.
    pub(super) fn rows_above(&self, panel: u64, row: u32) -> u64 {
        local(panel * self.nb, self.nb, row, self.p)
    }

    /// The columns right of a panel that a column of the grid has, the right-hand side with them.
    pub(super) fn columns_after(&self, panel: u64, column: u32) -> u64 {
        local(self.n + 1, self.nb, column, self.q) - local(self.after(panel), self.nb, column, self.q)
    }

    /// The row of the grid that has a row of the matrix.
    pub(super) const fn row_of(&self, row: u64) -> u32 {
        (row / self.nb % self.p as u64) as u32
    }

    /// The rank at a place of the grid.
    pub(super) const fn rank(&self, row: u32, column: u32) -> u32 {
        match self.order {
            GridOrder::RowMajor => row * self.q + column,
            GridOrder::ColumnMajor => column * self.p + row,
        }
    }

    /// The row and the column of a rank.
    pub(super) const fn place(&self, rank: u32) -> (u32, u32) {
        match self.order {
            GridOrder::RowMajor => (rank / self.q, rank % self.q),
            GridOrder::ColumnMajor => (rank % self.p, rank / self.p),
        }
    }
}

/// How many of the first `end` indices a process has, of `count` that get blocks of `nb` in turn.
fn local(end: u64, nb: u64, process: u32, count: u32) -> u64 {
    let (blocks, rest) = (end / nb, end % nb);
    let (rounds, left) = (blocks / u64::from(count), blocks % u64::from(count));
    let more = match left.cmp(&u64::from(process)) {
        std::cmp::Ordering::Greater => nb,
        std::cmp::Ordering::Equal => rest,
        std::cmp::Ordering::Less => 0,
    };
    rounds * nb + more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_and_column_is_somewhere_once() {
        for (n, nb, p, q) in [(1, 1, 1, 1), (100, 8, 3, 5), (1000, 128, 4, 2), (1024, 128, 2, 4)] {
            let grid = ProcessGrid { n, nb, p, q, order: GridOrder::RowMajor };
            for panel in 0..grid.panels() {
                let rows: u64 = (0..p).map(|row| grid.rows_from(panel, row)).sum();
                assert_eq!(rows, n - panel * nb);
                let below: u64 = (0..p).map(|row| grid.rows_below(panel, row)).sum();
                assert_eq!(below, rows - grid.width(panel));
                let columns: u64 = (0..q).map(|column| grid.columns_after(panel, column)).sum();
                assert_eq!(columns, n + 1 - panel * nb - grid.width(panel));
            }
            for row in 0..n {
                let has = |end: u64| local(end, nb, grid.row_of(row), p);
                assert_eq!(has(row + 1), has(row) + 1);
            }
        }
    }
}
