//! `hetsim measure --tasks`: how fast machines are, how tasks vary and what their system takes, from its logs.

mod workflow;
mod written;

pub(in crate::cli) use workflow::{dependencies, write_workflow};
pub(in crate::cli) use written::nodes;

use std::cmp::Reverse;
use std::path::{Path, PathBuf};

use super::super::arguments::{Logs, Measure};
use super::super::console::Console;
use super::super::out::results_folder;
use super::super::terminal::{text_table, wrapped};
use super::super::{Failure, bad_input};
use super::kernels::{noise_name, percent, short};
use super::{PLATFORM, folder_name, write_file};
use crate::fit::tasks::{LogFormat, MachineFit, MachinePart, Middle, TaskFit, TaskLog, TransferFit};
use crate::input::Input;
use crate::printable::counted;
use crate::report::text::{TextTable, humane, kind};

/// The scenario in the results folder, and the tasks beside it.
const SCENARIO: &str = "farm.toml";
const TASKS: &str = "tasks.csv";

/// The maximum number of machines and of types shown; the file and `--json` have all.
const MOST_ROWS: usize = 20;

pub(super) fn measure(console: &Console, measure: &Measure) -> Result<(), Failure> {
    let folder = |out: &Path| results_folder(console, out, &folder_name(measure), PLATFORM, None);
    let folder = measure.out.as_deref().map(folder).transpose()?;
    let (log, fit, format) = read(&measure.files, &measure.logs)?;
    let found = measure.logs.dag.as_deref().map(|file| dependencies(&log, file)).transpose()?;
    match (&folder, &found) {
        (Some(folder), Some(found)) => {
            write_workflow(console, folder, (&log, &fit, found), &measure.files)?;
        }
        (Some(folder), None) => {
            write_farm(console, folder, (&log, &fit, format), &measure.files)?;
        }
        (None, _) => {}
    }
    let ignored: Vec<String> = log.ignored.iter().map(|(what, count)| format!("{what} ({count})")).collect();
    let ignored = if ignored.is_empty() { String::new() } else { format!("ignored: {}", ignored.join(", ")) };
    if measure.json || measure.csv {
        if !ignored.is_empty() {
            console.say(&ignored);
        }
        return console.print(&if measure.json {
            written::json(&log, &fit, found.map(|found| workflow::json(&log, &found)))?
        } else {
            written::csv(&log, &fit)?
        });
    }
    let heading = if ignored.is_empty() { ignored } else { wrapped(&ignored, 0, 2) + "\n" };
    let [kinds, machines, overheads] = [kinds(&log, &fit), machines(&log, &fit), overheads(&log, &fit)];
    let pairs = found.map(|found| workflow::pairs(&log, &found));
    let tables = [Some(kinds), Some(machines), changes(&log, &fit), Some(overheads), pairs];
    console.print(&tables.iter().flatten().fold(heading, |text, table| text + &text_table(table)))
}

/// Reads logs, of which the last one's format is told, and fits them.
pub(in crate::cli) fn read(files: &[PathBuf], logs: &Logs) -> Result<(TaskLog, TaskFit, LogFormat), Failure> {
    let (mut log, mut format) = (TaskLog::default(), LogFormat::Csv);
    for file in files {
        let text = Input::open(file).and_then(Input::text).map_err(bad_input)?;
        let read = log.read(&text, logs.format, &logs.columns);
        format = read.map_err(|error| bad_input(format!("{}: {error}", file.display())))?;
    }
    let fit = TaskFit::of(&log).ok_or_else(|| {
        let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        let failed = log.tasks.iter().filter(|task| task.has_failed).count();
        let all = counted(log.tasks.len(), "task");
        bad_input(format!(
            "{}: no task succeeded and took time, so there are no speeds; {failed} of {all} failed",
            names.join(", ")
        ))
    })?;
    Ok((log, fit, format))
}

/// Writes the farm that runs the tasks of logs on their machines, and returns its file.
pub(in crate::cli) fn write_farm(
    console: &Console,
    folder: &Path,
    (log, fit, format): (&TaskLog, &TaskFit, LogFormat),
    files: &[PathBuf],
) -> Result<PathBuf, Failure> {
    let workflow = match format {
        LogFormat::Nextflow => "`hetsim measure --tasks --dag` makes a workflow of them",
        LogFormat::Wfformat => "kind = \"taskgraph\" runs the file as a workflow",
        _ => "",
    };
    if !workflow.is_empty() {
        console.say(&format!(
            "The tasks of this log may have waited for each other, which a farm leaves out: {workflow}."
        ));
    }
    let scenario = folder.join(SCENARIO);
    write_file(console, &folder.join(TASKS), &written::tasks(log, fit)?)?;
    write_file(console, &folder.join(PLATFORM), &written::platform(log, fit, format, files))?;
    write_file(console, &scenario, &written::scenario(log, fit, format))?;
    Ok(scenario)
}

