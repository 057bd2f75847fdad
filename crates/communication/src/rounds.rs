//! How often something doubles.

/// The position of the highest set bit, plus one; 0 for 0.
pub(super) const fn bit_length(value: u32) -> u32 {
    u32::BITS - value.leading_zeros()
}

/// ⌈log₂ P⌉: the rounds in which the ranks that have a message can double until there are P.
pub(super) const fn rounds(ranks: u32) -> u32 {
    bit_length(ranks.saturating_sub(1))
}

/// The powers of two below the number of ranks, ascending.
pub(super) fn masks(ranks: u32) -> impl DoubleEndedIterator<Item = u32> {
    (0..rounds(ranks)).map(|digit| 1 << digit)
}
