//! Models of single messages as a formula: a [`Poly`] of Hockney, LogP, LogGP and pLogP fitted to one-way times.
//!
//! The data are times of single messages between two nodes over their bytes. They include no overheads, which become
//! part of the latency; the gap of a size is its time minus the latency (docs/measuring.md). Weights are ignored.

use std::collections::BTreeMap;

use hetsim_formula::{Binary, Expression};

use super::super::{Fitted, Model, PairSamples, Poly, Series};
use super::data::Points;
use super::error::Deviations;

/// The maximum number of bytes: integers beyond are not exact.
const MOST_BYTES: f64 = 9e15;

/// The reason why the points cannot be times of single messages between two nodes.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NotMessages {
    /// The times depend on more than one quantity, or on none.
    #[error("{WHY}; these data depend on {}", .0.join(", "))]
    Columns(Vec<String>),
    /// A value is not a number of bytes.
    #[error("{WHY}; {value} in {column} is not a number of bytes")]
    NotBytes {
        /// The value.
        value: f64,
        /// The name of its column.
        column: String,
    },
    /// All messages have one size.
    #[error("{WHY}; all messages have one size")]
    OneSize,
}

const WHY: &str = "poly models single messages between two nodes, whose time depends only on their bytes";

/// Checks whether the points can be single messages.
pub(super) fn check(names: &[String], points: &Points) -> Result<(), NotMessages> {
    let [column] = points.columns.as_slice() else { return Err(NotMessages::Columns(names.to_vec())) };
    let whole = |value: &&f64| !(value.fract() == 0.0 && (0.0..MOST_BYTES).contains(*value));
    match column.iter().find(whole) {
        Some(&value) => {
            let column = names.first().map_or("the column", String::as_str).to_owned();
            Err(NotMessages::NotBytes { value, column })
        }
        None if column.iter().all(|value| *value == column[0]) => Err(NotMessages::OneSize),
        None => Ok(()),
    }
}

/// The formula: the nearest model at each measured size, and the model of the nearest measured size elsewhere. `None`
/// if the points are not single messages.
pub(super) fn fit(points: &Points) -> Option<Expression> {
    check(&[], points).ok()?;
    formula(&nearest(&samples(points))?)
}

/// The poly-model of samples without overheads: the gaps are derived from the times.
fn nearest(samples: &PairSamples) -> Option<Poly> {
    let samples = samples.with_derived_gaps()?;
    let models = Model::ALL.iter().filter_map(|model| Fitted::fit(*model, &samples).ok()).collect();
    Poly::choose(models, &samples, 0.0)
}

/// The deviations at each size of the formula that is fitted to, and chosen by, the other sizes. `None` with fewer than
/// four sizes.
pub(super) fn held_out(points: &Points) -> Option<Deviations> {
    const LEAST_SIZES: usize = 4;
    check(&[], points).ok()?;
    let samples = samples(points);
    if samples.round_trips.len() < LEAST_SIZES {
        return None;
    }
    let mut values = vec![f64::NAN; points.len()];
    for part in Poly::parts(&samples) {
        let others = nearest(&samples.of_sizes(|bytes| !part.contains(&bytes)))?;
        for (value, bytes) in values.iter_mut().zip(&points.columns[0]) {
            if part.contains(&(*bytes as u64)) {
                *value = others.hop(*bytes as u64);
            }
        }
    }
    Deviations::of_values(values, points)
}

/// Round trips of twice the times, and no overheads.
fn samples(points: &Points) -> PairSamples {
    let mut by_size: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for (bytes, time) in points.columns[0].iter().zip(&points.target) {
        by_size.entry(*bytes as u64).or_default().push(*time);
    }
    let list = |seconds: fn(f64) -> f64| {
        let series = |(bytes, times): (&u64, &Vec<f64>)| Series {
            bytes: *bytes,
            seconds: times.iter().map(|time| seconds(*time)).collect(),
            ..Series::default()
        };
        by_size.iter().map(series).collect::<Vec<_>>()
    };
    let none = list(|_| 0.0);
    PairSamples {
        round_trips: list(|time| 2.0 * time),
        send_overheads: none.clone(),
        receive_overheads: none,
        ..PairSamples::default()
    }
}

/// A piece of the range of sizes: its upper end and its formula.
type Piece = (f64, Expression);

fn formula(poly: &Poly) -> Option<Expression> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut from = f64::NEG_INFINITY;
    for (model, to) in poly.pieces() {
        let to = to.unwrap_or(f64::INFINITY);
        for (end, expression) in parts(model) {
            if end > from && pieces.last().is_none_or(|(last, _)| *last < to) {
                pieces.push((end.min(to), expression));
            }
        }
        from = to;
    }
    tree(&pieces)
}

/// The pieces of a model; the last has no upper end.
fn parts(model: &Fitted) -> Vec<Piece> {
    let last = f64::INFINITY;
    match model {
        Fitted::Hockney(fitted) => vec![(last, line(fitted.latency.value, fitted.per_byte.value))],
        Fitted::Logp(fitted) => vec![(last, Expression::constant(fitted.hop()))],
        // (m − 1)·G, and 0 for an empty message.
        Fitted::Loggp(fitted) => {
            let slope = fitted.gap_per_byte.value;
            vec![(0.0, Expression::constant(fitted.hop(0))), (last, line(fitted.hop(1) - slope, slope))]
        }
        Fitted::Plogp(fitted) => {
            let latency = fitted.latency.value;
            let gaps: Vec<(f64, f64)> = fitted.gap.points.iter().map(|(m, gap)| (*m as f64, gap.value)).collect();
            let Some(&(first, gap)) = gaps.first() else { return Vec::new() };
            let mut parts = vec![(first, Expression::constant(latency + gap))];
            for (place, pair) in gaps.windows(2).enumerate() {
                let [(x0, y0), (x1, y1)] = [pair[0], pair[1]];
                let slope = (y1 - y0) / (x1 - x0);
                let line = line(latency + y0 - slope * x0, slope);
                // Extrapolate with the last slope; no gap between sizes is below 0.
                let ends = place + 2 == gaps.len();
                let bounded = y0 < 0.0 || y1 < 0.0 || (ends && slope < 0.0);
                let floor = Expression::constant(latency);
                let part = if bounded { line.binary(Binary::Maximum, &floor) } else { line };
                parts.push((if ends { last } else { x1 }, part));
            }
            if let [(end, _)] = parts.as_mut_slice() {
                *end = last;
            }
            parts
        }
    }
}

