//! Shards: whoever computes what, in whatever order and however often it is killed, the results are those of one
//! process.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rand::{RngExt as _, SeedableRng as _};

/// Small and random in all that it can be, with a long table, a chart, a derived metric, an expectation, and a point
/// that is the same runs under two names.
const SWEEP: &str = r#"
version = 1
question = "Which is fastest?"
replicas = 3
seed = 7

[platform.cluster.a]
nodes = 400
speed_factor = { distribution = "log_normal", mean = 0.0, deviation = 0.4 }
network = { model = "loggp", latency = "20us", overhead = "3us", gap = "5us", gap_per_byte = "8ns/B" }
jitter = 0.3

[workload]
kind = "broadcast"
size = "64KiB"
algorithm = "binomial"

[sweep]
"workload.algorithm" = ["linear", "binomial", "chain"]
"workload.size" = { small = "1KiB", large = "64KiB", same = "1024B" }

[output]
tables = ["nodes"]
replicas = 1

[[derive]]
name = "gain"
metric = "completion_s"
how = "ratio"
to = { algorithm = "linear" }

[[chart]]
name = "times"
title = "Broadcast to 400 nodes"
x = "algorithm"
y = "completion_s"
series = "size"

[[expect]]
metric = "messages"
value = 399
source = "P - 1"
"#;

fn command(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hetsim"));
    command.current_dir(folder).args(words).env("COLUMNS", "80").env_remove("RUST_LOG");
    for name in ["SLURM_JOB_ID", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID", "PARALLEL_PID", "PARALLEL_SEQ"] {
        command.env_remove(name);
    }
    command
}

fn hetsim(folder: &Path, words: &[&str]) -> Output {
    command(folder, words).output().unwrap()
}

#[track_caller]
fn said(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// What a command that ends with this code complains of.
#[track_caller]
fn complaint(output: &Output, code: i32) -> String {
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{message}");
    // As it is broken into lines.
    message.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
}

fn sweep(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("sweep.toml"), text).unwrap();
    folder
}

/// Every file of a results folder but those that tell of the making: where it is, what it cost.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { collect(&path, files) } else { files.push(path) }
        }
    }
    let mut paths = Vec::new();
    collect(folder, &mut paths);
    let apart = ["store", "shards", "jobs", "manifest.json", "timings.csv"];
    let mut files: Vec<(PathBuf, Vec<u8>)> = paths
        .iter()
        .map(|path| (path.strip_prefix(folder).unwrap().to_owned(), std::fs::read(path).unwrap()))
        .filter(|(path, _)| !apart.iter().any(|name| path.starts_with(name)))
        .collect();
    files.sort();
    files
}

#[track_caller]
fn the_same(one: &[(PathBuf, Vec<u8>)], other: &[(PathBuf, Vec<u8>)], case: &str) {
    let names = |files: &[(PathBuf, Vec<u8>)]| files.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>();
    assert_eq!(names(one), names(other), "{case}");
    for ((path, bytes), (_, others)) in one.iter().zip(other) {
        assert!(bytes == others, "{case}: {} differs", path.display());
    }
}

/// Cases of the property that the module begins with; each starts up to a dozen processes.
const CASES: u64 = 200;

/// The processes of a case that may compute at once.
const AT_ONCE: usize = 3;

#[test]
fn splits_orders_threads_and_kills_give_the_same_bytes() {
    compare(0..CASES / 5);
}

#[test]
#[ignore = "takes a minute; `.ci/run` runs it"]
fn any_split_order_threads_and_kills_give_the_same_bytes() {
    compare(0..CASES);
}

