//! `hetsim validate`, as a shell and its user see it.

use std::fs;

use assert_cmd::Command;
use predicates::prelude::PredicateBooleanExt as _;
use predicates::str::contains;
use tempfile::TempDir;

use crate::support::{self, entries, hetsim, printed};

/// Links of 10 GB/s that messages share, and what a library costs.
const PLATFORM: &str = r#"
[cluster.lab]
nodes = 2
[cluster.lab.network]
model = "fair"
latency = "1us"
bandwidth = "10GB/s"
[cluster.lab.network.costs]
latency = "1us"
bandwidth = "10GB/s"
send_overhead = "500ns"
receive_overhead = "500ns"
eager_limit = "8KiB"
"#;

/// Two runs of a machine whose library chooses badly, and an operation that nobody has heard of.
const MEASURED: &str = "\
system,run,nodes,ranks_per_node,library,operation,algorithm,buffer_bytes,median_us,p10_us,p90_us,iterations,notes
m,r1,8,1,MPI 1,bcast,binomial_ompi,1024,12,11,13,100,
m,r1,8,1,MPI 1,bcast,linear_ompi,1024,11,11,12,100,
m,r1,8,1,MPI 1,bcast,default_ompi,1024,12,11,13,100,
m,r1,8,1,MPI 1,bcast,binomial_ompi,1048576,650,640,660,100,
m,r1,8,1,MPI 1,bcast,linear,1048576,700,690,710,100,
m,r1,8,1,MPI 1,bcast,default_ompi,1048576,1300,1200,1400,100,
m,r2,16,1,MPI 1,allgather,ring_ompi,16384,60,55,65,100,
m,r2,16,1,MPI 1,allgather,brucks_mpich,16384,40,35,45,100,
m,r2,16,1,MPI 1,allgather,secret_ompi,16384,20,15,25,100,
m,r2,8,1,MPI 1,bcast,binomial_ompi,1024,18,16,20,100,
m,r2,8,4,MPI 1,bcast,binomial_ompi,1024,30,25,35,100,
m,r2,8,1,MPI 1,gossip,ring_ompi,16384,60,55,65,100,
";

fn here() -> TempDir {
    support::here(&[("lab.toml", PLATFORM), ("measured.csv", MEASURED)])
}

fn validate(folder: &TempDir) -> Command {
    let mut command = hetsim(folder);
    command.args(["validate", "measured.csv", "--platform", "lab.toml"]);
    command
}

/// The cells of a column of a file in the results folder.
fn column(folder: &TempDir, file: &str, name: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_path(folder.path().join("output/validate-measured").join(file)).unwrap();
    let place = reader.headers().unwrap().iter().position(|title| title == name).unwrap();
    reader.records().map(|record| record.unwrap()[place].to_owned()).collect()
}

/// What an interrupted run has left is told, used where it holds, and gone at the end.
#[test]
fn a_run_goes_on_from_what_an_earlier_one_has_left() {
    let folder = here();
    let made = folder.path().join("output/validate-measured");
    fs::create_dir_all(&made).expect("a folder");
    fs::write(made.join("points.progress"), "0123456789abcdef 3ff0000000000000\n0123").expect("a file");
    let told = "continuing from the predictions in output/validate-measured/points.progress that still hold";
    validate(&folder).assert().success().stderr(contains(told));
    assert_eq!(entries(&made), ["charts", "choices.csv", "points.csv", "report.html", "summary.csv"]);
    validate(&folder).assert().success().stderr(contains(told).not());
}

/// The charts are those of this validation, beside what hetsim has not written.
#[test]
fn charts_of_an_earlier_validation_are_removed() {
    let folder = here();
    let charts = folder.path().join("output/validate-measured/charts");
    validate(&folder).assert().success();
    assert_eq!(entries(&charts), ["errors-all_gather.svg", "errors-broadcast.svg", "predicted.svg", "regret.svg"]);
    fs::write(charts.join("own.svg"), "").expect("a file");
    validate(&folder).args(["--use", "run=r2,operation=bcast"]).assert().success();
    assert_eq!(entries(&charts), ["errors-broadcast.svg", "own.svg", "predicted.svg"]);
}

