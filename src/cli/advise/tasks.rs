//! `hetsim advise --tasks`: how to run tasks: independent ones, of a scenario or of a log, or those of a graph. And `--hpl`: how
//! to run HPL.

use std::borrow::Cow;
use std::num::NonZeroU32;
use std::ops::Range;
use std::path::Path;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::ProgressBar;
use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::platform_name;
use crate::batch::threads::Threads;
use crate::batch::write::{write_atomically, write_text};
use crate::cli::arguments::Advise as Arguments;
use crate::cli::computing::{interrupted, interruptible, progress_bar};
use crate::cli::console::Console;
use crate::cli::measure::exact::json_text;
use crate::cli::measure::tasks::{dependencies, nodes, read, write_farm, write_workflow};
use crate::cli::out::results_folder;
use crate::cli::terminal::{text_table, wrapped};
use crate::cli::{Failure, bad_input};
use crate::cluster::{NodeId, Platform};
use crate::engine::Streams;
use crate::report::advise::tasks::{Asked, Setting, TaskAdvice, Tried, advised, dealing, fastest, race};
use crate::report::folder::create;
use crate::report::spec::NOTATION;
use crate::scenario::Scenario;
use crate::statistics::mean;
use crate::statistics::racing::Race;
use crate::workload::farm::Cost;
use crate::workload::farm_advice::{FarmSetting, workers};
use crate::workload::graph_advice::{GraphSetting, is_for_these_nodes, is_noisy, lower_bound_s, machines};
use crate::workload::hpl::HplParameters;
use crate::workload::hpl_advice::{self, HplSetting, without_slowest};
use crate::workload::independent::IndependentParameters;
use crate::workload::machines::{MachineChange, Machines};
use crate::workload::taskgraph::TaskgraphParameters;

/// The most replicas unless others are asked.
const REPLICAS: u32 = 24;

/// The same for HPL.
const HPL_REPLICAS: u32 = 8;

/// The most failures that are told.
const MOST_FAILURES: usize = 3;

/// The kinds of scenarios that have tasks: independent ones, or those of a graph.
const KINDS: [&str; 2] = ["independent", "taskgraph"];

/// Why nothing is said of single machines.
const DRAWN_SPEEDS: &str = "the speeds of machines are drawn in each replica";
const MATRIX: &str = "the graph's cost matrix is for these nodes";

pub(super) fn advise(console: &Console, arguments: &Arguments) -> Result<(), Failure> {
    let interruption = interruptible(console);
    let stop = interruption.flag();
    let name = platform_name(&arguments.platform);
    let folder = results_folder(console, &arguments.out, &format!("advise-{name}"), "settings.csv", None)?;
    if arguments.hpl {
        return advise_hpl(console, (arguments, &stop), (&name, &folder));
    }
    let question = Question::read(console, arguments, &folder)?;
    let replicas = arguments.replicas.map_or(REPLICAS, NonZeroU32::get);
    if question.scenario.kind().name == KINDS[1] {
        let graphs: DrawnTasks<TaskgraphParameters> = DrawnTasks::of(&question.scenario, replicas)?;
        let settings = GraphSetting::all(&graphs.keys[0], &graphs.platforms[0]).map_err(bad_input)?;
        let machines = machines(&graphs.keys[0], &graphs.platforms[0], &question.machines);
        let machines = machines.map_err(|why| Failure::Run(why.into()))?;
        let changes = MachineChange::all(&machines);
        let changes = graphs.changes(console, changes, is_for_these_nodes(&graphs.keys[0]).then_some(MATRIX));
        let candidates = Candidates { settings, rounds: &[], machines, changes };
        let mut advice = advice(console, (arguments, &stop), &graphs, (candidates, race(replicas)))?;
        if !is_noisy(&graphs.keys[0], &graphs.platforms[0]) {
            advice.lower_bound_s = Some(graphs.lower_bound_s(&advice)?);
        }
        let lines = advice.keys();
        return tell(console, arguments, (&name, &folder), &advice, &lines);
    }
    let mut farms: DrawnTasks<IndependentParameters> = DrawnTasks::of(&question.scenario, replicas)?;
    if matches!(question.asked, Asked::Log(..)) {
        farms.draw_orders();
    }
    let settings = FarmSetting::all(&farms.keys[0], &farms.platforms[0], dealing(question.asked));
    let machines = workers(&farms.keys[0], &farms.platforms[0], &question.machines);
    let changes = farms.changes(console, MachineChange::all(&machines), None);
    let candidates = Candidates { settings, rounds: &[], machines, changes };
    let advice = advice(console, (arguments, &stop), &farms, (candidates, race(replicas)))?;
    let lines = advice.lines(question.asked);
    tell(console, arguments, (&name, &folder), &advice, &lines)
}

