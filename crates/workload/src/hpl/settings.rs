//! The ways of HPL that its input names: how panels and rows travel.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the factorisation of a panel is simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Factorisation {
    /// As one step of its column, whose messages meet nothing else and which external load does not slow.
    OneStep,
    /// Call by call and message by message: several times as many events.
    Messages,
}

/// How a panel goes along its row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum PanelBroadcast {
    /// From each process to the next.
    #[serde(rename = "1ring")]
    OneRing,
    /// The same, but the next process after the root is served alone and passes nothing on.
    #[default]
    #[serde(rename = "1ring_modified")]
    OneRingModified,
    /// In two chains, each over half of the row.
    #[serde(rename = "2ring")]
    TwoRing,
    /// The same, but the next process after the root is served alone.
    #[serde(rename = "2ring_modified")]
    TwoRingModified,
    /// In pieces: scattered down a tree, then gathered around the ring. It blocks.
    #[serde(rename = "long")]
    Long,
    /// The same, but the next process after the root is served alone.
    #[serde(rename = "long_modified")]
    LongModified,
}

impl PanelBroadcast {
    /// Whether a process waits until it is over, instead of looking for it between pieces of work.
    pub(super) const fn blocks(self) -> bool {
        matches!(self, Self::Long | Self::LongModified)
    }

    /// From whom a process gets the whole panel, and to whom it passes it; as distances from the root, of `q`.
    pub(super) fn neighbours(self, distance: u32, q: u32) -> (Option<u32>, Vec<u32>) {
        let second = q.div_ceil(2);
        // Where chains begin, besides those that pass nothing on.
        let (alone, heads): (Option<u32>, Vec<u32>) = match self {
            Self::OneRing => (None, vec![1]),
            Self::OneRingModified => (Some(1), vec![2]),
            Self::TwoRing => (None, vec![1, second]),
            Self::TwoRingModified => (Some(1), vec![2, second]),
            Self::Long => (None, Vec::new()),
            Self::LongModified => (Some(1), Vec::new()),
        };
        let is_head = |place: u32| heads.contains(&place) || alone == Some(place);
        if distance == 0 {
            let mut served: Vec<u32> = alone.into_iter().chain(heads.iter().copied()).filter(|&to| to < q).collect();
            served.dedup();
            return (None, served);
        }
        if self.blocks() && alone != Some(distance) {
            return (None, Vec::new());
        }
        let from = if is_head(distance) { 0 } else { distance - 1 };
        let goes_on = alone != Some(distance) && distance + 1 < q && !is_head(distance + 1);
        (Some(from), if goes_on { vec![distance + 1] } else { Vec::new() })
    }
}

/// How pivot rows are exchanged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RowSwap {
    /// Between processes at doubling distances: each round carries all of U.
    BinaryExchange,
    /// Rows are spread down a tree and rolled around the ring: as many bytes whatever the number of processes.
    Long,
    /// By binary exchange up to a number of columns, the `threshold`, and long beyond it.
    #[default]
    Mix,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each process has one that sends to it, which names it.
    #[test]
    fn whole_panels_reach_every_process() {
        use PanelBroadcast::{OneRing, OneRingModified, TwoRing, TwoRingModified};
        for kind in [OneRing, OneRingModified, TwoRing, TwoRingModified] {
            for q in 2..20 {
                let mut served: Vec<u32> = (0..q).flat_map(|distance| kind.neighbours(distance, q).1).collect();
                for distance in 1..q {
                    let from = kind.neighbours(distance, q).0.expect("a process before it");
                    assert!(kind.neighbours(from, q).1.contains(&distance), "{kind:?}, {distance} of {q}");
                }
                served.sort_unstable();
                assert_eq!(served, (1..q).collect::<Vec<_>>(), "{kind:?}, {q}");
            }
        }
    }
}
