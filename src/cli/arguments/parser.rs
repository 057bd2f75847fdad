//! Parsers of names, which help and completion list.

use std::ffi::OsStr;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::{Arg, Command};

/// A parser of names, each of which stands for a value.
pub(super) fn parser<T: Clone + Send + Sync + 'static>(
    values: impl IntoIterator<Item = (PossibleValue, T)>,
) -> impl TypedValueParser<Value = T> {
    let (names, values): (Vec<_>, Vec<T>) = values.into_iter().unzip();
    let known = names.clone();
    PossibleValuesParser::new(names).try_map(move |name| {
        let place = known.iter().position(|known| known.matches(&name, false));
        place.map(|place| values[place].clone()).ok_or("not a known name")
    })
}

/// A parser of the names in a registry, which help and completion show with their descriptions.
pub(super) fn names<'a, T: Copy + Send + Sync + 'static>(
    all: impl IntoIterator<Item = &'a T>,
    name: fn(T) -> &'static str,
    about: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    parser(all.into_iter().map(move |&one| (PossibleValue::new(name(one)).help(about(one)), one)))
}

/// Reads a whole number of at least 1.
pub(super) fn positive<T: FromStr>(text: &str) -> Result<T, &'static str> {
    text.parse().map_err(|_| "expected a whole number of at least 1")
}

/// Reads a whole number, 0 or more.
pub(super) fn whole<T: FromStr>(text: &str) -> Result<T, &'static str> {
    text.parse().map_err(|_| "expected a whole number, 0 or more")
}

/// A parser of any text, for which completion offers these names.
#[derive(Debug, Clone, Copy)]
pub(super) struct Completed(pub(super) fn() -> Vec<String>);

impl TypedValueParser for Completed {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0().into_iter().map(PossibleValue::new)))
    }
}
