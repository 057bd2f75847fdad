//! Ticks that are too coarse: what rounding every length up to a whole tick makes of a platform's messages, and of the
//! tasks that its nodes compute one by one.
//!
//! A tick is meant to be far below every latency, overhead and gap. Where it is not, results change with it, and
//! nothing of that shows. So the platform is read a second time with a tick of a picosecond, and what a message takes
//! is compared.

use std::ops::Range;
use std::sync::Arc;

use super::Scenario;
use super::platform::PlatformPlan;
use super::resolve::{PointSetup, Resolver};
use hetsim_base::units::{Seconds, Tick, Time};
use hetsim_cluster::network::Model;
use hetsim_cluster::{NodeId, Platform};
use hetsim_text::{Node, Value};

/// The relative error from which on a tick is reported: a thousandth, which is where metrics that people read begin to
/// change.
const TOLD: f64 = 1e-3;

/// The same for computing: tasks of fifty ticks, each of which is half a tick too long on average.
const TOLD_OF_TASKS: f64 = 1e-2;

/// The most platforms of a sweep that are looked at.
const MOST_PLATFORMS: usize = 64;

/// The sizes of the messages that are compared, in bytes: short ones, which a tick concerns most.
const SIZES: [u64; 2] = [1, 1024];

/// What a tick makes of a length of a message from one node to another, in seconds.
#[derive(Debug, Clone, Copy)]
struct Rounded {
    /// What of the message it is.
    what: &'static str,
    bytes: u64,
    pair: Pair,
    exact: f64,
    simulated: f64,
}

/// Two nodes whose messages are compared.
#[derive(Debug, Clone, Copy)]
struct Pair {
    from: NodeId,
    to: NodeId,
    /// How many nodes a unit of the level has that joins them, if one inside a cluster does.
    level: Option<u32>,
}

impl Rounded {
    fn error(&self) -> f64 {
        self.simulated / self.exact - 1.0
    }

    /// The longer of two errors, or the first.
    fn worse(self, other: Self) -> Self {
        if other.error() > self.error() { other } else { self }
    }

    fn sentence(&self, platform: &Platform) -> String {
        let what = format!("{} of a message of {} B {}", self.what, self.bytes, self.pair.place(platform));
        coarse(platform.tick(), "platform", &what, self.exact, self.simulated)
    }
}

/// The sentence on a length that a tick changes, in seconds.
fn coarse(tick: Tick, beside: &str, what: &str, exact: f64, simulated: f64) -> String {
    let error = simulated / exact - 1.0;
    let much = if error < 1.0 {
        format!("{} % too long", format!("{:.1e}", 100.0 * error).parse::<f64>().unwrap_or(100.0 * error))
    } else {
        format!("{:.0} times as long", simulated / exact)
    };
    format!(
        "the tick of {} is coarse beside this {beside}: {what} becomes {} instead of {} ({much}), so results change with \
         the tick; take a finer `platform.tick`",
        Seconds::shown(tick.seconds(Time(1))),
        Seconds::shown(simulated),
        Seconds::shown(exact),
    )
}

impl Pair {
    /// Where its messages go.
    fn place(self, platform: &Platform) -> String {
        let [from, to] = [self.from, self.to].map(|node| &platform.clusters()[platform.cluster_of(node)].name);
        match self.level {
            Some(nodes) => format!("among {nodes} nodes of a level in `{from}`"),
            None if from == to => format!("in `{from}`"),
            None => format!("from `{from}` to `{to}`"),
        }
    }
}

impl Scenario {
    /// A sentence where a tick is so coarse that results change with it: the length that it changes most, and by how
    /// much.
    #[must_use]
    pub fn coarse_tick(&self) -> Option<String> {
        let mut worst: Option<(Rounded, Arc<PlatformPlan>)> = None;
        for point in self.resolver.of_unlike_platforms().take(MOST_PLATFORMS) {
            let Some((own, fine)) = self.resolver.with_tick(point, Tick::PICOSECOND) else { continue };
            let Some(here) = compare(own.platform(), fine.platform()) else { continue };
            if here.error() >= TOLD && worst.as_ref().is_none_or(|(worst, _)| here.error() > worst.error()) {
                worst = Some((here, own));
            }
        }
        worst.map(|(worst, platform)| worst.sentence(platform.platform()))
    }
}

