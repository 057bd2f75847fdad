//! A command that runs inside of another program, such as an interpreter: its words are kept instead of printed, it draws
//! no progress bar, and it stops when its caller says so instead of handling signals.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Failure, bad_input, parsed};

/// What a command has said and made.
#[derive(Debug, Default)]
pub struct Captured {
    /// What it would print to standard output.
    pub text: String,
    /// What it would print to standard error.
    pub notes: String,
    /// The results folder, if it made one.
    pub folder: Option<PathBuf>,
    stop: Arc<AtomicBool>,
}

/// What the command that is captured has said so far. One is captured at a time, and may speak on all of its threads.
static CAPTURED: Mutex<Option<Captured>> = Mutex::new(None);
static TURN: Mutex<()> = Mutex::new(());

/// Runs a command, whose first argument is the path of the program, and keeps what it says. `stop` ends the commands that
/// can be interrupted.
///
/// # Errors
/// The command fails, or its arguments are wrong.
pub fn capture(arguments: impl IntoIterator<Item = OsString>, stop: Arc<AtomicBool>) -> Result<Captured, Failure> {
    let arguments = parsed(arguments).map_err(|error| {
        let text = error.render().to_string();
        bad_input(text.strip_prefix("error: ").unwrap_or(&text).trim_end())
    })?;
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    *captured() = Some(Captured { stop, ..Captured::default() });
    let ended = super::dispatch(arguments);
    let captured = captured().take().unwrap_or_default();
    ended.map(|_| captured)
}

fn captured() -> MutexGuard<'static, Option<Captured>> {
    CAPTURED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds to what the command says, if it is captured.
pub(super) fn keep(add: impl FnOnce(&mut Captured)) -> bool {
    captured().as_mut().map(add).is_some()
}

/// Whether the command is captured.
pub(super) fn is_captured() -> bool {
    keep(|_| {})
}

/// Notes the results folder of the command.
pub(super) fn keep_folder(folder: &Path) {
    keep(|captured| captured.folder = Some(folder.to_owned()));
}

/// The flag that stops the command, if it is captured.
pub(super) fn stop() -> Option<Arc<AtomicBool>> {
    captured().as_ref().map(|captured| Arc::clone(&captured.stop))
}
