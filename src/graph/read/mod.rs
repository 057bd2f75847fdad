//! Task graphs out of files, by their text.
//!
//! Every [`Format`] is a file here with its reader. A reader says what is wrong, where, and what it expected; it never
//! panics and never gives less than the file says. Texts are up to 4 GiB; JSON may be nested 128 deep, XML 64 deep without
//! document types or entities of its own, and TOML, which is held in memory as a whole tree, is up to 64 MiB. The other
//! formats are read without a tree: memory grows with tasks and edges, not with what else a file says.

mod error;
mod files;
mod gather;
mod number;

pub use error::ReadError;

use super::TaskGraph;
use crate::registry::names;

/// One graph of a file, with its name where the file gives one.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    /// The name within the file.
    pub name: Option<String>,
    /// The graph.
    pub graph: TaskGraph,
    /// What may be other than it was meant: each a sentence with its place. The graph is whole all the same.
    pub notes: Vec<ReadError>,
}

/// What each format's file says.
trait Reader {
    /// All graphs of a text: at least one.
    fn read(&self, text: &str) -> Result<Vec<Instance>, ReadError>;
}

names! {
    /// A format of files with task graphs. A new one is a file with its reader, one with its
    /// [writer](crate::graph::write), and a line here.
    "graph format": Format of Reader {
        toml::Toml = "our own, to be written by hand (docs/graphs.md)",
        stg::Stg = "Standard Task Graph Set (Kasahara), without and with communication",
        dot::Dot = "Graphviz: work and data as attributes",
        wfformat::Wfformat = "WfCommons JSON, WfFormat 1.2 to 1.6",
        dax::Dax = "Pegasus DAX (XML)",
        matrix::Matrix = "JSON of weights or a cost matrix, and edges; one graph or a list of them",
    }
}

impl Format {
    /// The format that a file's extension stands for; `json` is told by what is in it, and anything that speaks of a
    /// workflow is WfFormat. None where the extension is not known.
    #[must_use]
    pub fn of(extension: &str, text: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "toml" => Some(Self::Toml),
            "stg" => Some(Self::Stg),
            "dot" | "gv" => Some(Self::Dot),
            "dax" | "xml" => Some(Self::Dax),
            "json" if text.contains("\"workflow\"") || text.contains("\"schemaVersion\"") => Some(Self::Wfformat),
            "json" => Some(Self::Matrix),
            _ => None,
        }
    }

    /// All graphs of a text: one, but for a [matrix](Self::Matrix) file with a list.
    ///
    /// # Errors
    /// Where the text is not of this format or holds no graph.
    pub fn read_all(self, text: &str) -> Result<Vec<Instance>, ReadError> {
        if text.len() >= error::NOWHERE {
            return Err(ReadError::general("the text is longer than 4 GiB"));
        }
        self.entry().read(text)
    }

    /// The graph of a text that holds one.
    ///
    /// # Errors
    /// As [`Self::read_all`], and where there are several.
    pub fn read(self, text: &str) -> Result<TaskGraph, ReadError> {
        let mut all = self.read_all(text)?;
        match (all.pop(), all.len()) {
            (Some(instance), 0) => Ok(instance.graph),
            (_, others) => {
                Err(ReadError::general(format!("there are {} graphs in it: say which by its name", others + 1)))
            }
        }
    }
}

/// What most readers give: a single graph without a name.
fn one(graph: TaskGraph) -> Vec<Instance> {
    vec![Instance { name: None, graph, notes: Vec::new() }]
}

#[cfg(test)]
mod tests;
