//! How time and memory grow with the size of a scenario, as charts.
//!
//!   cargo bench --bench growth [CHART …]
//!
//! Each size is run by the command on one core; of short runs the best of three counts. The charts go to
//! `docs/pictures/growth-*.svg`; their numbers are printed, with the exponent by which time has grown since the size
//! before. It takes some three minutes and needs an idle machine.

use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use hetsim::record::Record;
use hetsim::report::Reported as _;
use hetsim::report::Results;
use hetsim::report::chart::draw;
use hetsim::report::manifest::Manifest;
use hetsim::scenario::{Scenario, Source};

/// A chart: its lines, and what a peer takes.
struct Growth {
    name: &'static str,
    title: &'static str,
    /// The key along x, and its values.
    key: &'static str,
    sizes: &'static [u64],
    rows: &'static [GrowthRow],
    /// Seconds of SimGrid by the size, and what they are called.
    simgrid: &'static [(u64, f64, &'static str)],
}

/// A line of a chart.
struct GrowthRow {
    name: &'static str,
    label: &'static str,
    /// The scenario of a size.
    scenario: fn(u64) -> String,
    /// The largest size that ends within a minute or so.
    most: u64,
    what: What,
}

/// What is timed.
#[derive(Clone, Copy)]
enum What {
    /// The simulation alone, which the manifest tells.
    Simulation,
    /// The whole command, where nothing is stored.
    First,
    /// The whole command, where all is stored.
    Again,
    /// `hetsim check`.
    Check,
}

const fn row(name: &'static str, label: &'static str, scenario: fn(u64) -> String, most: u64) -> GrowthRow {
    GrowthRow { name, label, scenario, most, what: What::Simulation }
}

const ALL: u64 = u64::MAX;

/// Metrics in seconds that every workload has: the lines of a chart are drawn as these, under labels of their own.
const LINES: [&str; 4] = ["path_computing_s", "path_overhead_s", "path_latency_s", "path_transmission_s"];
const DECADES: &[u64] = &[1000, 10_000, 100_000, 1_000_000];

const CHARTS: [Growth; 5] = [
    Growth {
        name: "broadcast",
        title: "Binomial broadcasts of 1 MB",
        key: "platform.cluster.nodes.nodes",
        sizes: DECADES,
        rows: &[
            row("fair", "over the links of a star", |nodes| broadcast(nodes, FAIR), ALL),
            row("hockney", "hockney", |nodes| broadcast(nodes, HOCKNEY), ALL),
        ],
        simgrid: &[(1_000_000, 14.8, "SimGrid 4.1, star")],
    },
    Growth {
        name: "pull",
        title: "10 000 workers pull unequal tasks over the links of a star",
        key: "workload.tasks",
        sizes: DECADES,
        rows: &[row("fair", "requests and answers", pull, ALL)],
        simgrid: &[(1_000_000, 11.3, "SimGrid 4.1")],
    },
    Growth {
        name: "messages",
        title: "Random messages of 1 to 20 MB that start together over a star",
        key: "workload.pattern.messages",
        sizes: &[1000, 3000, 10_000, 30_000, 100_000],
        rows: &[
            row("few", "64 hosts", |messages| traffic(64, messages, STAR, "raw"), 30_000),
            row("some", "1000 hosts", |messages| traffic(1000, messages, STAR, "raw"), ALL),
            row("many", "10 000 hosts", |messages| traffic(10_000, messages, STAR, "raw"), ALL),
        ],
        simgrid: &[
            (10_000, 3.8, "SimGrid 4.1, 64 hosts"),
            (10_000, 9.4, "SimGrid 4.1, 1000 hosts"),
            (10_000, 0.12, "SimGrid 4.1, 10 000 hosts"),
        ],
    },
    Growth {
        name: "networks",
        title: "Random messages over other networks of 1000 hosts",
        key: "workload.pattern.messages",
        sizes: &[1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000],
        rows: &[
            row("torus", "torus", |messages| traffic(1000, messages, TORUS, "raw"), 30_000),
            row("tree", "fat tree", |messages| traffic(1000, messages, FAT_TREE, "raw"), 30_000),
            row("lv08", "star, lv08", |messages| traffic(1000, messages, STAR, "lv08"), 30_000),
            row("dragonfly", "dragonfly of 50 000 hosts, drawn instants", dragonfly, ALL),
        ],
        simgrid: &[],
    },
    Growth {
        name: "points",
        title: "Sweeps whose points are one message each, the whole command",
        key: "workload.pattern.messages",
        sizes: DECADES,
        rows: &[
            GrowthRow { name: "first", label: "computed", scenario: points, most: ALL, what: What::First },
            GrowthRow { name: "again", label: "all stored", scenario: points, most: ALL, what: What::Again },
            GrowthRow { name: "check", label: "checked", scenario: points, most: ALL, what: What::Check },
        ],
        simgrid: &[],
    },
];

