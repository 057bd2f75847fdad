//! Standard output and standard error that can't be written: nothing said on them costs a result.
#![cfg(target_os = "linux")]

use std::fs::{self, File, OpenOptions};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use tempfile::TempDir;

use crate::sources::all_sources;
use crate::support::trees;

const LATENCIES: &str = ",a,b,c\na,0,30,500\nb,30,0,510\nc,500,510,0\n";

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("small.toml"), trees("completion")).unwrap();
    fs::write(folder.path().join("latencies.csv"), LATENCIES).unwrap();
    folder
}

/// A device on which every write fails for want of space.
fn full() -> Stdio {
    let device: File = OpenOptions::new().write(true).open("/dev/full").unwrap();
    device.into()
}

fn ends(folder: &Path, words: &[&str], stdout: Stdio, stderr: Stdio) -> ExitStatus {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hetsim"));
    command.current_dir(folder).args(words).env("RUST_LOG", "debug").stdout(stdout).stderr(stderr).status().unwrap()
}

/// Whether all results of the scenario are there.
fn has_results(folder: &Path, out: &str) -> bool {
    ["results.csv", "summary.csv", "report.html", "charts/completion.svg", "manifest.json"]
        .iter()
        .all(|name| folder.join(out).join("small").join(name).exists())
}

#[test]
fn a_full_standard_error_costs_nothing() {
    let folder = folder();
    let path = folder.path();
    let run = |words: &[&str]| ends(path, words, Stdio::null(), full()).code();
    assert_eq!(run(&["small.toml", "--out", "plain"]), Some(0));
    assert!(has_results(path, "plain"));
    for shard in ["0/2", "1/2"] {
        assert_eq!(run(&["small.toml", "--out", "cut", "--shard", shard]), Some(0));
    }
    assert_eq!(run(&["merge", "cut/small"]), Some(0));
    assert!(has_results(path, "cut"));
    assert_eq!(run(&["partition", "latencies.csv", "--out", "parts"]), Some(0));
    assert!(
        ["clusters.csv", "matrix.svg"].iter().all(|name| path.join("parts/partition-latencies").join(name).exists())
    );
    assert_eq!(run(&["status", "cut/small"]), Some(0));
    // What is wrong has its code, though nobody can read the message.
    assert_eq!(run(&["nowhere.toml"]), Some(2));
    assert_eq!(run(&["--nonsense"]), Some(2));
    assert_eq!(run(&["small.toml", "--out", "plain", "--set", "workload.size=1KiB", "--set", "nonsense=1"]), Some(2));
}

#[test]
fn a_full_standard_output_is_a_failure_after_the_results() {
    let folder = folder();
    let path = folder.path();
    let run = |words: &[&str]| ends(path, words, full(), Stdio::null()).code();
    assert_eq!(run(&["small.toml"]), Some(1));
    assert!(has_results(path, "output"));
    // The results say what they are of: the mark of a run under way is gone.
    assert!(!path.join("output/small/run.json").exists());
    assert_eq!(run(&["partition", "latencies.csv", "--out", "parts"]), Some(1));
    assert!(
        ["clusters.csv", "matrix.svg"].iter().all(|name| path.join("parts/partition-latencies").join(name).exists())
    );
    for words in
        [&["list"][..], &["schema"], &["new", "broadcast"], &["check", "small.toml"], &["--help"], &["--version"]]
    {
        assert_eq!(run(words), Some(1), "{words:?}");
    }
    // Who wants to hear nothing is told nothing.
    assert_eq!(run(&["small.toml", "--quiet"]), Some(0));
}

#[test]
fn both_full() {
    let folder = folder();
    assert_eq!(ends(folder.path(), &["small.toml"], full(), full()).code(), Some(1));
    assert!(has_results(folder.path(), "output"));
}

/// As `| head -1` does it: nobody reads on.
#[test]
fn a_reader_that_has_enough_is_no_failure() {
    let folder = folder();
    for words in [&["small.toml"][..], &["schema"], &["list"], &["--help"], &["trace", "small.toml", "--run", "0"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hetsim"));
        command.current_dir(folder.path()).args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let ended = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(0), "{words:?}: {said}");
        assert!(!said.contains("panicked") && !said.contains("Broken pipe"), "{words:?}: {said}");
    }
    assert!(has_results(folder.path(), "output"));
}

/// Macros that panic where a stream can't be written, and streams taken elsewhere, are kept out of the sources.
#[test]
fn one_place_writes_to_the_streams() {
    let files = all_sources();
    assert!(files.len() > 200, "the test has lost its eyes: {} sources", files.len());
    let forbidden =
        ["eprintln!", "eprint!", "println!", "print!(", "dbg!(", "stdout().lock", "stderr().lock", "::stderr()"];
    let mut found = Vec::new();
    for file in files.iter().filter(|file| !file.ends_with("tests.rs") && !file.ends_with("cli/console.rs")) {
        for (number, line) in fs::read_to_string(file).unwrap().lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            // A bar draws itself, and takes no harm where it can't.
            let is_bar = code.contains("ProgressDrawTarget::stderr()");
            if forbidden.iter().any(|word| code.contains(word)) && !is_bar {
                found.push(format!("{}:{}: {}", file.display(), number + 1, line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "write through `Console`:\n{}", found.join("\n"));
}
