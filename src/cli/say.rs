//! The only module that writes to standard output and standard error.
//!
//! A failure to write to standard error is ignored: a full disk behind `2>` or a closed terminal must not end a run.
//! Standard output may be the wanted result, so a failure there is a failure of the command; files are written before.
//! A reader that closes the pipe early (`| head`) is not a failure.
//!
//! Text for people is sanitised; data for programs are written unchanged.

use std::io::{self, ErrorKind, IsTerminal, Write};

use super::Failure;
use super::captured::{is_captured, keep};
use crate::printable::printable;

/// Prints text to standard output.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    printed(|out| out.write_all(printable(text).as_bytes()))
}

/// Writes data to standard output: unchanged for a program, sanitised on a terminal.
pub(super) fn print_data(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    if io::stdout().is_terminal() && !is_captured() {
        let mut data = Vec::new();
        return done(write(&mut data)).and_then(|()| print(&String::from_utf8_lossy(&data)));
    }
    printed(write)
}

fn printed(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    if is_captured() {
        let mut data = Vec::new();
        let written = write(&mut data);
        keep(|captured| captured.text.push_str(&String::from_utf8_lossy(&data)));
        return done(written);
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    // Flush, since an error in the buffer would be lost at the end.
    let written = write(&mut out).and_then(|()| out.flush());
    drop(out.into_parts());
    done(written)
}

/// The result of writing to standard output.
pub(super) fn done(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Run(format!("standard output cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// Whether standard error is a terminal.
pub(super) fn is_watched() -> bool {
    io::stderr().is_terminal()
}

/// Prints a line to standard error.
pub(super) fn say(text: &str) {
    write_error(&format!("{}\n", printable(text)));
}

/// Prints a line with hetsim's own colours to standard error; external text in it is already sanitised.
pub(super) fn say_coloured(text: &str) {
    write_error(&format!("{text}\n"));
}

/// Prints an error to standard error.
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
    !is_captured() && io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

fn write_error(text: &str) {
    if keep(|captured| captured.notes.push_str(text)) {
        return;
    }
    // There is nowhere to report that this failed.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
