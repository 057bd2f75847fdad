//! A partial schedule: the placed tasks, and possible slots of the next one.

use std::cmp::Reverse;

use super::{Costs, Schedule, Timeline};
use hetsim_base::units::{Time, round_up};
use hetsim_graph::{Edge, TaskGraph};

/// The processor of a task without a place.
const NOWHERE: u32 = u32::MAX;

/// A possible processor, start and end of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskSlot {
    /// On which processor.
    pub processor: u32,
    /// From when.
    pub start: Time,
    /// Until when.
    pub finish: Time,
}

/// The arrival of a task's data if all links are equal. A message takes the same time to every processor except its
/// source, so all processors wait for the same last message except the source of that message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Data {
    /// The source of the message that arrives last elsewhere; [`NOWHERE`] without messages.
    pub(super) home: u32,
    /// The arrival of the data at `home`.
    pub(super) at_home: Time,
    /// The arrival of the data at every other processor.
    pub(super) away: Time,
}

/// The tasks placed so far, with every processor's timeline. A task must be of the graph and a processor of the costs;
/// others panic.
#[derive(Debug, Clone)]
pub struct Partial<'a> {
    pub(super) graph: &'a TaskGraph,
    pub(super) costs: &'a Costs,
    insertion: bool,
    lines: Vec<Timeline>,
    processor: Vec<u32>,
    start: Vec<Time>,
    finish: Vec<Time>,
    /// The tasks in the order of their placement.
    sequence: Vec<u32>,
    /// A buffer for the arrival of the current task's data on each processor.
    arrivals: Vec<Time>,
}

impl<'a> Partial<'a> {
    /// A schedule without tasks. `insertion` lets tasks go into gaps.
    #[must_use]
    pub fn new(graph: &'a TaskGraph, costs: &'a Costs, insertion: bool) -> Self {
        let (tasks, processors) = (graph.tasks(), costs.processors() as usize);
        Self {
            graph,
            costs,
            insertion,
            lines: vec![Timeline::new(); processors],
            processor: vec![NOWHERE; tasks],
            start: vec![Time::ZERO; tasks],
            finish: vec![Time::ZERO; tasks],
            sequence: Vec::with_capacity(tasks),
            arrivals: vec![Time::ZERO; processors],
        }
    }

    /// Whether a task has a place.
    #[must_use]
    pub fn is_placed(&self, task: u32) -> bool {
        self.processor[task as usize] != NOWHERE
    }

    /// The end of the last task on a processor.
    #[must_use]
    pub fn end(&self, processor: u32) -> Time {
        self.lines[processor as usize].end()
    }

    /// The arrival of all data of a task on each processor. Predecessors without a place are ignored.
    #[inline]
    pub(super) fn arrivals_into(&self, task: u32, arrivals: &mut [Time]) {
        if let Some(transfers) = self.costs.uniform() {
            let data = self.data(task, transfers);
            arrivals.fill(data.away);
            if let Some(arrival) = arrivals.get_mut(data.home as usize) {
                *arrival = data.at_home;
            }
            return;
        }
        arrivals.fill(Time::ZERO);
        for edge in self.graph.predecessors(task) {
            let (from, finish) = (self.processor[edge.from as usize], self.finish[edge.from as usize]);
            if from == NOWHERE {
                continue;
            }
            for (processor, arrival) in (0u32..).zip(arrivals.iter_mut()) {
                *arrival = (*arrival).max(finish + self.costs.transfer(edge.id, from, processor));
            }
        }
    }

    /// The same for equal links, where `transfers` are the message times.
    #[inline]
    pub(super) fn data(&self, task: u32, transfers: &[Time]) -> Data {
        // The latest message from any processor other than `home`.
        let mut second = Time::ZERO;
        let mut data = Data { home: NOWHERE, at_home: Time::ZERO, away: Time::ZERO };
        for edge in self.graph.predecessors(task) {
            let (from, finish) = (self.processor[edge.from as usize], self.finish[edge.from as usize]);
            if from == NOWHERE {
                continue;
            }
            let sent = finish + transfers[edge.id as usize];
            if from == data.home {
                data.away = data.away.max(sent);
                data.at_home = data.at_home.max(finish);
            } else if sent > data.away {
                // Messages from the new `home` were sent before what is now `second`, and arrived even earlier.
                second = data.away;
                data = Data { home: from, at_home: finish, away: sent };
            } else {
                second = second.max(sent);
            }
        }
        data.at_home = data.at_home.max(second);
        data
    }

