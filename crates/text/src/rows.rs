//! The rows of a table in a text, with the lines on which they begin.

use std::io::{Chain, Read, Result as IoResult};

/// Reads a table row by row. No row is told from the others: the first may hold the titles.
#[derive(Debug)]
pub struct NumberedRows<R> {
    reader: csv::Reader<Chain<LineFeeds<R>, Ending>>,
    line: u64,
}

impl<R: Read> NumberedRows<R> {
    /// The rows of a table of this form, which may have different lengths and are not trimmed.
    pub fn new(form: &mut csv::ReaderBuilder, input: R) -> Self {
        // With a line feed at its end, the last line is counted like the others.
        let reader = form
            .has_headers(false)
            .trim(csv::Trim::None)
            .flexible(true)
            .from_reader(LineFeeds { input, is_after_return: false }.chain(Ending::default()));
        Self { reader, line: 0 }
    }

    /// Reads the next row; false if there is none.
    ///
    /// # Errors
    /// The input can't be read, or is no UTF-8 text.
    pub fn read(&mut self, row: &mut csv::StringRecord) -> Result<bool, csv::Error> {
        let found = self.reader.read_record(row);
        // A row's own position is where the comments and blank lines before it begin. Its line is as many lines before its
        // end as its cells have line breaks.
        let breaks = row.as_slice().bytes().filter(|&byte| byte == b'\n').count() as u64;
        // The last one of a row that a quote leaves open is a break in its cell.
        let end = u64::from(!self.reader.get_ref().get_ref().1.is_passed);
        self.line = self.reader.position().line().saturating_sub(end + breaks);
        found
    }

    /// The line on which the last row begins, from 1; of one that is no UTF-8 text, the line on which it ends.
    pub const fn line(&self) -> u64 {
        self.line
    }
}

/// The line feed behind a text.
#[derive(Debug, Default)]
struct Ending {
    is_given: bool,
    /// Whether a row went on behind it.
    is_passed: bool,
}

impl Read for Ending {
    fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        if self.is_given {
            self.is_passed = true;
            return Ok(0);
        }
        self.is_given = true;
        buffer[0] = b'\n';
        Ok(1)
    }
}

/// A text whose lines end with a line feed each: those that end with a carriage return, or with both, are not counted well
/// by the reader of rows.
#[derive(Debug)]
struct LineFeeds<R> {
    input: R,
    is_after_return: bool,
}

impl<R: Read> Read for LineFeeds<R> {
    fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
        loop {
            let read = self.input.read(buffer)?;
            if !self.is_after_return && !buffer[..read].contains(&b'\r') {
                return Ok(read);
            }
            let mut kept = 0;
            for place in 0..read {
                let byte = buffer[place];
                if !(self.is_after_return && byte == b'\n') {
                    buffer[kept] = if byte == b'\r' { b'\n' } else { byte };
                    kept += 1;
                }
                self.is_after_return = byte == b'\r';
            }
            // Nothing but the second half of a line's end is not the end of the text.
            if kept > 0 || read == 0 {
                return Ok(kept);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};

    use super::*;

    /// Gives what its buffer holds.
    struct Slowly<R>(R);

    impl<R: BufRead> Read for Slowly<R> {
        fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
            let held = self.0.fill_buf()?;
            let some = held.len().min(buffer.len());
            buffer[..some].copy_from_slice(&held[..some]);
            self.0.consume(some);
            Ok(some)
        }
    }

    fn lines(text: &str, most_at_once: usize) -> Vec<(u64, String)> {
        let text = BufReader::with_capacity(most_at_once, text.as_bytes());
        let mut rows = NumberedRows::new(csv::ReaderBuilder::new().comment(Some(b'#')), Slowly(text));
        let (mut row, mut found) = (csv::StringRecord::new(), Vec::new());
        while rows.read(&mut row).unwrap() {
            found.push((rows.line(), row.iter().collect::<Vec<_>>().join("|")));
        }
        found
    }

    #[test]
    fn comments_blank_lines_and_line_breaks_in_cells_are_counted() {
        let text = "# a\n\na,b\n# c\n\n\n1,2\n\"3\n\n\",4\n5,6";
        let expected =
            [(3, "a|b"), (7, "1|2"), (8, "3\n\n|4"), (11, "5|6")].map(|(line, cells)| (line, cells.to_owned()));
        assert_eq!(lines(&format!("\u{feff}{text}"), 1000), expected);
        for most_at_once in [1, 2, 3, 1000] {
            for end in ["\n", "\r\n", "\r"] {
                assert_eq!(lines(&text.replace('\n', end), most_at_once), expected, "{end:?}, {most_at_once}");
            }
        }
    }

    #[test]
    fn a_row_with_an_open_quote_begins_where_it_begins() {
        for end in ["", "\n", "\n\n"] {
            let text = format!("a,b\n1,\"2\n\"\n\n3,\"4\n5,6{end}");
            for most_at_once in [1, 2, 1000] {
                let found: Vec<u64> = lines(&text, most_at_once).into_iter().map(|(line, _)| line).collect();
                assert_eq!(found, [1, 2, 5], "{end:?}, {most_at_once}");
            }
        }
        assert_eq!(lines("a\n\"b", 1000), [(1, "a".to_owned()), (2, "b\n".to_owned())]);
        // A quote that ends with the text ends its row.
        assert_eq!(lines("a\n\"b\"", 1000)[1], (2, "b".to_owned()));
    }
}
