//! The parser of formulas.

use super::expression::{Binary, Expression, Node, Unary};

/// The maximum nesting depth of a formula: brackets, functions, powers of powers.
const DEEPEST: usize = 200;

/// The maximum number of nodes. Powers are written out, so a short text can make a long expression.
const MOST_NODES: usize = 100_000;

/// Why a text is not a formula.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at character {at}: {message}")]
pub struct ParseError {
    /// The position of the error in characters, from 1.
    pub at: usize,
    /// What is wrong.
    pub message: String,
}

/// Parses a formula: numbers, the given variables, `+ - * / ^ ( )`, `sqrt`, `sqr`, `ln`, `log2`, `exp`, `min(a, b)`,
/// `max(a, b)` and `if(x <= number, a, b)`. Powers have whole exponents up to 64 in size, or 0.5. A variable may have dots
/// between the parts of its name (`old.nodes`).
///
/// # Errors
///
/// A [`ParseError`] with the position of the fault: an unknown name, a missing bracket, a number out of range.
pub fn parse(text: &str, variables: &[&str]) -> Result<Expression, ParseError> {
    let characters: Vec<char> = text.chars().collect();
    let mut parser = Parser { characters, at: 0, depth: 0, variables };
    let expression = parser.sum()?;
    parser.space();
    if parser.at < parser.characters.len() {
        return Err(parser.error("nothing more is expected here"));
    }
    Ok(expression)
}

/// Whether a name, or a number without its sign, can hold a character.
fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a name goes on with a character, before another: a dot stands between two of its parts.
fn goes_on(c: char, next: Option<char>) -> bool {
    is_part(c) || c == '.' && next.is_some_and(is_part)
}

/// The names in the text of a formula that stand for values, each once, in the order in which they come first; also of
/// a text that is no formula.
#[must_use]
pub fn names(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c| is_part(c) || c == '.') {
        rest = &rest[at..];
        // A number goes on as far as the parser reads it: `1.e3`, or `1.5e-3`, whose sign is no part of the word.
        let is_number = rest.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        let is_end = |&(at, c): &(usize, char)| {
            let next = rest[at..].chars().nth(1);
            !(goes_on(c, next) || is_number && c == '.')
        };
        let end = rest.char_indices().find(is_end).map_or(rest.len(), |(at, _)| at);
        let (word, after) = rest.split_at(end);
        let is_function = after.trim_start().starts_with('(');
        if !is_number && !is_function && !names.contains(&word) {
            names.push(word);
        }
        rest = after;
    }
    names
}

/// Whether a text is a name that a variable can have: letters, digits and `_`, of which a digit is not the first.
#[must_use]
pub fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_') && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

struct Parser<'a> {
    characters: Vec<char>,
    at: usize,
    depth: usize,
    variables: &'a [&'a str],
}

