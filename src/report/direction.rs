//! Which value of a metric is best: as the metric is declared, or the scenario says; of a derived metric by how it is
//! made.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::record::Direction;
use crate::scenario::References;

/// What a table asks for where something is best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
pub struct Asked {
    /// Whether the best is the largest, whatever the metric's direction.
    #[serde(default)]
    pub largest: bool,
    /// Whether the best is the least. Without it and without `largest` the metric's direction decides (`hetsim list
    /// metrics`); a metric of which neither less nor more is better needs one of the two.
    #[serde(default)]
    pub least: bool,
}

impl Asked {
    /// Which value is best of a metric with this direction; `None` where neither the metric nor the file says so.
    #[must_use]
    pub const fn of(self, direction: Direction) -> Option<Best> {
        match (self.largest, self.least, direction) {
            (true, _, _) | (false, false, Direction::More) => Some(Best::Largest),
            (false, true, _) | (false, false, Direction::Less) => Some(Best::Least),
            (false, false, Direction::Neither) => None,
        }
    }

    /// Which value is sought where the metric's direction says that the other end is best.
    pub(super) const fn against(self, direction: Direction) -> Option<Best> {
        match (self.largest, self.least, direction) {
            (true, _, Direction::Less) => Some(Best::Largest),
            (false, true, Direction::More) => Some(Best::Least),
            _ => None,
        }
    }

    /// Something best is sought: it is clear whether it is the least or the largest. `best` is what the metric and the
    /// file say.
    pub(super) fn check(self, at: &str, metric: &str, best: Option<Best>, references: &mut References<'_>) {
        if self.largest && self.least {
            references.wrong(&format!("{at}.least"), "give either `largest` or `least`".to_owned(), None);
        } else if best.is_none() && references.has_metric(metric) && !references.is_name(metric) {
            let message = format!("neither less nor more of `{metric}` is better, so it has no best");
            let help = "say what is meant: `least = true` or `largest = true` (`hetsim list metrics` has directions)";
            references.wrong(&format!("{at}.metric"), message, Some(help.to_owned()));
        }
    }

    /// Nothing best is sought, so nothing is said of it.
    pub(super) fn check_absent(self, at: &str, references: &mut References<'_>) {
        for (key, given) in [("largest", self.largest), ("least", self.least)] {
            if given {
                let message = format!("`{key}` means nothing here: nothing best is sought");
                references.wrong(&format!("{at}.{key}"), message, None);
            }
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
    /// The word for it.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Least => "least",
            Self::Largest => "largest",
        }
    }

    /// A value turned so that less of it is better.
    #[must_use]
    pub fn cost(self, value: f64) -> f64 {
        match self {
            Self::Least => value,
            Self::Largest => -value,
        }
    }
}