/// Compares what cases leave with what one process does.
fn compare(cases: Range<u64>) {
    let folder = sweep(SWEEP);
    let start = Instant::now();
    said(&hetsim(folder.path(), &["sweep.toml", "--quiet", "--out", "one"]));
    let took = start.elapsed();
    let expected = files(&folder.path().join("one/sweep"));
    assert_eq!(expected.len(), 7, "{:?}", expected.iter().map(|(path, _)| path).collect::<Vec<_>>());
    let mut kills = Kills::default();
    for case in cases.clone() {
        let out = format!("case-{case}");
        let describe = one_case(folder.path(), &out, case, took, &mut kills);
        said(&hetsim(folder.path(), &["merge", &format!("{out}/sweep"), "--quiet"]));
        the_same(&expected, &files(&folder.path().join(&out).join("sweep")), &describe);
        std::fs::remove_dir_all(folder.path().join(&out)).unwrap();
    }
    println!("{kills:?} in {cases:?}, {:?}", start.elapsed());
    // Otherwise the test would have lost its teeth.
    let least = cases.count() / 20;
    assert!(kills.before > least && kills.amid > least, "{kills:?}");
}

/// When a process is killed.
#[derive(Debug)]
struct Kill {
    /// Only once anything more is stored: starting takes longer than computing.
    once_stored: bool,
    after: Duration,
}

impl Kill {
    fn at_random(took: Duration, random: &mut impl rand::Rng) -> Self {
        let once_stored = random.random_bool(0.5);
        let longest = if once_stored { Duration::from_millis(1) } else { took };
        Self { once_stored, after: longest.mul_f64(random.random_range(0.0..1.0)) }
    }
}

/// How many bytes are stored.
fn stored(folder: &Path, out: &str) -> u64 {
    let entries = std::fs::read_dir(folder.join(out).join("sweep/store")).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum()
}

/// Where the processes that were killed stood.
#[derive(Debug, Default)]
struct Kills {
    /// Nothing of them was stored.
    before: usize,
    /// Something was, and something wasn't.
    amid: usize,
    /// They had ended, or all was stored.
    after: usize,
}

/// Computes all shards of a random split, in a random order, some at once, with random threads, and kills some of them
/// at random instants, until all have ended well. It says what the case was.
fn one_case(folder: &Path, out: &str, case: u64, took: Duration, kills: &mut Kills) -> String {
    let mut random = rand_pcg::Pcg64::seed_from_u64(case);
    let count = random.random_range(1..=5_u32);
    let mut left: Vec<u32> = (0..count).collect();
    let mut budget = random.random_range(0..=4_u32);
    let describe = format!("case {case}: {count} shards, {budget} kills");
    while !left.is_empty() {
        let at_once = random.random_range(1..=left.len().min(AT_ONCE));
        let before = stored(folder, out);
        let batch: Vec<u32> = (0..at_once).map(|_| left.swap_remove(random.random_range(0..left.len()))).collect();
        let children: Vec<(u32, Child, Option<Kill>)> = batch
            .into_iter()
            .map(|index| {
                let jobs = random.random_range(1..=3_u32).to_string();
                let shard = format!("{index}/{count}");
                let words = ["run", "sweep.toml", "--quiet", "--out", out, "--shard", &shard, "--jobs", &jobs];
                let child = command(folder, &words).stderr(Stdio::null()).spawn().unwrap();
                let is_killed = budget > 0 && random.random_bool(0.6);
                budget -= u32::from(is_killed);
                (index, child, is_killed.then(|| Kill::at_random(took, &mut random)))
            })
            .collect();
        let started = Instant::now();
        for (index, mut child, kill) in children {
            if let Some(kill) = &kill {
                if kill.once_stored {
                    while stored(folder, out) == before && child.try_wait().unwrap().is_none() {
                        std::thread::sleep(Duration::from_micros(50));
                    }
                    std::thread::sleep(kill.after);
                } else {
                    std::thread::sleep(kill.after.saturating_sub(started.elapsed()));
                }
                child.kill().unwrap();
            }
            if child.wait().unwrap().success() {
                kills.after += usize::from(kill.is_some());
            } else {
                assert!(kill.is_some(), "{describe}: shard {index} failed");
                kills.count(folder, out, index, count);
                left.push(index);
            }
        }
    }
    describe
}

