//! Bad input: all errors are reported together, with line, column and what was expected, and nothing is written.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use hetsim::report::spec::NOTATION;
use hetsim::scenario::{Problems, Report, Scenario, Source};
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};
use tempfile::TempDir;

use super::support::{self, try_read, try_read_in};

/// A scenario in which nothing is wrong: two clusters, and one of everything that refers to something else.
pub(crate) const GOOD: &str = r#"version = 1
question = "which?"

[platform.cluster.north]
nodes = 4
network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }

[platform.cluster.south]
nodes = 3
network = { model = "loggp", latency = "20us", overhead = "3us", gap = "5us", gap_per_byte = "8ns/B" }

[platform.between]
network = { model = "hockney", latency = "5ms", bandwidth = "1Gbit/s" }

[[platform.link]]
between = ["north", "south"]
network = { latency = "7ms" }

[workload]
kind = "broadcast"
size = "8KiB"
algorithm = "binomial"
root = 0

[sweep]
"workload.size" = ["1KiB", "8KiB"]
"workload.algorithm" = ["linear", "binomial"]

[[derive]]
name = "gain"
how = "speedup"
metric = "completion_s"
to = { algorithm = "binomial" }

[[table]]
rows = "size"
best = "algorithm"
metric = "completion_s"

[[chart]]
name = "completion"
x = "size"
y = "completion_s"
series = "algorithm"

[[expect]]
metric = "gain"
where = { algorithm = "binomial" }
value = 1.0
source = "by definition"
"#;

/// A file of the folder from which the scenario is read.
type File<'a> = (&'a str, &'a [u8]);

fn problems_with(text: &str, files: &[File<'_>], overrides: &[&str]) -> Problems {
    let folder = TempDir::new().expect("a temporary folder");
    for (name, content) in files {
        fs::write(folder.path().join(name), content).expect("a file");
    }
    let before = fs::read_dir(folder.path()).expect("the folder").count();
    let problems = try_read_in(folder.path(), text, overrides).err();
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), before, "nothing is written");
    problems.unwrap_or_else(|| panic!("this should be refused:\n{text}"))
}

/// What a person sees of the problems, 80 columns wide.
fn rendered(problems: &Problems) -> String {
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor());
    let handler = handler.with_width(80).with_context_lines(1);
    let mut text = String::new();
    for report in problems.reports() {
        handler.render_report(&mut text, report).expect("a string takes all");
    }
    text.lines().fold(String::new(), |mut all, line| {
        let _ = writeln!(all, "{}", line.trim_end());
        all
    })
}

/// The scenario with one piece of its text replaced.
fn with(from: &str, to: &str) -> String {
    assert_eq!(GOOD.matches(from).count(), 1, "`{from}` should stand once in the scenario");
    GOOD.replace(from, to)
}

/// The scenario with a piece of text put after a line.
fn after(line: &str, more: &str) -> String {
    with(line, &format!("{line}\n{more}"))
}

/// The text that a report underlines.
fn underlined(report: &Report, text: &str) -> Option<String> {
    let label = report.labels()?.next()?;
    Some(text[label.offset()..label.offset() + label.len()].to_owned())
}

