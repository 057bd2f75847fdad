//! Where the ticks of an axis stand: at numbers that people count in.

use std::collections::BTreeSet;

use crate::format;
use crate::kind::Kind;

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
    // Digits of a larger unit would not tell ticks apart that are a few bytes from one another.
    let in_bytes = *kind == Kind::Bytes && format::size(largest, 5) == format::size(largest - step, 5);
    (0..=count)
        .map(|index| {
            let at = (first + index as f64) * step;
            let label = match kind {
                Kind::Bytes if in_bytes => format!("{}\u{a0}B", format::plain(at, 9)),
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

/// What the numbers of a logarithmic axis count in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base {
    /// In tens.
    Ten,
    /// In twos: sizes, and numbers that are all powers of two.
    Two,
}

impl Base {
    /// What these values are best counted in.
    pub(crate) fn of(kind: &Kind, values: &[f64]) -> Self {
        let is_power = |&value: &f64| value > 0.0 && value.log2().fract() == 0.0;
        let differ = |count: usize| values.iter().map(|value| value.to_bits()).collect::<BTreeSet<_>>().len() >= count;
        match kind {
            Kind::Bytes => Self::Two,
            Kind::Number if values.iter().all(is_power) && differ(3) => Self::Two,
            _ => Self::Ten,
        }
    }
}

/// Ticks of a logarithmic axis from `low` to `high`, both above zero: powers, the steps 2 and 5 between them where the
/// axis is short, and linear steps where it is shorter still.
pub(crate) fn logarithmic((low, high): (f64, f64), room: usize, kind: &Kind, base: Base) -> Vec<Tick> {
    let mut ticks = around((low, high), room, kind, base);
    ticks.retain(|tick| tick.at >= low * (1.0 - 1e-9) && tick.at <= high * (1.0 + 1e-9));
    ticks
}

/// The same, from the last label that is not above `low` to the first that is not below `high`.
pub(crate) fn around((low, high): (f64, f64), room: usize, kind: &Kind, base: Base) -> Vec<Tick> {
    let room = room.max(2);
    let in_steps = |room: usize| {
        let step = linear_step(low, high, room, kind);
        let below = (low / step + 1e-9).floor() * step;
        linear(if below > 0.0 { below } else { low }, (high / step - 1e-9).ceil() * step, step, kind)
    };
    match base {
        Base::Two if (high / low).log2() >= 2.0 => powers_of_two(low, high, room, kind),
        Base::Two if *kind == Kind::Bytes => in_steps(room),
        _ if (high / low).log10() < 0.7 => in_steps(room.min(6)),
        _ => powers_of_ten(low, high, room, kind),
    }
}

/// The whole numbers of one stride from the last that is not above `low` to the first that is not below `high`.
fn strides(low: f64, high: f64, stride: i32) -> (i32, i32) {
    let stride = f64::from(stride);
    (((low / stride + 1e-9).floor() * stride) as i32, ((high / stride - 1e-9).ceil() * stride) as i32)
}

fn powers_of_two(low: f64, high: f64, room: usize, kind: &Kind) -> Vec<Tick> {
    let (low, high) = (low.log2(), high.log2());
    let few = i32::try_from(room).unwrap_or(i32::MAX);
    let number = |stride: i32| (high.floor() as i32 - low.ceil() as i32) / stride;
    let stride = [1, 2, 4, 5, 10, 20, 40].into_iter().find(|&stride| number(stride) < few).unwrap_or(80);
    let (first, last) = strides(low, high, stride);
    let tick = |exponent: i32| {
        let at = 2f64.powi(exponent);
        let text = || if *kind == Kind::Bytes { format::size(at, 4) } else { format::significant(at, 7) };
        let small = stride <= 4;
        (exponent.rem_euclid(stride) == 0)
            .then(|| Tick { at, label: Some(text()) })
            .or(small.then_some(Tick { at, label: None }))
    };
    (first..=last).filter_map(tick).collect()
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
    let (first, last) = strides(low.log10(), high.log10(), stride);
    let mut ticks: Vec<Tick> = (first..=last)
        .flat_map(|exponent| (1..10).map(move |factor| (exponent, factor)))
        .filter_map(|(exponent, factor)| {
            // The decimal notation is the correctly rounded power; powi is off by a last digit for some.
            let at: f64 = format!("{factor}e{exponent}").parse().ok()?;
            let large = exponent.rem_euclid(stride) == 0 && labelled.contains(&factor);
            let wanted = large || (stride == 1 && decades <= SMALL_TICK_DECADES) || factor == 1;
            wanted.then(|| Tick { at, label: large.then(|| label(at)) })
        })
        .collect();
    // Both ends are labels.
    let named = |tick: &Tick| tick.label.is_some();
    let start = ticks.iter().rposition(|tick| named(tick) && tick.at <= low * (1.0 + 1e-9)).unwrap_or(0);
    let end =
        ticks.iter().position(|tick| named(tick) && tick.at >= high * (1.0 - 1e-9)).map_or(ticks.len(), |i| i + 1);
    ticks.truncate(end);
    ticks.split_off(start.min(end))
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
        let rates = logarithmic((1e5, 1e8), 8, &Kind::Unit("B/s"), Base::Ten);
        assert_eq!(labels(&rates), ["100\u{a0}kB/s", "1\u{a0}MB/s", "10\u{a0}MB/s", "100\u{a0}MB/s"]);
        let rates = linear(0.0, 4e6, 2e6, &Kind::Unit("B/s"));
        assert_eq!(labels(&rates), ["0", "2\u{a0}MB/s", "4\u{a0}MB/s"]);
        let ticks = logarithmic((5e-5, 10.0), 8, &Kind::Seconds, Base::Ten);
        let want = ["100 µs", "1 ms", "10 ms", "100 ms", "1 s", "10 s"].map(|label| label.replace(' ', "\u{a0}"));
        assert_eq!(labels(&ticks), want);
        assert!(ticks.iter().any(|tick| tick.label.is_none()), "small ticks between decades");
        assert!(ticks.iter().any(|tick| tick.at == 5e-5), "the low end is a small tick");
    }

    #[test]
    fn short_logarithmic_axes_count_in_steps() {
        assert_eq!(labels(&logarithmic((1.0, 12.0), 8, &Kind::Number, Base::Ten)), ["1", "2", "5", "10"]);
        assert_eq!(
            labels(&logarithmic((1.0, 2.0), 5, &Kind::Number, Base::Ten)),
            ["1", "1.2", "1.4", "1.6", "1.8", "2"]
        );
    }

    #[test]
    fn sizes_count_in_powers_of_two() {
        let ticks = logarithmic((1.0, 1_048_576.0), 11, &Kind::Bytes, Base::Two);
        let want = ["1 B", "4 B", "16 B", "64 B", "256 B", "1 KiB", "4 KiB", "16 KiB", "64 KiB", "256 KiB", "1 MiB"];
        assert_eq!(labels(&ticks), want.map(|label| label.replace(' ', "\u{a0}")));
        let step = linear_step(0.0, 1_048_576.0, 5, &Kind::Bytes);
        let ticks = linear(0.0, 1_048_576.0, step, &Kind::Bytes);
        let want = ["0", "256 KiB", "512 KiB", "768 KiB", "1 MiB"].map(|label| label.replace(' ', "\u{a0}"));
        assert_eq!(labels(&ticks), want);
    }

    /// What differs by a few bytes is written in bytes.
    #[test]
    fn close_sizes_differ() {
        let (low, high) = (1_048_576.0, 1_048_600.0);
        let want = ["1\u{a0}048\u{a0}576\u{a0}B", "1\u{a0}048\u{a0}584\u{a0}B", "1\u{a0}048\u{a0}592\u{a0}B"];
        let ticks = linear(low, high, linear_step(low, high, 3, &Kind::Bytes), &Kind::Bytes);
        assert_eq!(labels(&ticks)[..3], want);
        let ticks = logarithmic((low, high), 3, &Kind::Bytes, Base::Two);
        assert_eq!(labels(&ticks)[..3], want);
    }

    #[test]
    fn powers_of_two_have_ticks_of_their_own() {
        let nodes: Vec<f64> = (0..=6).map(|power| 2f64.powi(power)).collect();
        assert_eq!(Base::of(&Kind::Number, &nodes), Base::Two);
        assert_eq!(Base::of(&Kind::Number, &[1.0, 2.0, 3.0, 4.0]), Base::Ten);
        assert_eq!(Base::of(&Kind::Number, &[1.0, 2.0]), Base::Ten);
        let ticks = logarithmic((1.0, 64.0), 11, &Kind::Number, Base::Two);
        assert_eq!(labels(&ticks), ["1", "2", "4", "8", "16", "32", "64"]);
    }

    #[test]
    fn logarithmic_axes_can_end_at_a_label() {
        for (low, high) in [(3e-4, 2.0), (0.07, 0.9), (13.0, 14.0), (5e-9, 4e9), (1.0, 10.0), (2.0, 5.0)] {
            for kind in [Kind::Number, Kind::Seconds, Kind::Bytes] {
                let ticks = around((low, high), 7, &kind, Base::of(&kind, &[]));
                let ends = [&ticks[0], &ticks[ticks.len() - 1]];
                assert!(ends.iter().all(|tick| tick.label.is_some()), "{kind:?} {ticks:?}");
                assert!(ends[0].at <= low * (1.0 + 1e-9) && ends[1].at >= high * (1.0 - 1e-9), "{kind:?} {ticks:?}");
            }
        }
    }
}
