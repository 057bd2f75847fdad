//! What is told before and after a run: the work, and how sure the answer is.

use std::fs;

use crate::support::{here, hetsim, printed, read};

const GRID: &str = r#"version = 1
[platform.cluster.a]
nodes = 3
network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }
[platform.cluster.b]
nodes = 3
network = { model = "loggp", latency = "20us", overhead = "3us", gap = "5us", gap_per_byte = "8ns/B" }
[platform.between]
network = { model = "hockney", latency = "5ms", bandwidth = "1Gbit/s" }
[workload]
kind = "broadcast"
size = "8KiB"
algorithm = "ecef+best"
"#;

const FARM: &str = r#"version = 1
[platform.cluster.lab]
nodes = 5
speeds = ["3 of 1Gop/s", "2 of 4Gop/s"]
network = { model = "ideal" }
[workload]
kind = "independent"
tasks = 100
task = { distribution = "exponential", mean = "2Gop" }
"#;

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What `hetsim` prints of a scenario with these additions, and its page.
fn answer(scenario: &str, more: &str) -> (String, String) {
    let folder = here(&[("s.toml", &format!("{scenario}{more}"))]);
    let said = printed(hetsim(&folder).arg("s.toml"));
    (words(&said), fs::read_to_string(folder.path().join("output/s/report.html")).unwrap())
}

/// The last line of the answer, on the terminal before the files and on the page in the answer's section.
#[test]
fn an_answer_says_how_sure_it_is() {
    let expected = "How sure: one run a point, exact if nothing is drawn (`replicas` shows how much draws matter); network \
                    models hockney, loggp, with the parameters of the file, compared with no measurement here; `ecef+best` \
                    is `ecef` between the clusters and `best` inside each, which is there the fastest by prediction.";
    let (said, page) = answer(GRID, "");
    assert!(said.contains(&format!("{expected} Written: ")), "{said}");
    assert!(page.contains(&format!("<p>{expected}</p>\n</section>")), "{page}");
}

#[test]
fn replicas_are_told_as_what_they_are() {
    let (said, _) = answer(&GRID.replace("version = 1", "version = 1\nreplicas = 3"), "");
    assert!(said.contains("How sure: deterministic, 3 equal replicas a point; "), "{said}");
    let (said, _) = answer(&FARM.replace("version = 1", "version = 1\nreplicas = 3"), "");
    assert!(said.contains("How sure: 3 replicas a point, each with draws of its own; network model ideal, "), "{said}");
}

/// A model that varies is told once for each value; what a publication prints is a comparison.
#[test]
fn models_and_comparisons_are_told() {
    let swept = "[sweep]\n\"platform.cluster.a.network\" = { slow = { model = \"ideal\" } }\n\
                 [[expect]]\nmetric = \"completion_s\"\nat_least = \"1us\"\nsource = \"Table 1\"\nkind = \"printed\"\n\
                 [[expect]]\nmetric = \"completion_s\"\nat_most = \"1s\"\nsource = \"by hand\"\n";
    let (said, page) = answer(GRID, swept);
    assert!(
        said.contains("network models loggp, hockney, ideal, compared here with what a publication prints"),
        "{said}"
    );
    let tally = "Expectations: 2 of 2 met, 1 of 1 printed in a publication, 1 of 1 of the scenario's own";
    assert!(said.contains(tally), "{said}");
    assert!(page.contains("1 of 1 printed in a publication"), "{page}");
}

/// A calibrated platform was compared with measurements.
#[test]
fn a_calibration_is_told_with_its_error() {
    let calibration = "[platform.calibration]\nfiles = [\"a.csv\"]\nalgorithms = [\"broadcast linear\"]\nerror = 0.1\n\
        points_left_out = 9\nerror_left_out = 0.039\n";
    let (said, _) = answer(GRID, calibration);
    let expected = "loggp, calibrated on 1 algorithm of a.csv, with an error of ±3.9 %; `ecef+best`";
    assert!(said.contains(expected) && !said.contains("no measurement"), "{said}");
}