impl Kills {
    /// Looks at what a killed shard has left, as `hetsim status` sees it.
    fn count(&mut self, folder: &Path, out: &str, index: u32, count: u32) {
        let results = format!("{out}/sweep");
        if !folder.join(&results).join("shards/plan.json").exists() {
            self.before += 1;
            return;
        }
        let status: serde_json::Value =
            serde_json::from_str(&said(&hetsim(folder, &["status", &results, "--json"]))).unwrap();
        let shard =
            status["shards"].as_array().unwrap().iter().find(|shard| shard["shard"] == format!("{index}/{count}"));
        let shard = shard.unwrap();
        match (shard["done"].as_u64().unwrap(), shard["total"].as_u64().unwrap()) {
            (done, total) if done == total => self.after += 1,
            (0, _) => self.before += 1,
            _ => self.amid += 1,
        }
    }
}

#[test]
fn a_shard_writes_no_results_and_says_how_to_merge() {
    let folder = sweep(SWEEP);
    let text = said(&hetsim(folder.path(), &["run", "sweep.toml", "--shard", "1/2"]));
    assert!(text.contains("sweep, shard 1/2: 9 runs"), "{text}");
    assert!(text.contains("hetsim merge output/sweep"), "{text}");
    assert_eq!(files(&folder.path().join("output/sweep")), []);

    let message = complaint(&hetsim(folder.path(), &["merge", "output/sweep"]), 1);
    assert!(message.contains("9 of 27 runs are missing; nothing was written"), "{message}");
    assert!(message.contains("shard 0/2 is missing 9 of 9 runs (not started): hetsim run "), "{message}");
    assert!(message.contains("--shard 0/2"), "{message}");
    assert_eq!(files(&folder.path().join("output/sweep")), []);

    let text = said(&hetsim(folder.path(), &["merge", "output/sweep", "--partial"]));
    assert!(text.contains("these results are partial"), "{text}");
    let page = std::fs::read_to_string(folder.path().join("output/sweep/report.html")).unwrap();
    assert!(page.contains("of 27 runs"), "the page should say so");

    // A plain run computes what lacks, and is as good as a merge.
    let text = said(&hetsim(folder.path(), &["sweep.toml"]));
    assert!(text.contains("27 runs, 18 already done") || text.contains("already done"), "{text}");
    said(&hetsim(folder.path(), &["sweep.toml", "--quiet", "--out", "one"]));
    the_same(&files(&folder.path().join("one/sweep")), &files(&folder.path().join("output/sweep")), "a plain run");
}

#[test]
fn bad_shards_are_refused_with_a_reason() {
    let folder = sweep(SWEEP);
    for (shard, reason) in [
        ("3/0", "there must be at least one shard"),
        ("16/16", "those of 16 are 0/16 to 15/16"),
        ("a/b", "its index, from 0, and the number of shards, such as 3/16"),
        ("1/1", "the only one of 1 is 0/1"),
    ] {
        let message = complaint(&hetsim(folder.path(), &["run", "sweep.toml", "--shard", shard]), 2);
        assert!(message.contains(reason), "{message}");
    }
    let words = ["run", "sweep.toml", "--shard", "0/2"];
    said(&hetsim(folder.path(), &words));
    let store = || std::fs::read_dir(folder.path().join("output/sweep/store")).unwrap().count();
    let before = store();
    let message = complaint(&hetsim(folder.path(), &[&words[..], &["--fresh"]].concat()), 2);
    assert!(message.contains("those of other shards"), "{message}");
    assert_eq!(store(), before);
    let message = complaint(&hetsim(folder.path(), &[&words[..], &["--strict"]].concat()), 2);
    assert!(message.contains("hetsim merge"), "{message}");
    let message = complaint(&hetsim(folder.path(), &["merge", "."]), 2);
    assert!(message.contains("is not a results folder"), "{message}");
    // Another scenario of the same name.
    std::fs::create_dir(folder.path().join("other")).unwrap();
    std::fs::write(folder.path().join("other/sweep.toml"), SWEEP).unwrap();
    let message = complaint(&hetsim(folder.path(), &["run", "other/sweep.toml", "--shard", "1/2"]), 2);
    assert!(message.contains("holds the results of"), "{message}");
}

