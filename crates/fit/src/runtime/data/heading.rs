//! The beginning of a file of measured times: comments, column names and the separator.
//!
//! It accepts every file that [`fit::read`](crate::read::read) accepts: a CSV below comments, and the output of
//! OSU micro-benchmarks, whose column names stand in a comment and are separated by blanks.

use std::io::{self, BufRead, Cursor, Read};

/// The maximum length of a heading line in bytes.
const LONGEST: u64 = 65_536;

/// The column names of a file, and the rows below them.
pub(super) struct Heading<R> {
    /// The names, in the order of the columns.
    pub(super) names: Vec<String>,
    /// The separator between the cells of a row.
    pub(super) separator: char,
    /// The number of lines above the rows.
    pub(super) lines: u64,
    /// The rows.
    pub(super) rows: Rows<R>,
}

/// The rows as they are in the file, or with blanks replaced by commas.
pub(super) enum Rows<R> {
    AsTheyAre(R),
    Separated(Cursor<String>),
}

impl<R: Read> Read for Rows<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::AsTheyAre(rows) => rows.read(buffer),
            Self::Separated(rows) => rows.read(buffer),
        }
    }
}

impl<R: BufRead> Heading<R> {
    /// Reads the lines up to the column names. A comment line that contains all names in `wanted`, in any case, holds
    /// the column names.
    pub(super) fn read(mut input: R, wanted: &[&str]) -> io::Result<Self> {
        let mut lines = 0;
        let mut benchmark: Option<String> = None;
        loop {
            let mut line = Vec::new();
            let ended = input.by_ref().take(LONGEST).read_until(b'\n', &mut line)? == 0;
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_start_matches('\u{feff}').trim_end_matches(['\n', '\r']);
            lines += u64::from(!ended);
            if let Some(comment) = line.trim_start().strip_prefix('#') {
                let (names, separator) = separated(comment);
                let has = |wanted: &&str| names.iter().any(|name| name.eq_ignore_ascii_case(wanted));
                if wanted.iter().all(has) && names.len() > 1 {
                    return Ok(Self { names, separator, lines, rows: Rows::AsTheyAre(input) });
                }
                if comment.trim_start().to_lowercase().starts_with("size") {
                    benchmark = Some(comment.trim().to_owned());
                }
            } else if let Some(columns) = benchmark.as_ref().filter(|_| !ended && !line.contains([',', ';', '\t'])) {
                if line.trim().is_empty() {
                    continue;
                }
                let names = benchmark_names(columns, line.split_whitespace().count());
                let mut rest = String::new();
                input.read_to_string(&mut rest)?;
                let table: Vec<String> = std::iter::once(line).chain(rest.lines()).map(with_commas).collect();
                let rows = Rows::Separated(Cursor::new(table.join("\n")));
                return Ok(Self { names, separator: ',', lines: lines - 1, rows });
            } else if ended || !line.trim().is_empty() {
                let (names, separator) = separated(line);
                return Ok(Self { names, separator, lines, rows: Rows::AsTheyAre(input) });
            }
        }
    }
}

/// The names in a line, and their separator.
fn separated(line: &str) -> (Vec<String>, char) {
    let count = |separator: &char| line.matches(*separator).count();
    let separator = [',', ';', '\t'].into_iter().rev().max_by_key(count).unwrap_or(',');
    let names = line.split(separator).map(|name| name.trim().trim_matches('"').trim().to_owned());
    (names.collect(), separator)
}

/// Replaces the blanks between the cells of a line by commas; comments are kept.
fn with_commas(line: &str) -> String {
    if line.trim_start().starts_with('#') {
        return line.to_owned();
    }
    line.split_whitespace().collect::<Vec<_>>().join(",")
}

/// Normalises a benchmark's column names: `bytes` for the size, `latency_us` for "Latency (us)".
fn benchmark_names(columns: &str, count: usize) -> Vec<String> {
    let apart = |text: &str| -> Vec<String> {
        text.split("  ").map(str::trim).filter(|name| !name.is_empty()).map(identifier).collect()
    };
    let names = apart(columns);
    if names.len() == count {
        return names;
    }
    // Names separated by single blanks: a unit in brackets belongs to the word before it.
    let names = apart(&columns.split_whitespace().collect::<Vec<_>>().join("  ").replace("  (", " ("));
    if names.len() == count {
        return names;
    }
    // Better no names than wrong ones.
    (1..=count).map(|number| if number == 1 { "bytes".to_owned() } else { format!("column_{number}") }).collect()
}

/// A name in lower case without blanks and punctuation.
fn identifier(name: &str) -> String {
    let lower = name.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if words == ["size"] { "bytes".to_owned() } else { words.join("_") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (Vec<String>, char, u64, String) {
        let mut heading = Heading::read(text.as_bytes(), &["time_us"]).unwrap();
        let mut rest = String::new();
        heading.rows.read_to_string(&mut rest).unwrap();
        (heading.names, heading.separator, heading.lines, rest)
    }

    /// A comment about the columns names them only if all that is asked for is in it.
    #[test]
    fn comments_about_columns_are_no_headings() {
        let heading = Heading::read("# columns: p, time_us\np,time_us\n1,2\n".as_bytes(), &["time_us", "p"]).unwrap();
        assert_eq!((heading.names, heading.lines), (vec!["p".to_owned(), "time_us".to_owned()], 2));
    }

    #[test]
    fn headings_of_all_kinds() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        for (text, columns, separator, lines, rest) in [
            ("\u{feff}p;\"time_us\"\r\n1;2\n", names(&["p", "time_us"]), ';', 1, "1;2\n"),
            ("# measured on Monday, by hand\n\np,time_us\n1,2\n", names(&["p", "time_us"]), ',', 3, "1,2\n"),
            ("# p,time_us\n1,2\n", names(&["p", "time_us"]), ',', 1, "1,2\n"),
            ("# p,TIME_US\n1,2\n", names(&["p", "TIME_US"]), ',', 1, "1,2\n"),
            (
                "# OSU MPI Latency Test v5.9\n# Size          Latency (us)\n0        1.10\n\n8  1.20\n",
                names(&["bytes", "latency_us"]),
                ',',
                2,
                "0,1.10\n\n8,1.20",
            ),
            (
                "# Size Avg Latency(us) Iterations\n1 1.25 100\n",
                names(&["bytes", "column_2", "column_3"]),
                ',',
                1,
                "1,1.25,100",
            ),
            (
                "# Size       Avg Latency(us)   Iterations\n1   1.25   100\n",
                names(&["bytes", "avg_latency_us", "iterations"]),
                ',',
                1,
                "1,1.25,100",
            ),
            ("# Size Bandwidth (MB/s)\n1 2\n", names(&["bytes", "bandwidth_mb_s"]), ',', 1, "1,2"),
            ("", names(&[""]), '\t', 0, ""),
        ] {
            let found = of(text);
            assert_eq!((&found.0, found.2, found.3.as_str()), (&columns, lines, rest), "{text}");
            assert!(text.is_empty() || found.1 == separator, "{text}");
        }
    }
}
