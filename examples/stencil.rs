//! A Jacobi stencil on a row of unequal nodes: neighbours exchange their border rows, then every node computes.
//!
//! The grid is divided into strips of rows, one per node. In each iteration a node sends its border rows to its
//! neighbours and, once theirs have arrived, updates its strip. There is no other synchronisation: a fast node runs
//! ahead until a border is missing. The time depends on the distribution of the rows, which this program shows.
//!
//! ```console
//! cargo run --release --example stencil
//! ```

use std::error::Error;

use hetsim::cluster::network::{Model, Parameters, hockney};
use hetsim::cluster::{Context, NodeId, Platform, Program, Simulation, WorkId};
use hetsim::units::{Tick, Time};

const ITERATIONS: u32 = 100;
/// The size of a grid row in bytes, and the work of updating it in operations.
const ROW_BYTES: u64 = 32_768;
const ROW_OPERATIONS: f64 = 25_000.0;

/// The progress of a node. Messages from a neighbour arrive in order, so counting them is sufficient.
#[derive(Clone, Default)]
struct Strip {
    rows: u32,
    /// The numbers of started and completed iterations.
    begun: u32,
    done: u32,
    /// The numbers of borders received from the previous and the next node. A node at the rim never waits for the
    /// missing neighbour.
    before: u32,
    after: u32,
}

struct Stencil {
    strips: Vec<Strip>,
}

impl Stencil {
    fn new(rows: &[u32]) -> Self {
        let mut strips: Vec<_> = rows.iter().map(|&rows| Strip { rows, ..Strip::default() }).collect();
        if let [first, .., last] = &mut strips[..] {
            (first.before, last.after) = (ITERATIONS, ITERATIONS);
        }
        Self { strips }
    }

    fn update_if_ready(&mut self, at: NodeId, context: &mut impl Context<()>) {
        let strip = &mut self.strips[at.index()];
        if strip.begun == strip.done && strip.before.min(strip.after) > strip.done {
            strip.begun += 1;
            context.compute(at, f64::from(strip.rows) * ROW_OPERATIONS);
        }
    }
}

/// Sends to the previous and the next node, if they exist.
fn send_borders(at: NodeId, context: &mut impl Context<()>) {
    let neighbours = [at.0.checked_sub(1), Some(at.0 + 1).filter(|&next| next < context.nodes())];
    for neighbour in neighbours.into_iter().flatten() {
        context.send(at, NodeId(neighbour), ROW_BYTES, ());
    }
}

impl Program for Stencil {
    type Message = ();

    fn start(&mut self, context: &mut impl Context<()>) {
        (0..context.nodes()).for_each(|node| send_borders(NodeId(node), context));
    }

    fn on_message(&mut self, at: NodeId, from: NodeId, (): (), context: &mut impl Context<()>) {
        let strip = &mut self.strips[at.index()];
        if from < at {
            strip.before += 1;
        } else {
            strip.after += 1;
        }
        self.update_if_ready(at, context);
    }

    fn on_computed(&mut self, at: NodeId, _: WorkId, context: &mut impl Context<()>) {
        let strip = &mut self.strips[at.index()];
        strip.done += 1;
        if strip.done == ITERATIONS {
            return context.complete(at);
        }
        send_borders(at, context);
        self.update_if_ready(at, context);
    }
}

/// The completion time of the stencil on nodes of these speeds (operations per second), and the share of it spent on
/// computation.
fn run(speeds: &[f64], rows: &[u32]) -> Result<(Time, f64), Box<dyn Error>> {
    let network = hockney::HockneyParameters { latency: "50us".parse()?, bandwidth: "1Gbit/s".parse()? };
    let model = Model::new(&Parameters::Hockney(network), Tick::PICOSECOND)?;
    let platform = Platform::uniform(speeds.len() as u32, model)?.with_speeds(speeds)?;
    let mut simulation = Simulation::new(&platform, 1);
    simulation.run(&mut Stencil::new(rows))?;
    let completion = simulation.completion().ok_or("no node completed")?;
    let busy: Time = simulation.usage().iter().map(|usage| usage.busy).sum();
    Ok((completion, busy.as_f64() / completion.as_f64() / speeds.len() as f64))
}

fn main() -> Result<(), Box<dyn Error>> {
    let speeds = [1e9, 4e9, 2e9, 2e9, 1e9, 6e9];
    println!("{ITERATIONS} iterations over 960 rows on nodes of 1, 4, 2, 2, 1 and 6 Gop/s:");
    for (name, rows) in [("equal strips", [160; 6]), ("strips by speed", [60, 240, 120, 120, 60, 360])] {
        let (completion, busy) = run(&speeds, &rows)?;
        let seconds = Tick::PICOSECOND.seconds(completion);
        println!("  {name:15} {seconds:6.3} s, the nodes compute {:2.0} % of the time", 100.0 * busy);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Equal nodes stay in step. An inner node has two borders to send and its port sends one at a time, so an
    /// iteration takes twice α + βm plus the update.
    #[test]
    fn equal_nodes_keep_step() {
        let message = 50e-6 + ROW_BYTES as f64 * 8.0 / 1e9;
        let update = 100.0 * ROW_OPERATIONS / 1e9;
        let (completion, _) = run(&[1e9; 6], &[100; 6]).unwrap_or_default();
        assert_eq!(completion, Tick::PICOSECOND.time(f64::from(ITERATIONS) * (2.0 * message + update)));
    }
}
