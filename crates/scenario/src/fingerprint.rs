//! The identity of the values of a run: they sum up to the same number wherever they are read, and to another one as
//! soon as one of them changes.

use xxhash_rust::xxh3::Xxh3;

use super::canonical::Leaf;

/// The sum of the hashes of some canonical values: what varies can be taken out and put in without going through all
/// the others again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Fingerprint(u128);

impl Fingerprint {
    /// Of these values, in any order.
    #[must_use]
    pub fn of(leaves: &[Leaf]) -> Self {
        leaves.iter().fold(Self::default(), |sum, (path, value)| {
            let mut hash = Xxh3::new();
            hash.update(path.as_bytes());
            hash.update(b"\0");
            hash.update(value.as_bytes());
            Self(sum.0.wrapping_add(hash.digest128()))
        })
    }

    /// With others put in.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }

    /// With some taken out.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0.wrapping_sub(other.0))
    }

    /// As bytes, to be hashed further.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0.to_le_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(path: &str, value: &str) -> Leaf {
        (path.to_owned(), value.to_owned())
    }

    #[test]
    fn what_varies_can_be_exchanged() {
        let (size, root, other) = (leaf("size", "8e3"), leaf("root", "0"), leaf("size", "9e3"));
        let base = Fingerprint::of(&[size.clone(), root.clone()]);
        let changed = base.without(Fingerprint::of(&[size])).with(Fingerprint::of(std::slice::from_ref(&other)));
        assert_eq!(changed, Fingerprint::of(&[root, other]));
    }
}
