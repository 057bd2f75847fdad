//! What can be written on the command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::batch::shard::Shard;
use crate::batch::submit::Engine;
use crate::communication::collective::Operation;
use crate::fit::Model;
use crate::fit::runtime;
use crate::graph::read::Format;
use crate::partition::{Method, Unit};
use crate::scenario::Described;
use crate::units::{Bytes, Operations, OperationsPerSecond, Seconds};
use crate::workload::communication::Placement;

/// Simulates parallel programs on clusters of unequal machines.
///
/// A scenario is one TOML file: a platform, a workload, and what varies. `hetsim SCENARIO.toml` runs it on all cores and
/// writes tables, charts and a report into output/SCENARIO/. Run it again and only what is missing is computed.
#[derive(Debug, Parser)]
#[command(
    version,
    arg_required_else_help = true,
    after_help = "Examples:\n  \
        hetsim new broadcast > mine.toml       start a scenario of your own\n  \
        hetsim check mine.toml                 see what it would run, and what is wrong with it\n  \
        hetsim mine.toml                       run it\n  \
        hetsim mine.toml --set workload.root=3 run it with another value\n  \
        hetsim list broadcast                  models, algorithms, workloads: all, or of a kind\n  \
        hetsim convert flow.json flow.dot --speed 2Gop/s   a task graph in another format\n  \
        hetsim measure latency.txt             models of a real network\n  \
        hetsim advise platform.toml            which broadcast for which size, also for Open MPI\n  \
        hetsim submit mine.toml --engine slurm --shards 16   the runs on a cluster\n\n\
        Files of up to 1 GiB are read; HETSIM_MAX_FILE_SIZE=4GiB in the environment sets another limit.\n\n\
        Exit codes: 0 done, 1 a run failed or (with --strict) an expectation was missed, 2 bad input, 130 interrupted."
)]
pub(super) struct Hetsim {
    #[command(subcommand)]
    pub(super) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run a scenario (`hetsim SCENARIO.toml` does the same)
    Run(Run),
    /// Check a scenario without running it; show its platform and the number of runs
    Check(Input),
    /// Print a commented starting scenario
    New(New),
    /// Name every workload, network model, algorithm and metric, with a line each
    List(List),
    /// Print the JSON schema of scenarios, for editors
    Schema(Schema),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Draw the charts and the report of a results folder again, without running anything
    Plot(Plot),
    /// Run one run again and print everything that happens in it
    Trace(Trace),
    /// Make results of what shards have computed
    Merge(Merge),
    /// Show how far a run is: interrupted, at work, in shards, or done
    Status(Status),
    /// Have a batch system compute a sweep in shards
    Submit(Submit),
    /// Compare the metrics of two results folders
    Compare(Compare),
    /// Convert a task graph from one file format to another
    Convert(Convert),
    /// Fit network models to real measurements: OSU micro-benchmarks' output, or ping-pongs as CSV
    Measure(Measure),
    /// Find a formula for measured run times
    Fit(Fit),
    /// Find logical clusters in measured latencies
    Partition(Partition),
    /// Find the fastest algorithm of collective operations for each size on a platform, also as rules for Open MPI
    Advise(Advise),
}

/// A scenario and values put over it.
#[derive(Debug, Args)]
pub(super) struct Input {
    /// The scenario's file
    pub(super) scenario: PathBuf,
    /// Put another value into the scenario, such as workload.size=8KiB
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(super) overrides: Vec<String>,
    /// Another seed for all random streams
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,
}

