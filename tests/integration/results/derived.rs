//! Derived metrics, comparisons and expectations over replicas: what is made of values that only some replicas have, that
//! differ by rounding, or that are names.

use std::fs;

use tempfile::TempDir;

use crate::support::{here, hetsim, printed};

/// A farm whose tasks are drawn, by two policies and two numbers of tasks.
const FARM: &str = r#"version = 1
seed = 3
[platform.cluster]
server = { nodes = 1, network = { model = "ideal" } }
workers = { nodes = 3, speeds = ["1Gop/s", "2Gop/s", "4Gop/s"], network = { model = "ideal" } }
[platform.between]
network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }
[workload]
kind = "independent"
tasks = 20
task = { distribution = "gamma", mean = "400Mop", deviation = "120Mop" }
[sweep]
"workload.farm.policy" = ["guided", "static_nominal"]
"workload.tasks" = [5, 40]
"#;

/// What a scenario says, and the folder that holds its results.
#[track_caller]
fn run(text: &str) -> (String, TempDir) {
    let folder = here(&[("it.toml", text)]);
    (printed(hetsim(&folder).arg("it.toml")), folder)
}

/// The rows of a CSV file, as the cells of these columns.
fn rows(folder: &TempDir, file: &str, columns: &[&str]) -> Vec<Vec<String>> {
    let text = fs::read_to_string(folder.path().join("output/it").join(file)).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let heads = reader.headers().unwrap().clone();
    let places: Vec<usize> = columns
        .iter()
        .map(|name| heads.iter().position(|head| head == *name).unwrap_or_else(|| panic!("{name}")))
        .collect();
    reader.records().map(|record| places.iter().map(|&at| record.as_ref().unwrap()[at].to_owned()).collect()).collect()
}

/// A mean over a key is the same at all of its points, even where one of them has more replicas than the other.
#[test]
fn replicas_that_only_some_points_have_are_left_out() {
    let derived = "[[derive]]\nname = \"middle\"\nhow = \"mean\"\nmetric = \"completion_s\"\nover = \"tasks\"\n";
    let until = "replicas = { until = { metric = \"completion_s\", half_width = \"4%\" }, max = 300 }\n";
    let (_, folder) = run(&format!("{until}{FARM}{derived}"));
    let columns = ["policy", "tasks", "n", "middle_mean"];
    let rows = rows(&folder, "summary.csv", &columns);
    let of = |policy: &str| rows.iter().filter(|row| row[0] == policy).cloned().collect::<Vec<_>>();
    for policy in ["guided", "static_nominal"] {
        let [few, many] = &of(policy)[..] else { panic!("{rows:?}") };
        assert_ne!(few[2], many[2], "the points should need different numbers of replicas");
        assert_eq!(few[3], many[3], "{rows:?}");
    }
}

/// Morris's effects of a whole number are over the whole of its range, whatever the coordinates behind its values.
#[test]
fn effects_are_by_what_a_key_moved() {
    let farm = FARM.split("[sweep]").next().unwrap();
    let design = "[sweep]\ndesign = { kind = \"morris\", trajectories = 10 }\n\"workload.rounds\" = { from = 1, to = 3 }\n\
        \"workload.farm.policy\" = { among = [\"guided\", \"static_nominal\"] }\n\
        [[derive]]\nname = \"tenfold\"\nhow = \"formula\"\nformula = \"10 * rounds\"\n[[sensitivity]]\nmetric = \"tenfold\"\n";
    let (_, folder) = run(&format!("{farm}{design}"));
    let effects = rows(&folder, "sensitivity.csv", &["parameter", "mu_star", "sigma"]);
    assert_eq!(effects, [["rounds", "20", "0"], ["policy", "0", "0"]]);
}

/// A difference that is the same in every replica, but for roundings, has no test.
#[test]
fn roundings_are_no_spread() {
    // Static shares have no chunks.
    let more = "\"workload.farm.chunk\" = [1, 2]\n\
        [[derive]]\nname = \"more\"\nhow = \"formula\"\nformula = \"completion_s + chunk / 3\"\n\
        [[compare]]\nmetric = \"more\"\na = { chunk = 2 }\nb = { chunk = 1 }\nwhere = { policy = \"static_nominal\" }\n";
    let (said, folder) = run(&format!("replicas = 12\n{FARM}{more}"));
    for row in rows(&folder, "compare.csv", &["difference", "t", "effect"]) {
        assert!((row[0].parse::<f64>().unwrap() - 1.0 / 3.0).abs() < 1e-9, "{said}");
        assert_eq!((row[1].as_str(), row[2].as_str()), ("", ""), "{said}");
    }
}

