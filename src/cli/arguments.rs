//! The definition of the command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::batch::shard::Shard;
use crate::batch::submit::Engine;
use crate::communication::Operation;
use crate::fit::Model;
use crate::fit::runtime;
use crate::graph::read::Format;
use crate::partition::{Method, Unit};
use crate::scenario::Described;
use crate::units::{Bytes, Operations, OperationsPerSecond, Seconds};
use crate::workload::communication::Placement;

/// Simulates parallel programs on clusters of unequal machines.
///
/// A scenario is one TOML file: a platform, a workload, and what varies. `hetsim SCENARIO.toml` runs it on all cores
/// and writes tables, charts and a report into output/SCENARIO/. Run it again and only what is missing is computed.
#[derive(Debug, Parser)]
#[command(
    version,
    arg_required_else_help = true,
    after_help = "Examples:\n  \
        hetsim new broadcast > mine.toml       start a scenario of your own\n  \
        hetsim check mine.toml                 check it, and see what it would run\n  \
        hetsim mine.toml                       run it\n  \
        hetsim mine.toml --set workload.root=3 run it with another value\n  \
        hetsim list broadcast                  models, algorithms and workloads, of all kinds or one\n  \
        hetsim convert flow.json flow.dot --speed 2Gop/s   a task graph in another format\n  \
        hetsim measure latency.txt             models of a real network\n  \
        hetsim advise platform.toml            which broadcast for which size, also for Open MPI\n  \
        hetsim submit mine.toml --engine slurm --shards 16   the runs on a cluster\n\n\
        Files of up to 1 GiB are read; the environment variable HETSIM_MAX_FILE_SIZE=4GiB sets another limit.\n\n\
        Exit codes: 0 done, 1 a run failed or (with --strict) an expectation was missed, 2 bad input, 130 interrupted."
)]
pub(super) struct Hetsim {
    #[command(subcommand)]
    pub(super) command: Command,
}

/// The command.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run a scenario (`hetsim SCENARIO.toml` does the same)
    Run(Run),
    /// Check a scenario without running it; show its platform and the number of runs
    Check(Input),
    /// Print a commented starting scenario
    New(New),
    /// List all workloads, network models, algorithms and metrics with a short description
    List(List),
    /// Print the JSON schema of scenarios, for editors
    Schema(Schema),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Redraw the charts and the report of a results folder without running anything
    Plot(Plot),
    /// Repeat one run and print all its events
    Trace(Trace),
    /// Make results from the runs that shards have computed
    Merge(Merge),
    /// Show the progress of a run: interrupted, running, in shards, or done
    Status(Status),
    /// Submit a sweep in shards to a batch system
    Submit(Submit),
    /// Compare the metrics of two results folders
    Compare(Compare),
    /// Convert a task graph from one file format to another
    Convert(Convert),
    /// Fit network models to real measurements: OSU micro-benchmark output, or ping-pongs as CSV
    Measure(Measure),
    /// Find a formula for measured run times
    Fit(Fit),
    /// Find logical clusters in measured latencies
    Partition(Partition),
    /// Find the fastest algorithm of collective operations for each size on a platform, also as rules for Open MPI
    Advise(Advise),
}

/// A scenario with overrides.
#[derive(Debug, Args)]
pub(super) struct Input {
    /// The scenario file
    pub(super) scenario: PathBuf,
    /// Override a value of the scenario, such as workload.size=8KiB
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(super) overrides: Vec<String>,
    /// Use another seed for all random streams
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,
}

impl Input {
    /// All overrides of the scenario.
    pub(super) fn all_overrides(&self) -> Vec<String> {
        let seed = self.seed.map(|seed| format!("seed={seed}"));
        self.overrides.iter().cloned().chain(seed).collect()
    }
}

/// `hetsim run`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        hetsim run mine.toml --jobs 4                   on four cores\n  \
        hetsim run mine.toml --set workload.size=8KiB   with another value\n  \
        hetsim run mine.toml --shard 3/16               one shard; then hetsim merge")]
