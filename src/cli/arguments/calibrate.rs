//! The command line of `hetsim calibrate`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

use super::parser::{positive, whole};
use crate::accuracy::{MOST_MESSAGES, Selection};
use crate::cli::measured::With;
use crate::scenario::CalibrationSpec;

/// `hetsim calibrate`.
#[derive(Debug, Args)]
#[command(
    long_about = "Find the values of a platform's keys that explain measured collectives best\n\n\
        Every point of the measurements is simulated with many values of the keys, at first over the whole space between \
        their bounds, then around the best. The error of a point is the ratio of predicted to measured time; points that \
        no values explain count less, and every algorithm of an operation counts as much as any other. Each key is \
        searched from a thirtieth of the file's value to thirty times that, unless bounds are given. A table shows the \
        range of each key, what the points do not determine, and the errors of the points used and of those left out. \
        The result is the platform's file with the keys' values replaced, to be included by a scenario.\n\n\
        Ctrl-C or SIGTERM interrupts; the same command then goes on where it was. See docs/calibrating.md.",
    after_help = "Measurements: a CSV table with a row per test (operation, algorithm, nodes, ranks_per_node, buffer_bytes, median_us; PICO's \
        names are known), the output of an OSU benchmark, or ping-pongs.\n\n\
        Examples:\n  \
        hetsim calibrate measured.csv --platform p.toml --free network.latency,network.bandwidth\n  \
        hetsim calibrate measured.csv --platform p.toml --free network.latency=1us..20us \
        --use operation=bcast,algorithm=binomial --use operation=allgather,algorithm=ring"
)]
pub(in crate::cli) struct Calibrate {
    /// The files with the measurements: tables of collectives, such as PICO's, OSU output, or ping-pongs
    #[arg(value_name = "FILE", required = true)]
    pub(in crate::cli) files: Vec<PathBuf>,
    /// The file with the platform: one cluster, in the form of a file for `platform.include`
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) platform: PathBuf,
    /// The keys to be calibrated, as paths in the platform or unique ends of paths, with bounds if need be
    /// (network.latency=1us..20us); each must be a quantity above zero in the file
    #[arg(long, value_name = "KEYS", value_delimiter = ',', required = true)]
    pub(in crate::cli) free: Vec<String>,
    /// Calibrate on these points only, such as operation=bcast,algorithm=binomial,bytes=1KiB..1MiB; given several
    /// times, a point needs to meet one of them
    #[arg(long = "use", value_name = "SELECTION")]
    pub(in crate::cli) used: Vec<Selection>,
    /// Leave these points out, in the same form; may be given several times
    #[arg(long, value_name = "SELECTION")]
    pub(in crate::cli) leave_out: Vec<Selection>,
    #[command(flatten)]
    pub(in crate::cli) with: With,
    /// The day that the written platform bears, such as 2025-04-12; none by default
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub(in crate::cli) date: Option<String>,
    /// Search near the file's values only, such as those of an earlier calibration
    #[arg(long)]
    pub(in crate::cli) locally: bool,
    /// The seed of the search, and of a platform with random parts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>)]
    pub(in crate::cli) seed: u64,
    /// The most messages of a point that is simulated; a point with more is not used
    #[arg(long, value_name = "N", default_value_t = MOST_MESSAGES, value_parser = whole::<u64>)]
    pub(in crate::cli) max_messages: u64,
    /// The number of concurrent simulations, at most one a core; all cores by default
    #[arg(long, value_name = "N", value_parser = positive::<NonZeroUsize>)]
    pub(in crate::cli) jobs: Option<NonZeroUsize>,
    /// The file for the calibrated platform, replaced atomically
    #[arg(long, value_name = "FILE", default_value = "calibrated.toml")]
    pub(in crate::cli) out: PathBuf,
    /// Print neither progress nor tables
    #[arg(long, short)]
    pub(in crate::cli) quiet: bool,
}

/// A day in the calendar, as a platform bears it.
fn day(text: &str) -> Result<String, String> {
    if CalibrationSpec::is_day(text) {
        Ok(text.to_owned())
    } else {
        Err("a day is a year, a month and a day, such as 2025-04-12".to_owned())
    }
}
