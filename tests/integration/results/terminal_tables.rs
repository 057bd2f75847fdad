//! Tables as people see them: at 80 columns, in a narrower terminal, and in a pipe; and the files beside them.

use std::fs;

use tempfile::TempDir;

use crate::support::{here, hetsim, printed};

/// Islands on unequal machines, with replicas: wide cells, and values that say nothing without their key.
const ISLANDS: &str = r#"version = 1
question = "Which is done earlier?"
replicas = 5
[platform.cluster]
old = { nodes = 2, speed = "1Gop/s", network = { model = "hockney", latency = "5ms", bandwidth = "100Mbit/s" } }
new = { nodes = 2, speed = "4Gop/s", network = { model = "hockney", latency = "5ms", bandwidth = "100Mbit/s" } }
[platform.between]
network = { model = "hockney", latency = "5ms", bandwidth = "100Mbit/s" }
[workload]
kind = "island"
population = 32
generations = 10
task = { distribution = "gamma", mean = "1Gop", deviation = "0.3Gop" }
breeding = "0.1Gop"
[workload.search]
objective = "rastrigin"
genes = 4
[sweep]
"workload.topology" = ["none", "star", "complete"]
"workload.synchronous" = [true, false]
[[table]]
title = "Completion"
rows = "topology"
columns = "synchronous"
metric = "completion_s"
[[table]]
title = "Everything of islands that wait for each other"
rows = "topology"
metric = "completion_s"
also = ["best_error", "mean_error", "busy_max_s", "speedup_no_idle", "lost_to_distribution", "rounds"]
where = { synchronous = true }
"#;

/// A partition that always finds the clusters.
const FOUND: &str = r#"version = 1
replicas = 20
[platform.cluster]
a = { nodes = 3, network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" } }
b = { nodes = 3, network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" } }
[platform.between]
network = { model = "hockney", latency = "10ms", bandwidth = "1Gbit/s" }
[study]
kind = "partition"
method = "lowekamp"
[sweep]
"study.repetitions" = [1, 3]
[[table]]
rows = "repetitions"
metric = "matches"
also = ["clusters"]
"#;

/// What a scenario says in a terminal of so many columns, or in a pipe; and the folder that holds its results.
#[track_caller]
fn run(text: &str, columns: Option<&str>) -> (String, TempDir) {
    let folder = here(&[("it.toml", text)]);
    let mut command = hetsim(&folder);
    match columns {
        Some(columns) => command.env("COLUMNS", columns),
        None => command.env_remove("COLUMNS"),
    };
    (printed(command.arg("it.toml")), folder)
}

fn read(folder: &TempDir, file: &str) -> String {
    fs::read_to_string(folder.path().join("output/it").join(file)).unwrap()
}

#[test]
fn eighty_columns_break_no_word_and_no_number() {
    let (said, folder) = run(ISLANDS, Some("80"));
    insta::assert_snapshot!("islands_at_80", said);
    assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
    let page = read(&folder, "report.html");
    assert!(page.contains("<th scope=\"colgroup\" colspan=\"2\">synchronous</th>"), "{page}");
}

#[test]
fn a_narrow_terminal_gets_blocks_of_columns() {
    let (said, _) = run(ISLANDS, Some("50"));
    insta::assert_snapshot!("islands_at_50", said);
}

#[test]
fn a_pipe_gets_each_table_in_one_piece() {
    let (said, _) = run(ISLANDS, None);
    insta::assert_snapshot!("islands_in_a_pipe", said);
}

#[test]
fn shares_have_intervals_within_0_and_1() {
    let (said, folder) = run(FOUND, Some("80"));
    // Wilson's interval of 20 of 20: from 1 / (1 + z²/20) on.
    assert!(said.contains("1.00\u{a0}(0.84–1.00)") && said.contains("in brackets the 95 % interval"), "{said}");
    let summary = read(&folder, "summary.csv");
    let mut reader = csv::Reader::from_reader(summary.as_bytes());
    let headers = reader.headers().unwrap().clone();
    let at = |name: &str| headers.iter().position(|own| own == name).unwrap_or_else(|| panic!("{name} in {summary}"));
    for record in reader.records() {
        let record = record.unwrap();
        let cell = |name: &str| record[at(name)].parse::<f64>().unwrap();
        assert_eq!(cell("matches_mean"), 1.0);
        assert!((cell("matches_low95") - 0.838_875).abs() < 1e-5, "{summary}");
        assert!(cell("matches_high95") <= 1.0, "{summary}");
        // A number of clusters is no share: all alike, it has no spread.
        assert_eq!(cell("clusters_low95"), cell("clusters_high95"));
    }
}

/// A single run may be a share of many draws, whose interval is explained as well.
#[test]
fn intervals_are_explained_without_replicas() {
    let text = r#"version = 1
[study]
kind = "schedules"
clusters = 2
draws = 20
latency = { from = "1ms", to = "15ms" }
gap = { from = "100ms", to = "600ms" }
inside = { from = "20ms", to = "3000ms" }
[sweep]
"study.clusters" = [2, 4]
[[table]]
rows = "clusters"
metric = "hit_rate_ecef"
"#;
    let (said, _) = run(text, Some("80"));
    assert!(said.contains("in brackets") && said.contains("the 95 % interval"), "{said}");
}

#[test]
fn no_column_of_the_summary_is_blank_in_every_row() {
    for (text, columns) in [(ISLANDS.to_owned(), true), (ISLANDS.replace("replicas = 5", "replicas = 1"), false)] {
        let (_, folder) = run(&text, None);
        let summary = read(&folder, "summary.csv");
        let mut reader = csv::Reader::from_reader(summary.as_bytes());
        let headers = reader.headers().unwrap().clone();
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        for (at, name) in headers.iter().enumerate() {
            assert!(rows.iter().any(|row| !row[at].is_empty()), "{name} is blank");
        }
        assert_eq!(headers.iter().any(|name| name == "completion_s_low95"), columns, "{headers:?}");
        assert!(headers.iter().any(|name| name == "completion_s_mean"));
    }
}

#[test]
fn metrics_are_listed_with_unit_and_direction() {
    let said = printed(hetsim(".").args(["list", "metrics"]));
    for words in [
        "Metrics of `broadcast`\n  completion_s                [s, less is better] when the last rank had",
        "  speedup                     [more is better] the best serial time over the",
        "  throughput_bytes_per_s      [B/s, more is better]",
        "  events                      events handled",
        "  most_used_link              [a name]",
        "  scheduling_s                [s, less is better, wall-clock time]",
    ] {
        assert!(said.contains(words), "{words}\n{said}");
    }
    assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
    // The formula and the source stand behind the meaning.
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("over the completion time; s_tot = T_1,min/T_tot (Bazterra et al. 2005, Eq. 15)"),
        "{words}"
    );
}
