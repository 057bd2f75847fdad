//! How messages flow over shared links: the effects of a protocol such as TCP on fair sharing.
//!
//! The factors come from the calibration of SimGrid's flow models against packet-level simulation (Velho and Legrand,
//! SIMUTools 2009, LV08; Casanova and Marchal, RR-LIP 2002-40, CM02), and of SMPI against MPI on a cluster (Clauss et
//! al., IPDPS 2011).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::num::NonZeroU32;

use super::network::{NetworkError, Transfer, ascending};
use hetsim_base::units::{Tick, Time, round_up};

/// The protocol's effects on the latency and the rate of a flow.
#[derive(Debug, Clone, PartialEq)]
pub struct Transport {
    /// Factors on the latency of the whole path, above zero.
    pub latency_factor: BySize,
    /// Factors on the rate of a flow, above zero: below one the rest is lost to headers, above one the bytes flow faster
    /// than the links carry them.
    pub bandwidth_factor: BySize,
    /// The window in bytes: a flow is no faster than the window over twice the latency. `None`: unbounded.
    pub window: Option<f64>,
    /// If set, flows share a link by the inverse of their round-trip times, to which each link of the path adds its
    /// latency and the time of this many bytes; a flow without any latency counts as one of a second. `None`: all flows
    /// share equally.
    pub round_trip_payload: Option<f64>,
    /// The rate of acknowledgements on the links of the reverse path, as a share of the flow's own rate; zero for none.
    pub reverse_share: f64,
    /// The most messages of a node's port that are under way at once; the next one leaves when one has arrived. With 1
    /// they leave in turn. `None`: any number.
    pub most_sends: Option<NonZeroU32>,
}

/// A factor by the size of a message with its envelope: each holds from its size on, and 1 below the first size.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BySize(Cow<'static, [(u64, f64)]>);

impl BySize {
    /// The factors of a table from sizes.
    ///
    /// # Errors
    /// If a size is invalid, or is given twice.
    pub fn new(table: &BTreeMap<String, f64>) -> Result<Self, NetworkError> {
        Ok(Self(ascending(table)?.into()))
    }

    /// The same factor for all messages.
    #[must_use]
    pub fn constant(factor: f64) -> Self {
        Self(vec![(0, factor)].into())
    }

    /// The factors, by rising size.
    pub(super) fn all(&self) -> impl Iterator<Item = f64> {
        self.0.iter().map(|&(_, factor)| factor)
    }

    /// The factor of a message of `bytes`.
    fn of(&self, bytes: u64) -> f64 {
        let place = self.0.partition_point(|&(size, _)| size <= bytes).checked_sub(1);
        place.map_or(1.0, |place| self.0[place].1)
    }
}

impl Default for Transport {
    fn default() -> Self {
        Self::RAW
    }
}

/// The characteristics of a path, apart from other traffic.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct PathCost {
    /// The sum of its links' latencies, in seconds.
    pub(super) latency: f64,
    /// The sum of the inverses of their bandwidths, in seconds per byte.
    pub(super) per_byte: f64,
}

/// The window of TCP in CM02 and LV08, in bytes.
const TCP_WINDOW: f64 = 4_194_304.0;

/// The share of acknowledgements on the reverse path in CM02 and LV08.
const ACKNOWLEDGEMENTS: f64 = 0.05;

impl Transport {
    /// The links alone: an unhindered message takes its latency plus its bytes over the least bandwidth; flows share
    /// links equally.
    pub const RAW: Self = Self {
        latency_factor: BySize(Cow::Borrowed(&[])),
        bandwidth_factor: BySize(Cow::Borrowed(&[])),
        window: None,
        round_trip_payload: None,
        reverse_share: 0.0,
        most_sends: None,
    };
    /// The model of Casanova and Marchal (2002): a TCP window, sharing by round-trip times, acknowledgements.
    pub const CM02: Self =
        Self { window: Some(TCP_WINDOW), round_trip_payload: Some(0.0), reverse_share: ACKNOWLEDGEMENTS, ..Self::RAW };
    /// The calibration of Legrand and Velho (2008): slow start as 13.01 times the latency, headers as 0.97 of the
    /// bandwidth, and 20537 bytes per link in round-trip times.
    pub const LV08: Self = Self {
        latency_factor: BySize(Cow::Borrowed(&[(0, 13.01)])),
        bandwidth_factor: BySize(Cow::Borrowed(&[(0, 0.97)])),
        round_trip_payload: Some(20_537.0),
        ..Self::CM02
    };
    /// What SMPI has by default (SimGrid 3.32): factors for nine ranges of sizes, and 8775 bytes per link in round-trip
    /// times.
    pub const SMPI: Self = Self {
        latency_factor: BySize(Cow::Borrowed(&[
            (1, 2.014_67),
            (258, 1.953_41),
            (733, 1.9503),
            (1427, 1.610_75),
            (3485, 1.881_01),
            (5777, 2.187_96),
            (9377, 2.592_99),
            (15_425, 3.488_45),
            (65_473, 11.6436),
        ])),
        bandwidth_factor: BySize(Cow::Borrowed(&[
            (1, 0.812_084),
            (258, 0.338_112),
            (733, 0.341_987),
            (1427, 0.608_902),
            (3485, 0.774_93),
            (5777, 1.087_39),
            (9377, 0.587_29),
            (15_425, 0.697_866),
            (65_473, 0.940_694),
        ])),
        round_trip_payload: Some(8775.0),
        ..Self::CM02
    };

    /// The bytes that flow for a message of `bytes`.
    pub(super) fn bytes(&self, bytes: u64) -> f64 {
        bytes as f64 / self.bandwidth_factor.of(bytes)
    }

    /// The time until the first byte of a message of `bytes` flows, if the links' latencies sum up to `latency`.
    pub(super) fn latency(&self, latency: Time, bytes: u64) -> Time {
        let factor = self.latency_factor.of(bytes);
        if factor == 1.0 { latency } else { round_up(latency.as_f64() * factor) }
    }

    /// The time of a message alone on links with the least bandwidth `least`, in bytes per second.
    pub(super) fn alone(&self, path: PathCost, least: f64, bytes: u64, tick: Tick) -> Transfer {
        let rate = (least / tick.per_second()).min(self.limit(path, tick));
        let latency = self.latency(tick.time(path.latency), bytes);
        Transfer { transmission: round_up(self.bytes(bytes) / rate), latency, ..Transfer::default() }
    }

    /// Whether the characteristics of a flow's path matter.
    pub(super) const fn depends_on_paths(&self) -> bool {
        self.window.is_some() || self.round_trip_payload.is_some()
    }

    /// The weight of a flow on a full link.
    pub(super) fn weight(&self, path: PathCost) -> f64 {
        let Some(payload) = self.round_trip_payload else { return 1.0 };
        // A path without any latency has no round-trip time, even if its links add to one: SimGrid gives it a weight of
        // one.
        if path.latency > 0.0 { 1.0 / (path.latency + payload * path.per_byte) } else { 1.0 }
    }

    /// The highest rate of a flow, in bytes per tick.
    pub(super) fn limit(&self, path: PathCost, tick: Tick) -> f64 {
        match self.window {
            Some(window) if path.latency > 0.0 => window / (2.0 * path.latency) / tick.per_second(),
            _ => f64::INFINITY,
        }
    }
}
