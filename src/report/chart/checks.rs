//! Checks that several kinds of charts make: they speak of what exists, and have something to show.

use std::collections::{BTreeMap, BTreeSet};

use super::along::{given, named};
use super::keys::{Common, Metrics, OfSeries, Over, Shown, called};
use super::layout::has_place;
pub(super) use super::layout::{
    colours, colours_of, colours_of_names, inside, no_ends, number, paper, range, range_along, words,
};
use crate::record::TableShape;
use crate::report::text::kind;
use crate::scenario::{References, Scalar, Where, axis_number, fault_of_stem, find_axis, suggest};
use hetsim_chart::axis::Scale;

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
            references.wrong(&path, format!("`{metric}` is given twice"), None);
        }
    }
    let other = all.iter().position(|metric| kind(metric, None) != kind(first, None));
    if let (Some(place), true) = (other, references.problems() == problems) {
        one_unit(references, &format!("{at}.y.{place}"), first, &all[place]);
    }
    true
}

/// Metrics on one axis have one unit.
fn one_unit(references: &mut References<'_>, path: &str, first: &str, metric: &str) {
    if kind(metric, None) != kind(first, None) {
        let message = format!("`{first}` and `{metric}` have different units, and share an axis");
        references.wrong(path, message, Some("make a chart of each".to_owned()));
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
/// along y, and `scale` is that of x, where any number has a place along it; without one only values of the key have.
pub(super) fn over(
    references: &mut References<'_>,
    at: &str,
    keys: &Over,
    shown: Shown<'_>,
    (others, scale): (&[String], Option<Scale>),
) {
    let Over { common, x, metrics: along_y, .. } = keys;
    labels(references, at, &along_y.labels, along_y.y.all().iter().chain(others));
    names(references, at, shown, &[Some(x), shown.series], keys.table.is_some());
    colours(references, at, shown, along_y);
    if let Some(name) = &keys.table {
        if let Some(shape) = table(references, at, name) {
            columns(references, at, &shape, (x, along_y), shown);
            words(references, at, along_y, |references, path, written| match scale {
                Some(scale) => number(references, path, written, x, scale),
                None => references.wrong(path, "rows of a table have no words at `x`".to_owned(), None),
            });
        }
        return;
    }
    references.axis_if_given(&format!("{at}.series"), shown.series);
    for (place, metric) in others.iter().enumerate() {
        let (path, problems) = (format!("{at}.reference.{place}"), references.problems());
        references.number(&path, metric);
        if references.problems() == problems && references.has_metric(along_y.first()) {
            one_unit(references, &path, along_y.first(), metric);
        }
    }
    references.axis(&format!("{at}.x"), x);
    apart(references, at, &[("x", x)], shown);
    words(references, at, along_y, |references, path, written| match scale {
        Some(scale) => along(references, path, shown, (x, written, scale)),
        None => shown_value(references, path, shown, x, written),
    });
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

/// Swept keys along axes, the series and the panels are different keys.
pub(super) fn apart(references: &mut References<'_>, at: &str, axes: &[(&str, &str)], shown: Shown<'_>) {
    let others = [("series", shown.series), ("panels", shown.common.panels.as_deref())];
    let others = others.iter().filter_map(|&(key, name)| Some((key, name?)));
    let named: Vec<(&str, &str)> = axes.iter().copied().chain(others).collect();
    for (place, &one) in named.iter().enumerate() {
        if let Some(&earlier) = named[..place].iter().find(|earlier| earlier.1 == one.1) {
            once(references, at, one, earlier);
        }
    }
}

/// Every value of a swept key along x has a place on the axis.
pub(super) fn along_x(references: &mut References<'_>, at: &str, (x, filter): (&str, &Where), scale: Scale) {
    let (Scale::Log, Some(key)) = (scale, axis_number(references.axes, x)) else { return };
    let axis = &references.axes[key];
    let outside = references
        .through(filter)
        .map(|point| &axis.values[point[key] as usize])
        .find(|value| value.cell.number().is_some_and(|number| number <= 0.0));
    let message = match outside {
        _ if !axis.is_numeric() => format!("the values of `{x}` are names, which stand at equal distances"),
        Some(value) => format!("`{x}` {} has no place on a logarithmic axis", value.label),
        None => return,
    };
    references.wrong(&format!("{at}.x_scale"), message, None);
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
        references.wrong_key(&format!("{at}.labels.{metric}"), message, Some(suggest(metric, &known)));
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
        let values: BTreeSet<usize> =
            references.through(&shown.common.filter).map(|point| point[key] as usize).collect();
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
    let mut counts: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
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
    kept(references, &format!("{at}.table"), name)
}

/// A long table that the runs keep.
pub(super) fn kept(references: &mut References<'_>, path: &str, name: &str) -> Option<TableShape> {
    let shape = references.shape(path, name)?;
    if !references.file.output.tables.iter().any(|kept| kept == name) {
        let help = format!("[output] tables = [\"{name}\"]");
        references.wrong(path, format!("the runs don't keep the table `{name}`"), Some(help));
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
    let is_shown =
        references.through(&shown.common.filter).any(|point| axis.is(&axis.values[point[number] as usize], value));
    if references.problems() == problems && !is_shown {
        references.wrong(path, format!("this chart does not show `{key}` = `{value}`"), None);
    }
}
