//! Piecewise-constant functions of time: the share of a processor beside external load, and factors on a link's
//! bandwidth or latency.
//!
//! The end of an activity is computed by integration instead of ticking, so a profile costs O(log steps) per activity
//! and no events.

mod availability;
mod turns;

use thiserror::Error;

use hetsim_base::units::Time;

pub use availability::{Availability, RandomOnOff};
pub use turns::Turns;

/// Why a list of steps is not a profile.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ProfileError {
    /// The list is empty.
    #[error("the profile is empty")]
    Empty,
    /// A step does not lie after its predecessor.
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

/// A step function of time: 1 before its first step, and its last value held for ever or repeated with a period.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    starts: Vec<Time>,
    values: Vec<f64>,
    /// The integral from zero to each start, in ticks.
    integrals: Vec<f64>,
    period: Option<Time>,
    /// When the steps begin; the value is 1 until then.
    begins: Time,
}

impl Profile {
    /// The function with `value` from `start` on, for each (start, value).
    ///
    /// # Errors
    /// If times do not rise, a value is negative or not finite, the list is empty, or the period is too short.
    pub fn new(steps: &[(Time, f64)], period: Option<Time>) -> Result<Self, ProfileError> {
        let (last, _) = *steps.last().ok_or(ProfileError::Empty)?;
        if period.is_some_and(|period| period <= last) {
            return Err(ProfileError::ShortPeriod);
        }
        let mut profile = Self::whole(period);
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

    /// The value 1 at all times.
    fn whole(period: Option<Time>) -> Self {
        Self { starts: vec![Time::ZERO], values: vec![1.0], integrals: vec![0.0], period, begins: Time::ZERO }
    }

    /// Appends a step.
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

    /// The same function delayed by `time`, with the value 1 until it begins: the first period of a repeated function
    /// may start later.
    #[must_use]
    pub fn begun_at(mut self, time: Time) -> Self {
        self.begins += time;
        self
    }

    /// The value at an instant.
    #[must_use]
    pub fn value(&self, at: Time) -> f64 {
        if at < self.begins {
            return 1.0;
        }
        let at = at - self.begins;
        let within = self.period.map_or(at, |period| Time(at.0 % period.0));
        self.values[self.starts.partition_point(|&start| start <= within) - 1]
    }

    /// The integral from zero to `to`, in ticks.
    fn integral(&self, to: Time) -> f64 {
        let before = to.min(self.begins).as_f64();
        let to = to - self.begins;
        let (whole, within) = match self.period {
            Some(period) => ((to.0 / period.0) as f64 * self.first_integral(period), Time(to.0 % period.0)),
            None => (0.0, to),
        };
        before + whole + self.first_integral(within)
    }

    /// The integral from zero to `to` within the first period.
    fn first_integral(&self, to: Time) -> f64 {
        let step = self.starts.partition_point(|&start| start <= to) - 1;
        self.integrals[step] + (to - self.starts[step]).as_f64() * self.values[step]
    }

    /// When an activity that needs `ticks` at the value 1 ends if it starts at `start`, rounded up to a tick once.
    /// [`Time::NEVER`] if the profile stays at zero.
    #[must_use]
    pub fn end_of(&self, start: Time, ticks: f64) -> Time {
        if ticks <= 0.0 {
            return start;
        }
        let before = self.begins - start;
        if ticks <= before.as_f64() {
            return start + stretched(ticks, 1.0);
        }
        self.begins + self.end_since(start - self.begins, ticks - before.as_f64())
    }

    /// [`end_of`](Self::end_of) on a clock that starts where the function begins.
    fn end_since(&self, start: Time, ticks: f64) -> Time {
        // Relative to the start's own step, so that a long past does not cost precision.
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
        if at < self.begins {
            return Some(self.begins);
        }
        let at = at - self.begins;
        let (base, within) = match self.period {
            Some(period) => (Time(at.0 - at.0 % period.0), Time(at.0 % period.0)),
            None => (Time::ZERO, at),
        };
        let next = self.starts.partition_point(|&start| start <= within);
        let next = self.starts.get(next).copied().or(self.period);
        next.map(|next| self.begins + base + next)
    }
}

impl Profile {
    /// The first instant from `at` on at which the value is zero (or not zero, if `zero` is false).
    #[must_use]
    pub fn first(&self, zero: bool, at: Time) -> Option<Time> {
        // A whole period contains all values.
        let last = self.period.map_or(Time::NEVER, |period| at.max(self.begins) + period);
        let changes = std::iter::successors(Some(at), |&at| self.next_change(at).filter(|next| *next <= last));
        changes.filter(|at| *at != Time::NEVER).find(|&at| (self.value(at) == 0.0) == zero)
    }
}

/// The duration of `ticks` at the value 1 under the value `value`.
fn stretched(ticks: f64, value: f64) -> Time {
    if value > 0.0 { hetsim_base::units::round_up(ticks / value) } else { Time::NEVER }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
    fn a_first_round_may_start_later() {
        let profile = half_from_10_to_20(Some(40)).begun_at(Time(5));
        assert_eq!([4, 5, 14, 15, 25, 55].map(|at| profile.value(Time(at))), [1.0, 1.0, 1.0, 0.5, 1.0, 0.5]);
        assert_eq!(profile.end_of(Time(0), 3.0), Time(3));
        // 5 before the first round, 10 before the load, 5 within it, 5 after it.
        assert_eq!(profile.end_of(Time(0), 25.0), Time(30));
        assert_eq!(profile.between(Time(2), Time(30)), 23.0);
        assert_eq!([2, 5, 30].map(|at| profile.next_change(Time(at)).unwrap()), [5, 15, 45].map(Time));
    }

    #[test]
    fn where_the_value_is_zero() {
        let profile = Profile::new(&[(Time(10), 0.0), (Time(20), 0.5), (Time(30), 2.0)], Some(Time(40))).unwrap();
        for (zero, at, wanted) in [(true, 0, 10), (true, 12, 12), (false, 12, 20), (true, 20, 50), (false, 33, 33)] {
            assert_eq!(profile.first(zero, Time(at)), Some(Time(wanted)));
        }
        let later = profile.begun_at(Time(100));
        assert_eq!([later.first(true, Time(3)), later.first(false, Time(115))], [Some(Time(110)), Some(Time(120))]);
        let never = half_from_10_to_20(Some(40));
        assert_eq!([never.first(true, Time(17)), half_from_10_to_20(None).first(true, Time(0))], [None, None]);
        let dead = Profile::new(&[(Time(0), 0.0)], Some(Time(10))).unwrap();
        assert_eq!(dead.first(false, Time(3)), None);
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

    proptest! {
        /// The end of an activity is the first tick at which the integral covers its need.
        #[test]
        fn end_and_integral_agree(
            steps in prop::collection::vec((1u64..50, prop::sample::select(vec![0.0, 0.25, 0.5, 1.0, 2.0])), 1..8),
            periodic: bool, begins in 0u64..60, start in 0u64..400, ticks in 1u32..300,
        ) {
            let mut at = 0;
            let steps: Vec<_> = steps.into_iter().map(|(gap, value)| { at += gap; (Time(at), value) }).collect();
            let profile = Profile::new(&steps, periodic.then_some(Time(at + 7))).unwrap();
            let profile = profile.begun_at(Time(begins));
            let end = profile.end_of(Time(start), f64::from(ticks));
            if end != Time::NEVER {
                prop_assert!(profile.between(Time(start), end) >= f64::from(ticks) - 1e-6);
                prop_assert!(profile.between(Time(start), Time(end.0 - 1)) < f64::from(ticks));
            }
        }
    }
}