fn advise_hpl(
    console: &Console,
    (arguments, stop): (&Arguments, &AtomicBool),
    (name, folder): (&str, &Path),
) -> Result<(), Failure> {
    let scenario = scenario_of(console, arguments, "--hpl", (&["hpl"], ""))?;
    let replicas = arguments.replicas.map_or(HPL_REPLICAS, NonZeroU32::get);
    let drawn: DrawnTasks<HplParameters> = DrawnTasks::of(&scenario, replicas)?;
    let tree = scenario.first_platform_tree().ok_or_else(|| bad_input("there is no platform"))?;
    let machines = hpl_advice::machines(&drawn.keys[0], &drawn.platforms[0], &tree.plan()?.ranks_of_nodes());
    let changes = drawn.changes(console, without_slowest(&machines), None);
    let settings = vec![HplSetting::of(&drawn.keys[0])];
    let candidates = Candidates { settings, rounds: &HplSetting::ROUNDS, machines, changes };
    // A run may take a minute.
    let race = Race { first: 2, ..race(replicas) };
    let advice = advice(console, (arguments, stop), &drawn, (candidates, race))?;
    let (nb, own) = (advice.used().what.nb, advice.settings[0].what.nb);
    if nb != own && drawn.platforms[0].kernel("dgemm").is_some() {
        console.say(&format!(
            "note: NB {nb} is as good as the formula of the kernel `dgemm` at that width: measure it first"
        ));
    }
    tell(console, arguments, (name, folder), &advice, &advice.keys())
}

/// What may be tried.
struct Candidates<'a, S> {
    /// The settings, the present one first.
    settings: Vec<S>,
    /// Others beside the best one, one list after the other.
    rounds: &'a [fn(S) -> Vec<S>],
    machines: Machines,
    changes: Vec<MachineChange>,
}

