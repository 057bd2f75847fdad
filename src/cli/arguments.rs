//! The definition of the command line: here what concerns scenarios and their results.

mod calibrate;
mod parser;
mod tools;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args, Parser, Subcommand};

use parser::{Completed, names, parser, positive, whole};

use crate::batch::shard::Shard;
use crate::batch::submit::Engine;
use crate::scenario::{Described, Format, TEMPLATES};

pub(super) use calibrate::Calibrate;
pub(super) use tools::{Advise, Convert, Fit, Logs, Measure, Partition, Validate};

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
        hetsim mine.toml --set workload.root=3  run it with another value\n  \
        hetsim list broadcast                  models, algorithms and workloads\n  \
        hetsim explain n_eff                   what a metric, a key or an algorithm is\n  \
        hetsim convert flow.json flow.dot      a task graph in another format\n  \
        hetsim measure latency.txt             models of a real network\n  \
        hetsim advise platform.toml            the fastest algorithm for each size\n  \
        hetsim submit mine.toml --engine slurm --shards 16   the runs on a cluster\n\n\
        Files of up to 1 GiB are read; the environment variable HETSIM_MAX_FILE_SIZE=4GiB sets another limit.\n\n\
        Exit codes: 0 done, 1 a run failed or (with --strict) an expectation was missed, 2 bad input, 130 interrupted."
)]
pub(super) struct Hetsim {
    #[command(subcommand)]
    pub(super) command: Command,
}

/// The command. Those whose arguments have a `long_about` say what they do by `about`: a doc comment would replace both.
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
    /// Explain a metric, a key or a named alternative, such as an algorithm
    Explain(Explain),
    /// Print the JSON schema of scenarios, for editors
    Schema(Schema),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    #[command(about = "Redraw charts from the stored runs of a results folder: for a paper, or after an edit")]
    Plot(Plot),
    /// Repeat one run and print all its events
    Trace(Trace),
    #[command(about = "Make results from the runs that shards have computed")]
    Merge(Merge),
    #[command(about = "Show the progress of a run: interrupted, running, in shards, or done")]
    Status(Status),
    #[command(about = "Submit a sweep in shards to a batch system")]
    Submit(Submit),
    /// Compare the metrics of two results folders
    Compare(Compare),
    #[command(about = "Convert a task graph from one file format to another; a platform of SimGrid, a performance \
        model of StarPU or the input of HPL to TOML")]
    Convert(Convert),
    /// Fit network models to real measurements (OSU micro-benchmark output, ping-pongs), or kernels to calls of routines
    Measure(Measure),
    #[command(about = "Find the values of a platform's keys that explain measured collectives best")]
    Calibrate(Calibrate),
    #[command(about = "Find a formula for measured run times")]
    Fit(Fit),
    #[command(about = "Find logical clusters in measured latencies")]
    Partition(Partition),
    #[command(
        about = "Find the fastest algorithm of collective operations for each size on a platform, also as rules \
        for MPI libraries; with --tasks, how to run tasks, and on which machines; with --hpl, how to run HPL"
    )]
    Advise(Advise),
    #[command(about = "Compare predictions of collectives with measurements, and the choices made by them")]
    Validate(Validate),
}

