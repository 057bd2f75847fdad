//! Checks that several kinds of charts make: they speak of what exists, and have something to show.

use std::collections::{BTreeMap, BTreeSet};

use super::along::{given, named};
use super::draw::axis::Scale;
use super::draw::paper::{LegendPlace, MILLIMETRES, NARROWEST};
use super::draw::style::Colour;
use super::keys::{Colours, Common, Metrics, OfSeries, Over, Shown, called, millimetres};
use crate::record::{TableShape, is_duration};
use crate::scenario::{References, Scalar, Where, axis_number, fault_of_stem, find_axis, suggest};

/// A chart's name is that of a file, and of one only.
pub(super) fn name(references: &mut References<'_>, at: &str, name: &str, earlier: &[&str]) {
    let at = format!("{at}.name");
    let lower = name.to_lowercase();
    match earlier.iter().find(|other| other.to_lowercase() == lower) {
        Some(other) if *other == name => {
            references.wrong(&at, format!("two charts are called `{name}`"), None);
        }
        Some(other) => {
            let message = format!("`{other}` and `{name}` are one file where case does not count");
            references.wrong(&at, message, None);
        }
        None => {}
    }
    if let Some(fault) = fault_of_stem(name) {
        references.wrong(&at, "a chart's name is the stem of a file".to_owned(), Some(fault));
    }
}

/// The size of a chart, and its panels.
pub(super) fn paper(references: &mut References<'_>, at: &str, kind: &str, common: &Common) {
    if common.height.is_some() && ["tree", "graph"].contains(&kind) {
        references.wrong(&format!("{at}.height"), format!("a {kind} is as high as its nodes need"), None);
    }
    if common.free_y && common.panels.is_none() && kind != "histogram" {
        let help = Some("panels = \"KEY\"".to_owned());
        references.wrong(&format!("{at}.free_y"), "this chart has no panels".to_owned(), help);
    }
    for (key, written) in [("width", &common.width), ("height", &common.height)] {
        let length = written.as_deref().map(millimetres);
        let help = Some("a length in mm, cm, in or pt, such as \"85mm\", up to a metre".to_owned());
        match (length, written) {
            (Some(None), Some(written)) => {
                references.wrong(&format!("{at}.{key}"), format!("`{written}` is no length"), help);
            }
            (Some(Some(length)), Some(written)) if key == "width" && length < NARROWEST * MILLIMETRES => {
                let message = format!("{written} is too narrow for type of 7 pt");
                references.wrong(&format!("{at}.{key}"), message, Some("take 40mm or more".to_owned()));
            }
            _ => {}
        }
    }
    references.axis_if_given(&format!("{at}.panels"), common.panels.as_deref());
}

/// Areas have no ends at which their names could stand.
pub(super) fn no_ends(references: &mut References<'_>, at: &str, legend: Option<LegendPlace>) {
    if legend == Some(LegendPlace::Direct) {
        let help = Some("take `above`, `right` or `none`".to_owned());
        references.wrong(&format!("{at}.legend"), "names stand at the ends of lines only".to_owned(), help);
    }
}

/// Both ends of an axis of a metric: numbers with a place on it, the lower one first.
pub(super) fn range(
    references: &mut References<'_>,
    at: &str,
    (key, range): (&str, Option<&[Scalar; 2]>),
    metric: &str,
    scale: Scale,
) {
    let Some(ends) = range else { return };
    let problems = references.problems();
    for (place, end) in ends.iter().enumerate() {
        number(references, &format!("{at}.{key}.{place}"), end, metric, scale);
    }
    let numbers = ends.each_ref().map(|end| end.number_for(metric).unwrap_or_default());
    in_order(references, &format!("{at}.{key}"), numbers, problems);
}

/// The same of an axis of a swept key.
pub(super) fn range_along(
    references: &mut References<'_>,
    at: &str,
    range: Option<&[Scalar; 2]>,
    (key, scale): (&str, Scale),
) {
    let (Some(ends), Some(axis)) = (range, find_axis(references.axes, key)) else { return };
    let path = format!("{at}.x_range");
    if !axis.is_numeric() {
        let help = Some("choose values by `where`".to_owned());
        return references.wrong(&path, format!("`{key}` has names, and no range"), help);
    }
    let problems = references.problems();
    let numbers = ends.each_ref().map(|end| axis.number_of(end));
    for (place, found) in numbers.iter().enumerate() {
        let path = format!("{path}.{place}");
        match found {
            Some(found) => has_place(references, &path, *found, scale),
            None => references.wrong(&path, format!("`{}` is no value of `{key}`", ends[place]), None),
        }
    }
    in_order(references, &path, numbers.map(Option::unwrap_or_default), problems);
}

