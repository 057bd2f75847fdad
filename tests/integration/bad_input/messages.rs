//! How mistakes are told: all at once, as people see them, at their places, and counted where they are many.

use std::fs;
use std::path::{Path, PathBuf};

use hetsim::report::spec::NOTATION;
use hetsim::scenario::{Scenario, Source};
use tempfile::TempDir;

use super::{File, GOOD, after, one, problems_with, rendered, underlined, with};
use crate::support::{self, try_read_in};

#[test]
fn the_scenario_is_good() {
    let scenario = try_read_in(Path::new("."), GOOD, &[]).unwrap_or_else(|problems| panic!("{}", rendered(&problems)));
    assert_eq!(scenario.runs(), 4);
    for point in 0..4 {
        scenario.run(point, 0).expect("a run");
    }
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
    write("pings.csv", b"bytes,half_rtt_us\n1,2\n1000,4\n");
    write("matrix.csv", b"a,b\n0,1\n3,0\n");
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
        (&["advise", "good.toml", "--out", "/proc/nothing"], "cannot be created"),
        (&["measure", "pings.csv", "--out", "/proc/nothing"], "cannot be created"),
        (&["partition", "matrix.csv", "--out", "/proc/nothing"], "cannot be created"),
        (&["good.toml", "--jobs", "0"], "'0' for '--jobs <N>': expected a whole number of at least 1"),
        (&["good.toml", "--seed", "abc"], "'abc' for '--seed <N>': expected a whole number, 0 or more"),
        (&["validate", "pings.csv", "--seed", "1.5"], "'1.5' for '--seed <N>': expected a whole number, 0 or more"),
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
    // Lines are broken at blanks, hyphens and slashes.
    let joined = said.replace([' ', '\n', '│'], "");
    assert!(joined.contains("output/sameholdstheresultsof/") && joined.contains("/one/same.toml;"), "{said}");
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
