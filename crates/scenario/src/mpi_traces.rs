//! The traces of MPI programs that a scenario names: each is read once, however many points replay it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::file_name::resolve_file;
use hetsim_base::input::read_text;
use hetsim_text::{Node, Problem, Source};
use hetsim_workload::replay::{self, Trace};

/// The traces that were read.
#[derive(Debug, Default)]
pub(super) struct TraceFiles {
    read: Mutex<HashMap<PathBuf, Arc<Trace>>>,
}

impl TraceFiles {
    /// The trace in the file that `named` names.
    ///
    /// # Errors
    /// Where the file can't be read or holds no trace: with the line.
    pub(super) fn read(&self, named: &Node, sources: &[Source]) -> Result<Arc<Trace>, Problem> {
        let path = resolve_file(sources, named, named.text().unwrap_or_default());
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(trace) = read.get(&path) {
            return Ok(Arc::clone(trace));
        }
        let text = read_text(&path).map_err(|error| Problem::at(&named.place, error.to_string()))?;
        let fault = |error| Problem::at(&named.place, format!("{}, {error}", path.display()));
        let trace = Arc::new(replay::read(&text).map_err(fault)?);
        read.insert(path, Arc::clone(&trace));
        Ok(trace)
    }
}