impl Parser<'_> {
    fn error(&self, message: impl Into<String>) -> ParseError {
        ParseError { at: self.at + 1, message: message.into() }
    }

    fn space(&mut self) {
        while self.characters.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
    }

    fn takes(&mut self, wanted: char) -> bool {
        self.space();
        let found = self.characters.get(self.at) == Some(&wanted);
        self.at += usize::from(found);
        found
    }

    fn expects(&mut self, wanted: char) -> Result<(), ParseError> {
        if self.takes(wanted) { Ok(()) } else { Err(self.error(format!("{wanted:?} is expected"))) }
    }

    /// Parses a part that is nested in another. Every recursion passes through here, so the stack is bounded for any
    /// text.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, ParseError>) -> Result<T, ParseError> {
        if self.depth == DEEPEST {
            return Err(self.error(format!("brackets and powers are nested more than {DEEPEST} deep")));
        }
        self.depth += 1;
        let part = read(self);
        self.depth -= 1;
        part
    }

    /// Checks that an expression may have so many nodes.
    fn room(&self, nodes: usize) -> Result<(), ParseError> {
        if nodes > MOST_NODES {
            return Err(self.error(format!("the formula has more than {MOST_NODES} operations and numbers")));
        }
        Ok(())
    }

    /// An operation on two expressions.
    fn joined(&self, operation: Binary, left: Expression, right: &Expression) -> Result<Expression, ParseError> {
        self.room(left.size() + right.size() + 1)?;
        Ok(left.binary(operation, right))
    }

    fn sum(&mut self) -> Result<Expression, ParseError> {
        let mut left = self.product()?;
        loop {
            let operation = if self.takes('+') {
                Binary::Add
            } else if self.takes('-') {
                Binary::Subtract
            } else {
                return Ok(left);
            };
            let right = self.product()?;
            left = self.joined(operation, left, &right)?;
        }
    }

    fn product(&mut self) -> Result<Expression, ParseError> {
        let mut left = self.signed()?;
        loop {
            let operation = if self.takes('*') {
                Binary::Multiply
            } else if self.takes('/') {
                Binary::Divide
            } else {
                return Ok(left);
            };
            let right = self.signed()?;
            left = self.joined(operation, left, &right)?;
        }
    }

    fn signed(&mut self) -> Result<Expression, ParseError> {
        let mut negative = false;
        while self.takes('-') {
            negative = !negative;
        }
        let value = self.nested(Self::power)?;
        match (negative, value.nodes()) {
            (false, _) => Ok(value),
            (true, [Node::Constant(number)]) => Ok(Expression::constant(-number)),
            (true, _) => self.joined(Binary::Multiply, Expression::constant(-1.0), &value),
        }
    }

    fn power(&mut self) -> Result<Expression, ParseError> {
        let base = self.atom()?;
        if !self.takes('^') {
            return Ok(base);
        }
        let start = self.at;
        let exponent = self.signed()?;
        let [Node::Constant(exponent)] = exponent.nodes() else {
            self.at = start;
            return Err(self.error("an exponent is a number; write exp(y*ln(x)) for others"));
        };
        if *exponent == 0.5 {
            return Ok(base.unary(Unary::SquareRoot));
        }
        if exponent.fract() != 0.0 || exponent.abs() > 64.0 {
            self.at = start;
            return Err(self.error("an exponent is whole, at most 64 in size, or 0.5"));
        }
        if *exponent == 2.0 {
            return Ok(base.unary(Unary::Square));
        }
        let times = exponent.abs() as usize;
        self.room((base.size() + 1) * times.max(1) + 1)?;
        let one = Expression::constant(1.0);
        let power = (1..times).fold(base.clone(), |product, _| product.binary(Binary::Multiply, &base));
        Ok(match exponent {
            0.0 => one,
            exponent if *exponent < 0.0 => one.binary(Binary::Divide, &power),
            _ => power,
        })
    }

    fn atom(&mut self) -> Result<Expression, ParseError> {
        if self.takes('(') {
            let inner = self.sum()?;
            self.expects(')')?;
            return Ok(inner);
        }
        self.space();
        match self.characters.get(self.at) {
            Some(c) if c.is_ascii_digit() || *c == '.' => self.number().map(Expression::constant),
            Some(c) if c.is_alphabetic() || *c == '_' => self.named(),
            Some(_) => Err(self.error("a number, a variable or a function is expected")),
            None => Err(self.error("the formula ends too early")),
        }
    }

    fn number(&mut self) -> Result<f64, ParseError> {
        self.space();
        let start = self.at;
        let digit = |parser: &Self, at: usize| parser.characters.get(at).is_some_and(char::is_ascii_digit);
        if self.characters.get(self.at) == Some(&'-') {
            self.at += 1;
        }
        while digit(self, self.at) || self.characters.get(self.at) == Some(&'.') {
            self.at += 1;
        }
        if matches!(self.characters.get(self.at), Some('e' | 'E')) {
            let sign = usize::from(matches!(self.characters.get(self.at + 1), Some('+' | '-')));
            if digit(self, self.at + 1 + sign) {
                self.at += 1 + sign;
                while digit(self, self.at) {
                    self.at += 1;
                }
            }
        }
        let text: String = self.characters[start..self.at].iter().collect();
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => {
                self.at = start;
                Err(self.error(format!("{text:?} is not a number within range")))
            }
        }
    }

    fn name(&mut self) -> String {
        self.space();
        let start = self.at;
        let next = |at: usize| self.characters.get(at + 1).copied();
        while self.characters.get(self.at).is_some_and(|c| goes_on(*c, next(self.at))) {
            self.at += 1;
        }
        self.characters[start..self.at].iter().collect()
    }

    fn variable(&self, name: &str) -> Option<u16> {
        self.variables.iter().position(|variable| *variable == name).and_then(|at| u16::try_from(at).ok())
    }

    fn named(&mut self) -> Result<Expression, ParseError> {
        let start = self.at;
        let name = self.name();
        if !self.takes('(') {
            return self.variable(&name).map(Expression::variable).ok_or_else(|| {
                let known = self.variables.join(", ");
                ParseError { at: start + 1, message: format!("there is no variable {name:?}; there are {known}") }
            });
        }
        let result = match name.as_str() {
            "sqrt" => self.sum()?.unary(Unary::SquareRoot),
            "sqr" => self.sum()?.unary(Unary::Square),
            "ln" => self.sum()?.unary(Unary::Logarithm),
            "exp" => self.sum()?.unary(Unary::Exponential),
            "log2" => {
                let logarithm = self.sum()?.unary(Unary::Logarithm);
                self.joined(Binary::Multiply, logarithm, &Expression::constant(std::f64::consts::LOG2_E))?
            }
            "min" | "max" => {
                let operation = if name == "min" { Binary::Minimum } else { Binary::Maximum };
                let first = self.sum()?;
                self.expects(',')?;
                let second = self.sum()?;
                self.joined(operation, first, &second)?
            }
            "if" => self.choice()?,
            _ => {
                let message =
                    format!("there is no function {name:?}; there are sqrt, sqr, ln, log2, exp, min, max, if");
                return Err(ParseError { at: start + 1, message });
            }
        };
        self.expects(')')?;
        Ok(result)
    }

    fn choice(&mut self) -> Result<Expression, ParseError> {
        self.space();
        let start = self.at;
        let name = self.name();
        let Some(variable) = self.variable(&name) else {
            return Err(ParseError { at: start + 1, message: format!("if(…) asks for a variable, not {name:?}") });
        };
        self.expects('<')?;
        self.expects('=')?;
        let threshold = self.number()?;
        self.expects(',')?;
        let first = self.sum()?;
        self.expects(',')?;
        let second = self.sum()?;
        self.room(first.size() + second.size() + 1)?;
        Ok(first.up_to(variable, threshold, &second))
    }
}
