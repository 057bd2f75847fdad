//! How a slave measures time, and with it its power (Garamendi and Bosque, §3.3).

use hetsim_base::units::Time;

/// A clock that shows the last multiple of its resolution.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    /// The resolution in ticks; 0 for an exact clock.
    pub resolution: Time,
}

impl Clock {
    /// What the clock shows between two instants.
    pub(super) fn between(self, from: Time, to: Time) -> Time {
        let shown = |time: Time| Time(time.0 - if self.resolution.0 > 0 { time.0 % self.resolution.0 } else { 0 });
        shown(to) - shown(from)
    }
}

/// A benchmark under way: iterations are counted whose end the clock shows within the span.
///
/// All error of the measured power comes from three causes: the last iteration is cut off, the load may change later,
/// and the clock may be coarse. At least one iteration is counted, however long it takes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Count {
    started: Time,
    iterations: u32,
    /// What the clock showed at the end of the last iteration that counts.
    shown: Time,
}

impl Count {
    /// A benchmark that starts now.
    pub(super) const fn start(now: Time) -> Self {
        Self { started: now, iterations: 0, shown: Time::ZERO }
    }

    /// An iteration has ended. True where another one is to be run.
    pub(super) fn iterated(&mut self, now: Time, span: Time, clock: Clock) -> bool {
        let shown = clock.between(self.started, now);
        if shown <= span || self.iterations == 0 {
            self.iterations += 1;
            self.shown = shown;
        }
        shown < span
    }

    /// P = 1/t: iterations of one individual a second. t is the span over the iterations and the individuals of each.
    pub(super) fn power(&self, individuals: u32, span: Time, per_second: f64) -> f64 {
        let time = span.max(self.shown).as_f64() / per_second;
        f64::from(self.iterations) * f64::from(individuals) / time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Iterations of `each` ticks in a span of 100; ticks are milliseconds.
    fn power(each: u64, resolution: u64) -> f64 {
        let (span, clock) = (Time(100), Clock { resolution: Time(resolution) });
        let mut now = Time(7);
        let mut count = Count::start(now);
        loop {
            now += Time(each);
            if !count.iterated(now, span, clock) {
                return count.power(5, span, 1000.0);
            }
        }
    }

    #[test]
    fn whole_iterations_are_counted() {
        // 5 individuals in 10 ms: 500 a second, and 10 iterations fit exactly.
        assert_eq!(power(10, 0), 500.0);
        // 14 iterations of 7 ms fit, and 98 ms are taken for 100.
        assert_eq!(power(7, 0), 14.0 * 5.0 / 0.1);
        // Longer than the span: one iteration counts, with the time that it took.
        assert_eq!(power(250, 0), 5.0 / 0.25);
    }

    #[test]
    fn a_coarse_clock_counts_wrong() {
        // It starts at 7, where the clock shows 0: it reads 100 from 100 on, and the iteration that ends at 105 counts.
        assert_eq!(power(14, 10), 7.0 * 5.0 / 0.1);
        assert_eq!(Clock { resolution: Time(10) }.between(Time(19), Time(20)), Time(10));
    }
}
