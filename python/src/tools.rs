//! The command, and what it tells of scenarios before they run.

use std::ffi::OsString;
use std::sync::Once;

use hetsim::cli::Failure;
use hetsim::cli::check::description;
use hetsim::cli::list::{Entry, entries};
use hetsim::scenario::Scenario;
use log::{Log, Metadata, Record};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping};

use crate::given::{Given, overrides};
use crate::waiting::{refuse_forked, wait};

/// Python's `logging`, where all crates of hetsim are the logger `hetsim`.
struct OneName(pyo3_log::Logger);

impl Log for OneName {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.0.enabled(metadata)
    }

    fn log(&self, record: &Record<'_>) {
        let is_own = record.target().trim_start_matches('_').starts_with("hetsim");
        let name = if is_own { "hetsim" } else { record.target() };
        let mut named = Record::builder();
        named.args(*record.args()).level(record.level()).target(name);
        self.0.log(&named.file(record.file()).line(record.line()).build());
    }

    fn flush(&self) {
        self.0.flush();
    }
}

/// Lets messages of the library go to Python's `logging`. The command has a log of its own, and is a process of its own.
pub(crate) fn start_log() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        // There is a log already where the command was run in this process.
        if log::set_boxed_logger(Box::new(OneName(pyo3_log::Logger::default()))).is_ok() {
            log::set_max_level(log::LevelFilter::Debug);
        }
    });
}

/// Logs what a scenario says but hardly means.
pub(crate) fn warn_of(scenario: &Scenario) {
    scenario.warnings().iter().for_each(|warning| log::warn!("{warning}"));
}

/// Runs a command, whose first argument is the path of the program, and returns its exit code.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<u8> {
    refuse_forked()?;
    Ok(py.detach(|| hetsim::cli::command(arguments)))
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
pub(crate) fn check(
    py: Python<'_>,
    scenario: &Bound<'_, PyAny>,
    set: Option<&Bound<'_, PyMapping>>,
) -> PyResult<Checked> {
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
