//! Values in canonical form, which is the same for the same meaning: runs take their identity from them.

use std::path::Path;

use serde_json::Value as Json;
use xxhash_rust::xxh3::Xxh3;

use hetsim_base::input::{Input, InputError};
use hetsim_base::units::{QuantityError, QuantityKind};

/// A dotted path and the canonical form of its value.
pub(super) type Leaf = (String, String);

/// The canonical form of a number.
pub(super) fn number_leaf(number: f64) -> String {
    format!("{number:e}")
}

/// The kind of a key's quantities; `None` if the schema's format is no quantity.
pub(super) fn kind(schema: &Json) -> Option<&'static QuantityKind> {
    QuantityKind::named(schema.get("format")?.as_str()?)
}

/// The canonical form of a quantity; `None` if the key is no quantity.
pub(super) fn quantity(schema: &Json, text: &str) -> Option<Result<String, QuantityError>> {
    base_value(schema, text).map(|result| result.map(number_leaf))
}

/// The value of a quantity in its base unit; `None` if the key is no quantity.
pub(super) fn base_value(schema: &Json, text: &str) -> Option<Result<f64, QuantityError>> {
    kind(schema).map(|kind| kind.read(text))
}

/// A value in the shortest notation with a unit; `None` if the key is no quantity, or cannot have the value.
pub(super) fn in_unit(schema: &Json, value: f64) -> Option<String> {
    kind(schema)?.write(value).ok()
}

/// The canonical form of a file: a digest of its content.
pub(super) fn digest(path: &Path) -> Result<String, InputError> {
    let mut hash = Xxh3::new();
    Input::open(path)?.pieces(|piece| hash.update(piece))?;
    Ok(format!("{:032x}", hash.digest128()))
}
