//! Which processors differ from the others, and which moved from day to day.
//!
//! The time of a call over what the form gives for it is its ratio; a processor's slowness is its mean ratio. From one day
//! to another it may drift: what the means of days differ by beyond the noise of calls is estimated as by DerSimonian and
//! Laird (Controlled Clinical Trials 7, 1986), and counts as an error of the slowness. A processor that drifts much is not
//! thereby a slow one.

use std::ops::Range;

use statrs::distribution::{ContinuousCDF, FisherSnedecor, StudentsT};

use crate::estimate::Estimate;
use hetsim_statistics::compare::holm;

/// The probability of finding a difference where there is none, over all processors.
const LEVEL: f64 = 0.05;

/// Relative differences below are rounding.
const ROUNDING: f64 = 1e-6;

/// The least degrees of freedom for a processor's own noise.
const FEW: f64 = 5.0;

/// What was found.
pub(super) struct Differences {
    /// By processor, its slowness; that of the processors that do not differ is 1 in the mean.
    pub(super) slowness: Vec<Estimate>,
    /// By processor, whether it differs.
    pub(super) differs: Vec<bool>,
    /// Whether there are enough calls in all to know their noise; if not, no processor differs.
    pub(super) is_noise_known: bool,
    /// The standard deviation of a processor's slowness between days, relative; zero where the noise of calls explains it.
    pub(super) drift: f64,
    /// The processors that moved for sure, by number, with their least and greatest slowness on a day; those that moved
    /// most come first.
    pub(super) moved: Vec<(usize, f64, f64)>,
}

/// The ratios of a processor on one day.
#[derive(Clone, Copy)]
struct DayMean {
    count: f64,
    mean: f64,
    /// The sum of squared differences from the mean.
    squares: f64,
}

impl DayMean {
    /// That of some ratios; `None` without any.
    fn of(ratios: impl Iterator<Item = f64> + Clone) -> Option<Self> {
        let count = ratios.clone().count() as f64;
        let mean = ratios.clone().sum::<f64>() / count;
        (count > 0.0).then(|| Self { count, mean, squares: ratios.map(|ratio| (ratio - mean).powi(2)).sum() })
    }
}

/// A processor on its days.
struct ProcessorDays {
    days: Vec<DayMean>,
    /// The variance of a call within a day.
    variance: f64,
    /// The degrees of freedom of that variance.
    freedom: f64,
}

impl ProcessorDays {
    /// The mean over days, with weights for a drift of some variance, and the variance of that mean.
    fn mean(&self, drift: f64) -> (f64, f64) {
        let (mut sum, mut weights) = (0.0, 0.0);
        for day in &self.days {
            let weight = 1.0 / (self.error(day) + drift);
            sum += weight * day.mean;
            weights += weight;
        }
        (sum / weights, 1.0 / weights)
    }

    /// The variance of a day's mean by the noise of calls.
    fn error(&self, day: &DayMean) -> f64 {
        (self.variance / day.count).max((ROUNDING * day.mean).powi(2))
    }

    /// How far the days lie apart: the weighted sum of squares over what noise explains, its degrees of freedom, and by how
    /// much a drift of variance 1 raises it.
    fn spread(&self) -> (f64, f64, f64) {
        let (mean, variance) = self.mean(0.0);
        let weights = || self.days.iter().map(|day| 1.0 / self.error(day));
        let squares = self.days.iter().zip(weights()).map(|(day, weight)| weight * (day.mean - mean).powi(2)).sum();
        let raised = 1.0 / variance - weights().map(|weight| weight * weight).sum::<f64>() * variance;
        (squares, self.days.len() as f64 - 1.0, raised)
    }
}

