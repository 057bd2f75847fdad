//! The command line of the tools around scenarios: conversion, measurements, formulas, clusters and advice.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, TypedValueParser};

use super::parser::{names, parser, positive, whole};
use crate::accuracy::validate::Bounds;
use crate::accuracy::{MOST_MESSAGES, Selection};
use crate::cli::measured::With;
use crate::cli::{Failure, bad_input};
use crate::communication::Operation;
use crate::fit::read::collectives::other_names;
use crate::fit::tasks::LogFormat;
use crate::fit::{Model, runtime};
use crate::graph::read::Format;
use crate::partition::{Method, Unit};
use crate::units::{Bytes, Operations, OperationsPerSecond, Seconds};
use crate::workload::communication::Placement;

/// `hetsim convert`.
#[derive(Debug, Args)]
#[command(
    long_about = "Convert a task graph from one file format to another, a platform of SimGrid (.xml) to \
        TOML, a performance model of StarPU (CODELET.HOST) to kernels, or the input of HPL (HPL.dat) to a scenario\n\n\
        File extensions select the formats: .toml, .stg, .dot or .gv, .dax or .xml, .swf, and .json, which is \
        read as WfFormat if it mentions a workflow and as a matrix otherwise. Formats with times instead of work give \
        operations at one operation per second, unless --speed says otherwise. Parts of the graph that the new \
        format cannot hold are listed.",
    after_help = "Examples:\n  \
        hetsim convert montage.json montage.toml                  a WfCommons workflow, for editing by hand\n  \
        hetsim convert montage.json montage.dot --speed 2Gop/s    work instead of times on a machine of 2 Gop/s\n  \
        hetsim convert graph.toml graph.json --to wfformat        .json could be two formats\n  \
        hetsim convert HPL.dat hpl.toml                           a scenario of High-Performance Linpack\n  \
        hetsim convert gemm.mirage gemm.toml                      what StarPU measured, as kernels to include\n  \
        hetsim convert graph.stg - --to dot | dot -Tsvg           draw it with Graphviz"
)]
pub(in crate::cli) struct Convert {
    /// The file with the task graph, the platform or the performance model, or HPL.dat
    #[arg(value_name = "IN")]
    pub(in crate::cli) input: PathBuf,
    /// The output file, replaced atomically; - for standard output
    #[arg(value_name = "OUT")]
    pub(in crate::cli) output: PathBuf,
    /// The format of IN, if its extension does not determine it
    #[arg(long, value_name = "FORMAT", value_parser = names(Format::ALL, Format::name, Format::about))]
    pub(in crate::cli) from: Option<Format>,
    /// The format of OUT, if its extension does not determine it
    #[arg(long, value_name = "FORMAT", value_parser = names(Format::ALL, Format::name, Format::about))]
    pub(in crate::cli) to: Option<Format>,
    /// The name of the graph to convert, if IN has several
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) instance: Option<String>,
    /// The speed of the machine on which the times in IN were measured, such as 2Gop/s; operations are times multiplied
    /// by it
    #[arg(long, value_name = "SPEED")]
    pub(in crate::cli) speed: Option<OperationsPerSecond>,
}

