//! `hetsim.run`: what the command `hetsim run` does, with the results in memory.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use hetsim::batch::run::Workers;
use hetsim::cli::Failure;
use hetsim::cli::run::answer;
use hetsim::report::contents::Contents;
use hetsim::report::manifest::Manifest;
use hetsim::report::output::write;
use hetsim::report::session::{Request, Session, conclude, failures};
use hetsim::report::typed::{long_table, long_table_names, runs, summary, timings};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::files::tables;
use crate::given::{Given, overrides};
use crate::shown::{Chart, Report, by_name, preformatted};
use crate::table::{Table, find, names};
use crate::tools::start_log;
use crate::waiting::{Watch, wait};

/// Computes the runs that are missing, and makes all results.
#[pyfunction]
#[pyo3(signature = (scenario, *, set = None, name = None, out = PathBuf::from("output"), jobs = None, fresh = false, progress = None))]
#[allow(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn run(
    py: Python<'_>,
    scenario: &Bound<'_, PyAny>,
    set: Option<&Bound<'_, PyDict>>,
    name: Option<String>,
    out: PathBuf,
    jobs: Option<usize>,
    fresh: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Results> {
    start_log();
    if jobs == Some(0) {
        return Err(PyValueError::new_err("jobs=0: at least one run is computed at a time"));
    }
    let asked = Asked { given: Given::of(scenario, name)?, overrides: overrides(set)?, out, jobs, fresh };
    wait(py, progress, |watch| asked.results(watch))
}

/// What a caller asks for.
struct Asked {
    given: Given,
    overrides: Vec<String>,
    out: PathBuf,
    jobs: Option<usize>,
    fresh: bool,
}

impl Asked {
    fn results(&self, watch: &Watch) -> Result<Results, Failure> {
        let scenario = self.given.scenario(&self.overrides)?;
        scenario.warnings().iter().for_each(|warning| log::warn!("{warning}"));
        let folder = self.out.join(&scenario.name);
        let request = Request {
            path: self.given.path(),
            overrides: self.overrides.clone(),
            folder: folder.clone(),
            fresh: self.fresh,
        };
        let mut session = Session::open(&scenario, request)?;
        watch.total.store(session.missing(), Ordering::Relaxed);
        let workers = Workers { jobs: self.jobs, stop: &watch.stop };
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

/// The results of a scenario.
#[pyclass(frozen, module = "hetsim")]
#[derive(Debug)]
pub(crate) struct Results {
    /// The scenario's name.
    #[pyo3(get)]
    name: String,
    /// The results folder.
    #[pyo3(get)]
    folder: PathBuf,
    /// How many runs were computed this time.
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
    #[getter]
    fn results(&self) -> PyResult<Table> {
        find(&self.tables, "results")
    }

    #[getter]
    fn summary(&self) -> PyResult<Table> {
        find(&self.tables, "summary")
    }

    #[getter]
    fn tables(&self) -> Vec<&str> {
        names(&self.tables)
    }

    fn table(&self, name: &str) -> PyResult<Table> {
        find(&self.tables, name)
    }

    #[getter]
    fn charts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        by_name(py, &self.charts)
    }

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
