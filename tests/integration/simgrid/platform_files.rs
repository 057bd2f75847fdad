//! Platform files of SimGrid, named in a scenario and converted, against closed forms and against what SimGrid prints.
//!
//! The XML is our own; where numbers are SimGrid's, the file of its repository that has them stands beside the test.

use std::fs;

use hetsim::cluster::{NodeId, Platform};
use hetsim::record::Value;
use hetsim::report::Reported as _;
use hetsim::scenario::{Scenario, Source};
use predicates::str::contains;
use tempfile::TempDir;

use crate::support::{here, read_in, wide};

/// Three cabinets with backbones of their own on one link, as Grid'5000's Griffon is built, with a few hosts each.
const CABINETS: &str = r#"<?xml version='1.0'?>
<platform version="4.1">
  <zone id="site" routing="Full">
    <cluster id="one" prefix="n" suffix="" radical="1-2,7-8" speed="1Gf" bw="125MBps" lat="24us" bb_bw="1.25GBps" bb_lat="1us"/>
    <cluster id="two" prefix="n" suffix="" radical="3-5" speed="1Gf" bw="125MBps" lat="24us" bb_bw="1.25GBps" bb_lat="1us"/>
    <cluster id="three" prefix="n" suffix="" radical="9-11" speed="1Gf" bw="125MBps" lat="24us" bb_bw="1.25GBps" bb_lat="1us"/>
    <link id="backbone" bandwidth="1.25GBps" latency="30us"/>
    <zoneRoute src="one" dst="two" gw_src="none_router" gw_dst="ntwo_router"><link_ctn id="backbone"/></zoneRoute>
    <zoneRoute src="two" dst="three" gw_src="ntwo_router" gw_dst="nthree_router"><link_ctn id="backbone"/></zoneRoute>
    <zoneRoute src="one" dst="three" gw_src="none_router" gw_dst="nthree_router"><link_ctn id="backbone"/></zoneRoute>
  </zone>
</platform>
"#;

