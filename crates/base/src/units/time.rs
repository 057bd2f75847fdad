//! Simulated time: a whole number of ticks, so that sums are exact and ties are real ties.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub};

/// An instant since the start of a run, or the length between two instants, in ticks.
///
/// A tick is the run's [`Tick`]: a picosecond by default. Addition saturates at [`Time::NEVER`], which no instant of a
/// valid run reaches. The engine reports a run that reaches it as [outgrown](crate::engine::EngineError::Outgrown), so
/// no sum needs a check of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(pub u64);

impl Time {
    /// The start of every run.
    pub const ZERO: Self = Self(0);
    /// Beyond every instant that a run can reach.
    pub const NEVER: Self = Self(u64::MAX);

    /// The ticks since `earlier`, or zero if `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }

    /// The number of ticks as a float, for rates and means.
    #[must_use]
    pub const fn as_f64(self) -> f64 {
        self.0 as f64
    }
}

impl Add for Time {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Time {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Time {
    type Output = Self;
    /// Saturates at zero, as [`Time::since`] does.
    fn sub(self, other: Self) -> Self {
        self.since(other)
    }
}

impl Mul<u64> for Time {
    type Output = Self;
    fn mul(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }
}

impl Sum for Time {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

/// How long one tick lasts: a whole number of picoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tick {
    picoseconds: u64,
}

impl Default for Tick {
    fn default() -> Self {
        Self::PICOSECOND
    }
}

impl Tick {
    /// The default tick. A run may then last up to 213 days of simulated time.
    pub const PICOSECOND: Self = Self { picoseconds: 1 };

    /// A tick of `picoseconds`, or `None` for zero.
    #[must_use]
    pub const fn new(picoseconds: u64) -> Option<Self> {
        if picoseconds == 0 { None } else { Some(Self { picoseconds }) }
    }

    /// Ticks in a second.
    #[must_use]
    pub fn per_second(self) -> f64 {
        1e12 / self.picoseconds as f64
    }

    /// `seconds` in ticks, rounded up to a whole tick once. A result within a few units in the last place of a whole
    /// tick is that tick: 48.39 µs is 48 390 000 ps, whatever its binary fraction.
    ///
    /// Negative and undefined lengths give zero; callers check their input beforehand.
    #[must_use]
    pub fn time(self, seconds: f64) -> Time {
        round_up(seconds * self.per_second())
    }

    /// The length of `time` in whole picoseconds, exactly.
    #[must_use]
    pub fn picoseconds(self, time: Time) -> u128 {
        u128::from(time.0) * u128::from(self.picoseconds)
    }

    /// The length of `time` in seconds.
    #[must_use]
    pub fn seconds(self, time: Time) -> f64 {
        time.as_f64() / self.per_second()
    }
}

/// `ticks` rounded up to a whole tick. A value within a few units in the last place of a whole tick is that tick.
#[inline]
#[must_use]
pub fn round_up(ticks: f64) -> Time {
    // Above this all floats are whole. The cast saturates: a length that is too long becomes NEVER, which the engine
    // reports.
    const WHOLE: f64 = (1u64 << f64::MANTISSA_DIGITS) as f64;
    if !(0.0..WHOLE).contains(&ticks) {
        return Time(ticks as u64);
    }
    // Casts cost less than rounding on processors of the x86-64 baseline, and signed casts cost least.
    let below = ticks as i64;
    let fraction = ticks - below as f64;
    if fraction == 0.0 {
        return Time(below as u64);
    }
    let nearest = below + i64::from(fraction >= 0.5);
    let is_whole = (ticks - nearest as f64).abs() <= nearest as f64 * (4.0 * f64::EPSILON);
    Time(if is_whole { nearest } else { below + 1 } as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_lengths_are_exact_ticks() {
        for (seconds, ticks) in
            [(48.39e-6, 48_390_000), (6577.49e-6, 6_577_490_000), (1e-12, 1), (0.1, 100_000_000_000)]
        {
            assert_eq!(Tick::PICOSECOND.time(seconds), Time(ticks));
        }
    }

    #[test]
    fn a_fraction_of_a_tick_rounds_up_once() {
        assert_eq!(Tick::PICOSECOND.time(1.25e-12), Time(2));
        assert_eq!(Tick::new(1000).map(|tick| tick.time(1.001e-9)), Some(Time(2)));
        assert_eq!(Tick::new(0), None);
    }

    #[test]
    fn rounding_up_is_what_the_library_says() {
        let library = |ticks: f64| {
            let nearest = ticks.round();
            let is_whole = (ticks - nearest).abs() <= nearest.abs() * (4.0 * f64::EPSILON);
            Time(if is_whole { nearest } else { ticks.ceil() } as u64)
        };
        let mut values =
            vec![0.0, -0.0, -0.4, -3.0, f64::MIN_POSITIVE, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e30];
        for power in 0..66 {
            let whole = 2f64.powi(power);
            values.extend([whole, whole.next_down(), whole.next_up(), whole - 0.5, whole * 0.3, whole * 0.7]);
            // Within the tolerance of a whole number and just beyond.
            values.extend((1..8).map(|ulps| whole * (3.0 + f64::from(ulps) * f64::EPSILON)));
        }
        for value in values {
            assert_eq!(round_up(value), library(value), "{value:e}");
        }
    }

    #[test]
    fn sums_stick_at_never() {
        assert_eq!(Time(u64::MAX - 1) + Time(5), Time::NEVER);
        assert_eq!(Time::NEVER + Time(1), Time::NEVER);
        assert_eq!(Tick::PICOSECOND.time(1e30), Time::NEVER);
    }
}
