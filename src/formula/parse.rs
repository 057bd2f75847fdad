//! Expressions as people write them.

use super::expression::{Binary, Expression, Node, Unary};

/// How deep brackets may be nested.
const DEEPEST: usize = 200;

/// Why a text is no formula.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at character {at}: {message}")]
pub struct ParseError {
    /// Which character, from 1.
    pub at: usize,
    /// What is wrong.
    pub message: String,
}

/// Reads a formula: numbers, the given variables, `+ - * / ^ ( )`, `sqrt`, `sqr`, `ln`, `log2`, `exp`, `min(a, b)`,
/// `max(a, b)` and `if(x <= number, a, b)`. Powers have whole exponents up to 64 in size, or 0.5.
///
/// # Errors
///
/// A [`ParseError`] with the place where the text is no formula: unknown names, missing brackets, numbers out of range.
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

    fn sum(&mut self) -> Result<Expression, ParseError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error(format!("brackets are nested more than {DEEPEST} deep")));
        }
        let mut left = self.product()?;
        loop {
            let operation = if self.takes('+') {
                Binary::Add
            } else if self.takes('-') {
                Binary::Subtract
            } else {
                self.depth -= 1;
                return Ok(left);
            };
            left = left.binary(operation, &self.product()?);
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
            left = left.binary(operation, &self.signed()?);
        }
    }

    fn signed(&mut self) -> Result<Expression, ParseError> {
        let mut negative = false;
        while self.takes('-') {
            negative = !negative;
        }
        let value = self.power()?;
        Ok(match (negative, value.nodes()) {
            (false, _) => value,
            (true, [Node::Constant(number)]) => Expression::constant(-number),
            (true, _) => Expression::constant(-1.0).binary(Binary::Multiply, &value),
        })
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
                Err(self.error(format!("{text:?} is no number within range")))
            }
        }
    }

    fn name(&mut self) -> String {
        self.space();
        let start = self.at;
        while self.characters.get(self.at).is_some_and(|c| c.is_alphanumeric() || *c == '_') {
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
                logarithm.binary(Binary::Multiply, &Expression::constant(std::f64::consts::LOG2_E))
            }
            "min" | "max" => {
                let operation = if name == "min" { Binary::Minimum } else { Binary::Maximum };
                let first = self.sum()?;
                self.expects(',')?;
                first.binary(operation, &self.sum()?)
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
        Ok(first.up_to(variable, threshold, &self.sum()?))
    }
}
