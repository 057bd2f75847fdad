//! The log on standard error.

use std::io::Write;

use super::terminal::wrapped;
use crate::printable::printable;

/// Starts the log: warnings look as those of `hetsim check`; other messages are a line each.
pub(super) fn start_log() {
    let mut log = env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn,usvg=error"));
    log.format(|out, record| {
        let (level, target, message) = (record.level(), record.target(), record.args().to_string());
        let message = printable(&message);
        if level == log::Level::Warn {
            return write!(out, "{}", wrapped(&format!("Warning: {message}"), 0, 0));
        }
        writeln!(out, "[{level:<5} {target}] {message}")
    });
    // A process that runs several commands has its log already.
    let _ = log.try_init();
}
