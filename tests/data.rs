//! Tests on measured data from outside of the repository, in the folder that `HETSIM_DATA` names. They are ignored
//! unless asked for, `HETSIM_DATA=… cargo test --test data -- --ignored`, and then fail without it; nothing else
//! depends on them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "documents/published.rs"]
mod published;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hetsim::accuracy::{Selection, selected};
use hetsim::cluster::NodeId;
use hetsim::fit::read::collectives::{self, GivenColumns};
use hetsim::fit::tasks::{LogFormat, TaskFit, TaskLog};
use hetsim::fit::{Fitted, Model, Poly, read};
use hetsim::graph::TaskGraph;
use hetsim::graph::read::Format;
use hetsim::report::Reported as _;
use hetsim::scenario::{Scenario, Source};

fn data(file: &str) -> PathBuf {
    let folder = std::env::var_os("HETSIM_DATA").expect("HETSIM_DATA must name the folder of measured data");
    Path::new(&folder).join(file)
}

/// The gaps of `grid5000.platform.toml` are those derived from a ping-pong over Gigabit Ethernet on Grid'5000's
/// graphene (platform-calibration, 2013), rounded: within 5 % at each of the scenario's points.
#[test]
#[ignore = "reads measured data, in the folder that HETSIM_DATA names"]
fn the_gaps_of_grid5000_are_the_measured_ones() {
    let path = data("communication/plogp_graphene_eth.csv");
    let mut reader = csv::Reader::from_path(path).unwrap();
    let measured: Vec<(u64, f64)> = reader
        .records()
        .map(|record| record.unwrap())
        .map(|record| (record[0].parse().unwrap(), record[1].parse::<f64>().unwrap() * 1e-6))
        .collect();
    let scenario = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/grid5000.toml");
    let scenario = Scenario::load(&scenario, &[]).unwrap();
    let platform = scenario.first_platform().unwrap();
    let mut compared = 0;
    for bytes in [1, 64, 512, 1024, 1448, 4096, 8192, 16384, 32768, 65536, 131_072, 262_144, 524_288, 989_921] {
        // Sizes are measured at random, so the nearest two are interpolated.
        let above = measured.partition_point(|(size, _)| *size < bytes).clamp(1, measured.len() - 1);
        let ((x0, y0), (x1, y1)) = (measured[above - 1], measured[above]);
        let part = if x1 == x0 { 0.0 } else { (bytes as f64 - x0 as f64) / (x1 as f64 - x0 as f64) };
        let expected = y0 + (y1 - y0) * part;
        let gap = platform.tick().seconds(platform.transfer(NodeId(0), NodeId(1), bytes).gap());
        eprintln!("{bytes} B: {:.1} us in the scenario, {:.1} us measured", gap * 1e6, expected * 1e6);
        compared += usize::from((gap / expected - 1.0).abs() < 0.05);
    }
    // Single points of a noisy curve may lie further off.
    assert!(compared >= 11, "{compared} of 14 gaps are within 5 %");
}

