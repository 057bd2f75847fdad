//! What an adaptive broadcast leaves: metrics, and every candidate's choice.

use super::decide::{Chosen, Decision};
use super::session::{Operated, Session};
use super::{Placement, PreparedAdaptive};
use crate::broadcast::{BroadcastParameters, alike};
use crate::{Prepared, Run, RunFailure, Workload};
use hetsim_adapt::{BroadcastChoice, Candidate, Cluster, Model};
use hetsim_base::record::{Metric, TableShape, Value};
use hetsim_base::units::Time;
use hetsim_cluster::Platform;
use hetsim_communication::Algorithm;

hetsim_base::metrics! {
    /// The metrics of an adaptive broadcast.
    pub struct AdaptiveMetrics {
        completion_s: f64 = "from a broadcast's start until the last node had the whole message, simulated; the mean of all operations" [less],
        first_s: Option<f64> = "the same of the first operation" [less],
        last_s: f64 = "the same of the last operation" [less],
        predicted_s: Option<f64> = "the same as it is predicted, the mean of all operations that had a prediction: by both adaptations, or by past ones" [less],
        prediction_error: Option<f64> = "prediction less simulation, over simulation, of these operations" [neither],
        optimum_s: Option<f64> = "the least end of the last operation by any schedule between the clusters, by the same predictions; blank where it is not proved" [less],
        binomial_s: f64 = "completion of a binomial tree over all ranks placed round robin, from the first node" [less],
        binomial_in_cluster_order_s: f64 = "completion of a binomial tree over all ranks, cluster after cluster" [less],
        binomial_mpich_in_cluster_order_s: f64 = "the same of a tree that sends to the farthest rank first, as MPICH does" [less],
        gain_over_binomial: f64 = "the round-robin binomial tree's completion over this one's" [more],
        gain_in_cluster_order: f64 = "the same for ranks placed cluster after cluster" [more],
        gain_over_binomial_mpich: f64 = "the same for ranks placed so, and a tree that sends to the farthest rank first" [more],
        heuristic: &'static str = "the heuristic between the clusters that was chosen, at last" [text],
        inside: Value = "the algorithm inside the clusters at last, cluster by cluster where they differ" [text],
        models: Value = "the model retained for it, likewise; blank for experimental selection" [text],
        segment_bytes: Value = "the length of its segments, likewise; blank where nothing is cut" [text],
        refused: usize = "models that cannot describe some cluster" [neither],
        measuring_s: f64 = "simulated time that went into benchmarks and sample broadcasts" [less],
        measuring_messages: u64 = "their messages" [less],
        total_s: f64 = "simulated time of everything, measuring and all operations" [less],
        reselections: u64 = "how often the network was measured again" [neither],
        tried: usize = "operations that tried something that was not known yet" [neither],
        sample_s: Option<f64> = "focus: the measured broadcast" [less],
        poly1_s: Option<f64> = "focus: the prediction of the model that poly-adapt-1 retains" [less],
        poly2_s: Option<f64> = "focus: the prediction for the cluster's fastest algorithm, which poly-adapt-2 takes" [less],
        poly1_model: Option<&'static str> = "focus: the model that poly-adapt-1 retains" [text],
        nearest_model: Option<&'static str> = "focus: the model with the least error, whatever it costs" [text],
    }
}

hetsim_base::metrics! {
    /// What each model predicts for the focus, in seconds, in the order of Table 1.
    pub struct ModelMetrics [
        [less] "hockney_s" => "focus: prediction by Hockney",
        [less] "logp_s" => "focus: prediction by LogP",
        [less] "loggp_s" => "focus: prediction by LogGP",
        [less] "lopc_s" => "focus: prediction by LoPC",
        [less] "logpc_s" => "focus: prediction by LoGPC",
        [less] "plogp_s" => "focus: prediction by pLogP",
        [less] "cappello_s" => "focus: prediction by the model of Cappello et al.",
        [less] "steffenel_s" => "focus: prediction by the model of Steffenel",
        [less] "lastovetsky_s" => "focus: prediction by the model of Lastovetsky et al.",
    ]
}

/// The long tables that an adaptive broadcast can keep.
pub(super) const TABLES: &[TableShape] = &[CHOICES, SCHEDULES, OPERATIONS];

/// A row a candidate.
const CHOICES: TableShape = TableShape {
    name: "choices",
    about: "every candidate inside every cluster, with the model retained for it",
    columns: &[
        Metric::name("cluster", "the cluster"),
        Metric::number("bytes", "the message's length"),
        Metric::name("algorithm", "the algorithm"),
        Metric::number("segment_bytes", "the length of its segments; 0 where nothing is cut"),
        Metric::name("model", "the model that poly-adapt-1 retains"),
        Metric::number("predicted_s", "what it predicts"),
        Metric::number("measured_s", "the sample that it was judged by"),
        Metric::number("error", "how far its prediction of the sample lies off, relative to it"),
        Metric::number("score", "the error plus the weight of the model's measurements"),
        Metric::number("chosen", "1 for the one that poly-adapt-2 takes"),
    ],
};

