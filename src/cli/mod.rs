//! The command line: arguments, progress, exit codes, and messages to people.
//!
//! Data go to standard output, everything else to standard error. Exit codes: 0 done; 1 a run failed or, with
//! `--strict`, an expectation was missed; 2 bad input; 130 interrupted.

mod advise;
mod arguments;
mod calibrate;
pub mod captured;
mod catalogue;
mod changes;
pub mod check;
mod compare;
mod computing;
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
pub mod run;
mod say;
mod shard;
mod status;
mod submit;
mod terminal;
mod trace;
mod validate;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::OnceLock;

use clap::{CommandFactory, FromArgMatches};

use crate::batch::store::StoreError;
use crate::report::session::SessionError;
use crate::report::spec::NOTATION;
use crate::scenario::{Problems, editor_schema};
use arguments::{Command, Hetsim};

/// The reason why a command fails.
#[derive(Debug)]
pub enum Failure {
    /// An error in the scenario, a file or the command line.
    Input(Problems),
    /// An error at run time, with its message.
    Run(String),
    /// An interruption by the user.
    Interrupted(String),
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Self {
        Self::Input(problems)
    }
}

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

/// An error about bad input without a position in a text.
#[allow(clippy::needless_pass_by_value, reason = "errors are handed over by `map_err(bad_input)`")]
fn bad_input(message: impl ToString) -> Failure {
    Failure::Input(Problems::general(message.to_string()))
}

/// The path of the program, if the first argument tells it: inside of an interpreter, it is not the process's executable.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// The path of the program that runs these commands.
fn program() -> io::Result<PathBuf> {
    PROGRAM.get().filter(|program| program.is_file()).map_or_else(std::env::current_exe, |program| Ok(program.clone()))
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
    let ended = match parsed(arguments) {
        Ok(arguments) => dispatch(arguments),
        Err(error) => not_parsed(&error),
    };
    match ended {
        Ok(code) => code,
        Err(Failure::Input(problems)) => {
            terminal::show_problems(&problems);
            2
        }
        Err(Failure::Run(message)) => {
            say::complain(&message);
            1
        }
        Err(Failure::Interrupted(message)) => {
            say::complain(&message);
            130
        }
    }
}

/// The arguments of a command line, whose first one is the path of the program.
fn parsed(words: impl IntoIterator<Item = OsString>) -> Result<Hetsim, clap::Error> {
    let words = arguments::with_implied_run(words.into_iter());
    if let Some(program) = words.first().map(PathBuf::from).filter(|program| program.is_absolute()) {
        // Only the first command of a process tells its program, which all of its commands have.
        let _ = PROGRAM.set(program);
    }
    // Help is laid out only where it is asked for or something is wrong: most commands start without it.
    let matches = Hetsim::command().try_get_matches_from(&words);
    Hetsim::from_arg_matches(&matches.or_else(|_| help::command().try_get_matches_from(words))?)
}

/// Reports an error of the command line, or prints the requested help or version.
fn not_parsed(error: &clap::Error) -> Result<u8, Failure> {
    // A fault repeats arguments, and names of files among them; help does not.
    if let Some(fault) = error.render().to_string().strip_prefix("error: ") {
        say::complain(fault.trim_end());
        return Ok(2);
    }
    let printed = error.print();
    if error.use_stderr() { Ok(2) } else { say::done(printed).map(done) }
}

fn dispatch(arguments: Hetsim) -> Result<u8, Failure> {
    match arguments.command {
        Command::Run(run) => run::run(&run),
        Command::Check(check) => check::check(&check).map(done),
        Command::New(new) => new::new(&new).map(done),
        Command::List(asked) => list::list(&asked).map(done),
        Command::Explain(asked) => explain::explain(&asked.name).map(done),
        Command::Schema(asked) => {
            let schema = editor_schema(NOTATION.schema(), asked.of.into(), asked.descriptions);
            say::print_data(|out| writeln!(out, "{schema}")).map(done)
        }
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Hetsim::command(), "hetsim", &mut script);
            say::print_data(|out| out.write_all(&script)).map(done)
        }
        Command::Plot(plot) => plot::plot(&plot).map(done),
        Command::Trace(trace) => trace::trace(&trace).map(done),
        Command::Merge(merge) => merge::merge(&merge),
        Command::Status(status) => status::status(&status).map(done),
        Command::Submit(submit) => submit::submit(&submit).map(done),
        Command::Compare(compare) => compare::compare(&compare).map(done),
        Command::Calibrate(calibrate) => calibrate::calibrate(&calibrate).map(done),
        Command::Fit(fit) => fit::fit(&fit).map(done),
        Command::Measure(measure) => measure::measure(&measure).map(done),
        Command::Convert(convert) => convert::convert(&convert).map(done),
        Command::Partition(partition) => partition::partition(&partition).map(done),
        Command::Advise(advise) => advise::advise(&advise).map(done),
        Command::Validate(validate) => validate::validate(&validate).map(done),
    }
}

fn done((): ()) -> u8 {
    0
}