    /// The processor from which a task's last message comes, and when it would be elsewhere, by mean times of messages;
    /// `None` without predecessors.
    pub(super) fn enabling(&self, task: u32) -> Option<(u32, Time)> {
        if let Some(transfers) = self.costs.uniform() {
            let data = self.data(task, transfers);
            // Messages that take no time from tasks that take none come from nowhere.
            let source = || self.graph.predecessors(task).next().map(|edge| self.processor[edge.from as usize]);
            let home = if data.home == NOWHERE { source()? } else { data.home };
            return Some((home, data.away));
        }
        let message = |edge: Edge| {
            let (from, finish) = (self.processor[edge.from as usize], self.finish[edge.from as usize]);
            (finish + round_up(self.costs.mean_transfer(edge.id)), Reverse(edge.id), from)
        };
        self.graph.predecessors(task).map(message).max().map(|(arrival, _, from)| (from, arrival))
    }

    /// The arrival of all data of a task on a processor. Data of unplaced tasks are left out.
    #[must_use]
    pub fn arrival(&self, task: u32, processor: u32) -> Time {
        let placed = self.graph.predecessors(task).filter(|edge| self.is_placed(edge.from));
        placed.fold(Time::ZERO, |latest, edge| {
            let from = self.processor[edge.from as usize];
            latest.max(self.finish[edge.from as usize] + self.costs.transfer(edge.id, from, processor))
        })
    }

    /// The earliest start on a processor from `ready` on: in a sufficiently long gap if tasks are inserted, otherwise
    /// behind the last task.
    #[inline]
    pub(super) fn earliest(&self, processor: u32, ready: Time, duration: Time) -> Time {
        let line = &self.lines[processor as usize];
        if self.insertion { line.earliest(ready, duration) } else { ready.max(line.end()) }
    }

    /// The slot of a task on a processor.
    #[must_use]
    pub fn slot(&self, task: u32, processor: u32) -> TaskSlot {
        self.slot_from(task, processor, self.arrival(task, processor))
    }

    #[inline]
    fn slot_from(&self, task: u32, processor: u32, ready: Time) -> TaskSlot {
        let duration = self.costs.duration(task, processor);
        let start = self.earliest(processor, ready, duration);
        TaskSlot { processor, start, finish: start + duration }
    }

    /// The slots of a task, one per processor.
    pub fn slots(&mut self, task: u32) -> impl Iterator<Item = TaskSlot> {
        let mut arrivals = std::mem::take(&mut self.arrivals);
        self.arrivals_into(task, &mut arrivals);
        self.arrivals = arrivals;
        let partial = &*self;
        (0u32..).zip(&partial.arrivals).map(move |(processor, &ready)| partial.slot_from(task, processor, ready))
    }

    /// The slot in which a task ends first; ties go to the processor with the lowest number.
    #[inline]
    pub fn first_finish(&mut self, task: u32) -> TaskSlot {
        if let Some(transfers) = self.costs.uniform() {
            let data = self.data(task, transfers);
            return self
                .first_finish_by(task, |processor| if processor == data.home { data.at_home } else { data.away });
        }
        let mut arrivals = std::mem::take(&mut self.arrivals);
        self.arrivals_into(task, &mut arrivals);
        let slot = self.first_finish_by(task, |processor| arrivals[processor as usize]);
        self.arrivals = arrivals;
        slot
    }

    /// The same, where `arrival` gives the arrival of the data on a processor.
    #[inline]
    fn first_finish_by(&self, task: u32, arrival: impl Fn(u32) -> Time) -> TaskSlot {
        let row = self.costs.row(task);
        let mut best = TaskSlot { processor: 0, start: Time::ZERO, finish: Time::NEVER };
        for (processor, &kind) in (0u32..).zip(self.costs.kinds()) {
            let (ready, duration) = (arrival(processor), row[kind as usize]);
            // No gap helps if even an idle processor would be too late.
            if ready + duration >= best.finish {
                continue;
            }
            let start = self.earliest(processor, ready, duration);
            let finish = start + duration;
            if finish < best.finish {
                best = TaskSlot { processor, start, finish };
            }
        }
        best
    }

    /// Places a task in an idle slot, once.
    #[inline]
    pub fn place(&mut self, task: u32, slot: TaskSlot) {
        let free = self.lines[slot.processor as usize].insert(slot.start, slot.finish);
        debug_assert!(free, "a slot is idle");
        self.sequence.push(task);
        let task = task as usize;
        (self.processor[task], self.start[task], self.finish[task]) = (slot.processor, slot.start, slot.finish);
    }

    /// The schedule of all tasks.
    #[must_use]
    pub fn into_schedule(self) -> Schedule {
        debug_assert!(self.processor.iter().all(|&processor| processor != NOWHERE), "every task has a place");
        Schedule { processor: self.processor, start: self.start, finish: self.finish, sequence: self.sequence }
    }
}
