//! `hetsim merge`: results of what shards have stored, the same bytes as one process would have written.

use std::fmt::Write as _;
use std::process::ExitCode;

use super::arguments::Merge;
use super::run::{described, finish, load_results, manifest, peak_memory};
use super::say::say;
use super::shard::{Known, known, merge_command, open_shared_store, run_command};
use super::{Failure, bad_input};
use crate::batch::mark::Mark;
use crate::batch::replication::Replication;
use crate::batch::run::Run;
use crate::batch::shard::{ShardState, survey};
use crate::batch::store::{Store, StoreError};
use crate::batch::submit::Queued;
use crate::report::output::Manifest;
use crate::scenario::RunId;

/// How many shards or runs that lack are named; the rest is counted.
const MOST_NAMED: usize = 10;

pub(super) fn merge(arguments: &Merge) -> Result<ExitCode, Failure> {
    let folder = &arguments.folder;
    let known = match &arguments.scenario {
        Some(path) => Known::as_said(folder, path, &arguments.overrides)?,
        None => known(folder)?,
    };
    let store = open_shared_store(folder)?;
    let unreadable = |error: StoreError| Failure::Run(error.to_string());
    let mut replication = Replication::new(&known.scenario);
    let lacking = replication.missing(&store, |_| true).map_err(unreadable)?;
    let wanted = replication.runs().count();
    if !lacking.is_empty() && !arguments.partial {
        let text = what_lacks(arguments, &known, &store, (&lacking, wanted)).map_err(unreadable)?;
        return Err(Failure::Run(text));
    }
    let results = load_results(&known.scenario, &store)?;
    if results.rows().is_empty() {
        return Err(bad_input(format!("{} holds no run of {}", folder.display(), known.path.display())));
    }
    let states = ShardState::read_all(folder);
    let earlier = Manifest::read(folder).map_or(0.0, |manifest| manifest.simulation_wall_s);
    let manifest = Manifest {
        scenario: known.path.display().to_string(),
        overrides: known.overrides.clone(),
        // Whoever merged before has counted the shards already.
        simulation_wall_s: states.iter().map(|state| state.simulation_wall_s).sum::<f64>().max(earlier),
        peak_memory_bytes: states.iter().map(|state| state.peak_memory_bytes).chain([peak_memory()]).flatten().max(),
        ..manifest(&results, wanted)
    };
    let finished = finish(folder, &results, &manifest, arguments.quiet)?;
    if lacking.is_empty() {
        Mark::remove(folder);
    } else {
        let there = results.rows().len();
        say(&format!("note: these results are partial: {there} of {wanted} runs are there"));
    }
    finished.end(arguments.strict)
}

/// Which shards lack runs, or which runs lack where there are no shards, and how they are computed.
fn what_lacks(
    arguments: &Merge,
    known: &Known,
    store: &Store<RunId>,
    (lacking, wanted): (&[Run], usize),
) -> Result<String, StoreError> {
    let folder = &arguments.folder;
    let mut text = format!("{} of {wanted} runs are missing; nothing was written", lacking.len());
    if let Some(reason) = &known.other_model {
        let _ = write!(text, "\n  {reason}");
    }
    let mut lines = Vec::new();
    match &known.plan {
        Some(plan) => {
            let survey = survey(folder, &known.scenario, store, plan.shards, |_| Queued::Unknown)?;
            for line in survey.lacking() {
                let (lacks, total) = (line.tally.total - line.tally.done, line.tally.total);
                let command = run_command(folder, known, Some(line.shard));
                let (shard, condition) = (line.shard, line.condition.words());
                lines.push(format!("shard {shard} lacks {lacks} of {total} runs ({condition}): {command}"));
                let reasons = line.state.iter().flat_map(|state| &state.reasons).take(1);
                lines.extend(reasons.map(|reason| format!("  it said: {reason}")));
            }
        }
        None => lines.extend(lacking.iter().map(|run| described(&known.scenario, *run))),
    }
    for line in lines.iter().take(MOST_NAMED) {
        let _ = write!(text, "\n  {line}");
    }
    if lines.len() > MOST_NAMED {
        let _ = write!(text, "\n  … and {} more", lines.len() - MOST_NAMED);
    }
    let _ = write!(
        text,
        "\nall that lacks, here: {}\nresults of what is there: {} --partial",
        run_command(folder, known, None),
        merge_command(folder)
    );
    Ok(text)
}
