//! What varies with time: traces, factors drawn for each run, and faults of links.

use std::fs;
use std::path::Path;

use hetsim::cluster::{Availability, Fault, NodeId, Outage, Platform, Profile};
use hetsim::record::Value;
use hetsim::report::Reported as _;
use hetsim::scenario::{Scenario, Source};
use hetsim::units::Time;
use tempfile::TempDir;

use crate::support;

/// One message of 1 MB from node 0 to node 1: 1 s at the whole bandwidth.
const MESSAGE: &str = "[workload]\nkind = \"broadcast\"\nsize = \"1MB\"\nalgorithm = \"linear\"\n";
const SECOND: Time = Time(1_000_000_000_000);
const FAIR: &str = "{ model = \"fair\", latency = \"0s\", bandwidth = \"1MB/s\" }";
const HOCKNEY: &str = "{ model = \"hockney\", latency = \"0s\", bandwidth = \"1MB/s\" }";

#[track_caller]
fn read_in(folder: &Path, platform: &str) -> Scenario {
    support::read_in(folder, &format!("version = 1\nseed = 7\nreplicas = 3\n{platform}\n{MESSAGE}"))
}

#[track_caller]
fn read(platform: &str) -> Scenario {
    read_in(Path::new("."), platform)
}

fn cluster(name: &str, network: &str, keys: &str) -> String {
    format!("[platform.cluster.{name}]\nnodes = 2\nnetwork = {network}\n{keys}\n")
}

fn completion(scenario: &Scenario, replica: u32) -> f64 {
    scenario.run(0, replica).unwrap().get("completion_s").and_then(Value::number).unwrap()
}

#[test]
fn a_message_through_steps_takes_the_time_of_their_integral() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("half.txt"), "0 0.5\n1 1").unwrap();
    fs::write(folder.path().join("half.csv"), "time_s,value\n0,0.5\n1,1").unwrap();
    fs::write(folder.path().join("on_off.txt"), "PERIODICITY 0.5\n0 0\n0.25 1\n").unwrap();
    fs::write(folder.path().join("later.txt"), "0.25 2\n0.5 0.25\nLOOPAFTER 0.25").unwrap();
    for (factor, wanted) in [
        // Half a megabyte in the first second, the other half in half a second.
        ("steps = [{ from = \"0s\", value = 0.5 }, { from = \"1s\", value = 1 }]", 1.5),
        ("file = \"half.txt\"", 1.5),
        ("file = \"half.csv\"", 1.5),
        // The whole bandwidth until the steps start: a quarter of a megabyte, and the rest at half of it.
        ("steps = [{ from = \"0s\", value = 0.5 }], start = \"0.25s\"", 1.75),
        ("file = \"half.txt\", start = \"0.5s\"", 1.5),
        (
            "drawn = { every = \"1s\", factor = { distribution = \"uniform\", from = 0.1, to = 0.2 } }, period = \"9s\", \
             start = \"1s\"",
            1.0,
        ),
        // A quarter of a second on in each half second: the fourth one ends at 2 s.
        ("file = \"on_off.txt\"", 2.0),
        // 0.25 MB until 0.25 s, 0.5 until 0.5 s, and the last 0.25 at a quarter of a megabyte a second, which lasts
        // until the next round's first date at 0.25 + 0.75 = 1 s: half of that, then at 2 MB/s what is left, 0.125 MB.
        ("file = \"later.txt\"", 1.0625),
    ] {
        for network in [HOCKNEY, FAIR] {
            let keys = format!("bandwidth_factor = {{ {factor} }}");
            let found = completion(&read_in(folder.path(), &cluster("a", network, &keys)), 0);
            assert!((found - wanted).abs() < 1e-9, "{factor}, {network}: {found}");
        }
    }
}

#[test]
fn a_file_is_the_steps_that_it_lists() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("t.txt"), "# share\n0 1\n2.5 0.25\n4 0.5").unwrap();
    let listed =
        "steps = [{ from = \"0s\", value = 1 }, { from = \"2.5s\", value = 0.25 }, { from = \"4s\", value = 0.5 }]";
    let platform = |source: &str| {
        let keys = format!(
            "latency_factor = {{ {source}, period = \"9s\" }}\nload = [{{ profile = {{ kind = \"trace\", {source} }} }}]"
        );
        let scenario = read_in(folder.path(), &cluster("a", HOCKNEY, &keys));
        let platform = scenario.first_platform().unwrap();
        let Some(Availability::Profile(load)) = platform.availability(NodeId(1)) else { panic!("a load") };
        (platform.connection(0, 0).clone(), Profile::clone(load))
    };
    assert_eq!(platform("file = \"t.txt\""), platform(listed));
}