fn line(fixed: f64, per_byte: f64) -> Expression {
    let slope = Expression::constant(per_byte).binary(Binary::Multiply, &Expression::variable(0));
    Expression::constant(fixed).binary(Binary::Add, &slope)
}

/// The pieces as a balanced tree of borders.
fn tree(pieces: &[Piece]) -> Option<Expression> {
    match pieces {
        [] => None,
        [(_, expression)] => Some(expression.clone()),
        _ => {
            let (below, above) = pieces.split_at(pieces.len() / 2);
            let border = below.last()?.0;
            Some(tree(below)?.up_to(0, border, &tree(above)?))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(time: impl Fn(f64) -> f64) -> Points {
        let sizes: Vec<f64> = (0..=14).map(|power| f64::from(1 << power)).collect();
        let target = sizes.iter().map(|bytes| time(*bytes)).collect();
        Points { weights: vec![1.0; sizes.len()], columns: vec![sizes], target }
    }

    /// A step and a bend.
    fn protocols(bytes: f64) -> f64 {
        let copied = 10.0 + 0.02 * bytes;
        if bytes <= 256.0 { copied } else { 25.0 + 0.01 * bytes.max(2048.0) }
    }

    /// The formula equals the poly-model at every size, whether measured or not.
    #[test]
    fn the_formula_is_the_poly_model() {
        for time in [protocols as fn(f64) -> f64, |bytes| 5.0 + 0.001 * bytes, |_| 3.0] {
            let points = points(time);
            let poly = nearest(&samples(&points)).unwrap();
            let expression = fit(&points).unwrap();
            for bytes in [0, 1, 2, 3, 5, 100, 181, 182, 300, 1000, 2047, 2049, 16_384, 60_000] {
                let value = expression.value(&[bytes as f64]).unwrap();
                let exact = poly.hop(bytes);
                assert!((value / exact - 1.0).abs() < 1e-9, "{bytes} B: {value} {exact}");
            }
        }
    }

    #[test]
    fn single_messages_come_back() {
        let points = points(protocols);
        let expression = fit(&points).unwrap();
        for (bytes, time) in points.columns[0].iter().zip(&points.target) {
            assert!((expression.value(&[*bytes]).unwrap() / time - 1.0).abs() < 1e-9, "{bytes}");
        }
        // Data from Hockney's model also give his line between the sizes.
        let line = fit(&self::points(|bytes| 5.0 + 0.001 * bytes)).unwrap();
        assert!((line.value(&[777.0]).unwrap() / 5.777 - 1.0).abs() < 1e-9);
    }

    /// Times with noise at many sizes: the nearest model passes near each of them, and is no nearer to others.
    #[test]
    fn the_error_of_the_validation_is_that_on_other_sizes() {
        let mut stream = hetsim_base::engine::Streams::new(5, 0).stream("noise", 0);
        let mut drawn = |from: u32| {
            let sizes: Vec<f64> = (from..800).step_by(8).map(f64::from).collect();
            let noise = |bytes: &f64| protocols(*bytes) * rand::RngExt::random_range(&mut stream, 0.8..1.2);
            let target = sizes.iter().map(noise).collect();
            Points { weights: vec![1.0; sizes.len()], columns: vec![sizes], target }
        };
        let (fitted, unseen) = (drawn(4), drawn(8));
        let expression = fit(&fitted).unwrap();
        let [own, others] = [&fitted, &unseen].map(|points| Deviations::of(&expression, points).unwrap().mean);
        let validated = held_out(&fitted).unwrap();
        assert_eq!(validated.each.len(), fitted.len());
        assert!((validated.mean / others - 1.0).abs() < 0.2, "{} {others}", validated.mean);
        assert!(own < 0.8 * validated.mean, "{own} {}", validated.mean);
        // There are no others to hold out of so few.
        assert_eq!(held_out(&fitted.chosen(&[0, 1, 2])), None);
    }

    #[test]
    fn other_data_are_refused_with_the_reason() {
        let names = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        let two = Points { columns: vec![vec![2.0, 4.0], vec![8.0, 9.0]], target: vec![1.0; 2], weights: vec![1.0; 2] };
        let error = check(&names(&["p", "bytes"]), &two).unwrap_err().to_string();
        assert!(error.contains("single messages") && error.contains("depend on p, bytes"), "{error}");
        let one = |column: Vec<f64>| Points { columns: vec![column], target: vec![1.0; 2], weights: vec![1.0; 2] };
        assert!(
            check(&names(&["t"]), &one(vec![0.5, 2.0]))
                .unwrap_err()
                .to_string()
                .contains("0.5 in t is not a number of bytes")
        );
        assert!(check(&names(&["b"]), &one(vec![2.0, 2.0])).unwrap_err().to_string().contains("one size"));
        assert!(fit(&two).is_none());
        assert_eq!(check(&names(&["b"]), &one(vec![0.0, 2.0])), Ok(()));
    }
}
