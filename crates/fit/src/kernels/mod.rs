//! Kernels from measured calls: what a call of a routine takes by its sizes, on each processor, with its noise.
//!
//! [`KernelCalls`] are read from CSV; [`KernelCalls::fit`] finds for each kernel the form that predicts calls best
//! which it was not fitted to, the processors that differ from the others, the noise of calls, and the drift of processors
//! from day to day. A time is that of a form times the slowness of its processor; residuals are relative.

pub(crate) mod differences;
mod forms;
mod least;
pub(crate) mod noise;
mod read;
mod robust_fit;
#[cfg(test)]
mod tests;

use std::ops::Range;

use rayon::prelude::*;
use thiserror::Error;

pub use forms::{COEFFICIENTS, Form};
pub use read::{CallPlace, KernelCalls};

use super::estimate::Estimate;
use differences::Differences;
use hetsim_cluster::Noise;
use least::{Coefficients, WeightedCall, values};
use robust_fit::{RobustFit, SortedCalls};

/// A measured call.
#[derive(Debug, Clone, Copy, PartialEq)]
struct TimedCall {
    sizes: [f64; 3],
    seconds: f64,
    processor: u32,
    day: u32,
}

/// The most calls by which a form is chosen: more do not change the choice.
const MOST_JUDGED: usize = 100_000;

/// A form of more coefficients has to be so many times better.
const BETTER: f64 = 1.05;

/// An error below, which is that of rounding, is as good as none.
const NO_ERROR: f64 = 1e-9;

/// The least calls of a processor for each coefficient of its own.
const CALLS_FOR_ONE: usize = 10;

/// No form fits the calls of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the calls of `{kernel}` have no fit: their times or sizes are too large or too small to reckon with")]
pub struct NoFit {
    /// The kernel's name.
    pub kernel: String,
}

/// A kernel as it was fitted.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelFit {
    /// Its name.
    pub name: String,
    /// What a call takes by its sizes.
    pub form: Form,
    /// The coefficients of the processors that do not differ, in the order of the form, in seconds.
    pub coefficients: Vec<Estimate>,
    /// The coefficient of variation of a call on those processors.
    pub variation: f64,
    /// How calls vary.
    pub noise: Noise,
    /// The standard deviation of a processor's slowness between days, relative; 0 if noise explains it.
    pub drift: f64,
    /// The number of calls.
    pub calls: usize,
    /// The number of calls that were left out.
    pub outliers: usize,
    /// The median relative error over all calls.
    pub error: f64,
    /// The same with each call predicted by a fit to others; `None` if there are too few.
    pub unseen_error: Option<f64>,
    /// The processors with calls, by rising number.
    pub processors: Vec<ProcessorFit>,
    /// The processors that moved for sure between days, with their least and greatest slowness on a day; those that moved
    /// most come first.
    pub moved: Vec<(CallPlace, f64, f64)>,
}

/// The coefficients of a processor.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessorFit {
    /// The processor.
    pub place: CallPlace,
    /// Whether it differs from the others; if not, it has their coefficients.
    pub differs: bool,
    /// Whether its coefficients were fitted to its calls alone, and are not those of the others times its slowness.
    pub has_own: bool,
    /// In the order of the form, in seconds.
    pub coefficients: Vec<Estimate>,
    /// The coefficient of variation of a call.
    pub variation: f64,
    /// How many times longer its calls take than those of the processors that do not differ.
    pub slowness: Estimate,
    /// The number of calls.
    pub calls: usize,
    /// The number of calls that were left out.
    pub outliers: usize,
}

impl KernelCalls {
    /// Fits each kernel, by rising names.
    ///
    /// # Errors
    /// A kernel whose times or sizes exceed what numbers hold.
    pub fn fit(self) -> Result<Vec<KernelFit>, NoFit> {
        let Self { places, of_kernel, .. } = self;
        let fit = |(kernel, mut calls): (String, Vec<TimedCall>)| {
            // From here on processors are numbered in the order of their places.
            let mut order: Vec<u32> = (0..places.len() as u32).collect();
            order.sort_by_key(|&number| places[number as usize]);
            let mut rank = vec![0; places.len()];
            order.iter().zip(0..).for_each(|(&number, place)| rank[number as usize] = place);
            for call in &mut calls {
                call.processor = rank[call.processor as usize];
            }
            let place_of = |processor: u32| places[order[processor as usize] as usize];
            fit(&kernel, &SortedCalls::new(calls), &place_of).ok_or(NoFit { kernel })
        };
        of_kernel.into_iter().map(fit).collect()
    }
}

