//! `kind = "path"`: what the time of runs is spent on along a swept key, by their critical paths: a stack of bars.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::keys::{BarOrder, Colours, Common, Metrics, NameList, Over, Shown};
use super::looks::ChartContext;
use super::{ChartKind, Drawn, SensitivitySpec, checks, common_at};
use crate::cluster::Part;
use crate::report::results::Results;
use crate::scenario::References;
use hetsim_chart::axis::{Axis, Scale};
use hetsim_chart::bars::{Arrangement, BarChart};
use hetsim_chart::paper::{LegendPlace, Paper};

/// The keys of a chart of critical paths.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct PathKeys {
    /// The keys of every chart.
    #[serde(flatten)]
    pub common: Common,
    /// The swept key along x.
    pub x: String,
    /// The label of x; by default the key's name.
    #[serde(default)]
    pub x_label: Option<String>,
    /// The names in the picture of the values along `x`.
    #[serde(default)]
    pub names: BTreeMap<String, String>,
    /// Where the names of the parts stand; `above` by default, and never `direct`, which is for lines.
    #[serde(default)]
    pub legend: Option<LegendPlace>,
    /// Whether stacks show parts of the whole, in percent, instead of times.
    #[serde(default)]
    pub shares: bool,
    /// How stacks stand.
    #[serde(flatten)]
    pub order: BarOrder,
}

/// The metric of each part.
fn metric(part: Part) -> String {
    format!("path_{}_s", part.name())
}

/// The colour of a part, the same in every chart: one of Okabe and Ito's.
const fn colour(part: Part) -> &'static str {
    match part {
        Part::Computing => "#009e73",
        Part::Overhead => "#e69f00",
        Part::Latency => "#0072b2",
        Part::Transmission => "#56b4e9",
        Part::Sharing => "#d55e00",
        Part::Processor => "#f0e442",
        Part::Decision => "#cc79a7",
        Part::Outage => "#000000",
    }
}

/// What a part is called in pictures.
const fn called(part: Part) -> &'static str {
    match part {
        Part::Computing => "computing",
        Part::Overhead => "overhead",
        Part::Latency => "latency",
        Part::Transmission => "transmission",
        Part::Sharing => "sharing",
        Part::Processor => "waiting for a processor",
        Part::Decision => "timers",
        Part::Outage => "outages",
    }
}

impl PathKeys {
    /// The parts as metrics along y: those that take any time.
    fn over(&self, parts: &[Part]) -> Over {
        let metrics = Metrics {
            y: NameList::Several(parts.iter().map(|part| metric(*part)).collect()),
            labels: parts.iter().map(|part| (metric(*part), called(*part).to_owned())).collect(),
            y_scale: Scale::Linear,
            y_label: Some("time on the critical path".to_owned()),
            y_range: None,
            annotate: Vec::new(),
        };
        let Self { common, x, x_label, .. } = self;
        Over { common: common.clone(), table: None, x: x.clone(), metrics, x_label: x_label.clone() }
    }

    /// Stacks of percents.
    fn draw_shares(
        &self,
        over: &Over,
        results: &Results<'_>,
        (context, shown): (&ChartContext<'_>, Shown<'_>),
        paper: Paper,
    ) -> Drawn {
        let (label, categories, mut series) = over.bars_of_points(results, shown, Arrangement::Stacked);
        for category in 0..categories.len() {
            let total: f64 = series.iter().filter_map(|series| series.bars[category]).map(|bar| bar.value).sum();
            for bar in series.iter_mut().filter_map(|series| series.bars[category].as_mut()) {
                bar.value *= 100.0 / total;
            }
        }
        let looks = context.looks(results, shown, [None].into_iter(), over.metrics.y.all());
        let chart = BarChart {
            title: self.common.heading(),
            subtitle: self.common.subtitle.clone(),
            label,
            categories,
            y: Axis::number("share of the critical path, %"),
            series,
            arrangement: Arrangement::Stacked,
        };
        Drawn::new(chart, Paper { looks, horizontal: self.order.horizontal, ..paper })
    }

    fn parts(results: &Results<'_>) -> Vec<Part> {
        let takes_time = |part: &Part| {
            let column = results.column(&metric(*part));
            column.is_some_and(|column| {
                (0..results.rows().len()).any(|row| results.number(row, column).is_some_and(|seconds| seconds > 0.0))
            })
        };
        Part::ALL.into_iter().filter(takes_time).collect()
    }
}

impl ChartKind for PathKeys {
    common_at!(common);

    fn shown(&self) -> Shown<'_> {
        Shown { common: &self.common, series: None, names: &self.names, colours: None, legend: self.legend }
    }

    fn check(&self, at: &str, references: &mut References<'_>, _: &[SensitivitySpec]) {
        // Its rows are the paths that the metrics are made of.
        checks::kept(references, at, "path");
        if self.shares && self.order.sort.is_some() {
            references.wrong(&format!("{at}.sort"), "stacks of shares are all as high".to_owned(), None);
        }
        if self.shares && self.common.free_y {
            references.wrong(&format!("{at}.free_y"), "stacks of shares are all as high".to_owned(), None);
        }
        checks::no_ends(references, at, self.legend);
        checks::over(references, at, &self.over(&Part::ALL), self.shown(), (&[], None));
    }

    fn draw(&self, results: &Results<'_>, context: &ChartContext<'_>) -> Result<Drawn, String> {
        let parts = Self::parts(results);
        if parts.is_empty() {
            return Err("no run has a critical path of any length".to_owned());
        }
        let colours = Colours::Each(parts.iter().map(|part| (metric(*part), colour(*part).to_owned())).collect());
        let shown = Shown { colours: Some(&colours), ..self.shown() };
        let paper = Paper { legend: self.legend, palette: shown.palette(), ..self.common.paper() };
        if self.shares {
            return Ok(self.draw_shares(&self.over(&parts), results, (context, shown), paper));
        }
        self.over(&parts).draw_bars(results, context, shown, &self.order, (Arrangement::Stacked, paper))
    }
}
