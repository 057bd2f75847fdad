//! Jobs that have some nodes of a larger machine: closed forms, and the machine itself beside them.

use std::collections::BTreeSet;

use hetsim::cluster::NodeId;

use crate::support::{metric, near, read, try_read_in};

/// A torus of ten nodes in a row, of which a job has these; a hop takes 1 ms.
fn row(nodes: u32, allocation: &str) -> String {
    format!(
        "version = 1\nreplicas = 20\n[platform.cluster.row]\nnodes = {nodes}\nallocation = {allocation}\n\
         network = {{ model = \"fair\", latency = \"1ms\", bandwidth = \"1GB/s\", topology = {{ kind = \"torus\", \
         dimensions = [10] }} }}\n\
         [workload]\nkind = \"broadcast\"\nsize = \"1MB\"\nalgorithm = \"linear\"\n"
    )
}

/// A message of 1 MB takes 1 ms for each hop and 1 ms to flow, on the shorter way around.
#[test]
fn messages_go_through_nodes_of_others() {
    for (at, hops) in [("[0, 1]", 1.0), ("[2, 5]", 3.0), ("[\"0\", 5]", 5.0), ("[1, 9]", 2.0), ("[\"3 to 7\"]", 1.0)] {
        let allocation = format!("{{ of = 10, at = {at} }}");
        let record = read(&row(2, &allocation)).run(0, 0).unwrap();
        near(metric(&record, "completion_s"), 1e-3 * (hops + 1.0));
    }
    // Without places, the first ones.
    near(metric(&read(&row(2, "{ of = 10 }")).run(0, 0).unwrap(), "completion_s"), 2e-3);
}

/// What is decided by where nodes are is decided for each draw: each time is that of one of the five places that four
/// adjacent nodes of eight can have.
#[test]
fn every_draw_is_prepared() {
    for workload in [
        "kind = \"collective\"\noperation = \"all_gather\"\nalgorithm = \"ring+linear\"\nlevels = \"all\"",
        "kind = \"broadcast\"\nalgorithm = \"ecef\"",
        "kind = \"collective\"\noperation = \"broadcast\"\nalgorithm = \"chain\"\nplacement = \"spread\"",
    ] {
        let times = |allocation: &str, replicas: u32| -> BTreeSet<String> {
            let keys = format!("nodes = 4\nallocation = {{ of = 8, {allocation} }}");
            let (head, _) = RACKS.split_once("[workload]").unwrap();
            let head = head
                .replace("nodes = 16", &keys)
                .replace("version = 1", &format!("version = 1\nreplicas = {replicas}"));
            let scenario = read(&format!("{head}[workload]\n{workload}\nsize = \"1kB\"\n"));
            let of = |replica| metric(&scenario.run(0, replica).unwrap(), "completion_s").to_string();
            (0..replicas).map(of).collect()
        };
        let fixed: BTreeSet<String> =
            (0..=4).flat_map(|first| times(&format!("at = [\"{first} to {}\"]", first + 3), 1)).collect();
        assert!(fixed.len() > 1, "{fixed:?}");
        assert_eq!(times("fragments = 1", 40), fixed, "{workload}");
    }
}

/// Replicas have other nodes, the same ones for the same seed; a job of one fragment is compact.
#[test]
fn fragments_are_drawn_in_each_replica() {
    let hops = |fragments: u32| -> Vec<u32> {
        let scenario = read(&row(2, &format!("{{ of = 10, fragments = {fragments} }}")));
        let times = (0..20).map(|replica| metric(&scenario.run(0, replica).unwrap(), "completion_s"));
        times.map(|seconds| (seconds * 1e3 - 1.0).round() as u32).collect()
    };
    assert_eq!(hops(1), [1; 20]);
    let scattered = hops(2);
    assert_eq!(scattered, hops(2));
    assert!((1..=5).all(|hops| scattered.contains(&hops)), "{scattered:?}");
}

const RACKS: &str = "version = 1\n[platform.cluster.lab]\nnodes = 16\n\
    network = { model = \"hockney\", latency = \"9us\", bandwidth = \"1GB/s\" }\n\
    [[platform.cluster.lab.level]]\nsize = 4\n\
    network = { model = \"hockney\", latency = \"2us\", bandwidth = \"1GB/s\" }\n\
    [workload]\nkind = \"collective\"\noperation = \"all_gather\"\nalgorithm = \"ring\"\nsize = \"1kB\"\n";

