//! The genetic programming of Heinrich-Litan, Fissgus, Sutter, Molitor and Rauber (004, section 3) as printed.
//!
//! The text leaves some choices open: here an undefined value is replaced by 0 and costs [`PENALTY`] percent per point;
//! a linear fit uses a few random points ([`LinearFits`]); a mutation grows its new part like the first population; a child that is
//! deeper than allowed is drawn again a few times before its parent is copied.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use rand::RngExt;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use hetsim_base::engine::{Stream, Streams};
use hetsim_formula::{Binary, Evaluator, Expression, Node, Unary};

use super::data::Points;
use super::linear::{self, Loss, paper_terms};

/// The penalty in percent for a point at which an operation is undefined.
pub const PENALTY: f64 = 1000.0;

/// The error of a formula whose error is not finite.
const WORST: f64 = 1e300;

/// What the paper's genetic programming makes small.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fitness {
    /// The mean percentage error, which the authors found best.
    #[default]
    Percentage,
    /// The mean squared error.
    Squared,
}

/// What the linear fits of the first population are fitted to, which Heinrich-Litan et al. leave open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinearFits {
    /// A few random points each, by relative errors.
    #[default]
    Few,
    /// All points, by ordinary least squares, so that all of these fits are one formula.
    All,
}

/// The parameters; the defaults are those of section 4.
#[derive(Debug, Clone)]
pub struct Options {
    /// The random seed.
    pub seed: u64,
    /// The number of formulas in a generation.
    pub population: usize,
    /// The number of generations.
    pub generations: usize,
    /// The maximum depth of a syntax tree.
    pub depth: usize,
    /// The maximum number of nodes in a formula. The paper limits only the depth; a tree of depth 15 may have 32 767
    /// nodes.
    pub most_nodes: usize,
    /// The share of linear fits in the first population.
    pub linear: f64,
    /// What these are fitted to.
    pub linear_fits: LinearFits,
    /// The objective to minimise.
    pub fitness: Fitness,
    /// The number of independent runs; the best of all counts.
    pub runs: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seed: 1,
            population: 50,
            generations: 12_000,
            depth: 15,
            most_nodes: 400,
            linear: 0.5,
            linear_fits: LinearFits::Few,
            fitness: Fitness::Percentage,
            runs: 3,
        }
    }
}

#[derive(Clone)]
struct Individual {
    expression: Expression,
    error: f64,
    faulty: bool,
}

/// The distinct points: a formula has one value for all measurements at a point.
struct Places {
    columns: Vec<Vec<f64>>,
    /// The index of the distinct point of each measurement.
    of: Vec<u32>,
    /// The number of measurements at each point.
    each: usize,
}

impl Places {
    fn new(points: &Points) -> Self {
        let mut known: HashMap<Vec<u64>, u32> = HashMap::new();
        let mut counts: Vec<usize> = Vec::new();
        let mut columns = vec![Vec::new(); points.columns.len()];
        let mut of = Vec::with_capacity(points.len());
        for at in 0..points.len() {
            let key = points.columns.iter().map(|column| column[at].to_bits()).collect();
            let number = *known.entry(key).or_insert_with(|| {
                columns.iter_mut().zip(&points.columns).for_each(|(own, column)| own.push(column[at]));
                counts.push(0);
                counts.len() as u32 - 1
            });
            counts[number as usize] += 1;
            of.push(number);
        }
        let each = counts.first().copied().unwrap_or(1);
        // Faults are counted per distinct point, which is exact if all points have the same number of measurements.
        if counts.iter().all(|count| *count == each) {
            return Self { columns, of, each };
        }
        Self { columns: points.columns.clone(), of: (0..points.len() as u32).collect(), each: 1 }
    }
}

struct Restart<'a> {
    points: &'a Points,
    places: &'a Places,
    options: &'a Options,
    stream: Stream,
    evaluator: Evaluator,
    values: Vec<f64>,
    population: Vec<Individual>,
    best: Option<(Expression, f64)>,
}

