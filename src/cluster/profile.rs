//! Piecewise-constant functions of time: what external load leaves of a processor, what a link has left of its
//! bandwidth or how much longer its latency is.
//!
//! The end of an activity comes from integrating the function, not from ticking along it, so a profile costs
//! O(log steps) an activity and no events.

use std::sync::Arc;

use rand::RngExt;
use thiserror::Error;

use crate::engine::Stream;
use crate::units::Time;

/// Why a list of steps is not a profile.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ProfileError {
    /// Nothing is in it.
    #[error("the profile is empty")]
    Empty,
    /// A step does not lie after the one before it.
    #[error("step {step} is out of order: times must rise")]
    OutOfOrder {
        /// The step's number, from 1.
        step: usize,
    },
    /// A value is negative or not finite.
    #[error("step {step} has the value {value}; it must be zero or more, and finite")]
    BadValue {
        /// The step's number, from 1.
        step: usize,
        /// The value.
        value: f64,
    },
    /// The period ends before the last step.
    #[error("the period must end after the last step")]
    ShortPeriod,
}

/// A step function of time, 1 before its first step, its last value held for ever or repeated with a period.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    starts: Vec<Time>,
    values: Vec<f64>,
    /// The integral from zero to each start, in ticks.
    integrals: Vec<f64>,
    period: Option<Time>,
}

impl Profile {
    /// The function with `value` from `start` on, for each (start, value).
    ///
    /// # Errors
    /// Where times do not rise, a value is negative or not finite, nothing is given, or the period is too short.
    pub fn new(steps: &[(Time, f64)], period: Option<Time>) -> Result<Self, ProfileError> {
        let (last, _) = *steps.last().ok_or(ProfileError::Empty)?;
        if period.is_some_and(|period| period <= last) {
            return Err(ProfileError::ShortPeriod);
        }
        let mut profile = Self { starts: vec![Time::ZERO], values: vec![1.0], integrals: vec![0.0], period };
        for (index, &(start, value)) in steps.iter().enumerate() {
            let step = index + 1;
            if !(value.is_finite() && value >= 0.0) {
                return Err(ProfileError::BadValue { step, value });
            }
            if index > 0 && start <= steps[index - 1].0 {
                return Err(ProfileError::OutOfOrder { step });
            }
            profile.push(start, value);
        }
        Ok(profile)
    }

    /// Adds a step after all others.
    fn push(&mut self, start: Time, value: f64) {
        let last = self.starts.len() - 1;
        if start == self.starts[last] {
            self.values[last] = value;
            return;
        }
        let area = (start - self.starts[last]).as_f64() * self.values[last];
        self.integrals.push(self.integrals[last] + area);
        self.starts.push(start);
        self.values.push(value);
    }

    /// The value at an instant.
    #[must_use]
    pub fn value(&self, at: Time) -> f64 {
        let within = self.period.map_or(at, |period| Time(at.0 % period.0));
        self.values[self.starts.partition_point(|&start| start <= within) - 1]
    }

    /// The integral from zero to `to`, in ticks.
    fn integral(&self, to: Time) -> f64 {
        let (whole, within) = match self.period {
            Some(period) => ((to.0 / period.0) as f64 * self.first_integral(period), Time(to.0 % period.0)),
            None => (0.0, to),
        };
        whole + self.first_integral(within)
    }

    /// The integral from zero to `to` within the first period.
    fn first_integral(&self, to: Time) -> f64 {
        let step = self.starts.partition_point(|&start| start <= to) - 1;
        self.integrals[step] + (to - self.starts[step]).as_f64() * self.values[step]
    }

