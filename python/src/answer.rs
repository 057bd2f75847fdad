//! What commands answer that run no scenario: words, and a folder with tables and charts.

use std::ffi::OsString;
use std::fs::read_dir;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hetsim::cli::{Captured, Failure, captured};
use pyo3::prelude::*;
use pyo3::types::PyMapping;

use crate::errors::RunError;
use crate::files::read;
use crate::given::overrides;
use crate::shown::{Chart, by_name, preformatted};
use crate::table::{Table, find, names};
use crate::tools::start_log;
use crate::waiting::wait;

/// What a command answers that runs no scenario. `str(answer)` is what it prints.
#[pyclass(frozen, module = "hetsim")]
#[derive(Debug)]
pub(crate) struct Answer {
    /// What the command prints.
    #[pyo3(get)]
    text: String,
    /// What it says besides.
    #[pyo3(get)]
    notes: String,
    /// The results folder, if it makes one.
    #[pyo3(get)]
    folder: Option<PathBuf>,
    tables: Vec<Table>,
    charts: Vec<Chart>,
}

/// Runs a command with these arguments, files and values put over them, and keeps what it says.
#[pyfunction]
#[pyo3(signature = (arguments, files, *, set = None))]
pub(crate) fn answer(
    py: Python<'_>,
    arguments: Vec<OsString>,
    files: Vec<PathBuf>,
    set: Option<&Bound<'_, PyMapping>>,
) -> PyResult<Answer> {
    start_log();
    let set = overrides(set)?.into_iter().map(|one| OsString::from(format!("--set={one}")));
    // Names of files may begin with a hyphen.
    let files = ["--".into()].into_iter().chain(files.into_iter().map(PathBuf::into_os_string));
    let words = ["hetsim".into()].into_iter().chain(arguments).chain(set).chain(files);
    let (answer, missed) = wait(py, None, |watch| match captured(words, Arc::clone(&watch.stop)) {
        // It has written all there is, and misses a bound.
        (captured, Err(Failure::Run(missed))) if !captured.text.is_empty() => Ok((Answer::of(captured)?, Some(missed))),
        (captured, ended) => ended.and_then(|()| Ok((Answer::of(captured)?, None))),
    })?;
    let Some(missed) = missed else { return Ok(answer) };
    let error = RunError::new_err(missed);
    error.value(py).setattr("answer", answer)?;
    Err(error)
}

impl Answer {
    fn of(captured: Captured) -> Result<Self, Failure> {
        let (mut tables, mut charts) = (Vec::new(), Vec::new());
        if let Some(folder) = &captured.folder {
            for (path, stem) in files(folder, "csv")? {
                tables.push(read(&path, &stem)?);
            }
            for folder in [folder.clone(), folder.join("charts")] {
                for (path, _) in files(&folder, "svg")? {
                    charts.push(Chart::read(&path).map_err(|error| failed(&path, &error))?);
                }
            }
        }
        // The program may go to another folder before it looks there.
        let folder = captured.folder.map(|folder| std::path::absolute(&folder).unwrap_or(folder));
        Ok(Self { text: captured.text, notes: captured.notes, folder, tables, charts })
    }
}

/// The files of a folder with an extension, and their stems, in the order of the alphabet; none where there is no folder.
fn files(folder: &Path, extension: &str) -> Result<Vec<(PathBuf, String)>, Failure> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries =
        read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(|error| failed(folder, &error))?;
    let named = |path: PathBuf| {
        let stem = path.file_stem()?.to_string_lossy().into_owned();
        path.extension().is_some_and(|own| own == extension).then_some((path, stem))
    };
    let mut files: Vec<(PathBuf, String)> = entries.iter().filter_map(|entry| named(entry.path())).collect();
    files.sort();
    Ok(files)
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Run(format!("{}: {error}", path.display()))
}

#[pymethods]
impl Answer {
    /// The names of the tables.
    #[getter]
    fn tables(&self) -> Vec<&str> {
        names(&self.tables)
    }

    /// A table by its name.
    fn table(&self, name: &str) -> PyResult<Table> {
        find(&self.tables, name)
    }

    /// The charts by their names.
    #[getter]
    fn charts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        by_name(py, &self.charts)
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("<hetsim.Answer: {} tables, {} charts>", self.tables.len(), self.charts.len())
    }

    fn _repr_html_(&self) -> String {
        preformatted(&self.text)
    }
}
