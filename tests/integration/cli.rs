//! The command line, as a shell and its user see it.

use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use predicates::prelude::*;
use predicates::str::contains;
use tempfile::TempDir;

use super::support::{self, hetsim, printed};

const SMALL: &str = r#"version = 1
question = "Which is faster?"
[platform.cluster.lab]
nodes = 8
network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }
[workload]
kind = "broadcast"
size = "8KiB"
algorithm = "binomial"
[sweep]
"workload.algorithm" = ["linear", "binomial"]
"workload.size" = ["1KiB", "8KiB"]
[[table]]
rows = "size"
best = "algorithm"
metric = "completion_s"
[[expect]]
metric = "messages"
value = 7
source = "P - 1"
"#;

fn folder_with(text: &str) -> TempDir {
    support::here(&[("small.toml", text)])
}

fn output(folder: &Path, words: &[&str]) -> Output {
    hetsim(folder).args(words).output().expect("it runs")
}

/// Standard output of a command that succeeds.
#[track_caller]
fn said(folder: &Path, words: &[&str]) -> String {
    printed(hetsim(folder).args(words))
}

fn here(words: &[&str]) -> String {
    said(Path::new(env!("CARGO_MANIFEST_DIR")), words)
}

#[track_caller]
fn fits(text: &str) {
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{} columns: {line}\n{text}", line.chars().count());
    }
}

#[test]
fn help_teaches() {
    let help = here(&["--help"]);
    for word in [
        "run",
        "check",
        "new",
        "list",
        "schema",
        "completions",
        "plot",
        "trace",
        "compare",
        "convert",
        "Examples:",
        "Exit codes:",
    ] {
        assert!(help.contains(word), "{word} should be in\n{help}");
    }
    fits(&help);
    let run = here(&["run", "--help"]);
    for word in ["--set <KEY=VALUE>", "--seed <N>", "--out <DIR>", "--jobs <N>", "--fresh", "--strict", "--quiet"] {
        assert!(run.contains(word), "{word} should be in\n{run}");
    }
    fits(&run);
    // Without a word, help is what is needed.
    hetsim(Path::new(".")).assert().code(2).stderr(contains("Examples:"));
    assert!(here(&["--version"]).starts_with("hetsim 0."));
}

#[test]
fn list_names_everything_with_a_line_each() {
    let list = here(&["list"]);
    for name in [
        "broadcast",
        "loggp",
        "plogp",
        "lmo",
        "fair",
        "periodic",
        "gamma",
        "binomial",
        "split_binary",
        "ecef_lat_max",
        "exact",
        "static_nominal",
        "factoring2",
        "grid",
    ] {
        assert!(
            list.lines().any(|line| line.trim_start().starts_with(&format!("{name} "))),
            "{name} should be in\n{list}"
        );
    }
    for line in list.lines().filter(|line| line.starts_with("  ")) {
        assert!(line.len() > 30, "what is {line}?");
    }
    fits(&list);
}

/// What is asked for is a thing or a plural; what nobody has ends with an error, whatever stands before it.
#[test]
fn list_finds_words() {
    let one = here(&["list", "topology", "torus"]);
    assert_eq!(here(&["list", "topologies", "torus"]).is_empty(), one.is_empty());
    // Not everything in which "lo" or "cla" stands.
    for word in ["loss", "class"] {
        let said = hetsim(Path::new(".")).args(["list", word]).output().unwrap();
        let lines = String::from_utf8(said.stdout).unwrap();
        assert!(lines.lines().count() < here(&["list"]).lines().count() / 4, "{lines}");
    }
    hetsim(Path::new("."))
        .args(["list", "metrics", "nosuchthing"])
        .assert()
        .code(2)
        .stderr(contains("nothing in the list"));
    assert!(here(&["list", "Metrics", "completion_s"]).contains("The direction says which value is best"));
}

