//! Errors of hetsim as exceptions of Python.

use hetsim::cli::Failure;
use hetsim::scenario::{Problems, Report};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

pyo3::create_exception!(
    hetsim,
    ScenarioError,
    PyValueError,
    "Bad input. The text is that of the command; the place is that of the first problem, counted from 1."
);
pyo3::create_exception!(
    hetsim,
    RunError,
    PyRuntimeError,
    "Runs failed, or results cannot be read or written, or a bound is missed. Runs that went well are kept."
);

/// Gives the errors what they have if others raise them.
pub(crate) fn set_defaults(py: Python<'_>) -> PyResult<()> {
    let scenario_error = py.get_type::<ScenarioError>();
    for key in ["file", "line", "column"] {
        scenario_error.setattr(key, py.None())?;
    }
    scenario_error.setattr("problems", PyList::empty(py))?;
    py.get_type::<RunError>().setattr("answer", py.None())
}

/// The exception of a failure. A failure holds none, so that any thread can make it.
pub(crate) fn exception(failure: Failure, py: Python<'_>) -> PyErr {
    match failure {
        Failure::Input(problems) => scenario_error(py, &problems).unwrap_or_else(|error| error),
        Failure::Run(message) => RunError::new_err(message),
        Failure::Interrupted(message) => PyKeyboardInterrupt::new_err(message),
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
