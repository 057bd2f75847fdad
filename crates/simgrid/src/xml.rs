//! Parses XML to a tree of elements with their positions. Entities are not expanded, and document types are not
//! followed.

use std::borrow::Cow;

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::Word;
use hetsim_text::{Place, Problem};

/// The maximum nesting depth of elements.
const DEEPEST: usize = 64;

/// An element with its content.
#[derive(Debug)]
pub(super) struct Element<'a> {
    /// Its name.
    pub(super) name: &'a str,
    /// The position of its start tag.
    pub(super) place: Place,
    /// Its attributes.
    attributes: Vec<Attribute<'a>>,
    /// The child elements.
    pub(super) children: Vec<Self>,
    /// The text in it, outside its children.
    text: String,
}

/// An attribute of an element.
#[derive(Debug)]
struct Attribute<'a> {
    name: &'a str,
    value: Cow<'a, str>,
    /// The position of the value.
    place: Place,
}

impl<'a> Element<'a> {
    /// Parses a whole text.
    ///
    /// # Errors
    /// The text is not well-formed, truncated, nested too deep, or declares entities.
    pub(super) fn parse(text: &'a str, source: usize) -> Result<Self, Problem> {
        let mut xml = Reader::from_str(text);
        let mut open: Vec<Self> = Vec::new();
        let mut root = None;
        loop {
            let at = xml.buffer_position() as usize;
            let event = xml.read_event().map_err(|error| {
                let at = (xml.error_position() as usize).min(text.len());
                Problem::at(&Place { source, span: at..at }, format!("not well-formed XML: {error}"))
            })?;
            let place = Place { source, span: at..xml.buffer_position() as usize };
            let fault = |message: &str| Err(Problem::at(&place, message));
            let closed = match event {
                Event::Start(start) => {
                    if open.len() == DEEPEST {
                        return fault(&format!("elements are nested deeper than {DEEPEST}"));
                    }
                    open.push(Self::open(text, &start, place.clone())?);
                    None
                }
                Event::Empty(start) => Some(Self::open(text, &start, place.clone())?),
                Event::End(_) => open.pop(),
                Event::Text(part) => {
                    match open.last_mut() {
                        Some(element) => element.text += &part.xml10_content(),
                        None if part.trim_ascii().is_empty() => {}
                        None => return fault("expected no text outside the element `platform`"),
                    }
                    None
                }
                Event::DocType(kind) => {
                    if kind.contains('[') {
                        return fault(
                            "a document type with declarations of its own is not supported: no entities are expanded",
                        );
                    }
                    None
                }
                Event::GeneralRef(_) | Event::CData(_) => {
                    return fault("expected no entities and no CDATA in the text");
                }
                Event::Eof if !open.is_empty() => {
                    return fault("the text ends within an element: is the file truncated?");
                }
                Event::Eof => break,
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) => None,
            };
            let Some(element) = closed else { continue };
            match open.last_mut() {
                Some(parent) => parent.children.push(element),
                None if root.is_some() => {
                    return Err(Problem::at(&element.place, "expected one element around all others"));
                }
                None => root = Some(element),
            }
        }
        root.ok_or_else(|| Problem::at(&Place { source, span: 0..0 }, "expected an element `platform`"))
    }

    fn open(text: &'a str, start: &BytesStart<'_>, place: Place) -> Result<Self, Problem> {
        let fault = |error: String| Problem::at(&place, format!("not well-formed XML: {error}"));
        let found = |part: &str| {
            let from = (part.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
            let span = from..from + part.len();
            text.get(span.clone()).map(|same| (same, Place { source: place.source, span }))
        };
        let lost = || fault("its attributes cannot be parsed".to_owned());
        let (name, _) = found(start.name().as_ref()).ok_or_else(lost)?;
        let mut attributes = Vec::new();
        for attribute in start.attributes() {
            let attribute = attribute.map_err(|error| fault(error.to_string()))?;
            let (name, _) = found(attribute.key.as_ref()).ok_or_else(lost)?;
            let (raw, value_place) = found(&attribute.value).ok_or_else(lost)?;
            let value =
                attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|error| fault(error.to_string()))?;
            let value = if value == raw { Cow::Borrowed(raw) } else { Cow::Owned(value.into_owned()) };
            attributes.push(Attribute { name, value, place: value_place });
        }
        Ok(Self { name, place, attributes, children: Vec::new(), text: String::new() })
    }

    /// An error about this element.
    pub(super) fn fault(&self, message: impl Into<String>) -> Problem {
        Problem::at(&self.place, message)
    }

    /// A non-empty attribute: SimGrid treats an empty one as missing.
    pub(super) fn given(&self, name: &str) -> Option<Word<'_>> {
        let attribute = self.attributes.iter().find(|attribute| attribute.name == name)?;
        (!attribute.value.is_empty()).then_some(Word { text: &attribute.value, place: &attribute.place })
    }

    /// A required attribute, which may be empty.
    ///
    /// # Errors
    /// The attribute is missing.
    pub(super) fn present(&self, name: &str) -> Result<Word<'_>, Problem> {
        let attribute = self.attributes.iter().find(|attribute| attribute.name == name);
        let word = attribute.map(|attribute| Word { text: &attribute.value, place: &attribute.place });
        word.ok_or_else(|| self.fault(format!("expected the attribute `{name}` of `{}`", self.name)))
    }

    /// A required attribute, which must not be empty.
    ///
    /// # Errors
    /// The attribute is missing or empty.
    pub(super) fn required(&self, name: &str) -> Result<Word<'_>, Problem> {
        let word = self.present(name)?;
        if word.text.is_empty() {
            return Err(word.fault(format!("expected something in the attribute `{name}` of `{}`", self.name)));
        }
        Ok(word)
    }

    /// The choice of an attribute; the first one if it is missing.
    ///
    /// # Errors
    /// The value is not one of the choices.
    pub(super) fn choice<T: Copy>(&self, name: &str, choices: &[(&str, T)]) -> Result<T, Problem> {
        let Some(word) = self.given(name) else {
            return choices.first().map(|choice| choice.1).ok_or_else(|| self.fault("there is no choice"));
        };
        let chosen = choices.iter().find(|(text, _)| *text == word.text);
        chosen.map(|choice| choice.1).ok_or_else(|| {
            let known: Vec<&str> = choices.iter().map(|choice| choice.0).collect();
            let message = format!("expected one of {} in `{name}`, not {:?}", known.join(", "), word.text);
            word.fault(message).with_near(word.text, known)
        })
    }

    /// Refuses unsupported attributes.
    ///
    /// # Errors
    /// The first unsupported attribute.
    pub(super) fn only(&self, known: &[&str]) -> Result<(), Problem> {
        match self.attributes.iter().find(|attribute| !known.contains(&attribute.name)) {
            None => Ok(()),
            Some(attribute) => {
                let message = format!("the attribute `{}` of `{}` is not known", attribute.name, self.name);
                Err(Problem::at(&attribute.place, message).with_near(attribute.name, known.iter().copied()))
            }
        }
    }

    /// The text in the element.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Refuses text in the element.
    ///
    /// # Errors
    /// The element contains text.
    pub(super) fn no_text(&self) -> Result<(), Problem> {
        if self.text.trim_ascii().is_empty() {
            return Ok(());
        }
        Err(self.fault(format!("expected no text in `{}`", self.name)))
    }
}