/// Exactly one problem, that underlines `at` (the last one in the text) and whose rendering holds all `parts`.
#[track_caller]
fn one(text: &str, files: &[File<'_>], at: &str, parts: &[&str]) {
    let problems = problems_with(text, files, &[]);
    let shown = rendered(&problems);
    assert_eq!(problems.reports().len(), 1, "{shown}");
    assert_eq!(underlined(&problems.reports()[0], text).as_deref(), Some(at), "{shown}");
    let offset = problems.reports()[0].labels().and_then(|mut labels| labels.next()).expect("a label").offset();
    let before = &text[..offset];
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
    // A long line may be broken anywhere.
    let words = shown.replace(['\n', '│'], " ").split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [format!("[test.toml:{line}:{column}]").as_str()].iter().chain(parts) {
        assert!(words.contains(part), "`{part}` should be in\n{shown}");
    }
}

#[test]
fn the_scenario_is_good() {
    let scenario = try_read_in(Path::new("."), GOOD, &[]).unwrap_or_else(|problems| panic!("{}", rendered(&problems)));
    assert_eq!(scenario.runs(), 4);
    for point in 0..4 {
        scenario.run(point, 0).expect("a run");
    }
}

#[test]
fn unknown_keys_name_the_nearest() {
    one(&with("root = 0", "rot = 0"), &[], "rot", &["unknown key `rot` in `workload`", "did you mean `root`?"]);
    one(&after("version = 1", "seeed = 3"), &[], "seeed", &["unknown key `seeed`", "did you mean `seed`?"]);
    one(&with("nodes = 3", "nodes = 3\nspede = \"1Gop/s\""), &[], "spede", &["did you mean `speed`?"]);
    one(&with("gap = \"5us\"", "gap = \"5us\", gaps = \"5us\""), &[], "gaps", &["did you mean `gap`?"]);
    // A key that belongs to another model.
    one(&with("gap = \"5us\"", "gap = \"5us\", capacity = 3"), &[], "capacity", &["expected one of: ", "gap_per_byte"]);
    one(&with("latency = \"7ms\"", "latncy = \"7ms\""), &[], "latncy", &["did you mean `latency`?"]);
    one(&with("series = \"alg", "serie = \"alg"), &[], "serie", &["did you mean `series`?"]);
}

/// A platform of one node.
const LONE: &str = "[platform.cluster.a]\nnodes = 1\nnetwork = { model = \"ideal\" }\n";

/// The keys of a study.
const DRAWN: &str = "kind = \"schedules\"\nclusters = 4\nlatency = { from = \"1ms\", to = \"2ms\" }\n\
                     gap = { from = \"1ms\", to = \"2ms\" }\ninside = { from = \"1ms\", to = \"2ms\" }\n";

#[test]
fn a_study_under_workload_says_how_to_write_it() {
    let workload = |keys: &str| format!("version = 1\n{LONE}[workload]\n{keys}\n");
    one(
        &workload(DRAWN),
        &[],
        "\"schedules\"",
        &[
            "`schedules` is a study, not a workload",
            "write [study] instead of [workload], and `study.` instead of `workload.`",
            "leave the keys of `platform` out",
        ],
    );
    let adversarial = "kind = \"adversarial\"\nscheduler = \"heft\"\nbaseline = \"mct\"";
    one(&workload(adversarial), &[], "\"adversarial\"", &["`adversarial` is a study"]);
    one(&workload("kind = \"partition\""), &[], "\"partition\"", &["`partition` is a study", "write [study]"]);
    let file = "kind = \"fit\"\nmethod = \"ols\"\nfile = \"a.csv\"\ntarget = \"t\"";
    one(&workload(file), &[], "\"a.csv\"", &["the workload `fit` has no file: the study `fit` has", "write [study]"]);
}

#[test]
fn a_scenario_is_about_a_workload_or_a_study() {
    let study = format!("version = 1\n[study]\n{DRAWN}");
    assert!(try_read_in(Path::new("."), &study, &[]).is_ok());
    let ignored = format!("version = 1\n{LONE}[study]\n{DRAWN}");
    one(&ignored, &[], "platform", &["the study `schedules` uses no platform, so this one would be ignored"]);
    let both = format!("{GOOD}[study]\n{DRAWN}");
    one(&both, &[], "study", &["a scenario has either a [workload] or a [study]"]);
    for (text, missing) in [
        (format!("version = 1\n{LONE}"), "`workload` is missing"),
        (
            "version = 1\n[workload]\nkind = \"broadcast\"\nsize = \"1B\"\nalgorithm = \"linear\"\n".to_owned(),
            "`platform` is missing",
        ),
        ("version = 1\n[study]\nkind = \"partition\"\n".to_owned(), "`platform` is missing"),
    ] {
        let shown = rendered(&problems_with(&text, &[], &[]));
        assert!(shown.contains(missing), "{shown}");
    }
    let sweep = |key: &str| format!("{study}[sweep]\n{key} = [1, 2]\n");
    assert!(try_read_in(Path::new("."), &sweep("\"study.clusters\""), &[]).is_ok());
    one(&sweep("\"workload.root\""), &[], "\"workload.root\"", &["the scenario has no [workload]"]);
    let nodes = "\"platform.cluster.a.nodes\"";
    one(&sweep(nodes), &[], nodes, &["the scenario has no [platform]"]);
}

#[test]
fn missing_keys_say_what_they_are() {
    one(&with("nodes = 4\n", ""), &[], "[platform.cluster.north]", &["`nodes` is missing", "The number of nodes."]);
    one(
        &with("kind = \"broadcast\"\n", ""),
        &[],
        "[workload]",
        &["`kind` is missing", "choose one of: adaptive, broadcast"],
    );
    one(
        &with("latency = \"50us\", ", ""),
        &[],
        "{ model = \"hockney\", bandwidth = \"1Gbit/s\" }",
        &["`latency` is missing"],
    );
    one(&with("source = \"by definition\"\n", ""), &[], "[[expect]]", &["`source` is missing", "The paper"]);
}

#[test]
fn wrong_types() {
    one(
        &with("nodes = 4", "nodes = \"four\""),
        &[],
        "\"four\"",
        &["`nodes` must be a whole number", "this is a string"],
    );
    one(&with("nodes = 4", "nodes = 4.5"), &[], "4.5", &["`nodes` must be a whole number", "this is a number"]);
    one(
        &with("question = \"which?\"", "question = 5"),
        &[],
        "5",
        &["`question` must be a string", "this is a whole number"],
    );
    one(
        &with("size = \"8KiB\"", "size = [\"8KiB\"]"),
        &[],
        "[\"8KiB\"]",
        &["`size` must be a size such as \"512KiB\"", "this is an array"],
    );
    one(&with("size = \"8KiB\"", "size = 2026-01-01"), &[], "2026-01-01", &["`size` must be a size", "this is a date"]);
    one(
        &with("between = [\"north\", \"south\"]", "between = \"north\""),
        &[],
        "\"north\"",
        &["`between` must be an array"],
    );
    one(&with("network = { latency = \"7ms\" }", "network = 7"), &[], "7", &["`network` must be a table"]);
    one(&with("value = 1.0", "value = [1]"), &[], "[1]", &["`value` must be a number or true or false or a string"]);
    one(&after("root = 0", "segment = 512"), &[], "512", &["`segment` must be a size such as \"512KiB\" or \"best\""]);
    one(&after("root = 0", "segment = \"bset\""), &[], "\"bset\"", &["write a size such as \"512KiB\" or \"best\""]);
}

#[test]
fn headings_with_too_many_brackets_or_too_few() {
    one(&with("[workload]", "[[workload]]"), &[], "[[workload]]", &["must be a table", "write [workload]"]);
    let named = with("[platform.cluster.north]", "[[platform.cluster]]").replace("[platform.cluster.south]", "[x]");
    let shown = rendered(&problems_with(&named, &[], &[]));
    assert!(shown.contains("write [platform.cluster.NAME]"), "{shown}");
    one(&with("[[chart]]", "[chart]"), &[], "[chart]", &["`chart` must be an array", "write [[chart]]"]);
}

#[test]
fn units_as_others_write_them() {
    let latency = |text: &str| with("latency = \"50us\"", &format!("latency = \"{text}\""));
    one(&latency("50usec"), &[], "\"50usec\"", &["\"usec\" is not a unit of duration", "did you mean `us`?"]);
    one(&latency("1,5us"), &[], "\"1,5us\"", &["decimals follow a point, not a comma"]);
    let unit = |text: &str| with("gap_per_byte = \"8ns/B\"", &format!("gap_per_byte = \"{text}\""));
    one(&unit("8ns"), &[], "\"8ns\"", &["\"ns\" is not a unit of time per byte", "did you mean `ns/B`?"]);
}

#[test]
fn a_missing_column_is_a_mistake_of_the_key_that_names_it() {
    let fit =
        |keys: &str| format!("version = 1\n[study]\nkind = \"fit\"\nmethod = \"ols\"\nfile = \"t.csv\"\n{keys}\n");
    let table: File<'_> = ("t.csv", b"ranks,time_s\n1,2\n2,3\n4,5\n");
    let said = "t.csv: there is no column";
    one(&fit("target = \"times\""), &[table], "\"times\"", &[said, "there are ranks, time_s"]);
    let by = fit("target = \"time_s\"\nby = [\"ranks\", \"rank\"]");
    one(&by, &[table], "\"rank\"", &[said, "did you mean `ranks`?"]);
    let binary: File<'_> = ("t.csv", b"\x89PNG\r\n");
    one(&fit("target = \"t\""), &[binary], "\"t.csv\"", &["the column names are not UTF-8 text"]);
    one(&fit("target = \"t\""), &[("t.csv", b"")], "\"t.csv\"", &["the file has no column names"]);
}

#[test]
fn units() {
    one(
        &with("latency = \"50us\"", "latency = \"50kg\""),
        &[],
        "\"50kg\"",
        &["`latency`: \"kg\" is not a unit of duration", "expected one of s, ms, us"],
    );
    one(&with("latency = \"50us\"", "latency = \"50KiB\""), &[], "\"50KiB\"", &["\"KiB\" is not a unit of duration"]);
    one(
        &with("latency = \"50us\"", "latency = \"50\""),
        &[],
        "\"50\"",
        &["the duration needs a unit, as in \"48.39us\""],
    );
    one(
        &with("latency = \"50us\"", "latency = \"fast\""),
        &[],
        "\"fast\"",
        &["\"fast\" does not start with a number", "\"48.39us\""],
    );
    one(&with("latency = \"50us\"", "latency = 50"), &[], "50", &["`latency` needs a unit", "\"48.39us\""]);
    one(&with("size = \"8KiB\"", "size = 8192"), &[], "8192", &["`size` needs a unit", "\"512KiB\""]);
    one(&with("gap_per_byte = \"8ns/B\"", "gap_per_byte = 8e-9"), &[], "8e-9", &["time per byte", "\"6ns/B\""]);
    one(
        &with("latency = \"50us\", bandwidth = \"1Gbit/s\"", "latency = \"50us\", bandwidth = 125"),
        &[],
        "125",
        &["bandwidth", "\"1Gbit/s\""],
    );
}

#[test]
fn numbers_out_of_range() {
    one(
        &with("latency = \"50us\"", "latency = \"-50us\""),
        &[],
        "\"-50us\"",
        &["the duration must be zero or more, and finite"],
    );
    one(
        &with("latency = \"50us\"", "latency = \"1e999s\""),
        &[],
        "\"1e999s\"",
        &["the duration must be zero or more, and finite"],
    );
    one(&with("size = \"8KiB\"", "size = \"1.5B\""), &[], "\"1.5B\"", &["a whole number of bytes"]);
    one(
        &with("latency = \"50us\", bandwidth = \"1Gbit/s\"", "latency = \"50us\", bandwidth = \"0B/s\""),
        &[],
        "\"0B/s\"",
        &["bandwidth", "above zero"],
    );
    one(&with("root = 0", "root = -1"), &[], "-1", &["`root` must be at least 0"]);
    one(&with("root = 0", "root = 5000000000"), &[], "5000000000", &["`root` must be at most 4294967295"]);
    one(&with("root = 0", "root = 99999999999999999999"), &[], "99999999999999999999", &["out of range"]);
    for number in ["nan", "inf", "-inf"] {
        one(&after("nodes = 4", &format!("jitter = {number}")), &[], number, &["`jitter` must be finite"]);
    }
    one(&after("nodes = 4", "jitter = -0.1"), &[], "-0.1", &["`jitter` must be at least 0"]);
    one(&after("nodes = 4", "jitter = 4"), &[], "4", &["`jitter` must be at most 3"]);
    one(&after("nodes = 4", "speed = \"0op/s\""), &[], "\"0op/s\"", &["`speed` must be above zero"]);
    one(
        &after("nodes = 4", "speed_factor = { distribution = \"uniform\", from = 0, to = 2 }"),
        &[],
        "0",
        &["`from` must be above 0"],
    );
    one(&after("version = 1", "replicas = 0"), &[], "0", &["`replicas` must be at least 1"]);
    one(
        &after("version = 1", "platform.tick = \"0.5ps\""),
        &[],
        "\"0.5ps\"",
        &["`tick` must be a whole number of picoseconds"],
    );
    one(&with("version = 1", "version = 2"), &[], "2", &["`version` must be 1"]);
}

#[test]
fn clusters_without_nodes() {
    one(&with("nodes = 4", "nodes = 0"), &[], "0", &["`nodes` must be at least 1"]);
    let none =
        "version = 1\n[platform.cluster]\n[workload]\nkind = \"broadcast\"\nsize = \"1B\"\nalgorithm = \"linear\"\n";
    one(none, &[], "[platform.cluster]", &["a platform needs at least one cluster"]);
}

#[test]
fn names_that_are_not_known() {
    one(
        &with("algorithm = \"binomial\"\nroot", "algorithm = \"bynomial\"\nroot"),
        &[],
        "\"bynomial\"",
        &["`bynomial` is not a value of `algorithm`", "did you mean `binomial`?"],
    );
    one(
        &with("algorithm = \"binomial\"\nroot", "algorithm = \"ecef+bynomial\"\nroot"),
        &[],
        "\"ecef+bynomial\"",
        &["did you mean `ecef+binomial`?"],
    );
    one(
        &with("algorithm = \"binomial\"\nroot", "algorithm = \"nothing like it\"\nroot"),
        &[],
        "\"nothing like it\"",
        &["name an algorithm (binomial)", "hetsim list"],
    );
    one(
        &with("model = \"loggp\"", "model = \"hockny\""),
        &[],
        "\"hockny\"",
        &["`hockny` is not a value of `model`", "did you mean `hockney`?"],
    );
    one(&with("kind = \"broadcast\"", "kind = \"brodcast\""), &[], "\"brodcast\"", &["did you mean `broadcast`?"]);
    one(&with("how = \"speedup\"", "how = \"speed-up\""), &[], "\"speed-up\"", &["did you mean `speedup`?"]);
    one(&after("name = \"completion\"", "kind = \"pie\""), &[], "\"pie\"", &["expected one of: line, bar, stacked, "]);
    one(
        &after("root = 0", "placement = \"random\""),
        &[],
        "\"random\"",
        &["expected one of: cluster, round_robin, spread"],
    );
    one(&after("root = 0", "candidates = [\"binomial\", \"chian\"]"), &[], "\"chian\"", &["did you mean `chain`?"]);
    one(
        &after("nodes = 4", "load = [{ profile = { kind = \"periodical\" } }]"),
        &[],
        "\"periodical\"",
        &["did you mean `periodic`?"],
    );
    one(
        &after("version = 1", "output.tables = [\"node\"]"),
        &[],
        "\"node\"",
        &["makes no table `node`", "did you mean `nodes`?"],
    );
}

#[test]
fn links() {
    one(
        &with("between = [\"north\", \"south\"]", "between = [\"north\", \"suoth\"]"),
        &[],
        "\"suoth\"",
        &["there is no cluster `suoth`", "did you mean `south`?"],
    );
    one(
        &with("between = [\"north\", \"south\"]", "between = [\"north\"]"),
        &[],
        "[\"north\"]",
        &["`between` needs at least 2 values"],
    );
    one(
        &with("between = [\"north\", \"south\"]", "between = [\"north\", \"south\", \"north\"]"),
        &[],
        "[\"north\", \"south\", \"north\"]",
        &["at most 2"],
    );
    one(
        &with("between = [\"north\", \"south\"]", "between = [\"north\", \"north\"]"),
        &[],
        "[\"north\", \"north\"]",
        &["two different clusters", "[platform.cluster.north.network]"],
    );
    // No way at all.
    let start = GOOD.find("[platform.between]").expect("there");
    let end = GOOD.find("[workload]").expect("there");
    let apart = format!("{}{}", &GOOD[..start], &GOOD[end..]);
    one(&apart, &[], "south", &["there is no link from `north` to `south`", "[[platform.link]]", "[platform.between]"]);
    let one_way = apart.replace("[workload]", "[[platform.link]]\nbetween = [\"north\", \"south\"]\none_way = true\nnetwork = { model = \"ideal\" }\n[workload]");
    one(&one_way, &[], "north", &["there is no link from `south` to `north`"]);
    // What `between` leaves out, a link has to give.
    let text = GOOD.replace("latency = \"5ms\", ", "").replace("{ latency = \"7ms\" }", "{ bandwidth = \"2Gbit/s\" }");
    one(&text, &[], "{ bandwidth = \"2Gbit/s\" }", &["`latency` is missing", "on the link from `north` to `south`"]);
}

#[test]
fn matrices() {
    let matrix = |rows: &str| after("[platform.between]", &format!("latency = {rows}"));
    one(
        &matrix("[[\"0s\", \"1ms\"]]"),
        &[],
        "[[\"0s\", \"1ms\"]]",
        &["the matrix needs 2 rows, one per cluster, and has 1"],
    );
    one(
        &matrix("[[\"0s\", \"1ms\"], [\"1ms\"]]"),
        &[],
        "[\"1ms\"]",
        &["the matrix needs 2 columns, one per cluster, and has 1"],
    );
    one(&matrix("[[\"0s\", 1], [\"1ms\", \"0s\"]]"), &[], "1", &["needs a unit"]);
    let file = matrix("\"m.csv\"");
    let m = |content: &'static str| [("m.csv", content.as_bytes())];
    one(&file, &[], "\"m.csv\"", &["there is no file `m.csv`", "folder of test.toml"]);
    one(&file, &m(""), "\"m.csv\"", &["m.csv: the file is empty"]);
    one(&file, &m(",north,suoth\n"), "\"m.csv\"", &["there is no cluster `suoth`", "did you mean `south`?"]);
    one(&file, &m(",north,south\nnorth,,1ms\n"), "\"m.csv\"", &["no value from `south` to `north`"]);
    one(
        &file,
        &m(",north,south\nnorth,,1ms\nsouth,5,\n"),
        "\"m.csv\"",
        &["line 3, from `south` to `north`", "needs a unit"],
    );
    one(&file, &[("m.csv", b"\xff\xfe,north\n")], "\"m.csv\"", &["m.csv", "UTF-8"]);
}

#[test]
fn roots() {
    one(&with("root = 0", "root = 7"), &[], "7", &["there is no rank 7: the ranks are 0 to 6"]);
    let text = after("[sweep]", "\"workload.root\" = [0, 7]");
    one(&text, &[], "7", &["there is no rank 7", "the sweep gets there with root = 7"]);
}

#[test]
fn sweeps() {
    let sweep = |line: &str| after("[sweep]", line);
    one(
        &sweep("\"workload.rooot\" = [0]"),
        &[],
        "\"workload.rooot\"",
        &["`workload.rooot`, which does not exist", "did you mean `root`?"],
    );
    one(
        &sweep("\"platform.cluster.nort.nodes\" = [2]"),
        &[],
        "\"platform.cluster.nort.nodes\"",
        &["there is no `nort` in `platform.cluster`; did you mean `north`?"],
    );
    one(
        &sweep("\"platform.clusters.north.nodes\" = [2]"),
        &[],
        "\"platform.clusters.north.nodes\"",
        &["did you mean `cluster`?"],
    );
    one(&sweep("\"seed\" = [1, 2]"), &[], "\"seed\"", &["a sweep varies keys of `platform`, `workload` and `study`"]);
    one(&sweep("\"workload.root\" = 1"), &[], "1", &["`workload.root` needs several values", "{ from, to, steps }"]);
    one(&sweep("\"workload.root\" = []"), &[], "[]", &["`workload.root` has no values"]);
    one(&sweep("\"workload.candidates\" = {}"), &[], "{}", &["`workload.candidates` has no values"]);
    one(&sweep("\"workload.root\" = [0, \"one\"]"), &[], "\"one\"", &["`root` must be a whole number"]);
    one(&sweep("\"platform.cluster.north.nodes\" = [0, 4]"), &[], "0", &["`nodes` must be at least 1"]);
    one(&sweep("\"platform.link.1.jitter\" = [0.1]"), &[], "0.1", &["the list has no item 1"]);
    one(&sweep("workload.candidates = { paper = [\"linear\"] }"), &[], "paper", &["not a table of keys", "in quotes"]);
    one(
        &sweep("workload.size = [\"1B\"]"),
        &[],
        "\"workload.size\"",
        &["`workload.size` is given twice in this sweep"],
    );
    one(
        &sweep(
            "\"platform.cluster.north\" = { a = { nodes = 1, network = { model = \"ideal\" } } }\n\"platform.cluster.north.nodes\" = [1, 2]",
        ),
        &[],
        "\"platform.cluster.north.nodes\"",
        &[
            "lies within `platform.cluster.north`",
            "give `nodes` in each alternative of `platform.cluster.north`, or sweep `platform.cluster.north.nodes` and",
        ],
    );
    one(
        &sweep("\"platform.cluster.south.network.model\" = [\"loggp\", \"logp\"]"),
        &[],
        "gap_per_byte",
        &["unknown key `gap_per_byte`", "the sweep gets there with model = logp"],
    );
    too_many_points("{ from = 0, to = 3999, steps = 4000 }", "[4, 5, 6]");
}

/// A sweep over this axis of `root`, 999 ticks and these numbers of nodes has too many points.
#[track_caller]
fn too_many_points(root: &str, nodes: &str) {
    let ticks = "{ from = \"1ps\", to = \"1ns\", steps = 999 }";
    let axes = format!(
        "\"workload.root\" = {root}\n\"platform.tick\" = {ticks}\n\"platform.cluster.north.nodes\" = {nodes}\n"
    );
    one(&after("[sweep]", &axes), &[], "[sweep]", &["more than 10000000 points"]);
}

#[test]
#[ignore = "takes seconds; `.ci/run` runs it"]
fn sweeps_of_a_million_steps() {
    too_many_points("{ from = 0, to = 1e6, steps = 1000000 }", "[4]");
}

/// Folders that are swept.
#[test]
fn patterns_of_files() {
    let loaded = after("nodes = 4", "load = [{ profile = { kind = \"trace\", file = \"t.csv\" } }]");
    let trace: File<'_> = ("t.csv", b"0,1\n");
    let said = |value: &str, at: &str, parts: &[&str]| {
        let key = "\"platform.cluster.north.load.0.profile.file\"";
        one(&loaded.replacen("[sweep]", &format!("[sweep]\n{key} = {value}"), 1), &[trace], at, parts);
    };
    said("{ files = \"*.stg\" }", "\"*.stg\"", &["no file in", "is named like `*.stg`", "hidden files are left out"]);
    said("{ files = \"none/*\" }", "\"none/*\"", &["there is no folder", "none"]);
    said("{ files = \"t.csv/*\" }", "\"t.csv/*\"", &["the folder", "can't be read"]);
    said("{ files = \"*/t.csv\" }", "\"*/t.csv\"", &["`*` may stand in the name of a file"]);
    said("{ files = 3 }", "3", &["`files` must be a folder and a pattern"]);
    said("{ files = \"*.csv\", sorted = true }", "sorted", &["unknown key `sorted` beside `files`"]);
    // Where no file is meant, it is a name like any other.
    one(&after("[sweep]", "\"workload.root\" = { files = \"*\" }"), &[], "\"*\"", &["`root` must be a whole number"]);
    let folder = with("version = 1", "version = 1\nfolder = 3");
    one(&folder, &[], "3", &["`folder` must be a string"]);
}

/// Values of files that derived metrics are compared with.
#[test]
fn files_of_derivations() {
    let derive = |keys: &str| with("to = { algorithm = \"binomial\" }", keys);
    let keys = "file = \"o.csv\"\ncolumn = \"best\"";
    let at = "\"o.csv\"";
    let said =
        |content: &str, at: &str, parts: &[&str]| one(&derive(keys), &[("o.csv", content.as_bytes())], at, parts);
    said("", at, &["o.csv: the file is empty"]);
    said("size,bets\n1KiB,3\n", at, &["o.csv: there is no column `best`", "did you mean `bets`?"]);
    said("sizes,best\n1KiB,3\n", at, &["no column is named like a swept key", "size, algorithm"]);
    said("size,best\n1KiB,three\n", at, &["o.csv, line 2: `three` is not a number"]);
    said("size,best\n1KiB,inf\n", at, &["o.csv, line 2: `inf` is not a number"]);
    said("size,best\n1KiB\n", at, &["o.csv, line 2: 1 cells where the header has 2"]);
    said("size,best\n1KiB,3\n1024,4\n", at, &["o.csv, line 3: there is a row for the same values before"]);
    said("size,best\n7KiB,3\n", at, &["no row is one of a point of the sweep, by size"]);
    one(&derive(keys), &[], at, &["there is no file `o.csv`"]);
    let good: File<'_> = ("o.csv", b"size,best\n1KiB,3\n");
    one(&derive("file = \"o.csv\""), &[good], "[[derive]]", &["needs `column`"]);
    one(&derive("column = \"best\"\nto = { algorithm = \"linear\" }"), &[], "[[derive]]", &["speak of a `file`"]);
    one(&derive(&format!("{keys}\nto = {{ algorithm = \"linear\" }}")), &[good], at, &["give either `to`"]);
    one(&derive(&format!("{keys}\nby = {{ size = \"sice\" }}")), &[good], at, &["there is no column `sice`"]);
    one(&derive(&format!("{keys}\nby = {{ sice = \"size\" }}")), &[good], "sice", &["`sice` is not a swept key"]);
    let best = derive("file = \"o.csv\"").replace("how = \"speedup\"", "how = \"best\"\nover = \"size\"");
    one(&best, &[good], "file", &["`file` is a key of how \"speedup\", \"ratio\", \"difference\", not of `best`"]);
}

#[test]
fn ranges_and_zips() {
    let range = |range: &str| after("[sweep]", &format!("\"workload.root\" = {range}"));
    one(&range("{ from = 0, to = 3 }"), &[], "{ from = 0, to = 3 }", &["a range needs `steps`"]);
    one(&range("{ from = 0, steps = 3 }"), &[], "{ from = 0, steps = 3 }", &["a range needs `to`"]);
    one(&range("{ from = 0, to = 3, steps = 1 }"), &[], "1", &["`steps` must be a whole number from 2"]);
    one(
        &range("{ from = 0, to = 3, step = 1 }"),
        &[],
        "step",
        &["unknown key `step` in a range", "expected one of: from, to, steps, scale"],
    );
    one(
        &range("{ from = 0, to = 3, steps = 2, scale = \"logarithmic\" }"),
        &[],
        "\"logarithmic\"",
        &["`scale` is \"linear\" or \"log\""],
    );
    one(
        &range("{ from = 0, to = 3, steps = 2, scale = \"log\" }"),
        &[],
        "{ from = 0, to = 3, steps = 2, scale = \"log\" }",
        &["a logarithmic range starts and ends above zero"],
    );
    let sizes = GOOD.replace("[\"1KiB\", \"8KiB\"]", "{ from = 1, to = \"8KiB\", steps = 3 }");
    one(&sizes, &[], "1", &["needs a unit", "\"512KiB\""]);
    let sizes = GOOD.replace("[\"1KiB\", \"8KiB\"]", "{ from = \"1us\", to = \"8KiB\", steps = 3 }");
    one(&sizes, &[], "\"1us\"", &["\"us\" is not a unit of size"]);
    let placements =
        after("[sweep]", "\"workload.placement\" = { from = \"cluster\", to = \"round_robin\", steps = 2 }");
    one(&placements, &[], "\"cluster\"", &["`workload.placement` takes no ranges"]);
    let zip = |zip: &str| after("[sweep]", &format!("\"workload.root\" = [0, 1, 2]\nzip = {zip}"));
    let lengths = zip("[[\"workload.root\", \"workload.algorithm\"]]");
    one(
        &lengths,
        &[],
        "[\"linear\", \"binomial\"]",
        &["zipped keys need equally many values", "`workload.algorithm` has 2, `workload.root` has 3"],
    );
    one(
        &zip("[[\"workload.rot\", \"workload.size\"]]"),
        &[],
        "\"workload.rot\"",
        &["which this sweep does not vary", "did you mean `workload.root`?"],
    );
    let flat = "[\"workload.size\", \"workload.algorithm\"]";
    one(&zip(flat), &[], flat, &["`zip` must be a list of groups of keys", "[["]);
    one(&zip("true"), &[], "true", &["`zip` must be a list of groups of keys"]);
}

#[test]
fn designs() {
    const KEY: &str = "\"workload.root\" = { from = 0, to = 3 }";
    let design = |design: &str, keys: &str| after("[sweep]", &format!("design = {design}\n{keys}"));
    let random = "{ kind = \"random\", points = 3 }";
    one(&design("{ kind = \"sobbol\", points = 3 }", KEY), &[], "\"sobbol\"", &["did you mean `sobol`?"]);
    one(&design("{ points = 3 }", KEY), &[], "{ points = 3 }", &["`kind` is missing", "random, latin_hypercube"]);
    one(&design("{ kind = \"random\" }", KEY), &[], "{ kind = \"random\" }", &["`points` is missing"]);
    let morris = "{ kind = \"morris\", trajectories = 2, points = 3 }";
    one(&design(morris, KEY), &[], "points", &["unknown key `points`"]);
    let odd = "{ kind = \"morris\", trajectories = 2, levels = 5 }";
    one(&design(odd, KEY), &[], odd, &["an even number of levels, at least 2, not 5"]);
    one(&design(random, ""), &[], random, &["no keys to choose values of", "ranges without `steps`"]);
    one(&design("{ kind = \"random\", points = 0 }", KEY), &[], "0", &["`points` must be at least 1"]);
    let large = "{ kind = \"saltelli\", rows = 1000000 }";
    let keys = "\"workload.root\" = { from = 0, to = 3 }\n".to_owned()
        + &["latency", "bandwidth"]
            .map(|key| {
                let (from, to) = if key == "latency" { ("1us", "1ms") } else { ("1Mbit/s", "1Gbit/s") };
                ["cluster.north", "between"]
                    .map(|place| {
                        format!("\"platform.{place}.network.{key}\" = {{ from = \"{from}\", to = \"{to}\" }}\n")
                    })
                    .concat()
            })
            .concat();
    let more = format!(
        "{keys}\"platform.cluster.south.network.latency\" = {{ from = \"1us\", to = \"1ms\" }}\n\
        \"platform.cluster.south.network.gap\" = {{ from = \"1us\", to = \"1ms\" }}\n\
        \"platform.cluster.south.network.overhead\" = {{ from = \"1us\", to = \"1ms\" }}\n\
        \"platform.cluster.north.jitter\" = {{ from = 0, to = 1 }}"
    );
    one(&design(large, &more), &[], large, &["more than 10000000 points"]);
    let zipped = format!("{KEY}\nzip = [[\"workload.root\", \"workload.size\"]]");
    one(&design(random, &zipped), &[], "\"workload.root\"", &["chosen by the design, so it can't be zipped"]);
    let single = "{ from = 2, to = 2 }";
    one(&design(random, &format!("\"workload.root\" = {single}")), &[], single, &["more than one value"]);
    let half = "{ from = 0.5, to = 2 }";
    one(&design(random, &format!("\"workload.root\" = {half}")), &[], half, &["starts and ends at one"]);
    let among = "{ among = [1] }";
    one(&design(random, &format!("\"workload.root\" = {among}")), &[], among, &["a list of two values or more"]);
    one(&after("[sweep]", "\"workload.root\" = { among = [1, 2] }"), &[], "{ among = [1, 2] }", &["a `design`"]);
    one(&design(random, "\"workload.rot\" = { from = 0, to = 3 }"), &[], "\"workload.rot\"", &["did you mean `root`?"]);
    let maximin = "{ kind = \"latin_hypercube\", points = 1000000, placement = \"maximin\" }";
    one(&design(maximin, KEY), &[], maximin, &["takes too long"]);
    // Whatever the design chooses, both ends have to fit.
    let outside = "{ from = -1, to = 3 }";
    one(&design(random, &format!("\"workload.root\" = {outside}")), &[], outside, &["`root` must be at least 0"]);
    let strange = "\"workload.placement\" = { among = [\"cluster\", \"clutser\"] }";
    one(&design("{ kind = \"random\", points = 30 }", strange), &[], "\"clutser\"", &["is not a value of `placement`"]);
}

#[test]
fn too_many_dimensions() {
    const NETWORK: &str = "network = { model = \"delay\", latency = \"1us\", bandwidth = \"1GB/s\" }";
    let (mut links, mut keys) = (String::new(), String::new());
    for number in 0..65 {
        let _ = writeln!(links, "[platform.cluster.c{number}]\nnodes = 1\n{NETWORK}");
        let _ = writeln!(keys, "\"platform.cluster.c{number}.network.latency\" = {{ from = \"1us\", to = \"2us\" }}");
    }
    let design = "{ kind = \"saltelli\", rows = 2 }";
    let text = format!(
        "version = 1\n{links}[platform.between]\n{NETWORK}\n[workload]\n\
        kind = \"broadcast\"\nsize = \"1B\"\nalgorithm = \"linear\"\n[sweep]\ndesign = {design}\n{keys}"
    );
    one(&text, &[], design, &["at most 128 dimensions here, not 130"]);
}

#[test]
fn sensitivities() {
    let head = &GOOD[..GOOD.find("[sweep]").expect("a sweep")];
    let text = |kind: &str, more: &str| {
        format!(
            "{head}[sweep]\ndesign = {kind}\n\"workload.root\" = {{ from = 0, to = 3 }}\n\
            \"workload.size\" = {{ from = \"1B\", to = \"9B\" }}\n\"workload.algorithm\" = [\"linear\", \"binomial\"]\n{more}"
        )
    };
    let morris = |more: &str| text("{ kind = \"morris\", trajectories = 2 }", more);
    let asked = "[[sensitivity]]\nmetric = \"completion_s\"\n";
    let random = text("{ kind = \"random\", points = 4 }", asked);
    one(&random, &[], "[[sensitivity]]", &["a `random` design does not tell", "morris"]);
    one(&format!("{head}{asked}"), &[], "[[sensitivity]]", &["needs a sweep with a `design`"]);
    one(&morris("[[sensitivity]]\nmetric = \"completion\"\n"), &[], "\"completion\"", &["`completion_s`"]);
    let filter = format!("{asked}where = {{ root = 1 }}\n");
    one(&morris(&filter), &[], "1", &["`root` is chosen by the design"]);
    one(&morris(&format!("{asked}confidence = 95\n")), &[], "95", &["`confidence` must be below 1"]);
    let chart = "[[chart]]\nname = \"s\"\nkind = \"sensitivity\"\n";
    one(
        &morris(&format!("{chart}y = \"completion_s\"\nwhere = {{ algorithm = \"linear\" }}\n")),
        &[],
        "\"completion_s\"",
        &["there is no [[sensitivity]] of `completion_s`"],
    );
    let both = format!("{asked}{chart}y = \"completion_s\"\n");
    one(&morris(&both), &[], "[[chart]]", &["`algorithm` varies as well"]);
    let along = format!("{asked}{chart}y = \"completion_s\"\nx = \"size\"\nwhere = {{ algorithm = \"linear\" }}\n");
    one(&morris(&along), &[], "x", &["unknown key `x`", "not of `sensitivity`"]);
    let best = "[[derive]]\nname = \"best_root\"\nhow = \"best\"\nmetric = \"completion_s\"\nover = \"root\"\n";
    one(&morris(best), &[], "\"root\"", &["no two of its points differ in it alone"]);
    // A key of the design that points share shows none of them.
    let table = "[[table]]\nrows = \"root\"\ncolumns = \"algorithm\"\nmetric = \"completion_s\"\n";
    one(&morris(table), &[], "[[table]]", &["`point` varies as well"]);
}

#[test]
fn traces() {
    let load = |profile: &str| after("nodes = 4", &format!("load = [{{ profile = {profile} }}]"));
    let file = load("{ kind = \"trace\", file = \"t.csv\" }");
    let t = |content: &'static str| [("t.csv", content.as_bytes())];
    let at = "\"t.csv\"";
    one(&file, &[], at, &["there is no file `t.csv`", "it is looked for in the folder of test.toml"]);
    one(&file, &t(""), at, &["t.csv holds no steps", "time in seconds, value"]);
    one(&file, &t("time_s,value\n"), at, &["t.csv holds no steps"]);
    one(&file, &t("0,1\n2,0.5\n1,1\n"), at, &["t.csv, line 3: the times must rise"]);
    one(&file, &t("time_s,value\n0,1\n0,0.5\n"), at, &["t.csv, line 3: the times must rise"]);
    one(&file, &t("0,1\n1,half\n"), at, &["t.csv, line 2: `half` is not a number"]);
    one(&file, &t("0,full\n1,1\n"), at, &["t.csv, line 1: `full` is not a number"]);
    one(&file, &t("0,1\n1,0.5,7\n"), at, &["t.csv, line 2: a line has two numbers"]);
    one(&file, &t("0,1\n-1,0.5\n"), at, &["line 2: time and value must be zero or more, and finite"]);
    one(&file, &t("0,1\n1,inf\n"), at, &["line 2: time and value must be zero or more, and finite"]);
    let steps = "[{ from = \"0s\", value = 1 }, { from = \"0s\", value = 0.5 }]";
    let table = load(&format!("{{ kind = \"trace\", steps = {steps} }}"));
    one(&table, &[], "\"0s\"", &["step 2 is out of order: times must rise"]);
    let steps = "[{ from = \"0s\", value = 1 }, { from = \"2s\", value = 0.5 }]";
    one(
        &load(&format!("{{ kind = \"trace\", period = \"1.5s\", steps = {steps} }}")),
        &[],
        "\"1.5s\"",
        &["the period must end after the last step"],
    );
    one(&load("{ kind = \"trace\" }"), &[], "{ kind = \"trace\" }", &["give one of `steps`, `file` and `drawn`"]);
    one(&load("{ kind = \"trace\", steps = [] }"), &[], "[]", &["the profile is empty"]);
    let short = "{ kind = \"periodic\", tasks = 1, period = \"1s\", busy = \"2s\" }";
    one(&load(short), &[], short, &["`busy` must be shorter than `period`"]);
    let never = "{ kind = \"random\", tasks = 1, mean_idle = \"0s\", mean_busy = \"1s\" }";
    one(&load(never), &[], never, &["`mean_idle` and `mean_busy` must be above zero"]);
    let nodes = after("nodes = 4", "load = [{ nodes = [0, 4], profile = { kind = \"constant\", tasks = 1 } }]");
    one(&nodes, &[], "[0, 4]", &["there is no node 4: the cluster's nodes are 0 to 3"]);
    let factor = after("nodes = 4", "latency_factor = { steps = [] }");
    one(&factor, &[], "[]", &["the profile is empty"]);
}

#[test]
fn trace_files() {
    let file = |more: &str| after("nodes = 4", &format!("latency_factor = {{ file = \"t.txt\"{more} }}"));
    let t = |content: &'static str| [("t.txt", content.as_bytes())];
    let at = "\"t.txt\"";
    one(&file(""), &t("0 1\n5 0.5\n4 1"), at, &["t.txt, line 3: the dates must rise"]);
    one(&file(""), &t("0 1\n5 -0.5"), at, &["t.txt, line 2: numbers must be zero or more"]);
    one(&file(""), &t("# c\n"), at, &["t.txt holds no steps"]);
    one(&file(""), &t("0 1\n5 0.5\nPERIODICITY 4\n"), at, &["t.txt, line 3: PERIODICITY must end a round"]);
    one(&file(""), &t("STOCHASTIC\n"), at, &["line 1: `STOCHASTIC` is neither", "as `drawn`"]);
    let twice = file(", period = \"9s\"");
    one(&twice, &t("0 1\nLOOPAFTER 4"), "\"9s\"", &["t.txt repeats by itself: its line 2 says LOOPAFTER"]);
    let short = file(", period = \"3s\"");
    one(&short, &t("0 1\n3 4"), "\"3s\"", &["the period must end after the last step"]);
    one(&short, &t("0,1\n3,4"), "\"3s\"", &["the period must end after the last step"]);
}

#[test]
fn drawn_factors() {
    let drawn = |every: &str, more: &str| {
        let factor = "{ distribution = \"uniform\", from = 0.5, to = 1 }";
        let drawn = format!("{{ every = {every}, factor = {factor} }}");
        (after("nodes = 4", &format!("bandwidth_factor = {{ drawn = {drawn}{more} }}")), drawn)
    };
    let (text, table) = drawn("\"1s\"", "");
    one(&text, &[], &table, &["what is drawn needs a `period` beside it"]);
    let (text, _) = drawn("\"0s\"", ", period = \"5s\"");
    one(&text, &[], "\"0s\"", &["`drawn.every` must be above zero"]);
    let (text, _) = drawn("\"1s\"", ", period = \"0s\"");
    one(&text, &[], "\"0s\"", &["`period` must be above zero"]);
    let (text, _) = drawn("\"1us\"", ", period = \"5s\"");
    one(&text, &[], "\"1us\"", &["at most 1000000 values fit `period`"]);
    let (text, table) = drawn("\"1s\"", ", period = \"5s\", steps = [{ from = \"0s\", value = 1 }]");
    let whole = format!("{{ drawn = {table}, period = \"5s\", steps = [{{ from = \"0s\", value = 1 }}] }}");
    one(&text, &[], &whole, &["give one of `steps`, `file` and `drawn`"]);
    let factor = "{ distribution = \"uniform\", from = -0.5, to = 1 }";
    let text = after(
        "nodes = 4",
        &format!("bandwidth_factor = {{ period = \"5s\", drawn = {{ every = \"1s\", factor = {factor} }} }}"),
    );
    one(&text, &[], "-0.5", &["`from` must be above 0"]);
    let profile = "{ kind = \"trace\", period = \"1s\", drawn = { every = \"2us\", factor = { distribution = \"gamma\", shape = 1, scale = 1 } } }";
    let text = after("nodes = 4", &format!("load = [{{ profile = {profile} }}]")).replace("nodes = 4", "nodes = 40");
    let shown = rendered(&problems_with(&text, &[], &[])).replace(['\n', '│'], " ");
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("20000000 values would be drawn for each run, over all links and nodes; at most 16777216"));
}

