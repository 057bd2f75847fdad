//! Plain samples, wherever they come from.

use std::ops::{Add, AddAssign};

use super::estimate::Estimate;

/// What it took to measure something.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cost {
    /// Messages that were sent for it.
    pub messages: u64,
    /// Seconds that it lasted.
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
    /// The size of the messages.
    pub bytes: u64,
    /// The samples, in seconds.
    pub seconds: Vec<f64>,
    /// What they took.
    pub cost: Cost,
}

impl Series {
    /// The middle of the samples; nothing where there are none.
    #[must_use]
    pub fn middle(&self) -> Option<Estimate> {
        Estimate::of(&self.seconds)
    }
}

/// What was measured between two nodes. Lists are in ascending order of sizes, and may be empty.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PairSamples {
    /// The node that started each experiment.
    pub from: u32,
    /// The other one.
    pub to: u32,
    /// Round trips of a message there and one of the same size back.
    pub round_trips: Vec<Series>,
    /// The time a message of a train that leaves without a pause.
    pub gaps: Vec<Series>,
    /// How long the sender's processor is busy.
    pub send_overheads: Vec<Series>,
    /// How long the receiver's processor is busy.
    pub receive_overheads: Vec<Series>,
}

impl PairSamples {
    /// All lists with their kind, for loops over everything.
    #[must_use]
    pub const fn lists(&self) -> [&Vec<Series>; 4] {
        [&self.round_trips, &self.gaps, &self.send_overheads, &self.receive_overheads]
    }

    /// Half the round trip of the smallest message, in seconds: what a matrix of latencies has.
    #[must_use]
    pub fn latency(&self) -> Option<f64> {
        Some(self.round_trips.first()?.middle()?.value / 2.0)
    }

    /// Bytes a second of the largest message there and back.
    #[must_use]
    pub fn bandwidth(&self) -> Option<f64> {
        let largest = self.round_trips.last()?;
        let seconds = largest.middle()?.value / 2.0;
        (largest.bytes > 0 && seconds > 0.0).then(|| largest.bytes as f64 / seconds)
    }

    /// Adds the samples of another pair to those of the same sizes, for pairs that should be alike.
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

    /// The same with only those sizes that `keep` holds for: half of them to fit, the others to predict.
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

    /// The mean of |predicted / measured − 1| over the measured sizes, in per cent, for half round trips. Nothing where none was
    /// measured.
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

/// An experiment of one node with two others (Lastovetsky and Rychkov): `root` sends a message to `first` and then one to
/// `last`, the farther of the two; either answers with an empty one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TripletSamples {
    /// The node that sends.
    pub root: u32,
    /// The node whose message leaves first.
    pub first: u32,
    /// The node whose message leaves last.
    pub last: u32,
    /// Until both answers were there, by size.
    pub times: Vec<Series>,
}

/// Everything that was measured of a machine.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Measurements {
    /// Pair by pair, in the order in which they were measured.
    pub pairs: Vec<PairSamples>,
    /// Experiments with three nodes.
    pub triplets: Vec<TripletSamples>,
    /// What all of it took, coordination included.
    pub cost: Cost,
}

impl Measurements {
    /// The samples of a pair, whichever of the two started.
    #[must_use]
    pub fn between(&self, one: u32, other: u32) -> Option<&PairSamples> {
        self.pairs.iter().find(|pair| (pair.from, pair.to) == (one, other) || (pair.to, pair.from) == (one, other))
    }
}