/// What is read from files and what commands do is found by its words, though the list alone does not show it.
#[test]
fn list_finds_files_and_commands() {
    for (word, found) in [
        ("workflow", &["\n  wfformat ", "\n  dax "][..]),
        ("osu", &["\n  measure FILE ", "\n  calibrate FILE ", "\n  validate FILE "]),
        ("pico", &["\n  validate FILE "]),
        ("simgrid", &["\n  platform.include ", "\n  workload.trace ", "\n  convert "]),
        ("shard", &["\n  merge ", "\n  status ", "\n  submit "]),
        ("slurm", &["Batch systems (hetsim submit --engine)\n  slurm "]),
        ("design", &["\n  morris ", "\n  saltelli "]),
        ("commands", &["\n  completions "]),
        ("bcast", &["\n  broadcast "]),
        ("files", &["\n  stg ", "\n  derive.file ", "\n  fit DATA "]),
    ] {
        let list = here(&["list", word]);
        fits(&list);
        for entry in found {
            assert!(list.contains(entry), "{word}: {entry} should be in\n{list}");
        }
        // "Profile" has no file.
        assert!(!list.contains("Up for Weibull times"), "{list}");
    }
    // "Workload" has no load.
    let loads = here(&["list", "load"]);
    assert!(loads.contains("\n  periodic ") && !loads.contains("Workloads"), "{loads}");
    let all = here(&["list"]);
    assert!(all.ends_with("More about a name: hetsim explain NAME\n") && !all.contains("Commands ("), "{all}");
    // A name of a key's value alone is no entry of the list.
    hetsim(Path::new(".")).args(["list", "two_point"]).assert().code(2).stderr(contains("hetsim explain two_point"));
}

/// Nodes that differ are shown from the least to the greatest.
#[test]
fn check_shows_ranges_of_speeds_and_cores() {
    let network = "network = { model = \"hockney\", latency = \"50us\", bandwidth = \"1Gbit/s\" }";
    let text = format!(
        "version = 1\n[platform.cluster.lab]\nnodes = 3\nnode_cores = [8, 1, 2]\nspeeds = [\"2Gop/s\", \"5Gop/s\", \"1Gop/s\"]\n\
         {network}\n[platform.cluster.alike]\nnodes = 2\nspeeds = [\"2Gop/s\", \"2Gop/s\"]\n{network}\n\
         [platform.cluster.near]\nnodes = 2\nspeeds = [\"2Gop/s\", \"2.001Gop/s\"]\n{network}\n\
         [platform.between]\n{network}\n[workload]\nkind = \"broadcast\"\nsize = \"1MiB\"\nalgorithm = \"binomial\"\n"
    );
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("s.toml"), text).unwrap();
    let said = printed(hetsim(folder.path()).args(["check", "s.toml"]));
    fits(&said);
    let row = |name: &str| {
        let row = said.lines().find(|line| line.trim_start().starts_with(name)).unwrap_or_else(|| panic!("{said}"));
        row.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(row("lab ")[1..4], ["3", "1 to 8", "10⁹ to 5×10⁹ op/s"]);
    assert_eq!(row("alike ")[1..4], ["2", "1", "2×10⁹ op/s"]);
    assert_eq!(row("near ")[3], "2×10⁹ to 2.001×10⁹ op/s");
}

/// What several kinds have is listed once, with all of them.
#[test]
fn list_shows_a_thing_once() {
    let times = |list: &str, entry: &str| list.matches(&format!("\n  {entry} ")).count();
    let metrics = here(&["list", "metrics"]);
    for name in ["d_conf", "efficiency", "unseen_points"] {
        assert_eq!(times(&metrics, name), 1, "{name}\n{metrics}");
    }
    assert!(here(&["list", "diversity"]).contains("Metrics of every workload, the study `adversarial`, the study"));
    // Tables of one name that record other things are others.
    let tables = here(&["list", "long", "tables"]);
    assert_eq!((times(&tables, "by_ranks"), times(&tables, "search")), (1, 1), "{tables}");
    assert!(times(&tables, "nodes") > 1, "{tables}");
    assert!(tables.contains("nodes                       genetic, independent, island"), "{tables}");
}

/// Every property that lacks a description, by its way through the schema.
fn undescribed(schema: &serde_json::Value, way: &str, found: &mut Vec<String>) {
    if let Some(properties) = schema.get("properties").and_then(|properties| properties.as_object()) {
        for (name, property) in properties {
            if property.get("description").and_then(|text| text.as_str()).is_none_or(str::is_empty) {
                found.push(format!("{way}/{name}"));
            }
        }
    }
    match schema {
        serde_json::Value::Object(parts) => {
            parts.iter().for_each(|(name, part)| undescribed(part, &format!("{way}/{name}"), found));
        }
        serde_json::Value::Array(parts) => {
            parts.iter().enumerate().for_each(|(name, part)| undescribed(part, &format!("{way}/{name}"), found));
        }
        _ => {}
    }
}

