//! The faults of single links.

use crate::fault::{FaultProfile, joined};
use hetsim_base::units::Tick;
use hetsim_cluster::Fault;
use hetsim_cluster::network::Model;
use hetsim_text::{Node, Place, Problem, Source};

/// An error: a link of another model than `fair` cannot have faults.
pub(super) fn refusal(model: &str, place: &Place) -> Problem {
    let message = format!("messages under `{model}` do not wait for links that are down");
    Problem::at(place, message).with_help("only those under `fair` do; every model supports faults of nodes")
}

/// Reads the faults of a link between clusters from its table `node`.
pub(super) fn read_pair_faults(
    node: &Node,
    faults: &[FaultProfile],
    (model, name): (&Model, &str),
    tick: Tick,
    sources: &[Source],
) -> Result<Vec<Fault>, Vec<Problem>> {
    let Some(entries) = node.get("fault").filter(|_| !faults.is_empty()) else { return Ok(Vec::new()) };
    if !model.is_flow() {
        return Err(vec![refusal(name, &entries.place)]);
    }
    read_link_faults(entries, faults, tick, sources)
}

/// Reads the faults of a link from its list of tables `entries`.
pub(super) fn read_link_faults(
    entries: &Node,
    faults: &[FaultProfile],
    tick: Tick,
    sources: &[Source],
) -> Result<Vec<Fault>, Vec<Problem>> {
    let read = |(index, fault): (usize, &FaultProfile)| {
        fault.read(entries.at(&index.to_string()).unwrap_or(entries), tick, sources)
    };
    let read = faults.iter().enumerate().map(read).collect::<Result<_, _>>().map_err(|problem| vec![problem])?;
    joined(read).map_err(|error| vec![Problem::at(&entries.place, error.to_string())])
}
