//! Both adaptations inside a cluster: the model for each algorithm, and the algorithm by these models.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cost_curve::CostCurve;
use super::model::{Model, Needs, Refusal};
use super::observations::Observations;
use super::predict::Shapes;
use hetsim_communication::Algorithm;

/// Scores closer than this differ by rounding: simulated times are whole ticks.
const TIE: f64 = 1e-9;

/// A measured broadcast inside a cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Its algorithm.
    pub algorithm: Algorithm,
    /// The bytes of its segments, 0 for an uncut message.
    pub segment: u64,
    /// The bytes of its message.
    pub bytes: u64,
    /// Its time, in seconds.
    pub seconds: f64,
}

/// A candidate for a broadcast, with its model and prediction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BroadcastChoice {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The bytes of its segments, 0 for none.
    pub segment: u64,
    /// The model that poly-adapt-1 retains for it.
    pub model: Model,
    /// The prediction of that model, in seconds.
    pub predicted: f64,
    /// The sample that decided for the model.
    pub sample: Sample,
    /// The relative error of the model's prediction of the sample.
    pub error: f64,
    /// The score of the model, the lowest of all: error + weight × measurements.
    pub score: f64,
}

/// By what the fastest algorithm is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Selection {
    /// By the predictions of the retained models.
    #[default]
    Analytical,
    /// By past operations, as a cache: in each cluster every candidate is tried once, one an operation, and then the
    /// fastest is taken. Nothing is measured inside clusters, and no model is used there.
    Experimental,
}

/// A measured cluster.
#[derive(Debug, Clone)]
pub struct Cluster {
    shapes: Shapes,
    /// The usable models: fitted, with their numbers of measurements.
    cost_curves: Vec<(Model, CostCurve, f64)>,
    refusals: Vec<Refusal>,
    /// By algorithm, then segment, then size.
    samples: Vec<Sample>,
}

impl Cluster {
    /// A cluster with the shapes of the candidate algorithms, the allowed models, and the measurements of single
    /// messages and of whole broadcasts. Models that cannot describe a platform with these `needs` are refused.
    #[must_use]
    pub fn new(
        shapes: Shapes,
        models: &[Model],
        needs: Needs,
        observations: &Observations,
        packet: u64,
        mut samples: Vec<Sample>,
    ) -> Self {
        let sizes = observations.all().len() as u32;
        let (mut cost_curves, mut refusals) = (Vec::new(), Vec::new());
        for &model in models {
            match model.check(needs) {
                Ok(()) => {
                    cost_curves.push((model, model.fit(observations, packet), f64::from(model.measurements(sizes))));
                }
                Err(refusal) => refusals.push(refusal),
            }
        }
        samples.sort_by_key(|sample| (sample.algorithm, sample.segment, sample.bytes));
        Self { shapes, cost_curves, refusals, samples }
    }

    /// The models that cannot describe the cluster.
    #[must_use]
    pub fn refusals(&self) -> &[Refusal] {
        &self.refusals
    }

    /// The usable models, with the cost of a message by each.
    pub fn cost_curves(&self) -> impl Iterator<Item = (Model, &CostCurve)> {
        self.cost_curves.iter().map(|(model, cost_curve, _)| (*model, cost_curve))
    }

    /// The prediction of each usable model for a broadcast, in seconds.
    pub fn predictions(&self, algorithm: Algorithm, bytes: u64, segment: u64) -> impl Iterator<Item = (Model, f64)> {
        self.cost_curves.iter().filter_map(move |(model, cost_curve, _)| {
            Some((*model, self.shapes.predict(algorithm, bytes, segment, cost_curve)?))
        })
    }

    /// Poly-adapt-1 for every candidate. The candidates are the algorithms and segments with samples. The model with
    /// the lowest score for the sample at the nearest size is retained; the score is the relative error plus `weight`
    /// per measurement of the model's parameters (0: accuracy alone). Of scores that differ by rounding only, the first
    /// in the order of `models` counts.
    #[must_use]
    pub fn candidates(&self, bytes: u64, weight: f64) -> Vec<BroadcastChoice> {
        let variants = self.samples.chunk_by(|a, b| (a.algorithm, a.segment) == (b.algorithm, b.segment));
        variants.filter_map(|samples| self.retain(*nearest(samples, bytes)?, bytes, weight)).collect()
    }

    fn retain(&self, sample: Sample, bytes: u64, weight: f64) -> Option<BroadcastChoice> {
        let Sample { algorithm, segment, .. } = sample;
        let mut best: Option<(f64, f64, Model, &CostCurve)> = None;
        for (model, cost_curve, measurements) in &self.cost_curves {
            let predicted = self.shapes.predict(algorithm, sample.bytes, segment, cost_curve)?;
            let error =
                if predicted == sample.seconds { 0.0 } else { (predicted - sample.seconds).abs() / sample.seconds };
            let score = error + weight * measurements;
            if best.is_none_or(|(least, ..)| score < least - TIE) {
                best = Some((score, error, *model, cost_curve));
            }
        }
        let (score, error, model, cost_curve) = best?;
        let predicted = self.shapes.predict(algorithm, bytes, segment, cost_curve)?;
        Some(BroadcastChoice { algorithm, segment, model, predicted, sample, error, score })
    }

