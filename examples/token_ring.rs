//! A token circulates in a ring of unequal nodes: a minimal program of your own.
//!
//! A [`Program`] is a state machine that holds the state of *all* nodes; the simulation calls it on every event at a
//! node. Here each node that receives the token works on it for a while, then passes it on. Work is given in
//! operations, so the same step takes longer on a slow node.
//!
//! ```console
//! cargo run --release --example token_ring
//! ```

use std::error::Error;

use hetsim::cluster::network::{Model, Parameters, hockney};
use hetsim::cluster::{Context, NodeId, Platform, Program, Simulation, WorkId};
use hetsim::units::{Tick, Time};

/// The size of the token in bytes, and the work of a node on it in operations.
const TOKEN: u64 = 1000;
const STEP: f64 = 1e6;

/// Sends the token around and records the end of each round.
struct TokenRing {
    rounds: usize,
    ended: Vec<Time>,
}

impl Program for TokenRing {
    /// The token carries no data; its arrival is all that matters.
    type Message = ();

    fn start(&mut self, context: &mut impl Context<()>) {
        context.compute(NodeId(0), STEP);
    }

    fn on_computed(&mut self, at: NodeId, _: WorkId, context: &mut impl Context<()>) {
        context.send(at, NodeId((at.0 + 1) % context.nodes()), TOKEN, ());
    }

    fn on_message(&mut self, at: NodeId, _: NodeId, (): (), context: &mut impl Context<()>) {
        if at == NodeId(0) {
            self.ended.push(context.now());
        }
        if self.ended.len() < self.rounds {
            context.compute(at, STEP);
        }
    }
}

/// The speed of each node in operations per second.
const SPEEDS: [f64; 5] = [1e9, 2e9, 0.5e9, 1e9, 0.2e9];

/// The nodes on a network of α + βm: 50 µs, and the length over 100 MB/s.
fn platform() -> Result<Platform, Box<dyn Error>> {
    let network =
        Parameters::Hockney(hockney::HockneyParameters { latency: "50us".parse()?, bandwidth: "100MB/s".parse()? });
    let model = Model::new(&network, Tick::PICOSECOND)?;
    Ok(Platform::uniform(SPEEDS.len() as u32, model)?.with_speeds(&SPEEDS)?)
}

fn run(rounds: usize) -> Result<Vec<Time>, Box<dyn Error>> {
    let platform = platform()?;
    let mut program = TokenRing { rounds, ended: Vec::new() };
    Simulation::new(&platform, 1).run(&mut program)?;
    Ok(program.ended)
}

fn main() -> Result<(), Box<dyn Error>> {
    for (round, ended) in run(3)?.into_iter().enumerate() {
        println!("round {} was over after {:6.2} ms", round + 1, 1e3 * Tick::PICOSECOND.seconds(ended));
    }
    let slowest = SPEEDS.iter().map(|speed| 1e3 * STEP / speed).fold(0.0, f64::max);
    println!("{slowest:.2} ms of each round the token spends on the slowest of {} nodes", SPEEDS.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A round consists of every node's step, W/s, and as many messages of α + βm.
    #[test]
    fn a_round_takes_what_its_steps_and_hops_take() {
        let steps: f64 = SPEEDS.iter().map(|speed| STEP / speed).sum();
        let hops = SPEEDS.len() as f64 * (50e-6 + TOKEN as f64 / 100e6);
        let ended = run(3).unwrap_or_default();
        assert_eq!(ended, [1, 2, 3].map(|rounds| Tick::PICOSECOND.time(f64::from(rounds) * (steps + hops))));
    }
}
