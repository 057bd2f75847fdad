//! hetsim's own format, which keeps the whole graph.

use std::io::{self, Write};

use super::quoted;
use crate::TaskGraph;

pub(super) fn write(graph: &TaskGraph, name: Option<&str>, writer: &mut dyn Write) -> io::Result<()> {
    writeln!(writer, "version = 1")?;
    if let Some(name) = name {
        writeln!(writer, "name = {}", quoted(name))?;
    }
    writeln!(writer)?;
    if !graph.machines().is_empty() {
        let machines: Vec<String> = graph.machines().iter().map(|name| quoted(name)).collect();
        writeln!(writer, "machines = [{}]\n", machines.join(", "))?;
    }
    // Graphs know files by number. Names of one length keep them in order.
    let width = graph.file_sizes().len().to_string().len();
    let file_name = |file: u32| format!("f{file:0width$}");
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
        let job = graph.jobs().of(task);
        if graph.jobs().is_stream() && graph.jobs().tasks(job).start == task {
            write!(writer, "arrival = {:?}, ", graph.jobs().arrival_s(job))?;
        }
        if graph.has_files() {
            let names = |files: &mut dyn Iterator<Item = (u32, u64)>| -> Vec<String> {
                files.map(|(file, _)| format!("\"{}\"", file_name(file))).collect()
            };
            let used =
                [("reads", names(&mut graph.files_read(task))), ("writes", names(&mut graph.files_written(task)))];
            for (key, names) in used.iter().filter(|(_, names)| !names.is_empty()) {
                write!(writer, "{key} = [{}], ", names.join(", "))?;
            }
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
        writeln!(writer, "  {{ from = {}, to = {}, bytes = {} }},", end(edge.from), end(edge.to), count(edge.bytes))?;
    }
    writeln!(writer, "]")?;
    if graph.has_files() {
        writeln!(writer, "\n[files]")?;
        for (file, &bytes) in (0..).zip(graph.file_sizes()) {
            writeln!(writer, "{} = {}", file_name(file), count(bytes))?;
        }
    }
    Ok(())
}

/// A number of bytes. TOML integers end at 2⁶³ − 1; a string may hold more.
fn count(bytes: u64) -> String {
    i64::try_from(bytes).map_or_else(|_| format!("\"{bytes}\""), |bytes| bytes.to_string())
}
