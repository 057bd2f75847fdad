//! What is wrong with a scenario, and where: every message points into the text that it is about.

#[cfg(feature = "cli")]
mod diagnostic;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

use crate::input::{self, Input, InputError};
use crate::printable::printable;

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
    /// If the file can't be read.
    pub fn read(path: &Path) -> Result<Self, InputError> {
        Self::of(path, input::read_text(path))
    }

    /// Reads a file that hetsim wrote itself, which may be of any length.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_own(path: &Path) -> Result<Self, InputError> {
        Self::of(path, Input::open_own(path).and_then(Input::text))
    }

    fn of(path: &Path, text: Result<String, InputError>) -> Result<Self, InputError> {
        let text = text?;
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

impl Problem {
    /// The same with words that no terminal obeys: they may quote the text.
    fn harmless(self) -> Self {
        let harmless = |text: String| printable(&text).into_owned();
        Self {
            message: harmless(self.message),
            label: self.label.map(harmless),
            help: self.help.map(harmless),
            place: self.place,
        }
    }
}

/// A source as it is shown: with signs for what a terminal would obey.
struct Shown<'a> {
    text: Text,
    original: &'a str,
}

/// A named text whose columns are counted in characters, as editors do.
#[derive(Debug, Clone)]
struct Text {
    name: String,
    text: Arc<str>,
}

impl<'a> Shown<'a> {
    fn new(source: &'a Source) -> Self {
        let text = match printable(&source.text) {
            Cow::Borrowed(_) => Arc::clone(&source.text),
            Cow::Owned(text) => text.into(),
        };
        Self { text: Text { name: printable(&source.name).into_owned(), text }, original: &source.text }
    }

    /// Where a stretch of the source stands in what is shown.
    fn span(&self, span: &Range<usize>) -> Range<usize> {
        let is_same = self.text.text.len() == self.original.len();
        let place = |at: usize| match self.original.get(..at).filter(|_| !is_same) {
            Some(before) => {
                // One of these before a line feed is left as it is.
                let ends_line = before.ends_with('\r') && self.original[at..].starts_with('\n');
                printable(before).len() - if ends_line { '␍'.len_utf8() - 1 } else { 0 }
            }
            None => at,
        };
        place(span.start)..place(span.end)
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
    /// Where it stands in the text as it is shown.
    span: Option<Range<usize>>,
    source: Option<Text>,
}

impl Problems {
    /// Joins problems with the sources that they point into, in the order of the text.
    #[must_use]
    pub fn new(mut problems: Vec<Problem>, sources: &[Source]) -> Self {
        let shown: Vec<Shown<'_>> = sources.iter().map(Shown::new).collect();
        let key = |problem: &Problem| problem.place.as_ref().map(|place| (place.source, place.span.start));
        problems.sort_by_key(key);
        let report = |problem: Problem| {
            let source = problem.place.as_ref().and_then(|place| shown.get(place.source));
            let span = source.zip(problem.place.as_ref()).map(|(source, place)| source.span(&place.span));
            let source = source.map(|source| source.text.clone());
            Report { problem: problem.harmless(), span, source }
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

impl Report {
    /// What is wrong, without its place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.problem.message
    }

    /// What to do about it, if anything is known.
    #[must_use]
    pub fn advice(&self) -> Option<&str> {
        self.problem.help.as_deref()
    }

    /// The name of the text, the line and the column of the problem, both from 1; none where it has no place.
    #[must_use]
    pub fn place(&self) -> Option<(&str, usize, usize)> {
        let (source, span) = (self.source.as_ref()?, self.span.as_ref()?);
        let before = source.text.get(..span.start)?;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Some((&source.name, before.matches('\n').count() + 1, column))
    }

    /// The text at fault, which begins at its place; none where it has no place.
    #[must_use]
    pub fn at_fault(&self) -> Option<&str> {
        self.source.as_ref()?.text.get(self.span.clone()?)
    }
}

/// Every problem with its place, as compilers write it, and with advice: a line for each.
impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, report) in self.reports.iter().enumerate() {
            if number > 0 {
                f.write_str("\n")?;
            }
            if let Some((name, line, column)) = report.place() {
                write!(f, "{name}:{line}:{column}: ")?;
            }
            f.write_str(report.message())?;
            if let Some(advice) = report.advice() {
                write!(f, " ({advice})")?;
            }
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
        None => format!("expected one of: {}", candidates.join(", ")),
    }
}
