//! Sweeps over files: how their values are called, folders that are swept, the resolved form, and values that files
//! give.

use std::fs;
use std::path::Path;

use hetsim::report::Reported as _;
use hetsim::report::{Results, expect};
use hetsim::scenario::Scenario;
use tempfile::TempDir;

use crate::support::{hetsim, ids, printed, try_read_in};

/// Two machines and a graph that a sweep chooses.
const HEAD: &str = "version = 1\n[platform]\ntick = \"1s\"\n[platform.cluster.m]\nnodes = 2\nspeed = \"1op/s\"\n\
    network = { model = \"ideal\" }\n[workload]\nkind = \"taskgraph\"\nscheduler = \"etf\"\n";

/// A task alone of so many seconds.
fn alone(seconds: u32) -> String {
    format!("1\n0 {seconds} 0\n")
}

#[track_caller]
fn read_in(folder: &Path, text: &str, overrides: &[String]) -> Scenario {
    let overrides: Vec<&str> = overrides.iter().map(String::as_str).collect();
    try_read_in(folder, text, &overrides).unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

/// Each point as its labels and its cells of the CSV.
fn points(scenario: &Scenario) -> Vec<String> {
    let point = |point| {
        let values =
            scenario.values(point).map(|(axis, value)| format!("{}={}/{}", axis.name, value.label, value.cell));
        values.collect::<Vec<_>>().join(" ")
    };
    (0..scenario.points.len()).map(point).collect()
}

fn seconds(scenario: &Scenario) -> Vec<f64> {
    let run = |point| {
        let record = scenario.run(point, 0).unwrap();
        let metric = record.metrics.iter().find(|(name, _)| name == "completion_s").unwrap();
        metric.1.number().unwrap()
    };
    (0..scenario.points.len()).map(run).collect()
}

/// A folder with graphs of one, two and three seconds, and with what is no graph.
fn graphs() -> TempDir {
    let folder = TempDir::new().unwrap();
    let sets = folder.path().join("set");
    fs::create_dir_all(sets.join("deep.stg")).unwrap();
    for (name, content) in [
        ("c.stg", alone(3)),
        ("a.stg", alone(1)),
        ("b.stg", alone(2)),
        (".d.stg", alone(4)),
        ("notes.txt", "no".into()),
    ] {
        fs::write(sets.join(name), content).unwrap();
    }
    folder
}

/// The resolved form finds its files from elsewhere, and its points, cells and charts are called as before.
#[track_caller]
fn resolves(scenario: &Scenario) {
    let elsewhere = TempDir::new().unwrap();
    let text = scenario.resolved().unwrap();
    let again = read_in(elsewhere.path(), &text, &[]);
    assert_eq!(ids(&again), ids(scenario), "{text}");
    assert_eq!(points(&again), points(scenario), "{text}");
    assert_eq!(again.resolved().unwrap(), text);
}

#[test]
fn swept_files_keep_their_names_in_the_resolved_form() {
    let folder = graphs();
    let chart = "[[chart]]\nname = \"g\"\nkind = \"gantt\"\nwhere = { file = \"set/a.stg\" }\n\
        [[expect]]\nmetric = \"completion_s\"\nwhere = { file = \"set/b.stg\" }\nvalue = 2\nsource = \"the file\"\n";
    let list = read_in(
        folder.path(),
        &format!("{HEAD}[sweep]\n\"workload.file\" = [\"set/b.stg\", \"set/a.stg\"]\n{chart}"),
        &[],
    );
    assert_eq!(points(&list), ["file=set/b.stg/set/b.stg", "file=set/a.stg/set/a.stg"]);
    resolves(&list);
    let named = format!("{HEAD}[sweep]\n\"workload.file\" = {{ long = \"set/c.stg\", short = \"set/a.stg\" }}\n");
    let named = read_in(folder.path(), &named, &[]);
    assert_eq!(points(&named), ["file=long/long", "file=short/short"]);
    resolves(&named);
    // A value outside of the sweep is called by its name as well.
    let base = format!(
        "{HEAD}file = \"set/a.stg\"\n[[sweep]]\n\"workload.file\" = [\"set/b.stg\", \"set/a.stg\"]\n[[sweep]]\n\
         \"platform.cluster.m.nodes\" = [1, 2]\n"
    );
    let base = read_in(folder.path(), &base, &[]);
    assert_eq!(base.points.len(), 3);
    resolves(&base);
}

#[test]
fn a_sweep_of_the_command_line_keeps_its_names_too() {
    let folder = graphs();
    let file = folder.path().join("set/b.stg");
    let sweep = format!("sweep={{ \"workload.file\" = [{:?}] }}", file.to_str().unwrap());
    let scenario = read_in(folder.path(), HEAD, &[sweep]);
    assert_eq!(seconds(&scenario), [2.0]);
    resolves(&scenario);
}

#[test]
fn a_folder_is_swept_file_by_file_in_the_order_of_names() {
    let folder = graphs();
    let swept = |pattern: &str| {
        let text = format!("{HEAD}[sweep]\n\"workload.file\" = {{ files = \"{pattern}\" }}\n");
        let scenario = read_in(folder.path(), &text, &[]);
        resolves(&scenario);
        (points(&scenario), seconds(&scenario))
    };
    let all: Vec<String> = ["a", "b", "c"].iter().map(|name| format!("file={name}.stg/{name}.stg")).collect();
    assert_eq!(swept("set/*.stg"), (all, vec![1.0, 2.0, 3.0]));
    assert_eq!(swept("set/.*"), (vec!["file=.d.stg/.d.stg".to_owned()], vec![4.0]));
    assert_eq!(swept("set/*b*"), (vec!["file=b.stg/b.stg".to_owned()], vec![2.0]));
    // What was found is written down, so a file that comes later changes nothing.
    let text = format!("{HEAD}[sweep]\n\"workload.file\" = {{ files = \"set/*.stg\" }}\n");
    let before = read_in(folder.path(), &text, &[]);
    fs::write(folder.path().join("set/aa.stg"), alone(9)).unwrap();
    resolves(&before);
    assert_eq!(read_in(folder.path(), &text, &[]).points.len(), 4);
}

#[test]
fn names_are_read_from_the_folder_that_is_named() {
    let folder = graphs();
    let other = graphs();
    fs::write(other.path().join("set/a.stg"), alone(7)).unwrap();
    let text = format!(
        "{}[sweep]\n\"workload.file\" = {{ files = \"*.stg\" }}\n",
        HEAD.replace("version = 1", "version = 1\nfolder = \"set\"")
    );
    let scenario = read_in(folder.path(), &text, &[]);
    assert_eq!(seconds(&scenario), [1.0, 2.0, 3.0]);
    resolves(&scenario);
    let set = format!("folder={}", other.path().join("set").display());
    let elsewhere = read_in(folder.path(), &text, &[set]);
    assert_eq!(seconds(&elsewhere), [7.0, 2.0, 3.0]);
    resolves(&elsewhere);
}

#[test]
fn metrics_are_compared_with_those_of_a_file() {
    let folder = graphs();
    // Rows in any order, some of points that there are none of, a cell without a value.
    let optimal =
        "procs,file,best,worst\n1,a.stg,0.5,2\n2,c.stg,1.5,\n9,a.stg,1,1\n1,z.stg,1,1\n2,a.stg,1,4\n1,b.stg,,5\n";
    fs::write(folder.path().join("optimal.csv"), optimal).unwrap();
    let text = format!(
        "{HEAD}[sweep]\n\"workload.file\" = {{ files = \"set/*.stg\" }}\n\"platform.cluster.m.nodes\" = [1, 2]\n\
         [[derive]]\nname = \"ratio\"\nhow = \"ratio\"\nmetric = \"completion_s\"\nfile = \"optimal.csv\"\ncolumn = \"best\"\n\
         by = {{ file = \"file\", nodes = \"procs\" }}\n\
         [[derive]]\nname = \"over\"\nhow = \"difference\"\nmetric = \"completion_s\"\nfile = \"optimal.csv\"\ncolumn = \"worst\"\n\
         by = {{ file = \"file\", \"platform.cluster.m.nodes\" = \"procs\" }}\n\
         [[expect]]\nmetric = \"ratio\"\nwhere = {{ file = \"c.stg\", nodes = 2 }}\nvalue = 2\nsource = \"3 / 1.5\"\n"
    );
    let scenario = read_in(folder.path(), &text, &[]);
    let records = (0..scenario.points.len()).map(|point| (point, 0, scenario.run(point, 0).unwrap()));
    let results = Results::new(&scenario, records);
    let metric = |name: &str| (0..6).map(|point| results.mean(point, name)).collect::<Vec<_>>();
    // Points: a on 1 and 2, b on 1 and 2, c on 1 and 2.
    assert_eq!(metric("ratio"), [Some(2.0), Some(1.0), None, None, None, Some(2.0)]);
    assert_eq!(metric("over"), [Some(-1.0), Some(-3.0), Some(-3.0), None, None, None]);
    assert!(expect::check(&results, &scenario.report().expect).iter().all(|verdict| verdict.met));
    resolves(&scenario);
}

/// `hetsim check` has every schedule checked before anything runs, and says what they promise.
#[test]
fn schedules_are_checked_by_the_command() {
    let scenario = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/heft2002.toml");
    let said = printed(hetsim(".").arg("check").arg(scenario).env("COLUMNS", "200"));
    // Twenty-three schedulers, of which three decide during the run; the best of the others needs 76 s.
    assert!(said.contains("20 schedules are valid; they predict makespans from 76"), "{said}");
}
