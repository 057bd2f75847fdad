//! The simulated cluster: nodes, external load, links and network models, and the machine on which programs run.
//!
//! A [`Program`] is a small reactive state machine. A [`Cluster`] runs it on a [`Platform`], which is plain data: groups
//! of nodes and the links within and between them. Time costs live in two places only: a node (its speed and what
//! external load leaves of it) and a network model.
//!
//! Handlers on a node run one at a time and not before its processor is free. What a message costs its two processors
//! (overheads) takes a core; a message that finds the processor busy waits in the order of arrival. Only a receive that
//! is still under way gives way to a timer's handler that starts a computation or a send in the meantime.
//!
//! Not modelled: packets, storage, the inside of accelerators, posted receives (a receiver is always ready).

mod capacity;
mod embedded;
mod inbox;
mod machine;
pub mod network;
mod observer;
mod platform;
mod processor;
mod profile;
mod program;
mod shared_links;
pub mod speeds;

pub use embedded::Embedded;
pub use machine::{Cluster, RunError, Usage};
pub use observer::{Activity, Completions, Observer, ReceiveSeen, SendSeen, Span, Timeline};
pub use platform::{Cache, Group, Link, Platform, Ports, Sharing};
pub use profile::{Availability, Profile, ProfileError, RandomOnOff};
pub use program::{Machine, NodeId, Program, Scope, SendId, TimerId, WorkId};
pub use shared_links::{Moved, SharedLinks};
