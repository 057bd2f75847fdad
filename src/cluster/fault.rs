//! Node faults: when a node stops, and whether and when it comes up again.
//!
//! A fault says over which intervals a node is down; where several concern one node, it is down while any of them says
//! so. Times up and down that are drawn come from the node's own stream as the run goes on, so a run's faults depend on
//! nothing but its seed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rand::RngExt;
use thiserror::Error;

use super::program::NodeId;
use crate::engine::{Stream, Streams};
use crate::units::{Time, round_up};

/// An interval in which a node is down: from its start on, up to its end but without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outage {
    /// When the node stops.
    pub from: Time,
    /// When it is up again; never where there is no end.
    pub until: Option<Time>,
}

/// Why something is no fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum FaultError {
    /// An outage does not end after its start.
    #[error("outage {number} must end after it starts")]
    Empty {
        /// Its number, from 1.
        number: usize,
    },
    /// A mean time, a shape or a scale is not above zero, or not finite.
    #[error("`{key}` must be above zero, and finite")]
    NotPositive {
        /// Which one.
        key: &'static str,
    },
}

/// When a node is down.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault(Law);

#[derive(Debug, Clone, PartialEq)]
enum Law {
    /// Known in advance: in order, and apart from each other.
    At(Vec<Outage>),
    /// Weibull times up (exponential where the shape is 1) of this scale, and exponential times down of this mean, in
    /// ticks; down for good where there is none.
    Drawn { shape: f64, scale: f64, mean_down: Option<f64> },
}

impl Fault {
    /// Outages that are known in advance. Those that overlap or touch are one.
    ///
    /// # Errors
    /// Where one does not end after its start.
    pub fn at(mut outages: Vec<Outage>) -> Result<Self, FaultError> {
        let empty = |outage: &Outage| outage.until.is_some_and(|until| until <= outage.from);
        if let Some(index) = outages.iter().position(empty) {
            return Err(FaultError::Empty { number: index + 1 });
        }
        outages.sort_by_key(|outage| outage.from);
        let mut apart: Vec<Outage> = Vec::with_capacity(outages.len());
        for outage in outages {
            match apart.last_mut() {
                Some(last) if last.until.is_none_or(|until| outage.from <= until) => {
                    last.until = last.until.zip(outage.until).map(|(a, b)| a.max(b));
                }
                _ => apart.push(outage),
            }
        }
        Ok(Self(Law::At(apart)))
    }

    /// Exponential times up of the mean `mean_up`, and times down of the mean `mean_down`; without it the first fault is
    /// for good.
    ///
    /// # Errors
    /// Where a mean is zero.
    pub fn exponential(mean_up: Time, mean_down: Option<Time>) -> Result<Self, FaultError> {
        if mean_up == Time::ZERO {
            return Err(FaultError::NotPositive { key: "mean_up" });
        }
        Self::drawn(1.0, mean_up, mean_down)
    }

    /// Weibull times up, each of which begins anew: P(longer than t) = exp(−(t/scale)^shape). Times down as for
    /// [`exponential`](Self::exponential).
    ///
    /// # Errors
    /// Where the shape, the scale or the mean is not above zero and finite.
    pub fn weibull(shape: f64, scale: Time, mean_down: Option<Time>) -> Result<Self, FaultError> {
        if !(shape.is_finite() && shape > 0.0) {
            return Err(FaultError::NotPositive { key: "shape" });
        }
        if scale == Time::ZERO {
            return Err(FaultError::NotPositive { key: "scale" });
        }
        Self::drawn(shape, scale, mean_down)
    }

    fn drawn(shape: f64, scale: Time, mean_down: Option<Time>) -> Result<Self, FaultError> {
        if mean_down == Some(Time::ZERO) {
            return Err(FaultError::NotPositive { key: "mean_down" });
        }
        Ok(Self(Law::Drawn { shape, scale: scale.as_f64(), mean_down: mean_down.map(Time::as_f64) }))
    }
}

/// A node goes down or comes up. The order is that in which it happens: at one instant node by node, and down before
/// up, so that a node with two faults of which one ends where the other begins stays down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Turn {
    pub(super) time: Time,
    pub(super) node: NodeId,
    pub(super) up: bool,
    source: u32,
    /// Whether it goes down for good.
    pub(super) for_good: bool,
}

/// One fault of one node in the course of a run.
#[derive(Debug)]
struct Source {
    node: NodeId,
    fault: Fault,
    stream: Stream,
    /// How many outages have begun.
    begun: usize,
}

/// What all faults of a machine will do next.
#[derive(Debug, Default)]
pub(super) struct Calendar {
    turns: BinaryHeap<Reverse<Turn>>,
    sources: Vec<Source>,
}

