//! Logs as data: the tasks, the platform of their machines, the scenario that runs them, CSV and JSON.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::PathBuf;

use serde_json::{Value as Json, json};

use super::super::super::Failure;
use super::super::exact::{csv_text, json_text};
use super::super::kernels::noise_name;
use super::{PLATFORM, TASKS};
use crate::fit::robust::median;
use crate::fit::tasks::{LogFormat, LoggedTask, MachineFit, MachinePart, Mean, Middle, TaskFit, TaskLog};

/// Operations a second of the median machine.
const MEDIAN_SPEED: f64 = 1e9;

/// The tasks that the scenario runs: those that succeeded, in the order of their starts. Those that are too short for the clock
/// have no operations, but what passes before them counts.
fn run(log: &TaskLog) -> Vec<&LoggedTask> {
    let mut tasks: Vec<&LoggedTask> = log.tasks.iter().filter(|task| !task.has_failed).collect();
    tasks.sort_by(|a, b| a.started.unwrap_or(0.0).total_cmp(&b.started.unwrap_or(0.0)));
    tasks
}

/// A number, or nothing.
fn cell(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// The ends of an interval.
fn ends(interval: Option<(f64, f64)>) -> [Option<f64>; 2] {
    [interval.map(|ends| ends.0), interval.map(|ends| ends.1)]
}

/// What tasks are given to compute.
pub(super) struct Operations<'l> {
    fit: &'l TaskFit,
    /// The first start.
    begin: f64,
    /// By type, whether its tasks may all take the same: none differs from their mean by a step of the clock.
    alike: Vec<bool>,
}

impl<'l> Operations<'l> {
    pub(super) fn of(log: &TaskLog, fit: &'l TaskFit) -> Self {
        let mut alike = vec![log.clock() > 0.0; fit.kinds.len()];
        for task in run(log) {
            let mean = fit.kinds[task.kind as usize].seconds / fit.machines[task.machine as usize].speed;
            alike[task.kind as usize] &= (task.seconds - mean).abs() < log.clock();
        }
        Self { fit, begin: log.begin().unwrap_or(0.0), alike }
    }

    /// A task's time on its machine with the speed that this had then, or the mean of tasks that may be alike: what a clock
    /// cuts off is no order to deal them in.
    pub(super) fn of_task(&self, task: &LoggedTask) -> f64 {
        let started = task.started.unwrap_or(self.begin) - self.begin;
        let speed = self.fit.machines[task.machine as usize].mean_speed(started, started + task.seconds);
        let is_alike = self.alike[task.kind as usize] && !task.has_failed;
        let mean = is_alike.then_some(self.fit.kinds[task.kind as usize].seconds);
        (mean.unwrap_or(task.seconds * speed) * MEDIAN_SPEED).round()
    }
}

/// The tasks with their operations.
pub(super) fn tasks(log: &TaskLog, fit: &TaskFit) -> Result<String, Failure> {
    let header = "type,machine,started,seconds,operations,cores,bytes_in,bytes_out";
    let operations = Operations::of(log, fit);
    let row = |task: &LoggedTask| {
        let (kind, machine) = (&log.kinds()[task.kind as usize], &log.machines()[task.machine as usize]);
        let own = Some(operations.of_task(task));
        let numbers = [task.started, Some(task.seconds), own, task.cores, task.bytes[0], task.bytes[1]];
        [kind.clone(), machine.clone()].into_iter().chain(numbers.map(cell)).collect()
    };
    csv_text(header.split(','), run(log).into_iter().map(row))
}

/// The names of logs, in a comment.
pub(super) fn measured(files: &[PathBuf]) -> String {
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().escape_debug().to_string();
    files.iter().map(name).collect::<Vec<_>>().join(" ")
}

/// The speeds of a cluster with so many nodes a machine, and their loads.
pub(super) fn platform_speeds(log: &TaskLog, fit: &TaskFit, nodes: fn(&MachineFit) -> usize) -> String {
    let mut speeds = "speeds = [\n".to_owned();
    for (machine, name) in fit.machines.iter().zip(log.machines()) {
        let own = format!("\"{:.6}Gop/s\", ", machine.speed);
        let _ = writeln!(speeds, "    {} # {}", own.repeat(nodes(machine)).trim_end(), name.escape_debug());
    }
    speeds + "]\n" + &load(fit, nodes)
}

