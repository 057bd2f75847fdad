//! Errors of hetsim as exceptions of Python.

use hetsim::batch::store::StoreError;
use hetsim::report::session::SessionError;
use hetsim::scenario::{Problems, Report};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

pyo3::create_exception!(
    hetsim,
    ScenarioError,
    PyValueError,
    "Bad input: `file`, `line` and `column` of the first problem, and all `problems`."
);
pyo3::create_exception!(hetsim, RunError, PyRuntimeError, "Runs failed, or results cannot be read or written.");

/// Why something ends without a result. It holds no exception, so that any thread can make it.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Bad input.
    Input(Problems),
    /// An error at run time, with its message.
    Run(String),
    /// An interruption by the user, with what is kept.
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

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Input(problems) => problems.into(),
            SessionError::Store(error) => error.into(),
        }
    }
}

impl From<hetsim::cli::Failure> for Failure {
    fn from(failure: hetsim::cli::Failure) -> Self {
        match failure {
            hetsim::cli::Failure::Input(problems) => Self::Input(problems),
            hetsim::cli::Failure::Run(message) => Self::Run(message),
            hetsim::cli::Failure::Interrupted(message) => Self::Interrupted(message),
        }
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Self::Run(message)
    }
}

impl Failure {
    /// The exception.
    pub(crate) fn raised(self, py: Python<'_>) -> PyErr {
        match self {
            Self::Input(problems) => scenario_error(py, &problems).unwrap_or_else(|error| error),
            Self::Run(message) => RunError::new_err(message),
            Self::Interrupted(message) => PyKeyboardInterrupt::new_err(message),
        }
    }
}

/// The exception with the text that the command shows, and the place of each problem.
fn scenario_error(py: Python<'_>, problems: &Problems) -> PyResult<PyErr> {
    let error = ScenarioError::new_err(problems.shown(false));
    let described = problems.reports().iter().map(|report| described(py, report)).collect::<PyResult<Vec<_>>>()?;
    let value = error.value(py);
    for key in ["file", "line", "column"] {
        let first = described.first().map(|problem| problem.get_item(key)).transpose()?.flatten();
        value.setattr(key, first)?;
    }
    value.setattr("problems", PyList::new(py, described)?)?;
    Ok(error)
}

/// A problem as a dict.
fn described<'py>(py: Python<'py>, report: &Report) -> PyResult<Bound<'py, PyDict>> {
    let place = report.place();
    let problem = PyDict::new(py);
    problem.set_item("message", report.message())?;
    problem.set_item("file", place.map(|(file, _, _)| file))?;
    problem.set_item("line", place.map(|(_, line, _)| line))?;
    problem.set_item("column", place.map(|(_, _, column)| column))?;
    problem.set_item("help", report.advice())?;
    Ok(problem)
}
