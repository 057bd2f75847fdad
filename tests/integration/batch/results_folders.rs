//! Results folders: where every verb makes one, and what `hetsim status` says of any.

use std::fs;
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use hetsim::batch::run::Workers;
use hetsim::batch::shard::ShardState;
use hetsim::batch::threads::Threads;
use hetsim::report::Reported as _;
use hetsim::report::session::{Session, SessionRequest};
use hetsim::scenario::Scenario;
use tempfile::TempDir;

use crate::support::{self, printed, typed};

const SCENARIO: &str = r#"
version = 1
replicas = 2
[platform.cluster.lab]
nodes = 4
network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }
[workload]
kind = "broadcast"
size = "8KiB"
algorithm = "binomial"
[sweep]
"workload.size" = ["1KiB", "8KiB"]
"#;

/// Half round trips of 10 µs + m/100 MB/s.
const LATENCY: &str = "# OSU MPI Latency Test v5.9\n# Size          Latency (us)\n1 10.01\n100 11.00\n1000 20.00\n2000 30.00\n\
    4000 50.00\n8000 90.00\n16000 170.00\n";

fn here() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("mine.toml"), SCENARIO).unwrap();
    fs::write(folder.path().join("latency.txt"), LATENCY).unwrap();
    fs::write(folder.path().join("lab.csv"), "a,b,c\n0,40,9000\n40,0,9000\n9000,9000,0\n").unwrap();
    let times: Vec<String> = (1..20).map(|bytes| format!("{bytes},{}\n", 3 * bytes + 7)).collect();
    fs::write(folder.path().join("times.csv"), format!("bytes,us\n{}", times.concat())).unwrap();
    folder
}

#[track_caller]
fn said(folder: &Path, line: &str) -> String {
    printed(&mut typed(folder, line))
}

#[track_caller]
fn refused(folder: &Path, line: &str) -> String {
    let output = typed(folder, line).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{line}");
    // Lines are broken at blanks, hyphens and slashes.
    String::from_utf8_lossy(&output.stderr).replace([' ', '\n', '│'], "")
}

/// Each verb that writes results: its words, and a file in its results folder.
const VERBS: &[(&str, &str)] = &[
    ("run mine.toml --quiet", "mine/results.csv"),
    ("fit times.csv --target us --by bytes --method ols -q", "fit-times/formula.toml"),
    ("advise mine.toml --sizes 1KiB --ranks 4", "advise-mine/choices.csv"),
    ("partition lab.csv --unit us", "partition-lab/clusters.csv"),
    ("measure latency.txt --model hockney", "measure-latency/platform.toml"),
];

#[test]
fn out_is_where_results_folders_are_made() {
    let folder = here();
    for (words, file) in VERBS {
        said(folder.path(), &format!("{words} --out made/there"));
        assert!(folder.path().join("made/there").join(file).is_file(), "{words}: {file}");
    }
    let help = "parent of the results folder";
    for verb in ["run", "submit", "fit", "advise", "partition", "measure"] {
        let text = said(folder.path(), &format!("{verb} --help"));
        assert!(text.split_whitespace().collect::<Vec<_>>().join(" ").contains(help), "{verb}: {text}");
    }
}

/// Where `--out` named a file, or the results folder itself, it is said how that is written now.
#[test]
fn former_spellings_of_out_are_explained() {
    let folder = here();
    let text = refused(folder.path(), "measure latency.txt --out platform.toml");
    assert!(text.contains("--out.writes./measure-latency/platform.toml"), "{text}");
    let text = refused(folder.path(), "measure latency.txt --out lab/platform.toml");
    assert!(text.contains("--outlabwriteslab/measure-latency/platform.toml"), "{text}");
    for (words, file) in &VERBS[1..4] {
        let (name, own) = file.split_once('/').unwrap();
        let old = format!("old/{name}");
        // What earlier versions wrote there.
        let former = if own == "clusters.csv" { "lab-clusters.csv" } else { own };
        fs::create_dir_all(folder.path().join(&old)).unwrap();
        fs::write(folder.path().join(&old).join(former), "").unwrap();
        let text = refused(folder.path(), &format!("{words} --out {old}"));
        assert!(text.contains(&format!("--outoldwritesold/{file}")), "{words}: {text}");
    }
    // A file of the user's own is no results.
    fs::write(folder.path().join("platform.toml"), "").unwrap();
    said(folder.path(), &format!("{} --out .", VERBS[4].0));
    assert!(folder.path().join(VERBS[4].1).is_file());
}

