//! The command line: arguments, progress, exit codes, and messages to people.
//!
//! Data go to standard output, everything else to standard error. Exit codes: 0 done; 1 a run failed or, with
//! `--strict`, an expectation was missed; 2 bad input; 130 interrupted.

mod advise;
mod arguments;
mod calibrate;
mod catalogue;
mod changes;
pub mod check;
mod compare;
mod computing;
mod console;
mod convert;
mod explain;
mod fit;
mod folder;
mod help;
mod known;
mod layout;
pub mod list;
mod logging;
mod meanings;
mod measure;
mod measured;
mod merge;
mod new;
mod out;
mod partition;
mod plot;
mod replaced;
pub mod run;
mod shard;
mod status;
mod submit;
mod terminal;
mod trace;
mod validate;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{CommandFactory, FromArgMatches};

use crate::batch::store::StoreError;
pub use crate::failure::Failure;
use crate::failure::bad_input;
use crate::report::session::SessionError;
use crate::report::spec::NOTATION;
use crate::scenario::editor_schema;
use arguments::{Command, Hetsim};
pub use console::Captured;
use console::Console;

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Input(problems) => problems.into(),
            SessionError::Store(error) => error.into(),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Run(error.to_string())
    }
}

/// Runs the command of the process's arguments.
#[must_use]
pub fn main() -> ExitCode {
    ExitCode::from(command(std::env::args_os()))
}

/// Runs a command, whose first argument is the path of the program, and returns its exit code.
#[must_use]
pub fn command(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    logging::start_log();
    let words = arguments::with_implied_run(arguments.into_iter());
    let console = Console::of(&words);
    let ended = match parsed(&words) {
        Ok(arguments) => dispatch(&console, arguments),
        Err(error) => not_parsed(&console, &error),
    };
    match ended {
        Ok(code) => code,
        Err(Failure::Input(problems)) => {
            terminal::show_problems(&console, &problems);
            2
        }
        Err(Failure::Run(message)) => {
            console.complain(&message);
            1
        }
        Err(Failure::Interrupted(message)) => {
            console.complain(&message);
            130
        }
    }
}

/// Runs a command inside of another program, and returns what it has said and made, and how it has ended. Its first argument
/// is the path of the program; `stop` ends the commands that can be interrupted. Several commands may run at the same time.
///
/// What a command prints comes after all that it writes.
pub fn captured(
    arguments: impl IntoIterator<Item = OsString>,
    stop: Arc<AtomicBool>,
) -> (Captured, Result<(), Failure>) {
    let words = arguments::with_implied_run(arguments.into_iter());
    let console = Console::of(&words).with_caller(stop);
    let arguments = parsed(&words).map_err(|error| {
        let text = error.render().to_string();
        bad_input(text.strip_prefix("error: ").unwrap_or(&text).trim_end())
    });
    let ended = arguments.and_then(|arguments| dispatch(&console, arguments));
    (console.into_captured(), ended.map(|_| ()))
}

/// The arguments of a command line.
fn parsed(words: &[OsString]) -> Result<Hetsim, clap::Error> {
    // Help is laid out only where it is asked for or something is wrong: most commands start without it.
    let matches = Hetsim::command().try_get_matches_from(words);
    Hetsim::from_arg_matches(&matches.or_else(|_| help::command().try_get_matches_from(words))?)
}

/// Reports an error of the command line, or prints the requested help or version.
fn not_parsed(console: &Console, error: &clap::Error) -> Result<u8, Failure> {
    // A fault repeats arguments, and names of files among them; help does not.
    if let Some(fault) = error.render().to_string().strip_prefix("error: ") {
        console.complain(fault.trim_end());
        return Ok(2);
    }
    let printed = error.print();
    if error.use_stderr() { Ok(2) } else { console::done(printed).map(done) }
}

fn dispatch(console: &Console, arguments: Hetsim) -> Result<u8, Failure> {
    match arguments.command {
        Command::Run(run) => run::run(console, &run),
        Command::Check(check) => check::check(console, &check).map(done),
        Command::New(new) => new::new(console, &new).map(done),
        Command::List(asked) => list::list(console, &asked).map(done),
        Command::Explain(asked) => explain::explain(console, &asked.name).map(done),
        Command::Schema(asked) => {
            let schema = editor_schema(NOTATION.schema(), asked.of.into(), asked.descriptions);
            console.print_data(|out| writeln!(out, "{schema}")).map(done)
        }
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Hetsim::command(), "hetsim", &mut script);
            console.print_data(|out| out.write_all(&script)).map(done)
        }
        Command::Plot(plot) => plot::plot(console, &plot).map(done),
        Command::Trace(trace) => trace::trace(console, &trace).map(done),
        Command::Merge(merge) => merge::merge(console, &merge),
        Command::Status(status) => status::status(console, &status).map(done),
        Command::Submit(submit) => submit::submit(console, &submit).map(done),
        Command::Compare(compare) => compare::compare(console, &compare).map(done),
        Command::Calibrate(calibrate) => calibrate::calibrate(console, &calibrate).map(done),
        Command::Fit(fit) => fit::fit(console, &fit).map(done),
        Command::Measure(measure) => measure::measure(console, &measure).map(done),
        Command::Convert(convert) => convert::convert(console, &convert).map(done),
        Command::Partition(partition) => partition::partition(console, &partition).map(done),
        Command::Advise(advise) => advise::advise(console, &advise).map(done),
        Command::Validate(validate) => validate::validate(console, &validate).map(done),
    }
}

fn done((): ()) -> u8 {
    0
}
