//! Default values of keys, named where they are used: `#[serde(default = "count::<16>")]`.

use super::Bytes;

/// The whole number `N`.
#[must_use]
pub const fn count<const N: u32>() -> u32 {
    N
}

/// The fraction `PART / WHOLE`.
#[must_use]
pub const fn fraction<const PART: u32, const WHOLE: u32>() -> f64 {
    PART as f64 / WHOLE as f64
}

/// A size of `N` bytes.
#[must_use]
pub const fn bytes<const N: u64>() -> Bytes {
    Bytes::new(N)
}

/// True.
#[must_use]
pub const fn yes() -> bool {
    true
}
