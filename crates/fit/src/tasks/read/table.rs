//! Logs that are tables: the rows of a text with titles in its first line.

use hetsim_text::nearest;

use crate::read::ReadError;

/// A table that is read row by row.
pub(super) struct LogTable<'t> {
    reader: csv::Reader<std::io::Chain<&'t [u8], &'static [u8]>>,
    row: csv::StringRecord,
    titles: Vec<String>,
    line: usize,
    /// Whether the last cell may have separators in it.
    is_open: bool,
}

impl<'t> LogTable<'t> {
    /// A table with this separator, which the last cell may have in it if `is_open`; only one of commas has quotes and
    /// comments.
    pub(super) fn new(text: &'t str, separator: u8, is_open: bool) -> Result<Self, ReadError> {
        let is_csv = separator == b',';
        let reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .delimiter(separator)
            .quoting(is_csv)
            .comment(is_csv.then_some(b'#'))
            .flexible(true)
            // With a line feed at its end, the last line is counted like the others.
            .from_reader(std::io::Read::chain(text.as_bytes(), &b"\n"[..]));
        let (row, titles) = (csv::StringRecord::new(), Vec::new());
        let mut table = Self { reader, row, titles, line: 0, is_open };
        table.read()?;
        table.titles = table.row.iter().map(|title| title.trim_start_matches('\u{feff}').trim().to_owned()).collect();
        Ok(table)
    }

    fn read(&mut self) -> Result<bool, ReadError> {
        let found = self.reader.read_record(&mut self.row);
        self.line = self.reader.position().line().saturating_sub(1) as usize;
        found.map_err(|error| ReadError::at(self.line + 1, error.to_string()))
    }

    /// Whether there is a column of this title.
    pub(super) fn find(&self, title: &str) -> Option<usize> {
        self.titles.iter().position(|own| own.eq_ignore_ascii_case(title))
    }

    /// The column of a title.
    pub(super) fn column(&self, title: &str) -> Result<usize, ReadError> {
        self.find(title).ok_or_else(|| {
            let advice = match nearest(title, self.titles.iter().map(String::as_str)) {
                Some(near) => format!("is it `{near}`?"),
                None => format!("the columns are {}", self.titles.join(", ")),
            };
            ReadError::at(self.line, format!("there is no column `{title}`; {advice}"))
        })
    }

    /// The columns of some titles.
    pub(super) fn columns<const N: usize>(&self, titles: [&str; N]) -> Result<[usize; N], ReadError> {
        let mut columns = [0; N];
        for (column, title) in columns.iter_mut().zip(titles) {
            *column = self.column(title)?;
        }
        Ok(columns)
    }

    /// Reads the next row; false if there is none.
    pub(super) fn advance(&mut self) -> Result<bool, ReadError> {
        let found = self.read()?;
        let (cells, titles) = (self.row.len(), self.titles.len());
        if found && (cells < titles || cells > titles && !self.is_open) {
            let message = format!("this row has {cells} cells, and there are {titles} columns: it may be cut off");
            return Err(self.error(message));
        }
        Ok(found)
    }

    /// A cell of the row, without blanks around it.
    pub(super) fn cell(&self, column: usize) -> &str {
        self.row.get(column).unwrap_or_default().trim()
    }

    /// The same of a column that may be missing; then it is empty.
    pub(super) fn cell_of(&self, column: Option<usize>) -> &str {
        column.map_or("", |column| self.cell(column))
    }

    /// What a cell means; an error if it is not what is expected.
    pub(super) fn value(
        &self,
        column: usize,
        expected: &str,
        meaning: impl Fn(&str) -> Option<f64>,
    ) -> Result<f64, ReadError> {
        let title = &self.titles[column];
        let cell = self.cell(column);
        meaning(cell).ok_or_else(|| self.error(format!("column `{title}`: expected {expected}, not `{cell}`")))
    }

    /// The same of a column that may be missing, or a cell that may say nothing.
    pub(super) fn value_of(
        &self,
        column: Option<usize>,
        expected: &str,
        meaning: impl Fn(&str) -> Option<f64>,
    ) -> Result<Option<f64>, ReadError> {
        let said = column.filter(|&column| !["", "-"].contains(&self.cell(column)));
        said.map(|column| self.value(column, expected, meaning)).transpose()
    }

    /// An error in this row.
    pub(super) fn error(&self, message: impl Into<String>) -> ReadError {
        ReadError::at(self.line, message)
    }
}

/// What a count or a size may be.
pub(super) const AMOUNT: &str = "a number of zero or more";

/// A number of zero or more.
pub(super) fn amount(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0)
}
