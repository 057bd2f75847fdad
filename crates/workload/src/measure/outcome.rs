//! What a measuring run leaves: metrics, and tables of pairs, curves and parameters.

use std::collections::BTreeMap;

use super::{MeasureParameters, Per, truth};
use crate::Run;
use hetsim_base::record::{Metric, TableShape, Value};
use hetsim_base::units::Time;
use hetsim_cluster::{NodeId, Platform};
use hetsim_fit::{Cost, Estimate, Fitted, Lmo, Measurements, Model, PairSamples, robust};

hetsim_base::metrics! {
    /// The metrics of benchmarks of a network.
    pub struct MeasureMetrics {
        completion_s: f64 = "when the last experiment had ended: what measuring costs, simulated" [less],
        pairs: usize = "pairs that were measured" [neither],
        measuring_messages: u64 = "messages of the experiments, background traffic left out" [less],
        latency_s: Option<f64> = "half the round trip of the smallest message, the median over the pairs" [less],
        bandwidth_bytes_s: Option<f64> = "bytes a second of the largest message there and back, the median over the pairs" [more],
        hockney_error_percent: Option<f64> = "Hockney: mean percentage error of half round trips; blank where not fitted" [less],
        logp_error_percent: Option<f64> = "the same for LogP" [less],
        loggp_error_percent: Option<f64> = "the same for LogGP" [less],
        plogp_error_percent: Option<f64> = "the same for pLogP" [less],
        lmo_error_percent: Option<f64> = "the same for LMO" [less],
        hockney_cost_s: Option<f64> = "simulated time of the experiments that Hockney needs; blank where not fitted" [less],
        logp_cost_s: Option<f64> = "the same for LogP" [less],
        loggp_cost_s: Option<f64> = "the same for LogGP" [less],
        plogp_cost_s: Option<f64> = "the same for pLogP" [less],
        lmo_cost_s: Option<f64> = "the same for LMO" [less],
        parameter_error_percent: Option<f64> = "the largest error of a fitted parameter; blank where the platform's model was not fitted" [less],
        interval_hits: Option<f64> = "the share of these parameters whose 95 % interval holds what the platform was given" [more],
    }
}

/// The long tables that a run can keep.
pub(super) const TABLES: &[TableShape] = &[PAIRS, CURVE, PARAMETERS];

const PAIRS: TableShape = TableShape {
    name: "pairs",
    about: "latency and bandwidth of each pair",
    columns: &[
        Metric::number("from", "the node that started"),
        Metric::number("to", "the other one"),
        Metric::name("from_cluster", "the first one's cluster"),
        Metric::name("to_cluster", "the other one's"),
        Metric::number("latency_s", "half the round trip of the smallest message"),
        Metric::number("bandwidth_bytes_s", "bytes a second of the largest message there and back"),
    ],
};

const CURVE: TableShape = TableShape {
    name: "curve",
    about: "what was measured at each size; blank what was not",
    columns: &[
        Metric::name("from", "a node, or a cluster"),
        Metric::name("to", "another one, or the same cluster"),
        Metric::number("bytes", "the size of the messages"),
        Metric::number("half_round_trip_s", "half the round trip"),
        Metric::number("gap_s", "time a message of a saturated train"),
        Metric::number("send_overhead_s", "how long the sender's processor is busy"),
        Metric::number("receive_overhead_s", "how long the receiver's is"),
    ],
};

const PARAMETERS: TableShape = TableShape {
    name: "parameters",
    about: "the parameters of each model that was fitted",
    columns: &[
        Metric::name("from", "a node, or a cluster"),
        Metric::name("to", "another one, or the same cluster; blank for what belongs to a node"),
        Metric::name("model", "the model"),
        Metric::name("parameter", "the parameter, its unit at the end"),
        Metric::number("bytes", "the size that it is for; blank where it is for all"),
        Metric::number("value", "the estimate"),
        Metric::number("low", "the lower end of its 95 % interval; blank where nothing is known of it"),
        Metric::number("high", "the upper end"),
        Metric::number("truth", "what the platform was given; blank where it has another model"),
    ],
};

/// Pairs whose samples are taken together.
struct Pool {
    from: Value,
    to: Value,
    samples: PairSamples,
}

/// A fitted parameter and what it should be.
struct ParameterRow {
    from: Value,
    to: Value,
    model: Model,
    name: &'static str,
    bytes: Option<u64>,
    estimate: Estimate,
    truth: Option<f64>,
}