fn task_graph(file: &str) -> TaskGraph {
    let path = data(&format!("taskgraphs/{file}"));
    let text = std::fs::read_to_string(&path).unwrap();
    let extension = path.extension().map_or("stg", |extension| extension.to_str().unwrap());
    let graph = Format::of(extension, &text).unwrap().read(&text);
    graph.unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Workflows, DAX, DOT and the HEFT paper's example: tasks and edges as counted in the files by other means (a JSON
/// library; `grep -c` of `->` and `<parent`).
#[test]
#[ignore = "reads measured data, in the folder that HETSIM_DATA names"]
fn task_graphs_in_every_format_are_read() {
    for (file, tasks, edges) in [
        ("heft2002.json", 10, 15),
        ("workflows/1000genome-chameleon-2ch-100k-001.json", 52, 76),
        ("workflows/blast-chameleon-small-001.json", 43, 120),
        ("workflows/epigenomics-chameleon-hep-1seq-100k-001.json", 41, 48),
        ("workflows/helloworld-forkjoin-10-chameleon.json", 10, 16),
        ("workflows/montage-chameleon-2mass-01d-001.json", 103, 231),
        ("workflows/seismology-chameleon-1000p-001.json", 1001, 1000),
        ("workflows/srasearch-chameleon-50a-001.json", 104, 152),
        ("formats/inspiral-100.xml", 100, 119),
        // 100 tasks between a root and an end.
        ("formats/daggen-100-0.25-0.9-0.3-2.dot", 102, 130),
        ("formats/daggen-100-0.75-0.9-0.06-2.dot", 102, 180),
    ] {
        let graph = task_graph(file);
        assert_eq!((graph.tasks(), graph.edge_count()), (tasks, edges), "{file}");
    }
}

/// Executions of workflows are logs: with as many tasks, on as many machines, and as long in all as a JSON library says.
#[test]
#[ignore = "reads measured data, in the folder that HETSIM_DATA names"]
fn executions_of_workflows_are_logs() {
    for (file, tasks, machines, seconds) in [
        ("1000genome-chameleon-2ch-100k-001.json", 52, 1, 2771.295),
        ("blast-chameleon-small-001.json", 43, 2, 382.91272),
        ("epigenomics-chameleon-hep-1seq-100k-001.json", 41, 1, 539.307),
        ("helloworld-forkjoin-10-chameleon.json", 10, 1, 1028.704),
        ("montage-chameleon-2mass-01d-001.json", 103, 1, 362.633),
        ("seismology-chameleon-1000p-001.json", 1001, 7, 538.433),
        ("srasearch-chameleon-50a-001.json", 104, 2, 65_893.525),
    ] {
        let mut log = TaskLog::default();
        let text = std::fs::read_to_string(data(&format!("taskgraphs/workflows/{file}"))).unwrap();
        let format = log.read(&text, None, &[]).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert_eq!((format, log.tasks.len(), log.machines().len()), (LogFormat::Wfformat, tasks, machines), "{file}");
        let all: f64 = log.tasks.iter().map(|task| task.seconds).sum();
        assert!((all / seconds - 1.0).abs() < 1e-9, "{file}: {all}");
        assert!(TaskFit::of(&log).is_some_and(|fit| fit.machines.len() == machines), "{file}");
    }
}

/// The number after `label` in a comment of an STG file.
fn noted(text: &str, label: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with('#') && line.contains(label))?;
    let digits = |c: char| !c.is_ascii_digit();
    line.split(':').nth(1)?.split(digits).find(|word| !word.is_empty())?.parse().ok()
}

/// The numbers that STG files note of themselves: tasks and edges without and with the dummies, and the length of the
/// critical path, which is a lower bound of the best makespan in `optimal.csv`.
#[test]
#[ignore = "reads measured data, in the folder that HETSIM_DATA names"]
fn stg_files_have_what_they_note() {
    let folder = data("taskgraphs/stg");
    let mut reader = csv::Reader::from_path(folder.join("optimal.csv")).unwrap();
    let best: Vec<(String, f64)> = reader
        .records()
        .map(|record| record.unwrap())
        .map(|record| (record[0].to_owned(), record[3].parse().unwrap()))
        .collect();
    let (mut files, mut paths) = (0, 0);
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.extension().is_some_and(|extension| extension == "csv") {
            continue;
        }
        let graph = task_graph(&format!("stg/{name}"));
        let text = std::fs::read_to_string(&path).unwrap();
        let count: usize = text.split_whitespace().next().unwrap().parse().unwrap();
        assert!([count, count + 2].contains(&graph.tasks()), "{name}");
        // "Edges : 96 / 1225 (+dummy edges : 23)"; one file spells it "dammy".
        if let Some(edges) = noted(&text, "Edges  ") {
            let line = text.lines().find(|line| line.contains("Edges  ")).unwrap();
            let dummies: u64 = line.rsplit(':').next().unwrap().trim().trim_end_matches(')').parse().unwrap();
            assert_eq!(graph.edge_count() as u64, edges + dummies, "{name}");
        }
        let path = graph.critical_path(|task| graph.operations(task), |_| 0.0).length;
        if let Some(noted) = noted(&text, "CP Length") {
            assert_eq!(path, noted as f64, "{name}");
            paths += 1;
        }
        for (_, best) in best.iter().filter(|(file, _)| *file == name) {
            assert!(path <= *best, "{name}");
        }
        files += 1;
    }
    assert!(files >= 19 && paths >= 17, "{files} files, {paths} paths");
}

