//! Simulated clusters: nodes, external load, links, network models, and the simulation on which programs run.
//!
//! A [`Program`] is a small reactive state machine. A [`Simulation`] runs it on a [`Platform`], which is plain data:
//! clusters of nodes, the links within and between them, and [levels](Level) within a cluster. Time is
//! spent in two places only: a node (its speed and its external load) and a network model.
//!
//! Handlers on a node run one at a time, and only when its processor is free. The overheads of a message take a core of
//! its two nodes; a message that finds the processor busy waits in the order of arrival. A receive in progress gives
//! way only to a timer's handler that starts a computation or a send.
//!
//! Every constructor of a platform checks its parts ([`PlatformError`]). An invalid request of a program, such as one
//! for a node that does not exist, ends its run with a [`RunError`].
//!
//! # Faults
//!
//! A node may go down, for a while or permanently ([`Fault`]). It is down from the start of an outage to its end, and
//! each of these comes before all other events of its instant. A fault takes the processor and the memory of a node,
//! not the network: ports and links keep working.
//!
//! - Its running and waiting computations are lost. Their time counts as busy, their operations do not.
//! - Its timers and waiting handlers are lost. A handler never runs on a node that is down, nor does one from before
//!   the fault run after it.
//! - Messages that wait for its processor or have it are lost, and so are messages that arrive while it is down. A
//!   message has arrived when the receiver's port has let it pass; until then it is in flight, and is received if the
//!   node is up again by then.
//! - A send is handed over when the program makes it: it leaves even if the node goes down before its port is free. The
//!   program is not told ([`Program::on_sent`]) once the node has been down. Where messages
//!   [stream](network::Delivery::Streamed) into busy receivers, a send needs the processor again when it leaves, so
//!   pending sends are lost with their node, and so is a head that waits for its receiver.
//! - Requests of a program at a node that is down have no effect: no send, no computation, no timer.
//!
//! The program learns of a fault at the node itself ([`Program::on_down`], [`Program::on_up`]); other nodes learn of it
//! only by missing messages. Every message sent is either received or [lost](Simulation::lost).
//!
//! A program may [post receives](Context::post): a message then waits for its receive, and a rendezvous keeps its bytes
//! until then. Programs that post none are always ready to receive.
//!
//! Not modelled: packets, storage, the inside of accelerators.

mod barrier;
mod capacity;
mod critical;
mod embedded;
mod energy;
mod fault;
mod flows;
mod footprint;
mod header;
mod inbox;
mod kernel;
mod matching;
pub mod network;
mod observer;
mod platform;
mod processor;
mod profile;
mod program;
mod queues;
mod simulation;
pub mod speeds;
pub mod topology;
mod trail;
mod transport;

pub use barrier::Barrier;
pub use critical::{CriticalPath, Part, Segment};
pub use embedded::Embedded;
pub use energy::{Energy, NodeEnergy};
pub use fault::{Fault, FaultError, Outage, Outages};
pub use footprint::{Footprint, LinkUse, MostUsed};
pub use kernel::{CallSize, Kernel, KernelTime, Noise};
pub use observer::{
    Activity, Both, Completions, LinkCourse, LinkSeen, Observer, ReceiveSeen, SendSeen, Span, Timeline,
};
pub use platform::{
    Cache, Channel, Cluster, ClusterPoint, Connection, DirectedLink, Kinds, Least, Level, Link, LinkPower, LinkSharing,
    Loopback, MOST_CLUSTERS, MOST_LEVELS, Memory, MemoryRate, NodePower, Platform, PlatformError, Ports, Route, Routes,
    RoutingTables, SharedMemory, Sharing, Traffic, Zone, ZoneMember, ZoneRoute,
};
pub use profile::{Availability, Profile, ProfileError, RandomOnOff, Turns};
pub use program::{Context, Moved, NodeId, PhaseOf, Program, Receive, Scope, SendId, TimerId, WorkId};
pub use simulation::{RunError, Simulation, Usage};
pub use trail::Trail;
pub use transport::{BySize, Transport};
