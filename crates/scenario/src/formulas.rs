//! The formulas in files that a scenario names: each is read once, however many links and points use it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::file_name::resolve_file;
use super::graphs::GraphFiles;
use super::measured::MeasuredFiles;
use super::mpi_traces::TraceFiles;
use hetsim_formula::{Formula, FormulaError, NamedFormula};
use hetsim_text::{Entry, Node, Problem, Source, Value};

/// What is read of the files that a scenario names.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// Task graphs.
    pub(super) graphs: GraphFiles,
    /// Formulas.
    pub(super) formulas: FormulaFiles,
    /// Tables of measured times.
    pub(super) measured: MeasuredFiles,
    /// Traces of MPI programs.
    pub(super) traces: TraceFiles,
}

/// The formulas that were read.
#[derive(Debug, Default)]
pub(super) struct FormulaFiles {
    read: Mutex<HashMap<PathBuf, Arc<NamedFormula>>>,
}

impl FormulaFiles {
    /// The formula in the file that a value names.
    ///
    /// # Errors
    /// Where the file can't be read or holds no formula.
    pub(super) fn read(&self, named: &Node, sources: &[Source]) -> Result<Arc<NamedFormula>, Problem> {
        let name = named.text().unwrap_or_default();
        let path = resolve_file(sources, named, name);
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(given) = read.get(&path) {
            return Ok(Arc::clone(given));
        }
        let text = Source::read(&path).map_err(|error| Problem::at(&named.place, error.to_string()))?.text;
        let formula = Formula::from_toml(&text).map_err(|error| {
            let help = "such a file is what `hetsim fit` writes: formula.toml in its results folder";
            Problem::at(&named.place, format!("{}{}", path.display(), in_file(&error, &text))).with_help(help)
        })?;
        let given = Arc::new(NamedFormula::new(name.to_owned(), formula));
        read.insert(path, Arc::clone(&given));
        Ok(given)
    }
}

/// What is wrong with the file of a formula, and in which line.
fn in_file(error: &FormulaError, text: &str) -> String {
    match error {
        FormulaError::Toml(error) => {
            let line = error.span().map(|span| text[..text.floor_char_boundary(span.start)].matches('\n').count() + 1);
            let line = line.map_or_else(String::new, |line| format!(", line {line}"));
            format!("{line}: {}", error.message())
        }
        FormulaError::Formula(_) | FormulaError::Twice(_) => format!(": {error}"),
    }
}

/// Puts `model = "fitted"` with `formula = "FILE"` beside it in the place of each `model = { fitted = "FILE" }` in the
/// platform and the sweeps; other keys of that table move up likewise.
pub(super) fn spell_out(tree: &mut Node) {
    for part in ["platform", "sweep"] {
        if let Some(entry) = tree.entry_mut(part) {
            spell_out_in(&mut entry.value);
        }
    }
}

fn spell_out_in(node: &mut Node) {
    match &mut node.value {
        Value::Array(items) => items.iter_mut().for_each(spell_out_in),
        Value::Table(entries) => {
            for entry in entries.iter_mut() {
                spell_out_in(&mut entry.value);
            }
            let short = |entry: &&mut Entry| entry.key == "model" && entry.value.get("fitted").is_some();
            let Some(model) = entries.iter_mut().find(short) else { return };
            let spelt = Node { value: Value::Text("fitted".to_owned()), place: model.value.place.clone() };
            let Value::Table(keys) = std::mem::replace(&mut model.value, spelt).value else { return };
            entries.extend(keys.into_iter().map(|mut entry| {
                if entry.key == "fitted" {
                    "formula".clone_into(&mut entry.key);
                }
                entry
            }));
        }
        _ => {}
    }
}
