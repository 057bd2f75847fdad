//! Who sends migrants to whom.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who sends migrants to whom. Islands are numbered as the nodes on which they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Topology {
    /// Nobody to anybody: every island evolves alone.
    None,
    /// Each island to the next one, the last to the first.
    #[default]
    Ring,
    /// Island 0 to every other one, and every other one to island 0.
    Star,
    /// Every island to every other one.
    Complete,
    /// Each island to its four neighbours on a grid whose opposite edges meet, filled row by row. The number of rows is
    /// the greatest divisor of the number of islands that is not above its square root: 12 islands are 3 rows of 4, and
    /// a prime number of islands is one row, a ring in both directions. A neighbour that is so on two sides counts
    /// once.
    Torus,
}

impl Topology {
    /// The islands that `island` sends its migrants to, in ascending order: never itself, none twice.
    ///
    /// An island has as many in-neighbours as out-neighbours in every topology.
    #[must_use]
    pub fn out_neighbours(self, island: u32, islands: u32) -> Vec<u32> {
        let mut neighbours = match self {
            Self::None => Vec::new(),
            Self::Ring => vec![next(island, islands)],
            Self::Star if island > 0 => vec![0],
            Self::Star => (1..islands).collect(),
            Self::Complete => (0..islands).collect(),
            Self::Torus => torus(island, islands).to_vec(),
        };
        neighbours.sort_unstable();
        neighbours.dedup();
        neighbours.retain(|&neighbour| neighbour != island);
        neighbours
    }

    /// The islands that `island` gets migrants from, in ascending order.
    #[must_use]
    pub fn in_neighbours(self, island: u32, islands: u32) -> Vec<u32> {
        match self {
            Self::Ring if islands > 1 => vec![previous(island, islands)],
            // The others are symmetric.
            Self::None | Self::Ring | Self::Star | Self::Complete | Self::Torus => self.out_neighbours(island, islands),
        }
    }

    /// How many [`in_neighbours`](Self::in_neighbours) there are, without a list of them.
    #[must_use]
    pub fn in_degree(self, island: u32, islands: u32) -> u32 {
        match self {
            Self::None => 0,
            Self::Ring => u32::from(islands > 1),
            Self::Star if island > 0 => 1,
            Self::Star | Self::Complete => islands - 1,
            Self::Torus => self.out_neighbours(island, islands).len() as u32,
        }
    }
}

const fn next(island: u32, islands: u32) -> u32 {
    if island + 1 == islands { 0 } else { island + 1 }
}

const fn previous(island: u32, islands: u32) -> u32 {
    if island == 0 { islands - 1 } else { island - 1 }
}

/// The four neighbours on the grid.
fn torus(island: u32, islands: u32) -> [u32; 4] {
    let rows = (1..=islands.isqrt()).rev().find(|&rows| islands.is_multiple_of(rows)).unwrap_or(1);
    let columns = islands / rows;
    let (row, column) = (island / columns, island % columns);
    let at = |row: u32, column: u32| row * columns + column;
    [
        at(previous(row, rows), column),
        at(next(row, rows), column),
        at(row, previous(column, columns)),
        at(row, next(column, columns)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Topology; 5] = [Topology::None, Topology::Ring, Topology::Star, Topology::Complete, Topology::Torus];

    #[test]
    fn neighbours_by_hand() {
        assert_eq!(Topology::Ring.out_neighbours(3, 4), [0]);
        assert_eq!(Topology::Ring.in_neighbours(0, 4), [3]);
        assert_eq!(Topology::Star.out_neighbours(0, 4), [1, 2, 3]);
        assert_eq!(Topology::Star.out_neighbours(2, 4), [0]);
        assert_eq!(Topology::Complete.out_neighbours(2, 4), [0, 1, 3]);
        // Three rows of four: island 0 has 4 below it, 8 above, 1 to its right and 3 to its left.
        assert_eq!(Topology::Torus.out_neighbours(0, 12), [1, 3, 4, 8]);
        assert_eq!(Topology::Torus.out_neighbours(6, 12), [2, 5, 7, 10]);
        // Two rows: above and below are the same.
        assert_eq!(Topology::Torus.out_neighbours(0, 6), [1, 2, 3]);
        // A prime number is a ring in both directions.
        assert_eq!(Topology::Torus.out_neighbours(0, 5), [1, 4]);
    }

    #[test]
    fn who_sends_is_who_is_waited_for() {
        for topology in ALL {
            for islands in 1..=30 {
                for island in 0..islands {
                    let senders: Vec<u32> = (0..islands)
                        .filter(|&other| topology.out_neighbours(other, islands).contains(&island))
                        .collect();
                    assert_eq!(topology.in_neighbours(island, islands), senders, "{topology:?} {island} of {islands}");
                    assert_eq!(topology.in_degree(island, islands) as usize, senders.len());
                    assert!(!senders.contains(&island));
                }
            }
        }
    }
}
