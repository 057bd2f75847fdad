//! The idle intervals of one processor, with a search for the earliest slot in O(log n).
//!
//! Only what a scheduler can use is kept: the gaps between tasks and the end of the last one. The gaps lie in order in
//! blocks of a few dozen; a tree over the blocks stores the longest gap of each. A search looks at the gap around the
//! ready time, the rest of its block, and then at one more block. The last block, to which tasks are appended, is not
//! in the tree until it is full, so appending takes constant time.
//!
//! Cutting a gap in two in a full block splits that block, which moves the blocks behind it: one step per block, but
//! only every few dozen cuts.

use hetsim_base::units::Time;

/// The number of gaps in a block. By measurement, 16 to 64 make no difference to HEFT; more are slower if there are
/// many gaps.
const BLOCK: usize = 32;

/// An idle interval, in ticks.
type Gap = (u64, u64);

/// The idle intervals of one processor.
#[derive(Debug, Clone, Default)]
pub struct Timeline {
    /// The end of the last task; the processor is idle from there on.
    end: u64,
    /// The end of the last gap.
    gaps_end: u64,
    /// The blocks in order, with the positions of their gaps in `gaps`.
    blocks: Vec<Block>,
    /// Room for [`BLOCK`] gaps per block.
    gaps: Vec<Gap>,
    longest: GapTree,
}

/// A run of consecutive gaps.
#[derive(Debug, Clone, Copy)]
struct Block {
    /// A lower bound of the starts of this block's gaps, and an upper bound of those of earlier blocks.
    from: u64,
    /// The position in the store of gaps, in blocks.
    place: u32,
    /// The number of gaps.
    len: u32,
}

impl Block {
    fn range(self) -> std::ops::Range<usize> {
        let start = self.place as usize * BLOCK;
        start..start + self.len as usize
    }
}

/// The start of a task in a gap from `ready` on, if it fits.
#[inline]
fn fit(gap: Gap, ready: u64, duration: u64) -> Option<u64> {
    let start = gap.0.max(ready);
    (start < gap.1 && gap.1 - start >= duration).then_some(start)
}

impl Timeline {
    /// A processor that is always idle.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The end of the last task; zero without tasks.
    #[must_use]
    #[inline]
    pub fn end(&self) -> Time {
        Time(self.end)
    }

    /// The earliest instant from `ready` on at which the processor is idle and stays so for `duration`. A task of zero
    /// duration needs an instant at which idle time starts or continues, so it never lies inside another task. O(log
    /// n).
    #[must_use]
    #[inline]
    pub fn earliest(&self, ready: Time, duration: Time) -> Time {
        if ready.0 >= self.end { ready } else { Time(self.slot(ready.0, duration.0)) }
    }

    fn slot(&self, ready: u64, duration: u64) -> u64 {
        // If there are few gaps, schedulers mostly search behind all of them.
        if self.gaps_end <= ready {
            return self.end;
        }
        let Some(last) = self.blocks.len().checked_sub(1) else { return self.end };
        let mut at = self.block_of(ready);
        let gaps = &self.gaps[self.blocks[at].range()];
        // Of the gaps that start by `ready`, only the last can extend beyond it.
        let first = gaps.partition_point(|gap| gap.0 <= ready).saturating_sub(1);
        let mut rest = gaps[first..].iter();
        loop {
            if let Some(start) = rest.find_map(|&gap| fit(gap, ready, duration)) {
                return start;
            }
            if at == last {
                return self.end;
            }
            // Gaps are never empty, so any gap will do for a task of zero duration.
            at = self.longest.first_from(at + 1, duration.max(1)).unwrap_or(last);
            rest = self.gaps[self.blocks[at].range()].iter();
        }
    }

    /// The block of a gap that starts at `time`. It must exist.
    fn block_of(&self, time: u64) -> usize {
        let last = self.blocks.len() - 1;
        // Schedulers mostly search near the end.
        if self.blocks[last].from <= time {
            return last;
        }
        self.blocks.partition_point(|block| block.from <= time).saturating_sub(1)
    }

    /// Occupies the processor from `start` to `finish`. Returns false and changes nothing if the processor is not idle
    /// then or `finish` is before `start`. Constant time at or behind the end.
    #[inline]
    pub fn insert(&mut self, start: Time, finish: Time) -> bool {
        let (start, finish) = (start.0, finish.0);
        if finish < start {
            return false;
        }
        if start < self.end {
            return self.fill(start, finish);
        }
        if start > self.end {
            self.push((self.end, start));
        }
        self.end = finish;
        true
    }

