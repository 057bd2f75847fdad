//! The files of measured times that a scenario names: each is read once, however many points fit formulas to it.

use std::collections::HashMap;
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::file_name::resolve_file;
use hetsim_base::input::Input;
use hetsim_fit::runtime::data::{Data, DataError, Reading};
use hetsim_text::{Node, Problem, Source, Value, nearest};

/// The files that were read, each with how it was read.
#[derive(Debug, Default)]
pub(super) struct MeasuredFiles {
    read: Mutex<HashMap<(PathBuf, String), Arc<Data>>>,
}

impl MeasuredFiles {
    /// The points of the file that `node` in `table` names.
    ///
    /// # Errors
    /// Where the file can't be read, or holds no such columns: with the line, where there is one.
    pub(super) fn read(
        &self,
        node: &Node,
        table: &Node,
        reading: &Reading,
        sources: &[Source],
    ) -> Result<Arc<Data>, Problem> {
        let file = node.text().unwrap_or_default();
        let path = resolve_file(sources, node, file);
        let key = (path.clone(), way(reading));
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(data) = read.get(&key) {
            return Ok(Arc::clone(data));
        }
        let opened = Input::open(&path).map_err(|error| Problem::at(&node.place, error.to_string()))?;
        let data = Data::read(BufReader::new(opened), reading)
            .map_err(|error| wrong(&error, node, table, format!("{}: {error}", path.display())))?;
        let data = Arc::new(data);
        read.insert(key, Arc::clone(&data));
        Ok(data)
    }
}

/// A missing column is a mistake of the key that names it; every other fault is the file's.
fn wrong(error: &DataError, file: &Node, table: &Node, message: String) -> Problem {
    let DataError::NoColumn { name, known } = error else { return Problem::at(&file.place, message) };
    let keys = ["target", "by", "category", "weights", "split"].into_iter().filter_map(|key| table.get(key));
    let mut names = keys.flat_map(|node| match &node.value {
        Value::Array(items) => items.as_slice(),
        _ => std::slice::from_ref(node),
    });
    let place = names.find(|node| node.text() == Some(name)).unwrap_or(file);
    let help = nearest(name, known.split(", ")).map(|near| format!("did you mean `{near}`?"));
    Problem { help, ..Problem::at(&place.place, message) }
}

/// What tells two ways of reading a file apart.
fn way(reading: &Reading) -> String {
    let Reading { target, by, categories, weights, split, repeats, .. } = reading;
    format!("{target:?} {by:?} {categories:?} {weights:?} {split:?} {repeats:?}")
}
