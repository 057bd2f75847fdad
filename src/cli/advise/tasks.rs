//! `hetsim advise --tasks`: how to run independent tasks, of a scenario or of a log.

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
use crate::cli::measure::tasks::{nodes, read, write_farm};
use crate::cli::out::results_folder;
use crate::cli::terminal::{text_table, wrapped};
use crate::cli::{Failure, bad_input};
use crate::cluster::{NodeId, Platform};
use crate::engine::Streams;
use crate::report::advise::farm::{Asked, FarmAdvice, Tried, advised, dealing, race};
use crate::report::spec::NOTATION;
use crate::scenario::Scenario;
use crate::statistics::racing::Race;
use crate::workload::farm::Cost;
use crate::workload::farm_advice::{FarmSetting, MachineChange, Workers};
use crate::workload::independent::IndependentParameters;

/// The most replicas unless others are asked.
const REPLICAS: u32 = 24;

/// The most failures that are told.
const MOST_FAILURES: usize = 3;

/// The kind of scenario that has independent tasks.
const KIND: &str = "independent";

pub(super) fn advise(console: &Console, arguments: &Arguments) -> Result<(), Failure> {
    let interruption = interruptible(console);
    let name = platform_name(&arguments.platform);
    let folder = results_folder(console, &arguments.out, &format!("advise-{name}"), "settings.csv", None)?;
    let question = Question::read(console, arguments, &folder)?;
    let replicas = arguments.replicas.map_or(REPLICAS, NonZeroU32::get);
    let mut farm = Farm::of(&question.scenario, replicas)?;
    if matches!(question.asked, Asked::Log(..)) {
        farm.draw_orders();
    }
    let settings = FarmSetting::all(&farm.keys[0], &farm.platforms[0], dealing(question.asked));
    let workers = Workers::of(&farm.keys[0], &farm.platforms[0], &question.machines);
    let changes = if farm.draws_speeds() { Vec::new() } else { MachineChange::all(&workers) };
    if changes.is_empty() {
        console.say("note: the speeds of machines are drawn in each replica: nothing is said of single machines");
    }
    let bar = progress_bar(
        console,
        u64::from(replicas) * (settings.len() + changes.len()) as u64,
        "{bar:32} {percent} %  {elapsed}, at most {eta} left",
        false,
    );
    let trials =
        Trials { console, farm: &farm, threads: Threads::new(arguments.jobs), stop: &interruption.flag(), bar: &bar };
    let found = trials.advice(settings, workers, changes);
    bar.finish_and_clear();
    let advice = found?;
    std::fs::create_dir_all(&folder)
        .map_err(|error| Failure::Run(format!("{} cannot be created: {error}", folder.display())))?;
    let failed = |error: std::io::Error| Failure::Run(error.to_string());
    write_atomically(&folder.join("settings.csv"), |writer| advice.write_csv(writer)).map_err(failed)?;
    write_text(&folder.join("settings.svg"), &advice.chart(&name)).map_err(failed)?;
    let lines = advice.lines(question.asked);
    if arguments.json {
        return console.print(&json_text(&advice.json(&lines))?);
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
    /// The scenario in a file, or the farm of a log, which is written to the results folder.
    fn read(console: &Console, arguments: &Arguments, folder: &Path) -> Result<Self, Failure> {
        let file = &arguments.platform;
        let is_scenario = file.extension().is_some_and(|end| end == "toml") && arguments.logs.format.is_none();
        let mut overrides = arguments.overrides.clone();
        overrides.extend(arguments.seed.map(|seed| format!("seed={seed}")));
        if is_scenario {
            let scenario = Scenario::load_in(&NOTATION, file, &overrides)?;
            if scenario.kind().name != KIND {
                return Err(bad_input(format!(
                    "{} is of kind `{}`; --tasks takes a scenario of kind `{KIND}`, or a log that `hetsim measure --tasks` \
                     reads",
                    file.display(),
                    scenario.kind().name
                )));
            }
            for axis in scenario.axes.iter() {
                console.say(&format!("{} is varied by the sweep; its first value is used", axis.key));
            }
            return Ok(Self { scenario, asked: Asked::Scenario, machines: Vec::new() });
        }
        let (log, fit, format) = read(slice::from_ref(file), &arguments.logs)?;
        let scenario = write_farm(console, folder, (&log, &fit, format), slice::from_ref(file))?;
        let scenario = Scenario::load_in(&NOTATION, &scenario, &overrides)?;
        Ok(Self { scenario, asked: Asked::Log(format, log.tasks.len()), machines: nodes(&log, &fit) })
    }
}

/// A farm with what is drawn for each replica.
struct Farm {
    seed: u64,
    keys: Vec<Arc<IndependentParameters>>,
    platforms: Vec<Platform>,
}

impl Farm {
    /// That of a scenario's first point.
    fn of(scenario: &Scenario, replicas: u32) -> Result<Self, Failure> {
        let keys = scenario.workload_keys(0, replicas).map_err(bad_input)?;
        let keys = keys.ok_or_else(|| bad_input(format!("there is no workload of kind `{KIND}`")))?;
        let platforms = (0..replicas).map(|replica| scenario.drawn_platform(0, replica).map_err(bad_input));
        Ok(Self { seed: scenario.file.seed, keys, platforms: platforms.collect::<Result<_, _>>()? })
    }

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

    /// Whether machines have other speeds in other replicas.
    fn draws_speeds(&self) -> bool {
        let speeds = |platform: &Platform| -> Vec<u64> {
            (0..platform.nodes()).map(|node| platform.speed_per_second(NodeId(node)).to_bits()).collect()
        };
        let first = speeds(&self.platforms[0]);
        self.platforms[1..].iter().any(|platform| speeds(platform) != first)
    }
}

/// Runs on all threads, each setting and each change of the machines with the same draws in a replica.
struct Trials<'a> {
    console: &'a Console,
    farm: &'a Farm,
    threads: Threads,
    stop: &'a AtomicBool,
    bar: &'a ProgressBar,
}

