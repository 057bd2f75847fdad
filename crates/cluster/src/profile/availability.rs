//! The share of a processor beside external load: constant, known in advance, or drawn during the run.

use std::sync::Arc;

use rand::RngExt;

use super::{Profile, Turns, stretched};
use hetsim_base::engine::Stream;
use hetsim_base::units::Time;

/// The share of a processor for the simulated program, over time.
#[derive(Debug, Clone)]
pub enum Availability {
    /// The same share at all times, 1 without load.
    Constant(f64),
    /// Known in advance; shared between nodes.
    Profile(Arc<Profile>),
    /// Drawn during the run.
    Random(Box<RandomOnOff>),
}

/// A load with exponential times off and on, each drawn once, in order of time.
#[derive(Debug, Clone)]
pub struct RandomOnOff {
    stream: Stream,
    mean_idle: f64,
    mean_busy: f64,
    share: f64,
    turns: Option<Turns>,
    busy: bool,
    until: Time,
    drawn: Profile,
}

impl RandomOnOff {
    /// Leaves everything for a mean of `mean_idle` ticks, then `share` of the processor for a mean of `mean_busy`.
    #[must_use]
    pub fn new(stream: Stream, mean_idle: Time, mean_busy: Time, share: f64) -> Self {
        let drawn = Profile::whole(None);
        let (mean_idle, mean_busy) = (mean_idle.as_f64(), mean_busy.as_f64());
        let mut load = Self { stream, mean_idle, mean_busy, share, turns: None, busy: false, until: Time::ZERO, drawn };
        load.draw();
        load
    }

    /// The same with turns on the processor during load, instead of a constant share.
    #[must_use]
    pub const fn in_turns(mut self, turns: Turns) -> Self {
        self.turns = Some(turns);
        self
    }

    /// The mean time on the processor while there is load, in ticks. Each load begins with a turn of ours, and may end
    /// within it.
    fn mean_left(&self) -> f64 {
        let Some(turns) = self.turns.filter(|turns| turns.others > 0) else { return self.mean_busy * self.share };
        let ends_within = |time: Time| -(-time.as_f64() / self.mean_busy).exp_m1();
        self.mean_busy * ends_within(turns.quantum) / ends_within(turns.cycle())
    }

    /// Draws the end of the current state and enters the next.
    fn draw(&mut self) {
        let mean = if self.busy { self.mean_busy } else { self.mean_idle };
        let length = hetsim_base::units::round_up(-mean * (1.0 - self.stream.random::<f64>()).ln()).max(Time(1));
        if let (true, Some(turns)) = (self.busy, self.turns) {
            for (at, share) in turns.within(self.until, self.until + length) {
                self.drawn.push(at, share);
            }
        }
        self.until += length;
        self.busy = !self.busy;
        self.drawn.push(self.until, if self.busy { self.share } else { 1.0 });
    }

    fn draw_until(&mut self, time: Time) {
        while self.until <= time && self.until != Time::NEVER {
            self.draw();
        }
    }
}

impl Availability {
    /// The mean cycle length of a drawn load, in ticks; an arbitrary length for any other.
    pub(crate) fn known_turn(&self) -> f64 {
        if let Self::Random(load) = self { load.mean_idle + load.mean_busy } else { 1.0 }
    }

    /// The share at all times, or during load, as configured.
    pub(crate) const fn known_share(&self) -> f64 {
        match self {
            Self::Constant(share) => *share,
            // A profile was checked when it was made.
            Self::Profile(_) => 1.0,
            Self::Random(load) => load.share,
        }
    }

    /// The mean share of the processor in the long run.
    #[must_use]
    pub fn mean_share(&self) -> f64 {
        match self {
            Self::Constant(share) => *share,
            Self::Profile(profile) => profile.mean(),
            Self::Random(load) => (load.mean_idle + load.mean_left()) / (load.mean_idle + load.mean_busy),
        }
    }

    /// When an activity that needs `ticks` of the whole processor ends if it starts at `start`.
    pub fn end_of(&mut self, start: Time, ticks: f64) -> Time {
        match self {
            Self::Constant(share) => start + stretched(ticks, *share),
            Self::Profile(profile) => profile.end_of(start, ticks),
            Self::Random(load) => loop {
                load.draw_until(start);
                let end = load.drawn.end_of(start, ticks);
                if end <= load.until || load.until == Time::NEVER {
                    return end;
                }
                load.draw_until(load.until);
            },
        }
    }

