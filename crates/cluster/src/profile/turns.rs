//! Tasks that take turns at a processor.

use super::{Profile, ProfileError};
use hetsim_base::units::Time;

/// Tasks that take turns at a processor, each for a quantum: round robin, simulated exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turns {
    /// The number of other tasks.
    pub others: u32,
    /// The time slice of each task, in ticks above zero.
    pub quantum: Time,
}

impl Turns {
    /// The length of a round of all tasks.
    #[must_use]
    pub fn cycle(self) -> Time {
        self.quantum * (u64::from(self.others) + 1)
    }

    /// The share of the processor if the others never leave, from the phase `phase` in [0, 1) of a cycle on: at 0 our
    /// turn begins.
    ///
    /// # Errors
    /// If the quantum is zero.
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

    /// The steps between two instants while the others are there. They arrive while our task runs, which first gets a
    /// quantum of its own.
    pub fn within(self, from: Time, to: Time) -> impl Iterator<Item = (Time, f64)> {
        let (quantum, cycle, alone) = (self.quantum, self.cycle(), self.others == 0);
        let turns = std::iter::successors(Some(from), move |start| Some(*start + cycle));
        // Turns of length zero would never end.
        let steps = turns
            .take_while(move |start| *start < to && cycle > Time::ZERO)
            .flat_map(move |start| [(start, 1.0), (start + quantum, 0.0)]);
        steps.filter(move |(at, share)| *at < to && !(alone && *share == 0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// k others and a quantum: in the long run the share is 1/(k + 1), and never more than a quantum off.
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
        assert_eq!(Turns { others: 2, quantum: Time::ZERO }.within(Time(5), Time(40)).count(), 0);
        let steps: Vec<_> = Turns { others: 2, quantum: Time(10) }.within(Time(5), Time(40)).collect();
        assert_eq!(steps, [(Time(5), 1.0), (Time(15), 0.0), (Time(35), 1.0)]);
    }
}
