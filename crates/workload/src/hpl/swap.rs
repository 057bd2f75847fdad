//! The exchange of a panel's pivot rows among the processes of a column, and the broadcast of its rows of U to all of them.

use super::broadcast::{Awaited, roll_partner};
use super::costs::Routine;
use super::process::{HplPart, Process, tag};
use super::settings::RowSwap;
use hetsim_cluster::CallSize;

impl Process<'_> {
    /// Exchanges the pivot rows of a panel over `columns` columns, and looks for an awaited panel between rounds.
    pub(super) async fn swap_rows(&self, panel: u64, columns: u64, awaited: &mut Awaited) {
        let before = self.enter(HplPart::Swap);
        let is_long = match self.job.ways.swap {
            RowSwap::BinaryExchange => false,
            RowSwap::Long => true,
            RowSwap::Mix => columns > self.job.ways.threshold,
        };
        let swap = Swap::new(self, panel, columns);
        let own = swap.rows_of(swap.distance);
        if swap.distance == 0 {
            swap.copy(Routine::Dlaswp01T, own).await;
        } else if !is_long {
            // Before a spread only the root has rows to give.
            swap.copy(Routine::Dlaswp02N, own).await;
        }
        if is_long {
            swap.spread_and_roll(awaited).await;
        } else {
            swap.exchange(awaited).await;
        }
        self.enter(before);
    }
}

/// One exchange of rows, as a process of the column sees it.
struct Swap<'a, 'j> {
    process: &'a Process<'j>,
    /// The processes of the column.
    p: u32,
    root: u32,
    /// How far this process stands after the root.
    distance: u32,
    /// The pivot rows that each process of the column has, by its row of the grid.
    rows: std::rc::Rc<[u32]>,
    width: u64,
    columns: u64,
    tag: u32,
}

impl<'a, 'j> Swap<'a, 'j> {
    fn new(process: &'a Process<'j>, panel: u64, columns: u64) -> Self {
        let grid = &process.job.grid;
        let root = grid.root_row(panel);
        Self {
            process,
            p: grid.p,
            root,
            distance: (process.row + grid.p - root) % grid.p,
            rows: process.job.pivot_rows(panel),
            width: grid.width(panel),
            columns,
            tag: tag(HplPart::Swap, panel),
        }
    }

    /// The pivot rows of the process that stands so far after the root.
    fn rows_of(&self, distance: u32) -> u64 {
        u64::from(self.rows[((self.root + distance) % self.p) as usize])
    }

    fn rank_at(&self, distance: u32) -> u32 {
        self.process.job.grid.rank((self.root + distance) % self.p, self.process.column)
    }

    /// The bytes of all rows of U.
    const fn upper_bytes(&self) -> u64 {
        8 * self.width * self.columns
    }

    /// The bytes of so many rows on their way to the root, each with its number.
    const fn row_bytes(&self, rows: u64) -> u64 {
        8 * rows * (self.columns + 1)
    }

    async fn copy(&self, routine: Routine, rows: u64) {
        self.process.call(routine, CallSize::new(rows as f64, self.columns as f64, 1.0)).await;
    }

