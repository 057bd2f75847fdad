//! `hetsim advise`: the fastest algorithm for each operation, number of ranks and size on a platform; with `--tasks`, how
//! to run a farm.

mod search;
mod tasks;

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::arguments::Advise as Arguments;
use super::computing::interruptible;
use super::console::Console;
use super::out::{remove_stale, results_folder};
use super::terminal::{text_table, wrapped};
use super::{Failure, bad_input};
use crate::accuracy::USUAL_ERROR;
use crate::batch::threads::Threads;
use crate::batch::write::{write_atomically, write_text};
use crate::cluster::Platform;
use crate::communication::Operation;
use crate::engine::Streams;
use crate::report::advise::{
    Choice, SEVERAL_RANKS, Uncertainty, caveats, correct, map, rules, rules_json, selection_json, settings,
    several_ranks, table, without_counterpart, write_csv,
};
use crate::report::folder::create;
use crate::report::spec::NOTATION;
use crate::scenario::{CalibrationSpec, PlatformTree, Scenario, Source};
use crate::workload::advise::Call;
use search::search;

pub(super) fn advise(console: &Console, arguments: &Arguments) -> Result<(), Failure> {
    arguments.logs.check(arguments.tasks)?;
    if arguments.tasks || arguments.hpl {
        return tasks::advise(console, arguments);
    }
    let interruption = interruptible(console);
    let scenario = scenario(&arguments.platform, arguments)?;
    let machines = Machine::read(console, &scenario, arguments)?;
    let questions = questions(console, &scenario, arguments, &machines)?;
    let name = platform_name(&arguments.platform);
    let folder =
        results_folder(console, &arguments.out, &format!("advise-{name}"), "choices.csv", Some("choices.csv"))?;
    let measured = arguments.with.read(&arguments.measured)?.points;
    let error = match &arguments.error {
        Some(text) => uncertainty(text)?,
        None => assumed(console, scenario.calibration()),
    };
    if let Some(calibration) = scenario.calibration() {
        let phrases = questions.iter().flat_map(|question| question.beyond(calibration));
        if let Some(warning) = CalibrationSpec::warning(phrases) {
            console.say(&format!("warning: {warning}"));
        }
    }
    let mut choices: Vec<Choice> = questions.iter().map(|question| question.open(&error)).collect();
    let corrected = correct(&mut choices, &measured);
    let choices = search(console, &questions, choices, Threads::new(arguments.jobs), interruption)?;
    if !measured.is_empty() {
        let times = if corrected == 1 { "time is" } else { "times are" };
        console.say(&format!("{corrected} {times} measured; the others are simulated"));
        for note in caveats(&choices, &measured) {
            console.say(&format!("note: {note}"));
        }
    }
    if several_ranks(&choices) {
        console.say(&format!("warning: {SEVERAL_RANKS}"));
    }
    let operations = operations(arguments);
    let written = write(&folder, &choices, &operations, &name)?;
    let removed = remove_stale(&folder, is_of_advice, &written)?;
    if !removed.is_empty() {
        console.say(&format!("note: removed what earlier advice left in {}: {}", folder.display(), removed.join(", ")));
    }
    for note in without_counterpart(&choices) {
        console.say(&format!("note: {note}"));
    }
    for choices in by_machine(&choices) {
        for &operation in &operations {
            console.print(&text_table(&table(choices, operation)))?;
        }
    }
    console.print(&wrapped(&format!("Written to {}: {}", folder.display(), written.join(", ")), 0, 2))
}

