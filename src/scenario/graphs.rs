//! The task graphs in files that a scenario names: each is read once, however many points run it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::file_name::resolve_file;
use super::node::Node;
use super::problem::{Problem, Source, suggest};
use crate::graph::TaskGraph;
use crate::graph::read::{Format, Instance, ReadError};

/// A file, and the name of a graph within it where one is given.
type Key = (PathBuf, Option<String>);

/// A graph that was read.
#[derive(Debug, Clone)]
struct Read {
    graph: Arc<TaskGraph>,
    /// Where its file first gives work as a time with its unit, and what of that.
    timed: Option<String>,
}

impl Read {
    /// The graph, if its file gives no times with units or a factor says what work they are.
    fn graph(self, named: &Node, (factor, is_given): (&str, bool)) -> Result<Arc<TaskGraph>, Problem> {
        match self.timed {
            Some(timed) if !is_given => {
                let help = format!("give `{factor}`, the speed of that machine: 1e9 for 1 Gop/s");
                Err(Problem::at(&named.place, timed).with_help(help))
            }
            _ => Ok(self.graph),
        }
    }
}

/// The graphs that were read.
#[derive(Debug, Default)]
pub(super) struct GraphFiles {
    read: Mutex<HashMap<Key, Read>>,
}

impl GraphFiles {
    /// The graph in the file that `named` names; of several the one that `instance` names. `factor` is the key that
    /// says how many operations a second is, and whether it is given.
    ///
    /// # Errors
    /// Where the file is of no known format or holds no such graph, or gives work as a time with its unit without that
    /// key: with the place in the file, where there is one.
    pub(super) fn read(
        &self,
        named: &Node,
        instance: Option<&Node>,
        factor: (&str, bool),
        sources: &[Source],
    ) -> Result<Arc<TaskGraph>, Problem> {
        let file = named.text().unwrap_or_default();
        let name = instance.and_then(Node::text).map(str::to_owned);
        let path = resolve_file(sources, named, file);
        let key = (path.clone(), name.clone());
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = read.get(&key) {
            return known.clone().graph(named, factor);
        }
        let text = Source::read(&path).map_err(|error| Problem::at(&named.place, error.to_string()))?.text;
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let format = Format::of(extension, &text).ok_or_else(|| {
            let formats: Vec<String> =
                Format::ALL.iter().map(|format| format!("{format}: {}", format.about())).collect();
            Problem::at(&named.place, format!("`{file}` does not tell its format by its extension")).with_help(format!(
                "expected one of .toml, .stg, .dot, .gv, .dax, .xml and .json ({})",
                formats.join("; ")
            ))
        })?;
        let placed = |error: &ReadError| {
            let place =
                error.place().map_or_else(String::new, |(line, column)| format!(", line {line}, column {column}"));
            format!("{}{place}: {}", path.display(), error.message())
        };
        let instances = format
            .read_all(&text)
            .map_err(|error| Problem::at(&named.place, placed(&error)).labelled(format!("read as {format}")))?;
        let Instance { graph, notes, timed, .. } = chosen(instances, name.as_deref(), file, instance.unwrap_or(named))?;
        for note in notes {
            log::warn!("{}, {note}", path.display());
        }
        let known = Read { graph: Arc::new(graph), timed: timed.as_ref().map(placed) };
        read.insert(key, known.clone());
        known.graph(named, factor)
    }
}

/// The only graph of a file, or the one of that name.
fn chosen(mut instances: Vec<Instance>, name: Option<&str>, file: &str, at: &Node) -> Result<Instance, Problem> {
    let names: Vec<&str> = instances.iter().filter_map(|instance| instance.name.as_deref()).collect();
    let found = match name {
        Some(name) => {
            let unknown = || {
                Problem::at(&at.place, format!("no graph in `{file}` is named `{name}`"))
                    .with_help(suggest(name, &names))
            };
            instances.iter().position(|instance| instance.name.as_deref() == Some(name)).ok_or_else(unknown)?
        }
        None if instances.len() > 1 => {
            let message = format!("there are {} graphs in `{file}`", instances.len());
            let some = names.iter().take(5).copied().collect::<Vec<_>>().join(", ");
            return Err(Problem::at(&at.place, message).with_help(format!("say which by `instance`, such as {some}")));
        }
        None => 0,
    };
    Ok(instances.swap_remove(found))
}
