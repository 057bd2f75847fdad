//! Expressions as text, LaTeX and code.

use super::expression::{Binary, Expression, Node, Unary};

/// A notation that an expression can be printed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notation {
    /// Plain text that [`parse`](super::parse()) reads back.
    Text,
    /// LaTeX for a formula environment; pieces need `amsmath`.
    Latex,
    /// A Rust expression over `f64`.
    Rust,
    /// A C expression over `double`, with `math.h`.
    C,
    /// A Python expression, with `import math`.
    Python,
}

impl Notation {
    /// All notations with their names.
    pub const ALL: [(Self, &'static str); 5] =
        [(Self::Text, "text"), (Self::Latex, "latex"), (Self::Rust, "rust"), (Self::C, "c"), (Self::Python, "python")];
}

/// How tightly the outermost operation of a text binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Sum,
    Product,
    Atom,
}

/// A printed part and its binding.
struct PrintedPart {
    text: String,
    binding: Binding,
    /// The text of its negation, if it starts with a negative number: a sum subtracts that text.
    opposite: Option<String>,
}

impl PrintedPart {
    fn new(text: String, binding: Binding) -> Self {
        Self { text, binding, opposite: None }
    }

    fn within(&self, least: Binding, notation: Notation) -> String {
        if self.binding >= least {
            return self.text.clone();
        }
        match notation {
            Notation::Latex => format!("\\left({}\\right)", self.text),
            _ => format!("({})", self.text),
        }
    }
}

/// The expression in a notation, with these names of variables (numbers, if there are too few).
#[must_use]
pub fn print(expression: &Expression, variables: &[&str], notation: Notation) -> String {
    let mut stack: Vec<PrintedPart> = Vec::new();
    for node in expression.nodes() {
        // An expression is complete by construction, so the operands exist.
        let second = if node.arity() == 2 { stack.pop() } else { None };
        let first = if node.arity() >= 1 { stack.pop() } else { None };
        let part = match (node, first, second) {
            (Node::Constant(value), ..) => number(*value, notation),
            (Node::Variable(variable), ..) => PrintedPart::new(name(*variable, variables, notation), Binding::Atom),
            (Node::Unary(operation), Some(x), _) => unary(*operation, &x, notation),
            (Node::Binary(operation), Some(a), Some(b)) => binary(*operation, &a, &b, notation),
            (Node::Choose { variable, threshold }, Some(a), Some(b)) => {
                let condition = (name(*variable, variables, notation), number(*threshold, notation).text);
                choice(&condition, &a, &b, notation)
            }
            _ => continue,
        };
        stack.push(part);
    }
    stack.pop().map(|part| part.text).unwrap_or_default()
}

fn name(variable: u16, variables: &[&str], notation: Notation) -> String {
    let name = variables.get(usize::from(variable)).map_or_else(|| format!("x{variable}"), ToString::to_string);
    match notation {
        Notation::Latex if name.chars().count() > 1 => format!("\\mathrm{{{}}}", name.replace('_', "\\_")),
        _ => name,
    }
}

fn number(value: f64, notation: Notation) -> PrintedPart {
    let digits = format!("{value:?}");
    let text = match notation {
        Notation::Text => digits.strip_suffix(".0").unwrap_or(&digits).to_owned(),
        Notation::Latex => match digits.split_once('e') {
            Some(("1.0" | "1", exponent)) => format!("10^{{{exponent}}}"),
            Some((mantissa, exponent)) => {
                format!("{} \\cdot 10^{{{exponent}}}", mantissa.strip_suffix(".0").unwrap_or(mantissa))
            }
            None => digits.strip_suffix(".0").unwrap_or(&digits).to_owned(),
        },
        Notation::Rust if digits.contains('e') => format!("{digits}_f64"),
        _ => digits,
    };
    // A negative number is bracketed within products, so that no two signs meet.
    let binding = match (value.is_sign_negative(), notation == Notation::Latex && text.contains('\\')) {
        (true, _) => Binding::Sum,
        (false, true) => Binding::Product,
        (false, false) => Binding::Atom,
    };
    let opposite = value.is_sign_negative().then(|| text.trim_start_matches('-').to_owned());
    PrintedPart { text, binding, opposite }
}

#[allow(clippy::match_same_arms, reason = "a table of notations, in which some names are the same")]
fn unary(operation: Unary, x: &PrintedPart, notation: Notation) -> PrintedPart {
    let inner = &x.text;
    let text = match (notation, operation) {
        (Notation::Text, Unary::Square) => format!("{}^2", x.within(Binding::Atom, notation)),
        (Notation::Text, Unary::SquareRoot) => format!("sqrt({inner})"),
        (Notation::Text, Unary::Logarithm) => format!("ln({inner})"),
        (Notation::Text, Unary::Exponential) => format!("exp({inner})"),
        (Notation::Latex, Unary::Square) => format!("\\left({inner}\\right)^{{2}}"),
        (Notation::Latex, Unary::SquareRoot) => format!("\\sqrt{{{inner}}}"),
        (Notation::Latex, Unary::Logarithm) => format!("\\ln\\left({inner}\\right)"),
        (Notation::Latex, Unary::Exponential) => format!("e^{{{inner}}}"),
        (Notation::Rust, Unary::Square) => format!("f64::powi({inner}, 2)"),
        (Notation::Rust, Unary::SquareRoot) => format!("f64::sqrt({inner})"),
        (Notation::Rust, Unary::Logarithm) => format!("f64::ln({inner})"),
        (Notation::Rust, Unary::Exponential) => format!("f64::exp({inner})"),
        (Notation::C, Unary::Square) => format!("pow({inner}, 2.0)"),
        (Notation::C, Unary::SquareRoot) => format!("sqrt({inner})"),
        (Notation::C, Unary::Logarithm) => format!("log({inner})"),
        (Notation::C, Unary::Exponential) => format!("exp({inner})"),
        (Notation::Python, Unary::Square) => format!("({inner})**2"),
        (Notation::Python, Unary::SquareRoot) => format!("math.sqrt({inner})"),
        (Notation::Python, Unary::Logarithm) => format!("math.log({inner})"),
        (Notation::Python, Unary::Exponential) => format!("math.exp({inner})"),
    };
    // `a^2` and `(a)**2` bind tighter than a product; as the base of another power they need brackets.
    let tight = operation != Unary::Square || !matches!(notation, Notation::Text | Notation::Python | Notation::Latex);
    PrintedPart::new(text, if tight { Binding::Atom } else { Binding::Product })
}

fn binary(operation: Binary, a: &PrintedPart, b: &PrintedPart, notation: Notation) -> PrintedPart {
    let latex = notation == Notation::Latex;
    let join = |left: Binding, sign: &str, right: Binding, binding: Binding| {
        let second = b.within(right, notation);
        let opposite = a.opposite.as_ref().filter(|_| binding == Binding::Product);
        PrintedPart {
            text: format!("{}{sign}{second}", a.within(left, notation)),
            binding,
            opposite: opposite.map(|first| format!("{first}{sign}{second}")),
        }
    };
    let call = |name: &str| PrintedPart::new(format!("{name}({}, {})", a.text, b.text), Binding::Atom);
    match operation {
        Binary::Add if b.opposite.is_some() => {
            let less = b.opposite.as_deref().unwrap_or_default();
            PrintedPart::new(format!("{} - {less}", a.text), Binding::Sum)
        }
        Binary::Add => join(Binding::Sum, " + ", Binding::Product, Binding::Sum),
        Binary::Subtract => join(Binding::Sum, " - ", Binding::Product, Binding::Sum),
        Binary::Multiply if latex => join(Binding::Product, " \\cdot ", Binding::Product, Binding::Product),
        Binary::Multiply => join(Binding::Product, "*", Binding::Atom, Binding::Product),
        Binary::Divide if latex => PrintedPart::new(format!("\\frac{{{}}}{{{}}}", a.text, b.text), Binding::Product),
        Binary::Divide => join(Binding::Product, "/", Binding::Atom, Binding::Product),
        Binary::Minimum | Binary::Maximum => {
            let least = operation == Binary::Minimum;
            match (notation, least) {
                (Notation::Text | Notation::Python, true) => call("min"),
                (Notation::Text | Notation::Python, false) => call("max"),
                (Notation::Latex, true) => call("\\min"),
                (Notation::Latex, false) => call("\\max"),
                (Notation::Rust, true) => call("f64::min"),
                (Notation::Rust, false) => call("f64::max"),
                (Notation::C, true) => call("fmin"),
                (Notation::C, false) => call("fmax"),
            }
        }
    }
}

fn choice(
    (variable, threshold): &(String, String),
    a: &PrintedPart,
    b: &PrintedPart,
    notation: Notation,
) -> PrintedPart {
    let (a, b) = (&a.text, &b.text);
    let text = match notation {
        Notation::Text => format!("if({variable} <= {threshold}, {a}, {b})"),
        Notation::Latex => format!(
            "\\begin{{cases}} {a} & \\text{{if }} {variable} \\le {threshold} \\\\ {b} & \\text{{otherwise}} \\end{{cases}}"
        ),
        Notation::Rust => format!("(if {variable} <= {threshold} {{ {a} }} else {{ {b} }})"),
        Notation::C => format!("({variable} <= {threshold} ? {a} : {b})"),
        Notation::Python => format!("({a} if {variable} <= {threshold} else {b})"),
    };
    PrintedPart::new(text, if notation == Notation::Latex { Binding::Sum } else { Binding::Atom })
}