/// A row a heuristic.
const SCHEDULES: TableShape = TableShape {
    name: "schedules",
    about: "every heuristic between the clusters, with its predicted end",
    columns: &[
        Metric::name("heuristic", "the heuristic"),
        Metric::number("predicted_s", "when its broadcast would end"),
        Metric::number("chosen", "1 for the one that is taken"),
    ],
};

/// A row an operation.
const OPERATIONS: TableShape = TableShape {
    name: "operations",
    about: "every broadcast of the sequence, with the choice that stood",
    columns: &[
        Metric::number("operation", "its number, from 1"),
        Metric::number("started_s", "when it began"),
        Metric::number("took_s", "until the last node had the whole message"),
        Metric::number("predicted_s", "the same as predicted; blank where nothing was known"),
        Metric::number("measuring_s", "simulated time of what was measured just before it"),
        Metric::name(
            "because",
            "measured (a new choice by models), kept (the same one), tried (something new) or cached (the fastest so far)",
        ),
        Metric::name("heuristic", "the heuristic between the clusters"),
        Metric::name("inside", "the algorithm inside the clusters, cluster by cluster where they differ"),
    ],
};

/// The metrics of an adaptive broadcast, and what each model predicts for the focus.
pub(super) type AllMetrics = (AdaptiveMetrics, ModelMetrics);

/// What is known of one cluster and one algorithm, at its first length of segments.
struct Focus<'a> {
    cluster: &'a Cluster,
    fastest: &'a Chosen,
    choice: BroadcastChoice,
    nearest: BroadcastChoice,
}

impl PreparedAdaptive {
    pub(super) fn metrics(
        &self,
        session: &Session<'_>,
        end: Time,
        run: &mut Run<'_>,
    ) -> Result<AllMetrics, RunFailure> {
        let platform = run.platform;
        let seconds = |time| platform.tick().seconds(time);
        let last = session.log.last().ok_or("the broadcast did not end")?;
        let plain = |tree, placement| plain(&self.parameters.plain(tree, placement, platform), run);
        let binomial = plain(Algorithm::Binomial, Placement::RoundRobin)?;
        let in_order = plain(Algorithm::Binomial, Placement::Cluster)?;
        let mpich = plain(Algorithm::BinomialMpich, Placement::Cluster)?;
        let mean = |times: &[Time]| {
            let sum: f64 = times.iter().map(|time| seconds(*time)).sum();
            (!times.is_empty()).then(|| sum / times.len() as f64)
        };
        let all: Vec<Time> = session.log.iter().map(|operated| operated.took).collect();
        let completion = mean(&all).ok_or("the broadcast did not end")?;
        let foreseen = session.log.iter().filter_map(|operated| Some((operated.decision.predicted()?, operated.took)));
        let (predictions, came): (Vec<Time>, Vec<Time>) = foreseen.unzip();
        let predicted = mean(&predictions);
        let refused = Model::ALL.iter().filter(|model| {
            let mut refusals = session.clusters.iter().flatten().flat_map(Cluster::refusals);
            refusals.any(|refusal| refusal.model == **model)
        });
        let bytes = self.parameters.size.count();
        let focus = self.focus(session);
        let focus = focus.as_ref();
        let sample = |choice: &BroadcastChoice| (choice.sample.bytes == bytes).then_some(choice.sample.seconds);
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        let segment = |chosen: &Chosen| {
            let bytes = chosen.candidate.segment;
            or_none((bytes > 0).then(|| bytes.to_string()))
        };
        let metrics = AdaptiveMetrics {
            completion_s: completion,
            first_s: session.log.first().map(|operated| seconds(operated.took)),
            last_s: seconds(last.took),
            predicted_s: predicted,
            prediction_error: predicted.zip(mean(&came)).map(|(predicted, came)| predicted / came - 1.0),
            optimum_s: last.decision.optimum().map(seconds),
            binomial_s: binomial,
            binomial_in_cluster_order_s: in_order,
            binomial_mpich_in_cluster_order_s: mpich,
            gain_over_binomial: binomial / completion,
            gain_in_cluster_order: in_order / completion,
            gain_over_binomial_mpich: mpich / completion,
            heuristic: last.decision.composed.heuristic.name(),
            inside: inside(&last.decision, |chosen| chosen.candidate.algorithm.to_string()),
            models: inside(&last.decision, |chosen| or_none(chosen.model.map(|model| model.to_string()))),
            segment_bytes: inside(&last.decision, segment),
            refused: refused.count(),
            measuring_s: seconds(session.measuring),
            measuring_messages: session.measuring_messages,
            total_s: seconds(end),
            reselections: session.reselections,
            tried: session.log.iter().filter(|operated| operated.because == "tried").count(),
            sample_s: focus.and_then(|focus| sample(&focus.choice)),
            poly1_s: focus.map(|focus| focus.choice.predicted),
            poly2_s: focus.and_then(|focus| focus.fastest.seconds),
            poly1_model: focus.map(|focus| focus.choice.model.name()),
            nearest_model: focus.map(|focus| focus.nearest.model.name()),
        };
        let of_model = |model: &Model| {
            let focus = focus?;
            let mut all = focus.cluster.predictions(focus.choice.algorithm, bytes, focus.choice.segment);
            all.find(|(other, _)| other == model).map(|(_, seconds)| seconds)
        };
        let of_models = ModelMetrics(Model::ALL.iter().map(|model| of_model(model).into()).collect());
        run.table(&CHOICES, || self.choices(platform, session, &last.decision));
        run.table(&SCHEDULES, || schedules(platform, &last.decision));
        run.table(&OPERATIONS, || operations(platform, session));
        Ok((metrics, of_models))
    }

