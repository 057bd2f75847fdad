//! Points some of whose runs failed: what is shown are means of the others, and tables and pages say so.

use std::fs;

use predicates::str::contains;
use tempfile::TempDir;

use crate::support::{here, hetsim, printed, read, wide};

/// A network on which messages below 100 bytes cannot be sent.
const FORMULA: &str = "target = \"time_us\"\nformula = \"bytes - 100\"\n\
                       [[variable]]\nname = \"bytes\"\nleast = 2\ngreatest = 4096\n";

/// Four messages of drawn lengths, five times at each point.
const TRAFFIC: &str = r#"version = 1
replicas = 5
[platform.cluster.lab]
nodes = 4
network = { model = "fitted", formula = "falling.toml" }
[workload]
kind = "traffic"
pattern = { kind = "random", messages = 4 }
sizes = { distribution = "uniform", from = "80B", to = "200B" }
[sweep]
"workload.sizes.from" = FROM
[[table]]
rows = "from"
metric = "completion_s"
"#;

/// Runs the scenario with these lower bounds of the lengths: what it prints, its page and its summary.
fn run(from: &str, code: i32) -> (TempDir, String, String, String) {
    let folder = here(&[("falling.toml", FORMULA), ("s.toml", &TRAFFIC.replace("FROM", from))]);
    let output = hetsim(&folder).arg("s.toml").output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
    let read = |name: &str| fs::read_to_string(folder.path().join("output/s").join(name)).unwrap();
    let (page, summary) = (read("report.html"), read("summary.csv"));
    (folder, String::from_utf8(output.stdout).unwrap(), page, summary)
}

/// The number of runs in each row of a summary.
fn counts(summary: &str) -> Vec<&str> {
    summary.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()).collect()
}

#[test]
fn failed_runs_of_a_point_are_told_below_the_tables_and_on_the_page() {
    let (folder, said, page, summary) = run(r#"["80B", "100B"]"#, 1);
    let failed = 5 - counts(&summary)[0].parse::<usize>().unwrap();
    assert!((1..5).contains(&failed) && counts(&summary)[1] == "5", "{summary}");
    let told = format!("{failed} of 5 runs failed at from = 80B: means are of the others.");
    assert!(said.contains(&told), "{said}");
    assert!(page.contains(&told), "{page}");
    // From the store alone it is not known why they are missing.
    let again = printed(hetsim(&folder).args(["plot", "output/s"]));
    assert!(again.contains(&told.replace("failed", "are missing")), "{again}");
}

/// Runs that failed are not called missing, with or without shards.
#[test]
fn failed_runs_are_told_by_status() {
    let (folder, ..) = run(r#"["80B", "100B"]"#, 1);
    let status = || printed(wide(&folder).args(["status", "output/s"]));
    let said = status();
    assert!(
        said.contains(" runs failed: the results in output/s/report.html are of the others. To see why: "),
        "{said}"
    );
    wide(&folder).args(["s.toml", "--shard", "0/1", "--set", "seed=1"]).assert().code(1);
    let said = status();
    assert!(said.contains("Runs that failed may fail again (") && said.contains("merge output/s --partial"), "{said}");
}

#[test]
fn few_points_are_named_and_the_others_counted() {
    let (_folder, said, ..) = run(r#"["80B", "81B", "82B", "83B", "84B", "85B"]"#, 1);
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("Runs failed at 6 points: ") && said.contains("; and at 3 more. Means are of"), "{said}");
}

#[test]
fn points_without_any_run_are_named() {
    let none = r#""workload.sizes" = [{ distribution = "constant", value = "90B" }, { distribution = "constant", value = "1kB" }]"#;
    let text = TRAFFIC.replace("\"workload.sizes.from\" = FROM", none).replace("rows = \"from\"", "rows = \"sizes\"");
    let folder = here(&[("falling.toml", FORMULA), ("s.toml", &text)]);
    hetsim(&folder).arg("s.toml").assert().code(1).stdout(contains("All runs failed at sizes = "));
}

#[test]
fn nothing_is_said_where_all_went_well() {
    let (_folder, said, page, summary) = run(r#"["100B", "150B"]"#, 0);
    assert_eq!(counts(&summary), ["5", "5"]);
    assert!(!said.contains("failed") && !page.contains("means are of the others"), "{said}");
}

/// An operation that a failed node keeps from its end names that node, and says what was lost with it.
#[test]
fn a_failed_node_is_named() {
    let error = |workload: &str| {
        let text = format!(
            "version = 1\n[platform.cluster.lab]\nnodes = 4\nnetwork = {{ model = \"hockney\", latency = \"50us\", bandwidth = \"1Gbit/s\" }}\n\
             fault = [{{ nodes = [2], profile = {{ kind = \"at\", from = \"0s\" }} }}]\n[workload]\n{workload}\nsize = \"8KiB\"\n"
        );
        read(&text).run(0, 0).expect_err("a node is down").to_string()
    };
    let broadcast = error("kind = \"broadcast\"\nalgorithm = \"linear\"");
    assert!(broadcast.contains("only 3 of 4 ranks have the message; node 2 was down at the end"), "{broadcast}");
    assert!(broadcast.contains("; a message was lost with a node that failed"), "{broadcast}");
    let reduce = error("kind = \"collective\"\noperation = \"all_reduce\"\nalgorithm = \"ring\"");
    assert!(reduce.contains("of 4 ranks were done; node 2 was down at the end"), "{reduce}");
}

/// A node that is up again has lost what it computed: the error says so, since nothing is down at the end.
#[test]
fn a_lost_computation_is_named() {
    for sharing in ["one_at_a_time", "processor"] {
        let text = format!(
            "version = 1\n[platform]\nsharing = \"{sharing}\"\n[platform.cluster.lab]\nnodes = 1\nspeed = \"1Gop/s\"\n\
             network = {{ model = \"hockney\", latency = \"50us\", bandwidth = \"1Gbit/s\" }}\n\
             fault = [{{ profile = {{ kind = \"at\", from = \"5s\", until = \"6s\" }} }}]\n\
             [workload]\nkind = \"phases\"\n[[workload.phase]]\ncompute = \"10Gop\"\n"
        );
        let error = read(&text).run(0, 0).expect_err("the computation is lost").to_string();
        let lost = "only 0 of 1 ranks were done; a computation was lost with node 0, which went down at 5s";
        assert!(error.contains(lost), "{error}");
    }
}
