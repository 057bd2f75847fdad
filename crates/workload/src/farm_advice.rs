//! The ways to run a farm of independent tasks among which to choose: policies with their chunks, and the order of the tasks;
//! and what each takes.

use std::fmt;
use std::ops::Range;

use hetsim_base::engine::Streams;
use hetsim_base::units::{Operations, Quantity, Seconds};
use hetsim_cluster::{NodeId, Platform};
use hetsim_policy::{Kind, Policy};

use super::RunFailure;
use super::farm::{Cost, Protocol};
use super::independent::IndependentParameters;
use super::machines::Machines;
use super::task_setting::{TaskSetting, measured_on};

/// The smallest chunks that are tried with policies whose chunks shrink.
const SMALLEST: [u32; 2] = [1, 8];

/// The order in which tasks are handed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskOrder {
    /// As they are given.
    AsGiven,
    /// In each round the longest first.
    LongestFirst,
}

/// What the system that is to run a farm can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dealing {
    /// Every policy: one's own program.
    ByAnyPolicy,
    /// Chunks of a fixed size.
    InChunks,
    /// One task at a time.
    OneByOne,
}

/// A way to hand out the tasks of a farm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FarmSetting {
    /// The policy.
    pub policy: Policy,
    /// The tasks of a chunk, or of the smallest one; 1 where the policy takes no such number.
    pub chunk: u32,
    /// The chunks that a worker has besides the one that it computes: none, or as many as the farm's own.
    pub ahead: u16,
    /// The order of the tasks.
    pub order: TaskOrder,
}

/// As it stands behind "hand out".
impl fmt::Display for FarmSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.policy, self.chunk) {
            (Policy::Adaptive, _) => f.write_str("one task at a time")?,
            (Policy::Fixed, chunk) => write!(f, "chunks of {chunk}")?,
            (policy, 1) => write!(f, "tasks by {policy}")?,
            (policy, chunk) => write!(f, "tasks by {policy}, at least {chunk} at a time")?,
        }
        if self.ahead > 0 {
            write!(f, ", {} ahead", self.ahead)?;
        }
        if self.order == TaskOrder::LongestFirst { f.write_str(", longest first") } else { Ok(()) }
    }
}

impl FarmSetting {
    fn new(policy: Policy, chunk: u32, ahead: u16, order: TaskOrder) -> Self {
        let has_chunks = policy.kind() == Kind::SelfScheduling && policy != Policy::Adaptive;
        // Chunks of one task are what this policy deals.
        let policy = if (policy, chunk) == (Policy::Fixed, 1) { Policy::Adaptive } else { policy };
        Self { policy, chunk: if has_chunks { chunk } else { 1 }, ahead, order }
    }

    /// The settings to choose from: the farm's own first, then simpler ones before others.
    #[must_use]
    pub fn all(farm: &IndependentParameters, platform: &Platform, dealing: Dealing) -> Vec<Self> {
        let share = farm.tasks / (platform.nodes() - 1).max(1);
        let chunks = std::iter::successors(Some(1u32), |chunk| chunk.checked_mul(2));
        let chunks = chunks.take_while(|&chunk| chunk == 1 || chunk <= share).map(|chunk| (Policy::Fixed, chunk));
        let is_possible = |policy: &Policy| match policy {
            // The first two are chunks of a fixed size, and shares are the user's.
            Policy::Adaptive | Policy::Fixed | Policy::StaticShares => false,
            // It learns from earlier rounds.
            Policy::AdaptiveWeightedFactoring => farm.rounds > 1,
            policy => farm.farm.protocol == Protocol::Plain || policy.kind() == Kind::SelfScheduling,
        };
        let others = Policy::ALL.iter().copied().filter(is_possible);
        let smallest = SMALLEST.into_iter().filter(|&chunk| chunk == 1 || chunk <= share);
        let others = others.flat_map(|policy| smallest.clone().map(move |chunk| (policy, chunk)));
        let ways: Vec<(Policy, u32)> = match dealing {
            Dealing::OneByOne => chunks.take(1).collect(),
            Dealing::InChunks => chunks.collect(),
            Dealing::ByAnyPolicy => chunks.chain(others).collect(),
        };
        let can_be_sorted = matches!(farm.task, Cost::Trace(_)) && farm.task.moments().1 > 0.0;
        let orders = [TaskOrder::AsGiven, TaskOrder::LongestFirst].into_iter().take(1 + usize::from(can_be_sorted));
        let aheads = |policy: Policy| {
            let asks = policy.kind() == Kind::SelfScheduling && farm.farm.ahead > 0;
            [0, farm.farm.ahead].into_iter().take(1 + usize::from(asks))
        };
        let ways = ways.iter().flat_map(|&(policy, chunk)| aheads(policy).map(move |ahead| (policy, chunk, ahead)));
        let ways: Vec<(Policy, u32, u16)> = ways.collect();
        let all = orders
            .flat_map(|order| ways.iter().map(move |&(policy, chunk, ahead)| Self::new(policy, chunk, ahead, order)));
        let mut settings = vec![Self::new(farm.farm.policy, farm.farm.chunk, farm.farm.ahead, TaskOrder::AsGiven)];
        for setting in all {
            if !settings.contains(&setting) {
                settings.push(setting);
            }
        }
        settings
    }