    /// Poly-adapt-2: the fastest candidate, by the retained models or by past runs; of equally fast ones the first.
    /// `None` without samples or usable models.
    #[must_use]
    pub fn fastest(&self, bytes: u64, weight: f64, selection: Selection) -> Option<BroadcastChoice> {
        let by = |choice: &BroadcastChoice| match selection {
            Selection::Analytical => choice.predicted,
            Selection::Experimental => choice.sample.seconds,
        };
        self.candidates(bytes, weight).into_iter().min_by(|a, b| by(a).total_cmp(&by(b)))
    }
}

/// The sample of the nearest size, by ratio.
fn nearest(samples: &[Sample], bytes: u64) -> Option<&Sample> {
    let apart = |sample: &Sample| ((sample.bytes.max(1) as f64).ln() - (bytes.max(1) as f64).ln()).abs();
    samples.iter().min_by(|a, b| apart(a).total_cmp(&apart(b)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Observation;
    use hetsim_communication::Operation;

    /// A pLogP platform that is not linear: long messages have a protocol of their own.
    fn observations() -> Observations {
        let gap = |bytes: u64| if bytes > 60_000 { 200e-6 + 8e-9 * bytes as f64 } else { 20e-6 + 12e-9 * bytes as f64 };
        let at = [1u64, 1024, 8192, 16_384, 65_536, 524_288, 1 << 20].map(|bytes| Observation {
            bytes,
            one_way: gap(bytes) + 40e-6,
            gap: gap(bytes),
            send: 0.0,
            receive: 0.0,
        });
        Observations::new(at.to_vec(), 1.0).unwrap()
    }

    fn cluster(models: &[Model]) -> Cluster {
        let (shapes, observations) =
            (Shapes::new(20, &Operation::Broadcast.algorithms().collect::<Vec<_>>()), observations());
        let truth = Model::Plogp.fit(&observations, 1);
        let mut samples = Vec::new();
        for (algorithm, segment) in [(Algorithm::Linear, 0), (Algorithm::Binomial, 0), (Algorithm::Pipeline, 16_384)] {
            for bytes in [8192, 524_288] {
                let seconds = shapes.predict(algorithm, bytes, segment, &truth).unwrap();
                samples.push(Sample { algorithm, segment, bytes, seconds });
            }
        }
        Cluster::new(shapes, models, Needs::default(), &observations, 8192, samples)
    }

    #[test]
    fn accuracy_alone_takes_the_model_of_the_platform() {
        for choice in cluster(Model::ALL).candidates(524_288, 0.0) {
            assert!(choice.error < 1e-12, "{choice:?}");
        }
        // Without a weight of cost the poly-model is never worse than any single model.
        let all = cluster(Model::ALL);
        for &model in Model::ALL {
            let alone = cluster(&[model]);
            for (poly, single) in all.candidates(524_288, 0.0).iter().zip(alone.candidates(524_288, 0.0)) {
                assert!(poly.error <= single.error, "{model}");
            }
        }
    }

    #[test]
    fn cost_makes_a_cheap_model_win_where_it_is_right() {
        let cluster = cluster(&[Model::Logp, Model::Plogp]);
        // LogP's short message is 8 KiB here: the model is exact there, with three measurements instead of 22.
        let small = cluster.fastest(8192, 0.001, Selection::Analytical).unwrap();
        assert_eq!((small.algorithm, small.model), (Algorithm::Binomial, Model::Logp));
        // 512 KiB differ from 64 short messages: the error outweighs the cost.
        let large = cluster.fastest(524_288, 0.001, Selection::Analytical).unwrap();
        assert_eq!((large.algorithm, large.segment, large.model), (Algorithm::Pipeline, 16_384, Model::Plogp));
        assert_eq!(cluster.fastest(524_288, 1.0, Selection::Analytical).unwrap().model, Model::Logp);
    }

    #[test]
    fn past_runs_choose_by_themselves() {
        let cluster = cluster(Model::ALL);
        let choice = cluster.fastest(500_000, 0.0, Selection::Experimental).unwrap();
        assert_eq!((choice.algorithm, choice.sample.bytes), (Algorithm::Pipeline, 524_288));
    }

    #[test]
    fn refused_models_are_not_used() {
        let needs = Needs { heterogeneous: true, hierarchical: true, contention: false };
        let shapes = Shapes::new(4, &Operation::Broadcast.algorithms().collect::<Vec<_>>());
        let cluster = Cluster::new(shapes, Model::ALL, needs, &observations(), 1, Vec::new());
        let usable: Vec<Model> = cluster.cost_curves().map(|(model, _)| model).collect();
        assert_eq!(usable, [Model::Plogp, Model::Cappello, Model::Steffenel]);
        assert_eq!(cluster.refusals().len(), 6);
        assert_eq!(cluster.fastest(1, 0.0, Selection::Analytical), None);
    }
}
