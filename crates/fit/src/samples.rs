//! Plain samples from any source.

use std::ops::{Add, AddAssign};

use super::estimate::Estimate;

/// The cost of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cost {
    /// The number of messages sent.
    pub messages: u64,
    /// The duration in seconds.
    pub seconds: f64,
}

impl Add for Cost {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { messages: self.messages + other.messages, seconds: self.seconds + other.seconds }
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl std::iter::Sum for Cost {
    fn sum<I: Iterator<Item = Self>>(costs: I) -> Self {
        costs.fold(Self::default(), Add::add)
    }
}

/// The samples of one quantity for messages of one size.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// The message size in bytes.
    pub bytes: u64,
    /// The samples in seconds.
    pub seconds: Vec<f64>,
    /// The cost of the samples.
    pub cost: Cost,
}

impl Series {
    /// The robust mean of the samples; `None` without samples.
    #[must_use]
    pub fn middle(&self) -> Option<Estimate> {
        Estimate::of(&self.seconds)
    }
}

/// The measurements between two nodes. Lists are in ascending order of sizes and may be empty.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PairSamples {
    /// The node that started each experiment.
    pub from: u32,
    /// The other node.
    pub to: u32,
    /// Round trips of a message and an answer of the same size.
    pub round_trips: Vec<Series>,
    /// The time per message of a saturated train.
    pub gaps: Vec<Series>,
    /// The time during which the sender's processor is busy.
    pub send_overheads: Vec<Series>,
    /// The time during which the receiver's processor is busy.
    pub receive_overheads: Vec<Series>,
}

impl PairSamples {
    /// All lists in a fixed order, for loops.
    #[must_use]
    pub const fn lists(&self) -> [&Vec<Series>; 4] {
        [&self.round_trips, &self.gaps, &self.send_overheads, &self.receive_overheads]
    }

    /// Half the round trip of the smallest message in seconds, the entry of a latency matrix.
    #[must_use]
    pub fn latency(&self) -> Option<f64> {
        Some(self.round_trips.first()?.middle()?.value / 2.0)
    }

    /// The bandwidth of the largest message's round trip in bytes per second.
    #[must_use]
    pub fn bandwidth(&self) -> Option<f64> {
        let largest = self.round_trips.last()?;
        let seconds = largest.middle()?.value / 2.0;
        (largest.bytes > 0 && seconds > 0.0).then(|| largest.bytes as f64 / seconds)
    }

    /// Adds the samples of another pair to those of the same sizes, for pairs that should be equal.
    pub fn pool(&mut self, other: &Self) {
        let own = [&mut self.round_trips, &mut self.gaps, &mut self.send_overheads, &mut self.receive_overheads];
        for (own, other) in own.into_iter().zip(other.lists()) {
            for series in other {
                match own.binary_search_by_key(&series.bytes, |known| known.bytes) {
                    Ok(place) => {
                        own[place].seconds.extend_from_slice(&series.seconds);
                        own[place].cost += series.cost;
                    }
                    Err(place) => own.insert(place, series.clone()),
                }
            }
        }
    }

    /// Keeps only the sizes for which `keep` is true: for example half of them for fitting and half for validation.
    #[must_use]
    pub fn of_sizes(&self, keep: impl Fn(u64) -> bool) -> Self {
        let kept = |list: &Vec<Series>| list.iter().filter(|series| keep(series.bytes)).cloned().collect();
        Self {
            from: self.from,
            to: self.to,
            round_trips: kept(&self.round_trips),
            gaps: kept(&self.gaps),
            send_overheads: kept(&self.send_overheads),
            receive_overheads: kept(&self.receive_overheads),
        }
    }

    /// The mean of |predicted / measured − 1| over the measured sizes in per cent, for half round trips. `None` without
    /// measurements.
    #[must_use]
    pub fn mean_percentage_error(&self, hop: impl Fn(u64) -> f64) -> Option<f64> {
        let middles = self.round_trips.iter().filter_map(|series| Some((series.bytes, series.middle()?.value / 2.0)));
        let errors: Vec<f64> = middles
            .filter(|(_, measured)| *measured > 0.0)
            .map(|(bytes, measured)| 100.0 * (hop(bytes) / measured - 1.0).abs())
            .collect();
        (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64)
    }
}

/// An experiment of one node with two others (Lastovetsky and Rychkov): `root` sends a message to `first` and then one
/// to `last`, the farther of the two; each answers with an empty message.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TripletSamples {
    /// The node that sends.
    pub root: u32,
    /// The receiver of the first message.
    pub first: u32,
    /// The receiver of the last message.
    pub last: u32,
    /// The time until both answers have arrived, by size.
    pub times: Vec<Series>,
}

/// All measurements of a platform.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Measurements {
    /// The pairs in the order of measurement.
    pub pairs: Vec<PairSamples>,
    /// Experiments with three nodes.
    pub triplets: Vec<TripletSamples>,
    /// The total cost, including coordination.
    pub cost: Cost,
}

impl Measurements {
    /// The samples of a pair, in either direction.
    #[must_use]
    pub fn between(&self, one: u32, other: u32) -> Option<&PairSamples> {
        self.pairs.iter().find(|pair| (pair.from, pair.to) == (one, other) || (pair.to, pair.from) == (one, other))
    }
}