#[test]
fn faults_of_links() {
    let at = "{ kind = \"at\", from = \"1s\" }";
    let waits = "messages under `hockney` do not wait for links that are down";
    let list = format!("[{{ profile = {at} }}]");
    let text = after("nodes = 4", &format!("link_fault = {list}"));
    one(&text, &[], &list, &[waits, "only those under `fair` do"]);
    // A cluster's own network may be `fair`: its messages to others would still not wait.
    let hockney = "network = { model = \"hockney\", latency = \"50us\", bandwidth = \"1Gbit/s\" }";
    let fair = text.replace(hockney, &hockney.replace("hockney", "fair"));
    one(&fair, &[], &list, &[waits]);
    let all = [("model = \"hockney\"", "model = \"fair\"")].iter().fold(text, |text, (a, b)| text.replace(a, b));
    assert!(try_read_in(Path::new("."), &all, &[]).is_ok());
    let list = format!("[{at}]");
    let between = "network = { model = \"hockney\", latency = \"5ms\", bandwidth = \"1Gbit/s\" }";
    let text = after(between, &format!("fault = {list}"));
    one(&text, &[], &list, &[waits, "on the link from `north` to `south`"]);
    let fair = |fault: &str| {
        after("network = { latency = \"7ms\" }", &format!("fault = [{fault}]"))
            .replace("model = \"hockney\"", "model = \"fair\"")
    };
    assert!(try_read_in(Path::new("."), &fair(at), &[]).is_ok());
    let short = "{ kind = \"at\", from = \"1s\", until = \"3s\", period = \"2s\" }";
    one(&fair(short), &[], "\"2s\"", &["must be shorter than its `period`", "give `until`"]);
    let endless = "{ kind = \"at\", from = \"1s\", period = \"2s\" }";
    one(&fair(endless), &[], "\"2s\"", &["must be shorter than its `period`", "give `until`"]);
}

