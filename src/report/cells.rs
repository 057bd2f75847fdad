//! Cells of tables: the mean over replicas with its interval. The cells of a column have one unit and the same decimals.

use std::fmt;

use super::results::Results;
use super::statistics::{Intervals, Summary, interval_method};
use super::text::{Kind, usable};
use crate::scenario::IntervalMethod;
use hetsim_chart::format::{magnitude, plain, power_of_ten, prefix, size_unit, time_unit};

/// What a cell holds, before it is written as its neighbours are.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    /// A name, or nothing.
    Text(String),
    /// A mean, with the interval around it where it has a length.
    Mean(f64, Option<Interval>),
}

/// An interval around a mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Interval {
    low: f64,
    high: f64,
    /// Whether the mean is its middle.
    is_even: bool,
}

impl Interval {
    fn half(self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

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
    pub(super) fn cell(&mut self, results: &Results<'_>, point: usize, metric: &str) -> Cell {
        let Some(column) = results.column(metric) else { return Cell::Text(String::new()) };
        let Some(summary) = results.summary(point, column) else {
            let names = results.rows_of(point).map(|row| results.cell(row, column).to_string());
            return Cell::Text(UsualName::of(names).map_or_else(String::new, |usual| usual.to_string()));
        };
        if results.rows_of(point).len() > 1 {
            self.join(&Self { replicas: Some((summary.count, summary.count)), ..Self::default() });
        }
        let has_length = |(low, high): &(f64, f64)| high - low > ROUNDING * low.abs().max(high.abs());
        let interval = summary.interval.filter(has_length).map(|(low, high)| {
            let is_even = is_middle(&summary, (low, high));
            Interval { low, high, is_even }
        });
        self.with_half |= interval.is_some_and(|interval| interval.is_even);
        self.with_ends |= interval.is_some_and(|interval| !interval.is_even);
        Cell::Mean(summary.mean, interval)
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
        let percent = Intervals::of(results.scenario()).confidence.percent();
        let of = match interval_method(results.scenario()) {
            IntervalMethod::Prediction => " of a further run",
            IntervalMethod::Student | IntervalMethod::Bootstrap => "",
        };
        let what = match (self.with_half, self.with_ends) {
            (true, false) => Some(format!("± half the {percent} % interval{of}")),
            (false, true) => Some(format!("in brackets the {percent} % interval{of}")),
            (true, true) => Some(format!("± half the {percent} % interval{of}, in brackets its ends")),
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

/// The name that all replicas have; where they differ the one that most have, of equally frequent ones the first.
pub(super) struct UsualName {
    pub(super) name: String,
    /// How many have it.
    count: usize,
    all: usize,
}

impl UsualName {
    /// Nothing of no names.
    pub(super) fn of(names: impl Iterator<Item = String>) -> Option<Self> {
        let mut counts: Vec<(String, usize)> = Vec::new();
        for name in names {
            match counts.iter_mut().find(|(known, _)| *known == name) {
                Some((_, count)) => *count += 1,
                None => counts.push((name, 1)),
            }
        }
        let all = counts.iter().map(|(_, count)| count).sum();
        let (name, count) = counts.into_iter().rev().max_by_key(|(_, count)| *count)?;
        Some(Self { name, count, all })
    }

    /// How many have it, where not all do.
    pub(super) fn share(&self) -> Option<String> {
        let Self { count, all, .. } = self;
        (count < all).then(|| format!("({count} of {all})"))
    }
}

impl fmt::Display for UsualName {
    /// With how many have it, where not all do.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        self.share().map_or(Ok(()), |share| write!(f, " {share}"))
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

/// The most digits of a number in a column that has one unit.
const MOST_DIGITS: i32 = 6;

/// How the cells of a column are written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scale {
    unit: f64,
    /// The unit's name, or a power of ten.
    name: String,
    /// Where the last digit stands: 0 for ones, −1 for tenths.
    place: i32,
    /// Whether intervals say so.
    by_intervals: bool,
}

impl Scale {
    /// The unit that suits the middle one of these cells, with decimals that leave the least of them three digits, or
    /// that half the widths of their intervals leave; nothing where cells differ by so much that one unit suits none.
    pub(super) fn of<'c>(kind: &Kind, cells: impl Iterator<Item = &'c Cell>) -> Option<Self> {
        let means = cells.filter_map(|cell| match cell {
            Cell::Mean(mean, interval) if usable(*mean) => Some((*mean, *interval)),
            _ => None,
        });
        let means: Vec<(f64, Option<Interval>)> = means.collect();
        let size = |(mean, interval): &(f64, Option<Interval>)| {
            if *mean == 0.0 { interval.map_or(0.0, Interval::half) } else { mean.abs() }
        };
        let mut sizes: Vec<f64> = means.iter().map(size).filter(|size| *size > 0.0).collect();
        sizes.sort_by(f64::total_cmp);
        let (&least, &most) = (sizes.first()?, sizes.last()?);
        let (unit, name) = unit(kind, sizes[(sizes.len() - 1) / 2]);
        let place_of = |value: f64| magnitude(value / unit);
        if place_of(most) - place_of(least) >= MOST_DIGITS {
            return None;
        }
        let halves = means.iter().filter_map(|(_, interval)| Some(last_place(interval.as_ref()?.half() / unit)));
        let mut halves: Vec<i32> = halves.collect();
        halves.sort_unstable();
        if let Some(&place) = halves.get(halves.len() / 2) {
            return Some(Self { unit, name, place, by_intervals: true });
        }
        let mut place = (place_of(least) - 2).max(place_of(most) + 1 - MOST_DIGITS).min(0);
        let is_cut = |(mean, _): &(f64, Option<Interval>)| {
            let (value, step) = (mean / unit, 10f64.powi(place));
            (value - (value / step).round() * step).abs() > 0.005 * value.abs()
        };
        // The digits of the greatest leave the least no three: each has a unit of its own.
        if means.iter().any(is_cut) {
            return None;
        }
        // No digit is wasted where all have a zero there.
        while place < 0 && means.iter().all(|(mean, _)| rounded(mean / unit, place).ends_with('0')) {
            place += 1;
        }
        Some(Self { unit, name, place, by_intervals: false })
    }

    fn text(&self, mean: f64, interval: Option<Interval>) -> String {
        let Self { unit, name, place, by_intervals } = self;
        let written = |value: f64, place: i32| rounded(value / unit, place);
        let is_power = name.starts_with('×');
        let Some(interval) = interval else {
            // Beside intervals, what has none keeps two digits.
            let least = if *by_intervals { magnitude(mean / unit) - 1 } else { 0 };
            return if mean == 0.0 { "0".to_owned() } else { written(mean, (*place).min(0).min(least)) + name };
        };
        // Half a width keeps its first digit.
        let place = (*place).min(magnitude(interval.half() / unit));
        let mean = written(mean, place);
        if interval.is_even {
            let both = format!("{mean}\u{a0}±\u{a0}{}", written(interval.half(), place));
            return if is_power { format!("({both}){name}") } else { both + name };
        }
        let (low, high) = (written(interval.low, place), written(interval.high, place));
        // A dash before a minus sign would be read as one.
        let to = if high.starts_with('−') { "\u{a0}to\u{a0}" } else { "–" };
        if is_power {
            return format!("({mean}\u{a0}({low}{to}{high})){name}");
        }
        format!("{mean}{name}\u{a0}({low}{to}{high})")
    }
}

/// A cell in the unit and with the decimals of its column, or in those that suit it alone.
pub(super) fn text(kind: &Kind, scale: Option<&Scale>, cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => text.clone(),
        Cell::Mean(mean, _) if !usable(*mean) => String::new(),
        Cell::Mean(mean, interval) => {
            let own = || Scale::of(kind, std::iter::once(cell));
            scale.cloned().or_else(own).map_or_else(|| "0".to_owned(), |scale| scale.text(*mean, *interval))
        }
    }
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

    /// Such cells in one column.
    fn column(kind: &Kind, cells: &[(f64, Option<Interval>)]) -> Vec<String> {
        let cells: Vec<Cell> = cells.iter().map(|&(mean, interval)| Cell::Mean(mean, interval)).collect();
        let scale = Scale::of(kind, cells.iter());
        cells.iter().map(|cell| text(kind, scale.as_ref(), cell).replace('\u{a0}', " ")).collect()
    }

    fn plain_column(kind: &Kind, values: &[f64]) -> Vec<String> {
        column(kind, &values.iter().map(|&value| (value, None)).collect::<Vec<_>>())
    }

    fn with_half(kind: &Kind, mean: f64, half: f64) -> String {
        column(kind, &[(mean, Some(Interval { low: mean - half, high: mean + half, is_even: true }))]).remove(0)
    }

    fn with_ends(kind: &Kind, mean: f64, (low, high): (f64, f64)) -> String {
        column(kind, &[(mean, Some(Interval { low, high, is_even: false }))]).remove(0)
    }

    /// That of one replica is not that of all.
    #[test]
    fn names_that_differ_are_counted() {
        let shown = |names: &[&str]| {
            UsualName::of(names.iter().map(|&name| name.to_owned())).map(|usual| usual.to_string()).unwrap_or_default()
        };
        assert_eq!(shown(&["guided", "adaptive", "adaptive"]), "adaptive (2 of 3)");
        assert_eq!(shown(&["guided", "adaptive"]), "guided (1 of 2)");
        assert_eq!((shown(&["guided", "guided"]), shown(&[])), ("guided".to_owned(), String::new()));
    }

    #[test]
    fn means_have_the_digits_that_their_intervals_leave() {
        assert_eq!(with_half(&Kind::Seconds, 0.012_345_6, 0.000_412), "12.3 ± 0.4 ms");
        assert_eq!(with_half(&Kind::Seconds, 0.012_345_6, 0.000_123), "12.35 ± 0.12 ms");
        assert_eq!(with_half(&Kind::Seconds, 3.0, 0.000_99), "3.0000 ± 0.0010 s");
        assert_eq!(with_half(&Kind::Number, 12_345.0, 312.0), "12 300 ± 300");
        assert_eq!(with_half(&Kind::Number, -0.5, 0.25), "−0.50 ± 0.25");
        assert_eq!(with_half(&Kind::Number, 2.5e7, 3e5), "(2.50 ± 0.03)×10⁷");
        assert_eq!(with_half(&Kind::Bytes, 65_536.0, 2048.0), "64.0 ± 2.0 KiB");
        assert_eq!(with_half(&Kind::Seconds, 0.0, 0.002), "0.0 ± 2.0 ms");
    }

    #[test]
    fn shares_show_the_ends_of_their_intervals() {
        assert_eq!(with_ends(&Kind::Number, 1.0, (0.981_15, 1.0)), "1.000 (0.981–1.000)");
        assert_eq!(with_ends(&Kind::Number, 0.3, (0.108, 0.603)), "0.30 (0.11–0.60)");
        // A power of ten holds for the ends as well.
        assert_eq!(with_ends(&Kind::Number, 9e-7, (5e-7, 1.2e-6)), "(9 (5–12))×10⁻⁷");
        assert_eq!(with_ends(&Kind::Number, -0.3, (-0.603, -0.108)), "−0.30 (−0.60 to −0.11)");
    }

    #[test]
    fn a_column_has_one_unit_and_the_same_decimals() {
        assert_eq!(plain_column(&Kind::Seconds, &[2.5, 1.0, 0.25]), ["2.50 s", "1.00 s", "0.25 s"]);
        assert_eq!(plain_column(&Kind::Seconds, &[20_018.0, 40_000.0]), ["20 018 s", "40 000 s"]);
        assert_eq!(plain_column(&Kind::Seconds, &[27e-6, 0.0, 30.12e-3]), ["27 µs", "0", "30 120 µs"]);
        assert_eq!(plain_column(&Kind::Seconds, &[27e-6, 2e-3, 30.12e-3]), ["0.027 ms", "2.000 ms", "30.120 ms"]);
        assert_eq!(plain_column(&Kind::Bytes, &[65_536.0, 1_048_576.0]), ["64 KiB", "1024 KiB"]);
        assert_eq!(plain_column(&Kind::Number, &[3.0, 1.25, 210.0]), ["3.00", "1.25", "210.00"]);
        assert_eq!(plain_column(&Kind::Number, &[2e9, 3.5e8]), ["20.0×10⁸", "3.5×10⁸"]);
        // The least keeps its digits beside a great one; zeros are none.
        assert_eq!(plain_column(&Kind::Seconds, &[136.76e-6, 4e-3, 34.3598]), ["137 µs", "4 ms", "34.4 s"]);
        assert_eq!(plain_column(&Kind::Seconds, &[0.2e-3, 4e-3, 34.3598]), ["0.2 ms", "4.0 ms", "34 359.8 ms"]);
        // A column from nanoseconds to seconds has no unit that suits it.
        assert_eq!(plain_column(&Kind::Seconds, &[3e-9, 2.0]), ["3 ns", "2 s"]);
        let even = |mean: f64, half: f64| (mean, Some(Interval { low: mean - half, high: mean + half, is_even: true }));
        assert_eq!(
            column(&Kind::Seconds, &[even(0.9, 0.04), even(2.0, 0.3), even(3.0, 0.003), (1.5, None)]),
            ["0.90 ± 0.04 s", "2.00 ± 0.30 s", "3.000 ± 0.003 s", "1.50 s"]
        );
        assert_eq!(column(&Kind::Number, &[even(5.0, 0.4), (0.012, None)]), ["5.0 ± 0.4", "0.012"]);
    }
}
