//! How a formula is found and judged, wherever the times come from.

use std::sync::atomic::AtomicBool;

use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use web_time::Instant;

use super::settings::{Genetic, Paper};
use super::{FitMetrics, Samples, outcome};
use crate::{KeyError, RunFailure};
use hetsim_base::engine::Streams;
use hetsim_base::record::WantedTables;
use hetsim_base::units::Bytes;
use hetsim_fit::runtime::{self, Method, Request, fit};
use hetsim_formula::Expression;

/// The keys of every fit.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct Fitting {
    /// The method that finds the formula.
    pub method: Method,
    /// The formula that `given` judges, over the variables of the points (`ranks` and `bytes` of what is simulated), in
    /// the unit of their times: `"2.1e-4 + 3e-8*bytes"`.
    #[serde(default)]
    pub formula: Option<String>,
    /// Messages up to this size are short: they have an error of their own, and the long table `short`.
    #[serde(default = "short")]
    pub short: Bytes,
    /// What several times of one point are: `all` points of their own, or `median`, one point. By default `all` for
    /// what is simulated and `median` for files.
    #[serde(default)]
    pub repeats: Option<Repeated>,
    /// The genetic programming of `gp` and `smooth`.
    #[serde(default)]
    pub genetic: Genetic,
    /// The genetic programming of `paper`.
    #[serde(default)]
    pub paper: Paper,
}

/// What several times of one point are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Repeated {
    /// Points of their own.
    All,
    /// One point with their median.
    Median,
}

fn short() -> Bytes {
    Bytes::new(500)
}

impl Fitting {
    /// Checks the keys, for points over these variables.
    ///
    /// # Errors
    /// The key that is wrong, and why.
    pub fn check(&self, names: &[String]) -> Result<(), KeyError> {
        let key = if self.formula.is_some() { "formula" } else { "method" };
        self.given(names).map_err(|message| KeyError { key: key.to_owned(), message })?;
        self.genetic.check().map_err(|error| error.under("genetic"))?;
        self.paper.check().map_err(|error| error.under("paper"))
    }

    /// The formula that `given` judges, over these variables.
    ///
    /// # Errors
    /// Why there is none.
    pub fn given(&self, names: &[String]) -> Result<Option<Expression>, String> {
        runtime::given(self.method, self.formula.as_deref(), names)
    }

    /// Fits a formula to the points, whose simulation took so many seconds on this machine's clock.
    ///
    /// # Errors
    /// Where no formula is found.
    pub fn measure(
        &self,
        samples: &Samples,
        simulating_s: f64,
        streams: &Streams,
        tables: &mut WantedTables<'_>,
    ) -> Result<FitMetrics, RunFailure> {
        let Self { method, genetic, paper, .. } = self;
        let seed = streams.stream("fit", 0).random();
        let request = Request {
            method: *method,
            genetic: genetic.options(seed),
            paper: paper.options(seed),
            folds: genetic.folds as usize,
            given: self.given(&samples.data.names)?,
        };
        let started = Instant::now();
        let found = fit(&samples.data.train, &request, &AtomicBool::new(false), &mut |_| {});
        let pole = || samples.data.without_value(request.given.as_ref()?, &samples.data.train);
        let found = found.ok_or_else(|| match pole() {
            Some(point) => format!("the formula has no value at {point}"),
            None => format!("{method} found no formula that has a value at all points"),
        })?;
        let clock = [started.elapsed().as_secs_f64(), simulating_s];
        Ok(outcome::metrics(samples, &found, self.short.count(), clock, tables))
    }
}