    /// When an activity that needs `ticks` at the value 1 ends, if it starts at `start`: rounded up to a tick once.
    /// [`Time::NEVER`] where the profile stays at zero.
    #[must_use]
    pub fn end_of(&self, start: Time, ticks: f64) -> Time {
        if ticks <= 0.0 {
            return start;
        }
        // From the start's own step, so that a long past does not cost digits.
        let (mut base, mut within) = match self.period {
            Some(period) => (Time(start.0 - start.0 % period.0), Time(start.0 % period.0)),
            None => (Time::ZERO, start),
        };
        let mut left = ticks;
        if let Some(period) = self.period {
            let rest = self.first_integral(period) - self.first_integral(within);
            if left > rest {
                let cycle = self.first_integral(period);
                if cycle <= 0.0 {
                    return Time::NEVER;
                }
                left -= rest;
                // The last partial cycle is walked below; a whole number of cycles leaves a full one to walk.
                let cycles = (left / cycle).ceil() - 1.0;
                left -= cycles * cycle;
                base = base + period + period * (cycles as u64);
                within = Time::ZERO;
            }
        }
        base + self.walk(within, left)
    }

    /// [`end_of`](Self::end_of) within one period.
    fn walk(&self, start: Time, ticks: f64) -> Time {
        let first = self.starts.partition_point(|&other| other <= start) - 1;
        let value = self.values[first];
        let until_next = self.starts.get(first + 1).map(|&next| (next - start).as_f64() * value);
        if until_next.is_none_or(|area| ticks <= area) {
            return start + stretched(ticks, value);
        }
        let left = ticks - until_next.unwrap_or(0.0);
        let target = self.integrals[first + 1] + left;
        let step = self.integrals.partition_point(|&integral| integral < target).max(first + 2) - 1;
        self.starts[step] + stretched(target - self.integrals[step], self.values[step])
    }

    /// The mean in the long run: that of a period, or the last value.
    #[must_use]
    pub fn mean(&self) -> f64 {
        match self.period {
            Some(period) => self.first_integral(period) / period.as_f64(),
            None => self.values[self.values.len() - 1],
        }
    }

    /// The ticks that an activity gets between two instants.
    #[must_use]
    pub fn between(&self, from: Time, to: Time) -> f64 {
        self.integral(to) - self.integral(from)
    }

    /// The first instant after `at` from which the value may differ.
    #[must_use]
    pub fn next_change(&self, at: Time) -> Option<Time> {
        let (base, within) = match self.period {
            Some(period) => (Time(at.0 - at.0 % period.0), Time(at.0 % period.0)),
            None => (Time::ZERO, at),
        };
        let next = self.starts.partition_point(|&start| start <= within);
        self.starts.get(next).map(|&start| base + start).or_else(|| self.period.map(|period| base + period))
    }
}

/// How long `ticks` at the value 1 take at `value`.
fn stretched(ticks: f64, value: f64) -> Time {
    if value > 0.0 { crate::units::round_up(ticks / value) } else { Time::NEVER }
}

/// Tasks that take turns at a processor, each for a quantum: round robin, simulated exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turns {
    /// How many others there are.
    pub others: u32,
    /// For how long each has the processor, in ticks above zero.
    pub quantum: Time,
}

impl Turns {
    /// How long all take together.
    #[must_use]
    pub fn cycle(self) -> Time {
        self.quantum * (u64::from(self.others) + 1)
    }

    /// What is left of the processor where the others never go, from the phase `phase` of a cycle on, in [0, 1): at 0 our
    /// turn begins.
    ///
    /// # Errors
    /// Where the quantum is no time.
    pub fn for_ever(self, phase: f64) -> Result<Profile, ProfileError> {
        let cycle = self.cycle();
        if self.others == 0 {
            return Profile::new(&[(Time::ZERO, 1.0)], None);
        }
        let into = Time((phase.clamp(0.0, 1.0) * cycle.as_f64()) as u64 % cycle.0.max(1));
        let mut steps = if into < self.quantum {
            vec![(Time::ZERO, 1.0), (self.quantum - into, 0.0), (cycle - into, 1.0)]
        } else {
            vec![(Time::ZERO, 0.0), (cycle - into, 1.0), (cycle - into + self.quantum, 0.0)]
        };
        steps.retain(|(start, _)| *start < cycle);
        Profile::new(&steps, Some(cycle))
    }

