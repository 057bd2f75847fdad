//! `hetsim plot`: charts again, from stored runs, at another width, in other formats, or by an edited scenario.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::support::{entries, here, wide};

const SCENARIO: &str = r#"version = 1
question = "Which tree is faster?"
[platform.cluster.lab]
nodes = 8
network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }
[workload]
kind = "broadcast"
size = "8KiB"
algorithm = "binomial"
[sweep]
"workload.algorithm" = ["linear", "binomial"]
"workload.size" = ["8KiB", "1MiB"]
[[chart]]
name = "bars"
title = "Trees of 8 nodes"
kind = "bar"
x = "size"
y = "completion_s"
series = "algorithm"
[[chart]]
name = "lines"
x = "size"
y = "completion_s"
series = "algorithm"
"#;

/// The exit code of the command and what it says.
fn hetsim(folder: &Path, words: &[&str]) -> (Option<i32>, String) {
    let output = wide(folder).args(words).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    // Messages are wrapped behind a line.
    (output.status.code(), String::from_utf8_lossy(&said).replace("\n  │ ", " "))
}

#[track_caller]
fn succeeds(folder: &Path, words: &[&str]) -> String {
    let (code, said) = hetsim(folder, words);
    assert_eq!(code, Some(0), "{words:?}: {said}");
    said
}

#[track_caller]
fn is_refused(folder: &Path, words: &[&str], parts: &[&str]) {
    let (code, said) = hetsim(folder, words);
    assert_eq!(code, Some(2), "{words:?}: {said}");
    for part in parts {
        assert!(said.contains(part), "{words:?}: `{part}` should be in\n{said}");
    }
}

/// A folder with the results of the scenario.
fn results() -> TempDir {
    let folder = here(&[("mine.toml", SCENARIO)]);
    succeeds(folder.path(), &["mine.toml", "--quiet"]);
    folder
}

