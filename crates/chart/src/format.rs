//! Numbers as people write them on axes and in cells: no trailing zeros, units with prefixes.

/// The multiplication sign and a power of ten in raised digits.
#[must_use]
pub fn power_of_ten(exponent: i32) -> String {
    let digits = exponent.to_string();
    let raised = digits.chars().map(|c| match c {
        '-' => '⁻',
        digit => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][digit.to_digit(10).unwrap_or(0) as usize],
    });
    format!("10{}", raised.collect::<String>())
}

/// `value` with `decimals` digits after the point, without trailing zeros, in groups of three above 9999.
#[must_use]
pub fn plain(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(whole, fraction)| (whole, Some(fraction)));
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("−", digits));
    let sign = if digits == "0" && fraction.is_none() { "" } else { sign };
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if digits.len() > 4 && index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push('\u{a0}');
        }
        grouped.push(digit);
    }
    fraction.map_or_else(|| format!("{sign}{grouped}"), |fraction| format!("{sign}{grouped}.{fraction}"))
}

/// Where the first digit of `value` stands: 0 for ones, 2 for hundreds, −1 for tenths.
#[must_use]
pub fn magnitude(value: f64) -> i32 {
    if value == 0.0 { 0 } else { (value.abs().log10() + 1e-9).floor() as i32 }
}

/// How many decimals a step needs.
fn decimals(step: f64) -> usize {
    // Steps start with 1, 2 or 5, so their first digit is all they have; 2.5 has one more, which costs nothing.
    (-magnitude(step)).clamp(0, 17) as usize
}

/// A tick of an axis on which ticks are `step` apart and the largest is `largest`.
pub(crate) fn stepped(value: f64, step: f64, largest: f64) -> String {
    let short_scale = largest >= 1e6 && step * 1e3 >= largest || largest < 1e-3;
    if value == 0.0 || value.abs() < step * 1e-6 {
        return "0".to_owned();
    }
    if !short_scale {
        return plain(value, decimals(step));
    }
    let exponent = magnitude(value);
    let unit = 10f64.powi(exponent);
    match plain(value / unit, decimals(step / unit)).as_str() {
        "1" => power_of_ten(exponent),
        mantissa => format!("{mantissa}×{}", power_of_ten(exponent)),
    }
}

/// `value` with at most `digits` significant digits.
pub(crate) fn significant(value: f64, digits: i32) -> String {
    let first = magnitude(value);
    if value != 0.0 && !(-4..6).contains(&first) {
        let unit = 10f64.powi(first);
        return match plain(value / unit, (digits - 1).max(0) as usize).as_str() {
            "1" => power_of_ten(first),
            mantissa => format!("{mantissa}×{}", power_of_ten(first)),
        };
    }
    plain(value, (digits - 1 - first).clamp(0, 17) as usize)
}

