//! What commands show while they compute runs, and how they say that runs failed.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::sleep;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, WeakProgressBar};

use super::Failure;
use super::console::Console;
use crate::advice::Watcher;
use crate::batch::run::{BatchOutcome, Progress};
use crate::input::Input;
use crate::printable::printable;
use crate::report::session::failures;
use crate::report::text::humane;
use crate::scenario::Scenario;

/// What Ctrl-C does in a command. Without a handler, it ends the process at once, which loses nothing stored.
#[derive(Debug, Clone, Default)]
pub(super) struct Interruption {
    stop: Arc<AtomicBool>,
    computes: Arc<AtomicBool>,
    /// Whether a calling program stops the command, which then leaves signals alone.
    is_of_caller: bool,
}

/// Handles Ctrl-C from now on, the beginning of a command: it ends the process with a message until something is
/// computed. A handler can be set once per process.
pub(super) fn interruptible(console: &Console) -> Interruption {
    if let Some(stop) = console.stop() {
        return Interruption { stop, is_of_caller: true, ..Interruption::default() };
    }
    let interruption = Interruption::default();
    let Interruption { stop, computes, .. } = interruption.clone();
    let on_interrupt = move || {
        if !computes.load(Ordering::Relaxed) {
            Console::default()
                .complain("interrupted before anything was computed; run the same command again to continue");
            std::process::exit(130);
        }
        // The first Ctrl-C waits for the current runs; the second ends the process.
        if stop.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    };
    if let Err(error) = ctrlc::set_handler(on_interrupt) {
        log::warn!("Ctrl-C cannot be handled: {error}");
    }
    interruption
}

impl Interruption {
    /// A flag that Ctrl-C sets from now on, since something is computed; a second one ends the process.
    pub(super) fn flag(self) -> Arc<AtomicBool> {
        self.computes.store(true, Ordering::Relaxed);
        self.stop
    }
}

/// The same flag, which SIGTERM sets too: a second one ends the process.
pub(super) fn terminable(interruption: Interruption) -> Arc<AtomicBool> {
    use signal_hook::consts::SIGTERM;
    use signal_hook::flag;
    let is_of_caller = interruption.is_of_caller;
    let stop = interruption.flag();
    if is_of_caller {
        return stop;
    }
    let again = flag::register_conditional_shutdown(SIGTERM, 128 + SIGTERM, Arc::clone(&stop));
    if let Err(error) = again.and_then(|_| flag::register(SIGTERM, Arc::clone(&stop))) {
        log::warn!("SIGTERM cannot be handled: {error}");
    }
    stop
}

/// The progress bar of so many runs.
pub(super) fn progress(console: &Console, runs: usize, quiet: bool) -> ProgressBar {
    progress_bar(console, runs as u64, "{bar:32} {pos}/{len} runs  {per_sec}  {eta} left  {wide_msg}", quiet)
}

/// A progress bar of so many steps; hidden if there are none, with `--quiet`, or in another program.
pub(super) fn progress_bar(console: &Console, steps: u64, template: &str, quiet: bool) -> ProgressBar {
    if quiet || steps == 0 || console.has_caller() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template(template);
    // The template is fixed and valid; indicatif's own style is a fallback.
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    if !console.is_watched() {
        tell_progress(bar.downgrade(), FIRST_LINE, |line| Console::default().say(line));
    }
    bar
}

/// When the first line of progress is written where there is no terminal, such as in the log of a job.
const FIRST_LINE: Duration = Duration::from_secs(30);
/// The longest time until the next.
const LATER_LINES: Duration = Duration::from_mins(10);

/// Tells lines in place of a bar, ever less often, until the bar is gone.
fn tell_progress(bar: WeakProgressBar, first: Duration, tell: impl Fn(&str) + Send + 'static) {
    let lines = move || {
        let mut wait = first;
        loop {
            sleep(wait);
            wait = (2 * wait).min(LATER_LINES);
            let Some(bar) = bar.upgrade().filter(|bar| !bar.is_finished()) else { return };
            let share = 100.0 * bar.position() as f64 / bar.length().unwrap_or(1).max(1) as f64;
            let so_far = humane("_s", bar.elapsed().as_secs_f64().round());
            tell(&format!("{share:.0} % done after {so_far}"));
        }
    };
    // Without a thread there are no lines.
    drop(std::thread::Builder::new().spawn(lines));
}

