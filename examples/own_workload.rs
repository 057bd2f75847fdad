//! A workload from outside of hetsim: its scenarios run, sweep and draw like those of the others.
//!
//! ```console
//! cargo run --release --example own_workload -- run examples/own_workload.toml
//! ```

use std::process::ExitCode;

use hetsim::cluster::{Context, NodeId, Platform, Program};
use hetsim::units::Bytes;
use hetsim::workload::{KeyError, Prepared, Run, RunFailure, Workload};

/// `kind = "relay"`: a message goes from node to node, round after round.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Relay {
    /// The length of the message.
    size: Bytes,
    /// How many rounds it makes.
    rounds: u32,
}

hetsim::metrics! {
    /// The metrics of a relay.
    struct RelayMetrics {
        completion_s: f64 = "when the message had made all rounds, simulated" [less],
        round_s: f64 = "the mean time of a round" [less],
    }
}

impl Workload for Relay {
    const NAME: &'static str = "relay";
    const ABOUT: &'static str = "A message goes from node to node, round after round.";
    type Prepared = Self;

    fn prepare(&self, platform: &Platform) -> Result<Self, KeyError> {
        let message = "there must be two nodes or more".to_owned();
        if platform.nodes() < 2 { Err(KeyError { key: "kind".to_owned(), message }) } else { Ok(self.clone()) }
    }
}

impl Prepared for Relay {
    type Metrics = RelayMetrics;

    fn run(&self, run: &mut Run<'_>) -> Result<RelayMetrics, RunFailure> {
        let hops = u64::from(self.rounds) * u64::from(run.platform.nodes());
        let end = run.simulate(&mut Hops { left: hops, bytes: self.size.count() })?;
        let completion_s = run.seconds(end.completion.ok_or("the message got lost")?);
        Ok(RelayMetrics { completion_s, round_s: completion_s / f64::from(self.rounds) })
    }
}

/// The message on its way.
struct Hops {
    left: u64,
    bytes: u64,
}

impl Program for Hops {
    type Message = ();

    fn start(&mut self, context: &mut impl Context<()>) {
        self.on_message(NodeId(0), NodeId(0), (), context);
    }

    fn on_message(&mut self, at: NodeId, _: NodeId, (): (), context: &mut impl Context<()>) {
        if self.left == 0 {
            return context.complete(at);
        }
        self.left -= 1;
        context.send(at, NodeId((at.0 + 1) % context.nodes()), self.bytes, ());
    }
}

fn main() -> ExitCode {
    hetsim::scenario::register::<Relay>().expect("no other workload has this name");
    hetsim::cli::main()
}
