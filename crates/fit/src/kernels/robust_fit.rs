//! A form fitted to the calls of all processors, each of which is slower or quicker by a factor, with outliers left out.

use std::ops::Range;

use super::TimedCall;
use super::forms::Form;
use super::least::{self, Coefficients, WeightedCall, given};
use crate::robust::{deviation_by, huber_weight, median};

/// A call is an outlier from so many times the median absolute deviation on, scaled to a standard deviation, from the
/// median of its processor's calls on its day, in logarithms. Of half-normal noise this leaves out three calls in ten
/// thousand.
const OUTLIER: f64 = 5.0;

/// The least standard deviation for that, so that calls on clocks with coarse ticks are no outliers for a tick.
const LEAST_DEVIATION: f64 = 1e-3;

/// The least calls of a processor for a deviation of its own, and of a day for a median.
const FEW: usize = 10;

/// How often slowness, weights and coefficients follow from each other.
const ROUNDS: usize = 6;

/// A form and what each processor's times are multiples of it.
pub(super) struct RobustFit {
    pub(super) coefficients: Coefficients,
    /// By processor, in the order of the calls; their median is 1.
    pub(super) slowness: Vec<f64>,
    /// By call, whether it is no outlier.
    pub(super) kept: Vec<bool>,
}

/// Calls in the order of processors, days and sizes, and where processors and days begin.
pub(super) struct SortedCalls {
    pub(super) calls: Vec<TimedCall>,
    pub(super) processors: Vec<Range<usize>>,
    /// The calls of a processor on a day.
    pub(super) cells: Vec<Range<usize>>,
}

impl SortedCalls {
    /// Sorts calls.
    pub(super) fn new(mut calls: Vec<TimedCall>) -> Self {
        let key = |call: &TimedCall| (call.processor, call.day);
        calls.sort_by(|a, b| {
            let sizes = a.sizes.iter().zip(&b.sizes).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne());
            key(a).cmp(&key(b)).then(sizes.unwrap_or(std::cmp::Ordering::Equal))
        });
        let processors = ranges(&calls, |a, b| a.processor == b.processor);
        Self { cells: ranges(&calls, |a, b| key(a) == key(b)), processors, calls }
    }

    /// A part of at most so many calls, evenly from all.
    pub(super) fn part(&self, most: usize) -> Self {
        let each = self.calls.len().div_ceil(most.max(1));
        let taken = self.calls.chunks(least::FOLDS).step_by(each.max(1)).flatten();
        Self::new(taken.copied().collect())
    }

    /// The calls as points of a fit.
    fn points<'a>(&'a self, fit: &'a RobustFit) -> impl Iterator<Item = WeightedCall> + Clone + 'a {
        let of_processor = self.processors.iter().zip(&fit.slowness);
        of_processor.flat_map(|(range, slowness)| {
            let calls = self.calls[range.clone()].iter().zip(&fit.kept[range.clone()]);
            calls.map(move |(call, &kept)| WeightedCall {
                sizes: call.sizes,
                seconds: call.seconds / slowness,
                weight: f64::from(u8::from(kept)),
            })
        })
    }
}

/// Where runs of calls alike are.
fn ranges(calls: &[TimedCall], alike: impl Fn(&TimedCall, &TimedCall) -> bool) -> Vec<Range<usize>> {
    let mut end = 0;
    let runs = calls.chunk_by(alike).map(|run| {
        end += run.len();
        end - run.len()..end
    });
    runs.collect()
}

