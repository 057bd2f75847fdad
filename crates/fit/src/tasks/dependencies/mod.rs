//! Which tasks of a workflow waited for which others. A graph of its processes, as Nextflow draws it, says which processes pass
//! data on; tags and instants say which of their tasks did.

mod drawn;
mod tags;
#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;

use super::read::{LoggedTask, SLACK_S, TaskLog};
use crate::robust::median;
use drawn::pairs;
use hetsim_graph::read::Drawing;
use tags::{RelatedTags, TagMatch, words};

/// The most dependencies that a log may have.
const MOST: usize = 1 << 24;

/// How the tasks of one process were found to wait for those of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairing {
    /// Each for those whose tag has the same words, or all words of the other's tag, or else for the one that is closest.
    Tags,
    /// There are as many of both: in the order of ends and of submissions.
    Order,
    /// Each for all.
    All,
    /// Each for the one that had ended last.
    Latest,
}

impl Pairing {
    /// What it is, in a word or two.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tags => "tags",
            Self::Order => "order",
            Self::All => "all",
            Self::Latest => "latest",
        }
    }
}

/// Two processes of which one waits for the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessPair {
    /// The number of the type of tasks that the others waited for.
    pub from: u32,
    /// The number of the type of those others.
    pub to: u32,
    /// How their tasks belong to each other.
    pub pairing: Pairing,
    /// How many tasks waited for how many, counted in pairs.
    pub dependencies: usize,
}

/// What the tasks of a log waited for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dependencies {
    /// The pairs of tasks of which the second waited for the first, by their numbers in the log, in order. Others wait for
    /// tasks that succeeded; what has failed, only its next attempt waits for.
    pub edges: Vec<(u32, u32)>,
    /// The pairs of processes, in order.
    pub pairs: Vec<ProcessPair>,
    /// The pairs of tasks that belong together by their tags, though the second did not wait for the end of the first.
    pub contradicted: usize,
}

/// A task with its instants.
#[derive(Debug, Clone, Copy)]
struct DatedTask {
    number: u32,
    has_failed: bool,
    tag: Option<u32>,
    submitted: f64,
    started: f64,
    ended: f64,
}

impl DatedTask {
    /// Whether another one may have waited for its end. No circle of such tasks exists.
    fn precedes(&self, other: &Self) -> bool {
        self.ended <= other.submitted + SLACK_S && self.started < other.started
    }
}

impl Dependencies {
    /// Finds what the tasks of a log waited for, by a drawing of their processes.
    ///
    /// # Errors
    /// A sentence, if the log does not say when tasks were submitted and started, if a type of task is no process of the
    /// drawing or may be several, or if there are more than 16 777 216 dependencies.
    pub fn of(log: &TaskLog, drawing: &Drawing) -> Result<Self, String> {
        let mut of_kind = vec![Vec::new(); log.kinds().len()];
        for (number, task) in (0..).zip(&log.tasks) {
            let &LoggedTask { has_failed, tag, submitted, started, .. } = task;
            let (Some(submitted), Some(started), Some(ended)) = (submitted, started, task.ended()) else {
                return Err("the log does not say of all tasks when they were submitted and started".to_owned());
            };
            of_kind[task.kind as usize].push(DatedTask { number, has_failed, tag, submitted, started, ended });
        }
        // Attempts at a task follow each other.
        for tasks in &mut of_kind {
            tasks.sort_by(|a, b| a.submitted.total_cmp(&b.submitted));
        }
        let succeeded = |tasks: &[DatedTask]| tasks.iter().filter(|task| !task.has_failed).copied().collect();
        let successes: Vec<Vec<DatedTask>> = of_kind.iter().map(|tasks| succeeded(tasks)).collect();
        let words = words(log.tags());
        let mut found = Self::default();
        for (from, to) in pairs(drawing, log.kinds())? {
            let (before, after) = (&successes[from as usize], &of_kind[to as usize]);
            if before.is_empty() || after.is_empty() {
                continue;
            }
            let known = found.edges.len();
            let pairing = found.link(before, after, &words)?;
            found.pairs.push(ProcessPair { from, to, pairing, dependencies: found.edges.len() - known });
        }
        for tasks in &of_kind {
            found.retry(tasks);
        }
        found.edges.sort_unstable();
        Ok(found)
    }

    /// Links attempts at the tasks of a process, which have the same tag. Without tags, only one task can be meant.
    fn retry(&mut self, attempts: &[DatedTask]) {
        let is_one = attempts.iter().filter(|task| task.tag.is_none() && !task.has_failed).count() <= 1;
        let mut last: FxHashMap<Option<u32>, &DatedTask> = FxHashMap::default();
        for task in attempts.iter().filter(|task| task.tag.is_some() || is_one) {
            let before = last.insert(task.tag, task);
            if let Some(before) = before.filter(|before| before.has_failed && before.precedes(task)) {
                self.edges.push((before.number, task.number));
            }
        }
    }

