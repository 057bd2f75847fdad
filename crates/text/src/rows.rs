//! The rows of a table in a text, with the lines on which they begin.

use std::io::{Chain, Read, Result as IoResult};

/// Reads a table row by row. No row is told from the others: the first may hold the titles.
#[derive(Debug)]
pub struct NumberedRows<R> {
    reader: csv::Reader<Chain<LineFeeds<R>, &'static [u8]>>,
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
            .from_reader(LineFeeds { input, is_after_return: false }.chain(&b"\n"[..]));
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
        self.line = self.reader.position().line().saturating_sub(1 + breaks);
        found
    }

    /// The line on which the last row begins, from 1; of one that is no UTF-8 text, the line on which it ends.
    pub const fn line(&self) -> u64 {
        self.line
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
}
