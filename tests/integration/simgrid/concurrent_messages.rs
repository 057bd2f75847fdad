//! Concurrent messages on platform files of SimGrid, each beside the time that SimGrid prints for it.
//!
//! All times are SimGrid 4.1's, of messages started together at time zero by `Comm::sendto`, with
//! `--cfg=network/optim:Full --cfg=network/maxmin-selective-update:no`; no other option is given, so that the model is
//! LV08 where the file names none. The files are our own. Each is read as XML, and again as the TOML that `hetsim
//! convert` writes.

use std::fmt::Write as _;
use std::fs;

use assert_cmd::Command;
use hetsim::cluster::{Context, NodeId, Program, Simulation};
use hetsim::report::Reported as _;
use hetsim::scenario::{Scenario, Source};
use hetsim::units::Tick;
use tempfile::TempDir;

/// A message and the seconds until it has arrived: from, to, bytes, SimGrid's time.
type Message = (u32, u32, u64, f64);

/// Sends all messages at once.
struct Messages<'m> {
    messages: &'m [Message],
    arrived: Vec<f64>,
}

impl Program for Messages<'_> {
    type Message = usize;

    fn start(&mut self, context: &mut impl Context<usize>) {
        for (number, &(from, to, bytes, _)) in self.messages.iter().enumerate() {
            context.send(NodeId(from), NodeId(to), bytes, number);
        }
    }

    fn on_message(&mut self, _: NodeId, _: NodeId, number: usize, context: &mut impl Context<usize>) {
        self.arrived[number] = Tick::PICOSECOND.seconds(context.now());
    }
}

/// The times of the messages on the platform of a file, with more lines of the scenario.
fn times(folder: &TempDir, include: &str, more: &str, messages: &[Message]) -> Vec<f64> {
    let text = format!(
        "version = 1\n[platform]\ninclude = \"{include}\"\n{more}\n[workload]\nkind = \"broadcast\"\nsize = \"1B\"\n\
         algorithm = \"linear\"\n"
    );
    let source =
        Source { name: "test.toml".to_owned(), folder: folder.path().to_path_buf(), text: text.as_str().into() };
    let scenario = Scenario::read("test".to_owned(), source, &[]).unwrap_or_else(|problems| panic!("{problems}"));
    let mut program = Messages { messages, arrived: vec![f64::NAN; messages.len()] };
    Simulation::new(scenario.first_platform().unwrap(), 1).run(&mut program).unwrap();
    program.arrived
}

