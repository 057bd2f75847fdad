//! Broadcast times under Hockney's model, in seconds, as functions of real numbers: for choosing and for bounds.
//!
//! The forms are those collected by Thakur, Rabenseifner, Gropp 2005 and Pješivac-Grbović et al. 2007. Every form is
//! zero for one rank but the bounds on segments, which need at least two.

use crate::communication::rounds::rounds;

/// Hockney's parameters: a message of m bytes takes α + βm seconds, and the port for as long.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hockney {
    /// α, seconds a message.
    pub alpha: f64,
    /// β, seconds a byte.
    pub beta: f64,
}

impl Hockney {
    /// One message of `bytes` bytes, which may be a fraction.
    #[must_use]
    pub fn transfer(self, bytes: f64) -> f64 {
        self.alpha + self.beta * bytes
    }

    /// The flat tree and, as they cost the same here, the chain: (P − 1)(α + βm).
    #[must_use]
    pub fn linear(self, ranks: u32, message: f64) -> f64 {
        f64::from(ranks.saturating_sub(1)) * self.transfer(message)
    }

    /// The binomial tree: ⌈log₂P⌉(α + βm), exact for any P.
    #[must_use]
    pub fn binomial(self, ranks: u32, message: f64) -> f64 {
        f64::from(rounds(ranks)) * self.transfer(message)
    }

    /// The chain of `segments` segments: (P − 2 + k)(α + βm/k).
    #[must_use]
    pub fn pipeline(self, ranks: u32, message: f64, segments: f64) -> f64 {
        if ranks < 2 { 0.0 } else { (f64::from(ranks - 2) + segments) * self.transfer(message / segments) }
    }

    /// The best number of segments of the pipeline, a real number: k* = √((P − 2)βm/α).
    #[must_use]
    pub fn best_segments(self, ranks: u32, message: f64) -> f64 {
        (f64::from(ranks.saturating_sub(2)) * self.beta * message / self.alpha).sqrt()
    }

    /// The pipeline's time at [`best_segments`](Self::best_segments): T* = (√((P − 2)α) + √(βm))². A bound: the best
    /// whole number of segments takes a little longer.
    #[must_use]
    pub fn best_pipeline(self, ranks: u32, message: f64) -> f64 {
        let fill = (f64::from(ranks.saturating_sub(2)) * self.alpha).sqrt();
        if ranks < 2 { 0.0 } else { (fill + (self.beta * message).sqrt()).powi(2) }
    }

    /// Scatter and ring allgather: (⌈log₂P⌉ + P − 1)α + 2(P − 1)/P·βm, exact for P a power of two that divides m.
    #[must_use]
    pub fn scatter_ring(self, ranks: u32, message: f64) -> f64 {
        f64::from(rounds(ranks) + ranks.saturating_sub(1)) * self.alpha + self.moved_twice(ranks, message)
    }

    /// Scatter and recursive doubling: 2·⌈log₂P⌉α + 2(P − 1)/P·βm, for P a power of two.
    #[must_use]
    pub fn scatter_recursive_doubling(self, ranks: u32, message: f64) -> f64 {
        f64::from(2 * rounds(ranks)) * self.alpha + self.moved_twice(ranks, message)
    }

    /// The bytes of all blocks but one, once in the scatter and once in the allgather.
    fn moved_twice(self, ranks: u32, message: f64) -> f64 {
        let share = f64::from(ranks.saturating_sub(1)) / f64::from(ranks.max(1));
        2.0 * share * self.beta * message
    }

    /// No broadcast is faster: ⌈log₂P⌉α, as informed ranks can at most double each α.
    #[must_use]
    pub fn least_latency(self, ranks: u32) -> f64 {
        f64::from(rounds(ranks)) * self.alpha
    }

    /// No broadcast is faster: βm, as the last byte has to leave the root; zero for one rank.
    #[must_use]
    pub fn least_streaming(self, ranks: u32, message: f64) -> f64 {
        if ranks < 2 { 0.0 } else { self.beta * message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::communication::Cost;
    use crate::communication::intracluster::{Algorithm, Broadcast};
    use crate::units::Tick;

    const MEBIBYTE: f64 = 1_048_576.0;
    const LINK: Hockney = Hockney { alpha: 50e-6, beta: 10e-9 };

    fn micros(seconds: f64) -> f64 {
        (seconds * 1e8).round() / 100.0
    }

    /// P = 8, m = 1 MiB, α = 50 µs, β = 10 ns/B, worked from the forms.
    #[test]
    fn eight_ranks_and_a_mebibyte() {
        assert_eq!(micros(LINK.linear(8, MEBIBYTE)), 73_750.32);
        assert_eq!(micros(LINK.binomial(8, MEBIBYTE)), 31_607.28);
        assert_eq!(micros(LINK.pipeline(8, MEBIBYTE, 128.0)), 17_677.28);
        assert_eq!((LINK.best_pipeline(8, MEBIBYTE) * 1e7).round() / 10.0, 14_333.0);
        assert_eq!(micros(LINK.least_streaming(8, MEBIBYTE)), 10_485.76);
        assert_eq!(micros(LINK.least_latency(8)), 150.0);
    }

    #[test]
    fn plans_take_these_times() {
        let cost = |bytes: u64| Cost::hockney(Tick::PICOSECOND.time(LINK.transfer(bytes as f64)));
        let broadcast = Broadcast { ranks: 8, message: 1 << 20, segment: 8192, cost: &cost };
        for (algorithm, expected) in [
            (Algorithm::Linear, LINK.linear(8, MEBIBYTE)),
            (Algorithm::Chain, LINK.linear(8, MEBIBYTE)),
            (Algorithm::Binomial, LINK.binomial(8, MEBIBYTE)),
            (Algorithm::BinomialMpich, LINK.binomial(8, MEBIBYTE)),
            (Algorithm::Pipeline, LINK.pipeline(8, MEBIBYTE, 128.0)),
            (Algorithm::ScatterRing, LINK.scatter_ring(8, MEBIBYTE)),
            (Algorithm::ScatterRecursiveDoubling, LINK.scatter_recursive_doubling(8, MEBIBYTE)),
        ] {
            let time = Tick::PICOSECOND.seconds(algorithm.completion(&broadcast));
            assert!((time - expected).abs() < 1e-11, "{algorithm}: {time} for {expected}");
        }
    }

    #[test]
    fn best_segments_are_best() {
        let best = LINK.best_segments(8, MEBIBYTE);
        let optimum = LINK.best_pipeline(8, MEBIBYTE);
        assert!((LINK.pipeline(8, MEBIBYTE, best) - optimum).abs() < 1e-12);
        let whole = (1..1000).map(|segments| LINK.pipeline(8, MEBIBYTE, f64::from(segments))).fold(f64::MAX, f64::min);
        assert!(optimum < whole && whole < optimum * 1.001);
    }
}
