//! `hetsim convert`, as a shell and its user see it.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use tempfile::TempDir;

use crate::support::{here, hetsim};

fn sample(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/graphs").join(file)
}

fn convert(folder: &TempDir) -> Command {
    let mut command = hetsim(folder);
    command.arg("convert");
    command
}

/// Through every format and back, the diamond keeps what the formats can hold: work, edges, data.
#[test]
fn a_graph_goes_through_every_format() {
    let folder = TempDir::new().unwrap();
    let mut before = sample("workflow-1.5.json");
    for (file, format) in [
        ("a.dax", "dax"),
        ("b.dot", "dot"),
        ("c.json", "wfformat"),
        ("d.toml", "toml"),
        ("e.stg", "stg"),
        ("f.json", "matrix"),
        ("g.toml", "toml"),
    ] {
        convert(&folder)
            .arg(&before)
            .args([file, "--to", format])
            .assert()
            .success()
            .stderr(contains("3 tasks and 3 edges"));
        before = folder.path().join(file);
    }
    let text = fs::read_to_string(before).unwrap();
    for line in ["{ operations = 2.5 }", "{ from = 0, to = 1, bytes = 3500 }", "{ from = 0, to = 2, bytes = 0 }"] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert!(fs::read_to_string(folder.path().join("d.toml")).unwrap().contains("from = \"split\", to = \"work\""));
}

/// Editors on Windows put a mark before a text and two characters between its lines.
#[test]
fn a_graph_from_windows_is_the_same() {
    let folder = TempDir::new().unwrap();
    for file in
        ["workflow-1.5.json", "workflow.dax", "diamond.dot", "diamond.toml", "costs.stg", "jobs.swf", "matrix.json"]
    {
        let converted = |content: String| {
            fs::write(folder.path().join(file), content).unwrap();
            convert(&folder).args([file, "made.toml"]).assert().success();
            fs::read_to_string(folder.path().join("made.toml")).unwrap()
        };
        let text = fs::read_to_string(sample(file)).unwrap();
        let plain = converted(text.clone());
        assert_eq!(converted(format!("\u{feff}{}", text.replace('\n', "\r\n"))), plain, "{file}");
    }
}

#[test]
fn what_a_format_cannot_hold_is_said() {
    let folder = TempDir::new().unwrap();
    let assert = convert(&folder).arg(sample("diamond.toml")).arg("d.stg").assert().success();
    assert.stderr(contains("stg cannot hold the names of tasks and the cost matrix"));
}

/// A log of jobs becomes tasks, with what is left out said, and comes back as a log.
#[test]
fn a_log_of_jobs_is_read_and_written() {
    let folder = TempDir::new().unwrap();
    let log = |to: &str| convert(&folder).arg(sample("jobs.swf")).args([to, "--speed", "1Gop/s"]).assert().success();
    log("jobs.dot")
        .stderr(contains("6 tasks").and(contains("1 in all")).and(contains("dot cannot hold when jobs arrive")));
    log("jobs.toml").stderr(contains("cannot hold").not());
    let text = fs::read_to_string(folder.path().join("jobs.toml")).unwrap();
    assert!(text.contains("{ arrival = 30.25, operations = 12000000000.0 }"), "{text}");
    convert(&folder).arg(sample("jobs.swf")).args(["again.swf", "--speed", "1op/s"]).assert().success();
    let text = fs::read_to_string(folder.path().join("again.swf")).unwrap();
    assert!(text.contains("\n3 30.25 -1 12 1 "), "{text}");
}

#[test]
fn times_become_work_by_a_speed() {
    let folder = TempDir::new().unwrap();
    let mut command = convert(&folder);
    command.arg(sample("workflow.dax")).args(["-", "--to", "dot", "--speed", "2Gop/s"]);
    command.assert().success().stdout(contains("\"split\" [operations=\"5000000000\"]"));
}

/// Work in operations is no time, so that it needs no speed.
#[test]
fn a_speed_is_for_times() {
    let folder = here(&[
        ("work.dot", "digraph { a [operations=\"4Mop\"]; a -> b [bytes=5]; b [operations=\"1op\"] }"),
        ("work.toml", "version = 1\ntasks = [{ operations = \"4Mop\" }, { operations = \"1op\" }]\n"),
        ("mixed.dot", "digraph { a [operations=\"4Mop\"]; a -> b [bytes=5]; b [operations=2] }"),
    ]);
    for file in ["work.dot", "work.toml", "mixed.dot"] {
        let wrong = convert(&folder).args([file, "made.stg", "--speed", "2Gop/s"]).assert().code(2);
        wrong.stderr(contains("`4Mop` is work and no time").and(contains(format!("{file}:"))));
        convert(&folder).args([file, "made.stg"]).assert().success();
    }
}

#[test]
fn a_graph_keeps_its_name_where_there_is_a_place() {
    let folder = here(&[("mine.toml", "version = 1\nname = \"mine\"\ntasks = [{ operations = 1 }]\n")]);
    let mut before = "mine.toml";
    for (file, format) in [("a.json", "wfformat"), ("b.json", "matrix"), ("c.toml", "toml")] {
        convert(&folder).args([before, file, "--to", format]).assert().success().stderr(contains("cannot hold").not());
        before = file;
    }
    assert!(fs::read_to_string(folder.path().join("c.toml")).unwrap().contains("\nname = \"mine\"\n"));
    let lost = convert(&folder).args(["c.toml", "d.dot"]).assert().success();
    lost.stderr(contains("dot cannot hold the name of the graph"));
}

