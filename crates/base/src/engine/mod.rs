//! The event queue, the clock and the random streams: the core of a discrete-event simulation, without clusters.
//!
//! [`Engine`] holds events of one type `E` and returns them in order of time; events of one instant return in the order
//! in which they were scheduled. Events that never move live in a radix heap of packed keys (`queue`), those that may
//! be moved or cancelled in a heap that knows their places (`movable`). Both take their sequence numbers from one counter, which also
//! breaks ties between them.
//!
//! ```
//! use hetsim_base::engine::Engine;
//! use hetsim_base::units::Time;
//!
//! let mut engine = Engine::new();
//! engine.schedule(Time(20), "late");
//! let timer = engine.schedule_movable(Time(30), "timer");
//! engine.schedule(Time(20), "later at the same instant");
//! engine.reschedule(timer, Time(10));
//!
//! let mut order = Vec::new();
//! while let Some(event) = engine.pop() {
//!     order.push((engine.now().0, event));
//! }
//! assert_eq!(order, [(10, "timer"), (20, "late"), (20, "later at the same instant")]);
//! ```

mod movable;
mod places;
mod queue;
mod stream;

use thiserror::Error;

use crate::units::Time;

pub use movable::EventId;
pub use stream::{Stream, Streams};

use movable::MovableQueue;
use queue::PlainQueue;

/// Why a simulation cannot go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EngineError {
    /// An event would lie beyond the last instant of a 64-bit clock.
    #[error(
        "the run outgrows the clock: an event lies beyond 2^64 ticks (213 days at a tick of 1 ps); choose a longer `tick`"
    )]
    Outgrown,
    /// An event would lie before the present: a fault of the program that scheduled it.
    #[error("an event was scheduled in the past, at tick {at} when the clock stood at {now}", at = at.0, now = now.0)]
    Past {
        /// The requested instant.
        at: Time,
        /// The clock when it was scheduled.
        now: Time,
    },
    /// More events wait at once than a packed key can number.
    #[error("more than {} events wait at once", queue::SLOTS)]
    TooManyPending,
    /// More events were scheduled than a packed key can number.
    #[error("more than {} events were scheduled in one run", queue::SEQUENCES)]
    TooManyEvents,
}

/// The clock and the pending events.
#[derive(Debug)]
pub struct Engine<E> {
    plain: PlainQueue<E>,
    movable: MovableQueue<E>,
    sequence: u64,
    now: Time,
    handled: u64,
    fault: Option<EngineError>,
}

impl<E> Default for Engine<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E> Engine<E> {
    /// An engine at time zero without events.
    #[must_use]
    pub fn new() -> Self {
        Self {
            plain: PlainQueue::new(),
            movable: MovableQueue::new(),
            sequence: 0,
            now: Time::ZERO,
            handled: 0,
            fault: None,
        }
    }

    /// The time of the event that was popped last.
    #[must_use]
    pub const fn now(&self) -> Time {
        self.now
    }

    /// The number of the event that was scheduled or moved last, counted over the whole run.
    #[must_use]
    pub const fn last_number(&self) -> u64 {
        self.sequence.saturating_sub(1)
    }

    /// The number of the next event.
    pub fn next_number(&mut self) -> Option<u64> {
        let next = self.plain.peek().into_iter().chain(self.movable.peek()).min();
        next.map(|(_, number)| number)
    }

    /// How many events have been popped.
    #[must_use]
    pub const fn handled(&self) -> u64 {
        self.handled
    }

