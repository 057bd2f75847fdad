//! Pictures as files.

use std::borrow::Cow;

use super::chart::Picture;
#[cfg(not(feature = "png"))]
use super::formats::fault;
use super::results::Results;
use super::tex;
use crate::scenario::Format;

/// The file of a picture in one of the formats that it is written in.
///
/// # Errors
/// Where the picture can't be drawn in it; the message says why.
pub fn content<'p>(
    results: &Results<'_>,
    picture: &'p Picture,
    format: Format,
    formats: &[Format],
) -> Result<Cow<'p, [u8]>, String> {
    let taken_in = if formats.contains(&Format::Pdf) { Format::Pdf } else { Format::Png };
    match format {
        Format::Svg => Ok(Cow::Borrowed(picture.svg.as_bytes())),
        Format::Tex => Ok(Cow::Owned(tex::figure(results, picture, taken_in).into_bytes())),
        #[cfg(feature = "pdf")]
        Format::Pdf => super::print::pdf(picture).map(Cow::Owned),
        #[cfg(feature = "png")]
        Format::Png => super::print::png(picture).map(Cow::Owned),
        #[cfg(not(feature = "png"))]
        _ => Err(fault(&[format]).map(|(_, message, _)| message).unwrap_or_default()),
    }
}