impl Input {
    /// All values put over the scenario.
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
        hetsim run mine.toml --shard 3/16               a part; then hetsim merge")]
pub(super) struct Run {
    #[command(flatten)]
    pub(super) input: Input,
    /// The folder in which the results folder is made
    #[arg(long, value_name = "DIR", default_value = "output")]
    pub(super) out: PathBuf,
    /// How many runs go on at once; all cores if not given
    #[arg(long, value_name = "N")]
    pub(super) jobs: Option<std::num::NonZeroUsize>,
    /// Compute everything again, whatever is there
    #[arg(long)]
    pub(super) fresh: bool,
    /// Exit with 1 where an expectation is missed (those of times on the clock don't count)
    #[arg(long)]
    pub(super) strict: bool,
    /// Compute one shard of the sweep only, by its index from 0 and their number, and leave the results to `hetsim merge`
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
        hetsim list broadcast           the algorithms and heuristics of broadcasts, and what else speaks of them\n  \
        hetsim list networks            a kind of things\n  \
        hetsim list scheduler insertion what holds both words")]
pub(super) struct List {
    /// Only what holds these words: a kind (broadcast, scheduler, network), a name, or a word of what is said of it
    #[arg(value_name = "WORD")]
    pub(super) words: Vec<String>,
}

/// `hetsim schema`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        hetsim schema > hetsim.schema.json                  then `#:schema ./hetsim.schema.json` as a scenario's first line\n  \
        hetsim schema --descriptions > hetsim.schema.json   the editor also says what each key means\n  \
        hetsim schema platform                              of the TOML files that `platform.include` names")]
pub(super) struct Schema {
    /// Of which kind of file
    #[arg(value_enum, default_value = "scenario")]
    pub(super) of: SchemaOf,
    /// With what each key means, its default and an example: four times as long
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
    long_about = "Make results of what shards have computed\n\n\
        Tables, charts and the report are those that one process would have written, byte for byte. Where runs lack, nothing \
        is written: it is said which shards lack them and how to compute them, and the exit code is 1.",
    after_help = "Examples:\n  \
        hetsim merge output/mine                       all runs must be there\n  \
        hetsim merge output/mine --partial             what is there, to have a look\n  \
        hetsim merge output/mine --scenario mine.toml  with the charts of this file"
)]
pub(super) struct Merge {
    /// The results folder, such as output/mine
    pub(super) folder: PathBuf,
    /// The scenario's file, if not the one that the shards were started with
    #[arg(long, value_name = "FILE")]
    pub(super) scenario: Option<PathBuf>,
    /// Put another value into that file, such as workload.size=8KiB
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "scenario")]
    pub(super) overrides: Vec<String>,
    /// Write results even though runs lack
    #[arg(long)]
    pub(super) partial: bool,
    /// Exit with 1 where an expectation is missed (those of times on the clock don't count)
    #[arg(long)]
    pub(super) strict: bool,
    /// Print no tables
    #[arg(long, short)]
    pub(super) quiet: bool,
}

/// `hetsim status`.
#[derive(Debug, Args)]
#[command(
    long_about = "Show how far a run is: interrupted, at work, in shards, or done\n\n\
        Done is what the store holds, whoever computed it. A shard is lost where its process or its job is gone, or where it \
        gave no sign of life for two minutes. Slurm's queue is asked where there is one.",
    after_help = "Examples:\n  \
        hetsim status output/mine\n  \
        watch -n 30 hetsim status output/mine\n  \
        hetsim status output/mine --json | jq .done"
)]
pub(super) struct Status {
    /// The results folder, such as output/mine
    pub(super) folder: PathBuf,
    /// The scenario's file, if not the one that the run or the shards were started with
    #[arg(long, value_name = "FILE")]
    pub(super) scenario: Option<PathBuf>,
    /// Put another value into that file, such as workload.size=8KiB
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "scenario")]
    pub(super) overrides: Vec<String>,
    /// Print it as JSON, every shard
    #[arg(long)]
    pub(super) json: bool,
}

