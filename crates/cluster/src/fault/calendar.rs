//! The coming faults of all nodes, in order of time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Fault, Source};
use crate::program::NodeId;
use hetsim_base::engine::Streams;
use hetsim_base::units::Time;

/// A node goes down or comes up. Turns are ordered as they happen: at one instant node by node, and down before up, so
/// that a node stays down if one fault ends where another begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Turn {
    pub(crate) time: Time,
    pub(crate) node: NodeId,
    pub(crate) up: bool,
    source: u32,
    /// Whether the node goes down permanently.
    pub(crate) for_good: bool,
}

/// The coming turns of all faults of a platform.
#[derive(Debug, Default)]
pub(crate) struct Calendar {
    turns: BinaryHeap<Reverse<Turn>>,
    sources: Vec<(NodeId, Source)>,
}

impl Calendar {
    /// The faults of each node, drawn from its stream.
    pub(crate) fn new(faults: &[Vec<Fault>], streams: &Streams) -> Self {
        let mut calendar = Self::default();
        for (node, faults) in faults.iter().enumerate() {
            for (number, fault) in faults.iter().enumerate() {
                // A node's first fault has the stream of the node's number; further faults have streams beyond all
                // nodes.
                let stream = streams.stream("fault", node as u64 | ((number as u64) << 32));
                let source = calendar.sources.len();
                calendar.sources.push((NodeId(node as u32), Source::new(fault.clone(), stream)));
                calendar.plan_down(source, Time::ZERO);
            }
        }
        calendar
    }

    /// The time of the next turn.
    pub(crate) fn next_time(&self) -> Option<Time> {
        self.turns.peek().map(|Reverse(turn)| turn.time)
    }

    /// Takes the next turn, and plans the one after it.
    pub(crate) fn pop(&mut self) -> Option<Turn> {
        let Reverse(mut turn) = self.turns.pop()?;
        let index = turn.source as usize;
        if turn.up {
            self.plan_down(index, turn.time);
        } else {
            let until = self.sources[index].1.end(turn.time);
            turn.for_good = until.is_none();
            if let Some(time) = until {
                self.turns.push(Reverse(Turn { time, up: true, ..turn }));
            }
        }
        Some(turn)
    }

    /// Plans the next outage of a node that has been up since `since`.
    fn plan_down(&mut self, index: usize, since: Time) {
        let (node, source) = &mut self.sources[index];
        if let Some(time) = source.start(since) {
            let turn = Turn { time, node: *node, up: false, source: index as u32, for_good: false };
            self.turns.push(Reverse(turn));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Outage;

    /// The share of time up and the mean time up over a long time.
    fn lived(fault: Fault) -> (f64, f64) {
        let mut calendar = Calendar::new(&[vec![fault]], &Streams::new(3, 0));
        let (mut up, mut since, mut outages) = (0.0, Time::ZERO, 0.0);
        for _ in 0..200_000 {
            let turn = calendar.pop().unwrap();
            if turn.up {
                since = turn.time;
            } else {
                up += (turn.time - since).as_f64();
                outages += 1.0;
            }
        }
        (up / since.as_f64(), up / outages)
    }

    #[test]
    fn drawn_times_have_their_means() {
        let (share, mean) = lived(Fault::exponential(Time(30_000), Some(Time(10_000))).unwrap());
        assert!((share - 0.75).abs() < 0.005 && (mean / 30_000.0 - 1.0).abs() < 0.01, "{share} {mean}");
        // A shape of 2 has the mean Γ(3/2) = √π/2 of its scale; a shape of 1/2 has Γ(3) = 2.
        for (shape, factor) in [(2.0, std::f64::consts::PI.sqrt() / 2.0), (0.5, 2.0)] {
            let (share, mean) = lived(Fault::weibull(shape, Time(30_000), Some(Time(10_000))).unwrap());
            let wanted = 30_000.0 * factor;
            assert!((mean / wanted - 1.0).abs() < 0.02, "{mean}");
            assert!((share - wanted / (wanted + 10_000.0)).abs() < 0.01, "{share}");
        }
    }

    #[test]
    fn a_fault_for_good_is_the_last() {
        let mut calendar = Calendar::new(&[vec![Fault::exponential(Time(10), None).unwrap()]], &Streams::new(1, 0));
        assert!(calendar.pop().is_some_and(|turn| turn.for_good && !turn.up));
        assert!(calendar.pop().is_none() && calendar.next_time().is_none());
    }

    #[test]
    fn an_outage_that_repeats_comes_at_each_period() {
        let outage = Outage { from: Time(5), until: Some(Time(8)) };
        let mut calendar = Calendar::new(&[vec![Fault::every(outage, Time(10)).unwrap()]], &Streams::new(1, 0));
        let turns: Vec<_> = (0..6).map(|_| calendar.pop().unwrap()).map(|turn| (turn.time.0, turn.up)).collect();
        assert_eq!(turns, [(5, false), (8, true), (15, false), (18, true), (25, false), (28, true)]);
    }
}