impl PointSetup {
    /// A sentence where a mean task takes so few ticks that its computing is much too long: on the node where that
    /// changes it most.
    pub(super) fn coarse_computing(&self) -> Option<String> {
        let platform = self.platform.as_ref()?.platform();
        let (mean, deviation) = self.resolved.ready.task()?;
        let tick = platform.tick();
        let of_node = |node| {
            let exact = mean / platform.speed_per_second(NodeId(node));
            // Where tasks differ, half a tick is added on average.
            let simulated =
                if deviation > 0.0 { exact + 0.5 / tick.per_second() } else { tick.seconds(tick.time(exact)) };
            (node, exact, simulated)
        };
        let error = |(_, exact, simulated): &(u32, f64, f64)| simulated / exact - 1.0;
        let worst = (0..platform.nodes())
            .map(of_node)
            .reduce(|worst, next| if error(&next) > error(&worst) { next } else { worst })?;
        let (node, exact, simulated) = worst;
        let what = format!("the mean task on node {node}");
        (error(&worst) >= TOLD_OF_TASKS).then(|| coarse(tick, "workload", &what, exact, simulated))
    }
}

impl Resolver {
    /// The platform of a point, and the same with another tick; `None` if it has that tick.
    fn with_tick(&self, point: usize, tick: Tick) -> Option<(Arc<PlatformPlan>, PlatformPlan)> {
        let own = self.machine_platform(point).ok()?.filter(|own| own.platform().tick() != tick)?;
        let mut table = self.varied("platform", point).ok()?;
        let text = format!("{}ps", tick.picoseconds(Time(1)));
        table.set("tick", Node { value: Value::Text(text), place: table.place.clone() }).ok()?;
        Some((own, self.reader.platform(&table).ok()?))
    }
}

/// The length that differs most between two platforms that are the same but for their ticks.
fn compare(own: &Platform, fine: &Platform) -> Option<Rounded> {
    pairs(own).filter_map(|pair| worst_between(own, fine, pair)).reduce(Rounded::worse)
}

/// Two nodes for each network: of each pair of clusters, of each cluster, and of each level inside it.
fn pairs(platform: &Platform) -> impl Iterator<Item = Pair> {
    let clusters = 0..platform.clusters().len();
    let inside = clusters.clone().flat_map(move |cluster| {
        let nodes = platform.members(cluster);
        let pair = |of: Range<u32>, level| Pair { from: NodeId(of.start), to: NodeId(of.end - 1), level };
        let all = pair(nodes.clone(), None);
        let levels = platform.levels(cluster).enumerate().filter_map(move |(level, (size, _))| {
            let joined = platform.groups_among(cluster, level, nodes.clone()).find(|group| group.len() > 1)?;
            Some(pair(joined, Some(size)))
        });
        std::iter::once(all).chain(levels)
    });
    // Many clusters mostly have one and the same network between them.
    let mut before: Option<&Model> = None;
    let between = clusters.clone().flat_map(move |from| clusters.clone().map(move |to| (from, to)));
    let between = between.filter_map(move |(from, to)| {
        let model = &platform.connection(from, to).model;
        let is_new = before.replace(model).is_none_or(|before| model.is_flow() || before != model);
        let [from, to] = [from, to].map(|cluster| NodeId(platform.members(cluster).start));
        (from != to && is_new).then_some(Pair { from, to, level: None })
    });
    inside.chain(between)
}

/// The length that differs most of messages between two nodes.
fn worst_between(own: &Platform, fine: &Platform, pair: Pair) -> Option<Rounded> {
    if pair.from == pair.to {
        return None;
    }
    let lengths = SIZES.into_iter().flat_map(|bytes| {
        let [coarse, exact] = [own, fine].map(|platform| platform.transfer(pair.from, pair.to, bytes));
        let lengths = [
            ("the time", coarse.hop(), exact.hop()),
            ("the gap", coarse.gap(), exact.gap()),
            ("the sender's overhead", coarse.overhead, exact.overhead),
            ("the receiver's overhead", coarse.receive_overhead, exact.receive_overhead),
        ];
        lengths.map(|(what, coarse, exact)| Rounded {
            what,
            bytes,
            pair,
            exact: fine.tick().seconds(exact),
            simulated: own.tick().seconds(coarse),
        })
    });
    let told = lengths.filter(|length| length.exact > 0.0 && length.simulated.is_finite() && length.exact < 1e6);
    told.reduce(Rounded::worse)
}
