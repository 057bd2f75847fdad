//! `hetsim trace`: repeats one run and observes it.

use std::fmt::Write as _;
use std::path::Path;

use super::arguments::Trace;
use super::console::Console;
use super::replaced::{check_kept, spelt};
use super::{Failure, bad_input};
use crate::batch::identity::RunId;
use crate::batch::write::{write_atomically, write_text};
use crate::report::Reported as _;
use crate::report::chart::{Dag, Of, gantt, graph, utilization, with_links};
use crate::report::events::write_events;
use crate::scenario::Scenario;
use crate::workload::ranks::{are_complete, write_calls};

/// The files that are asked for, each with its option.
fn outputs(trace: &Trace) -> impl Iterator<Item = (&'static str, &Path)> {
    let all = [
        ("--gantt", &trace.gantt),
        ("--utilization", &trace.utilization),
        ("--node-utilization", &trace.node_utilization),
        ("--trace", &trace.events),
        ("--ti", &trace.ti),
        ("--graph", &trace.graph),
    ];
    all.into_iter().filter_map(|(name, path)| Some((name, path.as_deref()?)))
}

/// Refuses a file for two outputs, of which the second would replace the first, and the scenario's own.
fn check_files(trace: &Trace) -> Result<(), Failure> {
    let mut known = Vec::new();
    for (name, path) in outputs(trace) {
        check_kept(name, path, [&trace.input.scenario])?;
        let file = spelt(path);
        if let Some((other, _)) = known.iter().find(|(_, known)| *known == file) {
            return Err(bad_input(format!("{other} and {name} both name {}", path.display())));
        }
        known.push((name, file));
    }
    Ok(())
}

pub(super) fn trace(console: &Console, trace: &Trace) -> Result<(), Failure> {
    check_files(trace)?;
    let scenario = Scenario::load(&trace.input.scenario, &trace.input.all_overrides())?;
    for (name, path) in outputs(trace) {
        check_kept(name, path, &scenario.inputs)?;
    }
    let (point, replica) = find(&scenario, &trace.run)?;
    let traced = scenario.trace(point, replica).map_err(|failure| Failure::Run(failure.into()))?;
    let conditions: Vec<String> =
        scenario.values(point).map(|(axis, value)| format!("{} {}", axis.name, value.shown)).collect();
    let (title, subtitle) = (|| scenario.name.clone(), || Some(conditions.join(", ")));
    let write = |path: &Path, svg: &str| {
        write_text(path, svg).map_err(|error| bad_input(format!("{} cannot be written: {error}", path.display())))
    };
    if let Some(path) = &trace.gantt {
        let picture = gantt(&traced, title(), subtitle());
        let picture = if trace.links { with_links(picture, &traced) } else { picture };
        write(path, &picture.svg())?;
    }
    if let Some(path) = &trace.utilization {
        if traced.links.is_empty() {
            let message = "this run has no shared links; --node-utilization shows the nodes";
            return Err(bad_input(message.to_owned()));
        }
        write(path, &utilization(&traced, Of::Links, title(), subtitle()).svg())?;
    }
    if let Some(path) = &trace.node_utilization {
        write(path, &utilization(&traced, Of::Nodes, title(), subtitle()).svg())?;
    }
    if let Some(path) = &trace.events {
        write_atomically(path, |out| write_events(&traced, out)).map_err(|error| bad_input(error.to_string()))?;
    }
    if let Some(path) = &trace.ti {
        let calls = traced.calls.as_deref().ok_or_else(|| bad_input(NO_CALLS.to_owned()))?;
        if !are_complete(calls) {
            return Err(bad_input(ONE_STEP.to_owned()));
        }
        write_atomically(path, |out| write_calls(calls, out)).map_err(|error| bad_input(error.to_string()))?;
    }
    if let Some(path) = &trace.graph {
        let picture = graph(&traced, title(), subtitle()).map_err(bad_input)?;
        if picture.nodes.len() > Dag::MOST {
            let message = format!("the graph has {} tasks; a picture shows at most {}", picture.nodes.len(), Dag::MOST);
            return Err(bad_input(message));
        }
        write(path, &picture.svg())?;
    }
    let mut text = "send_s,arrival_s,from,to,bytes,message\n".to_owned();
    for message in &traced.timeline.messages {
        let seconds = |time| crate::record::Value::from(traced.tick.seconds(time));
        let _ = writeln!(
            text,
            "{},{},{},{},{},{}",
            seconds(message.start),
            seconds(message.arrival),
            message.from,
            message.to,
            message.bytes,
            message.message
        );
    }
    console.print_data(|out| out.write_all(text.as_bytes()))
}

const NO_CALLS: &str = "only `kind = \"hpl\"` has calls of ranks to write";
const ONE_STEP: &str = "this run factors each panel in one step, without calls that could be written; give \
                        `--set workload.factorisation=messages`";

const NAMES_ONLY: &str = "points stop by themselves, so runs have no numbers: give the beginning of a name in the column \
                          `run` of results.csv";

/// The run with this number or beginning of its name. Several runs of one name are the same.
fn find(scenario: &Scenario, run: &str) -> Result<(usize, u32), Failure> {
    let replicas = scenario.file.replicas.most();
    let of = |number: usize| (number / replicas as usize, (number % replicas as usize) as u32);
    let number = run.parse::<usize>().ok().filter(|number| *number < scenario.runs());
    let have_names_only = scenario.file.replicas.stop_by_themselves();
    if let Some(number) = number.filter(|_| !have_names_only) {
        return Ok(of(number));
    }
    // A few characters are more likely a wrong number than the beginning of a name.
    let named = |&(point, replica): &(usize, u32)| Some(RunId::of(scenario, point, replica).to_string());
    let is_meant = |id: &String| number.is_none() && run.len() >= 4 && id.starts_with(run);
    let mut meant = (0..scenario.runs()).map(of).filter_map(|run| Some((named(&run).filter(is_meant)?, run)));
    match meant.next() {
        Some((name, _)) if meant.any(|(other, _)| other != name) => {
            Err(bad_input(format!("`{run}` matches several runs; give more of its name")))
        }
        Some((_, first)) => Ok(first),
        None if have_names_only => Err(bad_input(format!("there is no run `{run}`; {NAMES_ONLY}"))),
        None => Err(bad_input(format!("there is no run `{run}`; the runs are 0 to {}", scenario.runs() - 1))),
    }
}