/// A number with the ends of its interval as cells, if there is one.
fn cells(value: f64, interval: Option<(f64, f64)>, shown: impl Fn(f64) -> String) -> [String; 3] {
    let [low, high] = interval.map_or_else(Default::default, |(low, high)| [shown(low), shown(high)]);
    [shown(value), low, high]
}

/// An interval in a sentence, after its number; nothing without one.
fn within(low: &str, high: &str) -> String {
    if low.is_empty() { String::new() } else { format!(" ({low} to {high})") }
}

/// What a table leaves out.
fn left_out(all: usize, place: &str) -> Option<String> {
    (all > MOST_ROWS).then(|| format!("… and {} more, by {place}.", all - MOST_ROWS))
}

fn table(title: String, columns: &[&str], rows: Vec<Vec<String>>, notes: Vec<String>) -> TextTable {
    TextTable {
        title,
        columns: columns.iter().map(|&name| name.to_owned()).collect(),
        rows,
        notes,
        ..TextTable::default()
    }
}

/// What tasks of each type take, those of most tasks first.
fn kinds(log: &TaskLog, fit: &TaskFit) -> TextTable {
    let mut order: Vec<usize> = (0..fit.kinds.len()).filter(|&kind| fit.kinds[kind].tasks > 0).collect();
    order.sort_by_key(|&kind| Reverse(fit.kinds[kind].tasks));
    let row = |&number: &usize| {
        let kind = &fit.kinds[number];
        let mut row = vec![log.kinds()[number].clone(), kind.tasks.to_string()];
        row.extend(cells(kind.seconds, kind.interval, |seconds| humane("_s", seconds)));
        row.extend([percent(kind.variation), kind.outliers.to_string()]);
        row
    };
    let noise = match noise_name(fit.noise) {
        "none" => "none".to_owned(),
        name => format!("{name}, {} of a task after its type and its machine", percent(fit.variation)),
    };
    let mut notes: Vec<String> = left_out(order.len(), "--json").into_iter().collect();
    notes.push(format!("Noise: {noise}."));
    let columns = ["type", "tasks", "time", "low", "high", "variation", "outliers"];
    let title = "What a task takes on the median machine, with 95 % intervals".to_owned();
    table(title, &columns, order.iter().take(MOST_ROWS).map(row).collect(), notes)
}

/// The machines in the order of speeds, the fastest first.
fn order(fit: &TaskFit) -> Vec<usize> {
    let mut order: Vec<usize> = (0..fit.machines.len()).collect();
    order.sort_by(|&a, &b| fit.machines[b].speed.total_cmp(&fit.machines[a].speed));
    order
}

fn machines(log: &TaskLog, fit: &TaskFit) -> TextTable {
    let order = order(fit);
    let same = |machine: &MachineFit| fit.machines.iter().filter(|other| other.group == machine.group).count();
    let row = |&number: &usize| {
        let machine = &fit.machines[number];
        let mut row = vec![log.machines()[number].clone(), machine.tasks.to_string(), machine.used.slots.to_string()];
        row.extend(cells(machine.speed, machine.interval, |speed| format!("{speed:.4}")));
        row.push(if machine.is_compared { same(machine).to_string() } else { "?".to_owned() });
        row
    };
    let mut notes: Vec<String> = left_out(order.len(), "--csv").into_iter().collect();
    if fit.machines.iter().any(|machine| same(machine) > 1) {
        notes.push("Machines that do not differ for sure share a speed; alike counts them.".to_owned());
    }
    let apart = fit.machines.iter().filter(|machine| !machine.is_compared).count();
    if apart > 0 {
        let have = if apart == 1 { "has" } else { "have" };
        notes.push(format!("{} {have} no type in common with the others: speed 1.", counted(apart, "machine")));
    }
    let columns = ["machine", "tasks", "slots", "speed", "low", "high", "alike"];
    let title = "Speeds of machines, over that of the median one, with 95 % intervals".to_owned();
    table(title, &columns, order.iter().take(MOST_ROWS).map(row).collect(), notes)
}

