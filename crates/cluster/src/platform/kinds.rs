//! What many numbers stand for, where few of them differ.

use std::ops::Index;

use rustc_hash::FxHashMap;

use super::Connection;

/// The numbers of a page, a power of two.
const PAGE: usize = 128;

/// The kind of what each number stands for, such as a pair of clusters.
///
/// The numbers stand in pages, and equal pages are kept once: n² pairs of few kinds take n² ÷ 32 bytes, and a look-up
/// takes two steps whatever the kinds are.
#[derive(Debug, Clone, Default)]
pub struct Kinds {
    len: usize,
    /// Where the kinds of each page start.
    pages: Vec<u32>,
    stored: Vec<u32>,
    /// Where the pages end that several may share.
    shared: usize,
}

impl Kinds {
    /// How many numbers have a kind.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no number.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The kind of a number.
    ///
    /// # Panics
    /// There is no such number.
    #[inline]
    #[must_use]
    pub fn of(&self, number: usize) -> usize {
        self.stored[self.pages[number / PAGE] as usize + number % PAGE] as usize
    }

    /// Gives the next number a kind.
    pub(super) fn push(&mut self, kind: u32) {
        if self.len.is_multiple_of(PAGE) {
            self.pages.push(self.stored.len() as u32);
            self.stored.resize(self.stored.len() + PAGE, 0);
        }
        self.len += 1;
        self.set(self.len - 1, kind);
    }

    /// Gives a number another kind.
    fn set(&mut self, number: usize, kind: u32) {
        let mut start = self.pages[number / PAGE] as usize;
        if start < self.shared {
            let page = start..start + PAGE;
            start = self.stored.len();
            self.stored.extend_from_within(page);
            self.pages[number / PAGE] = start as u32;
        }
        self.stored[start + number % PAGE] = kind;
    }
}

/// The kinds of the numbers from 0 on.
impl FromIterator<u32> for Kinds {
    fn from_iter<I: IntoIterator<Item = u32>>(kinds: I) -> Self {
        let mut made = Self::default();
        let mut known: FxHashMap<[u32; PAGE], u32> = FxHashMap::default();
        let mut kinds = kinds.into_iter().fuse().peekable();
        while kinds.peek().is_some() {
            let mut page = [0; PAGE];
            for (place, kind) in page.iter_mut().zip(&mut kinds) {
                *place = kind;
                made.len += 1;
            }
            let start = *known.entry(page).or_insert_with(|| {
                made.stored.extend(page);
                (made.stored.len() - PAGE) as u32
            });
            made.pages.push(start);
        }
        made.shared = made.stored.len();
        made
    }
}

/// The connections of a platform by their numbers, each kind once.
#[derive(Debug, Clone)]
pub(super) struct Links {
    /// One of each kind.
    all: Vec<Connection>,
    kinds: Kinds,
}

impl Links {
    pub(super) const fn new(all: Vec<Connection>, kinds: Kinds) -> Self {
        Self { all, kinds }
    }

    /// Connections of which each is of a kind of its own.
    pub(super) fn each(all: Vec<Connection>) -> Self {
        let kinds = (0..all.len() as u32).collect();
        Self { all, kinds }
    }

    /// How many connections there are.
    pub(super) const fn len(&self) -> usize {
        self.kinds.len()
    }

    /// One connection of each kind.
    pub(super) fn all(&self) -> &[Connection] {
        &self.all
    }

    /// Adds a connection of another kind.
    pub(super) fn push(&mut self, link: Connection) {
        self.kinds.push(self.all.len() as u32);
        self.all.push(link);
    }

    /// A connection that others are no longer equal to; `None` if there is none with this number.
    pub(super) fn own(&mut self, number: usize) -> Option<&mut Connection> {
        if number >= self.len() {
            return None;
        }
        let link = self[number].clone();
        self.kinds.set(number, self.all.len() as u32);
        self.all.push(link);
        self.all.last_mut()
    }

    /// The connections with these numbers.
    pub(super) fn part(&self, numbers: impl Iterator<Item = usize>) -> Self {
        let mut all = Vec::new();
        let mut known = vec![None; self.all.len()];
        let kinds = numbers.map(|number| {
            let kind = self.kinds.of(number);
            *known[kind].get_or_insert_with(|| {
                all.push(self.all[kind].clone());
                (all.len() - 1) as u32
            })
        });
        let kinds = kinds.collect();
        Self { all, kinds }
    }
}

impl Index<usize> for Links {
    type Output = Connection;

    #[inline]
    fn index(&self, number: usize) -> &Connection {
        &self.all[self.kinds.of(number)]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Ten thousand clusters joined alike, but for some pairs: a page for each row, and one for each unlike stretch.
    #[test]
    fn many_pairs_of_few_kinds_take_little_memory() {
        let clusters = 10_000;
        let pairs = (0..clusters).flat_map(|from| (0..clusters).map(move |to| (from, to)));
        let kinds: Kinds = pairs.map(|(from, to)| u32::from(from == to) + 2 * u32::from(to == from + 1)).collect();
        assert_eq!([0, 1, 2, 10_001].map(|number| kinds.of(number)), [1, 2, 0, 1]);
        let bytes = 4 * (kinds.pages.capacity() + kinds.stored.capacity());
        assert!(bytes < 8 << 20, "{bytes} bytes");
    }

    proptest! {
        #[test]
        fn every_number_has_its_kind(
            mut all in prop::collection::vec(0u32..3, 0..600),
            changes in prop::collection::vec((any::<prop::sample::Index>(), 0u32..9, any::<bool>()), 0..30),
        ) {
            let mut kinds: Kinds = all.iter().copied().collect();
            for (place, kind, pushes) in changes {
                if pushes || all.is_empty() {
                    all.push(kind);
                    kinds.push(kind);
                } else {
                    let place = place.index(all.len());
                    all[place] = kind;
                    kinds.set(place, kind);
                }
            }
            prop_assert_eq!(kinds.len(), all.len());
            prop_assert_eq!((0..all.len()).map(|number| kinds.of(number) as u32).collect::<Vec<_>>(), all);
        }
    }
}
