//! Summaries of repeated measurements.

use crate::engine::Streams;
use crate::scenario::{IntervalMethod, Scenario};
use crate::statistics::{
    Confidence, bootstrap, mean, mean_interval, prediction_interval, proportion_interval, quantile, standard_deviation,
};

/// The summary of a sample of a metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// How many values there are.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// The confidence interval of the mean. A single value says nothing about its spread: its interval is undefined,
    /// not zero.
    pub interval: Option<(f64, f64)>,
    /// The standard deviation of the sample (with `count − 1`), undefined for a single value.
    pub deviation: Option<f64>,
    /// The smallest value.
    pub minimum: f64,
    /// The middle value: the quantile at one half.
    pub median: f64,
    /// The largest value.
    pub maximum: f64,
}

impl Summary {
    /// Summarises `values`, with Student's 95 % interval; nothing for none, or where one of them is not finite.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        Self::with(values, &Intervals::default(), None)
    }

    /// Summarises `values` with other intervals: that of a proportion where they are shares of so many trials in all.
    #[must_use]
    pub fn with(values: &[f64], intervals: &Intervals, trials: Option<f64>) -> Option<Self> {
        if values.is_empty() || values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let of_share = |trials: f64, mean| proportion_interval(mean, trials, intervals.confidence);
        if let [value] = *values {
            // As below, where a zero has no sign.
            let mean = value + 0.0;
            let interval = trials.and_then(|trials| of_share(trials, mean));
            let (minimum, median, maximum) = (value, value, value);
            return Some(Self { count: 1, mean, interval, deviation: None, minimum, median, maximum });
        }
        let minimum = values.iter().copied().fold(f64::INFINITY, f64::min);
        let maximum = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mean = mean(values)?;
        Some(Self {
            count: values.len(),
            mean,
            interval: trials.map_or_else(|| intervals.around_mean(values), |trials| of_share(trials, mean)),
            deviation: standard_deviation(values),
            minimum,
            median: quantile(values, 0.5)?,
            maximum,
        })
    }
}

/// How the intervals of means are made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Intervals {
    method: IntervalMethod,
    /// Their confidence.
    pub confidence: Confidence,
    resamples: usize,
    seed: u64,
}

impl Default for Intervals {
    /// By Student's t distribution, with 95 %.
    fn default() -> Self {
        Self { method: IntervalMethod::Student, confidence: Confidence::P95, resamples: 1000, seed: 0 }
    }
}

/// How the intervals of a scenario are made.
pub(super) fn interval_method(scenario: &Scenario) -> IntervalMethod {
    let uncertain = scenario.file.uncertainty.as_ref().and_then(serde_json::Value::as_object);
    let usual = if uncertain.is_some_and(|keys| !keys.is_empty()) {
        IntervalMethod::Prediction
    } else {
        IntervalMethod::default()
    };
    scenario.file.output.interval.method.unwrap_or(usual)
}

impl Intervals {
    /// As a scenario asks for them.
    #[must_use]
    pub fn of(scenario: &Scenario) -> Self {
        let spec = scenario.file.output.interval;
        // The schema lets nothing else through than a share between 0 and 1.
        let confidence = Confidence::new(spec.confidence).unwrap_or(Confidence::P95);
        Self {
            method: interval_method(scenario),
            confidence,
            resamples: spec.resamples as usize,
            seed: scenario.file.seed,
        }
    }

    /// The interval around the mean of `values`: a function of them and of the scenario's seed. Nothing for fewer than two
    /// values.
    #[must_use]
    pub fn around_mean(&self, values: &[f64]) -> Option<(f64, f64)> {
        match self.method {
            IntervalMethod::Student => mean_interval(values, self.confidence),
            IntervalMethod::Prediction => prediction_interval(values, self.confidence),
            IntervalMethod::Bootstrap => {
                let mut stream = Streams::new(self.seed, 0).stream("interval", 0);
                bootstrap::bca(values, self.confidence, self.resamples, &mut stream)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_known_sample() {
        let summary = Summary::of(&[5.0, 1.0, 3.0, 2.0, 4.0]).expect("values");
        assert_eq!((summary.count, summary.mean, summary.median), (5, 3.0, 3.0));
        assert_eq!((summary.minimum, summary.maximum), (1.0, 5.0));
        // 2.776445 × √2.5 / √5.
        let (low, high) = summary.interval.expect("five values");
        assert!(((high - low) / 2.0 - 1.963_243).abs() < 1e-6);
    }

    #[test]
    fn one_value_has_no_interval() {
        let summary = Summary::of(&[7.0]).expect("a value");
        assert_eq!((summary.mean, summary.median, summary.interval, summary.deviation), (7.0, 7.0, None, None));
        assert_eq!(Summary::of(&[]), None);
        assert_eq!(Summary::of(&[1.0, f64::NAN]), None);
    }

    #[test]
    fn equal_values_have_no_spread() {
        let summary = Summary::of(&[0.1; 10]).expect("values");
        assert_eq!((summary.mean, summary.interval), (0.1, Some((0.1, 0.1))));
    }

    #[test]
    fn the_bootstrap_draws_the_same_each_time() {
        let intervals =
            Intervals { method: IntervalMethod::Bootstrap, confidence: Confidence::P95, ..Intervals::default() };
        let values: Vec<f64> = (0..30).map(|i| f64::from(i * i % 31)).collect();
        let summary = Summary::with(&values, &intervals, None).unwrap();
        assert_eq!(Some(summary), Summary::with(&values, &intervals, None));
        let (low, high) = summary.interval.unwrap();
        let (l, h) = Summary::of(&values).unwrap().interval.unwrap();
        assert!(low < summary.mean && summary.mean < high && (low - l).abs() < 1.0 && (high - h).abs() < 1.0);
        assert_ne!((low, high), (l, h));
        assert_eq!(intervals.around_mean(&[1.0]), None);
    }

    proptest! {
        #[test]
        fn order_changes_nothing(mut values in prop::collection::vec(-1e9..1e9f64, 1..40)) {
            let before = Summary::of(&values);
            values.reverse();
            prop_assert_eq!(before, Summary::of(&values));
            let summary = before.expect("finite values");
            prop_assert!(summary.minimum <= summary.median && summary.median <= summary.maximum);
        }
    }
}