#[test]
fn tables_of_a_small_file() {
    let folder = here();
    let text = printed(&mut validate(&folder));
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    insta::assert_snapshot!("validate_tables", text);
    let made = folder.path().join("output/validate-measured");
    assert_eq!(entries(&made), ["charts", "choices.csv", "points.csv", "report.html", "summary.csv"]);
    let pictures = ["errors-all_gather.svg", "errors-broadcast.svg", "predicted.svg", "regret.svg"];
    assert_eq!(entries(made.join("charts")), pictures);
    let page = fs::read_to_string(made.join("report.html")).unwrap();
    assert!(page.contains("Errors by operation") && page.matches("<figure").count() == 4, "{page}");
    // No point is dropped.
    assert_eq!(column(&folder, "points.csv", "note").len(), 12);
    assert_eq!(column(&folder, "choices.csv", "best"), ["linear_ompi", "binomial_ompi", "brucks_mpich"]);
}

/// Measurements that are predictions times a known factor have a known error.
#[test]
fn known_errors_come_out() {
    let folder = here();
    printed(&mut validate(&folder));
    let predicted = column(&folder, "points.csv", "predicted_s");
    let rows = MEASURED.lines().skip(1).zip(predicted).filter(|(_, predicted)| !predicted.is_empty());
    let row = |(row, predicted): (&str, String)| {
        let cells: Vec<&str> = row.split(',').collect();
        format!("{},{},{},{},{}\n", cells[2], cells[5], cells[6], cells[7], 1.25 * predicted.parse::<f64>().unwrap())
    };
    let rows: String = rows.map(row).collect();
    fs::write(folder.path().join("measured.csv"), format!("nodes,operation,algorithm,bytes,time_s\n{rows}")).unwrap();
    printed(validate(&folder).args(["--within", "median=20.1,mean=20.1,within25=100,regret=0,right=100"]));
    for error in column(&folder, "points.csv", "error") {
        assert!((error.parse::<f64>().unwrap() + 0.2).abs() < 1e-9, "{error}");
    }
    assert!(column(&folder, "choices.csv", "rank_correlation").iter().all(|r| r.is_empty() || r == "1"));
    validate(&folder)
        .args(["--within", "median=15,within10=80,regret=4", "--quiet"])
        .assert()
        .code(1)
        .stdout("")
        .stderr(contains("`median` is 20.0 %, but must be at most 15 %").and(contains("`within10` is 0.0 %")));
}

/// What is left out of the errors remains a candidate of choices; what is not used is gone.
#[test]
fn selections() {
    let folder = here();
    let args = ["--use", "operation=bcast", "--leave-out", "algorithm=binomial,bytes=1KiB", "--quiet"];
    assert_eq!(printed(validate(&folder).args(args)), "");
    let counts = column(&folder, "points.csv", "counts");
    assert_eq!(counts, ["0", "1", "1", "1", "1", "1", "0", "0"]);
    assert_eq!(column(&folder, "choices.csv", "candidates"), ["2", "2"]);
    assert_eq!(column(&folder, "summary.csv", "points")[0], "5");
}

#[test]
fn several_ranks_on_a_node() {
    let folder = here();
    validate(&folder).assert().success().stdout(contains("has no `level` for 4 ranks on a node"));
    let reasons = column(&folder, "points.csv", "note");
    let placed = "lab.toml:2:1: the platform has no `level` for 4 ranks on a node";
    assert!(reasons.iter().any(|reason| reason == placed), "{reasons:?}");
    let with_level = format!(
        "{PLATFORM}[[cluster.lab.level]]\nsize = 1\nnetwork = {{ model = \"fair\", latency = \"200ns\", \
         bandwidth = \"20GB/s\" }}\n"
    );
    fs::write(folder.path().join("lab.toml"), with_level).unwrap();
    printed(validate(&folder).args(["--use", "ranks=32"]));
    let predicted: f64 = column(&folder, "points.csv", "predicted_s")[0].parse().unwrap();
    assert!(predicted > 1e-6, "{predicted}");
}

/// One thread or two, or more than there are cores: the same bytes.
#[test]
fn any_number_of_jobs_gives_the_same() {
    let folder = here();
    let files = ["1", "2", "1000000"].map(|jobs| {
        printed(validate(&folder).args(["--jobs", jobs, "--out", jobs]));
        let made = folder.path().join(jobs).join("validate-measured");
        ["points.csv", "summary.csv", "choices.csv"].map(|name| fs::read(made.join(name)).unwrap())
    });
    assert!(files[0] == files[1] && files[0] == files[2]);
}

