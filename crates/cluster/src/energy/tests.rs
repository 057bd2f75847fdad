//! What runs take, by closed forms: each power times how long it is drawn.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::network::routed::Routed;
use crate::network::{Model, Parameters};
use crate::topology::Choose;
use crate::{
    Availability, Cluster, Connection, Context, DirectedLink, Fault, Level, Link, LinkPower, LinkSharing, Outage,
    Profile, Program, Route, Routes, RoutingTables, Sharing, Simulation, TimerId,
};
use hetsim_base::units::Tick;

/// What a program does at an instant, in seconds: a tick is a millisecond and an operation a second of a core.
#[derive(Debug, Clone, Copy)]
enum Act {
    Compute(u32, f64),
    Send(u32, u32, u64),
    Complete,
    Conclude,
}

/// Does its acts at their instants.
struct Script(Vec<(f64, Act)>, Vec<(TimerId, Act)>);

impl Script {
    fn act(act: Act, context: &mut impl Context<()>) {
        match act {
            Act::Compute(node, seconds) => drop(context.compute(NodeId(node), seconds)),
            Act::Send(from, to, bytes) => drop(context.send(NodeId(from), NodeId(to), bytes, ())),
            Act::Complete => context.complete(NodeId(0)),
            Act::Conclude => context.conclude(),
        }
    }
}

impl Program for Script {
    type Message = ();

    fn start(&mut self, context: &mut impl Context<()>) {
        for &(at, act) in &self.0 {
            if at == 0.0 {
                Self::act(act, context);
            } else {
                // A timer ends with its node: those of the last one, which has no faults here.
                let last = NodeId(context.nodes() - 1);
                self.1.push((context.set_timer(last, context.tick().time(at)), act));
            }
        }
    }

    fn on_message(&mut self, _: NodeId, _: NodeId, (): (), _: &mut impl Context<()>) {}

    fn on_timer(&mut self, _: NodeId, timer: TimerId, context: &mut impl Context<()>) {
        let act = self.1.iter().find(|(own, _)| *own == timer).expect("a timer of the script").1;
        Self::act(act, context);
    }
}

const MILLISECOND: Tick = match Tick::new(1_000_000_000) {
    Some(tick) => tick,
    None => unreachable!(),
};

const POWER: NodePower = NodePower { idle: 90.0, active: 100.0, per_core: 10.0, off: 5.0 };
const LINK: LinkPower = LinkPower { idle: 1.0, full: 4.0 };
const FAIR: &str = "model = 'fair'\nlatency = '0s'\nbandwidth = '1MB/s'";

fn link(network: &str, power: Option<LinkPower>) -> Connection {
    let parameters: Parameters = toml::from_str(network).expect("valid parameters");
    Connection { power, ..Connection::from(Model::new(&parameters, MILLISECOND).expect("a valid model")) }
}

fn bare(nodes: u32, cores: u32, link: Connection) -> Platform {
    let cluster = Cluster { name: "test".to_owned(), nodes, cores };
    Platform::new(MILLISECOND, vec![cluster], vec![link])
        .expect("a platform")
        .with_cluster_speeds(&[1.0])
        .expect("a platform")
}

/// Nodes of `POWER` on a network that costs nothing.
fn platform(nodes: u32, cores: u32) -> Platform {
    bare(nodes, cores, link("model = 'ideal'", None)).with_power(&[Some(POWER)]).expect("a platform")
}

fn energy(platform: &Platform, acts: &[(f64, Act)]) -> Energy {
    let mut simulation = Simulation::new(platform, 1);
    simulation.run(&mut Script(acts.to_vec(), Vec::new())).expect("the run ends");
    simulation.energy().expect("a platform with power").clone()
}

#[track_caller]
fn near(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{a} is not {b}");
}

#[test]
fn one_core_of_four_computes() {
    // 10 s at 100 + 10 W, then 5 s idle at 90 W until the other node has computed for 15 s on two cores.
    let energy = energy(
        &platform(2, 4),
        &[(0.0, Act::Compute(0, 10.0)), (0.0, Act::Compute(1, 15.0)), (0.0, Act::Compute(1, 15.0))],
    );
    near(energy.seconds, 15.0);
    near(energy.nodes[0].joules, 10.0 * 110.0 + 5.0 * 90.0);
    near(energy.nodes[1].joules, 15.0 * 120.0);
    near(energy.nodes[1].core_seconds, 30.0);
    near(energy.nodes[1].active_seconds, 15.0);
    near(energy.idle, 2.0 * 15.0 * 90.0);
    near(energy.total(), energy.of_nodes());
}

