//! Experimental selection: the times of past operations, as in an optimisation cache (Nasri et al. 2008, §4).

use hetsim_communication::Algorithm;

/// A candidate inside a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The bytes of its segments; 0 for an uncut message.
    pub segment: u64,
}

/// The last time of each candidate, for one cluster and one message size.
#[derive(Debug, Clone)]
pub struct Cache {
    entries: Vec<(Candidate, Option<f64>)>,
}

impl Cache {
    /// An empty cache of these candidates.
    #[must_use]
    pub fn new(candidates: impl IntoIterator<Item = Candidate>) -> Self {
        Self { entries: candidates.into_iter().map(|candidate| (candidate, None)).collect() }
    }

    /// The candidate for the next operation: the first one not tried yet, or else the fastest; of equally fast ones the
    /// first. `None` without candidates.
    #[must_use]
    pub fn pick(&self) -> Option<Candidate> {
        let untried = self.entries.iter().find(|(_, seconds)| seconds.is_none());
        let known = self.entries.iter().filter_map(|(candidate, seconds)| Some((candidate, (*seconds)?)));
        let fastest = || known.min_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(candidate, _)| *candidate);
        untried.map(|(candidate, _)| *candidate).or_else(fastest)
    }

    /// The last time of a candidate, in seconds.
    #[must_use]
    pub fn seconds(&self, candidate: Candidate) -> Option<f64> {
        self.entries.iter().find(|(known, _)| *known == candidate)?.1
    }

    /// Records the time of a candidate. It replaces the previous time, since the network may have changed.
    pub fn note(&mut self, candidate: Candidate, seconds: f64) {
        if let Some((_, known)) = self.entries.iter_mut().find(|(known, _)| *known == candidate) {
            *known = Some(seconds);
        }
    }

    /// Discards all times: all candidates will be tried again.
    pub fn forget(&mut self) {
        for (_, seconds) in &mut self.entries {
            *seconds = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tries_all_and_keeps_the_fastest() {
        let candidates = [(Algorithm::Linear, 0), (Algorithm::Pipeline, 4096), (Algorithm::Binomial, 0)]
            .map(|(algorithm, segment)| Candidate { algorithm, segment });
        let mut cache = Cache::new(candidates);
        for (candidate, seconds) in candidates.into_iter().zip([3.0, 1.0, 2.0]) {
            assert_eq!((cache.pick(), cache.seconds(candidate)), (Some(candidate), None));
            cache.note(candidate, seconds);
        }
        assert_eq!(cache.pick(), Some(candidates[1]));
        // The fastest candidate has become slow: the next one's last time is better.
        cache.note(candidates[1], 2.5);
        assert_eq!((cache.pick(), cache.seconds(candidates[1])), (Some(candidates[2]), Some(2.5)));
        cache.forget();
        assert_eq!(cache.pick(), Some(candidates[0]));
        assert_eq!(Cache::new([]).pick(), None);
    }
}