/// `hetsim submit`.
#[derive(Debug, Args)]
#[command(
    long_about = "Have a batch system compute a sweep in shards\n\n\
        Scripts are written to the folder `jobs` in the results folder and handed to the system; after the shards, a job \
        merges. Submitting again hands in only the shards that lack runs and are neither running nor queued. \
        docs/clusters.md tells more.",
    after_help = "Examples:\n  \
        hetsim submit mine.toml --engine slurm --shards 16 --time 2:00:00 --cpus 8\n  \
        hetsim submit mine.toml --engine slurm            again: what was lost\n  \
        hetsim submit mine.toml --engine parallel --shards 8\n  \
        hetsim submit mine.toml --engine hq --shards 64 --dry-run"
)]
pub(super) struct Submit {
    #[command(flatten)]
    pub(super) input: Input,
    /// The system
    #[arg(long, value_name = "ENGINE", value_parser = engine_parser())]
    pub(super) engine: Engine,
    /// Into how many shards the sweep is cut; as before if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) shards: Option<u32>,
    /// The folder in which the results folder is made, which all hosts must see
    #[arg(long, value_name = "DIR", default_value = "output")]
    pub(super) out: PathBuf,
    /// Slurm's partition
    #[arg(long, value_name = "NAME")]
    pub(super) partition: Option<String>,
    /// Slurm's account
    #[arg(long, value_name = "NAME")]
    pub(super) account: Option<String>,
    /// The longest time that a shard may take, as the system writes times
    #[arg(long, value_name = "TIME")]
    pub(super) time: Option<String>,
    /// Cores for each shard
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) cpus: u32,
    /// Memory for each shard, as Slurm writes it
    #[arg(long, value_name = "SIZE")]
    pub(super) memory: Option<String>,
    /// How many shards run at once at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) at_once: Option<u32>,
    /// A further option of the system, passed on as it is, such as --option=--qos=long; may be given several times
    #[arg(long = "option", value_name = "OPTION", allow_hyphen_values = true)]
    pub(super) options: Vec<String>,
    /// Print scripts and commands; write and start nothing
    #[arg(long)]
    pub(super) dry_run: bool,
}

/// Takes the names of batch systems.
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
    /// What it should be about
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(crate::scenario::KINDS.iter().map(|(kind, about)| clap::builder::PossibleValue::new(kind).help(about))))]
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
    /// Which run: its number in the order of results.csv, from 0, or the beginning of its name there
    #[arg(long, value_name = "RUN")]
    pub(super) run: String,
    /// Write a Gantt chart of it to this SVG file
    #[arg(long, value_name = "FILE")]
    pub(super) gantt: Option<PathBuf>,
    /// With --gantt: lanes for the most used of the links that messages share, too
    #[arg(long, requires = "gantt")]
    pub(super) links: bool,
    /// Write a heat-map of the use of the links that messages share, over time, to this SVG file
    #[arg(long, value_name = "FILE")]
    pub(super) utilization: Option<PathBuf>,
    /// Write the same of the nodes' cores
    #[arg(long, value_name = "FILE")]
    pub(super) node_utilization: Option<PathBuf>,
    /// Write all of it as a trace for ui.perfetto.dev or chrome://tracing to this JSON file
    #[arg(long = "trace", value_name = "FILE")]
    pub(super) events: Option<PathBuf>,
    /// Write a picture of its task graph, of 60 tasks at most, to this SVG file
    #[arg(long, value_name = "FILE")]
    pub(super) graph: Option<PathBuf>,
}

/// `hetsim compare`.
#[derive(Debug, Args)]
pub(super) struct Compare {
    /// A results folder
    pub(super) first: PathBuf,
    /// Another one
    pub(super) second: PathBuf,
}

