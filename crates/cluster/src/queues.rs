//! The queues of receivers in memory, into which senders write their messages one by one.

use std::collections::VecDeque;

use super::program::NodeId;
use hetsim_base::units::Time;

/// The queues of all nodes.
#[derive(Debug, Default)]
pub(super) struct Queues(Vec<Stretches>);

/// When a queue is held: disjoint stretches in order, none of which meets the next.
#[derive(Debug, Default)]
struct Stretches(VecDeque<(Time, Time)>);

impl Queues {
    /// Holds the queue of a node for a message that is ready at `ready`, in the first gap that is long enough. Returns
    /// when its turn begins. Nothing is asked for before `now` any more.
    ///
    /// Senders ask in the order of their calls, whose messages may be ready far apart: a later call may take an earlier
    /// turn, but none that is already given.
    pub(super) fn hold(&mut self, at: NodeId, nodes: usize, ready: Time, length: Time, now: Time) -> Time {
        self.0.resize_with(nodes.max(self.0.len()), Stretches::default);
        self.0[at.index()].hold(ready, length, now)
    }
}

impl Stretches {
    fn hold(&mut self, ready: Time, length: Time, now: Time) -> Time {
        while self.0.front().is_some_and(|&(_, end)| end < now) {
            self.0.pop_front();
        }
        let mut start = ready;
        let mut next = self.0.partition_point(|&(_, end)| end < ready);
        while let Some(&(begin, end)) = self.0.get(next)
            && begin < start + length
        {
            start = end;
            next += 1;
        }
        self.insert(next, start, start + length);
        start
    }

    /// Adds a stretch before the one of this number, and joins it to those that it meets.
    fn insert(&mut self, next: usize, start: Time, end: Time) {
        let meets_next = self.0.get(next).is_some_and(|&(begin, _)| begin == end);
        let meets_last = next > 0 && self.0[next - 1].1 == start;
        match (meets_last, meets_next) {
            (true, true) => {
                self.0[next - 1].1 = self.0[next].1;
                self.0.remove(next);
            }
            (true, false) => self.0[next - 1].1 = end,
            (false, true) => self.0[next].0 = start,
            (false, false) => self.0.insert(next, (start, end)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(asked: &[(u64, u64)]) -> Vec<u64> {
        let mut queues = Queues::default();
        let mut hold = |&(ready, length)| queues.hold(NodeId(1), 2, Time(ready), Time(length), Time::ZERO).0;
        asked.iter().map(&mut hold).collect()
    }

    #[test]
    fn messages_take_turns() {
        assert_eq!(turns(&[(0, 10), (0, 10), (5, 10), (100, 10)]), [0, 10, 20, 100]);
    }

    #[test]
    fn a_later_call_takes_an_earlier_gap_that_is_long_enough() {
        assert_eq!(turns(&[(20, 10), (0, 10), (0, 10), (0, 10), (29, 5)]), [20, 0, 10, 30, 40]);
        assert_eq!(turns(&[(20, 10), (15, 10), (15, 5), (10, 6)]), [20, 30, 15, 40]);
    }

    #[test]
    fn stretches_that_meet_are_one() {
        let mut queue = Stretches::default();
        for ready in [40, 0, 20, 30, 10] {
            assert_eq!(queue.hold(Time(ready), Time(10), Time::ZERO), Time(ready));
        }
        assert_eq!(queue.0, [(Time(0), Time(50))]);
        assert_eq!(queue.hold(Time(60), Time(1), Time(51)), Time(60));
        assert_eq!(queue.0, [(Time(60), Time(61))]);
    }
}
