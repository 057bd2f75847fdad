//! What is advised, as files: CSV, JSON, and a chart.

use std::io;

use serde_json::{Map, Value as Json, json};

use super::{KeyOf, Setting, TaskAdvice, Tried, ties};
use crate::record::Value;
use crate::report::chart::{Axis, LineChart, Mark, Point, Series, SeriesStyle};
use crate::report::csv_file::{self, Column};
use crate::report::text::humane;

/// The most settings of a chart.
const MOST_DOTS: usize = 12;

/// A row of the file: the number of a setting, and its time.
type Listed<'a, S> = (usize, &'a Tried<S>);

impl<S: Setting> TaskAdvice<S> {
    /// Writes a row for each setting that ran, the fastest first.
    ///
    /// # Errors
    /// What `writer` gives.
    pub fn write_csv(&self, writer: &mut dyn io::Write) -> io::Result<()> {
        let ties = ties(&self.settings, &self.race);
        let rows: Vec<Listed<'_, S>> =
            self.fastest_first().into_iter().map(|number| (number, &self.settings[number])).collect();
        let against = |tried: &Tried<S>| tried.longer_than(&self.settings[0]);
        let end = |row: &Listed<'_, S>, high: bool| row.1.interval().map(|ends| if high { ends.1 } else { ends.0 });
        let share = |row: &Listed<'_, S>, high: bool| {
            let ends = against(row.1)?.interval?;
            Some(if high { ends.1 } else { ends.0 })
        };
        let of_setting = |&(name, value): &KeyOf<S>| (name, move |row: &Listed<'_, S>| value(&row.1.what));
        let of_setting: Vec<_> = S::KEYS.iter().map(of_setting).collect();
        let of_setting = of_setting.iter().map(|(name, value)| -> Column<'_, Listed<'_, S>> { (name, value) });
        let of_times: [Column<'_, Listed<'_, S>>; 10] = [
            ("replicas", &|row| (row.1.seconds.len() as u64).into()),
            ("completion_s", &|row| row.1.mean().into()),
            ("completion_low_s", &|row| end(row, false).into()),
            ("completion_high_s", &|row| end(row, true).into()),
            ("longer_than_now", &|row| against(row.1).map(|longer| longer.value).into()),
            ("longer_low", &|row| share(row, false).into()),
            ("longer_high", &|row| share(row, true).into()),
            ("now", &|row| yes(row.0 == 0)),
            ("tie", &|row| yes(ties[row.0])),
            ("advised", &|row| yes(row.0 == self.advised)),
        ];
        let columns: Vec<Column<'_, Listed<'_, S>>> = of_setting.chain(of_times).collect();
        csv_file::write_csv(&rows, &columns, writer)
    }

    /// Everything with all digits; `lines` are the lines to paste.
    #[must_use]
    pub fn json(&self, lines: &[String]) -> Json {
        let ties = ties(&self.settings, &self.race);
        let ran = self.settings.iter().zip(&ties).enumerate().filter(|(_, (tried, _))| !tried.seconds.is_empty());
        let settings = ran.map(|(number, (tried, is_tied))| {
            let marks = json!({ "now": number == 0, "tie": is_tied, "advised": number == self.advised });
            merged(merged(setting(&tried.what), marks), times(tried, &self.settings[0]))
        });
        let changes = self.changes.iter().filter(|tried| !tried.seconds.is_empty());
        let machines =
            changes.map(|tried| merged(json!({ "machines": self.change(tried.what) }), times(tried, self.best())));
        let all = json!({
            "advice": self.sentences(),
            "lines": lines,
            "settings": settings.collect::<Vec<Json>>(),
            "machines": machines.collect::<Vec<Json>>(),
            "with_fewer": self.with_fewer.as_ref().map(|tried| {
                merged(setting(&tried.what), times(tried, &self.settings[0]))
            }),
            "lower_bound_s": self.lower_bound_s,
        });
        let count = |fastest: usize| json!(self.counted(fastest));
        let enough = (format!("{}s_enough", S::NODE), count(self.enough().0));
        let nodes = (format!("{}s", S::NODE), count(self.machines.fastest.len()));
        merged(all, Json::Object([enough, nodes].into_iter().collect()))
    }

    /// The fastest settings with their intervals, the fastest first, and what the farm's own takes.
    #[must_use]
    pub fn chart(&self, name: &str) -> String {
        let shown: Vec<usize> = self.fastest_first().into_iter().take(MOST_DOTS).collect();
        let mut names: Vec<String> = Vec::new();
        let of = |name: &&str| Series { name: (*name).to_owned(), points: Vec::new(), style: SeriesStyle::Points };
        let mut series: Vec<Series> = S::SERIES.iter().map(of).collect();
        for &number in &shown {
            let tried = &self.settings[number];
            let name = tried.what.label();
            let place = names.iter().position(|known| *known == name).unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            });
            let dot = Point::new(place as f64, tried.mean()).with(tried.interval());
            series[tried.what.series()].points.push(dot);
        }
        let own = self.settings[0].what.label();
        let now = names.iter().position(|known| *known == own).filter(|_| shown.contains(&0));
        let mark = now.map(|place| Mark {
            x: place as f64,
            y: self.settings[0].mean(),
            label: "now".to_owned(),
            series: None,
        });
        let now_s = humane("_s", self.settings[0].mean());
        LineChart {
            title: format!("{} {name}", S::TITLE),
            subtitle: Some(format!("of {} settings; means with 95 % intervals; now {now_s}", self.settings.len())),
            x: Axis::category(S::AXIS, names),
            y: Axis::seconds("completion time"),
            series: series.into_iter().filter(|series| !series.points.is_empty()).collect(),
            marks: mark.into_iter().collect(),
            whiskers: true,
            ..LineChart::default()
        }
        .svg()
    }
}

fn yes(is: bool) -> Value {
    if is { "yes" } else { "no" }.into()
}

/// The keys of a setting.
fn setting<S: Setting>(what: &S) -> Json {
    S::KEYS.iter().map(|(name, value)| ((*name).to_owned(), json!(value(what)))).collect::<Map<_, _>>().into()
}

/// A time, and how much longer than another it is, with all digits.
fn times<T, U>(tried: &Tried<T>, other: &Tried<U>) -> Json {
    let longer = tried.longer_than(other);
    json!({
        "replicas": tried.seconds.len(), "completion_s": tried.mean(), "interval": tried.interval(),
        "longer": longer.map(|longer| longer.value), "longer_interval": longer.and_then(|longer| longer.interval),
    })
}

/// An object with the keys of another one.
fn merged(mut object: Json, other: Json) -> Json {
    if let (Json::Object(keys), Json::Object(more)) = (&mut object, other) {
        keys.extend(more);
    }
    object
}
