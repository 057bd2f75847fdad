//! What a program or a platform may ask for in vain: each is an error of its own, and nothing panics.

use hetsim::cluster::network::{Model, Parameters};
use hetsim::cluster::speeds::{DiversityError, Family, with_diversity, with_slowest};
use hetsim::cluster::topology::{self, Choose, PathsError, Topology};
use hetsim::cluster::{
    Availability, BySize, Cache, Cluster, ClusterPoint, Connection, Context, DirectedLink, Embedded, Fault, Level,
    Link, LinkPower, LinkSharing, Loopback, NodeId, NodePower, Platform, PlatformError, Program, RandomOnOff, Route,
    Routes, RoutingTables, RunError, Scope, Simulation, Transport, Zone, ZoneMember, ZoneRoute,
};
use hetsim::engine::Streams;
use hetsim::report::Reported as _;
use hetsim::scenario::FromToml as _;
use hetsim::scenario::{Scenario, Source};
use hetsim::units::{Tick, Time};

const NANOSECOND: Tick = match Tick::new(1000) {
    Some(tick) => tick,
    None => unreachable!(),
};

fn model(tick: Tick) -> Model {
    let parameters: Parameters = toml::from_str("model='hockney'\nlatency='50us'\nbandwidth='100MB/s'").unwrap();
    Model::new(&parameters, tick).unwrap()
}

fn four() -> Platform {
    Platform::uniform(4, model(NANOSECOND)).unwrap()
}

fn groups(nodes: &[u32]) -> Vec<Cluster> {
    nodes.iter().map(|&nodes| Cluster { name: "test".to_owned(), nodes, cores: 1 }).collect()
}

#[derive(Debug, Clone, Copy)]
enum Ask {
    Nothing,
    Send(u32, u32),
    Compute(u32, f64),
    Timer(u32),
    Complete(u32),
    Availability(u32),
    WorkingSet(u32),
}

/// Asks for one thing at time zero.
struct Asks(Ask);

impl Program for Asks {
    type Message = ();

    fn start(&mut self, context: &mut impl Context<()>) {
        match self.0 {
            Ask::Nothing => {}
            Ask::Send(from, to) => drop(context.send(NodeId(from), NodeId(to), 8, ())),
            Ask::Compute(at, operations) => drop(context.compute(NodeId(at), operations)),
            Ask::Timer(at) => drop(context.set_timer(NodeId(at), Time(5))),
            Ask::Complete(at) => context.complete(NodeId(at)),
            Ask::Availability(at) => assert_eq!(context.availability(NodeId(at)), 1.0),
            Ask::WorkingSet(at) => context.set_working_set(NodeId(at), 1 << 40),
        }
    }

    fn on_message(&mut self, _: NodeId, _: NodeId, (): (), _: &mut impl Context<()>) {}
}

fn run(platform: &Platform, ask: Ask) -> Result<(), RunError> {
    Simulation::new(platform, 1).run(&mut Asks(ask))
}

#[test]
fn a_model_of_another_tick_is_refused() {
    let made = Platform::new(Tick::PICOSECOND, groups(&[4]), vec![model(NANOSECOND).into()]);
    let fault = PlatformError::OtherTick { link: 0, model: NANOSECOND, platform: Tick::PICOSECOND };
    assert_eq!(made.err(), Some(fault));
    assert!(fault.to_string().contains("tick of 1000 ps"), "{fault}");
    // Inside a level too, whose link comes after those between clusters.
    let level = Level::new(2, model(Tick::PICOSECOND).into());
    let nested = four().with_levels(vec![vec![level]]);
    assert!(matches!(nested, Err(PlatformError::OtherTick { link: 1, .. })));
    // One network's machine has the clock of its model.
    assert_eq!(four().tick(), NANOSECOND);
    let transfer = four().transfer(NodeId(0), NodeId(1), 100_000);
    assert_eq!(transfer.hop(), NANOSECOND.time(50e-6 + 1e-3));
}