#[test]
fn what_waits_for_a_core_takes_nothing() {
    // Three of 4 s on two cores, one at a time a core: two, then one, over 8 s.
    let acts = [(0.0, Act::Compute(0, 4.0)); 3];
    let energy = energy(&platform(1, 2), &acts);
    near(energy.nodes[0].joules, 4.0 * 120.0 + 4.0 * 110.0);
}

#[test]
fn three_computations_share_two_cores() {
    // Of 4 s each: both cores until all three end at 3 × 4 / 2 = 6 s.
    let shared = platform(1, 2).with_sharing(Sharing::Processor);
    let acts = [(0.0, Act::Compute(0, 4.0)); 3];
    let alike = energy(&shared, &acts);
    near(alike.seconds, 6.0);
    near(alike.nodes[0].joules, 6.0 * 120.0);
    // Of 2, 2 and 6 s: at 2/3 of a core each the short ones end at 3 s, the long one has 4 s left and a core of its
    // own.
    let acts = [(0.0, Act::Compute(0, 2.0)), (0.0, Act::Compute(0, 2.0)), (0.0, Act::Compute(0, 6.0))];
    let unlike = energy(&shared, &acts);
    near(unlike.seconds, 7.0);
    near(unlike.nodes[0].core_seconds, 10.0);
    near(unlike.nodes[0].joules, 3.0 * 120.0 + 4.0 * 110.0);
}

#[test]
fn external_load_is_on_another_bill() {
    // Half a core for us: 10 s of work take 20 s, in which the core gives us 10 s.
    for sharing in [Sharing::OneAtATime, Sharing::Processor] {
        let half = Availability::Profile(Arc::new(Profile::new(&[(Time::ZERO, 0.5)], None).expect("a profile")));
        let loaded = platform(1, 1).with_loads(vec![half]).expect("a platform").with_sharing(sharing);
        let energy = energy(&loaded, &[(0.0, Act::Compute(0, 10.0))]);
        near(energy.nodes[0].core_seconds, 10.0);
        near(energy.nodes[0].joules, 20.0 * 100.0 + 10.0 * 10.0);
    }
}

#[test]
fn overheads_of_messages_take_no_core() {
    // The node is busy with a send for 2 s; its computation starts then and holds the core for 3 s.
    let network = "model = 'loggp'\nlatency = '1s'\noverhead = '2s'\ngap = '2s'\ngap_per_byte = '0s/B'";
    for sharing in [Sharing::OneAtATime, Sharing::Processor] {
        let platform =
            bare(2, 1, link(network, None)).with_power(&[Some(POWER)]).expect("a platform").with_sharing(sharing);
        let energy = energy(&platform, &[(0.0, Act::Send(0, 1, 1)), (0.0, Act::Compute(0, 3.0))]);
        near(energy.seconds, 5.0);
        near(energy.nodes[0].core_seconds, 3.0);
        // Under processor sharing the computation is under way at once, and gets no core at first.
        let active = if sharing == Sharing::Processor { 5.0 } else { 3.0 };
        near(energy.nodes[0].active_seconds, active);
        near(energy.nodes[0].joules, 5.0 * 90.0 + active * 10.0 + 3.0 * 10.0);
        near(energy.nodes[1].joules, 5.0 * 90.0);
    }
}

#[test]
fn a_message_without_overhead_takes_nothing_of_a_shared_core() {
    // 10 s of work from 0 s on and 10 s from 6 s on share a core until 20 s; a message at 5 s changes nothing.
    let shared = platform(2, 1).with_sharing(Sharing::Processor);
    let acts = [(0.0, Act::Compute(0, 10.0)), (5.0, Act::Send(1, 0, 1)), (6.0, Act::Compute(0, 10.0))];
    let energy = energy(&shared, &acts);
    near(energy.seconds, 20.0);
    near(energy.nodes[0].core_seconds, 20.0);
}

#[test]
fn a_node_that_is_down_is_off() {
    // Down from 4 to 10 s; a computation of 8 s is cut at 4 s, one of 2 s comes at 12 s, all ends at 14 s.
    let outage = Outage { from: MILLISECOND.time(4.0), until: Some(MILLISECOND.time(10.0)) };
    let fault = Fault::at(vec![outage]).expect("a fault");
    for sharing in [Sharing::OneAtATime, Sharing::Processor] {
        let platform =
            platform(2, 1).with_faults(vec![vec![fault.clone()], vec![]]).expect("a platform").with_sharing(sharing);
        let energy = energy(&platform, &[(0.0, Act::Compute(0, 8.0)), (12.0, Act::Compute(0, 2.0))]);
        near(energy.nodes[0].down_seconds, 6.0);
        near(energy.nodes[0].joules, 4.0 * 110.0 + 6.0 * 5.0 + 2.0 * 90.0 + 2.0 * 110.0);
        near(energy.nodes[1].joules, 14.0 * 90.0);
        near(energy.idle, 8.0 * 90.0 + 6.0 * 5.0 + 14.0 * 90.0);
    }
}

