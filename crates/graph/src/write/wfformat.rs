//! WfFormat 1.5, with the files of tasks. Where these don't say what edges carry, the data of each edge become a file of
//! their own.

use std::io::{self, Write};

use super::{PassedFiles, quoted};
use crate::TaskGraph;

/// Items separated by commas.
fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

pub(super) fn write(graph: &TaskGraph, title: Option<&str>, writer: &mut dyn Write) -> io::Result<()> {
    let name = |task| quoted(&graph.label(task));
    let files = PassedFiles::of(graph);
    let file = |(number, _): (u32, u64)| quoted(&files.name(number));
    let title = quoted(title.unwrap_or("hetsim"));
    writeln!(writer, "{{\n \"name\": {title},\n \"schemaVersion\": \"1.5\",\n \"workflow\": {{")?;
    write!(writer, "  \"specification\": {{\n   \"tasks\": [")?;
    for task in graph.ids() {
        let separator = if task > 0 { "," } else { "" };
        write!(
            writer,
            "{separator}\n    {{\"name\": {program}, \"id\": {id}, \"parents\": {}, \"children\": {}, \"inputFiles\": {}, \
             \"outputFiles\": {}}}",
            list(graph.predecessors(task).map(|edge| name(edge.from))),
            list(graph.successors(task).map(|edge| name(edge.to))),
            list(files.read(task).into_iter().map(file)),
            list(files.written(task).into_iter().map(file)),
            program = graph.type_name(task).map_or_else(|| name(task), quoted),
            id = name(task),
        )?;
    }
    write!(writer, "],\n   \"files\": [")?;
    for (index, (number, bytes)) in files.all().into_iter().enumerate() {
        let separator = if index > 0 { "," } else { "" };
        write!(writer, "{separator}\n    {{\"id\": {}, \"sizeInBytes\": {bytes}}}", file((number, bytes)))?;
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
