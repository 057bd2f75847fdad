//! The queue of events that never move: a heap of packed keys, with the events themselves beside it.
//!
//! A key is one `u128`: time (64 bits), number (38 bits), place of the event (26 bits). One comparison orders by time
//! and then by number, and the heap moves 16 bytes whatever an event holds. Measured against other queues in
//! `docs/performance.md`.

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
    keys: QuaternaryHeap<Reverse<u128>>,
    events: Vec<Option<E>>,
    free: Vec<u32>,
}

impl<E> PlainQueue<E> {
    pub(super) fn new() -> Self {
        Self { keys: QuaternaryHeap::new(), events: Vec::new(), free: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// False where no place is left.
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
        self.keys.push(Reverse((u128::from(at.0) << 64) | u128::from(low)));
        true
    }

    /// The time and the number of the next event.
    #[inline]
    pub(super) fn peek(&self) -> Option<(Time, u64)> {
        self.keys.peek().map(|&Reverse(key)| (Time((key >> 64) as u64), (key as u64) >> SLOT_BITS))
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<(Time, E)> {
        let Reverse(key) = self.keys.pop()?;
        let slot = (key as u64 & (SLOTS as u64 - 1)) as u32;
        self.free.push(slot);
        // A key in the heap always points to an event: `push` fills the place, and only this line empties it.
        let event = self.events[slot as usize].take()?;
        Some((Time((key >> 64) as u64), event))
    }
}
