//! Expressions as a list of nodes in postfix order.

use super::math;

/// An operation on one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unary {
    /// x²
    Square,
    /// √x; undefined below 0
    SquareRoot,
    /// ln x; undefined at 0 and below
    Logarithm,
    /// eˣ
    Exponential,
}

impl Unary {
    /// The value at a point: NaN or infinite where it is undefined.
    #[inline]
    #[must_use]
    pub fn apply(self, x: f64) -> f64 {
        match self {
            Self::Square => x * x,
            Self::SquareRoot => x.sqrt(),
            Self::Logarithm => math::ln(x),
            Self::Exponential => math::exp(x),
        }
    }
}

/// An operation on two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Binary {
    /// a + b
    Add,
    /// a − b
    Subtract,
    /// a · b
    Multiply,
    /// a / b; undefined where b is 0
    Divide,
    /// the lesser of the two
    Minimum,
    /// the greater of the two
    Maximum,
}

impl Binary {
    /// The value at a point: NaN or infinite where it is undefined.
    #[inline]
    #[must_use]
    pub fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Divide => a / b,
            Self::Minimum => least(a, b),
            Self::Maximum => greatest(a, b),
        }
    }
}

// Unlike `f64::min` these keep a NaN in `a`, and compile to one instruction.
#[inline]
pub(super) fn least(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

#[inline]
pub(super) fn greatest(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// A node of an expression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Node {
    /// A finite number.
    Constant(f64),
    /// The variable of this number.
    Variable(u16),
    /// An operation on the value before it.
    Unary(Unary),
    /// An operation on the two values before it.
    Binary(Binary),
    /// The first of the two values before it where the variable is at most `threshold`, else the second: a border
    /// between two pieces.
    Choose {
        /// The number of the variable that decides.
        variable: u16,
        /// The greatest value at which the first piece holds, finite.
        threshold: f64,
    },
}

impl Node {
    /// How many values the node takes: 0, 1 or 2.
    #[must_use]
    pub const fn arity(&self) -> usize {
        match self {
            Self::Constant(_) | Self::Variable(_) => 0,
            Self::Unary(_) => 1,
            Self::Binary(_) | Self::Choose { .. } => 2,
        }
    }
}

/// The most nodes of an expression that is evaluated without a stack of its own.
const SHALLOW: usize = 32;

/// An expression over numbered variables: nodes in postfix order, each after the values it takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    nodes: Vec<Node>,
}

impl Expression {
    /// The expression of these nodes; `None` where they are none: a value is missing or left over, or a number is not
    /// finite.
    #[must_use]
    pub fn new(nodes: Vec<Node>) -> Option<Self> {
        let mut height = 0_usize;
        for node in &nodes {
            let (Node::Constant(number) | Node::Choose { threshold: number, .. }) = node else {
                height = height.checked_sub(node.arity())? + 1;
                continue;
            };
            if !number.is_finite() {
                return None;
            }
            height = height.checked_sub(node.arity())? + 1;
        }
        (height == 1).then_some(Self { nodes })
    }

    /// The expression that is one number (0 where that is not finite).
    #[must_use]
    pub fn constant(value: f64) -> Self {
        Self { nodes: vec![Node::Constant(if value.is_finite() { value } else { 0.0 })] }
    }

    /// The expression that is one variable.
    #[must_use]
    pub fn variable(number: u16) -> Self {
        Self { nodes: vec![Node::Variable(number)] }
    }

    /// `operation` of this expression.
    #[must_use]
    pub fn unary(mut self, operation: Unary) -> Self {
        self.nodes.push(Node::Unary(operation));
        self
    }

    /// `operation` of this expression and another.
    #[must_use]
    pub fn binary(mut self, operation: Binary, other: &Self) -> Self {
        self.nodes.extend_from_slice(&other.nodes);
        self.nodes.push(Node::Binary(operation));
        self
    }

    /// This expression where the variable is at most `threshold` (finite), else the other.
    #[must_use]
    pub fn up_to(mut self, variable: u16, threshold: f64, beyond: &Self) -> Self {
        self.nodes.extend_from_slice(&beyond.nodes);
        self.nodes.push(Node::Choose { variable, threshold });
        self
    }

    /// The nodes, in postfix order.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// How many nodes there are: the measure of complexity. A border between pieces counts as one.
    #[must_use]
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// How many nodes the longest way from the root to a leaf has; a leaf alone has depth 1.
    #[must_use]
    pub fn depth(&self) -> usize {
        let mut depths: Vec<usize> = Vec::new();
        for node in &self.nodes {
            let below = depths.split_off(depths.len() - node.arity()).into_iter().max().unwrap_or(0);
            depths.push(below + 1);
        }
        depths.pop().unwrap_or(0)
    }

