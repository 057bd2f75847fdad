//! The keys of a platform whose values are searched.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::scenario::{Place, Problem, suggest};
use crate::units::QuantityKind;

/// How far the search goes from the file's value in either direction, unless bounds are given.
pub const REACH: f64 = 30.0;

/// The significant digits of the values that are found: more than measurements determine.
const DIGITS: usize = 4;

/// A key to be calibrated: a positive quantity, with the bounds between which it is searched. Where a `*` stands for a
/// part of its path it may be several values of the file, which keep their ratios.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// The name by which it was asked for: its path, or the end of it.
    pub name: String,
    /// The dotted path in the table `platform`; with a `*` as it was asked for.
    pub path: String,
    /// The file's value, in the base unit, as the bounds.
    pub start: f64,
    /// The least value.
    pub low: f64,
    /// The greatest value.
    pub high: f64,
    /// The values that it sets, the first as it is.
    settings: Vec<Setting>,
    kind: &'static QuantityKind,
}

/// A value of the file that a key sets.
#[derive(Debug, Clone, PartialEq)]
struct Setting {
    path: String,
    /// Its ratio to the key's value.
    ratio: f64,
    /// Where it stands in the file.
    place: Range<usize>,
    /// The file's unit.
    unit: String,
}

/// A value of the file that is no table.
#[derive(Clone)]
struct Leaf<'a> {
    path: String,
    /// The same path with the `domain`s of levels in place of their numbers, or without the number of an only item.
    named: String,
    value: &'a Spanned<DeValue<'a>>,
}

impl Leaf<'_> {
    /// Whether a path, or the end of one, is meant by a name in which `*` stands for any part.
    fn is_meant(&self, name: &str) -> bool {
        let ends = |path: &str| {
            let mut parts = path.rsplit('.');
            name.rsplit('.').all(|asked| parts.next().is_some_and(|part| asked == "*" || asked == part))
        };
        ends(&self.path) || ends(&self.named)
    }
}

/// Every value of a table with its dotted path, which an item of a list enters by its number.
fn leaves<'a>(value: &'a Spanned<DeValue<'a>>, path: &str, named: &str, found: &mut Vec<Leaf<'a>>) {
    let below = |path: &str, key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value.get_ref() {
        DeValue::Table(table) => {
            for (key, value) in table {
                leaves(value, &below(path, key.get_ref()), &below(named, key.get_ref()), found);
            }
        }
        DeValue::Array(items) => {
            for (number, item) in items.iter().enumerate() {
                let number = number.to_string();
                let domain = item.get_ref().get("domain").and_then(|domain| domain.get_ref().as_str());
                // The only item of a list needs no name.
                let named = match domain {
                    None if items.len() == 1 => named.to_owned(),
                    _ => below(named, domain.unwrap_or(&number)),
                };
                leaves(item, &below(path, &number), &named, found);
            }
        }
        _ => found.push(Leaf { path: path.to_owned(), named: named.to_owned(), value }),
    }
}

impl Key {
    /// Finds keys in the text of a platform file. Each is a dotted path in the table `platform`, or the end of one
    /// that no other key has (`network.latency`), with bounds behind it if need be (`network.latency=1us..20us`). A level
    /// may be named by its `domain` (`socket.network.latency`), or not at all if it is the only one
    /// (`level.network.latency`), and a `*` stands for any part, but in keys that are named without one.
    ///
    /// # Errors
    /// A key that is not in the text or there several times, no positive quantity, or out of its bounds. A text that
    /// is no TOML has no keys; its reader says so.
    pub fn find_all(asked: &[String], text: &str) -> Result<Vec<Self>, Vec<Problem>> {
        let (table, _) = DeTable::parse_recoverable(text);
        let mut found = Vec::new();
        for (key, value) in table.get_ref() {
            // A file to be included has the table's content without its name.
            let path = if key.get_ref() == "platform" { "" } else { key.get_ref() };
            leaves(value, path, path, &mut found);
        }
        let plain = asked.iter().filter(|asked| !asked.contains('*'));
        let plain: Vec<String> = plain.filter_map(|asked| Self::find(asked, &found).ok()).map(|key| key.path).collect();
        let free: Vec<Leaf<'_>> = found.iter().filter(|leaf| !plain.contains(&leaf.path)).cloned().collect();
        let mut keys: Vec<Self> = Vec::new();
        let mut problems = Vec::new();
        for asked in asked {
            match Self::find(asked, if asked.contains('*') { &free } else { &found }) {
                Ok(key) => {
                    let known: Vec<&str> = keys.iter().flat_map(Self::paths).collect();
                    if let Some(twice) = key.paths().find(|path| known.contains(path)) {
                        problems.push(Problem::general(format!("--free {asked}: `{twice}` is named twice")));
                    }
                    keys.push(key);
                }
                Err(problem) => problems.push(problem),
            }
        }
        if problems.is_empty() { Ok(keys) } else { Err(problems) }
    }