    /// The share of the processor at an instant.
    pub fn value(&mut self, at: Time) -> f64 {
        match self {
            Self::Constant(share) => *share,
            Self::Profile(profile) => profile.value(at),
            Self::Random(load) => {
                load.draw_until(at);
                load.drawn.value(at)
            }
        }
    }

    /// The steps from the start up to `end`: each instant at which the share may change, with its share. `None` if
    /// there are more than `most`.
    pub fn steps(&mut self, end: Time, most: usize) -> Option<Vec<(Time, f64)>> {
        let profile = match self {
            Self::Constant(share) => return Some(vec![(Time::ZERO, *share)]),
            Self::Profile(profile) => &**profile,
            Self::Random(load) => {
                load.draw_until(end);
                &load.drawn
            }
        };
        let mut steps = vec![(Time::ZERO, profile.value(Time::ZERO))];
        let mut at = Time::ZERO;
        while let Some(next) = profile.next_change(at).filter(|next| *next < end && *next > at) {
            if steps.len() == most {
                return None;
            }
            steps.push((next, profile.value(next)));
            at = next;
        }
        Some(steps)
    }

    /// The ticks of a whole processor between two instants.
    pub fn between(&mut self, from: Time, to: Time) -> f64 {
        match self {
            Self::Constant(share) => (to - from).as_f64() * *share,
            Self::Profile(profile) => profile.between(from, to),
            Self::Random(load) => {
                load.draw_until(to);
                load.drawn.between(from, to)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hetsim_base::engine::Streams;

    #[test]
    fn a_random_load_has_its_means() {
        let stream = Streams::new(1, 0).stream("load", 0);
        let mut load = Availability::Random(Box::new(RandomOnOff::new(stream, Time(3_000), Time(1_000), 0.5)));
        let horizon = Time(40_000_000);
        let share = load.between(Time::ZERO, horizon) / horizon.as_f64();
        // The processor is whole for three quarters of the time and half for one: 0.875 in the long run.
        assert!((share - 0.875).abs() < 0.005, "{share}");
    }

    #[test]
    fn steps_are_the_values_over_time() {
        let half = Profile::new(&[(Time(10), 0.5), (Time(20), 1.0)], Some(Time(40))).unwrap();
        let mut load = Availability::Profile(Arc::new(half));
        let steps = load.steps(Time(60), 100).unwrap();
        // A period starts a step even if the value stays.
        assert_eq!(steps, [(0, 1.0), (10, 0.5), (20, 1.0), (40, 1.0), (50, 0.5)].map(|(at, v)| (Time(at), v)));
        assert_eq!(load.steps(Time(60), 4), None);
        let stream = Streams::new(1, 0).stream("load", 0);
        let mut load = Availability::Random(Box::new(RandomOnOff::new(stream, Time(3_000), Time(1_000), 0.5)));
        let end = Time(1_000_000);
        let mut steps = load.steps(end, 10_000).unwrap();
        steps.push((end, 0.0));
        let area: f64 = steps.windows(2).map(|pair| (pair[1].0 - pair[0].0).as_f64() * pair[0].1).sum();
        assert!((area - load.between(Time::ZERO, end)).abs() < 1e-3);
    }

    /// Turns as long as the loads leave more than the share of turns without end: each load begins with one of ours.
    #[test]
    fn a_random_load_in_turns_has_its_means() {
        for quantum in [5, 300, 1_000, 20_000] {
            let stream = Streams::new(1, 0).stream("load", 0);
            let load = RandomOnOff::new(stream, Time(3_000), Time(1_000), 0.5);
            let mut load = Availability::Random(Box::new(load.in_turns(Turns { others: 1, quantum: Time(quantum) })));
            let horizon = Time(40_000_000);
            let share = load.between(Time::ZERO, horizon) / horizon.as_f64();
            assert!((share - load.mean_share()).abs() < 0.006, "{quantum}: {share} and {}", load.mean_share());
            let end = load.end_of(Time::ZERO, 30_000_000.0);
            assert!((load.between(Time::ZERO, end) - 30_000_000.0).abs() < 1.0);
        }
    }
}
