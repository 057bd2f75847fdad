//! The cost of a task.

use rand::RngExt;
use rand_distr::{Distribution, Exp, Gamma, LogNormal, Normal};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::RunFailure;
use crate::{Files, KeyError};
use hetsim_base::engine::Streams;
use hetsim_base::units::{Operations, Quantity, QuantityError};
use hetsim_graph::generate::{Exponential, Spread, Uniform};

hetsim_base::registry! {
    /// The work of each task, drawn from a stream per task: policies compared in one sweep meet the same tasks.
    pub enum Cost by "distribution" {
        "constant" => Constant(Constant): "Equal for every task.",
        "uniform" => Uniform(Uniform<Operations>): "Uniform between two bounds.",
        "normal" => Normal(Spread<Operations>): "Normal, redrawn until it is above zero.",
        "log_normal" => LogNormal(Spread<Operations>): "Log-normal, by mean and standard deviation of the work itself.",
        "gamma" => Gamma(Spread<Operations>): "Gamma, by mean and standard deviation.",
        "exponential" => Exponential(Exponential<Operations>): "Exponential.",
        "trace" => Trace(Trace): "Measured values one after the other, repeated from the start.",
    }
}

/// `distribution = "constant"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Constant {
    /// The work of a task.
    pub operations: Operations,
}

/// `distribution = "trace"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// The work of the first task, the second, and so on.
    #[serde(default)]
    pub operations: Vec<Operations>,
    /// Instead of a list: a CSV file with the numbers of operations in its column `operations`.
    #[schemars(extend("format" = "file"))]
    pub file: Option<String>,
}

impl Cost {
    /// Equal for every task.
    #[must_use]
    pub const fn constant(operations: Operations) -> Self {
        Self::Constant(Constant { operations })
    }

    /// Reads the file of a trace, if it names one.
    ///
    /// # Errors
    /// If the trace also has a list, or the file cannot be read.
    pub fn read_file(&mut self, files: &mut dyn Files) -> Result<(), KeyError> {
        let Self::Trace(trace) = self else { return Ok(()) };
        if trace.file.is_none() {
            return Ok(());
        }
        if !trace.operations.is_empty() {
            let message = "give either `operations` or `file`".to_owned();
            return Err(KeyError::new("task.operations", message));
        }
        let wrong = |error: QuantityError| KeyError::new("task.file", error.to_string());
        let numbers = files.numbers("task.file")?.into_iter();
        trace.operations = numbers.map(Operations::from_base).collect::<Result<_, _>>().map_err(wrong)?;
        Ok(())
    }

    /// Checks the parameters.
    ///
    /// # Errors
    /// If nothing can be drawn from them: no work at all, bounds in the wrong order, an empty trace.
    pub fn check(&self) -> Result<(), KeyError> {
        let problem = |message: String| Err(KeyError::new("task", message));
        let (mean, _) = self.moments();
        match self {
            Self::Uniform(u) if u.from.base() > u.to.base() => {
                problem(format!("`from` ({}) must not be above `to` ({})", u.from, u.to))
            }
            Self::Trace(trace) if trace.operations.is_empty() => {
                problem("a trace needs `operations` or a `file` with at least one value".to_owned())
            }
            Self::Normal(_) | Self::LogNormal(_) | Self::Gamma(_) | Self::Exponential(_) if mean <= 0.0 => {
                Err(KeyError::new("task.mean", "a task's mean work must be above zero"))
            }
            _ if mean <= 0.0 => problem("a task's mean work must be above zero".to_owned()),
            _ => Tasks::new(self, Streams::new(0, 0)).map(drop).or_else(|failure| problem(failure.into())),
        }
    }

    /// Mean and standard deviation, in operations. For the normal distribution they hold before redrawing.
    #[must_use]
    pub fn moments(&self) -> (f64, f64) {
        match self {
            Self::Constant(c) => (c.operations.base(), 0.0),
            Self::Uniform(u) => {
                let (from, to) = (u.from.base(), u.to.base());
                (f64::midpoint(from, to), (to - from).abs() / 12f64.sqrt())
            }
            Self::Normal(s) | Self::LogNormal(s) | Self::Gamma(s) => (s.mean.base(), s.deviation.base()),
            Self::Exponential(e) => (e.mean.base(), e.mean.base()),
            Self::Trace(trace) => {
                let values = || trace.operations.iter().map(|value| value.base());
                let count = trace.operations.len() as f64;
                let mean = values().sum::<f64>() / count;
                (mean, (values().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt())
            }
        }
    }
}

/// The tasks of a run; their work is drawn on demand.
#[derive(Debug)]
pub struct Tasks<'a> {
    kind: Draw<'a>,
    streams: Streams,
}

/// How a task's work is determined.
#[derive(Debug)]
enum Draw<'a> {
    Constant(f64),
    Uniform(f64, f64),
    Normal(Normal<f64>),
    LogNormal(LogNormal<f64>),
    Gamma(Gamma<f64>),
    Exponential(Exp<f64>),
    Trace(&'a [Operations]),
}

