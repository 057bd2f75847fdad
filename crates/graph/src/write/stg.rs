//! STG, with communication if any edge carries data.

use std::io::{self, Write};

use crate::TaskGraph;

pub(super) fn write(graph: &TaskGraph, writer: &mut dyn Write) -> io::Result<()> {
    let costs = graph.edges().any(|edge| edge.bytes > 0);
    writeln!(writer, "{}", graph.tasks())?;
    for task in graph.ids() {
        write!(writer, "{task} {} {}", graph.operations(task), graph.in_degree(task))?;
        for edge in graph.predecessors(task) {
            write!(writer, " {}", edge.from)?;
            if costs {
                write!(writer, " {}", edge.bytes)?;
            }
        }
        writeln!(writer)?;
    }
    Ok(())
}
