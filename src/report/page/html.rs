//! HTML as it is written: a text that knows how much room a page has left.

use std::fmt::Write as _;

use crate::printable::escape;

/// No page is larger than this, in bytes: browsers open it at once.
pub(super) const MOST_BYTES: usize = 9_500_000;

/// A page that is being written.
#[derive(Debug, Default)]
pub(super) struct Html {
    text: String,
}

impl Html {
    /// Appends what is HTML already.
    pub(super) fn raw(&mut self, html: &str) {
        self.text.push_str(html);
    }

    /// Appends formatted HTML; a string takes everything, so there is no error to report.
    pub(super) fn push(&mut self, html: std::fmt::Arguments<'_>) {
        self.text.write_fmt(html).ok();
    }

    /// Appends a text, which is escaped.
    pub(super) fn text(&mut self, text: &str) {
        self.text.push_str(&escape(text));
    }

    /// A section with its heading.
    pub(super) fn section(&mut self, id: &str, heading: &str, content: impl FnOnce(&mut Self)) {
        self.push(format_args!("<section id=\"{id}\">\n<h2>{heading}</h2>\n"));
        content(self);
        self.raw("</section>\n");
    }

    /// How many bytes are left; what is said at the end of a page has its room in any case.
    pub(super) const fn room(&self) -> usize {
        MOST_BYTES.saturating_sub(self.text.len())
    }

    /// All that was written.
    pub(super) fn done(self) -> String {
        self.text
    }
}

/// A path from the page to a file beside it, as a link has it.
pub(super) fn href(path: &str) -> String {
    let mut link = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            link.push(char::from(byte));
        } else {
            let _ = write!(link, "%{byte:02X}");
        }
    }
    // What stands before a colon would be a scheme; colons are written as numbers.
    link
}

/// A name as a part of the page is known by: letters, digits and hyphens.
pub(super) fn slug(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() { c } else { '-' };
    name.chars().map(plain).collect()
}
