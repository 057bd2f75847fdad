//! A TOML text as a tree that knows where each of its parts stands.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::problem::{Place, Problem, Source};

/// The most tables and arrays within each other; a scenario has a dozen. What goes through a tree calls itself for each,
/// so more of them could end the process.
pub const DEEPEST: usize = 64;

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// What it is.
    pub value: Value,
    /// Where it stands.
    pub place: Place,
}

/// The kinds of TOML values.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Keys and values, in the order of the text.
    Table(Vec<Entry>),
    /// Values in a row.
    Array(Vec<Node>),
    /// A string.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// Another number.
    Float(f64),
    /// True or false.
    Boolean(bool),
    /// A date or a time, which no key of a scenario takes.
    Date(String),
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key stands.
    pub place: Place,
    /// The value.
    pub value: Node,
}

impl Node {
    /// A value at a place.
    #[must_use]
    pub fn new(value: Value, place: &Place) -> Self {
        Self { value, place: place.clone() }
    }

    /// A string at a place.
    #[must_use]
    pub fn string(text: impl Into<String>, place: &Place) -> Self {
        Self::new(Value::Text(text.into()), place)
    }

    /// A whole number at a place.
    #[must_use]
    pub fn integer(number: impl Into<i64>, place: &Place) -> Self {
        Self::new(Value::Integer(number.into()), place)
    }

    /// Values in a row, which stands at a place.
    #[must_use]
    pub fn array(items: impl IntoIterator<Item = Self>, place: &Place) -> Self {
        Self::new(Value::Array(items.into_iter().collect()), place)
    }

    /// A table at a place, whose keys stand where their values do.
    #[must_use]
    pub fn table<K: Into<String>>(entries: impl IntoIterator<Item = (K, Self)>, place: &Place) -> Self {
        let entry = |(key, value): (K, Self)| Entry { key: key.into(), place: value.place.clone(), value };
        Self::new(Value::Table(entries.into_iter().map(entry).collect()), place)
    }

    /// Parses a whole text; `source` is its number in the list of sources.
    ///
    /// # Errors
    /// Every fault of the TOML itself.
    pub fn parse(text: &Source, source: usize) -> Result<Self, Vec<Problem>> {
        let (table, errors) = DeTable::parse_recoverable(&text.text);
        if errors.is_empty() {
            return convert_table(table.get_ref(), table.span(), (source, 0)).map_err(|problem| vec![problem]);
        }
        let problem = |error: toml::de::Error| {
            let span = error.span().unwrap_or(0..0);
            // A span at the very end of the text would underline nothing.
            let span = if span.is_empty() { span.start.saturating_sub(1)..span.start } else { span };
            Problem::at(&Place { source, span }, format!("this is not valid TOML: {}", error.message()))
        };
        let mut problems: Vec<Problem> = errors.into_iter().map(problem).collect();
        // One fault often makes others in its wake: the first of each line is said.
        let start = |problem: &Problem| problem.place.as_ref().map_or(0, |place| place.span.start);
        let bytes = text.text.as_bytes();
        problems.dedup_by(|later, first| {
            let (one, other) = (start(first).min(start(later)), start(first).max(start(later)));
            !bytes.get(one..other).unwrap_or_default().contains(&b'\n')
        });
        Err(problems)
    }

    /// Parses a single value, such as the right side of `--set`.
    ///
    /// # Errors
    /// Every fault of the TOML itself.
    pub fn parse_value(text: &Source, source: usize, from: usize) -> Result<Self, Problem> {
        let place = Place { source, span: from..text.text.len() };
        let value = &text.text[from..];
        match DeValue::parse(value) {
            Ok(value) => {
                let mut node = convert(&value, (source, 0))?;
                node.shift(from);
                Ok(node)
            }
            // What opens a bracket or a quote is meant as TOML.
            Err(error) if value.starts_with(['[', '{', '"', '\'']) => {
                let message = format!("this is not a TOML value: {}", error.message());
                let help = "quote strings, and keep the quotes from the shell: 'workload.candidates=[\"linear\"]'";
                Err(Problem::at(&place, message).with_help(help))
            }
            // A bare word or quantity is meant as a string: the shell has eaten the quotes.
            Err(_) => Ok(Self { value: Value::Text(value.to_owned()), place }),
        }
    }

