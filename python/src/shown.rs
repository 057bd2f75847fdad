//! Charts and reports, which show themselves in notebooks.

use std::path::{Path, PathBuf};

use hetsim::printable::escape;
use hetsim::report::chart::Picture;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Text whose columns stay below each other in a notebook, which gives `pre` a style of its own.
pub(crate) fn preformatted(text: &str) -> String {
    let style = "font-family: monospace; line-height: 1.25; white-space: pre; overflow-x: auto";
    format!("<pre style=\"{style}\">{}</pre>", escape(text))
}

/// A chart, which shows itself in a notebook.
#[pyclass(frozen, module = "hetsim")]
#[derive(Debug, Clone)]
pub(crate) struct Chart {
    /// Its name in the scenario.
    #[pyo3(get)]
    name: String,
    /// What it shows, in a sentence.
    #[pyo3(get)]
    caption: String,
    /// The picture.
    #[pyo3(get)]
    svg: String,
}

impl From<&Picture> for Chart {
    fn from(picture: &Picture) -> Self {
        Self { name: picture.name.clone(), caption: picture.caption.clone(), svg: picture.svg.clone() }
    }
}

impl Chart {
    /// A chart that hetsim has written.
    pub(crate) fn read(path: &Path) -> std::io::Result<Self> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, caption: String::new(), svg: std::fs::read_to_string(path)? })
    }
}

/// Charts by their names: a dict that names them all where one is missing.
pub(crate) fn by_name<'py>(py: Python<'py>, charts: &[Chart]) -> PyResult<Bound<'py, PyAny>> {
    let dict = py.import("hetsim._types")?.getattr("Charts")?.call0()?;
    for chart in charts {
        dict.set_item(&chart.name, chart.clone())?;
    }
    Ok(dict)
}

#[pymethods]
impl Chart {
    /// Writes the chart into an .svg file.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg")) {
            let message = format!(
                "{}: a chart is saved as .svg; `format = [\"pdf\"]` in [output] and `hetsim plot --format` make others",
                path.display()
            );
            return Err(PyValueError::new_err(message));
        }
        Ok(std::fs::write(path, &self.svg)?)
    }

    fn _repr_svg_(&self) -> &str {
        &self.svg
    }

    fn __repr__(&self) -> String {
        format!("<hetsim.Chart {}: {}>", self.name, self.caption)
    }
}

/// The page with all results, which shows itself in a notebook.
#[pyclass(frozen, module = "hetsim")]
#[derive(Debug, Clone)]
pub(crate) struct Report {
    /// The page's file.
    #[pyo3(get)]
    path: PathBuf,
}

impl Report {
    pub(crate) const fn new(path: PathBuf) -> Self {
        Self { path }
    }
}

#[pymethods]
impl Report {
    /// The text of the page.
    #[getter]
    fn html(&self) -> PyResult<String> {
        std::fs::read_to_string(&self.path)
            .map_err(|error| std::io::Error::new(error.kind(), format!("{}: {error}", self.path.display())).into())
    }

    /// The page in a frame, so that its style stays its own.
    fn _repr_html_(&self) -> PyResult<String> {
        let page = escape(&self.html()?);
        Ok(format!("<iframe srcdoc=\"{page}\" style=\"width: 100%; height: 40em; border: 1px solid #ccc\"></iframe>"))
    }

    fn __repr__(&self) -> String {
        format!("<hetsim.Report {}>", self.path.display())
    }
}