pub(super) struct Run {
    #[command(flatten)]
    pub(super) input: Input,
    /// The parent of the results folder
    #[arg(long, value_name = "DIR", default_value = "output")]
    pub(super) out: PathBuf,
    /// The number of concurrent runs; all cores by default
    #[arg(long, value_name = "N")]
    pub(super) jobs: Option<std::num::NonZeroUsize>,
    /// Discard stored runs and compute everything again
    #[arg(long)]
    pub(super) fresh: bool,
    /// Exit with 1 if an expectation is missed, except for those of wall-clock times
    #[arg(long)]
    pub(super) strict: bool,
    /// Compute only one shard of the sweep, given by its index from 0 and the number of shards; `hetsim merge` makes
    /// the results
    #[arg(long, value_name = "I/N")]
    pub(super) shard: Option<Shard>,
    /// Print neither progress nor tables
    #[arg(long, short)]
    pub(super) quiet: bool,
}

/// `hetsim list`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        hetsim list                     everything but the metrics\n  \
        hetsim list metrics             what runs measure: unit, and whether less or more is better\n  \
        hetsim list broadcast           the algorithms and heuristics of broadcasts, and related entries\n  \
        hetsim list networks            one kind\n  \
        hetsim list scheduler insertion entries with both words")]
pub(super) struct List {
    /// Show only entries with these words: a kind (broadcast, scheduler, network), a name, or a word of a description
    #[arg(value_name = "WORD")]
    pub(super) words: Vec<String>,
}

/// `hetsim schema`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        hetsim schema > hetsim.schema.json                  then `#:schema ./hetsim.schema.json` as a scenario's first line\n  \
        hetsim schema --descriptions > hetsim.schema.json   the editor also says what each key means\n  \
        hetsim schema platform                              for the TOML files of `platform.include`")]
pub(super) struct Schema {
    /// The kind of file
    #[arg(value_enum, default_value = "scenario")]
    pub(super) of: SchemaOf,
    /// Include the meaning of each key, its default and an example: four times as long
    #[arg(long)]
    pub(super) descriptions: bool,
}

/// The kinds of files that have a schema.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(super) enum SchemaOf {
    /// A scenario
    Scenario,
    /// A file for `platform.include`
    Platform,
}

impl From<SchemaOf> for Described {
    fn from(of: SchemaOf) -> Self {
        match of {
            SchemaOf::Scenario => Self::Scenario,
            SchemaOf::Platform => Self::Platform,
        }
    }
}

/// `hetsim merge`.
#[derive(Debug, Args)]
#[command(
    long_about = "Make results from the runs that shards have computed\n\n\
        Tables, charts and the report equal those of a single process, byte for byte. If runs are missing, nothing \
        is written: the incomplete shards are listed with the commands to compute them, and the exit code is 1.",
    after_help = "Examples:\n  \
        hetsim merge output/mine                       all runs must be stored\n  \
        hetsim merge output/mine --partial             the stored runs, for a preview\n  \
        hetsim merge output/mine --scenario mine.toml  with the charts of this file"
)]
pub(super) struct Merge {
    /// The results folder, such as output/mine
    pub(super) folder: PathBuf,
    /// The scenario file, if not the one that the shards were started with
    #[arg(long, value_name = "FILE")]
    pub(super) scenario: Option<PathBuf>,
    /// Override a value of that file, such as workload.size=8KiB
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "scenario")]
    pub(super) overrides: Vec<String>,
    /// Write results even if runs are missing
    #[arg(long)]
    pub(super) partial: bool,
    /// Exit with 1 if an expectation is missed, except for those of wall-clock times
    #[arg(long)]
    pub(super) strict: bool,
    /// Print no tables
    #[arg(long, short)]
    pub(super) quiet: bool,
}

/// `hetsim status`.
#[derive(Debug, Args)]
#[command(
    long_about = "Show the progress of a run: interrupted, running, in shards, or done\n\n\
        A run is done when the store holds it, whoever computed it. A shard is lost if its process or its job is gone, or if \
        it had no heartbeat for two minutes. Slurm's queue is asked if there is one.",
    after_help = "Examples:\n  \
        hetsim status output/mine\n  \
        watch -n 30 hetsim status output/mine\n  \
        hetsim status output/mine --json | jq .done"
)]
pub(super) struct Status {
    /// The results folder, such as output/mine
    pub(super) folder: PathBuf,
    /// The scenario file, if not the one that the run or the shards were started with
    #[arg(long, value_name = "FILE")]
    pub(super) scenario: Option<PathBuf>,
    /// Override a value of that file, such as workload.size=8KiB
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "scenario")]
    pub(super) overrides: Vec<String>,
    /// Print the state of every shard as JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// `hetsim submit`.
