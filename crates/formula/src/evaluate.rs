//! Evaluation over many points: node by node, a chunk of points at a time.
//!
//! The loop of a node runs over a chunk that stays in the nearest cache. All points of the chunk share the cost of
//! choosing the operation, and the compiler vectorises the loop. After the first expression of a size, evaluation
//! allocates nothing.

use super::expression::{Binary, Expression, Node, Unary, greatest, least};
use super::math;

/// Points per loop: 1 KiB per value.
pub const CHUNK: usize = 128;

/// Points as columns: the values of each variable, all of the same length.
pub type Columns = [Vec<f64>];

/// The position of a value on the stack.
#[derive(Clone, Copy)]
enum Operand {
    Number(f64),
    Column(usize),
    Buffer,
}

/// Reusable buffers for evaluation, one per thread.
#[derive(Debug, Default)]
pub struct Evaluator {
    buffers: Vec<[f64; CHUNK]>,
}

impl std::fmt::Debug for Operand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("operand")
    }
}

impl Evaluator {
    /// Writes the values of an expression at all points to `values`: NaN or infinite where they are undefined. Points
    /// beyond the shortest column used are not touched.
    ///
    /// # Panics
    ///
    /// If the expression has a variable without a column, or a column is shorter than `values`.
    pub fn evaluate(&mut self, expression: &Expression, columns: &Columns, values: &mut [f64]) {
        self.run::<false>(expression, columns, values);
    }

    /// The same with protected operations: the logarithm of a non-positive value and the root of a negative one are
    /// replaced by 0 (004, section 3.2). Returns the number of replaced values.
    ///
    /// # Panics
    ///
    /// As [`Self::evaluate`].
    pub fn evaluate_protected(&mut self, expression: &Expression, columns: &Columns, values: &mut [f64]) -> usize {
        self.run::<true>(expression, columns, values)
    }

    fn run<const PROTECTED: bool>(&mut self, expression: &Expression, columns: &Columns, values: &mut [f64]) -> usize {
        let mut operands = [Operand::Buffer; 64];
        let mut overflow = Vec::new();
        let nodes = expression.nodes();
        // A stack is never higher than half the nodes, rounded up.
        let height = nodes.len() / 2 + 1;
        if self.buffers.len() < height {
            self.buffers.resize(height, [0.0; CHUNK]);
        }
        let operands: &mut [Operand] = if height <= operands.len() {
            &mut operands
        } else {
            overflow.resize(height, Operand::Buffer);
            &mut overflow
        };
        let mut faults = 0;
        for (number, chunk) in values.chunks_mut(CHUNK).enumerate() {
            let from = number * CHUNK;
            faults += self.chunk::<PROTECTED>(nodes, columns, from, chunk.len(), operands);
            match operands[0] {
                Operand::Number(value) => chunk.fill(value),
                Operand::Column(column) => chunk.copy_from_slice(&columns[column][from..from + chunk.len()]),
                Operand::Buffer => chunk.copy_from_slice(&self.buffers[0][..chunk.len()]),
            }
        }
        faults
    }

    fn chunk<const PROTECTED: bool>(
        &mut self,
        nodes: &[Node],
        columns: &Columns,
        from: usize,
        length: usize,
        operands: &mut [Operand],
    ) -> usize {
        let mut top = 0;
        let mut faults = 0;
        for node in nodes {
            match *node {
                Node::Constant(value) => {
                    operands[top] = Operand::Number(value);
                    top += 1;
                }
                Node::Variable(variable) => {
                    operands[top] = Operand::Column(usize::from(variable));
                    top += 1;
                }
                Node::Unary(operation) => {
                    let at = top - 1;
                    let buffer = &mut self.buffers[at][..length];
                    match operands[at] {
                        Operand::Number(value) => buffer.fill(value),
                        Operand::Column(column) => buffer.copy_from_slice(&columns[column][from..from + length]),
                        Operand::Buffer => {}
                    }
                    faults += unary::<PROTECTED>(operation, buffer);
                    operands[at] = Operand::Buffer;
                }
                Node::Binary(operation) => {
                    top -= 1;
                    let at = top - 1;
                    let (low, high) = self.buffers.split_at_mut(top);
                    let (into, other) = (&mut low[at][..length], &high[0][..length]);
                    let column = |column: usize| &columns[column][from..from + length];
                    operands[at] = match (operands[at], operands[top]) {
                        (Operand::Number(a), Operand::Number(b)) => Operand::Number(operation.apply(a, b)),
                        (Operand::Number(a), Operand::Column(b)) => scalar_slice(operation, a, column(b), into),
                        (Operand::Number(a), Operand::Buffer) => scalar_slice(operation, a, other, into),
                        (Operand::Column(a), Operand::Number(b)) => slice_scalar(operation, column(a), b, into),
                        (Operand::Column(a), Operand::Column(b)) => slices(operation, column(a), column(b), into),
                        (Operand::Column(a), Operand::Buffer) => slices(operation, column(a), other, into),
                        (Operand::Buffer, Operand::Number(b)) => in_place_scalar(operation, into, b),
                        (Operand::Buffer, Operand::Column(b)) => in_place(operation, into, column(b)),
                        (Operand::Buffer, Operand::Buffer) => in_place(operation, into, other),
                    };
                }
                Node::Choose { variable, threshold } => {
                    top -= 1;
                    let at = top - 1;
                    let (low, high) = self.buffers.split_at_mut(top);
                    let (into, other) = (&mut low[at][..length], &mut high[0][..length]);
                    for (operand, buffer) in [(operands[at], &mut *into), (operands[top], &mut *other)] {
                        match operand {
                            Operand::Number(value) => buffer.fill(value),
                            Operand::Column(column) => buffer.copy_from_slice(&columns[column][from..from + length]),
                            Operand::Buffer => {}
                        }
                    }
                    let decides = &columns[usize::from(variable)][from..from + length];
                    for ((a, b), x) in into.iter_mut().zip(other.iter()).zip(decides) {
                        *a = if *x <= threshold { *a } else { *b };
                    }
                    operands[at] = Operand::Buffer;
                }
            }
        }
        faults
    }
}

