//! Documents that are made from the code and the scenarios, and can't go stale: this test fails where one differs from
//! what would be made now, and `HETSIM_BLESS=1 cargo test --test documents` makes them all again.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "documents/stg.rs"]
mod stg;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use hetsim::report::{Results, expect, pictures, tables};
use hetsim::scenario::{Scenario, schema};
use rayon::prelude::*;
use serde_json::Value as Json;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Compares a document with what it should be, or makes it so.
fn document(path: &str, content: &str) {
    let file = root().join(path);
    if std::env::var_os("HETSIM_BLESS").is_some() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, content).unwrap();
        return;
    }
    let old = fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    assert!(old == content, "{path} is out of date; make it again with HETSIM_BLESS=1 cargo test --test documents");
}

/// Runs a scenario here, without a store.
fn results(scenario: &Scenario) -> Results<'_> {
    let runs = scenario.runs() as u32;
    let replicas = scenario.file.replicas.most();
    let run = |run: u32| {
        let (point, replica) = ((run / replicas) as usize, run % replicas);
        (point, replica, scenario.run(point, replica).unwrap())
    };
    let records: Vec<_> = (0..runs).into_par_iter().map(run).collect();
    Results::new(scenario, records)
}

fn load(name: &str) -> Scenario {
    Scenario::load(&root().join("scenarios").join(format!("{name}.toml")), &[])
        .unwrap_or_else(|problems| panic!("{problems}"))
}

/// The scenarios whose expectations come from a paper, in the order of the papers.
const PAPERS: &[(&str, &[&str])] = &[
    (
        "Bazterra, Cuma, Ferraro, Facelli: A general framework to understand parallel performance in heterogeneous clusters \
         (JPDC 2005)",
        &["bazterra-fig1", "bazterra-fig3", "bazterra-fig4"],
    ),
    (
        "Aguilar: Heuristics to optimize the speed-up of parallel programs",
        &["aguilar-fig1", "aguilar-fig2", "aguilar-fig3", "aguilar-annealing", "aguilar-genetic"],
    ),
    (
        "Nasri, Steffenel, Trystram: Adaptive approaches for efficient parallel algorithms (IJGUC 2008)",
        &[
            "grid5000",
            "nasri-table2",
            "nasri-table4",
            "nasri-fig3",
            "nasri-fig4",
            "nasri-fig6",
            "nasri-fig7",
            "nasri-fig8",
        ],
    ),
    (
        "Garamendi, Bosque: Parallel implementation of evolutionary strategies on heterogeneous clusters with load balancing \
         (IPDPS 2006)",
        &["garamendi-fig2", "garamendi-fig3", "garamendi-fig4", "garamendi-fig5", "garamendi-fig6", "rebalancing"],
    ),
    (
        "Heinrich-Litan, Fissgus, Sutter, Molitor, Rauber: Modeling the communication behavior of distributed memory machines by \
         genetic programming",
        &["heinrich-table1", "heinrich-fig1", "heinrich-fig2"],
    ),
    (
        "Coleman, Krishnamachari: PISA: an adversarial approach to comparing task graph scheduling algorithms \
         (arXiv:2403.07120)",
        &["pisa"],
    ),
];

#[test]
fn reproduction() {
    let mut text = "# Reproduction\n\n\
        What the papers print beside what hetsim simulates. Made by `HETSIM_BLESS=1 cargo test --test documents` from the\n\
        expectations in the scenarios; a miss stays in the table, with the reason where one was found.\n"
        .to_owned();
    for (paper, scenarios) in PAPERS {
        let _ = write!(text, "\n## {paper}\n");
        for name in *scenarios {
            let scenario = load(name);
            let results = results(&scenario);
            let verdicts = expect::check(&results);
            let lasting = verdicts.iter().filter(|verdict| !verdict.clocked);
            let (met, all) = (lasting.clone().filter(|verdict| verdict.met).count(), lasting.count());
            let _ = match (all, verdicts.len() - all) {
                (_, 0) => write!(text, "\n`scenarios/{name}.toml`: {met} of {all} expectations met.\n\n"),
                (0, clocked) => {
                    write!(text, "\n`scenarios/{name}.toml`: {clocked} expectations of times on the clock.\n\n")
                }
                (_, clocked) => write!(
                    text,
                    "\n`scenarios/{name}.toml`: {met} of {all} expectations met, besides {clocked} of times on the clock.\n\n"
                ),
            };
            text.push_str("| | source | figure | where | printed | simulated | difference | assumptions, reasons |\n");
            text.push_str("|---|---|---|---|---|---|---|---|\n");
            for verdict in verdicts {
                let simulated = match verdict.simulated.number() {
                    _ if verdict.clocked => "run it: the clock of each machine".to_owned(),
                    Some(number) => tables::humane(&verdict.metric, number),
                    None => verdict.simulated.to_string(),
                };
                let difference = verdict.difference_percent.number().filter(|_| !verdict.clocked);
                let difference = difference.map(|number| format!("{number:+.1} %"));
                let _ = writeln!(
                    text,
                    "| {} | {} | {} | {} | {} | {} | {} | {} |",
                    match verdict.met {
                        _ if verdict.clocked => "",
                        true => "✓",
                        false => "✗",
                    },
                    verdict.source,
                    verdict.metric,
                    verdict.place,
                    // What is expected may be a time on the clock too.
                    match verdict.shown.split_once(" at ") {
                        Some((_, other)) if verdict.clocked => format!("less than that at {other}"),
                        _ => verdict.shown,
                    },
                    simulated,
                    difference.unwrap_or_default(),
                    verdict.note
                );
            }
        }
    }
    document("docs/reproduction.md", &text);
}

