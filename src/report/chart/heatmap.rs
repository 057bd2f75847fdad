//! `kind = "heatmap"`: a cell for each pair of values of two swept keys, or of two columns of a long table.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::along::Along;
use super::keys::{Colours, Common, Shown, metric_axis};
use super::looks::ChartContext;
use super::rows::{AxisColumn, TableRows};
use super::{ChartKind, Drawn, SensitivitySpec, checks, common_at};
use crate::printable::counted;
use crate::record::Value;
use crate::report::cells::UsualName;
use crate::report::results::Results;
use crate::report::text::heading;
use crate::scenario::{References, Scalar};
use hetsim_chart::axis::Scale;
use hetsim_chart::frames::Framed;
use hetsim_chart::matrix::{Border, Cells, Heatmap};
use hetsim_chart::paper::{LegendPlace, Paper};

/// The keys of a matrix of cells.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct HeatmapKeys {
    /// The keys of every chart.
    #[serde(flatten)]
    pub common: Common,
    /// A long table of the run (one of `output.tables`), whose rows are drawn instead of points: `x`, `y` and `value`
    /// are columns of it, and `where` chooses the run, of which the first replica is shown. Rows with one x and one y
    /// share a cell, which shows their mean.
    #[serde(default)]
    pub table: Option<String>,
    /// The swept key along x, or the column of `table`.
    pub x: String,
    /// The swept key along y, or the column of `table`.
    pub y: String,
    /// The metric in the cells.
    pub value: String,
    /// What values of the keys along `x` and `y`, and names in the cells, are called in the picture, instead of what
    /// they are in the scenario.
    #[serde(default)]
    pub names: BTreeMap<String, String>,
    /// The label of x; by default the key's name.
    #[serde(default)]
    pub x_label: Option<String>,
    /// The label of y; by default the key's name.
    #[serde(default)]
    pub y_label: Option<String>,
    /// The scale of the colours.
    #[serde(default)]
    pub y_scale: Scale,
    /// Where the names in the cells stand; `above` by default, and never `direct`, which is for lines.
    #[serde(default)]
    pub legend: Option<LegendPlace>,
    /// The colours of names in the cells; by default those of `okabe_ito`.
    #[serde(default)]
    pub colours: Option<Colours>,
    /// Borders between cells.
    #[serde(default)]
    pub mark: Vec<BorderMark>,
    /// Frames around groups of the values along `x` and `y` of a table, whose names stand beside the rows.
    #[serde(default)]
    pub frames: Option<Frames>,
}

/// `frames` of a `heatmap`: another long table says what group each value along `x` and `y` is in.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Frames {
    /// The long table (one of `output.tables`).
    pub table: String,
    /// Its column with the values.
    pub at: String,
    /// Its column with their groups.
    pub group: String,
}

/// `[[chart.mark]]` of a `heatmap`: a border behind the columns up to `x`, in the row `y` or in all of them.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BorderMark {
    /// What it is, such as "printed". Borders with one label share it.
    pub label: String,
    /// The place along x: a number, a quantity, or a value of the key.
    pub x: Scalar,
    /// The value of the swept key along y to whose row the border belongs.
    #[serde(default)]
    pub y: Option<Scalar>,
}

impl ChartKind for HeatmapKeys {
    common_at!(common);

