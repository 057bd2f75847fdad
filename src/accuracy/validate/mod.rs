//! Compares predictions of measured collectives with the measurements: errors, choices of algorithms, and the noise of
//! the data beside them.

mod bounds;
mod choices;
mod kept;
mod noise;
mod summary;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use rayon::prelude::*;

use super::identity::Identity;
use super::predict::{MOST_MESSAGES, Machine, check_point, predict};
use super::selection::{Selection, SelectionError, selected};
use crate::cluster::Platform;
use crate::fit::read::collectives::{MeasuredCollectives, Measurement, Modelled};

pub use bounds::{Bounds, Verdict};
pub use choices::{Advice, ChoiceSummary, MeasuredChoice};
pub use kept::KeptPredictions;
pub use noise::Noise;
pub use summary::{Grouping, Summary};

/// What is predicted, and how.
#[derive(Debug, Clone)]
pub struct Request {
    /// The points that count at all; without any, all do.
    pub used: Vec<Selection>,
    /// The points whose errors do not count, such as those by which the platform was calibrated. They remain candidates
    /// of choices.
    pub left_out: Vec<Selection>,
    /// The seed of random platforms.
    pub seed: u64,
    /// The most messages of a point that is simulated.
    pub most_messages: u64,
}

impl Request {
    /// The request of texts as on the command line: `operation=bcast,algorithm=binomial`.
    ///
    /// # Errors
    /// The first text that selects nothing.
    pub fn parse(used: &[String], left_out: &[String], seed: u64) -> Result<Self, SelectionError> {
        let all = |texts: &[String]| texts.iter().map(|text| text.parse()).collect::<Result<Vec<Selection>, _>>();
        Ok(Self { used: all(used)?, left_out: all(left_out)?, seed, most_messages: MOST_MESSAGES })
    }

    /// Whether a point counts at all.
    #[must_use]
    pub fn takes(&self, point: &Measurement) -> bool {
        selected(&self.used, point)
    }
}

/// A measured collective and its prediction.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// What was measured.
    pub measured: Measurement,
    /// What was predicted, in seconds, or why nothing was.
    pub predicted: Result<f64, Unpredicted>,
    /// Whether its error counts.
    pub counts: bool,
    /// How far off times of its platform are taken to be, as a share, before anything is compared.
    pub expected_error: f64,
}

/// Why a point has no prediction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unpredicted {
    /// The library chose the algorithm, and hetsim does not know how.
    LibraryChoice,
    /// hetsim has no such algorithm.
    NotModelled,
    /// A rank alone exchanges nothing: the prediction is zero.
    OneRank,
    /// The platform can't be made, or the simulation failed.
    Failed(String),
}

impl Judged {
    /// The signed error: predicted over measured, less 1. Nothing without a prediction.
    #[must_use]
    pub fn error(&self) -> Option<f64> {
        self.predicted.as_ref().ok().map(|predicted| predicted / self.measured.median - 1.0)
    }

    /// What hetsim carries out, if it predicted the point.
    fn model(&self) -> Option<(&Modelled, f64)> {
        Some((self.measured.model.as_ref()?, *self.predicted.as_ref().ok()?))
    }
}

/// All points with their predictions, and the choices among them.
#[derive(Debug, Clone, PartialEq)]
pub struct Validation {
    /// The points in the order of the file.
    pub points: Vec<Judged>,
    /// The choices that they offer.
    pub choices: Vec<MeasuredChoice>,
    /// How much the measurements themselves vary.
    pub noise: Noise,
}

