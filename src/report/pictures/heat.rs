//! `kind = "heatmap"`: a metric, or a name, for each pair of values of two swept keys.

use super::along::{Along, metric_axis};
use crate::report::chart::{Border, Cells, Heatmap};
use crate::report::results::Results;
use crate::scenario::{ChartSpec, MarkSpec};

/// The chart.
pub(super) fn heatmap(results: &Results<'_>, spec: &ChartSpec, title: String) -> Heatmap {
    let points = results.matching(&spec.filter);
    let [x, y] = [spec.x.as_ref(), spec.y.first()].map(|name| Along::new(results, spec, name, &points));
    let metric = spec.value.clone().unwrap_or_default();
    let find = |row: usize, column: usize| {
        points.iter().copied().find(|&point| x.is_at(results, point, column) && y.is_at(results, point, row))
    };
    let (columns, rows) = (x.names.clone(), y.names.clone());
    let numeric = points.iter().any(|&point| !results.numbers(point, &metric).is_empty());
    let cells = if numeric {
        let value = |row, column| find(row, column).and_then(|point| results.mean(point, &metric));
        let values = (0..rows.len()).map(|row| (0..columns.len()).map(|column| value(row, column)).collect());
        Cells::Numbers { axis: metric_axis(&metric, None, spec.y_scale), values: values.collect() }
    } else {
        let mut known: Vec<String> = Vec::new();
        let metric = results.column(&metric);
        let mut value = |row, column| {
            let row = results.rows_of(find(row, column)?).next()?;
            let name = results.cell(row, metric?).to_string();
            Some(known.iter().position(|other| *other == name).unwrap_or_else(|| {
                known.push(name);
                known.len() - 1
            }))
        };
        let mut values = Vec::new();
        for row in 0..rows.len() {
            values.push((0..columns.len()).map(|column| value(row, column)).collect());
        }
        // What is best may be several names.
        let called = |name: String| {
            let one = |name: &str| spec.names.get(name).map_or_else(|| name.to_owned(), String::clone);
            spec.names.get(&name).cloned().unwrap_or_else(|| name.split(", ").map(one).collect::<Vec<_>>().join(", "))
        };
        Cells::Names { names: known.into_iter().map(called).collect(), values }
    };
    Heatmap {
        title,
        subtitle: spec.subtitle.clone(),
        x_label: x.label(results, spec.x_label.as_ref()),
        y_label: y.label(results, spec.y_label.as_ref()),
        columns,
        rows,
        cells,
        borders: borders(results, spec, &x, &y),
    }
}

/// The marks of a heat-map: borders behind the last column whose value is not above the mark's.
fn borders(results: &Results<'_>, spec: &ChartSpec, x: &Along, y: &Along) -> Vec<Border> {
    let columns = &results.scenario().axes[x.axis];
    let border = |mark: &MarkSpec| {
        let at = x.place_of(results, mark.x.as_ref()?)?;
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
    spec.mark.iter().filter_map(border).collect()
}
