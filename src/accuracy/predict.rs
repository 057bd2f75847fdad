//! Predicts measured collectives on a platform.

use std::path::Path;

use toml::Value;

use crate::cluster::Platform;
use crate::engine::Streams;
use crate::fit::read::collectives::{Measurement, Modelled};
use crate::scenario::{PlatformTree, Problems};
use crate::workload::collective::CollectiveParameters;
use crate::workload::{Prepared as _, Run, Workload as _};

/// How a benchmark takes its times, as keys of `kind = "collective"`. Those of a point's own come first.
const BENCHMARK: &[(&str, &str)] = &[("calls", "mpi"), ("timing", "barrier")];

/// A machine of any number of nodes: a platform file whose only cluster takes the size of a measurement.
#[derive(Debug, Clone)]
pub struct Machine {
    /// The keys of its platform file.
    pub tree: PlatformTree,
}

/// How far off simulated times are taken to be, as a share, on a platform that does not tell.
pub const USUAL_ERROR: f64 = 0.15;

impl Machine {
    /// How far off its times are taken to be, as a share: what its calibration tells, or else [`USUAL_ERROR`].
    #[must_use]
    pub fn expected_error(&self) -> f64 {
        self.tree.calibration().map_or(USUAL_ERROR, |calibration| calibration.expected_error())
    }

    /// Reads a platform file.
    ///
    /// # Errors
    /// Every fault of the file, with its line and column.
    pub fn load(path: &Path) -> Result<Self, Problems> {
        PlatformTree::load(path).map(|tree| Self { tree })
    }

    /// The platform with so many nodes and ranks on each of them. Random parts are drawn for `seed`.
    ///
    /// # Errors
    /// A sentence about why there is no such platform.
    pub fn platform(&self, nodes: u32, ranks_per_node: u32, seed: u64) -> Result<Platform, String> {
        // With its place; the first is enough for a row of a table.
        let reason = |problems: Problems| problems.to_string().lines().next().unwrap_or_default().to_owned();
        let plan = self.tree.resized(nodes, ranks_per_node)?.plan().map_err(reason)?;
        let drawn = plan.drawn(&Streams::new(seed, 0)).map_err(|error| error.to_string())?;
        Ok(drawn.unwrap_or_else(|| plan.platform().clone()))
    }

    /// What is to be said of a level that plays no part at any of these points: one that is taken for nodes, of which each
    /// has one rank.
    #[must_use]
    pub fn warning<'p>(&self, mut points: impl Iterator<Item = &'p Measurement>) -> Option<String> {
        let (key, size) = self.tree.level_taken_for_nodes()?;
        points.all(|point| point.ranks_per_node == 1).then(|| {
            format!(
                "the groups of {size} in `{key}` are taken for nodes, so this level plays no part; if they are racks, add \
                 an inner level with `domain = \"node\"` and `size = 1`"
            )
        })
    }

    /// The platform on which a point was measured.
    ///
    /// # Errors
    /// A sentence about why there is no such platform.
    pub fn platform_of(&self, point: &Measurement, seed: u64) -> Result<Platform, String> {
        self.platform(point.nodes, point.ranks_per_node, seed)
    }
}

/// How long a collective takes on a platform, in seconds: simulated as a benchmark takes it. A pure function; what is
/// random is drawn for `seed`.
///
/// # Errors
/// A sentence about why it can't be carried out there.
pub fn predict(platform: &Platform, point: &Modelled, seed: u64) -> Result<f64, String> {
    let prepared = collective(point)?.prepare(platform).map_err(|error| error.message)?;
    let (metrics, _) =
        prepared.run(&mut Run::new(platform, Streams::new(seed, 0), &[])).map_err(|error| error.to_string())?;
    Ok(metrics.completion_s)
}

/// The most messages of a point that is simulated, by default: a simulation of some ten seconds.
pub const MOST_MESSAGES: u64 = 10_000_000;

/// Refuses a point that takes more than `most` messages in one repetition, as with a mistyped number of nodes, or whose
/// buffer has less than a byte for each rank: what a library does then, no size of blocks tells.
///
/// # Errors
/// A sentence that says so.
pub fn check_point(point: &Measurement, most: u64) -> Result<(), String> {
    let ranks = point.ranks();
    if point.bytes > 0 && point.model.as_ref().is_some_and(|model| model.size == 0) {
        return Err(format!("its blocks are empty: {} B for {ranks} ranks", point.bytes));
    }
    match point.model.as_ref().map(collective) {
        Some(Ok(collective)) if collective.has_more_messages(ranks, most) => {
            Err(format!("more than {most} messages among {ranks} ranks (`--max-messages` sets the bound)"))
        }
        _ => Ok(()),
    }
}