#[test]
fn the_bill_ends_with_the_results() {
    // Work for 10 s. Results at 6 s, said by a conclusion or a completion: what comes later is not on the bill.
    let work = (0.0, Act::Compute(0, 10.0));
    for (act, end) in [(Act::Conclude, 6.0), (Act::Complete, 6.0)] {
        let energy = energy(&platform(2, 1), &[work, (6.0, act), (8.0, Act::Compute(1, 9.0))]);
        near(energy.seconds, end);
        near(energy.nodes[0].joules, 6.0 * 110.0);
        near(energy.nodes[1].joules, 6.0 * 90.0);
    }
    // A later completion brings back what came in between.
    let acts =
        [work, (0.0, Act::Compute(1, 2.0)), (1.0, Act::Complete), (3.0, Act::Compute(1, 1.0)), (12.0, Act::Complete)];
    let late = energy(&platform(2, 1), &acts);
    near(late.nodes[0].joules, 10.0 * 110.0 + 2.0 * 90.0);
    near(late.nodes[1].joules, 3.0 * 110.0 + 9.0 * 90.0);
    // And a conclusion counts before any completion.
    let both = energy(&platform(2, 1), &[work, (4.0, Act::Conclude), (5.0, Act::Complete)]);
    near(both.nodes[0].joules, 4.0 * 110.0);
}

#[test]
fn links_take_by_what_they_carry() {
    // A flat broadcast of 1 MB from node 0 to three others over a star of links of 1 MB/s: three messages share the
    // link up for 3 s, and each link down carries one. Eight channels idle, six of the three messages' megabytes.
    let platform = bare(4, 1, link(FAIR, Some(LINK)));
    let acts =
        [(0.0, Act::Send(0, 1, 1_000_000)), (0.0, Act::Send(0, 2, 1_000_000)), (0.0, Act::Send(0, 3, 1_000_000))];
    let energy = energy(&platform, &acts);
    near(energy.seconds, 3.0);
    near(energy.links, 1.0 * 3.0 * 8.0 + 3.0 * 6.0);
    near(energy.total(), energy.links);
    assert!(energy.nodes.is_empty());
    // The link up is full all the time: 4 W for 3 s.
    near(energy.channels[0].expect("its power is given"), 12.0);
    let used: f64 = energy.channels.iter().flatten().sum();
    near(used + 4.0 * 3.0 * 1.0, energy.links);
}

#[test]
fn every_channel_of_a_topology_is_idle() {
    // A torus of 3 × 3: each node has a link to each of two neighbours ahead, each of two channels.
    let parameters: Parameters = toml::from_str(FAIR).expect("valid parameters");
    let Model::Fair(fair) = Model::new(&parameters, MILLISECOND).expect("a model") else { unreachable!("it is fair") };
    let torus = toml::from_str("kind = 'torus'\ndimensions = [3, 3]").expect("a topology");
    let own = crate::topology::Channel { bandwidth: 1e6, latency: 0.0, shared: true };
    let topology = crate::topology::Topology::new(&torus, 9, own).expect("a topology");
    let link = Connection { power: Some(LINK), ..Connection::from(Model::Fair(fair.with_topology(topology))) };
    let energy = energy(&bare(9, 1, link), &[(0.0, Act::Send(0, 1, 5_000_000))]);
    near(energy.seconds, 5.0);
    near(energy.links, 36.0 * 5.0 + 3.0 * 5.0);
}

#[test]
fn links_between_groups_and_of_levels_are_counted() {
    // Two clusters of four in two pairs each. All is fair, and only the pairs' links, those of the pairs up, and the
    // links between the clusters draw, in watts of their own.
    let watts = |idle: f64| Some(LinkPower { idle, full: idle });
    let clusters = ["a", "b"].map(|name| Cluster { name: name.to_owned(), nodes: 4, cores: 1 }).to_vec();
    let links =
        vec![link(FAIR, watts(10.0)), link(FAIR, watts(1000.0)), link(FAIR, watts(1000.0)), link(FAIR, watts(10.0))];
    let level = || vec![Level::new(2, link(FAIR, watts(0.5)))];
    let platform = Platform::new(MILLISECOND, clusters, links)
        .expect("a platform")
        .with_levels(vec![level(), level()])
        .expect("a platform");
    // 8 nodes up and down, 4 pairs up and down, 2 directions between.
    near(platform.idle_power_of_links(), 16.0 * 0.5 + 8.0 * 10.0 + 2.0 * 1000.0);
    let energy = energy(&platform, &[(0.0, Act::Send(0, 7, 2_000_000))]);
    near(energy.links, 2.0 * platform.idle_power_of_links());
}