#[test]
fn faults() {
    let fault = |profile: &str| after("nodes = 4", &format!("fault = [{{ profile = {profile} }}]"));
    let text = fault("{ kind = \"at\", from = \"2s\", until = \"1s\" }");
    one(&text, &[], "\"1s\"", &["`until` must be after `from`"]);
    let text = fault("{ kind = \"exponential\", mean_up = \"0s\" }");
    one(&text, &[], "\"0s\"", &["`mean_up` must be above zero"]);
    let text = fault("{ kind = \"exponential\", mean_up = \"1s\", mean_down = \"0s\" }");
    one(&text, &[], "\"0s\"", &["`mean_down` must be above zero"]);
    let text = fault("{ kind = \"weibull\", shape = 0, scale = \"1s\" }");
    one(&text, &[], "0", &["`shape` must be"]);
    let text = fault("{ kind = \"weibull\", shape = 1, scale = \"0s\" }");
    one(&text, &[], "\"0s\"", &["`scale` must be above zero"]);
    let drawn = "{ every = \"1s\", factor = { distribution = \"uniform\", from = 0.5, to = 1 } }";
    let text = fault(&format!("{{ kind = \"trace\", period = \"9s\", drawn = {drawn} }}"));
    one(&text, &[], drawn, &["what is drawn is never 0, so nothing fails", "`kind = \"exponential\"`"]);
    let text = fault("{ kind = \"trace\", file = \"t.txt\" }");
    one(&text, &[("t.txt", b"0 1\n0 0")], "\"t.txt\"", &["t.txt, line 2: the dates must rise"]);
    let text = fault("{ kind = \"weibul\", shape = 1, scale = \"1s\" }");
    one(&text, &[], "\"weibul\"", &["did you mean `weibull`?"]);
    let text = after("nodes = 4", "fault = [{ nodes = [4], profile = { kind = \"at\", from = \"1s\" } }]");
    one(&text, &[], "[4]", &["there is no node 4: the cluster's nodes are 0 to 3"]);
}

