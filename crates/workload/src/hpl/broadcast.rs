//! The broadcast of a panel along a row of the grid, which goes on between two pieces of other work.

use super::process::{HplPart, Process, tag};
use super::settings::PanelBroadcast;

/// A panel that a process awaits while it does other work.
#[derive(Debug)]
pub(super) struct Awaited {
    /// The panel; nothing once it has come and is passed on.
    panel: Option<u64>,
}

impl Awaited {
    /// Awaits a panel, or nothing.
    pub(super) const fn new(panel: Option<u64>) -> Self {
        Self { panel }
    }

    /// Whether it is still awaited.
    pub(super) const fn is_pending(&self) -> bool {
        self.panel.is_some()
    }
}

impl Process<'_> {
    /// Looks whether an awaited panel is there; if so, receives it and passes it on. The root passes it on at once.
    pub(super) async fn poll(&self, awaited: &mut Awaited) {
        let Some(panel) = awaited.panel else { return };
        let before = self.enter(HplPart::Broadcast);
        if self.passes_whole(panel, false).await {
            awaited.panel = None;
        }
        self.enter(before);
    }

    /// Waits for a panel, and passes it on.
    pub(super) async fn pass(&self, awaited: &mut Awaited) {
        let Some(panel) = awaited.panel.take() else { return };
        let before = self.enter(HplPart::Broadcast);
        self.passes_whole(panel, true).await;
        self.enter(before);
    }

    /// Receives a panel and passes it on. Returns false if it is not there, unless the process waits for it.
    async fn passes_whole(&self, panel: u64, waits: bool) -> bool {
        let (grid, kind) = (&self.job.grid, self.job.ways.broadcast);
        let root = grid.root_column(panel);
        let distance = (self.column + grid.q - root) % grid.q;
        let rank_at = |distance: u32| grid.rank(self.row, (root + distance) % grid.q);
        let tag = tag(HplPart::Broadcast, panel);
        let bytes = self.panel_bytes(panel);
        let (from, served) = kind.neighbours(distance, grid.q);
        if let Some(from) = from.map(rank_at) {
            if !waits && !kind.blocks() && !self.rank.probe(from, tag).await {
                return false;
            }
            self.rank.receive(from, bytes, tag).await;
        }
        for to in served {
            self.rank.send(rank_at(to), bytes, tag).await;
        }
        match kind {
            PanelBroadcast::Long if grid.q > 1 => self.spread_panel(distance, grid.q, bytes, tag, &rank_at).await,
            PanelBroadcast::LongModified if distance != 1 && grid.q > 2 => {
                let place = distance.saturating_sub(1);
                let rank_of = |place: u32| rank_at(if place == 0 { 0 } else { place + 1 });
                self.spread_panel(place, grid.q - 1, bytes, tag, &rank_of).await;
            }
            _ => {}
        }
        true
    }

    /// Scatters a panel in as many pieces as there are processes, then lets every process gather them from its
    /// neighbours.
    async fn spread_panel(&self, place: u32, count: u32, bytes: u64, tag: u32, rank_of: &impl Fn(u32) -> u32) {
        let piece = bytes / u64::from(count);
        let pieces = |from: u32, to: u32| piece * u64::from(to.min(count) - from);
        let mut step = count.next_power_of_two() / 2;
        while step > 0 {
            if place.is_multiple_of(2 * step) && place + step < count {
                self.rank.send(rank_of(place + step), pieces(place + step, place + 2 * step), tag).await;
            } else if place % (2 * step) == step {
                self.rank.receive(rank_of(place - step), pieces(place, place + step), tag).await;
            }
            step /= 2;
        }
        for round in 0..count - 1 {
            self.rank.exchange(rank_of(roll_partner(place, round, count)), piece, piece, tag).await;
        }
    }
}

/// With which neighbour a process exchanges in a round of a roll around a ring: by turns the one before and after it.
pub(super) const fn roll_partner(place: u32, round: u32, count: u32) -> u32 {
    if (place + round) % 2 == 1 { (place + count - 1) % count } else { (place + 1) % count }
}