/// 100 tasks of 2 Gop on two workers of 1 and two of 4 Gop/s; node 0 serves.
#[test]
fn check_tells_the_work_and_the_ideal_time() {
    let folder = here(&[("s.toml", FARM), ("grid.toml", GRID)]);
    let said = words(&printed(hetsim(&folder).args(["check", "s.toml"])));
    assert!(said.contains("Work of a run: 2×10¹¹ op; ideal time: 20 s (all cores together: 10¹⁰ op/s)"), "{said}");
    assert!(said.contains("Events of a run: about 300"), "{said}");
    let more = "--set=workload.rounds=3";
    let said = words(&printed(hetsim(&folder).args(["check", "s.toml", more])));
    assert!(said.contains("Work of a run: 6×10¹¹ op; ideal time: 60 s"), "{said}");
    let said = printed(hetsim(&folder).args(["check", "grid.toml"]));
    assert!(!said.contains("Work of a run"), "{said}");
}

/// The same of each kind that knows its work: two ranks of 3 Gop, and a graph of 2 Gop and 1 Gop.
#[test]
fn phases_and_graphs_know_their_work() {
    let head = "version = 1\n[platform.cluster.lab]\nnodes = 2\nnetwork = { model = \"ideal\" }\n[workload]\n";
    let demand = |text: &str| {
        let demand = read(&format!("{head}{text}")).demand(0, 0).unwrap().unwrap();
        [demand.operations, demand.speed, demand.ideal_s()]
    };
    let phases = "kind = \"phases\"\nphase = [{ repeat = 3, phase = [{ compute = \"1Gop\" }] }]";
    assert_eq!(demand(phases), [6e9, 2e9, 3.0]);
    let graph = "kind = \"taskgraph\"\nscheduler = \"heft\"\n[workload.generate]\n\
                 shape = { family = \"fork_join\", branches = 2, stages = 1 }\n\
                 operations = { distribution = \"constant\", value = \"1Gop\" }";
    let [operations, speed, ideal] = demand(graph);
    assert_eq!((speed, ideal), (2e9, operations / 2e9));
    assert!(operations >= 3e9, "{operations}");
}

/// The platform's nodes are meant, not those of the cluster whose number is swept.
#[test]
fn nodes_of_a_formula_are_those_of_the_platform() {
    let cluster = |name: &str| format!("[platform.cluster.{name}]\nnodes = 2\nnetwork = {{ model = \"ideal\" }}\n");
    let more = "[platform.between]\nnetwork = { model = \"ideal\" }\n[workload]\nkind = \"broadcast\"\nsize = \"1B\"\n\
                algorithm = \"linear\"\n[sweep]\n\"platform.cluster.b.nodes\" = [1, 3]\n\
                [[derive]]\nname = \"cost\"\nhow = \"formula\"\nformula = \"10 * nodes\"\n";
    let folder = here(&[("s.toml", &format!("version = 1\n{}{}{more}", cluster("a"), cluster("b")))]);
    printed(hetsim(&folder).arg("s.toml"));
    let table = fs::read_to_string(folder.path().join("output/s/summary.csv")).unwrap();
    let mut rows = csv::Reader::from_reader(table.as_bytes());
    let cost = rows.headers().unwrap().iter().position(|head| head == "cost_mean").unwrap();
    let costs: Vec<String> = rows.records().map(|row| row.unwrap()[cost].to_owned()).collect();
    assert_eq!(costs, ["30", "50"]);
}

/// Most readers of CSV keep one of two columns with one name.
#[test]
fn a_swept_key_called_like_a_metric_has_a_column_of_its_own() {
    let folder = here(&[("s.toml", &format!("{FARM}[sweep]\n\"workload.rounds\" = [1, 2]\n"))]);
    printed(hetsim(&folder).arg("s.toml"));
    let table = fs::read_to_string(folder.path().join("output/s/results.csv")).unwrap();
    let heads: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    assert_eq!(heads[1], "workload.rounds");
    assert_eq!(heads.iter().filter(|head| **head == "rounds").count(), 1, "{heads:?}");
    // In the summary a metric that is a name has no other.
    let scenario = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/nasri-cost.toml");
    printed(hetsim(&folder).arg(scenario));
    let table = fs::read_to_string(folder.path().join("output/nasri-cost/summary.csv")).unwrap();
    let heads: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    assert_eq!(heads[..2], ["size", "workload.models"]);
    assert_eq!(heads.iter().filter(|head| **head == "models").count(), 1, "{heads:?}");
}

