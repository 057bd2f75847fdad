//! Genetic programming for run times: finds a front of formulas with falling error and growing size.
//!
//! It differs from the paper's system (004) as follows: the Levenberg–Marquardt method fits the numbers in formulas
//! inside the loop; error and size are two objectives (NSGA-II), which prevents bloat; formulas with the same values
//! count as one; borders between pieces are nodes of the formula; several islands evolve in parallel and exchange their
//! best formulas. The first population contains linear fits, as in the paper, and piecewise ones. The result depends
//! only on the seed, not on the number of threads.

use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};

use rand::RngExt;
use rayon::prelude::*;
use rustc_hash::{FxHashSet, FxHasher};

use hetsim_base::engine::{Stream, Streams};
use hetsim_formula::{Binary, Expression, simplify};

use super::constants::Fitter;
use super::data::Points;
use super::forms::{self, positive};
use super::front::{ScoredFormula, front, ranked};
use super::linear::{self, Loss, paper_terms, rich_terms};
use super::piecewise::{self, Piecewise};
use super::sound::Intermediate;
use super::variation::Alphabet;

/// The options of the search.
#[derive(Debug, Clone)]
pub struct Options {
    /// The random seed.
    pub seed: u64,
    /// The number of islands that evolve in parallel. Unlike the number of threads, it affects the result.
    pub islands: usize,
    /// The number of formulas per island.
    pub population: usize,
    /// The maximum number of generations.
    pub generations: usize,
    /// The number of generations without a better front that ends the search.
    pub patience: usize,
    /// The maximum number of nodes in a formula; piecewise fits may be larger. Without it, 60 in a formula that evolves,
    /// and as many as it takes in the linear fits of the first population.
    pub most_nodes: Option<usize>,
    /// The number of fitting steps for each new formula.
    pub rounds: usize,
    /// Whether formulas may have borders between pieces, and the first population piecewise fits.
    pub pieces: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seed: 1,
            islands: 4,
            population: 100,
            generations: 100,
            patience: 20,
            most_nodes: None,
            rounds: 4,
            pieces: true,
        }
    }
}

impl Options {
    /// The maximum number of nodes in a formula that evolves.
    fn most_evolved(&self) -> usize {
        self.most_nodes.unwrap_or(60)
    }

    /// Whether a formula of the first population is small enough.
    fn takes(&self, seed: &ScoredFormula) -> bool {
        self.most_nodes.is_none_or(|most| seed.size <= most) || seed.expression.borders() > 0
    }
}

/// The progress of a search.
#[derive(Debug)]
pub struct Progress<'a> {
    /// The number of completed generations.
    pub generation: usize,
    /// The maximum number of generations.
    pub generations: usize,
    /// The formula with the least error so far.
    pub best: &'a ScoredFormula,
}

/// The number of generations between two exchanges.
const EPOCH: usize = 5;

/// The maximum number of points used for fitting numbers inside the loop; the error always counts all points.
const MOST_POINTS: usize = 300;

/// An island with its random stream and buffers.
struct Island {
    stream: Stream,
    population: Vec<ScoredFormula>,
    fitter: Fitter,
}

/// What a search finds.
#[derive(Debug, Clone, PartialEq)]
pub struct Searched {
    /// Formulas by growing size and falling error, within the bounds half-way between points.
    pub front: Vec<ScoredFormula>,
    /// The formula of [`piecewise`], with which the search starts if formulas may have borders; it may leave the bounds.
    pub piecewise: Option<ScoredFormula>,
}