impl Differences {
    /// Compares processors by the ratios of their calls; an outlier has none. `cells` are the calls of a processor on a
    /// day, in the order of `processors`.
    pub(super) fn of(ratios: &[Option<f64>], processors: &[Range<usize>], cells: &[Range<usize>]) -> Self {
        let (all, is_noise_known) = processor_days(ratios, processors, cells);
        let (drift, moved) = if is_noise_known { drift(&all) } else { (0.0, Vec::new()) };
        // As the variance of ratios, which are about 1.
        let means: Vec<(f64, f64)> = all.iter().map(|processor| processor.mean(drift * drift)).collect();
        let days: f64 = all.iter().map(|processor| processor.days.len() as f64 - 1.0).sum();
        let freedom = |processor: &ProcessorDays| {
            let own = processor.freedom.max(1.0);
            if drift > 0.0 { own.min(days) } else { own }
        };
        let freedoms: Vec<f64> = all.iter().map(freedom).collect();
        let differs = if is_noise_known { differing(&means, &freedoms) } else { vec![false; means.len()] };
        let pool = Pool::of(&means, &differs);
        let (centre, _) = pool.mean_without(None);
        let slowness = means.iter().zip(&freedoms).zip(&differs).map(|((&(mean, variance), &freedom), &differs)| {
            let (_, others) = pool.mean_without((!differs).then_some((mean, variance)));
            // Without others there is nothing to be compared with.
            let error = if others.is_finite() { (variance + others).sqrt() } else { variance.sqrt() };
            Estimate { value: mean / centre, error: is_noise_known.then_some(error / centre), freedom }
        });
        let moved = moved.into_iter().map(|(number, low, high)| (number, low / centre, high / centre)).collect();
        Self { slowness: slowness.collect(), differs, is_noise_known, drift, moved }
    }
}

/// The means of days, and the noise of calls; processors with few calls have the noise of all. And whether there are enough
/// calls in all to know it.
fn processor_days(
    ratios: &[Option<f64>],
    processors: &[Range<usize>],
    cells: &[Range<usize>],
) -> (Vec<ProcessorDays>, bool) {
    let mut cells = cells.iter().peekable();
    let mut all = Vec::with_capacity(processors.len());
    for range in processors {
        let mut days = Vec::new();
        while let Some(cell) = cells.next_if(|cell| cell.end <= range.end) {
            days.extend(DayMean::of(ratios[cell.clone()].iter().copied().flatten()));
        }
        let freedom = days.iter().map(|day| day.count - 1.0).sum();
        let squares = days.iter().map(|day| day.squares).sum::<f64>();
        all.push(ProcessorDays { days, variance: squares, freedom });
    }
    let squares: f64 = all.iter().map(|processor| processor.variance).sum();
    let freedom: f64 = all.iter().map(|processor| processor.freedom).sum();
    let pooled = if freedom > 0.0 { squares / freedom } else { 0.0 };
    for processor in &mut all {
        let has_own = processor.freedom >= FEW;
        processor.variance = if has_own { processor.variance / processor.freedom } else { pooled };
        processor.freedom = if has_own { processor.freedom } else { freedom };
    }
    (all, freedom >= FEW)
}

/// The drift between days where it is significant, and the processors that moved for sure.
fn drift(all: &[ProcessorDays]) -> (f64, Vec<(usize, f64, f64)>) {
    let p_value = |squares: f64, days: f64, freedom: f64| {
        let expected = FisherSnedecor::new(days, freedom.max(1.0));
        expected.map_or(1.0, |expected| expected.sf(squares / days))
    };
    let several: Vec<usize> = (0..all.len()).filter(|&number| all[number].days.len() > 1).collect();
    let (mut squares, mut days, mut raised, mut freedom) = (0.0, 0.0, 0.0, 0.0);
    let mut p_values = Vec::new();
    for &number in &several {
        let own = all[number].spread();
        (squares, days, raised) = (squares + own.0, days + own.1, raised + own.2);
        freedom += all[number].freedom;
        p_values.push(p_value(own.0, own.1, all[number].freedom));
    }
    if several.is_empty() || raised <= 0.0 || p_value(squares, days, freedom) >= LEVEL {
        return (0.0, Vec::new());
    }
    let drift = ((squares - days) / raised).max(0.0).sqrt();
    let corrected = holm(&p_values);
    let moved = several.iter().zip(corrected).filter(|(_, p)| *p < LEVEL).map(|(&number, _)| {
        let means = || all[number].days.iter().map(|day| day.mean);
        (number, means().fold(f64::INFINITY, f64::min), means().fold(0.0, f64::max))
    });
    let mut moved: Vec<(usize, f64, f64)> = moved.collect();
    moved.sort_by(|a, b| (b.2 / b.1).total_cmp(&(a.2 / a.1)));
    (drift, moved)
}

/// Sums over the processors that are taken for equal.
#[derive(Clone, Copy)]
struct Pool {
    weights: f64,
    sum: f64,
}

impl Pool {
    fn of(means: &[(f64, f64)], differs: &[bool]) -> Self {
        let equal = means.iter().zip(differs).filter(|(_, differs)| !**differs);
        equal.fold(Self { weights: 0.0, sum: 0.0 }, |pool, (&(mean, variance), _)| Self {
            weights: pool.weights + 1.0 / variance,
            sum: pool.sum + mean / variance,
        })
    }

