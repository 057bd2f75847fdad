//! The formats of pictures.

use schemars::JsonSchema;
use serde::Deserialize;

/// A format of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Scalable, for pages.
    Svg,
    /// Scalable, for papers, with its fonts in it.
    Pdf,
    /// Of pixels: 300 per inch of a chart with a `width`, else two per pixel of its SVG.
    Png,
    /// The lines that put a PDF or PNG into a LaTeX document, with a caption.
    Tex,
}

impl Format {
    /// All of them.
    pub const ALL: &[Self] = &[Self::Svg, Self::Pdf, Self::Png, Self::Tex];

    /// Its name, which is the extension of its files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Pdf => "pdf",
            Self::Png => "png",
            Self::Tex => "tex",
        }
    }

    /// What it is, in a few words.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Svg => "scalable, for pages",
            Self::Pdf => "scalable, for papers, fonts embedded",
            Self::Png => "pixels: 300 per inch of a chart with a width, else two per pixel of its SVG",
            Self::Tex => "the lines that put a PDF or PNG into a LaTeX document",
        }
    }
}