#[test]
fn the_schema_describes_every_property() {
    for words in [&["schema"][..], &["schema", "--descriptions"]] {
        let schema: serde_json::Value = serde_json::from_str(&here(words)).expect("JSON");
        assert_eq!(schema["title"], "hetsim scenario");
        assert!(schema["properties"].as_object().is_some_and(|properties| properties.len() >= 12));
    }
    // That for editors says of a key what the one that it is made from does.
    let mut found = Vec::new();
    undescribed(hetsim::report::spec::NOTATION.schema(), "", &mut found);
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn completions() {
    let script = here(&["completions", "bash"]);
    assert!(script.contains("complete -F _hetsim") && script.contains("--fresh"));
    for shell in ["zsh", "fish"] {
        assert!(!here(&["completions", shell]).is_empty());
    }
    hetsim(Path::new(".")).args(["completions", "tcsh"]).assert().code(2);
}

#[test]
fn check_shows_the_platform_and_the_number_of_runs() {
    let folder = folder_with(SMALL);
    let text = said(
        folder.path(),
        &["check", "small.toml", "--set", "replicas=3", "--set", "platform.cluster.lab.nodes=5", "--set", "expect=[]"],
    );
    for part in [
        "small.toml is valid",
        "Which is faster?",
        "5 nodes in 1 cluster",
        "lab",
        "workload.algorithm",
        "4 points × 3 replicas = 12 runs",
    ] {
        assert!(text.contains(part), "{part} should be in\n{text}");
    }
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1, "nothing is written");
    fits(&here(&["check", "scenarios/grid5000.toml"]));
}

#[test]
fn a_run_answers_and_says_what_it_wrote() {
    let folder = folder_with(SMALL);
    let output = output(folder.path(), &["small.toml", "--jobs", "1"]);
    assert_eq!(output.status.code(), Some(0));
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    for part in ["Which is faster?", "best algorithm", "Expectations: 4 of 4 met", "Written: output/small/report.html"]
    {
        assert!(stdout.contains(part), "{part} should be in\n{stdout}");
    }
    assert_eq!(stderr, "small: 4 runs\n");
    for text in [&stdout, &stderr] {
        assert!(!text.contains('\u{1b}'), "no colours where nobody looks");
    }
    fits(&stdout);
    let results = fs::read_to_string(folder.path().join("output/small/results.csv")).expect("results");
    let header = results.lines().next().expect("a header");
    assert!(header.starts_with("run,algorithm,size,replica,seed,completion_s,"), "{header}");
    assert_eq!(results.lines().count(), 5);
    for file in ["summary.csv", "expect.csv", "report.html", "scenario.resolved.toml", "manifest.json"] {
        assert!(folder.path().join("output/small").join(file).is_file(), "{file}");
    }
    // What was resolved is a scenario with the same results.
    said(folder.path(), &["run", "output/small/scenario.resolved.toml", "--out", "again", "--quiet"]);
    let again = fs::read_to_string(folder.path().join("again/scenario.resolved/results.csv")).expect("results");
    assert_eq!(again, results);
}

#[test]
fn tables_fit_the_terminal() {
    let folder = TempDir::new().expect("a folder");
    let scenario = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/grid5000.toml");
    let scenario = scenario.to_str().expect("UTF-8");
    let text = said(folder.path(), &[scenario]);
    fits(&text);
    assert!(text.contains("The fastest of all broadcasts for each size"), "{text}");
    let text = said(folder.path(), &["check", scenario, "--set", "platform.cluster.orsay.network.latency=1us"]);
    fits(&text);
    assert!(text.contains("6 clusters"), "{text}");
}

#[test]
fn values_and_seeds_from_the_command_line() {
    let folder = folder_with(SMALL);
    said(
        folder.path(),
        &["small.toml", "--quiet", "--seed", "7", "--set", "platform.cluster.lab.nodes=3", "--set", "expect=[]"],
    );
    let results = fs::read_to_string(folder.path().join("output/small/results.csv")).expect("results");
    let mut rows = results.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = rows.next().expect("a header");
    let column = |name: &str| header.iter().position(|column| *column == name).expect("a column");
    for row in rows {
        assert_eq!((row[column("seed")], row[column("messages")]), ("7", "2"));
    }
    let manifest: serde_json::Value = serde_json::from_str(
        &fs::read_to_string(folder.path().join("output/small/manifest.json")).expect("a manifest"),
    )
    .expect("JSON");
    assert_eq!(manifest["seed"], 7);
    assert_eq!(manifest["overrides"][2], "seed=7");
}

