//! External load on nodes, as a scenario gives it.

use std::sync::Arc;

use rand::RngExt;
use schemars::JsonSchema;
use serde::Deserialize;

use super::steps::{Course, StepsSpec};
use hetsim_base::engine::Stream;
use hetsim_base::units::{Quantity, Seconds, Tick, Time};
use hetsim_cluster::{Availability, Profile, ProfileError, RandomOnOff, Turns};
use hetsim_text::{Node, Problem, Source};

/// External load on some nodes of a cluster.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LoadSpec {
    /// The nodes, numbered from 0 within the cluster; all by default.
    #[serde(default)]
    pub nodes: Option<Vec<u32>>,
    /// The kind of load and its keys.
    pub profile: Load,
}

hetsim_base::registry! {
    /// What other users take of a processor: k tasks that share it round robin leave 1/(k + 1).
    pub enum Load by "kind" {
        "constant" => Constant(ConstantLoad): "A fixed number of competing tasks at all times.",
        "periodic" => Periodic(PeriodicLoad): "Competing tasks during a part of each period.",
        "random" => Random(RandomLoad): "Competing tasks that come and go after exponential times.",
        "trace" => Trace(StepsSpec): "The share of the processor that is left, step by step: listed, from a file, or drawn for each run.",
    }
}

/// `kind = "constant"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConstantLoad {
    /// The number of competing tasks.
    pub tasks: u32,
    /// Their time slice: the processor goes round robin among the competing tasks and the simulated program, exactly.
    /// Without it the program has 1/(tasks + 1) of the processor at every instant. Where in
    /// the round a run begins is drawn for each node from the seed.
    #[serde(default)]
    pub quantum: Option<Seconds>,
}

/// `kind = "periodic"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PeriodicLoad {
    /// The number of competing tasks while there is load.
    pub tasks: u32,
    /// The length of a period.
    pub period: Seconds,
    /// The time with load, from the start of each period.
    pub busy: Seconds,
    /// Their time slice: the processor goes round robin among the competing tasks and the simulated program, exactly.
    /// Without it the program has 1/(tasks + 1) of the processor at every instant. The
    /// program has the first turn when they come.
    #[serde(default)]
    pub quantum: Option<Seconds>,
}

/// `kind = "random"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomLoad {
    /// The number of competing tasks while there is load.
    pub tasks: u32,
    /// The mean time without load.
    pub mean_idle: Seconds,
    /// The mean time with load.
    pub mean_busy: Seconds,
    /// Their time slice: the processor goes round robin among the competing tasks and the simulated program, exactly.
    /// Without it the program has 1/(tasks + 1) of the processor at every instant. The
    /// program has the first turn when they come.
    #[serde(default)]
    pub quantum: Option<Seconds>,
}

/// The most turns in a period of a load, or in a random load of mean length: each is two steps in memory.
const MOST_TURNS: f64 = 1e6;

/// What k tasks leave.
fn share(tasks: u32) -> f64 {
    1.0 / (f64::from(tasks) + 1.0)
}

/// The turns of `tasks` and the program; `None` without a quantum.
fn turns(tasks: u32, quantum: Option<Seconds>, node: &Node, tick: Tick) -> Result<Option<Turns>, Problem> {
    let Some(seconds) = quantum else { return Ok(None) };
    let quantum = tick.time(seconds.base());
    if seconds.base() <= 0.0 || quantum == Time::ZERO {
        let place = node.get("quantum").unwrap_or(node);
        return Err(Problem::at(&place.place, "`quantum` must be above zero"));
    }
    Ok(Some(Turns { others: tasks, quantum }))
}

/// Checks the number of turns while there is load, for so long.
fn turns_fit(turns: Turns, (key, busy): (&str, Seconds), node: &Node, tick: Tick) -> Result<(), Problem> {
    if busy.base() / turns.cycle().as_f64() * tick.per_second() <= MOST_TURNS {
        return Ok(());
    }
    let message = format!("`quantum` is too short: at most {MOST_TURNS} turns fit `{key}`");
    Err(Problem::at(&node.get("quantum").unwrap_or(node).place, message))
}