impl Validation {
    /// Predicts every point that is used, on all cores, but for those that are kept. `goes_on` is called after each;
    /// `None` if it ever says no.
    #[must_use]
    pub fn of(
        machine: &Machine,
        measured: &MeasuredCollectives,
        request: &Request,
        kept: &KeptPredictions,
        goes_on: &(dyn Fn() -> bool + Sync),
    ) -> Option<Self> {
        let expected_error = machine.expected_error();
        let used: Vec<&Measurement> = measured.points.iter().filter(|point| request.takes(point)).collect();
        let sizes = used.iter().map(|point| (point.nodes, point.ranks_per_node));
        let platforms: Platforms = sizes.map(|size| (size, OnceLock::new())).collect();
        let identity = Identity::new(machine, request.seed);
        let simulated = |point: &Measurement, model: &Modelled| {
            check_point(point, request.most_messages)?;
            let size @ (nodes, ranks_per_node) = (point.nodes, point.ranks_per_node);
            let mut own = identity.clone();
            own.add_point(size, model);
            if let Some(seconds) = kept.get(own.number()) {
                return Ok(seconds);
            }
            // The map has the size of every point that is used.
            let platform = platforms[&size].get_or_init(|| machine.platform(nodes, ranks_per_node, request.seed));
            let seconds = predict(platform.as_ref().map_err(String::clone)?, model, request.seed)?;
            kept.keep(own.number(), seconds);
            Ok(seconds)
        };
        let judge = |point: &Measurement| {
            let predicted = match (&point.model, point.is_default) {
                (Some(model), _) => match simulated(point, model) {
                    Ok(0.0) if point.ranks() == 1 => Err(Unpredicted::OneRank),
                    simulated => simulated.map_err(Unpredicted::Failed),
                },
                (None, true) => Err(Unpredicted::LibraryChoice),
                (None, false) => Err(Unpredicted::NotModelled),
            };
            let left_out = request.left_out.iter().any(|selection| selection.takes(point));
            goes_on().then(|| Judged { measured: point.clone(), predicted, counts: !left_out, expected_error })
        };
        // The longest simulations begin first, so that no core waits long for another at the end.
        let mut order: Vec<usize> = (0..used.len()).collect();
        order.sort_by_key(|&place| Reverse((used[place].ranks(), used[place].bytes)));
        let judged = order.par_iter().with_max_len(1).map(|&place| Some((place, judge(used[place])?)));
        let mut judged: Vec<(usize, Judged)> = judged.collect::<Option<_>>()?;
        judged.sort_by_key(|(place, _)| *place);
        Some(Self::new(judged.into_iter().map(|(_, judged)| judged).collect()))
    }

    /// The validation of points that have been predicted.
    #[must_use]
    pub fn new(points: Vec<Judged>) -> Self {
        let (choices, noise) = (choices::choices(&points), Noise::of(&points));
        Self { points, choices, noise }
    }

    /// The points whose errors count, with them.
    pub fn errors(&self) -> impl Iterator<Item = (&Judged, f64)> {
        self.points.iter().filter(|point| point.counts).filter_map(|point| Some((point, point.error()?)))
    }

    /// The errors of all points together.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let counted: Vec<(&Judged, f64)> = self.errors().collect();
        Summary::of("all", &counted)
    }

    /// The errors by the values of a column.
    #[must_use]
    pub fn by(&self, grouping: Grouping) -> Vec<Summary> {
        grouping.summaries(self.errors())
    }

    /// The choices together.
    #[must_use]
    pub fn choice_summary(&self) -> ChoiceSummary {
        ChoiceSummary::of("all", &self.choices.iter().collect::<Vec<_>>())
    }

    /// The choices of each operation.
    #[must_use]
    pub fn choices_by_operation(&self) -> Vec<ChoiceSummary> {
        let mut groups: BTreeMap<&str, Vec<&MeasuredChoice>> = BTreeMap::new();
        for choice in &self.choices {
            groups.entry(&choice.operation).or_default().push(choice);
        }
        groups.into_iter().map(|(name, choices)| ChoiceSummary::of(name, &choices)).collect()
    }

    /// The points without a prediction: what they are, why, and how many.
    #[must_use]
    pub fn unpredicted(&self) -> Vec<(String, usize)> {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for point in &self.points {
            let measured = &point.measured;
            let why = match &point.predicted {
                Ok(_) => continue,
                Err(Unpredicted::LibraryChoice) => format!("{}: the library's own choice", measured.operation),
                Err(Unpredicted::NotModelled) => {
                    format!("{} by {}: not modelled", measured.operation, measured.algorithm)
                }
                Err(Unpredicted::OneRank) => format!("{}: one rank exchanges nothing", measured.operation),
                Err(Unpredicted::Failed(why)) => format!("{} by {}: {why}", measured.operation, measured.algorithm),
            };
            *counts.entry(why).or_default() += 1;
        }
        counts.into_iter().collect()
    }
}

/// The platform of each number of nodes and of ranks on them, made when something is simulated on it.
type Platforms = BTreeMap<(u32, u32), OnceLock<Result<Platform, String>>>;
