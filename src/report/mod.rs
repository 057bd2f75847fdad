//! Drawing: from plain data to SVG charts and one HTML page, and the statistics that stand behind both.
//!
//! Everything here is a pure function of its arguments: the same data give the same bytes. Nothing here reads or
//! writes a file, or knows what a scenario or a store is.

pub mod chart;
pub mod html;
pub mod statistics;
