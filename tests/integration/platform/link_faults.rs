//! Links that fail and recover: what happens to the messages on them.

use hetsim::scenario::Scenario;

use crate::support::{self, metric};

/// One message of 1 MB from node 0 to the others.
const MESSAGE: &str = "[workload]\nkind = \"broadcast\"\nsize = \"1MB\"\nalgorithm = \"linear\"\n";

/// A second for one message of 1 MB.
const FAIR: &str = "{ model = \"fair\", latency = \"0s\", bandwidth = \"1MB/s\" }";

#[track_caller]
fn read(platform: &str) -> Scenario {
    support::read(&format!("version = 1\n{platform}\n{MESSAGE}"))
}

#[track_caller]
fn takes(platform: &str, wanted: f64) {
    let record = read(platform).run(0, 0).unwrap();
    let found = metric(&record, "completion_s");
    assert!((found - wanted).abs() < 1e-9, "{found}, not {wanted}: {platform}");
}

fn cluster(name: &str, nodes: u32, keys: &str) -> String {
    format!("[platform.cluster.{name}]\nnodes = {nodes}\nnetwork = {FAIR}\n{keys}\n")
}

fn down(from: &str, until: &str) -> String {
    format!("{{ kind = \"at\", from = \"{from}\", until = \"{until}\" }}")
}

#[test]
fn a_message_waits_while_a_link_of_a_node_is_down() {
    for node in [0, 1] {
        let fault = format!("link_fault = [{{ nodes = [{node}], profile = {} }}]", down("0.25s", "2s"));
        takes(&cluster("a", 2, &fault), 2.75);
    }
    // Two outages, and one that is over before the message starts to matter.
    let twice = format!("link_fault = [{{ profile = {} }}, {{ profile = {} }}]", down("0s", "1s"), down("1.5s", "3s"));
    takes(&cluster("a", 2, &twice), 3.5);
}

#[test]
fn others_have_the_bandwidth_of_a_message_that_waits() {
    // Two messages share the link up, half a megabyte a second each. Node 2's link is down from 0.5 to 1.75 s: node 1's
    // message, of which 0.75 MB are left, has the whole link until it ends at 1.25 s; the other ends 0.75 s after 1.75
    // s.
    let fault = format!("link_fault = [{{ nodes = [2], profile = {} }}]", down("0.5s", "1.75s"));
    takes(&cluster("a", 3, &fault), 2.5);
}

#[test]
fn links_between_clusters_and_named_links_fail() {
    let two = format!("{}{}", cluster("a", 1, ""), cluster("b", 1, ""));
    let fault = down("0.5s", "0.75s");
    takes(&format!("{two}[platform.between]\nnetwork = {FAIR}\nfault = [{fault}]\n"), 1.25);
    let zone = format!(
        "{two}[platform.wire.sea]\nbandwidth = \"0.5MB/s\"\nlatency = \"1s\"\nfault = [{}]\n\
         [platform.zone.world]\nmembers = [\"a\", \"b\"]\nroute = [{{ from = \"a\", to = \"b\", wires = [\"sea\"] }}]\n",
        down("2s", "4s")
    );
    // A second of latency, a second of bytes, two of waiting, and the other half of the bytes.
    takes(&zone, 5.0);
}

#[test]
fn an_outage_before_and_after_a_message_costs_nothing() {
    let keys = |fault: &str| {
        format!(
            "latency_factor = {{ steps = [{{ from = \"0s\", value = 1 }}] }}\nlink_fault = [{{ profile = {fault} }}]"
        )
    };
    takes(&cluster("a", 2, &keys(&down("1s", "9s"))), 1.0);
}

#[test]
fn a_link_that_stays_down_fails_the_run() {
    let forever = "link_fault = [{ profile = { kind = \"at\", from = \"0.5s\" } }]";
    let error = read(&cluster("a", 2, forever)).run(0, 0).unwrap_err();
    assert_eq!(
        error,
        "a message of 1000000 B from node 0 to node 1 waits for ever: a link on its path stays without bandwidth"
            .into()
    );
}

