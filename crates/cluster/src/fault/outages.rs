//! The outages of one link, queried in order of time.

use rand::RngExt;

use super::{Fault, Outage, Source};
use hetsim_base::engine::Stream;
use hetsim_base::units::Time;

/// The faults of one link during a run: the link is down while any of them is in effect. Outages are drawn on demand,
/// each fault's from a stream of its own, so queries do not change them.
#[derive(Debug)]
pub struct Outages {
    faults: Vec<Course>,
}

/// A fault, and its current or next outage.
#[derive(Debug)]
struct Course {
    source: Source,
    next: Option<Outage>,
}

impl Outages {
    /// The faults from the start of a run, all drawn from `stream`: a further fault at the end of the list does not
    /// change the outages of the others.
    #[must_use]
    pub fn new(faults: &[Fault], mut stream: Stream) -> Self {
        let course = |fault: &Fault| {
            let own = Stream::new(stream.random(), stream.random());
            let mut source = Source::new(fault.clone(), own);
            let next = source.outage(Time::ZERO);
            Course { source, next }
        };
        Self { faults: faults.iter().map(course).collect() }
    }

    /// Whether the link is down at an instant. Instants must not decrease from one call to the next, of this method or
    /// of [`next_change`](Self::next_change).
    pub fn is_down(&mut self, at: Time) -> bool {
        self.faults.iter_mut().any(|fault| fault.at(at).is_some_and(|next| next.from <= at))
    }

    /// The first instant after `after` at which the state may change; `None` if it never does.
    pub fn next_change(&mut self, after: Time) -> Option<Time> {
        let change = |fault: &mut Course| {
            let next = fault.at(after)?;
            if next.from > after { Some(next.from) } else { next.until }
        };
        self.faults.iter_mut().filter_map(change).min()
    }
}

impl Course {
    /// The outage at an instant, or the next one after it.
    fn at(&mut self, at: Time) -> Option<Outage> {
        while let Some(until) = self.next.and_then(|next| next.until).filter(|until| *until <= at) {
            self.next = self.source.outage(until);
        }
        self.next
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::Profile;
    use hetsim_base::engine::Streams;

    fn stream() -> Stream {
        Streams::new(5, 0).stream("link fault", 0)
    }

    fn outage(from: u64, until: u64) -> Outage {
        Outage { from: Time(from), until: Some(Time(until)) }
    }

    /// All changes up to an instant, with the state after each.
    fn changes(outages: &mut Outages, end: Time) -> Vec<(u64, bool)> {
        let first = (0, outages.is_down(Time::ZERO));
        let times = std::iter::successors(Some(first), |&(at, _)| {
            let next = outages.next_change(Time(at)).filter(|next| *next <= end)?;
            Some((next.0, outages.is_down(next)))
        });
        times.collect()
    }

    #[test]
    fn known_outages_and_those_that_repeat() {
        let known = Fault::at(vec![outage(0, 2), outage(30, 31)]).unwrap();
        let repeated = Fault::every(outage(5, 8), Time(10)).unwrap();
        let mut outages = Outages::new(&[known, repeated], stream());
        let wanted = [(0, true), (2, false), (5, true), (8, false), (15, true), (18, false), (25, true), (28, false)];
        assert_eq!(changes(&mut outages, Time(29)), wanted);
        assert_eq!(outages.next_change(Time(29)), Some(Time(30)));
        // A long step at once: 10 000 005 to 10 000 008 is an outage.
        assert!(outages.is_down(Time(10_000_007)) && !outages.is_down(Time(10_000_008)));
        let profile = Profile::new(&[(Time(5), 0.0), (Time(8), 0.5)], Some(Time(10))).unwrap();
        let mut zero = Outages::new(&[Fault::while_zero(Arc::new(profile))], stream());
        assert_eq!(changes(&mut zero, Time(18)), [(0, false), (5, true), (8, false), (15, true), (18, false)]);
        assert_eq!(Outages::new(&[], stream()).next_change(Time(0)), None);
        let for_good = Fault::at(vec![Outage { from: Time(4), until: None }]).unwrap();
        let mut outages = Outages::new(&[for_good], stream());
        assert_eq!(changes(&mut outages, Time::NEVER), [(0, false), (4, true)]);
    }

    #[test]
    fn drawn_outages_have_their_means() {
        let fault = Fault::exponential(Time(30_000), Some(Time(10_000))).unwrap();
        let end = 4_000_000_000;
        let mut all = changes(&mut Outages::new(&[fault.clone(), fault], stream()), Time(end));
        all.push((end, false));
        let down: u64 = all.windows(2).filter(|pair| pair[0].1).map(|pair| pair[1].0 - pair[0].0).sum();
        // Each is up for three quarters of the time, so both are for 9/16 if they are independent.
        assert!((down as f64 / end as f64 - 7.0 / 16.0).abs() < 0.01, "{down}");
    }

    proptest! {
        /// Intermediate queries and further faults change nothing.
        #[test]
        fn outages_depend_on_nothing_but_their_stream(asked in prop::collection::vec(1u64..500, 1..100)) {
            let fault = |mean| Fault::weibull(0.7, Time(mean), Some(Time(50))).unwrap();
            let faults = [fault(100), fault(300)];
            let calm = changes(&mut Outages::new(&faults, stream()), Time(50_000));
            let mut outages = Outages::new(&faults, stream());
            let mut more = Outages::new(&[fault(100), fault(300), fault(70)], stream());
            let mut at = 0;
            for gap in asked {
                at += gap;
                let down = calm[calm.partition_point(|(change, _)| *change <= at) - 1].1;
                prop_assert_eq!(outages.is_down(Time(at)), down);
                prop_assert!(more.is_down(Time(at)) || !down);
                if gap % 3 == 0 {
                    let next = calm.iter().find(|(change, _)| *change > at).map(|(change, _)| Time(*change));
                    prop_assert_eq!(outages.next_change(Time(at)), next);
                }
            }
        }
    }
}