/// The collective of a point.
fn collective(point: &Modelled) -> Result<CollectiveParameters, String> {
    let mut keys = point.keys.clone();
    for (key, value) in BENCHMARK {
        keys.entry(*key).or_insert_with(|| Value::from(*value));
    }
    keys.insert("size".to_owned(), format!("{}B", point.size).into());
    keys.try_into().map_err(|error: toml::de::Error| error.message().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::read::collectives::{GivenColumns, read};
    use crate::scenario::{PLAIN, Scenario, Source};

    const LAB: &str =
        "[cluster.lab]\nnodes = 2\nnetwork = { model = \"hockney\", latency = \"4us\", bandwidth = \"1GB/s\" }\n";

    fn machine() -> Machine {
        let source = Source { name: "p.toml".to_owned(), folder: ".".into(), text: LAB.into() };
        Machine { tree: PlatformTree::parse(source).unwrap() }
    }

    #[test]
    fn empty_blocks_are_refused() {
        let rows = "operation,algorithm,nodes,bytes,time_s\nallgather,ring_ompi,8,7,1\nallgather,ring_ompi,8,8,1\n\
                    bcast,binomial_ompi,8,7,1\nbarrier,dissemination,8,0,1\n";
        let points = read(rows, &GivenColumns::default()).unwrap().points;
        let checked: Vec<_> = points.iter().map(|point| check_point(point, MOST_MESSAGES)).collect();
        assert_eq!(checked, [Err("its blocks are empty: 7 B for 8 ranks".to_owned()), Ok(()), Ok(()), Ok(())]);
    }

    fn predicted(rows: &str) -> Vec<f64> {
        let points =
            read(&format!("operation,algorithm,nodes,bytes,time_s\n{rows}"), &GivenColumns::default()).unwrap().points;
        let predict = |point: &Measurement| {
            let platform = machine().platform_of(point, 0).unwrap();
            predict(&platform, point.model.as_ref().unwrap(), 0).unwrap()
        };
        points.iter().map(predict).collect()
    }

    #[test]
    fn half_a_round_trip_is_a_hop() {
        // One message of 4 µs + 1 µs, however many nodes the file has.
        assert!((predicted("ping_pong,ping_pong,2,1000,1\n")[0] - 5e-6).abs() < 1e-12);
    }

    #[test]
    fn a_point_is_a_scenario_of_its_size() {
        let found = predicted("bcast,binomial,16,8000,1\nallgather,ring_ompi,32,32000,1\n");
        let runs = [("broadcast", "binomial", 16, 8000), ("all_gather", "ring", 32, 1000)];
        for (found, (operation, algorithm, nodes, size)) in found.into_iter().zip(runs) {
            let lab = LAB.replace("[cluster", "[platform.cluster").replace("nodes = 2", &format!("nodes = {nodes}"));
            let text = format!(
                "version = 1\n{lab}[workload]\nkind = \"collective\"\noperation = \"{operation}\"\n\
                 algorithm = \"{algorithm}\"\nsize = \"{size}B\"\ncalls = \"mpi\"\ntiming = \"barrier\"\n"
            );
            let source = Source { name: "s.toml".to_owned(), folder: ".".into(), text: text.into() };
            let record = Scenario::read_in(&PLAIN, "s".to_owned(), source, &[]).unwrap().run(0, 0).unwrap();
            assert_eq!(record.get("completion_s").and_then(crate::record::Value::number), Some(found), "{operation}");
        }
    }

    #[test]
    fn what_can_not_be_predicted_says_why() {
        let rows = "operation,algorithm,nodes,ranks_per_node,bytes,time_s\nallgather,neighbor_ompi,7,1,7000,1\n\
            bcast,binomial,4,2,8,1\n";
        let points = read(rows, &GivenColumns::default()).unwrap().points;
        let platform = machine().platform_of(&points[0], 0).unwrap();
        let error = predict(&platform, points[0].model.as_ref().unwrap(), 0).unwrap_err();
        assert!(error.contains("even number of ranks"), "{error}");
        let error = machine().platform_of(&points[1], 0).unwrap_err();
        assert!(error.starts_with("p.toml:1:1: the platform has no `level`"), "{error}");
    }

    /// A ring all-gather among n ranks has n (n - 1) messages, a binomial broadcast n - 1.
    #[test]
    fn points_of_too_many_messages_are_refused() {
        let rows = "operation,algorithm,nodes,bytes,time_s\nallgather,ring_ompi,10,1000,1\nbcast,binomial,91,8,1\n\
            allgather,ring_ompi,4000000000,4000000000,1\n";
        let points = read(rows, &GivenColumns::default()).unwrap().points;
        let refused =
            |most: u64| -> Vec<bool> { points.iter().map(|point| check_point(point, most).is_err()).collect() };
        assert_eq!(refused(90), [false, false, true]);
        assert_eq!(refused(89), [true, true, true]);
        assert_eq!(refused(u64::MAX), [false, false, false]);
    }
}
