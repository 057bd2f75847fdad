//! The factorisation of a panel call by call and message by message, as one process of its column goes through it.

use super::costs::Routine;
use super::panel::{PanelStep, PivotCall};
use super::process::{HplPart, Process, tag};
use hetsim_cluster::CallSize;

impl Process<'_> {
    /// Factors a panel with the other processes of the column.
    pub(super) async fn factor_by_messages(&self, panel: u64) {
        let grid = &self.job.grid;
        let is_root = grid.root_row(panel) == self.row;
        let search = self.job.search(panel).of(self.row);
        let mut rows = grid.rows_from(panel, self.row) as f64;
        for &step in self.job.steps(panel).all() {
            match step {
                PanelStep::Pivot => {
                    self.call(Routine::Idamax, CallSize::new(rows, 1.0, 1.0)).await;
                    self.find_pivot(panel, &search).await;
                    self.call(Routine::Dscal, CallSize::new(rows, 1.0, 1.0)).await;
                    rows -= f64::from(u8::from(is_root));
                }
                PanelStep::Gemv(n) => self.call(Routine::Dgemv, CallSize::new(rows, n, 1.0)).await,
                PanelStep::Ger(n) => self.call(Routine::Dger, CallSize::new(rows, n, 1.0)).await,
                PanelStep::Solve { columns, width } => {
                    let size = CallSize::new(width, columns, 1.0);
                    self.call(Routine::Dtrsm, size).await;
                    if is_root {
                        self.call(Routine::Dlatcpy, size).await;
                    }
                }
                PanelStep::Update { columns, depth } => {
                    self.call(Routine::Dgemm, CallSize::new(rows, columns, depth)).await;
                }
            }
        }
    }

    /// Exchanges candidates for the pivot of a column.
    async fn find_pivot(&self, panel: u64, search: &[PivotCall]) {
        let tag = tag(HplPart::Factorisation, panel);
        for &PivotCall { with, sent, received } in search {
            let with = self.job.grid.rank(with, self.column);
            match (sent, received) {
                (Some(sent), Some(received)) => self.rank.exchange(with, sent, received, tag).await,
                (Some(sent), None) => self.rank.send(with, sent, tag).await,
                (None, Some(received)) => self.rank.receive(with, received, tag).await,
                (None, None) => {}
            }
        }
    }
}
