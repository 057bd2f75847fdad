//! `docs/taskgraphs.md`: schedulers on published task graphs, which are not in this repository.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use hetsim::cluster::network::{Model, Parameters as Network};
use hetsim::cluster::{Cluster, Connection, Platform};
use hetsim::engine::Streams;
use hetsim::graph::TaskGraph;
use hetsim::graph::read::Format;
use hetsim::graph::write::{lost, write};
use hetsim::schedule::Scheduler;
use hetsim::schedule::mapping::{Exact, Method, Objective, Problem};
use hetsim::units::Tick;
use hetsim::workload::taskgraph::{Instance, by_scheduler};
use serde_json::Value as Json;

use super::data;

/// Compares the document with what it should be, or makes it so.
fn document(path: &str, content: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("HETSIM_BLESS").is_some() {
        fs::write(&file, content).unwrap();
        return;
    }
    let old = fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    assert!(old == content, "{path} is out of date; make it again with HETSIM_BLESS=1 and HETSIM_DATA");
}

/// A machine of clusters: the nodes of each and their speed in op/s. Every pair of nodes has the same link.
fn machine(tick: Tick, clusters: &[(u32, f64)], network: &str) -> Platform {
    let network: Network = toml::from_str(network).unwrap();
    let link = || Connection::from(Model::new(&network, tick).unwrap());
    let group = |(number, &(nodes, _)): (usize, &(u32, f64))| Cluster { name: number.to_string(), nodes, cores: 1 };
    let links = (0..clusters.len() * clusters.len()).map(|_| link()).collect();
    let speeds: Vec<f64> = clusters.iter().flat_map(|&(nodes, speed)| vec![speed; nodes as usize]).collect();
    Platform::new(tick, clusters.iter().enumerate().map(group).collect(), links).unwrap().with_speeds(&speeds).unwrap()
}

/// The makespan of a schedule in seconds, the schedule being checked by the independent checker.
fn makespan(graph: &TaskGraph, platform: &Platform, scheduler: Scheduler) -> f64 {
    let instance = Instance::new(graph, platform).unwrap();
    let schedule = by_scheduler(&instance, scheduler, None, Streams::new(0, 0)).unwrap();
    schedule.check(graph, &instance.costs().unwrap()).unwrap();
    assert!(schedule.makespan() >= instance.least_makespan());
    platform.tick().seconds(schedule.makespan())
}

/// Ticks of a millisecond: whole seconds come out exactly.
fn millisecond() -> Tick {
    Tick::new(1_000_000_000).unwrap()
}

