//! JSON of a cost matrix, or of weights if there is none.

use std::io::{self, Write};

use super::quoted;
use crate::TaskGraph;

pub(super) fn write(graph: &TaskGraph, name: Option<&str>, writer: &mut dyn Write) -> io::Result<()> {
    write!(writer, "{{\n ")?;
    if let Some(name) = name {
        write!(writer, "\"name\": {},\n ", quoted(name))?;
    }
    if let Some(seconds) = graph.seconds() {
        write!(writer, "\"processors\": {},\n \"w\": [", seconds.processors())?;
        for task in graph.ids() {
            let row: Vec<String> = seconds.row(task).iter().map(ToString::to_string).collect();
            write!(writer, "{}[{}]", if task > 0 { ",\n  " } else { "\n  " }, row.join(", "))?;
        }
    } else {
        write!(writer, "\"weights\": [")?;
        for task in graph.ids() {
            write!(writer, "{}{}", if task > 0 { ", " } else { "" }, graph.operations(task))?;
        }
    }
    write!(writer, "],\n \"edges\": [")?;
    for edge in graph.edges() {
        let separator = if edge.id > 0 { "," } else { "" };
        write!(writer, "{separator}\n  [{}, {}, {}]", edge.from, edge.to, edge.bytes)?;
    }
    writeln!(writer, "]\n}}")
}
