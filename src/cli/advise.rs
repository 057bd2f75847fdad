//! `hetsim advise`: the fastest algorithm for each operation, number of ranks and size on a platform; with `--tasks`, how
//! to run a farm.

mod tasks;

use std::path::Path;

use super::arguments::Advise as Arguments;
use super::computing::{Watched, interruptible};
use super::console::Console;
use super::out::{remove_stale, results_folder};
use super::terminal::{text_table, wrapped};
use super::{Failure, bad_input};
use crate::advice::{CollectiveAdvice, CollectiveRequest, advise_collectives, assumed_error};
use crate::batch::threads::Threads;
use crate::communication::Operation;
use crate::report::advise::{SEVERAL_RANKS, Uncertainty, caveats, falling, several_ranks, table, without_counterpart};
use crate::report::spec::NOTATION;
use crate::scenario::{CalibrationSpec, Scenario, Source};

pub(super) fn advise(console: &Console, arguments: &Arguments) -> Result<(), Failure> {
    arguments.logs.check(arguments.tasks)?;
    if arguments.tasks || arguments.hpl {
        return tasks::advise(console, arguments);
    }
    let interruption = interruptible(console);
    let scenario = scenario(&arguments.platform, arguments)?;
    let name = platform_name(&arguments.platform);
    let folder =
        results_folder(console, &arguments.out, &format!("advise-{name}"), "choices.csv", Some("choices.csv"))?;
    let request = request(arguments)?;
    let (measured, is_error_known) = (request.measured.clone(), request.error.is_some());
    let advice = advise_collectives(&scenario, request, &Watched::new(console, interruption))?;
    if !is_error_known {
        say_assumed(console, &scenario);
    }
    if !measured.is_empty() {
        let times = if advice.measured == 1 { "time is" } else { "times are" };
        console.say(&format!("{} {times} measured; the others are simulated", advice.measured));
        for note in caveats(&advice.choices, &measured) {
            console.say(&format!("note: {note}"));
        }
    }
    if let Some(note) = falling(&advice.choices) {
        console.say(&format!("note: {note}"));
    }
    if several_ranks(&advice.choices) {
        console.say(&format!("warning: {SEVERAL_RANKS}"));
    }
    let written = advice.write(&folder, &name)?;
    let removed = remove_stale(&folder, CollectiveAdvice::writes, &written)?;
    if !removed.is_empty() {
        console.say(&format!("note: removed what earlier advice left in {}: {}", folder.display(), removed.join(", ")));
    }
    for note in without_counterpart(&advice.choices) {
        console.say(&format!("note: {note}"));
    }
    for choices in advice.by_machine() {
        for &operation in &advice.operations {
            console.print(&text_table(&table(choices, operation)))?;
        }
    }
    console.print(&wrapped(&format!("Written to {}: {}", folder.display(), written.join(", ")), 0, 2))
}

/// What is asked.
fn request(arguments: &Arguments) -> Result<CollectiveRequest, Failure> {
    let is_asked =
        |operation: &Operation| arguments.operations.iter().any(|one| one.0.is_none_or(|one| one == *operation));
    let defaults = CollectiveRequest::default();
    Ok(CollectiveRequest {
        operations: Operation::ALL.iter().copied().filter(is_asked).collect(),
        sizes: arguments.sizes.0.clone(),
        ranks: arguments.ranks.clone(),
        ranks_per_node: arguments.ranks_per_node.clone(),
        placement: arguments.placement,
        reduction: arguments.reduction,
        measured: arguments.with.read(&arguments.measured)?.points,
        error: arguments.error.as_deref().map(uncertainty).transpose()?,
        replicas: arguments.replicas.unwrap_or(defaults.replicas),
        threads: Threads::new(arguments.jobs),
    })
}

/// The error of the simulation: in per cent, or by the summary of a validation.
fn uncertainty(text: &str) -> Result<Uncertainty, Failure> {
    if let Ok(percent) = text.trim_end_matches('%').trim_end().parse::<f64>() {
        let share = Some(percent / 100.0).filter(|share| share.is_finite() && *share >= 0.0);
        let wrong = || bad_input(format!("--error {text}: an error is zero per cent or more"));
        return share.map(Uncertainty::Equal).ok_or_else(wrong);
    }
    let source = Source::read(Path::new(text)).map_err(bad_input)?;
    Uncertainty::read_summary(&source.text).map_err(|fault| bad_input(format!("{}: {fault}", source.name)))
}

/// Says which error is taken where none is given.
fn say_assumed(console: &Console, scenario: &Scenario) {
    let of = scenario.calibration().map_or_else(|| "as is usual".to_owned(), CalibrationSpec::to_string);
    console.say(&format!(
        "note: simulated times are taken to be up to {:.1} % off, {of}; --error gives another bound",
        assumed_error(scenario) * 100.0
    ));
}

/// The file name without its extensions for platforms.
fn platform_name(file: &Path) -> String {
    let stem = file.file_stem().map_or_else(|| "platform".into(), |stem| stem.to_string_lossy());
    stem.strip_suffix(".platform").unwrap_or(&stem).to_owned()
}

/// The scenario in a file, or one around the platform in it.
fn scenario(path: &Path, arguments: &Arguments) -> Result<Scenario, Failure> {
    let source = Source::read(path).map_err(bad_input)?;
    let mut overrides = arguments.overrides.clone();
    overrides.extend(arguments.seed.map(|seed| format!("seed={seed}")));
    Ok(Scenario::of_platform(&NOTATION, platform_name(path), source, &overrides)?)
}
