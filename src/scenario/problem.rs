//! What is wrong with a scenario, and where: every message points into the text that it is about.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};
use thiserror::Error;

use crate::input;

/// A text that values come from: the scenario, a file that it includes, a `--set` on the command line.
#[derive(Debug, Clone)]
pub struct Source {
    /// As messages name it.
    pub name: String,
    /// The folder against which its file names are read.
    pub folder: PathBuf,
    /// The text itself.
    pub text: Arc<str>,
}

impl Source {
    /// Reads a file.
    ///
    /// # Errors
    /// A sentence that says why the file can't be read.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = input::read_text(path).map_err(|error| error.to_string())?;
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        Ok(Self { name: path.display().to_string(), folder, text: text.into() })
    }
}

/// Where a value stands: a stretch of a source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The number of the source.
    pub source: usize,
    /// The bytes.
    pub span: Range<usize>,
}

/// One thing that is wrong.
#[derive(Debug, Clone)]
pub struct Problem {
    /// What is wrong, as a sentence without a full stop.
    pub message: String,
    /// Where.
    pub place: Option<Place>,
    /// A few words beside the underlined text; none where the message says all.
    pub label: Option<String>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Problem {
    /// A problem at a place.
    pub fn at(place: &Place, message: impl Into<String>) -> Self {
        Self { message: message.into(), place: Some(place.clone()), label: None, help: None }
    }

    /// A problem of no particular place.
    pub fn general(message: impl Into<String>) -> Self {
        Self { message: message.into(), place: None, label: None, help: None }
    }

    /// The same with other words beside the underlined text.
    #[must_use]
    pub fn labelled(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// The same with advice.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Everything that is wrong with a scenario: never empty.
#[derive(Debug, Clone, Error)]
pub struct Problems {
    reports: Vec<Report>,
}

/// A problem with the text that it points into.
#[derive(Debug, Clone)]
pub struct Report {
    problem: Problem,
    source: Option<NamedSource<Arc<str>>>,
}

impl Problems {
    /// Joins problems with the sources that they point into, in the order of the text.
    #[must_use]
    pub fn new(mut problems: Vec<Problem>, sources: &[Source]) -> Self {
        let key = |problem: &Problem| problem.place.as_ref().map(|place| (place.source, place.span.start));
        problems.sort_by_key(key);
        let report = |problem: Problem| {
            let source = problem.place.as_ref().and_then(|place| sources.get(place.source));
            let source = source.map(|source| NamedSource::new(&source.name, Arc::clone(&source.text)));
            Report { problem, source }
        };
        Self { reports: problems.into_iter().map(report).collect() }
    }

    /// One problem of no particular place.
    pub fn general(message: impl Into<String>) -> Self {
        Self::new(vec![Problem::general(message)], &[])
    }

    /// The problems, to be shown one by one.
    #[must_use]
    pub fn reports(&self) -> &[Report] {
        &self.reports
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, report) in self.reports.iter().enumerate() {
            let separator = if number > 0 { "; " } else { "" };
            write!(f, "{separator}{report}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem.message.fmt(f)
    }
}

impl std::error::Error for Report {}

impl Diagnostic for Report {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.problem.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let place = self.problem.place.as_ref()?;
        let label = LabeledSpan::new_with_span(self.problem.label.clone(), place.span.clone());
        Some(Box::new(std::iter::once(label)))
    }
}

/// The candidate nearest to `name`, if one is near enough to be meant.
#[must_use]
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.len().max(name.len()) / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Advice on a name that is not among the known ones: the nearest, or all of them.
#[must_use]
pub fn suggest(name: &str, candidates: &[&str]) -> String {
    match nearest(name, candidates.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known are: {}", candidates.join(", ")),
    }
}
