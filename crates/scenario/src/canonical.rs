//! Values in canonical form, which is the same for the same meaning: runs take their identity from them.

use std::path::Path;

use serde_json::Value as Json;
use xxhash_rust::xxh3::Xxh3;

use hetsim_base::input::{Input, InputError};
use hetsim_base::units::{
    Bytes, BytesPerSecond, Operations, OperationsPerSecond, Quantity, QuantityError, Seconds, SecondsPerByte, Watts,
};

/// A dotted path and the canonical form of its value.
pub(super) type Leaf = (String, String);

/// The canonical form of a number.
pub(super) fn number_leaf(number: f64) -> String {
    format!("{number:e}")
}

/// The canonical form of a quantity by the schema's format; `None` if the format is no quantity.
pub(super) fn quantity(schema: &Json, text: &str) -> Option<Result<String, QuantityError>> {
    base_value(schema, text).map(|result| result.map(number_leaf))
}

/// The value of a quantity in its base unit; `None` if the schema's format is no quantity.
pub(super) fn base_value(schema: &Json, text: &str) -> Option<Result<f64, QuantityError>> {
    fn parse<Q: Quantity>(text: &str) -> Result<f64, QuantityError> {
        text.parse::<Q>().map(Quantity::base)
    }
    Some(match schema.get("format")?.as_str()? {
        Seconds::KIND => parse::<Seconds>(text),
        Bytes::KIND => parse::<Bytes>(text),
        BytesPerSecond::KIND => parse::<BytesPerSecond>(text),
        SecondsPerByte::KIND => parse::<SecondsPerByte>(text),
        OperationsPerSecond::KIND => parse::<OperationsPerSecond>(text),
        Operations::KIND => parse::<Operations>(text),
        Watts::KIND => parse::<Watts>(text),
        _ => return None,
    })
}

/// A value in the shortest notation with a unit; `None` if the key is no quantity, or cannot have the value.
pub(super) fn in_unit(schema: &Json, value: f64) -> Option<String> {
    quantity_text(schema.get("format")?.as_str()?, value)?.ok()
}

/// A quantity of a format as text; `None` if the format is no quantity.
pub(super) fn quantity_text(format: &str, base: f64) -> Option<Result<String, QuantityError>> {
    fn text<Q: Quantity>(base: f64) -> Result<String, QuantityError> {
        Q::from_base(base).map(|quantity| quantity.to_string())
    }
    Some(match format {
        Seconds::KIND => text::<Seconds>(base),
        Bytes::KIND => text::<Bytes>(base),
        BytesPerSecond::KIND => text::<BytesPerSecond>(base),
        SecondsPerByte::KIND => text::<SecondsPerByte>(base),
        OperationsPerSecond::KIND => text::<OperationsPerSecond>(base),
        Operations::KIND => text::<Operations>(base),
        Watts::KIND => text::<Watts>(base),
        _ => return None,
    })
}

/// The canonical form of a file: a digest of its content.
pub(super) fn digest(path: &Path) -> Result<String, InputError> {
    let mut hash = Xxh3::new();
    Input::open(path)?.pieces(|piece| hash.update(piece))?;
    Ok(format!("{:032x}", hash.digest128()))
}