fn read(path: &Path) -> TaskGraph {
    let text = fs::read_to_string(path).unwrap();
    let extension = path.extension().map_or("stg", |extension| extension.to_str().unwrap());
    Format::of(extension, &text).unwrap().read(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// The files of a folder in the order of their names.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_none_or(|extension| extension != "csv"));
    files.sort();
    files
}

/// What became of a scheduler on many instances: makespans over the best one known.
#[derive(Default)]
struct Ratios(Vec<f64>);

impl Ratios {
    /// Mean, greatest, and how many meet the best one.
    fn cells(&self) -> String {
        let count = self.0.len() as f64;
        let worst = self.0.iter().copied().fold(0.0, f64::max);
        let met = self.0.iter().filter(|ratio| **ratio <= 1.0 + 1e-12).count();
        format!("{:.3} | {worst:.2} | {:.0} %", self.0.iter().sum::<f64>() / count, 100.0 * met as f64 / count)
    }
}

/// A table of ratios by scheduler and number of processors.
fn ratio_table(text: &mut String, by: &BTreeMap<(usize, u32), Ratios>) {
    let mut counts: Vec<u32> = by.keys().map(|&(_, processors)| processors).collect();
    counts.sort_unstable();
    counts.dedup();
    for (head, cell) in [("| scheduler |", " {} processors: mean | worst | optimal |"), ("|---|", "--:|--:|--:|")] {
        let cells: String = counts.iter().map(|count| cell.replace("{}", &count.to_string())).collect();
        let _ = writeln!(text, "{head}{cells}");
    }
    for (number, scheduler) in Scheduler::ALL.iter().enumerate() {
        let _ = write!(text, "| `{scheduler}` |");
        for &count in &counts {
            let _ = write!(text, " {} |", by.get(&(number, count)).map_or_else(String::new, Ratios::cells));
        }
        text.push('\n');
    }
}

/// The Standard Task Graph Set: no communication, 2 to 16 processors.
fn stg(text: &mut String, folder: &Path) {
    let mut reader = csv::Reader::from_path(folder.join("optimal.csv")).unwrap();
    let (mut by, mut rows, mut open) = (BTreeMap::<(usize, u32), Ratios>::new(), 0, 0);
    for record in reader.records().map(|record| record.unwrap()) {
        let (processors, lower, best): (u32, f64, f64) =
            (record[1].parse().unwrap(), record[2].parse().unwrap(), record[3].parse().unwrap());
        let graph = read(&folder.join(&record[0]));
        let platform = machine(millisecond(), &[(processors, 1.0)], "model = 'ideal'");
        for (number, &scheduler) in Scheduler::ALL.iter().enumerate() {
            let makespan = makespan(&graph, &platform, scheduler);
            assert!(makespan >= lower, "{scheduler} beats the bound of {} on {processors}", &record[0]);
            by.entry((number, processors)).or_default().0.push(makespan / best);
        }
        (rows, open) = (rows + 1, open + u32::from(lower < best));
    }
    let _ = write!(
        text,
        "\n## Standard Task Graph Set\n\n{} graphs of Kasahara's set on each number of equal processors, without communication: makespan over the best one known, which is\n\
         proved to be optimal but for {open} of {rows} cases. No schedule is shorter than the bound in `optimal.csv`.\n\n",
        files(folder).len(),
    );
    ratio_table(text, &by);
}

/// The Auckland set: communication, equal processors.
fn auckland(text: &mut String, file: &Path) {
    let file = fs::read_to_string(file).unwrap();
    let told: Vec<Json> = serde_json::from_str(&file).unwrap();
    let instances = Format::Matrix.read_all(&file).unwrap();
    let mut by = BTreeMap::<(usize, u32), Ratios>::new();
    // By tasks: how many optima the exact search proves, of how many.
    let mut proved = BTreeMap::<usize, (usize, usize)>::new();
    for (told, instance) in told.iter().zip(&instances) {
        let processors = told["processors"].as_u64().unwrap() as u32;
        let best = told["optimal"].as_f64().unwrap();
        let platform =
            machine(millisecond(), &[(processors, 1.0)], "model = 'delay'\nlatency = '0s'\nbandwidth = '1B/s'");
        for (number, &scheduler) in Scheduler::ALL.iter().enumerate() {
            let ratio = makespan(&instance.graph, &platform, scheduler) / best;
            assert!(ratio >= 1.0 || told["cpsat_proved"] != true, "{scheduler}: {}", told["name"]);
            by.entry((number, processors)).or_default().0.push(ratio);
        }
        let of_size = proved.entry(instance.graph.tasks()).or_default();
        *of_size = (of_size.0 + usize::from(is_proved(&instance.graph, &platform)), of_size.1 + 1);
    }
    let _ = write!(
        text,
        "\n## Auckland's set of known optima\n\n{} graphs with communication on equal processors: makespan over the optimum, or the best one known.\n\n",
        instances.len()
    );
    ratio_table(text, &by);
    text.push_str("\nOptima that `exact` proves with its default number of nodes:\n\n| tasks | graphs | proved |\n|--:|--:|--:|\n");
    for (tasks, (proved, graphs)) in proved {
        let _ = writeln!(text, "| {tasks} | {graphs} | {proved} |");
    }
}

/// Whether the exact search proves the least makespan of a graph on a machine.
fn is_proved(graph: &TaskGraph, platform: &Platform) -> bool {
    let costs = Instance::new(graph, platform).unwrap().costs().unwrap();
    let problem = Problem::new(graph, &costs, platform.tick(), Objective::Makespan).unwrap();
    let mut stream = Streams::new(0, 0).stream("exact", 0);
    Method::Exact(Exact::default()).solve(&problem, None, &mut stream).unwrap().is_proved()
}

/// The example of the HEFT paper on its three unrelated processors.
fn heft_example(text: &mut String, file: &Path) {
    let graph = read(file);
    let platform =
        machine(millisecond(), &[(1, 1.0), (1, 1.0), (1, 1.0)], "model = 'delay'\nlatency = '0s'\nbandwidth = '1B/s'");
    text.push_str("\n## The example of the HEFT paper\n\nTen tasks on three unrelated processors; the optimum is 73.\n\n| scheduler | makespan |\n|---|--:|\n");
    for &scheduler in Scheduler::ALL {
        let _ = writeln!(text, "| `{scheduler}` | {} |", makespan(&graph, &platform, scheduler));
    }
}

/// Workflows on unequal machines.
fn workflows(text: &mut String, files: &[PathBuf]) {
    let platform = machine(
        Tick::new(1_000_000).unwrap(),
        &[(4, 1.0), (4, 2.0)],
        "model = 'delay'\nlatency = '100us'\nbandwidth = '1Gbit/s'",
    );
    let graphs: Vec<TaskGraph> = files.iter().map(|file| read(file)).collect();
    text.push_str(
        "\n## Workflows\n\nMakespan in seconds on four nodes as fast as those on which the times were measured and four twice as fast, 100 us and\n\
         1 Gbit/s between any two (`delay`).\n\n| scheduler |",
    );
    for file in files {
        let name = name(file);
        let short: Vec<&str> = name.split('-').take(1).collect();
        let _ = write!(text, " {} |", short.join("-"));
    }
    let _ = writeln!(text, "\n|---|{}", "--:|".repeat(files.len()));
    for &scheduler in Scheduler::ALL {
        let cells: Vec<String> =
            graphs.iter().map(|graph| format!("{:.2}", makespan(graph, &platform, scheduler))).collect();
        let _ = writeln!(text, "| `{scheduler}` | {} |", cells.join(" | "));
    }
}

/// Every file through every format and back.
fn conversions(text: &mut String, files: &[PathBuf]) {
    text.push_str(
        "\n## Conversions\n\nEvery file was written in each of our formats for graphs and read again. Tasks and edges came back always, and the whole graph where the format\n\
         holds all of it (`=`); otherwise it has no place for what is named.\n\n| file | tasks | edges |",
    );
    // A log of jobs has no edges.
    let formats: Vec<Format> = Format::ALL.iter().copied().filter(|format| *format != Format::Swf).collect();
    for format in &formats {
        let _ = write!(text, " {format} |");
    }
    let _ = writeln!(text, "\n|---|--:|--:|{}", "---|".repeat(formats.len()));
    for file in files {
        let graph = read(file);
        let _ = write!(text, "| {} | {} | {} |", name(file), graph.tasks(), graph.edge_count());
        for &format in &formats {
            let mut bytes = Vec::new();
            write(&graph, format, &mut bytes).unwrap();
            let back = format.read(&String::from_utf8(bytes).unwrap()).unwrap();
            let ends = |graph: &TaskGraph| graph.edges().map(|edge| (edge.from, edge.to)).collect::<Vec<_>>();
            assert_eq!(back.tasks(), graph.tasks(), "{} as {format}", name(file));
            assert_eq!(ends(&back), ends(&graph), "{} as {format}", name(file));
            let lost = lost(&graph, format);
            assert!(!lost.is_empty() || back == graph, "{} as {format}", name(file));
            let _ = write!(text, " {} |", if lost.is_empty() { "=".to_owned() } else { lost.join(", ") });
        }
        text.push('\n');
    }
}

#[test]
#[ignore = "reads measured data, in the folder that HETSIM_DATA names"]
fn published_task_graphs() {
    let folder = data("taskgraphs");
    let mut text = "# Published task graphs\n\n\
        What the schedulers make of task graphs that others publish. The graphs are not in this repository; with a folder of them\n\
        (`$HETSIM_DATA/taskgraphs`) this page is compared with what comes out by `HETSIM_DATA=… cargo test --test data -- --ignored`,\n\
        and made again by the same with `HETSIM_BLESS=1`. Every schedule is checked by an independent checker. `hetsim scenarios/stg.toml --set\n\
        folder=$HETSIM_DATA/taskgraphs/stg --out output/published` simulates the first set and draws it.\n"
        .to_owned();
    stg(&mut text, &folder.join("stg"));
    auckland(&mut text, &folder.join("sinnen.json"));
    heft_example(&mut text, &folder.join("heft2002.json"));
    let workflow_files = files(&folder.join("workflows"));
    workflows(&mut text, &workflow_files);
    let mut all = vec![folder.join("heft2002.json")];
    all.extend(files(&folder.join("formats")));
    all.extend(files(&folder.join("stg")));
    all.extend(workflow_files);
    conversions(&mut text, &all);
    document("docs/taskgraphs.md", &text);
}