    /// A farm with this setting; its own shares count for their policy only.
    fn put_into(self, farm: &IndependentParameters) -> IndependentParameters {
        let mut farm = farm.clone();
        farm.farm.policy = self.policy;
        farm.farm.chunk = self.chunk;
        farm.farm.ahead = self.ahead;
        if self.ahead == 0 {
            (farm.farm.steal_interval, farm.farm.steal_threshold) = (None, Seconds::default());
        }
        if self.policy != Policy::StaticShares {
            farm.farm.shares.clear();
            farm.farm.first_share = None;
        }
        if let (TaskOrder::LongestFirst, Cost::Trace(trace)) = (self.order, &mut farm.task) {
            let tasks = (farm.tasks as usize).saturating_mul(farm.rounds as usize);
            let mut all: Vec<Operations> = trace.operations.iter().copied().cycle().take(tasks).collect();
            for round in all.chunks_mut(farm.tasks as usize) {
                round.sort_by(|a, b| b.base().total_cmp(&a.base()));
            }
            trace.operations = all;
        }
        farm
    }
}

impl TaskSetting for FarmSetting {
    type Keys = IndependentParameters;

    /// With the server, which is none of the workers.
    fn completion_s(
        self,
        farm: &IndependentParameters,
        platform: &Platform,
        workers: Option<&[u32]>,
        streams: Streams,
    ) -> Result<f64, RunFailure> {
        let mut farm = self.put_into(farm);
        let nodes = workers.map(|workers| {
            let server = farm.farm.server;
            farm.farm.server = workers.iter().filter(|&&worker| worker < server).count() as u32;
            workers.iter().copied().chain([server]).collect::<Vec<u32>>()
        });
        Ok(measured_on(&farm, platform, nodes.as_deref(), streams)?.0.completion_s)
    }
}

/// The workers of a farm: each node is a machine, unless the machines with their nodes are `named`.
#[must_use]
pub fn workers(farm: &IndependentParameters, platform: &Platform, named: &[(String, Range<u32>)]) -> Machines {
    let nodes = (0..platform.nodes()).filter(|&node| node != farm.farm.server);
    let with_speed = |node: u32| (node, farm.farm.speed_at(NodeId(node), &farm.task, 0, platform));
    Machines::of(nodes.map(with_speed).collect(), platform, named)
}

#[cfg(test)]
mod tests {
    use hetsim_cluster::Availability;

    use super::*;
    use crate::machines::MachineChange;

