//! `hetsim run --shard`: computes one shard of a sweep; also the functions that `merge`, `status` and `submit` share.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::arguments::{Results, Run};
use super::run::{STORE, failed, interruptible, peak_memory, prepare_folder, progress, show};
use super::say::say;
use super::{Failure, bad_input};
use crate::batch::mark::Mark;
use crate::batch::replication::Replication;
use crate::batch::run::{Outcome, Workers, complete};
use crate::batch::shard::{Plan, Process, Reporter, SHARDS, Shard, ShardState, Split, digest, is_active};
use crate::batch::store::Store;
use crate::batch::submit::command_line;
use crate::report::output::Manifest;
use crate::report::spec::NOTATION;
use crate::scenario::{MODEL_CODE, Problems, RunId, Scenario, Source};

/// Computes the missing runs of one shard. Tables and charts are left to `hetsim merge`, since other shards may be
/// running.
pub(super) fn run(arguments: &Run, scenario: &Scenario, folder: &Path, shard: Shard) -> Result<ExitCode, Failure> {
    refuse_shared_options(arguments, folder)?;
    prepare_folder(folder, &arguments.input.scenario, false)?;
    let store = open_shared_store(folder)?;
    store.check_writable().map_err(|error| bad_input(error.to_string()))?;
    let unwritable = |error: std::io::Error| bad_input(format!("{} cannot be written: {error}", folder.display()));
    let plan = Plan::new(scenario, &arguments.input.scenario, arguments.input.all_overrides(), shard.count());
    let plan = plan.map_err(unwritable)?;
    check_former_shards(&plan, folder)?;
    plan.write(folder).map_err(unwritable)?;

    let split = Split::new(scenario, shard.count());
    let own = |point| split.has(shard, point);
    let mut replication = Replication::new(scenario);
    let runs = replication.missing(&store, own)?;
    let tally = split.tally(scenario, &store)?[shard.index() as usize];
    if !arguments.quiet {
        let already = if tally.done > 0 { format!(", {} already done", tally.done) } else { String::new() };
        let plural = if tally.total == 1 { "" } else { "s" };
        say(&format!("{}, shard {shard}: {} run{plural}{already}", scenario.name, tally.total));
    }
    let mut state = ShardState::starting(shard, tally.total, tally.done);
    // Runs of earlier attempts are not repeated, so their time is carried over.
    state.simulation_wall_s = ShardState::read(folder, shard).map_or(0.0, |earlier| earlier.simulation_wall_s);
    let reporter = Reporter::start(folder, state).map_err(unwritable)?;
    let bar = progress(runs.len(), arguments.quiet);
    let jobs = arguments.jobs.map(std::num::NonZeroUsize::get);
    let stop = interruptible();
    let workers = Workers { jobs, stop: &stop };
    let more = |runs: usize| {
        reporter.more(runs);
        bar.inc_length(runs as u64);
    };
    let outcome = complete(&mut replication, &store, runs, workers, own, more, |progress| {
        reporter.done(progress.ended);
        show(&bar, scenario, progress);
    });
    bar.finish_and_clear();
    // Report only runs that are surely on disk as done.
    let outcome = outcome.and_then(|outcome| store.close().map(|()| outcome)).map_err(|error| error.to_string());
    let told =
        reporter.end(outcome.as_ref().map(|outcome| (outcome, tally.done)).map_err(String::as_str), peak_memory());
    if let Err(error) = told {
        log::warn!("the state of the shard cannot be written: {error}");
    }
    let runs = replication.own_runs().filter(|(point, _)| own(*point)).count();
    conclude(arguments, scenario, folder, shard, &outcome.map_err(Failure::Run)?, (tally.done, runs))
}

/// Refuses to take the folder from running shards of other runs, and notes earlier shards of other runs.
fn check_former_shards(plan: &Plan, folder: &Path) -> Result<(), Failure> {
    let Some(before) = read_plan(folder)?.filter(|before| before.digest != plan.digest) else { return Ok(()) };
    let given = |overrides: &[String]| match overrides {
        [] => String::new(),
        _ => format!(" with --set {}", overrides.join(" --set ")),
    };
    let what = format!("{}{}", before.scenario.display(), given(&before.overrides));
    if ShardState::read_all(folder).iter().any(is_active) {
        let message = format!(
            "{} is in use: shards of other runs are running there ({what}, or an earlier version of it); give another folder with --out",
            folder.display()
        );
        return Err(bad_input(message));
    }
    say(&format!(
        "note: the earlier shards belong to other runs ({what}, or an earlier version of it); these are kept, but not merged"
    ));
    Ok(())
}

