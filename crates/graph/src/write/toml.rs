//! hetsim's own format, which keeps the whole graph.

use std::io::{self, Write};

use super::quoted;
use crate::TaskGraph;

pub(super) fn write(graph: &TaskGraph, writer: &mut dyn Write) -> io::Result<()> {
    writeln!(writer, "version = 1\n")?;
    if !graph.machines().is_empty() {
        let machines: Vec<String> = graph.machines().iter().map(|name| quoted(name)).collect();
        writeln!(writer, "machines = [{}]\n", machines.join(", "))?;
    }
    writeln!(writer, "tasks = [")?;
    for task in graph.ids() {
        write!(writer, "  {{ ")?;
        if let Some(name) = graph.name(task) {
            write!(writer, "name = {}, ", quoted(name))?;
        }
        if let Some(name) = graph.type_name(task) {
            write!(writer, "type = {}, ", quoted(name))?;
        }
        if let Some(name) = graph.machine_name(task) {
            write!(writer, "machine = {}, ", quoted(name))?;
        }
        write!(writer, "operations = {:?}", graph.operations(task))?;
        if let Some(seconds) = graph.seconds() {
            let row: Vec<String> = seconds.row(task).iter().map(|value| format!("{value:?}")).collect();
            write!(writer, ", seconds = [{}]", row.join(", "))?;
        }
        writeln!(writer, " }},")?;
    }
    writeln!(writer, "]\n\nedges = [")?;
    for edge in graph.edges() {
        let end = |task| graph.name(task).map_or_else(|| task.to_string(), quoted);
        write!(writer, "  {{ from = {}, to = {}, bytes = ", end(edge.from), end(edge.to))?;
        // TOML integers end at 2⁶³ − 1; a string may hold more.
        match i64::try_from(edge.bytes) {
            Ok(bytes) => writeln!(writer, "{bytes} }},")?,
            Err(_) => writeln!(writer, "\"{}\" }},", edge.bytes)?,
        }
    }
    writeln!(writer, "]")
}
