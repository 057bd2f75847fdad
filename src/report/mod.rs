//! From records to what people read: tables, derived metrics, CSV files, SVG charts and one HTML page.
//!
//! [`Results`] is the table of all runs. From it come derived metrics, the summary over replicas, the verdicts on
//! expectations, text tables and pictures, all of them pure functions: the same records give the same bytes.
//! [`contents::Contents`] is all of it, and [`output`] writes the files. Below, [`statistics`] knows nothing of scenarios.

pub mod advise;
pub mod box_summary;
pub mod chart;
pub mod compare;
pub mod contention;
pub mod contents;
pub mod critical;
pub mod derive;
pub mod direction;
pub mod doubts;
pub mod events;
pub mod expect;
pub mod folder;
pub mod formats;
pub mod in_memory;
pub mod manifest;
pub mod missing;
pub mod output;
pub mod picture_file;
pub mod replicas;
pub mod sensitivity;
pub mod session;
pub mod spec;
pub mod statement;
pub mod statistics;
pub mod tables;
pub mod text;
pub mod typed;
pub mod validation;

mod best;
mod cells;
mod certainty;
mod columns;
mod csv_file;
mod gather;
mod page;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "pdf")]
mod print;
mod results;
mod summary;
mod tex;
mod tolerance;
mod written;

pub use results::{Results, Row};
pub use spec::Reported;
pub use written::FileDigests;
