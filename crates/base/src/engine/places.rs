//! A heap of keys that may change, which knows the place of each.
//!
//! Entries are named by small numbers, so a place is found by an index, where a map would hash. A node has four children:
//! half as many levels as with two, and the four lie side by side.

use crate::units::Time;

const CHILDREN: usize = 4;

/// Marks a name that is not in the heap.
const ABSENT: u32 = u32::MAX;

/// A name and its key.
#[derive(Debug, Clone, Copy)]
struct PlacedKey {
    at: Time,
    sequence: u64,
    name: u32,
}

impl PlacedKey {
    /// One number, which compares without a branch.
    #[inline]
    const fn key(&self) -> u128 {
        (self.at.0 as u128) << 64 | self.sequence as u128
    }
}

/// Names by instant and sequence number, which no two have in common; the least first.
#[derive(Debug)]
pub(super) struct PlacedHeap {
    heap: Vec<PlacedKey>,
    /// The place of each name in the heap.
    places: Vec<u32>,
}

impl PlacedHeap {
    pub(super) const fn new() -> Self {
        Self { heap: Vec::new(), places: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.heap.len()
    }

    /// The least instant and sequence number, and whose they are.
    #[inline]
    pub(super) fn first(&self) -> Option<((Time, u64), u32)> {
        self.heap.first().map(|entry| ((entry.at, entry.sequence), entry.name))
    }

    /// Sets the instant and the sequence number of a name.
    pub(super) fn set(&mut self, name: u32, (at, sequence): (Time, u64)) {
        let entry = PlacedKey { at, sequence, name };
        if name as usize >= self.places.len() {
            self.places.resize(name as usize + 1, ABSENT);
        }
        match self.places[name as usize] {
            ABSENT => {
                self.heap.push(entry);
                self.rise(self.heap.len() - 1, entry);
            }
            place => self.settle(place as usize, entry),
        }
    }

    /// Removes a name, if it is there.
    pub(super) fn remove(&mut self, name: u32) {
        let Some(place) = self.places.get_mut(name as usize) else { return };
        let place = std::mem::replace(place, ABSENT);
        if place == ABSENT {
            return;
        }
        // There is a last entry, since there is this one.
        let Some(last) = self.heap.pop() else { return };
        if (place as usize) < self.heap.len() {
            self.settle(place as usize, last);
        }
    }

    /// Puts an entry where it belongs, beginning at `place`, whose own entry is gone.
    fn settle(&mut self, place: usize, entry: PlacedKey) {
        if place > 0 && entry.key() < self.heap[(place - 1) / CHILDREN].key() {
            self.rise(place, entry);
        } else {
            self.sink(place, entry);
        }
    }

    fn rise(&mut self, mut place: usize, entry: PlacedKey) {
        while place > 0 {
            let above = (place - 1) / CHILDREN;
            if self.heap[above].key() < entry.key() {
                break;
            }
            self.put(place, self.heap[above]);
            place = above;
        }
        self.put(place, entry);
    }

    fn sink(&mut self, mut place: usize, entry: PlacedKey) {
        loop {
            let first = place * CHILDREN + 1;
            let Some(children) = self.heap.get(first..(first + CHILDREN).min(self.heap.len())) else { break };
            let (mut least, mut next) = (entry.key(), place);
            for (child, at) in children.iter().zip(first..) {
                let key = child.key();
                (least, next) = if key < least { (key, at) } else { (least, next) };
            }
            if next == place {
                break;
            }
            self.put(place, self.heap[next]);
            place = next;
        }
        self.put(place, entry);
    }

    fn put(&mut self, place: usize, entry: PlacedKey) {
        self.heap[place] = entry;
        self.places[entry.name as usize] = place as u32;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_first_is_the_least_of_all(moves in prop::collection::vec((0u32..40, 0u64..60), 1..400)) {
            let (mut heap, mut plain) = (PlacedHeap::new(), BTreeMap::new());
            for (number, (name, key)) in (0..).zip(moves) {
                if key < 50 {
                    let key = (Time(key), number);
                    heap.set(name, key);
                    plain.insert(name, key);
                } else {
                    heap.remove(name);
                    plain.remove(&name);
                }
                let least = plain.iter().map(|(&name, &key)| (key, name)).min();
                prop_assert_eq!((heap.first(), heap.len()), (least, plain.len()));
            }
            while let Some((key, name)) = heap.first() {
                prop_assert_eq!(plain.iter().map(|(&name, &key)| (key, name)).min(), Some((key, name)));
                heap.remove(name);
                plain.remove(&name);
            }
            prop_assert!(plain.is_empty());
        }
    }
}