    fn find(asked: &str, leaves: &[Leaf<'_>]) -> Result<Self, Problem> {
        let (name, bounds) = asked.split_once('=').map_or((asked, None), |(name, bounds)| (name, Some(bounds)));
        let name = name.trim();
        let name = name.strip_prefix("platform.").unwrap_or(name);
        let all: Vec<&Leaf<'_>> = leaves.iter().filter(|leaf| leaf.is_meant(name)).collect();
        let exact = all.iter().position(|leaf| leaf.path == name);
        let meant = match (exact, all.as_slice()) {
            (Some(exact), all) => &all[exact..=exact],
            (None, all @ [_]) => all,
            (None, []) => {
                // The same number of parts, counted from the end, is compared.
                let parts = name.matches('.').count() + 1;
                let end = |leaf: &Leaf<'_>| {
                    let skipped = (leaf.named.matches('.').count() + 1).saturating_sub(parts);
                    leaf.named.split('.').skip(skipped).collect::<Vec<_>>().join(".")
                };
                let quantities = leaves.iter().filter(|leaf| kind(leaf).is_some());
                let mut ends: Vec<String> = quantities.map(end).collect();
                ends.sort_unstable();
                ends.dedup();
                let help = suggest(name, &ends.iter().map(String::as_str).collect::<Vec<_>>());
                let message = format!("--free {name}: the platform's file has no such key");
                return Err(Problem::general(message).with_help(help));
            }
            (None, several) if name.contains('*') => several,
            (None, several) => {
                let paths: Vec<&str> = several.iter().map(|leaf| leaf.path.as_str()).collect();
                let message = format!("--free {name}: several keys end so: {}", paths.join(", "));
                return Err(Problem::general(message).with_help("write more of the path"));
            }
        };
        // There is one at least.
        let (kind, start) = positive(meant[0])?;
        let mut settings = Vec::new();
        for leaf in meant {
            let (other, value) = positive(leaf)?;
            if other != kind {
                let message = format!("--free {name}: `{}` is another quantity than `{}`", leaf.path, meant[0].path);
                return Err(Problem::at(&leaf.place(), message));
            }
            settings.push(Setting {
                path: leaf.path.clone(),
                ratio: value / start,
                place: leaf.value.span(),
                unit: leaf.unit(),
            });
        }
        let (low, high) = match bounds {
            None => (start / REACH, start * REACH),
            Some(bounds) => read_bounds(bounds, kind, start).map_err(|fault| {
                Problem::general(format!("--free {asked}: {fault}")).with_help(format!(
                    "bounds look like `{name}={}..{}`",
                    // A division by ten leaves digits that nobody wrote.
                    shown(kind, significant(start / 10.0)),
                    shown(kind, significant(start * 10.0))
                ))
            })?,
        };
        let path = if let [only] = meant { only.path.clone() } else { name.to_owned() };
        Ok(Self { name: name.to_owned(), path, start, low, high, settings, kind })
    }

    /// The dotted paths of the values that it sets.
    fn paths(&self) -> impl Iterator<Item = &str> {
        self.settings.iter().map(|setting| setting.path.as_str())
    }

    /// The values that it sets if it has this value, as they are written, and their dotted paths.
    pub(super) fn set(&self, value: f64) -> impl Iterator<Item = (&str, f64)> {
        let written = move |setting: &Setting| match setting.ratio {
            1.0 => value,
            ratio => self.kind.read(&self.text_in(value * ratio, &setting.unit)).unwrap_or(value * ratio),
        };
        self.settings.iter().map(move |setting| (setting.path.as_str(), written(setting)))
    }

    /// The value nearest to this one that has few digits in the file's unit.
    #[must_use]
    pub fn rounded(&self, value: f64) -> f64 {
        self.kind.read(&self.text(value)).unwrap_or(value)
    }

    /// A value as TOML has it, without quotes: in few digits and the file's unit, if that suits it.
    #[must_use]
    pub fn text(&self, value: f64) -> String {
        self.text_in(value, self.settings.first().map_or("", |setting| &setting.unit))
    }

