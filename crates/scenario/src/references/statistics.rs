//! Checks of `replicas`, and of the intervals and quantiles of `[output]`.

use super::super::file::OutputSpec;
use super::super::replicas::Replicas;
use super::References;
use hetsim_statistics::Confidence;
use hetsim_text::suggest;

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

    /// The metrics that are numbers and the same at each time.
    fn steady_numbers(&self) -> Vec<&str> {
        let steady = |name: &&str| !self.is_name(name) && !self.is_clocked(name);
        self.metrics.iter().map(String::as_str).filter(steady).collect()
    }

    /// A metric that is a number, and the same at each time; says whether it is.
    pub fn steady_number(&mut self, path: &str, name: &str) -> bool {
        let problems = self.problems.len();
        if !self.has_metric(name) {
            let help = suggest(name, &self.steady_numbers());
            self.wrong(path, format!("there is no metric `{name}`"), Some(help));
        } else if self.is_clocked(name) {
            let message = format!("`{name}` is measured by a clock and differs from run to run");
            self.wrong(path, message, None);
        } else {
            self.number(path, name);
        }
        self.problems.len() == problems
    }
}
