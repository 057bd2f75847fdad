//! A formula of one variable, prepared for fast evaluation at single values.
//!
//! Borders between pieces become a table of intervals, each with the remaining formula. An evaluation searches the
//! interval and walks over a few nodes; it allocates nothing.

use super::expression::{Expression, Node};

/// The largest number of values that a formula may hold at once.
pub const HIGHEST: usize = 256;

/// A piecewise expression of one variable. Its values equal those of the expression, to the last digit.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// The greatest value of the variable in each piece but the last, ascending.
    borders: Vec<f64>,
    /// The nodes of each piece, in postfix order.
    pieces: Vec<Vec<Node>>,
    /// The largest number of values that a piece holds at once.
    height: usize,
}

impl Curve {
    /// The curve of an expression. `None` if the expression uses other variables than the first, or holds more than
    /// [`HIGHEST`] values at once.
    #[must_use]
    pub fn new(expression: &Expression) -> Option<Self> {
        if expression.variables() > 1 {
            return None;
        }
        let threshold = |node: &Node| if let Node::Choose { threshold, .. } = node { Some(*threshold) } else { None };
        let mut borders: Vec<f64> = expression.nodes().iter().filter_map(threshold).collect();
        borders.sort_by(f64::total_cmp);
        borders.dedup();
        let pieces: Vec<Vec<Node>> = (0..=borders.len())
            // In the last piece the variable is above every border.
            .map(|piece| {
                folded(expression, |_| None, |_, border| borders.get(piece).map(|end| border >= *end).or(Some(false)))
            })
            .collect();
        let height = pieces.iter().map(|piece| height(piece)).max()?;
        (height <= HIGHEST).then_some(Self { borders, pieces, height })
    }

    /// The value at a point: NaN or infinite where it is undefined.
    #[inline]
    #[must_use]
    pub fn value(&self, x: f64) -> f64 {
        let nodes = &self.pieces[self.borders.partition_point(|border| *border < x)];
        // Clearing a stack takes longer than most formulas, so the stack is as small as possible.
        match self.height {
            0..=8 => walk::<8>(nodes, x),
            9..=32 => walk::<32>(nodes, x),
            _ => walk::<HIGHEST>(nodes, x),
        }
    }
}

/// The value of nodes that hold at most `STACK` values at once.
#[inline]
fn walk<const STACK: usize>(nodes: &[Node], x: f64) -> f64 {
    let mut stack = [0.0; STACK];
    let mut top = 0;
    for node in nodes {
        match *node {
            Node::Constant(value) => {
                stack[top] = value;
                top += 1;
            }
            Node::Variable(_) => {
                stack[top] = x;
                top += 1;
            }
            Node::Unary(operation) => stack[top - 1] = operation.apply(stack[top - 1]),
            Node::Binary(operation) => {
                top -= 1;
                stack[top - 1] = operation.apply(stack[top - 1], stack[top]);
            }
            Node::Choose { threshold, .. } => {
                top -= 1;
                stack[top - 1] = if x <= threshold { stack[top - 1] } else { stack[top] };
            }
        }
    }
    stack[0]
}

/// The largest number of values that the nodes hold at once.
fn height(nodes: &[Node]) -> usize {
    let mut now = 0;
    let heights = nodes.iter().map(|node| {
        now = now + 1 - node.arity();
        now
    });
    heights.max().unwrap_or(0)
}

/// Folds known parts of an expression: `put` returns the replacement of a variable, `decide` whether a variable is at
/// most a border. Constant subexpressions are computed by the usual operations; nothing else changes.
pub(super) fn folded(
    expression: &Expression,
    put: impl Fn(u16) -> Option<Node>,
    decide: impl Fn(u16, f64) -> Option<bool>,
) -> Vec<Node> {
    let mut stack: Vec<Vec<Node>> = Vec::new();
    let number = |nodes: &[Node]| if let [Node::Constant(value)] = nodes { Some(*value) } else { None };
    for node in expression.nodes() {
        let second = if node.arity() == 2 { stack.pop() } else { None };
        let first = if node.arity() >= 1 { stack.pop() } else { None };
        let part = match (*node, first, second) {
            (Node::Unary(operation), Some(mut x), _) => {
                let value = number(&x).map(|value| operation.apply(value));
                if let Some(value) = value.filter(|value| value.is_finite()) {
                    vec![Node::Constant(value)]
                } else {
                    x.push(*node);
                    x
                }
            }
            (Node::Binary(operation), Some(mut a), Some(b)) => {
                let both = number(&a).zip(number(&b)).map(|(a, b)| operation.apply(a, b));
                if let Some(value) = both.filter(|value| value.is_finite()) {
                    vec![Node::Constant(value)]
                } else {
                    a.extend(b);
                    a.push(*node);
                    a
                }
            }
            (Node::Choose { variable, threshold }, Some(mut a), Some(b)) => match decide(variable, threshold) {
                Some(true) => a,
                Some(false) => b,
                None => {
                    let variable = match put(variable) {
                        Some(Node::Variable(other)) => other,
                        _ => variable,
                    };
                    a.extend(b);
                    a.push(Node::Choose { variable, threshold });
                    a
                }
            },
            (Node::Variable(variable), ..) => vec![put(variable).unwrap_or(*node)],
            (leaf, ..) => vec![leaf],
        };
        stack.push(part);
    }
    stack.pop().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::parse;

    const FORMULAS: [&str; 7] = [
        "3.5",
        "x",
        "50 + 0.008*x",
        "if(x <= 512, 10 + 0.045*x, if(x <= 4096, sqrt(x) + 2, 60 + 0.035*x))",
        "if(x <= 8, 1, 2) + if(x <= 100, x, ln(x)) * max(3, exp(2 - x/40))",
        "if(x <= 8, if(x <= 8, 1, 1/0), x/(x - 9))",
        "((1 + 2)*x - (4 - x)^2)/(7 - ln(x))",
    ];

    proptest! {
        #[test]
        fn its_values_are_those_of_the_formula(which in 0..FORMULAS.len(), x in prop_oneof![0.0..20.0_f64, 0.0..1e6_f64]) {
            // Borders and round numbers are met as well.
            for x in [x, f64::round(x), 8.0, 9.0, 100.0, 512.0, 4096.0, 0.0] {
                let expression = parse(FORMULAS[which], &["x"]).unwrap();
                let value = Curve::new(&expression).unwrap().value(x);
                prop_assert_eq!(expression.value(&[x]), Some(value).filter(|value| value.is_finite()));
            }
        }
    }

    #[test]
    fn what_is_no_curve() {
        let two = parse("a + b", &["a", "b"]).unwrap();
        assert_eq!(Curve::new(&two), None);
        // 1 + (x + (1 + (x + …))) holds a value more at each bracket.
        let deep = |depth: usize| {
            let mut nodes = vec![Node::Variable(0); depth];
            nodes.extend(vec![Node::Binary(crate::Binary::Add); depth - 1]);
            Expression::new(nodes).unwrap()
        };
        assert_eq!(Curve::new(&deep(HIGHEST)).unwrap().value(0.5), 128.0);
        assert_eq!(Curve::new(&deep(HIGHEST + 1)), None);
        assert_eq!(Curve::new(&deep(20)).unwrap().value(2.0), 40.0);
    }
}
