//! `hetsim advise --tasks`: how to run tasks: independent ones, of a scenario or of a log, or those of a graph. And `--hpl`: how
//! to run HPL.

use std::ops::Range;
use std::path::Path;
use std::slice;

use super::platform_name;
use crate::advice::{TaskRequest, advise_farm, advise_graph, advise_hpl};
use crate::batch::threads::Threads;
use crate::batch::write::{write_atomically, write_text};
use crate::cli::arguments::Advise as Arguments;
use crate::cli::computing::{Watched, interruptible};
use crate::cli::console::Console;
use crate::cli::measure::exact::json_text;
use crate::cli::measure::tasks::{dependencies, nodes, read, write_farm, write_workflow};
use crate::cli::out::results_folder;
use crate::cli::terminal::{text_table, wrapped};
use crate::cli::{Failure, bad_input};
use crate::report::advise::tasks::{Asked, Setting, TaskAdvice};
use crate::report::folder::create;
use crate::report::spec::NOTATION;
use crate::scenario::Scenario;

/// The kinds of scenarios that have tasks: independent ones, or those of a graph.
const KINDS: [&str; 2] = ["independent", "taskgraph"];

pub(super) fn advise(console: &Console, arguments: &Arguments) -> Result<(), Failure> {
    let interruption = interruptible(console);
    let name = platform_name(&arguments.platform);
    let folder = results_folder(console, &arguments.out, &format!("advise-{name}"), "settings.csv", None)?;
    let request =
        TaskRequest { replicas: arguments.replicas, threads: Threads::new(arguments.jobs), ..TaskRequest::default() };
    if arguments.hpl {
        let scenario = scenario_of(console, arguments, "--hpl", (&["hpl"], ""))?;
        let advice = advise_hpl(&scenario, &request, &Watched::new(console, interruption))?;
        return tell(console, arguments, (&name, &folder), &advice, &advice.keys());
    }
    let Question { scenario, asked, machines } = Question::read(console, arguments, &folder)?;
    let request = TaskRequest { asked, machines, ..request };
    if scenario.kind().name == KINDS[1] {
        let advice = advise_graph(&scenario, &request, &Watched::new(console, interruption))?;
        return tell(console, arguments, (&name, &folder), &advice, &advice.keys());
    }
    let advice = advise_farm(&scenario, &request, &Watched::new(console, interruption))?;
    tell(console, arguments, (&name, &folder), &advice, &advice.lines(asked))
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
