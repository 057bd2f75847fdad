//! The keys of named links, zones and the transport over shared links.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fault::FaultProfile;
use crate::platform::power::LinkPowerSpec;
use crate::steps::StepsSpec;
use hetsim_base::units::{Bytes, BytesPerSecond, Quantity, Seconds};
use hetsim_cluster::network::NetworkError;
use hetsim_cluster::topology::Choose;
use hetsim_cluster::{BySize, Transport};

/// The transport protocol of messages over shared links.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransportSpec {
    /// `raw`: the latency, then the bytes at a fair rate. `lv08` and `cm02`: SimGrid's models of these names, which
    /// approximate TCP: the latency times 13.01 and 0.97 of the bandwidth (`lv08` only), at most one window in flight
    /// per round trip, sharing in inverse proportion to round-trip times, and acknowledgement traffic on the reverse
    /// path. `smpi`: the same with SMPI's own factors for nine ranges of message sizes.
    #[serde(default)]
    pub calibration: CalibrationSpec,
    /// The factor on the latency by message size, instead of that of the calibration: each from its size on, 1 below
    /// the first, such as `{ "0B" = 2.5, "64KiB" = 11.6 }`. Sizes count an `envelope`.
    #[serde(default)]
    #[schemars(extend("x-keys" = "size"))]
    pub latency_factor: BTreeMap<String, f64>,
    /// The factor on the bandwidth by message size, in the same form. It holds for the bytes, not for the links: above
    /// 1 a message is faster than they are.
    #[serde(default)]
    #[schemars(extend("x-keys" = "size"))]
    pub bandwidth_factor: BTreeMap<String, f64>,
    /// The maximum number of bytes in flight per round trip, instead of that of the calibration; `0B` for no limit.
    #[serde(default)]
    pub window: Option<Bytes>,
    /// Whether acknowledgements take 5 % of a flow's rate on the reverse path, instead of the setting of the
    /// calibration.
    #[serde(default)]
    pub cross_traffic: Option<bool>,
    /// Whether flows share a full link in `equal` parts or in inverse proportion to their round-trip times
    /// (`by_round_trip`), instead of the setting of the calibration. SimGrid's model `raw` is `raw` with
    /// `by_round_trip` here.
    #[serde(default)]
    pub sharing: Option<FlowSharingSpec>,
    /// Whether a node sends all its messages `at_once`, so that they share its links, or `in_turn`: the next one when
    /// the previous one has arrived, as with blocking sends; or how many at most are under way at once.
    #[serde(default)]
    pub sends: SendsSpec,
}

/// The messages of a node that are under way at once.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum SendsSpec {
    /// All, or one.
    Named(NamedSends),
    /// So many at most.
    AtMost(NonZeroU32),
}

/// The time at which a node's next message may leave.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NamedSends {
    /// The time at which the program sends it.
    #[default]
    AtOnce,
    /// The arrival of the previous message.
    InTurn,
}

impl Default for SendsSpec {
    fn default() -> Self {
        Self::Named(NamedSends::AtOnce)
    }
}

impl SendsSpec {
    /// The most messages under way at once; `None` for any number.
    const fn most(self) -> Option<NonZeroU32> {
        match self {
            Self::Named(NamedSends::AtOnce) => None,
            Self::Named(NamedSends::InTurn) => Some(NonZeroU32::MIN),
            Self::AtMost(most) => Some(most),
        }
    }
}

/// The share of a flow on a full link.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FlowSharingSpec {
    /// An equal share.
    Equal,
    /// A share in inverse proportion to its round-trip time.
    ByRoundTrip,
}

/// The calibration of the flow model.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CalibrationSpec {
    /// No calibration.
    #[default]
    Raw,
    /// The calibration of Casanova and Marchal (2002).
    Cm02,
    /// The calibration of Legrand and Velho (2008).
    Lv08,
    /// The default calibration of SMPI.
    Smpi,
}