/// Fits a kernel; `None` if no form can be fitted.
fn fit(name: &str, sorted: &SortedCalls, place_of: &dyn Fn(u32) -> CallPlace) -> Option<KernelFit> {
    let SortedCalls { calls, processors, cells } = sorted;
    let form = choose(sorted)?;
    let fit = RobustFit::of(&form, sorted)?;
    let found = differences(&form, sorted, &fit);
    let coefficients = pooled(&form, sorted, &fit, &found)?;
    let mut fits = Vec::with_capacity(processors.len());
    for (number, range) in processors.iter().enumerate() {
        let (differs, slowness) = (found.differs[number], found.slowness[number]);
        let kept = range.clone().filter(|&at| fit.kept[at]).map(|at| point(&calls[at], 1.0, 1.0));
        let points: Vec<WeightedCall> = kept.collect();
        let own = if differs { own_coefficients(&form, &points, &coefficients, slowness) } else { None };
        let has_own = own.is_some();
        let scaled = || coefficients.iter().map(|&coefficient| product(coefficient, slowness)).collect();
        let shared = || if differs { scaled() } else { coefficients.clone() };
        fits.push(ProcessorFit {
            place: place_of(calls[range.start].processor),
            differs,
            has_own,
            coefficients: own.unwrap_or_else(shared),
            variation: 0.0,
            slowness,
            calls: range.len(),
            outliers: range.len() - points.len(),
        });
    }
    let groups = if found.drift > 0.0 { cells } else { processors };
    let (variation, noise) = vary(&form, sorted, (groups, found.is_noise_known), &fit.kept, &mut fits);
    let (points, written) = (|| scaled_points(sorted, &fit, &found, true), values(&coefficients));
    Some(KernelFit {
        name: name.to_owned(),
        variation,
        noise,
        drift: found.drift,
        calls: calls.len(),
        outliers: fits.iter().map(|processor| processor.outliers).sum(),
        error: least::error(&form, points(), &written)?,
        unseen_error: least::unseen_error(&form, points(), &written),
        moved: found.moved.iter().map(|&(number, low, high)| (fits[number].place, low, high)).collect(),
        processors: fits,
        coefficients,
        form,
    })
}

/// A call as it counts in a fit.
fn point(call: &TimedCall, slowness: f64, weight: f64) -> WeightedCall {
    WeightedCall { sizes: call.sizes, seconds: call.seconds / slowness, weight }
}

/// The form that predicts calls best which it was not fitted to: of those within 5 % of the least error, that of the
/// fewest coefficients.
fn choose(sorted: &SortedCalls) -> Option<Form> {
    let part = sorted.part(MOST_JUDGED);
    let first = part.calls.first()?;
    let varies = |size: usize| part.calls.iter().any(|call| call.sizes[size] != first.sizes[size]);
    let candidates = Form::candidates([0, 1, 2].map(varies));
    let error = |form: &Form| {
        let fit = RobustFit::of(form, &part)?;
        let found = differences(form, &part, &fit);
        least::unseen_error(form, scaled_points(&part, &fit, &found, true), &fit.coefficients)
    };
    let errors: Vec<Option<f64>> = candidates.par_iter().map(error).collect();
    let least = errors.iter().flatten().copied().fold(f64::INFINITY, f64::min).max(NO_ERROR);
    let judged = candidates.iter().zip(errors).filter_map(|(form, error)| Some((form, error?)));
    let near = judged.filter(|(_, error)| *error <= BETTER * least);
    let simplest =
        near.min_by(|(form, error), (other, more)| form.count().cmp(&other.count()).then(error.total_cmp(more)));
    // So few calls that none is left to predict have no form but a constant.
    simplest.map(|(form, _)| form).or(candidates.first()).cloned()
}

/// Which processors differ by what is left of a fit.
fn differences(form: &Form, sorted: &SortedCalls, fit: &RobustFit) -> Differences {
    let ratio =
        |(call, kept): (&TimedCall, &bool)| kept.then(|| call.seconds / form.seconds(&fit.coefficients, call.sizes));
    let ratios: Vec<Option<f64>> = sorted.calls.iter().zip(&fit.kept).map(ratio).collect();
    Differences::of(&ratios, &sorted.processors, &sorted.cells)
}

/// The calls over the slowness of their processors, which is 1 where these do not differ. Those of processors that do
/// count if `takes_all`; outliers do not.
fn scaled_points<'a>(
    sorted: &'a SortedCalls,
    fit: &'a RobustFit,
    found: &'a Differences,
    takes_all: bool,
) -> impl Iterator<Item = WeightedCall> + Clone + 'a {
    let of_processor = sorted.processors.iter().zip(found.slowness.iter().zip(&found.differs));
    of_processor.flat_map(move |(range, (slowness, &differs))| {
        let scale = if differs { slowness.value } else { 1.0 };
        let calls = sorted.calls[range.clone()].iter().zip(&fit.kept[range.clone()]);
        calls.map(move |(call, &kept)| point(call, scale, f64::from(u8::from(kept && (takes_all || !differs)))))
    })
}

