//! Everything can be explained, and one of each kind reads well.

use serde_json::Value as Json;

use super::*;

#[test]
fn every_name_is_explained() {
    let tables = key_tables(NOTATION.schema());
    let known = names(&tables);
    assert!(known.len() > 1500, "only {} names", known.len());
    for name in known {
        let Explanation { text, pages, .. } = explanation(&name, &tables);
        assert!(text.lines().count() > 1 && !pages.is_empty(), "{name}: {text}");
        assert!(!text.contains(": \n") && !text.contains("\n  .\n"), "something is not described: {text}");
    }
}

/// Every name that some key of the schema takes, with its description there, which may be missing.
fn values<'a>(schema: &'a Json, found: &mut Vec<(&'a str, &'a str)>) {
    if let Some(name) = schema["const"].as_str() {
        found.push((name, schema["description"].as_str().unwrap_or_default()));
    }
    let plain = schema["enum"].as_array().into_iter().flatten().filter_map(Json::as_str);
    found.extend(plain.map(|name| (name, "")));
    let inner: Vec<&Json> = match schema {
        Json::Object(keys) => keys.values().collect(),
        Json::Array(items) => items.iter().collect(),
        _ => Vec::new(),
    };
    for inner in inner {
        values(inner, found);
    }
}

/// The schema is walked by itself, so that no value is forgotten: each is explained, in every meaning that it has.
#[test]
fn every_value_of_every_key_is_explained() {
    let (schema, mut found) = (NOTATION.schema(), Vec::new());
    values(schema, &mut found);
    assert!(found.len() > 600, "only {} values", found.len());
    let tables = key_tables(schema);
    for (name, about) in found {
        let said = words(&explanation(name, &tables).text).join(" ").to_lowercase();
        assert!(said.starts_with(&format!("{name}: ")), "nothing is said of {name}");
        let about = words(about).join(" ").to_lowercase();
        assert!(said.contains(&about), "it is not said of {name} that it is: {about}\n{said}");
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
