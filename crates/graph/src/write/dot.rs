//! DOT: work as `operations`, data as `bytes`.

use std::io::{self, Write};

use crate::TaskGraph;

/// A name in quotes. DOT has only two escapes that matter.
fn id(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

pub(super) fn write(graph: &TaskGraph, writer: &mut dyn Write) -> io::Result<()> {
    writeln!(writer, "digraph {{")?;
    for task in graph.ids() {
        writeln!(writer, "  {} [operations=\"{}\"];", id(&graph.label(task)), graph.operations(task))?;
    }
    for edge in graph.edges() {
        let (from, to) = (id(&graph.label(edge.from)), id(&graph.label(edge.to)));
        writeln!(writer, "  {from} -> {to} [bytes=\"{}\"];", edge.bytes)?;
    }
    writeln!(writer, "}}")
}
