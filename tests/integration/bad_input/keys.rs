//! Keys that are unknown, missing or of another type.

use std::path::Path;

use super::{File, GOOD, after, one, problems_with, rendered, with};
use crate::support::try_read_in;

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

#[test]
fn keys_of_another_table_say_which() {
    let at = |from: &str, more: &str, key: &str, whose: &str| {
        one(&after(from, more), &[], key, &[&format!("unknown key `{key}`"), whose]);
    };
    at("nodes = 4", "latency = \"20us\"", "latency", "`latency` is a key of `platform.cluster.north.network`");
    at("root = 0", "seed = 1", "seed", "`seed` is a key of the scenario itself, above its first table");
    one(
        &with("gap = \"5us\"", "gap = \"5us\", jitter = 0.1"),
        &[],
        "jitter",
        &["`jitter` is a key of `platform.cluster.south`"],
    );
    let platform = |key: &str| with("[platform.between]", &format!("[platform]\n{key}\n[platform.between]"));
    one(&platform("nodes = 4"), &[], "nodes", &["`nodes` is a key of `platform.cluster.NAME`"]);
    let network = platform("network = { model = \"ideal\" }");
    one(&network, &[], "network", &["`network` is a key of `platform.cluster.NAME` and of `platform.between`"]);
    let between = "[between]\nnetwork = { model = \"ideal\" }\n[platform.between]";
    one(&with("[platform.between]", between), &[], "between", &["`between` is a key of `platform`"]);
    let farm = format!(
        "version = 1\n{LONE}[workload]\nkind = \"independent\"\ntasks = 8\npolicy = \"guided\"\n\
         task = {{ distribution = \"constant\", operations = \"1Mop\" }}\n"
    );
    one(&farm.replace("policy", "task_size"), &[], "task_size", &["`task_size` is a key of `workload.farm`"]);
    one(&farm, &[], "policy", &["unknown key `policy`", "`policy` is a key of `workload.farm`", "expected one of: "]);
    // What is misspelt is still told.
    at("root = 0", "sizes = \"1KiB\"", "sizes", "did you mean `size`?");
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
fn several_values_are_for_a_sweep() {
    let said = |key: &str, list: &str| format!("add: [sweep] \"{key}\" = {list}");
    let nodes = said("platform.cluster.north.nodes", "[8, 16]");
    one(&with("nodes = 4", "nodes = [8, 16]"), &[], "[8, 16]", &["`nodes` must be a whole number", &nodes]);
    let algorithm = with("algorithm = \"binomial\"\nroot", "algorithm = [\"binomial\", \"linear\"]\nroot");
    let swept = said("workload.algorithm", "[\"binomial\", \"linear\"]");
    one(&algorithm, &[], "[\"binomial\", \"linear\"]", &["`algorithm` must be", "for several values keep one", &swept]);
    let long = format!("[{}]", ["1"; 40].join(", "));
    one(&with("nodes = 4", &format!("nodes = {long}")), &[], &long, &[&said("platform.cluster.north.nodes", "[…]")]);
    // Where the table has a key for a list, both are told.
    let several = ["one value for each: `speeds`", &said("platform.cluster.north.speed", "[\"1Gop/s\"]")];
    one(&after("nodes = 4", "speed = [\"1Gop/s\"]"), &[], "[\"1Gop/s\"]", &several);
    let single = ["`speeds` must be an array", "one value for all: `speed`"];
    one(&after("nodes = 4", "speeds = \"1Gop/s\""), &[], "\"1Gop/s\"", &single);
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

/// Where ranks are is a file's matter; several files are a sweep's.
#[test]
fn a_list_in_place_of_a_file_says_what_the_file_holds() {
    let hosts =
        |list: &str| format!("version = 1\n{LONE}[workload]\nkind = \"replay\"\ntrace = \"t.txt\"\nhosts = {list}\n");
    let trace: File<'_> = ("t.txt", b"0 compute 1000\n");
    let what = ["`hosts` must be the name of a file", "hosts: Instead: a file with a line for each rank"];
    one(&hosts("[0, 1]"), &[trace], "[0, 1]", &what);
    let several = "add: [sweep] \"workload.hosts\" = [\"a.txt\", \"b.txt\"]";
    one(&hosts("[\"a.txt\", \"b.txt\"]"), &[trace], "[\"a.txt\", \"b.txt\"]", &[several]);
}
