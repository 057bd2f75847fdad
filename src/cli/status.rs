//! `hetsim status`: shows the progress of a run, with or without shards.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use serde_json::json;

use super::Failure;
use super::arguments::Status;
use super::changes::Changes;
use super::console::Console;
use super::folder::open_shared_store;
use super::known::{KnownRun, merge_command, run_command};
use super::terminal::{text_table, wrapped};
use crate::batch::replication::Replication;
use crate::batch::shard::{Condition, Line, ShardState, Survey, is_active, survey};
use crate::batch::submit::{Queue, Queued, submissions};
use crate::report::manifest::{Manifest, set_over};
use crate::report::text::TextTable;

/// With more shards than this, complete ones are only counted.
const MOST_SHOWN: usize = 40;

/// The most shards whose commands are listed.
const MOST_COMMANDS: usize = 8;

pub(super) fn status(console: &Console, arguments: &Status) -> Result<(), Failure> {
    let folder = &arguments.results.folder;
    let known = KnownRun::of(console, &arguments.results)?;
    let store = open_shared_store(folder)?;
    let survey = if let Some(plan) = &known.plan {
        let submissions = submissions(folder);
        let queue = Queue::ask();
        let queued = |shard| queue.as_ref().map_or(Queued::Unknown, |queue| queue.of(shard, &submissions));
        survey(folder, &known.scenario, &store, plan.shards, queued)?
    } else {
        let mut replication = Replication::new(&known.scenario);
        let missing = replication.missing(&store, |_| true)?.len();
        let total = replication.runs().count();
        Survey { total, done: total - missing, lines: Vec::new() }
    };
    let count = known.plan.as_ref().map_or(0, |plan| plan.shards);
    let others: Vec<ShardState> = ShardState::read_all(folder)
        .into_iter()
        .filter(|state| state.shard.count() != count && is_active(state))
        .collect();
    if arguments.json {
        let text = serde_json::to_string_pretty(&as_json(&known, &survey, &others));
        let text = text.map_err(|error| Failure::Run(error.to_string()))?;
        return console.print_data(|out| writeln!(out, "{text}"));
    }
    let mut text = as_text(&known, &survey, &others);
    text.push_str(&what_next(arguments, &known, &survey));
    console.print(&text)
}

fn as_text(known: &KnownRun, survey: &Survey, others: &[ShardState]) -> String {
    let mut text = String::new();
    let percent = if survey.total == 0 { 100.0 } else { 100.0 * survey.done as f64 / survey.total as f64 };
    let _ = write!(text, "{}: {} of {} runs done ({percent:.0} %)", known.scenario.name, survey.done, survey.total);
    if !survey.lines.is_empty() {
        let finished = survey.count(Condition::Finished);
        let _ = write!(text, ", {finished} of {} shards finished{}", survey.lines.len(), survey.empty());
    }
    text.push_str("\n\n");
    if let Some(sentence) = set_over(&known.overrides) {
        text.push_str(&wrapped(&sentence, 0, 2));
        text.push('\n');
    }
    if let Some(reason) = &known.other_model {
        text.push_str(&wrapped(&format!("Note: {reason}."), 0, 0));
        text.push('\n');
    }
    let all = survey.lines.len() <= MOST_SHOWN;
    let shown = survey.lines.iter().filter(|line| all || !line.condition.is_complete());
    let rows: Vec<Vec<String>> = shown.map(row).collect();
    if !rows.is_empty() {
        let columns = ["shard", "done", "state", "host", "job", "last heartbeat"].map(str::to_owned).to_vec();
        text.push_str(&text_table(&TextTable { title: String::new(), columns, rows, ..TextTable::default() }));
    }
    if !others.is_empty() {
        let shards: Vec<String> = others.iter().map(|state| state.shard.to_string()).collect();
        text.push_str(&wrapped(&format!("Also running, of another split: {}", shards.join(", ")), 0, 2));
    }
    text
}

fn row(line: &Line) -> Vec<String> {
    let state = line.state.as_ref();
    let job = state.and_then(|state| state.job.as_ref()).map(|job| format!("{} {}", job.system, job.id));
    let mut condition = line.condition.words().to_owned();
    if let Some(failed) = state.map(|state| state.failed).filter(|_| line.condition == Condition::Failed) {
        let _ = write!(condition, " ({failed} runs)");
    }
    vec![
        line.shard.to_string(),
        format!("{}/{}", line.tally.done, line.tally.total),
        condition,
        state.map(|state| state.process.host.clone()).unwrap_or_default(),
        job.unwrap_or_default(),
        state.map(|state| format!("{} ago", rounded(state.silence()))).unwrap_or_default(),
    ]
}

