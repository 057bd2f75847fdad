//! Where `hetsim advise` places fewer ranks than a platform has places for.

use std::fs;

use predicates::prelude::*;
use predicates::str::contains;
use tempfile::TempDir;

use crate::support::{self, hetsim, printed};

/// Fewer ranks than a platform has places lie where `mpirun` maps them: by node on all nodes in turn, by socket on the
/// first nodes; whole nodes are the first ones, whatever deals their ranks.
#[test]
fn fewer_ranks_lie_where_they_are_mapped() {
    let level = |domain: &str, size: u32, latency: &str| {
        format!(
            "[[cluster.lab.level]]\ndomain = \"{domain}\"\nsize = {size}\n\
             network = {{ model = \"hockney\", latency = \"{latency}\", bandwidth = \"10GB/s\" }}\n"
        )
    };
    let mapped = |map_by: &str| {
        let nodes = format!("nodes = 4\nranks_per_node = 4\nmap_by = \"{map_by}\"");
        let levels = level("node", 4, "2us") + &level("socket", 2, "100ns");
        let network = "network = { model = \"hockney\", latency = \"20us\", bandwidth = \"1Gbit/s\" }";
        support::here(&[("lab.toml", &format!("[cluster.lab]\n{nodes}\n{network}\n{levels}"))])
    };
    let asked = |folder: &TempDir, words: &str| {
        let mut command = hetsim(folder);
        command.args(["advise", "lab.toml", "--operation", "all_gather", "--sizes", "8B,1MiB", "--error", "0"]);
        command.args(words.split(' ').filter(|word| !word.is_empty()));
        command
    };
    let rows = |folder: &TempDir, words: &str| -> Vec<String> {
        printed(&mut asked(folder, words));
        let text = fs::read_to_string(folder.path().join("output/advise-lab/choices.csv")).unwrap();
        // Without the column of the ranks on each node.
        text.lines().skip(1).map(|row| row.split(',').take(17).collect::<Vec<_>>().join(",")).collect()
    };
    let smaller = |key: &str, value: u32| format!("--set platform.cluster.lab.{key}={value}");
    let (by_node, by_socket, by_core) = (mapped("node"), mapped("socket"), mapped("core"));
    let two_each = rows(&by_node, "--ranks 8");
    assert_eq!(two_each, rows(&by_node, &format!("{} --ranks 8", smaller("ranks_per_node", 2))));
    assert_ne!(two_each, rows(&by_core, "--ranks 8"));
    assert_eq!(rows(&by_node, "--ranks 4"), rows(&by_node, &format!("{} --ranks 4", smaller("ranks_per_node", 1))));
    // Two whole nodes.
    let whole = rows(&by_node, "--ranks 8 --ranks-per-node 4");
    assert_eq!(whole, rows(&by_node, &format!("{} --ranks 8", smaller("nodes", 2))));
    assert_ne!(whole, two_each);
    // One on each socket of the first node; the cores of one socket.
    let split = rows(&by_socket, "--ranks 2");
    let (one, two) = (smaller("nodes", 1), smaller("ranks_per_node", 2));
    assert_eq!(split, rows(&by_socket, &format!("{one} {two} --ranks 2")));
    assert_ne!(split, rows(&by_core, "--ranks 2"));
    // Two nodes have one rank more than the others; by socket the second node has as many as are left.
    let listed = |ranks: &str, nodes: u32| {
        format!("--set platform.cluster.lab.ranks_per_node={ranks} {} --ranks 6", smaller("nodes", nodes))
    };
    assert_eq!(rows(&by_node, "--ranks 6"), rows(&by_node, &listed("[2,2,1,1]", 4)));
    assert_eq!(rows(&by_socket, "--ranks 6"), rows(&by_socket, &listed("[4,2]", 2)));
    assert_ne!(rows(&by_node, "--ranks 6"), rows(&by_core, "--ranks 6"));
    // Three nodes leave one of two pairs of nodes with one.
    let pairs = level("", 8, "10us").replace("domain = \"\"\n", "");
    let text = fs::read_to_string(by_socket.path().join("lab.toml")).expect("it was written");
    fs::write(by_socket.path().join("lab.toml"), text.replacen("[[", &format!("{pairs}[["), 1)).expect("a folder");
    assert_eq!(
        rows(&by_socket, "--ranks 10"),
        rows(&by_socket, &listed("[4,4,2]", 3).replace("--ranks 6", "--ranks 10"))
    );
    asked(&by_socket, "").assert().success().stderr(contains("left out").not());
}

/// Fewer ranks are on the first nodes of the job: of none that are drawn anew, and not where places count cores.
#[test]
fn a_part_of_a_drawn_job_is_refused() {
    let lab = |keys: &str| {
        let network = |latency: &str| {
            format!("network = {{ model = \"hockney\", latency = \"{latency}\", bandwidth = \"1GB/s\" }}\n")
        };
        let (own, level) = (network("20us"), network("1us"));
        support::here(&[("lab.toml", &format!("[cluster.lab]\n{keys}\n{own}[[cluster.lab.level]]\nsize = 2\n{level}"))])
    };
    let advise = |folder: &TempDir, words: &str| {
        let mut command = hetsim(folder);
        command.args(["advise", "lab.toml", "--operation", "broadcast", "--sizes", "8B", "--error", "0"]);
        command.args(words.split(' ')).assert()
    };
    let dealt =
        |allocation: &str| format!("nodes = 4\nallocation = {allocation}\nranks_per_node = 2\nmap_by = \"node\"");
    let drawn = lab(&dealt("{ of = 9, fragments = 2 }"));
    let says = "`fragments` would draw other places for fewer nodes: give `at`";
    advise(&drawn, "--ranks 2").code(2).stderr(contains(says));
    advise(&drawn, "--ranks 4,8").success();
    advise(&lab(&dealt("{ of = 9, at = [1, 3, 5, 7] }")), "--ranks 2").success();
    let cores = lab("nodes = 8\nallocation = { of = 16, fragments = 2 }");
    let says = "`allocation` counts ranks where";
    advise(&cores, "--ranks-per-node 2").code(2).stderr(contains(says));
    advise(&cores, "--ranks 4").success();
}
