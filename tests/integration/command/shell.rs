//! The command in a folder with a small scenario, and what it says.

use std::path::Path;
use std::process::Output;

use tempfile::TempDir;

use crate::support::{self, hetsim, printed};

pub(super) const SMALL: &str = r#"version = 1
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

pub(super) fn folder_with(text: &str) -> TempDir {
    support::here(&[("small.toml", text)])
}

pub(super) fn output(folder: &Path, words: &[&str]) -> Output {
    hetsim(folder).args(words).output().expect("it runs")
}

/// Standard output of a command that succeeds.
#[track_caller]
pub(super) fn said(folder: &Path, words: &[&str]) -> String {
    printed(hetsim(folder).args(words))
}

pub(super) fn here(words: &[&str]) -> String {
    said(Path::new(env!("CARGO_MANIFEST_DIR")), words)
}

#[track_caller]
pub(super) fn fits(text: &str) {
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{} columns: {line}\n{text}", line.chars().count());
    }
}