/// `hetsim measure`.
#[derive(Debug, Args)]
#[command(
    after_help = "Files: the output of osu_latency or osu_bw, or a CSV with a column `bytes` and columns such as half_rtt_us, rtt_us, \
        gap_us, send_overhead_us, receive_overhead_us (or _s, _ms, _ns). Several files are combined.\n\n\
        With --kernels: a CSV with a row a call, in columns node, seconds, and where there are such cpu, kernel (the routine), m, n, k \
        (its sizes) and day (any text), as in dahu-1.csv:\n\n  \
        node,cpu,kernel,m,n,k,seconds,day\n  \
        1,0,dgemm,2048,2048,128,0.0371,2020-09-01\n\n\
        With --tasks: logs of GNU parallel (--joblog), Slurm (sacct --parsable2), Nextflow (trace.txt), Dask (task stream), HTCondor (user log) or WfCommons, or a CSV with a row a task, in columns \
        started and ended (or seconds), and where there are such type, machine, slot, submitted, cores, bytes_in, bytes_out.\n\n\
        Examples:\n  \
        hetsim measure latency.txt bandwidth.txt          Hockney, LogP, LogGP and pLogP, with intervals and errors\n  \
        hetsim measure pingpong.csv --out output          and a platform to include, \
        output/measure-pingpong/platform.toml\n  \
        hetsim measure pingpong.csv --json | jq .models   all digits, in seconds, bytes and per cent\n  \
        hetsim measure --kernels dahu-1.csv --out output  what calls take on each processor, their noise, which \
        processors differ; output/measure-dahu-1/kernels.platform.toml to include\n  \
        hetsim measure --tasks joblog.txt --out output    how fast each machine is, slots, overheads; \
        output/measure-joblog/farm.toml to run\n  \
        hetsim measure --tasks runs.csv --columns machine=host,started=begin,ended=finish\n  \
        hetsim measure --tasks trace.txt --dag dag.dot --out output    a workflow of Nextflow; \
        output/measure-trace/workflow.toml to run"
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(in crate::cli) struct Measure {
    /// The files with the measurements: output of the OSU micro-benchmarks, ping-pongs as CSV, calls of routines as CSV, or logs
    /// of task systems
    #[arg(value_name = "FILE", required = true)]
    pub(in crate::cli) files: Vec<PathBuf>,
    /// Fit kernels to calls of routines: what a call takes by its sizes on each processor, and its noise
    #[arg(long, conflicts_with = "models")]
    pub(in crate::cli) kernels: bool,
    /// Find the speeds of machines, the noise of tasks, and slots and overheads in logs of task systems
    #[arg(long, conflicts_with_all = ["kernels", "models"])]
    pub(in crate::cli) tasks: bool,
    #[command(flatten)]
    pub(in crate::cli) logs: Logs,
    /// Fit only this model, and fail if that is impossible; may be given several times
    #[arg(long = "model", value_name = "MODEL", value_parser = names(Model::ALL.iter().filter(|model| **model != Model::Lmo), Model::name, Model::about))]
    pub(in crate::cli) models: Vec<Model>,
    /// The parent of the results folder, measure-NAME for NAME.txt, which receives a platform with the network that
    /// predicts best, or with the kernels or the machines; no folder by default
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) out: Option<PathBuf>,
    /// Print JSON with all digits
    #[arg(long)]
    pub(in crate::cli) json: bool,
    /// Print the parameters as CSV, with all digits
    #[arg(long, conflicts_with = "json")]
    pub(in crate::cli) csv: bool,
}

/// How logs of tasks are read.
#[derive(Debug, Args)]
pub(in crate::cli) struct Logs {
    /// The format of the logs, if their content does not tell it
    #[arg(long, value_name = "FORMAT", value_parser = names(LogFormat::ALL, LogFormat::name, LogFormat::about))]
    pub(in crate::cli) format: Option<LogFormat>,
    /// The titles of columns in a CSV of tasks, where they have others: machine=host,started=begin
    #[arg(long, value_name = "COLUMN=TITLE", value_delimiter = ',', value_parser = renamed)]
    pub(in crate::cli) columns: Vec<(String, String)>,
    /// The graph of the processes whose tasks the logs have (`nextflow run -with-dag dag.dot`): take them as a workflow,
    /// whose tasks wait for each other, and not as a farm
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) dag: Option<PathBuf>,
}

impl Logs {
    /// Refuses these options where no logs are read. To clap, an option that excludes `--tasks` would excuse its
    /// absence.
    ///
    /// # Errors
    /// One of them is given, and `--tasks` is not.
    pub(in crate::cli) fn check(&self, tasks: bool) -> Result<(), Failure> {
        let given =
            [("format", self.format.is_some()), ("columns", !self.columns.is_empty()), ("dag", self.dag.is_some())];
        match given.iter().find(|(_, given)| *given && !tasks) {
            None => Ok(()),
            Some((option, _)) => Err(bad_input(format!("--{option} is for logs of tasks, which --tasks reads"))),
        }
    }
}

/// A column and its title in a file, of `COLUMN=TITLE`.
fn renamed(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').ok_or("expected COLUMN=TITLE, such as machine=host")?;
    Ok((pair.0.trim().to_owned(), pair.1.trim().to_owned()))
}

