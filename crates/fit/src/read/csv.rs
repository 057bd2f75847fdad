//! Reads ping-pongs as CSV: one row per size or sample, with columns identified by name.

use super::table::{RowLength, TableReader, doubled};
use super::{ReadError, add, number, size, time};
use crate::samples::PairSamples;

/// The content of a column.
#[derive(Clone, Copy, PartialEq)]
enum Quantity {
    HalfRoundTrip,
    RoundTrip,
    Gap,
    Sending,
    Receiving,
}

/// Prefixes of names; of two with the same beginning, the longer comes first.
const NAMES: &[(&str, Quantity)] = &[
    ("half_rtt", Quantity::HalfRoundTrip),
    ("half_round_trip", Quantity::HalfRoundTrip),
    ("latency", Quantity::HalfRoundTrip),
    ("time", Quantity::HalfRoundTrip),
    ("rtt", Quantity::RoundTrip),
    ("round_trip", Quantity::RoundTrip),
    ("gap", Quantity::Gap),
    ("isend", Quantity::Sending),
    ("send_overhead", Quantity::Sending),
    ("recv", Quantity::Receiving),
    ("receive_overhead", Quantity::Receiving),
];

/// Names matched as a whole, since they are too short for prefixes.
const WHOLE: &[(&str, Quantity)] = &[("g", Quantity::Gap), ("os", Quantity::Sending), ("or", Quantity::Receiving)];

const UNITS: &[(&str, f64)] = &[("_us", 1e-6), ("_ms", 1e-3), ("_ns", 1e-9), ("_s", 1.0)];

/// A recognised column.
struct Column {
    place: usize,
    name: String,
    quantity: Quantity,
    unit: f64,
}

/// A name without its unit, and how many seconds that is.
fn split_unit(name: &str) -> (&str, Option<f64>) {
    let found = UNITS.iter().find_map(|(ending, unit)| Some((name.strip_suffix(ending)?, *unit)));
    found.map_or((name, None), |(bare, unit)| (bare, Some(unit)))
}

/// The column of that name, if it is recognised; the error says what its name is without.
fn column(place: usize, name: &str) -> Result<Option<Column>, String> {
    let (bare, unit) = split_unit(name);
    let begins = NAMES.iter().find(|(beginning, _)| name.starts_with(beginning));
    let Some((_, quantity)) = begins.or_else(|| WHOLE.iter().find(|(whole, _)| bare == *whole)) else {
        return Ok(None);
    };
    let Some(unit) = unit else {
        let message =
            format!("the column `{name}` does not end with a unit: {name}_s, {name}_ms, {name}_us or {name}_ns");
        return Err(message);
    };
    Ok(Some(Column { place, name: name.to_owned(), quantity: *quantity, unit }))
}

/// Refuses two columns for one thing.
fn check(names: &[String], columns: &[Column]) -> Result<(), String> {
    let of = |quantity| move |column: &&Column| column.quantity == quantity;
    let is_round_trip = |name: &str| {
        let is_one = |quantity| columns.iter().find(of(quantity)).is_some_and(|column| column.name == name);
        is_one(Quantity::HalfRoundTrip) || is_one(Quantity::RoundTrip)
    };
    let same_but_for_unit = |column: &Column| doubled(names, |name| split_unit(name).0 == split_unit(&column.name).0);
    let found = doubled(names, is_size).or_else(|| columns.iter().find_map(same_but_for_unit));
    found.or_else(|| doubled(names, is_round_trip)).map_or(Ok(()), Err)
}

/// Whether a column has the sizes.
fn is_size(name: &str) -> bool {
    ["bytes", "size"].contains(&name)
}

/// The column of a quantity: that of the median, else of the mean, else the first.
fn chosen(columns: &[Column], quantity: Quantity) -> Option<&Column> {
    let all = || columns.iter().filter(|column| column.quantity == quantity);
    all()
        .find(|column| column.name.contains("median"))
        .or_else(|| all().find(|column| column.name.contains("mean") || column.name.contains("avg")))
        .or_else(|| all().next())
}

/// Reads a table whose first line names its columns.
pub(super) fn read(text: &str) -> Result<PairSamples, ReadError> {
    let mut table = TableReader::of_commas(text.as_bytes(), RowLength::TitlesOrFewer)?;
    let names: Vec<String> = table.titles().iter().map(|title| title.to_lowercase()).collect();
    let Some(bytes) = names.iter().position(|name| is_size(name)) else {
        return Err(table.error("there is no column `bytes` or `size`"));
    };
    let mut columns = Vec::new();
    for (place, name) in names.iter().enumerate() {
        columns.extend(column(place, name).map_err(|message| table.error(message))?);
    }
    check(&names, &columns).map_err(|message| table.error(message))?;
    let wanted = [Quantity::HalfRoundTrip, Quantity::RoundTrip, Quantity::Gap, Quantity::Sending, Quantity::Receiving];
    let taken: Vec<&Column> = wanted.iter().filter_map(|&quantity| chosen(&columns, quantity)).collect();
    if taken.is_empty() {
        let message = "there is no column of measured times, such as half_rtt_us, rtt_us, gap_us, send_overhead_us or receive_overhead_us";
        return Err(table.error(message));
    }
    let mut samples = PairSamples { to: 1, ..PairSamples::default() };
    while table.advance()? {
        let bytes = size(table.given(bytes)?, table.line())?;
        for column in &taken {
            let what = format!("`{}`", column.name);
            let number = number(table.given(column.place)?, &what, table.line())?;
            let seconds = time(number * column.unit, &what, table.line())?;
            match column.quantity {
                Quantity::HalfRoundTrip => add(&mut samples.round_trips, bytes, 2.0 * seconds),
                Quantity::RoundTrip => add(&mut samples.round_trips, bytes, seconds),
                Quantity::Gap => add(&mut samples.gaps, bytes, seconds),
                Quantity::Sending => add(&mut samples.send_overheads, bytes, seconds),
                Quantity::Receiving => add(&mut samples.receive_overheads, bytes, seconds),
            }
        }
    }
    Ok(samples)
}
