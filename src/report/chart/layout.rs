//! Checks of how charts are laid out: their size, the ends of their axes, legends, colours and words.

use super::keys::{Colours, Metrics, Shown, millimetres};
use crate::scenario::{References, Scalar, find_axis, suggest};
use hetsim_chart::axis::Scale;
use hetsim_chart::paper::{LegendPlace, MILLIMETRES, NARROWEST};
use hetsim_chart::style::Colour;

/// The size of a chart, and its panels.
pub(super) fn paper(references: &mut References<'_>, at: &str, kind: &str, shown: Shown<'_>) {
    let common = shown.common;
    if common.height.is_some() && ["tree", "graph"].contains(&kind) {
        references.wrong(&format!("{at}.height"), format!("a {kind} is as high as its nodes need"), None);
    }
    if common.free_y && ["gantt", "tree", "graph", "utilization"].contains(&kind) {
        references.wrong(&format!("{at}.free_y"), format!("a {kind} chart has no scale of y"), None);
    } else if common.free_y && common.panels.is_none() && kind != "histogram" {
        let help = Some("panels = \"KEY\"".to_owned());
        references.wrong(&format!("{at}.free_y"), "this chart has no panels".to_owned(), help);
    }
    let faults = [("width", fault_of_chart(shown)), ("height", common.height.as_deref().and_then(fault_of_length))];
    for (key, fault) in faults {
        if let Some((message, help)) = fault {
            references.wrong(&format!("{at}.{key}"), message, Some(help.to_owned()));
        }
    }
    references.axis_if_given(&format!("{at}.panels"), common.panels.as_deref());
}

/// What is wrong with the width of a chart in print, and what helps.
pub(crate) fn fault_of_width(written: &str) -> Option<(String, &'static str)> {
    let is_narrow = millimetres(written).is_some_and(|length| length < NARROWEST * MILLIMETRES);
    let narrow = || (format!("{written} is too narrow for type of 7 pt"), "take 40mm or more");
    fault_of_length(written).or_else(|| is_narrow.then(narrow))
}

/// Beside a legend, which takes up to 0.3 of the width and its signs, one column of panels has room on this width in
/// millimetres.
const BESIDE_LEGEND: f64 = 54.0;

/// What is wrong with the width of this chart, whose panels may stand beside a legend, and what helps.
pub(super) fn fault_of_chart(shown: Shown<'_>) -> Option<(String, &'static str)> {
    let written = shown.common.width.as_deref()?;
    let has_column = shown.legend == Some(LegendPlace::Right) && shown.common.panels.is_some();
    let is_narrow = has_column && millimetres(written).is_some_and(|length| length < BESIDE_LEGEND);
    let narrow = || {
        let message = format!("{written} is too narrow for type of 7 pt in panels beside a legend");
        (message, "take 54mm or more, or legend = \"above\"")
    };
    fault_of_width(written).or_else(|| is_narrow.then(narrow))
}

fn fault_of_length(written: &str) -> Option<(String, &'static str)> {
    let fault =
        || (format!("`{written}` is not a length"), "a length in mm, cm, in or pt, such as \"85mm\", up to a metre");
    millimetres(written).is_none().then(fault)
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
        return references.wrong(&path, format!("the values of `{key}` are names, which have no range"), help);
    }
    let problems = references.problems();
    let numbers = ends.each_ref().map(|end| axis.number_of(end));
    for (place, found) in numbers.iter().enumerate() {
        let path = format!("{path}.{place}");
        match found {
            Some(found) => has_place(references, &path, *found, scale),
            None => references.wrong(&path, format!("`{}` is not a value of `{key}`", ends[place]), None),
        }
    }
    in_order(references, &path, numbers.map(Option::unwrap_or_default), problems);
}

/// What is put into a picture lies within the range of its axis, where one is given: nothing of it vanishes.
pub(super) fn inside<'a>(
    references: &mut References<'_>,
    (key, range): (&str, Option<&[Scalar; 2]>),
    places: impl IntoIterator<Item = (String, &'a Scalar)>,
    number: impl Fn(&Scalar) -> Option<f64>,
) {
    let Some([Some(low), Some(high)]) = range.map(|ends| ends.each_ref().map(&number)) else { return };
    for (path, written) in places {
        if number(written).is_some_and(|number| !(low..=high).contains(&number)) {
            references.wrong(&path, format!("`{written}` lies outside of `{key}`"), None);
        }
    }
}

fn in_order(references: &mut References<'_>, path: &str, [low, high]: [f64; 2], problems: usize) {
    if references.problems() == problems && low >= high {
        references.wrong(path, "a range begins below its end".to_owned(), None);
    }
}

/// Words stand at a place that there is; `along_x` checks the one along x.
pub(super) fn words(
    references: &mut References<'_>,
    at: &str,
    metrics: &Metrics,
    along_x: impl Fn(&mut References<'_>, &str, &Scalar),
) {
    for (place, words) in metrics.annotate.iter().enumerate() {
        let at = format!("{at}.annotate.{place}");
        if words.x.is_none() && words.y.is_none() {
            references.wrong(&at, "words stand at `x`, at `y`, or at both".to_owned(), None);
        }
        if let Some(y) = &words.y {
            number(references, &format!("{at}.y"), y, metrics.first(), metrics.y_scale);
        }
        if let Some(x) = &words.x {
            along_x(references, &format!("{at}.x"), x);
        }
    }
    let number = |written: &Scalar| written.number_for(metrics.first()).ok();
    inside(references, ("y_range", metrics.y_range.as_ref()), metrics.places(at, "y"), number);
}

/// Colours are of series, or of metrics where there are none, and are written as `#rrggbb`.
pub(super) fn colours(references: &mut References<'_>, at: &str, shown: Shown<'_>, metrics: &Metrics) {
    colours_of(references, at, shown, metrics.y.all());
    range(references, at, ("y_range", metrics.y_range.as_ref()), metrics.first(), metrics.y_scale);
}

pub(super) fn colours_of(references: &mut References<'_>, at: &str, shown: Shown<'_>, metrics: &[String]) {
    let Some(Colours::Each(each)) = shown.colours else { return };
    let axis = shown.series.and_then(|series| find_axis(references.axes, series));
    colours_of_names(references, at, shown);
    for name in each.keys() {
        let path = format!("{at}.colours.{name}");
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

/// Colours are written as such; for what names they are is known only once the runs are made.
pub(super) fn colours_of_names(references: &mut References<'_>, at: &str, shown: Shown<'_>) {
    let Some(Colours::Each(each)) = shown.colours else { return };
    for (name, written) in each.iter().filter(|(_, written)| Colour::parse(written).is_none()) {
        let help = "write it as \"#0072b2\"".to_owned();
        references.wrong(&format!("{at}.colours.{name}"), format!("`{written}` is not a colour"), Some(help));
    }
}

/// The number that a mark has of a metric, which has a place on the axis.
pub(super) fn number(references: &mut References<'_>, path: &str, value: &Scalar, metric: &str, scale: Scale) {
    match value.number_for(metric) {
        Err(message) => references.wrong(path, message, None),
        Ok(number) => has_place(references, path, number, scale),
    }
}

/// A number has a place on an axis of this scale.
pub(super) fn has_place(references: &mut References<'_>, path: &str, number: f64, scale: Scale) {
    if !number.is_finite() || (scale == Scale::Log && number <= 0.0) {
        references.wrong(path, format!("{number} has no place on this axis"), None);
    }
}
