//! Every scenario whose networks have a latency and a bandwidth also runs where messages share links; what gap tables
//! and overheads have to do with it is said.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use hetsim::report::Reported as _;
use hetsim::scenario::{Problems, Scenario, Source};
use miette::Diagnostic;
use rayon::prelude::*;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios")
}

/// The models that a text names: what stands between the quotes after `model = `.
fn models(text: &str) -> BTreeSet<&str> {
    let code = text.lines().filter(|line| !line.starts_with('#'));
    code.flat_map(|line| line.split("model = \"").skip(1)).filter_map(|rest| rest.split('"').next()).collect()
}

/// A text with every network of one latency and one bandwidth made one of shared links.
fn shared(text: &str) -> String {
    text.replace("model = \"hockney\"", "model = \"fair\"").replace("model = \"delay\"", "model = \"fair\"")
}

/// A scenario under `fair`, or why there is none.
fn under_fair(path: &Path, made: &Path) -> Result<String, String> {
    let mut text = fs::read_to_string(path).unwrap();
    let included =
        text.lines().find_map(|line| line.strip_prefix("include = \"")?.strip_suffix('"')).map(str::to_owned);
    let mut named: BTreeSet<String> = models(&text).into_iter().map(str::to_owned).collect();
    if let Some(included) = included {
        let platform = fs::read_to_string(folder().join(&included)).unwrap();
        named.extend(models(&platform).into_iter().map(str::to_owned));
        let file = made.join(&included);
        fs::write(&file, shared(&platform)).unwrap();
        let quoted = |name: &str| format!("include = {}", serde_json::Value::from(name));
        text = text.replace(&quoted(&included), &quoted(&file.to_string_lossy()));
    }
    let others: Vec<&str> = named
        .iter()
        .map(String::as_str)
        .filter(|name| !["hockney", "delay", "fair", "routes"].contains(name))
        .collect();
    match (named.is_empty(), others.is_empty()) {
        (true, _) => Err("no network".to_owned()),
        (_, false) => Err(format!("networks without one latency and one bandwidth: {}", others.join(", "))),
        _ => Ok(shared(&text)),
    }
}

fn read(name: &str, text: &str) -> Result<Scenario, Problems> {
    let source = Source { name: name.to_owned(), folder: folder(), text: text.into() };
    Scenario::read(name.to_owned(), source, &[])
}

/// The first point of each scenario, its first replica.
#[test]
fn scenarios_run_under_fair() {
    let made = tempfile::tempdir().unwrap();
    let mut paths: Vec<PathBuf> = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| {
        let name = path.to_string_lossy();
        name.ends_with(".toml") && !name.ends_with(".platform.toml")
    });
    paths.sort();
    // Files that several scenarios include are made before any of them is read.
    let texts: Vec<_> = paths.iter().map(|path| under_fair(path, made.path())).collect();
    let outcomes: Vec<(String, Result<(), String>)> = paths
        .par_iter()
        .zip(&texts)
        .map(|(path, text)| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let outcome = text.clone().map(|text| {
                let scenario = read(&name, &text).unwrap_or_else(|problems| panic!("{name}: {problems}"));
                let record = scenario.run(0, 0).unwrap_or_else(|error| panic!("{name}: {error}"));
                assert!(record.get("completion_s").is_some() || !record.metrics.is_empty(), "{name} tells nothing");
            });
            (name, outcome)
        })
        .collect();
    let skipped: Vec<String> =
        outcomes.iter().filter_map(|(name, ran)| Some(format!("{name}: {}", ran.as_ref().err()?))).collect();
    println!("skipped:\n{}", skipped.join("\n"));
    let ran = outcomes.len() - skipped.len();
    assert!(ran >= 20, "only {ran} scenarios ran; skipped:\n{}", skipped.join("\n"));
}

/// Scenarios whose own networks have gaps do not become ones of shared links by the name alone.
#[test]
fn scenarios_with_gaps_are_refused_under_fair() {
    let mut refused = 0;
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let is_scenario = path.extension().is_some_and(|extension| extension == "toml");
        let text = if is_scenario { fs::read_to_string(&path).unwrap() } else { continue };
        let gaps = ["logp", "loggp", "plogp"].map(|model| format!("model = \"{model}\""));
        if path.to_string_lossy().ends_with(".platform.toml") || !gaps.iter().any(|gap| text.contains(gap)) {
            continue;
        }
        let changed = gaps.iter().fold(text, |text, gap| text.replace(gap, "model = \"fair\""));
        let problems =
            read(&path.file_stem().unwrap().to_string_lossy(), &changed).expect_err("gaps are no bandwidths");
        let help =
            |problem: &hetsim::scenario::Report| problem.help().map_or_else(String::new, |help| help.to_string());
        assert!(
            problems.reports().iter().any(|problem| help(problem).contains("`gap` is a key of model")),
            "{problems}"
        );
        refused += 1;
    }
    assert!(refused >= 5, "{refused} scenarios name such a model");
}

/// Whoever changes only the name of the model is told which keys belong to which model, and what `fair` needs instead.
#[test]
fn gaps_and_overheads_are_refused_with_the_reason() {
    for (network, keys) in [
        ("latency = \"2us\", overhead = \"1us\", gap = \"1us\"", &["overhead", "gap"][..]),
        (
            "latency = \"2us\", overhead = \"1us\", gap = \"1us\", gap_per_byte = \"6ns/B\"",
            &["overhead", "gap", "gap_per_byte"],
        ),
        ("latency = \"2us\", gap = { \"1B\" = \"1us\", \"1KiB\" = \"5us\" }", &["gap"]),
    ] {
        let text = format!(
            "version = 1\n[platform.cluster.net]\nnodes = 4\nnetwork = {{ model = \"fair\", {network} }}\n\
             [workload]\nkind = \"broadcast\"\nsize = \"1B\"\nalgorithm = \"binomial\"\n"
        );
        let problems = read("test.toml", &text).expect_err("this should be refused");
        let said: Vec<(String, String)> = problems
            .reports()
            .iter()
            .map(|problem| (problem.to_string(), problem.help().map_or_else(String::new, |help| help.to_string())))
            .collect();
        assert_eq!(said.len(), keys.len() + 1, "{said:?}");
        assert!(said.iter().any(|(message, help)| {
            message.starts_with("`bandwidth` is missing") && help.contains("Bandwidth of each node's uplink")
        }));
        for key in keys {
            let of_key = said.iter().find(|(message, _)| message.starts_with(&format!("unknown key `{key}`")));
            let help = of_key.map(|(_, help)| help.as_str()).unwrap_or_default();
            assert!(help.starts_with(&format!("`{key}` is a key of model ")), "{said:?}");
            assert!(help.contains("\"loggp\"") && help.contains(", not of `fair`"), "{help}");
        }
    }
}
