//! Ticks that are too coarse: what rounding every length up to a whole tick makes of a platform's messages.
//!
//! A tick is meant to be far below every latency, overhead and gap. Where it is not, results change with it, and
//! nothing of that shows. So the platform is read a second time with a tick of a picosecond, and what a message takes
//! is compared.

use std::collections::BTreeSet;

use super::Scenario;
use super::node::{Node, Value};
use super::resolve::Resolver;
use crate::cluster::{NodeId, Platform};
use crate::units::{Quantity, Seconds, Tick, Time};

/// From which relative error on a tick is told of: a thousandth, which is where metrics that people read begin to
/// change.
const TOLD: f64 = 1e-3;

/// The most platforms of a sweep that are looked at.
const MOST_PLATFORMS: usize = 64;

/// The sizes of the messages that are compared, in bytes: short ones, which a tick concerns most.
const SIZES: [u64; 2] = [1, 1024];

/// What a tick makes of a length.
#[derive(Debug, Clone, PartialEq)]
struct Rounded {
    /// What of which message it is.
    what: String,
    /// How long it is, in seconds, and how long it becomes.
    exact: f64,
    simulated: f64,
    tick: f64,
}

impl Rounded {
    fn error(&self) -> f64 {
        self.simulated / self.exact - 1.0
    }

    fn sentence(&self) -> String {
        let seconds =
            |seconds: f64| Seconds::from_base(seconds).map_or_else(|_| seconds.to_string(), |s| s.to_string());
        // As many digits as tell the two apart.
        let short = |value: f64| seconds(format!("{value:.3e}").parse().unwrap_or(value));
        let error = self.error();
        let much = if error < 1.0 {
            format!("{} % too long", format!("{:.1e}", 100.0 * error).parse::<f64>().unwrap_or(100.0 * error))
        } else {
            format!("{:.0} times as long", self.simulated / self.exact)
        };
        format!(
            "the tick of {} is coarse beside this platform: {} becomes {} instead of {} ({much}), so results change with \
             the tick; take a finer `platform.tick`",
            seconds(self.tick),
            self.what,
            short(self.simulated),
            short(self.exact),
        )
    }
}

impl Scenario {
    /// A sentence where a tick is so coarse that results change with it: the length that it changes most, and by how
    /// much.
    #[must_use]
    pub fn coarse_tick(&self) -> Option<String> {
        let swept: Vec<usize> =
            (0..self.axes.len()).filter(|&axis| self.axes[axis].key.starts_with("platform")).collect();
        let mut seen = BTreeSet::new();
        let mut worst: Option<Rounded> = None;
        for point in &self.points {
            let key: Vec<usize> = swept.iter().map(|&axis| point.choices[axis]).collect();
            if seen.len() >= MOST_PLATFORMS || !seen.insert(key) {
                continue;
            }
            let here = self.resolver.with_tick(point, Tick::PICOSECOND).and_then(|(own, fine)| compare(&own, &fine));
            worst = worse([worst, here].into_iter().flatten());
        }
        worst.filter(|worst| worst.error() >= TOLD).map(|worst| worst.sentence())
    }
}

impl Resolver {
    /// The platform of a point, and the same with another tick; nothing where it has that tick already.
    fn with_tick(&self, point: &super::Point, tick: Tick) -> Option<(Platform, Platform)> {
        let own = self.machine(point).ok()?.platform.platform().clone();
        if own.tick() == tick {
            return None;
        }
        let mut table = self.varied("platform", &point.choices).ok()?;
        let text = format!("{}ps", tick.picoseconds(Time(1)));
        table.set("tick", Node { value: Value::Text(text), place: table.place.clone() }).ok()?;
        let other = self.platform(&table).ok()?.platform().clone();
        Some((own, other))
    }
}

/// The length that differs most; of several the first.
fn worse(lengths: impl Iterator<Item = Rounded>) -> Option<Rounded> {
    lengths.reduce(|worst, other| if other.error() > worst.error() { other } else { worst })
}

/// The length that differs most between two platforms that are the same but for their ticks.
fn compare(own: &Platform, fine: &Platform) -> Option<Rounded> {
    let groups = 0..own.clusters().len();
    let pairs = groups.clone().flat_map(|from| groups.clone().map(move |to| (from, to)));
    let lengths = pairs.filter_map(|(from, to)| worst_between(own, fine, (from, to)));
    worse(lengths)
}

/// The length that differs most of messages between two clusters, or within one.
fn worst_between(own: &Platform, fine: &Platform, (from, to): (usize, usize)) -> Option<Rounded> {
    let nodes = own.members(to);
    let (one, other) = (own.members(from).start, if from == to { nodes.end - 1 } else { nodes.start });
    if one == other {
        return None;
    }
    let name = |group: usize| &own.clusters()[group].name;
    let place =
        if from == to { format!("in `{}`", name(from)) } else { format!("from `{}` to `{}`", name(from), name(to)) };
    let lengths = SIZES.into_iter().flat_map(|bytes| {
        let [coarse, exact] = [own, fine].map(|platform| platform.transfer(NodeId(one), NodeId(other), bytes));
        let lengths = [
            ("the time", coarse.hop(), exact.hop()),
            ("the gap", coarse.gap(), exact.gap()),
            ("the sender's overhead", coarse.overhead, exact.overhead),
            ("the receiver's overhead", coarse.receive_overhead, exact.receive_overhead),
        ];
        lengths.map(|(what, coarse, exact)| Rounded {
            what: format!("{what} of a message of {bytes} B {place}"),
            exact: fine.tick().seconds(exact),
            simulated: own.tick().seconds(coarse),
            tick: own.tick().seconds(Time(1)),
        })
    });
    let told = lengths.filter(|length| length.exact > 0.0 && length.simulated.is_finite() && length.exact < 1e6);
    worse(told)
}
