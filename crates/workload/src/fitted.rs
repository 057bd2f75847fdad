//! A formula for the time of a whole operation over the number of ranks and the size, as `hetsim fit` finds it: it
//! stands beside what is simulated, or takes its place.
//!
//! Such functions are what Heinrich-Litan et al. (004, section 1) fit run times for: to predict those of programs.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Files, KeyError};
use hetsim_formula::{Beyond, NamedFormula, Supplied, TimeFormula, TimeUnit};

/// A formula by the name of its file alone, or with keys that say what its variables are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Fitted {
    /// The file.
    File(#[schemars(extend("format" = "file"))] String),
    /// The file, and what its variables are.
    Keys(FittedKeys),
    /// Once somebody has read the file: the keys, whether they were written, and what the file holds.
    #[serde(skip)]
    NamedFormula(FittedKeys, bool, Arc<NamedFormula>),
}

/// `fitted = { formula = "FILE", … }`: a formula for the time of an operation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Keys")]
pub struct FittedKeys {
    /// A file with a formula for the time of the operation, as `hetsim fit` writes it (`formula.toml`).
    #[schemars(extend("format" = "file"))]
    pub formula: String,
    /// The formula's variable that is the operation's `size` in bytes; `bytes`, `size`, `m` or `b` where it is not
    /// named.
    #[serde(default)]
    pub size: Option<String>,
    /// The formula's variable that is the number of ranks; `ranks`, `p`, `processes` or `n` where it is not named.
    #[serde(default)]
    pub ranks: Option<String>,
    /// Numbers for the formula's other variables, such as `{ nodes = 4 }`.
    #[serde(default)]
    pub values: BTreeMap<String, f64>,
    /// The unit of the formula's time, where the name of its `target` does not end in one (`time_us`), which is the
    /// default.
    #[serde(default)]
    pub unit: Option<TimeUnit>,
    /// What becomes of sizes and ranks outside of those that the formula was fitted to: `extrapolate` uses it for them
    /// too and warns once, `refuse` takes them for a mistake.
    #[serde(default)]
    pub beyond: Beyond,
}

hetsim_base::metrics! {
    /// What a formula adds to the metrics of a simulated operation.
    pub struct FittedMetrics {
        fitted_s: Option<f64> = "the time by the formula that `fitted` names; blank without one" [less],
        fitted_error_percent: Option<f64> = "how far that is from the simulated completion, in percent of the completion, without its sign" [less],
    }
}

impl FittedMetrics {
    /// The formula's time, if there is one, beside what was simulated.
    #[must_use]
    pub fn new(fitted_s: Option<f64>, completion_s: f64) -> Self {
        let error = |fitted: f64| 100.0 * (fitted / completion_s - 1.0).abs();
        let fitted_error_percent = fitted_s.filter(|_| completion_s > 0.0).map(error);
        Self { fitted_s, fitted_error_percent }
    }
}

/// Reads the file of a formula, if there is one at `key`.
///
/// # Errors
/// As [`Files::formula`].
pub fn read(fitted: Option<&mut Fitted>, key: &str, files: &mut dyn Files) -> Result<(), KeyError> {
    if let Some(fitted) = fitted {
        let inner = format!("{key}.formula");
        let given = files.formula(if matches!(fitted, Fitted::File(_)) { key } else { &inner })?;
        fitted.give(given);
    }
    Ok(())
}

impl Fitted {
    /// Puts in what the file holds.
    pub fn give(&mut self, given: Arc<NamedFormula>) {
        let (keys, written) = match std::mem::replace(self, Self::File(String::new())) {
            Self::File(formula) => (FittedKeys { formula, ..FittedKeys::default() }, false),
            Self::Keys(keys) => (keys, true),
            Self::NamedFormula(keys, written, _) => (keys, written),
        };
        *self = Self::NamedFormula(keys, written, given);
    }

    /// The time of the operation in seconds.
    ///
    /// # Errors
    /// The key that is at fault: where the file has not been read, a variable or the unit is not known, the formula
    /// gives no time here, or is used outside of its range and that is refused.
    pub fn seconds(&self, ranks: u32, bytes: u64) -> Result<f64, KeyError> {
        let whole = |message: String| KeyError { key: "fitted".to_owned(), message };
        let Self::NamedFormula(keys, written, given) = self else {
            return Err(whole("the file of the formula has not been read".to_owned()));
        };
        let at = |key: &str, message: String| {
            if *written { KeyError { key: key.to_owned(), message }.under("fitted") } else { whole(message) }
        };
        let supplied = [Supplied::ranks(keys.ranks.as_deref()), Supplied::size(keys.size.as_deref())];
        let time = TimeFormula::new(&given.formula, &supplied, &keys.values, keys.unit)
            .map_err(|error| at(error.key, error.message))?;
        let point = [f64::from(ranks), bytes as f64];
        if let Some((number, range)) = time.beyond(&point) {
            let (what, value) = (["numbers of ranks", "sizes"][number], point[number]);
            if keys.beyond == Beyond::Refuse {
                let (least, greatest) = range;
                let message = format!(
                    "the formula was fitted to {what} from {least} to {greatest}, not to {value}, and `beyond` is \"refuse\""
                );
                return Err(at("beyond", message));
            }
            given.warn_beyond(what, value, range);
        }
        time.seconds(&point).ok_or_else(|| {
            let value = time.expression.value(&point);
            let what = value.map_or_else(|| "no value".to_owned(), |value| format!("{value}, which is no time,"));
            at("formula", format!("the formula gives {what} for {ranks} ranks and {bytes} B"))
        })
    }
}

/// The time by a formula that may be named.
///
/// # Errors
/// As [`Fitted::seconds`].
pub fn seconds_of(fitted: Option<&Fitted>, ranks: u32, bytes: u64) -> Result<Option<f64>, KeyError> {
    fitted.map(|fitted| fitted.seconds(ranks, bytes)).transpose()
}
