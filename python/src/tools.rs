//! The command, and what it tells of scenarios before they run.

use std::ffi::OsString;
use std::sync::Once;

use hetsim::cli::Failure;
use hetsim::cli::check::description;
use hetsim::cli::list::{Entry, entries};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::given::{Given, overrides};
use crate::waiting::wait;

/// Lets messages of the library go to Python's `logging`. The command has a log of its own, and is a process of its own.
pub(crate) fn start_log() {
    static STARTED: Once = Once::new();
    // There is a log already where the command was run in this process.
    STARTED.call_once(|| drop(pyo3_log::try_init()));
}

/// Runs a command, whose first argument is the path of the program, and returns its exit code.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| hetsim::cli::command(arguments))
}

/// Checks a scenario and says what it would run.
///
/// Args:
///     scenario: The path of a TOML file, or a dict with the same keys.
///     set: Values put over the scenario, by key: {"workload.size": "8KiB"}.
///
/// Raises:
///     `ScenarioError`: The scenario is wrong.
#[pyfunction]
#[pyo3(signature = (scenario, *, set = None))]
pub(crate) fn check(py: Python<'_>, scenario: &Bound<'_, PyAny>, set: Option<&Bound<'_, PyDict>>) -> PyResult<Checked> {
    let (given, overrides) = (Given::of(scenario, None)?, overrides(set)?);
    wait(py, None, |_| {
        let scenario = given.scenario(&overrides)?;
        let names = scenario.axes.iter().map(|axis| axis.key.clone()).collect();
        Ok(Checked {
            points: scenario.points.len(),
            runs: scenario.runs(),
            swept: names,
            text: description(&scenario).map_err(Failure::Run)?,
        })
    })
}

/// What is known of a valid scenario before it runs. `str(checked)` is what `hetsim check` prints.
#[pyclass(frozen, get_all, module = "hetsim")]
#[derive(Debug)]
pub(crate) struct Checked {
    /// The number of points.
    points: usize,
    /// The most runs: where points stop by themselves, there are fewer.
    runs: usize,
    /// The swept keys.
    swept: Vec<String>,
    /// What `hetsim check` prints.
    text: String,
}

#[pymethods]
impl Checked {
    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("<hetsim.Checked {} points, {} runs>", self.points, self.runs)
    }
}

/// What a scenario can name but metrics; or, of all that has a name, what has certain words.
///
/// Args:
///     words: Words that are looked for, such as "policies"; without any, all but metrics.
///
/// Raises:
///     `ValueError`: Nothing matches.
#[pyfunction]
#[pyo3(signature = (words = ""))]
pub(crate) fn list<'py>(py: Python<'py>, words: &str) -> PyResult<Bound<'py, PyList>> {
    let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    let dict = |Entry { section, name, about }: Entry| {
        let dict = PyDict::new(py);
        dict.set_item("section", section)?;
        dict.set_item("name", name)?;
        dict.set_item("summary", about)?;
        Ok(dict)
    };
    let entries = entries(&words).map_err(PyValueError::new_err)?;
    PyList::new(py, entries.into_iter().map(dict).collect::<PyResult<Vec<_>>>()?)
}
