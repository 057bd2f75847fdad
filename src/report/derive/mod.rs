//! `[[derive]]`: metrics made from others, mostly of several points. Replicas are paired, so that common draws cancel.
//!
//! A way to make one is one file here: its keys, its checks, its values and their direction.

mod against;
mod best;
mod best_of;
mod crossover;
mod difference;
mod error;
mod formula;
mod mean;
mod over;
mod quantile;
mod ratio;
mod ratio_to_best;
mod speedup;

use schemars::JsonSchema;
use serde::Deserialize;

use super::direction::{Asked, Best};
use super::results::Results;
use crate::record::{Direction, Value};
use crate::scenario::References;

crate::registry! {
    /// `[[derive]]`: a metric made from others, usable in tables, charts and expectations. Replicas are paired.
    pub enum Derivation by "how" of Derive {
        "speedup" => Speedup(speedup::Speedup): "The other point's metric, or the file's value, over this point's: \
            how much faster this one is.",
        "ratio" => Ratio(ratio::Ratio): "This point's metric over the other's, or over the file's value.",
        "difference" => Difference(difference::Difference): "This point's metric less the other's, or less the \
            file's value.",
        "best" => Best(best::BestValue): "The best metric over all values of the key `over`, the rest and the \
            replica being equal.",
        "best_of" => BestOf(best_of::BestOf): "The value of the key `over` where the metric is best, the rest and \
            the replica being equal; of several that are equal all, in order, with commas between.",
        "ratio_to_best" => RatioToBest(ratio_to_best::RatioToBest): "This point's metric over the best one over \
            all values of the key `over`, the rest and the replica being equal: of makespans over schedulers, how \
            far each is from the best on the same graph.",
        "mean" => Mean(mean::MeanOver): "The mean of the metric over all values of the key `over`, the rest and the \
            replica being equal.",
        "crossover" => Crossover(crossover::Crossover): "Along the numeric key `over`, the least value from which \
            on this point's metric is better than the other's, in each replica.",
        "error" => Error(error::RelativeError): "How far this point's metric lies from the metric `truth` of the same run, \
            relative to that and without a sign: of a prediction and what it predicts.",
        "quantile" => Quantile(quantile::Quantile): "The share of the point's replicas, of those that have the \
            metric, in which it is not above the value `of`: the same for each of the replicas.",
        "formula" => Formula(formula::Arithmetic): "Arithmetic over metrics and swept keys of one run, such as a \
            cost: `nodes * price * completion_s`.",
    }
}

/// The keys of a derivation from one metric.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct Derived {
    /// The name of the new metric.
    pub name: String,
    /// The metric that it is derived from.
    pub metric: String,
}

/// The keys of a way to derive a metric: its own, or those that it shares with others (`Against`, `BestOver`).
pub(crate) trait Keys {
    /// The name of the new metric.
    fn name(&self) -> &str;

    /// The metric that it is derived from, which stands in the key `metric`; nothing where there is no such key.
    fn metric(&self) -> Option<&str>;

    /// The metrics that it depends on, and maybe other names.
    fn uses(&self) -> Vec<&str> {
        self.metric().into_iter().collect()
    }

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
    /// The name of the new metric.
    #[must_use]
    pub fn metric(&self) -> &str {
        self.entry().keys().name()
    }

    /// Whether the metric is a share of a point's replicas, one for all of them.
    pub(super) fn is_share(&self) -> bool {
        self.entry().makes_shares()
    }
}

/// Checks every derivation, and makes its metric known to what comes after it.
pub(super) fn check(derivations: &[Derivation], references: &mut References<'_>) {
    for (number, derivation) in derivations.iter().enumerate() {
        let (at, entry) = (format!("derive.{number}"), derivation.entry());
        let keys = entry.keys();
        let name = keys.name();
        references.new_metric(&format!("{at}.name"), name);
        let mut from = Direction::Neither;
        if let Some(metric) = keys.metric() {
            references.number(&format!("{at}.metric"), metric);
            from = references.direction(metric);
            if let Some(asked) = keys.asked() {
                asked.check(&at, metric, asked.of(from), references);
            }
        }
        keys.check(&at, references);
        references.add_metric(name, &keys.uses(), entry.direction(from), entry.makes_names());
    }
}

/// Adds every derived metric, in order: one may be made from an earlier one.
pub(super) fn add_all(results: &mut Results<'_>, derivations: &[Derivation]) {
    for derivation in derivations {
        let (entry, keys) = (derivation.entry(), derivation.entry().keys());
        let from = keys.metric().map_or(Direction::Neither, |metric| results.direction(metric));
        let values = entry.values(results, keys.asked().and_then(|asked| asked.of(from)));
        results.add(keys.name(), &keys.uses(), values, entry.direction(from), entry.makes_shares());
    }
}

fn blank(results: &Results<'_>) -> Vec<Value> {
    vec![Value::Blank; results.rows().len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derived_metrics_have_the_direction_of_what_they_are_made_from() {
        use Direction::{Less, More, Neither};
        let spec = |how: &str, more: &str| -> Derivation {
            toml::from_str(&format!("name = 'x'\nhow = '{how}'\nmetric = 'm'\n{more}")).unwrap()
        };
        for (how, more, from_less, from_more, from_neither) in [
            ("speedup", "", More, Less, Neither),
            ("ratio", "", Less, More, Neither),
            ("difference", "", Less, More, Neither),
            ("best", "over = 'k'", Less, More, Neither),
            ("best", "over = 'k'\nlargest = true", More, More, More),
            ("ratio_to_best", "over = 'k'\nleast = true", Less, Less, Less),
            ("mean", "over = 'k'", Less, More, Neither),
            ("error", "truth = 't'", Less, Less, Less),
            ("quantile", "of = 1", More, Less, Neither),
            ("crossover", "over = 'k'\nto = { a = 1 }", Neither, Neither, Neither),
            ("formula", "formula = '2 * m'", Neither, Neither, Neither),
        ] {
            let found = [Less, More, Neither].map(|from| spec(how, more).entry().direction(from));
            assert_eq!(found, [from_less, from_more, from_neither], "{how} {more}");
        }
    }
}