#[derive(Debug, Args)]
#[command(
    long_about = "Submit a sweep in shards to a batch system\n\n\
        Scripts are written to the folder `jobs` in the results folder and submitted to the system; after the shards, a job \
        merges. Submitting again submits only incomplete shards that are neither running nor queued. \
        See docs/clusters.md.",
    after_help = "Examples:\n  \
        hetsim submit mine.toml --engine slurm --shards 16 --time 2:00:00 --cpus 8\n  \
        hetsim submit mine.toml --engine slurm            again: the lost shards\n  \
        hetsim submit mine.toml --engine parallel --shards 8\n  \
        hetsim submit mine.toml --engine hq --shards 64 --dry-run"
)]
pub(super) struct Submit {
    #[command(flatten)]
    pub(super) input: Input,
    /// The batch system
    #[arg(long, value_name = "ENGINE", value_parser = engine_parser())]
    pub(super) engine: Engine,
    /// The number of shards; as before by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) shards: Option<u32>,
    /// The parent of the results folder, which all hosts must see
    #[arg(long, value_name = "DIR", default_value = "output")]
    pub(super) out: PathBuf,
    /// The Slurm partition
    #[arg(long, value_name = "NAME")]
    pub(super) partition: Option<String>,
    /// The Slurm account
    #[arg(long, value_name = "NAME")]
    pub(super) account: Option<String>,
    /// The time limit of a shard, in the notation of the system
    #[arg(long, value_name = "TIME")]
    pub(super) time: Option<String>,
    /// The number of cores for each shard
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) cpus: u32,
    /// The memory for each shard, in the notation of Slurm
    #[arg(long, value_name = "SIZE")]
    pub(super) memory: Option<String>,
    /// The maximum number of shards that run at once
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) at_once: Option<u32>,
    /// A further option passed to the system unchanged, such as --option=--qos=long; may be given several times
    #[arg(long = "option", value_name = "OPTION", allow_hyphen_values = true)]
    pub(super) options: Vec<String>,
    /// Print scripts and commands without writing or submitting anything
    #[arg(long)]
    pub(super) dry_run: bool,
}

/// A parser of the names of batch systems.
fn engine_parser() -> impl clap::builder::TypedValueParser<Value = Engine> {
    use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
    let names = Engine::ALL.iter().map(|(_, name, about)| PossibleValue::new(*name).help(*about));
    PossibleValuesParser::new(names).try_map(|name| {
        let known = Engine::ALL.iter().find(|(_, own, _)| *own == name);
        known.map(|(engine, _, _)| *engine).ok_or("not a system")
    })
}

/// `hetsim new`.
#[derive(Debug, Args)]
pub(super) struct New {
    /// The kind of scenario
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(crate::scenario::TEMPLATES.iter().map(|(kind, about)| clap::builder::PossibleValue::new(kind).help(about))))]
    pub(super) kind: String,
}

/// `hetsim plot`.
#[derive(Debug, Args)]
pub(super) struct Plot {
    /// The results folder, such as output/first
    pub(super) folder: PathBuf,
}

/// `hetsim trace`.
#[derive(Debug, Args)]
pub(super) struct Trace {
    #[command(flatten)]
    pub(super) input: Input,
    /// The run: its number in results.csv, from 0, or the beginning of its name there
    #[arg(long, value_name = "RUN")]
    pub(super) run: String,
    /// Write a Gantt chart of the run to this SVG file
    #[arg(long, value_name = "FILE")]
    pub(super) gantt: Option<PathBuf>,
    /// With --gantt: add lanes for the most used shared links
    #[arg(long, requires = "gantt")]
    pub(super) links: bool,
    /// Write a heat-map of the use of shared links over time to this SVG file
    #[arg(long, value_name = "FILE")]
    pub(super) utilization: Option<PathBuf>,
    /// Write a heat-map of the use of the nodes' cores over time to this SVG file
    #[arg(long, value_name = "FILE")]
    pub(super) node_utilization: Option<PathBuf>,
    /// Write a trace of the run for ui.perfetto.dev or chrome://tracing to this JSON file
    #[arg(long = "trace", value_name = "FILE")]
    pub(super) events: Option<PathBuf>,
    /// Draw the run's task graph of up to 60 tasks in this SVG file
    #[arg(long, value_name = "FILE")]
    pub(super) graph: Option<PathBuf>,
}