    /// The steps from one instant to another between which the others are there. They come while our task runs, which
    /// first has a quantum of its own.
    pub fn within(self, from: Time, to: Time) -> impl Iterator<Item = (Time, f64)> {
        let (quantum, cycle, alone) = (self.quantum, self.cycle(), self.others == 0);
        let turns = std::iter::successors(Some(from), move |start| Some(*start + cycle));
        let steps =
            turns.take_while(move |start| *start < to).flat_map(move |start| [(start, 1.0), (start + quantum, 0.0)]);
        steps.filter(move |(at, share)| *at < to && !(alone && *share == 0.0))
    }
}

/// What is left of a processor for the simulated program, over time.
#[derive(Debug, Clone)]
pub enum Availability {
    /// The same share at all times, 1 without load.
    Constant(f64),
    /// Known in advance; shared between nodes.
    Profile(Arc<Profile>),
    /// Drawn as the run goes on.
    Random(Box<RandomOnOff>),
}

/// A load that comes and goes: exponential times without it and with it, each drawn once, in the order of time.
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
        let drawn = Profile { starts: vec![Time::ZERO], values: vec![1.0], integrals: vec![0.0], period: None };
        let (mean_idle, mean_busy) = (mean_idle.as_f64(), mean_busy.as_f64());
        let mut load = Self { stream, mean_idle, mean_busy, share, turns: None, busy: false, until: Time::ZERO, drawn };
        load.draw();
        load
    }

    /// The same where the processor goes round in turns while there is load, instead of leaving a share all the time.
    #[must_use]
    pub const fn in_turns(mut self, turns: Turns) -> Self {
        self.turns = Some(turns);
        self
    }

    /// Draws the end of the present state and enters the next.
    fn draw(&mut self) {
        let mean = if self.busy { self.mean_busy } else { self.mean_idle };
        let length = crate::units::round_up(-mean * (1.0 - self.stream.random::<f64>()).ln()).max(Time(1));
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
    /// The share of the processor that is left in the long run.
    #[must_use]
    pub fn mean_share(&self) -> f64 {
        match self {
            Self::Constant(share) => *share,
            Self::Profile(profile) => profile.mean(),
            Self::Random(load) => (load.mean_idle + load.mean_busy * load.share) / (load.mean_idle + load.mean_busy),
        }
    }

    /// When an activity that needs `ticks` of the whole processor ends, if it starts at `start`.
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

    /// The share of the processor that it leaves at an instant.
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

    /// The share from each instant on from which it may differ, from the start up to `end`; nothing where these are more
    /// than `most`.
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

    /// The ticks of a whole processor that it gives between two instants.
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
    use proptest::prelude::*;

    use super::*;
    use crate::engine::Streams;

    fn half_from_10_to_20(period: Option<u64>) -> Profile {
        Profile::new(&[(Time(10), 0.5), (Time(20), 1.0)], period.map(Time)).unwrap()
    }

    #[test]
    fn integrates_over_steps() {
        let profile = half_from_10_to_20(None);
        // 10 ticks before the load, 5 within it, 5 after it.
        assert_eq!(profile.end_of(Time(0), 20.0), Time(25));
        assert_eq!(profile.end_of(Time(12), 3.0), Time(18));
        assert_eq!(profile.end_of(Time(30), 7.0), Time(37));
        assert_eq!(profile.value(Time(15)), 0.5);
    }

    #[test]
    fn repeats_with_its_period() {
        let profile = half_from_10_to_20(Some(40));
        // A period gives 35; two of them and 5 more.
        assert_eq!(profile.end_of(Time(0), 75.0), Time(85));
        assert_eq!(profile.end_of(Time(0), 70.0), Time(80));
        assert_eq!(profile.end_of(Time(50), 5.0), Time(60));
        assert_eq!(profile.next_change(Time(55)), Some(Time(60)));
        assert_eq!(profile.next_change(Time(65)), Some(Time(80)));
    }

    #[test]
    fn a_dead_processor_never_ends() {
        let profile = Profile::new(&[(Time(10), 0.0)], None).unwrap();
        assert_eq!(profile.end_of(Time(0), 10.0), Time(10));
        assert_eq!(profile.end_of(Time(0), 10.5), Time::NEVER);
        let dead = Profile::new(&[(Time(0), 0.0)], Some(Time(10))).unwrap();
        assert_eq!(dead.end_of(Time(3), 1.0), Time::NEVER);
    }

    #[test]
    fn refuses_what_is_no_function_of_time() {
        assert_eq!(Profile::new(&[], None), Err(ProfileError::Empty));
        assert_eq!(Profile::new(&[(Time(5), 1.0), (Time(5), 0.5)], None), Err(ProfileError::OutOfOrder { step: 2 }));
        assert_eq!(Profile::new(&[(Time(5), -1.0)], None), Err(ProfileError::BadValue { step: 1, value: -1.0 }));
        assert_eq!(Profile::new(&[(Time(5), 1.0)], Some(Time(5))), Err(ProfileError::ShortPeriod));
    }

    #[test]
    fn a_random_load_has_its_means() {
        let stream = Streams::new(1, 0).stream("load", 0);
        let mut load = Availability::Random(Box::new(RandomOnOff::new(stream, Time(3_000), Time(1_000), 0.5)));
        let horizon = Time(40_000_000);
        let share = load.between(Time::ZERO, horizon) / horizon.as_f64();
        // Three quarters of the time whole, one quarter half: 0.875 in the long run.
        assert!((share - 0.875).abs() < 0.005, "{share}");
    }

    /// k others and a quantum: in the long run 1/(k + 1) is left, and on the way never more than a quantum off.
    #[test]
    fn turns_converge_to_their_share() {
        for others in 0..5 {
            let turns = Turns { others, quantum: Time(10) };
            let share = 1.0 / (f64::from(others) + 1.0);
            for phase in [0.0, 0.05, 0.3, 0.5, 0.77, 0.999] {
                let profile = turns.for_ever(phase).unwrap();
                assert!((profile.mean() - share).abs() < 1e-12);
                for ticks in [1, 7, 10, 11, 100, 1_000, 100_000] {
                    let got = profile.between(Time::ZERO, Time(ticks));
                    assert!((got - share * ticks as f64).abs() <= 10.0, "{others} {phase} {ticks}: {got}");
                }
            }
        }
        let steps: Vec<_> = Turns { others: 2, quantum: Time(10) }.within(Time(5), Time(40)).collect();
        assert_eq!(steps, [(Time(5), 1.0), (Time(15), 0.0), (Time(35), 1.0)]);
    }

    #[test]
    fn steps_are_the_values_over_time() {
        let mut load = Availability::Profile(Arc::new(half_from_10_to_20(Some(40))));
        let steps = load.steps(Time(60), 100).unwrap();
        // A period starts a step even where the value stays.
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

    #[test]
    fn a_random_load_in_turns_has_the_same_means() {
        let stream = Streams::new(1, 0).stream("load", 0);
        let load = RandomOnOff::new(stream, Time(3_000), Time(1_000), 0.5);
        let mut load = Availability::Random(Box::new(load.in_turns(Turns { others: 1, quantum: Time(5) })));
        let horizon = Time(40_000_000);
        let share = load.between(Time::ZERO, horizon) / horizon.as_f64();
        assert!((share - load.mean_share()).abs() < 0.006, "{share}");
        let end = load.end_of(Time::ZERO, 30_000_000.0);
        assert!((load.between(Time::ZERO, end) - 30_000_000.0).abs() < 1.0);
    }

    proptest! {
        /// The end of an activity is the first tick by which the integral has given what it needs.
        #[test]
        fn end_and_integral_agree(
            steps in prop::collection::vec((1u64..50, prop::sample::select(vec![0.0, 0.25, 0.5, 1.0, 2.0])), 1..8),
            periodic: bool, start in 0u64..400, ticks in 1u32..300,
        ) {
            let mut at = 0;
            let steps: Vec<_> = steps.into_iter().map(|(gap, value)| { at += gap; (Time(at), value) }).collect();
            let profile = Profile::new(&steps, periodic.then_some(Time(at + 7))).unwrap();
            let end = profile.end_of(Time(start), f64::from(ticks));
            if end != Time::NEVER {
                prop_assert!(profile.between(Time(start), end) >= f64::from(ticks) - 1e-6);
                prop_assert!(profile.between(Time(start), Time(end.0 - 1)) < f64::from(ticks));
            }
        }
    }
}