/// The pictures of the README: scenario, chart, file.
const PICTURES: &[(&str, &[&str])] = &[
    ("grid5000", &["speedup", "who_sends_to_whom"]),
    ("first", &["completion"]),
    ("diversity", &["speedup"]),
    ("self-scheduling", &["losses"]),
    ("heft2002", &["heft", "graph"]),
    ("schedulers", &["ratio", "communication"]),
    ("energy", &["energy_and_time"]),
];

#[test]
fn readme_pictures() {
    for (name, wanted) in PICTURES {
        let scenario = load(name);
        let drawn = pictures::draw(&results(&scenario)).unwrap();
        for chart in *wanted {
            let picture = drawn.iter().find(|picture| picture.name == *chart).unwrap();
            document(&format!("docs/pictures/{name}-{chart}.svg"), &picture.svg);
        }
    }
}

/// A section of the reference: its heading, what it is, and its keys.
struct Section {
    heading: String,
    about: String,
    schema: Json,
}

#[test]
fn reference() {
    let schema = schema();
    let mut text = "# Reference: the keys of a scenario\n\n\
        Made by `HETSIM_BLESS=1 cargo test --test documents` from the types that the keys become; `hetsim schema` prints the\n\
        same for editors. Quantities are strings with their unit (`\"48.39us\"`, `\"1Gbit/s\"`, `\"512KiB\"`). In results they\n\
        stand in their base unit: seconds, bytes, bytes a second, operations.\n"
        .to_owned();
    let mut waiting =
        vec![Section { heading: "The scenario".to_owned(), about: String::new(), schema: schema.clone() }];
    let mut done: BTreeSet<String> = BTreeSet::new();
    // Where each kind of table has been described: networks, steps and others stand in many places, and once is enough.
    let mut described: BTreeMap<String, String> = BTreeMap::new();
    while !waiting.is_empty() {
        let section = waiting.remove(0);
        if !done.insert(section.heading.clone()) {
            continue;
        }
        let _ = write!(text, "\n## {}\n\n", section.heading);
        if !section.about.is_empty() {
            let _ = write!(text, "{}\n\n", one_line(&section.about));
        }
        let mut keys_alone = section.schema.clone();
        keys_alone.as_object_mut().and_then(|schema| schema.remove("description"));
        if let Some(heading) = described.get(&keys_alone.to_string()) {
            let _ = write!(text, "The keys are those of [{heading}](#{}).\n\n", anchor(heading));
            continue;
        }
        described.insert(keys_alone.to_string(), section.heading.clone());
        let mut found = Vec::new();
        if let Some(alternatives) = section.schema["x-choice"].as_str() {
            for alternative in section.schema["oneOf"].as_array().into_iter().flatten() {
                let name = alternative["title"].as_str().unwrap_or_default();
                let about = alternative["description"].as_str().unwrap_or_default();
                let _ = write!(text, "### `{alternatives} = \"{name}\"`\n\n{}\n\n", one_line(about));
                keys(&mut text, alternative, Some(alternatives), schema, &section.heading, &mut found);
            }
        } else {
            keys(&mut text, &section.schema, None, schema, &section.heading, &mut found);
        }
        waiting.splice(0..0, found);
    }
    document("docs/reference.md", &text);
}

