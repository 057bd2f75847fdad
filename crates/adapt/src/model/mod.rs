//! The communication models of Table 1 of Nasri et al. 2008, as predictors that are fitted to observations.

mod cappello;
mod hockney;
mod lastovetsky;
mod loggp;
mod logp;
mod logpc;
mod lopc;
mod plogp;
mod steffenel;

use std::fmt;

use super::cost_curve::CostCurve;
use super::observations::Observations;
use hetsim_base::registry::names;

/// What a model can describe (Table 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// Unequal nodes and links.
    pub heterogeneous: bool,
    /// Networks of several levels.
    pub hierarchical: bool,
    /// Messages that delay each other.
    pub contention: bool,
}

/// What a model must describe for a part of the platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs {
    /// Its nodes or links differ.
    pub heterogeneous: bool,
    /// It has several levels.
    pub hierarchical: bool,
    /// Its messages delay each other.
    pub contention: bool,
}

/// Why a model cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub struct Refusal {
    /// The model.
    pub model: Model,
    /// The requirements that it does not meet, among others.
    pub needs: Needs,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let can = self.model.capabilities();
        let reasons = [
            (self.needs.heterogeneous && !can.heterogeneous, "the platform is heterogeneous"),
            (self.needs.hierarchical && !can.hierarchical, "the platform is hierarchical"),
            (self.needs.contention && !can.contention, "messages contend"),
        ];
        let reasons: Vec<&str> = reasons.into_iter().filter(|(applies, _)| *applies).map(|(_, why)| why).collect();
        write!(f, "{} does not describe this platform: {}", self.model, reasons.join(", "))
    }
}

/// A model of communication: the interface of each model's file, and of a model of your own.
/// [`Shapes`](crate::Shapes) predicts broadcasts by the costs that it [fits](Self::fit).
pub trait Predictor {
    /// The columns heterogeneous, hierarchical and contention of Table 1.
    fn capabilities(&self) -> Capabilities;

    /// The columns latency, gap, sender's and receiver's overhead of Table 1.
    fn columns(&self) -> [&'static str; 4];

    /// The number of benchmarks for its parameters, with tables measured at `sizes` sizes.
    fn measurements(&self, sizes: u32) -> u32;

    /// The cost of a message by the fitted model. `packet` is the length of a short message in bytes, for models of
    /// short messages.
    fn fit(&self, observations: &Observations, packet: f64) -> CostCurve;
}

names! {
    /// A communication model of Table 1. A new one is a file that fits it, and a line here.
    "communication model": Model of Predictor {
        hockney::Hockney = "latency and bandwidth (Hockney 1994)",
        logp::Logp = "latency, overhead and gap of a short message; long ones are many short ones (Culler et al. 1996)",
        loggp::Loggp = "LogP with a gap for each byte (Alexandrov et al. 1995)",
        lopc::Lopc = "LogP with queueing at the receiver (Frank et al. 1997; recalled)",
        logpc::Logpc = "LogGP with network contention (Moritz and Frank 2001; recalled)",
        plogp::Plogp = "the gap as a table over the size (Kielmann et al. 2001)",
        cappello::Cappello = "packing at both ends, latency and bandwidth (Cappello et al. 2005; recalled)",
        steffenel::Steffenel = "pLogP with a measured factor of contention (Steffenel 2006; recalled)",
        lastovetsky::Lastovetsky = "costs of the processors separate from those of the link (Lastovetsky et al. 2006; recalled)",
    }
}

impl Model {
    /// What the model can describe.
    #[must_use]
    pub fn capabilities(self) -> Capabilities {
        self.entry().capabilities()
    }

    /// Table 1's columns latency, gap, sender overhead and receiver overhead; empty where the model has no parameter.
    #[must_use]
    pub fn columns(self) -> [&'static str; 4] {
        self.entry().columns()
    }