/// `hetsim compare`.
#[derive(Debug, Args)]
pub(super) struct Compare {
    /// A results folder
    pub(super) first: PathBuf,
    /// Another results folder
    pub(super) second: PathBuf,
}

/// `hetsim convert`.
#[derive(Debug, Args)]
#[command(
    long_about = "Convert a task graph from one file format to another, or a platform of SimGrid (.xml) to TOML\n\n\
        File extensions select the formats: .toml, .stg, .dot or .gv, .dax or .xml, and .json, which is read \
        as WfFormat if it mentions a workflow and as a matrix otherwise. Formats with times instead of work give \
        operations at one operation per second, unless --speed says otherwise. Parts of the graph that the new \
        format cannot hold are listed.",
    after_help = "Examples:\n  \
        hetsim convert montage.json montage.toml                  a WfCommons workflow, for editing by hand\n  \
        hetsim convert montage.json montage.dot --speed 2Gop/s    work instead of times on a machine of 2 Gop/s\n  \
        hetsim convert graph.toml graph.json --to wfformat        .json could be two formats\n  \
        hetsim convert graph.stg - --to dot | dot -Tsvg           draw it with Graphviz"
)]
pub(super) struct Convert {
    /// The input file
    #[arg(value_name = "IN")]
    pub(super) input: PathBuf,
    /// The output file, replaced atomically; - for standard output
    #[arg(value_name = "OUT")]
    pub(super) output: PathBuf,
    /// The format of IN, if its extension does not determine it
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    pub(super) from: Option<Format>,
    /// The format of OUT, if its extension does not determine it
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    pub(super) to: Option<Format>,
    /// The name of the graph to convert, if IN has several
    #[arg(long, value_name = "NAME")]
    pub(super) instance: Option<String>,
    /// The speed of the machine on which the times in IN were measured, such as 2Gop/s; operations are times multiplied
    /// by it
    #[arg(long, value_name = "SPEED")]
    pub(super) speed: Option<OperationsPerSecond>,
}

/// `hetsim measure`.
#[derive(Debug, Args)]
#[command(
    after_help = "Files: the output of osu_latency or osu_bw, or a CSV with a column `bytes` and columns such as half_rtt_us, rtt_us,\n\
        gap_us, send_overhead_us, receive_overhead_us (or _s, _ms, _ns). Several files are combined.\n\n\
        Examples:\n  \
        hetsim measure latency.txt bandwidth.txt          Hockney, LogP, LogGP and pLogP, with intervals and errors\n  \
        hetsim measure pingpong.csv --out output          and a platform to include:\n                                                    \
        output/measure-pingpong/platform.toml\n  \
        hetsim measure pingpong.csv --json | jq .models   all digits, in seconds, bytes and per cent"
)]
pub(super) struct Measure {
    /// The files with the measurements
    #[arg(value_name = "FILE", required = true)]
    pub(super) files: Vec<PathBuf>,
    /// Fit only this model, and fail if that is impossible; may be given several times
    #[arg(long = "model", value_name = "MODEL", value_parser = model_parser())]
    pub(super) models: Vec<Model>,
    /// The parent of the results folder, measure-NAME for NAME.txt, which receives a platform with the network that
    /// predicts best; no folder by default
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Print JSON with all digits
    #[arg(long)]
    pub(super) json: bool,
    /// Print the parameters as CSV, with all digits
    #[arg(long, conflicts_with = "json")]
    pub(super) csv: bool,
}

/// A parser of the names of models for a pair of nodes, with their descriptions for help and completion.
fn model_parser() -> impl clap::builder::TypedValueParser<Value = Model> {
    use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
    let of_pairs = Model::ALL.iter().filter(|model| **model != Model::Lmo);
    let models = of_pairs.map(|model| PossibleValue::new(model.name()).help(model.about()));
    PossibleValuesParser::new(models).try_map(|name| name.parse::<Model>())
}

