//! Checks of `[[chart]]`: it speaks of what exists, and has something to show.

use super::super::chart::ChartKind::{Bar, Gantt, Heatmap, Line, Stacked, Tree};
use super::super::chart::{ChartSpec, Scale};
use super::super::file::ScenarioFile;
use super::super::problem::suggest;
use super::References;

impl References<'_> {
    /// Checks one chart of the file.
    pub(super) fn chart(&mut self, number: usize, file: &ScenarioFile) {
        let chart = &file.chart[number];
        let at = format!("chart.{number}");
        self.name_of_chart(&at, chart, &file.chart[..number]);
        self.some_points(&format!("{at}.where"), &chart.filter);
        self.axis_if_given(&format!("{at}.series"), chart.series.as_deref());
        for (place, figure) in chart.reference.iter().enumerate() {
            self.number(&format!("{at}.reference.{place}"), figure);
        }
        let missing = match chart.kind {
            Gantt | Tree => None,
            _ if chart.x.is_none() => Some("x"),
            _ if chart.y.all().is_empty() => Some("y"),
            Heatmap if chart.value.is_none() => Some("value"),
            Line | Bar | Stacked | Heatmap => None,
        };
        if let Some(key) = missing {
            self.wrong(&at, format!("this chart needs `{key}`"), None);
        }
        self.axis_if_given(&format!("{at}.x"), chart.x.as_deref());
        let (shown, keys) = match chart.kind {
            Stacked => ([chart.x.as_ref(), None], ""),
            Line | Bar => ([chart.x.as_ref(), chart.series.as_ref()], "`series`"),
            Heatmap => ([chart.x.as_ref(), chart.y.first()], "`y`"),
            Gantt | Tree => ([None, None], ""),
        };
        if missing.is_none() {
            self.nothing_else_varies(&at, &chart.filter, &shown, keys);
        }
        match (chart.kind, chart.y.all(), &chart.value) {
            (Heatmap, [y], Some(value)) => {
                self.axis(&format!("{at}.y"), y);
                self.figure(&format!("{at}.value"), value);
            }
            (Heatmap, [_, _, ..], _) => {
                self.wrong(&format!("{at}.y"), "a heatmap has one swept key along y".to_owned(), None);
            }
            (Line | Bar | Stacked, figures, _) => self.figures_along_y(&at, chart, figures),
            _ => {}
        }
        self.labels(&at, chart);
        self.keys_of_kind(&at, chart);
    }

    /// Keys that a kind of chart would not look at.
    fn keys_of_kind(&mut self, at: &str, chart: &ChartSpec) {
        let kind = chart.kind;
        let unused = [
            ("series", chart.series.is_some(), matches!(kind, Line | Bar), "`line` and `bar`"),
            ("reference", !chart.reference.is_empty(), kind == Line, "`line`"),
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
        if earlier.iter().any(|other| other.name == chart.name) {
            self.wrong(&format!("{at}.name"), format!("two charts are called `{}`", chart.name), None);
        }
        if chart.name.contains(['/', '\\']) || chart.name.starts_with('.') || chart.name.is_empty() {
            self.wrong(&format!("{at}.name"), "a chart's name is the stem of a file".to_owned(), None);
        }
    }

    /// The figures along y: numbers with one unit, each once.
    fn figures_along_y(&mut self, at: &str, chart: &ChartSpec, figures: &[String]) {
        let problems = self.problems.len();
        for (place, figure) in figures.iter().enumerate() {
            // The place of a lone figure is that of the key.
            let path = format!("{at}.y.{place}");
            self.number(&path, figure);
            if figures[..place].contains(figure) {
                self.wrong(&path, format!("`{figure}` stands here twice"), None);
            }
        }
        if self.problems.len() > problems {
            return;
        }
        self.one_unit(at, figures);
        if chart.kind == Bar && chart.series.is_some() && figures.len() > 1 {
            let message = "bars stand for the values of `series` or for several figures, not for both".to_owned();
            self.wrong(at, message, Some("take one figure, or choose one value of the key".to_owned()));
        }
    }

    /// Figures on one axis have one unit.
    fn one_unit(&mut self, at: &str, figures: &[String]) {
        let Some(first) = figures.first() else { return };
        let other = figures.iter().position(|figure| unit(figure) != unit(first));
        if let Some(place) = other {
            let message = format!("`{first}` and `{}` have different units, and share an axis", figures[place]);
            self.wrong(&format!("{at}.y.{place}"), message, Some("make a chart of each".to_owned()));
        }
    }

    /// Labels are of figures that the chart shows.
    fn labels(&mut self, at: &str, chart: &ChartSpec) {
        let shown: Vec<&str> = match chart.kind {
            Line | Bar | Stacked => chart.y.all().iter().chain(&chart.reference).map(String::as_str).collect(),
            Heatmap | Gantt | Tree => Vec::new(),
        };
        for figure in chart.labels.keys().filter(|figure| !shown.contains(&figure.as_str())) {
            let message = format!("this chart does not show `{figure}`");
            self.wrong(&format!("{at}.labels.{figure}"), message, Some(suggest(figure, &shown)));
        }
    }
}

/// The unit at the end of a figure's name, where it decides how values are written.
fn unit(figure: &str) -> &'static str {
    ["_s", "_bytes"].into_iter().find(|unit| figure.ends_with(unit)).unwrap_or_default()
}
