//! Sums of products, which most formulas for a routine's time are: evaluated without a stack, since simulations ask for
//! them a million times.

use super::expression::{Binary, Expression, Node};

/// An expression for evaluation at single points: as a sum of products where it is one, with the same value to the last
/// bit.
#[derive(Debug, Clone, PartialEq)]
pub enum PointFormula {
    /// A number times a sum of products.
    Products(Products),
    /// Any other.
    Other(Expression),
}

/// `factor·(a·x·y + b·z + …)`: each product a number and the variables behind it, from left to right.
#[derive(Debug, Clone, PartialEq)]
pub struct Products {
    factor: f64,
    /// The number of each product, and where its variables end among all.
    terms: Vec<(f64, usize)>,
    variables: Vec<u16>,
}

impl From<Expression> for PointFormula {
    fn from(expression: Expression) -> Self {
        match Products::of(&expression) {
            Some(products) => Self::Products(products),
            None => Self::Other(expression),
        }
    }
}

impl PointFormula {
    /// As [`Expression::value`].
    #[must_use]
    pub fn value(&self, point: &[f64]) -> Option<f64> {
        match self {
            Self::Products(products) => products.value(point),
            Self::Other(expression) => expression.value(point),
        }
    }
}

/// What a subexpression is.
enum Form {
    Number(f64),
    Products(Products),
}

impl Products {
    /// The expression as such a sum, if it is one whose operations come in the order in which the sum has them.
    fn of(expression: &Expression) -> Option<Self> {
        let mut forms: Vec<Form> = Vec::new();
        for node in expression.nodes() {
            let form = match *node {
                Node::Constant(number) => Form::Number(number),
                Node::Variable(variable) => Form::Products(Self::product(1.0, vec![variable])),
                Node::Unary(operation) => match forms.pop()? {
                    Form::Number(number) => Form::Number(operation.apply(number)),
                    Form::Products(_) => return None,
                },
                Node::Binary(operation) => {
                    let second = forms.pop()?;
                    join(operation, forms.pop()?, second)?
                }
                Node::Choose { .. } => return None,
            };
            forms.push(form);
        }
        forms.pop().map(Form::products)
    }

    fn product(number: f64, variables: Vec<u16>) -> Self {
        Self { factor: 1.0, terms: vec![(number, variables.len())], variables }
    }

    /// The variable, if it is one alone.
    fn lone(&self) -> Option<u16> {
        let is_plain = self.factor == 1.0 && matches!(self.terms[..], [(1.0, _)]);
        if let ([variable], true) = (&self.variables[..], is_plain) { Some(*variable) } else { None }
    }

    /// It plus `sign` times another, which is one product.
    fn plus(mut self, sign: f64, other: &Self) -> Option<Self> {
        let is_open = self.factor == 1.0 && other.factor == 1.0;
        let &[(number, _)] = &other.terms[..] else { return None };
        self.variables.extend(&other.variables);
        self.terms.push((sign * number, self.variables.len()));
        is_open.then_some(self)
    }

    fn value(&self, point: &[f64]) -> Option<f64> {
        let (mut start, mut sum) = (0, None);
        for &(number, end) in &self.terms {
            let mut product = number;
            for &variable in &self.variables[start..end] {
                product *= point.get(usize::from(variable))?;
            }
            sum = Some(sum.map_or(product, |sum: f64| sum + product));
            start = end;
        }
        sum.map(|sum| self.factor * sum).filter(|value| value.is_finite())
    }
}

impl Form {
    fn products(self) -> Products {
        match self {
            Self::Number(number) => Products::product(number, Vec::new()),
            Self::Products(products) => products,
        }
    }
}

/// An operation on two forms, where the result has a form, too.
fn join(operation: Binary, first: Form, second: Form) -> Option<Form> {
    let products = match (operation, first, second) {
        (operation, Form::Number(a), Form::Number(b)) => return Some(Form::Number(operation.apply(a, b))),
        (Binary::Add, first, second) => first.products().plus(1.0, &second.products())?,
        // a − b is a + (−b), and −(b·x) is (−b)·x, to the last bit.
        (Binary::Subtract, first, second) => first.products().plus(-1.0, &second.products())?,
        (Binary::Multiply, Form::Number(number), Form::Products(sum)) => match sum.lone() {
            Some(variable) => Products::product(number, vec![variable]),
            None if sum.factor == 1.0 => Products { factor: number, ..sum },
            None => return None,
        },
        (Binary::Multiply, Form::Products(mut product), Form::Products(other)) => {
            let variable = other.lone().filter(|_| product.factor == 1.0 && product.terms.len() == 1)?;
            product.variables.push(variable);
            product.terms[0].1 += 1;
            product
        }
        _ => return None,
    };
    Some(Form::Products(products))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Unary, parse};

    const NAMES: [&str; 3] = ["m", "n", "k"];

    #[test]
    fn formulas_of_kernels_are_sums_of_products() {
        for (text, is_sum) in [
            ("1.03*0.98*(2.6e-6 + 6.9e-11*m*n*k - 2.1e-10*m*n + 6e-10*m*k)", true),
            ("5.4e-11*m*m*n", true),
            ("4e-6", true),
            ("k", true),
            ("sqrt(4)*m - n", true),
            // Operations in another order have other last bits.
            ("m*n*2", false),
            ("2*(m + n)*k", false),
            ("1 + 2*(m + n)", false),
            ("m - (n - k)", false),
            ("2*(3*(m + n))", false),
            ("m/n", false),
            ("max(m, n)", false),
        ] {
            let expression = parse(text, &NAMES).unwrap();
            let formula = PointFormula::from(expression.clone());
            assert_eq!(matches!(formula, PointFormula::Products(_)), is_sum, "{text}: {formula:?}");
            let point = [0.3, 1.7, 1e5 / 3.0];
            assert_eq!(formula.value(&point), expression.value(&point), "{text}");
            assert_eq!(formula.value(&[]), expression.value(&[]), "{text}");
            assert_eq!(formula.value(&[f64::MAX; 3]), expression.value(&[f64::MAX; 3]), "{text}");
        }
    }

    /// Mostly sums of products.
    fn expressions() -> impl Strategy<Value = Expression> {
        let numbers = prop_oneof![Just(1.0), Just(0.0), -3.0..3.0].prop_map(Expression::constant);
        let leaf = prop_oneof![numbers, (0..3_u16).prop_map(Expression::variable)];
        leaf.prop_recursive(5, 24, 2, |inner| {
            let operation = prop::sample::select(vec![Binary::Multiply, Binary::Add, Binary::Subtract, Binary::Divide]);
            prop_oneof![
                9 => (inner.clone(), operation, inner.clone()).prop_map(|(a, operation, b)| a.binary(operation, &b)),
                1 => inner.prop_map(|a| a.unary(Unary::Square)),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_expression_has_the_same_value(expression in expressions(), point in prop::array::uniform3(-1e3..1e3)) {
            let bits = |value: Option<f64>| value.map(f64::to_bits);
            let formula = PointFormula::from(expression.clone());
            prop_assert_eq!(bits(formula.value(&point)), bits(expression.value(&point)));
        }
    }
}
