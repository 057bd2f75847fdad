//! hetsim simulates parallel programs on clusters of unequal machines, by discrete events.
//!
//! Most people use the command: a scenario in TOML, `hetsim scenario.toml`, and the charts are there. This page is for
//! those who bring a program of their own.
//!
//! # A program on a simulated machine
//!
//! A [`Program`](cluster::Program) is a small state machine: it reacts to messages, ends of computations and timers on
//! the nodes of a machine, and asks the [`Context`](cluster::Context) to send, to compute and to wait. One value holds
//! the state of all nodes. Here node 0 sends a number to everyone; each computes for as long as the number says, on
//! nodes of different speeds, and the slowest one decides when it is over.
//!
//! ```
//! use hetsim::cluster::network::{Model, Parameters};
//! use hetsim::cluster::{Simulation, Context, NodeId, Platform, Program, WorkId};
//!
//! struct Scatter;
//!
//! impl Program for Scatter {
//!     type Message = f64;
//!
//!     fn start(&mut self, context: &mut impl Context<f64>) {
//!         for node in 1..context.nodes() {
//!             context.send(NodeId(0), NodeId(node), 1024, 5e6);
//!         }
//!         context.complete(NodeId(0));
//!     }
//!
//!     fn on_message(&mut self, at: NodeId, _: NodeId, operations: f64, context: &mut impl Context<f64>) {
//!         context.compute(at, operations);
//!     }
//!
//!     fn on_computed(&mut self, at: NodeId, _: WorkId, context: &mut impl Context<f64>) {
//!         context.complete(at);
//!     }
//! }
//!
//! let network: Parameters = toml::from_str("model = 'hockney'\nlatency = '50us'\nbandwidth = '1Gbit/s'")?;
//! let model = Model::new(&network, Default::default())?;
//! let platform = Platform::uniform(4, model)?.with_speeds(&[1e9, 1e9, 2e9, 0.5e9])?;
//! let mut simulation = Simulation::new(&platform, 1);
//! simulation.run(&mut Scatter)?;
//!
//! let completion = simulation.completion().map(|time| platform.tick().seconds(time));
//! // Node 3 gets the third message, after 3 × (50 µs + 1024 B / 125 MB/s), and computes for 10 ms.
//! assert_eq!(completion, Some(0.010174576));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The examples in the repository (`token_ring`, `stencil`) go a little further.
//!
//! # The modules
//!
//! Each of the lower ones is a crate of its own (`crates/`), with a README; imports only go down:
//!
//! | module | what is there |
//! |---|---|
//! | `cli` | arguments, progress, exit codes, messages to people |
//! | [`advice`] | the algorithm, the policy, the schedule, the machines to use |
//! | `report` | records to tables, derived metrics, CSV, SVG charts, HTML |
//! | [`batch`] | runs on the cores, the store of finished ones |
//! | [`accuracy`] | predictions of measured collectives, how far off they are, calibration |
//! | [`model`] | the model's version |
//! | [`scenario`] | TOML to checked values and points; a resolved run to its record |
//! | [`study`] | comparisons, searches and fits that run no program |
//! | [`workload`], [`metrics`](mod@metrics) | programs with their parameters; speedup, effective processors, diversity |
//! | [`adapt`] | the model that predicts best, and the broadcast that ends earliest by it |
//! | [`fit`], [`partition`] | files of measurements, parameters of network models, formulas for run times; logical clusters |
//! | [`policy`] | how a master hands tasks to unequal workers |
//! | [`schedule`] | schedules of task graphs on unequal processors |
//! | [`search`] | genetic algorithms and evolution strategies, and the functions they minimise |
//! | [`graph`] | task graphs: building, levels, generators, files |
//! | [`communication`] | plans of broadcasts and collective operations: pure algorithms on plain data |
//! | [`cluster`] | nodes, loads, links, network models, the simulation |
//! | [`maxmin`] | fair shares of links among flows |
//! | [`formula`] | expressions over many points |
//! | [`statistics`], [`design`] | intervals, tests and comparisons of repeated runs; designs of experiments |
//! | [`engine`], [`units`] | event queue, clock, random streams; quantities and simulated time |
//! | [`record`], [`registry`](mod@registry), [`input`] | what a run leaves; lists of alternatives; opening files |
//!
//! # A scenario from the library
//!
//! ```
//! use hetsim::report::Reported as _;
//! use hetsim::scenario::{Scenario, Source};
//!
//! let text = r#"
//!     version = 1
//!     [platform.cluster.lab]
//!     nodes = 16
//!     network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }
//!     [workload]
//!     kind = "broadcast"
//!     size = "128KiB"
//!     algorithm = "binomial"
//! "#;
//! let source = Source { name: "lab".to_owned(), folder: ".".into(), text: text.into() };
//! let scenario = Scenario::read("lab".to_owned(), source, &[])?;
//! let record = scenario.run(0, 0)?;
//! // ⌈log₂ 16⌉ rounds of 50 µs + 131 072 B / 125 MB/s.
//! assert_eq!(record.get("completion_s").and_then(hetsim::record::Value::number), Some(0.004394304));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[doc(inline)]
pub use hetsim_adapt as adapt;
#[doc(inline)]
pub use hetsim_base::*;
#[doc(inline)]
pub use hetsim_cluster as cluster;
#[doc(inline)]
pub use hetsim_communication as communication;
#[doc(inline)]
pub use hetsim_fit as fit;
#[doc(inline)]
pub use hetsim_fit::partition;
#[doc(inline)]
pub use hetsim_formula as formula;
#[doc(inline)]
pub use hetsim_graph as graph;
#[doc(inline)]
pub use hetsim_maxmin as maxmin;
#[doc(inline)]
pub use hetsim_policy as policy;
#[doc(inline)]
pub use hetsim_scenario as scenario;
#[doc(inline)]
pub use hetsim_schedule as schedule;
#[doc(inline)]
pub use hetsim_search as search;
#[doc(inline)]
pub use hetsim_statistics as statistics;
#[doc(inline)]
pub use hetsim_statistics::design;
#[doc(inline)]
pub use hetsim_study as study;
#[doc(inline)]
pub use hetsim_workload as workload;
#[doc(inline)]
pub use hetsim_workload::metrics;

pub mod accuracy;
#[cfg(feature = "report")]
pub mod advice;
pub mod batch;
#[cfg(feature = "cli")]
pub mod cli;
pub mod failure;
pub mod model;
#[cfg(feature = "report")]
pub mod report;

#[cfg(feature = "cli")]
pub use cli::main;
