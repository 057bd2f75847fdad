//! Everything can be explained, and one of each kind reads well.

use serde_json::Value as Json;

use super::*;
use crate::scenario::Absent;

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
    let (schema, mut found) = (NOTATION.schema().whole(), Vec::new());
    values(&schema, &mut found);
    assert!(found.len() > 600, "only {} values", found.len());
    let tables = key_tables(NOTATION.schema());
    for (name, about) in found {
        let said = words(&explanation(name, &tables).text).join(" ").to_lowercase();
        assert!(said.starts_with(&format!("{name}: ")), "nothing is said of {name}");
        let about = words(about).join(" ").to_lowercase();
        assert!(said.contains(&about), "it is not said of {name} that it is: {about}\n{said}");
    }
}

/// Every key that is not required has a default, or it is said what is meant without it. A name or a truth always means
/// something: that there is none must be said in words.
#[test]
fn every_key_says_what_is_meant_where_it_is_not_given() {
    let tables = key_tables(NOTATION.schema());
    let mut silent = Vec::new();
    for table in tables.iter().filter(|table| table.same_as.is_none()) {
        for key in table.forms.iter().flat_map(|form| &form.keys) {
            let said = key.about.to_lowercase();
            let is_said = ["default", "without", "instead", "either"].iter().any(|word| said.contains(word));
            let chooses = !key.names.is_empty() && !key.takes.starts_with("list of ");
            if key.absent == Absent::Nothing && (chooses || key.takes == "boolean") && !is_said {
                silent.push(table.dotted(&key.name));
            }
        }
    }
    assert_eq!(silent, [""; 0]);
}

#[test]
fn defaults_are_told() {
    let tables = key_tables(NOTATION.schema());
    for (name, told) in [
        ("workload.evaluations", "where nothing evolves; 100 by default."),
        ("workload.farm.timeout", "duration, such as \"48.39us\"; none by default"),
        ("chart.y_scale", "; default \"linear\""),
        ("workload.farm", "table; by default with the defaults of its keys"),
        ("platform.link.network.latency", "; inherited, or the model's default"),
    ] {
        let said = words(&explanation(name, &tables).text).join(" ");
        assert!(said.contains(told), "{name}: {said}");
    }
}

/// What stands in most templates comes first.
#[test]
fn the_likeliest_meaning_comes_first() {
    let tables = key_tables(NOTATION.schema());
    for (name, first) in [
        ("nodes", "nodes: key `nodes` in `platform.cluster`"),
        ("size", "size: key `size` in `workload`"),
        ("seed", "seed: key `seed` in the scenario"),
        ("completion_s", "completion_s: metric"),
        ("genetic", "genetic: Workloads"),
        ("latency", "latency: key `latency` in `platform.cluster.network`"),
        ("metric", "metric: key `metric` in `table`"),
        ("name", "name: key `name` in `chart`"),
    ] {
        let text = explanation(name, &tables).text;
        assert!(text.starts_with(first), "{name}: {text}");
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
