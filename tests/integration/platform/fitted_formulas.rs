//! Fitted formulas in scenarios: as the network, beside a simulated operation, and in the place of one.

use std::fs;
use std::path::Path;

use hetsim::batch::identity::RunId;
use hetsim::communication::Operation;
use hetsim::record::{Record, Value};
use hetsim::scenario::Scenario;
use predicates::prelude::*;
use predicates::str::contains;
use tempfile::TempDir;

use crate::support::{metric, read_in, try_read_in, typed};

/// A formula's file over the bytes, or over the ranks and the bytes.
fn formula(text: &str, variables: &[&str]) -> String {
    let variable = |name: &&str| format!("[[variable]]\nname = \"{name}\"\nleast = 2\ngreatest = 4096\n");
    let variables: String = variables.iter().map(variable).collect();
    format!("target = \"time_us\"\nformula = \"{text}\"\n{variables}")
}

/// A folder with a line (Hockney's model with 50 µs and 1 Gbit/s), a formula that falls below zero under 100 bytes, and
/// formulas of two variables.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in [
        ("line.toml", formula("50 + 0.008*bytes", &["bytes"])),
        ("falling.toml", formula("bytes - 100", &["bytes"])),
        ("two.toml", formula("10*p + 0.5*bytes", &["p", "bytes"])),
        ("other.toml", formula("10*q + 0.5*bytes", &["q", "bytes"])),
        ("unitless.toml", formula("bytes", &["bytes"]).replace("time_us", "time")),
        ("broken.toml", formula("50 + 0.008*byts", &["bytes"])),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn text(nodes: u32, network: &str, workload: &str) -> String {
    format!(
        "version = 1\n[platform.cluster.lab]\nnodes = {nodes}\nspeed = \"1Gop/s\"\nnetwork = {{ {network} }}\n\
         [workload]\n{workload}\n"
    )
}

const LINE: &str = "model = { fitted = \"line.toml\" }";
const HOCKNEY: &str = "model = \"hockney\", latency = \"50us\", bandwidth = \"1Gbit/s\"";
const ALL_REDUCE: &str =
    "kind = \"collective\"\noperation = \"all_reduce\"\nalgorithm = \"recursive_doubling\"\nsize = \"1kB\"";

fn try_read(folder: &Path, text: &str, overrides: &[&str]) -> Result<Scenario, String> {
    try_read_in(folder, text, overrides).map_err(|problems| problems.to_string())
}

