//! DAX, the XML of Pegasus: each `job` with its `runtime` and the files it `uses`, and the parents of each `child`.
//!
//! A task's operations are its run time in seconds, on a reference processor of one operation per second. An edge leads
//! from a parent to its child and carries the files that the parent writes and the child reads; without shared files it
//! carries nothing. Published workflows list some files with several sizes; the first size counts, with a note. Other
//! elements are ignored.

use std::borrow::Cow;

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader as Xml, XmlVersion};

use super::collector::Collector;
use super::files::Files;
use super::{Instance, ReadError, Reader, number};

/// The format's reader.
#[derive(Debug)]
pub(super) struct Dax;

/// The maximum nesting depth of elements; DAX uses three.
const DEEPEST: usize = 64;

/// The attributes of a `uses` element.
struct Use {
    job: u32,
    file: String,
    written: bool,
    size: Option<u64>,
    at: usize,
}

impl Reader for Dax {
    fn read(&self, text: &str) -> Result<Vec<Instance>, ReadError> {
        let mut reading = Reading {
            text,
            graph: Collector::new(text),
            works: Vec::new(),
            uses: Vec::new(),
            pairs: Vec::new(),
            job: None,
            child: None,
            seen: false,
        };
        let mut xml = Xml::from_str(text);
        let mut depth = 0usize;
        loop {
            let at = xml.buffer_position() as usize;
            let event = xml.read_event().map_err(|error| {
                ReadError::at(text, xml.error_position() as usize, format!("not well-formed XML: {error}"))
            })?;
            match event {
                Event::Start(element) => {
                    depth += 1;
                    if depth > DEEPEST {
                        return Err(ReadError::at(text, at, format!("elements are nested deeper than {DEEPEST}")));
                    }
                    reading.open(&element, depth, at)?;
                }
                Event::Empty(element) => {
                    reading.open(&element, depth + 1, at)?;
                    reading.close(element.local_name().as_ref());
                }
                Event::End(element) => {
                    depth = depth.saturating_sub(1);
                    reading.close(element.local_name().as_ref());
                }
                Event::DocType(_) => {
                    return Err(ReadError::at(text, at, "a document type is not supported: no entities are expanded"));
                }
                Event::Eof if depth > 0 => {
                    return Err(ReadError::at(text, at, "the text ends within an element: is the file truncated?"));
                }
                Event::Eof => break,
                _ => {}
            }
        }
        reading.build()
    }
}

/// The state of the reader.
struct Reading<'a> {
    text: &'a str,
    graph: Collector<'a>,
    works: Vec<(f64, usize)>,
    uses: Vec<Use>,
    /// The name of a parent, its child and the position in the text.
    pairs: Vec<(String, u32, usize)>,
    job: Option<u32>,
    /// The name and the position of the open `child` element.
    child: Option<(String, usize)>,
    seen: bool,
}

impl Reading<'_> {
    fn open(&mut self, element: &BytesStart<'_>, depth: usize, at: usize) -> Result<(), ReadError> {
        let fault = |message: &str| Err(ReadError::at(self.text, at, message));
        let name = element.local_name();
        let name: &str = name.as_ref();
        if depth == 1 {
            if name != "adag" || self.seen {
                return fault("expected one element `adag` around all others");
            }
            self.seen = true;
        }
        match name {
            "job" => {
                let id = self.required(element, "id", at)?;
                let runtime = self.required(element, "runtime", at)?;
                let seconds = runtime.trim().parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0);
                let Some(seconds) = seconds else {
                    return fault(&format!("expected the run time of job {id:?} in seconds, not {runtime:?}"));
                };
                // The name of a job is that of the program it runs.
                let program = self.attribute(element, "name", at)?.filter(|name| *name != id);
                let number = self.graph.named(Cow::Owned(id), at)?;
                if let Some(program) = program {
                    self.graph.task_type(number, program);
                }
                self.job = Some(number);
                self.works.push((seconds, at));
            }
            "uses" => {
                let Some(job) = self.job else { return fault("expected `uses` inside a `job`") };
                let file = match self.attribute(element, "file", at)? {
                    Some(file) => file,
                    None => self.required(element, "name", at)?,
                };
                let size = self.attribute(element, "size", at)?;
                let size = size.map(|size| number::bytes(&size)).transpose();
                let size = size.map_err(|message| ReadError::at(self.text, at, message))?;
                let link = self.required(element, "link", at)?;
                let mut uses = |file, written| self.uses.push(Use { job, file, written, size, at });
                match link.as_str() {
                    "input" => uses(file, false),
                    "output" => uses(file, true),
                    "inout" => {
                        uses(file.clone(), false);
                        uses(file, true);
                    }
                    // Executables and checkpoints pass no data between tasks.
                    _ => {}
                }
            }
            "child" => self.child = Some((self.required(element, "ref", at)?, at)),
            "parent" => {
                let parent = self.required(element, "ref", at)?;
                let Some((child, place)) = &self.child else { return fault("expected `parent` inside a `child`") };
                let Some(number) = self.graph.number(child) else {
                    return Err(ReadError::at(self.text, *place, format!("there is no job {child:?}")));
                };
                self.pairs.push((parent, number, at));
            }
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, name: &str) {
        match name {
            "job" => self.job = None,
            "child" => self.child = None,
            _ => {}
        }
    }

    fn attribute(&self, element: &BytesStart<'_>, name: &str, at: usize) -> Result<Option<String>, ReadError> {
        let fault = |error: String| ReadError::at(self.text, at, format!("not well-formed XML: {error}"));
        let Some(found) = element.try_get_attribute(name).map_err(|error| fault(error.to_string()))? else {
            return Ok(None);
        };
        let value = found.normalized_value(XmlVersion::Implicit1_0).map_err(|error| fault(error.to_string()))?;
        Ok(Some(value.into_owned()))
    }

    fn required(&self, element: &BytesStart<'_>, name: &str, at: usize) -> Result<String, ReadError> {
        self.attribute(element, name, at)?.ok_or_else(|| {
            let element = element.local_name();
            let element: &str = element.as_ref();
            ReadError::at(self.text, at, format!("expected the attribute `{name}` of `{element}`"))
        })
    }

    fn build(mut self) -> Result<Vec<Instance>, ReadError> {
        if !self.seen {
            return Err(ReadError::at(self.text, 0, "expected an element `adag`"));
        }
        let mut files = Files::new(self.works.len());
        let mut unlike = Vec::new();
        for Use { job, file, written, size, at } in self.uses {
            if let Some(Err(message)) = size.map(|size| files.size(file.clone(), size)) {
                unlike.push((at, message));
            }
            if written { files.write(job, file) } else { files.read(job, file) }
        }
        files.sort();
        let notes = unlike.first().map(|(at, message)| {
            let others = unlike.len() - 1;
            let others = if others > 0 { format!(", as in {others} other places") } else { String::new() };
            ReadError::at(self.text, *at, format!("{message}: the first size counts{others}"))
        });
        for (parent, to, at) in self.pairs {
            let Some(from) = self.graph.number(&parent) else {
                return Err(ReadError::at(self.text, at, format!("there is no job {parent:?}")));
            };
            let bytes = files.between(from, to).map_err(|message| ReadError::at(self.text, at, message))?;
            self.graph.edge(from, to, bytes, at);
        }
        self.graph.files(files);
        let graph = self.graph.build(&self.works, None)?;
        Ok(vec![Instance { name: None, graph, notes: notes.into_iter().collect(), timed: None, worked: None }])
    }
}
