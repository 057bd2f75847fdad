//! Quantities with units, as scenarios write them, and simulated time.
//!
//! A scenario never holds a bare number where a unit matters: `"48.39us"`, `"1Gbit/s"`, `"512KiB"`. Each type here
//! parses its own notation, prints the shortest notation that reads back as the same value, and names itself in the
//! JSON schema (`format`), so that the reader of scenarios can check a value before it is deserialised.

#[doc(hidden)]
pub mod defaults;
pub mod memory;

mod kind;
mod quantity;
mod time;

pub use kind::QuantityKind;
pub use quantity::{
    Bytes, BytesPerSecond, Operations, OperationsPerSecond, Quantity, QuantityError, Seconds, SecondsPerByte, Watts,
};
pub use time::{Tick, Time, round_up};