fn link(bandwidth: f64) -> Link {
    Link {
        name: "one".to_owned(),
        bandwidth,
        latency: 1e-6,
        sharing: LinkSharing::Duplex,
        latency_factor: None,
        bandwidth_factor: None,
        faults: Vec::new(),
        power: None,
    }
}

/// Routes between so many points: one from point 0 to another, over the link of a number, the only one being 0.
fn routes(points: u32, to: u32, number: u32) -> Result<Routes, PathsError> {
    let route = Route { from: 0, to, links: vec![DirectedLink { link: number, back: false }] };
    Routes::new(points, vec![route], Vec::new(), Choose::FewestLinks, &[link(1e9)])
}

/// A link, and routes over it between four points.
fn routing(bandwidth: f64) -> Result<RoutingTables, PlatformError> {
    RoutingTables::new(vec![link(bandwidth)], vec![Some(routes(4, 1, 0).unwrap())], Vec::new())
}

#[test]
fn routes_over_what_is_missing_are_refused() {
    assert!(matches!(routes(4, 1, 1), Err(PathsError::NoSuchLink { link: 1, links: 1 })));
    assert!(matches!(routes(4, 7, 0), Err(PathsError::NoSuchPoint { point: 7, points: 4 })));
    // Made over a link that is not among those of the tables.
    let tables = RoutingTables::new(Vec::new(), vec![Some(routes(4, 1, 0).unwrap())], Vec::new());
    assert_eq!(tables.err(), Some(PlatformError::NoLink { link: 0 }));
    assert!(matches!(routing(0.0), Err(PlatformError::OutOfRange { .. })));
    assert!(four().with_routing(routing(1e9).unwrap()).is_ok());
    // Of fewer points than there are nodes, and of no cluster.
    let few = RoutingTables::new(vec![link(1e9)], vec![Some(routes(2, 1, 0).unwrap())], Vec::new()).unwrap();
    assert!(matches!(four().with_routing(few), Err(PlatformError::Routes { cluster: 0, .. })));
    assert!(matches!(four().with_routing(RoutingTables::default()), Err(PlatformError::Count { .. })));
}

/// A zone of members, and a route from the first to the second between gateways.
fn zone(members: &[ZoneMember], gateways: [(u32, u32); 2]) -> Zone {
    let [from_gateway, to_gateway] = gateways.map(|(cluster, local)| ClusterPoint { cluster, local });
    let routes = if members.len() < 2 {
        Vec::new()
    } else {
        vec![ZoneRoute { from: 0, to: 1, from_gateway, to_gateway, links: Vec::new() }]
    };
    Zone::new(members.to_vec(), routes, Vec::new(), Choose::Given, &[]).unwrap()
}

#[test]
fn zones_are_checked() {
    let (one, two) = (ZoneMember::Cluster(0), ZoneMember::Cluster(1));
    let ends = [(0, ClusterPoint::EXIT), (1, ClusterPoint::EXIT)];
    let tables = |zones: Vec<Zone>| RoutingTables::new(Vec::new(), vec![None, None], zones);
    let pair = || Platform::new(NANOSECOND, groups(&[2, 2]), vec![model(NANOSECOND).into(); 4]).unwrap();
    assert!(pair().with_routing(tables(vec![zone(&[one, two], ends)]).unwrap()).is_ok());
    let wrong = [
        vec![zone(&[one, ZoneMember::Cluster(2)], ends)],
        vec![zone(&[one, ZoneMember::Zone(3)], ends)],
        vec![zone(&[one, one], ends)],
        vec![zone(&[ZoneMember::Zone(0)], ends)],
        vec![zone(&[ZoneMember::Zone(1)], ends), zone(&[ZoneMember::Zone(0)], ends)],
        vec![zone(&[one, two], [(1, ClusterPoint::EXIT), (0, ClusterPoint::EXIT)])],
        vec![zone(&[one, two], [(0, ClusterPoint::EXIT), (9, ClusterPoint::EXIT)])],
    ];
    for (number, zones) in wrong.into_iter().enumerate() {
        assert!(matches!(tables(zones), Err(PlatformError::Zone { .. })), "{number}");
    }
    // Node 2 of a cluster of two nodes.
    let beyond = tables(vec![zone(&[one, two], [(0, 2), (1, ClusterPoint::EXIT)])]).unwrap();
    assert!(matches!(pair().with_routing(beyond), Err(PlatformError::Zone { zone: 0, .. })));
}