impl Calendar {
    /// The faults of each node, drawn from its stream.
    pub(super) fn new(faults: &[Vec<Fault>], streams: &Streams) -> Self {
        let mut calendar = Self::default();
        for (node, faults) in faults.iter().enumerate() {
            for (number, fault) in faults.iter().enumerate() {
                // A node's first fault has the stream of the node's number; further ones have streams beyond all nodes.
                let stream = streams.stream("fault", node as u64 | ((number as u64) << 32));
                let source = calendar.sources.len();
                calendar.sources.push(Source { node: NodeId(node as u32), fault: fault.clone(), stream, begun: 0 });
                calendar.plan_down(source, Time::ZERO);
            }
        }
        calendar
    }

    /// When the next turn is.
    pub(super) fn next_time(&self) -> Option<Time> {
        self.turns.peek().map(|Reverse(turn)| turn.time)
    }

    /// Takes the next turn, and plans the one after it.
    pub(super) fn pop(&mut self) -> Option<Turn> {
        let Reverse(mut turn) = self.turns.pop()?;
        let index = turn.source as usize;
        if turn.up {
            self.plan_down(index, turn.time);
        } else {
            let source = &mut self.sources[index];
            let until = source.end(turn.time);
            source.begun += 1;
            turn.for_good = until.is_none();
            if let Some(time) = until {
                self.turns.push(Reverse(Turn { time, up: true, ..turn }));
            }
        }
        Some(turn)
    }

    /// Plans the next outage of a node that is up since `since`.
    fn plan_down(&mut self, index: usize, since: Time) {
        let source = &mut self.sources[index];
        if let Some(time) = source.start(since) {
            let turn = Turn { time, node: source.node, up: false, source: index as u32, for_good: false };
            self.turns.push(Reverse(turn));
        }
    }
}

impl Source {
    /// When the next outage starts.
    fn start(&mut self, since: Time) -> Option<Time> {
        match self.fault.0 {
            Law::At(ref outages) => outages.get(self.begun).map(|outage| outage.from),
            Law::Drawn { shape, scale, .. } => reached(since + length(scale, shape, &mut self.stream)),
        }
    }

    /// When the outage that starts at `from` ends.
    fn end(&mut self, from: Time) -> Option<Time> {
        match self.fault.0 {
            Law::At(ref outages) => outages.get(self.begun).and_then(|outage| outage.until),
            Law::Drawn { mean_down, .. } => reached(from + length(mean_down?, 1.0, &mut self.stream)),
        }
    }
}

/// An instant that a run may get to.
fn reached(time: Time) -> Option<Time> {
    (time != Time::NEVER).then_some(time)
}

/// A Weibull length, at least a tick.
fn length(scale: f64, shape: f64, stream: &mut Stream) -> Time {
    let exponential = -(1.0 - stream.random::<f64>()).ln();
    let factor = if shape == 1.0 { exponential } else { exponential.powf(1.0 / shape) };
    round_up(scale * factor).max(Time(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outage(from: u64, until: u64) -> Outage {
        Outage { from: Time(from), until: Some(Time(until)) }
    }

    #[test]
    fn outages_that_touch_are_one() {
        let fault = Fault::at(vec![outage(30, 40), outage(5, 10), outage(10, 20), outage(7, 8)]).unwrap();
        assert_eq!(fault, Fault(Law::At(vec![outage(5, 20), outage(30, 40)])));
        let for_good = Outage { from: Time(6), until: None };
        let fault = Fault::at(vec![outage(5, 10), for_good, outage(30, 40)]).unwrap();
        assert_eq!(fault, Fault(Law::At(vec![Outage { from: Time(5), until: None }])));
    }

    #[test]
    fn what_is_no_fault_is_refused() {
        assert_eq!(Fault::at(vec![outage(1, 2), outage(3, 3)]), Err(FaultError::Empty { number: 2 }));
        assert_eq!(Fault::exponential(Time(0), None), Err(FaultError::NotPositive { key: "mean_up" }));
        assert_eq!(Fault::exponential(Time(1), Some(Time(0))), Err(FaultError::NotPositive { key: "mean_down" }));
        for shape in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Fault::weibull(shape, Time(1), None), Err(FaultError::NotPositive { key: "shape" }));
        }
        assert_eq!(Fault::weibull(1.0, Time(0), None), Err(FaultError::NotPositive { key: "scale" }));
    }

    /// The share of time up and the mean time up of a long life.
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
        // A shape of 2 has the mean Γ(3/2) = √π/2 of its scale; one of 1/2 has Γ(3) = 2.
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
}
