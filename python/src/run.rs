//! `hetsim.run`: what the command `hetsim run` does, with the results in memory.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use hetsim::batch::run::Workers;
use hetsim::batch::threads::Threads;
use hetsim::cli::Failure;
use hetsim::cli::run::answer;
use hetsim::report::contents::Contents;
use hetsim::report::manifest::Manifest;
use hetsim::report::output::write;
use hetsim::report::session::{Session, SessionRequest, conclude, failures};
use hetsim::report::typed::{long_table, long_table_names, runs, summary, timings};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyMapping;

use crate::files::tables;
use crate::given::{Given, jobs, overrides};
use crate::shown::{Chart, Report, by_name, preformatted};
use crate::table::{Table, find, names};
use crate::tools::{start_log, warn_of};
use crate::waiting::{Watch, wait};

/// Computes the runs of a scenario that are not stored, and makes all results, as the command `hetsim run`.
///
/// Ctrl-C ends it after the current runs, which are kept: the same call goes on from there.
///
/// Args:
///     scenario: The path of a TOML file, or a dict with the same keys.
///     set: Values put over the scenario, by key: {"workload.size": "8KiB"}.
///     name: The name of a dict's results, "scenario" by default; a file's results have the file's name.
///     out: The parent of the results folder, "output" by default.
///     jobs: The number of concurrent runs, at most one a core; all cores by default.
///     fresh: Whether stored runs are discarded.
///     progress: Called with the numbers of computed runs and of all runs to compute.
///
/// Raises:
///     `ScenarioError`: The scenario is wrong, or its results folder belongs to another scenario.
///     `RunError`: Runs failed.
#[pyfunction]
#[pyo3(signature = (scenario, *, set = None, name = None, out = PathBuf::from("output"), jobs = None, fresh = false, progress = None))]
#[allow(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn run(
    py: Python<'_>,
    scenario: &Bound<'_, PyAny>,
    set: Option<&Bound<'_, PyMapping>>,
    name: Option<String>,
    out: PathBuf,
    #[pyo3(from_py_with = jobs)] jobs: Option<NonZeroUsize>,
    fresh: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Results> {
    start_log();
    if let Some(other) = progress.filter(|progress| !progress.is_callable()) {
        return Err(PyTypeError::new_err(format!("progress={other}: a function is needed")));
    }
    // The program may go to another folder before it looks at the results.
    let out = std::path::absolute(out)?;
    let asked = Asked { given: Given::of(scenario, name)?, overrides: overrides(set)?, out, jobs, fresh };
    wait(py, progress, |watch| asked.results(watch))
}

/// What a caller asks for.
struct Asked {
    given: Given,
    overrides: Vec<String>,
    out: PathBuf,
    jobs: Option<NonZeroUsize>,
    fresh: bool,
}

impl Asked {
    fn results(&self, watch: &Watch) -> Result<Results, Failure> {
        let scenario = self.given.scenario(&self.overrides)?;
        warn_of(&scenario);
        let folder = self.out.join(&scenario.name);
        let request = SessionRequest {
            path: self.given.path(),
            overrides: self.overrides.clone(),
            folder: folder.clone(),
            fresh: self.fresh,
        };
        let mut session = Session::open(&scenario, request)?;
        watch.total.store(session.missing(), Ordering::Relaxed);
        let workers = Workers { threads: Threads::new(self.jobs), stop: &watch.stop };
        let more = |runs| {
            watch.total.fetch_add(runs, Ordering::Relaxed);
        };
        let outcome = session.compute(workers, more, |progress| {
            watch.done.fetch_add(progress.ended, Ordering::Relaxed);
        })?;
        if outcome.interrupted {
            return Err(Failure::Interrupted(session.interruption(&outcome)));
        }
        let (results, manifest) = session.results(&outcome)?;
        let failed = || Failure::Run(failures(&scenario, &outcome, manifest.runs));
        if results.rows().is_empty() && !outcome.failed.is_empty() {
            return Err(failed());
        }
        let contents = Contents::of(&results).map_err(Failure::Run)?;
        write(&folder, &contents, &manifest)
            .map_err(|error| Failure::Run(format!("{} cannot be written: {error}", folder.display())))?;
        conclude(&folder);
        if !outcome.failed.is_empty() {
            return Err(failed());
        }
        Results::of(&contents, &manifest, folder)
    }
}

/// The results of a scenario. `str(results)` is what the command prints.
#[pyclass(frozen, module = "hetsim")]
#[derive(Debug)]
pub(crate) struct Results {
    /// The scenario's name.
    #[pyo3(get)]
    name: String,
    /// The results folder, with the files that the command writes.
    #[pyo3(get)]
    folder: PathBuf,
    /// The number of runs that were computed this time; the others were stored.
    #[pyo3(get)]
    computed: usize,
    /// The number of missed expectations.
    #[pyo3(get)]
    missed: usize,
    /// What the command prints.
    #[pyo3(get)]
    text: String,
    /// Those of `results.csv` and `summary.csv` first.
    tables: Vec<Table>,
    charts: Vec<Chart>,
    report: Report,
}

impl Results {
    fn of(contents: &Contents<'_>, manifest: &Manifest, folder: PathBuf) -> Result<Self, Failure> {
        let results = contents.results;
        let mut all = vec![Table::of("results", &runs(results))?, Table::of("summary", &summary(results))?];
        if !results.timings().is_empty() {
            all.push(Table::of("timings", &timings(results))?);
        }
        for name in long_table_names(results) {
            all.push(Table::of(&name, &long_table(results, &name))?);
        }
        let written = Manifest::read(&folder).map_err(|error| Failure::Run(error.to_string()))?;
        all.extend(tables(&folder, written.files.keys(), &all)?);
        Ok(Self {
            name: results.scenario().name.clone(),
            report: Report::new(folder.join("report.html")),
            folder,
            computed: manifest.computed,
            missed: contents.missed(),
            text: answer(contents, manifest),
            tables: all,
            charts: contents.pictures.iter().map(Chart::from).collect(),
        })
    }
}

#[pymethods]
impl Results {
    /// A row for each run, as results.csv.
    #[getter]
    fn results(&self) -> PyResult<Table> {
        find(&self.tables, "results")
    }

    /// A row for each point, with statistics of its replicas, as summary.csv.
    #[getter]
    fn summary(&self) -> PyResult<Table> {
        find(&self.tables, "summary")
    }

    /// The names of all tables.
    #[getter]
    fn tables(&self) -> Vec<&str> {
        names(&self.tables)
    }

    /// A table by its name, such as a long table that the scenario's `[output]` asks for.
    fn table(&self, name: &str) -> PyResult<Table> {
        find(&self.tables, name)
    }

    /// The charts by their names.
    #[getter]
    fn charts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        by_name(py, &self.charts)
    }

    /// The page with all results.
    #[getter]
    fn report(&self) -> Report {
        self.report.clone()
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        let (tables, charts) = (self.tables.len(), self.charts.len());
        format!("<hetsim.Results {} in {}: {tables} tables, {charts} charts>", self.name, self.folder.display())
    }

    fn _repr_html_(&self) -> String {
        preformatted(&self.text)
    }
}