impl Load {
    /// How many values are drawn for each node before a run, on average.
    pub(super) fn values(&self, tick: Tick) -> f64 {
        match self {
            Self::Trace(StepsSpec { drawn: Some(drawn), period: Some(period), start, .. }) => {
                drawn.in_ticks(*period, *start, tick).values()
            }
            _ => 0.0,
        }
    }

    /// The load, if it is the same for every run; `None` if it is drawn.
    ///
    /// # Errors
    /// Where the steps are no function of time, or a file can't be read.
    pub fn fixed(&self, node: &Node, tick: Tick, sources: &[Source]) -> Result<Option<Availability>, Problem> {
        let node = node.get("profile").unwrap_or(node);
        let time = |seconds: Seconds| tick.time(seconds.base());
        let wrong = |key: &str, message: &str| Problem::at(&node.get(key).unwrap_or(node).place, message);
        match self {
            Self::Constant(load) => match turns(load.tasks, load.quantum, node, tick)? {
                Some(turns) if turns.cycle() == Time::NEVER => {
                    Err(wrong("quantum", "`quantum` is too long: a round of all tasks ends beyond the clock"))
                }
                Some(_) => Ok(None),
                None => Ok(Some(Availability::Constant(share(load.tasks)))),
            },
            Self::Periodic(load) => {
                if load.period.base() <= 0.0 {
                    return Err(wrong("period", "`period` must be above zero"));
                }
                let mut steps = vec![(Time::ZERO, share(load.tasks)), (time(load.busy), 1.0)];
                if let Some(turns) = turns(load.tasks, load.quantum, node, tick)? {
                    turns_fit(turns, ("busy", load.busy), node, tick)?;
                    steps.splice(..1, turns.within(Time::ZERO, time(load.busy)));
                }
                let profile = Profile::new(&steps, Some(time(load.period)));
                let profile = profile.map_err(|error| match error {
                    ProfileError::ShortPeriod => wrong("busy", "`busy` must be shorter than `period`"),
                    ProfileError::OutOfOrder { .. } => wrong("busy", "`busy` must be above zero"),
                    other => Problem::at(&node.place, other.to_string()),
                })?;
                Ok(Some(Availability::Profile(Arc::new(profile))))
            }
            Self::Random(load) => {
                for (key, mean) in [("mean_idle", load.mean_idle), ("mean_busy", load.mean_busy)] {
                    if mean.base() <= 0.0 {
                        return Err(wrong(key, &format!("`{key}` must be above zero")));
                    }
                }
                if let Some(turns) = turns(load.tasks, load.quantum, node, tick)? {
                    turns_fit(turns, ("mean_busy", load.mean_busy), node, tick)?;
                }
                Ok(None)
            }
            Self::Trace(steps) => Ok(match steps.read(node, tick, sources)? {
                Course::Fixed(profile) => Some(Availability::Profile(Arc::new(profile))),
                Course::Drawn(_) => None,
            }),
        }
    }

    /// The load drawn from a node's stream.
    ///
    /// # Errors
    /// Where a drawn value is out of range.
    pub fn random(&self, mut stream: Stream, tick: Tick) -> Result<Availability, ProfileError> {
        let time = |seconds: Seconds| tick.time(seconds.base());
        Ok(match self {
            Self::Random(load) => {
                let drawn = RandomOnOff::new(stream, time(load.mean_idle), time(load.mean_busy), share(load.tasks));
                let turns = load.quantum.map(|quantum| Turns { others: load.tasks, quantum: time(quantum) });
                Availability::Random(Box::new(match turns {
                    Some(turns) => drawn.in_turns(turns),
                    None => drawn,
                }))
            }
            Self::Constant(ConstantLoad { tasks, quantum: Some(quantum) }) => {
                // The competing tasks have been there for long: a run begins anywhere in their round.
                let turns = Turns { others: *tasks, quantum: time(*quantum) };
                Availability::Profile(Arc::new(turns.for_ever(stream.random())?))
            }
            Self::Trace(StepsSpec { drawn: Some(drawn), period: Some(period), start, .. }) => {
                Availability::Profile(Arc::new(drawn.in_ticks(*period, *start, tick).draw(stream)?))
            }
            // All others are fixed.
            _ => Availability::Constant(1.0),
        })
    }
}
