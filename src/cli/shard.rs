//! `hetsim run --shard`: computes one shard of a sweep.

use std::path::Path;

use super::arguments::Run;
use super::computing::{Interruption, failed, progress, show};
use super::console::Console;
use super::folder::{open_shared_store, read_plan};
use super::known::merge_command;
use super::{Failure, bad_input};
use crate::batch::replication::Replication;
use crate::batch::run::{BatchOutcome, Workers, complete};
use crate::batch::shard::{Plan, Reporter, Shard, ShardState, Split, is_active};
use crate::batch::threads::Threads;
use crate::report::folder::{STORE, prepare};
use crate::report::manifest::peak_memory;
use crate::scenario::Scenario;

/// Computes the missing runs of one shard. Tables and charts are left to `hetsim merge`, since other shards may be
/// running.
pub(super) fn run(
    console: &Console,
    arguments: &Run,
    scenario: &Scenario,
    (folder, shard): (&Path, Shard),
    interruption: Interruption,
) -> Result<u8, Failure> {
    refuse_shared_options(arguments, folder)?;
    prepare(folder, &arguments.input.scenario, false)?;
    let store = open_shared_store(folder)?;
    store.check_writable().map_err(|error| bad_input(error.to_string()))?;
    let unwritable = |error: std::io::Error| bad_input(format!("{} cannot be written: {error}", folder.display()));
    let plan = Plan::new(scenario, &arguments.input.scenario, arguments.input.all_overrides(), shard.count());
    let plan = plan.map_err(unwritable)?;
    check_former_shards(console, &plan, folder)?;
    plan.write(folder).map_err(unwritable)?;

    let split = Split::new(scenario, shard.count());
    let own = |point| split.has(shard, point);
    let mut replication = Replication::new(scenario);
    let runs = replication.missing(&store, own)?;
    let tally = split.tally(scenario, &store)?[shard.index() as usize];
    if !arguments.quiet {
        let already = if tally.done > 0 { format!(", {} already done", tally.done) } else { String::new() };
        let plural = if tally.total == 1 { "" } else { "s" };
        console.say(&format!("{}, shard {shard}: {} run{plural}{already}", scenario.name, tally.total));
    }
    let mut state = ShardState::starting(shard, tally.total, tally.done);
    // Runs of earlier attempts are not repeated, so their time is carried over.
    state.simulation_wall_s = ShardState::read(folder, shard).map_or(0.0, |earlier| earlier.simulation_wall_s);
    let reporter = Reporter::start(folder, state).map_err(unwritable)?;
    let bar = progress(console, runs.len(), arguments.quiet);
    let stop = interruption.flag();
    let workers = Workers { threads: Threads::new(arguments.jobs), stop: &stop };
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
    conclude(console, arguments, scenario, folder, shard, &outcome.map_err(Failure::Run)?, (tally.done, runs))
}

/// Refuses to take the folder from running shards of other runs, and notes earlier shards of other runs.
fn check_former_shards(console: &Console, plan: &Plan, folder: &Path) -> Result<(), Failure> {
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
    console.say(&format!(
        "note: the earlier shards belong to other runs ({what}, or an earlier version of it); these are kept, but not merged"
    ));
    Ok(())
}

/// Reports how a shard ended and what comes next.
fn conclude(
    console: &Console,
    arguments: &Run,
    scenario: &Scenario,
    folder: &Path,
    shard: Shard,
    outcome: &BatchOutcome,
    (before, runs): (usize, usize),
) -> Result<u8, Failure> {
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
        console.say(&format!("shard {shard} is done. Once all are: {}", merge_command(folder)));
    }
    Ok(0)
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