/// The number of generations between reports.
const LEG: usize = 100;

/// The best formula of all runs with its error (of the chosen fitness), without undefined operations. `None` if every
/// formula has some. Runs execute in parallel; the number of threads does not affect the result. `report` receives the
/// number of completed generations, their total, and the best formula so far.
pub fn search(
    points: &Points,
    options: &Options,
    stop: &AtomicBool,
    report: &mut dyn FnMut(usize, usize, &Expression, f64),
) -> Option<(Expression, f64)> {
    let places = Places::new(points);
    let mut runs: Vec<Restart<'_>> = (0..options.runs)
        .into_par_iter()
        .map(|number| {
            let stream = Streams::new(options.seed, number as u64).stream("paper", 0);
            let values = vec![0.0; places.columns.first().map_or(points.len(), Vec::len)];
            let (evaluator, population) = (Evaluator::default(), Vec::new());
            let mut run =
                Restart { points, places: &places, options, stream, evaluator, values, population, best: None };
            run.population = run.first();
            run.remember();
            run
        })
        .collect();
    let mut generation = 0;
    loop {
        // Ties go to the first.
        let all = runs.iter().filter_map(|run| run.best.as_ref());
        let best = all.min_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((expression, error)) = best {
            report(options.runs * generation, options.runs * options.generations, expression, *error);
        }
        if generation >= options.generations || stop.load(Ordering::Relaxed) {
            return best.cloned();
        }
        let leg = LEG.min(options.generations - generation);
        runs.par_iter_mut().for_each(|run| {
            for _ in 0..leg {
                if !stop.load(Ordering::Relaxed) {
                    run.population = run.next();
                    run.remember();
                }
            }
        });
        generation += leg;
    }
}

