//! `hetsim run`: computes the missing runs and makes all results from the store.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::arguments::Run;
use super::out::create;
use super::say::{complain, print, say};
use super::terminal::{expectations, sentences, text_table, wrapped};
use super::{Failure, bad_input};
use crate::batch::mark::Mark;
use crate::batch::replication::Replication;
use crate::batch::run::{Outcome, Progress, Workers, complete};
use crate::batch::shard::Plan;
use crate::batch::store::Store;
use crate::printable::printable;
use crate::report::compare::{self, Compared};
use crate::report::output::{Manifest, Report, write};
use crate::report::tables::humane;
use crate::report::{Results, chart, contention, expect, replicas, tables};
use crate::scenario::{MODEL_CODE, RunId, Scenario};

/// The maximum number of failed runs shown; the rest is counted.
const MOST_FAILURES: usize = 10;

pub(super) fn run(arguments: &Run) -> Result<ExitCode, Failure> {
    let overrides = arguments.input.all_overrides();
    let scenario = Scenario::load(&arguments.input.scenario, &overrides)?;
    if let Some(warning) = scenario.coarse_tick() {
        log::warn!("{warning}");
    }
    let folder = arguments.out.join(&scenario.name);
    if let Some(shard) = arguments.shard {
        return super::shard::run(arguments, &scenario, &folder, shard);
    }
    prepare_folder(&folder, &arguments.input.scenario, arguments.fresh)?;
    let store = open_store(&folder)?;
    let mut replication = Replication::new(&scenario);
    let runs = replication.missing(&store, takes_part)?;
    if !runs.is_empty() {
        store.check_writable().map_err(|error| bad_input(error.to_string()))?;
        if let Err(error) = Mark::leave(&folder, &scenario, &arguments.input.scenario, overrides.clone()) {
            log::warn!("the folder cannot be marked: {error}");
        }
    }
    let done = replication.own_runs().count() - runs.len();
    if !arguments.quiet {
        say(&announcement(&replication, done));
    }
    let bar = progress(runs.len(), arguments.quiet);
    let start = Instant::now();
    let jobs = arguments.jobs.map(std::num::NonZeroUsize::get);
    let stop = interruptible();
    let workers = Workers { jobs, stop: &stop };
    let more = |runs: usize| bar.inc_length(runs as u64);
    let show = |progress| show(&bar, &scenario, progress);
    let outcome = complete(&mut replication, &store, runs, workers, takes_part, more, show);
    bar.finish_and_clear();
    let outcome = outcome?;
    log::info!("{} runs in {:.3} s", outcome.computed, start.elapsed().as_secs_f64());
    if outcome.interrupted {
        let message = format!(
            "interrupted after {} of {}{} runs, all of which are kept; run the same command again to continue",
            done + outcome.computed,
            if replication.may_grow() { "at least " } else { "" },
            replication.runs().count()
        );
        return Err(Failure::Interrupted(message));
    }
    let results = Results::load(&scenario, &store, replication.runs())?;
    if results.rows().is_empty() && !outcome.failed.is_empty() {
        return Err(failed(&scenario, &outcome, replication.runs().count()));
    }
    // Runs of earlier sessions are not repeated, so their time is carried over.
    let earlier =
        if arguments.fresh { 0.0 } else { Manifest::read(&folder).map_or(0.0, |manifest| manifest.simulation_wall_s) };
    let manifest = Manifest {
        scenario: arguments.input.scenario.display().to_string(),
        overrides,
        computed: outcome.computed,
        simulation_wall_s: earlier + outcome.simulating.as_secs_f64(),
        peak_memory_bytes: peak_memory(),
        ..manifest(&results, replication.runs().count())
    };
    let finished = finish(&folder, &results, &manifest, arguments.quiet)?;
    Mark::remove(&folder);
    if !outcome.failed.is_empty() {
        return Err(failed(&scenario, &outcome, replication.runs().count()));
    }
    finished.end(arguments.strict)
}

/// A flag that Ctrl-C sets from now on. A handler can be set once per process; without one, Ctrl-C ends the process at
/// once, which loses nothing stored.
pub(super) fn interruptible() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let on_interrupt = move || {
        // The first Ctrl-C waits for the current runs; the second ends the process.
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    };
    if let Err(error) = ctrlc::set_handler(on_interrupt) {
        log::warn!("Ctrl-C cannot be handled: {error}");
    }
    stop
}