/// A server and a worker for each slot, for `platform.include`.
pub(super) fn platform(log: &TaskLog, fit: &TaskFit, format: LogFormat, files: &[PathBuf]) -> String {
    let speeds = platform_speeds(log, fit, |machine| machine.used.slots);
    let nodes: usize = fit.machines.iter().map(|machine| machine.used.slots).sum();
    let latency = (messages(fit, format) / 2.0).max(0.0);
    let (bandwidth, measure) = match &fit.transfers {
        Some(own) => (format!("{:.0}B/s", own.bandwidth.max(1.0)), "data pass at the bandwidth that they had"),
        None => ("1GB/s".to_owned(), "the bandwidth is not measured"),
    };
    // The second core stands for the thread that talks to the scheduler.
    let cores = if format == LogFormat::Dask { "cores = 2\n" } else { "" };
    // What the messages of a log took contains their waits for each other: here they do not wait once more.
    let network =
        format!("network = {{ model = \"delay\", latency = \"{latency:.9}s\", bandwidth = \"{bandwidth}\" }}");
    format!(
        "# Machines by `hetsim measure --tasks {}`: a worker for each slot. The median machine has 1Gop/s.\n\
         # From the end of a task to the next pass two latencies, the server's `service` and the worker's `setup`;\n\
         # {measure}.\n\n\
         [cluster.server]\nnodes = 1\nspeed = \"1Gop/s\"\n{network}\n\n\
         [cluster.workers]\nnodes = {nodes}\n{cores}{speeds}{network}\n\n[between]\n{network}\n",
        measured(files)
    )
}

/// The share of its speed that a machine kept, as load on its nodes; nothing if none changed.
fn load(fit: &TaskFit, nodes: fn(&MachineFit) -> usize) -> String {
    let mut next = 0;
    let mut loads = String::new();
    for machine in &fit.machines {
        let nodes: Vec<String> = (next..next + nodes(machine)).map(|node| node.to_string()).collect();
        next += nodes.len();
        let step = |part: &MachinePart| {
            format!("{{ from = \"{:.6}s\", value = {:.6} }}", part.from, part.speed / machine.speed)
        };
        let steps: Vec<String> = machine.parts.iter().map(step).collect();
        if !steps.is_empty() {
            let [nodes, steps] = [nodes, steps].map(|own| own.join(", "));
            let _ =
                writeln!(loads, "    {{ nodes = [{nodes}], profile = {{ kind = \"trace\", steps = [{steps}] }} }},");
        }
    }
    if loads.is_empty() {
        loads
    } else {
        format!("# From the first start on, the share of the speed that is left.\nload = [\n{loads}]\n")
    }
}

/// The machines with their nodes on that platform, a node a slot.
pub(in crate::cli) fn nodes(log: &TaskLog, fit: &TaskFit) -> Vec<(String, Range<u32>)> {
    // The first node is the server.
    let mut next = 1;
    let of_machine = |(machine, name): (&MachineFit, &String)| {
        let first = next;
        next += machine.used.slots as u32;
        (name.clone(), first..next)
    };
    fit.machines.iter().zip(log.machines()).map(of_machine).collect()
}

/// What passes from an end to the next start in seconds, besides the data if those are told apart; 0 if it is not known. It is
/// the median over machines, or that of all tasks without their data.
fn turnaround(fit: &TaskFit) -> f64 {
    if let Some(alone) = fit.transfers.and_then(|own| own.turnaround) {
        return alone.median.max(0.0);
    }
    let medians: Vec<f64> = fit.machines.iter().filter_map(|own| Some(own.used.turnaround?.median)).collect();
    median(&medians).unwrap_or_default()
}

/// What passes from an end to the next start while no other task starts, in seconds: longer ones contain a queue. A server that
/// always has a queue tells nothing but its own time, if that. Data are told apart if they can be.
fn pause(fit: &TaskFit) -> f64 {
    let alone = fit.transfers.map_or(fit.alone, |own| own.turnaround);
    // Tasks that start in the same second do not wait for each other: all turnarounds count, by their mean.
    if let Some(mean) = by_the_second(fit) {
        return mean;
    }
    match (alone, fit.between_starts) {
        (Some(alone), _) => alone.median.max(0.0),
        (None, Some(_)) => service(fit),
        (None, None) => turnaround(fit),
    }
}

/// The mean turnaround of a log whose clock has whole seconds, unless the server takes such to start a task: shorter ones are
/// not told.
fn by_the_second(fit: &TaskFit) -> Option<f64> {
    let is_quick = fit.between_starts.is_none_or(|between| between.mean < 1.0);
    fit.mean_turnaround.filter(|_| fit.transfers.is_none() && is_quick).map(|own| own.mean)
}

/// Of that the two messages between worker and server: what is not the server's. Workers of Dask have the next task by
/// then, and so it is their own setup.
fn messages(fit: &TaskFit, format: LogFormat) -> f64 {
    if format == LogFormat::Dask { 0.0 } else { pause(fit) - service(fit) }
}

/// What the server takes to start a task, in seconds: no more than what passes from an end to the next start.
fn service(fit: &TaskFit) -> f64 {
    if by_the_second(fit).is_some() {
        return 0.0;
    }
    fit.between_starts.map_or(0.0, |between| between.mean).min(turnaround(fit))
}

