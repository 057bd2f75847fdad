//! Faults: when a node or a link goes down, and whether and when it comes up again.
//!
//! A fault defines the intervals in which a node or a link is down. Several faults of one node or link combine: it is
//! down while any of them is in effect. Random times are drawn during the run from a stream of the node or link itself,
//! so a run's faults depend on its seed alone.

mod calendar;
mod outages;

use std::sync::Arc;

use rand::RngExt;
use thiserror::Error;

use super::profile::Profile;
use hetsim_base::engine::Stream;
use hetsim_base::units::{Time, round_up};

pub(super) use calendar::{Calendar, Turn};
pub use outages::Outages;

/// An interval in which a node or a link is down, including its start but not its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outage {
    /// The start of the outage.
    pub from: Time,
    /// The end of the outage; `None` if it is permanent.
    pub until: Option<Time>,
}

/// Why a fault is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum FaultError {
    /// An outage does not end after its start.
    #[error("outage {number} must end after it starts")]
    Empty {
        /// The number of the outage, from 1.
        number: usize,
    },
    /// A repeated outage starts again before it is over, or has no end.
    #[error("an outage that repeats must be shorter than its `period`")]
    ShortPeriod,
    /// A mean time, a shape or a scale is not above zero, or not finite.
    #[error("`{key}` must be above zero, and finite")]
    NotPositive {
        /// The key at fault.
        key: &'static str,
    },
}

/// When a node or a link is down.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault(Lifetime);

#[derive(Debug, Clone, PartialEq)]
enum Lifetime {
    /// Known in advance: sorted and disjoint.
    At(Vec<Outage>),
    /// From an instant on, for a while, repeated after each period, which is longer.
    Every { from: Time, length: Time, period: Time },
    /// While a function of time is zero.
    Zero(Arc<Profile>),
    /// Weibull times up (exponential for the shape 1) with this scale, and exponential times down with this mean, in
    /// ticks; permanently down without a mean.
    Drawn { shape: f64, scale: f64, mean_down: Option<f64> },
}

impl Fault {
    /// Outages that are known in advance. Overlapping or adjacent outages are merged.
    ///
    /// # Errors
    /// If one does not end after its start.
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
        Ok(Self(Lifetime::At(apart)))
    }

    /// An outage that repeats `period` after each start.
    ///
    /// # Errors
    /// If it does not end after its start, or not before its next start.
    pub fn every(outage: Outage, period: Time) -> Result<Self, FaultError> {
        let Some(until) = outage.until else { return Err(FaultError::ShortPeriod) };
        if until <= outage.from {
            return Err(FaultError::Empty { number: 1 });
        }
        let length = until - outage.from;
        if period <= length {
            return Err(FaultError::ShortPeriod);
        }
        Ok(Self(Lifetime::Every { from: outage.from, length, period }))
    }

    /// Down while a function of time is zero.
    #[must_use]
    pub const fn while_zero(profile: Arc<Profile>) -> Self {
        Self(Lifetime::Zero(profile))
    }

    /// Exponential times up with mean `mean_up`, and times down with mean `mean_down`; without the latter the first
    /// fault is permanent.
    ///
    /// # Errors
    /// If a mean is zero.
    pub fn exponential(mean_up: Time, mean_down: Option<Time>) -> Result<Self, FaultError> {
        if mean_up == Time::ZERO {
            return Err(FaultError::NotPositive { key: "mean_up" });
        }
        Self::drawn(1.0, mean_up, mean_down)
    }

    /// Independent Weibull times up: P(longer than t) = exp(−(t/scale)^shape). Times down as for
    /// [`exponential`](Self::exponential).
    ///
    /// # Errors
    /// If the shape, the scale or the mean is not above zero and finite.
    pub fn weibull(shape: f64, scale: Time, mean_down: Option<Time>) -> Result<Self, FaultError> {
        if !(shape.is_finite() && shape > 0.0) {
            return Err(FaultError::NotPositive { key: "shape" });
        }
        if scale == Time::ZERO {
            return Err(FaultError::NotPositive { key: "scale" });
        }
        Self::drawn(shape, scale, mean_down)
    }

    /// The mean time from one outage to the next, in ticks; `None` if there are only a few.
    #[must_use]
    pub(super) fn mean_period(&self) -> Option<f64> {
        match self.0 {
            Lifetime::At(_) | Lifetime::Zero(_) => None,
            Lifetime::Every { period, .. } => Some(period.as_f64()),
            // The mean time up is some multiple of the scale.
            Lifetime::Drawn { scale, mean_down, .. } => mean_down.map(|down| scale + down),
        }
    }

    fn drawn(shape: f64, scale: Time, mean_down: Option<Time>) -> Result<Self, FaultError> {
        if mean_down == Some(Time::ZERO) {
            return Err(FaultError::NotPositive { key: "mean_down" });
        }
        Ok(Self(Lifetime::Drawn { shape, scale: scale.as_f64(), mean_down: mean_down.map(Time::as_f64) }))
    }
}