/// All 264 instances of the Auckland set, each as long on one processor as it says, and no optimum below its critical
/// path.
#[test]
#[ignore = "reads measured data, in the folder that HETSIM_DATA names"]
fn instances_of_the_auckland_set_are_read() {
    let path = data("taskgraphs/sinnen.json");
    let text = std::fs::read_to_string(path).unwrap();
    let told: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let read = Format::Matrix.read_all(&text).unwrap();
    assert_eq!((told.len(), read.len()), (264, 264));
    for (told, read) in told.iter().zip(&read) {
        assert_eq!(told["name"].as_str(), read.name.as_deref());
        assert_eq!(told["weights"].as_array().unwrap().len(), read.graph.tasks());
        assert_eq!(told["edges"].as_array().unwrap().len(), read.graph.edge_count());
        if let Some(sequential) = told["sequential"].as_f64() {
            assert_eq!(read.graph.total_operations(), sequential, "{told}");
        }
        let path = read.graph.critical_path(|task| read.graph.operations(task), |_| 0.0);
        assert!(path.length <= told["optimal"].as_f64().unwrap());
    }
}

/// Every 10-task instance of Sinnen's set is proved at its known optimum, each within a second; of the larger ones the
/// value never falls below the optimum nor the bound above it.
#[test]
#[ignore = "reads measured data, in the folder that HETSIM_DATA names"]
fn known_optima_are_proved() {
    use hetsim::engine::Streams;
    use hetsim::graph::Builder;
    use hetsim::schedule::Costs;
    use hetsim::schedule::mapping::{Exact, Method, Objective, Problem};
    use hetsim::units::{Tick, Time};

    let path = data("taskgraphs/sinnen.json");
    let all: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let tick = Tick::new(1_000_000_000_000).unwrap();
    let (mut proved, mut small, mut worst) = (BTreeMap::<usize, (usize, usize)>::new(), 0, (0.0, String::new()));
    for instance in all.as_array().unwrap() {
        let name = instance["name"].as_str().unwrap();
        let weights: Vec<u64> = instance["weights"].as_array().unwrap().iter().map(|w| w.as_u64().unwrap()).collect();
        let mut builder = Builder::new();
        for &weight in &weights {
            builder.task(weight as f64).unwrap();
        }
        for edge in instance["edges"].as_array().unwrap() {
            let [from, to, bytes] = [0, 1, 2].map(|index| edge[index].as_u64().unwrap());
            builder.edge(from as u32, to as u32, bytes).unwrap();
        }
        let graph = builder.build().unwrap();
        let processors = instance["processors"].as_u64().unwrap() as u32;
        let costs = Costs::identical(&graph, processors, |task| Time(weights[task as usize]), Time).unwrap();
        let problem = Problem::new(&graph, &costs, tick, Objective::Makespan).unwrap();
        let started = std::time::Instant::now();
        let method = Method::Exact(Exact::default());
        let outcome = method.solve(&problem, None, &mut Streams::new(1, 0).stream("exact", 0)).unwrap();
        let seconds = started.elapsed().as_secs_f64();
        outcome.schedule.check(&graph, &costs).unwrap();
        let optimum = instance["optimal"].as_f64().unwrap();
        assert!(outcome.value >= optimum && outcome.bound.unwrap() <= optimum, "{name}: {optimum} {outcome:?}");
        let of_size = proved.entry(weights.len()).or_default();
        *of_size = (of_size.0 + usize::from(outcome.is_proved()), of_size.1 + 1);
        if weights.len() == 10 {
            small += 1;
            assert!(outcome.is_proved(), "{name}");
            if seconds > worst.0 {
                worst = (seconds, format!("{name}: {} nodes", outcome.evaluations));
            }
        }
    }
    eprintln!("proved of all by tasks: {proved:?}; the longest of 10 tasks {worst:?}");
    assert!(proved.values().all(|(proved, all)| 100 * proved >= 95 * all), "{proved:?}");
    assert!(small == 139 && worst.0 <= 1.0, "{worst:?}");
}

