//! The unit that is meant by one that hetsim does not know.

use hetsim_base::units::{BytesPerSecond, Quantity, QuantityError, SecondsPerByte};

/// Ends of units as others write them, each with the end that hetsim knows.
const OTHER_ENDS: &[(&str, &str)] = &[
    ("bps", "bit/s"),
    ("Bps", "B/s"),
    ("b/s", "bit/s"),
    ("flops", "flop/s"),
    ("FLOPS", "flop/s"),
    ("seconds", "s"),
    ("second", "s"),
    ("secs", "s"),
    ("sec", "s"),
    ("minutes", "min"),
    ("hours", "h"),
    ("days", "d"),
];

/// Advice on a quantity, written as `text`, whose unit is not known, if it is clear what is meant.
pub(super) fn unit_help(text: &str, error: &QuantityError) -> Option<String> {
    match error {
        QuantityError::UnknownUnit { unit, .. } if unit.starts_with(',') => {
            Some("decimals follow a point, not a comma: `1.5us`".to_owned())
        }
        QuantityError::UnknownUnit { kind: SecondsPerByte::KIND, .. } if text.parse::<BytesPerSecond>().is_ok() => {
            let time = inverse::<BytesPerSecond, SecondsPerByte>(text)?;
            Some(format!("`{text}` is a bandwidth; the time per byte is `{time}`"))
        }
        QuantityError::UnknownUnit { kind: BytesPerSecond::KIND, .. } if text.parse::<SecondsPerByte>().is_ok() => {
            let bandwidth = inverse::<SecondsPerByte, BytesPerSecond>(text)?;
            Some(format!("`{text}` is a time per byte; the bandwidth is `{bandwidth}`"))
        }
        _ => meant_unit(error).map(|unit| format!("did you mean `{unit}`?")),
    }
}

/// One divided by a quantity, as one of the other kind, rounded to four digits.
fn inverse<From: Quantity, To: Quantity>(text: &str) -> Option<To> {
    let inverse = 1.0 / text.parse::<From>().ok()?.base();
    To::from_base(format!("{inverse:.3e}").parse().ok()?).ok()
}

/// The known unit that an unknown one stands for: written otherwise (`Gbps`, `usec`), in other capitals (`kb`), or without
/// what it is per (`GB` for a bandwidth).
fn meant_unit(error: &QuantityError) -> Option<&str> {
    let QuantityError::UnknownUnit { unit, known, .. } = error else { return None };
    let ends = OTHER_ENDS.iter().filter_map(|(other, end)| Some(format!("{}{end}", unit.strip_suffix(other)?)));
    let written = ends.chain([unit.clone()]);
    let known = || known.split(", ");
    written.into_iter().find_map(|unit| {
        let per = format!("{unit}/");
        known()
            .find(|known| **known == unit)
            .or_else(|| known().find(|known| known.eq_ignore_ascii_case(&unit)))
            .or_else(|| known().find(|known| known.starts_with(&per)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hetsim_base::units::{Bytes, BytesPerSecond, OperationsPerSecond, Seconds, SecondsPerByte};

    #[test]
    fn units_as_others_write_them() {
        fn meant<Q: std::str::FromStr<Err = QuantityError>>(text: &str) -> Option<String> {
            meant_unit(&text.parse::<Q>().err()?).map(str::to_owned)
        }
        for (text, unit) in
            [("1Gbps", "Gbit/s"), ("1Gb/s", "Gbit/s"), ("1MBps", "MB/s"), ("1GB", "GB/s"), ("1gbit/s", "Gbit/s")]
        {
            assert_eq!(meant::<BytesPerSecond>(text).as_deref(), Some(unit), "{text}");
        }
        for (text, unit) in [("1usec", "us"), ("1sec", "s"), ("2minutes", "min"), ("3S", "s")] {
            assert_eq!(meant::<Seconds>(text).as_deref(), Some(unit), "{text}");
        }
        assert_eq!(meant::<Bytes>("1kb").as_deref(), Some("kB"));
        assert_eq!(meant::<OperationsPerSecond>("1Gflops").as_deref(), Some("Gflop/s"));
        assert_eq!(meant::<SecondsPerByte>("8ns").as_deref(), Some("ns/B"));
        // The Greek letter is read as the micro sign.
        assert_eq!("1μs".parse::<Seconds>(), "1us".parse::<Seconds>());
        assert_eq!(meant::<Seconds>("5MB"), None);
        assert_eq!(meant::<Seconds>("5"), None);
    }
}
