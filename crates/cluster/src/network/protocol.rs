//! A message-passing library on a real network: eager and rendezvous protocols, packets, acknowledgements and copies.
//!
//! No model of few parameters equals it, on purpose: it serves as a network to be measured. Its costs, for m bytes in n
//! = ⌈m / `packet`⌉ packets (at least one):
//!
//! - *Eager*, up to `eager_limit`: the sender's processor pays `send_overhead` and a copy into a buffer, the receiver's
//!   a copy out of it and `receive_overhead`. A message is copied whole before it leaves and after it has arrived.
//! - *Rendezvous*, above: a request, an answer, then the data, uncopied; two more latencies, and `handshake` for the
//!   processing of request and answer. These are small and do not hold a port. The answer waits for the
//!   receive if the program posts receives. Up to `buffered_limit` the sender goes on at once.
//! - m counts the library's `envelope`.
//! - *On the link*, each packet costs `packet_time` besides its bytes; each switch on the path stores the first packet
//!   before it forwards it; after each full `window` the sender waits `acknowledgement`. The port is held for all of
//!   this except the switches.
//! - A copy runs at `copy_bandwidth` up to `copy_cache` bytes, and at `copy_bandwidth_beyond` for the bytes beyond.
//! - `steps` add the cost of any change in a library or driver from a size on.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::alpha_beta::AlphaBeta;
use super::by_size::ascending;
use super::{Delivery, Handshake, NetworkError, NetworkModel, Port, Transfer};
use hetsim_base::units::{Bytes, BytesPerSecond, Quantity, Seconds, Tick, Time, round_up};

/// `model = "protocol"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProtocolParameters {
    /// Latency of the link, for the first byte.
    pub latency: Seconds,
    /// Bandwidth of the link.
    pub bandwidth: BytesPerSecond,
    /// The busy time of the sender's processor per message, without copying.
    pub send_overhead: Seconds,
    /// The busy time of the receiver's processor per message, without copying.
    pub receive_overhead: Seconds,
    /// Bytes that the library adds to each message: they travel with it and count for every limit here.
    #[serde(default)]
    pub envelope: Bytes,
    /// The largest message that is sent at once, without a request. With `"0B"` every message is requested, except
    /// empty ones without an `envelope`.
    pub eager_limit: Bytes,
    /// The largest requested message whose sender goes on at once; it matters where receives are posted.
    #[serde(default)]
    pub buffered_limit: Bytes,
    /// How long after the last byte of a requested message has come its sender learns of that, and goes on. Default: it
    /// goes on when its bytes have left.
    #[serde(default)]
    pub confirmation: Seconds,
    /// The cost of a rendezvous' request and answer besides their two latencies. Default: twice both overheads.
    #[serde(default)]
    pub handshake: Option<Seconds>,
    /// Bandwidth of the copy on either side of an eager message. Default: no copies.
    #[serde(default)]
    pub copy_bandwidth: Option<BytesPerSecond>,
    /// The part of a message that is copied at `copy_bandwidth`: the cache.
    #[serde(default)]
    pub copy_cache: Option<Bytes>,
    /// Bandwidth of the copy beyond `copy_cache`.
    #[serde(default)]
    pub copy_bandwidth_beyond: Option<BytesPerSecond>,
    /// Bytes of a message in one packet. Default: one packet for the whole message.
    #[serde(default)]
    pub packet: Option<Bytes>,
    /// The cost of each packet on the link besides its bytes: headers, gaps between frames, interrupts.
    #[serde(default)]
    pub packet_time: Seconds,
    /// The number of switches on the path that store the first packet before they forward it.
    #[serde(default)]
    pub switches: u32,
    /// The largest number of unacknowledged bytes. Default: unlimited.
    #[serde(default)]
    pub window: Option<Bytes>,
    /// The time for which the sender waits after each full window.
    #[serde(default)]
    pub acknowledgement: Seconds,
    /// The total time added to every message from a size on: `{ "1449B" = "12us", "8KiB" = "20us" }`.
    #[serde(default)]
    #[schemars(extend("x-keys" = "size"))]
    pub steps: BTreeMap<String, Seconds>,
}

/// The cost of a copy, in ticks.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Copying {
    ticks_per_byte: f64,
    /// The size from which the copy is slower, and the time per byte beyond it.
    beyond: Option<(u64, f64)>,
}

