//! Cells of tables: the mean over replicas with its interval.

use super::format::{magnitude, plain, power_of_ten, prefix, size_unit, time_unit};
use super::results::Results;
use super::statistics::Summary;
use super::text::{Kind, humane, kind};

/// What the cells of a table have shown, for the line below it.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// A mean ± half the length of its interval.
    with_half: bool,
    /// A mean that is not the middle of its interval.
    with_ends: bool,
    /// The least and the greatest number of replicas.
    replicas: Option<(usize, usize)>,
}

impl Shown {
    /// A metric of a point, whether it is a number or a name: where there are replicas, with its interval.
    pub(super) fn cell(&mut self, results: &Results<'_>, point: usize, metric: &str) -> String {
        let Some(column) = results.column(metric) else { return String::new() };
        let Some(summary) = results.summary(point, column) else {
            let first = results.rows_of(point).next();
            return first.map(|row| results.cell(row, column).to_string()).unwrap_or_default();
        };
        if results.rows_of(point).len() > 1 {
            self.join(&Self { replicas: Some((summary.count, summary.count)), ..Self::default() });
        }
        let Some((low, high)) =
            summary.interval.filter(|(low, high)| high - low > ROUNDING * low.abs().max(high.abs()))
        else {
            return humane(metric, summary.mean);
        };
        if is_middle(&summary, (low, high)) {
            self.with_half = true;
            return with_half(&kind(metric, None), summary.mean, (high - low) / 2.0);
        }
        self.with_ends = true;
        with_ends(&kind(metric, None), summary.mean, (low, high))
    }

    /// Adds what another cell has shown.
    pub(super) fn join(&mut self, other: &Self) {
        self.with_half |= other.with_half;
        self.with_ends |= other.with_ends;
        if let Some((least, most)) = other.replicas {
            let (own_least, own_most) = self.replicas.unwrap_or((least, most));
            self.replicas = Some((own_least.min(least), own_most.max(most)));
        }
    }

    /// The line below the table: what the cells mean, over how many replicas; `None` for plain values.
    pub(super) fn note(&self, results: &Results<'_>) -> Option<String> {
        let percent = super::statistics::Intervals::of(results.scenario()).confidence.percent();
        let what = match (self.with_half, self.with_ends) {
            (true, false) => Some(format!("± half the {percent} % interval")),
            (false, true) => Some(format!("in brackets the {percent} % interval")),
            (true, true) => Some(format!("± half the {percent} % interval, in brackets its ends")),
            (false, false) => None,
        };
        let Some((least, most)) = self.replicas else {
            // A single run may be a share of many draws.
            return what.map(|what| format!("Behind each value: {what}."));
        };
        let n = if least == most { format!("n = {most}") } else { format!("n = {least} to {most}") };
        Some(format!("Means over replicas, {n}, {}.", what.as_deref().unwrap_or("which do not vary")))
    }
}

/// Intervals that are shorter than this share of their ends have no length.
const ROUNDING: f64 = 1e-9;

/// Whether a mean is the middle of its interval.
fn is_middle(summary: &Summary, (low, high): (f64, f64)) -> bool {
    ((high - summary.mean) - (summary.mean - low)).abs() <= 1e-6 * (high - low)
}

/// The unit in which a value is shown, as a number and a name that follows it.
fn unit(kind: &Kind, value: f64) -> (f64, String) {
    match kind {
        Kind::Seconds => {
            let (unit, name) = time_unit(value);
            (unit, format!("\u{a0}{name}"))
        }
        Kind::Bytes => {
            let (unit, name) = size_unit(value);
            (unit, format!("\u{a0}{name}"))
        }
        Kind::Unit(name) => {
            let (unit, prefix) = prefix(value);
            (unit, format!("\u{a0}{prefix}{name}"))
        }
        Kind::Number | Kind::Category(_) if value != 0.0 && !(-4..6).contains(&magnitude(value)) => {
            let unit = 10f64.powi(magnitude(value));
            (unit, format!("×{}", power_of_ten(magnitude(value))))
        }
        Kind::Number | Kind::Category(_) => (1.0, String::new()),
    }
}

