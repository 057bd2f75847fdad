//! A formula with the names of its variables, as a TOML file.

use serde::{Deserialize, Serialize};

use super::expression::Expression;
use super::parse::{ParseError, parse};
use super::print::{Notation, print};

/// A formula for a quantity: an expression, the names of its variables, and the error of its fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Formula {
    /// The target quantity, such as `time_us`; its unit is that of the data.
    pub target: String,
    /// The variables, each with its range in the data.
    pub variables: Vec<Variable>,
    /// The expression over them.
    pub expression: Expression,
    /// Mean absolute percentage error on the points of the fit.
    pub error: Option<f64>,
    /// Mean absolute percentage error on unseen points.
    pub unseen_error: Option<f64>,
}

/// A variable of a formula.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The least value in the data.
    pub least: f64,
    /// The greatest value in the data.
    pub greatest: f64,
}

/// Why a file is not a formula.
#[derive(Debug, thiserror::Error)]
pub enum FormulaError {
    /// It is not TOML, or has unknown keys.
    #[error("not the file of a formula: {0}")]
    Toml(#[from] toml::de::Error),
    /// Its formula cannot be parsed.
    #[error("the formula can't be read: {0}")]
    Formula(#[from] ParseError),
    /// Two of its variables have this name.
    #[error("two variables are called `{0}`")]
    Twice(String),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    target: String,
    formula: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_percent: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unseen_error_percent: Option<f64>,
    variable: Vec<Variable>,
}

impl Formula {
    /// Reads what [`Self::to_toml`] writes.
    ///
    /// # Errors
    ///
    /// A [`FormulaError`] if the text is not TOML, has other keys, lists a variable twice, or its formula uses a name
    /// that it does not list.
    pub fn from_toml(text: &str) -> Result<Self, FormulaError> {
        let text: Text = toml::from_str(text)?;
        let names: Vec<&str> = text.variable.iter().map(|variable| variable.name.as_str()).collect();
        if let Some((_, twice)) = names.iter().enumerate().find(|(place, name)| names[..*place].contains(name)) {
            return Err(FormulaError::Twice((*twice).to_owned()));
        }
        Ok(Self {
            expression: parse(&text.formula, &names)?,
            target: text.target,
            error: text.error_percent,
            unseen_error: text.unseen_error_percent,
            variables: text.variable,
        })
    }

    /// The formula as TOML, with all digits of its numbers.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let text = Text {
            target: self.target.clone(),
            formula: self.print(Notation::Text),
            error_percent: self.error,
            unseen_error_percent: self.unseen_error,
            variable: self.variables.clone(),
        };
        // The table holds only numbers and texts, which TOML can represent.
        toml::to_string(&text).unwrap_or_default()
    }

    /// The names of the variables.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.variables.iter().map(|variable| variable.name.as_str()).collect()
    }

    /// The expression in a notation.
    #[must_use]
    pub fn print(&self, notation: Notation) -> String {
        print(&self.expression, &self.names(), notation)
    }
}