    fn shown(&self) -> Shown<'_> {
        let (common, colours) = (&self.common, self.colours.as_ref());
        Shown { common, series: None, names: &self.names, colours, legend: self.legend }
    }

    fn is_of_one_run(&self) -> bool {
        self.table.is_some()
    }

    fn check(&self, at: &str, references: &mut References<'_>, _: &[SensitivitySpec]) {
        checks::no_ends(references, at, self.legend);
        checks::colours_of_names(references, at, self.shown());
        let open = self.table.is_some() || references.is_name(&self.value);
        if !open && matches!(self.colours, Some(Colours::Each(_))) {
            let message = "names have colours, and the cells of this chart have numbers".to_owned();
            references.wrong(&format!("{at}.colours"), message, None);
        }
        let has_names = self.table.is_none() && references.is_name(&self.value);
        let has_place = !matches!(self.legend, None | Some(LegendPlace::Direct));
        if has_place && !has_names && self.mark.is_empty() {
            let message = "a legend has names, and the cells of this chart have numbers".to_owned();
            references.wrong(&format!("{at}.legend"), message, None);
        }
        checks::names(references, at, self.shown(), &[Some(&self.x), Some(&self.y)], open);
        let [x, y, value] = ["x", "y", "value"].map(|key| format!("{at}.{key}"));
        if let Some(table) = &self.table {
            let Some(shape) = checks::table(references, at, table) else { return };
            for (path, column) in [(x, &self.x), (y, &self.y), (value, &self.value)] {
                checks::column(references, &path, &shape, column);
            }
            checks::none_of_table(references, at, ("mark", &self.mark), "marks");
            if let Some(frames) = &self.frames {
                let at = format!("{at}.frames");
                let Some(shape) = checks::table(references, &at, &frames.table) else { return };
                checks::column(references, &format!("{at}.at"), &shape, &frames.at);
                checks::column(references, &format!("{at}.group"), &shape, &frames.group);
            }
            return checks::of_one_run(references, at, &shape, self.shown());
        }
        if self.frames.is_some() {
            let help = Some("give `table` too".to_owned());
            references.wrong(&format!("{at}.frames"), "frames are of a table's rows".to_owned(), help);
        }
        references.axis(&x, &self.x);
        references.axis(&y, &self.y);
        checks::apart(references, at, &[("x", &self.x), ("y", &self.y)], self.shown());
        references.metric(&value, &self.value);
        references.nothing_else_varies(
            at,
            &self.common.filter,
            &[Some(&self.x), Some(&self.y), self.common.panels.as_deref()],
            "`y`",
        );
        for (place, mark) in self.mark.iter().enumerate() {
            let at = format!("{at}.mark.{place}");
            checks::along(references, &format!("{at}.x"), self.shown(), (&self.x, &mark.x, Scale::Linear));
            if let Some(y) = &mark.y {
                checks::shown_value(references, &format!("{at}.y"), self.shown(), &self.y, y);
            }
        }
    }

    fn draw(&self, results: &Results<'_>, context: &ChartContext<'_>) -> Result<Drawn, String> {
        let chart = match &self.table {
            Some(table) => {
                let rows = |name: &str| TableRows::new(results, name, self.shown());
                let groups = self.frames.as_ref().map(|frames| rows(&frames.table)).transpose()?;
                self.of_table(&rows(table)?, groups.as_ref())
            }
            None => self.of_points(results),
        };
        // A name in a cell looks like the series of that name in other charts.
        let (looks, differing) = match &chart.cells {
            Cells::Names { names, counts, .. } => (context.of_labels(results, names, self.shown()), counts.len()),
            Cells::Numbers { .. } | Cells::Ratios { .. } => (Vec::new(), 0),
        };
        let differ =
            || format!("replicas differ in {}: each shows the name that most of them have", counted(differing, "cell"));
        let outside = chart.borders.iter().filter(|border| !(1..chart.columns.len()).contains(&border.column)).count();
        let beside = || format!("{} beside all columns", counted(outside, "border"));
        let notes = (differing > 0).then(differ).into_iter().chain((outside > 0).then(beside)).collect();
        let palette = self.shown().palette();
        let legend = self.legend;
        Ok(Drawn::new(chart, Paper { legend, palette, looks, notes, ..self.common.paper() }))
    }
}

impl HeatmapKeys {
    fn of_points(&self, results: &Results<'_>) -> Heatmap {
        let points = results.matching(&self.common.filter);
        let [x, y] = [&self.x, &self.y].map(|name| Along::new(results, self.shown(), name));
        let mut at = vec![vec![None; x.names.len()]; y.names.len()];
        for &point in &points {
            if let (Some(row), Some(column)) = (y.index(results, point), x.index(results, point)) {
                // Of several points the first is shown.
                at[row][column].get_or_insert(point);
            }
        }
        let numeric = points.iter().any(|&point| !results.numbers(point, &self.value).is_empty());
        let cells = if numeric {
            let value = |point: &Option<usize>| results.mean((*point)?, &self.value);
            Cells::Numbers {
                axis: metric_axis(&self.value, None, self.y_scale),
                values: at.iter().map(|row| row.iter().map(value).collect()).collect(),
            }
        } else {
            self.names_in(results, &at)
        };
        Heatmap {
            title: self.common.heading(),
            subtitle: self.common.subtitle.clone(),
            x_label: x.label(results, self.x_label.as_ref()),
            y_label: y.label(results, self.y_label.as_ref()),
            borders: self.borders(results, &x, &y),
            frames: Vec::new(),
            columns: x.names,
            rows: y.names,
            cells,
        }
    }

