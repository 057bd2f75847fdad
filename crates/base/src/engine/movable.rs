//! The queue of events that may be moved or cancelled, by their slots.
//!
//! Only active events live here (a computation under sharing or faults, the next end of a flow, a timer): a few for each
//! busy node, while the plain queue grows with every message in flight.

use super::places::PlacedHeap;
use crate::units::Time;

/// Names a movable event while it waits. The id is stale afterwards, even if its slot is used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EventId {
    slot: u32,
    generation: u32,
}

impl EventId {
    const GENERATION_BITS: u32 = 24;

    /// The id in 56 bits.
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        ((self.slot as u64) << Self::GENERATION_BITS) | self.generation as u64
    }

    /// The id of which [`to_bits`](Self::to_bits) returned these bits.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self {
            slot: (bits >> Self::GENERATION_BITS) as u32,
            generation: (bits & ((1 << Self::GENERATION_BITS) - 1)) as u32,
        }
    }
}

#[derive(Debug)]
struct Slot<E> {
    generation: u32,
    event: Option<E>,
}

#[derive(Debug)]
pub(super) struct MovableQueue<E> {
    order: PlacedHeap,
    slots: Vec<Slot<E>>,
    free: Vec<u32>,
}

impl<E> MovableQueue<E> {
    pub(super) fn new() -> Self {
        Self { order: PlacedHeap::new(), slots: Vec::new(), free: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    pub(super) fn push(&mut self, at: Time, sequence: u64, event: impl FnOnce(EventId) -> E) -> EventId {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot { generation: 0, event: None });
            (self.slots.len() - 1) as u32
        });
        let place = &mut self.slots[slot as usize];
        let id = EventId { slot, generation: place.generation };
        place.event = Some(event(id));
        self.order.set(slot, (at, sequence));
        id
    }

    pub(super) fn change(&mut self, id: EventId, at: Time, sequence: u64) -> bool {
        let holds = self.holds(id);
        if holds {
            self.order.set(id.slot, (at, sequence));
        }
        holds
    }

    pub(super) fn remove(&mut self, id: EventId) -> Option<E> {
        if !self.holds(id) {
            return None;
        }
        self.order.remove(id.slot);
        self.vacate(id.slot)
    }

    /// The time and the sequence number of the next event.
    #[inline]
    pub(super) fn peek(&self) -> Option<(Time, u64)> {
        self.order.first().map(|(key, _)| key)
    }

    pub(super) fn pop(&mut self) -> Option<(Time, E)> {
        let ((time, _), slot) = self.order.first()?;
        self.order.remove(slot);
        self.vacate(slot).map(|event| (time, event))
    }

    fn holds(&self, id: EventId) -> bool {
        self.slots.get(id.slot as usize).is_some_and(|slot| slot.generation == id.generation && slot.event.is_some())
    }

    /// Empties a slot and makes every id that named it stale.
    fn vacate(&mut self, slot: u32) -> Option<E> {
        let place = &mut self.slots[slot as usize];
        place.generation = (place.generation + 1) & ((1 << EventId::GENERATION_BITS) - 1);
        self.free.push(slot);
        place.event.take()
    }
}