#[test]
fn quiet_says_nothing() {
    let folder = folder_with(SMALL);
    hetsim(folder.path()).args(["small.toml", "--quiet"]).assert().code(0).stdout("").stderr("");
}

#[test]
fn strict_turns_a_missed_expectation_into_a_failure() {
    let folder = folder_with(&SMALL.replace("value = 7", "value = 8"));
    hetsim(folder.path()).arg("small.toml").assert().code(0).stdout(contains("Expectations: 0 of 4 met"));
    let strict = hetsim(folder.path()).args(["small.toml", "--strict"]).assert().code(1);
    strict.stdout(contains("✗")).stderr(contains("4 expectations are missed"));
    hetsim(folder.path()).args(["small.toml", "--strict", "--set", "expect=[]"]).assert().code(0);
}

#[test]
fn colours_only_where_they_are_seen() {
    let folder = folder_with(&SMALL.replace("nodes = 8", "nodes = 0"));
    let no_colours = || contains("\u{1b}").not();
    for no_color in ["", "1"] {
        hetsim(folder.path()).env("NO_COLOR", no_color).arg("small.toml").assert().code(2).stderr(no_colours());
    }
}

#[test]
fn kinds_of_new_scenarios_are_listed() {
    let text = here(&["new"]);
    fits(&text);
    assert!(text.contains("\n  broadcast    broadcast algorithms in one cluster, by message size\n"), "{text}");
    assert_eq!(text.matches("\n  ").count(), hetsim::scenario::TEMPLATES.len() + text.matches("\n   ").count());
}

#[test]
fn new_scenarios_run() {
    let folder = TempDir::new().expect("a folder");
    for kind in ["broadcast", "grid"] {
        fs::write(folder.path().join(format!("{kind}.toml")), said(folder.path(), &["new", kind])).expect("a file");
        let text = said(folder.path(), &[&format!("{kind}.toml")]);
        assert!(text.contains("The fastest"), "{text}");
        fits(&text);
    }
}

#[test]
fn trace_tells_all_of_one_run() {
    let folder = folder_with(SMALL);
    let text = said(folder.path(), &["trace", "small.toml", "--run", "0", "--gantt", "run.svg"]);
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("send_s,arrival_s,from,to,bytes,message"));
    assert_eq!(lines.clone().count(), 7);
    assert!(lines.all(|line| line.split(',').nth(2) == Some("0") && line.ends_with(",1024,part")), "{text}");
    let svg = fs::read_to_string(folder.path().join("run.svg")).expect("a picture");
    assert!(roxmltree::Document::parse(&svg).is_ok());
    // A run may be called by the name that the results give it.
    said(folder.path(), &["small.toml", "--quiet"]);
    let results = fs::read_to_string(folder.path().join("output/small/results.csv")).expect("results");
    let name = results.lines().nth(1).and_then(|row| row.split(',').next()).expect("a run");
    assert_eq!(said(folder.path(), &["trace", "small.toml", "--run", name]), text);
    assert_eq!(said(folder.path(), &["trace", "small.toml", "--run", &name[..8]]), text);
}

#[test]
fn trace_shows_what_is_used() {
    let folder = folder_with(&SMALL.replace("model = \"hockney\"", "model = \"fair\""));
    let files = ["--gantt", "run.svg", "--links", "--utilization", "links.svg", "--node-utilization", "nodes.svg"];
    let more = ["trace", "small.toml", "--run", "0", "--trace", "run.json"];
    said(folder.path(), &[&more[..], &files[..]].concat());
    for name in ["run.svg", "links.svg"] {
        let svg = fs::read_to_string(folder.path().join(name)).expect("a picture");
        assert!(roxmltree::Document::parse(&svg).is_ok() && svg.contains("node 0 up"), "{name}");
    }
    assert!(folder.path().join("nodes.svg").exists());
    let trace = fs::read_to_string(folder.path().join("run.json")).expect("a trace");
    let trace: serde_json::Value = serde_json::from_str(&trace).expect("JSON");
    assert!(trace["traceEvents"].as_array().is_some_and(|events| events.iter().any(|event| event["ph"] == "C")));
    let text = said(folder.path(), &["small.toml"]);
    assert!(text.contains("\nMost contended link: "), "{text}");
    let report = fs::read_to_string(folder.path().join("output/small/report.html")).expect("a report");
    assert!(report.contains("Most contended link: "));
}