/// A way to run the farm: a setting, and with which workers if not all.
type Way<'a> = (FarmSetting, Option<Cow<'a, [u32]>>);

impl Trials<'_> {
    fn advice(
        &self,
        settings: Vec<FarmSetting>,
        workers: Workers,
        changes: Vec<MachineChange>,
    ) -> Result<FarmAdvice, Failure> {
        let race = race(self.farm.keys.len() as u32);
        let mut failures: Vec<String> = Vec::new();
        let settings = self.race(&race, settings, None, &mut failures)?;
        let advised = advised(&settings, &race).ok_or_else(|| Failure::Run("no setting can run".to_owned()))?;
        let best = &settings[advised];
        let ways: Vec<Way<'_>> =
            changes.iter().map(|change| (best.what, Some(change.workers(&workers).into()))).collect();
        let times = self.times(&ways, 0..best.seconds.len() as u32)?;
        let mut advice = FarmAdvice { settings, advised, workers, changes: Vec::new(), with_fewer: None, race };
        for (what, times) in changes.into_iter().zip(times) {
            let seconds = noted(times, &advice.change(what), &mut failures).unwrap_or_default();
            advice.changes.push(Tried { what, seconds });
        }
        if let Some(fewer) = advice.fewer_workers() {
            let ran = advice.settings.iter().filter(|tried| !tried.seconds.is_empty()).map(|tried| tried.what);
            let tried = self.race(&race, ran.collect(), Some(fewer), &mut failures)?;
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

    /// The settings with their times as far as they came in a race, with all workers or with these.
    fn race(
        &self,
        race: &Race,
        settings: Vec<FarmSetting>,
        workers: Option<&[u32]>,
        failures: &mut Vec<String>,
    ) -> Result<Vec<Tried<FarmSetting>>, Failure> {
        let times = race.run(settings.len(), |racing, replicas| {
            let ways: Vec<Way<'_>> =
                racing.iter().map(|&number| (settings[number], workers.map(Cow::Borrowed))).collect();
            let times = self.times(&ways, replicas)?;
            // The farm's own setting is always the first, and must run.
            if let (Some(Err(why)), None) = (times.first(), workers) {
                return Err(Failure::Run(why.clone()));
            }
            Ok(ways.iter().zip(times).map(|(way, times)| noted(times, &way.0.to_string(), failures)).collect())
        })?;
        Ok(settings.into_iter().zip(times).map(|(what, seconds)| Tried { what, seconds }).collect())
    }

    /// The times of each way in these replicas, in seconds, or why it cannot run.
    fn times(&self, ways: &[Way<'_>], replicas: Range<u32>) -> Result<Vec<Result<Vec<f64>, String>>, Failure> {
        let each = replicas.len();
        let Farm { seed, keys, platforms } = self.farm;
        let one = |number: usize| {
            if self.stop.load(Ordering::Relaxed) {
                return Err(interrupted());
            }
            let ((setting, workers), replica) = (&ways[number / each], replicas.start as usize + number % each);
            let streams = Streams::new(*seed, replica as u64);
            let time = setting.completion_s(&keys[replica], &platforms[replica], workers.as_deref(), streams);
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
