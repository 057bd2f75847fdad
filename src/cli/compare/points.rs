//! What a table of a results folder has for each point, in the order of the table, which is that of the sweep.

use std::collections::BTreeMap;

/// Something for each point, by the values of its keys.
pub(super) struct ComparedPoints<T> {
    order: Vec<Vec<String>>,
    known: BTreeMap<Vec<String>, T>,
}

impl<T> Default for ComparedPoints<T> {
    fn default() -> Self {
        Self { order: Vec::new(), known: BTreeMap::new() }
    }
}

impl<T: Default> ComparedPoints<T> {
    /// What a point has; new ones come last.
    pub(super) fn entry(&mut self, point: Vec<String>) -> &mut T {
        if !self.known.contains_key(&point) {
            self.order.push(point.clone());
        }
        self.known.entry(point).or_default()
    }
}

impl<T> ComparedPoints<T> {
    /// How many points there are.
    pub(super) const fn len(&self) -> usize {
        self.order.len()
    }

    /// What a point has, if it is one of them.
    pub(super) fn get(&self, point: &[String]) -> Option<&T> {
        self.known.get(point)
    }

    /// The points in their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Vec<String>, &T)> {
        self.order.iter().filter_map(|point| Some((point, self.known.get(point)?)))
    }
}
