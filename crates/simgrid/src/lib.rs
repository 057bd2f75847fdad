//! Converts platform files of SimGrid (XML, version 4.1) to tables of hetsim's own `[platform]`, each value with its
//! position in the XML.
//!
//! Everything in a file is translated exactly or refused with its position: nothing that affects a simulation is
//! silently ignored. The meaning of elements and attributes follows SimGrid's document type and the behaviour of its
//! reader. Properties without a meaning in SimGrid itself are ignored.

mod cluster;
mod collector;
mod config;
mod content;
mod decimal;
mod link;
mod names;
mod part;
mod power;
mod profile;
mod quantity;
mod route;
mod star;
mod toml;
mod write;
mod xml;
mod zone;

#[cfg(test)]
mod tests;

pub use toml::{says, to_toml};

use hetsim_text::{Node, Place, Problem, Problems, Source};

use collector::Collector;
use xml::Element;

/// Whether a text is a platform of SimGrid and not other XML, by its first element.
#[must_use]
pub fn is_platform(text: &str) -> bool {
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        if !rest.starts_with(['?', '!']) {
            return rest
                .strip_prefix("platform")
                .is_some_and(|rest| rest.starts_with([' ', '\t', '\n', '\r', '>', '/']));
        }
    }
    false
}

/// Reads a platform file into the table `[platform]`; `source` is the number of the text in the list of sources.
///
/// `profile` returns the text of a file named in the XML, or a sentence with the reason why it cannot be read.
///
/// # Errors
/// The first item that is not well-formed, unknown, or without an exact counterpart in hetsim.
pub fn read(
    text: &str,
    source: usize,
    profile: &mut dyn FnMut(&str) -> Result<String, String>,
) -> Result<Node, Problem> {
    let root = Element::parse(text, source)?;
    let mut collector = Collector::new(profile);
    collector.platform(&root)?;
    write::platform(&collector.finish()?, &root.place)
}

/// As [`read`], for a file; further files are in its folder.
///
/// # Errors
/// As [`read`].
pub fn read_file(file: &Source, source: usize) -> Result<Node, Problem> {
    read(&file.text, source, &mut |name| {
        let profile = Source::read(&file.folder.join(name)).map_err(|error| error.to_string())?;
        Ok(profile.text.to_string())
    })
}

/// A file with a platform as TOML, in the form of a file for `platform.include`.
///
/// # Errors
/// As [`read`], with the place; a platform that TOML cannot hold.
pub fn as_toml(source: &Source) -> Result<Source, Problems> {
    let table = read_file(source, 0).map_err(|problem| Problems::new(vec![problem], std::slice::from_ref(source)))?;
    let text = to_toml(&table);
    if !says(&text, &table) {
        return Err(Problems::general(format!("the platform of {} cannot be expressed in TOML", source.name)));
    }
    Ok(Source { name: format!("{} as TOML", source.name), text: text.into(), folder: source.folder.clone() })
}

/// The value of an attribute.
#[derive(Debug, Clone, Copy)]
struct Word<'e> {
    text: &'e str,
    place: &'e Place,
}

impl<'e> Word<'e> {
    fn fault(self, message: impl Into<String>) -> Problem {
        Problem::at(self.place, message)
    }

    /// The text as a value.
    fn value(self) -> Node {
        Node::string(self.text, self.place)
    }

    /// Parses the text; an error gets this position.
    fn parse<T>(self, read: impl FnOnce(&'e str) -> Result<T, String>) -> Result<T, Problem> {
        read(self.text).map_err(|message| self.fault(message))
    }
}
