//! What an adaptive broadcast leaves: figures, and every candidate's choice.

use super::decide::Decision;
use super::measure::Bench;
use super::{Placement, Prepared};
use crate::adapt::{Choice, Model};
use crate::cluster::{NodeId, Platform};
use crate::engine::Streams;
use crate::metrics::Performance;
use crate::record::{Figure, Record, Table, TableShape, Value};
use crate::workload::broadcast::{Outcome, alike};

/// The figures of an adaptive broadcast.
pub const FIGURES: &[&[Figure]] = &[
    &[
        Figure::number("completion_s", "when the last node had the whole message, simulated"),
        Figure::number("predicted_s", "the same as both adaptations predict it from their measurements"),
        Figure::number("prediction_error", "prediction less simulation, over simulation"),
        Figure::number(
            "optimum_s",
            "the least end by any schedule between the clusters, by the same predictions; blank where it is not proved",
        ),
        Figure::number(
            "binomial_s",
            "completion of a binomial tree over all ranks placed round robin, from the first node",
        ),
        Figure::number(
            "binomial_in_cluster_order_s",
            "completion of a binomial tree over all ranks, cluster after cluster",
        ),
        Figure::number("gain_over_binomial", "the round-robin binomial tree's completion over this one's"),
        Figure::number("gain_in_cluster_order", "the same for ranks placed cluster after cluster"),
        Figure::name("heuristic", "the heuristic between the clusters that was chosen"),
        Figure::name("inside", "the algorithm inside the clusters, cluster by cluster where they differ"),
        Figure::name("models", "the model retained for it, likewise"),
        Figure::name("segment_bytes", "the length of its segments, likewise; blank where nothing is cut"),
        Figure::number("refused", "models that cannot describe some cluster"),
        Figure::number("measured_s", "simulated time that all benchmarks took, one after the other"),
        Figure::number("benchmark_messages", "their messages"),
        Figure::number("sample_s", "focus: the measured broadcast"),
        Figure::number("poly1_s", "focus: the prediction of the model that poly-adapt-1 retains"),
        Figure::number(
            "poly2_s",
            "focus: the prediction for the cluster's fastest algorithm, which poly-adapt-2 takes",
        ),
        Figure::name("poly1_model", "focus: the model that poly-adapt-1 retains"),
        Figure::name("nearest_model", "focus: the model with the least error, whatever it costs"),
    ],
    OF_MODELS,
];

/// What each model predicts for the focus, in the order of Table 1.
const OF_MODELS: &[Figure] = &[
    Figure::number("hockney_s", "focus: prediction by Hockney"),
    Figure::number("logp_s", "focus: prediction by LogP"),
    Figure::number("loggp_s", "focus: prediction by LogGP"),
    Figure::number("lopc_s", "focus: prediction by LoPC"),
    Figure::number("logpc_s", "focus: prediction by LoGPC"),
    Figure::number("plogp_s", "focus: prediction by pLogP"),
    Figure::number("cappello_s", "focus: prediction by the model of Cappello et al."),
    Figure::number("steffenel_s", "focus: prediction by the model of Steffenel"),
    Figure::number("lastovetsky_s", "focus: prediction by the model of Lastovetsky et al."),
];

/// The long tables that an adaptive broadcast can keep.
pub const TABLES: &[TableShape] = &[CHOICES, SCHEDULES];

/// A row a candidate.
const CHOICES: TableShape = TableShape {
    name: "choices",
    about: "every candidate inside every cluster, with the model retained for it",
    columns: &[
        Figure::name("cluster", "the cluster"),
        Figure::number("bytes", "the message's length"),
        Figure::name("algorithm", "the algorithm"),
        Figure::number("segment_bytes", "the length of its segments; 0 where nothing is cut"),
        Figure::name("model", "the model that poly-adapt-1 retains"),
        Figure::number("predicted_s", "what it predicts"),
        Figure::number("measured_s", "the sample that it was judged by"),
        Figure::number("error", "how far its prediction of the sample lies off, relative to it"),
        Figure::number("score", "the error plus the weight of the model's measurements"),
        Figure::number("chosen", "1 for the one that poly-adapt-2 takes"),
    ],
};

/// A row a heuristic.
const SCHEDULES: TableShape = TableShape {
    name: "schedules",
    about: "every heuristic between the clusters, with its predicted end",
    columns: &[
        Figure::name("heuristic", "the heuristic"),
        Figure::number("predicted_s", "when its broadcast would end"),
        Figure::number("chosen", "1 for the one that is taken"),
    ],
};

