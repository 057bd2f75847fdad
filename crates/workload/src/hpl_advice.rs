//! The ways to run HPL among which to choose: its grid, its blocks, and how panels and rows travel; and what each takes.

use std::fmt;
use std::ops::Range;

use hetsim_base::engine::Streams;
use hetsim_cluster::{NodeId, Platform};

use super::RunFailure;
use super::hpl::{GridOrder, HplParameters, PanelBroadcast, RowSwap};
use super::machines::{MachineChange, Machines};
use super::task_setting::{TaskSetting, measured_on};

/// A way to run HPL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HplSetting {
    /// The rows of the grid.
    pub p: u32,
    /// The columns of the grid.
    pub q: u32,
    /// How ranks are numbered on the grid.
    pub pmap: GridOrder,
    /// The length of a block.
    pub nb: u32,
    /// How a panel goes along its row of the grid.
    pub bcast: PanelBroadcast,
    /// How pivot rows are exchanged.
    pub swap: RowSwap,
    /// How many panels are factored ahead of the update.
    pub depth: u32,
}

/// The panel broadcasts with their numbers in `HPL.dat`, and as HPL abbreviates them there.
const BROADCASTS: [(PanelBroadcast, &str); 6] = [
    (PanelBroadcast::OneRing, "1rg"),
    (PanelBroadcast::OneRingModified, "1rM"),
    (PanelBroadcast::TwoRing, "2rg"),
    (PanelBroadcast::TwoRingModified, "2rM"),
    (PanelBroadcast::Long, "Lng"),
    (PanelBroadcast::LongModified, "LnM"),
];

/// The exchanges of rows, likewise.
const SWAPS: [(RowSwap, &str); 3] =
    [(RowSwap::BinaryExchange, "bin-exch"), (RowSwap::Long, "long"), (RowSwap::Mix, "mix")];

/// The lengths of blocks that are tried.
const BLOCKS: [u32; 7] = [64, 96, 128, 160, 192, 224, 256];

/// Grids are tried with at most so many rows a column, and so many columns a row.
const FLATTEST: [u32; 2] = [4, 16];

/// The numbers of the slowest nodes that are left out in turn, up to half of all, besides those of clear steps of speed.
const LEFT_OUT: [usize; 10] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32];

/// The settings that differ from one in a key.
pub type HplRound = fn(HplSetting) -> Vec<HplSetting>;

impl HplSetting {
    /// What is varied in turn, each beside the best that was found before: the grid, to which the rest adapts, comes first and
    /// again at the end.
    pub const ROUNDS: [HplRound; 7] =
        [Self::grids, Self::orders, Self::blocks, Self::broadcasts, Self::swaps, Self::depths, Self::grids];

    /// That of a scenario.
    #[must_use]
    pub const fn of(hpl: &HplParameters) -> Self {
        let &HplParameters { p, q, pmap, nb, bcast, swap, depth, .. } = hpl;
        Self { p, q, pmap, nb, bcast, swap, depth }
    }

    fn grids(self) -> Vec<Self> {
        let is_usual = |grid: &Self| grid.p <= FLATTEST[0] * grid.q && grid.q <= FLATTEST[1] * grid.p;
        self.grids_of(self.p * self.q).filter(is_usual).collect()
    }

    /// On every grid of so many ranks.
    fn grids_of(self, ranks: u32) -> impl Iterator<Item = Self> {
        (1..=ranks).filter(move |p| ranks.is_multiple_of(*p)).map(move |p| Self { p, q: ranks / p, ..self })
    }

    fn orders(self) -> Vec<Self> {
        [GridOrder::RowMajor, GridOrder::ColumnMajor].map(|pmap| Self { pmap, ..self }).into()
    }

    fn blocks(self) -> Vec<Self> {
        BLOCKS.map(|nb| Self { nb, ..self }).into()
    }

    fn broadcasts(self) -> Vec<Self> {
        BROADCASTS.map(|(bcast, _)| Self { bcast, ..self }).into()
    }

    fn swaps(self) -> Vec<Self> {
        SWAPS.map(|(swap, _)| Self { swap, ..self }).into()
    }

    fn depths(self) -> Vec<Self> {
        [0, 1].map(|depth| Self { depth, ..self }).into()
    }

    /// The broadcast's number in `HPL.dat`, and its abbreviation there.
    #[must_use]
    pub fn broadcast_in_hpl(self) -> (usize, &'static str) {
        let number = BROADCASTS.iter().position(|(bcast, _)| *bcast == self.bcast).unwrap_or_default();
        (number, BROADCASTS[number].1)
    }

    /// The same of the exchange of rows.
    #[must_use]
    pub fn swap_in_hpl(self) -> (usize, &'static str) {
        let number = SWAPS.iter().position(|(swap, _)| *swap == self.swap).unwrap_or_default();
        (number, SWAPS[number].1)
    }

    /// HPL that is run this way.
    fn put_into(self, hpl: &HplParameters) -> HplParameters {
        let Self { p, q, pmap, nb, bcast, swap, depth } = self;
        HplParameters { nb, p, q, pmap, depth, bcast, swap, ..hpl.clone() }
    }
}

/// As it stands behind "run with", by the names of `HPL.dat`.
impl fmt::Display for HplSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Self { p, q, pmap, nb, depth, .. } = self;
        let order = if pmap == GridOrder::RowMajor { "row" } else { "column" };
        let ((_, bcast), (_, swap)) = (self.broadcast_in_hpl(), self.swap_in_hpl());
        write!(f, "P × Q = {p} × {q} ({order}-major), NB {nb}, BCAST {bcast}, SWAP {swap} and DEPTH {depth}")
    }
}