impl<'a> Tasks<'a> {
    /// The tasks of a [checked](Cost::check) cost.
    ///
    /// # Errors
    /// A sentence, where the distribution does not exist.
    pub fn new(cost: &'a Cost, streams: Streams) -> Result<Self, RunFailure> {
        let (mean, deviation) = cost.moments();
        let relative = deviation / mean;
        let kind = match cost {
            _ if deviation == 0.0 => Draw::Constant(mean),
            Cost::Constant(c) => Draw::Constant(c.operations.base()),
            Cost::Uniform(u) => Draw::Uniform(u.from.base(), u.to.base()),
            Cost::Normal(_) => Draw::Normal(Normal::new(mean, deviation).map_err(|error| error.to_string())?),
            Cost::LogNormal(_) => {
                // The parameters of the logarithm with this mean and deviation.
                let variance = (relative * relative).ln_1p();
                let distribution = LogNormal::new(mean.ln() - variance / 2.0, variance.sqrt());
                Draw::LogNormal(distribution.map_err(|error| error.to_string())?)
            }
            Cost::Gamma(_) => {
                let distribution = Gamma::new(1.0 / (relative * relative), mean * relative * relative);
                Draw::Gamma(distribution.map_err(|error| error.to_string())?)
            }
            Cost::Exponential(_) => Draw::Exponential(Exp::new(1.0 / mean).map_err(|error| error.to_string())?),
            Cost::Trace(trace) => Draw::Trace(&trace.operations),
        };
        Ok(Self { kind, streams })
    }

    /// The work of a task, in operations.
    #[inline]
    #[must_use]
    pub fn operations(&self, task: u32) -> f64 {
        match &self.kind {
            Draw::Constant(operations) => *operations,
            Draw::Trace(values) => values[task as usize % values.len()].base(),
            drawn => drawn.draw(self.streams, task),
        }
    }

    /// The work of the first `count` tasks together, in operations.
    #[must_use]
    pub fn total(&self, count: u32) -> f64 {
        match &self.kind {
            Draw::Constant(operations) => operations * f64::from(count),
            _ => (0..count).map(|task| self.operations(task)).sum(),
        }
    }
}

impl Draw<'_> {
    fn draw(&self, streams: Streams, task: u32) -> f64 {
        let mut stream = streams.stream("task", u64::from(task));
        match self {
            Self::Uniform(from, to) => from + (to - from) * stream.random::<f64>(),
            Self::Normal(normal) => {
                // With a mean above zero, at least half of the draws are positive.
                std::iter::repeat_with(|| normal.sample(&mut stream)).find(|work| *work > 0.0).unwrap_or(0.0)
            }
            Self::LogNormal(distribution) => distribution.sample(&mut stream),
            Self::Gamma(distribution) => distribution.sample(&mut stream),
            Self::Exponential(distribution) => distribution.sample(&mut stream),
            // These two are not drawn.
            Self::Constant(operations) => *operations,
            Self::Trace(values) => values[task as usize % values.len()].base(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(toml: &str) -> Cost {
        let table: toml::Table = toml.parse().unwrap();
        serde_json::from_value(serde_json::to_value(table).unwrap()).unwrap()
    }

    /// Each distribution has the mean and the deviation of its parameters.
    #[test]
    fn draws_have_their_moments() {
        for text in [
            "distribution = \"uniform\"\nfrom = \"1Mop\"\nto = \"3Mop\"",
            "distribution = \"normal\"\nmean = \"5Mop\"\ndeviation = \"1Mop\"",
            "distribution = \"log_normal\"\nmean = \"5Mop\"\ndeviation = \"4Mop\"",
            "distribution = \"gamma\"\nmean = \"5Mop\"\ndeviation = \"4Mop\"",
            "distribution = \"exponential\"\nmean = \"5Mop\"",
            "distribution = \"trace\"\noperations = [\"1Mop\", \"2Mop\", \"6Mop\"]",
        ] {
            let cost = cost(text);
            cost.check().unwrap();
            let tasks = Tasks::new(&cost, Streams::new(3, 0)).unwrap();
            let (mean, deviation) = cost.moments();
            let count = 60_000;
            let average = tasks.total(count) / f64::from(count);
            let squares: f64 = (0..count).map(|task| (tasks.operations(task) - average).powi(2)).sum();
            assert!((average / mean - 1.0).abs() < 0.02, "{text}: {average}");
            assert!(((squares / f64::from(count)).sqrt() / deviation - 1.0).abs() < 0.04, "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "distribution = \"constant\"\noperations = \"0op\"",
            "distribution = \"uniform\"\nfrom = \"3Mop\"\nto = \"1Mop\"",
            "distribution = \"trace\"",
        ] {
            assert!(cost(text).check().is_err(), "{text}");
        }
    }
}
