//! Ranks along a torus or a mesh: rings as on a ring.

use crate::support::{metric, read};

/// An all-reduce by a ring on nodes with such a topology.
fn ring(nodes: u32, topology: &str, keys: &str, workload: &str) -> f64 {
    let text = format!(
        "version = 1\n[platform.cluster.lab]\nnodes = {nodes}\n{keys}\
         network = {{ model = \"fair\", latency = \"1us\", bandwidth = \"5GB/s\", topology = {{ {topology} }} }}\n\
         [workload]\nkind = \"collective\"\noperation = \"all_reduce\"\nsize = \"1MiB\"\nalgorithm = \"ring\"\n{workload}"
    );
    metric(&read(&text).run(0, 0).unwrap(), "completion_s")
}

/// Where the snake closes, each message crosses a link of its own, as on a torus of one dimension. In the order of the
/// nodes, the last of a line is several hops from the first of the next.
#[test]
fn a_ring_along_a_torus_is_that_of_a_ring() {
    let alone = ring(48, "kind = 'torus', dimensions = [48]", "", "");
    for dimensions in ["[6, 8]", "[2, 3, 2, 4]", "[2, 1, 3, 2, 2, 2]", "[3, 16, 1]"] {
        let topology = format!("kind = 'torus', dimensions = {dimensions}");
        assert_eq!(ring(48, &topology, "", "placement = 'snake'"), alone, "{dimensions}");
        assert!(ring(48, &topology, "", "") > alone, "{dimensions}");
    }
    // A mesh has no way around: its last message passes all links of the last dimension.
    let mesh = ring(48, "kind = 'mesh', dimensions = [6, 8]", "", "placement = 'snake'");
    assert!(mesh > alone && mesh < ring(48, "kind = 'mesh', dimensions = [6, 8]", "", ""));
}

/// On other networks it is the order of the nodes. A job of some nodes goes along their places, two rows of a torus of
/// 4 × 8 here, which are as near in either direction.
#[test]
fn other_networks_and_jobs_in_parts() {
    let star = |placement: &str| ring(8, "kind = 'star'", "", placement);
    assert_eq!(star("placement = 'snake'"), star(""));
    let torus = "kind = 'torus', dimensions = [4, 8]";
    let part = ring(8, torus, "allocation = { of = 32, at = ['8 to 15'] }\n", "placement = 'snake'");
    assert_eq!(part, ring(8, "kind = 'torus', dimensions = [8]", "", ""));
}
