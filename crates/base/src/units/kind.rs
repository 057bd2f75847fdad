//! The kinds of quantities, for code that learns from a name which one it reads or writes.

use super::{
    Bytes, BytesPerSecond, Operations, OperationsPerSecond, Quantity, QuantityError, Seconds, SecondsPerByte, Watts,
};

/// A kind of quantity: what a type that is a [`Quantity`] is where the type is not known.
#[derive(Debug)]
pub struct QuantityKind {
    /// Its name in messages and in the schema's `format`.
    pub name: &'static str,
    /// Its base unit.
    pub unit: &'static str,
    /// Whether only whole numbers of the base unit are values.
    pub is_whole: bool,
    read: fn(&str) -> Result<f64, QuantityError>,
    write: fn(f64) -> Result<String, QuantityError>,
}

impl QuantityKind {
    /// Every kind. No unit belongs to two of them.
    pub const ALL: &'static [Self] = &[
        Self::of::<Seconds>(),
        Self::of::<Bytes>(),
        Self::of::<BytesPerSecond>(),
        Self::of::<SecondsPerByte>(),
        Self::of::<OperationsPerSecond>(),
        Self::of::<Operations>(),
        Self::of::<Watts>(),
    ];

    const fn of<Q: Quantity>() -> Self {
        Self {
            name: Q::KIND,
            unit: Q::UNIT,
            is_whole: Q::IS_WHOLE,
            read: |text| text.parse::<Q>().map(Q::base),
            write: |base| Q::from_base(base).map(|quantity| quantity.to_string()),
        }
    }

    /// The kind with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|kind| kind.name == name)
    }

    /// The value of a quantity in the base unit.
    ///
    /// # Errors
    /// The text is no quantity of this kind.
    pub fn read(&self, text: &str) -> Result<f64, QuantityError> {
        (self.read)(text)
    }

    /// A value in the shortest notation with a unit that reads back as the same.
    ///
    /// # Errors
    /// [`QuantityError::OutOfRange`] if the kind does not allow the value.
    pub fn write(&self, base: f64) -> Result<String, QuantityError> {
        (self.write)(base)
    }
}

impl PartialEq for QuantityKind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantity_is_of_one_kind() {
        for kind in QuantityKind::ALL {
            let one = format!("1{}", kind.unit);
            let meant: Vec<_> = QuantityKind::ALL.iter().filter(|kind| kind.read(&one) == Ok(1.0)).collect();
            assert_eq!(meant, [kind]);
            assert_eq!(kind.write(1.0), Ok(one));
            assert_eq!(kind.write(0.5).is_err(), kind.is_whole, "{}", kind.name);
            assert_eq!(QuantityKind::named(kind.name), Some(kind));
        }
        assert_eq!(QuantityKind::named("colour"), None);
    }
}