const DRAWN: &str = "{ period = \"100s\", drawn = { every = \"10ms\", spread = \"exponential\", factor = { distribution = \"uniform\", from = 0.5, to = 1.0 } } }";

#[test]
fn drawn_factors_come_from_the_seed() {
    let keys = format!("bandwidth_factor = {DRAWN}");
    for network in [HOCKNEY, FAIR] {
        let scenario = read(&cluster("a", network, &keys));
        let times: Vec<f64> = (0..3).map(|replica| completion(&scenario, replica)).collect();
        let again: Vec<f64> = (0..3).map(|replica| completion(&read(&cluster("a", network, &keys)), replica)).collect();
        assert_eq!(times, again);
        assert!(times[0] != times[1] && times[1] != times[2], "{times:?}");
        // A megabyte at 0.75 MB/s on average, over about 130 factors of 1/4 of their range, 0.14, each.
        assert!(times.iter().all(|time| (time * 0.75 - 1.0).abs() < 0.1), "{times:?}");
    }
}

fn drawn_platform(more: &str) -> Platform {
    let load = format!("[[platform.cluster.a.load]]\nprofile = {}\n", DRAWN.replacen('{', "{ kind = \"trace\",", 1));
    let level = format!("[[platform.cluster.a.level]]\nsize = 1\nnetwork = {HOCKNEY}\nlatency_factor = {DRAWN}\n");
    let between = format!("[platform.between]\nnetwork = {HOCKNEY}\nlatency_factor = {DRAWN}\n");
    let a = cluster("a", HOCKNEY, &format!("bandwidth_factor = {DRAWN}\n"));
    let scenario = read(&[a.as_str(), &load, &level, &cluster("b", HOCKNEY, ""), more, &between].concat());
    scenario.first_platform().unwrap().clone()
}

#[test]
fn each_link_and_node_has_draws_of_its_own_which_a_further_cluster_does_not_shift() {
    let few = drawn_platform("");
    let more = drawn_platform(&cluster("c", HOCKNEY, ""));
    let factors = |platform: &Platform| {
        let link = |from, to| platform.connection(from, to).latency.clone().unwrap();
        let load = |node| match platform.availability(NodeId(node)) {
            Some(Availability::Profile(load)) => Profile::clone(load),
            other => panic!("{other:?}"),
        };
        let level = platform.levels(0).next().unwrap().1.latency.clone().unwrap();
        let own = platform.connection(0, 0).bandwidth.clone().unwrap();
        vec![link(0, 1), link(1, 0), level, own, load(0), load(1)]
    };
    let found = factors(&few);
    assert_eq!(found, factors(&more));
    for (index, factor) in found.iter().enumerate() {
        assert!(found[index + 1..].iter().all(|other| other != factor), "{index}");
        assert!((factor.mean() - 0.75).abs() < 0.01, "{}", factor.mean());
    }
    assert_eq!(few.connection(1, 1).bandwidth, None);
}

