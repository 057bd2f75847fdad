//! Tags of tasks: which belong together, by the words that they have in common.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::DatedTask;

/// The words of each tag, by their numbers, in order.
pub(super) fn words(tags: &[String]) -> Vec<Vec<u32>> {
    let mut numbers = FxHashMap::default();
    let of_tag = |tag: &String| {
        let words = tag.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let mut own: Vec<u32> = words
            .map(|word| {
                let next = numbers.len() as u32;
                *numbers.entry(word.to_owned()).or_insert(next)
            })
            .collect();
        own.sort_unstable();
        own.dedup();
        own
    };
    tags.iter().map(of_tag).collect()
}

/// The tasks of a process by their tags.
pub(super) struct RelatedTags<'w> {
    words: &'w [Vec<u32>],
    tasks: FxHashMap<u32, Vec<usize>>,
    /// The tags that have a word.
    having: FxHashMap<u32, Vec<u32>>,
    /// What was found for a tag.
    known: FxHashMap<u32, TagMatch>,
}

/// The tasks of a process whose tags match one.
#[derive(Debug, Clone, Default)]
pub(super) struct TagMatch {
    /// Their places among the tasks of the process, in order.
    pub(super) tasks: Vec<usize>,
    /// Whether one of both tags has all words of the other.
    pub(super) is_whole: bool,
}

impl<'w> RelatedTags<'w> {
    pub(super) fn new(tasks: &[DatedTask], words: &'w [Vec<u32>]) -> Self {
        let mut related =
            Self { words, tasks: FxHashMap::default(), having: FxHashMap::default(), known: FxHashMap::default() };
        for (index, task) in tasks.iter().enumerate() {
            let Some(tag) = task.tag else { continue };
            let own = related.tasks.entry(tag).or_default();
            if own.is_empty() {
                for &word in &words[tag as usize] {
                    related.having.entry(word).or_default().push(tag);
                }
            }
            own.push(index);
        }
        related
    }

    /// The tasks with that tag; or else those with the most words in common, of which one of both has no others; or else
    /// those of the one tag with the most words in common, which are half of the words of either at least.
    pub(super) fn of(&mut self, tag: Option<u32>) -> TagMatch {
        let Some(tag) = tag else { return TagMatch::default() };
        if let Some(own) = self.tasks.get(&tag) {
            return TagMatch { tasks: own.clone(), is_whole: true };
        }
        if let Some(known) = self.known.get(&tag) {
            return known.clone();
        }
        let own = &self.words[tag as usize];
        let mut common: BTreeMap<u32, usize> = BTreeMap::new();
        for other in own.iter().filter_map(|word| self.having.get(word)).flatten() {
            *common.entry(*other).or_default() += 1;
        }
        let lengths = |other: u32| [own.len(), self.words[other as usize].len()];
        let most = |is_match: &dyn Fn(u32, usize) -> bool| -> Vec<u32> {
            let matching = || common.iter().filter(|&(&other, &count)| is_match(other, count));
            let most = matching().map(|(_, count)| *count).max();
            matching().filter(|(_, count)| Some(**count) == most).map(|(other, _)| *other).collect()
        };
        let whole = most(&|other, count| lengths(other).contains(&count));
        let closest = most(&|other, count| lengths(other).iter().all(|&length| 2 * count >= length));
        let is_whole = !whole.is_empty();
        let tags = match closest[..] {
            [only] if !is_whole => vec![only],
            _ => whole,
        };
        let mut tasks: Vec<usize> = tags.iter().flat_map(|other| &self.tasks[other]).copied().collect();
        tasks.sort_unstable();
        let found = TagMatch { tasks, is_whole };
        self.known.insert(tag, found.clone());
        found
    }
}