    fn text_in(&self, value: f64, own: &str) -> String {
        if self.kind.is_whole {
            return shown(self.kind, value);
        }
        let unit = self.kind.read(&format!("1{own}")).unwrap_or(1.0);
        let (number, unit) = if (1e-2..1e5).contains(&(value / unit)) {
            (value / unit, own.to_owned())
        } else {
            let text = shown(self.kind, value);
            let end = text.find(|c: char| c.is_alphabetic() && c != 'e').unwrap_or(text.len());
            (text[..end].parse().unwrap_or(value), text[end..].to_owned())
        };
        format!("{}{unit}", significant(number))
    }

    /// The share of the way from the least value to the greatest, in the logarithm.
    pub(super) fn share(&self, value: f64) -> f64 {
        (value / self.low).ln() / self.width()
    }

    /// The value at such a share.
    pub(super) fn at(&self, share: f64) -> f64 {
        let value = self.low * (share * self.width()).exp();
        let value = value.clamp(self.low, self.high);
        if self.kind.is_whole { value.round() } else { value }
    }

    /// The logarithm of the ratio of the bounds.
    pub(super) fn width(&self) -> f64 {
        (self.high / self.low).ln()
    }
}

impl Leaf<'_> {
    fn place(&self) -> Place {
        Place { source: 0, span: self.value.span() }
    }

    /// The unit of a quantity.
    fn unit(&self) -> String {
        let text = self.value.get_ref().as_str().unwrap_or_default();
        text.trim_start_matches(|c: char| !c.is_alphabetic() || c == 'e').to_owned()
    }
}

/// The kind and the value of a leaf that can be calibrated.
fn positive(leaf: &Leaf<'_>) -> Result<(&'static QuantityKind, f64), Problem> {
    let Some((kind, value)) = kind(leaf) else {
        let message = format!("`{}` can't be calibrated: it is not a quantity with a unit", leaf.path);
        return Err(Problem::at(&leaf.place(), message));
    };
    if value <= 0.0 {
        let message = format!("`{}` can't be calibrated from zero: the search multiplies", leaf.path);
        return Err(Problem::at(&leaf.place(), message).with_help("write a value of the right order"));
    }
    Ok((kind, value))
}

fn kind(leaf: &Leaf<'_>) -> Option<(&'static QuantityKind, f64)> {
    let DeValue::String(text) = leaf.value.get_ref() else { return None };
    QuantityKind::ALL.iter().find_map(|kind| kind.read(text).ok().map(|base| (kind, base)))
}

/// A number in few digits.
fn significant(number: f64) -> f64 {
    format!("{number:.*e}", DIGITS - 1).parse().unwrap_or(number)
}

fn shown(kind: &QuantityKind, base: f64) -> String {
    let base = if kind.is_whole { base.round() } else { base };
    kind.write(base).unwrap_or_else(|_| base.to_string())
}

fn read_bounds(text: &str, kind: &QuantityKind, start: f64) -> Result<(f64, f64), String> {
    let Some((low, high)) = text.split_once("..") else { return Err("there are no bounds `low..high`".to_owned()) };
    let read = |text: &str| kind.read(text.trim()).map_err(|_| format!("{text:?} is not a value of this key"));
    let (low, high) = (read(low)?, read(high)?);
    if !(0.0 < low && low < high) {
        return Err("the bounds must be above zero, and the second one above the first".to_owned());
    }
    if !(low..=high).contains(&start) {
        return Err(format!("the file's value, {}, lies outside", shown(kind, start)));
    }
    Ok((low, high))
}

/// The text of a platform file with other values of some keys: all else stays as it is.
#[must_use]
pub fn replaced(text: &str, keys: &[Key], values: &[f64]) -> String {
    let of = |(key, value): (&'_ Key, &f64)| -> Vec<(Range<usize>, String)> {
        let text = |setting: &Setting| key.text_in(value * setting.ratio, &setting.unit);
        key.settings.iter().map(|setting| (setting.place.clone(), text(setting))).collect()
    };
    let mut changes: Vec<(Range<usize>, String)> = keys.iter().zip(values).flat_map(of).collect();
    changes.sort_by_key(|(place, _)| place.start);
    let mut written = String::with_capacity(text.len());
    let mut at = 0;
    for (place, value) in changes {
        written.push_str(&text[at..place.start]);
        written.push_str(&crate::printable::toml_string(&value));
        at = place.end;
    }
    written + &text[at..]
}
