//! Random expressions, and random variations of expressions.

use rand::RngExt;

use hetsim_base::engine::Stream;
use hetsim_formula::{Binary, Expression, Node, Unary};

/// The building blocks of expressions.
#[derive(Debug, Clone)]
pub struct Alphabet {
    /// The distinct values of each variable in rising order, which are the candidates for borders.
    pub values: Vec<Vec<f64>>,
    /// Whether borders between pieces are allowed.
    pub borders: bool,
    /// The maximum number of nodes.
    pub most_nodes: usize,
}

const UNARY: [Unary; 4] = [Unary::Square, Unary::SquareRoot, Unary::Logarithm, Unary::Exponential];
const BINARY: [Binary; 6] =
    [Binary::Add, Binary::Multiply, Binary::Add, Binary::Multiply, Binary::Divide, Binary::Maximum];

impl Alphabet {
    /// A random expression of at most this depth in postfix order.
    pub fn random(&self, depth: usize, stream: &mut Stream) -> Vec<Node> {
        let mut nodes = Vec::new();
        self.grow(depth, stream, &mut nodes);
        nodes
    }

    fn grow(&self, depth: usize, stream: &mut Stream, nodes: &mut Vec<Node>) {
        let draw: f64 = stream.random();
        if depth <= 1 || draw < 0.2 {
            self.leaf(stream, nodes);
        } else if draw < 0.45 {
            self.grow(depth - 1, stream, nodes);
            nodes.push(Node::Unary(UNARY[stream.random_range(0..UNARY.len())]));
        } else {
            self.grow(depth - 1, stream, nodes);
            self.grow(depth - 1, stream, nodes);
            nodes.push(self.joint(stream));
        }
    }

    /// A leaf: a variable with a factor, a variable, or a number.
    fn leaf(&self, stream: &mut Stream, nodes: &mut Vec<Node>) {
        let draw: f64 = stream.random();
        if draw < 0.3 {
            nodes.push(Node::Constant(number(stream)));
            return;
        }
        let variable = Node::Variable(stream.random_range(0..self.values.len()) as u16);
        if draw < 0.65 {
            nodes.extend([Node::Constant(number(stream)), variable, Node::Binary(Binary::Multiply)]);
        } else {
            nodes.push(variable);
        }
    }

    /// A node with two operands.
    fn joint(&self, stream: &mut Stream) -> Node {
        if self.borders && stream.random::<f64>() < 0.12 {
            return self.border(stream);
        }
        Node::Binary(BINARY[stream.random_range(0..BINARY.len())])
    }

    fn border(&self, stream: &mut Stream) -> Node {
        let variable = stream.random_range(0..self.values.len());
        let values = &self.values[variable];
        Node::Choose { variable: variable as u16, threshold: values[stream.random_range(0..values.len())] }
    }

    /// A mutated copy of an expression; `None` if it gets too large.
    pub fn mutated(&self, parent: &Expression, stream: &mut Stream) -> Option<Expression> {
        let nodes = parent.nodes();
        let at = stream.random_range(0..nodes.len());
        let start = parent.start(at);
        let part = &nodes[start..=at];
        let child = match stream.random_range(0..8_u32) {
            // Replace the part by a random one.
            0 => parent.replaced(at, &self.random(3, stream)),
            // Replace the part by a part of itself.
            1 => {
                let inner = stream.random_range(start..=at);
                parent.replaced(at, &nodes[parent.start(inner)..=inner])
            }
            // Apply an operation to the part.
            2 => parent.replaced(at, &[part, &[Node::Unary(UNARY[stream.random_range(0..UNARY.len())])]].concat()),
            // Join the part with a random one.
            3 | 4 => {
                let other = self.random(2, stream);
                parent.replaced(at, &[part, &other, &[self.joint(stream)]].concat())
            }
            // Divide the part into two pieces, whose numbers then diverge.
            5 if self.borders && part.iter().any(|node| matches!(node, Node::Constant(_))) => {
                parent.replaced(at, &[part, part, &[self.border(stream)]].concat())
            }
            _ => self.point(parent, at, stream),
        };
        (child.size() <= self.most_nodes).then_some(child)
    }

    /// A copy with one node changed.
    fn point(&self, parent: &Expression, at: usize, stream: &mut Stream) -> Expression {
        let mut child = parent.clone();
        let node = match child.nodes()[at] {
            Node::Constant(value) => Node::Constant(value * (1.0 + 2.0 * (stream.random::<f64>() - 0.4))),
            Node::Variable(_) => Node::Variable(stream.random_range(0..self.values.len()) as u16),
            Node::Unary(_) => Node::Unary(UNARY[stream.random_range(0..UNARY.len())]),
            Node::Binary(_) => Node::Binary(BINARY[stream.random_range(0..BINARY.len())]),
            Node::Choose { variable, threshold } => {
                // Move the border a little.
                let values = &self.values[usize::from(variable)];
                let place = values.partition_point(|value| *value < threshold) + stream.random_range(0..5);
                Node::Choose { variable, threshold: values[place.saturating_sub(2).min(values.len() - 1)] }
            }
        };
        child.set_node(at, node);
        child
    }

    /// The first parent with a part of the second; `None` if it gets too large.
    pub fn crossed(&self, first: &Expression, second: &Expression, stream: &mut Stream) -> Option<Expression> {
        let into = stream.random_range(0..first.size());
        let from = stream.random_range(0..second.size());
        let child = first.replaced(into, &second.nodes()[second.start(from)..=from]);
        (child.size() <= self.most_nodes).then_some(child)
    }
}

/// A number of any size and either sign, mostly positive.
fn number(stream: &mut Stream) -> f64 {
    let size = 10_f64.powf(stream.random_range(-4.0..3.0));
    if stream.random::<f64>() < 0.2 { -size } else { size }
}
