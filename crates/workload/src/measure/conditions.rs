//! Under which conditions a network is measured: how gaps are found, what else is under way, and how wild samples are.

use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::traffic::{Traffic, traffic_pairs};
use crate::KeyError;
use hetsim_base::engine::{Stream, Streams};
use hetsim_base::units::defaults::fraction;
use hetsim_base::units::{Bytes, Quantity, Seconds, Tick, Time};

/// How the gap g(m) of a message is measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Gaps {
    /// By saturated trains of each size: what the sender's port takes.
    #[default]
    Trains,
    /// By trains of empty messages, and round trips of each size with an empty answer: g(m) = RTT(m) − RTT(0) + g(0),
    /// as `logp_mpi` does (Kielmann, Bal, Verstoep 2000). Cheaper, and L + g(m) then has all that a message takes
    /// besides the port: copies, handshakes.
    RoundTrips,
}

/// `[workload.background]`: messages of other programs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Background {
    /// How many pairs exchange messages, drawn from the seed among all nodes.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub pairs: u32,
    /// The length of each message.
    pub size: Bytes,
    /// The mean of the exponential times between two messages of a pair.
    pub interval: Seconds,
}

/// `[workload.outliers]`: times that are too long because something else held the measuring node up.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Outliers {
    /// The share of the times that are taken which are outliers, each drawn by itself.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub share: f64,
    /// How many times as long they are.
    #[serde(default = "fraction::<1, 1>")]
    #[schemars(range(min = 1.0, max = 1e6))]
    pub factor: f64,
    /// How much longer they are besides.
    #[serde(default)]
    pub extra: Seconds,
}

impl Background {
    /// Checks the keys.
    ///
    /// # Errors
    /// The key that is wrong, and why.
    pub fn check(&self) -> Result<(), KeyError> {
        KeyError::unless(self.interval.base() > 0.0, "background.interval", || "`interval` must be above zero")?;
        KeyError::unless(self.pairs > 0, "background.pairs", || "`pairs` must be at least 1")?;
        KeyError::unless(self.pairs <= 1_000_000, "background.pairs", || "`pairs` must be at most 1000000")
    }

    /// The messages on a machine of so many nodes.
    #[must_use]
    pub fn traffic(&self, nodes: u32, streams: &Streams) -> Traffic {
        Traffic {
            pairs: traffic_pairs(nodes, self.pairs, streams),
            bytes: self.size.count(),
            interval_s: self.interval.base(),
        }
    }
}

impl Outliers {
    /// Checks the keys.
    ///
    /// # Errors
    /// The key that is wrong, and why.
    pub fn check(&self) -> Result<(), KeyError> {
        KeyError::unless((0.0..=1.0).contains(&self.share), "outliers.share", || "`share` must be from 0 to 1")?;
        KeyError::unless((1.0..=1e6).contains(&self.factor), "outliers.factor", || "`factor` must be from 1 to 1e6")?;
        if self.factor <= 1.0 && self.extra.base() <= 0.0 {
            return Err(KeyError::new("outliers", "outliers need a `factor` above 1 or an `extra` time"));
        }
        Ok(())
    }

    /// How much longer than `time` a time is taken to be; nothing for most. The stream is that of this very time.
    #[must_use]
    pub fn longer(&self, time: Time, tick: Tick, mut stream: Stream) -> Time {
        if stream.random::<f64>() >= self.share {
            return Time::ZERO;
        }
        tick.time(tick.seconds(time) * (self.factor - 1.0) + self.extra.base())
    }
}