impl TaskSetting for HplSetting {
    type Keys = HplParameters;

    fn completion_s(
        self,
        hpl: &HplParameters,
        platform: &Platform,
        nodes: Option<&[u32]>,
        streams: Streams,
    ) -> Result<f64, RunFailure> {
        Ok(measured_on(&self.put_into(hpl), platform, nodes, streams)?.completion_s)
    }

    /// On the grid whose shape is nearest; of equally near ones that with fewer rows.
    fn on(self, ranks: usize) -> Self {
        let shape = |grid: &Self| (f64::from(grid.p) / f64::from(grid.q)).ln();
        let off = |grid: &Self| (shape(grid) - shape(&self)).abs();
        self.grids_of(ranks as u32).min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(self)
    }
}

/// The nodes of a platform with the ranks on each as machines. All ranks have the same work, so a node is as fast as its
/// slowest rank multiplies matrices.
#[must_use]
pub fn machines(hpl: &HplParameters, platform: &Platform, nodes: &[Range<u32>]) -> Machines {
    let named = |(number, ranks): (usize, &Range<u32>)| (format!("node {number}"), ranks.clone());
    let named: Vec<(String, Range<u32>)> = nodes.iter().enumerate().map(named).collect();
    let speeds = nodes.iter().flat_map(|ranks| {
        let slowest = ranks.clone().map(|rank| hpl.rate(platform, NodeId(rank))).fold(f64::INFINITY, f64::min);
        ranks.clone().map(move |rank| (rank, slowest))
    });
    Machines::of(speeds.collect(), platform, &named)
}

/// Fewer nodes, without the slowest, if nodes differ: up to half of them, and all that are clearly slower than the others.
#[must_use]
pub fn without_slowest(machines: &Machines) -> Vec<MachineChange> {
    let kinds = &machines.kinds;
    let is_slower = |count: &usize| *count <= kinds.len() / 2 && kinds[count - 1].speed < kinds[*count].speed;
    let mut counts: Vec<usize> = LEFT_OUT.into_iter().filter(is_slower).chain(machines.slower_kinds()).collect();
    counts.sort_unstable();
    counts.dedup();
    // Fewest nodes first.
    counts.into_iter().rev().map(|count| MachineChange::Fastest(machines.nodes_without(count))).collect()
}

#[cfg(test)]
mod tests {
    use hetsim_base::units::Tick;
    use hetsim_cluster::network::Model;

    use super::*;

    fn keys(grid: &str) -> HplParameters {
        toml::from_str(&format!("n = 100\nnb = 64\n{grid}")).unwrap()
    }

    #[test]
    fn grids_of_as_many_ranks_and_of_fewer() {
        let own = HplSetting::of(&keys("p = 2\nq = 8"));
        let shapes = |settings: &[HplSetting]| settings.iter().map(|one| (one.p, one.q)).collect::<Vec<_>>();
        assert_eq!(shapes(&own.grids()), [(1, 16), (2, 8), (4, 4), (8, 2)]);
        assert_eq!(shapes(&[own.on(12), own.on(7), own.on(16)]), [(2, 6), (1, 7), (2, 8)]);
        assert!(HplSetting::ROUNDS.iter().all(|round| round(own).contains(&own)), "each varies one key");
    }

    /// Two ranks on each of three nodes. A node is as fast as its slower rank, and stays whole.
    #[test]
    fn the_slowest_node_is_that_of_the_slowest_rank() {
        let model = Model::new(&toml::from_str("model = 'ideal'").unwrap(), Tick::PICOSECOND).unwrap();
        let platform = Platform::uniform(6, model).unwrap().with_speeds(&[2.0, 2.0, 1.0, 9.0, 4.0, 4.0]).unwrap();
        let found = machines(&keys("p = 2\nq = 3"), &platform, &[0..2, 2..4, 4..6]);
        assert_eq!(found.fastest, [4, 5, 0, 1, 2, 3]);
        assert_eq!(
            found.kinds.iter().map(|kind| kind.name.as_str()).collect::<Vec<_>>(),
            ["node 1", "node 0", "node 2"]
        );
        assert_eq!(without_slowest(&found), [MachineChange::Fastest(2), MachineChange::Fastest(4)]);
        assert_eq!((found.with(&[4, 5, 0]), found.with(&[])), (2, 0));
        let equal =
            Platform::uniform(6, Model::new(&toml::from_str("model = 'ideal'").unwrap(), Tick::PICOSECOND).unwrap());
        assert_eq!(without_slowest(&machines(&keys("p = 2\nq = 3"), &equal.unwrap(), &[0..3, 3..6])), []);
    }

    /// Five slow nodes of twelve are not among the numbers that are left out in turn, and seven are more than half.
    #[test]
    fn all_clearly_slower_nodes_are_left_out_together() {
        let left = |slow: usize, speed: f64| {
            let speeds: Vec<f64> = (0..12).map(|node| if node < slow { speed } else { 1.0 }).collect();
            let model = Model::new(&toml::from_str("model = 'ideal'").unwrap(), Tick::PICOSECOND).unwrap();
            let platform = Platform::uniform(12, model).unwrap().with_speeds(&speeds).unwrap();
            let nodes: Vec<Range<u32>> = (0..12).map(|node| node..node + 1).collect();
            without_slowest(&machines(&keys("p = 3\nq = 4"), &platform, &nodes))
        };
        assert_eq!(left(5, 0.1), [MachineChange::Fastest(7)]);
        assert_eq!(left(7, 0.1), [MachineChange::Fastest(5)]);
        assert_eq!(left(5, 0.95), []);
        assert_eq!(left(4, 0.95), [MachineChange::Fastest(8)]);
    }
}