    /// Moves the places of this value and all within it.
    fn shift(&mut self, by: usize) {
        let shift = |place: &mut Place| place.span = place.span.start + by..place.span.end + by;
        shift(&mut self.place);
        match &mut self.value {
            Value::Table(entries) => entries.iter_mut().for_each(|entry| {
                shift(&mut entry.place);
                entry.value.shift(by);
            }),
            Value::Array(items) => items.iter_mut().for_each(|item| item.shift(by)),
            _ => {}
        }
    }

    /// A value without a place in a text; `None` for a table or an array.
    #[must_use]
    pub fn scalar(value: &serde_json::Value) -> Option<Self> {
        let value = match value {
            serde_json::Value::Bool(truth) => Value::Boolean(*truth),
            serde_json::Value::Number(number) => match number.as_i64() {
                Some(number) => Value::Integer(number),
                None => Value::Float(number.as_f64()?),
            },
            serde_json::Value::String(text) => Value::Text(text.clone()),
            _ => return None,
        };
        Some(Self { value, place: Place::default() })
    }

    /// The entries of a table; none for another value.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        if let Value::Table(entries) = &self.value { entries } else { &[] }
    }

    /// The value under a key of this table.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// A key of this table with its value.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| entry.key == key)
    }

    /// The same, to be changed.
    pub fn entry_mut(&mut self, key: &str) -> Option<&mut Entry> {
        if let Value::Table(entries) = &mut self.value {
            entries.iter_mut().find(|entry| entry.key == key)
        } else {
            None
        }
    }

    /// Whether another one has the same values in the same order, from the same sources, wherever they stand there.
    #[must_use]
    pub fn says_as(&self, other: &Self) -> bool {
        let same = match (&self.value, &other.value) {
            (Value::Table(one), Value::Table(other)) => {
                let same = |(one, other): (&Entry, &Entry)| one.key == other.key && one.value.says_as(&other.value);
                one.len() == other.len() && one.iter().zip(other).all(same)
            }
            (Value::Array(one), Value::Array(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.says_as(other))
            }
            (one, other) => one == other,
        };
        same && self.place.source == other.place.source
    }

    /// The value under a dotted path of keys and array positions.
    #[must_use]
    pub fn at(&self, path: &str) -> Option<&Self> {
        path.split('.').try_fold(self, |node, part| match &node.value {
            Value::Array(items) => items.get(part.parse::<usize>().ok()?),
            _ => node.get(part),
        })
    }

    /// Whether a dotted path leads through a list that has no such item, or is not there.
    #[must_use]
    pub fn lacks_item(&self, path: &str) -> bool {
        path.match_indices('.').any(|(end, _)| {
            let item = path[end + 1..].split('.').next().and_then(|item| item.parse::<usize>().ok());
            match (self.at(&path[..end]).map(|list| &list.value), item) {
                (Some(Value::Array(items)), Some(item)) => item >= items.len(),
                (list, item) => list.is_none() && item.is_some(),
            }
        })
    }

    /// The string, if it is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        if let Value::Text(text) = &self.value { Some(text) } else { None }
    }

    /// Puts a value under a dotted path, making the tables on the way.
    ///
    /// # Errors
    /// A sentence about the part of the path that leads nowhere, or that it has too many parts.
    pub fn set(&mut self, path: &str, value: Self) -> Result<(), String> {
        let parts = path.split('.').count();
        if parts > DEEPEST {
            return Err(format!("a key has at most {DEEPEST} parts, and this one has {parts}"));
        }
        let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
        if let Value::Array(items) = &mut self.value {
            let item = first.parse::<usize>().ok().and_then(|index| items.get_mut(index));
            let item = item.ok_or_else(|| format!("the list has no item {first}; they count from 0"))?;
            if let Some(rest) = rest {
                return item.set(rest, value);
            }
            *item = value;
            return Ok(());
        }
        let kind = self.kind();
        let Value::Table(entries) = &mut self.value else {
            return Err(format!("`{first}` can't be set: {kind} has no keys"));
        };
        let place = value.place.clone();
        let index = entries.iter().position(|entry| entry.key == first).unwrap_or_else(|| {
            let empty = Self { value: Value::Table(Vec::new()), place: place.clone() };
            entries.push(Entry { key: first.to_owned(), place, value: empty });
            entries.len() - 1
        });
        if let Some(rest) = rest {
            return entries[index].value.set(rest, value);
        }
        entries[index].value = value;
        Ok(())
    }

    /// Takes away what stands under a dotted path, which ends in a key of a table.
    pub fn remove(&mut self, path: &str) {
        let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
        if let (Value::Array(items), Some(rest)) = (&mut self.value, rest) {
            if let Some(item) = first.parse::<usize>().ok().and_then(|index| items.get_mut(index)) {
                item.remove(rest);
            }
            return;
        }
        let Value::Table(entries) = &mut self.value else { return };
        match rest {
            None => entries.retain(|entry| entry.key != first),
            Some(rest) => {
                if let Some(entry) = entries.iter_mut().find(|entry| entry.key == first) {
                    entry.value.remove(rest);
                }
            }
        }
    }

    /// This table with the keys of `over` put over it, key by key.
    #[must_use]
    pub fn overlaid(&self, over: &Self) -> Self {
        let (Value::Table(below), Value::Table(above)) = (&self.value, &over.value) else { return over.clone() };
        let mut entries = below.clone();
        for entry in above {
            match entries.iter_mut().find(|other| other.key == entry.key) {
                Some(other) => other.value = other.value.overlaid(&entry.value),
                None => entries.push(entry.clone()),
            }
        }
        Self { value: Value::Table(entries), place: over.place.clone() }
    }

    /// The same values without their places.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Table(entries) => entries
                .iter()
                .map(|entry| (entry.key.clone(), entry.value.to_json()))
                .collect::<serde_json::Map<_, _>>()
                .into(),
            Value::Array(items) => items.iter().map(Self::to_json).collect(),
            Value::Text(text) | Value::Date(text) => text.as_str().into(),
            Value::Integer(number) => (*number).into(),
            Value::Float(number) => (*number).into(),
            Value::Boolean(truth) => (*truth).into(),
        }
    }

    /// What kind of value this is, in a few words.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self.value {
            Value::Table(_) => "a table",
            Value::Array(_) => "an array",
            Value::Text(_) => "a string",
            Value::Integer(_) => "a whole number",
            Value::Float(_) => "a number",
            Value::Boolean(_) => "true or false",
            Value::Date(_) => "a date",
        }
    }
}

