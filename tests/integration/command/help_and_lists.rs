//! What `hetsim` says of itself: help, lists, the schema and completions.

use std::path::Path;

use predicates::str::contains;

use super::shell::{fits, here};
use crate::support::hetsim;

#[test]
fn help_teaches() {
    let help = here(&["--help"]);
    for word in [
        "run",
        "check",
        "new",
        "list",
        "schema",
        "completions",
        "plot",
        "trace",
        "compare",
        "convert",
        "Examples:",
        "Exit codes:",
    ] {
        assert!(help.contains(word), "{word} should be in\n{help}");
    }
    fits(&help);
    let run = here(&["run", "--help"]);
    for word in ["--set <KEY=VALUE>", "--seed <N>", "--out <DIR>", "--jobs <N>", "--fresh", "--strict", "--quiet"] {
        assert!(run.contains(word), "{word} should be in\n{run}");
    }
    fits(&run);
    // Without a word, help is what is needed.
    hetsim(Path::new(".")).assert().code(2).stderr(contains("Examples:"));
    assert!(here(&["--version"]).starts_with("hetsim 0."));
}

/// `--help` of a command says more of it than `-h` does, where there is more to say.
#[test]
fn long_help_is_not_lost() {
    let of = |command: &str, word: &str| {
        let help = here(&[command, word]);
        fits(&help);
        help.split("Usage:").next().unwrap_or_default().len()
    };
    for command in
        ["plot", "merge", "status", "submit", "convert", "calibrate", "fit", "partition", "advise", "validate"]
    {
        assert!(of(command, "--help") > of(command, "-h"), "{command}");
    }
}

#[test]
fn list_names_everything_with_a_line_each() {
    let list = here(&["list"]);
    for name in [
        "broadcast",
        "loggp",
        "plogp",
        "lmo",
        "fair",
        "periodic",
        "gamma",
        "binomial",
        "split_binary",
        "ecef_lat_max",
        "exact",
        "static_nominal",
        "factoring2",
        "grid",
    ] {
        assert!(
            list.lines().any(|line| line.trim_start().starts_with(&format!("{name} "))),
            "{name} should be in\n{list}"
        );
    }
    for line in list.lines().filter(|line| line.starts_with("  ")) {
        assert!(line.len() > 30, "what is {line}?");
    }
    fits(&list);
}

/// What is asked for is a thing or a plural; what nobody has ends with an error, whatever stands before it.
#[test]
fn list_finds_words() {
    let one = here(&["list", "topology", "torus"]);
    assert_eq!(here(&["list", "topologies", "torus"]).is_empty(), one.is_empty());
    // Not everything in which "lo" or "cla" stands.
    for word in ["loss", "class"] {
        let said = hetsim(Path::new(".")).args(["list", word]).output().unwrap();
        let lines = String::from_utf8(said.stdout).unwrap();
        assert!(lines.lines().count() < here(&["list"]).lines().count() / 4, "{lines}");
    }
    hetsim(Path::new("."))
        .args(["list", "metrics", "nosuchthing"])
        .assert()
        .code(2)
        .stderr(contains("nothing in the list"));
    assert!(here(&["list", "Metrics", "completion_s"]).contains("The direction says which value is best"));
}