#[test]
fn charts_are_laid_out_anew_at_another_width() {
    let folder = results();
    let path = folder.path();
    let own = fs::read(path.join("output/mine/charts/bars.svg")).unwrap();
    let said = succeeds(path, &["plot", "output/mine", "--width", "85mm", "--chart", "bars", "--out", "figs"]);
    assert!(said.contains("Written: figs/bars.svg"), "{said}");
    assert_eq!(entries(path.join("figs")), ["bars.svg"]);
    let narrow = fs::read_to_string(path.join("figs/bars.svg")).unwrap();
    assert!(narrow.contains("width=\"85mm\""), "{narrow}");
    assert_eq!(fs::read(path.join("output/mine/charts/bars.svg")).unwrap(), own, "the folder's own chart stays");
    // Without a width it is the chart of the report, byte for byte, and of all charts.
    succeeds(path, &["plot", "output/mine", "--out", "again"]);
    assert_eq!(entries(path.join("again")), ["bars.svg", "lines.svg"]);
    assert_eq!(fs::read(path.join("again/bars.svg")).unwrap(), own);
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let folder = results();
    let of = |words: &[&'static str]| [&["plot", "output/mine"], words].concat();
    let path = folder.path();
    is_refused(path, &of(&["--chart", "bar"]), &["there is no chart `bar`", "did you mean `bars`?"]);
    is_refused(path, &of(&["--width", "85"]), &["--width: `85` is not a length", "85mm"]);
    is_refused(path, &of(&["--width", "1mm"]), &["too narrow for type of 7 pt"]);
    is_refused(path, &of(&["--format", "jpg"]), &["invalid value 'jpg'", "svg, pdf, png, tex"]);
    is_refused(path, &of(&["--format", "tex"]), &["ask for \"pdf\" or \"png\" too"]);
    is_refused(path, &of(&["--scenario", "gone.toml"]), &["there is no file gone.toml"]);
    is_refused(path, &["plot", "nowhere", "--width", "85mm"], &["nowhere is not a results folder"]);
    fs::write(path.join("none.toml"), SCENARIO.split("[[chart]]").next().unwrap()).unwrap();
    is_refused(path, &of(&["--scenario", "none.toml"]), &["none.toml asks for no [[chart]]"]);
    if !cfg!(feature = "png") {
        let words = of(&["--format", "svg,png"]);
        is_refused(path, &words, &["--format: this hetsim draws no png", "without the feature `png`"]);
    }
    assert_eq!(entries(path), ["mine.toml", "none.toml", "output"]);
}

#[test]
fn an_edited_scenario_draws_its_charts_and_is_never_ignored() {
    let folder = results();
    let path = folder.path();
    let edited = |name: &str, text: String| fs::write(path.join(name), text).unwrap();
    let of = |name: &'static str| ["plot", "output/mine", "--scenario", name, "--out", "figs"];
    edited("title.toml", SCENARIO.replace("Trees of 8 nodes", "Eight nodes"));
    let said = succeeds(path, &of("title.toml"));
    assert!(fs::read_to_string(path.join("figs/bars.svg")).unwrap().contains("Eight nodes"));
    assert!(!said.contains("note:"), "{said}");
    // Other runs: the key is named, and nothing is drawn.
    fs::remove_dir_all(path.join("figs")).unwrap();
    edited("latency.toml", SCENARIO.replace("50us", "60us"));
    let parts =
        ["4 of the 4 runs of latency.toml are missing in output/mine", "latency` differ", "`hetsim run latency.toml`"];
    is_refused(path, &of("latency.toml"), &parts);
    edited("more.toml", SCENARIO.replace("\"8KiB\", \"1MiB\"", "\"8KiB\", \"1MiB\", \"2MiB\""));
    is_refused(
        path,
        &of("more.toml"),
        &["2 of the 6 runs of more.toml are missing in output/mine", "`sweep.workload.size` differ"],
    );
    assert!(!path.join("figs").exists());
    // Fewer of the same runs are there, which is said; so is what charts do not show.
    edited("fewer.toml", SCENARIO.replace("\"linear\", \"binomial\"", "\"binomial\"").replace("faster?", "slower?"));
    let said = succeeds(path, &of("fewer.toml"));
    assert!(
        said.contains("note: fewer.toml chooses other runs than the results (`sweep.workload.algorithm`"),
        "{said}"
    );
    assert!(said.contains("note: `question` differ"), "{said}");
    let drawn = fs::read_to_string(path.join("figs/lines.svg")).unwrap();
    assert!(drawn.contains("binomial") && !drawn.contains("linear"), "{drawn}");
    // A file that was edited in its place is read again too.
    edited("mine.toml", SCENARIO.replace("Trees of 8 nodes", "Eight nodes"));
    succeeds(path, &["plot", "output/mine", "--chart", "bars", "--out", "again"]);
    assert!(fs::read_to_string(path.join("again/bars.svg")).unwrap().contains("Eight nodes"));
}

/// All files are made again only of runs that are there, and tell of what they show.
#[test]
fn results_are_made_again_by_the_file_as_it_is_now() {
    let folder = here(&[("mine.toml", &format!("replicas = 4\n{SCENARIO}"))]);
    let (path, plot) = (folder.path(), ["plot", "output/mine"]);
    succeeds(path, &["mine.toml", "--quiet"]);
    let results = || fs::read(path.join("output/mine/results.csv")).unwrap();
    let before = results();
    let edited = |replicas: u32, text: &str| {
        fs::write(path.join("mine.toml"), format!("# {replicas}\nreplicas = {replicas}\n{text}")).unwrap();
    };
    edited(4, &SCENARIO.replace("[\"linear\", ", "[\"pipeline\", \"linear\", "));
    is_refused(path, &plot, &["8 of the 24 runs of", "`sweep.workload.algorithm` differ"]);
    edited(6, SCENARIO);
    is_refused(path, &plot, &["8 of the 24 runs of", "`replicas` differ"]);
    assert_eq!(results(), before);
    edited(2, &SCENARIO.replace("Which tree", "Which of both"));
    assert!(succeeds(path, &plot).contains("Which of both is faster?"));
    let manifest = fs::read_to_string(path.join("output/mine/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!((&manifest["runs"], &manifest["rows"], &manifest["messages"]), (&8.into(), &8.into(), &56.into()));
    assert!(manifest["text"].as_str().unwrap().starts_with("# 2\n"), "{manifest}");
}

#[test]
fn a_scenario_asks_for_formats() {
    let folder = here(&[("mine.toml", &format!("{SCENARIO}[output]\nformat = [\"tex\"]\n"))]);
    is_refused(folder.path(), &["mine.toml"], &["a tex file puts a PDF or PNG into a document", "[mine.toml:26:11]"]);
    let all = format!("{SCENARIO}[output]\nformat = [\"tex\", \"pdf\"]\n");
    fs::write(folder.path().join("mine.toml"), all.replace("name = \"lines\"", "name = \"lines\"\nwidth = \"85mm\""))
        .unwrap();
    succeeds(folder.path(), &["mine.toml", "--quiet"]);
    let charts = folder.path().join("output/mine/charts");
    let names = ["bars", "lines"].map(|name| ["pdf", "svg", "tex"].map(|format| format!("{name}.{format}")));
    assert_eq!(entries(&charts), names.concat());
    assert!(fs::read(charts.join("bars.pdf")).unwrap().starts_with(b"%PDF-"));
    let tex = fs::read_to_string(charts.join("lines.tex")).unwrap();
    let lines =
        ["\\includegraphics[width=85mm]{lines.pdf}", "n = 1.", "scenario \\texttt{mine}, seed 0", "\\label{fig:lines}"];
    for line in lines {
        assert!(tex.contains(line), "`{line}` should be in\n{tex}");
    }
}

/// A caption says one run where a chart shows one, and which of the replicas it is.
#[test]
fn captions_of_single_runs_say_so() {
    let chart = |name: &str, keys: &str| {
        let table = "kind = \"bar\"\ntable = \"path\"\nx = \"part\"\ny = \"end_s\"";
        format!("[[chart]]\nname = \"{name}\"\n{table}\n{keys}\n")
    };
    let one = chart("one", "where = { size = \"1MiB\", algorithm = \"linear\" }");
    let each = chart("each", "series = \"algorithm\"\nwhere = { size = \"1MiB\" }");
    let output = "[output]\nformat = [\"tex\", \"pdf\"]\ntables = [\"path\"]\n";
    let folder = here(&[("mine.toml", &format!("replicas = 3\n{SCENARIO}{one}{each}{output}"))]);
    succeeds(folder.path(), &["mine.toml", "--quiet"]);
    for (name, runs) in [("one", "One run, n = 1."), ("each", "One run each, n = 1.")] {
        let tex = fs::read_to_string(folder.path().join(format!("output/mine/charts/{name}.tex"))).unwrap();
        assert!(tex.contains("The first of 3 replicas.") && tex.contains(runs), "{tex}");
    }
}
