//! Whether less or more of a metric is better, and of what it is a share: as it is declared where the metric is defined, and
//! for derived metrics by how they are made.

use super::file::{Derivation, DeriveSpec, ExpectSpec, ScenarioFile, TableSpec};
use super::kinds::metric;
use crate::record::{Direction, Metric, Share};
use crate::statistics::stopping::Until;

/// What a file asks for where something is best: `largest = true`, `least = true`, or neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Asked {
    /// Whether the best is the largest.
    pub largest: bool,
    /// Whether the best is the least.
    pub least: bool,
}

impl Asked {
    /// What is best of a metric with this direction; nothing where neither the metric nor the file says so.
    #[must_use]
    pub const fn of(self, direction: Direction) -> Option<Best> {
        match (self.largest, self.least, direction) {
            (true, _, _) | (false, false, Direction::More) => Some(Best::Largest),
            (false, true, _) | (false, false, Direction::Less) => Some(Best::Least),
            (false, false, Direction::Neither) => None,
        }
    }
}

/// Which value is best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Best {
    /// The least.
    Least,
    /// The largest.
    Largest,
}

impl Best {
    /// A value turned so that less of it is better.
    #[must_use]
    pub fn cost(self, value: f64) -> f64 {
        match self {
            Self::Least => value,
            Self::Largest => -value,
        }
    }
}

impl ScenarioFile {
    /// Whether less or more of a metric is better.
    #[must_use]
    pub fn direction(&self, metric: &str) -> Direction {
        self.direction_before(metric, self.derive.len())
    }

    /// What is best of a metric, as far as the metric or the file says so.
    #[must_use]
    pub fn best_of(&self, metric: &str, asked: Asked) -> Option<Best> {
        asked.of(self.direction(metric))
    }

    /// The same for what a derivation seeks: it is made from metrics that stand before it.
    #[must_use]
    pub fn best_for(&self, number: usize) -> Option<Best> {
        let spec = &self.derive[number];
        spec.asked().of(self.direction_before(&spec.metric, number))
    }

    /// The direction of a metric that only derivations before this number may have made.
    fn direction_before(&self, metric: &str, before: usize) -> Direction {
        match self.derive[..before].iter().rposition(|spec| spec.name == metric) {
            Some(number) => {
                let spec = &self.derive[number];
                spec.direction(self.direction_before(&spec.metric, number))
            }
            None => self.declared(metric).and_then(|metric| metric.direction).unwrap_or(Direction::Neither),
        }
    }

    /// The metric as it is declared, by the file's own workload before others.
    fn declared(&self, name: &str) -> Option<Metric> {
        let own = self.workload.metrics().into_iter().find(|metric| metric.name == name);
        own.or_else(|| metric(name)).copied()
    }

    /// Of what a metric of the runs is a share, if it is one.
    #[must_use]
    pub fn share(&self, metric: &str) -> Option<Share> {
        self.declared(metric).and_then(|metric| metric.share)
    }

    /// The metric and the rule by which points stop; nothing for a fixed number of replicas.
    #[must_use]
    pub fn stopping(&self) -> Option<(&str, Until)> {
        let (metric, rule) = self.replicas.rule()?;
        Some((metric, Until { outcomes: self.share(metric) == Some(Share::Runs), ..rule }))
    }
}

/// Gives what a file asks for where something is best.
macro_rules! asked {
    ($($Spec:ident),+) => {
        $(impl $Spec {
            /// What the file asks for where something is best.
            #[must_use]
            pub const fn asked(&self) -> Asked {
                Asked { largest: self.largest, least: self.least }
            }
        })+
    };
}

asked!(DeriveSpec, TableSpec, ExpectSpec);

impl DeriveSpec {
    /// The direction of what is derived from a metric with this direction.
    const fn direction(&self, from: Direction) -> Direction {
        match self.how {
            // This point's metric stands below the line, or its share below a limit is asked for.
            Derivation::Speedup | Derivation::Quantile => from.reversed(),
            Derivation::Ratio | Derivation::Difference => from,
            Derivation::Best | Derivation::RatioToBest => match self.asked().of(from) {
                Some(Best::Least) => Direction::Less,
                Some(Best::Largest) => Direction::More,
                None => Direction::Neither,
            },
            Derivation::BestOf | Derivation::Crossover => Direction::Neither,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::kinds::{common_metrics, kinds};
    use super::*;

    /// Every metric of every workload, with the workload's name.
    fn all() -> impl Iterator<Item = (&'static str, &'static Metric)> {
        let own = kinds().iter().flat_map(|kind| kind.own_metrics().into_iter().map(|metric| (kind.name, metric)));
        own.chain(common_metrics().into_iter().map(|metric| ("every workload", metric)))
    }

    #[test]
    fn every_metric_declares_its_direction() {
        for (kind, metric) in all() {
            assert_eq!(metric.direction.is_some(), !metric.is_name(), "`{}` of {kind} needs a direction", metric.name);
        }
    }

    /// Names of metrics are looked up without their workload where results are compared.
    #[test]
    fn a_name_has_one_direction() {
        let mut seen: BTreeMap<&str, (&str, Option<Direction>)> = BTreeMap::new();
        for (kind, metric) in all() {
            let (other, direction) = *seen.entry(metric.name).or_insert((kind, metric.direction));
            assert_eq!(metric.direction, direction, "`{}` of {kind} and of {other}", metric.name);
        }
    }

    #[test]
    fn a_share_of_draws_names_a_metric_of_the_same_workload() {
        for (kind, metric) in all() {
            let Some(Share::Draws(draws)) = metric.share else { continue };
            assert!(all().any(|(other, metric)| other == kind && metric.name == draws), "{draws} of {kind}");
        }
    }

    #[test]
    fn derived_metrics_have_the_direction_of_what_they_are_made_from() {
        use Direction::{Less, More, Neither};
        let spec = |how: &str, more: &str| -> DeriveSpec {
            toml::from_str(&format!("name = 'x'\nhow = '{how}'\nmetric = 'm'\n{more}")).unwrap()
        };
        for (how, more, from_less, from_more, from_neither) in [
            ("speedup", "", More, Less, Neither),
            ("ratio", "", Less, More, Neither),
            ("difference", "", Less, More, Neither),
            ("best", "", Less, More, Neither),
            ("best", "largest = true", More, More, More),
            ("ratio_to_best", "least = true", Less, Less, Less),
            ("quantile", "", More, Less, Neither),
            ("crossover", "", Neither, Neither, Neither),
        ] {
            let found = [Less, More, Neither].map(|from| spec(how, more).direction(from));
            assert_eq!(found, [from_less, from_more, from_neither], "{how} {more}");
        }
    }

    #[test]
    fn units_are_those_of_the_names() {
        let unit = |name| metric(name).unwrap().unit();
        assert_eq!(unit("completion_s"), Some("s"));
        assert_eq!(unit("throughput_bytes_per_s"), Some("B/s"));
        assert_eq!(unit("bandwidth_bytes_s"), Some("B/s"));
        assert_eq!(unit("energy_delay_js"), Some("J·s"));
        assert_eq!([unit("speedup"), unit("most_used_link")], [None, None]);
    }
}
