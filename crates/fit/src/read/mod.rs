//! Reads files of real measurements: the output of OSU micro-benchmarks, and ping-pongs as CSV.

pub mod collectives;
mod csv;
mod osu;
pub(crate) mod table;

use std::ops::RangeInclusive;

use thiserror::Error;

use super::samples::{PairSamples, Series};

/// An error in a file and its line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}{message}", self.at_line())]
pub struct ReadError {
    /// The line number, from 1; 0 for the file as a whole.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl ReadError {
    /// The line as messages begin with it; nothing for the file as a whole.
    fn at_line(&self) -> String {
        if self.line == 0 { String::new() } else { format!("line {}: ", self.line) }
    }

    pub(crate) fn at(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

/// Reads the output of `osu_latency` or `osu_bw`, or a CSV whose first row names its columns. Comment lines start with
/// `#`.
///
/// These CSV columns are recognised, each name ending with its unit (`_s`, `_ms`, `_us` or `_ns`): `bytes` or `size`
/// (without a unit); `half_rtt…`, `half_round_trip…`, `latency…` and `time…` (end to end); `rtt…` and `round_trip…`;
/// `gap…` and `g`; `isend…`, `send_overhead…` and `os`; `recv…`, `receive_overhead…` and `or`. Of several columns for a
/// quantity, the one with `median` in its name is used, else the one with `mean`, else the first. Rows of one size are
/// samples of that size. Two columns that say the same, such as `rtt_us` and `rtt_ms` or `half_rtt_us`, are refused.
///
/// # Errors
/// The first invalid line, with the reason.
pub fn read(text: &str) -> Result<PairSamples, ReadError> {
    let first = text.lines().find(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    let samples = match first {
        None => PairSamples::default(),
        Some(line) if line.contains(',') => csv::read(text)?,
        Some(_) => osu::read(text)?,
    };
    // A heading alone, or a bandwidth of nothing.
    if samples.lists().iter().all(|list| list.is_empty()) {
        return Err(ReadError::at(0, "there are no measurements in the file"));
    }
    Ok(samples)
}

/// Adds a sample to the series of its size.
fn add(list: &mut Vec<Series>, bytes: u64, seconds: f64) {
    match list.binary_search_by_key(&bytes, |series| series.bytes) {
        Ok(place) => list[place].seconds.push(seconds),
        Err(place) => list.insert(place, Series { bytes, seconds: vec![seconds], ..Series::default() }),
    }
}

/// Parses a positive number.
fn number(text: &str, what: &str, line: usize) -> Result<f64, ReadError> {
    match text.trim().parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok(number),
        Ok(number) => Err(ReadError::at(line, format!("{what} must be above zero, not {number}"))),
        Err(_) => Err(ReadError::at(line, format!("{what} is not a number: {:?}", text.trim()))),
    }
}

/// The times that a machine may take, in seconds. Fits square them, and squares beyond these limits are no numbers.
pub(crate) const MEASURABLE: RangeInclusive<f64> = 1e-18..=1e18;

/// A time in seconds, unless no clock can have measured it.
fn time(seconds: f64, what: &str, line: usize) -> Result<f64, ReadError> {
    if MEASURABLE.contains(&seconds) {
        return Ok(seconds);
    }
    let (least, most) = (MEASURABLE.start(), MEASURABLE.end());
    let message = format!("{what} is {seconds:.1e}\u{a0}s, and a time is between {least:e}\u{a0}s and {most:e}\u{a0}s");
    Err(ReadError::at(line, message))
}

/// Parses a size in bytes.
fn size(text: &str, line: usize) -> Result<u64, ReadError> {
    text.trim()
        .parse()
        .map_err(|_| ReadError::at(line, format!("the size is not a whole number of bytes: {:?}", text.trim())))
}

impl PairSamples {
    /// Derives gaps from ping-pongs if overheads were measured but gaps were not. L is the median, over sizes up to 16
    /// B (or the smallest), of half the round trip minus the longer overhead; the gap of a size is half its round trip
    /// minus L. With these gaps pLogP's L + g(m) equals the measured curve. Returns `None` if there are gaps or no
    /// overheads.
    #[must_use]
    pub fn with_derived_gaps(&self) -> Option<Self> {
        if !self.gaps.is_empty() {
            return None;
        }
        let middle = |list: &[Series], bytes: u64| {
            let place = list.binary_search_by_key(&bytes, |series| series.bytes).ok()?;
            list[place].middle().map(|middle| middle.value)
        };
        let smallest = self.round_trips.first()?.bytes;
        let latencies =
            self.round_trips.iter().filter(|series| series.bytes <= smallest.max(16)).filter_map(|series| {
                let half = series.middle()?.value / 2.0;
                let sending = middle(&self.send_overheads, series.bytes)?;
                let receiving = middle(&self.receive_overheads, series.bytes)?;
                Some(half - sending.max(receiving))
            });
        let latency = super::robust::median(&latencies.collect::<Vec<f64>>())?;
        let gap = |series: &Series| {
            let seconds = series.seconds.iter().map(|round_trip| round_trip / 2.0 - latency).collect();
            Series { bytes: series.bytes, seconds, cost: series.cost }
        };
        Some(Self { gaps: self.round_trips.iter().map(gap).collect(), ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATENCY: &str = "# OSU MPI Latency Test v5.9\n# Size          Latency (us)\n0                       1.10\n\
        1                       1.25\n1024                    2.50\n";

    fn points(list: &[Series]) -> Vec<(u64, f64)> {
        list.iter().map(|series| (series.bytes, (series.seconds[0] * 1e12).round() / 1e6)).collect()
    }

    #[test]
    fn osu_latency_is_half_a_round_trip() {
        let samples = read(LATENCY).unwrap();
        assert_eq!(points(&samples.round_trips), [(0, 2.2), (1, 2.5), (1024, 5.0)]);
        assert!(samples.gaps.is_empty());
    }

    #[test]
    fn newer_output_with_more_columns() {
        let text = "\n# OSU MPI Latency Test v7.4\n# Datatype: MPI_CHAR.\n\
            # Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations\n1   1.25   1.10   3.50   10000\n";
        assert_eq!(points(&read(text).unwrap().round_trips), [(1, 2.5)]);
    }

    #[test]
    fn osu_bandwidth_is_a_gap() {
        let text = "# OSU MPI Bandwidth Test v5.9\n# Size      Bandwidth (MB/s)\n1          2.00\n1000       500.00\n";
        let samples = read(text).unwrap();
        assert_eq!(points(&samples.gaps), [(1, 0.5), (1000, 2.0)]);
        assert!(samples.round_trips.is_empty());
    }

    #[test]
    fn columns_have_their_units() {
        let text = "bytes,n,half_rtt_mean_us,half_rtt_median_us,isend_us,or_ns\n8,5,30,20,3,4000\n1,5,29,10,2,3500\n8,5,31,22,3,4100\n";
        let samples = read(text).unwrap();
        assert_eq!(points(&samples.round_trips), [(1, 20.0), (8, 40.0)]);
        assert_eq!(samples.round_trips[1].seconds.len(), 2);
        assert_eq!(points(&samples.send_overheads), [(1, 2.0), (8, 3.0)]);
        assert_eq!(points(&samples.receive_overheads), [(1, 3.5), (8, 4.0)]);
        // The latencies are 10 − 3.5 and 21 − 4.05; half their sum is 11.725, which leaves −1.725 of 10.
        let derived = samples.with_derived_gaps().unwrap();
        assert_eq!(points(&derived.gaps)[0], (1, -1.725));
    }

    /// Cells that nobody asks for may be missing, and lines of blanks are none.
    #[test]
    fn a_row_needs_only_what_is_read_of_it() {
        let text = "bytes,rtt_us,note\n1,2,first\n  \n2,\"4\"\n";
        assert_eq!(points(&read(text).unwrap().round_trips), [(1, 2.0), (2, 4.0)]);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, line, word) in [
            ("", 0, "no measurements"),
            ("# Size Latency (us)\n# only comments\n", 0, "no measurements"),
            ("1 2.0\n", 1, "header"),
            ("# Size  Latency (us)\n1 2.0\nx 3.0\n", 3, "whole number"),
            ("# Size  Latency (us)\n1\n", 2, "two columns"),
            ("# Size  Latency (us)\n1 -2\n", 2, "above zero"),
            ("# Size  Latency (us)\n1 fast\n", 2, "not a number"),
            ("# OSU MPI Bi-Directional Bandwidth Test\n# Size Bandwidth (MB/s)\n1 2\n", 1, "one direction"),
            ("# OSU MPI Broadcast Latency Test v5.9\n# Size Avg Latency(us)\n1 2\n", 1, "osu_latency"),
            ("a,b\n1,2\n", 1, "bytes"),
            ("bytes,half_rtt\n1,2\n", 1, "unit"),
            ("bytes,colour\n1,2\n", 1, "half_rtt_us"),
            ("bytes,rtt_us\n1,2\n2\n", 3, "column"),
            ("bytes,rtt_us\n1,2\n2,3,4\n", 3, "3 cells, and there are 2 columns"),
            ("bytes,size,rtt_us\n1,1,2\n", 1, "columns 1 (`bytes`) and 2 (`size`) say the same"),
            ("bytes,gap_us,gap_ns\n1,1,2\n", 1, "columns 2 (`gap_us`) and 3 (`gap_ns`) say the same"),
            ("bytes,RTT_us,half_rtt_us\n1,2,1\n", 1, "columns 2 (`rtt_us`) and 3 (`half_rtt_us`) say the same"),
            ("bytes,rtt_us\n1,2\n2,nan\n", 3, "above zero"),
            ("bytes,rtt_us\n# noted\n-1,2\n", 3, "whole number"),
            ("bytes,rtt_us\n", 0, "no measurements"),
            ("# OSU MPI Bandwidth Test v5.9\n# Size      Bandwidth (MB/s)\n0 2.0\n", 0, "no measurements"),
            ("bytes,half_rtt_us\n8,1\n16,4e300\n", 3, "`half_rtt_us` is 4.0e294\u{a0}s, and a time is between"),
            ("bytes,rtt_s\n8,1e-200\n", 2, "`rtt_s` is 1.0e-200\u{a0}s"),
            ("# Size  Latency (us)\n1 1e300\n", 2, "the round trip is 2.0e294\u{a0}s"),
            ("# Size      Bandwidth (MB/s)\n1 1e-300\n", 2, "the time of a message is 1.0e294\u{a0}s"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.line == line && error.message.contains(word), "{text:?}: {error}");
        }
    }
}
