//! The keys of `[platform.calibration]`.

use std::fmt;

use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::Deserialize;

use hetsim_base::units::Bytes;

/// By which measurements the platform was calibrated, and how far off it was then. `hetsim calibrate` writes it; no
/// simulated time depends on it. Reports and `hetsim advise` tell the error, and warn of what lies outside the ranges.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CalibrationSpec {
    /// The files with the measurements.
    #[serde(default)]
    pub files: Vec<String>,
    /// The day of it, as `2025-04-12`: the one that `hetsim calibrate --date` was given.
    #[serde(default)]
    pub date: Option<String>,
    /// The algorithms by which it was calibrated, each behind its operation: `"all_gather ring_ompi"`.
    #[serde(default)]
    pub algorithms: Vec<String>,
    /// The number of measured times by which it was calibrated.
    #[serde(default)]
    pub points: Option<u64>,
    /// The median error of these, as a share: predicted over measured time, less 1, without its sign.
    #[schemars(range(min = 0.0))]
    pub error: f64,
    /// The number of further measured times.
    #[serde(default)]
    pub points_left_out: Option<u64>,
    /// The median error of these. Default: unknown.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub error_left_out: Option<f64>,
    /// The fewest and the most nodes of `points`. Default: any.
    #[serde(default)]
    #[schemars(length(min = 2, max = 2), inner(range(min = 1)))]
    pub nodes: Option<Vec<u32>>,
    /// The fewest and the most ranks on a node. Default: any.
    #[serde(default)]
    #[schemars(length(min = 2, max = 2), inner(range(min = 1)))]
    pub ranks_per_node: Option<Vec<u32>>,
    /// The least and the greatest size, as the operations count it: of a vector or of a block. Default: any.
    #[serde(default)]
    #[schemars(length(min = 2, max = 2))]
    pub bytes: Option<Vec<Bytes>>,
}

/// The most phrases that a warning has.
const MOST_PHRASES: usize = 3;

/// The ends of a range of two values.
fn ends<T: Copy>(range: Option<&Vec<T>>) -> Option<(T, T)> {
    match range.map(Vec::as_slice) {
        Some(&[least, most]) => Some((least, most)),
        _ => None,
    }
}

impl CalibrationSpec {
    /// The first key that means nothing, and why.
    pub(in crate::platform) fn fault(&self) -> Option<(&'static str, String)> {
        let turned = |key: &'static str| Some((key, format!("`{key}` goes from the least to the greatest")));
        let falls = |range: Option<&Vec<u32>>| ends(range).is_some_and(|(least, most)| least > most);
        if falls(self.nodes.as_ref()) {
            return turned("nodes");
        }
        if falls(self.ranks_per_node.as_ref()) {
            return turned("ranks_per_node");
        }
        if ends(self.bytes.as_ref()).is_some_and(|(least, most)| least.count() > most.count()) {
            return turned("bytes");
        }
        if self.error_left_out.is_some() != self.points_left_out.is_some() {
            return Some(("error_left_out", "`error_left_out` and `points_left_out` need each other".to_owned()));
        }
        let day = self.date.as_deref().filter(|day| !Self::is_day(day));
        day.map(|day| ("date", format!("{day:?} is no day, such as \"2025-04-12\"")))
    }

    /// Whether a text is a year, a month and a day of the calendar.
    #[must_use]
    pub fn is_day(text: &str) -> bool {
        let has_digits =
            |(part, digits): (&str, usize)| part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        let parts: Vec<&str> = text.split('-').collect();
        parts.len() == 3 && parts.into_iter().zip([4, 2, 2]).all(has_digits) && text.parse::<NaiveDate>().is_ok()
    }

    /// How far off its times are, as a share: the median error of what it was not calibrated by, if that is known, or
    /// else of what it was.
    #[must_use]
    pub fn expected_error(&self) -> f64 {
        self.error_left_out.unwrap_or(self.error)
    }