#[test]
fn what_a_machine_is_made_of_is_checked() {
    let power = NodePower { idle: -1.0, active: 1.0, per_core: 1.0, off: 0.0 };
    let load = || RandomOnOff::new(Streams::new(1, 0).stream("load", 0), Time::ZERO, Time::ZERO, 0.5);
    let loads = |first: Availability| [vec![first], vec![Availability::Constant(1.0); 3]].concat();
    let link = |link: Connection| Platform::new(NANOSECOND, groups(&[4]), vec![link]);
    let faulty = vec![
        four().with_speeds(&[f64::NAN, -1.0, 1.0, 1.0]),
        four().with_speeds(&[1.0, 0.0, 1.0, 1.0]),
        four().with_speeds(&[1.0, 1.0]),
        four().with_cluster_speeds(&[f64::INFINITY]),
        four().with_node_cores(vec![1, 1, 0, 1]),
        four().with_loads(loads(Availability::Constant(f64::NAN))),
        four().with_loads(loads(Availability::Constant(f64::INFINITY))),
        four().with_loads(loads(Availability::Random(Box::new(load())))),
        four().with_loopbacks(vec![Some(Loopback { latency: 0.0, bandwidth: 0.0 })]),
        four().with_loopbacks(vec![]),
        four().with_caches(&[Some(Cache { bytes: 1, speed_beyond: f64::NAN })]),
        four().with_power(&[Some(power)]),
        four().with_node_powers(vec![Some(power); 4]),
        four().with_faults(vec![]),
        four().with_link_faults(vec![vec![]]),
        four().with_factors(7, None, None),
        four().with_named_link_factors(0, None, None),
        four().with_sites(vec![]),
        four().with_levels(vec![vec![Level::new(0, model(NANOSECOND).into())]]),
        four().with_levels(vec![]),
        four().with_transport(Transport { bandwidth_factor: BySize::constant(f64::NAN), ..Transport::RAW }),
        link(Connection { jitter: f64::NAN, ..model(NANOSECOND).into() }),
        link(Connection { jitter: -0.5, ..model(NANOSECOND).into() }),
        link(Connection { power: Some(LinkPower { idle: 0.0, full: f64::NAN }), ..model(NANOSECOND).into() }),
        Platform::new(NANOSECOND, groups(&[2, 2]), vec![model(NANOSECOND).into()]),
        Platform::new(NANOSECOND, groups(&[u32::MAX, 2]), vec![model(NANOSECOND).into(); 4]),
        Platform::new(
            NANOSECOND,
            vec![Cluster { name: String::new(), nodes: 1, cores: 0 }],
            vec![model(NANOSECOND).into()],
        ),
    ];
    for (number, made) in faulty.iter().enumerate() {
        assert!(made.is_err(), "platform {number} is taken");
    }
    let said = faulty[0].as_ref().unwrap_err().to_string();
    assert_eq!(said, "the speed of node 0 is NaN; it must be above zero, and finite");
    let fault = PlatformError::Count { what: "numbers of cores", given: 0, wanted: 4 };
    assert_eq!(four().with_node_cores(vec![]).err(), Some(fault));
    assert!(four().with_faults(vec![Vec::<Fault>::new(); 4]).is_ok());
}