impl Copying {
    fn new(parameters: &ProtocolParameters, tick: Tick) -> Result<Option<Self>, NetworkError> {
        let inverse = |key, bandwidth: BytesPerSecond| {
            if bandwidth.base() > 0.0 {
                Ok(tick.per_second() / bandwidth.base())
            } else {
                Err(NetworkError::NotPositive { key })
            }
        };
        let beyond = match (parameters.copy_cache, parameters.copy_bandwidth_beyond) {
            (Some(cache), Some(bandwidth)) => Some((cache.count(), inverse("copy_bandwidth_beyond", bandwidth)?)),
            (None, None) => None,
            _ => return Err(NetworkError::Together { first: "copy_cache", second: "copy_bandwidth_beyond" }),
        };
        match parameters.copy_bandwidth {
            Some(bandwidth) => Ok(Some(Self { ticks_per_byte: inverse("copy_bandwidth", bandwidth)?, beyond })),
            None if beyond.is_some() => Err(NetworkError::Needs { key: "copy_cache", other: "copy_bandwidth" }),
            None => Ok(None),
        }
    }

    fn of(self, bytes: u64) -> Time {
        let (fast, slow) = match self.beyond {
            Some((cache, slower)) => (bytes.min(cache), bytes.saturating_sub(cache) as f64 * slower),
            None => (bytes, 0.0),
        };
        round_up(fast as f64 * self.ticks_per_byte + slow)
    }
}

/// The model, in ticks.
#[derive(Debug, Clone, PartialEq)]
pub struct Protocol {
    link: AlphaBeta,
    send_overhead: Time,
    receive_overhead: Time,
    envelope: u64,
    eager_limit: u64,
    buffered_limit: u64,
    confirmation: Time,
    handshake: Time,
    copying: Option<Copying>,
    packet: Option<u64>,
    packet_time: Time,
    switches: u32,
    window: Option<u64>,
    acknowledgement: Time,
    /// Sizes in ascending order, each with the total added time from there on.
    steps: Vec<(u64, Time)>,
}

impl Protocol {
    /// The model of a scenario's parameters.
    ///
    /// # Errors
    /// If a bandwidth, the packet or the window is zero, a size in `steps` is invalid or is given twice, or a key is
    /// missing another that it needs.
    pub fn new(parameters: &ProtocolParameters, tick: Tick) -> Result<Self, NetworkError> {
        let positive = |key, size: Option<Bytes>| match size.map(Bytes::count) {
            Some(0) => Err(NetworkError::NotPositive { key }),
            size => Ok(size),
        };
        let window = positive("window", parameters.window)?;
        if window.is_none() && parameters.acknowledgement.base() > 0.0 {
            return Err(NetworkError::Needs { key: "acknowledgement", other: "window" });
        }
        let send_overhead = tick.time(parameters.send_overhead.base());
        let receive_overhead = tick.time(parameters.receive_overhead.base());
        let both_twice = (send_overhead + receive_overhead) * 2;
        Ok(Self {
            link: AlphaBeta::new(parameters.latency, parameters.bandwidth, tick)?,
            send_overhead,
            receive_overhead,
            envelope: parameters.envelope.count(),
            eager_limit: parameters.eager_limit.count(),
            buffered_limit: parameters.buffered_limit.count(),
            confirmation: tick.time(parameters.confirmation.base()),
            handshake: parameters.handshake.map_or(both_twice, |length| tick.time(length.base())),
            copying: Copying::new(parameters, tick)?,
            packet: positive("packet", parameters.packet)?,
            packet_time: tick.time(parameters.packet_time.base()),
            switches: parameters.switches,
            window,
            acknowledgement: tick.time(parameters.acknowledgement.base()),
            steps: steps(&parameters.steps, tick)?,
        })
    }

    /// The bytes that are added to each message.
    pub(super) const fn envelope(&self) -> u64 {
        self.envelope
    }

    /// The rendezvous before a message of `bytes`, with its envelope; `None` if it is sent eagerly.
    #[inline]
    pub(super) fn handshake(&self, bytes: u64) -> Option<Handshake> {
        let buffered = bytes <= self.buffered_limit;
        (bytes > self.eager_limit).then(|| Handshake {
            time: self.link.latency * 2 + self.handshake,
            buffered,
            confirmation: if buffered { Time::ZERO } else { self.confirmation },
        })
    }
}

impl NetworkModel for Protocol {
    fn tick(&self) -> Option<Tick> {
        Some(self.link.tick)
    }

