//! Why a command, or a function that does what a command does, fails.

use crate::scenario::Problems;

/// The reason why a command fails.
#[derive(Debug)]
pub enum Failure {
    /// An error in the scenario, a file or the request.
    Input(Problems),
    /// An error at run time, with its message.
    Run(String),
    /// An interruption by the user.
    Interrupted(String),
}

impl Failure {
    /// The end of what keeps nothing until it is done.
    #[must_use]
    pub fn interrupted() -> Self {
        Self::Interrupted("interrupted; nothing is written".to_owned())
    }
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Self {
        Self::Input(problems)
    }
}

/// An error about bad input without a position in a text.
#[allow(clippy::needless_pass_by_value, reason = "errors are handed over by `map_err(bad_input)`")]
pub fn bad_input(message: impl ToString) -> Failure {
    Failure::Input(Problems::general(message.to_string()))
}
