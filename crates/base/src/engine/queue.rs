//! The queue of events that never move: packed keys in a radix heap, and the events beside it.
//!
//! A key is one `u128`: time (64 bits), sequence number (38 bits), slot of the event (26 bits). One comparison orders
//! by time and then by number, and a move costs 16 bytes whatever the event holds.
//!
//! The queue relies on no event being scheduled before the clock. Keys up to `edge` are near: a sorted run, and a small
//! heap of keys that arrived later. Keys beyond it lie unsorted in buckets, by the highest digit (of four bits) in
//! which their time differs from the edge, and by the value of that digit. When no near key is left, the lowest bucket
//! becomes the run if it is small; otherwise its keys are dealt out to lower buckets. So a key is moved a few times in
//! sequence, while a heap of all keys would touch memory at random: with a million events the queue is three times as
//! fast. At worst all keys are near, and the queue is as fast as such a heap. `docs/performance.md` compares it with
//! other queues.

use std::cmp::Reverse;

use dary_heap::QuaternaryHeap;

use crate::units::Time;

const SLOT_BITS: u32 = 26;
const SEQUENCE_BITS: u32 = 64 - SLOT_BITS;

/// How many events may wait at once.
pub(super) const SLOTS: usize = 1 << SLOT_BITS;
/// How many events a run may schedule.
pub(super) const SEQUENCES: u64 = 1 << SEQUENCE_BITS;

#[derive(Debug)]
pub(super) struct PlainQueue<E> {
    keys: Keys,
    events: Vec<Option<E>>,
    free: Vec<u32>,
}

impl<E> PlainQueue<E> {
    pub(super) fn new() -> Self {
        Self { keys: Keys::new(), events: Vec::new(), free: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.events.len() - self.free.len()
    }

    /// Returns false if no slot is free.
    #[inline]
    pub(super) fn push(&mut self, at: Time, sequence: u64, event: E) -> bool {
        let slot = if let Some(slot) = self.free.pop() {
            self.events[slot as usize] = Some(event);
            slot
        } else {
            if self.events.len() == SLOTS {
                return false;
            }
            self.events.push(Some(event));
            (self.events.len() - 1) as u32
        };
        let low = (sequence << SLOT_BITS) | u64::from(slot);
        self.keys.push((u128::from(at.0) << 64) | u128::from(low));
        true
    }

    /// The time and the sequence number of the next event.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<(Time, u64)> {
        self.keys.peek().map(|key| (Time(time_of(key)), (key as u64) >> SLOT_BITS))
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<(Time, E)> {
        let key = self.keys.pop()?;
        let slot = (key as u64 & (SLOTS as u64 - 1)) as u32;
        self.free.push(slot);
        // A key in the queue always points to an event: `push` fills the slot, and only this line empties it.
        let event = self.events[slot as usize].take()?;
        Some((Time(time_of(key)), event))
    }
}

const fn time_of(key: u128) -> u64 {
    (key >> 64) as u64
}

const DIGIT_BITS: u32 = 4;
const DIGITS: usize = 1 << DIGIT_BITS;
const LEVELS: usize = (u64::BITS / DIGIT_BITS) as usize;
/// A bucket of at most this many keys becomes the run as it is.
const SMALL: usize = 64;

/// The keys in order.
#[derive(Debug)]
struct Keys {
    /// The keys of the last bucket, the first one at the end. All keys up to `edge` are here or in `near`.
    run: Vec<u128>,
    /// The keys that arrived later and are not beyond the edge.
    near: QuaternaryHeap<Reverse<u128>>,
    edge: u64,
    /// The keys beyond the edge: `buckets[level * DIGITS + digit]`.
    buckets: Vec<Vec<u128>>,
    /// Which levels hold keys, and which digits of each level do.
    levels: u32,
    digits: [u32; LEVELS],
}

impl Keys {
    fn new() -> Self {
        Self {
            run: Vec::new(),
            near: QuaternaryHeap::new(),
            edge: 0,
            buckets: vec![Vec::new(); LEVELS * DIGITS],
            levels: 0,
            digits: [0; LEVELS],
        }
    }

