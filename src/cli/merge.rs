//! `hetsim merge`: makes results from the runs stored by shards, byte for byte those of a single process.

use std::fmt::Write as _;

use super::arguments::Merge;
use super::console::Console;
use super::folder::{load_results, open_shared_store};
use super::known::{KnownRun, merge_command, run_command};
use super::run::finish;
use super::{Failure, bad_input};
use crate::batch::identity::RunId;
use crate::batch::mark::Mark;
use crate::batch::replication::{Replication, Run};
use crate::batch::shard::{ShardState, survey};
use crate::batch::store::{Store, StoreError};
use crate::batch::submit::Queued;
use crate::report::manifest::{Manifest, peak_memory};
use crate::report::session::described;

/// The maximum number of incomplete shards or missing runs listed; the rest is counted.
const MOST_NAMED: usize = 10;

pub(super) fn merge(console: &Console, arguments: &Merge) -> Result<u8, Failure> {
    let folder = &arguments.results.folder;
    let known = KnownRun::of(console, &arguments.results)?;
    let store = open_shared_store(folder)?;
    let mut replication = Replication::new(&known.scenario);
    let missing = replication.missing(&store, |_| true)?;
    let wanted = replication.runs().count();
    if !missing.is_empty() && !arguments.partial {
        let text = report_missing(arguments, &known, &store, (&missing, wanted))?;
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
        ..Manifest::of(&results, wanted)
    };
    let finished = finish(console, folder, &results, &manifest, arguments.quiet)?;
    if missing.is_empty() {
        Mark::remove(folder);
    } else {
        let there = results.rows().len();
        console.say(&format!("note: these results are partial: {there} of {wanted} runs are stored"));
    }
    finished.end(console, arguments.strict)
}

/// Lists the incomplete shards, or the missing runs without shards, with the commands to compute them.
fn report_missing(
    arguments: &Merge,
    known: &KnownRun,
    store: &Store<RunId>,
    (missing, wanted): (&[Run], usize),
) -> Result<String, StoreError> {
    let folder = &arguments.results.folder;
    let mut text = format!("{} of {wanted} runs are missing; nothing was written", missing.len());
    if let Some(reason) = &known.other_model {
        let _ = write!(text, "\n  {reason}");
    }
    let mut lines = Vec::new();
    match &known.plan {
        Some(plan) => {
            let survey = survey(folder, &known.scenario, store, plan.shards, |_| Queued::Unknown)?;
            for line in survey.incomplete() {
                let (absent, total) = (line.tally.total - line.tally.done, line.tally.total);
                let command = run_command(folder, known, Some(line.shard));
                let (shard, condition) = (line.shard, line.condition.words());
                lines.push(format!("shard {shard} is missing {absent} of {total} runs ({condition}): {command}"));
                let reasons = line.state.iter().flat_map(|state| &state.reasons).take(1);
                lines.extend(reasons.map(|reason| format!("  its message: {reason}")));
            }
        }
        None => lines.extend(missing.iter().map(|run| described(&known.scenario, *run))),
    }
    for line in lines.iter().take(MOST_NAMED) {
        let _ = write!(text, "\n  {line}");
    }
    if lines.len() > MOST_NAMED {
        let _ = write!(text, "\n  … and {} more", lines.len() - MOST_NAMED);
    }
    let _ = write!(
        text,
        "\nto compute all missing runs here: {}\nfor results of the stored runs: {} --partial",
        run_command(folder, known, None),
        merge_command(folder)
    );
    Ok(text)
}
