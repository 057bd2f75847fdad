//! How the ranks of a cluster go to its cores.

/// How ranks are dealt: in each block of so many ranks to as many parts of equal size in turn.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Dealing {
    pub(crate) block: u32,
    pub(crate) parts: u32,
}

impl Dealing {
    /// The places of a cluster's ranks, counted from that of its first.
    pub(crate) fn places(self, ranks: u32) -> impl Iterator<Item = u32> {
        let Self { block, parts } = self;
        (0..ranks).map(move |rank| {
            let within = rank % block;
            rank - within + within % parts * (block / parts) + within / parts
        })
    }

    /// Whether each rank stands after the one before it.
    pub(crate) const fn is_in_order(self) -> bool {
        self.parts == 1 || self.parts == self.block
    }
}