/// With the file gone, or saying something else, what the shards computed is merged as they were told.
#[test]
fn the_scenario_is_found_again() {
    let folder = sweep(SWEEP);
    said(&hetsim(folder.path(), &["sweep.toml", "--quiet", "--out", "one", "--set", "seed=9"]));
    let expected = files(&folder.path().join("one/sweep"));
    for index in ["0/2", "1/2"] {
        said(&hetsim(folder.path(), &["run", "sweep.toml", "--quiet", "--shard", index, "--seed", "9"]));
    }
    let file = folder.path().join("sweep.toml");
    std::fs::write(&file, SWEEP.replace("64KiB", "32KiB")).unwrap();
    let text = said(&hetsim(folder.path(), &["merge", "output/sweep", "--quiet"]));
    assert!(text.contains("describes other runs"), "{text}");
    the_same(&expected, &files(&folder.path().join("output/sweep")), "the file was changed");
    std::fs::remove_file(&file).unwrap();
    let text =
        said(&hetsim(Path::new("/"), &["merge", "--quiet", folder.path().join("output/sweep").to_str().unwrap()]));
    assert!(text.contains("can no longer be read"), "{text}");
    the_same(&expected, &files(&folder.path().join("output/sweep")), "the file is gone");
    // Other words are another matter: the file counts.
    std::fs::write(&file, SWEEP.replace("Which is fastest?", "Which is slowest?")).unwrap();
    said(&hetsim(folder.path(), &["merge", "output/sweep", "--quiet"]));
    let page = std::fs::read_to_string(folder.path().join("output/sweep/report.html")).unwrap();
    assert!(page.contains("Which is slowest?"));
    // And so does a file that is named.
    std::fs::write(folder.path().join("new.toml"), SWEEP.replace("Which is fastest?", "Which is new?")).unwrap();
    let words = ["merge", "output/sweep", "--quiet", "--scenario", "new.toml", "--set", "seed=9"];
    said(&hetsim(folder.path(), &words));
    let page = std::fs::read_to_string(folder.path().join("output/sweep/report.html")).unwrap();
    assert!(page.contains("Which is new?"));
}

#[test]
fn status_tells_what_the_store_holds() {
    let folder = sweep(SWEEP);
    let status = |words: &[&str]| said(&hetsim(folder.path(), &[&["status", "output/sweep"], words].concat()));
    said(&hetsim(folder.path(), &["run", "sweep.toml", "--quiet", "--shard", "0/3"]));
    let text = status(&[]);
    assert!(text.contains("sweep: 6 of 18 runs done (33 %), 1 of 3 shards finished"), "{text}");
    for words in [["0/3", "6/6", "finished"], ["2/3", "0/6", "not started"]] {
        let line = text.lines().find(|line| line.contains(words[0])).unwrap();
        assert!(words.iter().all(|word| line.contains(word)), "{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80 || line.contains("hetsim run")), "{text}");
    // A shard that says it runs but whose process is gone, on this host.
    let state = folder.path().join("output/sweep/shards/0-of-3.json");
    let mut json: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&state).unwrap()).unwrap();
    json["shard"] = "1/3".into();
    json["state"] = "running".into();
    std::fs::write(folder.path().join("output/sweep/shards/1-of-3.json"), json.to_string()).unwrap();
    if cfg!(target_os = "linux") {
        let text = status(&[]);
        assert!(text.lines().any(|line| line.contains("1/3") && line.contains("lost")), "{text}");
        assert!(text.contains("2 shards are incomplete and not underway"), "{text}");
    }
    // It says so for ever; the store knows better.
    said(&hetsim(folder.path(), &["sweep.toml", "--quiet"]));
    let json: serde_json::Value = serde_json::from_str(&status(&["--json"])).unwrap();
    assert_eq!((&json["done"], &json["total"]), (&18.into(), &18.into()));
    assert!(json["shards"].as_array().unwrap().iter().all(|shard| shard["condition"] == "finished"));
    let are_written = "All runs are stored, and the results are in output/sweep/report.html";
    assert!(status(&[]).contains(are_written), "{}", status(&[]));
    // The plan is of other runs than the results now, which count until a shard is started again.
    std::fs::write(folder.path().join("sweep.toml"), SWEEP.replace("64KiB", "32KiB")).unwrap();
    said(&hetsim(folder.path(), &["sweep.toml", "--quiet"]));
    let written = files(&folder.path().join("output/sweep"));
    assert!(status(&[]).contains(are_written) && !status(&[]).contains("shards finished"), "{}", status(&[]));
    said(&hetsim(folder.path(), &["merge", "output/sweep", "--quiet"]));
    the_same(&written, &files(&folder.path().join("output/sweep")), "after a useless merge");
    said(&hetsim(folder.path(), &["sweep.toml", "--quiet", "--shard", "0/3", "--set", "seed=8"]));
    assert!(status(&[]).contains("1 of 3 shards finished"), "{}", status(&[]));
    said(&hetsim(folder.path(), &["merge", "output/sweep", "--quiet", "--partial"]));
    for index in ["1/3", "2/3"] {
        said(&hetsim(folder.path(), &["sweep.toml", "--quiet", "--shard", index, "--set", "seed=8"]));
    }
    // All runs are stored, and the results have some of them.
    assert!(status(&[]).contains("All runs are stored. To make the results: hetsim merge output/sweep"));
    said(&hetsim(folder.path(), &["merge", "output/sweep", "--quiet"]));
    assert!(status(&[]).contains(are_written), "{}", status(&[]));
}

