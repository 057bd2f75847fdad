//! What one process of HPL does from its first panel to the solution.

use super::broadcast::Awaited;
use super::costs::Routine;
use super::process::{HplPart, Process};
use super::settings::Factorisation;
use hetsim_cluster::CallSize;

impl Process<'_> {
    /// Goes through the whole program.
    pub(super) async fn run(self) {
        let grid = &self.job.grid;
        if self.job.ways.looks_ahead {
            self.factor_ahead().await;
        } else {
            for panel in 0..grid.panels() {
                self.factor(panel).await;
                self.pass(&mut Awaited::new(Some(panel))).await;
                self.update(panel, grid.columns_after(panel, self.column), None).await;
            }
        }
        self.substitute().await;
        self.enter(HplPart::Solve);
    }

    /// Factors each panel while the update by the one before it goes on.
    async fn factor_ahead(&self) {
        let grid = &self.job.grid;
        self.factor(0).await;
        self.pass(&mut Awaited::new(Some(0))).await;
        for panel in 1..grid.panels() {
            let mut columns = grid.columns_after(panel - 1, self.column);
            if grid.root_column(panel) == self.column {
                let own = grid.width(panel);
                self.update(panel - 1, own, None).await;
                self.factor(panel).await;
                columns -= own;
            }
            self.update(panel - 1, columns, Some(panel)).await;
        }
        let last = grid.panels() - 1;
        self.update(last, grid.columns_after(last, self.column), None).await;
    }

    /// Factors a panel, if it is of this process's column, and copies it for its broadcast.
    async fn factor(&self, panel: u64) {
        let grid = &self.job.grid;
        if grid.root_column(panel) != self.column {
            return;
        }
        let before = self.enter(HplPart::Factorisation);
        match self.job.ways.factorisation {
            Factorisation::OneStep => {
                for (row, delay) in (0..).zip(self.job.come(panel, (self.row, self.column), self.rank.now())) {
                    self.rank.wake(grid.rank(row, self.column), delay);
                }
                self.rank.woken().await;
            }
            Factorisation::Messages => self.factor_by_messages(panel).await,
        }
        let size = CallSize::new(grid.rows_below(panel, self.row) as f64, grid.width(panel) as f64, 1.0);
        self.call(Routine::Dlacpy, size).await;
        self.enter(before);
    }

    /// Updates columns by a panel, and looks for a newer one that is awaited between pieces of that work.
    async fn update(&self, panel: u64, columns: u64, newer: Option<u64>) {
        let mut awaited = Awaited::new(newer);
        if columns == 0 {
            return self.pass(&mut awaited).await;
        }
        self.enter(HplPart::Update);
        self.poll(&mut awaited).await;
        if self.job.grid.p > 1 {
            self.swap_rows(panel, columns, &mut awaited).await;
        }
        let mut left = columns;
        while awaited.is_pending() && left > 0 {
            let slice = self.job.grid.nb.min(left);
            self.update_slice(panel, slice).await;
            left -= slice;
            self.poll(&mut awaited).await;
        }
        if left > 0 {
            self.update_slice(panel, left).await;
        }
        self.pass(&mut awaited).await;
    }

    /// Updates some columns at once.
    async fn update_slice(&self, panel: u64, columns: u64) {
        let grid = &self.job.grid;
        let (width, n) = (grid.width(panel) as f64, columns as f64);
        let rows = grid.rows_below(panel, self.row) as f64;
        let mut seconds = self.seconds(Routine::Dtrsm, CallSize::new(width, n, 1.0));
        seconds += self.seconds(Routine::Dgemm, CallSize::new(rows, n, width));
        if grid.p == 1 {
            seconds += self.seconds(Routine::Dlaswp00N, CallSize::new(width, n, 1.0));
        } else if grid.root_row(panel) == self.row {
            seconds += self.seconds(Routine::Dlatcpy, CallSize::new(width, n, 1.0));
        }
        self.compute(seconds).await;
    }
}
