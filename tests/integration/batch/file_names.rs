//! Names from outside that become files, and what earlier runs have left in a results folder.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::support::{entries, printed, trees, wide};

#[track_caller]
fn succeeds(folder: &Path, words: &[&str]) {
    printed(wide(folder).args(words));
}

#[test]
fn no_scenario_writes_outside_its_folder() {
    for name in ["...toml", "..toml"] {
        let folder = TempDir::new().unwrap();
        let inside = folder.path().join("inside");
        fs::create_dir(&inside).unwrap();
        fs::write(inside.join(name), trees("completion")).unwrap();
        for words in [&[name][..], &["check", name], &["submit", name, "--engine", "parallel", "--shards", "2"]] {
            let output = wide(&inside).args(words).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
            assert!(said.contains("give the scenario's file another name"), "{said}");
        }
        assert_eq!(entries(folder.path()), ["inside"]);
        assert_eq!(entries(&inside), [name]);
    }
    // Odd names of one folder are nobody's harm.
    for (name, results) in [(".toml", ".toml"), ("....toml", "..."), ("a b.toml", "a b")] {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join(name), trees("completion")).unwrap();
        succeeds(folder.path(), &[name, "--quiet"]);
        assert_eq!(entries(folder.path().join("output")), [results]);
    }
}

#[test]
fn names_of_charts_are_checked_before_any_run() {
    let wrong = [
        (r"a\u0000b", r"'\0'"),
        (r"a\u001bb", r"'\u{1b}'"),
        ("a/b", "'/'"),
        (r"..\\b", r"'\\'"),
        ("..", "begin"),
        ("a:b", "':'"),
        ("what?", "'?'"),
        ("a.", "end"),
        ("nul", "device"),
        (&"x".repeat(300), "300 bytes"),
        ("", "one letter"),
    ];
    for (name, reason) in wrong {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("mine.toml"), trees(name)).unwrap();
        for words in [&["check", "mine.toml"][..], &["mine.toml"]] {
            let output = wide(&folder).args(words).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{name}: {said}");
            assert!(said.contains("a chart's name is the stem of a file") && said.contains("mine.toml:12:8"), "{said}");
            assert!(said.contains(reason), "{name}: {said}");
        }
        assert_eq!(entries(folder.path()), ["mine.toml"], "nothing was run");
    }
    let folder = TempDir::new().unwrap();
    let twice = trees("speed") + "[[chart]]\nname = \"Speed\"\nkind = \"bar\"\nx = \"algorithm\"\ny = \"messages\"\n";
    fs::write(folder.path().join("mine.toml"), twice).unwrap();
    let output = wide(&folder).args(["check", "mine.toml"]).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("`speed` and `Speed` are one file"));
    let longest = TempDir::new().unwrap();
    fs::write(longest.path().join("mine.toml"), trees(&"x".repeat(200))).unwrap();
    succeeds(longest.path(), &["mine.toml", "--quiet"]);
}

/// A chart that the scenario has no longer goes with the next results; what somebody put there or changed stays.
#[test]
fn charts_that_were_renamed_go() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let charts = path.join("output/mine/charts");
    let write = |name: &str| fs::write(path.join("mine.toml"), trees(name)).unwrap();
    write("first");
    succeeds(path, &["mine.toml", "--quiet"]);
    fs::write(charts.join("my own.svg"), "<svg/>").unwrap();
    assert_eq!(entries(&charts), ["first.svg", "my own.svg"]);
    write("second");
    succeeds(path, &["mine.toml", "--quiet"]);
    assert_eq!(entries(&charts), ["my own.svg", "second.svg"]);
    write("third");
    succeeds(path, &["plot", "output/mine"]);
    assert_eq!(entries(&charts), ["my own.svg", "third.svg"]);
    // A retouched picture is the user's.
    fs::write(charts.join("third.svg"), "<svg>retouched</svg>").unwrap();
    write("fourth");
    succeeds(path, &["plot", "output/mine"]);
    assert_eq!(entries(&charts), ["fourth.svg", "my own.svg", "third.svg"]);
    // So go other files that are written no more.
    let expected = trees("fourth") + "[[expect]]\nmetric = \"messages\"\nvalue = 7\nsource = \"P - 1\"\n";
    fs::write(path.join("mine.toml"), expected).unwrap();
    succeeds(path, &["mine.toml", "--quiet"]);
    assert!(path.join("output/mine/expect.csv").exists());
    write("fourth");
    succeeds(path, &["mine.toml", "--quiet"]);
    assert!(!path.join("output/mine/expect.csv").exists());
}

/// Temporary files of a killed process go with the next run in the folder; one that is being written stays.
#[test]
fn what_a_kill_leaves_is_removed_by_the_next_run() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    fs::write(path.join("mine.toml"), trees("completion")).unwrap();
    succeeds(path, &["mine.toml", "--quiet"]);
    let results = path.join("output/mine");
    let left = [results.join(".hetsim-aB3dE6gH9jK0.tmp"), results.join("charts/.hetsim-0123456789ab.tmp")];
    let alive = results.join(".hetsim-alivealiveal.tmp");
    let notes = results.join(".notes.tmp");
    for file in left.iter().chain([&alive, &notes]) {
        fs::write(file, "half of it").unwrap();
    }
    let writer = fs::OpenOptions::new().write(true).open(&alive).unwrap();
    writer.lock().unwrap();
    succeeds(path, &["mine.toml", "--quiet"]);
    assert!(left.iter().all(|file| !file.exists()), "{:?}", entries(&results));
    assert!(alive.exists() && notes.exists());
    drop(writer);
    succeeds(path, &["plot", "output/mine"]);
    assert!(!alive.exists() && notes.exists());
}