/// A table within so many others.
fn convert_table(
    table: &DeTable<'_>,
    span: std::ops::Range<usize>,
    (source, depth): (usize, usize),
) -> Result<Node, Problem> {
    let entries = table.iter().map(|(key, value)| {
        Ok(Entry {
            key: key.get_ref().to_string(),
            place: Place { source, span: key.span() },
            value: convert(value, (source, depth + 1))?,
        })
    });
    Ok(Node { value: Value::Table(entries.collect::<Result<_, _>>()?), place: Place { source, span } })
}

/// A value within so many tables and arrays.
fn convert(value: &Spanned<DeValue<'_>>, (source, depth): (usize, usize)) -> Result<Node, Problem> {
    let place = Place { source, span: value.span() };
    if depth > DEEPEST {
        return Err(Problem::at(&place, format!("tables and arrays are nested more than {DEEPEST} deep")));
    }
    let too_large = || Problem::at(&place, "this number is out of range").labelled("does not fit 64 bits");
    let value = match value.get_ref() {
        DeValue::Table(table) => return convert_table(table, value.span(), (source, depth)),
        DeValue::Array(items) => {
            let items = items.iter().map(|item| convert(item, (source, depth + 1)));
            Value::Array(items.collect::<Result<_, _>>()?)
        }
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => {
            Value::Integer(i64::from_str_radix(number.as_str(), number.radix()).map_err(|_| too_large())?)
        }
        DeValue::Float(number) => Value::Float(number.as_str().parse().map_err(|_| too_large())?),
        DeValue::Boolean(truth) => Value::Boolean(*truth),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
    };
    Ok(Node { value, place })
}
