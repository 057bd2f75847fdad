//! What is wrong with a scenario, and where: every message points into the text that it is about.

#[cfg(feature = "terminal")]
mod diagnostic;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

use hetsim_base::input::{self, Input, InputError};
use hetsim_base::printable::{characters, printable, shortened};

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
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Place {
    /// The number of the source.
    pub source: usize,
    /// The bytes; [`Problems`] show the whole characters that they touch.
    pub span: Range<usize>,
}

/// The most problems that are told; the rest are counted.
const MOST: usize = 100;

/// The longest message and the longest advice, in bytes: they may quote texts of any length.
const LONGEST: [usize; 2] = [800, 2000];

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
        Self { place: Some(place.clone()), ..Self::general(message) }
    }

    /// A problem of no particular place.
    pub fn general(message: impl Into<String>) -> Self {
        // Here and not where it is shown: there may be many, each about the same long name.
        Self { message: shortened(message.into(), LONGEST[0]), place: None, label: None, help: None }
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

    /// The same with the candidate that is near enough to a name to be meant, if one is.
    #[must_use]
    pub fn with_near<'a>(self, name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Self {
        match nearest(name, candidates) {
            Some(near) => self.with_help(format!("did you mean `{near}`?")),
            None => self,
        }
    }
}

impl Problem {
    /// The same with words that no terminal obeys and that have an end: they may quote the text.
    fn harmless(self) -> Self {
        let harmless = |text: String| printable(&shortened(text, LONGEST[1])).into_owned();
        Self {
            message: harmless(self.message),
            label: self.label.map(harmless),
            help: self.help.map(harmless),
            place: self.place,
        }
    }
}

/// A source as it is shown, with signs for what a terminal would obey, read from its start on.
struct Shown<'a> {
    text: Text,
    original: &'a str,
    /// How far it was read, and where that is in what is shown.
    at: usize,
    place: usize,
    /// The line and the column there, both from 1.
    line: usize,
    column: usize,
}

/// A named text, or some lines of one, whose columns are counted in characters, as editors do.
#[derive(Debug, Clone)]
struct Text {
    name: String,
    content: Arc<str>,
    /// How many lines are left out before these, and how many characters of the line at fault.
    #[cfg_attr(not(feature = "terminal"), expect(dead_code, reason = "only a terminal shows some lines"))]
    left_out: (usize, usize),
}

/// Where a problem stands in a text as it is shown.
#[derive(Debug, Clone)]
struct Spot {
    text: Text,
    span: Range<usize>,
    line: usize,
    column: usize,
}

impl<'a> Shown<'a> {
    fn new(source: &'a Source) -> Self {
        let text = match printable(&source.text) {
            Cow::Borrowed(_) => Arc::clone(&source.text),
            Cow::Owned(text) => text.into(),
        };
        let text = Text { name: printable(&source.name).into_owned(), content: text, left_out: (0, 0) };
        Self { text, original: &source.text, at: 0, place: 0, line: 1, column: 1 }
    }

    /// Where a stretch of the source stands, which does not begin before the one that was asked for last.
    fn spot(&mut self, span: &Range<usize>) -> Spot {
        let span = characters(self.original, span);
        let passed = &self.original[self.at..span.start];
        self.place += self.length(self.at..span.start);
        self.at = span.start;
        self.line += passed.matches('\n').count();
        let in_line = passed.rfind('\n').map_or(passed, |end| {
            self.column = 1;
            &passed[end + 1..]
        });
        self.column += in_line.chars().count();
        let shown = self.place..self.place + self.length(span);
        Spot { text: self.text.clone(), span: shown, line: self.line, column: self.column }
    }

    /// How many bytes a stretch has where it is shown.
    fn length(&self, span: Range<usize>) -> usize {
        if self.text.content.len() == self.original.len() {
            return span.len();
        }
        let (stretch, after) = (&self.original[span.clone()], &self.original[span.end..]);
        // One of these before a line feed is left as it is.
        let ends_line = stretch.ends_with('\r') && after.starts_with('\n');
        printable(stretch).len() - if ends_line { '␍'.len_utf8() - 1 } else { 0 }
    }
}

/// Everything that is wrong with a scenario: never empty. Of very many problems the first ones are told.
#[derive(Debug, Clone, Error)]
pub struct Problems {
    reports: Vec<Report>,
    #[cfg_attr(not(feature = "terminal"), expect(dead_code, reason = "only a terminal says how many there are"))]
    count: usize,
}

/// A problem with the text that it points into.
#[derive(Debug, Clone)]
pub struct Report {
    problem: Problem,
    spot: Option<Spot>,
}

impl Problems {
    /// Joins problems with the sources that they point into, in the order of the text. The last report counts those
    /// that are not told.
    #[must_use]
    pub fn new(mut problems: Vec<Problem>, sources: &[Source]) -> Self {
        let count = problems.len();
        let key = |problem: &Problem| problem.place.as_ref().map(|place| (place.source, place.span.start));
        problems.sort_by_key(key);
        problems.truncate(MOST);
        if count > MOST {
            problems.push(Problem::general(format!("… and {} more problems", count - MOST)));
        }
        let mut shown: Vec<Shown<'_>> = sources.iter().map(Shown::new).collect();
        let report = |problem: Problem| {
            let place = problem.place.as_ref();
            let spot = place.and_then(|place| Some(shown.get_mut(place.source)?.spot(&place.span)));
            Report { problem: problem.harmless(), spot }
        };
        Self { reports: problems.into_iter().map(report).collect(), count }
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
        self.spot.as_ref().map(|spot| (spot.text.name.as_str(), spot.line, spot.column))
    }

    /// The text at fault, which begins at its place; none where it has no place.
    #[must_use]
    pub fn at_fault(&self) -> Option<&str> {
        self.spot.as_ref().and_then(|spot| spot.text.content.get(spot.span.clone()))
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

/// The longest name, in bytes, for which another is suggested: a comparison takes as long as the product of two lengths.
const LONGEST_NAME: usize = 256;

/// The candidate nearest to `name`, if one is near enough to be meant; of equally near ones the first in the alphabet.
#[must_use]
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LONGEST_NAME {
        return None;
    }
    let lower = name.to_lowercase();
    // Lengths tell most apart.
    let close = |candidate: &&str| candidate.len().abs_diff(name.len()) <= candidate.len().max(name.len()) / 3;
    candidates
        .into_iter()
        .filter(close)
        .map(|candidate| (strsim::damerau_levenshtein(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.len().max(name.len()) / 3)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Advice on a name that is not among the known ones: the nearest, or all of them.
#[must_use]
pub fn suggest(name: &str, candidates: &[&str]) -> String {
    if candidates.is_empty() {
        return "there are none".to_owned();
    }
    match nearest(name, candidates.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("expected one of: {}", candidates.join(", ")),
    }
}
