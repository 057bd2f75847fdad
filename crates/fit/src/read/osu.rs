//! Reads the output of `osu_latency` and `osu_bw`: a header in comment lines, then a size and a number per line.

use super::{ReadError, add, number, size, time};
use crate::samples::PairSamples;

/// The kind of the numbers.
#[derive(Clone, Copy)]
enum OsuTest {
    /// Half round trips in microseconds.
    Latency,
    /// A one-way stream in 10⁶ bytes per second.
    Bandwidth,
}

/// The kind of the numbers by a comment line, if it gives one.
fn header(comment: &str, line: usize) -> Result<Option<OsuTest>, ReadError> {
    let lower = comment.to_lowercase();
    if lower.contains(" test") {
        if lower.contains("bi-directional") {
            return Err(ReadError::at(
                line,
                "both directions share a link here: use osu_bw, which sends in one direction",
            ));
        }
        let known = ["mpi latency", "mpi bandwidth", "multi-threaded latency", "cuda latency", "cuda bandwidth"];
        if lower.contains("osu") && !known.iter().any(|known| lower.contains(known)) {
            return Err(ReadError::at(
                line,
                "this is another benchmark: use the output of osu_latency or osu_bw; collectives are for `hetsim calibrate` \
                 and `hetsim advise --measured`",
            ));
        }
        return Ok(None);
    }
    let columns = lower.trim_start_matches('#').trim();
    if !columns.starts_with("size") {
        return Ok(None);
    }
    if columns.contains("latency") && columns.contains("(us)") {
        Ok(Some(OsuTest::Latency))
    } else if columns.contains("bandwidth") && columns.contains("mb/s") {
        Ok(Some(OsuTest::Bandwidth))
    } else {
        Err(ReadError::at(line, "the header names neither \"Latency (us)\" nor \"Bandwidth (MB/s)\""))
    }
}

/// Reads the output of either benchmark. Further columns (minimum, maximum, iterations) are ignored.
pub(super) fn read(text: &str) -> Result<PairSamples, ReadError> {
    let mut samples = PairSamples { to: 1, ..PairSamples::default() };
    let mut kind = None;
    for (line, content) in (1..).zip(text.lines()) {
        let content = content.trim();
        if content.starts_with('#') {
            kind = header(content, line)?.or(kind);
            continue;
        }
        if content.is_empty() {
            continue;
        }
        let Some(kind) = kind else {
            let message = "there is no header before the numbers, that is a line such as \"# Size    Latency (us)\"";
            return Err(ReadError::at(line, message));
        };
        let mut columns = content.split_whitespace();
        let (Some(first), Some(second)) = (columns.next(), columns.next()) else {
            return Err(ReadError::at(line, "a line must have at least two columns, a size and a number"));
        };
        let bytes = size(first, line)?;
        match kind {
            OsuTest::Latency => {
                let round_trip = time(2e-6 * number(second, "the latency", line)?, "the round trip", line)?;
                add(&mut samples.round_trips, bytes, round_trip);
            }
            OsuTest::Bandwidth if bytes == 0 => {}
            OsuTest::Bandwidth => {
                let bandwidth = number(second, "the bandwidth", line)?;
                let gap = time(bytes as f64 / (1e6 * bandwidth), "the time of a message", line)?;
                add(&mut samples.gaps, bytes, gap);
            }
        }
    }
    Ok(samples)
}
