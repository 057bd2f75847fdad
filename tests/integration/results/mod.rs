//! What tables and answers say of results.

mod best_choices;
mod derived;
mod failed_runs;
mod reading_by_r;
mod terminal_tables;
