//! The paper's deadlock-free order: a processor is always allocated to a task without unexecuted predecessors.
//!
//! An idle processor takes, of its tasks whose data have arrived, the first in the graph's numbering, and never idles
//! while there is one. So no two tasks can wait for each other. The order depends on all processors, as the paper says
//! it must.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Problem;
use hetsim_base::units::Time;

/// An event at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A task ends.
    Finish(u32),
    /// All data of a task, given by its position in the graph's numbering, have arrived.
    Ready(u32),
}

/// Reusable buffers for a dispatch.
#[derive(Debug)]
pub(super) struct Dispatch {
    place: Vec<u32>,
    waiting: Vec<u32>,
    arrival: Vec<Time>,
    events: BinaryHeap<Reverse<(Time, Event)>>,
    /// The ready tasks of each processor.
    ready: Vec<BinaryHeap<Reverse<u32>>>,
    busy: Vec<bool>,
    touched: Vec<u32>,
}

impl Dispatch {
    pub(super) fn new(problem: &Problem<'_>) -> Self {
        let (tasks, processors) = (problem.graph().tasks(), problem.costs().processors() as usize);
        let mut place = vec![0; tasks];
        for (index, &task) in (0u32..).zip(problem.graph().order()) {
            place[task as usize] = index;
        }
        Self {
            place,
            waiting: vec![0; tasks],
            arrival: vec![Time::ZERO; tasks],
            events: BinaryHeap::with_capacity(tasks),
            ready: vec![BinaryHeap::new(); processors],
            busy: vec![false; processors],
            touched: Vec::new(),
        }
    }

    /// Runs a mapping. Writes the end of each task to `finish` and returns the last one.
    pub(super) fn run(&mut self, problem: &Problem<'_>, mapping: &[u32], finish: &mut [Time]) -> Time {
        let (graph, costs) = (problem.graph(), problem.costs());
        for task in graph.ids() {
            self.waiting[task as usize] = graph.in_degree(task);
            self.arrival[task as usize] = Time::ZERO;
            if graph.in_degree(task) == 0 {
                self.events.push(Reverse((Time::ZERO, Event::Ready(self.place[task as usize]))));
            }
        }
        let mut last = Time::ZERO;
        while let Some(Reverse((now, event))) = self.events.pop() {
            match event {
                Event::Finish(task) => {
                    let processor = mapping[task as usize];
                    self.busy[processor as usize] = false;
                    self.touched.push(processor);
                    last = now;
                    for edge in graph.successors(task) {
                        let to = edge.to as usize;
                        let arrival = now + costs.transfer(edge.id, processor, mapping[to]);
                        self.arrival[to] = self.arrival[to].max(arrival);
                        self.waiting[to] -= 1;
                        if self.waiting[to] == 0 {
                            self.events.push(Reverse((self.arrival[to], Event::Ready(self.place[to]))));
                        }
                    }
                }
                Event::Ready(place) => {
                    let processor = mapping[graph.order()[place as usize] as usize];
                    self.ready[processor as usize].push(Reverse(place));
                    self.touched.push(processor);
                }
            }
            // Handle all events of this instant before the choice.
            if self.events.peek().is_none_or(|Reverse((next, _))| *next > now) {
                while let Some(processor) = self.touched.pop() {
                    if self.busy[processor as usize] {
                        continue;
                    }
                    let Some(Reverse(place)) = self.ready[processor as usize].pop() else { continue };
                    let task = graph.order()[place as usize];
                    let end = now + costs.duration(task, processor);
                    self.busy[processor as usize] = true;
                    finish[task as usize] = end;
                    self.events.push(Reverse((end, Event::Finish(task))));
                }
            }
        }
        last
    }
}
