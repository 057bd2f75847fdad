//! Very many points, thinned to what is seen.

use std::collections::HashSet;

use hetsim_chart::axis::Scale;
use hetsim_chart::lines::{Point, Series, SeriesStyle};

/// The points of a series that are drawn as they are.
const MOST: usize = 4000;
/// The columns in which a line keeps its ends and extremes; more would not be seen.
const COLUMNS: f64 = 800.0;
/// The rows of cells in each of which one mark of a colour is seen.
const ROWS: f64 = 500.0;

/// Thins series of very many points, over axes of these scales, and says what was left out.
pub(super) fn thin(series: &mut [Series], scales: (Scale, Scale)) -> Option<String> {
    let (mut before, mut after) = (0, 0);
    for one in series.iter_mut().filter(|one| one.points.len() > MOST) {
        before += one.points.len();
        let points = std::mem::take(&mut one.points);
        one.points = if one.style == SeriesStyle::Points { marks(points, scales) } else { line(points, scales.0) };
        after += one.points.len();
    }
    let say = || format!("of {before} points in long series {after} are drawn: the others lie beside or between them");
    (after < before).then(say)
}

/// Which of so many equal parts of the values' span a value is in; `None` where it has no place.
fn cells(points: &[Point], of: fn(&Point) -> f64, scale: Scale, count: f64) -> impl Fn(f64) -> Option<u32> + use<> {
    let place = move |value: f64| if scale == Scale::Log { value.ln() } else { value };
    let places: Vec<f64> = points.iter().map(of).map(place).filter(|place| place.is_finite()).collect();
    let low = places.iter().copied().fold(f64::INFINITY, f64::min);
    let span = places.iter().copied().fold(f64::NEG_INFINITY, f64::max) - low;
    move |value| {
        let place = place(value);
        // All in one place are in one cell.
        let share = if span > 0.0 { (place - low) / span } else { 0.0 };
        place.is_finite().then(|| (share * count).min(count - 1.0) as u32)
    }
}

/// One point of each cell, the first.
fn marks(points: Vec<Point>, (x, y): (Scale, Scale)) -> Vec<Point> {
    let column = cells(&points, |point| point.x, x, COLUMNS);
    let row = cells(&points, |point| point.y, y, ROWS);
    let mut taken = HashSet::new();
    let cell = |point: &Point| column(point.x).zip(row(point.y));
    points.into_iter().filter(|point| cell(point).is_some_and(|cell| taken.insert(cell))).collect()
}

/// The first, last, lowest and highest point of each column, so that the line covers the same pixels.
fn line(mut points: Vec<Point>, x: Scale) -> Vec<Point> {
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    let column = cells(&points, |point| point.x, x, COLUMNS);
    points.retain(|point| column(point.x).is_some() && !point.y.is_nan());
    let mut kept = Vec::new();
    for group in points.chunk_by(|a, b| column(a.x) == column(b.x)) {
        let by_height = |(_, a): &(usize, &Point), (_, b): &(usize, &Point)| a.y.total_cmp(&b.y);
        let lowest = group.iter().enumerate().min_by(by_height).map(|(place, _)| place);
        let highest = group.iter().enumerate().max_by(by_height).map(|(place, _)| place);
        let ends = [Some(0), lowest, highest, Some(group.len() - 1)];
        let mut places: Vec<usize> = ends.into_iter().flatten().collect();
        places.sort_unstable();
        places.dedup();
        kept.extend(places.into_iter().map(|place| group[place]));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Noise around a slow wave, with one spike.
    fn points(count: u32) -> Vec<Point> {
        let height = |n: u32| if n == 777 { 50.0 } else { f64::from(n * 7919 % 101) / 101.0 };
        (0..count).map(|n| Point::new(f64::from(n), height(n))).collect()
    }

    #[test]
    fn a_long_line_keeps_its_ends_and_its_extremes() {
        let all = points(100_000);
        let mut series = [Series::data("a", all.clone()), Series::data("b", points(4000))];
        let note = thin(&mut series, (Scale::Linear, Scale::Linear)).unwrap();
        let kept = &series[0].points;
        assert!(kept.len() <= 3200 && kept.len() > 1600, "{}", kept.len());
        assert_eq!((kept.first(), kept.last()), (all.first(), all.last()));
        // In every column the extremes are the same.
        let extremes = |points: &[Point], column: u32| {
            let heights = points.iter().filter(|point| (point.x / 99_999.0 * 800.0).min(799.0) as u32 == column);
            heights.fold((f64::MAX, f64::MIN), |(low, high), point| (low.min(point.y), high.max(point.y)))
        };
        for column in [0, 6, 399, 799] {
            assert_eq!(extremes(kept, column), extremes(&all, column), "{column}");
        }
        assert!(kept.iter().any(|point| point.y == 50.0), "the spike");
        assert_eq!(series[1].points.len(), 4000, "a shorter one stays");
        assert!(note.starts_with("of 100000 points in long series "), "{note}");
    }

    #[test]
    fn marks_on_one_another_are_drawn_once() {
        let of = |points| [Series { points, name: String::new(), style: SeriesStyle::Points }];
        let heap: Vec<Point> = (0..9000).map(|n| Point::new(f64::from(n % 30) + 1.0, f64::from(n % 7) + 1.0)).collect();
        let mut series = of(heap);
        thin(&mut series, (Scale::Log, Scale::Linear)).unwrap();
        assert_eq!(series[0].points.len(), 210);
        let mut few = of(points(3999));
        assert_eq!(thin(&mut few, (Scale::Linear, Scale::Linear)), None);
    }

    #[test]
    fn what_has_no_place_takes_none() {
        let mut points = points(5000);
        points[3].y = f64::NAN;
        points[0].x = 0.0;
        let mut series = [Series::data("a", points)];
        thin(&mut series, (Scale::Log, Scale::Linear)).unwrap();
        assert!(series[0].points.iter().all(|point| point.x > 0.0 && !point.y.is_nan()));
    }
}
