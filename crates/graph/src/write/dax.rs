//! DAX, with the files of tasks. Where these don't say what edges carry, the data of each edge become a file of their own.

use std::io::{self, Write};

use quick_xml::escape::escape;

use super::PassedFiles;
use crate::TaskGraph;

/// A text as the value of an attribute. XML normalises white space there: other blanks would come back as spaces.
fn attribute(text: &str) -> String {
    escape(text).replace('\t', "&#9;").replace('\n', "&#10;").replace('\r', "&#13;")
}

pub(super) fn write(graph: &TaskGraph, writer: &mut dyn Write) -> io::Result<()> {
    let name = |task| attribute(&graph.label(task));
    let files = PassedFiles::of(graph);
    let namespace = "http://pegasus.isi.edu/schema/DAX";
    writeln!(writer, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(writer, "<adag xmlns=\"{namespace}\" version=\"2.1\" jobCount=\"{}\">", graph.tasks())?;
    for task in graph.ids() {
        let id = name(task);
        let program = graph.type_name(task).map_or_else(|| id.clone(), attribute);
        writeln!(writer, "  <job id=\"{id}\" name=\"{program}\" runtime=\"{}\">", graph.operations(task))?;
        let used = [("input", files.read(task)), ("output", files.written(task))];
        let used = used.iter().flat_map(|(link, files)| files.iter().map(move |&(file, bytes)| (file, *link, bytes)));
        let mut used: Vec<(u32, &str, u64)> = used.collect();
        // Readers number files as they come.
        used.sort_unstable();
        for (file, link, bytes) in used {
            writeln!(writer, "    <uses file=\"{}\" link=\"{link}\" size=\"{bytes}\"/>", files.name(file))?;
        }
        writeln!(writer, "  </job>")?;
    }
    for task in graph.ids().filter(|&task| graph.in_degree(task) > 0) {
        writeln!(writer, "  <child ref=\"{}\">", name(task))?;
        for edge in graph.predecessors(task) {
            writeln!(writer, "    <parent ref=\"{}\"/>", name(edge.from))?;
        }
        writeln!(writer, "  </child>")?;
    }
    writeln!(writer, "</adag>")
}