/// A folder with a platform as `p.xml`, and as `p.toml` that was made of it.
fn converted(xml: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("p.xml"), format!(r#"<platform version="4.1">{xml}</platform>"#)).unwrap();
    let mut convert = Command::new(env!("CARGO_BIN_EXE_hetsim"));
    convert.current_dir(folder.path()).args(["convert", "p.xml", "p.toml"]).assert().success();
    folder
}

fn differences(found: &[f64], messages: &[Message]) -> String {
    let mut text = String::new();
    for (found, (from, to, _, wanted)) in found.iter().zip(messages) {
        if (found - wanted).abs() > 1e-9 * wanted.max(1.0) + 2e-12 {
            let _ = writeln!(text, "from {from} to {to}: {found} instead of {wanted}");
        }
    }
    text
}

/// Holds a platform to what SimGrid prints, whether it is read or converted.
#[track_caller]
fn agree(xml: &str, messages: &[Message]) {
    let folder = converted(xml);
    for include in ["p.xml", "p.toml"] {
        let found = differences(&times(&folder, include, "", messages), messages);
        assert!(found.is_empty(), "{include}:\n{found}");
    }
}

fn cluster(id: &str, nodes: u32, topology: &str, parameters: &str) -> String {
    format!(
        r#"<cluster id="{id}" prefix="{id}-" suffix="" radical="0-{}" speed="1Gf" bw="125MBps" lat="50us"
            topology="{topology}" topo_parameters="{parameters}"/>"#,
        nodes - 1
    )
}

fn zone(inner: &str) -> String {
    format!(r#"<zone id="z" routing="Full">{inner}</zone>"#)
}

/// Three hosts: from `a` messages go over the link `l`, to `c` over the link `far` besides.
fn hosts(link: &str, far: &str) -> String {
    zone(&format!(
        r#"<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><host id="c" speed="1Gf"/>
        <link id="l" bandwidth="100MBps" {link}/><link id="far" bandwidth="1GBps" latency="{far}"/>
        <route src="a" dst="b"><link_ctn id="l"/></route>
        <route src="a" dst="c"><link_ctn id="l"/><link_ctn id="far"/></route>
        <route src="b" dst="c"><link_ctn id="far"/></route>"#
    ))
}

/// From the middle of a dimension of even size, places 3 and 2 here, to its start.
#[test]
fn half_way_round_a_torus() {
    let messages = [
        (3, 0, 1_000_000, 0.035_353_561_855_670_1),
        (0, 3, 2_000_000, 0.051_432_995_661_772),
        (5, 2, 3_000_000, 0.065_432_881_649_484_5),
        (2, 1, 4_000_000, 0.042_415_758_247_422_7),
        (12, 0, 5_000_000, 0.058_252_358_762_886_6),
        (15, 0, 6_000_000, 0.094_573_387_319_587_6),
        (4, 5, 7_000_000, 0.059_322_974_742_268),
        (21, 3, 8_000_000, 0.066_629_881_443_299),
    ];
    let torus = zone(&cluster("t", 24, "TORUS", "6,4"));
    agree(&torus, &messages);
    // Keys beside `include` go over those of the file, so that the rule of hetsim's own is a line away.
    let own = "[platform.cluster.t.network.topology]\nrouting = \"hetsim\"";
    let found = times(&converted(&torus), "p.xml", own, &messages);
    assert!(!differences(&found, &messages).is_empty());
}

/// Parallel cables, picked on the way down by the number of the sender.
#[test]
fn parallel_cables_of_a_fat_tree() {
    let messages = [
        (10, 2, 1_000_000, 0.025_452_717_326_238_8),
        (2, 11, 2_000_000, 0.046_361_676_234_326_5),
        (11, 7, 3_000_000, 0.060_162_043_298_969_1),
        (7, 1, 4_000_000, 0.096_649_037_724_384_9),
        (1, 3, 5_000_000, 0.062_407_672_552_008_3),
        (3, 6, 6_000_000, 0.130_409_311_420_325),
        (6, 0, 7_000_000, 0.139_096_845_360_825),
        (0, 8, 8_000_000, 0.147_344_268_041_237),
    ];
    agree(&zone(&cluster("f", 12, "FAT_TREE", "3;3,2,2;1,1,1;1,2,2")), &messages);
}

/// The nodes of all fat trees of a file are numbered in one row: the same tree and the same messages as above, behind
/// three nodes of another tree, take other times.
#[test]
fn a_second_fat_tree() {
    let messages = [
        (10, 2, 1_000_000, 0.029_470_010_309_278_4),
        (2, 11, 2_000_000, 0.050_500_938_145_032_9),
        (11, 7, 3_000_000, 0.027_728_551_123_880_3),
        (7, 1, 4_000_000, 0.085_140_113_403_061_9),
        (1, 3, 5_000_000, 0.061_418_646_467_186_3),
        (3, 6, 6_000_000, 0.098_335_989_690_721_7),
        (6, 0, 7_000_000, 0.115_655_577_319_588),
        (0, 8, 8_000_000, 0.123_903),
    ];
    let trees = format!(
        r#"{}{}<link id="l" bandwidth="1GBps" latency="1ms"/>
        <zoneRoute src="e" dst="f" gw_src="e-0" gw_dst="f-0"><link_ctn id="l"/></zoneRoute>"#,
        cluster("e", 3, "FAT_TREE", "1;3;2;1"),
        cluster("f", 12, "FAT_TREE", "3;3,2,2;1,1,1;1,2,2")
    );
    agree(&zone(&trees), &messages.map(|(from, to, bytes, time)| (from + 3, to + 3, bytes, time)));
}

/// Within a group, from and to chassis that are not its first.
#[test]
fn chassis_of_a_dragonfly() {
    let messages = [
        (4, 2, 1_000_000, 0.019_654_586_753_182_2),
        (4, 6, 2_000_000, 0.043_009_312_890_741_4),
        (5, 7, 3_000_000, 0.027_918_187_126_800_7),
        (8, 5, 4_000_000, 0.075_362_534_069_393_3),
        (8, 1, 5_000_000, 0.076_178_304_123_711_3),
        (9, 14, 6_000_000, 0.052_737_036_082_474_2),
        (6, 2, 7_000_000, 0.079_872_280_221_121_3),
        (10, 6, 8_000_000, 0.087_312_324_742_268),
    ];
    agree(&zone(&cluster("d", 24, "DRAGONFLY", "2,1;3,2;4,1;1")), &messages);
}

/// SimGrid's `raw` shares a full link by the inverse of latencies: 1 ms and 4 ms here.
#[test]
fn raw_flows_share_by_their_latencies() {
    let raw = r#"<config><prop id="network/model" value="raw"/></config>"#;
    let messages = [(0, 1, 100_000_000, 1.250_25), (0, 2, 100_000_000, 2.001)];
    agree(&format!("{raw}{}", hosts(r#"latency="1ms""#, "3ms")), &messages);
}

/// A file that names no model is read as LV08. A flow without any latency counts as one of a second beside others.
#[test]
fn no_model_is_lv08() {
    let messages = [(0, 1, 100_000_000, 2.164_948_453_608_25), (0, 2, 100_000_000, 1.124_996_187_989_69)];
    agree(&hosts("", "3ms"), &messages);
}

/// SMPI's factors by size, its window (which bounds the message from b to c), its round-trip times, and answers on the way
/// back, as SimGrid 3.32 has them.
#[test]
fn smpi_has_factors_by_size() {
    let smpi = r#"<config><prop id="network/model" value="SMPI"/></config>"#;
    let messages = [
        (1, 0, 257, 0.002_017_992_932),
        (2, 0, 5_777, 0.069_477_280_681),
        (0, 1, 60_000_000, 0.692_627_535_616),
        (0, 2, 3_000_000, 0.723_987_908_378),
        (1, 2, 60_000_000, 1.261_726_793_748),
    ];
    agree(&format!("{smpi}{}", hosts(r#"latency="1ms""#, "30ms")), &messages);
}

/// A link is halved at 1 ms, between the end of one message on it and the first byte of another, when nothing flows.
#[test]
fn a_link_changes_while_nothing_flows() {
    let raw = r#"<config><prop id="network/model" value="raw"/></config>"#;
    let halved = r#"<trace id="t" periodicity="-1">0.001 50000000</trace>
        <trace_connect kind="BANDWIDTH" trace="t" element="l"/>"#;
    let messages = [(0, 1, 1_000, 0.000_011), (0, 2, 1_000_000, 0.023_001)];
    agree(&format!("{raw}{}{halved}", hosts(r#"latency="1us""#, "3ms")), &messages);
}

/// A FATPIPE, where SimGrid's answer hangs on the last bit of a comparison: with 1 µs it slows the flow of the longer
/// round trip to 1.9000019 s, with 43 µs it does not. Here each flow alone is bound by the link, as the documentation
/// says.
#[test]
fn fat_pipes_bound_each_flow_by_itself() {
    let model = r#"<config><prop id="network/model" value="CM02"/></config>"#;
    for (latency, simgrid, ours) in [("1us", 1.900_001_9, 1.000_010), ("43us", 1.000_052, 1.000_052)] {
        let link = format!(r#"latency="{latency}" sharing_policy="FATPIPE""#);
        let folder = converted(&format!("{model}{}", hosts(&link, "9us")));
        let messages = [(0, 1, 100_000_000, 0.0), (0, 2, 100_000_000, simgrid)];
        let found = times(&folder, "p.xml", "", &messages);
        assert!((found[1] - ours).abs() < 1e-9, "{} instead of {ours}", found[1]);
    }
}

/// Where SimGrid reads beyond its tables there is nothing to translate.
#[test]
fn a_dragonfly_without_ways_is_refused() {
    let folder = TempDir::new().unwrap();
    let xml = format!(r#"<platform version="4.1">{}</platform>"#, cluster("d", 24, "DRAGONFLY", "3,1;4,1;2,1;1"));
    fs::write(folder.path().join("p.xml"), xml).unwrap();
    let mut convert = Command::new(env!("CARGO_BIN_EXE_hetsim"));
    let convert = convert.current_dir(folder.path()).args(["convert", "p.xml", "p.toml"]).assert().code(2);
    let error = String::from_utf8_lossy(&convert.get_output().stderr).into_owned();
    assert!(error.contains("p.xml:2:") && error.contains("as many routers as there are groups"), "{error}");
    assert!(!folder.path().join("p.toml").exists());
}

/// From `a` to `d` and back there are two ways of two links, over `b` and over `c`. Floyd goes over the host that
/// comes first, Dijkstra over the one that the routes name first.
#[test]
fn equal_ways_of_floyd_and_of_dijkstra() {
    let square = |routing: &str| {
        let hosts: String = ["a", "b", "c", "d"].map(|id| format!(r#"<host id="{id}" speed="1Gf"/>"#)).concat();
        let mut inner = hosts;
        for (number, ends) in ["cd", "ac", "bd", "ab", "bc"].into_iter().enumerate() {
            let _ = write!(
                inner,
                r#"<link id="l{number}" bandwidth="{}0MBps" latency="1ms"/>
                <route src="{}" dst="{}"><link_ctn id="l{number}"/></route>"#,
                number + 1,
                &ends[..1],
                &ends[1..]
            );
        }
        zone(&inner).replace("Full", routing)
    };
    for (routing, time) in [("Floyd", 0.098_184_948_453_608_3), ("Dijkstra", 0.242_514_845_360_825)] {
        agree(&square(routing), &[(0, 3, 1_000_000, time), (3, 0, 1_000_000, time)]);
    }
}

/// What no scenario could use is not written: here the routing Full has no route between two of three hosts.
#[test]
fn a_platform_is_tried_before_it_is_written() {
    let folder = TempDir::new().unwrap();
    let hosts = hosts(r#"latency="1ms""#, "3ms");
    let cut = hosts.replace(r#"<route src="b" dst="c"><link_ctn id="far"/></route>"#, "");
    fs::write(folder.path().join("p.xml"), format!(r#"<platform version="4.1">{cut}</platform>"#)).unwrap();
    for output in ["p.toml", "-"] {
        let mut convert = Command::new(env!("CARGO_BIN_EXE_hetsim"));
        let convert = convert.current_dir(folder.path()).args(["convert", "p.xml", output]).assert().code(2);
        let output = convert.get_output();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains("p.xml:") && error.contains("lead nowhere from `b` to `c`"), "{error}");
        assert!(error.contains("routing=\"Floyd\"") && !error.contains("fewest_links"), "{error}");
        assert!(output.stdout.is_empty());
    }
    assert!(!folder.path().join("p.toml").exists());
}
