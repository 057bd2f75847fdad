//! Connections whose latency, bandwidth or jitter is not constant.

use rand_distr::{Distribution, LogNormal};

use crate::network::{Port, Transfer};
use crate::platform::Connection;
use crate::program::NodeId;
use hetsim_base::engine::{Stream, Streams};
use hetsim_base::units::{Time, round_up};

/// The draws of connections with jitter.
#[derive(Debug)]
pub(super) struct Jitter {
    streams: Streams,
    /// The number of messages from each node to others over connections with jitter, sorted by receiver; of nodes that
    /// have sent one and those before them.
    sent: Vec<Vec<(NodeId, u32)>>,
}

impl Jitter {
    pub(super) const fn new(streams: Streams) -> Self {
        Self { streams, sent: Vec::new() }
    }

    /// The costs of a message over a connection that [varies](Connection::varies) if it starts at `start`.
    pub(super) fn vary(
        &mut self,
        transfer: Transfer,
        link: &Connection,
        start: Time,
        from: NodeId,
        to: NodeId,
    ) -> Transfer {
        let mut varied = transfer;
        if let Some(profile) = &link.bandwidth {
            varied.transmission = profile.end_of(start, transfer.transmission.as_f64()) - start;
            if let Port::Gap(gap) = transfer.port {
                varied.port = Port::Gap(profile.end_of(start, gap.as_f64()) - start);
            }
        }
        if let Some(profile) = &link.latency {
            varied.latency = round_up(transfer.latency.as_f64() * profile.value(start));
        }
        if link.jitter > 0.0 {
            // The mean is 1 for any σ. A finite, positive σ is a valid parameter.
            if let Ok(jitter) = LogNormal::new(-0.5 * link.jitter * link.jitter, link.jitter) {
                let factor = jitter.sample(&mut self.stream(from, to));
                varied.transmission = round_up(varied.transmission.as_f64() * factor);
                varied.latency = round_up(varied.latency.as_f64() * factor);
            }
        }
        varied
    }

    /// The stream for the next message from one node to another. It is named by the two nodes and the number of earlier
    /// messages between them, so that all programs meet the same draws.
    fn stream(&mut self, from: NodeId, to: NodeId) -> Stream {
        if self.sent.len() <= from.index() {
            self.sent.resize_with(from.index() + 1, Vec::new);
        }
        let counts = &mut self.sent[from.index()];
        let place = counts.binary_search_by_key(&to, |(to, _)| *to).unwrap_or_else(|place| {
            counts.insert(place, (to, 0));
            place
        });
        let number = &mut counts[place].1;
        *number += 1;
        self.streams.stream_of("jitter", &[u64::from(from.0), u64::from(to.0), u64::from(*number - 1)])
    }
}
