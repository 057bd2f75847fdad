//! Checks of `[[derive]]` and `[[expect]]`.

use super::super::direction::{Asked, Best};
use super::super::file::{Derivation, DeriveSpec, ExpectSpec, ScenarioFile, Statistic, TableSpec, Where};
use super::References;

impl References<'_> {
    /// Something best is sought: it is clear whether it is the least or the largest. `best` is what the metric and the file say.
    pub(super) fn has_best(&mut self, at: &str, metric: &str, asked: Asked, best: Option<Best>) {
        if asked.largest && asked.least {
            self.wrong(&format!("{at}.least"), "give either `largest` or `least`".to_owned(), None);
        } else if best.is_none() && self.metrics.contains(&metric) && !self.names.contains(&metric) {
            let message = format!("neither less nor more of `{metric}` is better, so it has no best");
            let help = "say what is meant: `least = true` or `largest = true` (`hetsim list metrics` has directions)";
            self.wrong(&format!("{at}.metric"), message, Some(help.to_owned()));
        }
    }

    /// Nothing best is sought, so nothing is said of it.
    fn no_best(&mut self, at: &str, asked: Asked) {
        for (key, given) in [("largest", asked.largest), ("least", asked.least)] {
            if given {
                let message = format!("`{key}` means nothing here: nothing best is sought");
                self.wrong(&format!("{at}.{key}"), message, None);
            }
        }
    }

    /// Checks what a table shows as best.
    pub(super) fn best_of_table(&mut self, at: &str, table: &TableSpec, file: &ScenarioFile) {
        if table.best.is_some() {
            if self.names.contains(&table.metric.as_str()) {
                let message = format!("`{}` is a name, and a number is needed here", table.metric);
                self.wrong(&format!("{at}.metric"), message, None);
            }
            self.has_best(at, &table.metric, table.asked(), file.best_of(&table.metric, table.asked()));
        } else {
            self.no_best(at, table.asked());
        }
    }

    /// Checks a derived metric, by its number.
    pub(super) fn derivation(&mut self, number: usize, file: &ScenarioFile) {
        use Derivation::{Best, BestOf, Crossover, Quantile, RatioToBest};
        let (at, derive) = (&format!("derive.{number}"), &file.derive[number]);
        self.new_metric(&format!("{at}.name"), &derive.name);
        self.number(&format!("{at}.metric"), &derive.metric);
        self.points(&format!("{at}.to"), &derive.to);
        self.points(&format!("{at}.among"), &derive.among);
        self.axis_if_given(&format!("{at}.over"), derive.over.as_deref());
        for key in derive.to.keys() {
            self.not_of_design(&format!("{at}.to.{key}"), key);
        }
        if let Some(over) = &derive.over {
            self.not_of_design(&format!("{at}.over"), over);
        }
        let needs_over = matches!(derive.how, Best | BestOf | RatioToBest | Crossover);
        if needs_over && derive.over.is_none() {
            self.wrong(at, "this derivation needs `over`, a swept key".to_owned(), None);
        }
        if needs_over {
            self.has_best(at, &derive.metric, derive.asked(), file.best_for(number));
        } else {
            self.no_best(at, derive.asked());
        }
        let needs_to = !matches!(derive.how, Best | BestOf | RatioToBest | Quantile);
        let quantile = derive.how == Quantile;
        match &derive.of {
            Some(of) if quantile => {
                if let Err(message) = of.number_for(&derive.metric) {
                    self.wrong(&format!("{at}.of"), message, None);
                }
            }
            Some(_) => {
                self.wrong(&format!("{at}.of"), "`of` means nothing here: it is for `quantile`".to_owned(), None);
            }
            None if quantile => {
                let message = "this derivation needs `of`, the value whose quantile is asked for";
                self.wrong(at, message.to_owned(), None);
            }
            None => {}
        }
        let takes_file = matches!(derive.how, Derivation::Ratio | Derivation::Speedup | Derivation::Difference);
        if needs_to && derive.to.is_empty() && !(takes_file && derive.file.is_some()) {
            let or_file = if takes_file { ", or `file`, the values compared with" } else { "" };
            self.wrong(at, format!("this derivation needs `to`, the point compared with{or_file}"), None);
        }
        self.file_of_derivation(at, derive, takes_file);
    }

    /// Checks where a derivation compares with a file.
    fn file_of_derivation(&mut self, at: &str, derive: &DeriveSpec, takes_file: bool) {
        match &derive.file {
            None if derive.column.is_some() || !derive.by.is_empty() => {
                self.wrong(at, "`column` and `by` speak of a `file`, which is not given".to_owned(), None);
            }
            Some(_) if !takes_file => {
                let message = "a file is compared with by `ratio`, `speedup` and `difference` only";
                self.wrong(&format!("{at}.file"), message.to_owned(), None);
            }
            Some(_) if !derive.to.is_empty() => {
                let message = "give either `to`, the point compared with, or `file`, the values compared with";
                self.wrong(&format!("{at}.file"), message.to_owned(), None);
            }
            Some(_) if derive.column.is_none() => {
                let message = "this derivation needs `column`, the column of the file that is compared with";
                self.wrong(at, message.to_owned(), None);
            }
            _ => {}
        }
        for key in derive.by.keys() {
            self.axis(&format!("{at}.by.{key}"), key);
        }
    }

    /// Checks an expectation.
    pub(super) fn expectation(&mut self, at: &str, expect: &ExpectSpec, file: &ScenarioFile) {
        self.metric(&format!("{at}.metric"), &expect.metric);
        let is_name = self.names.contains(&expect.metric.as_str());
        for (key, value) in [("value", &expect.value), ("at_least", &expect.at_least), ("at_most", &expect.at_most)] {
            if let Some(value) = value
                && !(is_name && key == "value")
                && let Err(message) = value.number_for(&expect.metric)
            {
                self.wrong(&format!("{at}.{key}"), message, None);
            }
        }
        if is_name && expect.value.is_none() {
            self.number(&format!("{at}.metric"), &expect.metric);
        }
        self.some_points(&format!("{at}.where"), &expect.filter);
        self.points(&format!("{at}.less_than"), expect.less_than.as_ref().unwrap_or(&Where::new()));
        self.axis_if_given(&format!("{at}.over"), expect.over.as_deref());
        for key in expect.less_than.iter().flat_map(|keys| keys.keys()) {
            self.not_of_design(&format!("{at}.less_than.{key}"), key);
        }
        if let Some(over) = &expect.over {
            self.not_of_design(&format!("{at}.over"), over);
        }
        let kinds = [
            expect.value.is_some(),
            expect.at_least.is_some(),
            expect.at_most.is_some(),
            expect.best.is_some(),
            expect.less_than.is_some(),
        ];
        if kinds.into_iter().filter(|given| *given).count() != 1 {
            let message = "an expectation gives one of `value`, `at_least`, `at_most`, `best` and `less_than`";
            self.wrong(at, message.to_owned(), None);
        }
        if is_name && expect.statistic != Statistic::Mean {
            let message = format!("`{}` is a name, and has no statistic", expect.metric);
            self.wrong(&format!("{at}.statistic"), message, None);
        }
        if expect.best.is_some() != expect.over.is_some() {
            self.wrong(at, "`best` goes with `over`, the swept key whose value it is".to_owned(), None);
        }
        if expect.best.is_some() {
            self.has_best(at, &expect.metric, expect.asked(), file.best_of(&expect.metric, expect.asked()));
        } else {
            self.no_best(at, expect.asked());
        }
        if let (Some(best), Some(over)) = (&expect.best, &expect.over) {
            self.scalar(&format!("{at}.best"), over, best);
            for (place, other) in expect.among.iter().enumerate() {
                self.scalar(&format!("{at}.among.{place}"), over, other);
            }
        }
    }
}
