//! The keys of named links, of zones, and of how messages flow over shared links.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cluster::Transport;
use crate::cluster::topology::Choose;
use crate::scenario::fault::FaultProfile;
use crate::scenario::platform::power::LinkPowerSpec;
use crate::scenario::steps::StepsSpec;
use crate::units::{Bytes, BytesPerSecond, Quantity, Seconds};

/// How messages flow over links that they share.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransportSpec {
    /// `raw`: the latency, then the bytes at a fair rate, nothing else. `lv08` and `cm02`: as SimGrid's models of these
    /// names, which stand for TCP: the latency times 13.01 and 0.97 of the bandwidth (`lv08` only), at most a window under way
    /// in a round trip, links shared by the inverse of round-trip times, and answers on the way back.
    #[serde(default)]
    pub calibration: CalibrationSpec,
    /// The most bytes under way in a round trip, instead of what the calibration says; `0B` for no bound.
    #[serde(default)]
    pub window: Option<Bytes>,
    /// Whether answers take 5 % of a flow's rate of the links of the way back, instead of what the calibration says.
    #[serde(default)]
    pub cross_traffic: Option<bool>,
    /// Whether flows share a full link in `equal` parts, or by the inverse of their round-trip times (`by_round_trip`),
    /// instead of what the calibration says. SimGrid's model `raw` is `raw` and `by_round_trip` here.
    #[serde(default)]
    pub sharing: Option<FlowSharingSpec>,
    /// Whether a node sends all its messages `at_once`, so that they share its links, or `in_turn`: the next one when the one
    /// before has arrived, as a program does whose sends block.
    #[serde(default)]
    pub sends: SendsSpec,
}

/// When a node's next message may leave.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SendsSpec {
    /// When it is handed over.
    #[default]
    AtOnce,
    /// When the one before has arrived.
    InTurn,
}

/// What part of a full link a flow gets.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FlowSharingSpec {
    /// The same as each other one.
    Equal,
    /// One that is in inverse proportion to its round-trip time.
    ByRoundTrip,
}

/// By what the flow model has been calibrated.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CalibrationSpec {
    /// By nothing.
    #[default]
    Raw,
    /// By Casanova and Marchal (2002).
    Cm02,
    /// By Legrand and Velho (2008).
    Lv08,
}

impl TransportSpec {
    /// The protocol.
    pub(in crate::scenario::platform) fn transport(&self) -> Transport {
        let mut transport = match self.calibration {
            CalibrationSpec::Raw => Transport::RAW,
            CalibrationSpec::Cm02 => Transport::CM02,
            CalibrationSpec::Lv08 => Transport::LV08,
        };
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
            // What each link adds is the calibration's.
            Some(FlowSharingSpec::ByRoundTrip) => transport.round_trip_payload.or(Some(0.0)),
            None => transport.round_trip_payload,
        };
        transport.sends_in_turn = self.sends == SendsSpec::InTurn;
        transport
    }
}

/// A link with a name.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WireSpec {
    /// Its bandwidth; of each direction where it has two.
    pub bandwidth: BytesPerSecond,
    /// Its latency.
    #[serde(default)]
    pub latency: Seconds,
    /// Who shares the bandwidth: the messages of each direction (`full_duplex`; `split_duplex`, where routes have to say
    /// which direction they mean), all messages (`shared`), or nobody, so that it bounds each message by itself (`unshared`).
    #[serde(default)]
    pub sharing: WireSharingSpec,
    /// A factor on the latency, over time.
    #[serde(default)]
    pub latency_factor: Option<StepsSpec>,
    /// A factor on the bandwidth, over time.
    #[serde(default)]
    pub bandwidth_factor: Option<StepsSpec>,
    /// What it draws: each direction, or the whole link where both share one bandwidth.
    #[serde(default)]
    pub power: Option<LinkPowerSpec>,
    /// When it is down: what crosses it waits until it is up.
    #[serde(default)]
    pub fault: Vec<FaultProfile>,
}

/// Who shares the bandwidth of a link.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WireSharingSpec {
    /// The messages of each direction; a route leads up, and the way back down.
    #[default]
    FullDuplex,
    /// The same, and routes name `….up` or `….down`.
    SplitDuplex,
    /// All messages.
    Shared,
    /// Nobody.
    Unshared,
}

/// Clusters and zones that are joined by routes, or routers that are.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ZoneSpec {
    /// The clusters and zones in it.
    #[serde(default)]
    pub members: Vec<String>,
    /// Instead of members, routers: ends of routes that compute nothing. Such a zone has no `bypass`.
    #[serde(default)]
    pub routers: Vec<String>,
    /// Whether only the routes that are `given` join their ends, or the way with the `fewest_links` or of the
    /// `least_latency` is found over all of them. `simgrid_floyd` and `simgrid_dijkstra` find the fewest links too,
    /// and of equal ways that which SimGrid 4 takes under the routing of that name.
    #[serde(default)]
    pub choose: Choose,
    /// The routes between its members or its routers.
    #[serde(default)]
    pub route: Vec<ZoneRouteSpec>,
    /// Routes that go before whatever `choose` finds between their ends.
    #[serde(default)]
    pub bypass: Vec<ZoneRouteSpec>,
}

/// A route between two members or two routers of a zone.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ZoneRouteSpec {
    /// The member that it starts in, or the router that it starts at.
    pub from: String,
    /// The member that it ends in, or the router that it ends at.
    pub to: String,
    /// Where it leaves the first: `CLUSTER`, the cluster's way out (the default where the member is a cluster), or
    /// `CLUSTER:POINT`, one of its nodes by number or, in a cluster of `routes`, a node or a router by name; `ZONE:ROUTER` in a
    /// zone of routers.
    #[serde(default)]
    pub from_gateway: Option<String>,
    /// Where it enters the second, likewise.
    #[serde(default)]
    pub to_gateway: Option<String>,
    /// The links that it leads over in between, in order, by their names in `[platform.wire]`; `name.up` and `name.down` are
    /// the directions of one that has two.
    #[serde(default)]
    pub wires: Vec<String>,
    /// Whether the way back is another one. Otherwise it leads over the same links, in reverse.
    #[serde(default)]
    pub one_way: bool,
}