/// `hetsim partition`.
#[derive(Debug, Args)]
#[command(
    long_about = "Find logical clusters in measured latencies\n\n\
        FILE holds a square matrix (cells separated by commas; names in a first row and column are optional, and rows \
        with names may be in any order; the diagonal is ignored, and an empty cell was not measured), or one line per \
        pair under the header from,to,latency_us (or _s, _ms, _ns). If both directions are given, their mean counts. \
        The clusters go to standard output. With --out DIR, the assignment (clusters.csv) and a picture of the matrix \
        ordered by cluster (matrix.svg) go to DIR/partition-NAME.",
    after_help = "Examples:\n  \
        hetsim partition latencies.csv --unit us                      the rule of Lowekamp and Beguelin, 20 %\n  \
        hetsim partition latencies.csv --bound 1.3 --out output       another bound; files\n  \
        hetsim partition latencies.csv --method single_linkage --threshold 1ms"
)]
pub(super) struct Partition {
    /// The file with the latencies
    pub(super) file: PathBuf,
    /// The allowed ratio of the latencies inside a cluster to the least one: 1.2 is 20 %
    #[arg(long, value_name = "FACTOR", default_value_t = 1.2)]
    pub(super) bound: f64,
    /// The partition method
    #[arg(long, value_name = "METHOD", default_value = "lowekamp", value_parser = method_parser())]
    pub(super) method: Method,
    /// The greatest latency inside a cluster, such as 1ms; required by the linkage methods
    #[arg(long, value_name = "TIME")]
    pub(super) threshold: Option<Seconds>,
    /// The unit of the latencies, if the file does not give it: s, ms, us or ns; seconds by default
    #[arg(long, value_name = "UNIT", value_parser = unit_parser())]
    pub(super) unit: Option<Unit>,
    /// The parent of the results folder, partition-NAME for NAME.csv; no folder by default
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
}

/// `hetsim advise`.
#[derive(Debug, Args)]
#[command(
    long_about = "Find the fastest algorithm of collective operations for each size on a platform, also as rules for Open MPI\n\n\
        Every algorithm of an operation is simulated for each size and each number of ranks; broadcasts that cut \
        the message are simulated with several segment lengths, and on several clusters with the heuristics between them. The root is \
        rank 0. Ties go to the usual algorithm, then to the first one in `hetsim list`.\n\n\
        PLATFORM is a scenario, whose platform at the first point is used; a file with [platform.cluster.NAME]; or \
        one with [cluster.NAME], as for `platform.include`. A table goes to standard output. The results folder contains \
        choices.csv (every choice, the runner-up, and Open MPI's best), a map per operation (OPERATION.svg), and \
        openmpi.rules, which considers only algorithms of Open MPI. See docs/advise.md.",
    after_help = "Examples:\n  \
        hetsim advise scenarios/grid5000.platform.toml                  broadcasts on up to all nodes\n  \
        hetsim advise mine.toml --operation all --ranks 8,16 --reduction 1op\n  \
        hetsim advise mine.toml --operation all_reduce --sizes 1KiB..1MiB --set platform.cluster.lab.nodes=32\n\n\
        The network may come from measurements: hetsim measure latency.txt --out output"
)]
pub(super) struct Advise {
    /// The file with the platform
    pub(super) platform: PathBuf,
    /// The operation, or all; may be given several times
    #[arg(long = "operation", value_name = "OPERATION", default_value = "broadcast", value_parser = operations_parser())]
    pub(super) operations: Vec<OperationChoice>,
    /// The message sizes: powers of two times the first (1B..4MiB), or a list (1KiB,8KiB)
    #[arg(long, value_name = "SIZES", default_value = "1B..4MiB")]
    pub(super) sizes: Sizes,
    /// The numbers of ranks; powers of two and all nodes by default
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    pub(super) ranks: Vec<u32>,
    /// The placement of the ranks: on the first nodes (cluster), or on one node of each cluster in turn (round_robin)
    #[arg(long, value_name = "PLACEMENT", default_value = "cluster", value_parser = placement_parser())]
    pub(super) placement: Placement,
    /// The computation for combining a pair of bytes in a reduction, on the node that does it
    #[arg(long, value_name = "OPERATIONS", default_value = "0op")]
    pub(super) reduction: Operations,
    /// The number of runs with independent draws whose mean is taken; use several if the platform is random
    #[arg(long, value_name = "N", default_value = "1")]
    pub(super) replicas: std::num::NonZeroU32,
    /// Override a value of the platform, such as platform.cluster.lab.nodes=32
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(super) overrides: Vec<String>,
    /// Use another seed for all random streams
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,
    /// The parent of the results folder, advise-PLATFORM
    #[arg(long, value_name = "DIR", default_value = "output")]
    pub(super) out: PathBuf,
    /// The number of concurrent runs; all cores by default
    #[arg(long, value_name = "N")]
    pub(super) jobs: Option<std::num::NonZeroUsize>,
}

