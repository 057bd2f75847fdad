//! WfFormat 1.5. The data of each edge become a file of their own, so every edge keeps its bytes.

use std::io::{self, Write};

use super::quoted;
use crate::{Edge, TaskGraph};

/// The file name of an edge.
fn file(edge: Edge) -> String {
    format!("\"edge_{}\"", edge.id)
}

/// Items separated by commas.
fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

pub(super) fn write(graph: &TaskGraph, writer: &mut dyn Write) -> io::Result<()> {
    let name = |task| quoted(&graph.label(task));
    let carries = |edge: &Edge| edge.bytes > 0;
    writeln!(writer, "{{\n \"name\": \"hetsim\",\n \"schemaVersion\": \"1.5\",\n \"workflow\": {{")?;
    write!(writer, "  \"specification\": {{\n   \"tasks\": [")?;
    for task in graph.ids() {
        let separator = if task > 0 { "," } else { "" };
        write!(
            writer,
            "{separator}\n    {{\"name\": {program}, \"id\": {id}, \"parents\": {}, \"children\": {}, \"inputFiles\": {}, \
             \"outputFiles\": {}}}",
            list(graph.predecessors(task).map(|edge| name(edge.from))),
            list(graph.successors(task).map(|edge| name(edge.to))),
            list(graph.predecessors(task).filter(carries).map(file)),
            list(graph.successors(task).filter(carries).map(file)),
            program = graph.type_name(task).map_or_else(|| name(task), quoted),
            id = name(task),
        )?;
    }
    write!(writer, "],\n   \"files\": [")?;
    for (index, edge) in graph.edges().filter(carries).enumerate() {
        let separator = if index > 0 { "," } else { "" };
        write!(writer, "{separator}\n    {{\"id\": {}, \"sizeInBytes\": {}}}", file(edge), edge.bytes)?;
    }
    write!(writer, "]\n  }},\n  \"execution\": {{\n   \"tasks\": [")?;
    for task in graph.ids() {
        let separator = if task > 0 { "," } else { "" };
        let seconds = graph.operations(task);
        write!(writer, "{separator}\n    {{\"id\": {}, \"runtimeInSeconds\": {seconds}", name(task))?;
        if let Some(machine) = graph.machine_name(task) {
            write!(writer, ", \"machines\": [{}]", quoted(machine))?;
        }
        write!(writer, "}}")?;
    }
    write!(writer, "]")?;
    if !graph.machines().is_empty() {
        let machine = |name: &String| format!("{{\"nodeName\": {}}}", quoted(name));
        write!(writer, ",\n   \"machines\": {}", list(graph.machines().iter().map(machine)))?;
    }
    writeln!(writer, "\n  }}\n }}\n}}")
}