/// The platforms that were fitted to real ping-pongs predict them: mean percentage error over all sizes.
#[test]
#[ignore = "reads measured data, in the folder that HETSIM_DATA names"]
fn protocols_follow_the_measured_curves() {
    for (file, platform, limit) in
        [("simgrid_calib_graphene_eth_p2p.csv", "graphene", 6.5), ("simgrid_calib_stampede_p2p.csv", "stampede", 1.5)]
    {
        let path = data(&format!("communication/{file}"));
        let samples = read::read(&std::fs::read_to_string(path).unwrap()).unwrap();
        assert_eq!(samples.round_trips.len(), 490);
        let text = format!(
            "version = 1\nplatform = {{ include = \"{platform}.platform.toml\" }}\n\
             workload = {{ kind = \"broadcast\", size = \"1B\", algorithm = \"linear\" }}"
        );
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
        let source = Source { name: platform.to_owned(), folder, text: text.into() };
        let scenario = Scenario::read(platform.to_owned(), source, &[]).unwrap();
        let machine = scenario.first_platform().unwrap();
        let hop = |bytes| machine.tick().seconds(machine.transfer(NodeId(0), NodeId(1), bytes).hop());
        let error = samples.mean_percentage_error(hop).unwrap();
        eprintln!("{platform}: {error:.2} %");
        assert!(error < limit, "{platform}: {error} %");
    }
}

/// Models fitted to half of the sizes of real ping-pongs, and their errors on the other half.
#[test]
#[ignore = "reads measured data, in the folder that HETSIM_DATA names"]
fn models_of_real_networks_predict_unseen_sizes() {
    for (file, hockney, plogp) in
        [("simgrid_calib_graphene_eth_p2p.csv", 20.0, 10.0), ("simgrid_calib_stampede_p2p.csv", 35.0, 3.0)]
    {
        let path = data(&format!("communication/{file}"));
        let samples = read::read(&std::fs::read_to_string(path).unwrap()).unwrap();
        let samples = samples.with_derived_gaps().unwrap();
        let sizes: Vec<u64> = samples.round_trips.iter().map(|series| series.bytes).collect();
        let even = |bytes: u64| sizes.partition_point(|&size| size < bytes) % 2 == 0;
        let (half, others) = (samples.of_sizes(even), samples.of_sizes(|bytes| !even(bytes)));
        let error = |model| {
            let fitted = Fitted::fit(model, &half).unwrap();
            let error = others.mean_percentage_error(|bytes| fitted.hop(bytes)).unwrap();
            eprintln!("{file}: {model} {error:.2} %");
            error
        };
        let errors = [Model::Hockney, Model::Logp, Model::Loggp, Model::Plogp].map(error);
        assert!(errors[0] < hockney && errors[3] < plogp, "{errors:?}");
        assert!(errors[3] <= errors[0] && errors[0] < errors[1], "{errors:?}");
        // The poly-model is never worse than the best single one on the half that it was chosen on.
        let models: Vec<Fitted> = [Model::Hockney, Model::Logp, Model::Loggp, Model::Plogp]
            .map(|model| Fitted::fit(model, &half).unwrap())
            .into();
        let best = models.iter().filter_map(|model| half.mean_percentage_error(|bytes| model.hop(bytes)));
        let best = best.fold(f64::INFINITY, f64::min);
        let poly = Poly::choose(models, &half, 0.0).unwrap();
        let [own, unseen] = [&half, &others].map(|on| on.mean_percentage_error(|bytes| poly.hop(bytes)).unwrap());
        eprintln!("{file}: the nearest at each size {own:.2} %, unseen {unseen:.2} %");
        assert!(own <= best, "{own} {best}");
    }
}