/// What came of a model over all pools.
#[derive(Default)]
struct Tally {
    errors: Vec<f64>,
    cost: Cost,
}

fn pools(parameters: &MeasureParameters, measurements: &Measurements, platform: &Platform) -> Vec<Pool> {
    if parameters.per == Per::Pair {
        let number = |node: u32| Value::Text(node.to_string());
        let pool = |samples: &PairSamples| Pool {
            from: number(samples.from),
            to: number(samples.to),
            samples: samples.clone(),
        };
        return measurements.pairs.iter().map(pool).collect();
    }
    let mut by_clusters: BTreeMap<(usize, usize), PairSamples> = BTreeMap::new();
    for pair in &measurements.pairs {
        let clusters = (platform.cluster_of(NodeId(pair.from)), platform.cluster_of(NodeId(pair.to)));
        by_clusters.entry(clusters).and_modify(|all| all.pool(pair)).or_insert_with(|| pair.clone());
    }
    let name = |cluster: usize| Value::Text(platform.clusters()[cluster].name.clone());
    let pool = |((from, to), samples): ((usize, usize), _)| Pool { from: name(from), to: name(to), samples };
    by_clusters.into_iter().map(pool).collect()
}

/// The metrics of a run.
pub(super) fn metrics(
    parameters: &MeasureParameters,
    measurements: &Measurements,
    completion: Time,
    run: &mut Run<'_>,
) -> Result<MeasureMetrics, String> {
    let platform = run.platform;
    let pools = pools(parameters, measurements, platform);
    let mut rows = Vec::new();
    let mut tallies: BTreeMap<Model, Tally> = BTreeMap::new();
    for &model in &parameters.models {
        let tally = if model == Model::Lmo {
            fit_lmo(measurements, platform, &mut rows)?
        } else {
            fit_pools(model, &pools, platform, &mut rows)?
        };
        tallies.insert(model, tally);
    }
    let over_pairs = |of: fn(&PairSamples) -> Option<f64>| {
        robust::median(&measurements.pairs.iter().filter_map(of).collect::<Vec<_>>())
    };
    let error = |model: Model| {
        let errors = tallies.get(&model).map(|tally| &tally.errors).filter(|errors| !errors.is_empty());
        errors.map(|errors| errors.iter().sum::<f64>() / errors.len() as f64)
    };
    let cost = |model: Model| tallies.get(&model).map(|tally| tally.cost.seconds);
    run.table(&PAIRS, || pair_rows(measurements, platform));
    run.table(&CURVE, || curve_rows(&pools));
    run.table(&PARAMETERS, || parameter_rows(&rows));
    let (parameter_error_percent, interval_hits) = beside_truth(&rows);
    Ok(MeasureMetrics {
        completion_s: run.seconds(completion),
        pairs: measurements.pairs.len(),
        measuring_messages: measurements.cost.messages,
        latency_s: over_pairs(PairSamples::latency),
        bandwidth_bytes_s: over_pairs(PairSamples::bandwidth),
        hockney_error_percent: error(Model::Hockney),
        logp_error_percent: error(Model::Logp),
        loggp_error_percent: error(Model::Loggp),
        plogp_error_percent: error(Model::Plogp),
        lmo_error_percent: error(Model::Lmo),
        hockney_cost_s: cost(Model::Hockney),
        logp_cost_s: cost(Model::Logp),
        loggp_cost_s: cost(Model::Loggp),
        plogp_cost_s: cost(Model::Plogp),
        lmo_cost_s: cost(Model::Lmo),
        parameter_error_percent,
        interval_hits,
    })
}

fn fit_pools(model: Model, pools: &[Pool], platform: &Platform, rows: &mut Vec<ParameterRow>) -> Result<Tally, String> {
    let mut tally = Tally::default();
    for Pool { from, to, samples } in pools {
        let fitted = Fitted::fit(model, samples).map_err(|error| format!("from {from} to {to}: {error}"))?;
        tally.errors.extend(samples.mean_percentage_error(|bytes| fitted.hop(bytes)));
        tally.cost += model.acquisition(samples);
        for parameter in fitted.parameters() {
            let truth = truth::truth(&fitted, &parameter, NodeId(samples.from), NodeId(samples.to), platform);
            rows.push(ParameterRow {
                from: from.clone(),
                to: to.clone(),
                model,
                name: parameter.name,
                bytes: parameter.bytes,
                estimate: parameter.estimate,
                truth,
            });
        }
    }
    Ok(tally)
}

