//! Broadcasts, collectives and messages through the event engine.

mod adaptive_broadcasts;
mod alike_ranks;
mod barriers;
mod broadcast_as_collective;
mod broadcasts;
mod collectives;
mod hpl;
mod machines;
mod phases;
mod plan_memory;
mod trace_communicators;
mod trace_replay;
mod traffic;
