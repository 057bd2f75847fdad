//! Ranks on a grid, each of which exchanges its faces with its neighbours: what a stencil does between two steps.

/// A grid of ranks in one, two or three dimensions; the last coordinate varies fastest with the rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// Of three dimensions; those that are not there, the first ones, are one long.
    lengths: [u32; 3],
    periodic: bool,
}

/// Why ranks make no grid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GridError {
    /// Dimensions without end, or none.
    #[error("a grid has one, two or three lengths, not {0}")]
    Dimensions(usize),
    /// A length of zero.
    #[error("a length of a grid must be at least 1")]
    Empty,
    /// Not as many places as ranks.
    #[error("a grid of {places} places needs as many ranks, there are {ranks}")]
    Places {
        /// The product of the lengths.
        places: u64,
        /// The ranks.
        ranks: u32,
    },
}

impl Grid {
    /// The grid of these lengths; where it is periodic, the last place of a line is the first one's neighbour.
    ///
    /// # Errors
    /// Where it has not as many places as there are ranks, or more than three dimensions.
    pub fn new(lengths: &[u32], periodic: bool, ranks: u32) -> Result<Self, GridError> {
        if lengths.is_empty() || lengths.len() > 3 {
            return Err(GridError::Dimensions(lengths.len()));
        }
        if lengths.contains(&0) {
            return Err(GridError::Empty);
        }
        let places = lengths.iter().fold(1u64, |product, &length| product.saturating_mul(u64::from(length)));
        if places != u64::from(ranks) {
            return Err(GridError::Places { places, ranks });
        }
        let mut all = [1; 3];
        all[3 - lengths.len()..].copy_from_slice(lengths);
        Ok(Self { lengths: all, periodic })
    }

    /// The neighbours of a rank, before and after it in each dimension. A line of one place has none, and around a line
    /// of two the same rank is on both sides.
    pub fn neighbours(self, rank: u32) -> impl Iterator<Item = u32> {
        let mut stride = 1;
        self.lengths.into_iter().rev().flat_map(move |length| {
            let (place, here) = (rank / stride % length, stride);
            stride *= length;
            let to = move |other: u32| rank - place * here + other * here;
            let before = if place > 0 { Some(place - 1) } else { self.around(length, length - 1) };
            let after = if place + 1 < length { Some(place + 1) } else { self.around(length, 0) };
            [before, after].into_iter().flatten().map(to)
        })
    }

    fn around(self, length: u32, place: u32) -> Option<u32> {
        (self.periodic && length > 1).then_some(place)
    }

    /// The number of ranks.
    #[must_use]
    pub fn ranks(self) -> u32 {
        self.lengths.iter().product()
    }
}

#[cfg(test)]
mod tests {
    use super::super::plan::StepPlan;
    use super::super::tests::moved_bytes;
    use super::*;

    fn neighbours(lengths: &[u32], periodic: bool, rank: u32) -> Vec<u32> {
        let grid = Grid::new(lengths, periodic, lengths.iter().product()).unwrap();
        let mut neighbours: Vec<u32> = grid.neighbours(rank).collect();
        neighbours.sort_unstable();
        neighbours
    }

    #[test]
    fn neighbours_by_hand() {
        assert_eq!(neighbours(&[3, 4], false, 0), [1, 4]);
        assert_eq!(neighbours(&[3, 4], false, 5), [1, 4, 6, 9]);
        assert_eq!(neighbours(&[3, 4], true, 0), [1, 3, 4, 8]);
        assert_eq!(neighbours(&[2, 3, 4], true, 0), [1, 3, 4, 8, 12, 12]);
        assert_eq!(neighbours(&[1, 1], true, 0), [0; 0]);
        assert_eq!(neighbours(&[2], true, 1), [0, 0]);
    }

    #[test]
    fn faces_by_hand() {
        // 3·4 places: 3·3 + 2·4 neighbouring pairs, each sends twice.
        assert_eq!(moved_bytes(&StepPlan::exchange(Grid::new(&[3, 4], false, 12).unwrap(), 10)), 340);
        assert_eq!(StepPlan::exchange(Grid::new(&[2, 3, 4], true, 24).unwrap(), 1).messages(), 24 * 6);
    }

    #[test]
    fn what_is_no_grid_is_said() {
        assert_eq!(Grid::new(&[3, 4], false, 13), Err(GridError::Places { places: 12, ranks: 13 }));
        assert_eq!(Grid::new(&[0, 4], false, 0), Err(GridError::Empty));
        assert_eq!(Grid::new(&[], false, 1), Err(GridError::Dimensions(0)));
        assert_eq!(Grid::new(&[1; 4], false, 1), Err(GridError::Dimensions(4)));
    }
}