    /// A server and workers of these speeds, in operations a second, on a network that costs nothing.
    fn platform(speeds: &str) -> Platform {
        let speeds: Vec<f64> = speeds.split(' ').map(|speed| speed.parse().unwrap()).collect();
        let tick = hetsim_base::units::Tick::PICOSECOND;
        let model = hetsim_cluster::network::Model::new(&toml::from_str("model = 'ideal'").unwrap(), tick).unwrap();
        let platform = Platform::uniform(speeds.len() as u32 + 1, model).unwrap();
        platform.with_speeds(&[&[1.0], speeds.as_slice()].concat()).unwrap()
    }

    fn farm(tasks: u32, task: &str, farm: &str) -> IndependentParameters {
        toml::from_str(&format!("tasks = {tasks}\ntask = {{ {task} }}\nfarm = {{ {farm} }}")).unwrap()
    }

    const EQUAL: &str = "distribution = 'constant', operations = '1op'";

    fn completion(setting: FarmSetting, farm: &IndependentParameters, on: &Platform, workers: Option<&[u32]>) -> f64 {
        setting.completion_s(farm, on, workers, Streams::new(1, 0)).unwrap()
    }

    /// Twelve tasks on a worker that does three a second and one that does one, each answer a second of the server's.
    /// With chunks of 4 the fast worker is given tasks at 1 and 3.33 s, the slow one at 2 s, for 4 s. With chunks of 2 the
    /// slow one has its last chunk from 5.67 to 7.67 s; the server then answers the fast one, done at 7.33 s, until 8.33 s.
    /// One at a time they are given out from 1 s to 12 s, the last to the slow one.
    #[test]
    fn the_best_chunk_where_an_answer_costs() {
        let (on, farm) = (platform("3 1"), farm(12, EQUAL, "policy = 'fixed', chunk = 2, service = '1op'"));
        let settings = FarmSetting::all(&farm, &on, Dealing::InChunks);
        let found: Vec<String> = settings
            .iter()
            .map(|setting| format!("{setting}: {:.2}", completion(*setting, &farm, &on, None)))
            .collect();
        assert_eq!(found, ["chunks of 2: 8.33", "one task at a time: 13.00", "chunks of 4: 6.00"]);
        let all = FarmSetting::all(&farm, &on, Dealing::ByAnyPolicy);
        let nominal = all.iter().find(|setting| setting.policy == Policy::StaticNominal).unwrap();
        // Shares of nine and three are dealt at once, at 1 s.
        assert_eq!(
            format!("{nominal}: {:.2}", completion(*nominal, &farm, &on, None)),
            "tasks by static_nominal: 4.00"
        );
        assert!(all.len() > 12 && all.iter().all(|setting| setting.policy != Policy::StaticShares), "{all:?}");
        assert_eq!(FarmSetting::all(&farm, &on, Dealing::OneByOne).len(), 2);
    }

    /// Two latencies of 1 s hide behind tasks of 4 s, but the last of five tasks waits at the slow worker: the fast one has
    /// three of them from 2 to 14 s, and the slow one the second from 2 s to 42 s and the fourth to 82 s.
    #[test]
    fn chunks_ahead_or_none() {
        let tick = hetsim_base::units::Tick::PICOSECOND;
        let network = toml::from_str("model = 'delay'\nlatency = '1s'\nbandwidth = '1TB/s'").unwrap();
        let on = Platform::uniform(3, hetsim_cluster::network::Model::new(&network, tick).unwrap()).unwrap();
        let on = on.with_speeds(&[1.0, 1.0, 0.1]).unwrap();
        let task = "distribution = 'constant', operations = '4op'";
        let farm = farm(5, task, "policy = 'fixed', chunk = 1, ahead = 1");
        let settings = FarmSetting::all(&farm, &on, Dealing::OneByOne);
        let found = settings.iter().map(|setting| format!("{setting}: {}", completion(*setting, &farm, &on, None)));
        assert_eq!(found.collect::<Vec<_>>(), ["one task at a time, 1 ahead: 83", "one task at a time: 43"]);
        let all = FarmSetting::all(&farm, &on, Dealing::ByAnyPolicy);
        assert!(all.iter().all(|way| way.ahead == 0 || way.policy.kind() == Kind::SelfScheduling), "{all:?}");
    }

