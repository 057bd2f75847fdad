//! Whether less or more of a metric is better, and of what it is a share: as it is declared where the metric is
//! defined.

use super::file::ScenarioFile;
use super::kinds::metric;
use hetsim_base::record::{Direction, Metric, Share};
use hetsim_statistics::stopping::StoppingRule;

impl ScenarioFile {
    /// Whether less or more of a metric of the runs is better.
    #[must_use]
    pub fn direction(&self, metric: &str) -> Direction {
        self.declared(metric).and_then(|metric| metric.direction).unwrap_or(Direction::Neither)
    }

    /// The metric as it is declared, by the file's own workload or study before others.
    fn declared(&self, name: &str) -> Option<Metric> {
        let kinds = self.workload.into_iter().chain(self.study);
        let own = kinds.flat_map(|kind| &kind.metrics).copied().find(|metric| metric.name == name);
        own.or_else(|| metric(name)).copied()
    }

    /// The whole of which a metric of the runs is a share, if it is one.
    #[must_use]
    pub fn share(&self, metric: &str) -> Option<Share> {
        self.declared(metric).and_then(|metric| metric.share)
    }

    /// The metric and the rule by which points stop; `None` for a fixed number of replicas.
    #[must_use]
    pub fn stopping(&self) -> Option<(&str, StoppingRule)> {
        let (metric, rule) = self.replicas.rule()?;
        Some((metric, StoppingRule { outcomes: self.share(metric) == Some(Share::Runs), ..rule }))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::kinds::{common_metrics, studies, workloads};
    use super::*;

    /// Every metric of every workload and study, with its name.
    fn all() -> impl Iterator<Item = (&'static str, &'static Metric)> {
        let kinds = workloads().iter().chain(studies());
        let own = kinds.flat_map(|kind| kind.own_metrics.iter().map(|metric| (kind.name, *metric)));
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
    fn units_are_those_of_the_names() {
        let unit = |name| metric(name).unwrap().unit();
        assert_eq!(unit("completion_s"), Some("s"));
        assert_eq!(unit("throughput_bytes_per_s"), Some("B/s"));
        assert_eq!(unit("bandwidth_bytes_s"), Some("B/s"));
        assert_eq!(unit("energy_delay_js"), Some("J·s"));
        assert_eq!([unit("speedup"), unit("most_used_link")], [None, None]);
    }
}
