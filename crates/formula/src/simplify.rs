//! Simpler expressions of the same value.

use super::expression::{Binary, Expression, Node, Unary};

/// A simpler expression that has the same value wherever this one is defined: constants are folded, neutral and
/// absorbing operands removed, inverse operations cancelled, and borders that an outer border decides dropped.
///
/// Where this expression is undefined, the result may be defined: √(x)² becomes x.
#[must_use]
pub fn simplify(expression: &Expression) -> Expression {
    let mut stack: Vec<Vec<Node>> = Vec::new();
    for node in expression.nodes() {
        let second = if node.arity() == 2 { stack.pop() } else { None };
        let first = if node.arity() >= 1 { stack.pop() } else { None };
        let part = match (*node, first, second) {
            (Node::Unary(operation), Some(x), _) => unary(operation, x),
            (Node::Binary(operation), Some(a), Some(b)) => binary(operation, a, b),
            (Node::Choose { variable, threshold }, Some(a), Some(b)) => choose(variable, threshold, a, b),
            (leaf, ..) => vec![leaf],
        };
        stack.push(part);
    }
    stack.pop().and_then(Expression::new).unwrap_or_else(|| expression.clone())
}

fn number(nodes: &[Node]) -> Option<f64> {
    if let [Node::Constant(value)] = nodes { Some(*value) } else { None }
}

fn finite(value: f64) -> Option<Vec<Node>> {
    value.is_finite().then(|| vec![Node::Constant(value)])
}

fn unary(operation: Unary, mut x: Vec<Node>) -> Vec<Node> {
    if let Some(folded) = number(&x).and_then(|value| finite(operation.apply(value))) {
        return folded;
    }
    let inverse = match operation {
        Unary::Square => Unary::SquareRoot,
        Unary::Logarithm => Unary::Exponential,
        Unary::Exponential => Unary::Logarithm,
        // √(x²) is |x|.
        Unary::SquareRoot => {
            x.push(Node::Unary(operation));
            return x;
        }
    };
    if x.last() == Some(&Node::Unary(inverse)) {
        x.pop();
    } else {
        x.push(Node::Unary(operation));
    }
    x
}

fn joined(operation: Binary, mut a: Vec<Node>, b: &[Node]) -> Vec<Node> {
    a.extend_from_slice(b);
    a.push(Node::Binary(operation));
    a
}

fn binary(operation: Binary, a: Vec<Node>, b: Vec<Node>) -> Vec<Node> {
    let (left, right) = (number(&a), number(&b));
    if let (Some(left), Some(right)) = (left, right)
        && let Some(folded) = finite(operation.apply(left, right))
    {
        return folded;
    }
    let zero = || vec![Node::Constant(0.0)];
    match (operation, left, right) {
        (Binary::Add, Some(0.0), _) | (Binary::Multiply, Some(1.0), _) => return b,
        (Binary::Add | Binary::Subtract, _, Some(0.0)) | (Binary::Multiply | Binary::Divide, _, Some(1.0)) => return a,
        (Binary::Multiply | Binary::Divide, Some(0.0), _) | (Binary::Multiply, _, Some(0.0)) => {
            return zero();
        }
        _ => {}
    }
    match operation {
        Binary::Subtract if a == b => return zero(),
        Binary::Divide if a == b => return vec![Node::Constant(1.0)],
        Binary::Minimum | Binary::Maximum if a == b => return a,
        Binary::Multiply if a == b => return unary(Unary::Square, a),
        _ => {}
    }
    // c + (d + x) and c · (d · x) need one number only; numbers are kept on the left.
    if matches!(operation, Binary::Add | Binary::Multiply) {
        let (a, b) = if right.is_some() { (b, a) } else { (a, b) };
        if let (Some(outer), Some(Node::Constant(inner))) = (number(&a), b.first())
            && b.len() > 2
            && b.last() == Some(&Node::Binary(operation))
            && second_operand_starts_at(&b) == 1
            && let Some(mut folded) = finite(operation.apply(outer, *inner))
        {
            folded.extend_from_slice(&b[1..]);
            return folded;
        }
        return joined(operation, a, &b);
    }
    joined(operation, a, &b)
}

/// Where the second operand of the last node starts.
fn second_operand_starts_at(nodes: &[Node]) -> usize {
    let mut missing = 1;
    let mut at = nodes.len() - 1;
    while missing > 0 && at > 0 {
        at -= 1;
        missing = missing + nodes[at].arity() - 1;
    }
    at
}

fn choose(variable: u16, threshold: f64, a: Vec<Node>, b: Vec<Node>) -> Vec<Node> {
    // Within the first piece x ≤ threshold is known, within the second x > threshold.
    let mut a = decided(a, |other, border| (other == variable && border >= threshold).then_some(true));
    let b = decided(b, |other, border| (other == variable && border <= threshold).then_some(false));
    if a == b {
        return a;
    }
    a.extend(b);
    a.push(Node::Choose { variable, threshold });
    a
}

/// The expression without the borders that `known` decides.
fn decided(nodes: Vec<Node>, known: impl Fn(u16, f64) -> Option<bool>) -> Vec<Node> {
    if !nodes
        .iter()
        .any(|node| matches!(node, Node::Choose { variable, threshold } if known(*variable, *threshold).is_some()))
    {
        return nodes;
    }
    let mut stack: Vec<Vec<Node>> = Vec::new();
    for node in nodes {
        let second = if node.arity() == 2 { stack.pop() } else { None };
        let first = if node.arity() >= 1 { stack.pop() } else { None };
        let side = if let Node::Choose { variable, threshold } = node { known(variable, threshold) } else { None };
        let part = match (side, first, second) {
            (Some(true), Some(a), _) => a,
            (Some(false), _, Some(b)) => b,
            (_, first, second) => {
                let mut all = first.unwrap_or_default();
                all.extend(second.unwrap_or_default());
                all.push(node);
                all
            }
        };
        stack.push(part);
    }
    stack.pop().unwrap_or_default()
}
