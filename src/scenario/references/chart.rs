//! Checks of `[[chart]]`: it speaks of what exists, and has something to show.

use std::collections::BTreeMap;

use super::super::chart::ChartKind::{
    Bar, BoxPlot, Gantt, Graph, Heatmap, Histogram, Line, Scatter, Sensitivity, Stacked, Tree, Utilization,
};
use super::super::chart::{ChartSpec, Scale};
use super::super::file::{Scalar, ScenarioFile};
use super::super::file_name::fault_of_stem;
use super::super::problem::suggest;
use super::super::sweep::{Axis, AxisValue};
use super::{References, axis_number, find_axis};
use crate::record::{TableShape, is_duration};

impl References<'_> {
    /// Checks one chart of the file.
    pub(super) fn chart(&mut self, number: usize, file: &ScenarioFile) {
        let chart = &file.chart[number];
        let at = format!("chart.{number}");
        self.name_of_chart(&at, chart, &file.chart[..number]);
        self.some_points(&format!("{at}.where"), &chart.filter);
        self.keys_of_kind(&at, chart);
        self.labels(&at, chart);
        if chart.kind == Sensitivity {
            self.chart_of_sensitivity(&at, chart, file);
            return;
        }
        self.names(&at, chart);
        if chart.table.is_some() && matches!(chart.kind, Line | Bar | Stacked | Heatmap) {
            self.chart_of_table(&at, chart, file);
            return;
        }
        self.axis_if_given(&format!("{at}.series"), chart.series.as_deref());
        for (place, metric) in chart.reference.iter().enumerate() {
            self.number(&format!("{at}.reference.{place}"), metric);
        }
        let missing = match chart.kind {
            Gantt | Tree | Graph | Utilization | Sensitivity => None,
            _ if chart.x.is_none() => Some("x"),
            Histogram => None,
            _ if chart.y.all().is_empty() => Some("y"),
            Heatmap if chart.value.is_none() => Some("value"),
            Line | Bar | Stacked | Scatter | BoxPlot | Heatmap => None,
        };
        if let Some(key) = missing {
            self.wrong(&at, format!("this chart needs `{key}`"), None);
        }
        if chart.kind == Histogram {
            self.histogram(&at, chart, file.replicas.most());
        } else if chart.kind == Scatter {
            self.scatter(&at, chart);
        } else {
            self.axis_if_given(&format!("{at}.x"), chart.x.as_deref());
        }
        if chart.kind == BoxPlot {
            self.distribution(&at, chart, &[chart.x.as_deref(), chart.series.as_deref()], file.replicas.most());
        }
        if chart.kind == Graph && !self.of_tasks {
            let message = "only a task graph has a picture of this kind".to_owned();
            self.wrong(&format!("{at}.kind"), message, Some("[workload] kind = \"taskgraph\"".to_owned()));
        }
        let (shown, keys) = match chart.kind {
            Stacked => ([chart.x.as_ref(), None], ""),
            Line | Bar => ([chart.x.as_ref(), chart.series.as_ref()], "`series`"),
            Heatmap => ([chart.x.as_ref(), chart.y.first()], "`y`"),
            Gantt | Tree | Graph | Utilization | Histogram | Scatter | BoxPlot | Sensitivity => ([None, None], ""),
        };
        if missing.is_none() && !matches!(chart.kind, Histogram | Scatter | BoxPlot) {
            self.nothing_else_varies(&at, &chart.filter, &shown, keys);
        }
        match (chart.kind, chart.y.all(), &chart.value) {
            (Heatmap, [y], Some(value)) => {
                self.axis(&format!("{at}.y"), y);
                self.metric(&format!("{at}.value"), value);
            }
            (Heatmap, [_, _, ..], _) => {
                self.wrong(&format!("{at}.y"), "a heatmap has one swept key along y".to_owned(), None);
            }
            (Line | Bar | Stacked | Scatter | BoxPlot, metrics, _) => self.metrics_along_y(&at, chart, metrics),
            _ => {}
        }
        for place in 0..chart.mark.len() {
            self.mark(&format!("{at}.mark.{place}"), chart, place);
        }
    }

    /// A chart whose points are the rows of a long table: its columns exist, and one run is chosen.
    fn chart_of_table(&mut self, at: &str, chart: &ChartSpec, file: &ScenarioFile) {
        let (Some(name), shapes) = (&chart.table, self.shapes) else { return };
        let Some(shape) = shapes.iter().find(|shape| shape.name == name) else {
            let names: Vec<&str> = shapes.iter().map(|shape| shape.name).collect();
            let message = format!("this workload makes no table `{name}`");
            self.wrong(&format!("{at}.table"), message, Some(suggest(name, &names)));
            return;
        };
        if !file.output.tables.contains(name) {
            let help = format!("[output] tables = [\"{name}\"]");
            self.wrong(&format!("{at}.table"), format!("the runs don't keep the table `{name}`"), Some(help));
        }
        let problems = self.problems.len();
        let metrics = chart.y.all();
        match &chart.x {
            Some(x) => self.column(&format!("{at}.x"), shape, x),
            None => self.wrong(at, "this chart needs `x`".to_owned(), None),
        }
        if metrics.is_empty() {
            self.wrong(at, "this chart needs `y`".to_owned(), None);
        }
        for (place, metric) in metrics.iter().enumerate() {
            let path = format!("{at}.y.{place}");
            self.column(&path, shape, metric);
            if shape.columns.iter().any(|column| column.name == metric && column.is_name()) {
                self.wrong(&path, format!("`{metric}` is a name, and a number is needed here"), None);
            }
            if metrics[..place].contains(metric) {
                self.wrong(&path, format!("`{metric}` stands here twice"), None);
            }
        }
        let swept = chart.series.as_ref().filter(|series| find_axis(self.axes, series).is_some());
        if let (Some(series), None) = (&chart.series, swept) {
            self.column(&format!("{at}.series"), shape, series);
        }
        if !chart.reference.is_empty() {
            let message = "a chart of a table has no `reference`: name the column in `y`".to_owned();
            self.wrong(&format!("{at}.reference"), message, None);
        }
        if !chart.mark.is_empty() {
            self.wrong(&format!("{at}.mark"), "a chart of a table has no marks".to_owned(), None);
        }
        match (chart.kind, &chart.value) {
            (Heatmap, None) => self.wrong(at, "this chart needs `value`".to_owned(), None),
            (Heatmap, Some(value)) => self.column(&format!("{at}.value"), shape, value),
            _ => {}
        }
        if chart.kind == Heatmap && metrics.len() > 1 {
            self.wrong(&format!("{at}.y"), "a heatmap has one column along y".to_owned(), None);
        }
        if self.problems.len() == problems {
            self.one_unit(at, metrics);
            self.not_both(at, chart);
        }
        self.nothing_else_varies(at, &chart.filter, &[swept], if swept.is_some() { "" } else { "`series`" });
    }

    fn column(&mut self, path: &str, shape: &TableShape, name: &str) {
        if !shape.columns.iter().any(|column| column.name == name) {
            let columns: Vec<&str> = shape.columns.iter().map(|column| column.name).collect();
            let message = format!("the table `{}` has no column `{name}`", shape.name);
            self.wrong(path, message, Some(suggest(name, &columns)));
        }
    }

    /// Bars have one colour each: for a value of the series' key, or for a metric.
    fn not_both(&mut self, at: &str, chart: &ChartSpec) {
        let what = match chart.kind {
            Bar => "bars",
            BoxPlot => "boxes",
            _ => return,
        };
        if chart.series.is_some() && chart.y.all().len() > 1 {
            let message = format!("{what} stand for the values of `series` or for several metrics, not for both");
            self.wrong(at, message, Some("take one metric, or choose one value of the key".to_owned()));
        }
    }

    /// A histogram is of a metric.
    fn histogram(&mut self, at: &str, chart: &ChartSpec, replicas: u32) {
        if let Some(metric) = &chart.x {
            self.number(&format!("{at}.x"), metric);
        }
        self.distribution(at, chart, &[chart.series.as_deref()], replicas);
    }

    /// A scatter chart has a metric along each axis; points beat each other in two metrics.
    fn scatter(&mut self, at: &str, chart: &ChartSpec) {
        if let Some(metric) = &chart.x {
            self.number(&format!("{at}.x"), metric);
        }
        if chart.pareto && chart.y.all().len() > 1 {
            self.wrong(&format!("{at}.pareto"), "a Pareto front is of one metric along y".to_owned(), None);
        }
    }

    /// A distribution is one of several values: of all points that have the same value of each of these keys.
    fn distribution(&mut self, at: &str, chart: &ChartSpec, keys: &[Option<&str>], replicas: u32) {
        let shown: Vec<usize> = keys.iter().flatten().filter_map(|key| axis_number(self.axes, key)).collect();
        let mut counts: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
        for point in self.through(&chart.filter) {
            *counts.entry(shown.iter().map(|&axis| point[axis]).collect()).or_default() += 1;
        }
        if replicas == 1 && counts.values().all(|&count| count == 1) && !counts.is_empty() {
            let message = "one value makes no distribution".to_owned();
            self.wrong(at, message, Some("run each point several times: replicas = 100".to_owned()));
        }
    }

    /// A mark has its numbers, and a place in the chart.
    fn mark(&mut self, at: &str, chart: &ChartSpec, place: usize) {
        let mark = &chart.mark[place];
        if chart.kind == Heatmap {
            return self.border(at, chart, place);
        }
        let (needed, other) = match chart.kind {
            Line => ([("x", &mark.x), ("y", &mark.y)].to_vec(), [("value", &mark.value)].to_vec()),
            Histogram => ([("value", &mark.value)].to_vec(), [("x", &mark.x), ("y", &mark.y)].to_vec()),
            _ => return,
        };
        for (key, value) in &needed {
            if value.is_none() {
                self.wrong(at, format!("this mark needs `{key}`"), None);
            }
        }
        for (key, _) in other.iter().filter(|(_, value)| value.is_some()) {
            let message = format!("`{key}` means nothing in a chart of this kind");
            self.wrong(&format!("{at}.{key}"), message, None);
        }
        let (key, value, metric, scale) = match chart.kind {
            Histogram => ("value", &mark.value, chart.x.as_ref(), chart.x_scale),
            _ => ("y", &mark.y, chart.y.first(), chart.y_scale),
        };
        if let (Some(value), Some(metric)) = (value, metric) {
            match value.number_for(metric) {
                Err(message) => self.wrong(&format!("{at}.{key}"), message, None),
                Ok(number) => self.has_place(&format!("{at}.{key}"), number, scale),
            }
        }
        if let (Line, Some(x), Some(key)) = (chart.kind, &mark.x, &chart.x) {
            self.mark_along(&format!("{at}.x"), chart, key, x);
        }
        if let Some(value) = &mark.series {
            let path = format!("{at}.series");
            match &chart.series {
                Some(series) => self.shown_value(&path, chart, series, value),
                None => self.wrong(&path, "this chart has no `series`".to_owned(), None),
            }
        }
    }

    /// A border of a heat-map has a place along x, and may belong to one row.
    fn border(&mut self, at: &str, chart: &ChartSpec, place: usize) {
        let mark = &chart.mark[place];
        for (key, _) in [("value", &mark.value), ("series", &mark.series)].iter().filter(|(_, value)| value.is_some()) {
            let message = format!("`{key}` means nothing in a chart of this kind");
            self.wrong(&format!("{at}.{key}"), message, None);
        }
        match (&mark.x, &chart.x) {
            (None, _) => self.wrong(at, "this mark needs `x`".to_owned(), None),
            (Some(x), Some(key)) => self.mark_along(&format!("{at}.x"), chart, key, x),
            _ => {}
        }
        if let (Some(y), Some(key)) = (&mark.y, chart.y.first()) {
            self.shown_value(&format!("{at}.y"), chart, key, y);
        }
    }

    /// The place of a mark along a swept key: any number where the key has numbers, or one of its values.
    fn mark_along(&mut self, path: &str, chart: &ChartSpec, key: &str, x: &Scalar) {
        let Some(axis) = find_axis(self.axes, key) else { return };
        match axis.number_of(x).filter(|_| axis.is_numeric()) {
            Some(number) => self.has_place(path, number, chart.x_scale),
            None => self.shown_value(path, chart, key, x),
        }
    }

    /// A value of a swept key that the chart shows.
    fn shown_value(&mut self, path: &str, chart: &ChartSpec, key: &str, value: &Scalar) {
        let problems = self.problems.len();
        self.scalar(path, key, value);
        let Some(number) = axis_number(self.axes, key) else { return };
        let axis = &self.axes[number];
        let shown = self.through(&chart.filter).any(|point| axis.is(&axis.values[point[number]], value));
        if self.problems.len() == problems && !shown {
            self.wrong(path, format!("this chart does not show `{key}` {value}"), None);
        }
    }

    fn has_place(&mut self, path: &str, number: f64, scale: Scale) {
        if !number.is_finite() || (scale == Scale::Log && number <= 0.0) {
            self.wrong(path, format!("{number} has no place on this axis"), None);
        }
    }

    /// Keys that a kind of chart would not look at.
    fn keys_of_kind(&mut self, at: &str, chart: &ChartSpec) {
        let kind = chart.kind;
        let unused = [
            (
                "series",
                chart.series.is_some(),
                matches!(kind, Line | Bar | Scatter | Histogram | BoxPlot),
                "`line`, `bar`, `scatter`, `box` and `histogram`",
            ),
            ("reference", !chart.reference.is_empty(), kind == Line, "`line`"),
            (
                "mark",
                !chart.mark.is_empty(),
                matches!(kind, Line | Histogram) || (kind == Heatmap && chart.table.is_none()),
                "`line`, `histogram` and a `heatmap` of points",
            ),
            (
                "table",
                chart.table.is_some(),
                matches!(kind, Line | Bar | Stacked | Heatmap),
                "`line`, `bar`, `stacked` and `heatmap`",
            ),
            ("x", chart.x.is_some(), kind != Sensitivity, "charts with something along x"),
            ("step", chart.step, kind == Line, "`line`"),
            ("pareto", chart.pareto, kind == Scatter, "`scatter`"),
            ("bins", chart.bins.is_some(), kind == Histogram, "`histogram`"),
            ("of", chart.of.is_some(), kind == Utilization, "`utilization`"),
            ("links", chart.links, kind == Gantt, "`gantt`"),
            (
                "y",
                !chart.y.all().is_empty(),
                !matches!(kind, Histogram | Gantt | Tree | Graph | Utilization),
                "charts with a metric along y",
            ),
        ];
        for (key, given, used, kinds) in unused {
            if given && !used {
                self.wrong(&format!("{at}.{key}"), format!("`{key}` means nothing here: it is for {kinds}"), None);
            }
        }
        if kind == Stacked && chart.y_scale == Scale::Log {
            self.wrong(&format!("{at}.y_scale"), "stacks add up, and logarithms don't".to_owned(), None);
        }
    }

    fn name_of_chart(&mut self, at: &str, chart: &ChartSpec, earlier: &[ChartSpec]) {
        let at = format!("{at}.name");
        let lower = chart.name.to_lowercase();
        match earlier.iter().find(|other| other.name.to_lowercase() == lower) {
            Some(other) if other.name == chart.name => {
                self.wrong(&at, format!("two charts are called `{}`", chart.name), None);
            }
            Some(other) => {
                let message = format!("`{}` and `{}` are one file where case does not count", other.name, chart.name);
                self.wrong(&at, message, None);
            }
            None => {}
        }
        if let Some(fault) = fault_of_stem(&chart.name) {
            self.wrong(&at, "a chart's name is the stem of a file".to_owned(), Some(fault));
        }
    }

    /// The metrics along y: numbers with one unit, each once.
    fn metrics_along_y(&mut self, at: &str, chart: &ChartSpec, metrics: &[String]) {
        let problems = self.problems.len();
        for (place, metric) in metrics.iter().enumerate() {
            // The place of a lone metric is that of the key.
            let path = format!("{at}.y.{place}");
            self.number(&path, metric);
            if metrics[..place].contains(metric) {
                self.wrong(&path, format!("`{metric}` stands here twice"), None);
            }
        }
        if self.problems.len() > problems {
            return;
        }
        self.one_unit(at, metrics);
        self.not_both(at, chart);
    }

    /// Metrics on one axis have one unit.
    fn one_unit(&mut self, at: &str, metrics: &[String]) {
        let Some(first) = metrics.first() else { return };
        let other = metrics.iter().position(|metric| unit(metric) != unit(first));
        if let Some(place) = other {
            let message = format!("`{first}` and `{}` have different units, and share an axis", metrics[place]);
            self.wrong(&format!("{at}.y.{place}"), message, Some("make a chart of each".to_owned()));
        }
    }

    /// Labels are of metrics that the chart shows.
    fn labels(&mut self, at: &str, chart: &ChartSpec) {
        let shown: Vec<&str> = match chart.kind {
            Line | Bar | Stacked | Scatter | BoxPlot | Sensitivity => {
                chart.y.all().iter().chain(&chart.reference).map(String::as_str).collect()
            }
            Histogram => chart.x.iter().map(String::as_str).collect(),
            Heatmap | Gantt | Tree | Graph | Utilization => Vec::new(),
        };
        for metric in chart.labels.keys().filter(|metric| !shown.contains(&metric.as_str())) {
            let message = format!("this chart does not show `{metric}`");
            self.wrong(&format!("{at}.labels.{metric}"), message, Some(suggest(metric, &shown)));
        }
        let mut known: BTreeMap<&str, &str> = BTreeMap::new();
        for (metric, label) in &chart.labels {
            if let Some(other) = known.insert(label, metric) {
                let message = format!("`{other}` and `{metric}` would both be called `{label}`");
                self.wrong(&format!("{at}.labels.{metric}"), message, None);
            }
        }
    }
}