    /// Appends a gap behind all others.
    fn push(&mut self, gap: Gap) {
        self.gaps_end = gap.1;
        let full = self.blocks.last().is_none_or(|block| block.len as usize == BLOCK);
        if full {
            if let Some(block) = self.blocks.last() {
                let longest = longest(&self.gaps[block.range()]);
                self.longest.set(self.blocks.len() - 1, longest);
            }
            let place = self.room();
            self.blocks.push(Block { from: gap.0, place, len: 0 });
        }
        // A block exists now.
        if let Some(block) = self.blocks.last_mut() {
            self.gaps[block.place as usize * BLOCK + block.len as usize] = gap;
            block.len += 1;
        }
    }

    /// Makes room for one more block.
    fn room(&mut self) -> u32 {
        let place = self.blocks.len() as u32;
        self.gaps.resize(self.gaps.len() + BLOCK, (0, 0));
        place
    }

    /// Occupies a part of a gap.
    fn fill(&mut self, start: u64, finish: u64) -> bool {
        if self.blocks.is_empty() {
            return false;
        }
        let mut at = self.block_of(start);
        let range = self.blocks[at].range();
        let gaps = &self.gaps[range.clone()];
        let Some(index) = gaps.partition_point(|gap| gap.0 <= start).checked_sub(1) else { return false };
        let (from, to) = gaps[index];
        if start >= to || finish > to {
            return false;
        }
        let place = range.start + index;
        match (from < start, finish < to) {
            (true, true) => {
                self.gaps[place] = (from, start);
                at = self.cut(at, index + 1, (finish, to));
            }
            (true, false) => self.gaps[place] = (from, start),
            (false, true) => self.gaps[place] = (finish, to),
            (false, false) => {
                self.gaps.copy_within(place + 1..range.end, place);
                self.blocks[at].len -= 1;
            }
        }
        // Unless the gap was one of the longest, this stops at the first step up the tree.
        if at + 1 < self.blocks.len() {
            let block = self.blocks[at];
            self.longest.set(at, longest(&self.gaps[block.range()]));
        }
        true
    }

    /// Inserts a gap into a block at `index`, and returns the block whose longest gap must be updated.
    fn cut(&mut self, mut at: usize, mut index: usize, gap: Gap) -> usize {
        if self.blocks[at].len as usize == BLOCK {
            self.split(at);
            if index > BLOCK / 2 {
                at += 1;
                index -= BLOCK / 2;
            }
        }
        let range = self.blocks[at].range();
        self.gaps.copy_within(range.start + index..range.end, range.start + index + 1);
        self.gaps[range.start + index] = gap;
        self.blocks[at].len += 1;
        at
    }

    /// Splits a full block in two.
    fn split(&mut self, at: usize) {
        const HALF: usize = BLOCK / 2;
        let place = self.room();
        let start = self.blocks[at].place as usize * BLOCK;
        self.gaps.copy_within(start + HALF..start + BLOCK, place as usize * BLOCK);
        self.blocks[at].len = HALF as u32;
        let from = self.gaps[start + HALF].0;
        self.blocks.insert(at + 1, Block { from, place, len: HALF as u32 });
        let (blocks, gaps) = (&self.blocks, &self.gaps);
        // All blocks except the last are in the tree.
        self.longest.rebuild(blocks.len() - 1, at, |index| longest(&gaps[blocks[index].range()]));
    }
}

/// The length of the longest gap; zero if there is none.
fn longest(gaps: &[Gap]) -> u64 {
    gaps.iter().map(|gap| gap.1 - gap.0).max().unwrap_or(0)
}

/// A tree of maxima over the blocks: node i has the children 2i and 2i + 1, and the blocks are the leaves.
#[derive(Debug, Clone, Default)]
struct GapTree {
    nodes: Vec<u64>,
    /// The number of leaves: a power of two, or zero.
    width: usize,
}

impl GapTree {
    /// Makes room for `count` blocks.
    fn grow(&mut self, count: usize) {
        if count <= self.width {
            return;
        }
        let width = count.next_power_of_two();
        let mut nodes = vec![0; 2 * width];
        nodes[width..width + self.width].copy_from_slice(&self.nodes[self.width..]);
        for node in (1..width).rev() {
            nodes[node] = nodes[2 * node].max(nodes[2 * node + 1]);
        }
        (self.nodes, self.width) = (nodes, width);
    }

    fn set(&mut self, index: usize, value: u64) {
        self.grow(index + 1);
        let mut node = self.width + index;
        if self.nodes[node] == value {
            return;
        }
        self.nodes[node] = value;
        while node > 1 {
            node /= 2;
            let greater = self.nodes[2 * node].max(self.nodes[2 * node + 1]);
            if self.nodes[node] == greater {
                return;
            }
            self.nodes[node] = greater;
        }
    }

