//! Platforms: clusters, links, what varies over time, faults, speeds and power.

use std::path::Path;

use super::{GOOD, after, one, problems_with, problems_with_none, rendered, with};
use crate::support::{try_read, try_read_in};

#[test]
fn clusters_without_nodes() {
    one(&with("nodes = 4", "nodes = 0"), &[], "0", &["`nodes` must be at least 1"]);
    let none =
        "version = 1\n[platform.cluster]\n[workload]\nkind = \"broadcast\"\nsize = \"1B\"\nalgorithm = \"linear\"\n";
    one(none, &[], "[platform.cluster]", &["a platform needs at least one cluster"]);
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
    one(&file, &m("# a\n,north,south\n# b\nnorth,,5\nsouth,1ms,\n"), "\"m.csv\"", &["line 4, from `north` to `south`"]);
    one(&file, &[("m.csv", b"\xff\xfe,north\n")], "\"m.csv\"", &["m.csv, line 1: this row is not UTF-8 text"]);
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
    for header in ["value,time_s", "time_ms,value", "time_s,value,node"] {
        let content = format!("{header}\n0,1\n");
        let wanted = format!("t.csv, line 1: the header is `time_s,value` if there is one, not `{header}`");
        one(&file, &[("t.csv", content.as_bytes())], at, &[&wanted]);
    }
    one(&file, &t("0,1\n2,0.5\n1,1\n"), at, &["t.csv, line 3: the times must rise"]);
    one(&file, &t("time_s,value\n0,1\n0,0.5\n"), at, &["t.csv, line 3: the times must rise"]);
    one(&file, &t("# a\n\n0,1\n# b\n\n1,half\n2,1\n"), at, &["t.csv, line 6: `half` is not a number"]);
    one(&file, &t("0,1\r\n1,half\r\n2,1\r\n"), at, &["t.csv, line 2: `half` is not a number"]);
    one(&file, &t("0,1\n1,half\n"), at, &["t.csv, line 2: `half` is not a number"]);
    one(&file, &t("0,full\n1,1\n"), at, &["t.csv, line 1: `full` is not a number"]);
    one(&file, &t("0,1\n1,0.5,7\n"), at, &["t.csv, line 2: a line has two numbers"]);
    one(&file, &t("0,1\n-1,0.5\n"), at, &["line 2: time and value must be zero or more, and finite"]);
    one(&file, &t("0,1\n1,inf\n"), at, &["line 2: time and value must be zero or more, and finite"]);
    let endless = load("{ kind = \"constant\", tasks = 1, quantum = \"1e9s\" }");
    one(&endless, &[], "\"1e9s\"", &["`quantum` is too long: a round of all tasks ends beyond the clock"]);
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
    one(&load(short), &[], "\"2s\"", &["`busy` must be shorter than `period`"]);
    let standing = "{ kind = \"periodic\", tasks = 1, period = \"0s\", busy = \"2s\" }";
    one(&load(standing), &[], "\"0s\"", &["`period` must be above zero"]);
    let never = "{ kind = \"random\", tasks = 1, mean_idle = \"0s\", mean_busy = \"1s\" }";
    one(&load(never), &[], "\"0s\"", &["`mean_idle` must be above zero"]);
    let nodes = |list: &str| {
        after("nodes = 4", &format!("load = [{{ nodes = {list}, profile = {{ kind = \"constant\", tasks = 1 }} }}]"))
    };
    one(&nodes("[0, 4]"), &[], "[0, 4]", &["there is no node 4: the cluster's nodes are 0 to 3"]);
    one(&nodes("[2, 1, 2]"), &[], "[2, 1, 2]", &["node 2 is named twice"]);
    one(&nodes("[]"), &[], "[]", &["no node is named", "all are meant without `nodes`"]);
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
    one(&text, &[("p.toml", b"\xff\xfe")], "\"p.toml\"", &["p.toml is UTF-16 text: save it as UTF-8"]);
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
    one(&good, &[], "cluster", &["this is the file of a platform", "takes it in by [platform] include"]);
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

/// Factors by message size.
#[test]
fn factors_of_the_transport() {
    let factor =
        |table: &str| after("question = \"which?\"", &format!("[platform.transport]\nlatency_factor = {table}"));
    let wrong = |table: &str, message: &str| one(&factor(table), &[], table, &[message]);
    wrong("{ \"1kB\" = 2, \"1000B\" = 3 }", "the size 1kB is given twice");
    wrong("{ \"1kB\" = 0 }", "`latency_factor` must be above zero");
    one(&factor("{ \"1 lightyear\" = 2 }"), &[], "\"1 lightyear\"", &["lightyear"]);
    one(&factor("{ \"1kB\" = \"2\" }"), &[], "\"2\"", &["number"]);
}
