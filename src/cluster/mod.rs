//! The simulated cluster: nodes, external load, links and network models, and the machine on which programs run.
//!
//! A [`Program`] is a small reactive state machine. A [`Simulation`] runs it on a [`Platform`], which is plain data: clusters
//! of nodes and the links within and between them, and [levels](Level) within a cluster. Time costs live in two places only: a node (its speed and what
//! external load leaves of it) and a network model.
//!
//! Handlers on a node run one at a time and not before its processor is free. What a message costs its two processors
//! (overheads) takes a core; a message that finds the processor busy waits in the order of arrival. Only a receive that
//! is still under way gives way to a timer's handler that starts a computation or a send in the meantime.
//!
//! What can't be simulated is no platform: whatever makes one says what is wrong ([`PlatformError`]). What a program asks
//! in vain, of a node that there isn't for instance, ends its run with a [`RunError`].
//!
//! # Faults
//!
//! A node may go down, for a while or for good ([`Fault`]). It is down from an outage's start on and up again at its
//! end; whatever else happens at either instant comes after. A fault takes the processor and the memory of a node, not
//! the network: ports and links carry on.
//!
//! - Its computations, running or waiting, are lost. The time that they took counts as busy, their operations don't.
//! - Its timers are lost, and handlers that wait. A handler never runs on a node that is down, nor one of an earlier life.
//! - Messages that have arrived and wait for its processor, or have it, are lost, and so is what arrives while it is
//!   down. A message has arrived when the receiver's port has let it pass; until then it is on its way, and finds the
//!   node up if it is up again by then.
//! - A send is handed over when the program makes it: it leaves even if the node goes down before its port is free.
//!   The program is not told ([`Program::on_sent`]) once the node has been down. Where messages
//!   [stream](network::Delivery::Streamed) into busy receivers, a send needs the processor once more when it leaves, so
//!   what waits to be sent is lost with its node, and so is a head that waits for its receiver.
//! - What a program asks of a node that is down comes to nothing: no send, no computation, no timer.
//!
//! The program hears of it at the node itself ([`Program::on_down`], [`Program::on_up`]); other nodes learn of it only
//! by what they miss. Every message sent is either received or [lost](Simulation::lost).
//!
//! Not modelled: packets, storage, the inside of accelerators, posted receives (a receiver is always ready).

mod capacity;
mod embedded;
mod energy;
mod fault;
mod flows;
mod footprint;
mod inbox;
pub mod maxmin;
pub mod network;
mod observer;
mod platform;
mod processor;
mod profile;
mod program;
mod simulation;
pub mod speeds;
pub mod topology;
mod transport;

pub use embedded::Embedded;
pub use energy::{Energy, NodeEnergy};
pub use fault::{Fault, FaultError, Outage, Outages};
pub use footprint::{Footprint, LinkUse, MostUsed};
pub use observer::{
    Activity, Both, Completions, LinkCourse, LinkSeen, Observer, ReceiveSeen, SendSeen, Span, Timeline,
};
pub use platform::{
    Cache, Channel, Cluster, Connection, DirectedLink, Level, Link, LinkPower, LinkSharing, Loopback, MOST_LEVELS,
    NodePower, Platform, PlatformError, Point, Ports, Route, Routes, RoutingTables, Sharing, Zone, ZoneMember,
    ZoneRoute,
};
pub use profile::{Availability, Profile, ProfileError, RandomOnOff, Turns};
pub use program::{Context, NodeId, Program, Scope, SendId, TimerId, WorkId};
pub use simulation::{RunError, Simulation, Usage};
pub use transport::Transport;