/// An output that can't be written is bad input, as with other commands.
#[test]
fn an_output_without_a_folder_is_refused() {
    let folder = here(&[("plain.stg", "1\n0 1 0\n")]);
    let nowhere = convert(&folder).args(["plain.stg", "none/x.toml"]).assert().code(2);
    nowhere.stderr(contains("none/x.toml: No such file"));
}

#[test]
fn one_of_several_graphs_is_chosen_by_name() {
    let folder = TempDir::new().unwrap();
    let two = || {
        let mut command = convert(&folder);
        command.arg(sample("two.json")).arg("out.stg");
        command
    };
    two().assert().code(2).stderr(contains("2 graphs").and(contains("chain,")).and(contains("pair")));
    two().args(["--instance", "chian"]).assert().code(2).stderr(contains("did you mean `chain`"));
    two().args(["--instance", "chain"]).assert().success();
    assert_eq!(fs::read_to_string(folder.path().join("out.stg")).unwrap(), "2\n0 2 0\n1 3 1 0 9\n");
}

/// Bad input is code 2 with the place in the file, and leaves the old output alone.
#[test]
fn faults_are_shown_where_they_are() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("bad.stg"), "3\n0 1 0\n1 1 1 0\n2 1 1 9\n").unwrap();
    fs::write(folder.path().join("out.dot"), "old").unwrap();
    convert(&folder)
        .args(["bad.stg", "out.dot"])
        .assert()
        .code(2)
        .stderr(contains("there is no task 9").and(contains("bad.stg:4:7")).and(contains("2 1 1 9")));
    assert_eq!(fs::read_to_string(folder.path().join("out.dot")).unwrap(), "old");
    fs::write(folder.path().join("ring.dot"), "digraph { node [size=1]; a -> b -> c -> a }").unwrap();
    let cycle = convert(&folder).args(["ring.dot", "out.stg"]).assert().code(2);
    cycle.stderr(contains("ring.dot").and(contains("a → b → c → a")));
    convert(&folder).args(["missing.dot", "out.stg"]).assert().code(2).stderr(contains("there is no file missing.dot"));
    convert(&folder).args(["ring.txt", "out.stg"]).assert().code(2);
    convert(&folder).args(["ring.dot", "out.json"]).assert().code(2).stderr(contains("--to wfformat"));
    convert(&folder).args(["ring.dot", "out.txt"]).assert().code(2).stderr(contains("--to toml|stg|"));
    convert(&folder).args(["ring.dot", "out.stg", "--from", "dotty"]).assert().code(2);
    fs::write(folder.path().join("p.toml"), "transport = {}\n[cluster.a]\nnodes = 1\n").unwrap();
    let platform = convert(&folder).args(["p.toml", "out.xml"]).assert().code(2);
    platform.stderr(contains("p.toml has a platform: platforms are converted only from SimGrid's XML to"));
    assert!(!folder.path().join("out.stg").exists());
}

/// However its path is written, and whatever it holds.
#[test]
fn the_input_is_not_replaced() {
    let folder = TempDir::new().unwrap();
    for (file, out) in [("plain.stg", "./plain.stg"), ("machine.toml", "machine.toml")] {
        fs::write(folder.path().join(file), "old").unwrap();
        let same = convert(&folder).args([file, out]).assert().code(2);
        same.stderr(contains(format!("OUT {out}: the input would be replaced")));
        assert_eq!(fs::read_to_string(folder.path().join(file)).unwrap(), "old");
    }
}

#[test]
fn help_and_completions_know_the_formats() {
    let folder = TempDir::new().unwrap();
    let help = convert(&folder).arg("--help").assert().success();
    help.stdout(contains("dot -Tsvg").and(contains("WfFormat 1.2 to 1.6")));
    hetsim(&folder).args(["completions", "bash"]).assert().success().stdout(contains("wfformat"));
}

/// The input of HPL becomes a scenario that is valid as it is; a mistake in it is shown where it stands.
#[test]
fn an_input_of_hpl_becomes_a_scenario() {
    let input = "HPLinpack\nTennessee\nHPL.out\n6\n1\n1000 Ns\n2\n64 128 NBs\n0\n2\n2 1 Ps\n4 8 Qs\n16.0\n1\n1\n1\n2\n1\n2\n1\n2\n\
                 1\n0\n1\n1\n2\n64\n0\n0\n1\n8\n";
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("HPL.dat");
    fs::write(&file, input).unwrap();
    convert(&folder).args(["HPL.dat", "hpl.toml"]).assert().success().stderr(contains("put your machine"));
    hetsim(&folder).args(["check", "hpl.toml"]).assert().success().stdout(contains("4 points"));
    fs::write(&file, input.replace("64\n0\n0\n1\n8\n", "64\n0\n1\n1\n8\n")).unwrap();
    let noted = convert(&folder).args(["HPL.dat", "hpl.toml"]).assert().success();
    noted.stderr(contains("note: hetsim has no key for the form of U: `no-transposed` is left out"));
    fs::write(&file, input.replace("64 128", "64 12x")).unwrap();
    let wrong = convert(&folder).args(["HPL.dat", "-"]).assert().code(2);
    wrong.stderr(contains("HPL.dat:8:4").and(contains("`12x` is no whole number")));
    fs::write(&file, input).unwrap();
    convert(&folder).args(["HPL.dat", "-", "--to", "dot"]).assert().code(2).stderr(contains("--to is for task graphs"));
}