/// What a command shows of advice while it is found: a bar of its steps, and what is worth saying besides.
pub(super) struct Watched<'a> {
    console: &'a Console,
    stop: Arc<AtomicBool>,
    bar: OnceLock<ProgressBar>,
}

impl<'a> Watched<'a> {
    /// From now on something is computed.
    pub(super) fn new(console: &'a Console, interruption: Interruption) -> Self {
        Self { console, stop: interruption.flag(), bar: OnceLock::new() }
    }
}

impl Watcher for Watched<'_> {
    fn hear(&self, sentence: &str) {
        match self.bar.get() {
            Some(bar) => bar.suspend(|| self.console.say(sentence)),
            None => self.console.say(sentence),
        }
    }

    fn stops(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn expect(&self, steps: u64) {
        let template = "{bar:32} {percent} %  {elapsed}, at most {eta} left";
        match self.bar.get() {
            Some(bar) => bar.inc_length(steps),
            None => drop(self.bar.set(progress_bar(self.console, steps, template, false))),
        }
    }

    fn advance(&self, steps: u64) {
        if let Some(bar) = self.bar.get() {
            bar.inc(steps);
        }
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

/// Shorter runs are not worth naming.
const WORTH_SHOWING_S: f64 = 0.1;

/// Advances the progress bar and names the point with the longest runs, if there are several points.
pub(super) fn show(bar: &ProgressBar, scenario: &Scenario, progress: Progress) {
    bar.inc(progress.ended as u64);
    if let Some((point, seconds)) = progress.slowest
        && scenario.points.len() > 1
        && seconds >= WORTH_SHOWING_S
    {
        let message = format!("slowest {}: {}", humane("_s", seconds), scenario.place(point, &[]));
        bar.set_message(printable(&message).into_owned());
    }
}

/// The failure of a command that goes on from this file if it is run again.
pub(super) fn to_be_continued(file: &Path) -> Failure {
    let file = file.display();
    Failure::Interrupted(format!("interrupted; run the same command again to continue from {file}"))
}

/// What an interrupted run has left in a file; nothing if it is not there.
///
/// # Errors
/// The file can't be read.
pub(super) fn left_in(file: &Path) -> Result<String, Failure> {
    match Input::open_own(file).and_then(Input::text) {
        Err(error) if error.is_missing() => Ok(String::new()),
        known => known.map_err(|error| Failure::Run(error.to_string())),
    }
}

/// The failure of a command some of whose runs failed.
pub(super) fn failed(scenario: &Scenario, outcome: &BatchOutcome, runs: usize) -> Failure {
    Failure::Run(failures(scenario, outcome, runs))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{RecvTimeoutError, channel};
    use std::time::Instant;

    use super::*;

    /// What the log of a job shows of a bar: `hetsim run`, `validate`, `calibrate` and `advise` have the same.
    #[test]
    fn lines_stand_in_for_a_bar_until_it_is_gone() {
        let bar = ProgressBar::hidden();
        bar.set_length(8);
        bar.set_position(2);
        let (sender, lines) = channel();
        let (first, start) = (Duration::from_millis(20), Instant::now());
        tell_progress(bar.downgrade(), first, move |line: &str| drop(sender.send(line.to_owned())));
        assert_eq!(lines.recv().unwrap(), "25 % done after 0");
        bar.set_position(6);
        assert_eq!(lines.recv().unwrap(), "75 % done after 0");
        // Twice as long as the first.
        assert!(start.elapsed() >= 3 * first);
        bar.finish();
        // The thread ends, and its end of the channel with it.
        assert_eq!(lines.recv_timeout(Duration::from_secs(10)), Err(RecvTimeoutError::Disconnected));
    }
}
