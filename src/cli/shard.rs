//! `hetsim run --shard`: one shard of a sweep; and what `merge`, `status` and `submit` share.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::arguments::Run;
use super::run::{STORE, failed, interruptible, peak_memory, prepare_folder, progress, show};
use super::say::say;
use super::{Failure, bad_input};
use crate::batch::mark::Mark;
use crate::batch::replication::Replication;
use crate::batch::run::{Outcome, Workers, complete};
use crate::batch::shard::{Plan, Process, Reporter, SHARDS, Shard, ShardState, Split, digest, is_active};
use crate::batch::store::{Store, StoreError};
use crate::batch::submit::command_line;
use crate::report::output::Manifest;
use crate::scenario::{MODEL_CODE, Problems, RunId, Scenario, Source};

/// Computes the runs of one shard that the store lacks. Tables and charts are left to `hetsim merge`: others may be at work.
pub(super) fn run(arguments: &Run, scenario: &Scenario, folder: &Path, shard: Shard) -> Result<ExitCode, Failure> {
    refuse_what_concerns_all(arguments, folder)?;
    prepare_folder(folder, &arguments.input.scenario, false)?;
    let store = open_shared_store(folder)?;
    store.check_writable().map_err(|error| bad_input(error.to_string()))?;
    let unwritable = |error: std::io::Error| bad_input(format!("{} can't be written: {error}", folder.display()));
    let plan = Plan::new(scenario, &arguments.input.scenario, arguments.input.all_overrides(), shard.count());
    let plan = plan.map_err(unwritable)?;
    replaces(&plan, folder)?;
    plan.write(folder).map_err(unwritable)?;

    let split = Split::new(scenario, shard.count());
    let own = |point| split.has(shard, point);
    let unreadable = |error: StoreError| Failure::Run(error.to_string());
    let mut replication = Replication::new(scenario);
    let runs = replication.missing(&store, own).map_err(unreadable)?;
    let tally = split.tally(scenario, &store).map_err(unreadable)?[shard.index() as usize];
    if !arguments.quiet {
        let already = if tally.done > 0 { format!(", {} already done", tally.done) } else { String::new() };
        let plural = if tally.total == 1 { "" } else { "s" };
        say(&format!("{}, shard {shard}: {} run{plural}{already}", scenario.name, tally.total));
    }
    let mut state = ShardState::starting(shard, tally.total, tally.done);
    // What earlier attempts computed is not computed again, so its time is carried on.
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
    // Only what is surely on the disk is said to be done.
    let outcome = outcome.and_then(|outcome| store.close().map(|()| outcome)).map_err(|error| error.to_string());
    let told =
        reporter.end(outcome.as_ref().map(|outcome| (outcome, tally.done)).map_err(String::as_str), peak_memory());
    if let Err(error) = told {
        log::warn!("the state of the shard can't be written: {error}");
    }
    let runs = replication.own_runs().filter(|(point, _)| own(*point)).count();
    conclude(arguments, scenario, folder, shard, &outcome.map_err(Failure::Run)?, (tally.done, runs))
}

/// Refuses to take the folder from shards of other runs that are at work, and says so where such have been there.
fn replaces(plan: &Plan, folder: &Path) -> Result<(), Failure> {
    let Some(before) = read_plan(folder)?.filter(|before| before.digest != plan.digest) else { return Ok(()) };
    let given = |overrides: &[String]| match overrides {
        [] => String::new(),
        _ => format!(" with --set {}", overrides.join(" --set ")),
    };
    let what = format!("{}{}", before.scenario.display(), given(&before.overrides));
    if ShardState::read_all(folder).iter().any(is_active) {
        let message = format!(
            "{} is in use: shards of other runs are at work there ({what}, or as it was before); give another folder with --out",
            folder.display()
        );
        return Err(bad_input(message));
    }
    say(&format!(
        "note: the shards before this one were of other runs ({what}, or as it was before); theirs are kept, but not merged"
    ));
    Ok(())
}

/// Says how a shard ended and what comes next.
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
            format!("interrupted; the {done} runs that are done are kept; run the same command again to go on");
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

/// What would harm other shards, or can't be known of one.
fn refuse_what_concerns_all(arguments: &Run, folder: &Path) -> Result<(), Failure> {
    if arguments.fresh {
        let store = folder.join(STORE);
        let message = format!(
            "--fresh discards all that is stored, also what other shards have computed: remove {} before the first shard \
             is started, or run without --shard",
            store.display()
        );
        return Err(bad_input(message));
    }
    if arguments.strict {
        let message =
            "--strict judges expectations, and one shard can't know whether they are met: give it to `hetsim merge`";
        return Err(bad_input(message));
    }
    Ok(())
}

/// Opens a store to which others may be appending: what they are just writing looks torn and is no cause for alarm.
pub(super) fn open_shared_store(folder: &Path) -> Result<Store<RunId>, Failure> {
    let (store, loaded) = Store::open(folder.join(STORE)).map_err(|error| bad_input(error.to_string()))?;
    for note in loaded.notes {
        let level = if note.corrupt > 0 { log::Level::Warn } else { log::Level::Debug };
        log::log!(level, "{note}");
    }
    Ok(store)
}

