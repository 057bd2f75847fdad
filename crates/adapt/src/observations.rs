//! The results of benchmarks of single messages, to which the models are fitted.

/// Measurements with messages of one size between two nodes of a cluster, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// The bytes of a message.
    pub bytes: u64,
    /// Half a round trip (ping-pong).
    pub one_way: f64,
    /// The interval between messages in a saturated train.
    pub gap: f64,
    /// The busy time of the sender's processor per message.
    pub send: f64,
    /// The busy time of the receiver's processor per message.
    pub receive: f64,
}

/// Measurements over several sizes.
#[derive(Debug, Clone, PartialEq)]
pub struct Observations {
    at: Vec<Observation>,
    contention: f64,
}

/// Why values are not valid observations.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ObservationsError {
    /// There are fewer than two sizes, or two of one size.
    #[error("at least two different message sizes must be measured")]
    Sizes,
    /// A time is negative or not a number, or the contention is below 1.
    #[error("a time of messages of {0} bytes is negative or not finite, or the contention is below 1")]
    Value(u64),
}

impl Observations {
    /// The observations `at` some sizes, in any order. `contention` is the factor by which a long message's bytes take
    /// longer while all pairs of the cluster communicate at once: 1 or more.
    ///
    /// # Errors
    /// If there are fewer than two sizes, or a value is out of range.
    pub fn new(mut at: Vec<Observation>, contention: f64) -> Result<Self, ObservationsError> {
        at.sort_by_key(|one| one.bytes);
        if at.len() < 2 || at.windows(2).any(|pair| pair[0].bytes == pair[1].bytes) {
            return Err(ObservationsError::Sizes);
        }
        let sound = |seconds: f64| seconds >= 0.0 && seconds.is_finite();
        let wrong = at.iter().find(|one| ![one.one_way, one.gap, one.send, one.receive].into_iter().all(sound));
        if let Some(wrong) = wrong.or_else(|| at.first().filter(|_| !(contention >= 1.0 && contention.is_finite()))) {
            return Err(ObservationsError::Value(wrong.bytes));
        }
        Ok(Self { at, contention })
    }

    /// The observations by rising size: two or more.
    #[must_use]
    pub fn all(&self) -> &[Observation] {
        &self.at
    }

    /// The factor by which bytes take longer while all pairs communicate at once.
    #[must_use]
    pub const fn contention(&self) -> f64 {
        self.contention
    }

    /// The shortest message.
    pub(super) fn shortest(&self) -> Observation {
        self.at[0]
    }

    /// The longest message.
    pub(super) fn longest(&self) -> Observation {
        self.at[self.at.len() - 1]
    }

    /// The measured size nearest to `bytes`, by ratio.
    pub(super) fn nearest(&self, bytes: f64) -> Observation {
        let apart = |one: &Observation| ((one.bytes.max(1) as f64).ln() - bytes.max(1.0).ln()).abs();
        let nearest = self.at.iter().min_by(|x, y| apart(x).total_cmp(&apart(y)));
        nearest.copied().unwrap_or(self.at[0])
    }

    /// The line through the shortest and the longest message: `(at 0 bytes, per byte)`, neither below 0.
    pub(super) fn line(&self, part: impl Fn(&Observation) -> f64) -> (f64, f64) {
        let (short, long) = (self.shortest(), self.longest());
        let slope = ((part(&long) - part(&short)) / (long.bytes - short.bytes) as f64).max(0.0);
        ((part(&short) - slope * short.bytes as f64).max(0.0), slope)
    }

    /// The latency of pLogP: the time of a short message minus its gap (Kielmann et al. 2001: (RTT − 2g)/2).
    pub(super) fn latency(&self) -> f64 {
        let short = self.shortest();
        (short.one_way - short.gap).max(0.0)
    }

    /// g(m) as a table.
    pub(super) fn gaps(&self) -> Vec<(f64, f64)> {
        self.at.iter().map(|one| (one.bytes as f64, one.gap)).collect()
    }
}