    /// In which respects something lies outside of what it was calibrated by, a phrase each. `ranks_per_node` is `None`
    /// where nodes are not told from ranks, and `bytes` where nothing has a size.
    #[must_use]
    pub fn beyond(&self, ranks: u32, ranks_per_node: Option<u32>, bytes: Option<u64>) -> Vec<String> {
        let outside = |value: u64, least: u64, most: u64, what: &str| {
            (!(least..=most).contains(&value)).then(|| {
                let range = if least == most { least.to_string() } else { format!("{least} to {most}") };
                format!("{value} {what} (calibrated on {range})")
            })
        };
        let (nodes, on_each) = (ends(self.nodes.as_ref()), ends(self.ranks_per_node.as_ref()));
        let mut found = Vec::new();
        if let Some(ranks_per_node) = ranks_per_node {
            let of = u64::from(ranks / ranks_per_node.max(1));
            found.extend(nodes.and_then(|(least, most)| outside(of, least.into(), most.into(), "nodes")));
            let range = on_each.map(|(least, most)| (u64::from(least), u64::from(most)));
            found
                .extend(range.and_then(|(least, most)| outside(ranks_per_node.into(), least, most, "ranks on a node")));
        } else if let (Some(nodes), Some(on_each)) = (nodes, on_each.or(Some((1, 1)))) {
            let [least, most] =
                [(nodes.0, on_each.0), (nodes.1, on_each.1)].map(|(nodes, each)| u64::from(nodes) * u64::from(each));
            found.extend(outside(ranks.into(), least, most, "ranks"));
        }
        let range = ends(self.bytes.as_ref()).zip(bytes);
        found.extend(range.and_then(|((least, most), bytes)| {
            let is_within = (least.count()..=most.count()).contains(&bytes);
            (!is_within).then(|| format!("{} (calibrated on {least} to {most})", Bytes::new(bytes)))
        }));
        found
    }

    /// A sentence of such phrases, each once and only the first few; nothing without any.
    #[must_use]
    pub fn warning(phrases: impl Iterator<Item = String>) -> Option<String> {
        let mut found: Vec<String> = Vec::new();
        for phrase in phrases {
            if !found.contains(&phrase) {
                found.push(phrase);
            }
        }
        let more = found.len().saturating_sub(MOST_PHRASES);
        found.truncate(MOST_PHRASES);
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        let phrases = found.join(", ");
        (!found.is_empty()).then(|| format!("outside of what the platform was calibrated by: {phrases}{more}"))
    }
}

/// Where the error comes from: `calibrated on 4 algorithms of leonardo.csv`.
impl fmt::Display for CalibrationSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("calibrated")?;
        let algorithms = match self.algorithms.len() {
            0 => None,
            1 => Some("1 algorithm".to_owned()),
            count => Some(format!("{count} algorithms")),
        };
        let files = (!self.files.is_empty()).then(|| self.files.join(", "));
        let by: Vec<String> = algorithms.into_iter().chain(files).collect();
        if !by.is_empty() {
            write!(f, " on {}", by.join(" of "))?;
        }
        self.date.as_ref().map_or(Ok(()), |day| write!(f, ", {day}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calibration(more: &str) -> CalibrationSpec {
        toml::from_str(&format!("error = 0.072\n{more}")).unwrap()
    }

    const RANGES: &str = "nodes = [4, 100]\nranks_per_node = [1, 4]\nbytes = [\"16B\", \"8MiB\"]\n";

    #[test]
    fn what_lies_beyond_is_named() {
        let known = calibration(RANGES);
        assert_eq!(known.beyond(16, Some(1), Some(16)), [""; 0]);
        assert_eq!(known.beyond(400, None, Some(8 << 20)), [""; 0]);
        assert_eq!(known.beyond(401, None, None), ["401 ranks (calibrated on 4 to 400)"]);
        assert_eq!(
            known.beyond(16, Some(8), Some(15)),
            [
                "2 nodes (calibrated on 4 to 100)",
                "8 ranks on a node (calibrated on 1 to 4)",
                "15B (calibrated on 16B to 8MiB)"
            ]
        );
        assert_eq!(calibration("").beyond(1 << 20, Some(64), Some(1 << 40)), [""; 0]);
    }

    #[test]
    fn the_error_is_that_of_what_was_not_seen() {
        assert_eq!(calibration("").expected_error(), 0.072);
        let left_out =
            calibration("error_left_out = 0.135\npoints_left_out = 9\nfiles = [\"a.csv\"]\ndate = \"2025-04-12\"");
        assert_eq!((left_out.expected_error(), left_out.fault()), (0.135, None));
        assert_eq!(left_out.to_string(), "calibrated on a.csv, 2025-04-12");
        let named = calibration("algorithms = [\"broadcast linear\"]\nfiles = [\"a.csv\"]");
        assert_eq!(named.to_string(), "calibrated on 1 algorithm of a.csv");
    }

    #[test]
    fn what_means_nothing_is_refused() {
        for (keys, key) in [
            ("nodes = [4, 2]", "nodes"),
            ("ranks_per_node = [4, 2]", "ranks_per_node"),
            ("bytes = [\"1KiB\", \"8B\"]", "bytes"),
            ("error_left_out = 0.1", "error_left_out"),
            ("date = \"12.4.2025\"", "date"),
            ("date = \"2025-13-01\"", "date"),
        ] {
            assert_eq!(calibration(keys).fault().map(|(key, _)| key), Some(key), "{keys}");
        }
    }
}