/// Whatever the folder is called, the platform in it is one.
#[test]
fn names_of_folders_stay_in_their_comment() {
    let folder = here();
    let words = ["measure", "latency.txt", "--model", "hockney", "--out", "nl\nx = 1"];
    support::hetsim(&folder).args(words).assert().success();
    let text = fs::read_to_string(folder.path().join("nl\nx = 1/measure-latency/platform.toml")).unwrap();
    let table: toml::Table = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(table.keys().collect::<Vec<_>>(), ["cluster"]);
}

#[test]
fn a_scenario_is_no_results_folder() {
    let folder = tempfile::TempDir::new().unwrap();
    std::fs::write(folder.path().join("mine.toml"), "version = 1\n").unwrap();
    let said = support::hetsim(&folder).args(["merge", "mine.toml"]).assert().code(2);
    said.stderr(predicates::str::contains("mine.toml is a file; give a results folder, such as output/mine"));
}

#[test]
fn status_of_a_finished_run() {
    let folder = here();
    said(folder.path(), "mine.toml --quiet");
    let text = said(folder.path(), "status output/mine");
    assert!(text.contains("mine: 4 of 4 runs done (100 %)"), "{text}");
    assert!(text.contains("All runs are stored, and the results are in output/mine/report.html"), "{text}");
    assert!(!folder.path().join("output/mine/run.json").exists());
    // From elsewhere, and when the scenario's file is gone, by what the results hold.
    let inside = folder.path().join("output");
    assert!(said(&inside, "status mine").contains("4 of 4 runs done"));
    fs::remove_file(folder.path().join("mine.toml")).unwrap();
    assert!(said(folder.path(), "status output/mine").contains("4 of 4 runs done"));
}

/// Whatever the folder from which it is looked at, a results folder is of one file.
#[test]
fn a_results_folder_is_of_one_file() {
    let folder = here();
    let (one, other) = (folder.path().join("one"), folder.path().join("other"));
    for own in [&one, &other] {
        fs::create_dir(own).unwrap();
        fs::copy(folder.path().join("mine.toml"), own.join("mine.toml")).unwrap();
    }
    said(&one, "mine.toml --quiet --out ../out");
    let text = refused(&other, "mine.toml --quiet --out ../out");
    assert!(text.contains("holdstheresultsof") && text.contains("one/mine.toml"), "{text}");
    let plot = || typed(folder.path(), "plot out/mine").assert().success();
    plot().stderr("");
    // The results are made again even if they or the file were moved.
    fs::remove_file(one.join("mine.toml")).unwrap();
    plot().stderr(predicates::str::contains("one/mine.toml can no longer be read as when the results were made"));
}

/// The results that are made again while shards of other runs compute do not hide them.
#[test]
fn the_last_to_write_tells_the_runs() {
    let folder = here();
    said(folder.path(), "mine.toml --quiet");
    said(folder.path(), "mine.toml --quiet --shard 0/1 --set seed=1");
    said(folder.path(), "plot output/mine");
    assert!(!said(folder.path(), "status output/mine").contains("of 1 shards finished"));
    let shard = ShardState::starting("0/1".parse().unwrap(), 4, 4);
    shard.write(&folder.path().join("output/mine")).unwrap();
    assert!(said(folder.path(), "status output/mine").contains("1 of 1 shards finished"));
}

/// The commands of a few shards are listed, and the others are counted.
#[test]
fn status_lists_a_few_commands() {
    let folder = here();
    let sizes: Vec<String> = (1..=20).map(|size| format!("\"{size}KiB\"")).collect();
    let text = SCENARIO.replace("\"1KiB\", \"8KiB\"", &sizes.join(", "));
    fs::write(folder.path().join("mine.toml"), text).unwrap();
    said(folder.path(), "run mine.toml --quiet --shard 0/12");
    let text = said(folder.path(), "status output/mine");
    let words: Vec<&str> = text.split(" shards are incomplete").next().unwrap().split_whitespace().collect();
    let incomplete: usize = words.last().unwrap().parse().unwrap();
    assert_eq!(text.matches("\n  hetsim run ").count(), 8, "{text}");
    assert!(text.contains(&format!("\n  … and {} more\n", incomplete - 8)), "{text}");
}

