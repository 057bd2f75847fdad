//! One of the models of a pair of nodes, fitted.

use super::error::FitError;
use super::estimate::Estimate;
use super::hockney::Hockney;
use super::loggp::Loggp;
use super::logp::Logp;
use super::plogp::Plogp;
use super::samples::{Cost, PairSamples, Series};
use super::table::SizeTable;
use crate::cluster::network::{Parameters, hockney, loggp, logp, plogp};
use crate::units::{Bytes, BytesPerSecond, Quantity, Seconds, SecondsPerByte};

crate::registry::names! {
    /// The point-to-point models whose parameters can be fitted.
    "point-to-point model": Model {
        #[default]
        Hockney "hockney" = "Latency and time a byte, from round trips.",
        Logp "logp" = "Latency, overhead and gap of the smallest message.",
        Loggp "loggp" = "LogP with a gap for each byte, from trains of all sizes.",
        Plogp "plogp" = "Gap and overheads as tables over all sizes.",
        Lmo "lmo" = "Processors apart from wires, from experiments with three nodes.",
    }
}

/// A parameter by name.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Its name, its unit at the end: `latency_s`, `gap_per_byte_s`.
    pub name: &'static str,
    /// The size that it is for, where it is a table over sizes.
    pub bytes: Option<u64>,
    /// Its value, and how sure it is.
    pub estimate: Estimate,
}

/// A model of a pair of nodes with its parameters. LMO's belong to nodes and links: see [`Lmo`](super::Lmo).
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
    /// What the samples that this model needs of a pair took: round trips of all sizes for Hockney; those of the smallest size
    /// with its gap and overheads for LogP; the gaps of all sizes besides for LogGP; everything of all sizes for pLogP. For LMO
    /// the round trips; experiments with three nodes come on top.
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
    /// Where samples are missing that it needs; for LMO always, which is no model of a pair.
    pub fn fit(model: Model, pair: &PairSamples) -> Result<Self, FitError> {
        Ok(match model {
            Model::Hockney => Self::Hockney(Hockney::fit(pair)?),
            Model::Logp => Self::Logp(Logp::fit(pair)?),
            Model::Loggp => Self::Loggp(Loggp::fit(pair)?),
            Model::Plogp => Self::Plogp(Plogp::fit(pair)?),
            Model::Lmo => return Err(FitError::Missing { model: "LMO", what: "experiments with two receivers" }),
        })
    }

    /// Which model it is.
    #[must_use]
    pub const fn model(&self) -> Model {
        match self {
            Self::Hockney(_) => Model::Hockney,
            Self::Logp(_) => Model::Logp,
            Self::Loggp(_) => Model::Loggp,
            Self::Plogp(_) => Model::Plogp,
        }
    }

    /// What it predicts for one message from end to end, in seconds.
    #[must_use]
    pub fn hop(&self, bytes: u64) -> f64 {
        match self {
            Self::Hockney(fitted) => fitted.hop(bytes),
            Self::Logp(fitted) => fitted.hop(),
            Self::Loggp(fitted) => fitted.hop(bytes),
            Self::Plogp(fitted) => fitted.hop(bytes),
        }
    }

    /// After how long the sender may send again, in seconds.
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

    /// The same as a network of a platform, for simulations. Overheads that were not measured are 0, and part of the latency.
    ///
    /// # Errors
    /// Where a parameter came out below zero (a bandwidth: not above it), so that no network can have it.
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
        // Twelve digits are more than any measurement has, and read better than seventeen.
        let rounded: f64 = format!("{value:.11e}").parse().unwrap_or(value);
        Q::from_base(rounded).map_err(|_| FitError::Impossible {
            model: self.model().name(),
            parameter,
            value: value.into(),
        })
    }

    fn points(&self, parameter: &'static str, table: &SizeTable) -> Result<plogp::Points, FitError> {
        let point = |&(bytes, estimate): &(u64, Estimate)| {
            Ok((Bytes::new(bytes).to_string(), self.quantity(parameter, estimate.value)?))
        };
        table.points.iter().map(point).collect()
    }
}
