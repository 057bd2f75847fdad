//! Writes task graphs to files.
//!
//! Not every format can hold everything: [`lost`] lists what a format leaves out. The rest reads back unchanged.

mod dax;
mod dot;
mod matrix;
mod stg;
mod swf;
mod toml;
mod wfformat;

use std::io::{self, Write};

use super::read::Format;
use super::{Edge, TaskGraph};

/// Writes a graph without a name in a format. A task without a name is written as its number if the format needs a name.
///
/// # Errors
/// Any error of the writer.
pub fn write(graph: &TaskGraph, format: Format, writer: &mut dyn Write) -> io::Result<()> {
    write_named(graph, None, format, writer)
}

/// Writes a graph in a format, with its name if the format [has a place](holds_name) for it.
///
/// # Errors
/// As [`write()`].
pub fn write_named(graph: &TaskGraph, name: Option<&str>, format: Format, writer: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Toml => toml::write(graph, name, writer),
        Format::Stg => stg::write(graph, writer),
        Format::Dot => dot::write(graph, writer),
        Format::Wfformat => wfformat::write(graph, name, writer),
        Format::Dax => dax::write(graph, writer),
        Format::Matrix => matrix::write(graph, name, writer),
        Format::Swf => swf::write(graph, writer),
    }
}

/// Whether a format has a place for the name of a graph.
#[must_use]
pub const fn holds_name(format: Format) -> bool {
    matches!(format, Format::Toml | Format::Wfformat | Format::Matrix)
}

/// What a format leaves out of a graph, in a few words each.
#[must_use]
pub fn lost(graph: &TaskGraph, format: Format) -> Vec<&'static str> {
    let mut lost = Vec::new();
    if graph.is_named() && matches!(format, Format::Stg | Format::Matrix | Format::Swf) {
        lost.push("the names of tasks");
    }
    if !graph.types().is_empty() && matches!(format, Format::Stg | Format::Dot | Format::Matrix | Format::Swf) {
        lost.push("the types of tasks");
    }
    if !graph.machines().is_empty() && !matches!(format, Format::Toml | Format::Wfformat) {
        lost.push("where tasks ran");
    }
    if let Some(seconds) = graph.seconds() {
        match format {
            Format::Matrix if graph.ids().any(|task| seconds.mean(task) != graph.operations(task)) => {
                lost.push("the tasks' operations");
            }
            Format::Toml | Format::Matrix => {}
            _ => lost.push("the cost matrix"),
        }
    }
    let keeps_files = match format {
        Format::Toml => true,
        Format::Wfformat | Format::Dax => graph.files_tell_edges(),
        _ => false,
    };
    if graph.has_files() && !keeps_files {
        lost.push("files from outside, and shared ones");
    }
    if format == Format::Swf {
        lost.extend(lost_in_bags(graph));
    } else if graph.jobs().is_stream() && format != Format::Toml {
        lost.push("when jobs arrive");
    }
    lost
}

/// What is lost where each job is a bag of equal tasks.
fn lost_in_bags(graph: &TaskGraph) -> impl Iterator<Item = &'static str> {
    let any = |is_so: fn(&TaskGraph, usize) -> bool| (0..graph.jobs().count()).any(|job| is_so(graph, job));
    let lost = [
        (graph.edges().next().is_some(), "the edges"),
        (any(swf::differ), "differences between the tasks of a job"),
        // A log says of such a job that it never ran.
        (any(|graph, job| swf::mean(graph, job) == 0.0), "jobs without work"),
    ];
    lost.into_iter().filter_map(|(is_lost, what)| is_lost.then_some(what))
}

/// The files of a graph for formats whose edges carry what their files say: its own, if they tell that, or else one for
/// each edge that carries data.
struct PassedFiles<'g> {
    graph: &'g TaskGraph,
    are_own: bool,
}

impl<'g> PassedFiles<'g> {
    fn of(graph: &'g TaskGraph) -> Self {
        Self { graph, are_own: graph.has_files() && graph.files_tell_edges() }
    }

    /// The name of a file by its number.
    fn name(&self, number: u32) -> String {
        format!("{}_{number}", if self.are_own { "file" } else { "edge" })
    }

    /// All files by number, each with its bytes.
    fn all(&self) -> Vec<(u32, u64)> {
        if self.are_own {
            (0..).zip(self.graph.file_sizes().iter().copied()).collect()
        } else {
            carried(self.graph.edges())
        }
    }

    /// Those that a task reads.
    fn read(&self, task: u32) -> Vec<(u32, u64)> {
        if self.are_own { self.graph.files_read(task).collect() } else { carried(self.graph.predecessors(task)) }
    }

    /// Those that a task writes.
    fn written(&self, task: u32) -> Vec<(u32, u64)> {
        if self.are_own { self.graph.files_written(task).collect() } else { carried(self.graph.successors(task)) }
    }
}

/// The edges that carry data, by number.
fn carried(edges: impl Iterator<Item = Edge>) -> Vec<(u32, u64)> {
    edges.filter(|edge| edge.bytes > 0).map(|edge| (edge.id, edge.bytes)).collect()
}

/// A string in quotes, with escapes that JSON and TOML share.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                // Writing to a `String` cannot fail.
                let _ = std::fmt::Write::write_fmt(&mut quoted, format_args!("\\u{:04x}", c as u32));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