    /// Updates the tree after the blocks from `first` on have moved one place towards the end and `first` is new or
    /// changed: it recomputes both. `count` blocks are in the tree.
    fn rebuild(&mut self, count: usize, first: usize, value: impl Fn(usize) -> u64) {
        self.grow(count);
        let width = self.width;
        if count > first + 1 {
            self.nodes.copy_within(width + first..width + count - 1, width + first + 1);
        }
        for index in first..count.min(first + 2) {
            self.nodes[width + index] = value(index);
        }
        let (mut low, mut high) = (width + first, width + count.max(first + 1) - 1);
        while low > 1 {
            (low, high) = (low / 2, high / 2);
            for node in low..=high {
                self.nodes[node] = self.nodes[2 * node].max(self.nodes[2 * node + 1]);
            }
        }
    }

    /// The first block from `index` on with a gap of at least `length`.
    fn first_from(&self, index: usize, length: u64) -> Option<usize> {
        if index >= self.width {
            return None;
        }
        let mut node = self.width + index;
        while self.nodes[node] < length {
            // Go up from right children, then to the neighbour; the last node of a row has none.
            if (node + 1).is_power_of_two() {
                return None;
            }
            node += 1;
            node >>= node.trailing_zeros().min(node.ilog2());
        }
        while node < self.width {
            node *= 2;
            if self.nodes[node] < length {
                node += 1;
            }
        }
        Some(node - self.width)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All tasks in a list; a search tries every instant that could be the earliest.
    #[derive(Default)]
    pub(crate) struct Naive(pub(crate) Vec<(u64, u64)>);

    impl Naive {
        pub(crate) fn end(&self) -> u64 {
            self.0.iter().map(|task| task.1).max().unwrap_or(0)
        }

        /// Idle from `start` for `duration`, and for at least a moment if a task follows.
        fn idle(&self, start: u64, duration: u64) -> bool {
            let needed = if start < self.end() { duration.max(1) } else { duration };
            let within = |point: u64| start < point && point < start + needed;
            self.0.iter().all(
                |&(from, to)| {
                    if from == to { !within(from) } else { to <= start || from >= start + needed }
                },
            )
        }

        pub(crate) fn earliest(&self, ready: u64, duration: u64) -> u64 {
            let mut candidates: Vec<u64> = self.0.iter().map(|task| task.1).filter(|&end| end > ready).collect();
            candidates.push(ready);
            candidates.into_iter().filter(|&start| self.idle(start, duration)).min().unwrap()
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn it_does_what_a_plain_list_does(
            steps in proptest::collection::vec((0u64..4000, 0u64..30, any::<bool>()), 1..500),
        ) {
            let (mut timeline, mut naive) = (Timeline::new(), Naive::default());
            for (ready, duration, anywhere) in steps {
                let start = timeline.earliest(Time(ready), Time(duration)).0;
                prop_assert_eq!(start, naive.earliest(ready, duration));
                // Also try instants that no scheduler would choose, at which the processor may be busy.
                let at = if anywhere { ready } else { start };
                let idle = naive.idle(at, duration);
                prop_assert_eq!(timeline.insert(Time(at), Time(at + duration)), idle);
                if idle {
                    naive.0.push((at, at + duration));
                }
                prop_assert_eq!(timeline.end(), Time(naive.end()));
            }
        }
    }

    #[test]
    fn many_cuts_in_the_middle_keep_every_slot() {
        // One long gap, cut at every tenth instant from the middle outwards; then all gaps are found again.
        let mut timeline = Timeline::new();
        assert!(timeline.insert(Time(100_000), Time(100_001)));
        for step in 0..4000u64 {
            let at = if step % 2 == 0 { 50_000 + step * 10 } else { 50_000 - step * 10 };
            assert!(timeline.insert(Time(at), Time(at + 1)));
            assert!(!timeline.insert(Time(at), Time(at + 1)));
        }
        let mut found = 0;
        while timeline.earliest(Time::ZERO, Time(19)) < timeline.end() {
            let start = timeline.earliest(Time::ZERO, Time(19));
            assert!(timeline.insert(start, start + Time(19)));
            found += 1;
        }
        // There are 3998 gaps of 19 between cuts 20 apart; 10 010 idle ticks precede and 10 019 follow them.
        assert_eq!(found, 3998 + 10_010 / 19 + 10_019 / 19);
        assert_eq!(timeline.earliest(Time::ZERO, Time(30)), timeline.end());
        assert!(timeline.earliest(Time::ZERO, Time(1)) < timeline.end());
    }

    #[test]
    fn an_interval_backwards_is_refused() {
        assert!(!Timeline::new().insert(Time(3), Time(2)));
    }
}