/// The same number of tasks, each with its operations, on these machines.
pub(super) fn scenario(log: &TaskLog, fit: &TaskFit, format: LogFormat) -> String {
    // What Dask does unless it is told otherwise, for a worker of one thread.
    let ahead = if format == LogFormat::Dask {
        let steal = "ahead = 1, steal_interval = \"100ms\", steal_threshold = \"200ms\"";
        format!(", setup = \"{:.9}s\", {steal}", pause(fit))
    } else {
        String::new()
    };
    let tasks = run(log);
    let sizes = fit.transfers.map_or_else(String::new, |_| sizes(&tasks));
    let started = tasks.iter().filter_map(|task| task.started).fold(f64::INFINITY, f64::min);
    let ended = tasks.iter().filter_map(|task| task.ended()).fold(f64::NEG_INFINITY, f64::max);
    let took = if ended > started { format!(" The log took {:.3} s.", ended - started) } else { String::new() };
    format!(
        "# The tasks of a log, first come, first served, on its machines.{took}\n\
         version = 1\nquestion = \"What do the tasks of this log take on its machines?\"\n\n\
         [platform]\ninclude = \"{PLATFORM}\"\n\n\
         [workload]\nkind = \"independent\"\ntasks = {}\ntask = {{ distribution = \"trace\", file = \"{TASKS}\" }}\n\
         farm = {{ policy = \"adaptive\", service = \"{:.0}op\"{ahead}{sizes} }}\n",
        tasks.len(),
        service(fit) * MEDIAN_SPEED
    )
}

/// The bytes of a task and of its result, in the mean of those that are known.
fn sizes(tasks: &[&LoggedTask]) -> String {
    let known: Vec<[f64; 2]> = tasks.iter().filter_map(|task| task.bytes_or_zero()).collect();
    let [read, wrote] = [0, 1].map(|side| known.iter().map(|own| own[side]).sum::<f64>() / known.len().max(1) as f64);
    format!(", task_size = \"{read:.0}B\", result_size = \"{wrote:.0}B\"")
}

/// The machines, a row each.
pub(super) fn csv(log: &TaskLog, fit: &TaskFit) -> Result<String, Failure> {
    let header = "machine,tasks,slots,speed,speed_low,speed_high,group,compared,wait_s,wait_low_s,wait_high_s,\
        turnaround_s,turnaround_low_s,turnaround_high_s,changes";
    let row = |(name, machine): (&String, &MachineFit)| {
        let [low, high] = ends(machine.interval).map(cell);
        let compared = if machine.is_compared { "yes" } else { "no" }.to_owned();
        let counts = [name.clone(), machine.tasks.to_string(), machine.used.slots.to_string()];
        let middle = |own: Option<Middle>| {
            let [low, high] = ends(own.and_then(|own| own.interval));
            [own.map(|own| own.median), low, high].map(cell)
        };
        let speed = [cell(Some(machine.speed)), low, high, machine.group.to_string(), compared];
        let overheads = [middle(machine.used.wait), middle(machine.used.turnaround)];
        let changes = machine.parts.len().saturating_sub(1).to_string();
        counts.into_iter().chain(speed).chain(overheads.into_iter().flatten()).chain([changes]).collect()
    };
    csv_text(header.split(','), log.machines().iter().zip(&fit.machines).map(row))
}

/// All of the results with all digits.
pub(super) fn json(log: &TaskLog, fit: &TaskFit, workflow: Option<Json>) -> Result<String, Failure> {
    let middle = |own: Option<Middle>| {
        own.map(|own| json!({ "median": own.median, "interval": own.interval, "times": own.count }))
    };
    let mean =
        |own: Option<Mean>| own.map(|own| json!({ "mean": own.mean, "interval": own.interval, "times": own.count }));
    let kinds = log.kinds().iter().zip(&fit.kinds).map(|(name, kind)| {
        json!({
            "name": name, "tasks": kind.tasks, "outliers": kind.outliers, "seconds": kind.seconds,
            "interval": kind.interval, "variation": kind.variation,
        })
    });
    let machines = log.machines().iter().zip(&fit.machines).map(|(name, machine)| {
        let mut all = json!({
            "name": name, "tasks": machine.tasks, "slots": machine.used.slots, "speed": machine.speed,
            "interval": machine.interval, "group": machine.group, "compared": machine.is_compared,
            "wait_s": middle(machine.used.wait), "turnaround_s": middle(machine.used.turnaround),
        });
        // Most machines keep their speed.
        if !machine.parts.is_empty() {
            let part = |part: &MachinePart| {
                json!({
                    "from_s": part.from, "tasks": part.tasks, "speed": part.speed, "interval": part.interval,
                    "share": part.speed / machine.speed,
                })
            };
            all["speeds"] = machine.parts.iter().map(part).collect();
        }
        all
    });
    let transfers = fit.transfers.map(|own| {
        json!({
            "bandwidth_bytes_per_s": own.bandwidth, "interval": own.interval, "pause_s": middle(Some(own.pause)),
            "turnaround_s": middle(own.turnaround), "times": own.count, "logged": own.is_logged,
        })
    });
    let mut all = json!({
        "types": kinds.collect::<Vec<Json>>(),
        "machines": machines.collect::<Vec<Json>>(),
        "noise": noise_name(fit.noise),
        "variation": fit.variation,
        "alone_s": middle(fit.alone),
        "mean_turnaround_s": mean(fit.mean_turnaround),
        "between_starts_s": mean(fit.between_starts),
        "transfers": transfers,
        "ignored": log.ignored,
    });
    if let Some(workflow) = workflow {
        all["workflow"] = workflow;
    }
    json_text(&all)
}