/// Several ranks on a node are no nodes. A message between two levels within it takes what the slower one leaves it.
#[test]
fn ranks_of_full_nodes_are_no_nodes() {
    let text = "version = 1\n[platform.cluster.lab]\nnodes = 2\nranks_per_node = 8\n\
                network = { model = \"fair\", latency = \"0s\", bandwidth = \"10GB/s\" }\n\
                [[platform.cluster.lab.level]]\nsize = 8\n\
                network = { model = \"fair\", latency = \"0s\", bandwidth = \"100GB/s\" }\n\
                [[platform.cluster.lab.level]]\nsize = 4\n\
                network = { model = \"fair\", latency = \"0s\", bandwidth = \"1GB/s\" }\n\
                [workload]\nkind = \"broadcast\"\nsize = \"1B\"\nalgorithm = \"linear\"\n\
                [[derive]]\nname = \"cost\"\nhow = \"formula\"\nformula = \"10 * nodes\"\n";
    let folder = here(&[("s.toml", text)]);
    printed(hetsim(&folder).arg("s.toml"));
    let table = fs::read_to_string(folder.path().join("output/s/summary.csv")).unwrap();
    let mut rows = csv::Reader::from_reader(table.as_bytes());
    let cost = rows.headers().unwrap().iter().position(|head| head == "cost_mean").unwrap();
    assert_eq!(&rows.records().next().unwrap().unwrap()[cost], "20");
    let checked = printed(hetsim(&folder).args(["check", "s.toml"]));
    let level = checked.lines().skip_while(|line| !line.starts_with("Levels")).nth(3);
    assert!(level.is_some_and(|level| level.ends_with("1.05\u{a0}ms")), "{checked}");
}

/// Arithmetic over a metric, a swept key, the platform's nodes and a number of one's own; speeds counted and written out
/// are the same.
#[test]
fn a_formula_makes_a_metric() {
    let more = "[sweep]\n\"workload.rounds\" = [1, 2]\n[[derive]]\nname = \"cost\"\nhow = \"formula\"\n\
                formula = \"nodes * price * completion_s / rounds\"\nvalues = { price = 0.25 }\n\
                [[derive]]\nname = \"twice\"\nhow = \"formula\"\nformula = \"2 * cost + 0 * path\"\nvalues = { path = 1 }\n\
                [[table]]\nrows = \"workload.rounds\"\nmetric = \"cost\"\nalso = [\"twice\"]\n";
    let folder = here(&[("s.toml", &format!("{FARM}{more}"))]);
    printed(hetsim(&folder).arg("s.toml"));
    let table = fs::read_to_string(folder.path().join("output/s/summary.csv")).unwrap();
    let mut rows = csv::Reader::from_reader(table.as_bytes());
    let heads = rows.headers().unwrap().clone();
    let at = |name: &str| heads.iter().position(|head| head == name).unwrap();
    for (row, rounds) in rows.records().zip([1.0, 2.0]) {
        let row = row.unwrap();
        let number = |name: &str| row[at(name)].parse::<f64>().unwrap();
        let cost = 5.0 * 0.25 * number("completion_s_mean") / rounds;
        assert!(
            (number("cost_mean") / cost - 1.0).abs() < 1e-12 && (number("twice_mean") / cost - 2.0).abs() < 1e-12,
            "{table}"
        );
    }
    let written =
        FARM.replace("\"3 of 1Gop/s\", \"2 of 4Gop/s\"", "\"1Gop/s\", \"1Gop/s\", \"1Gop/s\", \"4Gop/s\", \"4Gop/s\"");
    assert_ne!(written, FARM);
    assert_eq!(
        read(&written).run(0, 0).unwrap().get("completion_s"),
        read(FARM).run(0, 0).unwrap().get("completion_s")
    );
}
