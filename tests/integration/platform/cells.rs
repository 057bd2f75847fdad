//! Topologies that join the groups of a level, and cells of unequal sizes: closed forms, and the links without a
//! topology beside them.

use proptest::prelude::*;

use super::shared_links::{B, L, M, Run, UNEVEN, alike, cluster, pattern, takes};
use crate::support::try_read;

/// Nodes in groups of these sizes, the outermost first, whose outermost ones `topology` joins.
fn grouped(nodes: u32, sizes: &[u32], latency: &str, topology: &str) -> String {
    let levels = sizes.iter().map(|size| {
        format!(
            "[[platform.cluster.net.level]]\nsize = {size}\n\
             network = {{ model = \"fair\", latency = \"500ns\", bandwidth = \"1GB/s\" }}\n"
        )
    });
    let net = format!(
        "[platform.cluster.net]\nnodes = {nodes}\n\
         network = {{ model = \"fair\", latency = \"{latency}\", bandwidth = \"2GB/s\"{topology} }}\n"
    );
    net + &levels.collect::<String>()
}

const STAR: &str = ", topology = { kind = \"star\" }";

/// The messages between two cells, `most` in one direction, share all their cables.
#[test]
fn cells_share_their_cables() {
    for (sizes, cables, most) in [("[4]", 2, 4.0), ("[4, 9]", 3, 4.0), ("[1, 3, 4]", 1, 3.0)] {
        let topology =
            format!("{{ kind = \"cells\", sizes = {sizes}, cell_links = {cables}, cell_bandwidth = \"500MB/s\" }}");
        let run = Run::on(&cluster(8, &topology), &pattern("kind = \"ring\", shift = 4"));
        let bundle = f64::from(cables) * 5e8;
        takes(&run, 3.0 * L + most * M / bundle);
        let busiest = run.record.get("most_used_link").map(ToString::to_string).unwrap();
        assert!(busiest.starts_with("net cell "), "{busiest}");
    }
    // Inside a cell nothing meets.
    let topology = "{ kind = \"cells\", sizes = [2], cell_bandwidth = \"1kB/s\" }";
    takes(&Run::on(&cluster(2, topology), &pattern("kind = \"ring\"")), 2.0 * L + M / B);
}

/// The nodes of a group share what the topology gives it: messages that leave it, its link; messages inside, nothing.
#[test]
fn a_group_shares_its_place_in_a_topology() {
    let run = Run::on(&grouped(16, &[4], "1us", STAR), &pattern("kind = \"ring\", shift = 4"));
    takes(&run, 2e-6 + 4.0 * M / 2e9);
    let busiest = run.record.get("most_used_link").map(ToString::to_string).unwrap();
    assert!(busiest.starts_with("net group ") && busiest.contains(" of 4 "), "{busiest}");
    takes(&Run::on(&grouped(4, &[4], "1us", STAR), &pattern("kind = \"all_to_all\"")), 500e-9 + 3.0 * M / B);
    // Four groups on two switches, with one cable of 2 GB/s up: sixteen nodes send across.
    let tree = ", topology = { kind = \"fat_tree\", down = [2, 2], up = [1, 1] }";
    takes(&Run::on(&grouped(16, &[4], "1us", tree), &pattern("kind = \"ring\", shift = 8")), 4e-6 + 8.0 * M / 2e9);
}

#[test]
fn what_does_not_fit_is_said() {
    let tree = ", topology = { kind = \"fat_tree\", down = [4, 4], up = [1, 1] }";
    let keys = "[workload]\nkind = \"traffic\"\npattern = { kind = \"ring\" }\nsize = \"1B\"\n";
    let error = try_read(&format!("version = 1\n{}{keys}", grouped(16, &[4], "1us", tree))).unwrap_err();
    assert!(error.contains("the product of `down` is 16, and must be 4"), "{error}");
    assert!(error.contains("it joins the cluster's 4 groups of 4 nodes"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Groups on a star whose links have half the latency are groups without a topology, at any depth.
    #[test]
    fn a_star_of_groups_is_the_usual_network(
        sizes in prop_oneof![Just(vec![4]), Just(vec![6, 3]), Just(vec![2]), Just(vec![12, 4, 2])],
        groups in 1..5u32,
        messages in 1..300u32,
    ) {
        let nodes = groups * sizes[0];
        let traffic = UNEVEN.replace("200", &messages.to_string());
        if nodes > 1 {
            let with = Run::on(&grouped(nodes, &sizes, "1us", STAR), &traffic);
            alike(&with, &Run::on(&grouped(nodes, &sizes, "2us", ""), &traffic));
        }
    }
}
