//! Statistics that are insensitive to outliers.

/// The values in order.
pub(super) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The median, which for an even count is the mean of the two middle values; `None` without values.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    let mut values = values.to_vec();
    let (middle, even) = (values.len() / 2, values.len().is_multiple_of(2));
    if values.is_empty() {
        return None;
    }
    // Selection and not sorting: a line's slope is the median over all pairs of points.
    let (below, &mut upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let lower = below.iter().copied().max_by(f64::total_cmp).filter(|_| even);
    Some(lower.map_or(upper, |lower| f64::midpoint(lower, upper)))
}

/// The median absolute deviation times 1.4826, which estimates the standard deviation of normal values; `None` without
/// values.
#[must_use]
pub fn deviation(values: &[f64]) -> Option<f64> {
    let middle = median(values)?;
    deviation_by(&values.iter().map(|value| (value - middle).abs()).collect::<Vec<f64>>())
}

/// The same by the distances of the values from their median. Where more than half of them are zero, as a coarse clock makes
/// them, it is the mean distance times 1.2533 (Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993).
#[must_use]
pub fn deviation_by(distances: &[f64]) -> Option<f64> {
    match median(distances)? {
        0.0 => Some(1.2533 * distances.iter().sum::<f64>() / distances.len() as f64),
        middle => Some(1.4826 * middle),
    }
}

/// The slopes between any two points that differ in x.
pub(super) fn slopes(points: &[(f64, f64)]) -> impl Iterator<Item = f64> {
    let pairs =
        points.iter().enumerate().flat_map(|(index, own)| points[index + 1..].iter().map(move |next| (own, next)));
    pairs.filter(|((x0, _), (x1, _))| x0 != x1).map(|((x0, y0), (x1, y1))| (y1 - y0) / (x1 - x0))
}

/// The slope of a line: the median of the slopes between any two points (Theil 1950; Sen, JASA 63, 1968). `None` if all
/// points have the same x.
#[must_use]
pub fn theil_sen(points: &[(f64, f64)]) -> Option<f64> {
    median(&slopes(points).collect::<Vec<f64>>())
}

/// The weight of a residual in a regression after Huber (Annals of Mathematical Statistics 35, 1964): 1 up to 1.345
/// times `scale`, falling beyond. It is 95 % as efficient as least squares for normal errors.
#[must_use]
pub fn huber_weight(residual: f64, scale: f64) -> f64 {
    let limit = 1.345 * scale;
    if residual.abs() <= limit { 1.0 } else { limit / residual.abs() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn middles() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        // The distances from 3 are 2 1 0 1 97.
        assert_eq!(deviation(&[1.0, 2.0, 3.0, 4.0, 100.0]), Some(1.4826));
        // A clock of whole seconds: most say 3.
        assert_eq!(deviation(&[3.0, 3.0, 2.0, 3.0, 4.0]), Some(1.2533 * 2.0 / 5.0));
    }

    #[test]
    fn a_wild_point_does_not_turn_a_line() {
        let mut points: Vec<(f64, f64)> = (0..10).map(|x| (f64::from(x), 2.0 + 3.0 * f64::from(x))).collect();
        points[4].1 = 1e6;
        assert_eq!(theil_sen(&points), Some(3.0));
        assert_eq!(theil_sen(&[(1.0, 2.0), (1.0, 3.0)]), None);
        assert_eq!((huber_weight(1.0, 1.0), huber_weight(-2.69, 1.0)), (1.0, 0.5));
    }
}