/// The coefficients of the processors that do not differ. If their calls alone do not determine them, as when each
/// processor was measured with a size of its own, all calls count, over the slowness of their processors.
fn pooled(form: &Form, sorted: &SortedCalls, fit: &RobustFit, found: &Differences) -> Option<Vec<Estimate>> {
    let of = |takes_all: bool| least::fitted(form, scaled_points(sorted, fit, found, takes_all), &fit.coefficients);
    of(false).or_else(|| of(true))
}

/// The coefficients of a processor by its own calls, if there are enough, and if they predict its calls better than those
/// of the others times its slowness do.
fn own_coefficients(
    form: &Form,
    points: &[WeightedCall],
    shared: &[Estimate],
    slowness: Estimate,
) -> Option<Vec<Estimate>> {
    if points.len() < CALLS_FOR_ONE * form.count() {
        return None;
    }
    let scaled: Coefficients = values(shared).map(|coefficient| coefficient * slowness.value);
    let own = least::fitted(form, points.iter().copied(), &scaled)?;
    let unseen = least::unseen_error(form, points.iter().copied(), &values(&own))?;
    let error = least::error(form, points.iter().copied(), &scaled)?;
    (error > BETTER * unseen.max(NO_ERROR)).then_some(own)
}

/// The product of independent estimates.
fn product(a: Estimate, b: Estimate) -> Estimate {
    let error = a.error.zip(b.error).map(|(of_a, of_b)| (b.value * of_a).hypot(a.value * of_b));
    Estimate { value: a.value * b.value, error, freedom: a.freedom.min(b.freedom) }
}

/// The coefficient of variation of a call of each processor around the mean of its group, which is a day if there is drift,
/// and that of the processors that do not differ, which they share, as does a processor with few calls; and the
/// distribution of times. Where groups have too few calls to know it by, it is that around what the form gives.
fn vary(
    form: &Form,
    sorted: &SortedCalls,
    (groups, is_known_within): (&[Range<usize>], bool),
    kept: &[bool],
    fits: &mut [ProcessorFit],
) -> (f64, Noise) {
    let mut ratios = vec![(f64::NAN, 0.0); sorted.calls.len()];
    let mut sums = vec![(0.0, 0.0); fits.len()];
    let mut groups = groups.iter().peekable();
    for ((range, fit), sum) in sorted.processors.iter().zip(&*fits).zip(&mut sums) {
        let coefficients = values(&fit.coefficients);
        while let Some(group) = groups.next_if(|group| group.end <= range.end) {
            let own = || group.clone().filter(|&at| kept[at]);
            let mut total = 0.0;
            for at in own() {
                let call = &sorted.calls[at];
                ratios[at].0 = call.seconds / form.seconds(&coefficients, call.sizes);
                total += ratios[at].0;
            }
            let count = own().count() as f64;
            let (middle, free) = if is_known_within { (total / count, (count - 1.0).max(0.0)) } else { (1.0, count) };
            for at in own() {
                ratios[at].0 /= middle;
                sum.0 += (ratios[at].0 - 1.0).powi(2);
            }
            sum.1 += free;
        }
    }
    let variation = |squares: f64, freedom: f64| if freedom > 0.0 { (squares / freedom).sqrt() } else { 0.0 };
    let together = sums.iter().zip(&*fits).filter(|(_, fit)| !fit.differs);
    let (squares, freedom) = together.fold((0.0, 0.0), |all, (own, _)| (all.0 + own.0, all.1 + own.1));
    let fitted = if is_known_within { 0.0 } else { form.count() as f64 };
    let shared = variation(squares, freedom - fitted);
    for ((fit, range), (squares, freedom)) in fits.iter_mut().zip(&sorted.processors).zip(sums) {
        let has_own = fit.differs && freedom >= CALLS_FOR_ONE as f64;
        fit.variation = if has_own { variation(squares, freedom) } else { shared };
        ratios[range.clone()].iter_mut().for_each(|ratio| ratio.1 = fit.variation);
    }
    let each = ratios.len().div_ceil(MOST_JUDGED);
    // An outlier has no ratio, and the only call of a day says nothing.
    let judged = ratios.iter().step_by(each).copied().filter(|(ratio, _)| ratio.is_finite() && *ratio != 1.0);
    (shared, noise::distribution(&judged))
}
