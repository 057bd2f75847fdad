//! Parametrised LogP (Kielmann et al., Concurrency and Computation 13, 2001): the gap and both overheads are tables
//! over the message size, so costs need not be linear.
//!
//! A message is delivered L + g(m) after its port started; both processors' overheads lie within that time. The next
//! message may start after g(m). A table is linear between its points, constant below the first point, and continues
//! with the last slope beyond the last.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::by_size::ascending;
use super::{Delivery, NetworkError, NetworkModel, Port, Transfer};
use hetsim_base::units::{Quantity, Seconds, Tick, Time, round_up};

/// A table over the message size: `{ "1B" = "12.5us", "1KiB" = "37us" }`.
pub type Points = BTreeMap<String, Seconds>;

/// `model = "plogp"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PLogPParameters {
    /// Latency L: the end-to-end time of a message without its gap.
    pub latency: Seconds,
    /// Gap g(m) by message size: the time between two messages of a node that sends without a pause.
    #[schemars(extend("x-keys" = "size"))]
    pub gap: Points,
    /// Sender's overhead os(m) by message size, within the gap.
    #[serde(default)]
    #[schemars(extend("x-keys" = "size"))]
    pub send_overhead: Points,
    /// Receiver's overhead or(m) by message size, within the gap.
    #[serde(default)]
    #[schemars(extend("x-keys" = "size"))]
    pub receive_overhead: Points,
}

/// A piecewise linear function of the message size, in ticks.
#[derive(Debug, Clone, PartialEq)]
struct TicksBySize {
    sizes: Vec<f64>,
    ticks: Vec<f64>,
}

impl TicksBySize {
    /// The function through the points, in any order.
    ///
    /// # Errors
    /// If a size is invalid or is given twice in two notations.
    fn new(points: &Points, tick: Tick) -> Result<Self, NetworkError> {
        let sorted = ascending(points)?.into_iter();
        let (sizes, ticks) = sorted.map(|(size, length)| (size as f64, length.base() * tick.per_second())).unzip();
        Ok(Self { sizes, ticks })
    }

    /// The value for a message of `bytes`, rounded up to a tick; zero for an empty table.
    fn at(&self, bytes: u64) -> Time {
        let bytes = bytes as f64;
        let above = self.sizes.partition_point(|&size| size < bytes);
        match (above, self.sizes.len()) {
            (_, 0) => Time::ZERO,
            (0, _) | (_, 1) => round_up(self.ticks[0]),
            (above, len) => {
                let right = above.min(len - 1);
                let (x0, x1) = (self.sizes[right - 1], self.sizes[right]);
                let (y0, y1) = (self.ticks[right - 1], self.ticks[right]);
                let value = if bytes == x1 { y1 } else { y0 + (y1 - y0) * ((bytes - x0) / (x1 - x0)) };
                // Beyond the last point a falling slope could lead below zero.
                round_up(value.max(0.0))
            }
        }
    }

    /// The value, if it is the same for all sizes.
    fn constant(&self) -> Option<Time> {
        self.ticks.iter().all(|&value| value == self.ticks[0]).then(|| self.at(0))
    }
}

/// The model, in ticks.
#[derive(Debug, Clone, PartialEq)]
pub struct Plogp {
    latency: Time,
    gap: TicksBySize,
    send_overhead: TicksBySize,
    receive_overhead: TicksBySize,
    tick: Tick,
}

impl Plogp {
    /// The model of a scenario's parameters.
    ///
    /// # Errors
    /// If a table is malformed or the table of gaps is empty.
    pub fn new(parameters: &PLogPParameters, tick: Tick) -> Result<Self, NetworkError> {
        if parameters.gap.is_empty() {
            return Err(NetworkError::Empty { key: "gap" });
        }
        Ok(Self {
            latency: tick.time(parameters.latency.base()),
            gap: TicksBySize::new(&parameters.gap, tick)?,
            send_overhead: TicksBySize::new(&parameters.send_overhead, tick)?,
            receive_overhead: TicksBySize::new(&parameters.receive_overhead, tick)?,
            tick,
        })
    }
}

impl NetworkModel for Plogp {
    fn tick(&self) -> Option<Tick> {
        Some(self.tick)
    }

    /// L + g(m); the next send after max(g(m), os(m)).
    #[inline]
    fn delivery(&self, bytes: u64) -> Delivery {
        let gap = self.gap.at(bytes);
        Delivery::Closed(Transfer {
            overhead: self.send_overhead.at(bytes),
            port: Port::Gap(gap),
            transmission: gap,
            latency: self.latency,
            receive_overhead: self.receive_overhead.at(bytes).min(gap + self.latency),
            ..Transfer::default()
        })
    }

    fn constant_receive_overhead(&self) -> Option<Time> {
        if self.receive_overhead.ticks.is_empty() {
            return Some(Time::ZERO);
        }
        let constant = self.receive_overhead.constant()?;
        // An overhead that could exceed the smallest flight is cut there, and so not constant.
        (constant <= self.latency).then_some(constant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(points: &[(&str, &str)]) -> TicksBySize {
        let points = points.iter().map(|&(size, length)| (size.to_owned(), length.parse().unwrap())).collect();
        TicksBySize::new(&points, Tick::PICOSECOND).unwrap()
    }

    #[test]
    fn tables_are_linear_between_points_and_go_on_beyond() {
        let table = table(&[("1KiB", "30us"), ("1B", "12.5us"), ("2KiB", "50us")]);
        assert_eq!(table.at(0), Time(12_500_000));
        assert_eq!(table.at(1), Time(12_500_000));
        assert_eq!(table.at(1024), Time(30_000_000));
        assert_eq!(table.at(1536), Time(40_000_000));
        assert_eq!(table.at(4096), Time(90_000_000));
    }

    #[test]
    fn sizes_must_differ() {
        let points = [("1KiB", "3us"), ("1024B", "4us")].map(|(size, g)| (size.to_owned(), g.parse().unwrap()));
        assert!(TicksBySize::new(&points.into(), Tick::PICOSECOND).is_err());
    }
}
