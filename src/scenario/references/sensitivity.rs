//! Checks of `[[sensitivity]]`, and of the charts that show it.

use super::super::chart::ChartSpec;
use super::super::file::{ScenarioFile, SensitivitySpec, Where};
use super::super::problem::suggest;
use super::{References, axis_number};

impl References<'_> {
    /// An analysis has a design that is made for it, and a metric that is the same each time.
    pub(super) fn sensitivity(&mut self, at: &str, spec: &SensitivitySpec, earlier: &[SensitivitySpec]) {
        self.number(&format!("{at}.metric"), &spec.metric);
        if self.clocked.contains(&spec.metric.as_str()) {
            let message = format!("`{}` is measured by a clock, and is another one each time", spec.metric);
            self.wrong(&format!("{at}.metric"), message, None);
        }
        if earlier.iter().any(|other| other.metric == spec.metric) {
            let message = format!("there is already a sensitivity of `{}`", spec.metric);
            self.wrong(&format!("{at}.metric"), message, None);
        }
        match self.design {
            None => {
                let help = "[sweep] design = { kind = \"morris\", trajectories = 20 }";
                self.wrong(at, "a sensitivity needs a sweep with a `design`".to_owned(), Some(help.to_owned()));
                return;
            }
            Some(design) if design.analysis.is_none() => {
                let message = format!("a `{}` design does not tell what single keys matter", design.spec.name());
                self.wrong(at, message, Some("take kind = \"morris\" or kind = \"saltelli\"".to_owned()));
            }
            Some(_) => {}
        }
        self.combinations(at, &spec.filter);
    }

    /// A filter that chooses among keys crossed with the design.
    fn combinations(&mut self, at: &str, filter: &Where) {
        let moved = |key: &&String| {
            axis_number(self.axes, key).is_some_and(|axis| self.design.is_some_and(|design| design.moves(axis)))
        };
        match filter.keys().find(moved) {
            Some(key) => {
                let message = format!("`{key}` is chosen by the design, all points of which are needed");
                self.wrong(&format!("{at}.where.{key}"), message, None);
            }
            None => self.some_points(&format!("{at}.where"), filter),
        }
    }

    /// A chart shows one analysis, of one combination of the keys that are crossed with the design.
    pub(super) fn chart_of_sensitivity(&mut self, at: &str, chart: &ChartSpec, file: &ScenarioFile) {
        let Some(design) = self.design else {
            let message = "a chart of this kind needs a sweep with a `design`".to_owned();
            return self.wrong(&format!("{at}.kind"), message, None);
        };
        let analysed: Vec<&str> = file.sensitivity.iter().map(|spec| spec.metric.as_str()).collect();
        match chart.y.all() {
            [metric] if analysed.contains(&metric.as_str()) => {}
            [metric] => {
                let help = if analysed.is_empty() {
                    format!("[[sensitivity]] metric = \"{metric}\"")
                } else {
                    suggest(metric, &analysed)
                };
                self.wrong(&format!("{at}.y"), format!("there is no [[sensitivity]] of `{metric}`"), Some(help));
            }
            [] => self.wrong(at, "this chart needs `y`".to_owned(), None),
            _ => self.wrong(&format!("{at}.y"), "a chart of this kind shows one metric".to_owned(), None),
        }
        self.combinations(at, &chart.filter);
        let point = self.axes[design.point].name.clone();
        self.nothing_else_varies(at, &chart.filter, &[Some(&point)], "");
        let keys: Vec<String> = design.keys.iter().map(|&axis| self.axes[axis].name.clone()).collect();
        let names: Vec<&str> = keys.iter().map(String::as_str).collect();
        for written in chart.names.keys().filter(|written| !names.contains(&written.as_str())) {
            let message = format!("the design has no key `{written}`");
            self.wrong(&format!("{at}.names.{written}"), message, Some(suggest(written, &names)));
        }
    }
}
