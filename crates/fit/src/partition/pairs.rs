//! Latencies measured between some or all pairs of machines.

/// Two machines and the latency between them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// The first machine.
    pub a: u32,
    /// The second machine.
    pub b: u32,
    /// The latency, 0 or more, in any unit that is the same for all pairs.
    pub latency: f64,
}

/// Measured pairs, each once, without direction.
#[derive(Debug, Clone, PartialEq)]
pub struct Pairs {
    machines: u32,
    pairs: Vec<Pair>,
}

/// Why pairs are not a valid measurement.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PairsError {
    /// A latency is negative, infinite or not a number.
    #[error("the latency between machines {a} and {b} is {latency}: it must be 0 or more, and finite")]
    Latency {
        /// The first machine.
        a: u32,
        /// The second machine.
        b: u32,
        /// The value.
        latency: f64,
    },
    /// A machine is paired with itself, or does not exist.
    #[error("there is no pair of machines {0} and {1}")]
    NoPair(u32, u32),
}

impl Pairs {
    /// These pairs of `machines` machines. If a pair is measured several times or in both directions, the mean counts.
    ///
    /// # Errors
    /// If a machine does not exist or is paired with itself, or a latency is out of range.
    pub fn new(machines: u32, mut pairs: Vec<Pair>) -> Result<Self, PairsError> {
        for pair in &mut pairs {
            let Pair { a, b, latency } = *pair;
            if a == b || a.max(b) >= machines {
                return Err(PairsError::NoPair(a, b));
            }
            check(a, b, latency)?;
            (pair.a, pair.b) = (a.min(b), a.max(b));
        }
        let ordered = pairs.is_sorted_by(|x, y| (x.a, x.b) < (y.a, y.b));
        if !ordered {
            pairs.sort_by_key(|pair| (pair.a, pair.b));
            pairs = pairs.chunk_by(|x, y| (x.a, x.b) == (y.a, y.b)).map(mean).collect();
        }
        Ok(Self { machines, pairs })
    }

    /// All pairs of `machines` machines, with the latency that `latency(a, b)` gives for a < b.
    ///
    /// # Errors
    /// If a latency is out of range.
    pub fn from_fn(machines: u32, mut latency: impl FnMut(u32, u32) -> f64) -> Result<Self, PairsError> {
        let mut pairs = Vec::with_capacity(machines as usize * machines.saturating_sub(1) as usize / 2);
        for a in 0..machines {
            for b in a + 1..machines {
                let latency = latency(a, b);
                check(a, b, latency)?;
                pairs.push(Pair { a, b, latency });
            }
        }
        Ok(Self { machines, pairs })
    }

    /// The number of machines.
    #[must_use]
    pub const fn machines(&self) -> u32 {
        self.machines
    }

    /// The pairs by their lower machine, then by their higher one.
    #[must_use]
    pub fn all(&self) -> &[Pair] {
        &self.pairs
    }

    /// The latency between two different machines, if it was measured.
    #[must_use]
    pub fn latency(&self, a: u32, b: u32) -> Option<f64> {
        let wanted = (a.min(b), a.max(b));
        let place = self.pairs.binary_search_by_key(&wanted, |pair| (pair.a, pair.b)).ok()?;
        Some(self.pairs[place].latency)
    }
}

fn check(a: u32, b: u32, latency: f64) -> Result<(), PairsError> {
    if latency >= 0.0 && latency.is_finite() { Ok(()) } else { Err(PairsError::Latency { a, b, latency }) }
}

/// The mean of one pair's measurements.
fn mean(same: &[Pair]) -> Pair {
    let sum: f64 = same.iter().map(|pair| pair.latency).sum();
    Pair { latency: sum / same.len() as f64, ..same[0] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_are_one_pair() {
        let pair = |a, b, latency| Pair { a, b, latency };
        let pairs = Pairs::new(3, vec![pair(2, 1, 4.0), pair(0, 1, 1.0), pair(1, 2, 2.0)]).unwrap();
        assert_eq!(pairs.all(), [pair(0, 1, 1.0), pair(1, 2, 3.0)]);
        assert_eq!((pairs.latency(2, 1), pairs.latency(0, 2)), (Some(3.0), None));
        assert_eq!(Pairs::new(3, vec![pair(1, 1, 1.0)]), Err(PairsError::NoPair(1, 1)));
        assert!(Pairs::new(3, vec![pair(1, 0, f64::NAN)]).is_err());
        assert!(Pairs::from_fn(2, |_, _| -1.0).is_err());
    }
}
