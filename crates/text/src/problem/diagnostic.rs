//! How a terminal shows a problem: by miette, with the text that it points into.

use std::fmt;
use std::ops::Range;

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, SourceCode,
    SourceSpan, SpanContents,
};

use super::{Problems, Report, Spot, Text};

/// The width of the lines.
const WIDTH: usize = 80;

/// The longest line that is shown whole, in bytes; what is shown of a longer one, and how much before its fault.
const LONGEST: usize = 240;
const CUT: usize = 160;
const BEFORE: usize = 40;

/// The most lines that are underlined; of more, the first one is.
const MOST_LINES: usize = 10;

impl Problems {
    /// All problems as a terminal shows them, each with the text that it points into, and their number.
    #[must_use]
    pub fn shown(&self, coloured: bool) -> String {
        let theme = if coloured { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        let handler = GraphicalReportHandler::new_themed(theme).with_width(WIDTH).with_context_lines(1);
        let mut all = Vec::new();
        for report in self.reports() {
            let mut text = String::new();
            // Writing to a `String` cannot fail; an error without its frame is better than none.
            if handler.render_report(&mut text, &report.cut()).is_err() {
                text = report.to_string();
            }
            all.push(text.trim_end().to_owned());
        }
        if self.count > 1 {
            all.push(format!("\n{} problems; nothing was run", self.count));
        }
        all.join("\n")
    }
}

impl Report {
    /// The same with no more of the text than a terminal shows: the lines around the problem, and of a long one the part
    /// around it.
    fn cut(&self) -> Self {
        Self { problem: self.problem.clone(), spot: self.spot.as_ref().map(Spot::cut) }
    }
}

impl Spot {
    fn cut(&self) -> Self {
        let (text, start) = (&*self.text.content, self.span.start);
        let mut breaks = text[self.span.clone()].match_indices('\n').map(|(at, _)| start + at);
        let end = match (breaks.next(), breaks.nth(MOST_LINES - 1)) {
            (Some(first), Some(_)) => first,
            _ => self.span.end,
        };
        // The lines that hold it, one before and one after.
        let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |end| end + 1);
        let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
        let own = line_start(start);
        let first = own.checked_sub(1).map_or(own, line_start);
        let holds = if end > start && text[..end].ends_with('\n') { end } else { line_end(end) };
        let (mut shown, mut span, mut columns, mut at) = (String::new(), 0..0, 0, first);
        for line in text[first..line_end(holds)].split_inclusive('\n') {
            let part = if at == own { kept(line, start - at) } else { kept(line, 0) };
            if part.start > 0 {
                columns = line[..part.start].chars().count() - 1;
                shown.push('…');
            }
            let place = |whole: usize| shown.len() + whole.saturating_sub(at).clamp(part.start, part.end) - part.start;
            // Later lines know better, as far as they hold it.
            if at <= start {
                span.start = place(start);
            }
            if at <= start || at < end {
                span.end = place(end);
            }
            shown.push_str(&line[part.clone()]);
            if part.end < line.len() {
                shown.push_str("…\n");
            }
            at += line.len();
        }
        let left_out = (self.line - 1 - usize::from(first < own), columns);
        let text = Text { name: self.text.name.clone(), content: shown.into(), left_out };
        Self { text, span, line: self.line, column: self.column }
    }
}

/// What is shown of a line with a fault at a byte of it.
fn kept(line: &str, fault: usize) -> Range<usize> {
    if line.len() <= LONGEST {
        return 0..line.len();
    }
    let start = line.floor_char_boundary(fault.saturating_sub(BEFORE));
    start..line.ceil_char_boundary(start + CUT)
}

impl SourceCode for Text {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let contents = self.content.read_span(span, before, after)?;
        let start = self.content.get(..contents.span().offset()).filter(|_| before == 0);
        let in_line = start.map(|start| start.rsplit('\n').next().unwrap_or_default().chars().count());
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            contents.data(),
            *contents.span(),
            contents.line() + self.left_out.0,
            in_line.map_or_else(|| contents.column(), |columns| columns + self.left_out.1),
            contents.line_count(),
        )))
    }
}

impl Diagnostic for Report {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.problem.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.spot.as_ref().map(|spot| &spot.text as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = LabeledSpan::new_with_span(self.problem.label.clone(), self.spot.as_ref()?.span.clone());
        Some(Box::new(std::iter::once(label)))
    }
}
