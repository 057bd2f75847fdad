//! Answers on the way back over shared links: the links of which both directions are one to the solver, and others.

use hetsim_base::units::Time;
use hetsim_cluster::{Cluster, Connection, Level, Platform, Profile, Transport};

use crate::script::{NANOSECOND, Script, model, only, send};

/// Two clusters with groups of four, one with two links a group; each network as it is, or with a factor of one on its
/// bandwidth, which is enough for its directions to be links of their own.
fn platform(varies: [bool; 3]) -> Platform {
    let network = |bandwidth: &str, varies: bool| {
        let one = Profile::new(&[(Time::ZERO, 1.0)], None).unwrap();
        let model = model(&format!("model = \"fair\"\nlatency = \"1us\"\nbandwidth = \"{bandwidth}\""));
        Connection { bandwidth: varies.then_some(one), ..Connection::from(model) }
    };
    let [within, between, level] = varies;
    let cluster = |name: &str, nodes: u32| Cluster { name: name.to_owned(), nodes, cores: 1 };
    let connection = |number: u32| match number {
        0 | 3 => network("1GB/s", within),
        _ => network("500MB/s", between),
    };
    let group = |cards: u32| Level { cards, ..Level::new(4, network("2GB/s", level)) };
    let platform = Platform::new(NANOSECOND, vec![cluster("a", 8), cluster("b", 6)], (0..4).map(connection).collect());
    let platform = platform.unwrap().with_levels(vec![vec![group(2)], vec![group(1)]]).unwrap();
    platform.with_transport(Transport::CM02).unwrap()
}

/// Every node sends to every other, with answers of 5 %: the same arrivals whichever directions are solved as one.
#[test]
fn directions_that_are_solved_as_one_let_messages_arrive_as_two_links_do() {
    let arrivals = |varies: [bool; 3]| {
        let pairs = (0..14).flat_map(|from| (0..14).map(move |to| (from, to))).filter(|(from, to)| from != to);
        let start = pairs.map(|(from, to)| send(from, to, 100_000 + 7_919 * u64::from(from * 14 + to))).collect();
        let log = Script { start, ..Script::default() }.run(&platform(varies));
        only(&log, "message")
    };
    let as_two = arrivals([true; 3]);
    assert_eq!(as_two.len(), 14 * 13);
    for varies in [[false; 3], [false, true, true], [true, false, true], [true, true, false]] {
        for (one, two) in arrivals(varies).into_iter().zip(&as_two) {
            assert!(one.1 == two.1 && one.0.abs_diff(two.0) <= 1, "{one:?}, not {two:?}, with {varies:?}");
        }
    }
}
