//! Charts: their keys, and that what is drawn can be read.

mod legibility;
mod print;
mod wrong_keys;
