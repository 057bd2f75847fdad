//! `hetsim run`: computes the missing runs and makes all results from the store.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use super::arguments::Run;
use super::computing::{failed, interruptible, peak_memory, progress, show};
use super::folder::{open_store, prepare_folder};
use super::say::{complain, print, say};
use super::terminal::{expectations, sentences, text_table, wrapped};
use super::{Failure, bad_input};
use crate::batch::mark::Mark;
use crate::batch::replication::Replication;
use crate::batch::run::{Workers, complete};
use crate::report::Results;
use crate::report::compare::Compared;
use crate::report::contents::Contents;
use crate::report::manifest::Manifest;
use crate::report::output::write;
use crate::scenario::Scenario;

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
    // All that is needed of it is in memory, where its index would stand beside the results.
    drop(store);
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
        ..Manifest::of(&results, replication.runs().count())
    };
    let finished = finish(&folder, &results, &manifest, arguments.quiet)?;
    Mark::remove(&folder);
    if !outcome.failed.is_empty() {
        return Err(failed(&scenario, &outcome, replication.runs().count()));
    }
    finished.end(arguments.strict)
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
    let contents = Contents::of(results).map_err(Failure::Run)?;
    let written = write(folder, &contents, manifest)
        .map_err(|error| Failure::Run(format!("{} cannot be written: {error}", folder.display())))?;
    let mut printed = Ok(());
    if !quiet {
        let mut text = String::new();
        if let Some(question) = &results.scenario().file.question {
            let _ = writeln!(text, "{}", wrapped(question, 0, 0));
        }
        for table in &contents.tables {
            text.push_str(&text_table(table));
        }
        for sentence in contents.sentences() {
            let _ = writeln!(text, "{}", wrapped(&sentence, 0, 0));
        }
        let comparisons: Vec<String> = contents.comparisons.iter().map(Compared::words).collect();
        text.push_str(&sentences("Comparisons", &comparisons));
        text.push_str(&expectations(&contents.verdicts));
        text.push_str(&written_text(folder, &written));
        printed = print(&text);
    }
    Ok(Finished { missed: contents.missed(), printed })
}

/// The paths of the written files; several charts are counted.
fn written_text(folder: &Path, written: &[PathBuf]) -> String {
    let name = |path: &PathBuf| path.strip_prefix(folder).unwrap_or(path).display().to_string();
    let (charts, others): (Vec<String>, Vec<String>) =
        written.iter().map(name).partition(|name| name.starts_with("charts"));
    let report = folder.join("report.html");
    let mut others: Vec<String> = others.into_iter().filter(|name| name != "report.html").collect();
    // Each has its SVG, whatever other formats it has.
    let is_svg = |name: &&String| Path::new(name).extension().is_some_and(|end| end == "svg");
    match charts.iter().filter(is_svg).count() {
        0 => {}
        1 => others.extend(charts),
        count => others.push(format!("{count} charts in charts/")),
    }
    format!("Written: {}\n{}", report.display(), wrapped(&format!("beside it {}", others.join(", ")), 2, 2))
}
