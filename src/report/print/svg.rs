//! What a chart's SVG is made of, piece by piece: filled shapes, lines, circles and texts, and sheets put on sheets.

use std::borrow::Cow;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, escape};

/// A place in the units of the SVG, y downwards.
pub(super) type SvgPoint = (f32, f32);

/// Red, green and blue, from 0 to 1, and how opaque.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ink {
    pub(super) colour: [f32; 3],
    pub(super) opacity: f32,
}

/// A piece of a chart.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece {
    /// An area with these corners.
    Area(Ink, Vec<SvgPoint>),
    /// A disc, by its middle and its radius.
    Disc(Ink, SvgPoint, f32),
    /// A line of this width.
    Line(Ink, f32, Vec<SvgPoint>),
    /// A text.
    Text(Ink, Text),
    /// What follows, up to [`Piece::End`], is moved to the right and downwards.
    Moved(SvgPoint),
    /// The end of what is moved.
    End,
}

/// A line of text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Text {
    pub(super) words: String,
    /// The middle of what it is anchored by, at its top.
    pub(super) at: SvgPoint,
    /// How much of its length lies before that place.
    pub(super) before: f32,
    pub(super) size: f32,
    pub(super) bold: bool,
    /// Whether it is read from below to above.
    pub(super) upward: bool,
}

/// A chart.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sheet {
    /// Width and height in points of 1/72 inch.
    pub(super) points: (f32, f32),
    /// Width and height in the units of places.
    pub(super) units: (f32, f32),
    pub(super) pieces: Vec<Piece>,
}

/// Reads a chart's SVG.
///
/// # Errors
/// It is no SVG of a chart; the message says what was met.
pub(super) fn read(svg: &str) -> Result<Sheet, String> {
    let mut reader = Reader::from_str(svg);
    let mut sheet = Sheet { points: (0.0, 0.0), units: (0.0, 0.0), pieces: Vec::new() };
    loop {
        match reader.read_event().map_err(|error| error.to_string())? {
            Event::Start(start) => match start.name().as_ref() {
                "svg" => {
                    let element = Element(&start);
                    sheet.points = (points(&element.text("width")?)?, points(&element.text("height")?)?);
                    sheet.units = match numbers(&element.text("viewBox")?)?[..] {
                        [0.0, 0.0, width, height] => (width, height),
                        _ => return Err("a view box without its four numbers".to_owned()),
                    };
                }
                "g" => sheet.pieces.push(Element(&start).moved()?),
                "text" => {
                    let raw = reader.read_text(start.name()).map_err(|error| error.to_string())?;
                    sheet.pieces.push(Element(&start).of_text(&raw)?);
                }
                other => return Err(format!("an element `{other}`")),
            },
            Event::Empty(start) => sheet.pieces.push(Element(&start).shape()?),
            Event::End(end) if end.name().as_ref() == "g" => sheet.pieces.push(Piece::End),
            Event::Eof => break,
            _ => {}
        }
    }
    Ok(sheet)
}

/// An element with its attributes.
struct Element<'a>(&'a BytesStart<'a>);

impl Element<'_> {
    fn find(&self, name: &str) -> Result<Option<String>, String> {
        let found = self.0.try_get_attribute(name).map_err(|error| error.to_string())?;
        let value = found.map(|found| found.normalized_value(XmlVersion::Implicit1_0).map(Cow::into_owned));
        value.transpose().map_err(|error| error.to_string())
    }

    fn text(&self, name: &str) -> Result<String, String> {
        self.find(name)?.ok_or_else(|| format!("an element `{}` without `{name}`", self.0.name().as_ref()))
    }

    fn number(&self, name: &str) -> Result<f32, String> {
        let text = self.text(name)?;
        text.parse().map_err(|_| format!("{name}=\"{text}\""))
    }

    fn places(&self) -> Result<Vec<SvgPoint>, String> {
        Ok(numbers(&self.text("points")?)?.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect())
    }

    /// The colour that an attribute gives, `fill` or `stroke`.
    fn ink(&self, name: &str) -> Result<Ink, String> {
        let text = self.text(name)?;
        let digits = text
            .strip_prefix('#')
            .filter(|digits| digits.len() == 6)
            .and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let colour = digits.ok_or_else(|| format!("{name}=\"{text}\""))?;
        let channel = |shift: u32| (colour >> shift & 255) as f32 / 255.0;
        Ok(Ink { colour: [channel(16), channel(8), channel(0)], opacity: self.number("opacity")? })
    }

    /// `transform="translate(X Y)"`.
    fn moved(&self) -> Result<Piece, String> {
        let text = self.text("transform")?;
        let inside = text.strip_prefix("translate(").and_then(|rest| rest.strip_suffix(')'));
        match inside.map(numbers).transpose()?.as_deref() {
            Some(&[x, y]) => Ok(Piece::Moved((x, y))),
            _ => Err(format!("transform=\"{text}\"")),
        }
    }

    fn shape(&self) -> Result<Piece, String> {
        let name = self.0.name();
        match name.as_ref() {
            "rect" => {
                let (x, y) = (self.number("x")?, self.number("y")?);
                let (right, bottom) = (x + self.number("width")?, y + self.number("height")?);
                Ok(Piece::Area(self.ink("fill")?, vec![(x, y), (right, y), (right, bottom), (x, bottom)]))
            }
            "polygon" => Ok(Piece::Area(self.ink("fill")?, self.places()?)),
            "circle" => Ok(Piece::Disc(self.ink("fill")?, (self.number("cx")?, self.number("cy")?), self.number("r")?)),
            "polyline" => Ok(Piece::Line(self.ink("stroke")?, self.number("stroke-width")?, self.places()?)),
            other => Err(format!("an element `{other}`")),
        }
    }

    /// A text hangs by its top, and runs to the right or, where it is turned, upwards.
    fn of_text(&self, raw: &str) -> Result<Piece, String> {
        let text = escape::unescape(raw).map_err(|error| error.to_string())?;
        // Of white space one blank stays, and none at the ends; a no-break space is none.
        let words: Vec<&str> = text.split([' ', '\n', '\t']).filter(|word| !word.is_empty()).collect();
        let upward = match self.find("transform")? {
            None => false,
            Some(text) if text.starts_with("rotate(270,") => true,
            Some(other) => return Err(format!("transform=\"{other}\"")),
        };
        let before = match self.text("text-anchor")?.as_str() {
            "start" => 0.0,
            "middle" => 0.5,
            "end" => 1.0,
            other => return Err(format!("text-anchor=\"{other}\"")),
        };
        let text = Text {
            words: words.join(" "),
            at: (self.number("x")?, self.number("y")?),
            before,
            size: self.number("font-size")?,
            bold: self.find("font-weight")?.is_some_and(|weight| weight == "bold"),
            upward,
        };
        Ok(Piece::Text(self.ink("fill")?, text))
    }
}

/// Numbers between spaces and commas.
fn numbers(text: &str) -> Result<Vec<f32>, String> {
    let words = text.split([' ', ',']).filter(|word| !word.is_empty());
    words.map(|word| word.parse().map_err(|_| format!("`{word}` for a number"))).collect()
}

/// A length in points: of pixels of CSS, or of millimetres.
fn points(text: &str) -> Result<f32, String> {
    let (number, factor) = text.strip_suffix("mm").map_or((text, 0.75), |number| (number, 72.0 / 25.4));
    number.parse().map(|number: f32| number * factor).map_err(|_| format!("`{text}` for a length"))
}
