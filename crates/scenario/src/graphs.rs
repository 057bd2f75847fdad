//! The task graphs in files that a scenario names: each is read once, however many points run it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::file_name::resolve_file;
use hetsim_graph::TaskGraph;
use hetsim_graph::read::{Format, Instance, ReadError};
use hetsim_text::{Node, Problem, Source, suggest};

/// A graph of a file.
#[derive(Debug)]
struct Held {
    name: Option<String>,
    graph: Arc<TaskGraph>,
    /// Where the file first gives work as a time with its unit, and what of that.
    timed: Option<String>,
    /// What the reader says of the graph, until it is first used.
    notes: Vec<ReadError>,
}

/// The graphs of a file in their order, and the first of each name.
#[derive(Debug)]
struct GraphFile {
    graphs: Vec<Held>,
    by_name: HashMap<String, usize>,
}

/// The files that were read.
#[derive(Debug, Default)]
pub(super) struct GraphFiles {
    read: Mutex<HashMap<PathBuf, GraphFile>>,
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
        let path = resolve_file(sources, named, file);
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let graphs = match read.entry(path.clone()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(GraphFile::read(&path, named)?),
        };
        let chosen = graphs.chosen(instance.and_then(Node::text), file, instance.unwrap_or(named))?;
        for note in std::mem::take(&mut chosen.notes) {
            log::warn!("{}, {note}", path.display());
        }
        match (&chosen.timed, factor) {
            (Some(timed), (key, false)) => {
                let help = format!("give `{key}`, the speed of that machine: 1e9 for 1 Gop/s");
                Err(Problem::at(&named.place, timed.clone()).with_help(help))
            }
            _ => Ok(Arc::clone(&chosen.graph)),
        }
    }
}

impl GraphFile {
    fn read(path: &Path, named: &Node) -> Result<Self, Problem> {
        let text = Source::read(path).map_err(|error| Problem::at(&named.place, error.to_string()))?.text;
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let format = Format::of(extension, &text).ok_or_else(|| {
            let formats: Vec<String> =
                Format::ALL.iter().map(|format| format!("{format}: {}", format.about())).collect();
            let file = named.text().unwrap_or_default();
            Problem::at(&named.place, format!("`{file}` does not tell its format by its extension")).with_help(format!(
                "expected one of .toml, .stg, .dot, .gv, .dax, .xml, .swf and .json ({})",
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
        let held = |Instance { name, graph, notes, timed, .. }| Held {
            name,
            graph: Arc::new(graph),
            timed: timed.as_ref().map(placed),
            notes,
        };
        let graphs: Vec<Held> = instances.into_iter().map(held).collect();
        // The first of a name is found by it.
        let named = graphs.iter().enumerate().rev().filter_map(|(number, held)| Some((held.name.clone()?, number)));
        Ok(Self { by_name: named.collect(), graphs })
    }

    /// The only graph, or the one of that name.
    fn chosen(&mut self, name: Option<&str>, file: &str, at: &Node) -> Result<&mut Held, Problem> {
        let found = match name {
            Some(name) => self.by_name.get(name).copied().ok_or_else(|| {
                let help = match self.names().as_slice() {
                    [] => "graphs of this file have no names: leave out `instance`".to_owned(),
                    names => suggest(name, names),
                };
                Problem::at(&at.place, format!("no graph in `{file}` is named `{name}`")).with_help(help)
            })?,
            None if self.graphs.len() > 1 => {
                let message = format!("there are {} graphs in `{file}`", self.graphs.len());
                let some = self.names().into_iter().take(5).collect::<Vec<_>>().join(", ");
                let help = format!("say which by `instance`, such as {some}");
                return Err(Problem::at(&at.place, message).with_help(help));
            }
            None => 0,
        };
        Ok(&mut self.graphs[found])
    }

    fn names(&self) -> Vec<&str> {
        self.graphs.iter().filter_map(|held| held.name.as_deref()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hetsim_text::Place;
    use hetsim_text::Value;

    /// A file of many graphs is read once, not once for each of them.
    #[test]
    fn a_file_is_read_once_for_all_its_graphs() {
        let folder = tempfile::tempdir().unwrap();
        let source = Source { name: "x.toml".to_owned(), folder: folder.path().to_owned(), text: "".into() };
        let text = |text: &str| Node { value: Value::Text(text.to_owned()), place: Place::default() };
        let graph =
            |name: &str, tasks: &str| format!("{{\"name\": \"{name}\", \"weights\": [{tasks}], \"edges\": []}}");
        let list = format!("[{}, {}, {}]", graph("a", "1"), graph("b", "1, 2"), graph("a", "1, 2, 3"));
        let path = folder.path().join("many.json");
        std::fs::write(&path, list).unwrap();
        let files = GraphFiles::default();
        let read =
            |name: Option<&Node>| files.read(&text("many.json"), name, ("factor", true), std::slice::from_ref(&source));
        assert_eq!(read(Some(&text("b"))).unwrap().tasks(), 2);
        std::fs::remove_file(path).unwrap();
        assert_eq!(read(Some(&text("a"))).unwrap().tasks(), 1, "the first of the name");
        let unknown = read(Some(&text("c"))).unwrap_err();
        assert_eq!(unknown.message, "no graph in `many.json` is named `c`");
        let help = read(None).unwrap_err().help.unwrap();
        assert_eq!(help, "say which by `instance`, such as a, b, a");
    }
}
