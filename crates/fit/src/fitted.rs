//! A fitted model of a pair of nodes.

use super::error::FitError;
use super::estimate::Estimate;
use super::hockney::Hockney;
use super::loggp::Loggp;
use super::logp::Logp;
use super::plogp::Plogp;
use super::samples::{Cost, PairSamples, Series};
use super::table::SizeTable;
use hetsim_base::units::{Bytes, BytesPerSecond, Quantity, Seconds, SecondsPerByte};
use hetsim_cluster::network::{Parameters, hockney, loggp, logp, plogp};

hetsim_base::registry::names! {
    /// A point-to-point model whose parameters can be fitted.
    "point-to-point model": Model {
        #[default]
        Hockney "hockney" = "Latency and time per byte, from round trips.",
        Logp "logp" = "Latency, overhead and gap of the smallest message.",
        Loggp "loggp" = "LogP with a gap per byte, from trains of all sizes.",
        Plogp "plogp" = "Gap and overheads as tables over all sizes.",
        Lmo "lmo" = "Processors and links separately, from experiments with three nodes.",
    }
}

/// A named parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// The name with the unit at its end: `latency_s`, `gap_per_byte_s`.
    pub name: &'static str,
    /// The message size in bytes, for a parameter that is a table over sizes.
    pub bytes: Option<u64>,
    /// The estimate of its value.
    pub estimate: Estimate,
}

/// A fitted model of a pair of nodes. LMO's parameters belong to nodes and links instead: see [`Lmo`](super::Lmo).
#[derive(Debug, Clone, PartialEq)]
pub enum Fitted {
    /// See [`Hockney`].
    Hockney(Hockney),
    /// See [`Logp`].
    Logp(Logp),
    /// See [`Loggp`].
    Loggp(Loggp),
    /// See [`Plogp`].
    Plogp(Plogp),
}

impl Model {
    /// The cost of the samples that this model needs of a pair: round trips of all sizes for Hockney; round trips, gap
    /// and overheads of the smallest size for LogP; the same and the gaps of all sizes for LogGP; all samples of all
    /// sizes for pLogP; the round trips for LMO, without its experiments with three nodes.
    #[must_use]
    pub fn acquisition(self, pair: &PairSamples) -> Cost {
        let all = |list: &[Series]| list.iter().map(|series| series.cost).sum::<Cost>();
        let first = |list: &[Series]| list.first().map(|series| series.cost).unwrap_or_default();
        let overheads = [pair.send_overheads.as_slice(), pair.receive_overheads.as_slice()];
        match self {
            Self::Hockney | Self::Lmo => all(&pair.round_trips),
            Self::Logp => first(&pair.round_trips) + first(&pair.gaps) + overheads.into_iter().map(first).sum(),
            Self::Loggp => first(&pair.round_trips) + all(&pair.gaps) + overheads.into_iter().map(first).sum(),
            Self::Plogp => all(&pair.round_trips) + all(&pair.gaps) + overheads.into_iter().map(all).sum(),
        }
    }
}

impl Fitted {
    /// Fits a model to the samples of a pair.
    ///
    /// # Errors
    /// Missing samples; always for LMO, which is not a model of a pair.
    pub fn fit(model: Model, pair: &PairSamples) -> Result<Self, FitError> {
        Ok(match model {
            Model::Hockney => Self::Hockney(Hockney::fit(pair)?),
            Model::Logp => Self::Logp(Logp::fit(pair)?),
            Model::Loggp => Self::Loggp(Loggp::fit(pair)?),
            Model::Plogp => Self::Plogp(Plogp::fit(pair)?),
            Model::Lmo => return Err(FitError::Missing { model: "LMO", what: "experiments with two receivers" }),
        })
    }

    /// The kind of the model.
    #[must_use]
    pub const fn model(&self) -> Model {
        match self {
            Self::Hockney(_) => Model::Hockney,
            Self::Logp(_) => Model::Logp,
            Self::Loggp(_) => Model::Loggp,
            Self::Plogp(_) => Model::Plogp,
        }
    }

    /// The predicted end-to-end time of one message in seconds.
    #[must_use]
    pub fn hop(&self, bytes: u64) -> f64 {
        match self {
            Self::Hockney(fitted) => fitted.hop(bytes),
            Self::Logp(fitted) => fitted.hop(),
            Self::Loggp(fitted) => fitted.hop(bytes),
            Self::Plogp(fitted) => fitted.hop(bytes),
        }
    }

