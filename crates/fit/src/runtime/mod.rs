//! Formulas for run times, fitted to measured points.
//!
//! The methods follow Heinrich-Litan, Fissgus, Sutter, Molitor and Rauber, "Modeling the Communication Behavior of
//! Distributed Memory Machines by Genetic Programming" (004): their system as printed ([`paper`]), the curve fitting
//! that they compare it with ([`linear`]), the piecewise formulas that they name as future work ([`piecewise`]), and
//! genetic programming with fitted numbers and a front of error against size ([`genetic`]). For single messages there
//! are also the network models ([`Poly`](super::Poly)). [`fit`] implements `hetsim fit`.

pub mod choice;
pub mod constants;
pub mod data;
pub mod error;
pub mod forms;
pub mod front;
pub mod genetic;
pub mod linear;
pub mod paper;
pub mod piecewise;
mod poly;
mod sound;
pub mod variation;

#[cfg(test)]
mod tests;

use std::sync::atomic::AtomicBool;

use hetsim_formula::{Expression, parse};
pub use poly::NotMessages;

use choice::{ChosenFormula, Validation, validate};
use constants::Fitter;
use data::Points;
use error::Deviations;
use forms::positive;
use front::{ScoredFormula, front, knee};
use genetic::Searched;
use linear::{Loss, paper_terms, rich_terms};

hetsim_base::registry::names! {
    /// The method of finding a formula.
    "method of fitting": Method {
        #[default]
        Gp "gp" = "genetic programming with fitted numbers, pieces, and a front of error against size",
        SmoothGp "smooth" = "genetic programming without borders between pieces",
        Piecewise "piecewise" = "intervals, each with a short formula, by dynamic programming",
        Paper "paper" = "the genetic programming of Heinrich-Litan et al. as printed",
        Ols "ols" = "the linear formula of Rauber and Rünger, ordinary least squares",
        Relative "relative" = "the linear formula of Rauber and Rünger, relative least squares",
        Rich "rich" = "a linear formula with roots, logarithms and products, relative least squares",
        Poly "poly" = "for single messages: Hockney, LogP, LogGP or pLogP, at each size the nearest one",
        Given "given" = "a formula that is given, judged and not fitted",
    }
}

impl Method {
    /// Checks whether the method suits the points.
    ///
    /// # Errors
    /// For [`Method::Poly`] the reason: its models describe single messages between two nodes, whose time depends on
    /// the bytes of the message only.
    pub fn check(self, names: &[String], points: &Points) -> Result<(), NotMessages> {
        if self == Self::Poly { poly::check(names, points) } else { Ok(()) }
    }
}

/// The formula that [`Method::Given`] needs, read over the columns of the data; another method has none.
///
/// # Errors
/// A formula without that method or the method without a formula, and what is wrong with the text.
pub fn given(method: Method, formula: Option<&str>, names: &[String]) -> Result<Option<Expression>, String> {
    match (method, formula) {
        (Method::Given, None) => {
            Err("the method `given` judges a formula; give one, such as \"1e-4 + 8e-9*bytes\"".to_owned())
        }
        (Method::Given, Some(text)) => {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            parse(text, &names).map(Some).map_err(|error| error.to_string())
        }
        (_, Some(_)) => Err(format!("the method `{}` finds its formula; only `given` judges one", method.name())),
        (_, None) => Ok(None),
    }
}

/// A request for a fit.
#[derive(Debug, Clone)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The parameters of [`Method::Gp`] and [`Method::SmoothGp`]; the seed applies to all methods.
    pub genetic: genetic::Options,
    /// The parameters of [`Method::Paper`]; its seed is that of `genetic`.
    pub paper: paper::Options,
    /// The number of folds for validating the size of the formula. Below 2 there is no validation, and the formula of
    /// least error is chosen.
    pub folds: usize,
    /// The formula of [`Method::Given`], over the columns of the points.
    pub given: Option<Expression>,
}

impl Default for Request {
    fn default() -> Self {
        let (genetic, paper) = (genetic::Options::default(), paper::Options::default());
        Self { method: Method::Gp, genetic, paper, folds: 4, given: None }
    }
}

/// The progress of a fit.
#[derive(Debug)]
pub struct Status<'a> {
    /// The completed share, in [0, 1].
    pub done: f64,
    /// The best formula so far.
    pub best: &'a Expression,
    /// The mean absolute percentage error on the training points.
    pub error: f64,
}

