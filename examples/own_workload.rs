//! A workload from outside of hetsim: `cargo run --release --example own_workload -- examples/own_workload.toml`.
//!
//! Stored runs do not know this code: after a change in it run with `--fresh`. A crate of your own starts from the manifest
//! in `CONTRIBUTING.md`.

use hetsim::cluster::{Context, NodeId, Platform, Program};
use hetsim::units::Bytes;
use hetsim::workload::{KeyError, Prepared, Run, RunFailure, Workload};

/// `kind = "relay"`: a message goes from node to node.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
struct Relay {
    /// The length of the message.
    size: Bytes,
    /// How many hops it makes.
    hops: u32,
}

hetsim::metrics! {
    struct RelayMetrics {
        completion_s: f64 = "when the message had made all hops, simulated" [less],
        hop_s: f64 = "the mean time of a hop" [less],
    }
}

impl Workload for Relay {
    const NAME: &'static str = "relay";
    const ABOUT: &'static str = "A message goes from node to node.";
    type Prepared = Self;
    fn prepare(&self, _: &Platform) -> Result<Self, KeyError> {
        KeyError::at_least_one(&[("hops", self.hops)])?;
        Ok(self.clone())
    }
}

impl Prepared for Relay {
    type Metrics = RelayMetrics;

    fn run(&self, run: &mut Run<'_>) -> Result<RelayMetrics, RunFailure> {
        let end = run.simulate(&mut self.clone())?;
        let completion_s = run.seconds(end.completion.ok_or("the message got lost")?);
        Ok(RelayMetrics { completion_s, hop_s: completion_s / f64::from(self.hops) })
    }
}

impl Program for Relay {
    type Message = u32;
    fn start(&mut self, context: &mut impl Context<u32>) {
        self.on_message(NodeId(0), NodeId(0), self.hops, context);
    }

    fn on_message(&mut self, at: NodeId, _: NodeId, left: u32, context: &mut impl Context<u32>) {
        if left == 0 {
            return context.complete(at);
        }
        context.send(at, NodeId((at.0 + 1) % context.nodes()), self.size.count(), left - 1);
    }
}

pub(crate) fn main() -> std::process::ExitCode {
    hetsim::scenario::register::<Relay>().expect("no other workload has this name");
    hetsim::main()
}
