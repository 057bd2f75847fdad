//! Quantities of SimGrid and of hetsim: a number and a unit in one string.

use super::decimal::Decimal;

/// The kind of a quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuantityKind {
    /// Seconds.
    Time,
    /// Bytes per second.
    Bandwidth,
    /// Operations per second.
    Speed,
}

/// A quantity in its base unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Quantity {
    /// The kind.
    pub(super) kind: QuantityKind,
    /// The value in the base unit.
    pub(super) value: Decimal,
    /// Whether it was given with a binary prefix.
    binary: bool,
}

/// The prefixes for powers of 1000, or of 1024 with an `i`.
const PREFIXES: [&str; 8] = ["k", "M", "G", "T", "P", "E", "Z", "Y"];

/// The words for powers of 1000 before `flops`; SimGrid spells the seventh with one `t`.
const WORDS: [&str; 8] = ["kilo", "mega", "giga", "tera", "peta", "exa", "zeta", "yotta"];

/// The size of a unit: a factor, a power of ten, and whether its prefix is binary.
type Worth = (u128, i32, bool);

impl QuantityKind {
    /// The name in messages, and an example.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Time => ("time", "24us"),
            Self::Bandwidth => ("bandwidth", "125MBps"),
            Self::Speed => ("speed", "1.5Gf"),
        }
    }

    /// The size of a unit of SimGrid; without a unit, the base unit.
    fn worth(self, unit: &str) -> Option<Worth> {
        match self {
            Self::Time => time(unit),
            Self::Bandwidth => bandwidth(unit),
            Self::Speed => speed(unit),
        }
    }

    /// Parses a quantity in SimGrid's notation.
    ///
    /// # Errors
    /// A sentence about the number or the unit.
    pub(super) fn read(self, text: &str) -> Result<Quantity, String> {
        let (name, example) = self.words();
        let text = text.trim();
        let (number, unit) =
            Decimal::read(text).map_err(|message| format!("{message}; a {name} looks like {example:?}"))?;
        let Some((factor, power, binary)) = self.worth(unit) else {
            return Err(format!("{unit:?} is not a unit of {name}; a {name} looks like {example:?}"));
        };
        match number.scaled(factor, power) {
            Some(value) => Ok(Quantity { kind: self, value, binary }),
            None => Err(format!("{text} has too many digits")),
        }
    }

    /// The decimal units that hetsim writes, from large to small, with their powers of ten.
    fn units(self) -> &'static [(&'static str, i32)] {
        match self {
            Self::Time => &[("s", 0), ("ms", -3), ("us", -6), ("ns", -9), ("ps", -12)],
            Self::Bandwidth => &[("TB/s", 12), ("GB/s", 9), ("MB/s", 6), ("kB/s", 3), ("B/s", 0)],
            Self::Speed => &[("Top/s", 12), ("Gop/s", 9), ("Mop/s", 6), ("kop/s", 3), ("op/s", 0)],
        }
    }

    /// A value in hetsim's notation, in the largest unit of at most the value.
    pub(super) fn write(self, value: Decimal) -> String {
        let units = self.units();
        if value.is_zero() {
            let own = units.iter().find(|(_, power)| *power == 0).map_or("", |(unit, _)| unit);
            return format!("0{own}");
        }
        let fits = |power: i32| value >= Decimal::new(1, power);
        let (unit, power) = units.iter().find(|(_, power)| fits(*power)).unwrap_or(&units[units.len() - 1]);
        format!("{}{unit}", value.shifted(-power).plain())
    }
}

impl Quantity {
    /// A multiple of the quantity; `None` with too many digits.
    pub(super) fn times(self, factor: u32) -> Option<Self> {
        Some(Self { value: self.value.scaled(factor.into(), 0)?, ..self })
    }

    /// The quantity in hetsim's notation, with a binary prefix if it was given so and that is shorter.
    pub(super) fn write(self) -> String {
        let decimal = self.kind.write(self.value);
        if !self.binary || self.value.is_zero() {
            return decimal;
        }
        let units = [("GiB/s", 30), ("MiB/s", 20), ("KiB/s", 10)];
        let candidates = units.into_iter().filter_map(|(unit, power)| {
            // 1/2^n is 5^n/10^n.
            let number = self.value.scaled(5u128.pow(power), -power.cast_signed())?;
            (number >= Decimal::new(1, 0)).then(|| format!("{}{unit}", number.plain()))
        });
        std::iter::once(decimal.clone()).chain(candidates).min_by_key(String::len).unwrap_or(decimal)
    }
}

fn time(unit: &str) -> Option<Worth> {
    let (factor, power) = match unit {
        "w" => (7 * 24 * 3600, 0),
        "d" => (24 * 3600, 0),
        "h" => (3600, 0),
        "m" => (60, 0),
        "s" | "" => (1, 0),
        "ms" => (1, -3),
        "us" => (1, -6),
        "ns" => (1, -9),
        "ps" => (1, -12),
        _ => return None,
    };
    Some((factor, power, false))
}

fn bandwidth(unit: &str) -> Option<Worth> {
    // A bit is 0.125 bytes.
    let (prefix, factor, power) = match (unit, unit.strip_suffix("Bps"), unit.strip_suffix("bps")) {
        ("", ..) => ("", 1, 0),
        (_, Some(prefix), _) => (prefix, 1, 0),
        (_, _, Some(prefix)) => (prefix, 125, -3),
        _ => return None,
    };
    if prefix.is_empty() {
        return Some((factor, power, false));
    }
    if let Some(prefix) = prefix.strip_suffix('i') {
        let prefix = if prefix == "K" { "k" } else { prefix };
        return Some((factor * 1024u128.pow(rank(&PREFIXES, prefix)?), power, true));
    }
    Some((factor, power + 3 * rank(&PREFIXES, prefix)?.cast_signed(), false))
}

fn speed(unit: &str) -> Option<Worth> {
    let power = if matches!(unit, "" | "f" | "flops") {
        0
    } else if let Some(word) = unit.strip_suffix("flops") {
        let word = if word == "zetta" { "zeta" } else { word };
        rank(&WORDS, word)?
    } else {
        rank(&PREFIXES, unit.strip_suffix('f')?)?
    };
    Some((1, 3 * power.cast_signed(), false))
}

/// The power of 1000 of a prefix.
fn rank(known: &[&str], prefix: &str) -> Option<u32> {
    (1..).zip(known).find(|(_, known)| **known == prefix).map(|(rank, _)| rank)
}