#[test]
fn a_part_has_no_more_than_the_whole() {
    assert_eq!(four().part(&[2]).unwrap().nodes(), 2);
    assert!(matches!(four().part(&[]), Err(PlatformError::Count { .. })));
    assert_eq!(four().part(&[5]).err(), Some(PlatformError::NoNodes { cluster: 0, wanted: 5, nodes: 4 }));
    let routed = four().with_routing(routing(1e9).unwrap()).unwrap();
    assert_eq!(routed.part(&[0]).err(), Some(PlatformError::RoutedThrough { cluster: 0 }));
    assert_eq!(routed.part(&[3]).unwrap().nodes(), 3);
}

#[test]
fn a_topology_is_one_of_all_nodes() {
    let network: Parameters =
        toml::from_str("model='fair'\nlatency='1us'\nbandwidth='1GB/s'\ntopology={kind='star'}").unwrap();
    let Model::Fair(fair) = Model::new(&network, NANOSECOND).unwrap() else { unreachable!("it is fair") };
    let Parameters::Fair(keys) = &network else { unreachable!("it is fair") };
    let own = topology::Channel { bandwidth: 1e9, latency: 1e-6, shared: true };
    let star = Topology::new(keys.topology.as_ref().unwrap(), 4, own).unwrap();
    let model = Model::Fair(fair.with_topology(star));
    assert!(Platform::uniform(4, model.clone()).is_ok());
    assert_eq!(Platform::uniform(5, model).err(), Some(PlatformError::Topology { cluster: 0, given: 4, nodes: 5 }));
}

#[test]
fn what_a_program_asks_in_vain_ends_the_run() {
    let no_node = |node| Err(RunError::NoNode { node, nodes: 4 });
    assert_eq!(run(&four(), Ask::Send(0, 7)), no_node(7));
    assert_eq!(run(&four(), Ask::Send(9, 0)), no_node(9));
    assert_eq!(run(&four(), Ask::Compute(4, 1.0)), no_node(4));
    assert_eq!(run(&four(), Ask::Timer(5)), no_node(5));
    assert_eq!(run(&four(), Ask::Complete(6)), no_node(6));
    assert_eq!(run(&four(), Ask::Availability(8)), no_node(8));
    assert_eq!(run(&four(), Ask::WorkingSet(u32::MAX)), no_node(u32::MAX));
    assert_eq!(no_node(7).unwrap_err().to_string(), "the program named node 7, and there are 4 nodes, numbered from 0");
    for operations in [-5.0, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(run(&four(), Ask::Compute(0, operations)), Err(RunError::Operations { at: NodeId(0), operations }));
    }
    let error = run(&four(), Ask::Compute(1, f64::NAN)).unwrap_err();
    assert!(matches!(error, RunError::Operations { at: NodeId(1), operations } if operations.is_nan()));
    // No nodes are no fault, but nothing can be asked of them.
    let empty = Platform::uniform(0, model(NANOSECOND)).unwrap();
    assert_eq!(run(&empty, Ask::Nothing), Ok(()));
    assert_eq!(run(&empty, Ask::Send(0, 0)), Err(RunError::NoNode { node: 0, nodes: 0 }));
    assert_eq!(run(&four(), Ask::Compute(3, 0.0)), Ok(()));
}

/// A program that asks the same of the two nodes that its host gives it.
struct Host<W>(Embedded<Asks, W>);

impl<W: Fn(())> Program for Host<W> {
    type Message = ();

    fn start(&mut self, context: &mut impl Context<()>) {
        self.0.start(context);
    }

    fn on_message(&mut self, _: NodeId, _: NodeId, (): (), _: &mut impl Context<()>) {}
}

