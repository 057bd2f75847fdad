//! Reads task graphs from the text of files.
//!
//! Every [`Format`] has its reader in a file here. A reader says what is wrong, where, and what it expected. It never
//! panics and never drops part of the graph unless a note says so. The limits are 4 GiB of text, 128 levels of nesting
//! in JSON, 64 in XML without document types or custom entities, and 64 MiB of TOML, which is held in memory as a tree.
//! The other formats are read without a tree: memory grows with tasks and edges, not with the rest of the file.

mod collector;
mod dax;
mod dot;
mod error;
mod files;
mod matrix;
mod number;
mod stg;
mod swf;
mod toml;
mod wfformat;

pub use dot::drawing::Drawing;
pub use error::ReadError;

use super::TaskGraph;
use hetsim_base::registry::names;

/// One graph of a file, with its name if the file gives one.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    /// The name within the file.
    pub name: Option<String>,
    /// The graph.
    pub graph: TaskGraph,
    /// Warnings, each a sentence with its position. The graph is complete but for what they say is left out.
    pub notes: Vec<ReadError>,
    /// Where the file first gives the work of a task as a time with its unit, if it does. How much work that is depends
    /// on the machine on which it was measured; the graph has an operation for each second.
    pub timed: Option<ReadError>,
    /// Where the file first gives the work of a task in operations with their unit, if it does: no speed changes it.
    pub worked: Option<ReadError>,
}

/// What each format implements.
trait Reader {
    /// Reads all graphs of a text, at least one.
    fn read(&self, text: &str) -> Result<Vec<Instance>, ReadError>;
}

names! {
    /// A file format for task graphs. To add one, write a file with its reader, one with its
    /// [writer](crate::write), and add a line here.
    "graph format": Format of Reader {
        toml::Toml = "hetsim's own format, for writing by hand (docs/graphs.md)",
        stg::Stg = "Standard Task Graph Set (Kasahara), without and with communication",
        dot::Dot = "Graphviz: work and data as attributes",
        wfformat::Wfformat = "workflows of WfCommons as JSON, WfFormat 1.2 to 1.6",
        dax::Dax = "workflows of Pegasus as DAX (XML)",
        matrix::Matrix = "JSON of weights or a cost matrix, and edges; one graph or a list of them",
        swf::Swf = "logs of batch systems (Parallel Workloads Archive): jobs of equal tasks that arrive",
    }
}

impl Format {
    /// The format for a file extension. For `json` the content decides: a text that mentions a workflow is WfFormat.
    /// Returns `None` for an unknown extension.
    #[must_use]
    pub fn of(extension: &str, text: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "toml" => Some(Self::Toml),
            "stg" => Some(Self::Stg),
            "dot" | "gv" => Some(Self::Dot),
            "dax" | "xml" => Some(Self::Dax),
            "swf" => Some(Self::Swf),
            "json" if text.contains("\"workflow\"") || text.contains("\"schemaVersion\"") => Some(Self::Wfformat),
            "json" => Some(Self::Matrix),
            _ => None,
        }
    }

    /// Reads all graphs of a text: one, except for a [matrix](Self::Matrix) file with a list.
    ///
    /// # Errors
    /// A text that is not of this format or holds no graph.
    pub fn read_all(self, text: &str) -> Result<Vec<Instance>, ReadError> {
        if text.len() >= error::NOWHERE {
            return Err(ReadError::general("the text is longer than 4 GiB"));
        }
        self.entry().read(text)
    }

    /// Reads the graph of a text that holds exactly one.
    ///
    /// # Errors
    /// As [`Self::read_all`]; also a text with several graphs.
    pub fn read(self, text: &str) -> Result<TaskGraph, ReadError> {
        let mut all = self.read_all(text)?;
        match (all.pop(), all.len()) {
            (Some(instance), 0) => Ok(instance.graph),
            (_, others) => {
                Err(ReadError::general(format!("the file has {} graphs: choose one by its name", others + 1)))
            }
        }
    }
}

/// A single graph without a name, as most readers return it.
fn one(graph: TaskGraph) -> Vec<Instance> {
    vec![Instance { name: None, graph, notes: Vec::new(), timed: None, worked: None }]
}

#[cfg(test)]
mod tests;