/// `hetsim partition`.
#[derive(Debug, Args)]
#[command(
    long_about = "Find logical clusters in measured latencies\n\n\
        FILE holds a square matrix (cells separated by commas; names in a first row and column are optional, and rows \
        with names may be in any order; the diagonal is ignored, and an empty cell was not measured), or one line per \
        pair under the header from,to,latency_us (or _s, _ms, _ns). Of a pair that is given several times or in both \
        directions, the mean counts. The clusters go to standard output. With --out DIR, the assignment \
        (clusters.csv) and a picture of the matrix ordered by cluster (matrix.svg) go to DIR/partition-NAME.",
    after_help = "Examples:\n  \
        hetsim partition latencies.csv --unit us                      the rule of Lowekamp and Beguelin, 20 %\n  \
        hetsim partition latencies.csv --bound 1.3 --out output       another bound; files\n  \
        hetsim partition latencies.csv --method single_linkage --threshold 1ms"
)]
pub(in crate::cli) struct Partition {
    /// The file with the latencies: a matrix, or a line per pair
    pub(in crate::cli) file: PathBuf,
    /// The allowed ratio of the latencies inside a cluster to the least one: 1.2 is 20 %
    #[arg(long, value_name = "FACTOR", default_value_t = 1.2)]
    pub(in crate::cli) bound: f64,
    /// The partition method
    #[arg(long, value_name = "METHOD", default_value = "lowekamp", value_parser = names(Method::ALL, Method::name, Method::about))]
    pub(in crate::cli) method: Method,
    /// The greatest latency inside a cluster, such as 1ms; required by the linkage methods
    #[arg(long, value_name = "TIME")]
    pub(in crate::cli) threshold: Option<Seconds>,
    /// The unit of the latencies, if the file does not give it: s, ms, us or ns; seconds by default
    #[arg(long, value_name = "UNIT", value_parser = parser(Unit::ALL.iter().map(|(name, unit)| ((*name).into(), *unit))))]
    pub(in crate::cli) unit: Option<Unit>,
    /// The parent of the results folder, partition-NAME for NAME.csv; no folder by default
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) out: Option<PathBuf>,
}

