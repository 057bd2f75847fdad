//! The scenario of a results folder, and the commands that continue there.

use std::path::{Path, PathBuf};

use super::arguments::Results;
use super::console::Console;
use super::folder::{read_mark, read_plan};
use super::{Failure, bad_input};
use crate::batch::mark::MARK;
use crate::batch::shard::{Plan, Process, Shard, digest};
use crate::batch::submit::command_line;
use crate::model;
use crate::report::Reported as _;
use crate::report::manifest::{MANIFEST, Manifest};
use crate::report::spec::NOTATION;
use crate::scenario::{Problems, Scenario, Source};

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
    pub(super) fn of(console: &Console, results: &Results) -> Result<Self, Failure> {
        let Results { folder, scenario, overrides } = results;
        if folder.is_file() {
            let file = folder.display();
            let name = folder.file_stem().unwrap_or_default().to_string_lossy();
            return Err(bad_input(format!("{file} is a file; give a results folder, such as output/{name}")));
        }
        scenario.as_ref().map_or_else(|| known(console, folder), |path| Self::as_given(folder, path, overrides))
    }

    /// The scenario of a file in a folder.
    pub(super) fn as_given(folder: &Path, path: &Path, overrides: &[String]) -> Result<Self, Failure> {
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

    fn planned(console: &Console, from: &Plan) -> Result<Self, Failure> {
        let (scenario, note) = from.scenario(&NOTATION)?;
        if let Some(note) = note {
            console.say(&format!("note: {note}"));
        }
        let (path, overrides) = (from.scenario.clone(), from.overrides.clone());
        Ok(Self { scenario, path, overrides, plan: None, process: None, other_model: other_model(from) })
    }
}

/// Finds the scenario of a results folder from the mark of a run, the plan of shards or the results there, whichever is
/// newest, and notes if its file has changed. A plan that is older counts if it is of the same runs.
fn known(console: &Console, folder: &Path) -> Result<KnownRun, Failure> {
    let plan = read_plan(folder)?;
    if let Some(mark) = read_mark(folder)? {
        let plan = plan.clone().filter(|plan| plan.digest == mark.plan.digest);
        if plan.is_some() || Plan::is_before(folder, MARK) {
            return Ok(KnownRun { plan, process: Some(mark.process), ..KnownRun::planned(console, &mark.plan)? });
        }
    }
    if let Some(plan) = plan.as_ref().filter(|_| !Plan::is_before(folder, MANIFEST)) {
        return Ok(KnownRun { plan: Some(plan.clone()), ..KnownRun::planned(console, plan)? });
    }
    let known = finished(console, folder)?;
    Ok(KnownRun { plan: plan.filter(|plan| plan.digest == digest(&known.scenario)), ..known })
}

/// The scenario of a folder with results.
fn finished(console: &Console, folder: &Path) -> Result<KnownRun, Failure> {
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
    let then =
        Source::read_own(&folder.join("scenario.resolved.toml")).map_err(|error| Problems::general(error.to_string()));
    let then = then.and_then(|source| Scenario::read(name, source, &[]));
    let scenario = match (now, then) {
        (Ok(now), Ok(then)) if digest(&now) == digest(&then) => now,
        (Ok(now), Err(_)) => now,
        (Err(problems), Err(_)) => return Err(problems.into()),
        (now, Ok(mut then)) => {
            let how = if now.is_ok() { "describes other runs than" } else { "can no longer be read as" };
            console.say(&format!(
                "note: {} {how} when the results were made; using the scenario of that time",
                path.display()
            ));
            if !manifest.text.is_empty() {
                then.text = manifest.text.as_str().into();
            }
            then
        }
    };
    let other_model = (manifest.model_code != model::CODE).then(|| {
        format!("the results were made by another hetsim ({}, model {})", manifest.version, manifest.model_code)
    });
    Ok(KnownRun { scenario, path, overrides: manifest.overrides, plan: None, process: None, other_model })
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
