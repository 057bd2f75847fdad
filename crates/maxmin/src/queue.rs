//! The links that wait for an update.

/// Stands for a link that has another rank now.
const GONE: u32 = u32::MAX;

/// The marks of some ranks that follow each other.
#[derive(Debug, Clone)]
struct Block {
    /// Whether the link of a rank waits.
    marks: [u8; BLOCK],
    /// Whether one of them may wait.
    any: u8,
}

const BLOCK: usize = 64;

/// Links that wait for an update, by rank: about the order of their fair shares, lowest first. A wrong order costs
/// further updates, nothing else, so ranks are sorted only if that happens often ([`is_unsorted`](Self::is_unsorted)).
/// Equal fair shares keep their order, so that separate parts of a platform that are alike are updated alike.
///
/// A mark is one byte, which is written without looking at it: links are marked for nearly every flow that is examined.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    /// The marks of all ranks.
    blocks: Vec<Block>,
    /// The link of each rank, or [`GONE`].
    by_rank: Vec<u32>,
    gone: usize,
    /// No block before this one has marks; [`usize::MAX`] if none has.
    first: usize,
    /// The rank of the last link that was taken.
    last: u32,
    /// How often a link was taken that has a lower rank than the one before.
    turns: usize,
}

impl Queue {
    /// Adds a link, at the highest rank, which it returns.
    pub(crate) fn add(&mut self, link: u32) -> u32 {
        if self.by_rank.is_empty() {
            self.first = usize::MAX;
        }
        if self.by_rank.len() == self.blocks.len() * BLOCK {
            self.blocks.push(Block { marks: [0; BLOCK], any: 0 });
        }
        self.by_rank.push(link);
        self.by_rank.len() as u32 - 1
    }

    /// Gives the link of a rank the highest one, which it returns: it is used anew.
    pub(crate) fn renew(&mut self, rank: u32) -> u32 {
        self.unmark(rank);
        let link = std::mem::replace(&mut self.by_rank[rank as usize], GONE);
        self.gone += 1;
        self.add(link)
    }

    /// Marks the link of a rank.
    pub(crate) fn mark(&mut self, rank: u32) {
        self.mark_all(|marker| marker.mark_if(true, rank));
    }

    /// Marks what is told to a marker.
    #[inline]
    pub(crate) fn mark_all<T>(&mut self, tell: impl FnOnce(&mut Marker<'_>) -> T) -> T {
        let mut marker = Marker { blocks: &mut self.blocks, first: self.first };
        let told = tell(&mut marker);
        self.first = marker.first;
        told
    }

    /// Takes the mark from the link of a rank.
    pub(crate) fn unmark(&mut self, rank: u32) {
        self.blocks[rank as usize / BLOCK].marks[rank as usize % BLOCK] = 0;
    }

    /// Takes the marked link of the lowest rank.
    pub(crate) fn take(&mut self) -> Option<u32> {
        while let Some(block) = self.blocks.get_mut(self.first) {
            if block.any != 0 {
                if let Some(place) = first_of(&block.marks) {
                    block.marks[place] = 0;
                    let rank = (self.first * BLOCK + place) as u32;
                    self.turns += usize::from(rank < self.last);
                    self.last = rank;
                    return Some(self.by_rank[rank as usize]);
                }
                block.any = 0;
            }
            self.first += 1;
        }
        (self.first, self.last) = (usize::MAX, 0);
        None
    }

    /// Whether no link waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.first >= self.blocks.len()
    }

    /// Takes all marks.
    pub(crate) fn clear(&mut self) {
        while self.take().is_some() {}
    }

    /// Whether sorting is worth its time.
    pub(crate) fn is_unsorted(&self) -> bool {
        self.turns > 4 + self.by_rank.len() / 8 || self.gone > 256 + self.by_rank.len() / 2
    }

    /// Sorts the ranks, of which none is marked, by fair share. Returns the links in this order.
    pub(crate) fn sort(&mut self, fair_share: impl Fn(u32) -> f64) -> &[u32] {
        // They are nearly sorted, for which this is made.
        self.by_rank.retain(|&link| link != GONE);
        self.by_rank.sort_by(|&one, &other| fair_share(one).total_cmp(&fair_share(other)));
        self.blocks.truncate(self.by_rank.len().div_ceil(BLOCK));
        (self.turns, self.gone) = (0, 0);
        &self.by_rank
    }
}

/// The place of the first mark, if there is one.
fn first_of(marks: &[u8; BLOCK]) -> Option<usize> {
    let (words, _) = marks.as_chunks::<8>();
    let words = words.iter().map(|word| u64::from_le_bytes(*word)).enumerate();
    words.filter(|(_, word)| *word != 0).map(|(place, word)| 8 * place + word.trailing_zeros() as usize / 8).next()
}

/// Marks links, with the queue's fields at hand.
pub(crate) struct Marker<'a> {
    blocks: &'a mut [Block],
    first: usize,
}

impl Marker<'_> {
    /// Marks the link of a rank if it must be updated, without a branch on that.
    #[inline]
    pub(crate) fn mark_if(&mut self, must: bool, rank: u32) {
        let number = rank as usize / BLOCK;
        // Every link has a rank with a block.
        if let Some(block) = self.blocks.get_mut(number) {
            block.marks[rank as usize % BLOCK] |= u8::from(must);
            block.any |= u8::from(must);
        }
        self.first = if must { self.first.min(number) } else { self.first };
    }
}
