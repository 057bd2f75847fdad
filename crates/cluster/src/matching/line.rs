//! What waits in a line, found by its key: the first of those that are alike.
//!
//! Most are among the first: these are looked through. When one is not, the line begins to know where the first entry of
//! each key stands, so that a thousand messages find their receives in any order at the cost of a look-up each. Places then
//! stay empty when entries leave, and are given up when half of them are.

use std::collections::VecDeque;
use std::hash::Hash;

use rustc_hash::{FxBuildHasher, FxHashMap};

/// How many entries are looked through.
const SHORT: usize = 24;

/// Stands for the number of no entry.
const NONE: u64 = u64::MAX;

#[derive(Debug)]
struct LineEntry<K, T> {
    /// Its number, by which the line is sorted.
    number: u64,
    /// The next one of the same key, if the line has bins.
    next: u64,
    key: K,
    /// `None` if it has left.
    value: Option<T>,
}

/// The numbers of the first and the last entry of a key.
type Bins<K> = FxHashMap<K, (u64, u64)>;

/// Entries by rising number.
#[derive(Debug)]
pub(super) struct WaitLine<K, T> {
    entries: VecDeque<LineEntry<K, T>>,
    /// The number of entries that have left.
    gone: usize,
    /// None until an entry is wanted that is not among the first.
    bins: Option<Box<Bins<K>>>,
}

impl<K: Copy + Eq + Hash, T> WaitLine<K, T> {
    pub(super) const fn new() -> Self {
        Self { entries: VecDeque::new(), gone: 0, bins: None }
    }

    /// The entries in their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&K, &T)> {
        self.entries.iter().filter_map(|entry| Some((&entry.key, entry.value.as_ref()?)))
    }

    /// Inserts an entry by its number.
    pub(super) fn insert(&mut self, number: u64, key: K, value: T) {
        let entry = LineEntry { number, next: NONE, key, value: Some(value) };
        if self.entries.back().is_some_and(|last| last.number > number) {
            self.scatter();
            let place = self.place(number);
            self.entries.insert(place, entry);
            return;
        }
        self.entries.push_back(entry);
        if let Some(bins) = &mut self.bins {
            join(bins, &mut self.entries, number, key);
        }
    }

    /// Takes the first entry whose key is accepted: one of `keys`, or whatever is accepted if no keys are known. Returns
    /// its number, key and value.
    pub(super) fn take(&mut self, keys: Option<&[K]>, accepts: impl Fn(&K) -> bool) -> Option<(u64, K, T)> {
        let accepts = |entry: &LineEntry<K, T>| entry.value.is_some() && accepts(&entry.key);
        let place = match (&self.bins, keys) {
            (Some(bins), Some(keys)) => self.place(first_of(bins, keys)?),
            (None, Some(keys)) => match self.entries.iter().take(SHORT).position(accepts) {
                Some(place) => place,
                None if self.entries.len() <= SHORT => return None,
                None => {
                    self.gather();
                    self.place(first_of(self.bins.as_ref()?, keys)?)
                }
            },
            (_, None) => self.entries.iter().position(accepts)?,
        };
        let Some(bins) = &mut self.bins else {
            let entry = self.entries.remove(place)?;
            return Some((entry.number, entry.key, entry.value?));
        };
        let entry = &mut self.entries[place];
        let (number, key, next) = (entry.number, entry.key, entry.next);
        let value = entry.value.take()?;
        // What is accepted depends on the key alone, so it was the first of its bin.
        match bins.get_mut(&key) {
            Some(bin) if next != NONE => bin.0 = next,
            _ => drop(bins.remove(&key)),
        }
        self.gone += 1;
        let stay = self.entries.len() - self.gone;
        if stay <= SHORT {
            self.scatter();
        } else if self.gone > stay {
            self.close_up();
        }
        Some((number, key, value))
    }

    /// Keeps only what is to stay.
    pub(super) fn retain(&mut self, mut stays: impl FnMut(&K, &T) -> bool) {
        self.scatter();
        self.entries.retain(|entry| entry.value.as_ref().is_some_and(|value| stays(&entry.key, value)));
    }

    /// The place of a number.
    fn place(&self, number: u64) -> usize {
        self.entries.partition_point(|entry| entry.number < number)
    }

    /// Gives up the places of what has left.
    fn close_up(&mut self) {
        self.entries.retain(|entry| entry.value.is_some());
        self.gone = 0;
    }

    /// Makes bins of all entries.
    fn gather(&mut self) {
        let mut bins = Box::new(Bins::with_capacity_and_hasher(self.entries.len(), FxBuildHasher));
        for place in 0..self.entries.len() {
            let LineEntry { number, key, .. } = self.entries[place];
            self.entries[place].next = NONE;
            join(&mut bins, &mut self.entries, number, key);
        }
        self.bins = Some(bins);
    }

    /// Gives up the bins.
    fn scatter(&mut self) {
        if self.bins.take().is_some() {
            self.close_up();
        }
    }
}

/// The number of the first entry with one of some keys.
fn first_of<K: Eq + Hash>(bins: &Bins<K>, keys: &[K]) -> Option<u64> {
    keys.iter().filter_map(|key| bins.get(key)).map(|bin| bin.0).min()
}

/// Appends an entry to its bin.
fn join<K: Copy + Eq + Hash, T>(bins: &mut Bins<K>, entries: &mut VecDeque<LineEntry<K, T>>, number: u64, key: K) {
    let (_, last) = bins.entry(key).or_insert((number, number));
    let before = std::mem::replace(last, number);
    if before != number {
        let place = entries.partition_point(|entry| entry.number < before);
        entries[place].next = number;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Long lines and short ones, by the same moves, as a plain list.
        #[test]
        fn the_first_that_is_accepted_is_taken(
            moves in prop::collection::vec((0u32..40, 0u32..6, 0u64..30), 1..600), numbered in any::<bool>(),
        ) {
            let (mut line, mut plain) = (WaitLine::new(), Vec::<(u64, u32, usize)>::new());
            for (at, (key, what, back)) in moves.into_iter().enumerate() {
                match what {
                    0..3 => {
                        let number = 100 * at as u64 - if numbered { 0 } else { (100 * back + back).min(100 * at as u64) };
                        if plain.iter().all(|other| other.0 != number) {
                            line.insert(number, key, at);
                            plain.push((number, key, at));
                            plain.sort_unstable();
                        }
                    }
                    3 => {
                        line.retain(|own, _| *own != key);
                        plain.retain(|other| other.1 != key);
                    }
                    _ => {
                        let keys = [key, key + 1];
                        let place = plain.iter().position(|other| keys.contains(&other.1));
                        let taken = place.map(|place| plain.remove(place));
                        let known = (what == 4).then_some(&keys[..]);
                        prop_assert_eq!(line.take(known, |own| keys.contains(own)), taken);
                    }
                }
                prop_assert!(line.iter().map(|(key, at)| (*key, *at)).eq(plain.iter().map(|one| (one.1, one.2))));
            }
        }
    }
}