fn in_order(references: &mut References<'_>, path: &str, [low, high]: [f64; 2], problems: usize) {
    if references.problems() == problems && low >= high {
        references.wrong(path, "a range begins below its end".to_owned(), None);
    }
}

/// Words stand at a place that there is.
pub(super) fn words(references: &mut References<'_>, at: &str, metrics: &Metrics, (x, by_value): (&str, bool)) {
    for (place, words) in metrics.annotate.iter().enumerate() {
        let at = format!("{at}.annotate.{place}");
        if words.x.is_none() && words.y.is_none() {
            references.wrong(&at, "words stand at `x`, at `y`, or at both".to_owned(), None);
        }
        if let Some(y) = &words.y {
            number(references, &format!("{at}.y"), y, metrics.first(), metrics.y_scale);
        }
        let (Some(written), Some(axis)) = (&words.x, find_axis(references.axes, x)) else { continue };
        if by_value || !axis.is_numeric() {
            references.scalar(&format!("{at}.x"), x, written);
        } else if axis.number_of(written).is_none() {
            references.wrong(&format!("{at}.x"), format!("`{written}` is no value of `{x}`"), None);
        }
    }
}

/// Colours are of series, or of metrics where there are none, and are written as `#rrggbb`.
pub(super) fn colours(references: &mut References<'_>, at: &str, shown: Shown<'_>, metrics: &Metrics) {
    colours_of(references, at, shown, metrics.y.all());
    range(references, at, ("y_range", metrics.y_range.as_ref()), metrics.first(), metrics.y_scale);
}

pub(super) fn colours_of(references: &mut References<'_>, at: &str, shown: Shown<'_>, metrics: &[String]) {
    let Some(Colours::Each(each)) = shown.colours else { return };
    let axis = shown.series.and_then(|series| find_axis(references.axes, series));
    for (name, written) in each {
        let path = format!("{at}.colours.{name}");
        if Colour::parse(written).is_none() {
            references.wrong(&path, format!("`{written}` is no colour"), Some("write it as \"#0072b2\"".to_owned()));
        }
        let known: Vec<&str> = match (axis, shown.series) {
            (Some(axis), _) if axis.values.iter().any(|value| axis.is(value, &Scalar::Text(name.clone()))) => continue,
            (Some(axis), _) => axis.values.iter().map(|value| value.label.as_str()).collect(),
            // The values of a column are known only once the runs are made.
            (None, Some(_)) => continue,
            (None, None) if metrics.contains(name) => continue,
            (None, None) => metrics.iter().map(String::as_str).collect(),
        };
        references.wrong(&path, format!("this chart has no `{name}`"), Some(suggest(name, &known)));
    }
}

/// The metrics along y: at least one, numbers with one unit, each once. Says whether there is one.
pub(super) fn metrics(references: &mut References<'_>, at: &str, metrics: &Metrics) -> bool {
    let number = |references: &mut References<'_>, path: &str, metric: &str| references.number(path, metric);
    metrics_by(references, at, metrics, number)
}

fn metrics_by(
    references: &mut References<'_>,
    at: &str,
    metrics: &Metrics,
    exists: impl Fn(&mut References<'_>, &str, &str),
) -> bool {
    let (problems, all) = (references.problems(), metrics.y.all());
    let Some(first) = all.first() else {
        references.wrong(at, "this chart needs `y`".to_owned(), None);
        return false;
    };
    for (place, metric) in all.iter().enumerate() {
        // The place of a lone metric is that of the key.
        let path = format!("{at}.y.{place}");
        exists(references, &path, metric);
        if all[..place].contains(metric) {
            references.wrong(&path, format!("`{metric}` stands here twice"), None);
        }
    }
    // Metrics on one axis have one unit.
    let other = all.iter().position(|metric| unit(metric) != unit(first));
    if let (Some(place), true) = (other, references.problems() == problems) {
        let message = format!("`{first}` and `{}` have different units, and share an axis", all[place]);
        references.wrong(&format!("{at}.y.{place}"), message, Some("make a chart of each".to_owned()));
    }
    true
}

/// The unit at the end of a metric's name, where it decides how values are written.
fn unit(metric: &str) -> &'static str {
    match metric {
        _ if is_duration(metric) => "_s",
        _ if metric.ends_with("_bytes") => "_bytes",
        _ => "",
    }
}