#[test]
fn named_links_draw_by_their_directions() {
    let link = |name: &str, sharing| Link {
        name: name.to_owned(),
        bandwidth: 1e6,
        latency: 0.0,
        sharing,
        latency_factor: None,
        bandwidth_factor: None,
        faults: Vec::new(),
        power: Some(LINK),
    };
    let links = vec![link("duplex", LinkSharing::Duplex), link("shared", LinkSharing::Shared)];
    let pass = |back| [0, 1].map(|link| DirectedLink { link, back }).to_vec();
    let routes = vec![Route { from: 0, to: 1, links: pass(false) }, Route { from: 1, to: 0, links: pass(true) }];
    let routes = Routes::new(2, routes, vec![], Choose::Given, &links).expect("routes");
    let platform = bare(2, 1, Model::Routed(Routed::default()).into());
    let platform = platform
        .with_routing(RoutingTables::new(links, vec![Some(routes)], vec![]).expect("a platform"))
        .expect("a platform");
    // 1 MB each way at once: they share one link for 2 s; three channels idle, of which each message passes two.
    let acts = [(0.0, Act::Send(0, 1, 1_000_000)), (0.0, Act::Send(1, 0, 1_000_000))];
    let energy = energy(&platform, &acts);
    near(energy.seconds, 2.0);
    near(energy.links, 3.0 * 2.0 * 1.0 + 4.0 * 3.0);
}

#[test]
fn nothing_is_metered_where_no_power_is_given() {
    let platform = bare(2, 1, link(FAIR, None));
    assert!(!platform.has_power());
    let mut simulation = Simulation::new(&platform, 1);
    simulation.run(&mut Script(vec![(0.0, Act::Compute(0, 1.0))], Vec::new())).expect("the run ends");
    assert_eq!(simulation.footprint().energy, None);
}

#[test]
fn a_part_of_a_machine_keeps_its_power() {
    let clusters = ["a", "b"].map(|name| Cluster { name: name.to_owned(), nodes: 2, cores: 1 }).to_vec();
    let links = std::iter::repeat_n(link("model = 'ideal'", None), 4).collect();
    let platform = Platform::new(MILLISECOND, clusters, links)
        .expect("a platform")
        .with_power(&[None, Some(POWER)])
        .expect("a platform");
    let part = platform.part(&[0, 1]).expect("a part");
    assert_eq!((part.nodes(), part.node_power(NodeId(0))), (1, Some(&POWER)));
    assert!(!platform.part(&[2, 0]).expect("a part").has_power());
}

/// Computations of random lengths at random instants, on two nodes of two cores.
fn works() -> impl Strategy<Value = Vec<(f64, Act)>> {
    let work = (0u32..20, 0u32..2, 1u32..9)
        .prop_map(|(at, node, length)| (f64::from(at), Act::Compute(node, f64::from(length))));
    prop::collection::vec(work, 1..12)
}

proptest! {
    /// Each core second is one of the work, however it is shared, and the run with power is the run without.
    #[test]
    fn core_time_is_the_work(works in works(), processor: bool) {
        let sharing = if processor { Sharing::Processor } else { Sharing::OneAtATime };
        let platform = platform(3, 2).with_sharing(sharing);
        let without = bare(3, 2, link("model = 'ideal'", None)).with_sharing(sharing);
        let mut simulation = Simulation::new(&platform, 1);
        simulation.run(&mut Script(works.clone(), Vec::new())).expect("the run ends");
        let mut other = Simulation::new(&without, 1);
        other.run(&mut Script(works.clone(), Vec::new())).expect("the run ends");
        prop_assert_eq!((simulation.clock(), simulation.events(), simulation.usage()), (other.clock(), other.events(), other.usage()));
        let energy = simulation.energy().expect("a platform with power");
        for node in &energy.nodes {
            let own = |act: &Act| if let Act::Compute(at, length) = *act { if at == node.node.0 { length } else { 0.0 } } else { 0.0 };
            let work: f64 = works.iter().map(|(_, act)| own(act)).sum();
            // Ends are rounded up to a tick, of which each computation may idle one.
            prop_assert!((node.core_seconds - work).abs() <= 0.002 * works.len() as f64, "{} s of {work} s", node.core_seconds);
            prop_assert!(node.active_seconds <= energy.seconds + 1e-9 && node.core_seconds <= 2.0 * node.active_seconds + 1e-9);
            let closed = 90.0 * energy.seconds + 10.0 * node.active_seconds + 10.0 * node.core_seconds;
            prop_assert!((node.joules - closed).abs() <= 1e-6);
        }
    }
}
