//! Where the ticks of an axis stand: at numbers that people count in.

use crate::report::format;
use crate::report::text::Kind;

/// A mark on an axis; without a label it is a small one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    pub(crate) at: f64,
    pub(crate) label: Option<String>,
}

/// Beyond this many decades a logarithmic axis has no small ticks.
const SMALL_TICK_DECADES: f64 = 10.0;

/// The smallest of 1, 2 and 5 times a power of ten that is not below `least`.
fn round_step(least: f64) -> f64 {
    let unit = 10f64.powi(format::magnitude(least));
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * unit)
        .find(|step| *step >= least * (1.0 - 1e-9))
        .unwrap_or(least)
}

/// The smallest power of two that is not below `least`.
fn binary_step(least: f64) -> f64 {
    2f64.powi((least.log2() - 1e-9).ceil() as i32)
}

/// The step between linear ticks over `low..=high` of which about `room` have space.
pub(crate) fn linear_step(low: f64, high: f64, room: usize, kind: &Kind) -> f64 {
    let least = (high - low) / room.max(1) as f64;
    match kind {
        Kind::Bytes => binary_step(least),
        Kind::Seconds => {
            let (unit, _) = format::time_unit(low.abs().max(high.abs()));
            round_step(least / unit) * unit
        }
        Kind::Number | Kind::Unit(_) | Kind::Category(_) => round_step(least),
    }
}

/// Ticks at multiples of `step` inside `low..=high`.
pub(crate) fn linear(low: f64, high: f64, step: f64, kind: &Kind) -> Vec<Tick> {
    let slack = 1e-9 * (high - low);
    let first = ((low - slack) / step).ceil();
    let count = (((high + slack) / step).floor() - first).clamp(0.0, 1000.0) as usize;
    let largest = low.abs().max(high.abs());
    (0..=count)
        .map(|index| {
            let at = (first + index as f64) * step;
            let label = match kind {
                Kind::Bytes => format::size(at, 5),
                Kind::Seconds | Kind::Unit(_) if at.abs() < slack => "0".to_owned(),
                Kind::Seconds => {
                    let (unit, name) = format::time_unit(largest);
                    format!("{}\u{a0}{name}", format::stepped(at / unit, step / unit, largest / unit))
                }
                Kind::Unit(unit) => {
                    let (factor, prefix) = format::prefix(largest);
                    let number = format::stepped(at / factor, step / factor, largest / factor);
                    format!("{number}\u{a0}{prefix}{unit}")
                }
                Kind::Number | Kind::Category(_) => format::stepped(at, step, largest),
            };
            Tick { at, label: Some(label) }
        })
        .collect()
}

/// Ticks of a logarithmic axis from `low` to `high`, both above zero: powers (of two for sizes, of ten otherwise), the
/// steps 2 and 5 between them where the axis is short, and linear steps where it is shorter still.
pub(crate) fn logarithmic(low: f64, high: f64, room: usize, kind: &Kind) -> Vec<Tick> {
    let room = room.max(2);
    match kind {
        Kind::Bytes if (high / low).log2() >= 2.0 => powers_of_two(low, high, room),
        Kind::Bytes => linear(low, high, linear_step(low, high, room, kind), kind),
        _ if (high / low).log10() < 0.7 => linear(low, high, linear_step(low, high, room.min(6), kind), kind),
        _ => powers_of_ten(low, high, room, kind),
    }
}

fn powers_of_two(low: f64, high: f64, room: usize) -> Vec<Tick> {
    let (first, last) = ((low.log2() - 1e-9).ceil() as i32, (high.log2() + 1e-9).floor() as i32);
    let stride = [1, 2, 4, 5, 10, 20, 40]
        .into_iter()
        .find(|stride| ((last - first) / stride) < i32::try_from(room).unwrap_or(i32::MAX))
        .unwrap_or(80);
    (first..=last)
        .filter(|exponent| exponent.rem_euclid(stride) == 0)
        .map(|exponent| {
            let at = 2f64.powi(exponent);
            Tick { at, label: Some(format::size(at, 4)) }
        })
        .collect()
}