/// Bars and boxes have one colour each: for a value of the series' key, or for a metric.
pub(super) fn not_both(references: &mut References<'_>, at: &str, what: &str, series: Option<&str>, metrics: &Metrics) {
    if series.is_some() && metrics.y.all().len() > 1 {
        let message = format!("{what} stand for the values of `series` or for several metrics, not for both");
        references.wrong(at, message, Some("take one metric, or choose one value of the key".to_owned()));
    }
}

/// A chart of metrics over a swept key, or over a column of a table. `others` are metrics that it shows besides those
/// along y.
pub(super) fn over(
    references: &mut References<'_>,
    at: &str,
    keys: &Over,
    shown: Shown<'_>,
    (others, by_value): (&[String], bool),
) {
    let Over { common, x, metrics: along_y, .. } = keys;
    labels(references, at, &along_y.labels, along_y.y.all().iter().chain(others));
    names(references, at, shown, &[Some(x), shown.series], keys.table.is_some());
    colours(references, at, shown, along_y);
    if let Some(name) = &keys.table {
        if let Some(shape) = table(references, at, name) {
            columns(references, at, &shape, (x, along_y), shown);
            words(references, at, along_y, (x, false));
            let along_x = along_y.annotate.iter().position(|words| words.x.is_some());
            if let (Some(place), true) = (along_x, by_value) {
                let message = "rows of a table have no words at `x`".to_owned();
                references.wrong(&format!("{at}.annotate.{place}.x"), message, None);
            }
        }
        return;
    }
    references.axis_if_given(&format!("{at}.series"), shown.series);
    for (place, metric) in others.iter().enumerate() {
        references.number(&format!("{at}.reference.{place}"), metric);
    }
    references.axis(&format!("{at}.x"), x);
    once(references, at, ("series", shown.series.unwrap_or_default()), ("x", x));
    words(references, at, along_y, (x, by_value));
    if let Some(panels) = &common.panels {
        once(references, at, ("panels", panels), ("x", x));
        once(references, at, ("panels", panels), ("series", shown.series.unwrap_or_default()));
    }
    if metrics(references, at, along_y) {
        let keys = [Some(x.as_str()), shown.series, common.panels.as_deref()];
        references.nothing_else_varies(at, &common.filter, &keys, "`series`");
    }
}

/// What is shown along one axis is not shown along another: `key` is not the `other` one.
pub(super) fn once(references: &mut References<'_>, at: &str, (key, name): (&str, &str), (other, shown): (&str, &str)) {
    if name == shown {
        references.wrong(&format!("{at}.{key}"), format!("`{name}` is `{other}` already"), None);
    }
}

/// Every value of a swept key along x has a place on the axis.
pub(super) fn along_x(references: &mut References<'_>, at: &str, (x, filter): (&str, &Where), scale: Scale) {
    let Some(key) = axis_number(references.axes, x) else { return };
    let axis = &references.axes[key];
    let outside = references
        .through(filter)
        .map(|point| &axis.values[point[key]])
        .find(|value| value.cell.number().is_some_and(|number| number <= 0.0));
    let outside = outside.map(|value| format!("`{x}` {} has no place on a logarithmic axis", value.label));
    if let (Scale::Log, Some(message), true) = (scale, outside, axis.is_numeric()) {
        references.wrong(&format!("{at}.x_scale"), message, None);
    }
}