impl TransportSpec {
    /// The transport with these settings, or the key at fault and why.
    pub(in crate::platform) fn transport(&self) -> Result<Transport, (&'static str, NetworkError)> {
        let mut transport = match self.calibration {
            CalibrationSpec::Raw => Transport::RAW,
            CalibrationSpec::Cm02 => Transport::CM02,
            CalibrationSpec::Lv08 => Transport::LV08,
            CalibrationSpec::Smpi => Transport::SMPI,
        };
        for (key, table, factor) in [
            ("latency_factor", &self.latency_factor, &mut transport.latency_factor),
            ("bandwidth_factor", &self.bandwidth_factor, &mut transport.bandwidth_factor),
        ] {
            if table.values().any(|factor| *factor <= 0.0) {
                return Err((key, NetworkError::NotPositive { key }));
            }
            if !table.is_empty() {
                *factor = BySize::new(table).map_err(|error| (key, error))?;
            }
        }
        if let Some(window) = self.window {
            transport.window = Some(window.base()).filter(|bytes| *bytes > 0.0);
        }
        match self.cross_traffic {
            Some(true) => transport.reverse_share = Transport::CM02.reverse_share,
            Some(false) => transport.reverse_share = 0.0,
            None => {}
        }
        transport.round_trip_payload = match self.sharing {
            Some(FlowSharingSpec::Equal) => None,
            // The payload of each link's contribution comes from the calibration.
            Some(FlowSharingSpec::ByRoundTrip) => transport.round_trip_payload.or(Some(0.0)),
            None => transport.round_trip_payload,
        };
        transport.most_sends = self.sends.most();
        Ok(transport)
    }
}

/// A named link.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WireSpec {
    /// The bandwidth, which applies to each direction of a duplex link.
    pub bandwidth: BytesPerSecond,
    /// The latency.
    #[serde(default)]
    pub latency: Seconds,
    /// The messages that share the bandwidth: those of each direction (`full_duplex`; `split_duplex`, where routes must
    /// name the direction), all messages (`shared`), or none, so that it limits each message separately (`unshared`).
    #[serde(default)]
    pub sharing: WireSharingSpec,
    /// A factor on the latency over time.
    #[serde(default)]
    pub latency_factor: Option<StepsSpec>,
    /// A factor on the bandwidth over time.
    #[serde(default)]
    pub bandwidth_factor: Option<StepsSpec>,
    /// The power of each direction, or of the whole link if both directions share one bandwidth.
    #[serde(default)]
    pub power: Option<LinkPowerSpec>,
    /// The outages of the link: messages on it wait until it is up.
    #[serde(default)]
    pub fault: Vec<FaultProfile>,
}

/// The messages that share the bandwidth of a link.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WireSharingSpec {
    /// The messages of each direction; a route uses the up direction, its reverse the down direction.
    #[default]
    FullDuplex,
    /// As `full_duplex`, with routes that name `….up` or `….down`.
    SplitDuplex,
    /// All messages.
    Shared,
    /// None: the bandwidth limits each message separately.
    Unshared,
}

/// Clusters and zones, or routers, joined by routes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ZoneSpec {
    /// The clusters and zones in the zone.
    #[serde(default)]
    pub members: Vec<String>,
    /// Routers instead of members: ends of routes that do not compute. Such a zone has no `bypass`.
    #[serde(default)]
    pub routers: Vec<String>,
    /// Whether only the `given` routes connect their ends, or the path with the `fewest_links` or the `least_latency`
    /// over all routes is used. `simgrid_floyd` and `simgrid_dijkstra` also choose the fewest links and break ties as
    /// SimGrid 4 does under the routing of that name.
    #[serde(default)]
    pub choose: Choose,
    /// The routes between its members or routers.
    #[serde(default)]
    pub route: Vec<ZoneRouteSpec>,
    /// Routes with precedence over the paths found by `choose`.
    #[serde(default)]
    pub bypass: Vec<ZoneRouteSpec>,
}

/// A route between two members or two routers of a zone.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ZoneRouteSpec {
    /// The member or router at which the route starts.
    pub from: String,
    /// The member or router at which the route ends.
    pub to: String,
    /// The point at which the route leaves the first member: `CLUSTER`, the cluster's exit (the default for a cluster),
    /// or `CLUSTER:POINT`, one of its nodes by number or, in a cluster of `routes`, a node or router by name;
    /// `ZONE:ROUTER` for a zone of routers.
    #[serde(default)]
    pub from_gateway: Option<String>,
    /// The point at which the route enters the second member, in the same form.
    #[serde(default)]
    pub to_gateway: Option<String>,
    /// The named links of the route in order, from `[platform.wire]`; `name.up` and `name.down` are the directions of a
    /// `split_duplex` link.
    #[serde(default)]
    pub wires: Vec<String>,
    /// Whether the route holds in one direction only. Otherwise the reverse route uses the same links in reverse order.
    #[serde(default)]
    pub one_way: bool,
}
