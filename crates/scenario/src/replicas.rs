//! `replicas`: the number of runs of each point, or the rule that decides it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scalar::Scalar;
use hetsim_statistics::Confidence;
use hetsim_statistics::stopping::{FIRST, StoppingRule, Target};

/// How many times each point is run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Replicas {
    /// So many times.
    Fixed(#[schemars(range(min = 1, max = 1_000_000))] u32),
    /// Until the interval of a metric's mean is short enough.
    Until(UntilSpec),
}

/// Replicas of a point until the interval of a metric's mean is short enough: the rule looks at the first 30 replicas,
/// then at the first 60, 120 and so on up to `max`, and the first of these numbers at which the interval is short
/// enough is that of the point's replicas.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UntilSpec {
    /// The metric that is to be known, and how precisely.
    pub until: Precision,
    /// The maximum number of replicas of a point, however wide the interval still is.
    #[schemars(range(min = 30, max = 1_000_000))]
    pub max: u32,
}

/// How well a metric's mean is to be known at each point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Precision {
    /// The metric: a number that the runs themselves give and no clock measures.
    pub metric: String,
    /// The greatest half width of the interval of its mean (by Student's t distribution, of outcomes that are 0 or 1
    /// Wilson's): a percentage of the mean (`"1%"`), a quantity (`"2ms"`), or a number in the metric's unit.
    pub half_width: Scalar,
    /// The confidence of the interval: the share of cases in which such an interval contains what it estimates.
    #[serde(default = "ninety_five")]
    #[schemars(extend("exclusiveMinimum" = 0.0, "exclusiveMaximum" = 1.0))]
    pub confidence: f64,
}

/// The confidence of an interval where none is given.
#[must_use]
pub const fn ninety_five() -> f64 {
    0.95
}

impl Replicas {
    /// The most replicas that a point may have.
    #[must_use]
    pub const fn most(&self) -> u32 {
        match self {
            Self::Fixed(count) => *count,
            Self::Until(spec) => spec.max,
        }
    }

    /// The fewest replicas that a point has.
    #[must_use]
    pub const fn fewest(&self) -> u32 {
        match self {
            Self::Fixed(count) => *count,
            Self::Until(_) => FIRST as u32,
        }
    }

    /// Whether each point stops by itself.
    #[must_use]
    pub const fn stop_by_themselves(&self) -> bool {
        matches!(self, Self::Until(_))
    }

    /// The metric and the rule by which points stop; `None` for a fixed number.
    #[must_use]
    pub fn rule(&self) -> Option<(&str, StoppingRule)> {
        let Self::Until(UntilSpec { until, max }) = self else { return None };
        // Both were checked when the scenario was read.
        let (target, confidence) = (until.target().ok()?, Confidence::new(until.confidence)?);
        let rule = StoppingRule { confidence, most: *max as usize, ..StoppingRule::new(target) };
        Some((&until.metric, rule))
    }
}

impl Precision {
    /// The half width that is asked for.
    ///
    /// # Errors
    /// A sentence, where it is no percentage, no quantity of the metric, or not above zero.
    pub fn target(&self) -> Result<Target, String> {
        let percentage = match &self.half_width {
            Scalar::Text(text) => text.trim().strip_suffix('%'),
            Scalar::Number(_) | Scalar::Boolean(_) => None,
        };
        if let Some(number) = percentage {
            let percent = number.trim().parse::<f64>().ok().filter(|percent| *percent > 0.0 && *percent < 100.0);
            let wrong = || format!("a half width is above 0 % and below 100 % of the mean, not {number}%");
            return percent.map(|percent| Target::Relative(percent / 100.0)).ok_or_else(wrong);
        }
        let width = self.half_width.number_for(&self.metric)?;
        if width > 0.0 && width.is_finite() {
            Ok(Target::Absolute(width))
        } else {
            Err(format!("a half width is above zero, not {}", self.half_width))
        }
    }

    /// What is asked for, as a person reads it: `±1%`, `±2ms`.
    #[must_use]
    pub fn shown(&self) -> String {
        format!("±{}", self.half_width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(metric: &str, half_width: Scalar) -> Result<Target, String> {
        Precision { metric: metric.to_owned(), half_width, confidence: 0.95 }.target()
    }

    fn text(text: &str) -> Scalar {
        Scalar::Text(text.to_owned())
    }

    #[test]
    fn half_widths_are_shares_or_quantities() {
        assert_eq!(target("completion_s", text("1%")), Ok(Target::Relative(0.01)));
        assert_eq!(target("completion_s", text("2.5 %")), Ok(Target::Relative(0.025)));
        assert_eq!(target("completion_s", text("2ms")), Ok(Target::Absolute(0.002)));
        assert_eq!(target("speedup", Scalar::Number(0.5)), Ok(Target::Absolute(0.5)));
        for wrong in ["0%", "-1%", "100%", "one%", "NaN%", "2", "ms", "2KiB"] {
            assert!(target("completion_s", text(wrong)).is_err(), "{wrong}");
        }
        assert!(target("completion_s", Scalar::Number(0.0)).is_err());
        assert!(target("completion_s", Scalar::Boolean(true)).is_err());
        assert!(target("speedup", text("2ms")).is_err());
    }

    #[test]
    fn a_rule_starts_at_thirty() {
        assert_eq!(Replicas::Fixed(7).rule(), None);
        let until = Precision { metric: "speedup".to_owned(), half_width: text("1%"), confidence: 0.9 };
        let replicas = Replicas::Until(UntilSpec { until, max: 100 });
        let (metric, rule) = replicas.rule().unwrap();
        assert_eq!((metric, rule.target, rule.confidence.share()), ("speedup", Target::Relative(0.01), 0.9));
        assert_eq!(rule.checkpoints().collect::<Vec<_>>(), [30, 60, 100]);
        assert_eq!((replicas.fewest(), replicas.most()), (30, 100));
    }
}