#[test]
fn speeds() {
    let text = after("nodes = 4", "speeds = [\"1Gop/s\", \"2Gop/s\"]");
    one(&text, &[], "[\"1Gop/s\", \"2Gop/s\"]", &["`speeds` has 2 values for 4 nodes"]);
    let text = after("nodes = 3", "speeds = [\"1Gop/s\", \"0op/s\", \"1Gop/s\"]");
    one(&text, &[], "[\"1Gop/s\", \"0op/s\", \"1Gop/s\"]", &["every speed must be above zero"]);
    let text = after("version = 1", "platform.diversity = 1.5\nplatform.diversity_family = \"two_class\"");
    one(&text, &[], "1.5", &["a diversity of 1.5 is out of reach for 7 nodes", "the largest is just below"]);
    let nodes = |keys: &str| after("nodes = 4", keys);
    one(&nodes("cache = \"1MiB\""), &[], "\"1MiB\"", &["`cache` needs `speed_beyond_cache` beside it"]);
    one(&nodes("speed_beyond_cache = 0.5"), &[], "0.5", &["`speed_beyond_cache` needs `cache` beside it"]);
    let text = nodes("cache = \"1MiB\"\nspeed_beyond_cache = 0");
    one(&text, &[], "0", &["`speed_beyond_cache` must be"]);
    let diversity = |keys: &str| after("version = 1", &format!("platform.diversity = 0.5\n{keys}"));
    let text = diversity("platform.diversity_slowest = 0.9");
    one(&text, &[], "0.5", &["with the slowest node at 0.9", "from 0.0145 to 0.0938"]);
    one(&diversity("platform.diversity_slowest = 1.5"), &[], "1.5", &["`diversity_slowest` must be at most 1"]);
    let text = diversity("platform.diversity_over = [\"north\", \"suoth\"]");
    one(&text, &[], "\"suoth\"", &["there is no cluster `suoth`", "did you mean `south`?"]);
    let text = after("version = 1", "platform.diversity_keeps = \"total\"");
    one(&text, &[], "\"total\"", &["`diversity_keeps` requires `diversity`"]);
    let text = diversity("").replace("nodes = 3", "nodes = 3\nspeed = \"2Gop/s\"");
    one(&text, &[], "0.5", &["requires nodes of equal speed", "diversity_over"]);
    let text = after("version = 1", "platform.diversity = -0.5");
    one(&text, &[], "-0.5", &["`diversity` must be at least 0"]);
}

#[test]
fn derivations() {
    let to = "metric = \"completion_s\"\nto = { algorithm = \"binomial\" }\n";
    one(
        &with("metric = \"completion_s\"\nto", "metric = \"completion\"\nto"),
        &[],
        "\"completion\"",
        &["there is no metric `completion`", "did you mean `completion_s`?"],
    );
    one(
        &with("to = { algorithm = \"binomial\" }", "to = { algoritm = \"binomial\" }"),
        &[],
        "algoritm",
        &["`algoritm` is not a swept key", "did you mean `algorithm`?"],
    );
    one(
        &with("to = { algorithm = \"binomial\" }", "to = { algorithm = \"chain\" }"),
        &[],
        "\"chain\"",
        &["`algorithm` is never `chain` in the sweep", "expected one of: linear, binomial"],
    );
    one(&with("to = { algorithm = \"binomial\" }\n", ""), &[], "[[derive]]", &["this derivation needs `to`"]);
    one(
        &with(&format!("how = \"speedup\"\n{to}"), "how = \"best\"\nmetric = \"completion_s\"\n"),
        &[],
        "[[derive]]",
        &["`over` is missing in `derive`", "over: The swept key over which the best is sought"],
    );
    one(
        &with("how = \"speedup\"", "how = \"best\"\nover = \"size\""),
        &[],
        "to",
        &["`to` is a key of how \"speedup\", \"ratio\", \"difference\", \"crossover\", not of `best`"],
    );
    one(
        &with("name = \"gain\"", "name = \"messages\"").replace("metric = \"gain\"", "metric = \"messages\""),
        &[],
        "\"messages\"",
        &[
            "there is already a column `messages`",
            "is a metric: use it as it is; give the new one another name, such as messages_2",
        ],
    );
    one(
        &with("name = \"gain\"", "name = \"size\"").replace("metric = \"gain\"", "metric = \"size\""),
        &[],
        "\"size\"",
        &["there is already a column `size`", "is a swept key; give the new one another name, such as size_2"],
    );
    one(
        &with(
            "name = \"gain\"\nhow = \"speedup\"\nmetric = \"completion_s\"",
            "name = \"gain\"\nhow = \"speedup\"\nmetric = \"gain\"",
        ),
        &[],
        "\"gain\"",
        &["there is no metric `gain`"],
    );
}

/// A formula names each name that it cannot use, and what there is.
#[test]
fn derived_formulas() {
    let formula = |formula: &str| {
        let all = "how = \"speedup\"\nmetric = \"completion_s\"\nto = { algorithm = \"binomial\" }";
        with(all, &format!("how = \"formula\"\nformula = \"{formula}\"\nvalues = {{ price = 2 }}"))
    };
    for (wrong, parts) in [
        (
            "nodes * pric * completion_s",
            [
                "there is no metric, swept key or value `pric`",
                "did you mean `price`?; a number of your own goes into `values",
            ],
        ),
        ("completion * price", ["there is no metric, swept key or value `completion`", "completion_s"]),
        ("algorithm * price", ["the values of `algorithm` are no numbers", ""]),
        ("price * (completion_s", ["the formula can't be read, at character 22", "is expected"]),
        ("price + 3 completion_s", ["the formula can't be read, at character 11", "nothing more is expected"]),
    ] {
        one(&formula(wrong), &[], &format!("\"{wrong}\""), &parts);
    }
    assert!(try_read(&formula("nodes * price * completion_s / size")).is_ok());
}

/// Equal speeds may be counted; what is counted must be a number of nodes.
#[test]
fn counted_speeds() {
    let speeds = |list: &str| after("[platform.cluster.north]", &format!("speeds = {list}"));
    assert!(try_read(&speeds("[\"3 of 1Gop/s\", \"2Gop/s\"]")).is_ok());
    one(
        &speeds("[\"8 of 1Gop/s\", \"2Gop/s\"]"),
        &[],
        "[\"8 of 1Gop/s\", \"2Gop/s\"]",
        &["`speeds` has 9 values for 4 nodes"],
    );
    one(&speeds("[\"0 of 1Gop/s\"]"), &[], "\"0 of 1Gop/s\"", &["`0` is no number of values"]);
    one(&speeds("[\"4 of 1GB\"]"), &[], "\"4 of 1GB\"", &["\"GB\" is not a unit of speed"]);
    one(&speeds("[\"4000000000 of 1op/s\"]"), &[], "[\"4000000000 of 1op/s\"]", &["has 4000000000 values for 4 nodes"]);
}

#[test]
fn tables_and_charts() {
    one(
        &with("rows = \"size\"", "rows = \"sise\""),
        &[],
        "\"sise\"",
        &["`sise` is not a swept key", "did you mean `size`?"],
    );
    one(
        &with("best = \"algorithm\"\n", "best = \"algorithm\"\ncolumns = \"algorithm\"\n"),
        &[],
        "\"algorithm\"",
        &["a table has `columns` or `best`, not both"],
    );
    one(
        &with("best = \"algorithm\"", "best = \"algorithm\"\nalso = [\"gains\"]"),
        &[],
        "\"gains\"",
        &["did you mean `gain`?"],
    );
    one(
        &with("y = \"completion_s\"", "y = \"completions\""),
        &[],
        "\"completions\"",
        &["there is no metric `completions`"],
    );
    one(&with("x = \"size\"\n", ""), &[], "[[chart]]", &["`x` is missing in `chart`", "x: The swept key along x"]);
    one(
        &with("series = \"algorithm\"", "series = \"placement\""),
        &[],
        "\"placement\"",
        &["`placement` is not a swept key", "expected one of: size, algorithm"],
    );
    let twice = format!(
        "{GOOD}[[chart]]\nname = \"completion\"\nkind = \"gantt\"\nwhere = {{ size = \"1KiB\", algorithm = \"binomial\" }}\n"
    );
    one(&twice, &[], "\"completion\"", &["two charts are called `completion`"]);
    one(
        &with("name = \"completion\"", "name = \"../up\""),
        &[],
        "\"../up\"",
        &["a chart's name is the stem of a file"],
    );
    one(
        &with("series = \"algorithm\"", "where = { size = \"2KiB\" }"),
        &[],
        "\"2KiB\"",
        &["`size` is never `2KiB` in the sweep"],
    );
    let parts = "\"workload.size\" = [\"1KiB\"]\n\"workload.algorithm\" = [\"chain\"]\n";
    let two = GOOD
        .replace("[sweep]", &format!("[[sweep]]\n{parts}[[sweep]]"))
        .replace("series = \"algorithm\"", "where = { algorithm = \"chain\", size = \"8KiB\" }");
    one(&two, &[], "{ algorithm = \"chain\", size = \"8KiB\" }", &["no point of the sweep has all of these values"]);
    let start = GOOD.find("[sweep]").expect("there");
    let unswept = format!("{}[[chart]]\nname = \"c\"\nx = \"size\"\ny = \"messages\"\n", &GOOD[..start]);
    one(&unswept, &[], "\"size\"", &["`size` is not a swept key", "the scenario has no sweep"]);
}

#[test]
fn expectations() {
    one(
        &with("metric = \"gain\"", "metric = \"gian\""),
        &[],
        "\"gian\"",
        &["there is no metric `gian`", "did you mean `gain`?"],
    );
    one(&with("value = 1.0\n", ""), &[], "[[expect]]", &["an expectation needs one of `value`, `at_least`"]);
    one(
        &with("value = 1.0", "value = 1.0\nat_most = 2"),
        &[],
        "2",
        &["an expectation has just one of", "this one has `value` and `at_most`"],
    );
    one(&with("value = 1.0", "best = \"binomial\""), &[], "[[expect]]", &["`best` goes with `over`"]);
    one(
        &with("value = 1.0", "best = \"chain\"\nover = \"algorithm\""),
        &[],
        "\"chain\"",
        &["`algorithm` is never `chain`"],
    );
    one(
        &with("where = { algorithm = \"binomial\" }", "where = { algorithm = \"chain\" }"),
        &[],
        "\"chain\"",
        &["`algorithm` is never `chain`"],
    );
    one(
        &with("value = 1.0", "value = 1.0\ntolerance_percent = -1"),
        &[],
        "-1",
        &["`tolerance_percent` must be at least 0"],
    );
}

#[test]
fn text_that_is_no_toml() {
    one(&with("[workload]", "[workload"), &[], "d", &["this is not valid TOML: unclosed table, expected `]`"]);
    one(&with("nodes = 4", "nodes = = 4"), &[], "=", &["this is not valid TOML"]);
    one(&after("root = 0", "root = 1"), &[], "root", &["this is not valid TOML: duplicate key"]);
    one(&with("question = \"which?\"", "question = \"which?"), &[], "?", &["this is not valid TOML", "expected `\"`"]);
}

#[test]
fn several_at_once() {
    let text = GOOD.replace("nodes = 4", "nodes = 0").replace("rooot", "root").replace("root = 0", "rot = 0");
    let text = text.replace("size = \"8KiB\"", "size = 8192").replace("model = \"loggp\"", "model = \"logg\"");
    let problems = problems_with(&text, &[], &[]);
    let at: Vec<_> = problems.reports().iter().map(|report| underlined(report, &text).expect("a place")).collect();
    assert_eq!(at, ["0", "\"logg\"", "8192", "rot"], "in the order of the text\n{}", rendered(&problems));
    // References are checked together, too.
    let text = GOOD.replace("rows = \"size\"", "rows = \"sise\"").replace("y = \"completion_s\"", "y = \"c\"");
    assert_eq!(problems_with(&text, &[], &[]).reports().len(), 2);
    // And so are sweeps and links.
    let text = with("[sweep]", "[sweep]\n\"workload.a\" = [1]\n\"workload.b\" = [1]");
    assert_eq!(problems_with(&text, &[], &[]).reports().len(), 2);
}

#[test]
fn included_files() {
    let start = GOOD.find("[platform.cluster.north]").expect("there");
    let end = GOOD.find("[workload]").expect("there");
    let text = format!("{}[platform]\ninclude = \"p.toml\"\n\n{}", &GOOD[..start], &GOOD[end..]);
    let good = GOOD[start..end].replace("platform.", "");
    let inside = |content: &str, parts: &[&str]| {
        let problems = problems_with(&text, &[("p.toml", content.as_bytes())], &[]);
        let shown = rendered(&problems);
        for part in parts {
            assert!(shown.contains(part), "`{part}` should be in\n{shown}");
        }
    };
    one(&text, &[], "\"p.toml\"", &["there is no file", "p.toml"]);
    one(&text, &[("p.toml", b"\xff\xfe")], "\"p.toml\"", &["p.toml is not UTF-8 text"]);
    inside(
        &good.replace("nodes = 4", "noodes = 4"),
        &["p.toml:2:1]", "unknown key `noodes`", "2 │ noodes = 4", "did you mean `nodes`?"],
    );
    inside(&good.replace("[between]", "[between"), &["p.toml:9:8]", "this is not valid TOML"]);
    inside(&good.replace("\"south\"]", "\"suoth\"]"), &["p.toml:13:21]", "there is no cluster `suoth`"]);
    inside(&good.replace("latency = \"5ms\"", "latency = 5"), &["p.toml:10:42]", "needs a unit"]);
    inside(&format!("include = \"q.toml\"\n{good}"), &["p.toml:1:1]", "can't include another"]);
    inside(
        &good.replace("[cluster.north]", "[platform.cluster.north]"),
        &["p.toml:1:2]", "write [cluster.name] there"],
    );
}

