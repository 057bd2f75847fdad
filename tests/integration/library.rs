//! What a program or a platform may ask for in vain: each is an error of its own, and nothing panics.

use hetsim::cluster::network::{Model, Parameters};
use hetsim::cluster::speeds::{DiversityError, Family, with_diversity, with_slowest};
use hetsim::cluster::topology::Choose;
use hetsim::cluster::{
    Availability, Cache, Cluster, Connection, Context, DirectedLink, Embedded, Fault, Level, Link, LinkPower,
    LinkSharing, Loopback, NodeId, NodePower, Platform, PlatformError, Program, RandomOnOff, Route, Routes,
    RoutingTables, RunError, Scope, Simulation, Transport,
};
use hetsim::engine::Streams;
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
    Platform::uniform(4, model(NANOSECOND))
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
    Simulation::new(platform, Streams::new(1, 0)).run(&mut Asks(ask))
}

#[test]
fn a_model_of_another_tick_is_refused() {
    let platform = Platform::new(Tick::PICOSECOND, groups(&[4]), vec![model(NANOSECOND).into()]);
    let fault = PlatformError::OtherTick { link: 0, model: NANOSECOND, platform: Tick::PICOSECOND };
    assert_eq!(platform.fault(), Some(fault));
    assert_eq!(run(&platform, Ask::Nothing), Err(RunError::Platform(fault)));
    assert!(fault.to_string().contains("ticks of 1000 ps"), "{fault}");
    // Inside a level too, whose link comes after those between clusters.
    let level = Level { size: 2, link: model(Tick::PICOSECOND).into() };
    let nested = Platform::new(NANOSECOND, groups(&[4]), vec![model(NANOSECOND).into()]).with_levels(vec![vec![level]]);
    assert!(matches!(nested.fault(), Some(PlatformError::OtherTick { link: 1, .. })));
    // One network's machine has the clock of its model.
    assert_eq!(four().tick(), NANOSECOND);
    let transfer = four().transfer(NodeId(0), NodeId(1), 100_000);
    assert_eq!(transfer.hop(), NANOSECOND.time(50e-6 + 1e-3));
}

/// One wire, and a route from node 0 to node 1 over the wire of a number.
fn wiring(bandwidth: f64, number: u32) -> RoutingTables {
    let wire = Link {
        name: "one".to_owned(),
        bandwidth,
        latency: 1e-6,
        sharing: LinkSharing::Duplex,
        latency_factor: None,
        bandwidth_factor: None,
        faults: Vec::new(),
        power: None,
    };
    let route = Route { from: 0, to: 1, wires: vec![DirectedLink { wire: number, back: false }] };
    let wires = vec![wire];
    let routes = Routes::new(4, vec![route], Vec::new(), Choose::FewestLinks, &wires).unwrap();
    RoutingTables::new(wires, vec![Some(routes)], Vec::new())
}

#[test]
fn what_a_machine_is_made_of_is_checked() {
    let power = NodePower { idle: -1.0, active: 1.0, per_core: 1.0, off: 0.0 };
    let load = || RandomOnOff::new(Streams::new(1, 0).stream("load", 0), Time::ZERO, Time::ZERO, 0.5);
    let loads = |first: Availability| [vec![first], vec![Availability::Constant(1.0); 3]].concat();
    let link = |link: Connection| Platform::new(NANOSECOND, groups(&[4]), vec![link]);
    let faulty = [
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
        four().with_levels(vec![vec![Level { size: 0, link: model(NANOSECOND).into() }]]),
        four().with_levels(vec![]),
        four().with_transport(Transport { bandwidth_factor: f64::NAN, ..Transport::RAW }),
        four().with_routing(wiring(1e9, 1)),
        four().with_routing(wiring(0.0, 0)),
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
    for (number, platform) in faulty.iter().enumerate() {
        let fault = platform.fault().unwrap_or_else(|| panic!("platform {number} has no fault"));
        // In words, since what is no number is not equal to itself.
        let ended = run(platform, Ask::Nothing).unwrap_err();
        assert_eq!(format!("{ended:?}"), format!("{:?}", RunError::Platform(fault)), "{number}");
    }
    let said = faulty[0].fault().unwrap().to_string();
    assert_eq!(said, "the speed of node 0 is NaN; it must be above zero, and finite");
    // The first fault is kept, and a part of the machine has it too.
    let first = four().with_node_cores(vec![]).with_speeds(&[]);
    assert_eq!(first.fault(), Some(PlatformError::Count { what: "numbers of cores", given: 0, wanted: 4 }));
    assert_eq!(first.part(&[2]).fault(), first.fault());
    assert_eq!(four().with_faults(vec![Vec::<Fault>::new(); 4]).fault(), None);
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
    let empty = Platform::uniform(0, model(NANOSECOND));
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
        let ended = Simulation::new(&four(), Streams::new(1, 0)).run(&mut Host(inner));
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