/// A process that computes keeps its runs: nobody discards them, and it is seen to run.
#[cfg(target_os = "linux")]
#[test]
fn shards_at_work_are_respected() {
    let folder = sweep(SWEEP);
    said(&hetsim(folder.path(), &["run", "sweep.toml", "--quiet", "--shard", "0/2"]));
    // This very process stands for one that computes.
    let mut state = hetsim::batch::shard::ShardState::starting("1/2".parse().unwrap(), 9, 0);
    state.write(&folder.path().join("output/sweep")).unwrap();
    let message = complaint(&hetsim(folder.path(), &["sweep.toml", "--fresh"]), 2);
    assert!(message.contains("would discard what is being computed there (shard 1/2)"), "{message}");
    let submit =
        |words: &[&str]| hetsim(folder.path(), &[&["submit", "sweep.toml", "--engine", "slurm"], words].concat());
    let text = said(&submit(&["--dry-run"]));
    assert!(text.contains("nothing to submit; see hetsim status output/sweep"), "{text}");
    let message = complaint(&submit(&["--shards", "4", "--dry-run"]), 2);
    assert!(message.contains("1 shards of 2 are underway"), "{message}");
    state.process.pid = u32::MAX;
    state.write(&folder.path().join("output/sweep")).unwrap();
    assert!(said(&submit(&["--dry-run"])).contains("--array 1 "));
    said(&hetsim(folder.path(), &["sweep.toml", "--fresh", "--quiet"]));
    assert!(!folder.path().join("output/sweep/shards").exists());
}

