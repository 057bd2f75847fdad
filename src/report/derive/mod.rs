//! `[[derive]]`: metrics made from several points. Replicas are paired, so that common draws cancel.
//!
//! A way to make one is one file here: its keys, its checks, its values and their direction.

mod against;
mod over;

use schemars::JsonSchema;
use serde::Deserialize;

use super::direction::{Asked, Best};
use super::results::Results;
use super::spec::ReportSpec;
use crate::record::{Direction, Value};
use crate::scenario::{References, ScenarioFile};

crate::registry! {
    /// `[[derive]]`: a metric made from several points, usable in tables, charts and expectations. Replicas are paired.
    pub enum Derivation by "how" of Derive in files {
        "speedup" => speedup::Speedup as Speedup: "The other point's metric, or the file's value, over this point's: \
            how much faster this one is.",
        "ratio" => ratio::Ratio as Ratio: "This point's metric over the other's, or over the file's value.",
        "difference" => difference::Difference as Difference: "This point's metric less the other's, or less the \
            file's value.",
        "best" => best::BestValue as Best: "The best metric over all values of the key `over`, the rest being equal.",
        "best_of" => best_of::BestOf as BestOf: "The value of the key `over` where the metric is best; of several \
            that are equal all, in order, with commas between.",
        "ratio_to_best" => ratio_to_best::RatioToBest as RatioToBest: "This point's metric over the best one over \
            all values of the key `over`, the rest and the replica being equal: of makespans over schedulers, how \
            far each is from the best on the same graph.",
        "crossover" => crossover::Crossover as Crossover: "Along the numeric key `over`, the least value from which \
            on this point's metric is better than the other's.",
        "quantile" => quantile::Quantile as Quantile: "The share of the point's replicas, of those that have the \
            metric, in which it is not above the value `of`: the same for each of the replicas.",
    }
}

/// The keys that every derivation has.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct Derived {
    /// The name of the metric that is made.
    pub name: String,
    /// The metric that it is made from.
    pub metric: String,
}

/// The keys of a way to derive a metric: its own, or those that it shares with others (`Against`, `BestOver`).
pub(crate) trait Keys {
    /// The keys that every derivation has.
    fn derived(&self) -> &Derived;

    /// What the file asks for where a best value is sought; nothing where none is.
    fn asked(&self) -> Option<Asked> {
        None
    }

    /// Whether less or more of what is made is better, where it is made from a metric with this direction.
    fn direction(&self, from: Direction) -> Direction {
        from
    }

    /// Checks the keys besides those of every derivation, which stand at `at`, and reads the files that they name.
    fn check(&self, at: &str, references: &mut References<'_>);
}

/// What a way to derive a metric makes of its keys.
pub(crate) trait Derive {
    /// The keys.
    fn keys(&self) -> &dyn Keys;

    /// Whether less or more of what is made is better, where it is made from a metric with this direction.
    fn direction(&self, from: Direction) -> Direction {
        self.keys().direction(from)
    }

    /// Whether it makes names, not numbers.
    fn makes_names(&self) -> bool {
        false
    }

    /// Whether it makes a share of a point's replicas, which is the same for each of them.
    fn makes_shares(&self) -> bool {
        false
    }

    /// The metric, a value for each row of the results. `best` is which value of the metric is best, where that is
    /// asked for.
    fn values(&self, results: &Results<'_>, best: Option<Best>) -> Vec<Value>;
}

impl Derivation {
    /// The keys that every derivation has.
    #[must_use]
    pub fn derived(&self) -> &Derived {
        self.entry().keys().derived()
    }

    /// Whether it makes a share of a point's replicas, which is the same for each of them.
    #[must_use]
    pub fn makes_shares(&self) -> bool {
        self.entry().makes_shares()
    }

    /// The direction of what is made from a metric with this direction.
    pub(super) fn direction(&self, from: Direction) -> Direction {
        self.entry().direction(from)
    }
}

impl ReportSpec {
    /// What is best of the metric that a derivation is made from, which stands before it.
    fn sought(&self, file: &ScenarioFile, number: usize) -> Option<Best> {
        let keys = self.derive[number].entry().keys();
        keys.asked()?.of(self.direction_before(file, &keys.derived().metric, number))
    }
}

/// Checks every derivation, and makes its metric known to what comes after it.
pub(super) fn check(spec: &ReportSpec, references: &mut References<'_>) {
    for (number, derivation) in spec.derive.iter().enumerate() {
        let (at, keys) = (format!("derive.{number}"), derivation.entry().keys());
        let Derived { name, metric } = keys.derived();
        references.new_metric(&format!("{at}.name"), name);
        references.number(&format!("{at}.metric"), metric);
        if let Some(asked) = keys.asked() {
            asked.check(&at, metric, spec.sought(references.file, number), references);
        }
        keys.check(&at, references);
        references.add_metric(name, metric, derivation.entry().makes_names());
    }
}

/// Adds every derived metric of the scenario, in its order: one may be made from an earlier one.
pub(super) fn add_all(results: &mut Results<'_>) {
    let (spec, file) = (results.spec(), &results.scenario().file);
    for (number, derivation) in spec.derive.iter().enumerate() {
        let values = derivation.entry().values(results, spec.sought(file, number));
        let Derived { name, metric } = derivation.derived();
        results.add(name, metric, values);
    }
}

fn blank(results: &Results<'_>) -> Vec<Value> {
    vec![Value::Blank; results.rows().len()]
}
