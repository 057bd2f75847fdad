//! Everything can be explained, and one of each kind reads well.

use super::*;

#[test]
fn every_name_is_explained() {
    let tables = key_tables(NOTATION.schema());
    let known = names(&tables);
    assert!(known.len() > 1500, "only {} names", known.len());
    for name in known {
        let Explanation { text, pages } = explanation(&name, &tables);
        assert!(text.lines().count() > 1 && !pages.is_empty(), "{name}: {text}");
        assert!(!text.contains(": \n") && !text.contains("\n  .\n"), "something is not described: {text}");
    }
}

#[test]
fn keys_are_found_by_parts_of_their_paths() {
    let tables = key_tables(NOTATION.schema());
    let said = |name: &str| explanation(name, &tables).text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shortened = said("platform.latency");
    assert!(shortened.contains("`latency` in `platform.cluster.network`"), "{shortened}");
    let named = said("platform.cluster.lab.network.latency");
    assert!(named.contains("`latency` in `platform.cluster.network`"), "{named}");
    assert!(!named.contains("platform.link"), "{named}");
    let exact = said("platform.between.network.latency");
    assert!(
        exact.starts_with("platform.between.network.latency: key `latency` in `platform.between.network`"),
        "{exact}"
    );
    assert_eq!(said("workload.no_such_key"), "");
}
