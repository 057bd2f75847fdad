//! Values of an expression and their derivatives with respect to its constants, over many points.
//!
//! Reverse-mode automatic differentiation: a forward sweep computes the values of all nodes, a backward sweep all
//! derivatives, whatever the number of constants.

use super::evaluate::{CHUNK, Columns};
use super::expression::{Binary, Expression, Node, Unary};
use super::math;

/// Buffers for values and derivatives of every node, one per thread.
#[derive(Debug, Default)]
pub struct Gradient {
    values: Vec<[f64; CHUNK]>,
    slopes: Vec<[f64; CHUNK]>,
    children: Vec<(usize, usize)>,
    active: Vec<bool>,
    stack: Vec<usize>,
}

impl Gradient {
    /// Computes the values of the expression at all points, and in `slopes[k]` its derivative with respect to the k-th
    /// constant. At a border between two pieces, and where both sides of a minimum are equal, the derivative is that of
    /// one side.
    ///
    /// # Panics
    ///
    /// If a column is missing or shorter than `values`, or `slopes` has fewer or shorter rows than needed.
    pub fn evaluate(
        &mut self,
        expression: &Expression,
        columns: &Columns,
        values: &mut [f64],
        slopes: &mut [Vec<f64>],
    ) {
        self.prepare(expression.nodes());
        let count = values.len();
        let root = expression.nodes().len() - 1;
        for from in (0..count).step_by(CHUNK) {
            let length = CHUNK.min(count - from);
            self.forward(expression.nodes(), columns, from, length);
            values[from..from + length].copy_from_slice(&self.values[root][..length]);
            self.backward(expression.nodes(), columns, from, length);
            let mut number = 0;
            for (at, node) in expression.nodes().iter().enumerate() {
                if matches!(node, Node::Constant(_)) {
                    slopes[number][from..from + length].copy_from_slice(&self.slopes[at][..length]);
                    number += 1;
                }
            }
        }
    }

    /// Finds the operands of each node, and the nodes that depend on a constant.
    fn prepare(&mut self, nodes: &[Node]) {
        if self.values.len() < nodes.len() {
            self.values.resize(nodes.len(), [0.0; CHUNK]);
            self.slopes.resize(nodes.len(), [0.0; CHUNK]);
        }
        self.children.clear();
        self.active.clear();
        self.stack.clear();
        for (at, node) in nodes.iter().enumerate() {
            let last = at.wrapping_sub(1);
            let (children, active) = match node.arity() {
                0 => ((0, 0), matches!(node, Node::Constant(_))),
                1 => ((last, last), self.active[last]),
                _ => {
                    // The stack holds the pending roots; the second operand is on top.
                    let first = self.stack[self.stack.len() - 2];
                    ((first, last), self.active[first] || self.active[last])
                }
            };
            self.stack.truncate(self.stack.len() - node.arity());
            self.stack.push(at);
            self.children.push(children);
            self.active.push(active);
        }
    }

    fn forward(&mut self, nodes: &[Node], columns: &Columns, from: usize, length: usize) {
        for (at, node) in nodes.iter().enumerate() {
            let (done, rest) = self.values.split_at_mut(at);
            let into = &mut rest[0][..length];
            let (first, second) = self.children[at];
            match *node {
                Node::Constant(value) => into.fill(value),
                Node::Variable(variable) => {
                    into.copy_from_slice(&columns[usize::from(variable)][from..from + length]);
                }
                Node::Unary(operation) => {
                    let x = &done[first][..length];
                    match operation {
                        Unary::Square => into.iter_mut().zip(x).for_each(|(v, x)| *v = x * x),
                        Unary::SquareRoot => into.iter_mut().zip(x).for_each(|(v, x)| *v = x.sqrt()),
                        Unary::Logarithm => into.iter_mut().zip(x).for_each(|(v, x)| *v = math::ln(*x)),
                        Unary::Exponential => into.iter_mut().zip(x).for_each(|(v, x)| *v = math::exp(*x)),
                    }
                }
                Node::Binary(operation) => {
                    let pairs = into.iter_mut().zip(&done[first][..length]).zip(&done[second][..length]);
                    match operation {
                        Binary::Add => pairs.for_each(|((v, a), b)| *v = a + b),
                        Binary::Subtract => pairs.for_each(|((v, a), b)| *v = a - b),
                        Binary::Multiply => pairs.for_each(|((v, a), b)| *v = a * b),
                        Binary::Divide => pairs.for_each(|((v, a), b)| *v = a / b),
                        _ => pairs.for_each(|((v, a), b)| *v = operation.apply(*a, *b)),
                    }
                }
                Node::Choose { variable, threshold } => {
                    let decides = &columns[usize::from(variable)][from..from + length];
                    let pairs = done[first][..length].iter().zip(&done[second][..length]);
                    for ((v, x), (a, b)) in into.iter_mut().zip(decides).zip(pairs) {
                        *v = if *x <= threshold { *a } else { *b };
                    }
                }
            }
        }
    }