/// Neither one rank alone nor a mistyped number of nodes spoils the errors or the time of the others.
#[test]
fn points_that_say_nothing_are_counted() {
    let rows = "m,r1,1,1,MPI 1,bcast,binomial_ompi,1024,1,1,1,100,\nm,r1,1,1,MPI 1,bcast,linear_ompi,1024,1,1,1,100,\n\
        m,r1,400000000,4,MPI 1,allgather,ring_ompi,1600000000,1,1,1,100,\nm,r1,200,1,MPI 1,allgather,ring_ompi,1600,9,9,9,9,\n";
    let folder = support::here(&[("lab.toml", PLATFORM), ("measured.csv", &format!("{MEASURED}{rows}"))]);
    let bound = ["--max-messages", "20000"];
    let text = printed(validate(&folder).args(bound));
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("broadcast: one rank exchanges nothing 2"), "{text}");
    for ranks in ["1600000000", "200"] {
        assert!(text.contains(&format!("{ranks} ranks (`--max-messages` sets the bound)")), "{text}");
    }
    assert_eq!(column(&folder, "summary.csv", "points")[0], "9");
    assert!(column(&folder, "points.csv", "error").iter().all(|error| error != "-1"));
    // Of 14 points that could have a prediction, 5 have none; a bound on them does not count the two.
    validate(&folder).args(bound).args(["--within", "unpredicted=36"]).assert().success();
    validate(&folder).args(bound).args(["--within", "unpredicted=35"]).assert().code(1);
    printed(validate(&folder).args(["--max-messages", "40000", "--use", "nodes=200"]));
    assert_eq!(column(&folder, "summary.csv", "points")[0], "1");
}

#[test]
fn osu_output_takes_what_it_lacks_from_the_command_line() {
    let text = "# OSU MPI Broadcast Latency Test v5.9\n# Size       Avg Latency(us)\n1    5.00\n1024    6.00\n";
    let folder = support::here(&[("lab.toml", PLATFORM), ("bcast.txt", text)]);
    let validate = |args: &[&str]| {
        let mut command = hetsim(&folder);
        command.args(["validate", "bcast.txt", "--platform", "lab.toml"]).args(args);
        command
    };
    validate(&["--with", "nodes=8,algorithm=binomial"]).assert().success().stdout(contains("broadcast binomial"));
    validate(&[]).assert().code(2).stderr(contains("bcast.txt: the file does not say the number of `nodes`"));
    validate(&["--with", "colour=red"]).assert().code(2).stderr(contains("there is no column \"colour\""));
}

/// A level is taken for nodes, whatever its groups are, unless another level is: where each node has one rank, it is told.
#[test]
fn a_level_that_plays_no_part_is_told() {
    let level = |keys: &str, latency: &str| {
        format!(
            "[[cluster.lab.level]]\n{keys}\nnetwork = {{ model = \"hockney\", latency = \"{latency}\", bandwidth = \"10GB/s\" }}\n"
        )
    };
    let racks = PLATFORM.replace("nodes = 2", "nodes = 64") + &level("size = 8", "9us");
    let whole = racks.clone() + &level("domain = \"node\"\nsize = 1", "1ns");
    let rows = "operation,algorithm,nodes,ranks_per_node,bytes,time_us\nbcast,binomial,8,";
    let folder = support::here(&[
        ("racks.toml", &racks),
        ("whole.toml", &whole),
        ("one.csv", &format!("{rows}1,8,5\n")),
        ("two.csv", &format!("{rows}2,8,5\n")),
    ]);
    let validate = |file: &str, platform: &str| {
        let mut command = hetsim(&folder);
        command.env("COLUMNS", "400").args(["validate", file, "--platform", platform, "--out", "o"]).assert().success()
    };
    let predicted = || fs::read_to_string(folder.path().join("o/validate-one/points.csv")).unwrap();
    let told = "the groups of 8 in `cluster.lab.level` are taken for nodes, so this level plays no part; if they are racks, \
                add an inner level with `domain = \"node\"` and `size = 1`";
    validate("one.csv", "racks.toml").stderr(contains(told));
    let without = predicted();
    validate("one.csv", "whole.toml").stderr(contains("taken for nodes").not());
    assert_ne!(predicted(), without, "the racks count");
    validate("two.csv", "racks.toml").stderr(contains("taken for nodes").not());
    let mut calibrate = hetsim(&folder);
    calibrate.env("COLUMNS", "400").args(["calibrate", "one.csv", "--platform", "racks.toml"]);
    calibrate.args(["--free", "lab.network.latency", "--locally", "--out", "c.toml"]);
    calibrate.assert().success().stderr(contains(told));
}