/// What is read from files and what commands do is found by its words, though the list alone does not show it.
#[test]
fn list_finds_files_and_commands() {
    for (word, found) in [
        ("workflow", &["\n  wfformat ", "\n  dax "][..]),
        ("osu", &["\n  measure FILE ", "\n  calibrate FILE ", "\n  validate FILE "]),
        ("pico", &["\n  validate FILE "]),
        ("simgrid", &["\n  platform.include ", "\n  workload.trace ", "\n  convert "]),
        ("shard", &["\n  merge ", "\n  status ", "\n  submit "]),
        ("slurm", &["Batch systems (hetsim submit --engine)\n  slurm "]),
        ("design", &["\n  morris ", "\n  saltelli "]),
        ("commands", &["\n  completions "]),
        ("bcast", &["\n  broadcast "]),
        ("files", &["\n  stg ", "\n  derive.file ", "\n  fit DATA "]),
    ] {
        let list = here(&["list", word]);
        fits(&list);
        for entry in found {
            assert!(list.contains(entry), "{word}: {entry} should be in\n{list}");
        }
        // "Profile" has no file.
        assert!(!list.contains("Up for Weibull times"), "{list}");
    }
    // "Workload" has no load.
    let loads = here(&["list", "load"]);
    assert!(loads.contains("\n  periodic ") && !loads.contains("Workloads"), "{loads}");
    let all = here(&["list"]);
    assert!(all.ends_with("More about a name: hetsim explain NAME\n") && !all.contains("Commands ("), "{all}");
    // A name of a key's value alone is no entry of the list.
    hetsim(Path::new(".")).args(["list", "two_point"]).assert().code(2).stderr(contains("hetsim explain two_point"));
}

/// What several kinds have is listed once, with all of them.
#[test]
fn list_shows_a_thing_once() {
    let times = |list: &str, entry: &str| list.matches(&format!("\n  {entry} ")).count();
    let metrics = here(&["list", "metrics"]);
    for name in ["d_conf", "efficiency", "unseen_points"] {
        assert_eq!(times(&metrics, name), 1, "{name}\n{metrics}");
    }
    assert!(here(&["list", "diversity"]).contains("Metrics of every workload, the study `adversarial`, the study"));
    // Tables of one name that record other things are others.
    let tables = here(&["list", "long", "tables"]);
    assert_eq!((times(&tables, "by_ranks"), times(&tables, "search")), (1, 1), "{tables}");
    assert!(times(&tables, "nodes") > 1, "{tables}");
    assert!(tables.contains("nodes                       genetic, hpl, independent, island"), "{tables}");
}

/// Every property that lacks a description, by its way through the schema.
fn undescribed(schema: &serde_json::Value, way: &str, found: &mut Vec<String>) {
    if let Some(properties) = schema.get("properties").and_then(|properties| properties.as_object()) {
        for (name, property) in properties {
            if property.get("description").and_then(|text| text.as_str()).is_none_or(str::is_empty) {
                found.push(format!("{way}/{name}"));
            }
        }
    }
    match schema {
        serde_json::Value::Object(parts) => {
            parts.iter().for_each(|(name, part)| undescribed(part, &format!("{way}/{name}"), found));
        }
        serde_json::Value::Array(parts) => {
            parts.iter().enumerate().for_each(|(name, part)| undescribed(part, &format!("{way}/{name}"), found));
        }
        _ => {}
    }
}

#[test]
fn the_schema_describes_every_property() {
    for words in [&["schema"][..], &["schema", "--descriptions"]] {
        let schema: serde_json::Value = serde_json::from_str(&here(words)).expect("JSON");
        assert_eq!(schema["title"], "hetsim scenario");
        assert!(schema["properties"].as_object().is_some_and(|properties| properties.len() >= 12));
    }
    // That for editors says of a key what the one that it is made from does.
    let mut found = Vec::new();
    undescribed(&hetsim::report::spec::NOTATION.schema().whole(), "", &mut found);
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn completions() {
    let script = here(&["completions", "bash"]);
    assert!(script.contains("complete -F _hetsim") && script.contains("--fresh"));
    for shell in ["zsh", "fish"] {
        assert!(!here(&["completions", shell]).is_empty());
    }
    hetsim(Path::new(".")).args(["completions", "tcsh"]).assert().code(2);
}

#[test]
fn kinds_of_new_scenarios_are_listed() {
    let text = here(&["new"]);
    fits(&text);
    assert!(text.contains("\n  broadcast    broadcast algorithms in one cluster, by message size\n"), "{text}");
    assert_eq!(text.matches("\n  ").count(), hetsim::scenario::TEMPLATES.len() + text.matches("\n   ").count());
}