#[test]
fn status_of_a_run_that_was_changed_since() {
    let folder = here();
    fs::write(folder.path().join("mine.toml"), format!("# As it was.{SCENARIO}")).unwrap();
    said(folder.path(), "mine.toml --quiet");
    fs::write(folder.path().join("mine.toml"), SCENARIO.replace("\"8KiB\"]", "\"8KiB\", \"1MiB\"]")).unwrap();
    let output = typed(folder.path(), "status output/mine").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("mine: 4 of 4 runs done"), "{text}");
    let note = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(note.contains("mine.toml describes other runs than when the results were made"), "{note}");
    // Its page has the text of then.
    typed(folder.path(), "merge output/mine --quiet").assert().success();
    let page = fs::read_to_string(folder.path().join("output/mine/report.html")).unwrap();
    assert!(page.contains("# As it was."), "{page}");
    // Or as it is now.
    let text = said(folder.path(), "status output/mine --scenario mine.toml");
    assert!(text.contains("mine: 4 of 6 runs done (67 %)"), "{text}");
    assert!(text.contains("2 runs are missing. To compute them: hetsim run"), "{text}");
}

/// A run that is killed leaves its mark, by which its folder is understood.
#[cfg(unix)]
#[test]
fn status_of_a_run_at_work_and_killed() {
    let folder = here();
    let long = SCENARIO
        .replace("nodes = 4", "nodes = 2000")
        .replace("[\"1KiB\", \"8KiB\"]", "{ from = \"1B\", to = \"1MiB\", steps = 5000 }");
    fs::write(folder.path().join("mine.toml"), long).unwrap();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_hetsim"))
        .args(["mine.toml", "--quiet", "--jobs", "1"])
        .current_dir(folder.path())
        .spawn()
        .unwrap();
    let start = std::time::Instant::now();
    while !folder.path().join("output/mine/run.json").exists() && start.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let text = said(folder.path(), "status output/mine");
    assert!(text.contains("of 10000 runs done"), "{text}");
    if cfg!(target_os = "linux") {
        let at_work = format!("Process {} computes the rest", child.id());
        assert!(text.contains(&at_work), "{text}");
        let text = said(folder.path(), "status output/mine --scenario mine.toml");
        assert!(text.contains(&at_work), "{text}");
        // Nobody takes the store from it, whoever else has worked there.
        said(folder.path(), "mine.toml --quiet --set sweep={}");
        let text = refused(folder.path(), "mine.toml --fresh --set replicas=1");
        assert!(text.contains(&format!("(process{})", child.id())), "{text}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let text = said(folder.path(), "status output/mine");
    if cfg!(target_os = "linux") {
        assert!(text.contains("Interrupted. To continue: hetsim run"), "{text}");
    }
    let json: serde_json::Value = serde_json::from_str(&said(folder.path(), "status output/mine --json")).unwrap();
    assert_eq!(json["total"], 10_000);
    assert!(json["done"].as_u64().unwrap() < 10_000 && json["process"]["pid"] == child.id(), "{json}");
}

/// The time of the simulations is that of all sessions, of an interrupted one too.
#[test]
fn interrupted_sessions_count() {
    let folder = here();
    let (path, overrides) = (folder.path().join("mine.toml"), vec!["replicas=5000".to_owned()]);
    let scenario = Scenario::load(&path, &overrides).unwrap();
    let request = SessionRequest { path, overrides, folder: folder.path().join("out"), fresh: false };
    let session = |stop: &AtomicBool, stops: bool| {
        let mut session = Session::open(&scenario, request.clone()).unwrap();
        let workers = Workers { threads: Threads::new(NonZero::new(1)), stop };
        let outcome = session.compute(workers, |_| {}, |_| stop.store(stops, Ordering::Relaxed)).unwrap();
        assert_eq!(outcome.interrupted, stops);
        let spent = outcome.simulating.as_secs_f64();
        (spent, session.results(&outcome).unwrap().1.simulation_wall_s)
    };
    let (first, _) = session(&AtomicBool::new(false), true);
    let (second, all) = session(&AtomicBool::new(false), false);
    assert!(first > 0.0 && second > 0.0);
    support::near(all, first + second);
}

/// A link in the place of a folder within the results folder leads elsewhere: nothing there is read, written or removed.
#[cfg(unix)]
#[test]
fn links_within_a_results_folder_are_not_followed() {
    use std::os::unix::fs::symlink;
    let folder = here();
    let chart = "[[chart]]\nname = \"time\"\nx = \"size\"\ny = \"completion_s\"\n";
    fs::write(folder.path().join("mine.toml"), format!("{SCENARIO}{chart}")).unwrap();
    typed(folder.path(), "mine.toml --quiet").assert().success();
    typed(folder.path(), "fit times.csv --target us --by bytes --method ols -q").assert().success();
    let (mine, other) = (folder.path().join("output/mine"), folder.path().join("other"));
    fs::create_dir(&other).unwrap();
    for (name, words) in [
        (
            "store",
            &["mine.toml", "mine.toml --fresh", "merge output/mine", "plot output/mine", "mine.toml --shard 0/2"][..],
        ),
        ("charts", &["mine.toml", "mine.toml --fresh", "plot output/mine --chart time"][..]),
    ] {
        let (own, moved) = (mine.join(name), other.join(name));
        fs::rename(&own, &moved).unwrap();
        symlink(&moved, &own).unwrap();
        let before = support::entries(&moved);
        assert!(!before.is_empty());
        for words in words {
            let said = refused(folder.path(), words);
            assert!(said.contains("itisasymboliclink") && said.contains(name), "{words}: {said}");
            assert_eq!(support::entries(&moved), before, "{words}");
        }
        fs::remove_file(&own).unwrap();
        fs::rename(&moved, &own).unwrap();
    }
    // A chart that the scenario has no longer is removed here, and not there.
    fs::write(folder.path().join("mine.toml"), SCENARIO).unwrap();
    typed(folder.path(), "mine.toml --quiet").assert().success();
    assert!(!mine.join("charts").exists());

    let fitted = folder.path().join("output/fit-times/charts");
    fs::rename(&fitted, other.join("fitted")).unwrap();
    symlink(other.join("fitted"), &fitted).unwrap();
    assert!(
        refused(folder.path(), "fit times.csv --target us --by bytes --method ols -q").contains("itisasymboliclink")
    );

    // The results folder itself may be a link.
    fs::rename(&mine, other.join("mine")).unwrap();
    symlink(other.join("mine"), &mine).unwrap();
    typed(folder.path(), "mine.toml --quiet --fresh").assert().success();
}

/// What was set over a file is said at the top of all that a run says, with the values that ran; and a report of other
/// values is not replaced in silence.
#[test]
fn values_that_were_set_are_named_at_the_top() {
    let folder = here();
    let plain = typed(folder.path(), "mine.toml").output().unwrap();
    let text = String::from_utf8_lossy(&plain.stdout).into_owned();
    assert!(!text.contains("Set over") && !String::from_utf8_lossy(&plain.stderr).contains("replaces"), "{text}");
    let page = || fs::read_to_string(folder.path().join("output/mine/report.html")).unwrap();
    assert!(page().contains("nodes = 4") && !page().contains("Set over"));
    assert!(!said(folder.path(), "status output/mine").contains("Set over"));
    let set = typed(folder.path(), "mine.toml --set platform.cluster.lab.nodes=3").output().unwrap();
    let (text, note) = (String::from_utf8_lossy(&set.stdout), String::from_utf8_lossy(&set.stderr));
    assert!(text.contains("Set over the file: platform.cluster.lab.nodes = 3"), "{text}");
    assert!(note.contains("the report in output/mine was of the file as it stands; this one replaces it"), "{note}");
    let page = page();
    let (top, below) = page.split_once("<main>").unwrap();
    assert!(top.contains("Set over the file: platform.cluster.lab.nodes = 3"), "{top}");
    assert!(below.contains("nodes = 3") && !below.contains("nodes = 4"), "{below}");
    assert!(said(folder.path(), "status output/mine").contains("Set over the file: platform.cluster.lab.nodes = 3"));
    let again = typed(folder.path(), "mine.toml --set platform.cluster.lab.nodes=3").output().unwrap();
    assert!(!String::from_utf8_lossy(&again.stderr).contains("replaces"));
    let back = typed(folder.path(), "mine.toml").output().unwrap();
    let note = String::from_utf8_lossy(&back.stderr).into_owned();
    assert!(note.contains("was of platform.cluster.lab.nodes = 3; this one replaces it"), "{note}");
}
