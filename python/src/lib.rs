//! `hetsim._hetsim`: what the Python package does in Rust. `hetsim/__init__.pyi` says what each part is for.

mod answer;
mod errors;
mod files;
mod given;
mod program;
mod run;
mod shown;
mod table;
mod tools;
mod waiting;

use pyo3::prelude::*;

/// The extension module.
#[pymodule]
mod _hetsim {
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::errors::set_defaults(module.py())
    }

    /// The version of hetsim.
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "the name is Python's")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    use crate::answer::{Answer, answer};
    #[pymodule_export]
    use crate::errors::{RunError, ScenarioError};
    #[pymodule_export]
    use crate::program::{Context, Outcome, Simulation};
    #[pymodule_export]
    use crate::run::{Results, run};
    #[pymodule_export]
    use crate::shown::{Chart, Report};
    #[pymodule_export]
    use crate::table::Table;
    #[pymodule_export]
    use crate::tools::{Checked, check, command, list};
}
