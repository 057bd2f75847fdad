//! The table `[calibration]` of a written platform: by what it was calibrated, and how far off it is.

use std::fmt::Write as _;

use super::super::{Failure, bad_input};
use super::points::{CalibrationPoints, group};
use crate::fit::robust::median;
use crate::printable::toml_string;
use crate::units::Bytes;

/// The heading of the table.
const HEADING: &str = "[calibration]";

/// The table, for the end of a file, with a blank line before it. `files` are the names of the measurements; `used` and
/// `left_out` are predicted over measured times of these points.
pub(super) fn table(
    points: &CalibrationPoints<'_>,
    files: &[String],
    date: Option<&str>,
    [used, left_out]: [&[f64]; 2],
) -> String {
    let listed = |names: &[String]| {
        let quoted: Vec<String> = names.iter().map(|name| toml_string(name)).collect();
        quoted.join(", ")
    };
    let mut algorithms: Vec<String> =
        points.used.iter().map(|point| group(point)).map(|(a, b)| format!("{a} {b}")).collect();
    algorithms.sort_unstable();
    algorithms.dedup();
    let mut text = format!("\n{HEADING}\nfiles = [{}]\n", listed(files));
    if let Some(date) = date {
        let _ = writeln!(text, "date = {}", toml_string(date));
    }
    let _ = writeln!(text, "algorithms = [{}]", listed(&algorithms));
    for (ending, ratios) in [("", used), ("_left_out", left_out)] {
        let errors: Vec<f64> = ratios.iter().map(|ratio| (ratio - 1.0).abs()).collect();
        if let Some(error) = median(&errors) {
            let _ = writeln!(text, "points{ending} = {}\nerror{ending} = {error:.3}", errors.len());
        }
    }
    let nodes = points.used.iter().map(|point| u64::from(point.nodes));
    let on_each = points.used.iter().map(|point| u64::from(point.ranks_per_node));
    let bytes = points.used.iter().filter_map(|point| point.model.as_ref()).map(|model| model.size);
    let size = |bytes: u64| toml_string(&Bytes::new(bytes).to_string());
    for (key, range) in [
        ("nodes", range(nodes, &|number| number.to_string())),
        ("ranks_per_node", range(on_each, &|number| number.to_string())),
        ("bytes", range(bytes, &size)),
    ] {
        if let Some(range) = range {
            let _ = writeln!(text, "{key} = {range}");
        }
    }
    text
}

/// The least and the greatest of some numbers, as a list of two.
fn range(numbers: impl Iterator<Item = u64> + Clone, text: &dyn Fn(u64) -> String) -> Option<String> {
    let (least, most) = (numbers.clone().min()?, numbers.max()?);
    Some(format!("[{}, {}]", text(least), text(most)))
}

/// A platform's text without the table of an earlier calibration.
pub(super) fn without_table(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut is_in_table = false;
    for line in text.split_inclusive('\n') {
        let start = line.trim_start();
        if start.starts_with('[') {
            is_in_table = start.trim_end() == HEADING;
        }
        if !is_in_table {
            kept.push_str(line);
        }
    }
    kept.truncate(kept.trim_end().len());
    kept + "\n"
}

/// Refuses a platform whose calibration is written in a way that cannot be replaced.
pub(super) fn check(text: &str) -> Result<(), Failure> {
    let left = without_table(text).parse::<toml::Table>().is_ok_and(|table| table.contains_key("calibration"));
    if left {
        Err(bad_input(format!("the platform's `calibration` must stand under {HEADING} to be replaced")))
    } else {
        Ok(())
    }
}