    /// Links the tasks of two processes, those of the second in the order of their submissions.
    fn link(&mut self, before: &[DatedTask], after: &[DatedTask], words: &[Vec<u32>]) -> Result<Pairing, String> {
        let mut related = RelatedTags::new(before, words);
        let of_tags: Vec<TagMatch> = after.iter().map(|task| related.of(task.tag)).collect();
        if of_tags.iter().any(|own| own.is_whole) {
            for (task, TagMatch { tasks: own, .. }) in after.iter().zip(of_tags) {
                let (known, all) = (self.edges.len(), own.len());
                self.add(own.into_iter().map(|index| &before[index]).filter(|other| other.precedes(task)), task)?;
                self.contradicted += all - (self.edges.len() - known);
            }
            return Ok(Pairing::Tags);
        }
        let mut by_end = before.to_vec();
        by_end.sort_by(|a, b| a.ended.total_cmp(&b.ended));
        let in_order = || by_end.iter().zip(after);
        if before.len() == after.len() && before.len() > 1 && in_order().all(|(one, other)| one.precedes(other)) {
            in_order().try_for_each(|(one, other)| self.add([one].into_iter(), other))?;
            return Ok(Pairing::Order);
        }
        if before.iter().all(|one| one.precedes(&after[0])) {
            after.iter().try_for_each(|task| self.add(before.iter(), task))?;
            return Ok(Pairing::All);
        }
        let latest = |task: &DatedTask| by_end.iter().rev().find(|one| one.precedes(task));
        after.iter().try_for_each(|task| self.add(latest(task).into_iter(), task))?;
        Ok(Pairing::Latest)
    }

    fn add<'t>(&mut self, before: impl Iterator<Item = &'t DatedTask>, task: &DatedTask) -> Result<(), String> {
        self.edges.extend(before.map(|other| (other.number, task.number)));
        if self.edges.len() > MOST { Err(format!("there are more than {MOST} dependencies")) } else { Ok(()) }
    }

    /// The median seconds between two submissions, the second of a task that waited for nothing else: its predecessors had
    /// ended by the first, and no slot became free in between. `None` if there are no such.
    #[must_use]
    pub fn between_submissions(&self, log: &TaskLog) -> Option<f64> {
        let ended = |number: u32| log.tasks[number as usize].ended().unwrap_or(f64::INFINITY);
        let mut ready = vec![f64::NEG_INFINITY; log.tasks.len()];
        for &(from, to) in &self.edges {
            ready[to as usize] = ready[to as usize].max(ended(from));
        }
        let mut ends: Vec<f64> = (0..log.tasks.len() as u32).map(ended).collect();
        ends.sort_by(f64::total_cmp);
        let ended_by = |at: f64| ends.partition_point(|&end| end <= at);
        let dated = log.tasks.iter().zip(&ready).filter_map(|(task, &ready)| Some((task.submitted?, ready)));
        let mut submissions: Vec<(f64, f64)> = dated.collect();
        submissions.sort_by(|a, b| a.0.total_cmp(&b.0));
        let gap = |pair: &[(f64, f64)]| {
            let ((first, _), (second, ready)) = (pair[0], pair[1]);
            // Durations are rounded.
            (ready <= first && ended_by(first) == ended_by(second + SLACK_S)).then_some(second - first)
        };
        median(&submissions.windows(2).filter_map(gap).collect::<Vec<_>>())
    }
}

/// The most tasks at once on each machine of a log, from their submission to their end, failed ones too, to within a second.
#[must_use]
pub fn most_submitted(log: &TaskLog) -> Vec<usize> {
    let mut changes: Vec<Vec<(f64, isize)>> = vec![Vec::new(); log.machines().len()];
    for task in &log.tasks {
        if let Some((submitted, ended)) = task.submitted.zip(task.ended()) {
            // Durations are rounded: the next one may be submitted when this one ends.
            changes[task.machine as usize].extend([(submitted, 1), ((ended - SLACK_S).max(submitted), -1)]);
        }
    }
    let most = |changes: &mut Vec<(f64, isize)>| {
        changes.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let counts = changes.iter().scan(0, |count, (_, change)| {
            *count += change;
            Some(*count)
        });
        counts.max().unwrap_or_default().max(0) as usize
    };
    changes.iter_mut().map(most).collect()
}