/// `hetsim advise`.
#[derive(Debug, Args)]
#[command(
    long_about = "Find the fastest algorithm of collective operations for each size on a platform, also as rules for MPI libraries; \
        or, with --tasks, how to run tasks; with --hpl, how to run HPL\n\n\
        Every algorithm of an operation is simulated for each size and each number of ranks, those that cut the \
        message with several segment lengths; broadcasts on several clusters also with the heuristics between them; where \
        there are levels, also algorithms among the leaders of groups. The root is rank 0. Ties go to the usual algorithm, then to the first one in `hetsim list`.\n\n\
        PLATFORM is a scenario, whose platform at the first point is used; a file with [platform.cluster.NAME]; or \
        one with [cluster.NAME], as for `platform.include`. A table goes to standard output. The results folder contains \
        choices.csv (every choice, the runner-up, and Open MPI's best), a map per operation (OPERATION.svg), and rules \
        for libraries, which consider only what each of them has: openmpi.rules, openmpi.json (from Open MPI 6 on), \
        mpich.json (MPICH 4.2 to 5.0) and ucc.sh (UCC from 1.8 on). See docs/advise.md.\n\n\
        With --tasks, PLATFORM is a scenario of kind = \"independent\" or \"taskgraph\", or a log that `hetsim measure --tasks` \
        reads. Policies, sizes of chunks and the longest first, or the schedulers of a graph, are compared on the same draws; \
        then fewer, other and more machines. See docs/advise-tasks.md.\n\n\
        With --hpl, PLATFORM is a scenario of kind = \"hpl\". Grids, blocks, broadcasts, swaps and look-ahead are varied in \
        turn, each beside the best that was found before; then HPL runs without the slowest nodes. See docs/advise-hpl.md.",
    after_help = "Examples:\n  \
        hetsim advise scenarios/grid5000.platform.toml                  broadcasts on up to all nodes\n  \
        hetsim advise mine.toml --operation all --ranks 8,16 --reduction 1op\n  \
        hetsim advise mine.toml --operation all_reduce --sizes 1KiB..1MiB --set platform.cluster.lab.nodes=32\n  \
        hetsim advise calibrated.toml --operation all --ranks-per-node 1,4,16\n  \
        hetsim advise --tasks joblog.txt                                how to hand out tasks, and to which machines\n  \
        hetsim advise --tasks scenarios/workflows.toml                  how to schedule a workflow, and on which machines\n  \
        hetsim advise --hpl scenarios/hpl-dahu.toml                     which lines HPL.dat should have\n\n\
        The network may come from measurements: hetsim measure latency.txt --out output"
)]
pub(in crate::cli) struct Advise {
    /// The file with the platform; with --tasks, a scenario of independent tasks or of a task graph, or a log; with
    /// --hpl, a scenario of HPL
    pub(in crate::cli) platform: PathBuf,
    /// Say how to run tasks: the policy, the size of chunks and the order, or the scheduler; and which machines
    #[arg(long, conflicts_with_all = ["operations", "sizes", "ranks", "ranks_per_node", "placement", "reduction", "measured", "given", "error"], group = "program")]
    pub(in crate::cli) tasks: bool,
    /// Say how to run HPL: the grid, the blocks, how panels and rows travel, look-ahead; and on which nodes
    #[arg(long, conflicts_with_all = ["tasks", "operations", "sizes", "ranks", "ranks_per_node", "placement", "reduction", "measured", "given", "error"], group = "program")]
    pub(in crate::cli) hpl: bool,
    #[command(flatten)]
    pub(in crate::cli) logs: Logs,
    /// The operation, or all; may be given several times
    #[arg(long = "operation", value_name = "OPERATION", default_value = "broadcast", value_parser = operations())]
    pub(in crate::cli) operations: Vec<OperationChoice>,
    /// The message sizes: powers of two times the first (1B..4MiB), or a list (1KiB,8KiB)
    #[arg(long, value_name = "SIZES", default_value = "1B..4MiB")]
    pub(in crate::cli) sizes: Sizes,
    /// The numbers of ranks; powers of two and all nodes by default
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    pub(in crate::cli) ranks: Vec<u32>,
    /// The numbers of ranks on each node, whose ranks are a group of the cluster's innermost level; each number has
    /// files of rules of its own. Then the numbers of ranks are such multiples, by default on powers of two and all
    /// nodes
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = positive::<std::num::NonZeroU32>)]
    pub(in crate::cli) ranks_per_node: Vec<std::num::NonZeroU32>,
    /// The placement of the ranks: on the first nodes (cluster), or on one node of each cluster in turn (round_robin)
    #[arg(long, value_name = "PLACEMENT", default_value = "cluster", value_parser = parser(PLACEMENTS.map(|(name, placement)| (name.into(), placement))))]
    pub(in crate::cli) placement: Placement,
    /// The computation for combining a pair of bytes in a reduction, on the node that does it
    #[arg(long, value_name = "OPERATIONS", default_value = "0op")]
    pub(in crate::cli) reduction: Operations,
    /// Measurements of collectives on this machine, which take the place of simulated times; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) measured: Vec<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) with: With,
    /// The error of the simulation in per cent, or the summary.csv of hetsim validate, which has it by operation:
    /// within it there is no clear winner. Without it, that of a calibrated platform, else 15
    #[arg(long, value_name = "PERCENT|FILE")]
    pub(in crate::cli) error: Option<String>,
    /// The number of runs with independent draws whose mean is taken; use several if the platform is random. 1 by
    /// default; with --tasks the most, 24; with --hpl the most, 8
    #[arg(long, value_name = "N", value_parser = positive::<std::num::NonZeroU32>)]
    pub(in crate::cli) replicas: Option<std::num::NonZeroU32>,
    /// Override a value of the platform, such as platform.cluster.lab.nodes=32
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(in crate::cli) overrides: Vec<String>,
    /// Use another seed for all random streams
    #[arg(long, value_name = "N", value_parser = whole::<u64>)]
    pub(in crate::cli) seed: Option<u64>,
    /// Print JSON with all digits
    #[arg(long, requires = "program")]
    pub(in crate::cli) json: bool,
    /// The parent of the results folder, advise-NAME for NAME.toml
    #[arg(long, value_name = "DIR", default_value = "output")]
    pub(in crate::cli) out: PathBuf,
    /// The number of concurrent runs, at most one a core; all cores by default
    #[arg(long, value_name = "N", value_parser = positive::<std::num::NonZeroUsize>)]
    pub(in crate::cli) jobs: Option<std::num::NonZeroUsize>,
}