const STAR: &str = "topology = { kind = 'star' }";
const TORUS: &str = "topology = { kind = 'torus', dimensions = [10, 10, 10] }";
const FAT_TREE: &str = "topology = { kind = 'fat_tree', down = [25, 40], up = [1, 25] }";
const FAIR: &str = "model = 'fair', latency = '50us', bandwidth = '125MB/s', topology = { kind = 'star' }";
const HOCKNEY: &str = "model = 'hockney', latency = '50us', bandwidth = '125MB/s'";

fn platform(nodes: u64, network: &str) -> String {
    format!("version = 1\n[platform.cluster.nodes]\nnodes = {nodes}\nnetwork = {{ {network} }}\n")
}

fn broadcast(nodes: u64, network: &str) -> String {
    platform(nodes, network) + "[workload]\nkind = 'broadcast'\nsize = '1MB'\nalgorithm = 'binomial'\n"
}

fn pull(tasks: u64) -> String {
    let farm = "[workload.farm]\npolicy = 'adaptive'\ntask_size = '100B'\nresult_size = '100B'\n";
    let task = "{ distribution = 'uniform', from = '50Mop', to = '150Mop' }";
    let platform = platform(10_001, FAIR).replace("network", "speed = '1Gop/s'\nnetwork");
    format!("{platform}[workload]\nkind = 'independent'\ntasks = {tasks}\ntask = {task}\n{farm}")
}

fn traffic(hosts: u64, messages: u64, topology: &str, calibration: &str) -> String {
    let platform = platform(hosts, &format!("model = 'fair', latency = '50us', bandwidth = '125MB/s', {topology}"));
    let pattern = format!("{{ kind = 'random', messages = {messages} }}");
    let sizes = "{ distribution = 'uniform', from = '1MB', to = '20MB' }";
    format!(
        "{platform}[platform.transport]\ncalibration = '{calibration}'\n[workload]\nkind = 'traffic'\npattern = \
         {pattern}\nsizes = {sizes}\n"
    )
}

fn dragonfly(messages: u64) -> String {
    let topology = "topology = { kind = 'dragonfly', groups = 25, chassis = 10, routers = 20, nodes_per_router = 10, \
                    group_links = 10 }";
    let text = traffic(50_000, messages, topology, "raw");
    text.replace("from = '1MB', to = '20MB'", "from = '1kB', to = '20kB'") + "gap = '1us'\n"
}

/// A message over sizes and latencies.
fn points(points: u64) -> String {
    let steps = points.isqrt();
    let sweep = format!(
        "[sweep]\n'workload.size' = {{ from = '1KiB', to = '1000KiB', steps = {steps} }}\n\
         'platform.cluster.nodes.network.latency' = {{ from = '1us', to = '1000us', steps = {} }}\n",
        points / steps
    );
    platform(2, HOCKNEY) + "[workload]\nkind = 'broadcast'\nsize = '1KiB'\nalgorithm = 'linear'\n" + &sweep
}

fn main() -> Result<(), Box<dyn Error>> {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    for growth in CHARTS.iter().filter(|growth| wanted.is_empty() || wanted.iter().any(|name| name == growth.name)) {
        let mut last = vec![None; growth.rows.len()];
        let measured = growth.sizes.iter().map(|&size| measure(growth, size, &mut last));
        let measured: Vec<Record> = measured.collect::<Result<_, _>>()?;
        picture(growth, measured)?;
    }
    Ok(())
}