/// `12.35 ± 0.41 ms`: half a width in one digit, or two where the first is a 1 or a 2, and the mean to the same place.
fn with_half(kind: &Kind, mean: f64, half: f64) -> String {
    let (unit, name) = unit(kind, if mean == 0.0 { half } else { mean });
    let (mean, half) = (mean / unit, half / unit);
    let place = last_place(half);
    let both = format!("{}\u{a0}±\u{a0}{}", rounded(mean, place), rounded(half, place));
    if name.starts_with('×') { format!("({both}){name}") } else { format!("{both}{name}") }
}

/// `0.985 (0.957–0.996)`: the mean and the ends of its interval, in digits that tell them apart.
fn with_ends(kind: &Kind, mean: f64, (low, high): (f64, f64)) -> String {
    let (unit, name) = unit(kind, mean);
    let place = last_place((high - low) / 2.0 / unit);
    let [mean, low, high] = [mean, low, high].map(|value| rounded(value / unit, place));
    if name.starts_with('×') {
        return format!("({mean}\u{a0}({low}–{high})){name}");
    }
    format!("{mean}{name}\u{a0}({low}–{high})")
}

/// Where the last digit of a half width stands that is worth showing: 0 for ones, −1 for tenths.
fn last_place(half: f64) -> i32 {
    let first = magnitude(half);
    let digit = half / 10f64.powi(first);
    // What would be rounded to 30 has one digit.
    if digit < 2.95 { first - 1 } else { first }
}

/// A value rounded to a place, with all digits down to it: zeros at the end say how well it is known.
fn rounded(value: f64, place: i32) -> String {
    if place >= 0 {
        let step = 10f64.powi(place);
        return plain((value / step).round() * step, 0);
    }
    let decimals = (-place).min(17) as usize;
    let mut text = plain(value, decimals);
    let there = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    if there == 0 {
        text.push('.');
    }
    text.extend(std::iter::repeat_n('0', decimals - there));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_have_the_digits_that_their_intervals_leave() {
        let nbsp = |text: &str| text.replace(' ', "\u{a0}");
        assert_eq!(with_half(&Kind::Seconds, 0.012_345_6, 0.000_412), nbsp("12.3 ± 0.4 ms"));
        assert_eq!(with_half(&Kind::Seconds, 0.012_345_6, 0.000_123), nbsp("12.35 ± 0.12 ms"));
        assert_eq!(with_half(&Kind::Seconds, 3.0, 0.000_99), nbsp("3.0000 ± 0.0010 s"));
        assert_eq!(with_half(&Kind::Number, 12_345.0, 312.0), nbsp("12 300 ± 300"));
        assert_eq!(with_half(&Kind::Number, -0.5, 0.25), nbsp("−0.50 ± 0.25"));
        assert_eq!(with_half(&Kind::Number, 2.5e7, 3e5), nbsp("(2.50 ± 0.03)×10⁷"));
        assert_eq!(with_half(&Kind::Bytes, 65_536.0, 2048.0), nbsp("64.0 ± 2.0 KiB"));
        assert_eq!(with_half(&Kind::Seconds, 0.0, 0.002), nbsp("0.0 ± 2.0 ms"));
    }

    #[test]
    fn shares_show_the_ends_of_their_intervals() {
        assert_eq!(with_ends(&Kind::Number, 1.0, (0.981_15, 1.0)), "1.000\u{a0}(0.981–1.000)");
        assert_eq!(with_ends(&Kind::Number, 0.3, (0.108, 0.603)), "0.30\u{a0}(0.11–0.60)");
        // A power of ten holds for the ends as well.
        assert_eq!(with_ends(&Kind::Number, 9e-7, (5e-7, 1.2e-6)), "(9\u{a0}(5–12))×10⁻⁷");
    }
}