    /// How many events are pending.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.plain.len() + self.movable.len()
    }

    /// What stopped the engine, if anything did. After a fault [`pop`](Self::pop) returns `None`.
    #[must_use]
    pub const fn fault(&self) -> Option<EngineError> {
        self.fault
    }

    /// Schedules an event that is neither moved nor cancelled later.
    #[inline]
    pub fn schedule(&mut self, at: Time, event: E) {
        let sequence = self.admit(at);
        if !self.plain.push(at, sequence, event) {
            self.fault = Some(EngineError::TooManyPending);
        }
    }

    /// Schedules an event that may be moved or cancelled until it is popped.
    pub fn schedule_movable(&mut self, at: Time, event: E) -> EventId {
        self.schedule_movable_with(at, |_| event)
    }

    /// [`schedule_movable`](Self::schedule_movable) for an event that holds its own id.
    pub fn schedule_movable_with(&mut self, at: Time, event: impl FnOnce(EventId) -> E) -> EventId {
        let sequence = self.admit(at);
        self.movable.push(at, sequence, event)
    }

    /// Moves an event to another instant, behind the events already there. Returns false if the event is gone.
    pub fn reschedule(&mut self, id: EventId, at: Time) -> bool {
        let sequence = self.admit(at);
        self.movable.change(id, at, sequence)
    }

    /// Makes the event stand at `at`, or removes it if `at` is `None`: moves the event that `id` names, schedules a new
    /// one, or cancels it. Returns its id.
    pub fn plan(&mut self, id: Option<EventId>, at: Option<Time>, event: impl FnOnce() -> E) -> Option<EventId> {
        match (id, at) {
            (Some(id), Some(at)) => {
                self.reschedule(id, at);
                Some(id)
            }
            (None, Some(at)) => Some(self.schedule_movable(at, event())),
            (Some(id), None) => {
                self.cancel(id);
                None
            }
            (None, None) => None,
        }
    }

    /// Removes an event. Returns `None` if it is gone.
    pub fn cancel(&mut self, id: EventId) -> Option<E> {
        self.movable.remove(id)
    }

    /// The time of the next event.
    #[must_use]
    pub fn next_time(&mut self) -> Option<Time> {
        match (self.plain.peek(), self.movable.peek()) {
            (None, None) => None,
            (Some((time, _)), None) | (None, Some((time, _))) => Some(time),
            (Some((plain, _)), Some((movable, _))) => Some(plain.min(movable)),
        }
    }

    /// Takes the next event and sets the clock to its time. Returns `None` at the end and after a fault.
    #[inline]
    pub fn pop(&mut self) -> Option<E> {
        if self.fault.is_some() {
            return None;
        }
        let movable_first = match (self.movable.peek(), self.plain.peek()) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(movable), Some(plain)) => movable < plain,
        };
        let (time, event) = if movable_first { self.movable.pop()? } else { self.plain.pop()? };
        self.now = time;
        self.handled += 1;
        Some(event)
    }

    /// Takes the next event unless it lies after `limit`; in that case sets the clock to `limit`.
    pub fn pop_until(&mut self, limit: Time) -> Option<E> {
        if self.next_time().is_some_and(|time| time <= limit) {
            return self.pop();
        }
        self.now = self.now.max(limit);
        None
    }

    /// Sets the clock to `at`, for work outside the queue. The clock does not pass a pending event and does not go
    /// back.
    pub fn advance_to(&mut self, at: Time) {
        if self.next_time().is_none_or(|time| at <= time) {
            self.now = self.now.max(at);
        }
    }

    /// Checks an instant and numbers the event.
    #[inline]
    fn admit(&mut self, at: Time) -> u64 {
        let sequence = self.sequence;
        self.sequence += 1;
        if at < self.now || at == Time::NEVER || sequence >= queue::SEQUENCES {
            self.refuse(at, sequence);
        }
        sequence
    }

    #[cold]
    fn refuse(&mut self, at: Time, sequence: u64) {
        let fault = if at == Time::NEVER {
            EngineError::Outgrown
        } else if sequence >= queue::SEQUENCES {
            EngineError::TooManyEvents
        } else {
            EngineError::Past { at, now: self.now }
        };
        self.fault.get_or_insert(fault);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn drain<E>(engine: &mut Engine<E>) -> Vec<(u64, E)> {
        std::iter::from_fn(|| engine.pop().map(|event| (engine.now().0, event))).collect()
    }

    #[test]
    fn ties_run_in_the_order_of_scheduling_across_both_queues() {
        let mut engine = Engine::new();
        engine.schedule(Time(5), 0);
        let moved = engine.schedule_movable(Time(5), 1);
        engine.schedule(Time(5), 2);
        engine.schedule_movable(Time(5), 3);
        engine.reschedule(moved, Time(5));
        assert_eq!(drain(&mut engine), [(5, 0), (5, 2), (5, 3), (5, 1)]);
        assert_eq!(engine.handled(), 4);
    }

    #[test]
    fn cancelled_events_are_gone_and_their_ids_stay_stale() {
        let mut engine = Engine::new();
        let first = engine.schedule_movable(Time(1), "first");
        assert_eq!(engine.cancel(first), Some("first"));
        let second = engine.schedule_movable(Time(2), "second");
        assert_eq!(engine.cancel(first), None);
        assert!(!engine.reschedule(first, Time(9)));
        assert_ne!(first, second);
        assert_eq!(drain(&mut engine), [(2, "second")]);
    }

    #[test]
    fn run_until_stops_the_clock_at_the_limit() {
        let mut engine = Engine::new();
        engine.schedule(Time(3), ());
        engine.schedule(Time(8), ());
        assert!(engine.pop_until(Time(5)).is_some());
        assert!(engine.pop_until(Time(5)).is_none());
        assert_eq!((engine.now(), engine.pending()), (Time(5), 1));
    }

    #[test]
    fn the_clock_does_not_pass_an_event() {
        let mut engine = Engine::new();
        engine.schedule(Time(8), ());
        for (at, now) in [(5, 5), (3, 5), (8, 8), (9, 8)] {
            engine.advance_to(Time(at));
            assert_eq!(engine.now(), Time(now));
        }
    }

    #[test]
    fn faults_stop_the_run() {
        let mut engine = Engine::new();
        engine.schedule(Time(4), ());
        engine.pop();
        engine.schedule(Time(3), ());
        assert!(engine.pop().is_none());
        assert_eq!(engine.fault(), Some(EngineError::Past { at: Time(3), now: Time(4) }));

        let mut engine = Engine::new();
        engine.schedule(Time(u64::MAX - 1) + Time(7), ());
        assert_eq!(engine.fault(), Some(EngineError::Outgrown));
    }

    proptest! {
        /// Any mix of operations agrees with a sorted list of (time, number) kept beside it.
        #[test]
        fn agrees_with_a_sorted_list(operations in prop::collection::vec((0u8..5, 0u64..50, 0usize..40), 1..200)) {
            let mut engine = Engine::new();
            let mut model: Vec<(u64, usize, usize)> = Vec::new();
            let mut ids = Vec::new();
            let mut number = 0;
            for (name, (kind, delay, pick)) in operations.into_iter().enumerate() {
                let at = engine.now().0 + delay;
                match kind {
                    0 => {
                        engine.schedule(Time(at), name);
                        model.push((at, number, name));
                        number += 1;
                    }
                    1 => {
                        ids.push((engine.schedule_movable(Time(at), name), name));
                        model.push((at, number, name));
                        number += 1;
                    }
                    2 | 3 if !ids.is_empty() => {
                        let (id, name) = ids[pick % ids.len()];
                        let place = model.iter().position(|&(_, _, other)| other == name);
                        if kind == 2 {
                            prop_assert_eq!(engine.cancel(id), place.map(|_| name));
                            place.map(|place| model.remove(place));
                        } else {
                            prop_assert_eq!(engine.reschedule(id, Time(at)), place.is_some());
                            if let Some(place) = place { model[place] = (at, number, name); }
                            number += 1;
                        }
                    }
                    _ => {
                        model.sort_unstable();
                        let expected = (!model.is_empty()).then(|| model.remove(0)).map(|(at, _, name)| (at, name));
                        let popped = engine.pop().map(|name| (engine.now().0, name));
                        prop_assert_eq!(popped, expected);
                    }
                }
            }
            model.sort_unstable();
            let rest: Vec<_> = model.into_iter().map(|(at, _, name)| (at, name)).collect();
            prop_assert_eq!(drain(&mut engine), rest);
        }
    }
}
