//! What parameters a platform's own model was given, to hold the fitted ones against.

use hetsim_base::units::Time;
use hetsim_cluster::network::{Model as Network, Port};
use hetsim_cluster::{NodeId, Platform};
use hetsim_fit::{Fitted, Parameter};

/// Over how many bytes a slope is taken, so that rounding to ticks does not matter.
const MANY: u64 = 1 << 40;

/// The true value of a fitted parameter between two nodes, where the network between them is of that very model and
/// does not change with time.
pub(super) fn truth(
    fitted: &Fitted,
    parameter: &Parameter,
    from: NodeId,
    to: NodeId,
    platform: &Platform,
) -> Option<f64> {
    let link = platform.connection_of(from, to);
    if link.latency.is_some() || link.bandwidth.is_some() {
        return None;
    }
    let network = &link.model;
    let same = matches!(
        (fitted, network),
        (Fitted::Hockney(_), Network::Hockney(_))
            | (Fitted::Logp(_), Network::Logp(_))
            | (Fitted::Loggp(_), Network::Loggp(_))
            | (Fitted::Plogp(_), Network::Plogp(_))
    );
    if !same {
        return None;
    }
    let bytes = parameter.bytes.unwrap_or(1);
    let transfer = network.transfer(bytes);
    let seconds = |time: Time| platform.tick().seconds(time);
    let held = |bytes| match network.transfer(bytes).port {
        Port::Gap(gap) => Some(seconds(gap)),
        _ => None,
    };
    match parameter.name {
        "latency_s" => Some(seconds(transfer.latency)),
        "per_byte_s" => Some(seconds(network.transfer(MANY).transmission) / MANY as f64),
        "overhead_s" | "send_overhead_s" => Some(seconds(transfer.overhead)),
        "receive_overhead_s" => Some(seconds(transfer.receive_overhead)),
        "gap_s" => held(bytes),
        "gap_per_byte_s" => Some((held(MANY)? - held(1)?) / (MANY - 1) as f64),
        _ => None,
    }
}

/// The true parameters of a node and a link under LMO: C, t, and L, 1/b.
pub(super) fn lmo(from: NodeId, to: NodeId, platform: &Platform) -> Option<[f64; 4]> {
    let link = platform.connection_of(from, to);
    if link.latency.is_some() || link.bandwidth.is_some() || !matches!(link.model, Network::Lmo(_)) {
        return None;
    }
    let seconds = |time: Time| platform.tick().seconds(time);
    let (none, many) = (link.model.transfer(0), link.model.transfer(MANY));
    let slope = |less: Time, more: Time| (seconds(more) - seconds(less)) / MANY as f64;
    Some([
        seconds(none.overhead),
        slope(none.overhead, many.overhead),
        seconds(none.latency),
        slope(none.transmission, many.transmission),
    ])
}
