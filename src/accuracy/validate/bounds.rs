//! Bounds that a validation must keep: `median=15,within25=80,regret=4`, in per cent.

use std::fmt;
use std::str::FromStr;

use super::{Unpredicted, Validation};

/// What is bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bounded {
    Median,
    Mean,
    Within10,
    Within25,
    Within2x,
    Regret,
    Right,
    Unpredicted,
}

/// Each name, and whether the bound is the least that is allowed.
const NAMES: &[(&str, Bounded, bool)] = &[
    ("median", Bounded::Median, false),
    ("mean", Bounded::Mean, false),
    ("within10", Bounded::Within10, true),
    ("within25", Bounded::Within25, true),
    ("within2x", Bounded::Within2x, true),
    ("regret", Bounded::Regret, false),
    ("right", Bounded::Right, true),
    ("unpredicted", Bounded::Unpredicted, false),
];

/// Bounds in per cent: the greatest `median` and `mean` error, mean `regret` and share of `unpredicted` points, the
/// least shares `within10`, `within25` (per cent) and `within2x` (a factor of 2), and of `right` choices.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bounds {
    bounds: Vec<(Bounded, f64)>,
}

/// A bound and what was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// What is bounded, by its name in [`Bounds`].
    pub name: &'static str,
    /// The bound in words: `at most 15 %`.
    pub bound: String,
    /// What was found, in per cent; nothing where there is nothing to judge by.
    pub found: Option<f64>,
    /// Whether the bound is kept. Nothing is no number that keeps one.
    pub kept: bool,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, bound, found, kept } = self;
        match (found, kept) {
            (Some(found), true) => write!(f, "`{name}` is {found:.1} %, {bound}"),
            (Some(found), false) => write!(f, "`{name}` is {found:.1} %, but must be {bound}"),
            (None, _) => write!(f, "`{name}` must be {bound}, but there is nothing to judge it by"),
        }
    }
}

impl Bounds {
    /// Each bound, and whether a validation keeps it.
    #[must_use]
    pub fn verdicts(&self, validation: &Validation) -> Vec<Verdict> {
        let (errors, choices) = (validation.summary(), validation.choice_summary());
        let found = |bounded: Bounded| {
            let share = |part: usize, of: usize| (of > 0).then(|| part as f64 / of as f64);
            match bounded {
                Bounded::Median => errors.median,
                Bounded::Mean => errors.mean,
                Bounded::Within10 => errors.within_10,
                Bounded::Within25 => errors.within_25,
                Bounded::Within2x => errors.within_double,
                Bounded::Regret => choices.regret,
                Bounded::Right => share(choices.right, choices.count),
                Bounded::Unpredicted => {
                    let judged =
                        || validation.points.iter().filter(|point| point.predicted != Err(Unpredicted::OneRank));
                    share(judged().filter(|point| point.predicted.is_err()).count(), judged().count())
                }
            }
        };
        let verdict = |&(bounded, bound): &(Bounded, f64)| {
            let &(name, _, is_least) = NAMES.iter().find(|(_, other, _)| *other == bounded)?;
            let found = found(bounded).map(|share| 100.0 * share);
            let kept = found.is_some_and(|found| if is_least { found >= bound } else { found <= bound });
            let side = if is_least { "at least" } else { "at most" };
            Some(Verdict { name, bound: format!("{side} {bound} %"), found, kept })
        };
        self.bounds.iter().filter_map(verdict).collect()
    }

    /// Those that a validation does not keep.
    #[must_use]
    pub fn missed(&self, validation: &Validation) -> Vec<Verdict> {
        self.verdicts(validation).into_iter().filter(|verdict| !verdict.kept).collect()
    }
}

impl FromStr for Bounds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bound = |part: &str| {
            let Some((name, value)) = part.split_once('=') else {
                return Err(format!("{part:?} is not a bound, such as median=15"));
            };
            let Some((_, bounded, _)) = NAMES.iter().find(|(known, ..)| *known == name.trim()) else {
                let known: Vec<&str> = NAMES.iter().map(|(name, ..)| *name).collect();
                return Err(format!("there is no bound {:?}; expected one of {}", name.trim(), known.join(", ")));
            };
            match value.trim().trim_end_matches('%').trim_end().parse::<f64>() {
                Ok(value) if value.is_finite() && value >= 0.0 => Ok((*bounded, value)),
                _ => Err(format!("{value:?} is not a percentage of 0 or more")),
            }
        };
        text.split(',').map(bound).collect::<Result<_, _>>().map(|bounds| Self { bounds })
    }
}
