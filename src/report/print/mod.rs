//! Charts as PDF and PNG.
//!
//! Both are made of the SVG, with [Arimo](fonts/OFL.txt), which has the widths of Helvetica and Arial that charts are
//! laid out for, so that the same bytes come out on every machine. A character that Arimo lacks is drawn with a font of
//! the system.

mod embedded;
mod fonts;
mod objects;
mod pdf;
#[cfg(feature = "png")]
mod png;
mod svg;

#[cfg(test)]
mod tests;

pub(super) use pdf::pdf;
#[cfg(feature = "png")]
pub(super) use png::png;