fn powers_of_ten(low: f64, high: f64, room: usize, kind: &Kind) -> Vec<Tick> {
    let decades = (high / low).log10();
    let label = |at: f64| match kind {
        Kind::Seconds => format::duration(at, 3),
        Kind::Unit(unit) => format::amount(at, 3, unit),
        _ => format::significant(at, 3),
    };
    let stride = [1, 2, 3, 5, 10, 20, 50].into_iter().find(|&stride| decades / f64::from(stride) < room as f64);
    let stride = stride.unwrap_or(100);
    let labelled: &[i32] = match decades {
        few if few < 1.5 => &[1, 2, 5],
        some if some < 2.5 && room >= 6 => &[1, 3],
        _ => &[1],
    };
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    (first..=last)
        .flat_map(|exponent| (1..10).map(move |factor| (exponent, factor)))
        .filter_map(|(exponent, factor)| {
            // The decimal notation is the correctly rounded power; powi is off by a last digit for some.
            let at: f64 = format!("{factor}e{exponent}").parse().ok()?;
            let inside = at >= low * (1.0 - 1e-9) && at <= high * (1.0 + 1e-9);
            let large = exponent.rem_euclid(stride) == 0 && labelled.contains(&factor);
            let wanted = large || (stride == 1 && decades <= SMALL_TICK_DECADES) || factor == 1;
            (inside && wanted).then(|| Tick { at, label: large.then(|| label(at)) })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().filter_map(|tick| tick.label.as_deref()).collect()
    }

    #[test]
    fn zero_to_one() {
        let step = linear_step(0.0, 1.0, 6, &Kind::Number);
        assert_eq!(labels(&linear(0.0, 1.0, step, &Kind::Number)), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
    }

    #[test]
    fn tiny_ranges_keep_their_digits() {
        let (low, high) = (1.000_000_1, 1.000_000_3);
        let ticks = linear(low, high, linear_step(low, high, 4, &Kind::Number), &Kind::Number);
        assert_eq!(labels(&ticks), ["1.0000001", "1.00000015", "1.0000002", "1.00000025", "1.0000003"]);
    }

    #[test]
    fn decades_of_durations() {
        let rates = logarithmic(1e5, 1e8, 8, &Kind::Unit("B/s"));
        assert_eq!(labels(&rates), ["100\u{a0}kB/s", "1\u{a0}MB/s", "10\u{a0}MB/s", "100\u{a0}MB/s"]);
        let rates = linear(0.0, 4e6, 2e6, &Kind::Unit("B/s"));
        assert_eq!(labels(&rates), ["0", "2\u{a0}MB/s", "4\u{a0}MB/s"]);
        let ticks = logarithmic(5e-5, 10.0, 8, &Kind::Seconds);
        let want = ["100 µs", "1 ms", "10 ms", "100 ms", "1 s", "10 s"].map(|label| label.replace(' ', "\u{a0}"));
        assert_eq!(labels(&ticks), want);
        assert!(ticks.iter().any(|tick| tick.label.is_none()), "small ticks between decades");
        assert!(ticks.iter().any(|tick| tick.at == 5e-5), "the low end is a small tick");
    }

    #[test]
    fn short_logarithmic_axes_count_in_steps() {
        assert_eq!(labels(&logarithmic(1.0, 12.0, 8, &Kind::Number)), ["1", "2", "5", "10"]);
        assert_eq!(labels(&logarithmic(1.0, 2.0, 5, &Kind::Number)), ["1", "1.2", "1.4", "1.6", "1.8", "2"]);
    }

    #[test]
    fn sizes_count_in_powers_of_two() {
        let ticks = logarithmic(1.0, 1_048_576.0, 11, &Kind::Bytes);
        let want = ["1 B", "4 B", "16 B", "64 B", "256 B", "1 KiB", "4 KiB", "16 KiB", "64 KiB", "256 KiB", "1 MiB"];
        assert_eq!(labels(&ticks), want.map(|label| label.replace(' ', "\u{a0}")));
        let step = linear_step(0.0, 1_048_576.0, 5, &Kind::Bytes);
        let ticks = linear(0.0, 1_048_576.0, step, &Kind::Bytes);
        let want = ["0", "256 KiB", "512 KiB", "768 KiB", "1 MiB"].map(|label| label.replace(' ', "\u{a0}"));
        assert_eq!(labels(&ticks), want);
    }
}
