//! Long work on a thread of its own, while the caller's thread watches for Ctrl-C and reports the progress.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::Thread;
use std::time::Duration;

use hetsim::cli::Failure;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::errors::exception;

/// How often Python looks.
const PERIOD: Duration = Duration::from_millis(50);

/// What the work tells, and what it is told.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// Set to stop the work.
    pub(crate) stop: Arc<AtomicBool>,
    /// The number of steps that are done.
    pub(crate) done: AtomicUsize,
    /// The number of all steps, as far as is known.
    pub(crate) total: AtomicUsize,
}

impl Watch {
    fn progress(&self) -> (usize, usize) {
        (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }
}

/// Wakes the caller's thread when the work has ended, also by a panic.
struct Ending<'a> {
    has_ended: &'a AtomicBool,
    waiting: Thread,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.has_ended.store(true, Ordering::Release);
        self.waiting.unpark();
    }
}

/// Refuses work in a forked child of a process in which hetsim has worked. Its threads are not there, and whatever waits for
/// them waits for ever.
///
/// # Errors
/// This process is such a child.
pub(crate) fn refuse_forked() -> PyResult<()> {
    static FIRST: OnceLock<u32> = OnceLock::new();
    let own = std::process::id();
    if *FIRST.get_or_init(|| own) == own {
        return Ok(());
    }
    let message = "hetsim has threads that a forked process does not have; start processes by spawn";
    Err(PyRuntimeError::new_err(message))
}

/// Does `work` without the interpreter's lock, and calls `progress` with the steps that are done and their number,
/// whenever that has changed. An exception there, or Ctrl-C, stops the work, which keeps what it has; it is raised then.
pub(crate) fn wait<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Watch) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    refuse_forked()?;
    let (watch, has_ended) = (Watch::default(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let ending = Ending { has_ended: &has_ended, waiting: std::thread::current() };
        let watched = &watch;
        let worker = scope.spawn(move || {
            let _ending = ending;
            work(watched)
        });
        let mut told = (0, 0);
        let mut raised = None;
        loop {
            // Before the progress is read: the last that is told is the whole.
            let is_last = has_ended.load(Ordering::Acquire);
            let mut tell = || {
                py.check_signals()?;
                let now = watch.progress();
                if now != told
                    && let Some(progress) = progress
                {
                    told = now;
                    progress.call1(now)?;
                }
                Ok(())
            };
            if raised.is_none()
                && let Err(error) = tell()
            {
                watch.stop.store(true, Ordering::Relaxed);
                raised = Some(error);
            }
            if is_last {
                break;
            }
            py.detach(|| std::thread::park_timeout(PERIOD));
        }
        let outcome = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        match raised {
            Some(error) => Err(error),
            None => outcome.map_err(|failure| exception(failure, py)),
        }
    })
}
