//! `[[chart]]`: from a scenario's words to pictures.

mod along;
mod boxes;
mod graph;
mod heat;
mod histogram;
mod rows;
mod run;
mod scatter;
mod sensitivity;
mod strands;
mod swept;

use super::results::Results;
use crate::scenario::{ChartKind, ChartSpec};

pub use graph::graph;
pub use run::{gantt, tree};

/// A picture and its words.
#[derive(Debug, Clone)]
pub struct Picture {
    /// The file's stem.
    pub name: String,
    /// The words under it.
    pub caption: String,
    /// The picture.
    pub svg: String,
}

/// Draws every chart of the scenario.
///
/// # Errors
/// Where a run that is to be shown in detail fails, or lacks the long table that is to be drawn; the message says which.
pub fn draw(results: &Results<'_>) -> Result<Vec<Picture>, String> {
    results.scenario().file.chart.iter().map(|spec| draw_one(results, spec)).collect()
}

fn draw_one(results: &Results<'_>, spec: &ChartSpec) -> Result<Picture, String> {
    let title = spec.title.clone().unwrap_or_else(|| spec.name.replace('_', " "));
    let svg = match spec.kind {
        ChartKind::Line if spec.table.is_some() => rows::line(results, spec, title.clone())?.svg(),
        ChartKind::Bar | ChartKind::Stacked if spec.table.is_some() => rows::bar(results, spec, title.clone())?.svg(),
        ChartKind::Line => swept::line(results, spec, title.clone()).svg(),
        ChartKind::Bar | ChartKind::Stacked => swept::bar(results, spec, title.clone()).svg(),
        ChartKind::Scatter => scatter::scatter(results, spec, title.clone()).svg(),
        ChartKind::Histogram => histogram::histogram(results, spec, title.clone()).svg(),
        ChartKind::BoxPlot => boxes::boxes(results, spec, title.clone()).svg(),
        ChartKind::Heatmap if spec.table.is_some() => rows::heatmap(results, spec, title.clone())?.svg(),
        ChartKind::Heatmap => heat::heatmap(results, spec, title.clone()).svg(),
        ChartKind::Sensitivity => sensitivity::sensitivity(results, spec, title.clone()).svg(),
        ChartKind::Gantt | ChartKind::Tree | ChartKind::Graph => {
            run::detailed(results, spec, title.clone()).map_err(|error| format!("chart `{}`: {error}", spec.name))?
        }
    };
    Ok(Picture { name: spec.name.clone(), caption: title, svg })
}
