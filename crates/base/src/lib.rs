//! The ground floor of hetsim: units and simulated time, the event queue, random streams, records of runs, and lists of
//! alternatives.

pub mod engine;
pub mod input;
#[doc(hidden)]
pub mod printable;
pub mod record;
pub mod registry;
pub mod units;
