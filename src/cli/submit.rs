//! `hetsim submit`: submits the incomplete shards of a sweep to a batch system.

use std::fmt::Write as _;
use std::path::Path;

use super::arguments::Submit;
use super::console::Console;
use super::folder::{open_shared_store, read_plan};
use super::known::merge_command;
use super::{Failure, bad_input};
use crate::batch::identity::RunId;
use crate::batch::shard::{Condition, Line, Plan, Shard, Survey, survey};
use crate::batch::store::Store;
use crate::batch::submit::{Engine, Prepared, Queue, Queued, Request, Resources, SubmitError, submissions};
use crate::report::Reported as _;
use crate::report::folder::refuse_another;
use crate::scenario::Scenario;

pub(super) fn submit(console: &Console, arguments: &Submit) -> Result<(), Failure> {
    let overrides = arguments.input.all_overrides();
    let scenario = Scenario::load(&arguments.input.scenario, &overrides)?;
    let folder = arguments.out.join(&scenario.name);
    refuse_another(&folder, &arguments.input.scenario)?;
    let plan = read_plan(&folder)?;
    let count = arguments.shards.or_else(|| plan.as_ref().map(|plan| plan.shards)).ok_or_else(|| {
        bad_input("give the number of shards by --shards N; about 4 for each that runs at once balance well")
    })?;
    let store = open_shared_store(&folder)?;
    let look = |count: u32| look(arguments, &folder, &scenario, &store, count);
    if let Some(plan) = plan.filter(|plan| plan.shards != count) {
        refuse_underway(&look(plan.shards)?, &folder)?;
    }
    let survey = look(count)?;
    let (underway, idle): (Vec<&Line>, Vec<&Line>) = survey.incomplete().partition(|line| line.condition.is_underway());
    if !arguments.dry_run {
        console.say(&format!(
            "{}: {} of {} runs done; of {} shards {} finished, {} underway, {} to submit{}",
            scenario.name,
            survey.done,
            survey.total,
            survey.lines.len(),
            survey.count(Condition::Finished),
            underway.len(),
            idle.len(),
            survey.empty(),
        ));
    }
    if idle.is_empty() {
        let next =
            if underway.is_empty() { merge_command(&folder) } else { format!("hetsim status {}", folder.display()) };
        console.say(&format!("nothing to submit; see {next}"));
        return Ok(());
    }
    let shards = idle.iter().map(|line| line.shard).collect();
    let request = request(console, arguments, &scenario, overrides.clone(), shards)
        .map_err(|error| bad_input(error.to_string()))?;
    if arguments.dry_run {
        return console.print(&shown(&request.prepare(arguments.engine).map_err(|error| failure(&error))?));
    }
    // Refuse before writing anything.
    let fit = request.prepare(arguments.engine).and_then(|_| arguments.engine.check_driven());
    fit.map_err(|error| failure(&error))?;
    let written = std::fs::create_dir_all(&folder)
        .and_then(|()| Plan::new(&scenario, &arguments.input.scenario, overrides, count))
        .and_then(|plan| plan.write(&folder));
    written.map_err(|error| bad_input(format!("{} cannot be written: {error}", folder.display())))?;
    let submission = request.submit(arguments.engine).map_err(|error| failure(&error))?;
    if let (Some(job), Some(merge)) = (&submission.job, &submission.merge_job) {
        console.say(&format!("submitted: {} shards as job {job}, the merge as job {merge}", submission.shards.len()));
        console.say(&format!("see hetsim status {}", folder.display()));
    }
    Ok(())
}

/// The condition of the shards, also by the queue if there is one.
fn look(
    arguments: &Submit,
    folder: &Path,
    scenario: &Scenario,
    store: &Store<RunId>,
    count: u32,
) -> Result<Survey, Failure> {
    let submissions = submissions(folder);
    let asks = arguments.engine == Engine::Slurm && !arguments.dry_run && !submissions.is_empty();
    let queue = asks.then(Queue::ask).flatten();
    let queued = |shard| queue.as_ref().map_or(Queued::Unknown, |queue| queue.of(shard, &submissions));
    Ok(survey(folder, scenario, store, count, queued)?)
}

/// Allows another split, but not while shards of the former one compute the same runs.
fn refuse_underway(survey: &Survey, folder: &Path) -> Result<(), Failure> {
    let underway: Vec<&Line> = survey.incomplete().filter(|line| line.condition.is_underway()).collect();
    let Some(first) = underway.first() else { return Ok(()) };
    let message = format!(
        "{} shards of {} are underway, such as {}: cancel them, or omit --shards to continue with them; see `hetsim status {}`",
        underway.len(),
        first.shard.count(),
        first.shard,
        folder.display()
    );
    Err(bad_input(message))
}

fn request(
    console: &Console,
    arguments: &Submit,
    scenario: &Scenario,
    overrides: Vec<String>,
    shards: Vec<Shard>,
) -> std::io::Result<Request> {
    Ok(Request {
        program: console.program()?,
        current: std::env::current_dir()?,
        scenario: std::path::absolute(&arguments.input.scenario)?,
        overrides,
        out: std::path::absolute(&arguments.out)?,
        name: scenario.name.clone(),
        shards,
        resources: Resources {
            partition: arguments.partition.clone(),
            account: arguments.account.clone(),
            time: arguments.time.clone(),
            memory: arguments.memory.clone(),
            cpus: arguments.cpus,
            at_once: arguments.at_once,
            options: arguments.options.clone(),
        },
    })
}

/// The scripts and commands in the form of a shell session.
fn shown(prepared: &Prepared) -> String {
    let mut text = format!("# in {}\n", prepared.folder.display());
    for (name, script) in &prepared.scripts {
        let _ = write!(text, "\n# {name}\n{script}");
    }
    text.push_str("\n# commands\n");
    for command in &prepared.commands {
        let _ = writeln!(text, "{command}");
    }
    text
}

fn failure(error: &SubmitError) -> Failure {
    match error {
        SubmitError::Unfit(_) | SubmitError::Name(_) => bad_input(error.to_string()),
        SubmitError::Files(_) | SubmitError::Start { .. } | SubmitError::Refused { .. } => {
            Failure::Run(error.to_string())
        }
    }
}