#[test]
fn values_of_the_command_line() {
    let set = |overrides: &[&str], parts: &[&str]| {
        let problems = problems_with(GOOD, &[], overrides);
        let shown = rendered(&problems);
        assert_eq!(problems.reports().len(), 1, "{shown}");
        for part in parts {
            assert!(shown.contains(part), "`{part}` should be in\n{shown}");
        }
    };
    set(&["workload.size"], &["[--set:1:1]", "key=value, such as workload.size=8KiB"]);
    set(&["=5"], &["[--set:1:1]", "key=value"]);
    set(&["workload.sise=8KiB"], &["[--set:1:1]", "there is no key `workload.sise`", "did you mean `size`?"]);
    set(&["platform.cluster.nort.nodes=5"], &["did you mean `north`?"]);
    set(&["workload.size=8192"], &["[--set:1:15]", "needs a unit"]);
    set(&["workload.size=8kg"], &["\"kg\" is not a unit of size"]);
    set(&["workload.candidates=[linear]"], &["[--set:1:21]", "this is not a TOML value", "quote strings"]);
    set(&["workload.candidates=[\"linear\", \"chian\"]"], &["[--set:1:32]", "did you mean `chain`?"]);
    set(&["platform.link.3.jitter=0.1"], &["the list has no item 3"]);
    set(&["question.deep=1"], &["there is no key `question.deep`"]);
    set(&["seed=-1"], &["`seed` must be at least 0"]);
    set(&["seed=99999999999999999999"], &["out of range"]);
}

/// Runs the command in a folder, and gives its exit code and what it said.
fn hetsim(folder: &Path, words: &[&str]) -> (Option<i32>, String) {
    let output = support::hetsim(folder).args(words).output().expect("it runs");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(!said.contains("panicked"), "{said}");
    (output.status.code(), said)
}

#[test]
fn the_command_exits_with_2_and_writes_nothing() {
    let folder = TempDir::new().expect("a temporary folder");
    let write = |name: &str, content: &[u8]| fs::write(folder.path().join(name), content).expect("a file");
    write("good.toml", GOOD.as_bytes());
    write("key.toml", with("root = 0", "rot = 0").as_bytes());
    write("toml.toml", with("[workload]", "[workload").as_bytes());
    write("unit.toml", with("size = \"8KiB\"", "size = 8192").as_bytes());
    write("root.toml", with("root = 0", "root = 7").as_bytes());
    write("sweep.toml", after("[sweep]", "\"workload.a\" = [1]").as_bytes());
    write("latin1.toml", b"version = 1\nquestion = \"caf\xe9\"\n");
    write("file", b"in the way");
    let before = fs::read_dir(folder.path()).expect("the folder").count();
    let cases: &[(&[&str], &str)] = &[
        (&["key.toml"], "[key.toml:23:1]"),
        (&["toml.toml"], "[toml.toml:19:9]"),
        (&["unit.toml"], "[unit.toml:21:8]"),
        (&["root.toml"], "[root.toml:23:8]"),
        (&["sweep.toml"], "[sweep.toml:26:1]"),
        (&["latin1.toml"], "latin1.toml is not UTF-8 text"),
        (&["gone.toml"], "there is no file gone.toml"),
        (&["."], ". is a folder; only regular files are read"),
        (&["good.toml", "--set", "workload.sise=1B"], "did you mean `size`?"),
        (&["good.toml", "--set", "workload.size"], "key=value"),
        (&["good.toml", "--out", "file"], "the results folder file/good cannot be created"),
        (&["good.toml", "--out", "/proc/nothing"], "the results folder /proc/nothing/good cannot be created"),
        (&["good.toml", "--jobs", "0"], "invalid value '0' for '--jobs <N>'"),
        (&["check", "key.toml"], "[key.toml:23:1]"),
        (&["trace", "good.toml", "--run", "4"], "there is no run `4`; the runs are 0 to 3"),
        (&["trace", "good.toml", "--run", "xyz"], "there is no run `xyz`"),
        (&["plot", "nowhere"], "nowhere is not a results folder"),
        (&["compare", "nowhere", "nowhere"], "there is no file nowhere/summary.csv"),
        (&["new", "nothing"], "[possible values: "),
        (&["chek", "good.toml"], "unrecognized subcommand 'chek'"),
    ];
    for (words, part) in cases {
        let (code, said) = hetsim(folder.path(), words);
        assert_eq!(code, Some(2), "{words:?}: {said}");
        assert!(said.contains(part), "{words:?}: `{part}` should be in\n{said}");
    }
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), before, "nothing is written");
}