/// Units of time in seconds, largest first.
const TIME_UNITS: [(f64, &str); 7] =
    [(86_400.0, "d"), (3600.0, "h"), (1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"), (1e-12, "ps")];

/// The unit in which `seconds` reads best. Hours start late: a makespan of 5000 s is better left in seconds.
#[must_use]
pub fn time_unit(seconds: f64) -> (f64, &'static str) {
    let starts = |unit: f64| match unit {
        86_400.0 => 20.0 * unit,
        3600.0 => 10.0 * unit,
        _ => unit * (1.0 - 1e-9),
    };
    TIME_UNITS.into_iter().find(|&(unit, _)| seconds.abs() >= starts(unit)).unwrap_or(TIME_UNITS[6])
}

/// A duration in the unit that suits it, with at most `digits` significant digits.
pub(crate) fn duration(seconds: f64, digits: i32) -> String {
    if seconds == 0.0 {
        return "0".to_owned();
    }
    let (unit, name) = time_unit(seconds);
    format!("{}\u{a0}{name}", significant(seconds / unit, digits))
}

/// Prefixes of units, largest first.
const PREFIXES: [(f64, &str); 9] =
    [(1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n")];

/// The prefix with which an amount reads best, and what it stands for.
#[must_use]
pub fn prefix(amount: f64) -> (f64, &'static str) {
    let smallest = (1e-12, "p");
    PREFIXES.into_iter().find(|&(factor, _)| amount.abs() >= factor * (1.0 - 1e-9)).unwrap_or(smallest)
}

/// An amount of a unit, with a prefix and at most `digits` significant digits.
pub(crate) fn amount(value: f64, digits: i32, unit: &str) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let (factor, prefix) = prefix(value);
    format!("{}\u{a0}{prefix}{unit}", significant(value / factor, digits))
}

/// Units of size in bytes, largest first.
const SIZE_UNITS: [(f64, &str); 5] =
    [(1_099_511_627_776.0, "TiB"), (1_073_741_824.0, "GiB"), (1_048_576.0, "MiB"), (1024.0, "KiB"), (1.0, "B")];

/// The unit in which `bytes` reads best.
#[must_use]
pub fn size_unit(bytes: f64) -> (f64, &'static str) {
    SIZE_UNITS.into_iter().find(|&(unit, _)| bytes.abs() >= unit).unwrap_or((1.0, "B"))
}

/// A size in binary units, with at most `digits` significant digits (but never fewer than its whole part has).
pub(crate) fn size(bytes: f64, digits: i32) -> String {
    if bytes == 0.0 {
        return "0".to_owned();
    }
    let (unit, name) = size_unit(bytes);
    format!("{}\u{a0}{name}", significant(bytes / unit, digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_digit_is_wasted() {
        assert_eq!(stepped(100.0, 50.0, 200.0), "100");
        assert_eq!(stepped(0.5, 0.1, 1.0), "0.5");
        assert_eq!(stepped(-3.0 * 0.1, 0.1, 1.0), "−0.3");
        assert_eq!(stepped(1e-17, 0.1, 1.0), "0");
        assert_eq!(stepped(25_000.0, 5000.0, 50_000.0), "25\u{a0}000");
        assert_eq!(stepped(2.5e7, 5e6, 5e7), "2.5×10⁷");
        assert_eq!(stepped(1e-5, 1e-5, 5e-5), "10⁻⁵");
        assert_eq!(stepped(1_000_000.2, 0.1, 1_000_000.5), "1\u{a0}000\u{a0}000.2");
        assert_eq!(significant(2.345_67, 3), "2.35");
        assert_eq!(significant(1234.5, 3), "1234");
        assert_eq!(significant(1e9, 3), "10⁹");
    }

    #[test]
    fn prefixes_suit_the_value() {
        assert_eq!(amount(12_583_556.532, 3, "B/s"), "12.6\u{a0}MB/s");
        assert_eq!(amount(1e9, 3, "op/s"), "1\u{a0}Gop/s");
        assert_eq!(amount(0.095, 3, "W"), "95\u{a0}mW");
        assert_eq!(amount(6e-9, 3, "s/B"), "6\u{a0}ns/B");
        assert_eq!(amount(0.0, 3, "op"), "0");
    }

    #[test]
    fn units_suit_the_value() {
        assert_eq!(duration(1e-5, 3), "10\u{a0}µs");
        assert_eq!(duration(0.1, 3), "100\u{a0}ms");
        assert_eq!(duration(1.0, 3), "1\u{a0}s");
        assert_eq!(duration(5000.0, 3), "5000\u{a0}s");
        assert_eq!(duration(72_000.0, 3), "20\u{a0}h");
        assert_eq!(size(1.0, 4), "1\u{a0}B");
        assert_eq!(size(65_536.0, 4), "64\u{a0}KiB");
        assert_eq!(size(1_048_576.0, 4), "1\u{a0}MiB");
        assert_eq!(size(1_000_000.0, 3), "977\u{a0}KiB");
    }
}