impl References<'_> {
    /// Names are of values that the chart may show.
    fn names(&mut self, at: &str, chart: &ChartSpec) {
        // Values of a table's column, and metrics that are names, are known once the runs are made.
        let open = chart.table.is_some() || chart.value.as_deref().is_some_and(|metric| self.names.contains(&metric));
        let keys = [chart.x.as_deref(), chart.series.as_deref(), chart.y.first().map(String::as_str)];
        let axes: Vec<&Axis> = match chart.kind {
            Gantt | Tree | Graph | Utilization | Sensitivity => Vec::new(),
            _ => keys.into_iter().flatten().filter_map(|key| find_axis(self.axes, key)).collect(),
        };
        let mut problems = Vec::new();
        for written in chart.names.keys().filter(|_| !open) {
            let scalar = Scalar::Text(written.clone());
            if !axes.iter().any(|axis| axis.values.iter().any(|value| axis.is(value, &scalar))) {
                let labels = axes.iter().flat_map(|axis| &axis.values).map(|value| value.label.as_str());
                problems.push((written, suggest(written, &labels.collect::<Vec<_>>())));
            }
        }
        for axis in axes {
            self.names_differ(at, chart, axis);
        }
        for (written, help) in problems {
            let message = format!("no key of this chart has the value `{written}`");
            self.wrong(&format!("{at}.names.{written}"), message, Some(help));
        }
    }
}

impl References<'_> {
    /// Two values of one key can't have one name: nobody could tell their lines apart.
    fn names_differ(&mut self, at: &str, chart: &ChartSpec, axis: &Axis) {
        let given = |value: &AxisValue| {
            chart.names.iter().find(|(written, _)| axis.is(value, &Scalar::Text((*written).clone())))
        };
        let mut known: BTreeMap<&str, &str> = BTreeMap::new();
        let mut problems = Vec::new();
        for value in &axis.values {
            let written = given(value);
            let name = written.map_or(value.label.as_str(), |(_, name)| name.as_str());
            if let Some(other) = known.insert(name, &value.label)
                && let Some((written, _)) = written.or_else(|| chart.names.iter().find(|(_, text)| *text == name))
            {
                problems.push((written, format!("`{other}` and `{}` would both be called `{name}`", value.label)));
            }
        }
        for (written, message) in problems {
            self.wrong(&format!("{at}.names.{written}"), message, None);
        }
    }
}

/// The unit at the end of a metric's name, where it decides how values are written.
fn unit(metric: &str) -> &'static str {
    match metric {
        _ if is_duration(metric) => "_s",
        _ if metric.ends_with("_bytes") => "_bytes",
        _ => "",
    }
}
