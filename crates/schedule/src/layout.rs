//! The classes of equal processors and of equal links.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// The classes of equal processors and equal links: members of a class share a column of the tables.
///
/// A layout takes 4 bytes per pair of processors, and nothing for pairs if all links are equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The kind of each processor.
    pub(super) kinds: Vec<u32>,
    /// The first processor of each kind.
    pub(super) examples: Vec<u32>,
    /// The number of processors of each kind.
    pub(super) counts: Vec<u32>,
    /// The kind of the link of each pair, row by row; empty if all links are equal.
    pub(super) links: Vec<u32>,
    /// The first pair that each kind of link joins.
    pub(super) link_examples: Vec<(u32, u32)>,
    /// The number of pairs that each kind of link joins.
    pub(super) link_counts: Vec<u64>,
}

impl Layout {
    /// Groups processors by the value of `kind`, and the links between them by the value of `link`. `link` is called
    /// for ordered pairs of different processors.
    #[must_use]
    pub fn new<K: Hash + Eq, L: Hash + Eq>(
        processors: u32,
        kind: impl Fn(u32) -> K,
        link: impl Fn(u32, u32) -> L,
    ) -> Self {
        let mut layout = Self::by_kind(processors, kind);
        let mut seen = FxHashMap::default();
        layout.link_examples.clear();
        layout.link_counts.clear();
        layout.links = Vec::with_capacity((processors as usize).pow(2));
        for from in 0..processors {
            for to in 0..processors {
                if from == to {
                    layout.links.push(0);
                    continue;
                }
                let next = layout.link_examples.len() as u32;
                let number = *seen.entry(link(from, to)).or_insert(next);
                if number == next {
                    layout.link_examples.push((from, to));
                    layout.link_counts.push(0);
                }
                layout.link_counts[number as usize] += 1;
                layout.links.push(number);
            }
        }
        if layout.link_examples.len() <= 1 {
            layout.links = Vec::new();
        }
        layout
    }

    /// Groups processors by the value of `kind`; all links are equal.
    #[must_use]
    pub fn by_kind<K: Hash + Eq>(processors: u32, kind: impl Fn(u32) -> K) -> Self {
        let mut seen = FxHashMap::default();
        let (mut kinds, mut examples, mut counts) = (Vec::with_capacity(processors as usize), Vec::new(), Vec::new());
        for processor in 0..processors {
            let next = examples.len() as u32;
            let number = *seen.entry(kind(processor)).or_insert(next);
            if number == next {
                examples.push(processor);
                counts.push(0);
            }
            counts[number as usize] += 1;
            kinds.push(number);
        }
        let pairs = u64::from(processors) * u64::from(processors).saturating_sub(1);
        let (link_examples, link_counts) = if pairs > 0 { (vec![(0, 1)], vec![pairs]) } else { (vec![], vec![]) };
        Self { kinds, examples, counts, links: Vec::new(), link_examples, link_counts }
    }

    /// Equal processors with equal links.
    #[must_use]
    pub fn identical(processors: u32) -> Self {
        Self::by_kind(processors, |_| ())
    }

    /// The number of processors.
    #[must_use]
    pub fn processors(&self) -> u32 {
        self.kinds.len() as u32
    }
}