/// The number of replicas.
fn replicas(arguments: &Arguments) -> u32 {
    arguments.replicas.map_or(1, std::num::NonZeroU32::get)
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

/// The error of the simulation by the calibration of the platform, or else the usual one.
fn assumed(console: &Console, calibration: Option<&CalibrationSpec>) -> Uncertainty {
    let of = calibration.map_or_else(|| "as is usual".to_owned(), ToString::to_string);
    let error = calibration.map_or(USUAL_ERROR, CalibrationSpec::expected_error);
    console.say(&format!(
        "note: simulated times are taken to be up to {:.1} % off, {of}; --error gives another bound",
        error * 100.0
    ));
    Uncertainty::Equal(error)
}

/// The requested operations, without duplicates and in the registry's order.
fn operations(arguments: &Arguments) -> Vec<Operation> {
    let asked =
        |operation: &Operation| arguments.operations.iter().any(|one| one.0.is_none_or(|one| one == *operation));
    Operation::ALL.iter().copied().filter(asked).collect()
}

/// The file name without its extensions for platforms.
fn platform_name(file: &Path) -> String {
    let stem = file.file_stem().map_or_else(|| "platform".into(), |stem| stem.to_string_lossy());
    stem.strip_suffix(".platform").unwrap_or(&stem).to_owned()
}

/// A platform on which advice is asked.
struct Machine {
    seed: u64,
    /// How many ranks are on each of its nodes, if that was asked; each of them is a node of hetsim.
    ranks_per_node: Option<u32>,
    /// The platform of each replica.
    drawn: Vec<Platform>,
}

impl Machine {
    /// A machine for each number of ranks on a node.
    fn read(console: &Console, scenario: &Scenario, arguments: &Arguments) -> Result<Vec<Self>, Failure> {
        let swept = scenario.axes.iter().filter(|axis| axis.key.starts_with("platform."));
        for axis in swept {
            console.say(&format!("{} is varied by the sweep; its first value is used", axis.key));
        }
        if scenario.is_uncertain() {
            console.say("[uncertainty] is left out: advice takes the platform as it is written");
        }
        let (seed, replicas) = (scenario.file.seed, 0..replicas(arguments));
        let tree = first_tree(scenario)?;
        if arguments.ranks_per_node.is_empty() {
            return Ok(vec![Self { seed, ranks_per_node: None, drawn: drawn_of(&tree, seed, replicas)? }]);
        }
        let nodes = tree.plan()?.whole_nodes().map_err(bad_input)?;
        let mut asked: Vec<u32> = arguments.ranks_per_node.iter().map(|ranks| ranks.get()).collect();
        asked.sort_unstable();
        asked.dedup();
        let machine = |ranks_per_node: u32| {
            let named = |why: String| bad_input(format!("--ranks-per-node {ranks_per_node}: {why}"));
            let resized = tree.resized(nodes, ranks_per_node).map_err(named)?;
            Ok(Self { seed, ranks_per_node: Some(ranks_per_node), drawn: drawn_of(&resized, seed, replicas.clone())? })
        };
        asked.into_iter().map(machine).collect()
    }

    /// The number of nodes of hetsim.
    fn nodes(&self) -> u32 {
        self.drawn.first().map_or(0, Platform::nodes)
    }

    /// Whether so many ranks fill some of its nodes.
    fn takes(&self, ranks: u32) -> bool {
        (2..=self.nodes()).contains(&ranks) && ranks.is_multiple_of(self.ranks_per_node.unwrap_or(1))
    }
}

/// The scenario in a file, or one around the platform in it.
fn scenario(path: &Path, arguments: &Arguments) -> Result<Scenario, Failure> {
    let source = Source::read(path).map_err(bad_input)?;
    let mut overrides = arguments.overrides.clone();
    overrides.extend(arguments.seed.map(|seed| format!("seed={seed}")));
    Ok(Scenario::of_platform(&NOTATION, platform_name(path), source, &overrides)?)
}

/// A question: an operation, a number of ranks and a size, with the part of the platform that these ranks use.
struct Question<'m> {
    machine: &'m Machine,
    call: Call,
    ranks: u32,
    /// The platform of these ranks, of each replica.
    part: Arc<[Platform]>,
}

impl Question<'_> {
    /// In which respects it lies outside of what the platform was calibrated by.
    fn beyond(&self, calibration: &CalibrationSpec) -> Vec<String> {
        let has_levels = self.part.iter().any(Platform::is_nested);
        let on_each = self.machine.ranks_per_node.or_else(|| (!has_levels).then_some(1));
        let bytes = (self.call.operation != Operation::Barrier).then_some(self.call.size);
        calibration.beyond(self.ranks, on_each, bytes)
    }

    /// The choice before any candidate is tried.
    fn open(&self, error: &Uncertainty) -> Choice {
        let Call { operation, size, benchmark, .. } = self.call;
        Choice {
            operation,
            ranks: self.ranks,
            ranks_per_node: self.machine.ranks_per_node,
            bytes: size,
            benchmark,
            timed: Vec::new(),
            error: error.of(operation),
            own: Vec::new(),
            scale: None,
        }
    }
}

