//! What a command has around it: where its words go, who can stop it, and the program that it belongs to.
//!
//! Words go to the standard streams, or to a program that called the command, such as an interpreter: its words are kept
//! instead of printed, it draws no progress bar, and it stops when its caller says so instead of handling signals.
//!
//! This is the only module that writes to standard output and standard error. A failure to write to standard error is
//! ignored: a full disk behind `2>` or a closed terminal must not end a run. Standard output may be the wanted result, so a
//! failure there is a failure of the command; files are written before. A reader that closes the pipe early (`| head`) is
//! not a failure.
//!
//! Text for people is sanitised; data for programs are written unchanged.

use std::ffi::OsString;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use super::Failure;
use crate::printable::printable;

/// The surroundings of a command: by default, those of a process of its own.
#[derive(Debug, Default)]
pub(super) struct Console {
    program: Option<PathBuf>,
    caller: Option<Caller>,
}

/// A program that called the command.
#[derive(Debug)]
struct Caller {
    /// Commands speak on all of their threads.
    captured: Mutex<Captured>,
    stop: Arc<AtomicBool>,
}

/// What a command has said and made.
#[derive(Debug, Default)]
pub struct Captured {
    /// What it would print to standard output.
    pub text: String,
    /// What it would print to standard error.
    pub notes: String,
    /// The results folder, if it made one.
    pub folder: Option<PathBuf>,
}

impl Console {
    /// The surroundings of a command with these words, the first of which may be the path of the program.
    pub(super) fn of(words: &[OsString]) -> Self {
        let program = words.first().map(PathBuf::from).filter(|program| program.is_absolute());
        Self { program, caller: None }
    }

    /// The same in another program, which can set this flag to stop the command.
    pub(super) fn with_caller(self, stop: Arc<AtomicBool>) -> Self {
        Self { caller: Some(Caller { captured: Mutex::default(), stop }), ..self }
    }

    /// The path of the program that runs these commands: inside of an interpreter, it is not the process's executable.
    pub(super) fn program(&self) -> io::Result<PathBuf> {
        let told = self.program.as_ref().filter(|program| program.is_file());
        told.map_or_else(std::env::current_exe, |program| Ok(program.clone()))
    }

    /// The flag that stops the command, if another program called it.
    pub(super) fn stop(&self) -> Option<Arc<AtomicBool>> {
        self.caller.as_ref().map(|caller| Arc::clone(&caller.stop))
    }

    /// Whether another program called the command.
    pub(super) fn has_caller(&self) -> bool {
        self.caller.is_some()
    }

    /// Notes the results folder of the command, for its caller.
    pub(super) fn keep_folder(&self, folder: &Path) {
        self.keep(|captured| captured.folder = Some(folder.to_owned()));
    }

    /// What the command has said and made, if another program called it.
    pub(super) fn into_captured(self) -> Captured {
        let captured = self.caller.map(|caller| caller.captured.into_inner());
        captured.unwrap_or_else(|| Ok(Captured::default())).unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds to what is kept for the caller; false if there is none.
    fn keep(&self, add: impl FnOnce(&mut Captured)) -> bool {
        let captured =
            self.caller.as_ref().map(|caller| caller.captured.lock().unwrap_or_else(PoisonError::into_inner));
        captured.map(|mut captured| add(&mut captured)).is_some()
    }

    /// Prints text to standard output.
    pub(super) fn print(&self, text: &str) -> Result<(), Failure> {
        self.printed(|out| out.write_all(printable(text).as_bytes()))
    }

    /// Writes data to standard output: unchanged for a program, sanitised on a terminal.
    pub(super) fn print_data(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
        if !self.has_caller() && io::stdout().is_terminal() {
            let mut data = Vec::new();
            return done(write(&mut data)).and_then(|()| self.print(&String::from_utf8_lossy(&data)));
        }
        self.printed(write)
    }

    fn printed(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
        if self.has_caller() {
            let mut data = Vec::new();
            let written = write(&mut data);
            self.keep(|captured| captured.text.push_str(&String::from_utf8_lossy(&data)));
            return done(written);
        }
        let mut out = io::BufWriter::new(io::stdout().lock());
        // Flush, since an error in the buffer would be lost at the end.
        let written = write(&mut out).and_then(|()| out.flush());
        drop(out.into_parts());
        done(written)
    }

    /// Prints a line to standard error.
    pub(super) fn say(&self, text: &str) {
        self.say_coloured(&printable(text));
    }

    /// Prints a line with hetsim's own colours to standard error; external text in it is already sanitised.
    pub(super) fn say_coloured(&self, text: &str) {
        let line = format!("{text}\n");
        if !self.keep(|captured| captured.notes.push_str(&line)) {
            // There is nowhere to report that this failed.
            let _ = io::stderr().lock().write_all(line.as_bytes());
        }
    }

    /// Prints an error to standard error.
    pub(super) fn complain(&self, message: &str) {
        let message = printable(message);
        let label = if self.is_coloured() { "\u{1b}[31merror:\u{1b}[0m" } else { "error:" };
        self.say_coloured(&format!("{label} {message}"));
    }

    /// Whether messages may be coloured: on a terminal, unless `NO_COLOR` is set.
    pub(super) fn is_coloured(&self) -> bool {
        self.is_watched() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
    }

    /// Whether someone watches: standard error is a terminal.
    pub(super) fn is_watched(&self) -> bool {
        !self.has_caller() && io::stderr().is_terminal()
    }
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