/// Reports how a shard ended and what comes next.
fn conclude(
    arguments: &Run,
    scenario: &Scenario,
    folder: &Path,
    shard: Shard,
    outcome: &Outcome,
    (before, runs): (usize, usize),
) -> Result<ExitCode, Failure> {
    if outcome.interrupted {
        let done = before + outcome.computed;
        let message =
            format!("interrupted; the {done} runs that are done are kept; run the same command again to continue");
        return Err(Failure::Interrupted(message));
    }
    if !outcome.failed.is_empty() {
        return Err(failed(scenario, outcome, runs));
    }
    if !arguments.quiet {
        say(&format!("shard {shard} is done. Once all are: {}", merge_command(folder)));
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses options that would harm other shards, or that one shard cannot evaluate.
fn refuse_shared_options(arguments: &Run, folder: &Path) -> Result<(), Failure> {
    if arguments.fresh {
        let store = folder.join(STORE);
        let message = format!(
            "--fresh discards all stored runs, including those of other shards: remove {} before the first shard \
             is started, or run without --shard",
            store.display()
        );
        return Err(bad_input(message));
    }
    if arguments.strict {
        let message = "--strict checks expectations, which a single shard cannot do: give it to `hetsim merge`";
        return Err(bad_input(message));
    }
    Ok(())
}

/// Opens a store to which others may be appending: an incomplete last line is no cause for alarm.
pub(super) fn open_shared_store(folder: &Path) -> Result<Store<RunId>, Failure> {
    let (store, loaded) = Store::open(folder.join(STORE)).map_err(|error| bad_input(error.to_string()))?;
    for note in loaded.notes {
        let level = if note.corrupt > 0 { log::Level::Warn } else { log::Level::Debug };
        log::log!(level, "{note}");
    }
    Ok(store)
}

/// Refuses to discard runs that running shards, or another run of the whole scenario, rely on.
pub(super) fn refuse_active(folder: &Path) -> Result<(), Failure> {
    let states = ShardState::read_all(folder);
    let shards = states.iter().filter(|state| is_active(state)).map(|state| format!("shard {}", state.shard));
    let process = Mark::other_process(folder).map(|process| format!("process {}", process.pid));
    let active: Vec<String> = shards.chain(process).collect();
    if active.is_empty() {
        return Ok(());
    }
    let message = format!(
        "--fresh would discard what is being computed there ({}); stop it first, and see `hetsim status {}`",
        active.join(", "),
        folder.display()
    );
    Err(bad_input(message))
}

/// Removes the states of shards whose runs are discarded.
pub(super) fn forget(folder: &Path) -> Result<(), Failure> {
    match std::fs::remove_dir_all(folder.join(SHARDS)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(bad_input(format!("{} cannot be removed: {error}", folder.join(SHARDS).display())))
        }
        _ => Ok(()),
    }
}

/// A results folder's scenario.
pub(super) struct KnownRun {
    /// The scenario.
    pub(super) scenario: Scenario,
    /// The file of the scenario.
    pub(super) path: PathBuf,
    /// Overrides of the scenario.
    pub(super) overrides: Vec<String>,
    /// The plan of its shards, if it was ever sharded.
    pub(super) plan: Option<Plan>,
    /// The process that started to compute all of it, if that has not finished.
    pub(super) process: Option<Process>,
    /// A sentence if its runs belong to another version's model.
    pub(super) other_model: Option<String>,
}

impl KnownRun {
    /// The scenario that the user gives for a folder, or else the one that the folder tells.
    pub(super) fn of(results: &Results) -> Result<Self, Failure> {
        let Results { folder, scenario, overrides } = results;
        scenario.as_ref().map_or_else(|| known(folder), |path| Self::as_given(folder, path, overrides))
    }

    fn as_given(folder: &Path, path: &Path, overrides: &[String]) -> Result<Self, Failure> {
        let (plan, scenario) = (read_plan(folder)?, Scenario::load(path, overrides)?);
        let own = digest(&scenario);
        let mark = read_mark(folder)?.filter(|mark| mark.plan.digest == own);
        let left = plan.as_ref().or(mark.as_ref().map(|mark| &mark.plan));
        Ok(Self {
            scenario,
            path: path.to_owned(),
            overrides: overrides.to_vec(),
            other_model: left.and_then(other_model),
            process: mark.map(|mark| mark.process),
            plan,
        })
    }

    fn planned(from: &Plan) -> Result<Self, Failure> {
        let (scenario, note) = from.scenario(&NOTATION)?;
        if let Some(note) = note {
            say(&format!("note: {note}"));
        }
        let (path, overrides) = (from.scenario.clone(), from.overrides.clone());
        Ok(Self { scenario, path, overrides, plan: None, process: None, other_model: other_model(from) })
    }
}

/// Finds the scenario of a results folder from the mark of a shard or a run there, and notes if its file has changed.
fn known(folder: &Path) -> Result<KnownRun, Failure> {
    let plan = read_plan(folder)?;
    if let Some(mark) = read_mark(folder)? {
        let plan = plan.clone().filter(|plan| plan.digest == mark.plan.digest);
        if plan.is_some() || Mark::is_newer_than_plan(folder) {
            return Ok(KnownRun { plan, process: Some(mark.process), ..KnownRun::planned(&mark.plan)? });
        }
    }
    if let Some(plan) = plan {
        let known = KnownRun::planned(&plan)?;
        return Ok(KnownRun { plan: Some(plan), ..known });
    }
    finished(folder)
}

/// The scenario of a folder with results.
fn finished(folder: &Path) -> Result<KnownRun, Failure> {
    let manifest = Manifest::read(folder).map_err(|error| {
        let folder = folder.display();
        let cure = "give its scenario by --scenario FILE";
        match error.kind() {
            std::io::ErrorKind::NotFound => {
                bad_input(format!("{folder} is not a results folder: it contains no mark of a shard or a run; {cure}"))
            }
            _ => bad_input(format!("{error}; {cure}")),
        }
    })?;
    let path = PathBuf::from(&manifest.scenario);
    let now = Scenario::load(&path, &manifest.overrides);
    let name = path.file_stem().map_or_else(|| "scenario".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let then = Source::read_own(&folder.join("scenario.resolved.toml")).map_err(Problems::general);
    let then = then.and_then(|source| Scenario::read(name, source, &[]));
    let scenario = match (now, then) {
        (Ok(now), Ok(then)) if digest(&now) == digest(&then) => now,
        (Ok(now), Err(_)) => now,
        (Err(problems), Err(_)) => return Err(problems.into()),
        (now, Ok(mut then)) => {
            let how = if now.is_ok() { "describes other runs than" } else { "can no longer be read as" };
            say(&format!("note: {} {how} when the results were made; using the scenario of that time", path.display()));
            if !manifest.text.is_empty() {
                then.text = manifest.text.as_str().into();
            }
            then
        }
    };
    let other_model = (manifest.model_code != MODEL_CODE).then(|| {
        format!("the results were made by another hetsim ({}, model {})", manifest.version, manifest.model_code)
    });
    Ok(KnownRun { scenario, path, overrides: manifest.overrides, plan: None, process: None, other_model })
}

/// Reads the plan of the shards in a folder.
pub(super) fn read_plan(folder: &Path) -> Result<Option<Plan>, Failure> {
    Plan::read(folder).map_err(|error| bad_input(format!("{error}; remove that file and start a shard again")))
}

/// Reads the mark that a run of the whole scenario has left in a folder.
fn read_mark(folder: &Path) -> Result<Option<Mark>, Failure> {
    Mark::read(folder).map_err(|error| bad_input(format!("{error}; remove that file and run it again")))
}

/// A sentence if runs belong to another version's model.
fn other_model(plan: &Plan) -> Option<String> {
    plan.is_of_another_model().then(|| {
        let what = if plan.shards == 0 { "the run was" } else { "the shards were" };
        format!(
            "{what} started by another hetsim ({}, model {}), whose runs are not valid for this one",
            plan.version, plan.model_code
        )
    })
}

/// The command that makes results from the runs of shards.
pub(super) fn merge_command(folder: &Path) -> String {
    command_line(["hetsim", "merge", &folder.to_string_lossy()])
}

/// The command that runs a scenario into a results folder, as a whole or one shard.
pub(super) fn run_command(folder: &Path, known: &KnownRun, shard: Option<Shard>) -> String {
    let path = known.path.to_string_lossy();
    let out = folder.parent().map(Path::to_string_lossy).unwrap_or_default();
    let mut words = vec!["hetsim", "run", &path];
    if out != "output" {
        words.extend(["--out", if out.is_empty() { "." } else { &out }]);
    }
    for value in &known.overrides {
        words.extend(["--set", value]);
    }
    let shard = shard.map(|shard| shard.to_string());
    if let Some(shard) = &shard {
        words.extend(["--shard", shard]);
    }
    command_line(words)
}
