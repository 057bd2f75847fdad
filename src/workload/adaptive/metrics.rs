//! What an adaptive broadcast leaves: metrics, and every candidate's choice.

use super::decide::{Chosen, Decision};
use super::session::{Operated, Session};
use super::{Ended, Placement, Prepared};
use crate::adapt::{Choice, Cluster, Model};
use crate::cluster::{NodeId, Platform};
use crate::engine::Streams;
use crate::metrics::Performance;
use crate::record::{Metric, Record, Table, TableShape, Value};
use crate::units::Time;
use crate::workload::broadcast::{self, alike};
use crate::workload::footprint;

/// The metrics of an adaptive broadcast.
pub const METRICS: &[&[Metric]] = &[
    &[
        Metric::number(
            "completion_s",
            "from a broadcast's start until the last node had the whole message, simulated; the mean of all operations",
        ).less(),
        Metric::number("first_s", "the same of the first operation").less(),
        Metric::number("last_s", "the same of the last operation").less(),
        Metric::number(
            "predicted_s",
            "the same as it is predicted, the mean of all operations that had a prediction: by both adaptations, or by past ones",
        ).less(),
        Metric::number("prediction_error", "prediction less simulation, over simulation, of these operations").neither(),
        Metric::number(
            "optimum_s",
            "the least end of the last operation by any schedule between the clusters, by the same predictions; blank where it \
             is not proved",
        ).less(),
        Metric::number(
            "binomial_s",
            "completion of a binomial tree over all ranks placed round robin, from the first node",
        ).less(),
        Metric::number(
            "binomial_in_cluster_order_s",
            "completion of a binomial tree over all ranks, cluster after cluster",
        ).less(),
        Metric::number("gain_over_binomial", "the round-robin binomial tree's completion over this one's").more(),
        Metric::number("gain_in_cluster_order", "the same for ranks placed cluster after cluster").more(),
        Metric::name("heuristic", "the heuristic between the clusters that was chosen, at last"),
        Metric::name("inside", "the algorithm inside the clusters at last, cluster by cluster where they differ"),
        Metric::name("models", "the model retained for it, likewise; blank for experimental selection"),
        Metric::name("segment_bytes", "the length of its segments, likewise; blank where nothing is cut"),
        Metric::number("refused", "models that cannot describe some cluster").neither(),
        Metric::number("measuring_s", "simulated time that went into benchmarks and sample broadcasts").less(),
        Metric::number("measuring_messages", "their messages").less(),
        Metric::number("total_s", "simulated time of everything, measuring and all operations").less(),
        Metric::number("reselections", "how often the network was measured again").neither(),
        Metric::number("tried", "operations that tried something that was not known yet").neither(),
        Metric::number("sample_s", "focus: the measured broadcast").less(),
        Metric::number("poly1_s", "focus: the prediction of the model that poly-adapt-1 retains").less(),
        Metric::number(
            "poly2_s",
            "focus: the prediction for the cluster's fastest algorithm, which poly-adapt-2 takes",
        ).less(),
        Metric::name("poly1_model", "focus: the model that poly-adapt-1 retains"),
        Metric::name("nearest_model", "focus: the model with the least error, whatever it costs"),
    ],
    OF_MODELS,
];

/// What each model predicts for the focus, in the order of Table 1.
const OF_MODELS: &[Metric] = &[
    Metric::number("hockney_s", "focus: prediction by Hockney").less(),
    Metric::number("logp_s", "focus: prediction by LogP").less(),
    Metric::number("loggp_s", "focus: prediction by LogGP").less(),
    Metric::number("lopc_s", "focus: prediction by LoPC").less(),
    Metric::number("logpc_s", "focus: prediction by LoGPC").less(),
    Metric::number("plogp_s", "focus: prediction by pLogP").less(),
    Metric::number("cappello_s", "focus: prediction by the model of Cappello et al.").less(),
    Metric::number("steffenel_s", "focus: prediction by the model of Steffenel").less(),
    Metric::number("lastovetsky_s", "focus: prediction by the model of Lastovetsky et al.").less(),
];