    /// The predicted time in seconds until the sender may send again.
    #[must_use]
    pub fn gap(&self, bytes: u64) -> f64 {
        match self {
            Self::Hockney(fitted) => fitted.hop(bytes),
            Self::Logp(fitted) => fitted.gap.value.max(fitted.overhead.map_or(0.0, |overhead| overhead.value)),
            Self::Loggp(fitted) => fitted.gap(bytes),
            Self::Plogp(fitted) => fitted.gap(bytes),
        }
    }

    /// The parameters, table by table.
    #[must_use]
    pub fn parameters(&self) -> Vec<Parameter> {
        let one = |name, estimate| Parameter { name, bytes: None, estimate };
        let maybe = |name, estimate: Option<Estimate>| estimate.map(|estimate| one(name, estimate));
        match self {
            Self::Hockney(fitted) => vec![one("latency_s", fitted.latency), one("per_byte_s", fitted.per_byte)],
            Self::Logp(fitted) => {
                let overhead = maybe("overhead_s", fitted.overhead);
                [Some(one("latency_s", fitted.latency)), overhead, Some(one("gap_s", fitted.gap))]
                    .into_iter()
                    .flatten()
                    .collect()
            }
            Self::Loggp(fitted) => {
                let mut all = vec![one("latency_s", fitted.latency)];
                all.extend(maybe("overhead_s", fitted.overhead));
                all.extend([one("gap_s", fitted.gap), one("gap_per_byte_s", fitted.gap_per_byte)]);
                all
            }
            Self::Plogp(fitted) => {
                let table = |name, table: &SizeTable| {
                    let point = |&(bytes, estimate): &(u64, Estimate)| Parameter { name, bytes: Some(bytes), estimate };
                    table.points.iter().map(point).collect::<Vec<_>>()
                };
                let mut all = vec![one("latency_s", fitted.latency)];
                all.extend(table("gap_s", &fitted.gap));
                all.extend(table("send_overhead_s", &fitted.send_overhead));
                all.extend(table("receive_overhead_s", &fitted.receive_overhead));
                all
            }
        }
    }

    /// The model as a network of a platform, for simulations. Overheads that were not measured are 0 and part of the
    /// latency.
    ///
    /// # Errors
    /// A parameter that no network can have: below zero or, for a bandwidth, not above it.
    pub fn network(&self) -> Result<Parameters, FitError> {
        let overhead = |estimate: &Option<Estimate>| match estimate {
            Some(estimate) => self.quantity::<Seconds>("overhead", estimate.value),
            None => Ok(Seconds::default()),
        };
        Ok(match self {
            Self::Hockney(fitted) => Parameters::Hockney(hockney::HockneyParameters {
                latency: self.quantity("latency", fitted.latency.value)?,
                bandwidth: self.quantity::<BytesPerSecond>("bandwidth", 1.0 / fitted.per_byte.value)?,
            }),
            Self::Logp(fitted) => Parameters::Logp(logp::LogPParameters {
                latency: self.quantity("latency", fitted.latency.value)?,
                overhead: overhead(&fitted.overhead)?,
                gap: self.quantity("gap", fitted.gap.value)?,
                capacity: true,
            }),
            Self::Loggp(fitted) => Parameters::Loggp(loggp::LogGpParameters {
                latency: self.quantity("latency", fitted.latency.value)?,
                overhead: overhead(&fitted.overhead)?,
                gap: self.quantity("gap", fitted.gap.value)?,
                gap_per_byte: self.quantity::<SecondsPerByte>("gap per byte", fitted.gap_per_byte.value)?,
                overhead_per_byte: SecondsPerByte::default(),
                receiver_busy: false,
                eager_limit: None,
            }),
            Self::Plogp(fitted) => Parameters::Plogp(plogp::PLogPParameters {
                latency: self.quantity("latency", fitted.latency.value)?,
                gap: self.points("gap", &fitted.gap)?,
                send_overhead: self.points("sender's overhead", &fitted.send_overhead)?,
                receive_overhead: self.points("receiver's overhead", &fitted.receive_overhead)?,
            }),
        })
    }

    fn quantity<Q: Quantity>(&self, parameter: &'static str, value: f64) -> Result<Q, FitError> {
        // Twelve digits exceed the precision of any measurement and are easier to read than seventeen.
        let rounded = |digits: usize| format!("{value:.*e}", digits - 1).parse().unwrap_or(value);
        Q::from_base(rounded(12)).map_err(|_| FitError::Impossible {
            model: self.model().name(),
            parameter,
            value: rounded(4).into(),
            unit: Q::UNIT,
        })
    }

    fn points(&self, parameter: &'static str, table: &SizeTable) -> Result<plogp::Points, FitError> {
        let point = |&(bytes, estimate): &(u64, Estimate)| {
            Ok((Bytes::new(bytes).to_string(), self.quantity(parameter, estimate.value)?))
        };
        table.points.iter().map(point).collect()
    }
}