    /// By binary exchange.
    async fn exchange(&self, awaited: &mut Awaited) {
        let rank = &self.process.rank;
        let half = 1 << self.p.ilog2();
        if self.distance >= half {
            return self.exchange_beyond(half, awaited).await;
        }
        let beyond = self.distance + half;
        // The rows of U that have come together at each process.
        let gathered = |distance: u32| {
            let more = if distance + half < self.p { self.rows_of(distance + half) } else { 0 };
            self.rows_of(distance) + more
        };
        if beyond < self.p {
            rank.post(self.rank_at(beyond), self.row_bytes(self.rows_of(beyond)), self.tag);
            if self.distance == 0 {
                rank.send(self.rank_at(beyond), self.upper_bytes(), self.tag).await;
            }
            rank.wait(self.rank_at(beyond), self.tag).await;
        }
        let mut step = 1;
        while step < half {
            let partner = self.distance ^ step;
            let rows_at = |place: u32| {
                let first = place & !(step - 1);
                (first..first + step).map(gathered).sum::<u64>()
            };
            let bytes_of = |place: u32| {
                if place < step { self.upper_bytes() } else { self.row_bytes(rows_at(place)) }
            };
            rank.exchange(self.rank_at(partner), bytes_of(self.distance), bytes_of(partner), self.tag).await;
            if self.distance < step {
                self.copy(Routine::Dlaswp03T, rows_at(partner)).await;
            } else if self.distance < 2 * step {
                self.copy(Routine::Dlaswp04T, self.rows_of(self.distance)).await;
            }
            self.process.poll(awaited).await;
            step *= 2;
        }
        if beyond < self.p && self.distance > 0 {
            rank.send(self.rank_at(beyond), self.upper_bytes(), self.tag).await;
        }
    }

    /// The part of a process beyond the greatest power of two: it gives its rows to one below, and gets U at the end.
    async fn exchange_beyond(&self, half: u32, awaited: &mut Awaited) {
        let rank = &self.process.rank;
        let lower = self.rank_at(self.distance - half);
        rank.post(lower, self.upper_bytes(), self.tag);
        rank.send(lower, self.row_bytes(self.rows_of(self.distance)), self.tag).await;
        self.process.poll(awaited).await;
        rank.wait(lower, self.tag).await;
        self.copy(Routine::Dlaswp05T, self.rows_of(self.distance)).await;
    }

    /// By a spread of rows and a roll of U.
    async fn spread_and_roll(&self, awaited: &mut Awaited) {
        let (rank, p) = (&self.process.rank, self.p);
        let bytes_of = |rows: u64| 8 * rows * self.columns;
        let mut step = p.next_power_of_two() / 2;
        while step > 0 {
            let rows = |from: u32, to: u32| (from..to.min(p)).map(|place| self.rows_of(place)).sum::<u64>();
            let place = self.distance;
            if place.is_multiple_of(2 * step) && place + step < p {
                let bytes = bytes_of(rows(place + step, place + 2 * step));
                rank.send(self.rank_at(place + step), bytes, self.tag).await;
            } else if place % (2 * step) == step {
                rank.receive(self.rank_at(place - step), bytes_of(rows(place, place + step)), self.tag).await;
            }
            self.process.poll(awaited).await;
            step /= 2;
        }
        if self.distance > 0 {
            self.copy(Routine::Dlaswp06T, self.rows_of(self.distance)).await;
        }
        self.level_out(awaited).await;
        let each = bytes_of(self.width.div_ceil(u64::from(p)));
        for round in 0..p - 1 {
            rank.exchange(self.rank_at(roll_partner(self.distance, round, p)), each, each, self.tag).await;
            self.process.poll(awaited).await;
        }
        self.copy(Routine::Dlaswp10N, self.width).await;
    }

    /// Evens out the parts of U: what lies on the wrong side of the border between two neighbours crosses it.
    async fn level_out(&self, awaited: &mut Awaited) {
        let rank = &self.process.rank;
        let before = |place: u32| (0..place).map(|place| self.rows_of(place)).sum::<u64>();
        let wanted = |place: u32| self.width * u64::from(place) / u64::from(self.p);
        for border in [self.distance, self.distance + 1] {
            if border == 0 || border == self.p {
                continue;
            }
            let (has, wants) = (before(border), wanted(border));
            let bytes = 8 * has.abs_diff(wants) * self.columns;
            let other = if border == self.distance { border - 1 } else { border };
            // What is too much below the border goes up.
            let goes_up = has > wants;
            match (bytes, goes_up == (other > self.distance)) {
                (0, _) => {}
                (_, true) => rank.send(self.rank_at(other), bytes, self.tag).await,
                (_, false) => rank.receive(self.rank_at(other), bytes, self.tag).await,
            }
        }
        self.process.poll(awaited).await;
    }
}