/// The formulas that a fit found.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedFormulas {
    /// The formulas by growing size and falling error; never empty. The piecewise formula of [`Method::Gp`] stands among
    /// them by its size if it is chosen, or if none is as good on the training points.
    pub front: Vec<ScoredFormula>,
    /// The index of the most readable formula: beyond it, size gains little.
    pub knee: usize,
    /// The index of the formula to predict with: the shortest of those that held-out points find as good as the best.
    pub chosen: usize,
    /// The deviations of the chosen formula on held-out points, each predicted by what is found in the same way without
    /// it; for methods that are validated: [`Method::Gp`], [`Method::SmoothGp`] and [`Method::Poly`].
    pub held_out: Option<Deviations>,
    /// The errors on held-out points, if requested.
    pub validation: Option<Validation>,
}

/// Finds formulas for the points; `None` if the method finds none. `stop` ends the search early with the best so far.
/// The result depends only on points and request.
pub fn fit(
    points: &Points,
    request: &Request,
    stop: &AtomicBool,
    report: &mut dyn FnMut(&Status<'_>),
) -> Option<FittedFormulas> {
    let (mut validation, mut held_out, mut alone) = (None, None, None);
    let front = match request.method {
        Method::Gp | Method::SmoothGp => {
            let pieces = request.method == Method::Gp;
            let steps = if request.folds >= 2 { request.folds + 1 } else { 1 };
            // The search over all points comes first, so that an interrupt still yields a formula.
            let mut search = |points: &Points, step: usize| {
                let seed = request.genetic.seed.wrapping_add(step as u64);
                let options = genetic::Options { seed, pieces, ..request.genetic.clone() };
                genetic::search(points, &options, stop, &mut |progress| {
                    let part = progress.generation as f64 / progress.generations as f64;
                    let done = (step as f64 + part) / steps as f64;
                    report(&Status { done, best: &progress.best.expression, error: progress.best.error });
                })
            };
            let Searched { front, piecewise } = search(points, 0);
            let Request { folds, ref genetic, .. } = *request;
            validation = validate(points, folds, genetic.seed, piecewise.as_ref(), stop, &mut |part, fold| {
                search(part, fold + 1)
            });
            alone = piecewise;
            front
        }
        Method::Piecewise => {
            let found = piecewise::fit(points, request.genetic.seed);
            // The last one is the choice of the cross-validation.
            found.into_iter().next_back().map(|found| plain(found.expression, points)).into_iter().collect()
        }
        Method::Paper => {
            let options = paper::Options { seed: request.genetic.seed, ..request.paper.clone() };
            let best = paper::search(points, &options, stop, &mut |done, all, best, error| {
                report(&Status { done: done as f64 / all.max(1) as f64, best, error });
            });
            best.map(|(expression, _)| plain(expression, points)).into_iter().collect()
        }
        Method::Ols => linear(points, &paper_terms(points.columns.len()), Loss::Squared),
        Method::Relative => linear(points, &paper_terms(points.columns.len()), Loss::RelativeSquared),
        Method::Rich => linear(points, &rich_terms(&positive(points)), Loss::RelativeSquared),
        Method::Poly => {
            held_out = poly::held_out(points);
            poly::fit(points).map(|expression| plain(expression, points)).into_iter().collect()
        }
        Method::Given => request.given.iter().map(|given| plain(given.clone(), points)).collect(),
    };
    let mut front = self::front(front);
    let mut knee = knee(&front)?;
    let least = front.last()?.error;
    let (mut chosen, predicted) = match choice::chosen(&front, validation.as_ref(), points.len()) {
        ChosenFormula::Front(at, predicted) => (Some(at), predicted),
        ChosenFormula::Piecewise(predicted) => (None, Some(predicted)),
    };
    if let Some(pieces) = alone.filter(|pieces| chosen.is_none() || pieces.error < least) {
        let at = front.partition_point(|candidate| candidate.size <= pieces.size);
        front.insert(at, pieces);
        knee += usize::from(knee >= at);
        chosen = Some(chosen.map_or(at, |chosen| chosen + usize::from(chosen >= at)));
    }
    let chosen = chosen?;
    if let Some(predicted) = predicted {
        held_out = Deviations::of_values(predicted.predicted.clone(), points);
    }
    Some(FittedFormulas { front, knee, chosen, held_out, validation })
}

fn linear(points: &Points, terms: &[Expression], loss: Loss) -> Vec<ScoredFormula> {
    linear::fit(points, terms, loss).map(|expression| plain(expression, points)).into_iter().collect()
}

/// Wraps a formula without further fitting.
fn plain(expression: Expression, points: &Points) -> ScoredFormula {
    let error = Fitter::default().error(&expression, points);
    ScoredFormula { size: expression.size(), expression, error, hash: 0 }
}
