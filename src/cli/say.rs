//! The one place that writes to standard output and standard error.
//!
//! Results are worth more than what is said of them. What can't be written to standard error is dropped: a full disk behind
//! `2>` or a closed terminal ends no run. Standard output may be what is wanted, so a failure there is one of the command;
//! what goes to files is written before. A reader that has had enough (`| head`) is no failure.
//!
//! Words for people are made harmless on the way; data for programs are written as they are.

use std::io::{self, ErrorKind, IsTerminal, Write};

use super::Failure;
use crate::printable::printable;

/// Prints words to standard output.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    printed(|out| out.write_all(printable(text).as_bytes()))
}

/// Writes data to standard output: for a program as they are, on a terminal made harmless.
pub(super) fn print_data(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    if io::stdout().is_terminal() {
        let mut data = Vec::new();
        return done(write(&mut data)).and_then(|()| print(&String::from_utf8_lossy(&data)));
    }
    printed(write)
}

fn printed(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    // What lies in a buffer at the end would be lost without a word.
    let written = write(&mut out).and_then(|()| out.flush());
    drop(out.into_parts());
    done(written)
}

/// What came of writing to standard output.
pub(super) fn done(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Run(format!("standard output can't be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// Says something beside the results: a line on standard error.
pub(super) fn say(text: &str) {
    write_error(&format!("{}\n", printable(text)));
}

/// Says something with colours of our own, in which everything from outside is harmless already.
pub(super) fn say_coloured(text: &str) {
    write_error(&format!("{text}\n"));
}

/// Says what went wrong.
pub(super) fn complain(message: &str) {
    let message = printable(message);
    if coloured() {
        say_coloured(&format!("\u{1b}[31merror:\u{1b}[0m {message}"));
    } else {
        say_coloured(&format!("error: {message}"));
    }
}

/// Whether messages may be coloured: on a terminal, unless `NO_COLOR` is set.
pub(super) fn coloured() -> bool {
    io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Messages of the log, one a line.
pub(super) fn start_log() {
    let mut log = env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn"));
    log.format(|out, record| {
        let (level, target, message) = (record.level(), record.target(), record.args().to_string());
        writeln!(out, "[{level:<5} {target}] {}", printable(&message))
    });
    log.init();
}

fn write_error(text: &str) {
    // There is nowhere left to say that this failed.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