/// Tries the settings, and the changes of the machines.
fn advice<S: Setting>(
    console: &Console,
    (arguments, stop): (&Arguments, &AtomicBool),
    drawn: &DrawnTasks<S::Keys>,
    (candidates, race): (Candidates<'_, S>, Race),
) -> Result<TaskAdvice<S>, Failure> {
    let bar = progress_bar(
        console,
        drawn.keys.len() as u64 * (candidates.settings.len() + candidates.changes.len()) as u64,
        "{bar:32} {percent} %  {elapsed}, at most {eta} left",
        false,
    );
    let threads = Threads::new(arguments.jobs);
    let trials = Trials { console, drawn, race, threads, stop, bar: &bar };
    let found = trials.advice(candidates);
    bar.finish_and_clear();
    found
}

/// Writes the files, and prints what is advised.
fn tell<S: Setting>(
    console: &Console,
    arguments: &Arguments,
    (name, folder): (&str, &Path),
    advice: &TaskAdvice<S>,
    lines: &[String],
) -> Result<(), Failure> {
    create(folder)?;
    let failed = |error: std::io::Error| Failure::Run(error.to_string());
    write_atomically(&folder.join("settings.csv"), |writer| advice.write_csv(writer)).map_err(failed)?;
    write_text(&folder.join("settings.svg"), &advice.chart(name)).map_err(failed)?;
    if arguments.json {
        return console.print(&json_text(&advice.json(lines))?);
    }
    console.print(&wrapped(&advice.sentences().join(" "), 0, 0))?;
    console.print("\n")?;
    console.print(&text_table(&advice.settings_table()))?;
    if !advice.changes.is_empty() {
        console.print(&text_table(&advice.machines_table()))?;
    }
    if !lines.is_empty() {
        console.print(&format!("To paste:\n{}\n\n", lines.join("\n")))?;
    }
    console.print(&wrapped(&format!("Written to {}: settings.csv, settings.svg", folder.display()), 0, 2))
}

/// What is asked.
struct Question {
    scenario: Scenario,
    asked: Asked,
    /// The machines that a log names, with their nodes.
    machines: Vec<(String, Range<u32>)>,
}

impl Question {
    /// The scenario in a file, or the farm or the workflow of a log, which is written to the results folder.
    fn read(console: &Console, arguments: &Arguments, folder: &Path) -> Result<Self, Failure> {
        let file = &arguments.platform;
        let is_scenario = file.extension().is_some_and(|end| end == "toml") && arguments.logs.format.is_none();
        if is_scenario {
            if arguments.logs.dag.is_some() {
                return Err(bad_input("--dag is for a log; a scenario of kind `taskgraph` has a graph of its own"));
            }
            if !arguments.logs.columns.is_empty() {
                return Err(bad_input("--columns is for a log, and this is a scenario"));
            }
            let or_log = ", or a log that `hetsim measure --tasks` reads";
            let scenario = scenario_of(console, arguments, "--tasks", (&KINDS, or_log))?;
            return Ok(Self { scenario, asked: Asked::Scenario, machines: Vec::new() });
        }
        let files = slice::from_ref(file);
        let was_there = folder.exists();
        let (log, fit, format) = read(files, &arguments.logs)?;
        let found = arguments.logs.dag.as_deref().map(|file| dependencies(&log, file)).transpose()?;
        let (scenario, machines) = if let Some(found) = &found {
            // Each is a node.
            let machines = log.machines().iter().cloned().zip((0..).map(|node| node..node + 1)).collect();
            (write_workflow(console, folder, (&log, &fit, found), files)?, machines)
        } else {
            (write_farm(console, folder, (&log, &fit, format), files)?, nodes(&log, &fit))
        };
        let scenario = Scenario::load_in(&NOTATION, &scenario, &overrides(arguments)).inspect_err(|_| {
            // What was written for a value that cannot be is no result. If it cannot be removed, the error says enough.
            if !was_there {
                let _ = std::fs::remove_dir_all(folder);
            }
        })?;
        Ok(Self { scenario, asked: Asked::Log(format, log.tasks.len()), machines })
    }
}

/// The scenario in the file, which has one of these kinds.
fn scenario_of(
    console: &Console,
    arguments: &Arguments,
    option: &str,
    (kinds, or_what): (&[&str], &str),
) -> Result<Scenario, Failure> {
    let file = &arguments.platform;
    let scenario = Scenario::load_in(&NOTATION, file, &overrides(arguments))?;
    let kind = scenario.kind().name;
    if !kinds.contains(&kind) {
        let kinds = kinds.iter().map(|kind| format!("`{kind}`")).collect::<Vec<_>>().join(" or ");
        let file = file.display();
        let message = format!("{file} is of kind `{kind}`; {option} takes a scenario of kind {kinds}{or_what}");
        return Err(bad_input(message));
    }
    for axis in scenario.axes.iter() {
        console.say(&format!("{} is varied by the sweep; its first value is used", axis.key));
    }
    Ok(scenario)
}

/// The values of keys that the command line gives.
fn overrides(arguments: &Arguments) -> Vec<String> {
    let seed = arguments.seed.map(|seed| format!("seed={seed}"));
    arguments.overrides.iter().cloned().chain(seed).collect()
}

/// The keys of a program with what is drawn for each replica.
struct DrawnTasks<K> {
    seed: u64,
    keys: Vec<Arc<K>>,
    platforms: Vec<Platform>,
}

impl<K: Clone + 'static> DrawnTasks<K> {
    /// That of a scenario's first point.
    fn of(scenario: &Scenario, replicas: u32) -> Result<Self, Failure> {
        let keys = scenario.workload_keys(0, replicas).map_err(bad_input)?;
        let keys = keys.ok_or_else(|| bad_input("there is no workload"))?;
        // Two tell whether speeds are drawn.
        let platforms = (0..replicas.max(2)).map(|replica| scenario.drawn_platform(0, replica).map_err(bad_input));
        Ok(Self { seed: scenario.file.seed, keys, platforms: platforms.collect::<Result<_, _>>()? })
    }

    /// The changes of the machines to try: all of these, or none where speeds are drawn in each replica, or where there is another reason.
    fn changes(&self, console: &Console, all: Vec<MachineChange>, reason: Option<&str>) -> Vec<MachineChange> {
        let speeds = |platform: &Platform| -> Vec<u64> {
            (0..platform.nodes()).map(|node| platform.speed_per_second(NodeId(node)).to_bits()).collect()
        };
        let first = speeds(&self.platforms[0]);
        let are_drawn = self.platforms[1..].iter().any(|platform| speeds(platform) != first);
        let Some(reason) = are_drawn.then_some(DRAWN_SPEEDS).or(reason) else { return all };
        console.say(&format!("note: {reason}: nothing is said of single machines"));
        Vec::new()
    }

    /// What a replica draws from.
    fn streams(&self, replica: usize) -> Streams {
        Streams::new(self.seed, replica as u64)
    }
}