/// A file's own column goes before what is given, so what is given of it is refused, but where another file needs it.
#[test]
fn a_column_of_the_file_cannot_be_given() {
    let (whole, part) = ("operation,algorithm,nodes,bytes,time_us\n", "operation,algorithm,bytes,time_us\n");
    let folder = support::here(&[
        ("lab.toml", PLATFORM),
        ("whole.csv", &format!("{whole}bcast,binomial,4,8,5\n")),
        ("part.csv", &format!("{part}bcast,binomial,8,5\n")),
    ]);
    let validate = |args: &[&str]| {
        let mut command = hetsim(&folder);
        command.env("COLUMNS", "400").arg("validate").args(args).args(["--platform", "lab.toml"]);
        command.assert()
    };
    let said = "--with nodes: whole.csv says it itself, by its column `nodes`";
    validate(&["whole.csv", "--with", "nodes=8"]).code(2).stderr(contains(said));
    validate(&["whole.csv", "whole.csv", "--with", "nodes=8"]).code(2).stderr(contains(said));
    validate(&["part.csv", "whole.csv", "--with", "nodes=8", "--with", "nodes=8"]).code(2).stderr(contains(said));
    validate(&["part.csv", "whole.csv", "--with", "nodes=8"]).success();
    validate(&["part.csv", "--with", "nodes=8"]).success();
}

/// Tests on several numbers of nodes: a file each, with what it does not say.
#[test]
fn each_file_of_osu_output_has_its_own_nodes() {
    let text = "# OSU MPI Broadcast Latency Test v5.9\n# Size       Avg Latency(us)\n1    5.00\n1024    6.00\n";
    let folder = support::here(&[("lab.toml", PLATFORM), ("of-4.txt", text), ("of-8.txt", text)]);
    let validate = |more: &[&str]| {
        let mut command = hetsim(&folder);
        command.args(["validate", "of-4.txt", "of-8.txt", "--platform", "lab.toml"]).args(more);
        command.assert()
    };
    let with = |nodes: &str| ["--with".to_owned(), format!("nodes={nodes},algorithm=binomial")];
    let [four, eight] = [with("4"), with("8")];
    let both: Vec<&str> = four.iter().chain(&eight).map(String::as_str).collect();
    validate(&both).success().stderr(contains("both have").not());
    let points = fs::read_to_string(folder.path().join("output/validate-of-4/points.csv")).unwrap();
    for nodes in [4, 8] {
        assert_eq!(points.matches(&format!(",,{nodes},1,,broadcast,binomial,")).count(), 2, "{points}");
    }
    let said = "of-4.txt and of-8.txt both have broadcast by binomial of 1 B on 4\nnodes";
    validate(&both[..2]).success().stderr(contains(said));
    let three = [&both[..], &both[..2]].concat();
    validate(&three).code(2).stderr(contains("--with is given 3 times for 2 files"));
}

#[test]
fn what_is_wrong_is_said() {
    let folder = here();
    for (args, word) in [
        (vec!["--use", "colour=red"], "there is no column \"colour\""),
        (vec!["--use", "operation=scatter"], "--use operation=scatter: there are no such points"),
        (vec!["--leave-out", "operation=nope"], "--leave-out operation=nope: there are no such points"),
        (vec!["--within", "speed=3"], "expected one of median"),
        (vec!["--out", "measured.csv"], "not a file"),
    ] {
        validate(&folder).args(&args).assert().code(2).stdout("").stderr(contains(word));
    }
    fs::write(folder.path().join("lab.toml"), PLATFORM.replace("\"10GB/s\"\n[", "10\n[")).unwrap();
    validate(&folder).assert().code(2).stderr(contains("lab.toml:7:13").and(contains("bandwidth")));
    fs::write(folder.path().join("lab.toml"), PLATFORM).unwrap();
    fs::write(folder.path().join("measured.csv"), MEASURED.replace(",700,", ",seven,")).unwrap();
    validate(&folder).assert().code(2).stderr(contains("measured.csv: line 6: column 9 (`median_us`) is not a number"));
}