/// The long tables that an adaptive broadcast can keep.
pub const TABLES: &[TableShape] = &[CHOICES, SCHEDULES, OPERATIONS];

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

impl Prepared {
    pub(super) fn record(
        &self,
        platform: &Platform,
        streams: Streams,
        ended: &Ended<'_>,
        tables: &[String],
    ) -> Result<Record, String> {
        let session = &ended.session;
        let last = session.log.last().ok_or("the broadcast did not end")?;
        let seconds = |time| platform.tick().seconds(time);
        let plain = |placement| plain(&self.parameters.binomial(placement), platform, streams);
        let (binomial, in_order) = (plain(Placement::RoundRobin)?, plain(Placement::Cluster)?);
        let mean = |times: &[Time]| {
            let sum: f64 = times.iter().map(|time| seconds(*time)).sum();
            (!times.is_empty()).then(|| sum / times.len() as f64)
        };
        let all: Vec<Time> = session.log.iter().map(|operated| operated.took).collect();
        let completion = mean(&all).ok_or("the broadcast did not end")?;
        let foreseen = session.log.iter().filter_map(|operated| Some((operated.decision.predicted()?, operated.took)));
        let (predictions, came): (Vec<Time>, Vec<Time>) = foreseen.unzip();
        let predicted = mean(&predictions);
        let mut record = Record::default();
        record.metric("completion_s", completion);
        record.metric("first_s", session.log.first().map(|operated| seconds(operated.took)));
        record.metric("last_s", seconds(last.took));
        record.metric("predicted_s", predicted);
        record.metric("prediction_error", predicted.zip(mean(&came)).map(|(predicted, came)| predicted / came - 1.0));
        record.metric("optimum_s", last.decision.optimum().map(seconds));
        record.metric("binomial_s", binomial);
        record.metric("binomial_in_cluster_order_s", in_order);
        record.metric("gain_over_binomial", binomial / completion);
        record.metric("gain_in_cluster_order", in_order / completion);
        record.metric("heuristic", last.decision.composed.heuristic.name());
        choice_inside(&last.decision, &mut record);
        let refused = Model::ALL.iter().filter(|model| {
            let mut refusals = session.clusters.iter().flatten().flat_map(Cluster::refusals);
            refusals.any(|refusal| refusal.model == **model)
        });
        record.metric("refused", refused.count() as u64);
        record.metric("measuring_s", seconds(session.measuring));
        record.metric("measuring_messages", session.measuring_messages);
        record.metric("total_s", seconds(ended.completion));
        record.metric("reselections", session.reselections);
        record.metric("tried", session.log.iter().filter(|operated| operated.because == "tried").count() as u64);
        self.focus_on(session, &mut record);
        let speeds = (0..platform.nodes()).map(|node| platform.speed_per_second(NodeId(node)));
        Performance::unmeasured(speeds).write(&mut record);
        footprint::write(&ended.footprint, platform, &mut record, tables);
        let made = [
            (CHOICES, self.choices(platform, session, &last.decision)),
            (SCHEDULES, schedules(platform, &last.decision)),
            (OPERATIONS, operations(platform, session)),
        ];
        let wanted = made.into_iter().filter(|(shape, _)| tables.iter().any(|wanted| wanted == shape.name));
        record.tables.extend(wanted.map(|(_, table)| table));
        Ok(record)
    }