/// One operation, or all.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct OperationChoice(pub(in crate::cli) Option<Operation>);

/// A parser of the names of operations, and `all`.
fn operations() -> impl TypedValueParser<Value = OperationChoice> {
    let one = |&one: &Operation| {
        let value = PossibleValue::new(one.name()).aliases(other_names(one.name()).iter().map(String::as_str));
        (value.help(one.about()), OperationChoice(Some(one)))
    };
    let all = (PossibleValue::new("all").help("all operations"), OperationChoice(None));
    parser(Operation::ALL.iter().map(one).chain([all]))
}

/// The placements of ranks that advice is about.
const PLACEMENTS: [(&str, Placement); 2] = [("cluster", Placement::Cluster), ("round_robin", Placement::RoundRobin)];

/// Message sizes in rising order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct Sizes(pub(in crate::cli) Vec<u64>);

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

/// `hetsim validate`.
#[derive(Debug, Args)]
#[command(
    long_about = "Compare predictions of collectives with measurements, and the choices made by them\n\n\
        Each FILE is a table of measured collectives (a CSV with the columns nodes, operation, algorithm, buffer_bytes, \
        median_us and others, as PICO's results), the output of an OSU benchmark, or ping-pongs. Each point is \
        simulated on PLATFORM, whose only cluster takes the number of nodes of the point, as the benchmark takes it: \
        with the library's calls, and ranks that leave a barrier. Several ranks on a node need a `level` of the \
        cluster. Tables go to standard output; the results folder contains points.csv, summary.csv, choices.csv, \
        pictures and report.html.\n\n\
        A single FILE that ends with .toml is a plan: sections, each with a file of measurements, targets, and cases, \
        which say what platform predicts which points. The document of all of them, docs/validation.md, goes to \
        standard output.\n\n\
        Ctrl-C or SIGTERM interrupts; the same command then goes on where it was.",
    after_help = "Selections: column=value, several of them with commas; a value may be several (bcast|reduce), begin like \
        another (binomial*) or be a range (64KiB..1MiB). Columns: system, run, library, operation, algorithm, nodes, \
        ranks_per_node, ranks, bytes.\n\nExamples:\n  \
        hetsim validate measured.csv --platform calibrated.toml\n  \
        hetsim validate measured.csv --platform p.toml --use nodes=32 --leave-out operation=bcast,algorithm=binomial\n  \
        hetsim validate measured.csv --platform p.toml --within median=15,within25=80,regret=4\n  \
        hetsim validate osu_bcast.txt --platform p.toml --with nodes=16,algorithm=binomial\n  \
        hetsim validate docs/validation.toml --data measured > docs/validation.md"
)]
pub(in crate::cli) struct Validate {
    /// The files with the measurements (tables of collectives, such as PICO's, OSU output, or ping-pongs), or a plan
    #[arg(value_name = "FILE", required = true)]
    pub(in crate::cli) files: Vec<PathBuf>,
    /// The platform: a file with [cluster.NAME], as for `platform.include`
    #[arg(long, value_name = "PLATFORM")]
    pub(in crate::cli) platform: Option<PathBuf>,
    /// The folder of the measurements that a plan names; its own by default
    #[arg(long, value_name = "DIR", conflicts_with = "platform")]
    pub(in crate::cli) data: Option<PathBuf>,
    /// Use only these points, such as operation=bcast,algorithm=binomial; several times for more
    #[arg(long = "use", value_name = "SELECTION")]
    pub(in crate::cli) used: Vec<Selection>,
    /// Leave the errors of these points out, such as those used to calibrate; they remain candidates of choices
    #[arg(long, value_name = "SELECTION")]
    pub(in crate::cli) leave_out: Vec<Selection>,
    #[command(flatten)]
    pub(in crate::cli) with: With,
    /// Exit with 1 unless these bounds hold, in per cent: median, mean, regret and unpredicted at most, within10,
    /// within25, within2x and right at least
    #[arg(long, value_name = "BOUNDS")]
    pub(in crate::cli) within: Option<Bounds>,
    /// The seed of platforms with random parts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>)]
    pub(in crate::cli) seed: u64,
    /// The most messages of a point that is simulated; a point with more has no prediction
    #[arg(long, value_name = "N", default_value_t = MOST_MESSAGES, value_parser = whole::<u64>)]
    pub(in crate::cli) max_messages: u64,
    /// The number of concurrent simulations, at most one a core; all cores by default
    #[arg(long, value_name = "N", value_parser = positive::<std::num::NonZeroUsize>)]
    pub(in crate::cli) jobs: Option<std::num::NonZeroUsize>,
    /// The parent of the results folder, validate-NAME for NAME.csv
    #[arg(long, value_name = "DIR", default_value = "output")]
    pub(in crate::cli) out: PathBuf,
    /// Print neither progress nor tables
    #[arg(long, short)]
    pub(in crate::cli) quiet: bool,
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
pub(in crate::cli) struct Fit {
    /// The file with the measurements: a CSV table
    pub(in crate::cli) data: PathBuf,
    /// The column of run times, all above 0
    #[arg(long, value_name = "COLUMN")]
    pub(in crate::cli) target: String,
    /// The numeric columns that the time may depend on
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub(in crate::cli) by: Vec<String>,
    /// Columns of words that the time may depend on: each word becomes a variable that is 0 or 1
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub(in crate::cli) category: Vec<String>,
    /// A column of weights
    #[arg(long, value_name = "COLUMN")]
    pub(in crate::cli) weights: Option<String>,
    /// The method of finding formulas
    #[arg(long, value_name = "METHOD", default_value = "gp", value_parser = names(runtime::Method::ALL, runtime::Method::name, runtime::Method::about))]
    pub(in crate::cli) method: runtime::Method,
    /// The formula that --method given judges, such as "2.1e-4 + 3e-8*bytes"
    #[arg(long, value_name = "FORMULA")]
    pub(in crate::cli) formula: Option<String>,
    /// A column that says `test` for held-out points and `train` for others
    #[arg(long, value_name = "COLUMN")]
    pub(in crate::cli) split: Option<String>,
    /// The share of points held out at random, if no column splits them
    #[arg(long, value_name = "SHARE", default_value_t = 0.3)]
    pub(in crate::cli) held_back: f64,
    /// The treatment of several measurements of one point
    #[arg(long, value_name = "WHAT", default_value = "median", value_parser = ["median", "all"])]
    pub(in crate::cli) repeats: String,
    /// The random seed
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>)]
    pub(in crate::cli) seed: u64,
    /// The maximum number of generations; the method's own default if omitted
    #[arg(long, value_name = "N", value_parser = whole::<usize>)]
    pub(in crate::cli) generations: Option<usize>,
    /// The number of folds for validating the size of the formula; 0 for no validation
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = whole::<usize>)]
    pub(in crate::cli) folds: usize,
    /// The parent of the results folder, fit-NAME for NAME.csv
    #[arg(long, value_name = "DIR", default_value = "output")]
    pub(in crate::cli) out: PathBuf,
    /// Print neither progress nor tables
    #[arg(long, short)]
    pub(in crate::cli) quiet: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_doubled_or_listed() {
        let sizes = |text: &str| text.parse::<Sizes>().map(|sizes| sizes.0);
        assert_eq!(sizes("1KiB..5KiB"), Ok(vec![1024, 2048, 4096]));
        assert_eq!(sizes("8B, 1B,8B"), Ok(vec![1, 8]));
        for bad in ["0B..1KiB", "2KiB..1KiB", "1KiB..", "1KiB,", "1ms", "1KiB..2KiB..4KiB"] {
            assert!(sizes(bad).is_err(), "{bad}");
        }
    }
}
