//! A formula as a time: its unit, and the variables that the caller supplies.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::curve::folded;
use super::expression::{Expression, Node};
use super::file::Formula;

/// The unit of a formula's times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum TimeUnit {
    /// Seconds.
    #[serde(rename = "s")]
    Second,
    /// Milliseconds.
    #[serde(rename = "ms")]
    Millisecond,
    /// Microseconds.
    #[serde(rename = "us")]
    Microsecond,
    /// Nanoseconds.
    #[serde(rename = "ns")]
    Nanosecond,
}

impl TimeUnit {
    /// How many units make a second.
    #[must_use]
    pub const fn per_second(self) -> f64 {
        match self {
            Self::Second => 1.0,
            Self::Millisecond => 1e3,
            Self::Microsecond => 1e6,
            Self::Nanosecond => 1e9,
        }
    }

    /// The unit at the end of a column's name, such as `time_us`; `None` without one, and of a rate such as `mb_s`.
    #[must_use]
    pub fn of_column(name: &str) -> Option<Self> {
        if is_rate(name) {
            return None;
        }
        match name.rsplit('_').next()? {
            "s" => Some(Self::Second),
            "ms" => Some(Self::Millisecond),
            "us" => Some(Self::Microsecond),
            "ns" => Some(Self::Nanosecond),
            _ => None,
        }
    }
}

/// What is counted in a time, in the names of rates.
const COUNTED: [&str; 10] = ["per", "b", "bit", "bits", "byte", "bytes", "flop", "flops", "op", "messages"];

/// Whether a column's name ends as that of a rate does: `bandwidth_mb_s`, `gflop_s`, `calls_per_us`.
fn is_rate(name: &str) -> bool {
    let Some((before, _)) = name.rsplit_once('_') else { return false };
    let word = before.rsplit('_').next().unwrap_or_default().to_lowercase();
    let without_prefix = word.trim_start_matches(['k', 'm', 'g', 't']);
    COUNTED.iter().any(|counted| word == *counted || without_prefix.trim_start_matches('i') == *counted)
}

/// What happens to values outside the range to which a formula was fitted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Beyond {
    /// The formula is used, and one warning is issued.
    #[default]
    Extrapolate,
    /// The values are refused.
    Refuse,
}

/// A formula read from a file, with a flag that a warning was issued.
#[derive(Debug)]
pub struct NamedFormula {
    /// The name of the file, for messages.
    pub name: String,
    /// The formula.
    pub formula: Formula,
    warned: AtomicBool,
}

impl PartialEq for NamedFormula {
    fn eq(&self, other: &Self) -> bool {
        self.formula == other.formula
    }
}

impl NamedFormula {
    /// A formula and the name of its file.
    #[must_use]
    pub const fn new(name: String, formula: Formula) -> Self {
        Self { name, formula, warned: AtomicBool::new(false) }
    }

    /// Warns, once per formula, that it is used for a value outside its range.
    pub fn warn_beyond(&self, what: &str, value: f64, (least, greatest): (f64, f64)) {
        if !self.warned.swap(true, Ordering::Relaxed) {
            let name = &self.name;
            log::warn!(
                "{name}: the formula was fitted to {what} from {least} to {greatest} and is used for {value} as well; \
                 `beyond = \"refuse\"` refuses that (shown once)"
            );
        }
    }
}

/// A quantity that the caller supplies to a formula.
#[derive(Debug, Clone, Copy)]
pub struct Supplied<'a> {
    /// The key by which users name its variable.
    pub key: &'static str,
    /// The name that the user gave.
    pub named: Option<&'a str>,
    /// Its usual names.
    pub usual: &'static [&'static str],
    /// A description, for messages.
    pub what: &'static str,
}

impl<'a> Supplied<'a> {
    /// The length of a message, in bytes.
    #[must_use]
    pub const fn size(named: Option<&'a str>) -> Self {
        Self { key: "size", named, usual: &["bytes", "size", "m", "b"], what: "the size in bytes" }
    }

    /// The number of participating ranks.
    #[must_use]
    pub const fn ranks(named: Option<&'a str>) -> Self {
        Self { key: "ranks", named, usual: &["ranks", "p", "processes", "n"], what: "the number of ranks" }
    }
}

/// Why a formula cannot be used: the key at fault, and the reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct UseError {
    /// The key: `formula`, `values`, `unit`, or that of a supplied quantity.
    pub key: &'static str,
    /// What is wrong.
    pub message: String,
}