/// All questions, by ranks on a node, operation, ranks and size.
fn questions<'m>(
    console: &Console,
    scenario: &Scenario,
    arguments: &Arguments,
    machines: &'m [Machine],
) -> Result<Vec<Question<'m>>, Failure> {
    check_ranks(arguments, machines)?;
    let mut questions = Vec::new();
    for machine in machines {
        // What is compared with measurements, has a known error, or costs of memory, is simulated as it is measured.
        let has_memory = |platform: &Platform| platform.memory().is_charged() && platform.clusters().len() == 1;
        let has_memory = machine.drawn.iter().any(has_memory);
        let benchmark = !arguments.measured.is_empty() || arguments.error.is_some() || has_memory;
        let (mut parts, mut left_out) = (Vec::new(), Vec::new());
        for ranks in ranks(arguments, machine) {
            match part((scenario, arguments), machine, ranks) {
                Ok(part) => parts.push((ranks, part)),
                Err(Failure::Input(_)) if arguments.ranks.is_empty() => left_out.push(ranks.to_string()),
                Err(failure) => return Err(failure),
            }
        }
        if !left_out.is_empty() {
            let ranks = left_out.join(", ");
            console.say(&format!(
                "note: left out: {ranks} ranks, which leave a cluster empty, or which `map_by` deals over one"
            ));
        }
        for operation in operations(arguments) {
            let sizes = if operation == Operation::Barrier { &[0] } else { arguments.sizes.0.as_slice() };
            for (ranks, part) in &parts {
                questions.extend(sizes.iter().map(|&size| {
                    let (placement, reduction) = (arguments.placement, arguments.reduction);
                    let call = Call { operation, size, placement, reduction, benchmark };
                    Question { machine, call, ranks: *ranks, part: Arc::clone(part) }
                }));
            }
        }
    }
    Ok(questions)
}

/// The numbers of ranks in rising order: the given ones that the machine can have, or those of powers of two and of
/// all nodes.
fn ranks(arguments: &Arguments, machine: &Machine) -> Vec<u32> {
    let (nodes, on_each) = (machine.nodes(), machine.ranks_per_node.unwrap_or(1));
    let mut ranks = arguments.ranks.clone();
    if ranks.is_empty() {
        let first = if on_each > 1 { on_each } else { 2 };
        let doubled = std::iter::successors(Some(first), |ranks| ranks.checked_mul(2));
        ranks.extend(doubled.take_while(|&ranks| ranks < nodes).chain([nodes]));
    }
    ranks.retain(|&ranks| machine.takes(ranks));
    ranks.sort_unstable();
    ranks.dedup();
    ranks
}

/// Refuses numbers of ranks that no machine can have.
fn check_ranks(arguments: &Arguments, machines: &[Machine]) -> Result<(), Failure> {
    let most = machines.iter().map(Machine::nodes).max().unwrap_or(0);
    if most < 2 {
        return Err(bad_input("the platform has one node: there is nothing to choose"));
    }
    let Some(wrong) = arguments.ranks.iter().find(|&&ranks| !machines.iter().any(|machine| machine.takes(ranks)))
    else {
        return Ok(());
    };
    Err(bad_input(if (2..=most).contains(wrong) {
        format!("--ranks {wrong}: no nodes with --ranks-per-node ranks on each have so many")
    } else {
        let places = if arguments.ranks_per_node.is_empty() { "nodes" } else { "places for ranks" };
        format!("--ranks {wrong}: the platform has {most} {places}, and at least 2 ranks are needed")
    }))
}