#[track_caller]
fn run(folder: &TempDir, text: &str) -> Record {
    read_in(folder, text).run(0, 0).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// α and β are whole ticks, so the formula's one rounding is as good as Hockney's two.
#[test]
fn a_line_is_hockney_s_model_for_every_broadcast() {
    let folder = folder();
    for algorithm in Operation::Broadcast.algorithms() {
        for (nodes, bytes) in [(2, 64), (7, 1000), (16, 4096)] {
            let workload =
                format!("kind = \"broadcast\"\nalgorithm = \"{algorithm}\"\nsize = \"{bytes}B\"\nsegment = \"512B\"");
            let ours = run(&folder, &text(nodes, LINE, &workload));
            let hockney = run(&folder, &text(nodes, HOCKNEY, &workload));
            assert_eq!(ours.metrics, hockney.metrics, "{algorithm} among {nodes}, {bytes} B");
        }
    }
}

/// However the formula is named, and wherever: the same runs under the same names.
#[test]
fn all_forms_are_one() {
    let folder = folder();
    let house = "model = \"fitted\", formula = \"line.toml\"";
    let short = read_in(&folder, &text(8, LINE, ALL_REDUCE));
    let plain = read_in(&folder, &text(8, house, ALL_REDUCE));
    assert_eq!(RunId::of(&short, 0, 0), RunId::of(&plain, 0, 0));
    let set = try_read(
        folder.path(),
        &text(8, HOCKNEY, ALL_REDUCE),
        &["platform.cluster.lab.network={ model = { fitted = \"line.toml\" } }"],
    );
    // What is set from the command line names files from where the command runs.
    assert!(set.unwrap_err().contains("line.toml"));
    // Included, the file is looked for beside the platform.
    let platforms = folder.path().join("platforms");
    fs::create_dir(&platforms).unwrap();
    fs::copy(folder.path().join("line.toml"), platforms.join("own.toml")).unwrap();
    let keys = "model = { fitted = \"own.toml\" }";
    let platform = format!("[cluster.lab]\nnodes = 8\nspeed = \"1Gop/s\"\nnetwork = {{ {keys} }}\n");
    fs::write(platforms.join("lab.toml"), platform).unwrap();
    let included = format!("version = 1\n[platform]\ninclude = \"platforms/lab.toml\"\n[workload]\n{ALL_REDUCE}\n");
    let included = read_in(&folder, &included);
    assert_eq!(RunId::of(&included, 0, 0), RunId::of(&plain, 0, 0));
    // The resolved form runs elsewhere.
    let resolved = included.resolved().unwrap();
    let elsewhere = TempDir::new().unwrap();
    assert_eq!(RunId::of(&read_in(&elsewhere, &resolved), 0, 0), RunId::of(&plain, 0, 0));
    // What the file holds counts, not its name.
    fs::write(folder.path().join("line.toml"), formula("50 + 0.009*bytes", &["bytes"])).unwrap();
    assert_ne!(RunId::of(&read_in(&folder, &text(8, LINE, ALL_REDUCE)), 0, 0), RunId::of(&plain, 0, 0));
}

#[test]
fn links_levels_and_sweeps() {
    let folder = folder();
    let inside = "network = { model = \"ideal\" }";
    let clusters = format!(
        "version = 1\n[platform.cluster.a]\nnodes = 4\n{inside}\n\
         [[platform.cluster.a.level]]\nsize = 2\nnetwork = {{ {LINE} }}\n\
         [platform.cluster.b]\nnodes = 1\n{inside}\n[platform.cluster.c]\nnodes = 1\n{inside}\n\
         [platform.between]\nnetwork = {{ {LINE} }}\n\
         [[platform.link]]\nbetween = [\"a\", \"c\"]\nnetwork = {{ formula = \"two.toml\", values = {{ p = 6 }} }}\n\
         [workload]\nkind = \"broadcast\"\nsize = \"1kB\"\nalgorithm = \"linear\"\n"
    );
    let scenario = read_in(&folder, &clusters);
    let hop = |from, to| {
        let platform = scenario.first_platform().unwrap();
        let node = hetsim::cluster::NodeId;
        platform.tick().seconds(platform.transfer(node(from), node(to), 1000).hop())
    };
    assert_eq!([hop(0, 1), hop(0, 2), hop(0, 4), hop(0, 5)], [58e-6, 0.0, 58e-6, 560e-6]);

    let swept = text(2, HOCKNEY, "kind = \"broadcast\"\nsize = \"1kB\"\nalgorithm = \"linear\"");
    let swept = format!(
        "{swept}[sweep.\"platform.cluster.lab.network\"]\nline = {{ {LINE} }}\n\
         two = {{ model = {{ fitted = \"two.toml\", values = {{ p = 2 }} }} }}\n"
    );
    let scenario = read_in(&folder, &swept);
    let seconds = |point| metric(&scenario.run(point, 0).unwrap(), "completion_s");
    assert_eq!((seconds(0), seconds(1)), (58e-6, 520e-6));
    let file = text(2, LINE, "kind = \"broadcast\"\nsize = \"1kB\"\nalgorithm = \"linear\"");
    let file = format!("{file}[sweep]\n\"platform.cluster.lab.network.formula\" = [\"line.toml\", \"falling.toml\"]\n");
    let scenario = read_in(&folder, &file);
    assert_eq!(metric(&scenario.run(1, 0).unwrap(), "completion_s"), 900e-6);
    assert_ne!(RunId::of(&scenario, 0, 0), RunId::of(&scenario, 1, 0));
}

#[test]
fn what_the_network_can_t_supply_is_said_at_its_place() {
    let folder = folder();
    for (network, part) in [
        ("model = { fitted = \"none.toml\" }", "there is no file `none.toml`"),
        ("model = { fitted = \"broken.toml\" }", "broken.toml: the formula can't be read"),
        ("model = { fitted = \"test.toml\" }", "no file"),
        ("model = { fitted = \"two.toml\" }", "depends on `p`, which is not known here"),
        (
            "model = { fitted = \"two.toml\", values = { q = 1 } }",
            "no variable `q` in the formula; there are: p, bytes",
        ),
        ("model = { fitted = \"two.toml\", size = \"length\" }", "no variable `length`"),
        ("model = { fitted = \"two.toml\", values = { p = 2, bytes = 3 } }", "take it out of `values`"),
        ("model = { fitted = \"unitless.toml\" }", "does not say its unit"),
        ("model = { fitted = \"line.toml\", latency = \"1us\" }", "unknown key `latency`"),
        ("model = { formula = \"line.toml\" }", "`model` must be one of"),
        ("model = \"fitted\"", "`formula` is missing"),
    ] {
        let error = try_read(folder.path(), &text(2, network, ALL_REDUCE), &[]).expect_err(network);
        assert!(error.contains(part), "`{part}` should be in {error}");
    }
    let named = "model = { fitted = \"two.toml\", values = { p = 2 }, size = \"bytes\" }";
    assert_eq!(metric(&run(&folder, &text(2, named, ALL_REDUCE)), "completion_s"), 520e-6);
    let unit = "model = { fitted = \"unitless.toml\", unit = \"ns\" }";
    assert_eq!(metric(&run(&folder, &text(2, unit, ALL_REDUCE)), "completion_s"), 1e-6);
}

#[test]
fn no_time_for_a_message_ends_the_run() {
    let folder = folder();
    let falling = "model = { fitted = \"falling.toml\" }";
    // A pipeline's last segment is below 100 bytes, which shows in the run only.
    let pipeline = "kind = \"broadcast\"\nsize = \"1050B\"\nalgorithm = \"pipeline\"\nsegment = \"500B\"";
    fs::write(folder.path().join("a.toml"), text(4, falling, pipeline)).unwrap();
    typed(&folder, "check a.toml").assert().success().stdout(contains(" none "));
    typed(&folder, "run a.toml")
        .assert()
        .code(1)
        .stderr(contains("a message of 50 B from node 0 to node 1 can't be sent").and(contains("-0.00005 s")));
    // Plans of collectives are known beforehand.
    fs::write(folder.path().join("b.toml"), text(4, falling, &ALL_REDUCE.replace("1kB", "99B"))).unwrap();
    typed(&folder, "check b.toml").assert().code(2).stderr(contains("99 B").and(contains("b.toml:")));
    let phases = "kind = \"phases\"\n[[workload.phase]]\ncollective = { operation = \"barrier\" }";
    fs::write(folder.path().join("c.toml"), text(4, falling, phases)).unwrap();
    typed(&folder, "check c.toml").assert().code(2).stderr(contains("a message of 0 B"));
    let refuse = "model = { fitted = \"line.toml\", beyond = \"refuse\" }";
    fs::write(folder.path().join("d.toml"), text(4, refuse, &ALL_REDUCE.replace("1kB", "5kB"))).unwrap();
    typed(&folder, "check d.toml").assert().code(2).stderr(contains("holds from 2 to 4096 B"));
}

#[test]
fn sizes_beyond_the_data_are_warned_of_once() {
    let folder = folder();
    let swept =
        format!("{}[sweep]\n\"workload.size\" = [\"4kB\", \"5kB\", \"6kB\", \"7kB\"]\n", text(4, LINE, ALL_REDUCE));
    fs::write(folder.path().join("a.toml"), swept).unwrap();
    let run = typed(&folder, "run a.toml").assert().success();
    let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert_eq!(said.matches("fitted to sizes from 2 to 4096").count(), 1, "{said}");
    fs::write(folder.path().join("b.toml"), text(4, LINE, ALL_REDUCE)).unwrap();
    typed(&folder, "run b.toml").assert().success().stderr(contains("fitted to sizes").not());
}

#[test]
fn a_formula_beside_an_operation() {
    let folder = folder();
    // 10·4 + 0.5·1000 µs by the formula; two rounds of 58 µs simulated.
    let with = run(&folder, &text(4, LINE, &format!("{ALL_REDUCE}\nfitted = \"two.toml\"")));
    assert_eq!((metric(&with, "fitted_s"), metric(&with, "completion_s")), (540e-6, 116e-6));
    assert!((metric(&with, "fitted_error_percent") - 100.0 * (540.0 / 116.0 - 1.0)).abs() < 1e-9);
    let without = run(&folder, &text(4, LINE, ALL_REDUCE));
    assert_eq!(without.get("fitted_s"), Some(&Value::Blank));
    assert_eq!(without.get("fitted_error_percent"), Some(&Value::Blank));
    let broadcast = "kind = \"broadcast\"\nsize = \"1kB\"\nalgorithm = \"binomial\"\n\
                     fitted = { formula = \"other.toml\", ranks = \"q\", unit = \"ms\" }";
    assert_eq!(metric(&run(&folder, &text(4, LINE, broadcast)), "fitted_s"), 0.54);
    for (fitted, part) in [
        ("\"other.toml\"", "depends on `q`"),
        ("{ formula = \"other.toml\", values = { p = 2 } }", "no variable `p`"),
        ("{ formula = \"falling.toml\", values = { bytes = 1 } }", "gives -99, which is no time, for 4 ranks"),
        ("{ formula = \"two.toml\", beyond = \"refuse\" }", "fitted to sizes from 2 to 4096, not to 5000"),
        ("\"none.toml\"", "no file"),
        ("3", "must be the name of a file or a table"),
    ] {
        let size = if fitted.contains("refuse") { "5kB" } else { "1kB" };
        let workload = format!("{}\nfitted = {fitted}", ALL_REDUCE.replace("1kB", size));
        let error = try_read(folder.path(), &text(4, LINE, &workload), &[]).expect_err(fitted);
        assert!(error.contains(part), "`{part}` should be in {error}");
    }
}

/// Every rank waits for the slowest, then all take the formula's time.
#[test]
fn a_formula_in_the_place_of_a_phase() {
    let folder = folder();
    let phases = "kind = \"phases\"\n[output]\ntables = [\"phases\"]\n[[workload.phase]]\nrepeat = 3\n\
                  [[workload.phase.phase]]\ncompute = \"1Mop\"\n\
                  [[workload.phase.phase]]\ncollective = { operation = \"all_reduce\", size = \"1kB\", fitted = \"two.toml\" }";
    let slow = text(4, LINE, phases)
        .replace("speed =", "speeds = [\"1Gop/s\", \"1Gop/s\", \"1Gop/s\", \"500Mop/s\"]\nspeed =");
    let record = run(&folder, &slow);
    // Three times 2 ms of the slowest node and 10·4 + 0.5·1000 µs.
    assert_eq!(metric(&record, "completion_s"), 7.62e-3);
    assert_eq!(metric(&record, "messages"), 0.0);
    let rows = &record.tables[0].rows;
    assert_eq!(rows[1][1], Value::from("all_reduce"));
    // The least time is the slowest node's, the most those of the others, which wait for it.
    let number = |column: usize| rows[1][column].number().unwrap();
    assert!((number(4) - 3.0 * 0.54e-3).abs() < 1e-12 && (number(5) - 3.0 * 1.54e-3).abs() < 1e-12, "{rows:?}");
    for (more, part) in [("algorithm = \"ring\"", "no algorithm is carried out"), ("root = 1", "whatever the root")] {
        let text = slow.replace("size = \"1kB\",", &format!("size = \"1kB\", {more},"));
        let error = try_read(folder.path(), &text, &[]).expect_err(more);
        assert!(error.contains(part), "`{part}` should be in {error}");
    }
    let other = slow.replace("two.toml", "other.toml");
    assert!(try_read(folder.path(), &other, &[]).unwrap_err().contains("depends on `q`"));
}
