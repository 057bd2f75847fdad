//! What one message costs, as far as a broadcast tree can see.

use hetsim_base::units::Time;

/// What sending one message of a given size costs. Both lengths count from the start of the send.
///
/// Every point-to-point model with one port a rank reduces to this pair; messages of other sizes have other pairs, so
/// formulas over segments take a function from bytes to `Cost`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cost {
    /// When the sender may start its next send.
    pub gap: Time,
    /// When the receiver has the message.
    pub hop: Time,
}

impl Cost {
    /// Hockney: the port is taken for the whole `transfer` of α + βm.
    #[must_use]
    pub const fn hockney(transfer: Time) -> Self {
        Self { gap: transfer, hop: transfer }
    }

    /// pLogP: the gap g(m), and the latency L after it (Kielmann, Bal, Verstoep 2000).
    #[must_use]
    pub fn plogp(gap: Time, latency: Time) -> Self {
        Self { gap, hop: gap + latency }
    }

    /// `LogGP`: `stream` is (m−1)·G; gap = max(o, g + (m−1)G), hop = L + 2o + (m−1)G. With no stream it is `LogP`.
    #[must_use]
    pub fn loggp(latency: Time, overhead: Time, gap: Time, stream: Time) -> Self {
        Self { gap: overhead.max(gap + stream), hop: latency + overhead * 2 + stream }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_reduce_to_gap_and_hop() {
        assert_eq!(Cost::hockney(Time(7)), Cost { gap: Time(7), hop: Time(7) });
        assert_eq!(Cost::plogp(Time(100), Time(50)), Cost { gap: Time(100), hop: Time(150) });
        let logp = Cost::loggp(Time(6), Time(2), Time(4), Time::ZERO);
        assert_eq!(logp, Cost { gap: Time(4), hop: Time(10) });
        let overhead_bound = Cost::loggp(Time(2500), Time(1500), Time(1000), Time::ZERO);
        assert_eq!(overhead_bound, Cost { gap: Time(1500), hop: Time(5500) });
    }
}