    /// The metrics of one cluster and one algorithm, at its first length of segments; blank without a focus.
    fn focus_on(&self, session: &Session<'_>, record: &mut Record) {
        let (bytes, weight) = (self.parameters.size.count(), self.parameters.weight);
        let focus = self.focus.and_then(|(cluster, algorithm)| {
            let fastest = session.log.last()?.decision.inside[cluster].as_ref()?;
            let cluster = session.clusters[cluster].as_ref()?;
            let of_algorithm = |choice: &Choice| choice.algorithm == algorithm;
            let choice = cluster.candidates(bytes, weight).into_iter().find(of_algorithm)?;
            let nearest = cluster.candidates(bytes, 0.0).into_iter().find(of_algorithm)?;
            Some((cluster, fastest, choice, nearest))
        });
        let at_size = |choice: &Choice| (choice.sample.bytes == bytes).then_some(choice.sample.seconds);
        record.metric("sample_s", focus.as_ref().and_then(|(_, _, choice, _)| at_size(choice)));
        record.metric("poly1_s", focus.as_ref().map(|(_, _, choice, _)| choice.predicted));
        record.metric("poly2_s", focus.as_ref().and_then(|(_, fastest, ..)| fastest.seconds));
        record.metric("poly1_model", focus.as_ref().map(|(_, _, choice, _)| choice.model.name()));
        record.metric("nearest_model", focus.as_ref().map(|(.., nearest)| nearest.model.name()));
        for (model, metric) in Model::ALL.iter().zip(OF_MODELS) {
            let predicted = focus.as_ref().and_then(|(cluster, _, choice, _)| {
                let mut all = cluster.predictions(choice.algorithm, bytes, choice.segment);
                all.find(|(other, _)| other == model).map(|(_, seconds)| seconds)
            });
            record.metric(metric.name, predicted);
        }
    }

    fn choices(&self, platform: &Platform, session: &Session<'_>, decision: &Decision) -> Table {
        let bytes = self.parameters.size.count();
        let mut table = Table::new(&CHOICES);
        for ((group, cluster), chosen) in platform.clusters().iter().zip(&session.clusters).zip(&decision.inside) {
            let (Some(cluster), Some(chosen)) = (cluster, chosen) else { continue };
            for choice in cluster.candidates(bytes, self.parameters.weight) {
                let taken = (choice.algorithm, choice.segment) == chosen.candidate;
                table.rows.push(vec![
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
        table
    }
}

fn schedules(platform: &Platform, decision: &Decision) -> Table {
    let row = |&(heuristic, end): &(crate::communication::intercluster::Heuristic, _)| {
        let chosen = Value::Count(u64::from(heuristic == decision.composed.heuristic));
        vec![heuristic.name().into(), platform.tick().seconds(end).into(), chosen]
    };
    Table { rows: decision.composed.ends.iter().map(row).collect(), ..Table::new(&SCHEDULES) }
}

fn operations(platform: &Platform, session: &Session<'_>) -> Table {
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
            inside(&operated.decision, |chosen| chosen.candidate.0.to_string()),
        ]
    };
    Table { rows: session.log.iter().zip(1..).map(row).collect(), ..Table::new(&OPERATIONS) }
}

/// A text for each cluster in which something was chosen.
fn inside(decision: &Decision, part: impl Fn(&Chosen) -> String) -> Value {
    alike(&decision.inside.iter().flatten().map(part).collect::<Vec<_>>())
}

fn choice_inside(decision: &Decision, record: &mut Record) {
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    record.metric("inside", inside(decision, |chosen| chosen.candidate.0.to_string()));
    record.metric("models", inside(decision, |chosen| or_none(chosen.model.map(|model| model.to_string()))));
    let segment = |chosen: &Chosen| or_none((chosen.candidate.1 > 0).then(|| chosen.candidate.1.to_string()));
    record.metric("segment_bytes", inside(decision, segment));
}

/// A broadcast over the whole platform that knows nothing of clusters, in seconds; it is no measurement that the
/// adaptation needs, but one to compare with.
fn plain(parameters: &broadcast::Parameters, platform: &Platform, streams: Streams) -> Result<f64, String> {
    let prepared = parameters.prepare(platform).map_err(|error| error.message)?;
    let record = prepared.run(platform, streams, &[])?;
    let end = record.get("completion_s").and_then(Value::number);
    end.ok_or_else(|| "the plain broadcast did not end".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_has_its_metric() {
        let names: Vec<String> = Model::ALL.iter().map(|model| format!("{model}_s")).collect();
        assert_eq!(names, OF_MODELS.iter().map(|metric| metric.name).collect::<Vec<_>>());
    }
}