/// A scenario on the same platform, which is validated beside its run.
const SCENARIO: &str = r#"
version = 1
[platform]
include = "lab.toml"
[workload]
kind = "collective"
operation = "broadcast"
algorithm = "binomial"
size = "1KiB"
[[validate]]
file = "measured.csv"
use = ["operation=bcast,nodes=8", "operation=all_gather"]
leave_out = ["run=r2,operation=bcast"]
within = "median=60,within2x=90"
"#;

#[test]
fn a_scenario_validates_its_platform() {
    let folder = here();
    printed(validate(&folder).args(["--use", "operation=bcast,nodes=8", "--use", "operation=all_gather"]).args([
        "--leave-out",
        "run=r2,operation=bcast",
        "--quiet",
    ]));
    fs::write(folder.path().join("s.toml"), SCENARIO).unwrap();
    let text = printed(hetsim(&folder).arg("s.toml"));
    assert!(text.contains("Errors by operation, in per cent (measured)"), "{text}");
    assert!(text.contains("Expectations: 1 of 2 met") && text.contains("within2x of measured"), "{text}");
    let made = folder.path().join("output/s");
    let own = fs::read_to_string(folder.path().join("output/validate-measured/points.csv")).unwrap();
    assert_eq!(fs::read_to_string(made.join("validate-measured.csv")).unwrap(), own);
    assert!(entries(made.join("charts")).contains(&"validate-measured-predicted.svg".to_owned()));
    assert!(fs::read_to_string(made.join("report.html")).unwrap().contains("What choices cost on measured"));
    hetsim(&folder).args(["s.toml", "--strict"]).assert().code(1);
    // Its charts are drawn again, too, at the width that they have.
    let drawn = |more: &[&str]| hetsim(&folder).args(["plot", "output/s", "--out", "figs"]).args(more).assert();
    drawn(&["--width", "85mm"]).success().stderr(contains("charts of [[validate]] keep their width"));
    let name = "validate-measured-predicted";
    let [again, first] = [folder.path().join("figs"), made.join("charts")].map(|at| at.join(format!("{name}.svg")));
    assert_eq!(fs::read(&again).unwrap(), fs::read(first).unwrap());
    fs::remove_dir_all(folder.path().join("figs")).unwrap();
    drawn(&["--chart", name]).success();
    assert_eq!(entries(folder.path().join("figs")), [format!("{name}.svg")]);
    drawn(&["--chart", "predicted"])
        .code(2)
        .stderr(contains("there is no chart `predicted`").and(contains("validate-measured-regret")));
    // A scenario of its own, found from any folder.
    let resolved = made.join("scenario.resolved.toml");
    let elsewhere = TempDir::new().unwrap();
    printed(hetsim(&elsewhere).arg(resolved));
    // Another number of ranks a node has no meaning here, but the seed and the platform's values have.
    let set = "platform.cluster.lab.network.bandwidth=1GB/s";
    printed(hetsim(&folder).args(["s.toml", "--quiet", "--set", set]));
    assert_ne!(fs::read_to_string(made.join("validate-measured.csv")).unwrap(), own);
}

#[test]
fn faults_of_a_validation_have_their_places() {
    let folder = here();
    for (from, to, place, word) in [
        ("\"measured.csv\"", "\"missing.csv\"", "s.toml:11:8", "there is no file"),
        ("\"measured.csv\"", "\"lab.toml\"", "s.toml:11:8", "lab.toml: "),
        ("nodes=8", "knots=8", "s.toml:12:8", "there is no column"),
        ("run=r2", "run", "s.toml:13:14", "column=value"),
        ("median=60", "median=-1", "s.toml:14:10", "percentage"),
        ("within =", "withing =", "s.toml:14:1", "within"),
        ("within =", "with = \"nodes=8\"\nwithin =", "s.toml:14:8", "the file says it itself, by its column `nodes`"),
    ] {
        fs::write(folder.path().join("s.toml"), SCENARIO.replacen(from, to, 1)).unwrap();
        hetsim(&folder).args(["check", "s.toml"]).assert().code(2).stderr(contains(place).and(contains(word)));
    }
}