#[test]
fn a_results_folder_belongs_to_one_scenario() {
    let folder = TempDir::new().expect("a temporary folder");
    for name in ["one", "two"] {
        fs::create_dir(folder.path().join(name)).expect("a folder");
        fs::write(folder.path().join(name).join("same.toml"), GOOD).expect("a file");
    }
    assert_eq!(hetsim(folder.path(), &["one/same.toml", "--quiet"]), (Some(0), String::new()));
    let results = fs::read(folder.path().join("output/same/results.csv")).expect("results");
    let (code, said) = hetsim(folder.path(), &["two/same.toml"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("output/same holds the results of one/same.toml"), "{said}");
    assert_eq!(fs::read(folder.path().join("output/same/results.csv")).expect("results"), results);
    // The same scenario is welcome, by whatever path.
    assert_eq!(hetsim(folder.path(), &["./one/../one/same.toml", "--quiet"]).0, Some(0));
}

/// What a person sees; to be read when it changes.
#[test]
fn messages_as_they_are_seen() {
    let show = |text: &str, files: &[File<'_>], overrides: &[&str]| rendered(&problems_with(text, files, overrides));
    let text =
        GOOD.replace("nodes = 4", "nodes = 0").replace("size = \"8KiB\"", "size = 8192").replace("root = 0", "rot = 0");
    insta::assert_snapshot!("several_at_once", show(&text, &[], &[]));
    insta::assert_snapshot!("wrong_unit", show(&with("latency = \"50us\"", "latency = \"50KiB\""), &[], &[]));
    insta::assert_snapshot!(
        "unknown_algorithm",
        show(&with("algorithm = \"binomial\"\nroot", "algorithm = \"fastest\"\nroot"), &[], &[])
    );
    insta::assert_snapshot!("missing_key", show(&with("source = \"by definition\"\n", ""), &[], &[]));
    insta::assert_snapshot!("no_toml", show(&with("[workload]", "[workload"), &[], &[]));
    insta::assert_snapshot!(
        "unknown_cluster",
        show(&with("between = [\"north\", \"south\"]", "between = [\"north\", \"suoth\"]"), &[], &[])
    );
    let start = GOOD.find("[platform.between]").expect("there");
    let end = GOOD.find("[workload]").expect("there");
    insta::assert_snapshot!("missing_link", show(&format!("{}{}", &GOOD[..start], &GOOD[end..]), &[], &[]));
    let trace = after("nodes = 4", "load = [{ profile = { kind = \"trace\", file = \"t.csv\" } }]");
    insta::assert_snapshot!("trace_missing", show(&trace, &[], &[]));
    insta::assert_snapshot!("point_of_a_sweep", show(&after("[sweep]", "\"workload.root\" = [0, 7]"), &[], &[]));
    insta::assert_snapshot!("unknown_swept_key", show(&after("[sweep]", "\"workload.rooot\" = [0]"), &[], &[]));
    insta::assert_snapshot!(
        "range",
        show(&after("[sweep]", "\"workload.root\" = { from = 0, to = 3, steps = 2, scale = \"log\" }"), &[], &[])
    );
    insta::assert_snapshot!("set", show(GOOD, &[], &["workload.size=8192"]));
    insta::assert_snapshot!("unknown_metric", show(&with("metric = \"gain\"", "metric = \"latency_s\""), &[], &[]));
    let start = GOOD.find("[platform.cluster.north]").expect("there");
    let included = GOOD[start..end].replace("platform.", "").replace("nodes = 4", "noodes = 4");
    let text = format!("{}[platform]\ninclude = \"p.toml\"\n\n{}", &GOOD[..start], &GOOD[end..]);
    insta::assert_snapshot!(
        "in_an_included_file",
        show(&text, &[("p.toml", included.as_bytes())], &[])
            .replace('\\', "/")
            .lines()
            .map(|line| match (line.find("[/"), line.find("p.toml:")) {
                (Some(from), Some(to)) => format!("{}[…/{}\n", &line[..from], &line[to..]),
                _ => format!("{line}\n"),
            })
            .collect::<String>()
    );
}

/// A value put over a key that the sweep varies everywhere would change nothing, so it is refused.
#[test]
fn a_value_for_a_swept_key() {
    let problems = problems_with(GOOD, &[], &["workload.algorithm=linear"]);
    let shown = rendered(&problems);
    assert!(shown.contains("`workload.algorithm` is varied by the sweep"), "{shown}");
    assert_eq!(problems.reports().len(), 1, "{shown}");
    // So would a value within a table that the sweep varies as a whole.
    let tables = "version = 1\n[platform.cluster.c]\nnodes = 4\n[platform.cluster.c.network]\nmodel = \"fair\"\nlatency = \"1us\"\n\
        bandwidth = \"1MB/s\"\ntopology = { kind = \"star\" }\n[workload]\nkind = \"broadcast\"\nsize = \"1KiB\"\n\
        algorithm = \"linear\"\n[sweep]\n\"platform.cluster.c.network.topology\" = { star = { kind = \"star\" }, \
        ring = { kind = \"torus\", dimensions = [4] } }\n";
    let shown = rendered(&problems_with(tables, &[], &["platform.cluster.c.network.topology.kind=backbone"]));
    assert!(shown.contains("`platform.cluster.c.network.topology` is varied by the sweep"), "{shown}");
}

#[test]
fn what_tables_and_charts_would_hide() {
    let with = |from: &str, to: &str| GOOD.replacen(from, to, 1);
    // Whatever varies among the points that are shown has to be shown as well.
    one(
        &with("series = \"algorithm\"\n", ""),
        &[],
        "[[chart]]",
        &["`algorithm` varies as well", "name it in `series`"],
    );
    one(&with("best = \"algorithm\"\n", ""), &[], "[[table]]", &["`algorithm` varies as well", "`columns` or `best`"]);
    let gantt = format!("{GOOD}[[chart]]\nname = \"who\"\nkind = \"gantt\"\n");
    one(&gantt, &[], "[[chart]]", &["`size` varies as well", "choose one value"]);
    // A metric that is a name is no number.
    one(&with("y = \"completion_s\"", "y = \"inside\""), &[], "\"inside\"", &["`inside` is a name"]);
}

#[test]
fn what_would_leave_a_chart_empty() {
    let with = |from: &str, to: &str| GOOD.replacen(from, to, 1);
    one(
        &with("series = \"algorithm\"", "series = \"size\"\nwhere = { algorithm = \"linear\" }"),
        &[],
        "\"size\"",
        &["`size` is `x` already"],
    );
    let log = with("[\"1KiB\", \"8KiB\"]", "[\"0B\", \"8KiB\"]").replacen(
        "x = \"size\"",
        "x = \"size\"\nx_scale = \"log\"",
        1,
    );
    one(&log, &[], "\"log\"", &["`size` 0B has no place on a logarithmic axis"]);
    let heatmap = "[[chart]]\nname = \"map\"\nkind = \"heatmap\"\nx = \"size\"\ny = \"size\"\nvalue = \"gain\"\nwhere = { algorithm = \"linear\" }\n";
    one(&format!("{GOOD}{heatmap}"), &[], "\"size\"", &["`size` is `x` already"]);
    let scatter = "[[chart]]\nname = \"map\"\nkind = \"scatter\"\nx = \"gain\"\ny = \"gain\"\n";
    one(&format!("{GOOD}{scatter}"), &[], "\"gain\"", &["`gain` is `y` already"]);
}

#[test]
fn several_figures_in_a_chart() {
    let with = |from: &str, to: &str| GOOD.replacen(from, to, 1);
    let y = |metrics: &str| with("y = \"completion_s\"", &format!("y = {metrics}"));
    one(&y("[\"completion_s\", \"gains\"]"), &[], "\"gains\"", &["there is no metric `gains`", "did you mean `gain`?"]);
    one(&y("[\"gain\", \"gain\"]"), &[], "\"gain\"", &["`gain` is given twice"]);
    one(&y("[]"), &[], "[[chart]]", &["this chart needs `y`"]);
    one(
        &y("[\"gain\", \"completion_s\"]"),
        &[],
        "\"completion_s\"",
        &["`gain` and `completion_s` have different units"],
    );
    one(
        &y("[\"completion_s\", \"predicted_s\"]\nkind = \"bar\""),
        &[],
        "[[chart]]",
        &["bars stand for the values of `series` or for several metrics, not for both"],
    );
    one(
        &y("\"completion_s\"\nlabels = { completion = \"time\" }"),
        &[],
        "completion",
        &["this chart does not show `completion`", "did you mean `completion_s`?"],
    );
}

#[test]
fn stacks() {
    let stacked = |more: &str| {
        let chart = "kind = \"stacked\"\ny = [\"completion_s\", \"predicted_s\"]\nwhere = { algorithm = \"linear\" }\n";
        GOOD.replacen("y = \"completion_s\"\nseries = \"algorithm\"\n", &format!("{chart}{more}"), 1)
    };
    one(&stacked("series = \"algorithm\"\n"), &[], "series", &["unknown key `series`", "not of `stacked`"]);
    one(&stacked("y_scale = \"log\"\n"), &[], "\"log\"", &["stacks add up, and logarithms don't"]);
    one(
        &stacked("reference = [\"gain\"]\n"),
        &[],
        "reference",
        &["`reference` is a key of kind \"line\", not of `stacked`"],
    );
}

#[test]
fn histograms_and_marks() {
    let chart = |text: &str| GOOD.replacen("x = \"size\"\ny = \"completion_s\"\nseries = \"algorithm\"\n", text, 1);
    let histogram = |more: &str| chart(&format!("kind = \"histogram\"\nx = \"completion_s\"\n{more}"));
    let alone = "series = \"algorithm\"\nwhere = { size = \"8KiB\" }\n";
    one(&histogram(alone), &[], "[[chart]]", &["one value makes no distribution", "replicas = 100"]);
    one(&histogram("y = \"completion_s\"\n"), &[], "y", &["unknown key `y`", "not of `histogram`"]);
    one(&chart("kind = \"histogram\"\n"), &[], "[[chart]]", &["`x` is missing", "x: The metric"]);
    one(&chart("kind = \"histogram\"\nx = \"inside\"\n"), &[], "\"inside\"", &["`inside` is a name"]);
    one(&chart("kind = \"histogram\"\nx = \"size\"\n"), &[], "\"size\"", &["there is no metric `size`"]);
    one(&histogram("bins = 0\n"), &[], "0", &["`bins` must be"]);
    let mark = |keys: &str| histogram(&format!("series = \"algorithm\"\n[[chart.mark]]\nlabel = \"printed\"\n{keys}"));
    one(&mark(""), &[], "[[chart.mark]]", &["`value` is missing in `chart.mark`"]);
    one(&mark("value = \"soon\"\n"), &[], "\"soon\"", &[]);
    one(&mark("value = true\n"), &[], "true", &["`completion_s` is a number, not true"]);
    one(&mark("value = 1\ny = 2\n"), &[], "y", &["unknown key `y` in `chart.mark`"]);
    one(&mark("value = 1\nseries = \"chain\"\n"), &[], "\"chain\"", &["`algorithm` is never `chain`"]);
    let point = |keys: &str| {
        let line = "x = \"size\"\ny = \"completion_s\"\nseries = \"algorithm\"\nx_scale = \"log\"\nwhere = { algorithm = \"linear\" }\n";
        chart(&format!("{line}[[chart.mark]]\nlabel = \"printed\"\n{keys}"))
    };
    one(&point("x = \"2KiB\"\n"), &[], "[[chart.mark]]", &["`y` is missing in `chart.mark`"]);
    one(&point("x = 0\ny = 1\n"), &[], "0", &["0 has no place on this axis"]);
    one(&point("x = \"two\"\ny = 1\n"), &[], "\"two\"", &["`size` is never `two`"]);
    one(
        &point("x = 2048\ny = 1\nseries = \"binomial\"\n"),
        &[],
        "\"binomial\"",
        &["this chart does not show `algorithm` = `binomial`"],
    );
    let bars = chart(
        "kind = \"bar\"\nx = \"size\"\ny = \"completion_s\"\nseries = \"algorithm\"\nmark = [{ label = \"a\", value = 1 }]\n",
    );
    one(&bars, &[], "mark", &["`mark` is a key of kind \"line\", \"histogram\", \"heatmap\", not of `bar`"]);
}

#[test]
fn networks_of_named_links() {
    let platform = |network: &str, keys: &str| {
        format!(
            "version = 1\n[platform.wire.a]\nbandwidth = \"1MB/s\"\n[platform.cluster.c]\nnodes = 2\n{keys}\n\
             [platform.cluster.c.network]\n{network}\n[workload]\nkind = \"broadcast\"\nsize = \"1KiB\"\nalgorithm = \"linear\"\n"
        )
    };
    let routes = |routes: &str, keys: &str| {
        platform(&format!("model = \"routes\"\nnodes = [\"x\", \"y\"]\nroute = {routes}"), keys)
    };
    let good = "[{ from = \"x\", to = \"y\", wires = [\"a\"] }]";
    assert!(problems_with_none(&routes(good, "")));
    // What varies or fails along routes are the links; nothing that is said of the cluster is left out in silence.
    for (key, value) in [
        ("bandwidth_factor", "{ steps = [{ from = \"0s\", value = 0.5 }] }"),
        ("latency_factor", "{ steps = [{ from = \"0s\", value = 0.5 }] }"),
        ("link_fault", "[{ profile = { kind = \"at\", from = \"1s\" } }]"),
        ("jitter", "0.5"),
        ("level", "[{ size = 1, network = { model = \"fair\", latency = \"1s\", bandwidth = \"1kB/s\" } }]"),
    ] {
        let text = routes(good, &format!("{key} = {value}"));
        one(&text, &[], value, &["has no effect with the network `routes`", "[platform.wire]"]);
    }
    let twice = "[{ from = \"x\", to = \"y\", wires = [\"a\"] }, { from = \"y\", to = \"x\", wires = [\"a\"] }]";
    one(&routes(twice, ""), &[], twice, &["two routes from `x` to `y`", "`one_way`"]);
    one(&routes("[]", ""), &[], "[]", &["the routes lead nowhere from `x` to `y`"]);
    one(&routes(&good.replace("\"a\"", "\"b\""), ""), &[], "\"b\"", &["there is no link `b`"]);
    let fair = |topology: &str, keys: &str| {
        platform(&format!("model = \"fair\"\nlatency = \"1us\"\nbandwidth = \"1MB/s\"\ntopology = {topology}"), keys)
    };
    one(
        &fair("{ kind = \"hypercube\" }", ""),
        &[],
        "\"hypercube\"",
        &["`hypercube` is not a value of `kind`", "torus"],
    );
    one(&fair("{}", ""), &[], "{}", &["`kind` is missing", "fat_tree"]);
    one(&fair("{ kind = \"torus\", dimensions = [3] }", ""), &[], "[3]", &["3", "2"]);
    let fault = "[{ profile = { kind = \"at\", from = \"1s\" } }]";
    let bus = fair("{ kind = \"backbone\", links = false }", &format!("link_fault = {fault}"));
    one(&bus, &[], fault, &["have no links of their own"]);
    let swept = format!("{}[sweep]\n\"platform.include\" = [\"a.toml\"]\n", routes(good, ""));
    one(&swept, &[], "\"platform.include\"", &["can't vary the file that `platform` includes"]);
}

#[test]
fn powers() {
    let north = |keys: &str| after("nodes = 4", keys);
    let parts = ["the power must be zero or more, and finite"];
    one(&north("power = { idle = \"-95W\" }"), &[], "\"-95W\"", &parts);
    one(&north("power = { idle = \"95W\", per_core = \"-1W\" }"), &[], "\"-1W\"", &parts);
    one(&north("power = { idle = \"95\" }"), &[], "\"95\"", &["the power needs a unit", "95W"]);
    one(&north("power = { per_core = \"1W\" }"), &[], "{ per_core = \"1W\" }", &["`idle` is missing"]);
    one(&north("power = { idle = \"1kW\", peak = \"2kW\" }"), &[], "peak", &["unknown key `peak`"]);
    // Only links that messages share have a power, and those of `routes` have it by name.
    let network = |keys: &str| north(&format!("network_power = {keys}"));
    let power = "{ idle = \"1W\", full = \"4W\" }";
    one(&network(power), &[], power, &["is for links that messages share", "model = \"fair\""]);
    one(
        &network("{ idle = \"4W\", full = \"1W\" }"),
        &[],
        "\"1W\"",
        &["`full` is 1W and must not be below `idle`, which is 4W"],
    );
    one(&network("{ idle = \"4W\" }"), &[], "{ idle = \"4W\" }", &["`full` is missing"]);
    let between = after("[platform.between]", &format!("network_power = {power}"));
    one(&between, &[], power, &["is for links that messages share", "from `north` to `south`"]);
    let wire = |power: &str| {
        format!(
            "version = 1\n[platform.wire.a]\nbandwidth = \"1MB/s\"\npower = {power}\n[platform.cluster.c]\nnodes = 2\n\
             [platform.cluster.c.network]\nmodel = \"routes\"\nnodes = [\"x\", \"y\"]\n\
             route = [{{ from = \"x\", to = \"y\", wires = [\"a\"] }}]\n\
             [workload]\nkind = \"broadcast\"\nsize = \"1KiB\"\nalgorithm = \"linear\"\n"
        )
    };
    one(&wire("{ idle = \"4W\", full = \"-1W\" }"), &[], "\"-1W\"", &parts);
    one(&wire("{ idle = \"4W\", full = \"1W\" }"), &[], "\"1W\"", &["`full` is 1W"]);
    let of_cluster = wire(power).replace("nodes = 2\n", &format!("nodes = 2\nnetwork_power = {power}\n"));
    one(&of_cluster, &[], power, &["is for links that messages share", "[platform.wire]"]);
}

#[test]
fn scatter_charts() {
    let chart = |text: &str| GOOD.replacen("x = \"size\"\ny = \"completion_s\"\nseries = \"algorithm\"\n", text, 1);
    let scatter = |more: &str| chart(&format!("kind = \"scatter\"\n{more}"));
    assert!(problems_with_none(&scatter(
        "x = \"completion_s\"\ny = \"gain\"\nseries = \"algorithm\"\npareto = true\n"
    )));
    one(&scatter("y = \"gain\"\n"), &[], "[[chart]]", &["`x` is missing"]);
    one(&scatter("x = \"size\"\ny = \"gain\"\n"), &[], "\"size\"", &["there is no metric `size`"]);
    one(
        &scatter("x = \"gain\"\ny = [\"completion_s\", \"predicted_s\"]\npareto = true\n"),
        &[],
        "true",
        &["a Pareto front is of one metric"],
    );
    let line = chart("x = \"size\"\ny = \"completion_s\"\nseries = \"algorithm\"\npareto = true\n");
    one(&line, &[], "pareto", &["`pareto` is a key of kind \"scatter\", not of `line`"]);
}

#[test]
fn utilization() {
    let chart = |text: &str| GOOD.replacen("x = \"size\"\ny = \"completion_s\"\nseries = \"algorithm\"\n", text, 1);
    let one_point = "where = { size = \"8KiB\", algorithm = \"linear\" }\n";
    let of_kind = |kind: &str, more: &str| chart(&format!("kind = \"{kind}\"\n{one_point}{more}"));
    one(&of_kind("gantt", "of = \"nodes\"\n"), &[], "of", &["`of` is a key of kind \"utilization\", not of `gantt`"]);
    one(
        &of_kind("utilization", "links = true\n"),
        &[],
        "links",
        &["`links` is a key of kind \"gantt\", not of `utilization`"],
    );
    one(&of_kind("utilization", "of = \"link\"\n"), &[], "\"link\"", &["links"]);
    one(&chart("kind = \"utilization\"\n"), &[], "[[chart]]", &["varies as well"]);
}

#[test]
fn boxes_graphs_and_names() {
    let chart = |text: &str| GOOD.replacen("x = \"size\"\ny = \"completion_s\"\nseries = \"algorithm\"\n", text, 1);
    let boxes = |more: &str| chart(&format!("kind = \"box\"\nx = \"size\"\n{more}"));
    one(
        &boxes("y = \"completion_s\"\nseries = \"algorithm\"\n"),
        &[],
        "[[chart]]",
        &["one value makes no distribution"],
    );
    one(&boxes(""), &[], "[[chart]]", &["`y` is missing"]);
    one(&boxes("y = \"complete_s\"\n"), &[], "\"complete_s\"", &["there is no metric `complete_s`"]);
    one(&boxes("y = \"inside\"\n"), &[], "\"inside\"", &["`inside` is a name"]);
    let replicated = boxes("y = [\"completion_s\", \"predicted_s\"]\nseries = \"algorithm\"\n");
    one(
        &replicated.replacen("version = 1\n", "version = 1\nreplicas = 9\n", 1),
        &[],
        "[[chart]]",
        &["boxes stand for the values of `series` or for several metrics, not for both"],
    );
    one(
        &chart("kind = \"boxes\"\nx = \"size\"\ny = \"gain\"\n"),
        &[],
        "\"boxes\"",
        &["`boxes` is not a value of `kind`", "box, "],
    );
    one(
        &boxes("y = \"completion_s\"\nnames = { linaer = \"L\" }\n"),
        &[],
        "\"L\"",
        &["no key of this chart has the value `linaer`"],
    );
    let graph = chart("kind = \"graph\"\nwhere = { size = \"8KiB\", algorithm = \"linear\" }\n");
    one(&graph, &[], "\"graph\"", &["only a task graph has a picture of this kind"]);
    let best = "how = \"ratio_to_best\"\nmetric = \"completion_s\"\n";
    let to = "metric = \"completion_s\"\nto = { algorithm = \"binomial\" }\n";
    let best = GOOD.replacen(&format!("how = \"speedup\"\n{to}"), best, 1);
    one(&best, &[], "[[derive]]", &["`over` is missing"]);
}

#[test]
fn quantiles_and_statistics() {
    let derive = |keys: &str| {
        GOOD.replacen("how = \"speedup\"\nmetric = \"completion_s\"\nto = { algorithm = \"binomial\" }\n", keys, 1)
    };
    let quantile = "how = \"quantile\"\nmetric = \"completion_s\"\n";
    one(&derive(quantile), &[], "[[derive]]", &["`of` is missing", "of: The value whose quantile"]);
    one(&derive(&format!("{quantile}of = true\n")), &[], "true", &["`completion_s` is a number, not true"]);
    let speedup = "how = \"speedup\"\nmetric = \"completion_s\"\nto = { algorithm = \"binomial\" }\nof = 3\n";
    one(&derive(speedup), &[], "of", &["`of` is a key of how \"quantile\", not of `speedup`"]);
    let name = GOOD.replacen("metric = \"gain\"", "metric = \"inside\"\nstatistic = \"median\"", 1);
    let name = name.replacen("value = 1.0", "value = \"linear\"", 1);
    one(&name, &[], "\"median\"", &["`inside` is a name, and has no statistic"]);
}

#[test]
fn charts_of_tables() {
    let kept = after("root = 0", "\n[output]\ntables = [\"nodes\"]");
    let chart = |text: &str| kept.replacen("x = \"size\"\ny = \"completion_s\"\nseries = \"algorithm\"\n", text, 1);
    let nodes = |keys: &str| chart(&format!("table = \"nodes\"\nx = \"node\"\n{keys}"));
    let one_run = "where = { size = \"8KiB\", algorithm = \"linear\" }\n";
    let unknown = chart(&format!("table = \"noodles\"\nx = \"node\"\ny = \"completed_s\"\n{one_run}"));
    one(&unknown, &[], "\"noodles\"", &["this workload makes no table `noodles`", "did you mean `nodes`?"]);
    let kept_not = nodes(&format!("y = \"completed_s\"\n{one_run}")).replacen("tables = [\"nodes\"]", "tables = []", 1);
    one(&kept_not, &[], "\"nodes\"", &["the runs don't keep the table `nodes`", "[output] tables = [\"nodes\"]"]);
    one(
        &nodes(&format!("y = \"complete_s\"\n{one_run}")),
        &[],
        "\"complete_s\"",
        &["the table `nodes` has no column `complete_s`", "did you mean `completed_s`?"],
    );
    one(&nodes(&format!("y = \"cluster\"\n{one_run}")), &[], "\"cluster\"", &["`cluster` is a name"]);
    one(
        &nodes(&format!("y = \"completed_s\"\nseries = \"group\"\n{one_run}")),
        &[],
        "\"group\"",
        &["the table `nodes` has no column `group`"],
    );
    one(
        &nodes("y = \"completed_s\"\nwhere = { size = \"8KiB\" }\n"),
        &[],
        "[[chart]]",
        &["`algorithm` varies as well", "name it in `series`"],
    );
    one(
        &nodes(
            "y = \"completed_s\"\nseries = \"algorithm\"\nstep = true\nkind = \"bar\"\nwhere = { size = \"8KiB\" }\n",
        ),
        &[],
        "step",
        &["`step` is a key of kind \"line\", not of `bar`"],
    );
    one(
        &nodes(&format!("y = \"completed_s\"\nreference = [\"gain\"]\n{one_run}")),
        &[],
        "[\"gain\"]",
        &["a chart of a table has no `reference`"],
    );
}

#[test]
fn replicas_that_stop_by_themselves() {
    let until = |metric: &str, half_width: &str, more: &str| {
        after(
            "version = 1",
            &format!("replicas = {{ until = {{ metric = {metric}, half_width = {half_width} }}{more} }}"),
        )
    };
    let max = ", max = 100";
    assert!(problems_with_none(&until("\"completion_s\"", "\"1%\"", max)));
    one(&until("\"completion_s\"", "\"1%\"", ", max = 29"), &[], "29", &["`max` must be at least 30"]);
    one(&until("\"complete_s\"", "\"1%\"", max), &[], "\"complete_s\"", &["no metric", "did you mean `completion_s`?"]);
    one(&until("\"gain\"", "\"1%\"", max), &[], "\"gain\"", &["`gain` is made from several points"]);
    one(&until("\"completion_s\"", "\"1 percent\"", max), &[], "\"1 percent\"", &["write a percentage of the mean"]);
    for wrong in ["\"0%\"", "\"100%\"", "\"-2%\"", "\"x%\""] {
        one(&until("\"completion_s\"", wrong, max), &[], wrong, &["a half width is above 0 % and below 100 %"]);
    }
    one(&until("\"completion_s\"", "\"0ms\"", max), &[], "\"0ms\"", &["a half width is above zero"]);
    one(&until("\"completion_s\"", "\"1%\", confidence = 95", max), &[], "95", &["`confidence` must be below 1"]);
    one(
        &after("version = 1", "replicas = \"many\""),
        &[],
        "\"many\"",
        &["`replicas` must be a whole number or a table"],
    );
}

/// What goes through nested tables calls itself for each: a text may not nest so many that the stack ends.
#[test]
fn tables_are_nested_so_deep_and_no_deeper() {
    let key = ["a"; 79].join(".");
    let nested = format!("{}1{}", format!("{{{key} = ").repeat(77), "}".repeat(77));
    let depth = "tables and arrays are nested more than 64 deep";
    let said = |text: &str, overrides: &[&str]| problems_with(text, &[], overrides).to_string();
    for text in [format!("{GOOD}\n[{key}]\n{key} = {nested}\n"), format!("x = {}1{}\n", "[".repeat(70), "]".repeat(70))]
    {
        assert!(said(&text, &[]).contains(depth));
    }
    assert!(said(GOOD, &[&format!("workload.x={nested}")]).contains(depth));
    // The parser has a bound of its own.
    for open in ["[", "{a = "] {
        assert!(said(&format!("x = {}", open.repeat(100_000)), &[]).contains("this is not valid TOML"));
    }
    // So has the reader of platforms.
    let text = format!("[platform.cluster.lab]\nx = {nested}\n");
    let source = Source { name: "lab.toml".to_owned(), folder: PathBuf::new(), text: text.into() };
    let platform = Scenario::of_platform(&NOTATION, "lab".to_owned(), source, &[]);
    assert!(platform.unwrap_err().to_string().contains(depth));
}

#[test]
fn comparisons_and_quantiles() {
    let compare = |keys: &str| format!("{GOOD}\n[[compare]]\nmetric = \"completion_s\"\n{keys}\n");
    let (a, b) = ("a = { algorithm = \"linear\" }", "b = { algorithm = \"binomial\" }");
    assert!(problems_with_none(&compare(&format!("{a}\n{b}"))));
    let wrong = |keys: &str, at: &str, parts: &[&str]| one(&compare(keys), &[], at, parts);
    wrong(
        &format!("{a}\nb = {{ algorithm = \"chain\" }}"),
        "\"chain\"",
        &["`algorithm` is never `chain` in the sweep"],
    );
    wrong(&format!("{a}\nb = {{ algorithm = \"linear\" }}"), "[[compare]]", &["`a` and `b` are the same"]);
    wrong(&format!("{a}\nb = {{ size = \"1KiB\" }}"), "[[compare]]", &["values to different keys"]);
    wrong(&format!("{a}\n{b}\nwhere = {{ algorithm = \"linear\" }}"), "\"linear\"", &["is what is compared"]);
    let several = "[\"linear\", \"binomial\"]";
    wrong(&format!("{a}\nb = {{ algorithm = {several} }}"), several, &["takes one value here"]);
    let unknown = compare(&format!("{a}\n{b}")).replacen(
        "[[compare]]\nmetric = \"completion_s\"",
        "[[compare]]\nmetric = \"speed\"",
        1,
    );
    one(&unknown, &[], "\"speed\"", &["there is no metric `speed`"]);
    let output = |keys: &str| format!("{GOOD}\n[output]\n{keys}\n");
    one(&output("quantiles = [0.5, 1.0]"), &[], "1.0", &["a quantile lies between 0 and 1"]);
    one(&output("quantiles = [0.5, 0.50]"), &[], "0.50", &["the quantile 0.5 is there already"]);
    let guess = output("interval = { method = \"guess\" }");
    one(&guess, &[], "\"guess\"", &["`guess` is not a value of `method`", "student"]);
}

/// Whether nothing is wrong.
fn problems_with_none(text: &str) -> bool {
    try_read(text).is_ok()
}

/// A span that the parser gives in the middle of a character underlines all of it.
#[test]
fn what_is_underlined_is_whole_characters() {
    for (text, at) in [("é\n", "é"), ("版本 = 1\n", "版本"), ("version = 1\nname = 'é", "é"), ("a = 1 é\n", "1 é")]
    {
        let problems = problems_with(text, &[], &[]);
        let report = &problems.reports()[0];
        assert_eq!(report.at_fault(), Some(at), "{text:?}: {}", problems.shown(false));
        assert!(problems.shown(false).contains(text.lines().last().unwrap_or_default()), "{}", problems.shown(false));
    }
}

/// Of many problems the first hundred are told, in a time that grows with their number only, and the rest counted.
#[test]
fn many_problems_are_counted() {
    let keys = (0..8000).map(|number| format!("unknown_{number} = 1\n")).collect::<Vec<_>>().concat();
    let problems = problems_with(&after("[workload]", &keys), &[], &[]);
    let (last, told) = problems.reports().split_last().expect("there are problems");
    assert_eq!((told.len(), last.message()), (100, "… and 7900 more problems"));
    assert_eq!(told[99].place(), Some(("test.toml", 119, 1)));
    assert!(told[99].message().contains("unknown key `unknown_99` in `workload`"));
    let shown = problems.shown(false);
    assert!(shown.ends_with("8000 problems; nothing was run") && shown.len() < 100_000, "{} bytes", shown.len());
    assert!(problems.to_string().ends_with("\n… and 7900 more problems"));
}

/// A text of a million letters is told in a few lines, with the place where it stands.
#[test]
fn long_texts_are_shortened() {
    let long = "é".repeat(500_000);
    let check = |text: &str, place: (usize, usize), parts: &[&str]| {
        let problems = problems_with(text, &[], &[]);
        let report = &problems.reports()[0];
        assert_eq!(report.place(), Some(("test.toml", place.0, place.1)));
        let shown = problems.shown(false);
        assert!(shown.len() < 8000, "{} bytes", shown.len());
        for part in [format!("[test.toml:{}:{}]", place.0, place.1).as_str()].iter().chain(parts) {
            assert!(shown.contains(part), "`{part}` should be in\n{shown}");
        }
        // What is underlined stands below what is at fault.
        let lines: Vec<&str> = shown.lines().collect();
        let mark = lines.iter().position(|line| line.trim_start().starts_with('·')).expect("it is underlined");
        let column = lines[mark].chars().position(|c| "─┬▲".contains(c)).expect("a mark");
        lines[mark - 1].chars().skip(column).take(3).collect::<String>()
    };
    let key = format!("\"{long}\"");
    assert_eq!(
        check(&after("[workload]", &format!("{key} = 1")), (20, 1), &["unknown key", " …", "é` in `workload`"]),
        "\"éé"
    );
    assert_eq!(
        check(&with("\"linear\", \"binomial\"", &format!("'{long}', \"binomial\"")), (27, 25), &["27 │", "…"]),
        "'éé"
    );
    // After a long value, the place is still the right one.
    let swept = format!("\"workload.algorithm\" = ['{long}', 7]");
    let text = with("\"workload.algorithm\" = [\"linear\", \"binomial\"]", &swept);
    let problems = problems_with(&text, &[], &[]);
    assert!(problems.shown(false).len() < 8000);
    assert_eq!(problems.reports()[1].place(), Some(("test.toml", 27, 500_029)));
    assert!(problems.shown(false).contains("éé', 7]"), "{}", problems.shown(false));
    // A table of many lines is underlined in the first one.
    let rows = "  \"linear\",\n".repeat(1000);
    let text = with("between = [\"north\", \"south\"]", &format!("between = [\n{rows}]"));
    let problems = problems_with(&text, &[], &[]);
    assert!(problems.shown(false).lines().count() < 20, "{}", problems.shown(false));
}
