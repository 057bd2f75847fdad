//! Checks of `replicas`, of the intervals and quantiles of `[output]`, and of `[[compare]]`.

use super::super::file::{Choice, OutputSpec, Where};
use super::super::problem::suggest;
use super::super::replicas::Replicas;
use super::super::statistics::CompareSpec;
use super::References;
use crate::statistics::Confidence;

impl References<'_> {
    /// Checks the rule by which points stop. It is called before derived metrics are known.
    pub(super) fn replicas(&mut self, replicas: &Replicas, derived: &[&str]) {
        let Replicas::Until(spec) = replicas else { return };
        let (path, metric) = ("replicas.until.metric", spec.until.metric.as_str());
        if derived.contains(&metric) {
            let message = format!("`{metric}` is made from several points, and each of them stops by itself");
            let numbers = self.steady_numbers();
            self.wrong(path, message, Some(format!("take a metric of the runs themselves: {}", numbers.join(", "))));
            return;
        }
        if !self.steady_number(path, metric) {
            return;
        }
        if let Err(message) = spec.until.target() {
            let help = "write a percentage of the mean (\"1%\") or a value in the metric's unit (\"2ms\")".to_owned();
            self.wrong("replicas.until.half_width", message, Some(help));
        }
    }

    /// Checks which quantiles are asked for.
    pub(super) fn quantiles(&mut self, output: &OutputSpec) {
        for (place, share) in output.quantiles.iter().enumerate() {
            let path = format!("output.quantiles.{place}");
            if Confidence::new(*share).is_none() {
                let message = format!("a quantile lies between 0 and 1, without them: {share} does not");
                self.wrong(&path, message, Some("0.5 is the median, 0.99 the slowest percent".to_owned()));
            } else if output.quantiles[..place].contains(share) {
                self.wrong(&path, format!("the quantile {share} is there already"), None);
            }
        }
    }

    /// Checks a comparison.
    pub(super) fn comparison(&mut self, at: &str, compare: &CompareSpec) {
        self.steady_number(&format!("{at}.metric"), &compare.metric);
        let problems = self.problems.len();
        for (side, keys) in [("a", &compare.a), ("b", &compare.b)] {
            let path = format!("{at}.{side}");
            self.points(&path, keys);
            if keys.is_empty() {
                self.wrong(&path, format!("`{side}` names no swept key"), None);
            }
            for (key, choice) in keys {
                if let Choice::Any(_) = choice {
                    self.wrong(&format!("{path}.{key}"), "a comparison takes one value here".to_owned(), None);
                }
            }
        }
        self.points(&format!("{at}.where"), &compare.filter);
        if self.problems.len() > problems {
            return;
        }
        if !compare.a.keys().eq(compare.b.keys()) {
            self.wrong(at, "`a` and `b` give values to different keys".to_owned(), None);
        } else if compare.a == compare.b {
            self.wrong(at, "`a` and `b` are the same".to_owned(), None);
        } else if let Some(key) = compare.filter.keys().find(|key| compare.a.contains_key(*key)) {
            let message = format!("`{key}` is what is compared, so `where` can't choose it");
            self.wrong(&format!("{at}.where.{key}"), message, None);
        } else {
            for (side, keys) in [("a", &compare.a), ("b", &compare.b)] {
                let filter: Where = keys.iter().chain(&compare.filter).map(|(k, v)| (k.clone(), v.clone())).collect();
                self.some_points(&format!("{at}.{side}"), &filter);
            }
        }
    }

    /// The metrics that are numbers and the same at each time.
    fn steady_numbers(&self) -> Vec<&str> {
        let steady = |name: &&str| !self.names.contains(name) && !self.clocked.contains(name);
        self.metrics.iter().copied().filter(steady).collect()
    }

    /// A metric that is a number, and the same at each time; says whether it is.
    fn steady_number(&mut self, path: &str, name: &str) -> bool {
        let problems = self.problems.len();
        if !self.metrics.contains(&name) {
            let help = suggest(name, &self.steady_numbers());
            self.wrong(path, format!("there is no metric `{name}`"), Some(help));
        } else if self.clocked.contains(&name) {
            let message = format!("`{name}` is measured by a clock and is another one each time");
            self.wrong(path, message, None);
        } else {
            self.number(path, name);
        }
        self.problems.len() == problems
    }
}