fn fit_lmo(measurements: &Measurements, platform: &Platform, rows: &mut Vec<ParameterRow>) -> Result<Tally, String> {
    let lmo = Lmo::fit(measurements).map_err(|error| error.to_string())?;
    let mut tally = Tally::default();
    let number = |node: u32| Value::Text(node.to_string());
    let mut row = |from, to, name, estimate, truth| {
        rows.push(ParameterRow { from, to, model: Model::Lmo, name, bytes: None, estimate, truth });
    };
    for node in &lmo.nodes {
        // Any link of the node has its own part.
        let other = measurements.triplets.iter().find(|triplet| triplet.root == node.node);
        let truth = other.and_then(|triplet| truth::lmo(NodeId(node.node), NodeId(triplet.last), platform));
        let from = || number(node.node);
        row(from(), Value::Blank, "processing_s", node.processing, truth.map(|truth| truth[0]));
        row(from(), Value::Blank, "processing_per_byte_s", node.processing_per_byte, truth.map(|truth| truth[1]));
    }
    for link in &lmo.links {
        let truth = truth::lmo(NodeId(link.from), NodeId(link.to), platform);
        let (from, to) = (|| number(link.from), || number(link.to));
        row(from(), to(), "latency_s", link.latency, truth.map(|truth| truth[2]));
        row(from(), to(), "per_byte_s", link.per_byte, truth.map(|truth| truth[3]));
        if let Some(samples) = measurements.between(link.from, link.to) {
            let hop = |bytes| lmo.hop(link.from, link.to, bytes).unwrap_or(f64::NAN);
            tally.errors.extend(samples.mean_percentage_error(hop));
            tally.cost += Model::Lmo.acquisition(samples);
        }
    }
    tally.cost += measurements.triplets.iter().flat_map(|triplet| &triplet.times).map(|series| series.cost).sum();
    Ok(tally)
}

/// How near the fitted parameters are to those that the platform was given: the largest error, in percent, and the
/// share of intervals that hold them.
fn beside_truth(rows: &[ParameterRow]) -> (Option<f64>, Option<f64>) {
    let known = || rows.iter().filter_map(|row| Some((row, row.truth?)));
    let relative =
        known().filter(|(_, truth)| *truth != 0.0).map(|(row, truth)| (row.estimate.value / truth - 1.0).abs());
    let held: Vec<bool> = known().filter_map(|(row, truth)| row.estimate.holds(truth)).collect();
    let hits = held.iter().filter(|held| **held).count();
    let error = relative.reduce(f64::max).map(|error| 100.0 * error);
    (error, (!held.is_empty()).then(|| hits as f64 / held.len() as f64))
}

fn pair_rows(measurements: &Measurements, platform: &Platform) -> Vec<Vec<Value>> {
    let cluster = |node: u32| Value::Text(platform.clusters()[platform.cluster_of(NodeId(node))].name.clone());
    let row = |pair: &PairSamples| {
        vec![
            u64::from(pair.from).into(),
            u64::from(pair.to).into(),
            cluster(pair.from),
            cluster(pair.to),
            pair.latency().into(),
            pair.bandwidth().into(),
        ]
    };
    measurements.pairs.iter().map(row).collect()
}

fn curve_rows(pools: &[Pool]) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for Pool { from, to, samples } in pools {
        let mut sizes: BTreeMap<u64, [Option<f64>; 4]> = BTreeMap::new();
        for (column, list) in samples.lists().into_iter().enumerate() {
            for series in list {
                let share = if column == 0 { 0.5 } else { 1.0 };
                let middle = series.middle().map(|middle| share * middle.value);
                sizes.entry(series.bytes).or_default()[column] = middle;
            }
        }
        for (bytes, cells) in sizes {
            let mut row = vec![from.clone(), to.clone(), bytes.into()];
            row.extend(cells.map(Value::from));
            rows.push(row);
        }
    }
    rows
}

fn parameter_rows(rows: &[ParameterRow]) -> Vec<Vec<Value>> {
    let row = |row: &ParameterRow| {
        let interval = row.estimate.interval();
        vec![
            row.from.clone(),
            row.to.clone(),
            row.model.name().into(),
            row.name.into(),
            row.bytes.into(),
            row.estimate.value.into(),
            interval.map(|interval| interval.0).into(),
            interval.map(|interval| interval.1).into(),
            row.truth.into(),
        ]
    };
    rows.iter().map(row).collect()
}
