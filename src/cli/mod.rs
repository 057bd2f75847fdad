//! The command line: arguments, progress, exit codes, and messages to people.
//!
//! Data go to standard output, everything else to standard error. Exit codes: 0 done; 1 a run failed or, with
//! `--strict`, an expectation was missed; 2 bad input; 130 interrupted.

mod advise;
mod arguments;
mod calibrate;
mod catalogue;
mod changes;
mod check;
mod compare;
mod computing;
mod convert;
mod explain;
mod fit;
mod folder;
mod help;
mod known;
mod layout;
mod list;
mod measure;
mod merge;
mod new;
mod out;
mod partition;
mod plot;
mod run;
mod say;
mod shard;
mod status;
mod submit;
mod terminal;
mod trace;
mod validate;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use crate::batch::store::StoreError;
use crate::report::spec::NOTATION;
use crate::scenario::{Problems, editor_schema};
use arguments::{Command, Hetsim};

/// The reason why a command fails.
#[derive(Debug)]
enum Failure {
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

/// Runs the command of the process's arguments.
#[must_use]
pub fn main() -> ExitCode {
    say::start_log();
    let matches = help::command().try_get_matches_from(arguments::with_implied_run(std::env::args_os()));
    let arguments = matches.and_then(|matches| Hetsim::from_arg_matches(&matches));
    let ended = match arguments {
        Ok(arguments) => dispatch(arguments),
        Err(error) => not_parsed(&error),
    };
    match ended {
        Ok(code) => code,
        Err(Failure::Input(problems)) => {
            terminal::show_problems(&problems);
            ExitCode::from(2)
        }
        Err(Failure::Run(message)) => {
            say::complain(&message);
            ExitCode::from(1)
        }
        Err(Failure::Interrupted(message)) => {
            say::complain(&message);
            ExitCode::from(130)
        }
    }
}

/// Reports an error of the command line, or prints the requested help or version.
fn not_parsed(error: &clap::Error) -> Result<ExitCode, Failure> {
    // A fault repeats arguments, and names of files among them; help does not.
    if let Some(fault) = error.render().to_string().strip_prefix("error: ") {
        say::complain(fault.trim_end());
        return Ok(ExitCode::from(2));
    }
    let printed = error.print();
    if error.use_stderr() { Ok(ExitCode::from(2)) } else { say::done(printed).map(done) }
}

fn dispatch(arguments: Hetsim) -> Result<ExitCode, Failure> {
    match arguments.command {
        Command::Run(run) => run::run(&run),
        Command::Check(check) => check::check(&check).map(done),
        Command::New(new) => new::new(&new).map(done),
        Command::List(asked) => list::list(&asked).map(done),
        Command::Explain(asked) => explain::explain(&asked).map(done),
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

fn done((): ()) -> ExitCode {
    ExitCode::SUCCESS
}