/// `hetsim convert`.
#[derive(Debug, Args)]
#[command(
    long_about = "Convert a task graph from one file format to another, or a platform of SimGrid (.xml) to TOML\n\n\
        The formats are told by the files' extensions: .toml, .stg, .dot or .gv, .dax or .xml, and .json, which is read \
        as WfFormat where it speaks of a workflow and as a matrix otherwise. Formats that tell times and not work give \
        operations at one operation a second, unless --speed says otherwise. What the new format has no place for \
        is said.",
    after_help = "Examples:\n  \
        hetsim convert montage.json montage.toml                  a WfCommons workflow, to be edited by hand\n  \
        hetsim convert montage.json montage.dot --speed 2Gop/s    work instead of times on a machine of 2 Gop/s\n  \
        hetsim convert graph.toml graph.json --to wfformat        .json could be two formats\n  \
        hetsim convert graph.stg - --to dot | dot -Tsvg           draw it with Graphviz"
)]
pub(super) struct Convert {
    /// The file to read
    #[arg(value_name = "IN")]
    pub(super) input: PathBuf,
    /// The file to write, replaced as a whole; - for standard output
    #[arg(value_name = "OUT")]
    pub(super) output: PathBuf,
    /// The format of IN, where its extension does not tell it
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    pub(super) from: Option<Format>,
    /// The format of OUT, where its extension does not tell it
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    pub(super) to: Option<Format>,
    /// Which graph, by its name, of a file with several
    #[arg(long, value_name = "NAME")]
    pub(super) instance: Option<String>,
    /// The speed of the machine that times in IN were measured on, such as 2Gop/s: operations are times that
    #[arg(long, value_name = "SPEED")]
    pub(super) speed: Option<OperationsPerSecond>,
}

/// `hetsim measure`.
#[derive(Debug, Args)]
#[command(
    after_help = "Files: what osu_latency or osu_bw print, or a CSV with a column `bytes` and columns such as half_rtt_us, rtt_us,\n\
        gap_us, send_overhead_us, receive_overhead_us (or _s, _ms, _ns). Several files are taken together.\n\n\
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
    /// Fit only this model, which must be possible; may be given several times
    #[arg(long = "model", value_name = "MODEL", value_parser = model_parser())]
    pub(super) models: Vec<Model>,
    /// The folder in which the results folder is made, measure-NAME for NAME.txt, with a platform of the network that
    /// predicts best; none if not given
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Print it as JSON, with all digits
    #[arg(long)]
    pub(super) json: bool,
    /// Print the parameters as CSV, with all digits
    #[arg(long, conflicts_with = "json")]
    pub(super) csv: bool,
}

/// Takes the names of models of a pair, and tells the shell and the help what they are.
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
        that have names may stand in any order; the diagonal is not looked at, an empty cell was not measured), or a line \
        a pair under the header from,to,latency_us (or _s, _ms, _ns). Where both directions are given, their mean counts. \
        The clusters go to standard output, and with --out DIR the assignment (clusters.csv) and a picture of the matrix \
        ordered by cluster (matrix.svg) to DIR/partition-NAME.",
    after_help = "Examples:\n  \
        hetsim partition latencies.csv --unit us                      the rule of Lowekamp and Beguelin, 20 %\n  \
        hetsim partition latencies.csv --bound 1.3 --out output       another bound; files\n  \
        hetsim partition latencies.csv --method single_linkage --threshold 1ms"
)]
pub(super) struct Partition {
    /// The file with the latencies
    pub(super) file: PathBuf,
    /// By how much latencies inside a cluster may exceed the least one: 1.2 is 20 %
    #[arg(long, value_name = "FACTOR", default_value_t = 1.2)]
    pub(super) bound: f64,
    /// How clusters are formed
    #[arg(long, value_name = "METHOD", default_value = "lowekamp", value_parser = method_parser())]
    pub(super) method: Method,
    /// The greatest latency inside a cluster, such as 1ms; the linkages need it
    #[arg(long, value_name = "TIME")]
    pub(super) threshold: Option<Seconds>,
    /// The unit of the latencies, where the file names none: s, ms, us or ns; seconds if not given
    #[arg(long, value_name = "UNIT", value_parser = unit_parser())]
    pub(super) unit: Option<Unit>,
    /// The folder in which the results folder is made, partition-NAME for NAME.csv; none if not given
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
}