#[test]
fn faults_of_links_are_told_apart() {
    let outage = |from: u64, until: u64| Outage { from: SECOND * from, until: Some(SECOND * until) };
    let repeated = Fault::every(outage(1, 2), SECOND * 5).unwrap();
    let known = Fault::at(vec![outage(3, 4)]).unwrap();
    let drawn = Fault::exponential(SECOND * 9, Some(SECOND)).unwrap();
    let (at, every, exponential) = (
        "{ kind = \"at\", from = \"3s\", until = \"4s\" }",
        "{ kind = \"at\", from = \"1s\", until = \"2s\", period = \"5s\" }",
        "{ kind = \"exponential\", mean_up = \"9s\", mean_down = \"1s\" }",
    );
    let keys = format!("link_fault = [{{ profile = {every} }}, {{ nodes = [1], profile = {exponential} }}]");
    let link = |pair: &str, keys: &str| format!("[[platform.link]]\nbetween = {pair}\none_way = true\n{keys}\n");
    let scenario = read(
        &[
            cluster("a", FAIR, ""),
            cluster("b", FAIR, &keys),
            format!("[platform.between]\nnetwork = {FAIR}\nfault = [{at}, {exponential}]\n"),
            link("[\"a\", \"c\"]", &format!("fault = [{every}, {at}]")),
            link("[\"c\", \"a\"]", &format!("network = {HOCKNEY}\nfault = []")),
            cluster("c", HOCKNEY, ""),
            format!("[platform.site.s]\nclusters = [\"b\", \"c\"]\nnetwork = {FAIR}\nfault = [{every}]\n"),
        ]
        .concat(),
    );
    let platform = scenario.first_platform().unwrap();
    let none = Vec::new();
    let of_b = [vec![repeated.clone()], vec![drawn.clone(), repeated.clone()]];
    assert_eq!(platform.link_faults(), [&none, &none, &of_b[0], &of_b[1], &none, &none].map(Clone::clone));
    assert!(platform.faults().is_empty());
    let faults = |from, to| platform.connection(from, to).faults.clone();
    let between = vec![drawn, known.clone()];
    assert_eq!([faults(0, 1), faults(1, 0)], [between.clone(), between]);
    assert_eq!([faults(0, 2), faults(2, 0)], [vec![known, repeated.clone()], vec![]]);
    assert_eq!([faults(1, 2), faults(2, 1), faults(0, 0)], [vec![repeated.clone()], vec![repeated], vec![]]);
    assert_eq!(platform.part(&[0, 1, 0]).unwrap().link_faults(), &of_b[..1]);
    // Where there are none, there is no list.
    assert!(read(&cluster("a", HOCKNEY, "")).first_platform().unwrap().link_faults().is_empty());
}

#[test]
fn the_example_of_the_documentation_is_right() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/varying.md")).unwrap();
    let example = text.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("share.txt"), "0 1\n10 0.5\nLOOPAFTER 5\n").unwrap();
    let scenario = support::read_in(&folder, example);
    let platform = scenario.first_platform().unwrap();
    let is_some = |fault: &Vec<Fault>| !fault.is_empty();
    assert_eq!(
        platform.link_faults().iter().map(is_some).collect::<Vec<_>>(),
        [false, false, false, true, false, false]
    );
    let link = platform.connection(1, 0);
    assert!((link.bandwidth.as_ref().unwrap().mean() - 0.75).abs() < 0.05 && link.faults.len() == 1);
    let shares: Vec<f64> = (0..3).map(|node| platform.availability(NodeId(node)).unwrap().mean_share()).collect();
    // 10 s whole and 5 s half in each 15 s.
    assert!((shares[0] - 12.5 / 15.0).abs() < 1e-12 && shares[0] == shares[1] && shares[2] == 1.0, "{shares:?}");
}

#[test]
fn a_node_is_down_while_its_trace_is_zero() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("state.txt"), "0 1\n0.25 0\n0.5 1\nPERIODICITY 10\n").unwrap();
    // The message arrives at node 1 when it is down, or when it is up again; a node's first outage starts at 0.25 s.
    for (size, received) in [("200kB", true), ("300kB", false), ("600kB", true), ("10300kB", false)] {
        let keys = "fault = [{ nodes = [1], profile = { kind = \"trace\", file = \"state.txt\" } }]";
        let text = format!("version = 1\n{}\n{}", cluster("a", HOCKNEY, keys), MESSAGE.replace("1MB", size));
        let source = Source { name: "test.toml".to_owned(), folder: folder.path().into(), text: text.as_str().into() };
        let scenario = Scenario::read("test".to_owned(), source, &[]).unwrap_or_else(|problems| panic!("{problems}"));
        let completed =
            scenario.run(0, 0).is_ok_and(|record| record.get("completion_s").and_then(Value::number).is_some());
        assert_eq!(completed, received, "{size}");
    }
}

/// A longer tick would not help.
#[test]
fn a_load_that_leaves_nothing_is_blamed() {
    let load = "load = [{ nodes = [1], profile = { kind = \"trace\", steps = [{ from = \"1s\", value = 0 }] } }]";
    let text = format!(
        "version = 1\n{}\n[workload]\nkind = \"phases\"\nphase = [{{ compute = \"2Gop\" }}]\n",
        cluster("a", FAIR, &format!("speed = \"1Gop/s\"\n{load}"))
    );
    let error = support::read(&text).run(0, 0).unwrap_err().to_string();
    assert_eq!(error, "a computation on node 1 never ends: external load leaves it nothing of the processor");
}
