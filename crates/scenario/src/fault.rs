//! Faults of nodes and of links, as a scenario gives them.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::steps::{Course, StepsSpec};
use hetsim_base::units::{Quantity, Seconds, Tick, Time};
use hetsim_cluster::{Fault, FaultError, Outage};
use hetsim_text::{Node, Place, Problem, Source};

/// Faults of some nodes of a cluster, or of the links that join them to its network.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FaultSpec {
    /// The nodes, numbered from 0 within the cluster; all by default.
    #[serde(default)]
    pub nodes: Option<Vec<u32>>,
    /// When they are down. If several entries apply to a node or a link, it is down while any of them says so.
    pub profile: FaultProfile,
}

hetsim_base::registry! {
    /// When a node or a link is down. All that a node holds is lost then, and what is sent to it; what crosses a link
    /// waits until it is up.
    pub enum FaultProfile by "kind" {
        "at" => At(OutageSpec): "Down from an instant on, for a while or for good, once or periodically.",
        "exponential" => Exponential(ExponentialFault): "Up for exponential times, then down for exponential times or for good.",
        "trace" => Trace(StepsSpec): "Down while the value of the steps, listed or from a file, is 0.",
        "weibull" => Weibull(WeibullFault): "Up for Weibull times, then down for exponential times or for good.",
    }
}

/// `kind = "at"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutageSpec {
    /// When the node or the link goes down.
    pub from: Seconds,
    /// When it is up again; without it, it stays down.
    #[serde(default)]
    pub until: Option<Seconds>,
    /// The time from one outage to the next; longer than an outage. Without it, there is one outage.
    #[serde(default)]
    pub period: Option<Seconds>,
}

/// `kind = "exponential"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExponentialFault {
    /// The mean time until the node or the link goes down.
    pub mean_up: Seconds,
    /// The mean time until it is up again; without it, it stays down.
    #[serde(default)]
    pub mean_down: Option<Seconds>,
}

/// `kind = "weibull"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WeibullFault {
    /// The shape of the time until the node or the link goes down: below 1 young ones fail more often, above 1 old
    /// ones.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub shape: f64,
    /// The scale of that time: it lasts longer with the probability 1/e.
    pub scale: Seconds,
    /// The mean time until it is up again; without it, it stays down.
    #[serde(default)]
    pub mean_down: Option<Seconds>,
}

/// A fault as it is read.
#[derive(Debug, Clone)]
pub(super) enum ReadFault {
    /// An outage that is known in advance, to be joined with the others of its node or link.
    Known(Outage),
    /// One that is known in advance as well, but has no end.
    Endless(Fault),
    /// One that is drawn.
    Drawn(Fault),
}

impl FaultProfile {
    /// The fault in ticks; `node` is the entry's table.
    ///
    /// # Errors
    /// Where an outage ends before it starts or comes again before it ends, a mean, a shape or a scale is not above
    /// zero, or steps can't be read.
    pub(super) fn read(&self, node: &Node, tick: Tick, sources: &[Source]) -> Result<ReadFault, Problem> {
        let node = node.get("profile").unwrap_or(node);
        let problem = |error: FaultError| {
            let key = match error {
                FaultError::Empty { .. } => return Problem::at(place(node, "until"), "`until` must be after `from`"),
                FaultError::ShortPeriod => {
                    return Problem::at(place(node, "period"), error.to_string())
                        .with_help("give `until`, and a `period` longer than the time from `from` to `until`");
                }
                FaultError::NotPositive { key } => key,
            };
            Problem::at(place(node, key), error.to_string())
        };
        let time = |seconds: Seconds| tick.time(seconds.base());
        let fault = match self {
            Self::At(spec) => {
                let outage = Outage { from: time(spec.from), until: spec.until.map(time) };
                // An outage that a run cannot reach would have no end either.
                if outage.from == Time::NEVER {
                    return Err(Problem::at(
                        place(node, "from"),
                        "`from` lies beyond the clock; choose a longer `tick`",
                    ));
                }
                return match spec.period {
                    Some(period) => Fault::every(outage, time(period)).map(ReadFault::Endless),
                    None => Fault::at(vec![outage]).map(|_| ReadFault::Known(outage)),
                }
                .map_err(problem);
            }
            Self::Trace(steps) => {
                return match steps.read(node, tick, sources)? {
                    Course::Fixed(profile) => Ok(ReadFault::Endless(Fault::while_zero(Arc::new(profile)))),
                    Course::Drawn(_) => {
                        Err(Problem::at(place(node, "drawn"), "what is drawn is never 0, so nothing fails")
                            .with_help("faults are drawn by `kind = \"exponential\"` or `kind = \"weibull\"`"))
                    }
                };
            }
            Self::Exponential(spec) => Fault::exponential(time(spec.mean_up), spec.mean_down.map(time)),
            Self::Weibull(spec) => Fault::weibull(spec.shape, time(spec.scale), spec.mean_down.map(time)),
        };
        fault.map(ReadFault::Drawn).map_err(problem)
    }
}

fn place<'a>(node: &'a Node, key: &str) -> &'a Place {
    node.get(key).map_or(&node.place, |node| &node.place)
}

/// All faults of one node or link. The drawn ones come first, so that no other shifts their streams; the outages that
/// are known in advance are one.
pub(super) fn joined(faults: Vec<ReadFault>) -> Result<Vec<Fault>, FaultError> {
    let (mut drawn, mut endless, mut known) = (Vec::new(), Vec::new(), Vec::new());
    for fault in faults {
        match fault {
            ReadFault::Known(outage) => known.push(outage),
            ReadFault::Endless(fault) => endless.push(fault),
            ReadFault::Drawn(fault) => drawn.push(fault),
        }
    }
    if !known.is_empty() {
        drawn.push(Fault::at(known)?);
    }
    drawn.extend(endless);
    Ok(drawn)
}