    /// The costs of a message, with its envelope.
    fn delivery(&self, bytes: u64) -> Delivery {
        let packets = self.packet.map_or(1, |packet| bytes.div_ceil(packet).max(1));
        let windows = self.window.map_or(0, |window| bytes.saturating_sub(1) / window);
        let held = self.link.time(bytes) + self.packet_time * packets + self.acknowledgement * windows;
        let first = self.link.time(self.packet.map_or(bytes, |packet| bytes.min(packet)));
        let step = self.steps.partition_point(|&(size, _)| size <= bytes).checked_sub(1);
        let step = step.map_or(Time::ZERO, |step| self.steps[step].1);
        let rendezvous = self.handshake(bytes);
        let copy = self.copying.filter(|_| rendezvous.is_none()).map_or(Time::ZERO, |copying| copying.of(bytes));
        let (flights, handshake) = if rendezvous.is_none() { (1, Time::ZERO) } else { (3, self.handshake) };
        let (sending, receiving) = (self.send_overhead + copy, self.receive_overhead + copy);
        Delivery::Closed(Transfer {
            overhead: sending,
            injection: sending,
            port: Port::Gap(held),
            transmission: held + first * u64::from(self.switches),
            latency: self.link.latency * flights,
            tail: handshake + step + receiving,
            receive_overhead: receiving,
            handshake: rendezvous,
        })
    }

    fn constant_receive_overhead(&self) -> Option<Time> {
        self.copying.is_none().then_some(self.receive_overhead)
    }
}

fn steps(steps: &BTreeMap<String, Seconds>, tick: Tick) -> Result<Vec<(u64, Time)>, NetworkError> {
    let mut sum = Time::ZERO;
    let total = |(size, length): (u64, Seconds)| {
        sum += tick.time(length.base());
        (size, sum)
    };
    Ok(ascending(steps)?.into_iter().map(total).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Model;

    fn model(more: &str) -> Result<Model, NetworkError> {
        let text = format!(
            "latency = '10us'\nbandwidth = '100MB/s'\nsend_overhead = '2us'\nreceive_overhead = '3us'\n\
             eager_limit = '4kB'\n{more}"
        );
        let parameters: ProtocolParameters = toml::from_str(&text).unwrap();
        Protocol::new(&parameters, Tick::PICOSECOND).map(Model::Protocol)
    }

    fn microseconds(time: Time) -> f64 {
        time.as_f64() / 1e6
    }

    #[test]
    fn the_parts_add_up() {
        let plain = model("").unwrap();
        // 2 + 10 + 1000 B / 100 B/µs + 3.
        assert_eq!(microseconds(plain.transfer(1000).hop()), 25.0);
        assert_eq!(microseconds(plain.transfer(1000).gap()), 10.0);
        // Three latencies, both overheads twice, 50 µs of data, both overheads.
        assert_eq!(microseconds(plain.transfer(5000).hop()), 30.0 + 10.0 + 50.0 + 5.0);
        assert_eq!(plain.constant_receive_overhead(), Some(Time(3_000_000)));

        let full = model(
            "copy_bandwidth = '1GB/s'\ncopy_cache = '1kB'\ncopy_bandwidth_beyond = '500MB/s'\npacket = '1500B'\n\
             packet_time = '1us'\nswitches = 1\nwindow = '2kB'\nacknowledgement = '7us'\nsteps = { '2kB' = '4us', '3kB' = '5us' }",
        )
        .unwrap();
        // Copies of 1 µs + 4 µs; two packets; 15 µs in the switch; one window is full; one step.
        let transfer = full.transfer(2999);
        let transmission = 29.99 + 2.0 + 7.0;
        let copy = 1.0 + 1999.0 / 500.0;
        assert!((microseconds(transfer.gap()) - transmission).abs() < 1e-5);
        assert!((microseconds(transfer.hop()) - (5.0 + 2.0 * copy + 10.0 + transmission + 15.0 + 4.0)).abs() < 1e-5);
        // Both steps from 3 kB on; at 2 kB the window is full but nothing waits for it.
        let step = microseconds(full.transfer(3000).tail) - microseconds(transfer.tail);
        assert!((step - 5.002).abs() < 1e-5, "{step}");
        assert!((microseconds(full.transfer(2000).gap()) - 22.0).abs() < 1e-5);
        // An empty message is one eager packet.
        assert_eq!(microseconds(full.transfer(0).hop()), 16.0);
        assert_eq!(full.constant_receive_overhead(), None);
    }

    #[test]
    fn keys_that_go_together() {
        for (keys, word) in [
            ("copy_cache = '1kB'", "copy_bandwidth_beyond"),
            ("copy_cache = '1kB'\ncopy_bandwidth_beyond = '1GB/s'", "copy_bandwidth"),
            ("acknowledgement = '1us'", "window"),
            ("window = '0B'", "window"),
            ("packet = '0B'", "packet"),
            ("copy_bandwidth = '0B/s'", "copy_bandwidth"),
            ("steps = { '1kB' = '1us', '1000B' = '2us' }", "twice"),
        ] {
            let message = model(keys).unwrap_err().to_string();
            assert!(message.contains(word), "{keys}: {message}");
        }
    }
}