impl RobustFit {
    /// Fits a form; `None` if the calls do not determine it.
    pub(super) fn of(form: &Form, sorted: &SortedCalls) -> Option<Self> {
        let SortedCalls { calls, processors, cells } = sorted;
        let plain = |call: &TimedCall| WeightedCall { sizes: call.sizes, seconds: call.seconds, weight: 1.0 };
        let mut points: Vec<WeightedCall> = calls.iter().map(plain).collect();
        let mut coefficients = least::first(form, points.iter().copied())?;
        let mut slowness = vec![1.0; processors.len()];
        let mut logs = vec![0.0; calls.len()];
        let mut deviations = Vec::new();
        for round in 0..ROUNDS {
            for (log, (call, point)) in logs.iter_mut().zip(calls.iter().zip(&points)) {
                // The point's seconds are already over the slowness, as is the bound within.
                *log = (call.seconds / given(form, &coefficients, point)).ln();
            }
            let middles: Vec<f64> = processors.iter().filter_map(|range| median(&logs[range.clone()])).collect();
            deviations = self::deviations(processors, &logs, &middles)?;
            if round + 1 == ROUNDS {
                break;
            }
            let centre = median(&middles)?;
            for (number, range) in processors.iter().enumerate() {
                slowness[number] = (middles[number] - centre).exp();
                for at in range.clone() {
                    points[at].seconds = calls[at].seconds / slowness[number];
                    points[at].weight = huber_weight(logs[at] - middles[number], deviations[number]);
                }
            }
            coefficients = least::step(form, points.iter().copied(), &coefficients)?;
        }
        let kept = kept(processors, cells, &logs, &deviations)?;
        drop(points);
        Self { coefficients, slowness, kept }.with_means(form, sorted)
    }

    /// The same with means in the place of medians, since a form gives the mean time of a call.
    fn with_means(mut self, form: &Form, sorted: &SortedCalls) -> Option<Self> {
        for _ in 0..2 {
            for (range, slowness) in sorted.processors.iter().zip(&mut self.slowness) {
                let (mut sum, mut count) = (0.0, 0.0);
                for at in range.clone().filter(|&at| self.kept[at]) {
                    let call = &sorted.calls[at];
                    let seconds = form.seconds(&self.coefficients, call.sizes);
                    if seconds <= 0.0 {
                        return None;
                    }
                    sum += call.seconds / seconds;
                    count += 1.0;
                }
                *slowness = sum / count;
            }
            let centre = median(&self.slowness)?;
            self.slowness.iter_mut().for_each(|slowness| *slowness /= centre);
            self.coefficients = least::step(form, sorted.points(&self), &self.coefficients)?;
        }
        Some(self)
    }
}

/// By processor, the deviation of its calls from their median, or that of all calls where it has few.
fn deviations(processors: &[Range<usize>], logs: &[f64], middles: &[f64]) -> Option<Vec<f64>> {
    let mut distances = Vec::with_capacity(logs.len());
    for (range, middle) in processors.iter().zip(middles) {
        distances.extend(logs[range.clone()].iter().map(|log| (log - middle).abs()));
    }
    let deviation = |distances: &[f64]| Some(deviation_by(distances)?.max(LEAST_DEVIATION));
    let of_all = deviation(&distances)?;
    let own =
        |range: &Range<usize>| if range.len() < FEW { Some(of_all) } else { deviation(&distances[range.clone()]) };
    processors.iter().map(own).collect()
}

/// By call, whether it is no outlier. The call nearest to a median is none, so that each processor keeps one.
fn kept(processors: &[Range<usize>], cells: &[Range<usize>], logs: &[f64], deviations: &[f64]) -> Option<Vec<bool>> {
    let bounds = |range: &Range<usize>, deviation: f64| {
        let middle = median(&logs[range.clone()])?;
        let distances = logs[range.clone()].iter().map(|log| (log - middle).abs());
        Some((middle, distances.fold(f64::INFINITY, f64::min).max(OUTLIER * deviation)))
    };
    let mut kept = Vec::with_capacity(logs.len());
    let mut cells = cells.iter().peekable();
    for (range, &deviation) in processors.iter().zip(deviations) {
        let of_processor = bounds(range, deviation)?;
        while let Some(cell) = cells.next_if(|cell| cell.end <= range.end) {
            // A single call would be its own median.
            let (middle, limit) = if cell.len() < FEW { of_processor } else { bounds(cell, deviation)? };
            kept.extend(logs[cell.clone()].iter().map(|log| (log - middle).abs() <= limit));
        }
    }
    Some(kept)
}