impl Prepared {
    pub(super) fn record(
        &self,
        platform: &Platform,
        streams: Streams,
        decision: &Decision,
        outcome: &Outcome<()>,
        tables: &[String],
    ) -> Result<Record, String> {
        let seconds = |time| platform.tick().seconds(time);
        let (completion, predicted) = (seconds(outcome.completion), seconds(decision.composed.end));
        let bench = Bench::new(platform, streams);
        let binomial = bench.plain(&self.parameters.binomial(Placement::RoundRobin))?;
        let in_order = bench.plain(&self.parameters.binomial(Placement::Cluster))?;
        let chosen: Vec<&Choice> = decision.clusters.iter().flatten().map(|(_, choice)| choice).collect();
        let name = |part: fn(&Choice) -> String| alike(&chosen.iter().map(|choice| part(choice)).collect::<Vec<_>>());
        let refused = Model::ALL.iter().filter(|model| {
            let mut refusals = decision.clusters.iter().flatten().flat_map(|(cluster, _)| cluster.refusals());
            refusals.any(|refusal| refusal.model == **model)
        });
        let mut record = Record::default();
        record.figure("completion_s", completion);
        record.figure("predicted_s", predicted);
        record.figure("prediction_error", predicted / completion - 1.0);
        record.figure("optimum_s", decision.optimum.map(seconds));
        record.figure("binomial_s", binomial);
        record.figure("binomial_in_cluster_order_s", in_order);
        record.figure("gain_over_binomial", binomial / completion);
        record.figure("gain_in_cluster_order", in_order / completion);
        record.figure("heuristic", decision.composed.heuristic.name());
        record.figure("inside", name(|choice| choice.algorithm.to_string()));
        record.figure("models", name(|choice| choice.model.to_string()));
        record.figure(
            "segment_bytes",
            name(|choice| if choice.segment == 0 { "-".to_owned() } else { choice.segment.to_string() }),
        );
        record.figure("refused", refused.count() as u64);
        record.figure("measured_s", decision.seconds);
        record.figure("benchmark_messages", decision.messages);
        self.focus_on(decision, &mut record);
        let speeds = (0..platform.nodes()).map(|node| platform.speed_per_second(NodeId(node)));
        Performance::unmeasured(speeds).write(&mut record);
        record.figure("messages", outcome.messages);
        record.figure("events", outcome.events);
        for (shape, table) in [(CHOICES, self.choices(platform, decision)), (SCHEDULES, schedules(platform, decision))]
        {
            if tables.iter().any(|wanted| wanted == shape.name) {
                record.tables.push(table);
            }
        }
        Ok(record)
    }

    /// The figures of one cluster and one algorithm, at its first length of segments; blank without a focus.
    fn focus_on(&self, decision: &Decision, record: &mut Record) {
        let (bytes, weight) = (self.parameters.size.count(), self.parameters.weight);
        let focus = self.focus.and_then(|(cluster, algorithm)| {
            let (cluster, fastest) = decision.clusters[cluster].as_ref()?;
            let of_algorithm = |choice: &Choice| choice.algorithm == algorithm;
            let choice = cluster.candidates(bytes, weight).into_iter().find(of_algorithm)?;
            let nearest = cluster.candidates(bytes, 0.0).into_iter().find(of_algorithm)?;
            Some((cluster, fastest, choice, nearest))
        });
        let at_size = |choice: &Choice| (choice.sample.bytes == bytes).then_some(choice.sample.seconds);
        record.figure("sample_s", focus.as_ref().and_then(|(_, _, choice, _)| at_size(choice)));
        record.figure("poly1_s", focus.as_ref().map(|(_, _, choice, _)| choice.predicted));
        record.figure("poly2_s", focus.as_ref().map(|(_, fastest, ..)| fastest.predicted));
        record.figure("poly1_model", focus.as_ref().map(|(_, _, choice, _)| choice.model.name()));
        record.figure("nearest_model", focus.as_ref().map(|(.., nearest)| nearest.model.name()));
        for (model, figure) in Model::ALL.iter().zip(OF_MODELS) {
            let predicted = focus.as_ref().and_then(|(cluster, _, choice, _)| {
                let mut all = cluster.predictions(choice.algorithm, bytes, choice.segment);
                all.find(|(other, _)| other == model).map(|(_, seconds)| seconds)
            });
            record.figure(figure.name, predicted);
        }
    }

    fn choices(&self, platform: &Platform, decision: &Decision) -> Table {
        let bytes = self.parameters.size.count();
        let mut table = Table::new(&CHOICES);
        for (group, cluster) in platform.groups().iter().zip(&decision.clusters) {
            let Some((cluster, fastest)) = cluster else { continue };
            for choice in cluster.candidates(bytes, self.parameters.weight) {
                let taken = (choice.algorithm, choice.segment) == (fastest.algorithm, fastest.segment);
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
    let row = |&(heuristic, end): &(crate::tree::between::Heuristic, _)| {
        let chosen = Value::Count(u64::from(heuristic == decision.composed.heuristic));
        vec![heuristic.name().into(), platform.tick().seconds(end).into(), chosen]
    };
    Table { rows: decision.composed.ends.iter().map(row).collect(), ..Table::new(&SCHEDULES) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_has_its_figure() {
        let names: Vec<String> = Model::ALL.iter().map(|model| format!("{model}_s")).collect();
        assert_eq!(names, OF_MODELS.iter().map(|figure| figure.name).collect::<Vec<_>>());
    }
}