/// Searches for formulas of the points. `stop` ends the search early with the front so far.
#[must_use]
pub fn search(
    points: &Points,
    options: &Options,
    stop: &AtomicBool,
    report: &mut dyn FnMut(&Progress<'_>),
) -> Searched {
    let alphabet = alphabet(points, options);
    let pieces = if options.pieces { piecewise::fit(points, options.seed) } else { Vec::new() };
    let mut fitter = Fitter::default();
    let piecewise = pieces.last().map(|found| scored(found.expression.clone(), points, &mut fitter));
    let piecewise = piecewise.filter(|found| options.takes(found));
    let seeds = seeds(points, options, pieces);
    let between = Intermediate::new(points);
    let mut archive: Vec<ScoredFormula> = seeds
        .into_par_iter()
        .map_init(Fitter::default, |fitter, seed| made(&seed, points, points, 20, fitter))
        .collect();
    archive.retain(|seed| options.takes(seed) && between.sound(&seed.expression, &mut fitter));
    archive = front(archive);
    let (streams, most_nodes) = (Streams::new(options.seed, 0), options.most_evolved());
    let mut islands: Vec<Island> = (0..options.islands.max(1))
        .into_par_iter()
        .map(|number| {
            let mut stream = streams.stream("fit island", number as u64);
            let mut fitter = Fitter::default();
            let mut population = started(&alphabet, points, options, &mut stream, &mut fitter);
            // Every other island starts from scratch, so that seeds do not crowd out new formulas.
            if number % 2 == 0 {
                population.extend(archive.iter().filter(|seed| seed.size <= most_nodes).cloned());
            }
            Island { stream, population, fitter }
        })
        .collect();
    let (mut generation, mut improved, mut quality) = (0, 0, f64::INFINITY);
    while generation < options.generations && !stop.load(Ordering::Relaxed) {
        let steps = EPOCH.min(options.generations - generation);
        islands.par_iter_mut().for_each(|island| {
            for _ in 0..steps {
                if !stop.load(Ordering::Relaxed) {
                    evolve(island, &alphabet, points, options);
                }
            }
        });
        generation += steps;
        exchange(&mut islands);
        let evolved = islands.iter().flat_map(|island| &island.population);
        let best = front(evolved.filter(|candidate| candidate.size <= most_nodes).cloned().collect());
        archive.extend(best.into_iter().filter(|candidate| between.sound(&candidate.expression, &mut fitter)));
        archive = front(archive);
        let now = area(&archive, most_nodes);
        if now < quality * 0.995 {
            (quality, improved) = (now, generation);
        }
        if let Some(best) = archive.last() {
            report(&Progress { generation, generations: options.generations, best });
        }
        if generation - improved >= options.patience {
            break;
        }
    }
    Searched { front: polished(archive, points, &between, &mut fitter), piecewise }
}

fn alphabet(points: &Points, options: &Options) -> Alphabet {
    let different = |column: &Vec<f64>| {
        let mut values = column.clone();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    };
    let values = points.columns.iter().map(different).collect();
    Alphabet { values, borders: options.pieces, most_nodes: options.most_evolved() }
}

/// Linear fits, products of powers, and piecewise formulas.
fn seeds(points: &Points, options: &Options, pieces: Vec<Piecewise>) -> Vec<Expression> {
    let variables = points.columns.len();
    let rich = rich_terms(&positive(points));
    let mut seeds = Vec::new();
    for loss in [Loss::RelativeSquared, Loss::Relative] {
        for terms in [&paper_terms(0), &paper_terms(variables), &rich] {
            seeds.extend(linear::fit(points, terms, loss));
        }
    }
    seeds.extend(forms::best(points, options.seed).map(|(expression, _)| expression));
    seeds.extend(pieces.into_iter().map(|found| found.expression));
    seeds
}

/// Simplifies an expression, fits its numbers to `sample` and evaluates it on `points`.
fn made(
    expression: &Expression,
    sample: &Points,
    points: &Points,
    rounds: usize,
    fitter: &mut Fitter,
) -> ScoredFormula {
    let mut expression = simplify(expression);
    fitter.fit(&mut expression, sample, rounds);
    scored(expression, points, fitter)
}

/// Evaluates an expression as it is.
fn scored(expression: Expression, points: &Points, fitter: &mut Fitter) -> ScoredFormula {
    let error = fitter.error(&expression, points);
    let hash = semantic_hash(fitter.values(&expression, points));
    ScoredFormula { size: expression.size(), expression, error, hash }
}

/// The hash of values at up to 32 points, rounded to about five digits.
fn semantic_hash(values: &[f64]) -> u64 {
    let mut hasher = FxHasher::default();
    for value in values.iter().step_by(values.len().div_ceil(32)) {
        // The upper bits of a float are its sign, exponent and first digits.
        ((value.to_bits() + (1 << 34)) >> 35).hash(&mut hasher);
    }
    hasher.finish()
}

/// Random formulas, each with a fitted offset and factor, or as an exponent.
fn started(
    alphabet: &Alphabet,
    points: &Points,
    options: &Options,
    stream: &mut Stream,
    fitter: &mut Fitter,
) -> Vec<ScoredFormula> {
    let scale = points.target.iter().map(|time| time.ln()).sum::<f64>() / points.len() as f64;
    let sample = sample(points, stream);
    let mut population = Vec::new();
    for _ in 0..options.population {
        let Some(grown) = Expression::new(alphabet.random(4, stream)) else { continue };
        let exponent = stream.random::<bool>();
        let offset = Expression::constant(if exponent { scale } else { scale.exp() });
        let factor = Expression::constant(if exponent { 0.1 } else { 1.0 });
        let sum = offset.binary(Binary::Add, &factor.binary(Binary::Multiply, &grown));
        let whole = if exponent { sum.unary(hetsim_formula::Unary::Exponential) } else { sum };
        population.push(made(&whole, &sample, points, options.rounds, fitter));
    }
    population
}

/// All points, or a sample for fitting numbers.
fn sample(points: &Points, stream: &mut Stream) -> Points {
    if points.len() <= MOST_POINTS {
        return points.clone();
    }
    // Take one from each stretch of the table, which is mostly sorted.
    let stretch = points.len() as f64 / MOST_POINTS as f64;
    let draw = |at: usize| ((at as f64 + stream.random::<f64>()) * stretch) as usize;
    let numbers: Vec<usize> = (0..MOST_POINTS).map(draw).map(|at| at.min(points.len() - 1)).collect();
    points.chosen(&numbers)
}

/// Evolves an island by one generation.
fn evolve(island: &mut Island, alphabet: &Alphabet, points: &Points, options: &Options) {
    let sample = sample(points, &mut island.stream);
    let mut known: FxHashSet<u64> = island.population.iter().map(|candidate| candidate.hash).collect();
    let mut children = Vec::new();
    for _ in 0..options.population {
        let Some(child) = bred(island, alphabet) else { continue };
        let child = simplify(&child);
        // A formula without a value, or with the values of an existing one, is not worth fitting.
        let before = island.fitter.error(&child, points);
        if !before.is_finite() || !known.insert(semantic_hash(island.fitter.values(&child, points))) {
            continue;
        }
        children.push(made(&child, &sample, points, options.rounds, &mut island.fitter));
    }
    let mut all = std::mem::take(&mut island.population);
    all.extend(children);
    all.retain(|candidate| candidate.error.is_finite());
    // Of formulas with the same values the smallest is kept.
    all.sort_by(|a, b| a.size.cmp(&b.size).then(a.error.total_cmp(&b.error)));
    let mut seen: HashSet<u64, _> = FxHashSet::default();
    all.retain(|candidate| seen.insert(candidate.hash));
    all = ranked(all);
    all.truncate(options.population);
    island.population = all;
}

fn bred(island: &mut Island, alphabet: &Alphabet) -> Option<Expression> {
    let Island { stream, population, .. } = island;
    if population.is_empty() {
        return Expression::new(alphabet.random(4, stream));
    }
    // A binary tournament by rank and crowding: the population is sorted.
    let pick = |stream: &mut Stream| {
        let (a, b) = (stream.random_range(0..population.len()), stream.random_range(0..population.len()));
        &population[a.min(b)].expression
    };
    let first = pick(stream);
    if stream.random::<f64>() < 0.5 {
        let second = pick(stream);
        alphabet.crossed(first, second, stream)
    } else {
        alphabet.mutated(first, stream)
    }
}

/// Copies part of each island's front to the next island.
fn exchange(islands: &mut [Island]) {
    const GIVEN: usize = 6;
    let gifts: Vec<Vec<ScoredFormula>> = islands
        .iter()
        .map(|island| {
            let best = front(island.population.clone());
            let step = best.len().div_ceil(GIVEN).max(1);
            best.into_iter().rev().step_by(step).collect()
        })
        .collect();
    let count = islands.len();
    for (number, gift) in gifts.into_iter().enumerate() {
        islands[(number + 1) % count].population.extend(gift);
    }
}

/// The area under the front on logarithmic axes; less is better.
fn area(front: &[ScoredFormula], most_nodes: usize) -> f64 {
    let (mut error, mut last, mut sum) = (100.0_f64, 1.0_f64, 0.0);
    for candidate in front.iter().filter(|candidate| candidate.size <= most_nodes) {
        sum += (1.0 + error).ln() * (candidate.size as f64 / last).ln();
        (error, last) = (candidate.error, candidate.size as f64);
    }
    sum + (1.0 + error).ln() * ((most_nodes as f64 + 1.0) / last).ln()
}

/// The front with its numbers fully fitted on all points.
fn polished(
    archive: Vec<ScoredFormula>,
    points: &Points,
    between: &Intermediate,
    fitter: &mut Fitter,
) -> Vec<ScoredFormula> {
    let finished = archive.into_iter().map(|candidate| {
        let polished = made(&candidate.expression, points, points, 60, fitter);
        if between.sound(&polished.expression, fitter) { polished } else { candidate }
    });
    front(finished.collect())
}