/// Without shards, all points are computed here.
const fn takes_part(_point: usize) -> bool {
    true
}

/// The number of runs, and the number of those already stored.
fn announcement(replication: &Replication<'_>, done: usize) -> String {
    let scenario = replication.scenario();
    let total = replication.runs().count();
    let plural = if total == 1 { "" } else { "s" };
    let twice = total - replication.own_runs().count();
    let twice = if twice > 0 { format!(", {twice} of them under two names") } else { String::new() };
    let already = if done > 0 { format!("{twice}, {done} already done") } else { twice };
    let most = if replication.may_grow() && total < scenario.runs() {
        format!(" or more, up to {}", scenario.runs())
    } else {
        String::new()
    };
    format!("{}: {total} run{plural}{most}{already}", scenario.name)
}

/// Written results.
pub(super) struct Finished {
    /// The number of missed expectations.
    missed: usize,
    /// Whether the answer was printed.
    printed: Result<(), Failure>,
}

impl Finished {
    /// The end of the command, after everything else is said.
    pub(super) fn end(self, strict: bool) -> Result<ExitCode, Failure> {
        let Self { missed, printed } = self;
        if strict && missed > 0 {
            complain(&format!("{missed} expectation{} missed", if missed == 1 { " is" } else { "s are" }));
            return printed.map(|()| ExitCode::from(1));
        }
        printed.map(super::done)
    }
}

/// Writes all files and prints the answer.
pub(super) fn finish(
    folder: &Path,
    results: &Results<'_>,
    manifest: &Manifest,
    quiet: bool,
) -> Result<Finished, Failure> {
    let verdicts = expect::check(results);
    let tables = tables::tables(results);
    let pictures = chart::draw(results).map_err(Failure::Run)?;
    let comparisons = compare::all(results);
    let report = Report {
        results,
        comparisons: &comparisons,
        verdicts: &verdicts,
        tables: &tables,
        pictures: &pictures,
        manifest,
    };
    let written = write(folder, &report)
        .map_err(|error| Failure::Run(format!("{} cannot be written: {error}", folder.display())))?;
    let mut printed = Ok(());
    if !quiet {
        let mut text = String::new();
        if let Some(question) = &results.scenario().file.question {
            let _ = writeln!(text, "{}", wrapped(question, 0, 0));
        }
        for table in &tables {
            text.push_str(&text_table(table));
        }
        if let Some(replicas) = replicas::sentence(results) {
            let _ = writeln!(text, "{}", wrapped(&replicas, 0, 0));
        }
        if let Some(contention) = contention::sentence(results) {
            let _ = writeln!(text, "{}", wrapped(&contention, 0, 0));
        }
        text.push_str(&sentences("Comparisons", &comparisons.iter().map(Compared::words).collect::<Vec<_>>()));
        text.push_str(&expectations(&verdicts));
        text.push_str(&written_text(folder, &written));
        printed = print(&text);
    }
    let missed = verdicts.iter().filter(|verdict| !verdict.met && !verdict.clocked).count();
    Ok(Finished { missed, printed })
}

/// The paths of the written files; several charts are counted.
fn written_text(folder: &Path, written: &[PathBuf]) -> String {
    let name = |path: &PathBuf| path.strip_prefix(folder).unwrap_or(path).display().to_string();
    let (charts, others): (Vec<String>, Vec<String>) =
        written.iter().map(name).partition(|name| name.starts_with("charts"));
    let report = folder.join("report.html");
    let mut others: Vec<String> = others.into_iter().filter(|name| name != "report.html").collect();
    match charts.len() {
        0 => {}
        1 => others.extend(charts),
        count => others.push(format!("{count} charts in charts/")),
    }
    format!("Written: {}\n{}", report.display(), wrapped(&format!("beside it {}", others.join(", ")), 2, 2))
}

/// Creates the results folder, and refuses one of another scenario.
pub(super) fn prepare_folder(folder: &Path, scenario: &Path, fresh: bool) -> Result<(), Failure> {
    refuse_another(folder, scenario)?;
    if fresh {
        super::shard::refuse_active(folder)?;
        Store::<RunId>::discard(&folder.join(STORE)).map_err(|error| bad_input(error.to_string()))?;
        super::shard::forget(folder)?;
    }
    create(folder)
}