impl Restart<'_> {
    /// Stores the best formula without undefined operations.
    fn remember(&mut self) {
        for individual in self.population.iter().filter(|individual| !individual.faulty) {
            if individual.error < self.best.as_ref().map_or(WORST, |(_, error)| *error) {
                self.best = Some((individual.expression.clone(), individual.error));
            }
        }
    }

    fn first(&mut self) -> Vec<Individual> {
        let linear = (self.options.population as f64 * self.options.linear) as usize;
        (0..self.options.population)
            .map(|number| {
                let fitted = if number < linear { self.line() } else { None };
                let expression = fitted.unwrap_or_else(|| self.grown(self.options.depth));
                self.judged(expression)
            })
            .collect()
    }

    /// A linear fit for the first population.
    fn line(&mut self) -> Option<Expression> {
        let terms = paper_terms(self.points.columns.len());
        if self.options.linear_fits == LinearFits::All {
            return linear::fit(self.points, &terms, Loss::Squared);
        }
        let count = self.stream.random_range(4..=12);
        let numbers: Vec<usize> = (0..count).map(|_| self.stream.random_range(0..self.points.len())).collect();
        linear::fit(&self.points.chosen(&numbers), &terms, Loss::RelativeSquared)
    }

    /// A random tree from the root down: any operation or terminal, and only terminals at the maximum depth.
    fn grown(&mut self, depth: usize) -> Expression {
        loop {
            let mut nodes = Vec::new();
            self.grow(depth, &mut nodes);
            // A tree truncated for its size is invalid.
            if nodes.len() <= self.options.most_nodes
                && let Some(expression) = Expression::new(nodes)
            {
                return expression;
            }
        }
    }

    fn grow(&mut self, depth: usize, nodes: &mut Vec<Node>) {
        const UNARY: [Unary; 4] = [Unary::Square, Unary::SquareRoot, Unary::Logarithm, Unary::Exponential];
        if nodes.len() > self.options.most_nodes {
            return;
        }
        let variables = self.points.columns.len();
        // The terminals: the variables, 1 to 10, 0.1 and 10⁻⁶.
        let terminals = variables + 12;
        let operations = if depth > 1 { 6 } else { 0 };
        let draw = self.stream.random_range(0..operations + terminals);
        match draw.checked_sub(operations) {
            Some(number) if number < variables => nodes.push(Node::Variable(number as u16)),
            Some(number) => nodes.push(Node::Constant(match number - variables {
                10 => 0.1,
                11 => 1e-6,
                whole => (whole + 1) as f64,
            })),
            None if draw < 4 => {
                self.grow(depth - 1, nodes);
                nodes.push(Node::Unary(UNARY[draw]));
            }
            None => {
                self.grow(depth - 1, nodes);
                self.grow(depth - 1, nodes);
                nodes.push(Node::Binary(if draw == 4 { Binary::Add } else { Binary::Multiply }));
            }
        }
    }

    fn judged(&mut self, expression: Expression) -> Individual {
        let Self { points, places, options, evaluator, values, .. } = self;
        let faults = places.each * evaluator.evaluate_protected(&expression, &places.columns, values);
        let pairs = places.of.iter().map(|place| values[*place as usize]).zip(&points.target);
        let sum: f64 = match options.fitness {
            Fitness::Percentage => pairs.map(|(value, time)| 100.0 * ((value - time) / time).abs()).sum(),
            Fitness::Squared => pairs.map(|(value, time)| (value - time) * (value - time)).sum(),
        };
        let error = (sum + faults as f64 * PENALTY) / points.len() as f64;
        Individual { expression, error: if error < WORST { error } else { WORST }, faulty: faults > 0 }
    }

    /// Makes the next generation: 80 % by crossover, 10 % by mutation, 10 % copies.
    fn next(&mut self) -> Vec<Individual> {
        let population = &std::mem::take(&mut self.population);
        // Selection in proportion to 1 / error, by cumulative sums.
        let mut sums = Vec::with_capacity(population.len());
        let mut sum = 0.0;
        for individual in population {
            sum += 1.0 / individual.error.max(1e-9);
            sums.push(sum);
        }
        let mut children = Vec::with_capacity(population.len() + 1);
        while children.len() < population.len() {
            let draw: f64 = self.stream.random();
            let first = self.selected(population, &sums);
            if draw < 0.8 {
                let second = self.selected(population, &sums);
                for child in self.crossed(&first.expression, &second.expression) {
                    children.push(self.judged(child));
                }
            } else if draw < 0.9 {
                let child = self.mutated(&first.expression);
                children.push(self.judged(child));
            } else {
                children.push(first.clone());
            }
        }
        children.truncate(population.len());
        children
    }

    fn selected<'p>(&mut self, population: &'p [Individual], sums: &[f64]) -> &'p Individual {
        let wanted = self.stream.random::<f64>() * sums[sums.len() - 1];
        &population[sums.partition_point(|sum| *sum <= wanted).min(population.len() - 1)]
    }

    fn allowed(&self, expression: &Expression) -> bool {
        expression.size() <= self.options.most_nodes && expression.depth() <= self.options.depth
    }

    fn crossed(&mut self, first: &Expression, second: &Expression) -> [Expression; 2] {
        for _ in 0..5 {
            let (a, b) = (self.stream.random_range(0..first.size()), self.stream.random_range(0..second.size()));
            let one = first.replaced(a, &second.nodes()[second.start(b)..=b]);
            let other = second.replaced(b, &first.nodes()[first.start(a)..=a]);
            if self.allowed(&one) && self.allowed(&other) {
                return [one, other];
            }
        }
        [first.clone(), second.clone()]
    }

    fn mutated(&mut self, parent: &Expression) -> Expression {
        for _ in 0..5 {
            let at = self.stream.random_range(0..parent.size());
            let part = self.grown(self.options.depth);
            let child = parent.replaced(at, part.nodes());
            if self.allowed(&child) {
                return child;
            }
        }
        parent.clone()
    }
}