/// `hetsim advise`.
#[derive(Debug, Args)]
#[command(
    long_about = "Find the fastest algorithm of collective operations for each size on a platform, also as rules for Open MPI\n\n\
        Every algorithm of an operation is run in the simulation, for each size and each number of ranks; broadcasts that cut \
        the message with several lengths of segments, and on several clusters the heuristics between them. The root is \
        rank 0. Of equally fast ones the usual one is taken, then the first of the list of `hetsim list`.\n\n\
        PLATFORM is a scenario, of which the platform at the first point is taken; a file with [platform.cluster.NAME]; or \
        one with [cluster.NAME], as `platform.include` names it. A table goes to standard output. The folder gets \
        choices.csv (every choice, the runner-up, and Open MPI's best), a map an operation (OPERATION.svg), and \
        openmpi.rules, in which only algorithms that Open MPI has take part. docs/advise.md tells more.",
    after_help = "Examples:\n  \
        hetsim advise scenarios/grid5000.platform.toml                  broadcasts on up to all nodes\n  \
        hetsim advise mine.toml --operation all --ranks 8,16 --reduction 1op\n  \
        hetsim advise mine.toml --operation all_reduce --sizes 1KiB..1MiB --set platform.cluster.lab.nodes=32\n\n\
        The network may come from measurements: hetsim measure latency.txt --out output"
)]
pub(super) struct Advise {
    /// The file with the platform
    pub(super) platform: PathBuf,
    /// The operation; may be given several times, or as all
    #[arg(long = "operation", value_name = "OPERATION", default_value = "broadcast", value_parser = operations_parser())]
    pub(super) operations: Vec<Asked>,
    /// Sizes: every power of two times the first (1B..4MiB), or a list (1KiB,8KiB)
    #[arg(long, value_name = "SIZES", default_value = "1B..4MiB")]
    pub(super) sizes: Sizes,
    /// The numbers of ranks; powers of two and all nodes if not given
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    pub(super) ranks: Vec<u32>,
    /// On which nodes the ranks are: the first ones (cluster), or one in each cluster in turn (round_robin)
    #[arg(long, value_name = "PLACEMENT", default_value = "cluster", value_parser = placement_parser())]
    pub(super) placement: Placement,
    /// What it costs to combine a byte with another, on the node that does it
    #[arg(long, value_name = "OPERATIONS", default_value = "0op")]
    pub(super) reduction: Operations,
    /// How many runs, each with draws of its own, a time is the mean of; more than one where the platform is random
    #[arg(long, value_name = "N", default_value = "1")]
    pub(super) replicas: std::num::NonZeroU32,
    /// Put another value into the platform, such as platform.cluster.lab.nodes=32
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(super) overrides: Vec<String>,
    /// Another seed for all random streams
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,
    /// The folder in which the results folder is made, advise-PLATFORM
    #[arg(long, value_name = "DIR", default_value = "output")]
    pub(super) out: PathBuf,
    /// How many runs go on at once; all cores if not given
    #[arg(long, value_name = "N")]
    pub(super) jobs: Option<std::num::NonZeroUsize>,
}

/// One operation, or all.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked(pub(super) Option<Operation>);

/// Takes the names of operations, and `all`.
fn operations_parser() -> impl clap::builder::TypedValueParser<Value = Asked> {
    use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
    let names = Operation::ALL.iter().map(|operation| PossibleValue::new(operation.name()).help(operation.about()));
    PossibleValuesParser::new(names.chain([PossibleValue::new(ALL).help("all of them")])).try_map(|name| {
        if name == ALL { Ok(Asked(None)) } else { name.parse().map(|operation| Asked(Some(operation))) }
    })
}

/// The name of all operations together.
const ALL: &str = "all";

/// Takes the names of placements.
fn placement_parser() -> impl clap::builder::TypedValueParser<Value = Placement> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    PossibleValuesParser::new(["cluster", "round_robin"])
        .map(|name| if name == "cluster" { Placement::Cluster } else { Placement::RoundRobin })
}

/// Sizes, rising.
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
            return Err("a range goes from at least 1B upwards, such as 1B..4MiB".to_owned());
        }
        let doubled = std::iter::successors(Some(first), |size| size.checked_mul(2));
        Ok(Self(doubled.take_while(|&size| size <= last).collect()))
    }
}

