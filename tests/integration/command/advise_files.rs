//! The files that `hetsim advise` leaves in its folder.

use std::fs;

use predicates::prelude::*;
use predicates::str::contains;

use crate::support::{entries, here, hetsim};

const PLATFORM: &str = r#"
[cluster.lab]
nodes = 4
network = { model = "hockney", latency = "20us", bandwidth = "1Gbit/s" }

[[cluster.lab.level]]
size = 2
network = { model = "hockney", latency = "1us", bandwidth = "10Gbit/s" }
"#;

/// Rules of an earlier run beside the new choices would be taken for theirs. What others wrote stays.
#[test]
fn advice_leaves_no_file_of_earlier_advice() {
    let folder = here(&[("lab.toml", PLATFORM)]);
    let advise = |words: &[&str]| {
        let mut command = hetsim(&folder);
        command.env("COLUMNS", "400").args(["advise", "lab.toml", "--sizes", "1KiB"]).args(words).assert().success()
    };
    let made = folder.path().join("output/advise-lab");
    let files = || entries(&made);
    advise(&["--operation", "reduce", "--ranks-per-node", "2"]).stderr(contains("note: removed").not());
    let per_node = ["mpich.json", "openmpi.json", "openmpi.rules", "reduce.svg", "ucc.sh"]
        .map(|file| file.replace('.', "-2-per-node."));
    assert_eq!(files(), [["choices.csv".to_owned()].as_slice(), &per_node].concat());
    let others = ["mine-2-per-node.rules", "ucc-two-per-node.sh", "scans.svg"];
    for other in others {
        fs::write(made.join(other), "mine").unwrap();
    }
    let removed = format!("note: removed what earlier advice left in output/advise-lab: {}\n", per_node.join(", "));
    advise(&["--operation", "scan"]).stderr(contains(removed));
    // No rule of Open MPI for scans is by size, and UCC has no scan: files without content are not written.
    let mut expected = ["choices.csv", "mpich.json", "openmpi.rules", "scan.svg"].map(str::to_owned).to_vec();
    expected.extend(others.map(str::to_owned));
    expected.sort();
    assert_eq!(files(), expected);
}