/// One operation, or all.
#[derive(Debug, Clone, Copy)]
pub(super) struct OperationChoice(pub(super) Option<Operation>);

/// A parser of the names of operations, and `all`.
fn operations_parser() -> impl clap::builder::TypedValueParser<Value = OperationChoice> {
    use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
    let names = Operation::ALL.iter().map(|operation| PossibleValue::new(operation.name()).help(operation.about()));
    PossibleValuesParser::new(names.chain([PossibleValue::new(ALL).help("all operations")])).try_map(|name| {
        if name == ALL {
            Ok(OperationChoice(None))
        } else {
            name.parse().map(|operation| OperationChoice(Some(operation)))
        }
    })
}

/// The name of all operations together.
const ALL: &str = "all";

/// A parser of the names of placements.
fn placement_parser() -> impl clap::builder::TypedValueParser<Value = Placement> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    PossibleValuesParser::new(["cluster", "round_robin"])
        .map(|name| if name == "cluster" { Placement::Cluster } else { Placement::RoundRobin })
}

/// Message sizes in rising order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sizes(pub(super) Vec<u64>);

impl std::str::FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let size = |text: &str| text.trim().parse::<Bytes>().map(Bytes::count).map_err(|error| error.to_string());
        let Some((first, last)) = text.split_once("..") else {
            let mut sizes = text.split(',').map(size).collect::<Result<Vec<_>, _>>()?;
            sizes.sort_unstable();
            sizes.dedup();
            return Ok(Self(sizes));
        };
        let (first, last) = (size(first)?, size(last)?);
        if first == 0 || first > last {
            return Err("a range starts at 1B or more and rises, such as 1B..4MiB".to_owned());
        }
        let doubled = std::iter::successors(Some(first), |size| size.checked_mul(2));
        Ok(Self(doubled.take_while(|&size| size <= last).collect()))
    }
}

/// A parser of the names of partition methods, with their descriptions for help and completion.
fn method_parser() -> impl clap::builder::TypedValueParser<Value = Method> {
    use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
    let methods = Method::ALL.iter();
    let methods = methods.map(|method| PossibleValue::new(method.name()).help(method.about()));
    PossibleValuesParser::new(methods).try_map(|name| name.parse::<Method>())
}

/// A parser of the names of units.
fn unit_parser() -> impl clap::builder::TypedValueParser<Value = Unit> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    let units = Unit::ALL;
    PossibleValuesParser::new(units.iter().map(|(name, _)| *name))
        .try_map(move |name| units.iter().find(|(known, _)| *known == name).map(|(_, unit)| *unit).ok_or("not a unit"))
}