/// A scenario with overrides.
#[derive(Debug, Args)]
pub(super) struct Input {
    /// The scenario file
    pub(super) scenario: PathBuf,
    /// Override a value of the scenario, such as workload.size=8KiB; a swept key keeps only this one
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(super) overrides: Vec<String>,
    /// Use another seed for all random streams
    #[arg(long, value_name = "N", value_parser = whole::<u64>)]
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
    /// The number of concurrent runs, at most one a core; all cores by default
    #[arg(long, value_name = "N", value_parser = positive::<std::num::NonZeroUsize>)]
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
        hetsim list                      all that a scenario can name, without metrics\n  \
        hetsim list metrics              what runs measure: unit, and whether less or more is better\n  \
        hetsim list files                what keys and commands read\n  \
        hetsim list commands             the commands\n  \
        hetsim list broadcast            the algorithms and heuristics of broadcasts, and related entries\n  \
        hetsim list networks             one kind\n  \
        hetsim list scheduler insertion  entries with both words")]
pub(super) struct List {
    /// Show only entries with these words: a kind (broadcast, scheduler, network), a name, or a word of a description;
    /// metrics, files and commands are searched, too
    #[arg(value_name = "WORD")]
    pub(super) words: Vec<String>,
}

/// `hetsim explain`.
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "Examples:\n  \
        hetsim explain n_eff               a metric: unit, formula, source, and what it tells\n  \
        hetsim explain latency             a key, in all tables that have it\n  \
        hetsim explain workload.tasks      a key in one table\n  \
        hetsim explain binomial            an algorithm, a policy, a network model, a workload, …"
)]
pub(super) struct Explain {
    /// A metric, a key or a named alternative, as in a scenario or in results
    #[arg(value_parser = Completed(super::explain::completed), hide_possible_values = true)]
    pub(super) name: String,
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

/// A results folder, and the scenario that it is of.
#[derive(Debug, Args)]
pub(super) struct Results {
    /// The results folder, such as output/mine
    pub(super) folder: PathBuf,
    /// The scenario file, if not the one that the run or the shards were started with
    #[arg(long, value_name = "FILE")]
    pub(super) scenario: Option<PathBuf>,
    /// Override a value of that file, such as workload.size=8KiB
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "scenario")]
    pub(super) overrides: Vec<String>,
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
    #[command(flatten)]
    pub(super) results: Results,
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
    #[command(flatten)]
    pub(super) results: Results,
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
        See docs/running-on-clusters.md.",
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
    #[arg(long, value_name = "ENGINE", value_parser = names(Engine::ALL, Engine::name, Engine::about))]
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

/// `hetsim new`.
#[derive(Debug, Args)]
pub(super) struct New {
    /// The kind of scenario; without it, all kinds are listed
    #[arg(value_parser = parser(TEMPLATES.iter().map(|(kind, about)| (PossibleValue::new(kind).help(about), (*kind).to_owned()))))]
    pub(super) kind: Option<String>,
}

/// `hetsim plot`.
#[derive(Debug, Args)]
#[command(
    long_about = "Redraw charts, or everything, from the stored runs of a results folder\n\n\
        Without an option all files of the folder are made again by the scenario as its file is now. With one, charts \
        are drawn and nothing else is touched. No run is computed but the one that a Gantt chart, a tree, a graph or \
        a utilization shows. A scenario that needs other runs than are stored is refused.",
    after_help = "Examples:\n  \
        hetsim plot output/mine                                    tables, charts and report again\n  \
        hetsim plot output/mine --width 85mm --format pdf,tex      all charts for a column of a paper\n  \
        hetsim plot output/mine --chart speedup --format png       one chart for a slide\n  \
        hetsim plot output/mine --scenario edited.toml --out figs  with the charts of an edited copy"
)]
pub(super) struct Plot {
    #[command(flatten)]
    pub(super) results: Results,
    /// A chart to draw; may be given several times; all by default
    #[arg(long = "chart", value_name = "NAME")]
    pub(super) charts: Vec<String>,
    /// The width of the charts in print, such as 85mm, 6in or 240pt: laid out anew, type never below 7 pt
    #[arg(long, value_name = "LENGTH")]
    pub(super) width: Option<String>,
    /// The formats; svg by default
    #[arg(long = "format", value_name = "FORMAT", value_delimiter = ',',
        value_parser = names(Format::ALL, Format::name, Format::about))]
    pub(super) formats: Vec<Format>,
    /// The folder for the files; charts/ in the results folder by default
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
}

impl Plot {
    /// Whether charts are asked for and nothing else.
    pub(super) fn is_of_charts(&self) -> bool {
        let Self { results, charts, width, formats, out } = self;
        results.scenario.is_some() || !charts.is_empty() || width.is_some() || !formats.is_empty() || out.is_some()
    }
}

/// `hetsim trace`.
#[derive(Debug, Args)]
pub(super) struct Trace {
    #[command(flatten)]
    pub(super) input: Input,
    /// The run: its number, from 0, counting failed runs too, or the beginning of its name in the column `run` of results.csv
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
    /// Write what each rank called as a time-independent trace to this file, for `kind = "replay"` and for SimGrid
    /// (`smpirun -replay`); only for `kind = "hpl"`
    #[arg(long, value_name = "FILE")]
    pub(super) ti: Option<PathBuf>,
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
    fn a_file_is_run() {
        let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        assert_eq!(with_implied_run(words("hetsim a.toml --fresh").into_iter()), words("hetsim run a.toml --fresh"));
        for line in ["hetsim list", "hetsim --help", "hetsim lst", "hetsim"] {
            assert_eq!(with_implied_run(words(line).into_iter()), words(line));
        }
    }
}