/// Says that a formula depends on a variable that is neither fixed nor supplied.
fn unknown_variable(name: &str, supplied: &[Supplied<'_>]) -> UseError {
    let known: Vec<String> = supplied
        .iter()
        .map(|quantity| {
            format!("{} (`{}`, or named by `{}`)", quantity.what, quantity.usual.join("`, `"), quantity.key)
        })
        .collect();
    let message = format!(
        "the formula depends on `{name}`, which is not known here; known is {}. Others need a number: \
         values = {{ {name} = 1 }}",
        known.join(" and ")
    );
    UseError { key: "formula", message }
}

/// A time over supplied quantities; all other variables have fixed values.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeFormula {
    /// The expression over the supplied quantities, in order.
    pub expression: Expression,
    /// Its unit.
    pub unit: TimeUnit,
    /// The range of each supplied quantity in the data; `None` if the formula has no such variable.
    pub ranges: Vec<Option<(f64, f64)>>,
}

impl TimeFormula {
    /// Resolves the variables of a formula: each has a fixed value or is supplied. If one quantity is supplied, the
    /// only variable without a value is that quantity, whatever its name.
    ///
    /// # Errors
    /// A [`UseError`] if a variable is neither fixed nor supplied, a name is not a variable, or the unit is unknown.
    pub fn new(
        formula: &Formula,
        supplied: &[Supplied<'_>],
        values: &BTreeMap<String, f64>,
        unit: Option<TimeUnit>,
    ) -> Result<Self, UseError> {
        let names = formula.names();
        let listed = || names.join(", ");
        let unknown = |key, name: &str| {
            let message = format!("there is no variable `{name}` in the formula; there are: {}", listed());
            Err(UseError { key, message })
        };
        if let Some((name, _)) = values.iter().find(|(name, _)| !names.contains(&name.as_str())) {
            return unknown("values", name);
        }
        for quantity in supplied {
            if let Some(name) = quantity.named.filter(|name| !names.contains(name)) {
                return unknown(quantity.key, name);
            }
        }
        let unit = unit.or_else(|| TimeUnit::of_column(&formula.target)).ok_or_else(|| {
            let target = &formula.target;
            let fault = if is_rate(target) { "is a rate by its name, not a time" } else { "does not say its unit" };
            let message =
                format!("the formula's `{target}` {fault}: if it is a time, give `unit`, such as unit = \"us\"");
            UseError { key: "formula", message }
        })?;
        let mut places: Vec<Option<Node>> =
            names.iter().map(|name| values.get(*name).map(|value| Node::Constant(*value))).collect();
        let mut ranges = vec![None; supplied.len()];
        for (number, quantity) in supplied.iter().enumerate() {
            let is_it = |name: &str| quantity.named.map_or_else(|| quantity.usual.contains(&name), |own| own == name);
            let mut found = (0..names.len()).filter(|at| places[*at].is_none() && is_it(names[*at]));
            let mut place = found.next();
            if let Some((first, second)) = place.zip(found.next()) {
                let (what, key, first, second) = (quantity.what, quantity.key, names[first], names[second]);
                let message =
                    format!("`{first}` and `{second}` of the formula could both be {what}: name one by `{key}`");
                return Err(UseError { key: "formula", message });
            }
            if place.is_none() && supplied.len() == 1 {
                let mut open = (0..names.len()).filter(|at| places[*at].is_none());
                place = open.next().filter(|_| open.next().is_none());
            }
            // For a whole operation a quantity may be fixed; a message always has its own size.
            if let Some(name) = values.keys().find(|name| supplied.len() == 1 && place.is_none() && is_it(name)) {
                let what = quantity.what;
                let message = format!("`{name}` is {what}, which is known here: take it out of `values`");
                return Err(UseError { key: "values", message });
            }
            if let Some(at) = place {
                places[at] = Some(Node::Variable(number as u16));
                ranges[number] = Some((formula.variables[at].least, formula.variables[at].greatest));
            }
        }
        let uses = |variable: usize| {
            formula.expression.nodes().iter().any(|node| match node {
                Node::Variable(own) | Node::Choose { variable: own, .. } => usize::from(*own) == variable,
                _ => false,
            })
        };
        if let Some(at) = (0..names.len()).find(|at| places[*at].is_none() && uses(*at)) {
            return Err(unknown_variable(names[at], supplied));
        }
        let put = |variable: u16| places[usize::from(variable)];
        let decide = |variable: u16, border: f64| match put(variable) {
            Some(Node::Constant(value)) => Some(value <= border),
            _ => None,
        };
        let whole = Expression::new(folded(&formula.expression, put, decide));
        let expression = whole.ok_or_else(|| UseError {
            key: "values",
            message: "a value that is given to the formula is not finite".to_owned(),
        })?;
        Ok(Self { expression, unit, ranges })
    }

    /// The time in seconds for these values of the supplied quantities; `None` if it is undefined, infinite or
    /// negative.
    #[must_use]
    pub fn seconds(&self, point: &[f64]) -> Option<f64> {
        self.expression.value(point).filter(|value| *value >= 0.0).map(|value| value / self.unit.per_second())
    }

    /// The first quantity whose value lies outside its range: its index and the range.
    #[must_use]
    pub fn beyond(&self, point: &[f64]) -> Option<(usize, (f64, f64))> {
        let mut ranges = self.ranges.iter().zip(point).enumerate();
        ranges.find_map(|(number, (range, value))| {
            range.filter(|(least, greatest)| !(*least..=*greatest).contains(value)).map(|range| (number, range))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formula(target: &str, text: &str) -> Formula {
        let file = format!(
            "target = '{target}'\nformula = '{text}'\n[[variable]]\nname = 'p'\nleast = 2\ngreatest = 64\n\
             [[variable]]\nname = 'bytes'\nleast = 4\ngreatest = 4096\n"
        );
        Formula::from_toml(&file).unwrap()
    }

    fn of(text: &str, values: &[(&str, f64)], size: Option<&str>) -> Result<TimeFormula, UseError> {
        let values = values.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        TimeFormula::new(&formula("t_us", text), &[Supplied::size(size)], &values, None)
    }

    #[test]
    fn units_are_those_that_names_end_in() {
        for (name, unit) in
            [("time_us", Some(1e6)), ("t_s", Some(1.0)), ("ns", Some(1e9)), ("a_ms", Some(1e3)), ("times", None)]
        {
            assert_eq!(TimeUnit::of_column(name).map(TimeUnit::per_second), unit, "{name}");
        }
        for rate in
            ["bandwidth_mb_s", "MB_s", "gib_s", "gflop_s", "Gbit_s", "messages_s", "calls_per_s", "bytes_per_us"]
        {
            assert_eq!(TimeUnit::of_column(rate), None, "{rate}");
        }
        for time in ["median_us", "stop_s", "tib_time_s", "t_comm_s", "members_s"] {
            assert!(TimeUnit::of_column(time).is_some(), "{time}");
        }
        let nameless = TimeFormula::new(&formula("time", "bytes"), &[Supplied::size(None)], &BTreeMap::new(), None);
        assert!(nameless.unwrap_err().message.contains("unit = \"us\""));
        let rate = TimeFormula::new(&formula("mb_s", "bytes"), &[Supplied::size(None)], &BTreeMap::new(), None);
        assert!(rate.unwrap_err().message.starts_with("the formula's `mb_s` is a rate by its name, not a time"));
    }

    #[test]
    fn variables_are_supplied_or_have_numbers() {
        let time = of("if(p <= 8, 10 + p*bytes, 0)", &[("p", 8.0)], None).unwrap();
        assert_eq!(time.seconds(&[100.0]), Some(810e-6));
        assert_eq!(time.ranges, [Some((4.0, 4096.0))]);
        assert_eq!((time.beyond(&[3.0]), time.beyond(&[4.0])), (Some((0, (4.0, 4096.0))), None));
        // A variable that the formula lists but does not use needs no number.
        assert!(of("3 + bytes", &[], None).is_ok());
        // The only one that is left, and one that is named.
        assert_eq!(of("p + bytes", &[("bytes", 1.0)], None).unwrap().seconds(&[2.0]), Some(3e-6));
        assert_eq!(of("p + 2*bytes", &[("bytes", 1.0)], Some("p")).unwrap().seconds(&[2.0]), Some(4e-6));
        assert_eq!(of("1 - bytes", &[], None).unwrap().seconds(&[2.0]), None);
        for (values, size, key, part) in [
            (&[][..], None, "formula", "depends on `p`"),
            (&[("q", 1.0)][..], None, "values", "no variable `q`"),
            (&[][..], Some("length"), "size", "no variable `length`"),
            (&[("p", f64::INFINITY)][..], None, "values", "not finite"),
        ] {
            let error = of("p + bytes", values, size).unwrap_err();
            assert!(error.key == key && error.message.contains(part), "{error:?}");
        }
    }

    #[test]
    fn two_quantities() {
        let both = [Supplied::ranks(None), Supplied::size(None)];
        let time = TimeFormula::new(&formula("t_s", "p*bytes + bytes"), &both, &BTreeMap::new(), None).unwrap();
        assert_eq!(time.seconds(&[3.0, 10.0]), Some(40.0));
        assert_eq!(time.beyond(&[3.0, 5000.0]), Some((1, (4.0, 4096.0))));
    }
}
