//! Formulas: expressions over named variables, evaluated over many points at once, read and printed.
//!
//! ```
//! use hetsim_formula::{Evaluator, Notation, parse, print};
//!
//! let scatter = parse("10.28e-6 + 91.59e-6*p + 0.03e-6*p*b", &["p", "b"])?;
//! let points = [vec![4.0, 32.0], vec![100.0, 100.0]];
//! let mut times = [0.0; 2];
//! Evaluator::default().evaluate(&scatter, &points, &mut times);
//! assert!((times[0] - 388.64e-6).abs() < 1e-15);
//! assert_eq!(print(&scatter, &["p", "b"], Notation::C), "1.028e-5 + 9.159e-5*p + 3e-8*p*b");
//! # Ok::<(), hetsim_formula::ParseError>(())
//! ```

mod curve;
mod evaluate;
mod expression;
mod file;
mod gradient;
mod math;
mod parse;
mod print;
mod products;
mod simplify;
mod time;

#[cfg(test)]
mod tests;

pub use curve::{Curve, HIGHEST};
pub use evaluate::{CHUNK, Columns, Evaluator};
pub use expression::{Binary, Expression, Node, Unary};
pub use file::{Formula, FormulaError, Variable};
pub use gradient::Gradient;
pub use parse::{ParseError, is_name, names, parse};
pub use print::{Notation, print};
pub use products::{PointFormula, Products};
pub use simplify::simplify;
pub use time::{Beyond, NamedFormula, Supplied, TimeFormula, TimeUnit, UseError};
