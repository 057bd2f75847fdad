//! Texts as trees that know where each of their parts stands, and what is wrong with them: every message points into
//! the text that it is about. Of a table, each row knows its line.

mod node;
mod problem;
mod rows;

pub use node::{DEEPEST, Entry, Node, Value};
pub use problem::{Place, Problem, Problems, Report, Source, nearest, suggest};
pub use rows::NumberedRows;
