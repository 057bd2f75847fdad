//! How a terminal shows a problem: by miette, with the text that it points into.

use std::fmt;

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, SourceCode,
    SourceSpan, SpanContents,
};

use super::{Problems, Report, Text};

/// The width of the lines.
const WIDTH: usize = 80;

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
            if handler.render_report(&mut text, report).is_err() {
                text = report.to_string();
            }
            all.push(text.trim_end().to_owned());
        }
        if all.len() > 1 {
            all.push(format!("\n{} problems; nothing was run", all.len()));
        }
        all.join("\n")
    }
}

impl SourceCode for Text {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let contents = self.text.read_span(span, before, after)?;
        let start = self.text.get(..contents.span().offset()).filter(|_| before == 0);
        let in_line = start.map(|start| start.rsplit('\n').next().unwrap_or_default().chars().count());
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            contents.data(),
            *contents.span(),
            contents.line(),
            in_line.unwrap_or_else(|| contents.column()),
            contents.line_count(),
        )))
    }
}

impl Diagnostic for Report {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.problem.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = LabeledSpan::new_with_span(self.problem.label.clone(), self.span.clone()?);
        Some(Box::new(std::iter::once(label)))
    }
}