/// A plan whose second section predicts each operation on a platform of its own.
const PLAN: &str = r#"
title = "Known accuracy"
picture = "blind.svg"
text = "What is known."
[[section]]
title = "Blind"
file = "measured.csv"
within = "median=100,regret=1000,within2x=100"
worst = 2
remarks = "Rings are long."
[[section.case]]
platform = "lab.toml"
use = ["ranks_per_node=1"]
[[section]]
title = "One left out"
file = "measured.csv"
[[section.case]]
platform = "lab.toml"
use = ["operation=bcast,ranks_per_node=1"]
[[section.case]]
platform = "slow.toml"
use = ["operation=all_gather"]
"#;

/// A folder with the plan, its platforms and its data.
fn planned() -> TempDir {
    let folder = support::here(&[
        ("plan.toml", PLAN),
        ("lab.toml", PLATFORM),
        ("slow.toml", &PLATFORM.replace("bandwidth = \"10GB/s\"", "bandwidth = \"1MB/s\"")),
    ]);
    fs::create_dir(folder.path().join("data")).unwrap();
    fs::write(folder.path().join("data/measured.csv"), MEASURED).unwrap();
    folder
}

fn validate_plan(folder: &TempDir) -> Command {
    let mut command = hetsim(folder);
    command.args(["validate", "plan.toml", "--data", "data", "--quiet"]);
    command
}

#[test]
fn a_plan_makes_a_document() {
    let folder = planned();
    let run = || validate_plan(&folder);
    let text = printed(&mut run());
    for part in [
        "# Known accuracy\n\n![Predicted against measured times; the lines are equality and a factor of 2](blind.svg)\n\n\
         What is known.\n\nMade by `hetsim validate plan.toml`; not edited by hand.\n\n**In a few",
        // Names stand at the left, numbers at the right.
        "| right | regret | default | rules | no rules | between runs |\n\
         | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n| Blind | 9 | ",
        "Platforms: `lab.toml`, `slow.toml`.",
        "| regret | at most 1000 % | ",
        "**The worst predictions**\n\n| operation | algorithm | ranks | buffer | measured | predicted | error |\n",
        "Rings are long.\n\n## One left out",
        "| gossip by ring_ompi: not modelled | 1 |",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let picture = fs::read_to_string(folder.path().join("blind.svg")).unwrap();
    assert!(picture.contains("Predicted and measured collectives on Blind"), "{picture}");
    let (_, second) = text.split_once("## One left out").unwrap();
    // A thousand times slower: hopelessly too long, and so among the worst of the second section only.
    assert!(second.contains("| all_gather | ring_ompi | 16 | 16\u{a0}KiB | 60\u{a0}µs | "), "{second}");
    assert_eq!(printed(&mut run()), text, "the same data make the same document");
    let mut useless = run();
    useless.args(["--within", "median=1"]);
    useless.assert().code(2).stdout("").stderr(contains("--within has no effect on a plan"));
    for (from, to, word) in [
        ("worst = 2", "worst = two", "line 9, column 9"),
        ("median=100", "speed=100", "Blind: there is no bound"),
        ("slow.toml", "none.toml", "none.toml"),
        ("operation=bcast", "colour=red", "plan.toml: \"colour=red"),
    ] {
        fs::write(folder.path().join("plan.toml"), PLAN.replace(from, to)).unwrap();
        run().assert().code(2).stdout("").stderr(contains(word));
    }
}

/// What stands under a section's heading is the same in the document and on a page of its own.
#[test]
fn a_section_may_have_a_page() {
    let folder = planned();
    let whole = printed(&mut validate_plan(&folder));
    let (before, section) = whole.split_once("## One left out\n\n").unwrap();
    let plan = format!("remarks = \"All in all.\"\n{PLAN}");
    let plan = plan.replace("title = \"One left out\"", "title = \"One left out\"\npage = \"left-out.md\"");
    fs::write(folder.path().join("plan.toml"), plan).unwrap();
    let text = printed(&mut validate_plan(&folder));
    let expected = before.replace("| One left out |", "| [One left out](left-out.md) |");
    let expected = expected.replacen("\n\n## Blind", "\n\nAll in all.\n\n## Blind", 1);
    assert_eq!(text, format!("{}\n", expected.trim_end()));
    let page = fs::read_to_string(folder.path().join("left-out.md")).unwrap();
    let made = "Made by `hetsim validate plan.toml`; not edited by hand.\n";
    assert_eq!(page, format!("# One left out\n\n{section}\n{made}"));
}