    #[inline]
    fn push(&mut self, key: u128) {
        let time = time_of(key);
        if time <= self.edge {
            self.push_near(key);
        } else {
            self.push_far(key, time);
        }
    }

    // Calls of their own keep `push` and `pop` small enough to be inlined.
    #[inline(never)]
    fn push_near(&mut self, key: u128) {
        self.near.push(Reverse(key));
    }

    #[inline(never)]
    fn pop_near(&mut self) -> Option<u128> {
        self.near.pop().map(|Reverse(key)| key)
    }

    #[inline]
    fn push_far(&mut self, key: u128, time: u64) {
        let level = ((time ^ self.edge).ilog2() / DIGIT_BITS) as usize;
        let digit = (time >> (level as u32 * DIGIT_BITS)) as usize % DIGITS;
        self.buckets[level * DIGITS + digit].push(key);
        self.levels |= 1 << level;
        self.digits[level] |= 1 << digit;
    }

    #[inline]
    fn peek(&mut self) -> Option<u128> {
        if self.run.is_empty() && self.near.is_empty() {
            self.refill();
        }
        match (self.run.last(), self.near.peek()) {
            (Some(&run), Some(&Reverse(near))) => Some(run.min(near)),
            (Some(&run), None) => Some(run),
            (None, near) => near.map(|&Reverse(near)| near),
        }
    }

    #[inline]
    fn pop(&mut self) -> Option<u128> {
        if self.run.is_empty() && self.near.is_empty() {
            self.refill();
        }
        match (self.run.last(), self.near.peek()) {
            (Some(run), Some(Reverse(near))) if near < run => self.pop_near(),
            (Some(_), _) => self.run.pop(),
            (None, _) => self.pop_near(),
        }
    }

    /// Moves the edge into the lowest bucket.
    ///
    /// The new edge has the digits of the old one above the bucket's level and the bucket's own digit on it. Keys in
    /// other buckets therefore stay in place.
    #[cold]
    fn refill(&mut self) {
        if self.levels == 0 {
            return;
        }
        let level = self.levels.trailing_zeros() as usize;
        let digit = self.digits[level].trailing_zeros() as usize;
        self.digits[level] &= !(1 << digit);
        if self.digits[level] == 0 {
            self.levels &= !(1 << level);
        }
        let bucket = &mut self.buckets[level * DIGITS + digit];
        let times = bucket.iter().map(|&key| time_of(key));
        if bucket.len() <= SMALL {
            self.edge = times.max().unwrap_or(self.edge);
            self.run.append(bucket);
        } else {
            // Ties for the first place are taken at once: equal nodes do the same at the same instant.
            self.edge = times.min().unwrap_or(self.edge);
            for key in std::mem::take(bucket) {
                match time_of(key) {
                    time if time == self.edge => self.run.push(key),
                    time => self.push_far(key, time),
                }
            }
        }
        // Ties arrive in order, and the sort detects an ordered list quickly.
        self.run.sort_unstable_by(|a, b| b.cmp(a));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Near and far keys, ties and crowds come out in order while later keys go in.
        #[test]
        fn keys_come_out_in_order(
            rounds in prop::collection::vec((0u32..64, 0u64..16, 1usize..300, 0usize..300), 1..30)
        ) {
            let mut keys = Keys::new();
            let mut sorted = std::collections::BTreeSet::new();
            let (mut now, mut number) = (0u64, 0u128);
            for (shift, spread, pushes, pops) in rounds {
                for index in 0..pushes as u64 {
                    let delay = (index % 7 * spread).checked_shl(shift).unwrap_or(0) + index % 3;
                    let key = u128::from(now.saturating_add(delay)) << 64 | number;
                    number += 1;
                    keys.push(key);
                    sorted.insert(key);
                }
                for _ in 0..pops {
                    let expected = sorted.pop_first();
                    prop_assert_eq!(keys.peek(), expected);
                    prop_assert_eq!(keys.pop(), expected);
                    now = expected.map_or(now, time_of);
                }
            }
            while let Some(expected) = sorted.pop_first() {
                prop_assert_eq!(keys.pop(), Some(expected));
            }
            prop_assert_eq!(keys.pop(), None);
        }
    }
}
