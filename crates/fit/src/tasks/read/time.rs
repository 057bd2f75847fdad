//! Instants and durations as logs write them.

use chrono::DateTime;

/// The units of a duration in parts, in seconds.
const UNITS: [(&str, f64); 5] = [("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("d", 86400.0)];

/// What is expected where an instant is.
pub(super) const INSTANT: &str = "seconds since 1970, or an instant such as 2026-03-01T12:00:00";

/// Seconds since 1970 of a number of them, or of a date with a time, in UTC unless it names its zone.
pub(super) fn instant(text: &str) -> Option<f64> {
    if let Ok(seconds) = text.parse::<f64>() {
        return Some(seconds).filter(|seconds| seconds.is_finite());
    }
    let zone = text.get(10..)?.find(['Z', '+', '-']).map(|at| text.split_at(at + 10));
    let written = match zone {
        None => format!("{text}Z"),
        Some((time, zone)) if zone.len() == 5 => format!("{time}{}:{}", zone.get(..3)?, zone.get(3..)?),
        Some(_) => text.to_owned(),
    };
    let instant = DateTime::parse_from_rfc3339(&written.replace(',', ".")).ok()?;
    Some(instant.timestamp() as f64 + 1e-9 * f64::from(instant.timestamp_subsec_nanos()))
}

/// The seconds of a duration in parts, such as `1h 2m 3.5s` or `120ms`.
pub(super) fn duration(text: &str) -> Option<f64> {
    let mut sum = None;
    for part in text.split_whitespace() {
        let (number, unit) = part.split_at(part.find(|c: char| c.is_ascii_alphabetic())?);
        let (_, factor) = UNITS.iter().find(|(name, _)| *name == unit)?;
        let number: f64 = number.parse().ok()?;
        sum = Some(sum.unwrap_or(0.0) + number * factor);
    }
    sum.filter(|sum: &f64| sum.is_finite() && *sum >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_and_durations() {
        let day = "2023-11-14";
        for time in ["T22:13:20.5", " 22:13:20.500", "T23:13:20.5+01:00", "T17:13:20.5-0500", "T22:13:20.5Z"] {
            assert_eq!(instant(&format!("{day}{time}")), Some(1_700_000_000.5), "{time}");
        }
        assert_eq!(instant("1.5e3"), Some(1500.0));
        let wrong = ["", "Unknown", "2023-11-14", "2023-13-14T00:00:00", "inf", "2023-11-14T22:13", "äöüäöüäöü"];
        assert!(wrong.iter().all(|text| instant(text).is_none()));
        assert_eq!(["1d 1h 1m 1.5s", "250ms"].map(duration), [Some(90_061.5), Some(0.25)]);
        assert_eq!(["", "5", "5x", "s", "-3s", "1m x"].map(duration), [None; 6]);
    }
}