    fn focus<'a>(&self, session: &'a Session<'_>) -> Option<Focus<'a>> {
        let (bytes, weight) = (self.parameters.size.count(), self.parameters.weight);
        let (cluster, algorithm) = self.focus?;
        let fastest = session.log.last()?.decision.inside[cluster].as_ref()?;
        let cluster = session.clusters[cluster].as_ref()?;
        let of_algorithm = |choice: &BroadcastChoice| choice.algorithm == algorithm;
        let choice = cluster.candidates(bytes, weight).into_iter().find(of_algorithm)?;
        let nearest = cluster.candidates(bytes, 0.0).into_iter().find(of_algorithm)?;
        Some(Focus { cluster, fastest, choice, nearest })
    }

    fn choices(&self, platform: &Platform, session: &Session<'_>, decision: &Decision) -> Vec<Vec<Value>> {
        let bytes = self.parameters.size.count();
        let mut rows = Vec::new();
        for ((group, cluster), chosen) in platform.clusters().iter().zip(&session.clusters).zip(&decision.inside) {
            let (Some(cluster), Some(chosen)) = (cluster, chosen) else { continue };
            for choice in cluster.candidates(bytes, self.parameters.weight) {
                let Candidate { algorithm, segment } = chosen.candidate;
                let taken = (choice.algorithm, choice.segment) == (algorithm, segment);
                rows.push(vec![
                    group.name.as_str().into(),
                    Value::Count(bytes),
                    choice.algorithm.name().into(),
                    Value::Count(choice.segment),
                    choice.model.name().into(),
                    choice.predicted.into(),
                    choice.sample.seconds.into(),
                    choice.error.into(),
                    choice.score.into(),
                    Value::Count(u64::from(taken)),
                ]);
            }
        }
        rows
    }
}

fn schedules(platform: &Platform, decision: &Decision) -> Vec<Vec<Value>> {
    let row = |&(heuristic, end): &(hetsim_communication::intercluster::Heuristic, _)| {
        let chosen = Value::Count(u64::from(heuristic == decision.composed.heuristic));
        vec![heuristic.name().into(), platform.tick().seconds(end).into(), chosen]
    };
    decision.composed.ends.iter().map(row).collect()
}

fn operations(platform: &Platform, session: &Session<'_>) -> Vec<Vec<Value>> {
    let seconds = |time| platform.tick().seconds(time);
    let row = |(operated, number): (&Operated, u64)| {
        vec![
            Value::Count(number),
            seconds(operated.started).into(),
            seconds(operated.took).into(),
            operated.decision.predicted().map(seconds).into(),
            seconds(operated.measuring).into(),
            operated.because.into(),
            operated.decision.composed.heuristic.name().into(),
            inside(&operated.decision, |chosen| chosen.candidate.algorithm.to_string()),
        ]
    };
    session.log.iter().zip(1..).map(row).collect()
}

/// A text for each cluster in which something was chosen.
fn inside(decision: &Decision, part: impl Fn(&Chosen) -> String) -> Value {
    alike(&decision.inside.iter().flatten().map(part).collect::<Vec<_>>())
}

/// A broadcast over the whole platform that knows nothing of clusters, in seconds; it is no measurement that the
/// adaptation needs, but one to compare with.
fn plain(parameters: &BroadcastParameters, run: &Run<'_>) -> Result<f64, RunFailure> {
    let prepared = parameters.prepare(run.platform).map_err(|error| error.message)?;
    let (broadcast, _) = prepared.measure(run.platform, run.streams)?;
    Ok(broadcast.completion_s)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_has_its_metric() {
        let names: Vec<String> = Model::ALL.iter().map(|model| format!("{model}_s")).collect();
        assert_eq!(names, ModelMetrics::METRICS.iter().map(|metric| metric.name).collect::<Vec<_>>());
    }
}