#[test]
fn drawn_outages_stretch_a_message_by_the_time_down() {
    // Up for 0.1 s and down for 0.1 s on average: a message of a second takes two, in the mean over many runs.
    let keys = "link_fault = [{ nodes = [1], profile = { kind = \"exponential\", mean_up = \"0.1s\", mean_down = \"0.1s\" } }]";
    let scenario = read(&format!("{}\n", cluster("a", 2, keys)));
    let replicas = 400;
    let time = |replica| metric(&scenario.run(0, replica).unwrap(), "completion_s");
    let times: Vec<f64> = (0..replicas).map(time).collect();
    let mean = times.iter().sum::<f64>() / f64::from(replicas);
    // Ten outages of 0.1 s each, give or take: a standard error of 0.45 / 20.
    assert!((mean - 2.0).abs() < 0.1, "{mean}");
    assert!(times.iter().all(|time| *time >= 1.0), "{times:?}");
}

#[test]
fn a_message_that_outlasts_the_clock_is_not_blamed_on_a_link() {
    let slow = cluster("a", 2, "").replace("1MB/s", "1B/s");
    let text = format!("version = 1\n{slow}\n{}", MESSAGE.replace("1MB", "1TB"));
    let error = support::read(&text).run(0, 0).unwrap_err();
    assert!(error.to_string().contains("choose a longer `tick`"), "{error}");
}

/// Nothing crosses a link that is down, not even a message without bytes.
#[test]
fn an_empty_message_waits_too() {
    let takes = |profile: &str| {
        let fault = format!("link_fault = [{{ nodes = [1], profile = {profile} }}]");
        let text = format!("version = 1\n{}\n{}", cluster("a", 2, &fault), MESSAGE.replace("1MB", "0B"));
        support::read(&text).run(0, 0).map(|record| metric(&record, "completion_s")).map_err(|error| error.to_string())
    };
    assert_eq!(takes(&down("0s", "2s")), Ok(2.0));
    let error = takes("{ kind = \"at\", from = \"0s\" }").unwrap_err();
    assert!(error.contains("a message of 0 B from node 0 to node 1 waits for ever"), "{error}");
}

/// A packet takes time even if it is empty, but has no bytes to flow in that time: an overhead at each end, the latencies of
/// links and library, and the packet.
#[test]
fn an_empty_message_has_no_rate_to_keep_to() {
    let costs = "latency = \"1us\", bandwidth = \"1GB/s\", send_overhead = \"0.1us\", receive_overhead = \"0.1us\", \
                 eager_limit = \"1KiB\", packet = \"1KiB\", packet_time = \"1us\"";
    let network =
        format!("network = {{ model = \"fair\", latency = \"1us\", bandwidth = \"1GB/s\", costs = {{ {costs} }} }}");
    let text = format!("version = 1\n[platform.cluster.a]\nnodes = 2\n{network}\n{}", MESSAGE.replace("1MB", "0B"));
    let found = metric(&support::read(&text).run(0, 0).unwrap(), "completion_s");
    assert!((found - 3.2e-6).abs() < 1e-12, "{found}");
}

/// Half a megabyte of one and a half has come when the link goes down. An empty message joins the rest at 1 s; both go on at
/// 3 s.
#[test]
fn an_empty_message_joins_others_that_wait() {
    let trace = "0 init\n1 init\n2 init\n0 send 1 0 1500000\n1 irecv 0 0 1500000\n1 irecv 2 1 0\n1 waitall 2\n\
                 2 compute 1e9\n2 send 1 1 0\n0 finalize\n1 finalize\n2 finalize\n";
    let folder = support::here(&[("trace.txt", trace)]);
    let fault = format!("speed = \"1Gop/s\"\nlink_fault = [{{ nodes = [1], profile = {} }}]", down("0.5s", "3s"));
    let text =
        format!("version = 1\n{}\n[workload]\nkind = \"replay\"\ntrace = \"trace.txt\"\n", cluster("a", 3, &fault));
    let record = support::read_in(&folder, &text).run(0, 0).unwrap();
    assert_eq!(metric(&record, "completion_s"), 4.0);
}