    /// The number of benchmarks for its parameters, with tables over the message size measured at `sizes` sizes.
    #[must_use]
    pub fn measurements(self, sizes: u32) -> u32 {
        self.entry().measurements(sizes)
    }

    /// The cost of a message by the model fitted to `observations`. `packet` is the length of a short message in bytes,
    /// for models of short messages only (LogP, LoPC).
    #[must_use]
    pub fn fit(self, observations: &Observations, packet: u64) -> CostCurve {
        self.entry().fit(observations, packet.max(1) as f64)
    }

    /// Checks that the model can describe a platform with these needs.
    ///
    /// # Errors
    /// A [`Refusal`] with the reasons.
    pub fn check(self, needs: Needs) -> Result<(), Refusal> {
        let can = self.capabilities();
        let enough = (can.heterogeneous || !needs.heterogeneous)
            && (can.hierarchical || !needs.hierarchical)
            && (can.contention || !needs.contention);
        if enough { Ok(()) } else { Err(Refusal { model: self, needs }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Observation;

    /// A platform of Hockney's model with α = 50 µs and β = 10 ns.
    fn hockney_platform() -> Observations {
        let at = [0u64, 1024, 65_536, 1 << 20].map(|bytes| {
            let transfer = 50e-6 + 10e-9 * bytes as f64;
            Observation { bytes, one_way: transfer, gap: transfer, send: 0.0, receive: 0.0 }
        });
        Observations::new(at.to_vec(), 1.0).unwrap()
    }

    /// Table 1, line by line.
    #[test]
    fn capabilities_are_those_of_table_1() {
        let able = |able: fn(Capabilities) -> bool| -> Vec<&str> {
            Model::ALL.iter().filter(|model| able(model.capabilities())).map(|model| model.name()).collect()
        };
        assert_eq!(able(|can| can.heterogeneous), ["plogp", "cappello", "steffenel", "lastovetsky"]);
        assert_eq!(able(|can| can.hierarchical), ["plogp", "cappello", "steffenel"]);
        assert_eq!(able(|can| can.contention), ["lopc", "logpc"]);
    }

    #[test]
    fn a_refusal_gives_its_reasons() {
        let grid = Needs { heterogeneous: true, hierarchical: true, contention: false };
        let refusal = Model::Logp.check(grid).unwrap_err().to_string();
        assert_eq!(
            refusal,
            "logp does not describe this platform: the platform is heterogeneous, the platform is hierarchical"
        );
        assert_eq!(Model::Plogp.check(grid), Ok(()));
    }

    #[test]
    fn table_models_cost_more_to_acquire() {
        let cost = |model: Model| model.measurements(20);
        assert!(cost(Model::Hockney) < cost(Model::Logp) && cost(Model::Logp) < cost(Model::Loggp));
        assert!(cost(Model::Loggp) * 10 < cost(Model::Plogp));
        assert_eq!(cost(Model::Plogp), 1 + 3 * 20);
    }

    #[test]
    fn models_with_a_cost_a_byte_give_hockneys_parameters_back() {
        let observations = hockney_platform();
        for model in [Model::Hockney, Model::Plogp, Model::Loggp, Model::Logpc, Model::Cappello, Model::Steffenel] {
            let cost_curve = model.fit(&observations, 1024);
            for bytes in [1.0, 5000.0, 500_000.0, 4e6] {
                let truth = 50e-6 + 10e-9 * bytes;
                let hop = cost_curve.hop.at(bytes);
                assert!((hop - truth).abs() < 1e-6 * truth + 2e-8, "{model}, {bytes} bytes: {hop} and not {truth}");
            }
        }
        // LogP has no cost per byte: 512 packets of 1 KiB cost 512 gaps.
        let logp = Model::Logp.fit(&observations, 1024).hop.at(524_288.0);
        assert!((logp - 512.0 * (50e-6 + 10e-9 * 1024.0)).abs() < 1e-9);
    }
}