/// Labels are of metrics that the chart shows, and no two metrics are called alike in it.
pub(super) fn labels<'a>(
    references: &mut References<'_>,
    at: &str,
    labels: &BTreeMap<String, String>,
    shown: impl IntoIterator<Item = &'a String>,
) {
    let shown: BTreeSet<&str> = shown.into_iter().map(String::as_str).collect();
    for metric in labels.keys().filter(|metric| !shown.contains(metric.as_str())) {
        let message = format!("this chart does not show `{metric}`");
        let known: Vec<&str> = shown.iter().copied().collect();
        references.wrong(&format!("{at}.labels.{metric}"), message, Some(suggest(metric, &known)));
    }
    let given = |metric| labels.contains_key(metric).then_some(metric);
    let drawn = shown.into_iter().map(|metric| (metric, called(labels, metric), given(metric)));
    differ(references, &format!("{at}.labels"), drawn);
}

/// Nobody can tell apart what is called alike in a picture. Each thing comes with its own name, what it is called, and
/// the key in the table at `at` that calls it so, if one does.
fn differ<'a>(
    references: &mut References<'_>,
    at: &str,
    drawn: impl IntoIterator<Item = (&'a str, String, Option<&'a str>)>,
) {
    let mut known: BTreeMap<String, (&str, Option<&str>)> = BTreeMap::new();
    for (name, text, given) in drawn {
        // No eye tells a space from another.
        let text = text.replace('\u{a0}', " ");
        if let Some((other, before)) = known.insert(text.clone(), (name, given))
            && let Some(key) = given.or(before)
        {
            let message = format!("`{other}` and `{name}` would both be called `{text}`");
            references.wrong(&format!("{at}.{key}"), message, None);
        }
    }
}

/// Names are of values that the chart may show along these keys, unless values are known only once the runs are made,
/// and no two values of a key that it shows are called alike.
pub(super) fn names(references: &mut References<'_>, at: &str, shown: Shown<'_>, keys: &[Option<&str>], open: bool) {
    let axes = references.axes;
    let keys: Vec<usize> = keys.iter().flatten().filter_map(|key| axis_number(axes, key)).collect();
    for written in shown.names.keys().filter(|_| !open) {
        let scalar = Scalar::Text(written.clone());
        if !keys.iter().any(|&key| axes[key].values.iter().any(|value| axes[key].is(value, &scalar))) {
            let labels = keys.iter().flat_map(|&key| &axes[key].values).map(|value| value.label.as_str());
            let help = suggest(written, &labels.collect::<Vec<_>>());
            let message = format!("no key of this chart has the value `{written}`");
            references.wrong(&format!("{at}.names.{written}"), message, Some(help));
        }
    }
    for key in keys {
        let texts = named(shown.names, &axes[key]);
        let values: BTreeSet<usize> = references.through(&shown.common.filter).map(|point| point[key]).collect();
        let drawn = values.into_iter().map(|number| {
            let value = &axes[key].values[number];
            (value.label.as_str(), texts[number].clone(), given(shown.names, &axes[key], value).map(String::as_str))
        });
        differ(references, &format!("{at}.names"), drawn);
    }
}

/// A distribution is one of several values: of all points that have the same value of each of these keys.
pub(super) fn distribution(references: &mut References<'_>, at: &str, filter: &Where, keys: &[Option<&str>]) {
    let shown: Vec<usize> = keys.iter().flatten().filter_map(|key| axis_number(references.axes, key)).collect();
    let mut counts: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
    for point in references.through(filter) {
        *counts.entry(shown.iter().map(|&axis| point[axis]).collect()).or_default() += 1;
    }
    if references.file.replicas.most() == 1 && counts.values().all(|&count| count == 1) && !counts.is_empty() {
        let message = "one value makes no distribution".to_owned();
        references.wrong(at, message, Some("run each point several times: replicas = 100".to_owned()));
    }
}

/// A chart of one run has one point.
pub(super) fn one_run(references: &mut References<'_>, at: &str, common: &Common) {
    references.nothing_else_varies(at, &common.filter, &[common.panels.as_deref()], "");
}

/// A long table that is drawn: the workload makes it, and the runs keep it.
pub(super) fn table(references: &mut References<'_>, at: &str, name: &str) -> Option<TableShape> {
    let path = format!("{at}.table");
    let shape = references.shape(&path, name)?;
    if !references.file.output.tables.iter().any(|kept| kept == name) {
        let help = format!("[output] tables = [\"{name}\"]");
        references.wrong(&path, format!("the runs don't keep the table `{name}`"), Some(help));
    }
    Some(shape)
}