#[allow(clippy::needless_for_each, reason = "a line an operation reads as the table that it is")]
fn unary<const PROTECTED: bool>(operation: Unary, values: &mut [f64]) -> usize {
    let mut faults = 0;
    match operation {
        Unary::Square => values.iter_mut().for_each(|x| *x *= *x),
        Unary::SquareRoot => {
            if PROTECTED {
                faults = values.iter().filter(|x| **x < 0.0).count();
                values.iter_mut().for_each(|x| *x = greatest(*x, 0.0));
            }
            values.iter_mut().for_each(|x| *x = x.sqrt());
        }
        Unary::Logarithm => {
            if PROTECTED {
                faults = values.iter().filter(|x| **x <= 0.0).count();
                values.iter_mut().for_each(|x| *x = if *x <= 0.0 { 1.0 } else { *x });
            }
            values.iter_mut().for_each(|x| *x = math::ln(*x));
        }
        Unary::Exponential => values.iter_mut().for_each(|x| *x = math::exp(*x)),
    }
    faults
}

/// Runs a loop that is compiled once for each operation, so that none is chosen inside of it.
macro_rules! for_each_operation {
    ($operation:expr, |$name:ident| $body:expr) => {{
        macro_rules! run {
            ($function:expr) => {{
                let $name = $function;
                $body
            }};
        }
        match $operation {
            Binary::Add => run!(|a: f64, b: f64| a + b),
            Binary::Subtract => run!(|a: f64, b: f64| a - b),
            Binary::Multiply => run!(|a: f64, b: f64| a * b),
            Binary::Divide => run!(|a: f64, b: f64| a / b),
            Binary::Minimum => run!(|a: f64, b: f64| least(a, b)),
            Binary::Maximum => run!(|a: f64, b: f64| greatest(a, b)),
        }
        Operand::Buffer
    }};
}

fn scalar_slice(operation: Binary, a: f64, b: &[f64], into: &mut [f64]) -> Operand {
    for_each_operation!(operation, |f| into.iter_mut().zip(b).for_each(|(x, b)| *x = f(a, *b)))
}

fn slice_scalar(operation: Binary, a: &[f64], b: f64, into: &mut [f64]) -> Operand {
    for_each_operation!(operation, |f| into.iter_mut().zip(a).for_each(|(x, a)| *x = f(*a, b)))
}

fn slices(operation: Binary, a: &[f64], b: &[f64], into: &mut [f64]) -> Operand {
    for_each_operation!(operation, |f| into.iter_mut().zip(a).zip(b).for_each(|((x, a), b)| *x = f(*a, *b)))
}

#[allow(clippy::needless_for_each, reason = "as its neighbours")]
fn in_place_scalar(operation: Binary, a: &mut [f64], b: f64) -> Operand {
    for_each_operation!(operation, |f| a.iter_mut().for_each(|a| *a = f(*a, b)))
}

fn in_place(operation: Binary, a: &mut [f64], b: &[f64]) -> Operand {
    for_each_operation!(operation, |f| a.iter_mut().zip(b).for_each(|(a, b)| *a = f(*a, *b)))
}
