//! In which formats pictures are written.

use crate::scenario::Format;

/// The feature that this hetsim lacks for a format.
fn lacked(format: Format) -> Option<&'static str> {
    match format {
        Format::Pdf if !cfg!(feature = "pdf") => Some("pdf"),
        Format::Png if !cfg!(feature = "png") => Some("png"),
        _ => None,
    }
}

/// What is wrong with the formats that somebody asks for: the place of the first at fault, why, and what helps.
#[must_use]
pub fn fault(formats: &[Format]) -> Option<(usize, String, &'static str)> {
    let fault = |format: &Format| match (format, lacked(*format)) {
        (_, Some(feature)) => Some((
            format!("this hetsim draws no {}: it was built without the feature `{feature}`", format.name()),
            "ask for \"pdf\", which the command draws, or build it with `--features png`",
        )),
        (Format::Tex, _) if !printed(formats) => {
            Some(("a tex file puts a PDF or PNG into a document".to_owned(), "ask for \"pdf\" or \"png\" too"))
        }
        _ => None,
    };
    formats.iter().enumerate().find_map(|(place, format)| {
        let (message, help) = fault(format)?;
        Some((place, message, help))
    })
}

/// Whether there is something that LaTeX takes in.
fn printed(formats: &[Format]) -> bool {
    formats.contains(&Format::Pdf) || formats.contains(&Format::Png)
}