/// A column that a table has.
pub(super) fn column(references: &mut References<'_>, path: &str, shape: &TableShape, name: &str) {
    if !shape.columns.iter().any(|column| column.name == name) {
        let columns: Vec<&str> = shape.columns.iter().map(|column| column.name).collect();
        let message = format!("the table `{}` has no column `{name}`", shape.name);
        references.wrong(path, message, Some(suggest(name, &columns)));
    }
}

/// A chart of a table with a column along x and columns of numbers along y; its series is a column or a swept key.
pub(super) fn columns(
    references: &mut References<'_>,
    at: &str,
    shape: &TableShape,
    (x, y): (&str, &Metrics),
    shown: Shown<'_>,
) {
    column(references, &format!("{at}.x"), shape, x);
    let number = |references: &mut References<'_>, path: &str, metric: &str| {
        column(references, path, shape, metric);
        if shape.columns.iter().any(|column| column.name == metric && column.is_name()) {
            references.wrong(path, format!("`{metric}` is a name, and a number is needed here"), None);
        }
    };
    metrics_by(references, at, y, number);
    of_one_run(references, at, shape, shown);
}

/// The series of a table's chart is a swept key, or a column; nothing else varies.
pub(super) fn of_one_run(references: &mut References<'_>, at: &str, shape: &TableShape, shown: Shown<'_>) {
    let swept = shown.series.filter(|series| find_axis(references.axes, series).is_some());
    if let (Some(series), None) = (shown.series, swept) {
        column(references, &format!("{at}.series"), shape, series);
    }
    let keys = if swept.is_some() { "" } else { "`series`" };
    let shown_keys = [swept, shown.common.panels.as_deref()];
    references.nothing_else_varies(at, &shown.common.filter, &shown_keys, keys);
}

/// Where rows of a table are drawn instead of points, a list of the chart stays empty.
pub(super) fn none_of_table<T>(references: &mut References<'_>, at: &str, (key, given): (&str, &[T]), what: &str) {
    if !given.is_empty() {
        references.wrong(&format!("{at}.{key}"), format!("a chart of a table has no {what}"), None);
    }
}

/// The number that a mark has of a metric, which has a place on the axis.
pub(super) fn number(references: &mut References<'_>, path: &str, value: &Scalar, metric: &str, scale: Scale) {
    match value.number_for(metric) {
        Err(message) => references.wrong(path, message, None),
        Ok(number) => has_place(references, path, number, scale),
    }
}

/// The place of a mark along a swept key: any number where the key has numbers, or one of its values.
pub(super) fn along(
    references: &mut References<'_>,
    path: &str,
    shown: Shown<'_>,
    (key, x, scale): (&str, &Scalar, Scale),
) {
    let Some(axis) = find_axis(references.axes, key) else { return };
    match axis.number_of(x).filter(|_| axis.is_numeric()) {
        Some(number) => has_place(references, path, number, scale),
        None => shown_value(references, path, shown, key, x),
    }
}

/// The series that a mark belongs to is one that the chart shows.
pub(super) fn series(references: &mut References<'_>, at: &str, shown: Shown<'_>, of: &OfSeries) {
    let Some(value) = of else { return };
    let path = format!("{at}.series");
    match shown.series {
        Some(series) => shown_value(references, &path, shown, series, value),
        None => references.wrong(&path, "this chart has no `series`".to_owned(), None),
    }
}

/// A value of a swept key that the chart shows.
pub(super) fn shown_value(references: &mut References<'_>, path: &str, shown: Shown<'_>, key: &str, value: &Scalar) {
    let problems = references.problems();
    references.scalar(path, key, value);
    let Some(number) = axis_number(references.axes, key) else { return };
    let axis = &references.axes[number];
    let is_shown = references.through(&shown.common.filter).any(|point| axis.is(&axis.values[point[number]], value));
    if references.problems() == problems && !is_shown {
        references.wrong(path, format!("this chart does not show `{key}` {value}"), None);
    }
}

fn has_place(references: &mut References<'_>, path: &str, number: f64, scale: Scale) {
    if !number.is_finite() || (scale == Scale::Log && number <= 0.0) {
        references.wrong(path, format!("{number} has no place on this axis"), None);
    }
}