    /// One more than the highest number of a variable, or 0.
    #[must_use]
    pub fn variables(&self) -> usize {
        let number = |node: &Node| match node {
            Node::Variable(variable) | Node::Choose { variable, .. } => Some(usize::from(*variable) + 1),
            _ => None,
        };
        self.nodes.iter().filter_map(number).max().unwrap_or(0)
    }

    /// How many borders between pieces there are.
    #[must_use]
    pub fn borders(&self) -> usize {
        self.nodes.iter().filter(|node| matches!(node, Node::Choose { .. })).count()
    }

    /// The first node of the subexpression that ends with node `root`.
    #[must_use]
    pub fn start(&self, root: usize) -> usize {
        let mut missing = 1;
        let mut at = root + 1;
        while missing > 0 && at > 0 {
            at -= 1;
            missing = missing + self.nodes[at].arity() - 1;
        }
        at
    }

    /// This expression with the subexpression that ends at node `root` replaced by `nodes`, an expression in postfix
    /// order.
    #[must_use]
    pub fn replaced(&self, root: usize, nodes: &[Node]) -> Self {
        let start = self.start(root);
        let mut all = Vec::with_capacity(self.nodes.len() + nodes.len());
        all.extend_from_slice(&self.nodes[..start]);
        all.extend_from_slice(nodes);
        all.extend_from_slice(&self.nodes[root + 1..]);
        Self { nodes: all }
    }

    /// The numbers in it, from left to right (not the borders between pieces).
    pub fn constants(&self) -> impl Iterator<Item = f64> {
        self.nodes.iter().filter_map(|node| if let Node::Constant(value) = node { Some(*value) } else { None })
    }

    /// Puts other numbers in the place of those in it, from left to right; one that is not finite changes nothing.
    pub fn set_constants(&mut self, values: &[f64]) {
        let places = self.nodes.iter_mut().filter_map(|node| if let Node::Constant(v) = node { Some(v) } else { None });
        for (place, value) in places.zip(values) {
            if value.is_finite() {
                *place = *value;
            }
        }
    }

    /// A node put in the place of another of the same arity; one of another arity changes nothing.
    pub fn set_node(&mut self, at: usize, node: Node) {
        if self.nodes[at].arity() == node.arity() {
            self.nodes[at] = node;
        }
    }

    /// The value at one point, `None` where it is undefined or not finite, or the point has too few variables.
    ///
    /// ```
    /// use hetsim_formula::parse;
    /// let formula = parse("91.59e-6*p + sqrt(bytes)", &["p", "bytes"])?;
    /// assert_eq!(formula.value(&[0.0, 16.0]), Some(4.0));
    /// # Ok::<(), hetsim_formula::ParseError>(())
    /// ```
    #[must_use]
    pub fn value(&self, point: &[f64]) -> Option<f64> {
        // Most expressions are shallow: nothing is allocated for these.
        let mut stack = [0.0; SHALLOW];
        if self.nodes.len() <= SHALLOW {
            return self.value_on(&mut stack, point);
        }
        self.value_on(&mut vec![0.0; self.nodes.len()], point)
    }

    /// The value, with the operands on a stack that has room for them.
    fn value_on(&self, stack: &mut [f64], point: &[f64]) -> Option<f64> {
        let mut top = 0;
        for node in &self.nodes {
            let first: usize = usize::checked_sub(top, node.arity())?;
            stack[first] = match *node {
                Node::Constant(value) => value,
                Node::Variable(variable) => *point.get(usize::from(variable))?,
                Node::Unary(operation) => operation.apply(stack[first]),
                Node::Binary(operation) => operation.apply(stack[first], stack[first + 1]),
                Node::Choose { variable, threshold } => {
                    let is_up_to = *point.get(usize::from(variable))? <= threshold;
                    stack[if is_up_to { first } else { first + 1 }]
                }
            };
            top = first + 1;
        }
        (top > 0).then(|| stack[top - 1]).filter(|value| value.is_finite())
    }

    /// The same with every number rounded to so many significant digits.
    #[must_use]
    pub fn rounded(&self, digits: usize) -> Self {
        let mut rounded = self.clone();
        for node in &mut rounded.nodes {
            if let Node::Constant(value) = node {
                *value = format!("{value:.*e}", digits.saturating_sub(1)).parse().unwrap_or(*value);
            }
        }
        rounded
    }
}
