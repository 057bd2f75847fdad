//! The progress of the shards of a sweep: by the store first, then by the queue, then by their reported states.

use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use super::{Phase, Shard, ShardState, Split, Tally};
use crate::batch::identity::RunId;
use crate::batch::store::{Store, StoreError};
use crate::batch::submit::{Queued, Waiting};
use crate::scenario::Scenario;

/// The time without a heartbeat after which a shard counts as lost, without better information: a dozen intervals, and
/// more than the clocks of a cluster's hosts differ.
pub(super) const LOST_AFTER: Duration = Duration::from_mins(2);

/// The condition of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// It has no runs: there are more shards than points.
    Empty,
    /// All its runs are stored.
    Finished,
    /// It is computing.
    Running,
    /// It waits in a queue.
    Queued,
    /// It was started or submitted, and no longer exists.
    Lost,
    /// It ended, and some runs failed or could not be stored.
    Failed,
    /// It was stopped.
    Interrupted,
    /// It finished, but the scenario now has more runs, or the store fewer.
    Incomplete,
    /// It was never started.
    NotStarted,
}

impl Condition {
    /// The condition in words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Empty => "nothing to compute",
            Self::Finished => "finished",
            Self::Running => "running",
            Self::Queued => "queued",
            Self::Lost => "lost",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
            Self::Incomplete => "incomplete",
            Self::NotStarted => "not started",
        }
    }

    /// Whether the missing runs are being computed or queued.
    #[must_use]
    pub const fn is_underway(self) -> bool {
        matches!(self, Self::Running | Self::Queued)
    }

    /// Whether no run is missing.
    #[must_use]
    pub const fn is_complete(self) -> bool {
        matches!(self, Self::Empty | Self::Finished)
    }
}

/// One shard.
#[derive(Debug, Clone)]
pub struct Line {
    /// The shard.
    pub shard: Shard,
    /// The numbers of its runs and stored runs.
    pub tally: Tally,
    /// The condition.
    pub condition: Condition,
    /// The last reported state.
    pub state: Option<ShardState>,
}

/// All shards of a split.
#[derive(Debug, Clone)]
pub struct Survey {
    /// The number of runs, counting equal runs once.
    pub total: usize,
    /// The number of stored runs.
    pub done: usize,
    /// The shards in order.
    pub lines: Vec<Line>,
}

impl Survey {
    /// The shards with missing runs.
    pub fn incomplete(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(|line| line.tally.done < line.tally.total)
    }

    /// The number of shards in a condition.
    #[must_use]
    pub fn count(&self, condition: Condition) -> usize {
        self.lines.iter().filter(|line| line.condition == condition).count()
    }

    /// How many shards have nothing to compute, as the end of a sentence; empty if none.
    #[must_use]
    pub fn empty(&self) -> String {
        match self.count(Condition::Empty) {
            0 => String::new(),
            1 => "; 1 has nothing to compute".to_owned(),
            count => format!("; {count} have nothing to compute"),
        }
    }
}

/// Surveys all shards of a split into `count`. `queued` gives the queue's state of a shard.
///
/// # Errors
/// The store cannot be read.
pub fn survey(
    folder: &Path,
    scenario: &Scenario,
    store: &Store<RunId>,
    count: u32,
    queued: impl Fn(Shard) -> Queued,
) -> Result<Survey, StoreError> {
    let tallies = Split::new(scenario, count).tally(scenario, store)?;
    let line = |(index, tally): (u32, Tally)| {
        // The number of tallies is the number of shards.
        let shard = Shard { count, index };
        let state = ShardState::read(folder, shard);
        let condition = condition(tally, queued(shard), state.as_ref());
        Line { shard, tally, condition, state }
    };
    let lines: Vec<Line> = (0..).zip(tallies).map(line).collect();
    let sum = |of: fn(&Tally) -> usize| lines.iter().map(|line| of(&line.tally)).sum();
    Ok(Survey { total: sum(|tally| tally.total), done: sum(|tally| tally.done), lines })
}

fn condition(tally: Tally, queued: Queued, state: Option<&ShardState>) -> Condition {
    if tally.done == tally.total {
        return if tally.total == 0 { Condition::Empty } else { Condition::Finished };
    }
    match queued {
        Queued::Waiting(Waiting::ToStart) => return Condition::Queued,
        Queued::Waiting(Waiting::ToEnd) => return Condition::Running,
        Queued::Unknown | Queued::Gone => {}
    }
    match state {
        Some(state) if is_active(state) => {
            let in_queue = state.job.as_ref().is_some_and(|job| job.system == "slurm");
            if in_queue && queued == Queued::Gone { Condition::Lost } else { Condition::Running }
        }
        Some(state) => match state.state {
            Phase::Running => Condition::Lost,
            Phase::Finished => Condition::Incomplete,
            Phase::Failed => Condition::Failed,
            Phase::Interrupted => Condition::Interrupted,
        },
        None if queued == Queued::Gone => Condition::Lost,
        None => Condition::NotStarted,
    }
}

/// Whether the claim of a shard to be running is credible: its process is alive or, if that cannot be determined, its
/// last heartbeat is recent.
#[must_use]
pub fn is_active(state: &ShardState) -> bool {
    state.state == Phase::Running && state.process.is_alive().unwrap_or_else(|| state.silence() < LOST_AFTER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::shard::{Job, Process};

    const SOME: Tally = Tally { total: 4, done: 2 };

    fn state(phase: Phase, host: &str, silent_s: u64, job: Option<&str>) -> ShardState {
        let mut state = ShardState::starting(Shard { index: 0, count: 1 }, 4, 2);
        state.state = phase;
        state.process = Process { host: host.to_owned(), pid: 1, namespace: None, start: None };
        state.updated_s -= silent_s;
        state.job = job.map(|id| Job { system: "slurm".to_owned(), id: id.to_owned() });
        state
    }

    #[test]
    fn the_store_is_believed_first_and_the_file_last() {
        let running = state(Phase::Running, "elsewhere", 5, None);
        let silent = state(Phase::Running, "elsewhere", 500, None);
        let in_slurm = state(Phase::Running, "elsewhere", 5, Some("12_0"));
        let failed = state(Phase::Failed, "elsewhere", 5, None);
        let finished = state(Phase::Finished, "elsewhere", 5, None);
        let (starts, ends) = (Queued::Waiting(Waiting::ToStart), Queued::Waiting(Waiting::ToEnd));
        for (tally, queued, state, expected) in [
            (Tally { total: 4, done: 4 }, starts, Some(&failed), Condition::Finished),
            (Tally::default(), Queued::Unknown, None, Condition::Empty),
            (SOME, Queued::Unknown, None, Condition::NotStarted),
            (SOME, Queued::Gone, None, Condition::Lost),
            (SOME, starts, None, Condition::Queued),
            (SOME, starts, Some(&failed), Condition::Queued),
            (SOME, ends, Some(&silent), Condition::Running),
            (SOME, Queued::Unknown, Some(&running), Condition::Running),
            (SOME, Queued::Unknown, Some(&silent), Condition::Lost),
            (SOME, Queued::Gone, Some(&running), Condition::Running),
            (SOME, Queued::Gone, Some(&in_slurm), Condition::Lost),
            (SOME, Queued::Unknown, Some(&in_slurm), Condition::Running),
            (SOME, Queued::Gone, Some(&failed), Condition::Failed),
            (SOME, Queued::Unknown, Some(&finished), Condition::Incomplete),
        ] {
            assert_eq!(condition(tally, queued, state), expected, "{tally:?} {queued:?} {state:?}");
        }
    }
}
