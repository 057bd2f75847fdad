//! The menu, and what the page answers, on this machine.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hetsim_playground::answer;
use hetsim_playground::menu::{files, names, shipped};
use serde_json::json;

fn scenarios() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios")
}

#[test]
fn every_shipped_scenario_is_in_the_menu_or_too_slow_for_it() {
    let listed: Vec<String> = ["menu", "slow"].into_iter().flat_map(|key| names(key).unwrap()).collect();
    let once: BTreeSet<String> = listed.iter().cloned().collect();
    assert_eq!(once.len(), listed.len(), "none is listed twice");
    let file_names = std::fs::read_dir(scenarios()).unwrap().map(|entry| entry.unwrap().file_name());
    let shipped = file_names.filter_map(|name| Some(name.to_str()?.strip_suffix(".toml")?.to_owned()));
    assert_eq!(once, shipped.filter(|name| !name.ends_with(".platform")).collect());
}

#[test]
fn the_page_names_the_scenarios_whose_last_digits_may_differ() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let [test, page] =
        ["test/test.py", "../docs/playground.md"].map(|file| std::fs::read_to_string(root.join(file)).unwrap());
    let names = test.lines().find_map(|line| line.strip_prefix("LAST_DIGITS = {")?.strip_suffix('}')).unwrap();
    assert!(page.contains(&format!("({})", names.replace('"', "`"))), "{names}");
}

/// The folder of this test has none of the files that scenarios name, so they must come from memory.
#[test]
fn every_scenario_of_the_menu_can_be_read_without_a_disk() {
    let offered = shipped(&scenarios()).unwrap();
    let of =
        |name: &str| offered["menu"].as_array().unwrap().iter().find(|entry| entry["name"] == name).unwrap().clone();
    let text = |name: &str| of(name)["text"].as_str().unwrap().to_owned();
    let missing = answer::check("grid5000", &text("grid5000"));
    assert!(
        missing[0]["message"].as_str().unwrap().starts_with("there is no file grid5000.platform.toml"),
        "{missing}"
    );
    let line = text("grid5000").lines().position(|line| line.starts_with("include = ")).unwrap() + 1;
    assert_eq!(missing[0]["line"], line);

    files(&scenarios()).unwrap().into_iter().for_each(|(path, text)| hetsim::input::carry(path, text.into_bytes()));
    for name in names("menu").unwrap() {
        assert_eq!(answer::check(&name, &text(&name)), json!([]), "{name}");
    }
}

const SMALL: &str = r#"version = 1
replicas = 3
[platform.cluster.lab]
nodes = 4
network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }
jitter = 0.1
[workload]
kind = "broadcast"
size = "1KiB"
algorithm = "binomial"
[[chart]]
name = "completion"
kind = "histogram"
x = "completion_s"
"#;

#[test]
fn a_run_gives_the_files_of_a_results_folder() {
    let told = std::sync::Mutex::new((0, 0));
    let answer = answer::run("mine", SMALL, |ended, all| {
        let mut told = told.lock().unwrap();
        *told = (told.0 + ended, all);
    });
    assert_eq!(
        (answer["computed"].as_u64(), &answer["failed"], answer["missed"].as_u64()),
        (Some(3), &json!([]), Some(0)),
        "{answer}"
    );
    assert_eq!(told.into_inner().unwrap(), (3, 3));
    let names: Vec<&String> = answer["files"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["charts/completion.svg", "report.html", "results.csv", "scenario.resolved.toml", "summary.csv"]);
    assert_eq!(answer["files"]["results.csv"].as_str().unwrap().lines().count(), 4);
    assert_eq!(answer["warnings"], json!([]));
    let coarse = SMALL.replace("[platform.cluster", "[platform]\ntick = \"40us\"\n[platform.cluster");
    let warned = &answer::run("mine", &coarse, |_, _| {})["warnings"];
    assert!(warned[0].as_str().unwrap().starts_with("the tick of 40us is coarse"), "{warned}");
}

#[test]
fn a_problem_has_its_place_in_characters() {
    let wrong = SMALL.replace("nodes = 4", "# é\nnodes = 4 # 🙂\nnoodles = 4");
    let problem = &answer::check("mine", &wrong)[0];
    let place = ["line", "column", "length"].map(|key| problem[key].as_u64().unwrap());
    assert_eq!(place, [6, 1, "noodles".len() as u64], "{problem}");
    assert_eq!(problem["help"], "did you mean `nodes`?");
    assert_eq!(answer::run("mine", &wrong, |_, _| {})["problems"][0], *problem);
    let elsewhere = answer::check("mine", "version = 1\n[platform]\ninclude = \"wrong.platform.toml\"\n");
    assert!(elsewhere[0]["message"].as_str().unwrap().contains("wrong.platform.toml"), "{elsewhere}");
}
