//! The earliest of many changing ends: a heap that knows the position of each entry.

use hetsim_base::units::Time;

/// Children of each node of the heap; four share a cache line.
const CHILDREN: usize = 4;

/// Marks a key that is not in the heap.
const ABSENT: u32 = u32::MAX;

/// Times by small integer keys, the earliest first; ties go to the lowest key.
#[derive(Debug, Default)]
pub(crate) struct Ends {
    heap: Vec<(Time, u32)>,
    /// The position of each key in the heap; keys beyond the highest one ever set need no room.
    places: Vec<u32>,
}

impl Ends {
    /// The earliest time and its key.
    pub(crate) fn first(&self) -> Option<(Time, u32)> {
        self.heap.first().copied()
    }

    /// Sets the time of `key` to `at`; [`Time::NEVER`] removes it.
    pub(crate) fn set(&mut self, key: u32, at: Time) {
        if at == Time::NEVER {
            self.remove(key);
            return;
        }
        if key as usize >= self.places.len() {
            self.places.resize(key as usize + 1, ABSENT);
        }
        let place = self.places[key as usize];
        if place == ABSENT {
            self.heap.push((at, key));
            self.rise(self.heap.len() - 1);
        } else if self.heap[place as usize].0 != at {
            self.heap[place as usize].0 = at;
            let place = self.rise(place as usize);
            self.sink(place);
        }
    }

    /// Removes `key`, if it is present.
    pub(crate) fn remove(&mut self, key: u32) {
        let Some(place) = self.places.get_mut(key as usize) else { return };
        let place = std::mem::replace(place, ABSENT);
        if place == ABSENT {
            return;
        }
        let place = place as usize;
        self.heap.swap_remove(place);
        if place < self.heap.len() {
            let place = self.rise(place);
            self.sink(place);
        }
    }

    /// Moves the entry at `place` up to its position. Returns its new position.
    fn rise(&mut self, mut place: usize) -> usize {
        let entry = self.heap[place];
        while place > 0 {
            let parent = (place - 1) / CHILDREN;
            if self.heap[parent] <= entry {
                break;
            }
            self.put(place, self.heap[parent]);
            place = parent;
        }
        self.put(place, entry);
        place
    }

    /// Moves the entry at `place` down to its position.
    fn sink(&mut self, mut place: usize) {
        let entry = self.heap[place];
        loop {
            let first = place * CHILDREN + 1;
            let last = (first + CHILDREN).min(self.heap.len());
            let Some(next) = (first..last).min_by_key(|&child| self.heap[child]) else { break };
            if entry <= self.heap[next] {
                break;
            }
            self.put(place, self.heap[next]);
            place = next;
        }
        self.put(place, entry);
    }

    fn put(&mut self, place: usize, entry: (Time, u32)) {
        self.heap[place] = entry;
        self.places[entry.1 as usize] = place as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_first_is_the_least_of_all(moves in prop::collection::vec((0u32..40, 0u64..60), 1..300)) {
            let mut ends = Ends::default();
            let mut plain = [Time::NEVER; 40];
            for (key, at) in moves {
                let at = if at > 50 { Time::NEVER } else { Time(at) };
                ends.set(key, at);
                plain[key as usize] = at;
                let least = (0u32..).zip(plain).map(|(key, at)| (at, key)).min().filter(|end| end.0 < Time::NEVER);
                prop_assert_eq!(ends.first(), least);
            }
        }
    }
}