/// A duration in words.
fn rounded(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds @ 7200..172_800 => format!("{} h", seconds / 3600),
        seconds => format!("{} d", seconds / 86_400),
    }
}

/// The page that a completed run writes last, except for its manifest.
const RESULTS: &str = "report.html";

/// The process that computes the missing runs of an unsharded scenario, or the command to do so.
fn running_process(folder: &Path, known: &KnownRun, survey: &Survey) -> String {
    let (command, missing) = (run_command(folder, known, None), survey.total - survey.done);
    let process = known.process.as_ref().map(|process| (process.is_alive(), process));
    match process {
        Some((Some(true), process)) => format!("Process {} computes the rest.", process.pid),
        Some((None, process)) => format!(
            "Process {} on {} has started it; whether it is still running cannot be determined from here. If not: {command}",
            process.pid, process.host
        ),
        Some((Some(false), _)) => format!("Interrupted. To continue: {command}"),
        // A run that is not interrupted computes all that it can.
        None if lacking(folder, known).is_some_and(|lacking| lacking > 0) => format!(
            "{missing} runs failed: the results in {} are of the others. To see why: {command}",
            folder.join(RESULTS).display()
        ),
        None => format!("{missing} runs are missing. To compute them: {command}"),
    }
}

/// How many runs the results in a folder lack, if they are of this scenario.
fn lacking(folder: &Path, known: &KnownRun) -> Option<usize> {
    let manifest = Manifest::read(folder).ok()?;
    let changes = Changes::since(folder, &known.scenario).ok()?;
    (!changes.reach_runs()).then(|| manifest.runs.saturating_sub(manifest.rows))
}

/// The next step, if there is one.
fn what_next(arguments: &Status, known: &KnownRun, survey: &Survey) -> String {
    let folder = &arguments.results.folder;
    if survey.done == survey.total {
        let results = folder.join(RESULTS);
        if known.process.is_none() && results.exists() && lacking(folder, known) == Some(0) {
            return format!("All runs are stored, and the results are in {}\n", results.display());
        }
        let command = if known.plan.is_some() { merge_command(folder) } else { run_command(folder, known, None) };
        return format!("All runs are stored. To make the results: {command}\n");
    }
    if known.plan.is_none() {
        return wrapped(&running_process(folder, known, survey), 0, 2);
    }
    let idle: Vec<&Line> = survey.incomplete().filter(|line| !line.condition.is_underway()).collect();
    let count = idle.len();
    if count == 0 {
        return String::new();
    }
    let failed = idle.iter().filter(|line| line.condition == Condition::Failed).filter_map(|line| line.state.as_ref());
    let reason = failed.filter(|state| state.failed > 0).find_map(|state| state.reasons.first());
    let (plural, each) = if count == 1 { (" is", "it") } else { ("s are", "each") };
    let advice =
        format!("{count} shard{plural} incomplete and not underway. Submit again (hetsim submit …), or run {each}:");
    let command = |line: &&Line| format!("  {}\n", run_command(folder, known, Some(line.shard)));
    let mut commands: String = idle.iter().take(MOST_COMMANDS).map(command).collect();
    if count > MOST_COMMANDS {
        let _ = writeln!(commands, "  … and {} more", count - MOST_COMMANDS);
    }
    let failed = reason.map_or_else(String::new, |reason| {
        let merge = merge_command(folder);
        wrapped(
            &format!("Runs that failed may fail again ({reason}). For results of the others: {merge} --partial"),
            0,
            2,
        )
    });
    format!("{}{commands}{failed}", wrapped(&advice, 0, 0))
}

fn as_json(known: &KnownRun, survey: &Survey, others: &[ShardState]) -> serde_json::Value {
    let line = |line: &Line| {
        json!({
            "shard": line.shard,
            "total": line.tally.total,
            "done": line.tally.done,
            "condition": line.condition,
            "said": line.state,
            "silence_s": line.state.as_ref().map(|state| state.silence().as_secs()),
        })
    };
    json!({
        "name": known.scenario.name,
        "scenario": known.path,
        "overrides": known.overrides,
        "total": survey.total,
        "done": survey.done,
        "another_model": known.other_model.is_some(),
        "process": known.process,
        "at_work": known.process.as_ref().and_then(crate::batch::shard::Process::is_alive),
        "shards": survey.lines.iter().map(line).collect::<Vec<_>>(),
        "of_other_splits": others,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rough() {
        let said = [0, 119, 120, 7199, 7200, 172_800].map(|seconds| rounded(Duration::from_secs(seconds)));
        assert_eq!(said, ["0 s", "119 s", "2 min", "119 min", "2 h", "2 d"]);
    }
}