/// Refuses a folder with the results or the shards of another scenario.
pub(super) fn refuse_another(folder: &Path, scenario: &Path) -> Result<(), Failure> {
    let merged = Manifest::read(folder).ok().map(|manifest| PathBuf::from(manifest.scenario));
    let planned = Plan::read(folder).ok().flatten().map(|plan| plan.scenario);
    let begun = Mark::read(folder).ok().flatten().map(|mark| mark.plan.scenario);
    let same = |a: &Path, b: &Path| a.canonicalize().ok() == b.canonicalize().ok();
    match [merged, planned, begun].into_iter().flatten().find(|other| other.exists() && !same(other, scenario)) {
        Some(other) => {
            let message = format!(
                "{} holds the results of {}; give another folder with --out, or remove it",
                folder.display(),
                other.display()
            );
            Err(bad_input(message))
        }
        None => Ok(()),
    }
}

/// The store's folder within the results folder.
pub(super) const STORE: &str = "store";

/// Opens the store of a results folder and reports dropped records.
pub(super) fn open_store(folder: &Path) -> Result<Store<RunId>, Failure> {
    let (store, loaded) = Store::open(folder.join(STORE)).map_err(|error| bad_input(error.to_string()))?;
    for note in loaded.notes {
        log::warn!("{note}");
    }
    Ok(store)
}

/// Loads the records of all stored runs of the scenario.
pub(super) fn load_results<'s>(scenario: &'s Scenario, store: &Store<RunId>) -> Result<Results<'s>, Failure> {
    Ok(Results::load(scenario, store, Replication::of(scenario, store)?.runs())?)
}

/// Describes a run by its number and the values of the swept keys.
pub(super) fn described(scenario: &Scenario, (point, replica): (usize, u32)) -> String {
    let number = point * scenario.file.replicas.most() as usize + replica as usize;
    format!("run {number} ({})", scenario.place(point, &[]))
}

pub(super) fn failed(scenario: &Scenario, outcome: &Outcome, runs: usize) -> Failure {
    let describe = |(run, message): &((usize, u32), String)| format!("\n  {}: {message}", described(scenario, *run));
    let shown: String = outcome.failed.iter().take(MOST_FAILURES).map(describe).collect();
    let more = outcome.failed.len().saturating_sub(MOST_FAILURES);
    let more = if more > 0 { format!("\n  … and {more} more") } else { String::new() };
    Failure::Run(format!("{} of {runs} runs failed:{shown}{more}", outcome.failed.len()))
}

/// The manifest of results with this many runs; callers add the rest.
pub(super) fn manifest(results: &Results<'_>, runs: usize) -> Manifest {
    let sum = |metric: &str| -> u64 {
        let Some(column) = results.column(metric) else { return 0 };
        (0..results.rows().len()).filter_map(|row| results.number(row, column)).sum::<f64>() as u64
    };
    let scenario = results.scenario();
    Manifest {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        model_code: MODEL_CODE.to_owned(),
        text: scenario.text.to_string(),
        seed: scenario.file.seed,
        runs,
        events: sum("events"),
        messages: sum("messages"),
        ..Manifest::default()
    }
}

/// The peak memory of this process, if the system provides it (Linux).
pub(super) fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kibibytes| kibibytes * 1024)
}

/// Advances the progress bar and names the point with the longest runs, if there are several points.
pub(super) fn show(bar: &ProgressBar, scenario: &Scenario, progress: Progress) {
    bar.inc(progress.ended as u64);
    if let Some((point, seconds)) = progress.slowest
        && scenario.points.len() > 1
        && seconds >= WORTH_SHOWING_S
    {
        let message = format!("slowest {}: {}", humane("_s", seconds), scenario.place(point, &[]));
        bar.set_message(printable(&message).into_owned());
    }
}

/// Shorter runs are not worth naming.
const WORTH_SHOWING_S: f64 = 0.1;

pub(super) fn progress(runs: usize, quiet: bool) -> ProgressBar {
    progress_bar(runs as u64, "{bar:32} {pos}/{len} runs  {per_sec}  {eta} left  {wide_msg}", quiet)
}

/// A progress bar of so many steps; hidden where nothing is to be said.
pub(super) fn progress_bar(steps: u64, template: &str, quiet: bool) -> ProgressBar {
    if quiet || steps == 0 {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template(template);
    // The template is fixed and valid; indicatif's own style is a fallback.
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}