/// The machines whose speed changed, a row from each change on; `None` if there are none.
fn changes(log: &TaskLog, fit: &TaskFit) -> Option<TextTable> {
    let changed: Vec<usize> = order(fit).into_iter().filter(|&own| !fit.machines[own].parts.is_empty()).collect();
    let rows = |&number: &usize| {
        let machine = &fit.machines[number];
        let row = |part: &MachinePart| {
            let mut row = vec![log.machines()[number].clone(), humane("_s", part.from), part.tasks.to_string()];
            row.extend(cells(part.speed, part.interval, |speed| format!("{speed:.4}")));
            row.push(percent(part.speed / machine.speed));
            row
        };
        machine.parts.iter().map(row).collect::<Vec<_>>()
    };
    let rows: Vec<Vec<String>> = changed.iter().flat_map(rows).collect();
    let mut notes: Vec<String> = left_out(rows.len(), "--json").into_iter().collect();
    notes.push(
        "An instant counts from the first start, and is known to within a task; share is of the fastest.".to_owned(),
    );
    if changed.len() == fit.machines.len() && changed.len() > 1 {
        notes.push(
            "All machines changed: if tasks of a type are sorted by length, it is the tasks that did.".to_owned(),
        );
    }
    let columns = ["machine", "from", "tasks", "speed", "low", "high", "share"];
    let title = "Machines whose speed changed, with 95 % intervals".to_owned();
    let rows: Vec<Vec<String>> = rows.into_iter().take(MOST_ROWS).collect();
    (!rows.is_empty()).then(|| TextTable { keys: 2, ..table(title, &columns, rows, notes) })
}

fn overheads(log: &TaskLog, fit: &TaskFit) -> TextTable {
    let middle = |what: &str, middle: Option<Middle>| {
        middle.map(|middle| {
            let mut row = vec![what.to_owned()];
            row.extend(cells(middle.median, middle.interval, |seconds| humane("_s", seconds)));
            row.push(middle.count.to_string());
            row
        })
    };
    let mut rows = Vec::new();
    for &number in order(fit).iter().take(MOST_ROWS) {
        let used = &fit.machines[number].used;
        let both = [("submission", used.wait), ("last end", used.turnaround)];
        for mut row in both.into_iter().filter_map(|(what, own)| middle(what, own)) {
            row.insert(0, log.machines()[number].clone());
            rows.push(row);
        }
    }
    let rate = fit.between_starts.filter(|between| between.mean > 0.0);
    let rate = rate.map(|between| {
        // A clock may be too coarse for one of the ends.
        let interval = between.interval.filter(|(low, _)| *low > 0.0);
        let [rate, high, low] = cells(between.mean, interval, |seconds| format!("{:.1}", 1.0 / seconds));
        format!("While a slot is free, {rate}{} tasks are started a second.", within(&low, &high))
    });
    let alone = fit.alone.map(|alone| {
        let [median, low, high] = cells(alone.median, alone.interval, |seconds| humane("_s", seconds));
        let within = within(&low, &high);
        format!("From the last end pass {median}{within} while no other task starts, so that the server is free.")
    });
    let mean = fit.mean_turnaround.map(|own| {
        let [mean, low, high] = cells(own.mean, own.interval, |seconds| humane("_s", seconds));
        let within = within(&low, &high);
        format!("The clock has whole seconds: in the mean {mean}{within} pass from the last end.")
    });
    let none = rows.is_empty().then(|| "The log has no instants to tell them by.".to_owned());
    let notes = left_out(fit.machines.len(), "--csv").into_iter().chain(none).chain(alone).chain(mean).chain(rate);
    let notes = notes.chain(fit.transfers.as_ref().map(passing)).collect();
    let title = "What passes before a task starts, from its submission to a free slot or from the last end on its slot: medians, \
                 with intervals of at least 95 %"
        .to_owned();
    TextTable { keys: 2, ..table(title, &["machine", "from", "median", "low", "high", "times"], rows, notes) }
}

/// How data pass, in a sentence.
fn passing(transfers: &TransferFit) -> String {
    let (low, high) = transfers.interval;
    // Digits that no measurement determines would tell equal rates apart.
    let rates = [transfers.bandwidth, low, high].map(|rate| short(rate).parse().unwrap_or(rate));
    let rates = kind("", Some("bandwidth")).format_apart(&rates);
    let by = counted(transfers.count, if transfers.is_logged { "transfer" } else { "pause" });
    let (rate, low, high) = (&rates[0], &rates[1], &rates[2]);
    // A unit that all three have is said once.
    let unit = rate.find('\u{a0}').map_or("", |at| &rate[at..]);
    let (low, high) = low.strip_suffix(unit).zip(high.strip_suffix(unit)).unwrap_or((low, high));
    format!("Data pass at {rate}{}, by {by}.", within(low, high))
}