    fn backward(&mut self, nodes: &[Node], columns: &Columns, from: usize, length: usize) {
        self.slopes[nodes.len() - 1][..length].fill(1.0);
        for (at, node) in nodes.iter().enumerate().rev() {
            if !self.active[at] || node.arity() == 0 {
                continue;
            }
            let (first, second) = self.children[at];
            let (below, rest) = self.slopes.split_at_mut(at);
            let slope = &rest[0][..length];
            let value = &self.values[at][..length];
            if node.arity() == 1 {
                let Node::Unary(operation) = *node else { continue };
                let x = &self.values[first][..length];
                let into = below[first][..length].iter_mut().zip(slope);
                match operation {
                    Unary::Square => into.zip(x).for_each(|((s, slope), x)| *s = 2.0 * x * slope),
                    Unary::SquareRoot => into.zip(value).for_each(|((s, slope), v)| *s = 0.5 * slope / v),
                    Unary::Logarithm => into.zip(x).for_each(|((s, slope), x)| *s = slope / x),
                    Unary::Exponential => into.zip(value).for_each(|((s, slope), v)| *s = slope * v),
                }
                continue;
            }
            let (low, high) = below.split_at_mut(second);
            let (left, right) = (&mut low[first][..length], &mut high[0][..length]);
            let (a, b) = (&self.values[first][..length], &self.values[second][..length]);
            let pairs = || left_right(a, b, slope);
            let into = left.iter_mut().zip(right.iter_mut());
            match *node {
                Node::Binary(Binary::Add) => into.zip(slope).for_each(|((l, r), s)| (*l, *r) = (*s, *s)),
                Node::Binary(Binary::Subtract) => into.zip(slope).for_each(|((l, r), s)| (*l, *r) = (*s, -*s)),
                Node::Binary(Binary::Multiply) => {
                    into.zip(pairs()).for_each(|((l, r), (a, b, s))| (*l, *r) = (s * b, s * a));
                }
                Node::Binary(Binary::Divide) => {
                    into.zip(pairs()).for_each(|((l, r), (a, b, s))| (*l, *r) = (s / b, -s * a / (b * b)));
                }
                Node::Binary(Binary::Minimum) => {
                    into.zip(pairs())
                        .for_each(|((l, r), (a, b, s))| (*l, *r) = if b < a { (0.0, s) } else { (s, 0.0) });
                }
                Node::Binary(Binary::Maximum) => {
                    into.zip(pairs())
                        .for_each(|((l, r), (a, b, s))| (*l, *r) = if b > a { (0.0, s) } else { (s, 0.0) });
                }
                Node::Choose { variable, threshold } => {
                    let decides = &columns[usize::from(variable)][from..from + length];
                    for (((l, r), s), x) in into.zip(slope).zip(decides) {
                        (*l, *r) = if *x <= threshold { (*s, 0.0) } else { (0.0, *s) };
                    }
                }
                _ => {}
            }
        }
    }
}

fn left_right<'a>(a: &'a [f64], b: &'a [f64], s: &'a [f64]) -> impl Iterator<Item = (f64, f64, f64)> + 'a {
    a.iter().zip(b).zip(s).map(|((a, b), s)| (*a, *b, *s))
}