/// Run times of real and synthetic operations: curve fitting meets what other tools reached on the same split, and
/// genetic programming, the better of two seeds, stays below pyoperon's better of two on the points held back
/// (docs/fitting.md).
#[test]
#[ignore = "reads measured data, in the folder that HETSIM_DATA names"]
fn formulas_for_measured_run_times() {
    use hetsim::fit::runtime::data::{Data, Reading, Repeats};
    use hetsim::fit::runtime::error::Deviations;
    use hetsim::fit::runtime::{Method, Request, fit};

    // Ordinary and relative least squares of the paper's formula, and pyoperon's best, all in percent.
    for (set, by, ordinary, relative, operon) in [
        ("synth", "p,bytes", 19.1, 12.1, 3.9),
        ("epyc_linear", "p,bytes", 391.6, 30.9, 9.9),
        ("epyc_default", "p,bytes", 231.4, 46.9, 19.4),
        ("aws", "p,bytes", 603.9, 48.6, 17.9),
        ("graphene", "bytes", 68.5, 13.3, 7.2),
        ("stampede", "bytes", 33.1, 19.2, 1.7),
    ] {
        let path = data(&format!("communication/fit-{set}.csv"));
        let reading = Reading {
            target: "time_us".to_owned(),
            by: by.split(',').map(str::to_owned).collect(),
            split: Some("split".to_owned()),
            repeats: Repeats::All,
            ..Reading::default()
        };
        let data = Data::read(std::fs::File::open(path).unwrap(), &reading).unwrap();
        let error = |method: Method, seed: u64| {
            let mut request = Request { method, ..Request::default() };
            request.genetic.seed = seed;
            let found = fit(&data.train, &request, &std::sync::atomic::AtomicBool::new(false), &mut |_| {}).unwrap();
            Deviations::of(&found.front[found.chosen].expression, &data.test).unwrap().mean
        };
        assert!((error(Method::Ols, 1) - ordinary).abs() < 0.06, "{set}");
        assert!((error(Method::Relative, 1) - relative).abs() < 0.06, "{set}");
        // Like pyoperon's, the better of two seeds.
        let both = [error(Method::Gp, 1), error(Method::Gp, 2)];
        let reached = both[0].min(both[1]);
        eprintln!("{set}: {both:.2?} % on unseen points, pyoperon {operon} %");
        assert!(reached <= operon, "{set}: {reached} %, pyoperon {operon} %");
    }
}

/// Every row of the measured collectives is read, and hetsim has every algorithm in them; a choice among them for most
/// operations and sizes.
#[test]
#[ignore = "reads measured data, in the folder that HETSIM_DATA names"]
fn every_measured_collective_has_its_algorithm() {
    for (file, rows, systems) in [("mare_nostrum", 850, "mare_nostrum"), ("lumi", 966, "lumi")] {
        let text = std::fs::read_to_string(data(&format!("measured/{file}.csv"))).unwrap();
        let measured = collectives::read(&text, &GivenColumns::default()).unwrap();
        assert_eq!((measured.points.len(), measured.not_modelled()), (rows, 0), "{file}");
        assert!(measured.points.iter().all(|point| point.system == systems && point.model.is_some()), "{file}");
        assert!(measured.points.iter().all(|point| point.p10.is_some() && point.p10 <= point.p90), "{file}");
        let blind = ["bcast,algorithm=binomial", "allreduce,algorithm=recursive_doubling", "scatter,algorithm=linear"];
        let blind = blind.iter().chain(&["allgather,algorithm=ring"]);
        let blind: Vec<Selection> = blind.map(|text| format!("operation={text}").parse().unwrap()).collect();
        let taken = measured.points.iter().filter(|point| selected(&blind, point)).count();
        assert!(taken > 20 && taken < rows / 4, "{file}: {taken}");
    }
}

/// The pages of the known accuracy are what the command makes of its plan, the platforms and the measurements.
#[test]
#[ignore = "reads measured data, in the folder that HETSIM_DATA names"]
fn the_known_accuracy_is_what_the_command_prints() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    // The command writes them again.
    let written = || {
        let pages = std::fs::read_dir(root.join("docs/validation")).unwrap().map(|entry| entry.unwrap().path());
        let pages = pages.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
        let files = pages.chain([root.join("docs/pictures/validation.svg")]);
        files.map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect::<BTreeMap<_, _>>()
    };
    let before = written();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_hetsim"))
        .args(["validate", "docs/validation.toml", "--quiet", "--data"])
        .arg(data("measured"))
        .current_dir(root)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let page = std::fs::read_to_string(root.join("docs/validation.md")).unwrap();
    assert!(String::from_utf8_lossy(&output.stdout) == page, "docs/validation.md is out of date: make it again");
    let after = written();
    let outdated: Vec<_> =
        after.iter().filter(|(path, text)| before.get(*path) != Some(text)).map(|(path, _)| path).collect();
    assert!(outdated.is_empty(), "{outdated:?} were out of date");
}
