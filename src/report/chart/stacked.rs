//! `kind = "stacked"`: a stack of bars for each value of a swept key, or of a column of a long table.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::draw::axis::Scale;
use super::draw::bars::Arrangement;
use super::keys::{Common, Over, Shown};
use super::{ChartKind, SensitivitySpec, checks};
use crate::report::results::Results;
use crate::scenario::References;

/// The keys of a chart of stacks.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct StackedKeys {
    /// The metrics over a key.
    #[serde(flatten)]
    pub over: Over,
    /// What values of the key along `x` are called in the picture, instead of what they are in the scenario.
    #[serde(default)]
    pub names: BTreeMap<String, String>,
}

impl ChartKind for StackedKeys {
    fn common(&self) -> &Common {
        &self.over.common
    }

    fn check(&self, at: &str, references: &mut References<'_>, _: &[SensitivitySpec]) {
        if self.over.metrics.y_scale == Scale::Log {
            references.wrong(&format!("{at}.y_scale"), "stacks add up, and logarithms don't".to_owned(), None);
        }
        checks::over(references, at, &self.over, self.shown(), &[]);
    }

    fn draw(&self, results: &Results<'_>, _: &[SensitivitySpec]) -> Result<String, String> {
        self.over.draw_bars(results, self.shown(), Arrangement::Stacked)
    }
}

impl StackedKeys {
    const fn shown(&self) -> Shown<'_> {
        Shown { common: &self.over.common, series: None, names: &self.names }
    }
}