/// The name by which a heading is linked to.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c)).collect::<String>();
    kept.replace(' ', "-")
}

/// The table of an object's keys; the tables among its values become sections.
fn keys(text: &mut String, object: &Json, choice: Option<&str>, root: &Json, path: &str, found: &mut Vec<Section>) {
    let properties =
        object["properties"].as_object().into_iter().flatten().filter(|(key, _)| Some(key.as_str()) != choice);
    let rows: Vec<_> = properties.collect();
    if rows.is_empty() {
        text.push_str("No keys of its own.\n\n");
        return;
    }
    text.push_str("| key | value | meaning |\n|---|---|---|\n");
    for (key, property) in rows {
        let about = property["description"].as_str().unwrap_or_default();
        let (kind, table) = describe(property, root);
        let needed = object["required"].as_array().is_some_and(|required| required.iter().any(|name| name == key));
        let default = match &property["default"] {
            _ if needed => "; required".to_owned(),
            Json::Null | Json::Object(_) => String::new(),
            Json::Array(items) if items.is_empty() => String::new(),
            default => format!("; default `{default}`"),
        };
        let _ = writeln!(text, "| `{key}` | {kind}{default} | {} |", one_line(about).replace('|', "\\|"));
        // A table within one of its own kind, as phases within phases, has the same keys.
        if let Some(schema) = table.filter(|schema| schema != object) {
            let path = if path == "The scenario" { String::new() } else { format!("{path}.") };
            let about = schema["description"].as_str().unwrap_or(about).to_owned();
            found.push(Section { heading: format!("{path}{key}"), about, schema });
        }
    }
    text.push('\n');
}

/// What kind of value a key takes, in words, and the table that it holds, if it does.
fn describe(property: &Json, root: &Json) -> (String, Option<Json>) {
    let mut schema = property.clone();
    while let Some(reference) = schema["$ref"].as_str() {
        schema = root.pointer(reference.trim_start_matches('#')).unwrap().clone();
    }
    if schema.get("x-choice").is_some() {
        return ("table".to_owned(), Some(schema));
    }
    if let Some(names) = schema["enum"].as_array() {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        return (if names.len() > 20 { "name, see `hetsim list`".to_owned() } else { names.join(", ") }, None);
    }
    if let Some(names) = schema["oneOf"].as_array() {
        let names: Vec<String> = names.iter().map(|name| format!("`{}`", name["const"])).collect();
        return (names.join(", "), None);
    }
    if let Some(alternatives) = schema["anyOf"].as_array() {
        let described: Vec<_> = alternatives
            .iter()
            .filter(|a| a["type"] != "null")
            .map(|alternative| describe(alternative, root))
            .collect();
        let mut words: Vec<String> = described.iter().map(|(words, _)| words.clone()).collect();
        words.dedup();
        return (words.join(" or "), described.into_iter().find_map(|(_, table)| table));
    }
    let kind = match &schema["type"] {
        Json::Array(kinds) => kinds.iter().find(|kind| **kind != "null").cloned().unwrap_or_default(),
        kind => kind.clone(),
    };
    match kind.as_str().unwrap_or_default() {
        "string" => (schema["format"].as_str().unwrap_or("string").to_owned(), None),
        "integer" => ("whole number".to_owned(), None),
        "array" => {
            let (of, table) = describe(&schema["items"], root);
            let words = if table.is_some() { "tables".to_owned() } else { format!("list of {of}") };
            (words, table)
        }
        "object" if schema["properties"].is_object() => ("table".to_owned(), Some(schema)),
        "object" => {
            let (of, mut table) = describe(&schema["additionalProperties"], root);
            if let Some(table) = &mut table {
                table["x-named"] = true.into();
            }
            let words = match (&table, of.as_str()) {
                (Some(_), _) => "tables by name".to_owned(),
                (None, "") => "table".to_owned(),
                (None, of) => format!("table of {of}"),
            };
            (words, table)
        }
        other => (other.to_owned(), None),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The README's words about itself stay true: every command that it shows in a block exists.
#[test]
fn readme_commands_exist() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let scenarios = readme.split("scenarios/").skip(1).filter_map(|rest| rest.split(".toml").next());
    let mut seen = 0;
    for name in scenarios.filter(|name| name.chars().all(|c| c.is_alphanumeric() || "-_/".contains(c))) {
        assert!(Path::new(&root().join("scenarios").join(format!("{name}.toml"))).exists(), "scenarios/{name}.toml");
        seen += 1;
    }
    assert!(seen > 1);
}