/// Node 2 is one of the machine's and none of the program's inside.
#[test]
fn a_program_inside_another_knows_its_members_only() {
    for ask in [Ask::Send(0, 2), Ask::Compute(2, 1.0), Ask::Timer(2), Ask::WorkingSet(2)] {
        let inner = Embedded::new(Asks(ask), Scope(1), vec![NodeId(1), NodeId(3)], |()| ());
        let ended = Simulation::new(&four(), 1).run(&mut Host(inner));
        assert_eq!(ended, Err(RunError::NoNode { node: u32::MAX, nodes: 4 }), "{ask:?}");
    }
}

#[test]
fn diversities_that_are_no_numbers_are_refused() {
    for wanted in [f64::NAN, -0.5, f64::INFINITY] {
        let refused = |made: Result<Vec<f64>, DiversityError>| matches!(made, Err(DiversityError::NoSuch { .. }));
        assert!(refused(with_diversity(Family::Uniform, wanted, &[0.2, 0.7])), "{wanted}");
        assert!(refused(with_slowest(Family::Uniform, wanted, 0.5, &[0.2, 0.7])), "{wanted}");
        assert!(refused(with_slowest(Family::Uniform, 0.1, wanted, &[0.2, 0.7])), "{wanted}");
    }
}

#[test]
fn a_platform_is_read_from_its_table() {
    let text = "[platform.cluster.lab]\nnodes = 16\nspeed = '2Gop/s'\n\
                network = { model = 'hockney', latency = '50us', bandwidth = '1Gbit/s' }\n";
    let platform = Platform::from_toml(text).unwrap();
    assert_eq!((platform.nodes(), platform.speed_per_second(NodeId(3))), (16, 2e9));
    assert_eq!(run(&platform, Ask::Send(0, 15)), Ok(()));
    // The same text in a scenario is the same machine, with what is drawn too.
    let drawn = format!("{text}speed_factor = {{ distribution = 'uniform', from = 0.5, to = 1.5 }}\n");
    let scenario = format!("version = 1\n{drawn}[workload]\nkind = 'broadcast'\nsize = '1KiB'\nalgorithm = 'chain'\n");
    let source = Source { name: "test".to_owned(), folder: ".".into(), text: scenario.into() };
    let scenario = Scenario::read("test".to_owned(), source, &[]).unwrap_or_else(|problems| panic!("{problems}"));
    let platform = Platform::from_toml(&drawn).unwrap_or_else(|problems| panic!("{problems}"));
    let speeds = |platform: &Platform| (0..16).map(|node| platform.speed_per_second(NodeId(node))).collect::<Vec<_>>();
    assert_eq!(speeds(&platform), speeds(&scenario.drawn_platform(0, 0).unwrap()));
    assert_ne!(speeds(&platform), vec![2e9; 16]);
}

#[test]
fn what_is_wrong_with_a_platform_is_said_with_its_place() {
    let said = |text: &str| Platform::from_toml(text).unwrap_err().to_string();
    let network = "network = { model = 'ideal' }";
    assert_eq!(
        said(&format!("[platform.cluster.lab]\nnodes = 4\nspeeed = '1Gop/s'\n{network}\n")),
        "platform:3:1: unknown key `speeed` in `platform.cluster.lab` (did you mean `speed`?)"
    );
    let wrong = said(&format!("[platform.cluster.lab]\nnodes = 4\nspeeds = ['1Gop/s']\n{network}\n"));
    assert_eq!(wrong, "platform:3:10: `speeds` has 1 value for 4 nodes");
    assert!(said("platform = 3").starts_with("platform:1:12: "), "{}", said("platform = 3"));
    assert!(said("").contains("`platform` is missing"), "{}", said(""));
    let more = said(&format!("version = 1\n[platform.cluster.lab]\nnodes = 4\n{network}\n"));
    assert!(more.contains("unknown key `version`"), "{more}");
    // Every fault is said, each in a line.
    assert_eq!(said("[platform.cluster.lab]\nnodes = -1\n[platform.cluster.two]\nnodes = 'x'").lines().count(), 4);
}