/// A fault during a run.
#[derive(Debug)]
struct Source {
    fault: Fault,
    stream: Stream,
    /// The number of outages that are over or have a known end.
    begun: u64,
}

impl Source {
    const fn new(fault: Fault, stream: Stream) -> Self {
        Self { fault, stream, begun: 0 }
    }

    /// The next outage after the end of the last one.
    fn outage(&mut self, since: Time) -> Option<Outage> {
        let from = self.start(since)?;
        Some(Outage { from, until: self.end(from) })
    }

    /// When the next outage starts.
    fn start(&mut self, since: Time) -> Option<Time> {
        match self.fault.0 {
            Lifetime::At(ref outages) => outages.get(self.begun as usize).map(|outage| outage.from),
            Lifetime::Zero(ref profile) => profile.first(true, since),
            Lifetime::Every { from, period, .. } => reached(from + period * self.begun),
            Lifetime::Drawn { shape, scale, .. } => reached(since + length(scale, shape, &mut self.stream)),
        }
    }

    /// When the outage that starts at `from` ends; then moves on to the next one.
    fn end(&mut self, from: Time) -> Option<Time> {
        let begun = self.begun;
        self.begun += 1;
        match self.fault.0 {
            Lifetime::At(ref outages) => outages.get(begun as usize).and_then(|outage| outage.until),
            Lifetime::Zero(ref profile) => profile.first(false, from),
            Lifetime::Every { length, .. } => reached(from + length),
            Lifetime::Drawn { mean_down, .. } => reached(from + length(mean_down?, 1.0, &mut self.stream)),
        }
    }
}

/// An instant that a run can reach.
fn reached(time: Time) -> Option<Time> {
    (time != Time::NEVER).then_some(time)
}

/// A length with a Weibull distribution, at least a tick.
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
        assert_eq!(fault, Fault(Lifetime::At(vec![outage(5, 20), outage(30, 40)])));
        let for_good = Outage { from: Time(6), until: None };
        let fault = Fault::at(vec![outage(5, 10), for_good, outage(30, 40)]).unwrap();
        assert_eq!(fault, Fault(Lifetime::At(vec![Outage { from: Time(5), until: None }])));
    }

    #[test]
    fn what_is_no_fault_is_refused() {
        assert_eq!(Fault::at(vec![outage(1, 2), outage(3, 3)]), Err(FaultError::Empty { number: 2 }));
        assert_eq!(Fault::every(outage(3, 3), Time(9)), Err(FaultError::Empty { number: 1 }));
        assert_eq!(Fault::every(outage(3, 5), Time(2)), Err(FaultError::ShortPeriod));
        assert_eq!(Fault::every(Outage { from: Time(3), until: None }, Time(9)), Err(FaultError::ShortPeriod));
        assert_eq!(Fault::exponential(Time(0), None), Err(FaultError::NotPositive { key: "mean_up" }));
        assert_eq!(Fault::exponential(Time(1), Some(Time(0))), Err(FaultError::NotPositive { key: "mean_down" }));
        for shape in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Fault::weibull(shape, Time(1), None), Err(FaultError::NotPositive { key: "shape" }));
        }
        assert_eq!(Fault::weibull(1.0, Time(0), None), Err(FaultError::NotPositive { key: "scale" }));
    }
}