    /// Two workers: 1 1, 1 1, and 4 behind; or 4 beside 1 1 1 1. In two rounds each is sorted by itself.
    #[test]
    fn the_longest_first() {
        let on = platform("1 1");
        let mut farm = farm(5, "distribution = 'trace', operations = ['1op', '1op', '1op', '1op', '4op']", "chunk = 1");
        let settings = FarmSetting::all(&farm, &on, Dealing::OneByOne);
        assert_eq!(settings.iter().map(|setting| setting.order as u8).collect::<Vec<_>>(), [0, 1]);
        let times = |farm: &_| settings.iter().map(|setting| completion(*setting, farm, &on, None)).collect::<Vec<_>>();
        assert_eq!(times(&farm), [6.0, 4.0]);
        farm.rounds = 2;
        assert_eq!(times(&farm), [12.0, 8.0]);
    }

    /// Three alike and one whose only task outlasts all others; the server is the last node.
    #[test]
    fn a_machine_that_is_not_worth_its_task() {
        use MachineChange::{Fastest, OneMore, WithoutAll, WithoutOne};
        let on = platform("0.1 1 1 1").of_nodes(vec![1, 2, 3, 4, 0]).unwrap();
        let farm = farm(9, EQUAL, "policy = 'adaptive', server = 0");
        let found = workers(&farm, &on, &[]);
        assert_eq!(
            found.kinds.iter().map(|kind| kind.name.as_str()).collect::<Vec<_>>(),
            ["node 1 (nodes.1)", "nodes at 1op/s"]
        );
        assert!((found.share_of(&found.kinds[1], 1) - 1.0 / 3.1).abs() < 1e-12);
        let own = FarmSetting::all(&farm, &on, Dealing::OneByOne)[0];
        let with = |change: MachineChange| completion(own, &farm, &on, Some(&change.nodes(&found)));
        assert_eq!(
            MachineChange::all(&found),
            [WithoutOne(0), WithoutOne(1), WithoutAll(1), Fastest(1), Fastest(2), Fastest(3), OneMore(1), OneMore(0)]
        );
        let times = [WithoutOne(0), WithoutOne(1), WithoutAll(1), Fastest(2), OneMore(1)].map(with);
        assert_eq!(times, [3.0, 10.0, 90.0, 5.0, 10.0]);
        let steps = workers(&farm, &platform("0.1 0.1 1 1 1 1 1 0.1"), &[]);
        assert!(MachineChange::all(&steps).contains(&Fastest(5)), "all that are clearly faster");
        let named = workers(&farm, &on, &[("old".to_owned(), 1..3), ("new".to_owned(), 3..5)]);
        assert_eq!(named.kinds[0].machines, [[1, 2]]);
        assert_eq!(MachineChange::WithoutOne(0).nodes(&named), [3, 4]);
    }

    /// Two of four equal nodes have a load that takes half of them.
    #[test]
    fn kinds_have_names_of_their_own() {
        let load = [1.0, 1.0, 1.0, 0.5, 0.5].map(Availability::Constant).to_vec();
        let (on, farm) = (platform("2 2 2 2").with_loads(load).unwrap(), farm(2, EQUAL, "policy = 'adaptive'"));
        let names: Vec<String> = workers(&farm, &on, &[]).kinds.into_iter().map(|kind| kind.name).collect();
        assert_eq!(names, ["nodes at 2op/s (1op/s in effect)", "nodes at 2op/s (2op/s in effect)"]);
    }

    /// The server keeps its place among the nodes that are left.
    #[test]
    fn the_server_may_be_any_node() {
        let (on, farm) = (platform("4 1 2"), farm(2, EQUAL, "policy = 'adaptive', server = 2"));
        let found = workers(&farm, &on, &[]);
        assert_eq!(found.fastest, [1, 3, 0]);
        let own = FarmSetting::all(&farm, &on, Dealing::OneByOne)[0];
        assert_eq!(completion(own, &farm, &on, Some(&[3])), 1.0);
        assert_eq!(completion(own, &farm, &on, Some(&[1])), 0.5);
    }
}