#[test]
fn links_that_nobody_shares_have_no_picture() {
    let folder = folder_with(SMALL);
    let mut command = hetsim(folder.path());
    command.args(["trace", "small.toml", "--run", "0", "--utilization", "links.svg"]);
    command.assert().failure().stderr(predicate::str::contains("this run has no shared links"));
    assert!(!folder.path().join("links.svg").exists());
}

#[test]
fn compare_shows_what_differs() {
    let folder = folder_with(SMALL);
    said(folder.path(), &["small.toml", "--quiet"]);
    said(
        folder.path(),
        &["small.toml", "--quiet", "--out", "slower", "--set", "platform.cluster.lab.network.latency=100us"],
    );
    let same = said(folder.path(), &["compare", "output/small", "output/small"]);
    assert_eq!(same, "4 points in the first, 4 in the second, 4 in both; 4 of these are equal.\n");
    let text = said(folder.path(), &["compare", "output/small", "slower/small"]);
    for part in ["0 of these are equal", "completion_s", "linear", "+", " %"] {
        assert!(text.contains(part), "{part} should be in\n{text}");
    }
    fits(&text);
    said(folder.path(), &["small.toml", "--quiet", "--out", "unswept", "--set", "sweep={}", "--set", "table=[]"]);
    hetsim(folder.path())
        .args(["compare", "output/small", "unswept/small"])
        .assert()
        .code(2)
        .stderr(contains("different swept keys"));
}

/// Ctrl-C ends a long scenario soon, and says so.
#[cfg(unix)]
#[test]
fn an_interrupted_run_exits_with_130() {
    let folder = folder_with(
        &SMALL
            .replace("nodes = 8", "nodes = 2000")
            .replace("[\"1KiB\", \"8KiB\"]", "{ from = \"1B\", to = \"1MiB\", steps = 5000 }")
            .replace("value = 7", "value = 1999"),
    );
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_hetsim"))
        .args(["small.toml", "--jobs", "1"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    // Until a run is stored.
    let stored =
        || fs::read_dir(folder.path().join("output/small/store")).is_ok_and(|mut store| store.next().is_some());
    let start = Instant::now();
    while !stored() && start.elapsed() < Duration::from_mins(1) {
        std::thread::sleep(Duration::from_millis(10));
    }
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    let start = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if start.elapsed() > Duration::from_secs(30) {
            child.kill().expect("it ends");
            panic!("it goes on after Ctrl-C");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().expect("its output");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("interrupted after") && stderr.contains("of 10000 runs"), "{stderr}");
    assert!(!folder.path().join("output/small/results.csv").exists(), "no half-written results");
}

/// Ctrl-C before the first run, while what is asked for is prepared.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_preparation_says_so() {
    // Both take seconds to prepare.
    let folder =
        folder_with(&SMALL.replace("[\"1KiB\", \"8KiB\"]", "{ from = \"1B\", to = \"1MiB\", steps = 400000 }"));
    for command in [["small.toml"].as_slice(), &["advise", "small.toml", "--replicas", "100000"]] {
        interrupt_preparation(folder.path(), command);
    }
}

#[cfg(target_os = "linux")]
fn interrupt_preparation(folder: &Path, command: &[&str]) {
    let child = std::process::Command::new(env!("CARGO_BIN_EXE_hetsim"))
        .args(command)
        .current_dir(folder)
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    // Bit 1 of the caught signals is SIGINT.
    let status = format!("/proc/{}/status", child.id());
    let catches = || {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        caught.is_some_and(|caught| u64::from_str_radix(caught.trim(), 16).is_ok_and(|caught| caught & 2 != 0))
    };
    let start = Instant::now();
    while !catches() && start.elapsed() < Duration::from_mins(1) {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(!folder.join("output").exists(), "it is still preparing");
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    let output = child.wait_with_output().expect("its output");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{command:?}: {stderr}");
    assert!(stderr.contains("error: interrupted before anything was computed; run the same command again"), "{stderr}");
    assert!(!folder.join("output").exists(), "nothing is written");
}

/// More jobs than cores cost time and nothing else, so they are cut, which is said.
#[test]
fn jobs_are_bounded_by_the_cores() {
    let folder = folder_with(SMALL);
    let output = output(folder.path(), &["small.toml", "--jobs", "1000000"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(stderr.contains("1000000 jobs are more than this machine has cores"), "{stderr}");
}

/// A reader that has had enough is no failure.
#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_failure() {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_hetsim"))
        .arg("schema")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("its output");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}