impl DrawnTasks<IndependentParameters> {
    /// Draws the order of tasks anew in each replica but the first. Which of a log's tasks come last is chance, and the end of
    /// a farm depends on it. Since the list may be sorted on purpose, tasks change places within a tenth of it only.
    fn draw_orders(&mut self) {
        for (replica, keys) in (0..).zip(&mut self.keys).skip(1) {
            if let Cost::Trace(trace) = &mut Arc::make_mut(keys).task {
                let mut stream = Streams::new(self.seed, replica).stream("order of tasks", 0);
                let tenth = trace.operations.len().div_ceil(10).max(1);
                trace.operations.chunks_mut(tenth).for_each(|part| part.shuffle(&mut stream));
            }
        }
    }
}

impl DrawnTasks<TaskgraphParameters> {
    /// The mean of what no schedule is below, of the replicas that the advised setting ran in.
    fn lower_bound_s(&self, advice: &TaskAdvice<GraphSetting>) -> Result<f64, Failure> {
        let best = &advice.settings[advice.advised];
        let bound =
            |replica: usize| lower_bound_s(&self.keys[replica], &self.platforms[replica], self.streams(replica));
        let bounds: Result<Vec<f64>, _> = (0..best.seconds.len()).map(bound).collect();
        Ok(mean(&bounds.map_err(|why| Failure::Run(why.into()))?).unwrap_or_default())
    }
}

/// Runs on all threads, each setting and each change of the machines with the same draws in a replica.
struct Trials<'a, S: Setting> {
    console: &'a Console,
    drawn: &'a DrawnTasks<S::Keys>,
    race: Race,
    threads: Threads,
    stop: &'a AtomicBool,
    bar: &'a ProgressBar,
}

/// A way to run the program: a setting, and on which nodes if not all.
type Way<'a, S> = (S, Option<Cow<'a, [u32]>>);

