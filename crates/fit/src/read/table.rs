//! Tables as measurements come: the rows of a text with titles in its first line.

use std::io::Read;

use hetsim_text::{NumberedRows, nearest};

use super::ReadError;

/// A table that is read row by row.
pub(crate) struct TableReader<R> {
    rows: NumberedRows<R>,
    row: csv::StringRecord,
    titles: Vec<String>,
    length: RowLength,
}

/// How many cells a row has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowLength {
    /// One below each title.
    Titles,
    /// That many or more: the last may have separators in it.
    TitlesOrMore,
    /// That many or fewer: what a shorter row does without is missing.
    TitlesOrFewer,
}

impl<R: Read> TableReader<R> {
    /// A table separated by commas, with quotes, and comments that begin with `#`.
    pub(crate) fn of_commas(input: R, length: RowLength) -> Result<Self, ReadError> {
        Self::new(input, csv::ReaderBuilder::new().comment(Some(b'#')), length)
    }

    /// A table with another separator, and nothing else that has a meaning.
    pub(crate) fn separated(input: R, separator: u8, length: RowLength) -> Result<Self, ReadError> {
        Self::new(input, csv::ReaderBuilder::new().delimiter(separator).quoting(false), length)
    }

    fn new(input: R, form: &mut csv::ReaderBuilder, length: RowLength) -> Result<Self, ReadError> {
        let (row, titles) = (csv::StringRecord::new(), Vec::new());
        let mut table = Self { rows: NumberedRows::new(form, input), row, titles, length };
        table.read()?;
        table.titles = table.row.iter().map(|title| title.trim().to_owned()).collect();
        Ok(table)
    }

    fn read(&mut self) -> Result<bool, ReadError> {
        let mut found = self.rows.read(&mut self.row);
        // A line of blanks is none.
        while matches!(found, Ok(true)) && self.row.len() == 1 && self.cell(0).is_empty() {
            found = self.rows.read(&mut self.row);
        }
        found.map_err(|error| match error.kind() {
            csv::ErrorKind::Utf8 { .. } => self.error("this row is not UTF-8 text"),
            // A file that can no longer be read fails at no line.
            _ => ReadError::at(0, error.to_string()),
        })
    }

    /// The titles of the columns; none of an empty text.
    pub(crate) fn titles(&self) -> &[String] {
        &self.titles
    }

    /// The place of the column with this title, if there is one.
    pub(crate) fn find(&self, title: &str) -> Option<usize> {
        self.titles.iter().position(|own| own.eq_ignore_ascii_case(title))
    }

    /// The column of a title.
    pub(crate) fn column(&self, title: &str) -> Result<usize, ReadError> {
        self.find(title).ok_or_else(|| {
            let advice = match nearest(title, self.titles.iter().map(String::as_str)) {
                Some(near) => format!("is it `{near}`?"),
                None => format!("the columns are {}", self.titles.join(", ")),
            };
            self.error(format!("there is no column `{title}`; {advice}"))
        })
    }

    /// The columns of some titles.
    pub(crate) fn columns<const N: usize>(&self, titles: [&str; N]) -> Result<[usize; N], ReadError> {
        let mut columns = [0; N];
        for (column, title) in columns.iter_mut().zip(titles) {
            *column = self.column(title)?;
        }
        Ok(columns)
    }

    /// Reads the next row; false if there is none.
    pub(crate) fn advance(&mut self) -> Result<bool, ReadError> {
        let found = self.read()?;
        let (cells, titles) = (self.row.len(), self.titles.len());
        let is_wrong = match self.length {
            RowLength::Titles => cells != titles,
            RowLength::TitlesOrMore => cells < titles,
            RowLength::TitlesOrFewer => cells > titles,
        };
        if found && is_wrong {
            let message = format!("this row has {cells} cells, and there are {titles} columns: it may be cut off");
            return Err(self.error(message));
        }
        Ok(found)
    }

    /// The line on which the row begins, from 1; at first that of the titles.
    pub(crate) fn line(&self) -> usize {
        self.rows.line() as usize
    }

    /// A cell of the row, without blanks around it; empty where the row is shorter.
    pub(crate) fn cell(&self, column: usize) -> &str {
        self.row.get(column).unwrap_or_default().trim()
    }

    /// The same; an error where the row is shorter.
    pub(crate) fn given(&self, column: usize) -> Result<&str, ReadError> {
        let missing = || format!("column {} (`{}`) is missing in this row", column + 1, self.titles[column]);
        self.row.get(column).map(str::trim).ok_or_else(|| self.error(missing()))
    }

    /// The same of a column that may be missing; then it is empty.
    pub(crate) fn cell_of(&self, column: Option<usize>) -> &str {
        column.map_or("", |column| self.cell(column))
    }

    /// What a cell means; an error if it is not what is expected.
    pub(crate) fn value<T>(
        &self,
        column: usize,
        expected: &str,
        meaning: impl Fn(&str) -> Option<T>,
    ) -> Result<T, ReadError> {
        let title = &self.titles[column];
        let cell = self.cell(column);
        meaning(cell).ok_or_else(|| self.error(format!("column `{title}`: expected {expected}, not `{cell}`")))
    }

    /// The same of a column that may be missing, or a cell that may say nothing.
    pub(crate) fn value_of<T>(
        &self,
        column: Option<usize>,
        expected: &str,
        meaning: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, ReadError> {
        let said = column.filter(|&column| !["", "-"].contains(&self.cell(column)));
        said.map(|column| self.value(column, expected, meaning)).transpose()
    }

    /// An error in this row.
    pub(crate) fn error(&self, message: impl Into<String>) -> ReadError {
        ReadError::at(self.line(), message)
    }
}

/// Why two of these columns can't both be there, if there are two for one thing: nothing says which of them is meant.
pub(crate) fn doubled(titles: &[String], is_for_it: impl Fn(&str) -> bool) -> Option<String> {
    let mut places = (0..titles.len()).filter(|&place| is_for_it(&titles[place]));
    let (first, second) = places.next().zip(places.next())?;
    let named = |place: usize| format!("{} (`{}`)", place + 1, titles[place]);
    Some(format!("columns {} and {} say the same: leave one out", named(first), named(second)))
}

/// What a count or a size may be.
pub(crate) const AMOUNT: &str = "a number of zero or more";

/// A number of zero or more.
pub(crate) fn amount(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0)
}
