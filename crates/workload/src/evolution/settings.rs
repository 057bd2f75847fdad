//! The keys of the distribution: who gets how many individuals, and what is done when that turns out wrong.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::KeyError;
use hetsim_base::registry::names;
use hetsim_base::units::{Quantity, Seconds};
use hetsim_search::strategy::Strategy;

names! {
    /// How the individuals are distributed among the slaves.
    "distribution": Distribution {
        #[default]
        Benchmark "benchmark" = "Garamendi and Bosque: each slave measures its power, and creates individuals in proportion to it",
        Equal "equal" = "without balancing: each slave creates as many",
        Nominal "nominal" = "in proportion to the nominal speeds, as if nobody else used the nodes",
        RoundRobin "round_robin" = "dealt one by one at the start, whatever each costs (Oussaidene et al., the static scheme)",
        LargestFirst "largest_first" = "each round the master ships the costliest individual left to the slave that is free (Oussaidene et al., the dynamic scheme)",
        Ship "ship" = "the master stores and mutates the population, and ships every individual to be evaluated, equally many to each slave",
    }
}

impl Distribution {
    /// Whether the master has the population, and slaves only individuals that it sends.
    #[must_use]
    pub const fn is_central(self) -> bool {
        matches!(self, Self::LargestFirst | Self::Ship)
    }
}

/// `[workload.benchmark]`: how a slave measures its power.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Benchmark {
    /// The duration of the benchmark, the same for all slaves. The paper does not print it.
    pub span: Seconds,
    /// The number of individuals that it evolves; an iteration is a generation of all of them. The paper does not print
    /// the number.
    #[schemars(range(min = 1))]
    pub individuals: u32,
    /// The resolution of the slaves' clocks: they show the last multiple of it. At most `span` where the benchmark
    /// runs. 0: they are exact.
    pub clock: Seconds,
}

impl Default for Benchmark {
    fn default() -> Self {
        Self { span: Seconds::from_base(0.1).unwrap_or_default(), individuals: 10, clock: Seconds::default() }
    }
}

names! {
    /// Who evens the distribution out again.
    "way of rebalancing": Balancer {
        #[default]
        Master "master" = "the master, who knows every slave's power and says who sends how many individuals to whom",
        Diffusion "diffusion" = "the slaves, in a ring: each tells its two neighbours its load and sends a part of its surplus",
    }
}

names! {
    /// Where the powers come from.
    "measure": Measure {
        #[default]
        Benchmark "benchmark" = "the benchmark, run again",
        Rounds "rounds" = "the time that each slave took for its last round, which costs nothing",
    }
}

/// `[workload.rebalance]`: moving individuals during the run, which the paper leaves to future work.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rebalance {
    /// The number of rounds from one move to the next.
    #[schemars(range(min = 1))]
    pub every: Option<u32>,
    /// After a round in which the slaves' times spread by more than this: (longest - shortest) / longest.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub spread: Option<f64>,
    /// Who evens the distribution out.
    #[serde(default)]
    pub by: Balancer,
    /// How the powers are measured.
    #[serde(default)]
    pub measure: Measure,
}

impl Rebalance {
    /// Whether it is time, after `rounds` rounds of which the last spread by `spread`.
    #[must_use]
    pub fn is_due(&self, rounds: u32, spread: f64) -> bool {
        self.every.is_some_and(|every| rounds.is_multiple_of(every.max(1)))
            || self.spread.is_some_and(|limit| spread > limit)
    }

    pub(super) fn check(&self) -> Result<(), KeyError> {
        let problem = |message: &str| Err(KeyError::new("rebalance", message));
        match (self.every, self.spread) {
            (None, None) => problem("`rebalance` needs `every` or `spread`, to say when"),
            (Some(0), _) => problem("`every` must be at least 1"),
            (_, Some(spread)) if !(0.0..=1.0).contains(&spread) => problem("`spread` lies between 0 and 1"),
            _ => Ok(()),
        }
    }
}

/// The keys of `search` that a strategy does not read.
pub(super) const fn unused_of(strategy: Strategy) -> &'static [&'static str] {
    match strategy {
        Strategy::Printed | Strategy::OneFifth => &["search.offspring"],
        Strategy::Plus | Strategy::Comma => &["search.mutations", "search.change", "search.threshold"],
        Strategy::CmaEs => {
            &["search.mutations", "search.change", "search.threshold", "search.offspring", "search.least_step"]
        }
    }
}

impl Benchmark {
    pub(super) fn check(&self) -> Result<(), KeyError> {
        KeyError::at_least_one(&[("individuals", self.individuals)]).map_err(|error| error.under("benchmark"))?;
        KeyError::unless(self.span.base() > 0.0, "benchmark.span", || "`span` must be above zero")
    }
}