/// `hetsim fit`.
#[derive(Debug, Args)]
#[command(
    long_about = "Find a formula for measured run times\n\n\
        The file is a CSV table with a header line: a column of run times and columns that they may depend on. The \
        result is a front of formulas, from short to exact. Two are marked: the knee, and the one to predict with, whose \
        size is validated on held-out points. Ctrl-C ends the search and writes the best so far.",
    after_help = "Examples:\n  \
        hetsim fit bcast.csv --target time_us --by p,bytes\n  \
        hetsim fit bcast.csv --target time_us --by p,bytes --category algorithm\n  \
        hetsim fit pingpong.csv --target us --by bytes --method paper --seed 7"
)]
pub(super) struct Fit {
    /// The file with the measurements
    pub(super) data: PathBuf,
    /// The column of run times, all above 0
    #[arg(long, value_name = "COLUMN")]
    pub(super) target: String,
    /// The numeric columns that the time may depend on
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub(super) by: Vec<String>,
    /// Columns of words that the time may depend on: each word becomes a variable that is 0 or 1
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub(super) category: Vec<String>,
    /// A column of weights
    #[arg(long, value_name = "COLUMN")]
    pub(super) weights: Option<String>,
    /// The method of finding formulas
    #[arg(long, value_name = "METHOD", default_value = "gp", value_parser = fit_method_parser())]
    pub(super) method: runtime::Method,
    /// A column that says `test` for held-out points and `train` for others
    #[arg(long, value_name = "COLUMN")]
    pub(super) split: Option<String>,
    /// The share of points held out at random, if no column splits them
    #[arg(long, value_name = "SHARE", default_value_t = 0.3)]
    pub(super) held_back: f64,
    /// The treatment of several measurements of one point
    #[arg(long, value_name = "WHAT", default_value = "median", value_parser = ["median", "all"])]
    pub(super) repeats: String,
    /// The random seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// The maximum number of generations; the method's own default if omitted
    #[arg(long, value_name = "N")]
    pub(super) generations: Option<usize>,
    /// The number of folds for validating the size of the formula; 0 for no validation
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(super) folds: usize,
    /// The parent of the results folder, fit-NAME for NAME.csv
    #[arg(long, value_name = "DIR", default_value = "output")]
    pub(super) out: PathBuf,
    /// Print neither progress nor tables
    #[arg(long, short)]
    pub(super) quiet: bool,
}

/// A parser of the names of fit methods, with their descriptions for help and completion.
fn fit_method_parser() -> impl clap::builder::TypedValueParser<Value = runtime::Method> {
    use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
    let methods = runtime::Method::ALL.iter().map(|method| PossibleValue::new(method.name()).help(method.about()));
    PossibleValuesParser::new(methods).try_map(|name| name.parse::<runtime::Method>())
}

/// A parser of the names of formats, with their descriptions for help and completion.
fn format_parser() -> impl clap::builder::TypedValueParser<Value = Format> {
    use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
    let formats = Format::ALL.iter().map(|format| PossibleValue::new(format.name()).help(format.about()));
    PossibleValuesParser::new(formats).try_map(|name| name.parse::<Format>())
}

/// Makes `hetsim S.toml` mean `hetsim run S.toml`: inserts `run` if the first word is a file and not a command or an
/// option.
pub(super) fn with_implied_run(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    use clap::CommandFactory;
    let mut words: Vec<OsString> = words.collect();
    let implied = words.get(1).and_then(|word| word.to_str()).is_some_and(|word| {
        let is_command =
            word == "help" || Hetsim::command().get_subcommands().any(|command| command.get_name() == word);
        // A mistyped command should be reported as such; a file name contains a dot or a slash, or the file exists.
        let is_file = word.contains(['.', '/', '\\']) || std::path::Path::new(word).exists();
        !is_command && !word.starts_with('-') && is_file
    });
    if implied {
        words.insert(1, "run".into());
    }
    words
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Hetsim::command().debug_assert();
    }

    #[test]
    fn sizes_are_doubled_or_listed() {
        let sizes = |text: &str| text.parse::<Sizes>().map(|sizes| sizes.0);
        assert_eq!(sizes("1KiB..5KiB"), Ok(vec![1024, 2048, 4096]));
        assert_eq!(sizes("8B, 1B,8B"), Ok(vec![1, 8]));
        for bad in ["0B..1KiB", "2KiB..1KiB", "1KiB..", "1KiB,", "1ms", "1KiB..2KiB..4KiB"] {
            assert!(sizes(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_file_is_run() {
        let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        assert_eq!(with_implied_run(words("hetsim a.toml --fresh").into_iter()), words("hetsim run a.toml --fresh"));
        for line in ["hetsim list", "hetsim --help", "hetsim lst", "hetsim"] {
            assert_eq!(with_implied_run(words(line).into_iter()), words(line));
        }
    }
}