    /// The usual name of the replicas of each point, with how many have it where they differ.
    fn names_in(&self, results: &Results<'_>, at: &[Vec<Option<usize>>]) -> Cells {
        let column = results.column(&self.value);
        let mut shares = BTreeMap::new();
        let mut name = |place: (usize, usize), point: Option<usize>| {
            let column = column?;
            let names = results.rows_of(point?).map(|row| results.cell(row, column).to_string());
            let usual = UsualName::of(names)?;
            shares.extend(usual.share().map(|share| (place, share)));
            Some(self.called(&usual.name))
        };
        let mut rows = Vec::with_capacity(at.len());
        for (y, row) in at.iter().enumerate() {
            rows.push(row.iter().enumerate().map(|(x, &point)| name((y, x), point)).collect());
        }
        let mut cells = Cells::named(rows);
        if let Cells::Names { counts, .. } = &mut cells {
            *counts = shares;
        }
        cells
    }

    /// What a name in a cell is called; what is best may be several names.
    fn called(&self, name: &str) -> String {
        let one = |name: &str| self.names.get(name).map_or_else(|| name.to_owned(), String::clone);
        self.names.get(name).cloned().unwrap_or_else(|| name.split(", ").map(one).collect::<Vec<_>>().join(", "))
    }

    /// The marks: borders behind the last column whose value is not above the mark's.
    fn borders(&self, results: &Results<'_>, x: &Along, y: &Along) -> Vec<Border> {
        let columns = &results.scenario().axes[x.axis];
        let border = |mark: &BorderMark| {
            let at = x.place_of(results, &mark.x)?;
            let below =
                x.values.iter().filter(|&&value| columns.values[value].cell.number().is_some_and(|cell| cell <= at));
            let column = if x.numeric { below.count() } else { at as usize + 1 };
            let rows = &results.scenario().axes[y.axis];
            let row = mark.y.as_ref().map(|row| y.values.iter().position(|&value| rows.is(&rows.values[value], row)));
            match row {
                // Of a row that is not shown there is nothing to show.
                Some(None) => None,
                Some(row) => Some(Border { label: mark.label.clone(), column, row }),
                None => Some(Border { label: mark.label.clone(), column, row: None }),
            }
        };
        self.mark.iter().filter_map(border).collect()
    }

    /// The frames around neighbours of one group.
    fn framed(&self, groups: &TableRows<'_>, axes: [&AxisColumn; 2]) -> Vec<Framed> {
        let Some(frames) = &self.frames else { return Vec::new() };
        let mut of_axes = axes.map(|column| vec![None; column.texts.len()]);
        for (_, rows) in &groups.groups {
            for (value, group) in rows.cells(&frames.at).zip(rows.cells(&frames.group)) {
                for (column, of_axis) in axes.iter().zip(&mut of_axes) {
                    if let Some(place) = column.index(value) {
                        of_axis[place] = Some(self.group(&frames.group, group));
                    }
                }
            }
        }
        let [columns, rows] = of_axes;
        Framed::all(&columns, &rows)
    }

    /// What a group is called: a number with what it is the number of.
    fn group(&self, column: &str, group: &Value) -> String {
        let written = group.to_string();
        let numbered = || match group {
            Value::Text(name) => name.clone(),
            _ => format!("{} {written}", heading(column)),
        };
        self.names.get(&written).cloned().unwrap_or_else(numbered)
    }

    /// The mean of the rows with each x and y.
    fn of_table(&self, table: &TableRows<'_>, groups: Option<&TableRows<'_>>) -> Heatmap {
        let (columns, rows) = (table.along(&self.x), table.along(&self.y));
        let frames = groups.map_or_else(Vec::new, |groups| self.framed(groups, [&columns, &rows]));
        let mut sums = vec![vec![(0.0, 0u32); columns.texts.len()]; rows.texts.len()];
        for (_, group) in &table.groups {
            let cells = group.cells(&self.y).zip(group.cells(&self.x)).zip(group.cells(&self.value));
            for ((row, column), value) in cells {
                let place = rows.index(row).zip(columns.index(column));
                if let (Some((row, column)), Some(number)) = (place, value.number()) {
                    let (sum, count) = &mut sums[row][column];
                    (*sum, *count) = (*sum + number, *count + 1);
                }
            }
        }
        let cell = |&(sum, count): &(f64, u32)| (count > 0).then(|| sum / f64::from(count));
        let values = sums.iter().map(|row| row.iter().map(cell).collect()).collect();
        Heatmap {
            title: self.common.heading(),
            subtitle: self.common.subtitle.clone(),
            x_label: self.x_label.clone().unwrap_or_else(|| heading(&self.x)),
            y_label: self.y_label.clone().unwrap_or_else(|| heading(&self.y)),
            columns: columns.texts,
            rows: rows.texts,
            cells: Cells::Numbers { axis: metric_axis(&self.value, None, self.y_scale), values },
            borders: Vec::new(),
            frames,
        }
    }
}