/// A share of all replicas is one number, and makes no pairs.
#[test]
fn a_share_is_not_compared_in_pairs() {
    let more = "[[derive]]\nname = \"early\"\nhow = \"quantile\"\nmetric = \"completion_s\"\nof = \"1s\"\n\
        [[compare]]\nmetric = \"early\"\na = { policy = \"guided\" }\nb = { policy = \"static_nominal\" }\n";
    let folder = here(&[("it.toml", &format!("replicas = 3\n{FARM}{more}"))]);
    let refused = hetsim(&folder).args(["check", "it.toml"]).assert().code(2);
    let said = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
    assert!(said.contains("`early` is one share of all replicas"), "{said}");
}

/// A comparison that no replica can answer says so, and a number of a formula has a name of its own.
#[test]
fn what_cannot_be_answered_is_said() {
    let more = "[[derive]]\nname = \"first\"\nhow = \"formula\"\nformula = \"completion_s / (tasks - tasks)\"\n\
        [[compare]]\nmetric = \"first\"\na = { policy = \"guided\" }\nb = { policy = \"static_nominal\" }\n";
    let (said, _folder) = run(&format!("replicas = 3\n{FARM}{more}"));
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("No replica has `first` with both guided and static_nominal"), "{said}");
    for name in ["completion_s", "tasks", "nodes"] {
        let values = more.replace("[[compare]]", &format!("values = {{ {name} = 1 }}\n[[compare]]"));
        let folder = here(&[("it.toml", &format!("replicas = 3\n{FARM}{values}"))]);
        let refused = hetsim(&folder).args(["check", "it.toml"]).assert().code(2);
        let said = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
        assert!(said.contains(&format!("`{name}` has a meaning of its own")), "{said}");
    }
}

/// An expected name is the one that most replicas have, as tables show it; a sign says on which side of a negative number
/// the simulated one lies; and a value at the end of its tolerance is within it.
#[test]
fn names_signs_and_ends_of_expectations() {
    let derived = "[[derive]]\nname = \"winner\"\nhow = \"best_of\"\nmetric = \"completion_s\"\nover = \"policy\"\n\
        [[derive]]\nname = \"less\"\nhow = \"formula\"\nformula = \"0 - 100\"\n\
        [[derive]]\nname = \"more\"\nhow = \"formula\"\nformula = \"1.1\"\n";
    let expect = |metric: &str, is: &str| {
        format!(
            "[[expect]]\nmetric = \"{metric}\"\n{is}\nwhere = {{ policy = \"guided\", tasks = 40 }}\nsource = \"s\"\n"
        )
    };
    let winner = |name: &str| expect("winner", &format!("value = \"{name}\""));
    let expectations = [
        winner("guided"),
        winner("static_nominal"),
        expect("less", "at_least = -99"),
        expect("less", "at_most = -101"),
        expect("more", "value = 1\ntolerance_percent = 10"),
    ];
    let (said, folder) = run(&format!("replicas = 12\n{FARM}{derived}{}", expectations.concat()));
    let rows = rows(&folder, "expect.csv", &["simulated", "difference_percent", "ok"]);
    let usual = &rows[0][0];
    let name = usual.split(' ').next().unwrap();
    assert_eq!([rows[0][2] == "true", rows[1][2] == "true"], [name == "guided", name == "static_nominal"], "{said}");
    let of_bounds: Vec<f64> = rows[2..4].iter().map(|row| row[1].parse().unwrap()).collect();
    assert!(of_bounds[0] < 0.0 && of_bounds[1] > 0.0, "{rows:?}");
    assert_eq!(rows[4][2], "true", "{rows:?}");
}

/// A comparison at a point is not told by a key that is zipped with the one that differs.
#[test]
fn a_zipped_key_is_no_place() {
    let zipped = FARM.replace(
        "\"workload.farm.policy\" = [\"guided\", \"static_nominal\"]\n",
        "zip = [[\"workload.tasks\", \"platform.between.network.latency\"]]\n\"platform.between.network.latency\" = [\"1us\", \"2us\"]\n",
    );
    let (_, folder) = run(&format!(
        "replicas = 3\n{zipped}[[compare]]\nmetric = \"completion_s\"\na = {{ tasks = 5 }}\nb = {{ tasks = 40 }}\n"
    ));
    assert_eq!(rows(&folder, "compare.csv", &["where"]), [[""]]);
}