#[test]
fn a_dry_run_shows_everything_and_writes_nothing() {
    let folder = sweep(SWEEP);
    let submit = |words: &[&str]| hetsim(folder.path(), &[&["submit", "sweep.toml"], words].concat());
    let text = said(&submit(&["--engine", "slurm", "--shards", "4", "--time", "1:00:00", "--dry-run"]));
    for words in ["--array 0-3", "--time 1:00:00", "--dependency afterany:ARRAY", "$SLURM_ARRAY_TASK_ID/4", "merge"] {
        assert!(text.contains(words), "{words} should be in\n{text}");
    }
    let text = said(&submit(&["--engine", "hq", "--shards", "4", "--cpus", "8", "--dry-run"]));
    for words in ["hq submit --wait --array 0-3", "--cpus 8", "$HQ_TASK_ID/4", "--jobs 8"] {
        assert!(text.contains(words), "{words} should be in\n{text}");
    }
    let text = said(&submit(&["--engine", "parallel", "--shards", "4", "--at-once", "2", "--dry-run"]));
    assert!(text.contains("seq 0 3 | parallel --jobs 2 --joblog parallel.log sh shard.sh"), "{text}");
    assert!(!folder.path().join("output").exists());

    let message = complaint(&submit(&["--engine", "slurm"]), 2);
    assert!(message.contains("the number of shards by --shards N"), "{message}");
    let message = complaint(&submit(&["--engine", "hq", "--shards", "4"]), 2);
    assert!(message.contains("hetsim does not submit to HyperQueue"), "{message}");
    assert!(!folder.path().join("output").exists());
    let message = complaint(&submit(&["--engine", "pbs", "--shards", "4"]), 2);
    assert!(message.contains("slurm"), "{message}");
    // The sweep has fewer points than these shards.
    let mut command = command(folder.path(), &["submit", "sweep.toml", "--engine", "slurm", "--shards", "50"]);
    let message = complaint(&command.env("PATH", "/nowhere").output().unwrap(), 1);
    assert!(message.contains("is Slurm installed?"), "{message}");
    assert!(message.contains("of 50 shards 0 finished, 0 underway, 6 to submit; 44 have nothing to com"), "{message}");
    let text = said(&hetsim(folder.path(), &["status", "output/sweep"]));
    assert!(text.contains("0 of 50 shards finished; 44 have nothing to compute"), "{text}");
}

/// GNU parallel for real, where it is installed: a shard that is killed is the only one that it runs again.
#[test]
fn parallel_resumes_what_was_lost() {
    if Command::new("parallel").arg("--version").output().is_err() {
        println!("skipped: GNU parallel is not installed");
        return;
    }
    let folder = sweep(SWEEP);
    let here = folder.path().join("it's a \"folder\"");
    std::fs::create_dir(&here).unwrap();
    std::fs::rename(folder.path().join("sweep.toml"), here.join("sweep.toml")).unwrap();
    said(&hetsim(&here, &["sweep.toml", "--quiet", "--out", "one"]));
    let submit = |words: &[&str]| hetsim(&here, &[&["submit", "sweep.toml", "--engine", "parallel"], words].concat());
    let text = said(&submit(&["--shards", "3"]));
    assert!(text.contains("3 to submit"), "{text}");
    let results = here.join("output/sweep");
    the_same(&files(&here.join("one/sweep")), &files(&results), "by GNU parallel");
    assert!(said(&submit(&[])).contains("nothing to submit"));
    // As if one shard had been killed before it stored anything.
    let text = |name: &str| std::fs::read_to_string(results.join(name)).unwrap();
    let log = text("jobs/parallel.log").replace("\t0\t0\tsh shard.sh 1", "\t0\t9\tsh shard.sh 1");
    std::fs::write(results.join("jobs/parallel.log"), log).unwrap();
    std::fs::remove_file(results.join("results.csv")).unwrap();
    remove_segment_of(&results, "1/3", &here);
    assert!(said(&submit(&[])).contains("1 to submit"));
    assert!(text("jobs/parallel.sh").contains("--resume-failed"));
    assert_eq!(text("jobs/parallel.log").lines().count(), 1 + 3 + 1, "{}", text("jobs/parallel.log"));
    the_same(&files(&here.join("one/sweep")), &files(&results), "after a loss");
}

/// Removes the one segment after which a shard lacks runs.
fn remove_segment_of(results: &Path, shard: &str, folder: &Path) {
    for entry in std::fs::read_dir(results.join("store")).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let json: serde_json::Value =
            serde_json::from_str(&said(&hetsim(folder, &["status", "output/sweep", "--json"]))).unwrap();
        let lacks = json["shards"].as_array().unwrap().iter().find(|line| line["done"] != line["total"]).unwrap();
        if lacks["shard"] == shard {
            return;
        }
        std::fs::write(&path, bytes).unwrap();
    }
    panic!("no segment is of shard {shard}");
}
