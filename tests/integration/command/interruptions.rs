//! A command that is interrupted, or whose reader goes away.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::shell::{SMALL, folder_with};

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