    /// Their mean and its variance, without one of them; the variance is infinite where no other is left.
    fn mean_without(&self, one: Option<(f64, f64)>) -> (f64, f64) {
        let (mean, weight) = one.map_or((0.0, 0.0), |(mean, variance)| (mean, 1.0 / variance));
        let rest = self.weights - weight;
        // What rounding leaves of a sum is nothing.
        if rest <= 1e-9 * self.weights {
            return (self.sum / self.weights, f64::INFINITY);
        }
        ((self.sum - weight * mean) / rest, 1.0 / rest)
    }

    /// Student's t of a processor against the others.
    fn t(&self, (mean, variance): (f64, f64), is_within: bool) -> f64 {
        let (others, error) = self.mean_without(is_within.then_some((mean, variance)));
        (mean - others) / (variance + error).sqrt()
    }
}

/// Which processors differ from the others: one by one, that which lies farthest off is taken out, until none of those left
/// differs from the rest; then all are compared with these. The tests are two-sided, and corrected by Holm's method.
pub(crate) fn differing(means: &[(f64, f64)], freedoms: &[f64]) -> Vec<bool> {
    let p_value = |t: f64, freedom: f64| {
        StudentsT::new(0.0, 1.0, freedom.min(1e6)).map_or(1.0, |student| 2.0 * student.cdf(-t.abs()))
    };
    let mut differs = vec![false; means.len()];
    for _ in 1..means.len() {
        let pool = Pool::of(means, &differs);
        let within = (0..means.len()).filter(|&number| !differs[number]);
        // Of two that lie as far off, such as the only two, the slower one.
        let distance = |number: usize| (pool.t(means[number], true).abs(), means[number].0);
        let farthest = within.map(|number| (number, distance(number))).max_by(|(_, a), (_, b)| {
            let is_near = (a.0 - b.0).abs() <= 1e-6 * a.0.max(b.0);
            if is_near { a.1.total_cmp(&b.1) } else { a.0.total_cmp(&b.0) }
        });
        // Holm's smallest p-value is that of Bonferroni.
        match farthest {
            Some((number, (t, _))) if p_value(t, freedoms[number]) * (means.len() as f64) < LEVEL => {
                differs[number] = true;
            }
            _ => break,
        }
    }
    let pool = Pool::of(means, &differs);
    let p_values: Vec<f64> = (0..means.len())
        .map(|number| if differs[number] { p_value(pool.t(means[number], false), freedoms[number]) } else { 1.0 })
        .collect();
    holm(&p_values).into_iter().map(|p| p < LEVEL).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_unequal_ones_the_slower_differs() {
        let found = |a: f64, b: f64| differing(&[(a, 1e-4), (b, 1e-4)], &[100.0; 2]);
        assert_eq!(found(1.1, 1.0), [true, false]);
        assert_eq!(found(1.0, 1.1), [false, true]);
        assert_eq!(found(1.0, 1.01), [false, false]);
        assert_eq!(differing(&[(1.0, 1e-4)], &[100.0]), [false]);
    }

    /// A processor far off draws the mean away from the others, which then seem to differ.
    #[test]
    fn one_far_off_does_not_hide_the_others() {
        let mut means = vec![(1.0, 1e-6); 8];
        means[2].0 = 3.0;
        means[5].0 = 1.05;
        let expected: Vec<bool> = (0..8).map(|number| number == 2 || number == 5).collect();
        assert_eq!(differing(&means, &[50.0; 8]), expected);
    }

    #[test]
    fn equal_days_have_no_drift() {
        // Two processors with ratios of 0.99 and 1.01, in turn, on three days.
        let ratios: Vec<Option<f64>> = (0..120).map(|number| Some(if number % 2 == 0 { 0.99 } else { 1.01 })).collect();
        let cells: Vec<Range<usize>> = (0..6).map(|cell| 20 * cell..20 * cell + 20).collect();
        let found = Differences::of(&ratios, &[0..60, 60..120], &cells);
        assert_eq!((found.drift, found.moved.len(), found.differs), (0.0, 0, vec![false; 2]));
        // A day on which one of them is a tenth slower.
        let slower: Vec<Option<f64>> = ratios
            .iter()
            .enumerate()
            .map(|(at, ratio)| ratio.map(|ratio| if at < 20 { 1.1 * ratio } else { ratio }))
            .collect();
        let found = Differences::of(&slower, &[0..60, 60..120], &cells);
        assert!(found.drift > 0.02 && found.drift < 0.06, "{}", found.drift);
        assert_eq!((found.moved.len(), found.moved[0].0, found.differs), (1, 0, vec![false; 2]));
    }
}