/// The seconds of each line at a size; `last` has the size before and its seconds.
fn measure(growth: &Growth, size: u64, last: &mut [Option<(u64, f64)>]) -> Result<Record, Box<dyn Error>> {
    let mut record = Record::default();
    for ((row, line), last) in growth.rows.iter().zip(LINES).zip(last).filter(|((row, _), _)| size <= row.most) {
        let (mut seconds, memory) = time(row, size)?;
        if seconds < 2.0 {
            seconds = seconds.min(time(row, size)?.0).min(time(row, size)?.0);
        }
        let exponent = last.replace((size, seconds)).map_or_else(String::new, |(smaller, before)| {
            format!("  n^{:.2}", (seconds / before).ln() / (size as f64 / smaller as f64).ln())
        });
        println!(
            "{:10} {:10} {size:>8}  {seconds:8.3} s  {:6.0} MB{exponent}",
            growth.name,
            row.name,
            memory as f64 / 1e6
        );
        record.metric(line, seconds);
    }
    Ok(record)
}

/// The seconds of one run of a size, and the bytes of its process.
fn time(row: &GrowthRow, size: u64) -> Result<(f64, u64), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("growth.toml");
    fs::write(&file, (row.scenario)(size))?;
    let run = |check: bool| -> Result<f64, Box<dyn Error>> {
        let start = Instant::now();
        let mut command = Command::new(env!("CARGO_BIN_EXE_hetsim"));
        let command = if check { command.arg("check").arg(&file) } else { command.arg(&file).args(["--jobs", "1"]) };
        if !check {
            command.arg("--quiet").arg("--out").arg(folder.path());
        }
        let output = command.output()?;
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() { Ok(start.elapsed().as_secs_f64()) } else { Err(message.into()) }
    };
    let whole = run(matches!(row.what, What::Check))?;
    let again = if matches!(row.what, What::Again) { run(false)? } else { whole };
    let manifest = Manifest::read(&folder.path().join("growth")).unwrap_or_default();
    let seconds = if matches!(row.what, What::Simulation) { manifest.simulation_wall_s } else { again };
    Ok((seconds, manifest.peak_memory_bytes.unwrap_or(0)))
}

/// Draws the chart with hetsim's own lines: a scenario whose points are the sizes.
fn picture(growth: &Growth, measured: Vec<Record>) -> Result<(), Box<dyn Error>> {
    let y = &LINES[..growth.rows.len()];
    let label = |(row, line): (&GrowthRow, &str)| format!("{line} = '{}'", row.label);
    let labels = growth.rows.iter().zip(LINES).map(label).collect::<Vec<_>>().join(", ");
    let mut text = (growth.rows[0].scenario)(growth.sizes[0]);
    if matches!(growth.rows[0].what, What::First) {
        // A sweep whose points are a message each is drawn over the number of messages.
        text = traffic(2, growth.sizes[0], STAR, "raw");
    }
    write!(
        text,
        "[sweep]\n'{}' = {:?}\n[[chart]]\nkind = 'line'\nname = 'growth-{}'\ntitle = '{}'\nx = '{}'\ny = {y:?}\n\
         labels = {{ {labels} }}\ny_label = 'seconds on one core'\nx_scale = 'log'\ny_scale = 'log'\nwidth = '120mm'\n",
        growth.key,
        growth.sizes,
        growth.name,
        growth.title,
        growth.key.rsplit('.').next().unwrap_or_default(),
    )?;
    for (x, y, label) in growth.simgrid {
        write!(text, "[[chart.mark]]\nlabel = '{label}'\nx = {x}\ny = {y}\n")?;
    }
    let source = Source { name: growth.name.to_owned(), folder: ".".into(), text: text.into() };
    let scenario = Scenario::read(growth.name.to_owned(), source, &[])?;
    let results = Results::new(&scenario, measured.into_iter().enumerate().map(|(point, record)| (point, 0, record)));
    for picture in draw(&results, &scenario.report().chart, &[])? {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/pictures");
        fs::write(folder.join(format!("{}.svg", picture.name)), picture.svg)?;
    }
    Ok(())
}