impl<S: Setting> Trials<'_, S> {
    fn advice(&self, candidates: Candidates<'_, S>) -> Result<TaskAdvice<S>, Failure> {
        let Candidates { settings, rounds, machines, changes } = candidates;
        let race = self.race;
        let mut failures: Vec<String> = Vec::new();
        let mut settings = self.race(settings, None, &[], &mut failures)?;
        if !rounds.is_empty() {
            settings = self.race_in_rounds(settings, rounds, &mut failures)?;
        }
        let advised = advised(&settings, &race).ok_or_else(|| Failure::Run("no setting can run".to_owned()))?;
        let best = &settings[advised];
        let changes = if best.what.names_nodes() {
            self.console
                .say("note: the present setting names the node of each task: nothing is said of single machines");
            Vec::new()
        } else {
            changes
        };
        let way = |change: &MachineChange| {
            let nodes = change.nodes(&machines);
            (best.what.on(nodes.len()), Some(nodes.into()))
        };
        let ways: Vec<Way<'_, S>> = changes.iter().map(way).collect();
        let times = self.times(&ways, 0..best.seconds.len() as u32, &[])?;
        let mut advice = TaskAdvice {
            settings,
            advised,
            lower_bound_s: None,
            machines,
            changes: Vec::new(),
            with_fewer: None,
            race,
        };
        for (what, times) in changes.into_iter().zip(times) {
            let seconds = noted(times, &advice.change(what), &mut failures).unwrap_or_default();
            advice.changes.push(Tried { what, seconds });
        }
        if let Some(fewer) = advice.fewer_nodes() {
            let mut ran: Vec<S> = Vec::new();
            for tried in advice.settings.iter().filter(|tried| !tried.seconds.is_empty()) {
                let there = tried.what.on(fewer.len());
                if !ran.contains(&there) {
                    ran.push(there);
                }
            }
            let tried = self.race(ran, Some(fewer), &[], &mut failures)?;
            advice.try_fewer(tried);
        }
        for failure in failures.iter().take(MOST_FAILURES) {
            self.console.say(&format!("note: {failure}"));
        }
        if failures.len() > MOST_FAILURES {
            self.console.say(&format!("note: {} more cannot run", failures.len() - MOST_FAILURES));
        }
        Ok(advice)
    }

    /// Races what each round says beside the best setting of the one before, and then all of them.
    fn race_in_rounds(
        &self,
        mut settings: Vec<Tried<S>>,
        rounds: &[fn(S) -> Vec<S>],
        failures: &mut Vec<String>,
    ) -> Result<Vec<Tried<S>>, Failure> {
        let own = settings[0].what;
        let mut best = own;
        for round in rounds {
            let mut raced = if best == own { vec![own] } else { vec![own, best] };
            let known = raced.len();
            raced.extend(round(best).into_iter().filter(|new| settings.iter().all(|tried| tried.what != *new)));
            self.bar.inc_length(((raced.len() - known) * self.drawn.keys.len()) as u64);
            let tried = self.race(raced, None, &settings, failures)?;
            best = fastest(&tried).map_or(own, |number| tried[number].what);
            for tried in tried {
                match settings.iter_mut().find(|known| known.what == tried.what) {
                    Some(known) if known.seconds.len() < tried.seconds.len() => known.seconds = tried.seconds,
                    Some(_) => {}
                    None => settings.push(tried),
                }
            }
        }
        // Where nothing is drawn, a round ends early.
        let ran = settings.iter().filter(|tried| !tried.seconds.is_empty()).map(|tried| tried.what).collect();
        self.race(ran, None, &settings, failures)
    }

    /// The settings with their times as far as they came in a race, on all nodes or on these; some are known.
    fn race(
        &self,
        settings: Vec<S>,
        nodes: Option<&[u32]>,
        known: &[Tried<S>],
        failures: &mut Vec<String>,
    ) -> Result<Vec<Tried<S>>, Failure> {
        let times = self.race.run(settings.len(), |racing, replicas| {
            let ways: Vec<Way<'_, S>> =
                racing.iter().map(|&number| (settings[number], nodes.map(Cow::Borrowed))).collect();
            let times = self.times(&ways, replicas, known)?;
            // The present setting is always the first, and must run.
            if let (Some(Err(why)), None) = (times.first(), nodes) {
                return Err(Failure::Run(why.clone()));
            }
            let on = nodes.map_or_else(String::new, |nodes| format!(" on the fastest {}", S::nodes(nodes.len())));
            Ok(ways.iter().zip(times).map(|(way, times)| noted(times, &format!("{}{on}", way.0), failures)).collect())
        })?;
        Ok(settings.into_iter().zip(times).map(|(what, seconds)| Tried { what, seconds }).collect())
    }

    /// The times of each way in these replicas, in seconds, or why it cannot run. Those of settings on all nodes may be known.
    fn times(
        &self,
        ways: &[Way<'_, S>],
        replicas: Range<u32>,
        known: &[Tried<S>],
    ) -> Result<Vec<Result<Vec<f64>, String>>, Failure> {
        let each = replicas.len();
        let DrawnTasks { keys, platforms, .. } = self.drawn;
        let one = |number: usize| {
            if self.stop.load(Ordering::Relaxed) {
                return Err(interrupted());
            }
            let ((setting, nodes), replica) = (&ways[number / each], replicas.start as usize + number % each);
            let known = known.iter().find(|known| nodes.is_none() && known.what == *setting);
            if let Some(&seconds) = known.and_then(|known| known.seconds.get(replica)) {
                return Ok(Ok(seconds));
            }
            let streams = self.drawn.streams(replica);
            let time = setting.completion_s(&keys[replica], &platforms[replica], nodes.as_deref(), streams);
            self.bar.inc(1);
            Ok(time.map_err(String::from))
        };
        let runs = ways.len() * each;
        let all = self.threads.share(runs, || (0..runs).into_par_iter().map(one).collect::<Result<Vec<_>, _>>())?;
        Ok(all.chunks(each.max(1)).map(|times| times.iter().cloned().collect()).collect())
    }
}

/// Notes why something cannot run.
fn noted(times: Result<Vec<f64>, String>, what: &str, failures: &mut Vec<String>) -> Option<Vec<f64>> {
    times.map_err(|why| failures.push(format!("{what} cannot run: {why}"))).ok()
}