/// Takes the names of partition methods, and tells the shell and the help what they are.
fn method_parser() -> impl clap::builder::TypedValueParser<Value = Method> {
    use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
    let methods = Method::ALL.iter();
    let methods = methods.map(|method| PossibleValue::new(method.name()).help(method.about()));
    PossibleValuesParser::new(methods).try_map(|name| name.parse::<Method>())
}

/// Takes the names of units.
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
        The file is a CSV table with a header line: a column of run times and columns that they may depend on. What is \
        found is a front of formulas, from short to exact; the knee is marked, and so is the one to predict with, which is as \
        large as points left out bear out. Ctrl-C ends the search and writes the best so far.",
    after_help = "Examples:\n  \
        hetsim fit bcast.csv --target time_us --by p,bytes\n  \
        hetsim fit bcast.csv --target time_us --by p,bytes --category algorithm\n  \
        hetsim fit pingpong.csv --target us --by bytes --method paper --seed 7"
)]
pub(super) struct Fit {
    /// The file of measurements
    pub(super) data: PathBuf,
    /// The column of run times, all above 0
    #[arg(long, value_name = "COLUMN")]
    pub(super) target: String,
    /// The columns of numbers that the time may depend on
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub(super) by: Vec<String>,
    /// Columns of words that it may depend on: each word becomes a variable that is 0 or 1
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub(super) category: Vec<String>,
    /// A column of weights
    #[arg(long, value_name = "COLUMN")]
    pub(super) weights: Option<String>,
    /// How formulas are found
    #[arg(long, value_name = "METHOD", default_value = "gp", value_parser = fit_method_parser())]
    pub(super) method: runtime::Method,
    /// A column that says which points are held back: train or test
    #[arg(long, value_name = "COLUMN")]
    pub(super) split: Option<String>,
    /// The share of points held back, drawn at random, where no column says which
    #[arg(long, value_name = "SHARE", default_value_t = 0.3)]
    pub(super) held_back: f64,
    /// What several measurements of one point are
    #[arg(long, value_name = "WHAT", default_value = "median", value_parser = ["median", "all"])]
    pub(super) repeats: String,
    /// The seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// Generations at most; what the method sets if not given
    #[arg(long, value_name = "N")]
    pub(super) generations: Option<usize>,
    /// How often the search runs with a part of the points left out, to find out how large a formula may be; 0: not at all
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(super) folds: usize,
    /// The folder in which the results folder is made, fit-NAME for NAME.csv
    #[arg(long, value_name = "DIR", default_value = "output")]
    pub(super) out: PathBuf,
    /// Print neither progress nor tables
    #[arg(long, short)]
    pub(super) quiet: bool,
}

/// Takes the names of methods, and tells the shell and the help what they are.
fn fit_method_parser() -> impl clap::builder::TypedValueParser<Value = runtime::Method> {
    use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
    let methods = runtime::Method::ALL.iter().map(|method| PossibleValue::new(method.name()).help(method.about()));
    PossibleValuesParser::new(methods).try_map(|name| name.parse::<runtime::Method>())
}

/// Takes the names of formats, and tells the shell and the help what they are.
fn format_parser() -> impl clap::builder::TypedValueParser<Value = Format> {
    use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
    let formats = Format::ALL.iter().map(|format| PossibleValue::new(format.name()).help(format.about()));
    PossibleValuesParser::new(formats).try_map(|name| name.parse::<Format>())
}

/// `hetsim S.toml` means `hetsim run S.toml`: where the first word is no command and no option, `run` is put before it.
pub(super) fn with_implied_run(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    use clap::CommandFactory;
    let mut words: Vec<OsString> = words.collect();
    let implied = words.get(1).and_then(|word| word.to_str()).is_some_and(|word| {
        let is_command =
            word == "help" || Hetsim::command().get_subcommands().any(|command| command.get_name() == word);
        // A mistyped command should be called so; a file has a dot or a slash in its name, or is there.
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
