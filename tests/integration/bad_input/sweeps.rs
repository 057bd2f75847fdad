//! Sweeps, designs and replicas.

use std::fmt::Write as _;

use super::{File, GOOD, after, one, problems_with_none, with};

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
    let whole =
        |key: &str, paths: &str| one(&sweep(&format!("{key} = [1, 2]")), &[], key, &["by its whole path", paths]);
    whole("size", "\"workload.size\"");
    whole("nodes", "\"platform.cluster.north.nodes\" or \"platform.cluster.south.nodes\"");
    whole("\"north.network.latency\"", "\"platform.cluster.north.network.latency\"");
    one(&sweep("\"workload.root\" = 1"), &[], "1", &["`workload.root` needs several values", "{ from, to, steps }"]);
    one(&sweep("\"workload.root\" = []"), &[], "[]", &["`workload.root` has no values"]);
    one(&sweep("\"workload.candidates\" = {}"), &[], "{}", &["`workload.candidates` has no values"]);
    one(&sweep("\"workload.root\" = [0, \"one\"]"), &[], "\"one\"", &["`root` must be a whole number"]);
    one(&sweep("\"platform.cluster.north.nodes\" = [0, 4]"), &[], "0", &["`nodes` must be at least 1"]);
    one(&sweep("\"platform.link.1.jitter\" = [0.1]"), &[], "0.1", &["the list has no item 1"]);
    let tasks = "\"platform.cluster.north.load.0.profile.tasks\"";
    one(
        &sweep(&format!("{tasks} = [1, 2]")),
        &[],
        tasks,
        &["the list `platform.cluster.north.load` has no entries here"],
    );
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
    let twice = "[[\"workload.root\"], [\"workload.size\", \"workload.root\"]]";
    one(
        &zip(&twice.replace("workload.size", "workload.algorithm")).replace("[0, 1, 2]", "[0, 1]"),
        &[],
        "\"workload.root\"",
        &["`zip` names `workload.root` twice"],
    );
    one(
        &range("{ from = 0.5, to = 3, steps = 2 }"),
        &[],
        "{ from = 0.5, to = 3, steps = 2 }",
        &["a range of whole numbers starts and ends at one"],
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
    let reversed = "{ from = 3, to = 2 }";
    let why = "the range has `from` above `to`";
    one(&design(random, &format!("\"workload.root\" = {reversed}")), &[], reversed, &[why]);
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