/// The part of a machine that so many ranks use, of each replica: whole nodes, if ranks on a node are asked; else where
/// the platform's mapping places as many.
fn part(
    (scenario, arguments): (&Scenario, &Arguments),
    machine: &Machine,
    ranks: u32,
) -> Result<Arc<[Platform]>, Failure> {
    let first = |platform: &Platform| match machine.ranks_per_node {
        Some(_) => platform.part(&[ranks]).ok(),
        None => arguments.placement.first(platform, ranks),
    };
    if let Some(part) = machine.drawn.iter().map(first).collect() {
        return Ok(part);
    }
    let plan = scenario.first_plan();
    if plan.is_some_and(|plan| plan.platform().clusters().len() > 1) {
        return Err(bad_input(format!(
            "{ranks} of the nodes do not form a platform: they leave a cluster empty that named links may lead through, or \
             `map_by` deals them over a cluster; choose another placement, or all nodes"
        )));
    }
    let taken = plan.and_then(|plan| plan.taken_by(ranks)).unwrap_or_default();
    let tree = first_tree(scenario)?.with_ranks(&taken).map_err(bad_input)?;
    Ok(drawn_of(&tree, machine.seed, 0..replicas(arguments))?.into())
}

/// The platform's keys, with the first value of what a sweep varies.
fn first_tree(scenario: &Scenario) -> Result<PlatformTree, Failure> {
    scenario.first_platform_tree().ok_or_else(|| bad_input("there is no platform"))
}

/// The platform of each replica.
fn drawn_of(tree: &PlatformTree, seed: u64, replicas: Range<u32>) -> Result<Vec<Platform>, Failure> {
    let plan = tree.plan()?;
    let drawn = |replica: u32| {
        let drawn = plan.drawn(&Streams::new(seed, u64::from(replica))).map_err(bad_input)?;
        Ok(drawn.unwrap_or_else(|| plan.platform().clone()))
    };
    replicas.map(drawn).collect()
}

/// The choices for each number of ranks on a node.
fn by_machine(choices: &[Choice]) -> impl Iterator<Item = &[Choice]> {
    choices.chunk_by(|a, b| a.ranks_per_node == b.ranks_per_node)
}

/// Writes all files and returns their names.
fn write(folder: &Path, choices: &[Choice], operations: &[Operation], name: &str) -> Result<Vec<String>, Failure> {
    let failed = |error: std::io::Error| Failure::Run(error.to_string());
    create(folder)?;
    let mut written = vec!["choices.csv".to_owned()];
    write_atomically(&folder.join(&written[0]), |writer| write_csv(choices, writer)).map_err(failed)?;
    for choices in by_machine(choices) {
        // A job has one number of ranks on each of its nodes, and so has a file of rules.
        let on_each = choices.first().and_then(|choice| choice.ranks_per_node);
        let suffix = on_each.map_or_else(String::new, |ranks| format!("-{ranks}-per-node"));
        let texts = [Some(rules(choices, name)), rules_json(choices), selection_json(choices), settings(choices, name)];
        let rules = RULES.into_iter().zip(texts).map(|((stem, extension), text)| (stem, extension, text));
        let maps = operations.iter().map(|&operation| {
            let map = map(choices, operation, name);
            (operation.name(), "svg", Some(map.svg()))
        });
        for (stem, extension, text) in rules.chain(maps) {
            let file = format!("{stem}{suffix}.{extension}");
            if let Some(text) = text {
                write_text(&folder.join(&file), &text).map_err(failed)?;
                written.push(file);
            }
        }
    }
    Ok(written)
}

/// The files of rules: stems and extensions.
const RULES: [(&str, &str); 4] = [("openmpi", "rules"), ("openmpi", "json"), ("mpich", "json"), ("ucc", "sh")];

/// Whether advice writes a file of this name, whatever it is about: rules or a map, for any number of ranks on a node.
fn is_of_advice(file: &str) -> bool {
    let Some((stem, extension)) = file.rsplit_once('.') else { return false };
    let per_node = stem.strip_suffix("-per-node").and_then(|stem| stem.rsplit_once('-'));
    let stem = per_node.filter(|(_, ranks)| ranks.parse::<u32>().is_ok()).map_or(stem, |(stem, _)| stem);
    let is_map = extension == "svg" && Operation::ALL.iter().any(|operation| operation.name() == stem);
    is_map || RULES.contains(&(stem, extension))
}
