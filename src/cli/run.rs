//! `hetsim run`: computes the missing runs and makes all results from the store.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::Failure;
use super::arguments::Run;
use super::computing::{failed, interruptible, progress, show};
use super::console::Console;
use super::terminal::{expectations, sentences, text_table, wrapped};
use crate::batch::replication::Replication;
use crate::batch::run::Workers;
use crate::batch::threads::Threads;
use crate::report::Reported as _;
use crate::report::Results;
use crate::report::compare::Compared;
use crate::report::contents::Contents;
use crate::report::manifest::{Manifest, set_over};
use crate::report::output::write;
use crate::report::session::{Session, SessionRequest, conclude};
use crate::scenario::Scenario;

pub(super) fn run(console: &Console, arguments: &Run) -> Result<u8, Failure> {
    let interruption = interruptible(console);
    let overrides = arguments.input.all_overrides();
    let scenario = Scenario::load(&arguments.input.scenario, &overrides)?;
    scenario.warnings().iter().for_each(|warning| log::warn!("{warning}"));
    let folder = arguments.out.join(&scenario.name);
    if let Some(shard) = arguments.shard {
        return super::shard::run(console, arguments, &scenario, (&folder, shard), interruption);
    }
    let request = SessionRequest { path: arguments.input.scenario.clone(), overrides, folder, fresh: arguments.fresh };
    let folder = request.folder.clone();
    let mut session = Session::open(&scenario, request)?;
    if !arguments.quiet {
        console.say(&announcement(session.replication(), session.done()));
    }
    let bar = progress(console, session.missing(), arguments.quiet);
    if let Some(outlook) = scenario.outlook() {
        bar.set_message(outlook);
    }
    let start = Instant::now();
    let stop = interruption.flag();
    let workers = Workers { threads: Threads::new(arguments.jobs), stop: &stop };
    let more = |runs: usize| bar.inc_length(runs as u64);
    let outcome = session.compute(workers, more, |progress| show(&bar, &scenario, progress));
    bar.finish_and_clear();
    let outcome = outcome?;
    log::info!("{} runs in {:.3} s", outcome.computed, start.elapsed().as_secs_f64());
    if outcome.interrupted {
        return Err(Failure::Interrupted(session.interruption(&outcome)));
    }
    let (results, manifest) = session.results(&outcome)?;
    if results.rows().is_empty() && !outcome.failed.is_empty() {
        return Err(failed(&scenario, &outcome, manifest.runs));
    }
    let finished = finish(console, &folder, &results, &manifest, arguments.quiet)?;
    conclude(&folder);
    if !outcome.failed.is_empty() {
        return Err(failed(&scenario, &outcome, manifest.runs));
    }
    finished.end(console, arguments.strict)
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
    pub(super) fn end(self, console: &Console, strict: bool) -> Result<u8, Failure> {
        let Self { missed, printed } = self;
        if strict && missed > 0 {
            console.complain(&format!("{missed} expectation{} missed", if missed == 1 { " is" } else { "s are" }));
            return printed.map(|()| 1);
        }
        printed.map(super::done)
    }
}

/// Writes all files and prints the answer.
pub(super) fn finish(
    console: &Console,
    folder: &Path,
    results: &Results<'_>,
    manifest: &Manifest,
    quiet: bool,
) -> Result<Finished, Failure> {
    let contents = Contents::of(results).map_err(Failure::Run)?;
    let written = write(folder, &contents, manifest)
        .map_err(|error| Failure::Run(format!("{} cannot be written: {error}", folder.display())))?;
    let printed =
        if quiet { Ok(()) } else { console.print(&(answer(&contents, manifest) + &written_text(folder, &written))) };
    Ok(Finished { missed: contents.missed(), printed })
}

/// What results say, as text: the question, what was set over the file, the tables, the comparisons and the expectations.
#[must_use]
pub fn answer(contents: &Contents<'_>, manifest: &Manifest) -> String {
    let mut text = String::new();
    if let Some(question) = &contents.results.scenario().file.question {
        let _ = writeln!(text, "{}", wrapped(question, 0, 0));
    }
    if let Some(sentence) = set_over(&manifest.overrides) {
        let _ = writeln!(text, "{}", wrapped(&sentence, 0, 2));
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
    text.push_str(&wrapped(&contents.certainty(), 0, 0));
    text
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