/// Refuses to discard what shards, or another run of all of it, rely on that are at work.
pub(super) fn refuse_active(folder: &Path) -> Result<(), Failure> {
    let states = ShardState::read_all(folder);
    let shards = states.iter().filter(|state| is_active(state)).map(|state| format!("shard {}", state.shard));
    let process = Mark::other_process(folder).map(|process| format!("process {}", process.pid));
    let active: Vec<String> = shards.chain(process).collect();
    if active.is_empty() {
        return Ok(());
    }
    let message = format!(
        "--fresh would discard what is being computed there ({}); stop that first, and see `hetsim status {}`",
        active.join(", "),
        folder.display()
    );
    Err(bad_input(message))
}

/// Removes what shards said of themselves, whose runs are discarded.
pub(super) fn forget(folder: &Path) -> Result<(), Failure> {
    match std::fs::remove_dir_all(folder.join(SHARDS)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(bad_input(format!("{} can't be removed: {error}", folder.join(SHARDS).display())))
        }
        _ => Ok(()),
    }
}

/// A results folder and the scenario that its runs are of.
pub(super) struct Known {
    /// The scenario.
    pub(super) scenario: Scenario,
    /// Its file.
    pub(super) path: PathBuf,
    /// Values put over it.
    pub(super) overrides: Vec<String>,
    /// What shards have left of it, if it was ever cut.
    pub(super) plan: Option<Plan>,
    /// Who began to compute all of it, where that has not come to an end.
    pub(super) process: Option<Process>,
    /// A sentence where its runs are of another version's model.
    pub(super) other_model: Option<String>,
}

impl Known {
    /// What a user says that a folder is of.
    pub(super) fn as_said(folder: &Path, path: &Path, overrides: &[String]) -> Result<Self, Failure> {
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
        let (scenario, note) = from.scenario()?;
        if let Some(note) = note {
            say(&format!("note: {note}"));
        }
        let (path, overrides) = (from.scenario.clone(), from.overrides.clone());
        Ok(Self { scenario, path, overrides, plan: None, process: None, other_model: other_model(from) })
    }
}

/// Finds the scenario of a results folder by what a shard or a run has left there, and says so where it isn't its file as it
/// is now.
pub(super) fn known(folder: &Path) -> Result<Known, Failure> {
    let plan = read_plan(folder)?;
    if let Some(mark) = read_mark(folder)? {
        let plan = plan.clone().filter(|plan| plan.digest == mark.plan.digest);
        if plan.is_some() || Mark::is_newer_than_plan(folder) {
            return Ok(Known { plan, process: Some(mark.process), ..Known::planned(&mark.plan)? });
        }
    }
    if let Some(plan) = plan {
        let known = Known::planned(&plan)?;
        return Ok(Known { plan: Some(plan), ..known });
    }
    finished(folder)
}

/// What a folder with results is of.
fn finished(folder: &Path) -> Result<Known, Failure> {
    let manifest = Manifest::read(folder).map_err(|error| {
        let folder = folder.display();
        let cure = "--scenario FILE says which scenario it is of";
        match error.kind() {
            std::io::ErrorKind::NotFound => bad_input(format!(
                "{folder} is no results folder: neither a shard nor a run has left its mark there; {cure}"
            )),
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
        (now, Ok(then)) => {
            let how = if now.is_ok() { "describes other runs than" } else { "can't be read any more as" };
            say(&format!("note: {} {how} when the results were made; taken is what it was then", path.display()));
            then
        }
    };
    let other_model = (manifest.model_code != MODEL_CODE).then(|| {
        format!("the results were made by another hetsim ({}, model {})", manifest.version, manifest.model_code)
    });
    Ok(Known { scenario, path, overrides: manifest.overrides, plan: None, process: None, other_model })
}

/// What shards have left in a folder.
pub(super) fn read_plan(folder: &Path) -> Result<Option<Plan>, Failure> {
    Plan::read(folder).map_err(|error| bad_input(format!("{error}; remove that file and start a shard again")))
}

/// What a run of all of it has left in a folder.
fn read_mark(folder: &Path) -> Result<Option<Mark>, Failure> {
    Mark::read(folder).map_err(|error| bad_input(format!("{error}; remove that file and run it again")))
}

/// A sentence where runs are of another version's model.
fn other_model(plan: &Plan) -> Option<String> {
    plan.is_of_another_model().then(|| {
        let what = if plan.shards == 0 { "the run was" } else { "the shards were" };
        format!(
            "{what} started by another hetsim ({}, model {}), and what that computed is not taken for runs of this one",
            plan.version, plan.model_code
        )
    })
}

/// How results are made of what shards have stored.
pub(super) fn merge_command(folder: &Path) -> String {
    command_line(["hetsim", "merge", &folder.to_string_lossy()])
}

/// How a scenario is run into a results folder, as a whole or in part.
pub(super) fn run_command(folder: &Path, known: &Known, shard: Option<Shard>) -> String {
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
