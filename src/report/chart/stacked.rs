//! `kind = "stacked"`: a stack of bars for each value of a swept key, or of a column of a long table.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::keys::{BarOrder, Colours, Common, Over, Shown};
use super::looks::ChartContext;
use super::{ChartKind, Drawn, SensitivitySpec, checks, common_at};
use crate::report::results::Results;
use crate::scenario::References;
use hetsim_chart::axis::Scale;
use hetsim_chart::bars::Arrangement;
use hetsim_chart::paper::{LegendPlace, Paper};

/// The keys of a chart of stacks.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct StackedKeys {
    /// The metrics over a key.
    #[serde(flatten)]
    pub over: Over,
    /// The names in the picture of the values along `x`, instead of those in the scenario.
    #[serde(default)]
    pub names: BTreeMap<String, String>,
    /// Where the names of the metrics stand; `above` by default, and never `direct`, which is for lines.
    #[serde(default)]
    pub legend: Option<LegendPlace>,
    /// The colours; by default those of `okabe_ito`.
    #[serde(default)]
    pub colours: Option<Colours>,
    /// How stacks stand.
    #[serde(flatten)]
    pub order: BarOrder,
}

impl ChartKind for StackedKeys {
    common_at!(over.common);

    fn shown(&self) -> Shown<'_> {
        let (common, colours) = (&self.over.common, self.colours.as_ref());
        Shown { common, series: None, names: &self.names, colours, legend: self.legend }
    }

    fn is_of_one_run(&self) -> bool {
        self.over.table.is_some()
    }

    fn check(&self, at: &str, references: &mut References<'_>, _: &[SensitivitySpec]) {
        if self.over.metrics.y_scale == Scale::Log {
            references.wrong(&format!("{at}.y_scale"), "stacks add up, and logarithms don't".to_owned(), None);
        }
        checks::no_ends(references, at, self.legend);
        checks::over(references, at, &self.over, self.shown(), (&[], None));
    }

    fn draw(&self, results: &Results<'_>, context: &ChartContext<'_>) -> Result<Drawn, String> {
        let paper = Paper { legend: self.legend, palette: self.shown().palette(), ..self.over.common.paper() };
        self.over.draw_bars(results, context, self.shown(), &self.order, (Arrangement::Stacked, paper))
    }
}
