//! `hetsim explain` as users see it.

use std::path::Path;
use std::time::Duration;

use hetsim::scenario::nearest;
use predicates::str::contains;

use crate::support::{hetsim, printed};

/// What the command prints of a name, in lines that fit 80 columns.
fn explained(name: &str) -> String {
    let text = printed(hetsim(".").args(["explain", name]));
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    text
}

#[test]
fn one_of_each_kind() {
    for (snapshot, name) in [
        ("explain_metric", "n_eff"),
        ("explain_key", "workload.tasks"),
        ("explain_key_in_many_tables", "bandwidth_factor"),
        ("explain_choosing_key", "derive.how"),
        ("explain_value", "per_level"),
        ("explain_design", "morris"),
        ("explain_ordinary_word", "uniform"),
        ("explain_workload", "traffic"),
        ("explain_network_model", "loggp"),
        ("explain_policy", "guided"),
        ("explain_chart", "heatmap"),
        ("explain_derived_metric", "ratio_to_best"),
    ] {
        insta::assert_snapshot!(snapshot, explained(name));
    }
}

#[test]
fn a_name_that_is_not_known_has_a_near_one() {
    for (wrong, near) in [("binomal", "binomial"), ("n_ef", "n_eff"), ("workload.tsk", "workload.task")] {
        hetsim(".").args(["explain", wrong]).assert().code(2).stdout("").stderr(contains(near));
    }
    hetsim(".").args(["explain", "nothing_of_the_kind"]).assert().code(2).stderr(contains("`hetsim list`"));
    hetsim(".").arg("explain").assert().code(2).stderr(contains("Usage: hetsim explain"));
}

/// A kind of workload is no metric, though the page about metrics has a row of it; a long default has several lines.
#[test]
fn what_a_name_means_comes_first() {
    assert!(explained("measure").starts_with("measure: Workloads"));
    assert!(explained("sizes").contains("\"1MiB\"]"));
    // The keys are those of each distribution, although one sentence describes both.
    let uniform = explained("uniform");
    assert!(uniform.contains("Keys in `workload.task`") && uniform.contains("Keys in `platform.cluster.speed_factor`"));
}

#[test]
fn its_pages_are_there() {
    let text = explained("farm");
    let pages: Vec<&str> = text.split_whitespace().filter(|word| word.starts_with("docs/")).collect();
    assert!(!pages.is_empty(), "{text}");
    for page in pages {
        let file = page.trim_end_matches(',').split('#').next().unwrap();
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(file).is_file(), "{page}");
    }
}

/// A name of any length is unknown at once, also where known names are as long.
#[test]
fn long_names_are_unknown_at_once() {
    let long = "task ".repeat(20_000);
    for command in ["explain", "list"] {
        let mut asked = hetsim(".");
        asked
            .args([command, &long])
            .timeout(Duration::from_secs(30))
            .assert()
            .code(2)
            .stderr(contains("`hetsim list`"));
    }
    let [name, other] = [1, 2].map(|more| "x".repeat(5000 + more));
    assert_eq!(nearest(&name, [other.as_str()]), None);
}