/// Two hosts and a link, with more keys of the link, parameters of the network model, and more elements.
fn one_link(link: &str, config: &[(&str, &str)], more: &str) -> String {
    let config: Vec<String> =
        config.iter().map(|(id, value)| format!(r#"<prop id="{id}" value="{value}"/>"#)).collect();
    let config = config.concat();
    format!(
        r#"<platform version="4.1"><config>{config}</config><zone id="z" routing="Full">
        <host id="a" speed="1Gf" core="1"/><host id="b" speed="1Gf" core="4"/><link id="l" {link}/>
        <route src="a" dst="b"><link_ctn id="l"/></route>{more}</zone></platform>"#
    )
}

fn scenario(include: &str, size: u64, transport: &str) -> String {
    let workload = format!("kind = \"broadcast\"\nsize = \"{size}B\"\nalgorithm = \"linear\"");
    format!("version = 1\n[platform]\ninclude = \"{include}\"\n{transport}\n[workload]\n{workload}\n")
}

#[track_caller]
fn read(xml: &str, size: u64, transport: &str) -> Scenario {
    let folder = here(&[("p.xml", xml)]);
    read_in(&folder, &scenario("p.xml", size, transport))
}

#[track_caller]
fn completion(xml: &str, size: u64, transport: &str) -> f64 {
    read(xml, size, transport).run(0, 0).unwrap().get("completion_s").and_then(Value::number).unwrap()
}

#[track_caller]
fn close(found: f64, wanted: f64) {
    assert!((found - wanted).abs() <= 1.5e-6 * wanted.max(1.0), "{found} instead of {wanted}");
}

/// The seconds of a message alone on a platform.
fn alone(platform: &Platform, from: u32, to: u32, bytes: u64) -> f64 {
    platform.transfer(NodeId(from), NodeId(to), bytes).hop().as_f64() * 1e-12
}

const LV08: &str = "transport = { calibration = \"lv08\" }";
const RAW: &str = "transport = { calibration = \"raw\" }";

/// `examples/cpp/comm-pingpong/s4u-comm-pingpong.tesh`: 1 byte over the one link between two hosts, and 1 GB back.
#[test]
fn ping_and_pong_take_what_simgrid_prints() {
    let link = r#"bandwidth="7.20975MBps" latency="1.461517ms""#;
    for (model, ping, pong) in [
        ("LV08", 0.019_014, 150.178_356 - 0.019_014),
        ("CM02", 0.001_462, 145.639_041 - 0.001_462),
        ("raw", 0.001_462, 138.703_988 - 0.001_462),
    ] {
        let xml = one_link(link, &[("network/model", model)], "");
        assert!((completion(&xml, 1, "") - ping).abs() < 1e-6, "{model}");
        assert!((completion(&xml, 1_000_000_000, "") - pong).abs() < 2e-6, "{model}");
    }
    let said_by_the_scenario = completion(&one_link(link, &[], ""), 1, LV08);
    close(said_by_the_scenario, 0.019_014);
}

/// `teshsuite/models/cm02-tcpgamma/cm02-tcpgamma.tesh`: 10 GB at 10 GB/s over links of four latencies; without a
/// window, the bandwidth is used whatever the latency.
#[test]
fn windows_bound_what_simgrid_bounds() {
    for (latency, gamma, seconds) in [
        ("0s", "4194304", 1.0),
        ("10us", "4194304", 1.000_010),
        ("1ms", "4194304", 4.769_372),
        ("100ms", "4194304", 476.937_158),
        ("1ms", "0", 1.001),
    ] {
        let config = [("network/model", "CM02"), ("network/crosstraffic", "0"), ("network/TCP-gamma", gamma)];
        let xml = one_link(&format!(r#"bandwidth="10GBps" latency="{latency}""#), &config, "");
        let found = completion(&xml, 10_000_000_000, "");
        assert!((found - seconds).abs() < 1e-6, "{latency}: {found} instead of {seconds}");
    }
}

/// `examples/cpp/comm-throttling/s4u-comm-throttling.tesh`: 250 MB between two hosts of a cluster with a backbone take
/// 2.069662 s.
#[test]
fn a_cluster_takes_what_simgrid_prints() {
    let xml = r#"<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="0-1" speed="1Gf" bw="125MBps" lat="50us"
        bb_bw="2.25GBps" bb_lat="500us"/></platform>"#;
    assert!((completion(xml, 250_000_000, LV08) - 2.069_662).abs() < 1e-6);
}

/// Up, the cabinet's backbone, down; between cabinets both backbones and the link that joins them.
#[test]
fn cabinets_have_the_ways_of_their_links() {
    let scenario = read(CABINETS, 1_000_000, RAW);
    let platform = scenario.first_platform().unwrap();
    // The nodes are 1, 2, 7, 8 in the first cabinet and 3 to 5 in the second.
    close(alone(platform, 0, 3, 1_000_000), 0.000_049 + 0.008);
    close(alone(platform, 0, 4, 1_000_000), 0.000_080 + 0.008);
    close(alone(platform, 9, 4, 1_000_000), 0.000_080 + 0.008);
    // Nine messages leave by one link, which is full from the first latency on.
    close(completion(CABINETS, 1_000_000, RAW), 0.000_049 + 9.0 * 0.008);
    let scenario = read(CABINETS, 1_000_000, LV08);
    close(alone(scenario.first_platform().unwrap(), 0, 4, 1_000_000), 13.01 * 0.000_080 + 0.008 / 0.97);
}

#[test]
fn a_converted_file_gives_the_same_bytes() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("p.xml"), CABINETS).unwrap();
    wide(&folder).args(["convert", "p.xml", "p.toml"]).assert().success();
    let results = ["p.xml", "p.toml"].map(|include| {
        fs::write(folder.path().join("same.toml"), scenario(include, 100_000, LV08)).unwrap();
        let out = folder.path().join(format!("of-{include}"));
        wide(&folder).args(["run", "same.toml", "--fresh", "--out"]).arg(&out).assert().success();
        fs::read(out.join("same/results.csv")).unwrap()
    });
    assert!(!results[0].is_empty());
    assert_eq!(results[0], results[1]);
}

/// Whatever is wrong in the XML ends the command with 2, and shows the line and the column.
#[test]
fn bad_files_are_refused_with_their_place() {
    let truncated = &CABINETS[..CABINETS.find("<zoneRoute").unwrap()];
    for (xml, place, message) in [
        (truncated.to_owned(), "p.xml:8:", "truncated"),
        (CABINETS.replace("\"24us\"", "\"24lightyears\""), "p.xml:4:", "lightyears"),
        (CABINETS.replace("<link_ctn id=\"backbone\"/>", "<link_ctn id=\"backbon\"/>"), "p.xml:8:", "backbone"),
        (CABINETS.replace("<zone ", "<zone limits=\"none\" "), "p.xml:3:", "limits"),
        (CABINETS.replace("<?xml version='1.0'?>", "<!DOCTYPE p [<!ENTITY a \"&a;&a;\">]>"), "p.xml:1:", "DOCTYPE"),
        (one_link("bandwidth=\"1MBps\"", &[("network/model", "LV80")], ""), "p.xml:1:", "LV08"),
    ] {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("p.xml"), xml).unwrap();
        fs::write(folder.path().join("s.toml"), scenario("p.xml", 1, "")).unwrap();
        for command in [["run", "s.toml"], ["convert", "p.xml"]] {
            let mut run = wide(&folder);
            run.args(command);
            if command[0] == "convert" {
                run.arg("p.toml");
            }
            run.assert().code(2).stderr(contains(place)).stderr(contains(message));
        }
        assert!(!folder.path().join("p.toml").exists());
    }
}

/// Hosts may have different cores; one that a file has alone needs no routes.
#[test]
fn hosts_have_their_own_cores() {
    let scenario = read(&one_link(r#"bandwidth="1MBps""#, &[], ""), 1, "");
    assert_eq!([0, 1].map(|node| scenario.first_platform().unwrap().cores(NodeId(node))), [1, 4]);
    let alone = r#"<platform version="4.1"><zone id="z" routing="Full"><host id="a" speed="1Gf"/></zone></platform>"#;
    close(completion(alone, 1_000_000, RAW), 0.0);
}

/// Megabytes over a link of 1 MB/s whose state or bandwidth changes. A state of zero or less is down.
#[test]
fn profiles_of_links_hold_back_messages() {
    let link = r#"bandwidth="1MBps" latency="0s""#;
    let connect = |kind: &str, trace: &str| {
        format!(r#"<trace id="t" periodicity="-1">{trace}</trace><trace_connect kind="{kind}" trace="t" element="l"/>"#)
    };
    let down = one_link(link, &[], &connect("LINK_AVAIL", "0 1\n1 -1\n3 1"));
    // One until 1 s, the other three from 3 s on.
    close(completion(&down, 4_000_000, RAW), 6.0);
    let halved = one_link(link, &[], &connect("BANDWIDTH", "2 500000\n3 1000000\nLOOPAFTER 1"));
    // Two until 2 s, two and a half until 3 s.
    close(completion(&halved, 3_000_000, RAW), 3.5);
    // What holds last, holds until the first date of the next round, which is counted from 5 s: one until 1 s, one and
    // a half until 2 s, two and a half until 6 s, and then half a megabyte a second.
    let quarter = one_link(link, &[], &connect("BANDWIDTH", "1 500000\n2 250000\nLOOPAFTER 3"));
    close(completion(&quarter, 3_000_000, RAW), 7.0);
}

/// A way through a zone that holds only routers, from a cluster to a host alone.
#[test]
fn routers_pass_messages_on() {
    let xml = r#"<platform version="4.1"><zone id="world" routing="Full">
        <cluster id="c" prefix="c" suffix="" radical="0-3" speed="1Gf" bw="1MBps" lat="50us"/>
        <zone id="net" routing="Floyd"><router id="r1"/><router id="r2"/><router id="r3"/>
          <link id="a" bandwidth="8MBps" latency="1ms"/><link id="b" bandwidth="4MBps" latency="2ms"/>
          <route src="r1" dst="r2"><link_ctn id="a"/></route><route src="r2" dst="r3"><link_ctn id="b"/></route></zone>
        <zone id="h" routing="Full"><host id="host" speed="1Gf"/></zone>
        <link id="in" bandwidth="2MBps" latency="5ms"/><link id="out" bandwidth="500kBps" latency="7ms"/>
        <link id="direct" bandwidth="500kBps" latency="100ms"/>
        <zoneRoute src="c" dst="net" gw_src="cc_router" gw_dst="r1"><link_ctn id="in"/></zoneRoute>
        <zoneRoute src="net" dst="h" gw_src="r3" gw_dst="host"><link_ctn id="out"/></zoneRoute>
        <zoneRoute src="c" dst="h" gw_src="cc_router" gw_dst="host"><link_ctn id="direct"/></zoneRoute>
        </zone></platform>"#;
    let direct = read(xml, 1, RAW);
    close(alone(direct.first_platform().unwrap(), 0, 4, 500_000), 1.0 + 0.100_050);
    // With the fewest routes from member to member the direct one is taken; without it the routers pass on.
    let start = xml.find("<zoneRoute src=\"c\" dst=\"h\"").unwrap();
    let end = xml.rfind("</zone></platform>").unwrap();
    let through = format!("{}{}", &xml[..start], &xml[end..]).replacen("routing=\"Full\"", "routing=\"Floyd\"", 1);
    let through = read(&through, 1, RAW);
    close(alone(through.first_platform().unwrap(), 0, 4, 500_000), 1.0 + 0.015_050);
    close(alone(through.first_platform().unwrap(), 4, 3, 500_000), 1.0 + 0.015_050);
}

/// A route that bypasses others joins hosts, not a host and the gateway by which its messages leave, as in SimGrid
/// (`NetZoneImpl::get_interzone_route` asks for local routes).
#[test]
fn bypasses_join_the_ends_of_messages() {
    let xml = r#"<platform version="4.1"><zone id="world" routing="Full">
        <zone id="left" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>
          <link id="slow" bandwidth="1MBps" latency="10ms"/><link id="fast" bandwidth="1MBps" latency="1ms"/>
          <route src="a" dst="b"><link_ctn id="slow"/></route><bypassRoute src="a" dst="b"><link_ctn id="fast"/></bypassRoute>
        </zone>
        <zone id="right" routing="Full"><host id="c" speed="1Gf"/></zone>
        <link id="sea" bandwidth="1MBps" latency="100ms"/>
        <zoneRoute src="left" dst="right" gw_src="b" gw_dst="c"><link_ctn id="sea"/></zoneRoute>
        </zone></platform>"#;
    let scenario = read(xml, 1, RAW);
    let platform = scenario.first_platform().unwrap();
    close(alone(platform, 0, 1, 1_000_000), 1.001);
    close(alone(platform, 1, 0, 1_000_000), 1.010);
    close(alone(platform, 0, 2, 1_000_000), 1.110);
}

/// The problems of a scenario in hetsim's own keys.
fn refusal(platform: &str) -> String {
    let text =
        format!("version = 1\n{platform}\n[workload]\nkind = \"broadcast\"\nsize = \"1B\"\nalgorithm = \"linear\"\n");
    let source = Source { name: "test.toml".to_owned(), folder: ".".into(), text: text.as_str().into() };
    match Scenario::read("test".to_owned(), source, &[]) {
        Ok(_) => panic!("it is read:\n{platform}"),
        Err(problems) => problems.to_string(),
    }
}

#[test]
fn what_routes_and_nodes_say_has_to_fit() {
    let cluster = |keys: &str| format!("[platform.cluster.c]\nnodes = 2\nnetwork = {{ model = \"ideal\" }}\n{keys}\n");
    let routes = "network = { model = \"routes\", nodes = [\"a\", \"b\"] }";
    let zone = |keys: &str| format!("{}[platform.zone.z]\n{keys}\n", cluster(""));
    for (platform, message) in [
        (cluster("node_cores = [1]"), "`node_cores` has 1 value for 2 nodes"),
        (cluster("cores = 1\nnode_cores = [1, 2]"), "`cores` says nothing beside `node_cores`"),
        (cluster("node_cores = [1, 0]"), "node_cores"),
        (cluster("loopback = { bandwidth = \"0B/s\" }"), "`bandwidth` must be above zero"),
        (format!("[platform.cluster.c]\nnodes = 2\n{routes}"), "the routes lead nowhere from `a` to `b`"),
        (zone("choose = \"given\""), "a zone has either `members` or `routers`"),
        (zone("members = [\"c\"]\nrouters = [\"r\"]"), "a zone has either `members` or `routers`"),
        (zone("routers = [\"r\", \"r\"]"), "there are two points `r`"),
        (zone("routers = [\"r\"]"), "cluster `c` is in no zone"),
        (zone("routers = [\"r\"]\nroute = [{ from = \"r\", to = \"s\" }]"), "`s` is not a node or router here"),
        (
            zone("routers = [\"r\"]\nbypass = [{ from = \"r\", to = \"r\" }]"),
            "`bypass` has no effect in a zone of routers",
        ),
        (
            zone("routers = [\"r\"]\nroute = [{ from = \"r\", to = \"r\", to_gateway = \"c\" }]"),
            "a route between routers has no gateways",
        ),
        (
            zone(
                "members = [\"c\", \"net\"]\nroute = [{ from = \"c\", to = \"net\", to_gateway = \"net:s\" }]\n\
                 [platform.zone.net]\nrouters = [\"r\"]",
            ),
            "`s` is neither a node nor a router of `net`",
        ),
    ] {
        let found = refusal(&platform);
        assert!(found.contains(message), "{found}\ninstead of {message}");
    }
}
