//! Keys that run to a bound of their search.
//!
//! What drives a key there is mostly not the key: the points hardly see it, or it stands for a mechanism that the platform
//! lacks. Its bound is then no estimate, and the other keys make up for it. So the key is taken out of the fit: the file's
//! value is put back and the others are fitted once more. Where they explain the points worse than the range of a key
//! allows, the points do say something of it, and it stays at its bound.

use super::certainty::rise_of;
use super::search::{Search, SearchPoint};
use super::{FixedKey, Halt};

/// A key that is as near to a bound as this has run to it, as the logarithm of a ratio: some steps of the search's least
/// distance, since the loss may be flat at the bound.
const NEAR: f64 = 0.01;

impl Search<'_, '_> {
    /// Fixes each key that has run to a bound, one after the other, since others may come back from theirs meanwhile.
    pub(super) fn fixed(&mut self, mut found: SearchPoint) -> Result<SearchPoint, Halt> {
        while let Some((coordinate, bound)) = self.at_bound(&found) {
            let end = rise_of(&found);
            let key = self.free.remove(coordinate);
            found.at.remove(coordinate);
            let place = self.fixed.partition_point(|other| other.key < key);
            self.fixed.insert(place, FixedKey { key, bound, value: self.keys[key].start });
            let with_own = self.fitted(found.at.clone())?;
            found = if with_own.loss <= end {
                with_own
            } else {
                self.fixed[place].value = bound;
                self.fitted(found.at)?
            };
        }
        Ok(found)
    }

    /// The best point near this one.
    fn fitted(&mut self, at: Vec<f64>) -> Result<SearchPoint, Halt> {
        let loss = self.losses(std::slice::from_ref(&at))?[0];
        self.locally(SearchPoint { at, loss })
    }

    /// The first coordinate at a bound, and the bound.
    fn at_bound(&self, found: &SearchPoint) -> Option<(usize, f64)> {
        (0..self.free.len()).find_map(|coordinate| {
            let key = self.key(coordinate);
            let (at, near) = (found.at[coordinate], NEAR / key.width());
            let bound = if at <= near { Some(key.low) } else { (at >= 1.0 - near).then_some(key.high) };
            bound.map(|bound| (coordinate, bound))
        })
    }
}