/// Groups of unequal sizes: 4, 2 and 3 nodes of racks of four.
#[test]
fn levels_join_the_nodes_of_the_machine() {
    let keys = "nodes = 9\nallocation = { of = 16, at = [\"0 to 5\", \"9 to 11\", 13] }";
    let job = read(&RACKS.replace("nodes = 16", keys));
    let (job, machine) = (job.first_platform().unwrap(), read(RACKS));
    let machine = machine.first_platform().unwrap();
    let places = [0, 1, 2, 3, 4, 5, 9, 10, 11];
    for (one, other) in (0..9).flat_map(|one| (0..9).map(move |other| (one, other))) {
        let of_machine = machine.transfer(NodeId(places[one]), NodeId(places[other]), 8);
        assert_eq!(
            job.transfer(NodeId(one as u32), NodeId(other as u32), 8).hop(),
            of_machine.hop(),
            "{one} to {other}"
        );
    }
    let groups: Vec<u32> = job.groups_among(0, 0, job.members(0)).map(|group| group.end - group.start).collect();
    assert_eq!(groups, [4, 2, 3]);
}

/// Of the links of levels, those that serve the job's nodes count: idle power does not depend on where these are.
#[test]
fn idle_links_of_others_take_no_power() {
    let idle = |first: u32| {
        let keys = format!("nodes = 4\nallocation = {{ of = 16, at = [\"{first} to {}\"] }}", first + 3);
        let text = RACKS.replace("nodes = 16", &keys).replace("hockney", "fair");
        let power = "nodes = 4\nnetwork_power = { idle = \"1W\", full = \"2W\" }";
        read(&text.replace("nodes = 4", power)).first_platform().unwrap().idle_power_of_links()
    };
    // A link up and one down of a rack, whose network is that of the cluster.
    assert_eq!([0, 4, 12].map(idle), [2.0; 3]);
    assert_eq!(idle(2), 4.0);
}

#[test]
fn what_is_wrong_with_an_allocation_is_underlined() {
    for (allocation, at, says) in [
        ("{ of = 3 }", "3", "`of` is 3, and the cluster has 4 nodes"),
        ("{ of = 4294967295 }", "4294967295", "4294967295 nodes are too many; at most 67108864"),
        ("{ of = 9, at = [1, 2, 3] }", "[1, 2, 3]", "`at` has 3 places for 4 nodes"),
        ("{ of = 9, at = [1, 2, 2, 3] }", "2", "node 2 comes after node 2: places must rise"),
        ("{ of = 9, at = [\"0 to 2\", 9] }", "9", "there is no node 9: the machine's nodes are 0 to 8"),
        ("{ of = 9, at = [\"4 to 1\"] }", "\"4 to 1\"", "\"4 to 1\" is not a range of nodes, such as \"0 to 31\""),
        ("{ of = 9, at = [\"0 to 3\"], fragments = 2 }", "2", "give either `at` or `fragments`"),
    ] {
        let text = RACKS.replace("nodes = 16", &format!("nodes = 4\nallocation = {allocation}"));
        let problems = try_read_in(".", &text, &[]).expect_err(allocation);
        let report = &problems.reports()[0];
        assert_eq!((problems.reports().len(), report.to_string().as_str()), (1, says));
        let label = miette::Diagnostic::labels(report).and_then(|mut labels| labels.next()).expect("a label");
        assert_eq!(&text[label.offset()..label.offset() + label.len()], at);
    }
    let (start, end) = (RACKS.find("[[").unwrap(), RACKS.find("[workload]").unwrap());
    let flat =
        format!("{}{}", &RACKS[..start], &RACKS[end..]).replace("nodes = 16", "nodes = 4\nallocation = { of = 9 }");
    let error = try_read_in(".", &flat, &[]).unwrap_err().to_string();
    assert!(error.contains("`allocation` has no effect without a `topology` or a `level`"), "{error}");
    let large = RACKS.replace("nodes = 16", "nodes = 4\nranks_per_node = 6").replace("size = 4", "size = 2147483649");
    let node = "[[platform.cluster.lab.level]]\nsize = 1\nnetwork = { model = \"ideal\" }\n[workload]";
    let error = try_read_in(".", &large.replace("[workload]", node), &[]).unwrap_err().to_string();
    assert!(error.contains("groups of 2147483649 are too large"), "{error}");
    // A topology is that of the machine.
    let error = try_read_in(".", &row(2, "{ of = 12 }"), &[]).unwrap_err().to_string();
    assert!(error.contains("the product of `dimensions` is 10, and must be 12"), "{error}");
}
