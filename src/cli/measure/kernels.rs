//! `hetsim measure --kernels`: what calls of routines take on each processor, from measured calls.

mod written;

use std::path::Path;

use super::super::arguments::Measure;
use super::super::console::Console;
use super::super::out::results_folder;
use super::super::terminal::{text_table, wrapped};
use super::super::{Failure, bad_input};
use super::{folder_name, write_file};
use crate::fit::Estimate;
use crate::fit::kernels::{COEFFICIENTS, CallPlace, KernelCalls, KernelFit, ProcessorFit};
use crate::input::Input;
use crate::printable::counted;
use crate::report::text::TextTable;
pub(super) use written::noise_name;

/// The platform file in the results folder, and the coefficients beside it.
const PLATFORM: &str = "kernels.platform.toml";
const COEFFICIENTS_FILE: &str = "kernels.csv";

/// The maximum number of processors shown; the file has all.
const MOST_PROCESSORS: usize = 20;

/// The maximum number of processors named that moved between days.
const MOST_MOVED: usize = 3;

pub(super) fn measure(console: &Console, measure: &Measure) -> Result<(), Failure> {
    let folder = |out: &Path| results_folder(console, out, &folder_name(measure), PLATFORM, None);
    let folder = measure.out.as_deref().map(folder).transpose()?;
    let calls = read(measure)?;
    let (days, ignored) = (calls.days.len(), calls.ignored.join(", "));
    let mut places = calls.places.clone();
    places.sort_unstable();
    let fits = calls.fit().map_err(bad_input)?;
    if let Some(folder) = &folder {
        let path = folder.join(PLATFORM);
        write_file(console, &folder.join(COEFFICIENTS_FILE), &written::csv(&fits, &places)?)?;
        write_file(console, &path, &written::platform(&fits, &places, &path, COEFFICIENTS_FILE, &measure.files))?;
    }
    let ignored = if ignored.is_empty() { ignored } else { format!("ignored: {ignored}") };
    if measure.json || measure.csv {
        if !ignored.is_empty() {
            console.say(&ignored);
        }
        return console.print(&if measure.json { written::json(&fits)? } else { written::csv(&fits, &places)? });
    }
    let mut text = String::new();
    if !ignored.is_empty() {
        text.push_str(&wrapped(&ignored, 0, 2));
        text.push('\n');
    }
    for fit in &fits {
        text.push_str(&text_table(&coefficients(fit, days, places.len())));
        if fit.processors.iter().any(|processor| processor.differs) {
            text.push_str(&text_table(&processors(fit, folder.is_some())));
        }
    }
    console.print(&text)
}

/// The calls of all files.
fn read(measure: &Measure) -> Result<KernelCalls, Failure> {
    let mut calls = KernelCalls::default();
    for file in &measure.files {
        let input = Input::open(file).map_err(bad_input)?;
        calls.read(input).map_err(|error| bad_input(format!("{}: {error}", file.display())))?;
    }
    calls.ignored.sort_unstable();
    calls.ignored.dedup();
    Ok(calls)
}

/// A number with four significant digits.
pub(super) fn short(value: f64) -> String {
    format!("{value:.3e}")
}

pub(super) fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

/// The ends of an interval as cells; empty without one.
fn ends(estimate: Estimate, shown: fn(f64) -> String) -> [String; 2] {
    estimate.interval().map_or_else(Default::default, |(low, high)| [shown(low), shown(high)])
}

/// A kernel's form, its coefficients and how far off they are.
fn coefficients(fit: &KernelFit, days: usize, all_processors: usize) -> TextTable {
    let cells = fit.coefficients.iter().enumerate().map(|(number, &estimate)| {
        let [low, high] = ends(estimate, short);
        let all = || fit.processors.iter().map(|processor| processor.coefficients[number].value);
        let (least, greatest) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
        vec![COEFFICIENTS[number].to_owned(), short(estimate.value), low, high, short(least), short(greatest)]
    });
    let mut notes = vec![format!(
        "{} on {}; {} left out.",
        counted(fit.calls, "call"),
        counted(fit.processors.len(), "processor"),
        counted(fit.outliers, "outlier")
    )];
    let unseen =
        fit.unseen_error.map_or_else(String::new, |error| format!(", of calls not fitted to {}", percent(error)));
    notes.push(format!("Median error {}{unseen}. Noise: {}.", percent(fit.error), noise(fit)));
    notes.extend(drift(fit, days));
    let equal = fit.processors.iter().filter(|processor| !processor.differs).count();
    if fit.processors.len() > 1 && equal == fit.processors.len() {
        notes.push("No processor differs from the others for sure: all share these coefficients.".to_owned());
    } else if equal < fit.processors.len() {
        let shares = if equal == 1 { "has" } else { "do not differ and share" };
        notes.push(format!("{equal} of {} {shares} these coefficients.", counted(fit.processors.len(), "processor")));
    }
    if fit.processors.len() < all_processors {
        notes.push(format!(
            "Processors without calls of it, {}, get these coefficients too.",
            all_processors - fit.processors.len()
        ));
    }
    TextTable {
        title: format!(
            "{}: {} seconds, with 95 % intervals, and the range over processors",
            fit.name,
            fit.form.formula()
        ),
        columns: ["", "value", "low", "high", "least", "greatest"].map(str::to_owned).to_vec(),
        rows: cells.collect(),
        notes,
        ..TextTable::default()
    }
}

/// The noise of calls in words.
fn noise(fit: &KernelFit) -> String {
    match noise_name(fit.noise) {
        "none" => "none".to_owned(),
        name => format!("{name}, {} of a call", percent(fit.variation)),
    }
}

/// What is to be said of days.
fn drift(fit: &KernelFit, days: usize) -> Option<String> {
    if days < 2 {
        return None;
    }
    if fit.drift == 0.0 {
        return Some(format!("No drift over {days} days: noise explains it."));
    }
    let moved = fit.moved.iter().take(MOST_MOVED);
    let moved = moved.map(|(place, low, high)| format!("{} from {low:.3} to {high:.3}", place_name(*place)));
    let moved: Vec<String> = moved.collect();
    let most = if moved.is_empty() { String::new() } else { format!("; most: {}", moved.join(", ")) };
    Some(format!("Drift of a processor from day to day {}, over {days} days{most}.", percent(fit.drift)))
}

fn place_name(place: CallPlace) -> String {
    place.cpu.map_or_else(|| format!("node {}", place.node), |cpu| format!("node {} cpu {cpu}", place.node))
}

/// The processors that differ, those farthest off first.
fn processors(fit: &KernelFit, is_written: bool) -> TextTable {
    let has_cpu = fit.processors.iter().any(|processor| processor.place.cpu.is_some());
    let mut differ: Vec<&ProcessorFit> = fit.processors.iter().filter(|processor| processor.differs).collect();
    let distance = |processor: &ProcessorFit| processor.slowness.value.ln().abs();
    differ.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
    let mut notes = Vec::new();
    if differ.len() > MOST_PROCESSORS {
        let more = differ.len() - MOST_PROCESSORS;
        let place = if is_written { format!("in {COEFFICIENTS_FILE}") } else { "by --csv".to_owned() };
        notes.push(format!("… and {more} more, {place}."));
    }
    if differ.iter().any(|processor| processor.has_own) {
        notes.push("own: by its calls alone; scaled: those of the others, times its slowness.".to_owned());
    }
    let ratio = |value: f64| format!("{value:.4}");
    let row = |processor: &&ProcessorFit| {
        let ProcessorFit { place, slowness, .. } = processor;
        let [low, high] = ends(*slowness, ratio);
        let mut row = vec![place.node.to_string()];
        row.extend(place.cpu.map(|cpu| cpu.to_string()));
        row.extend([ratio(slowness.value), low, high]);
        row.push(if processor.has_own { "own" } else { "scaled" }.to_owned());
        row.extend([processor.calls.to_string(), processor.outliers.to_string()]);
        row
    };
    let columns = ["node", "cpu", "slowness", "low", "high", "coefficients", "calls", "outliers"];
    TextTable {
        title: format!("{}: processors that differ from the others, and how many times longer they take", fit.name),
        columns: columns.into_iter().filter(|column| has_cpu || *column != "cpu").map(str::to_owned).collect(),
        rows: differ.iter().take(MOST_PROCESSORS).map(row).collect(),
        keys: if has_cpu { 2 } else { 1 },
        notes,
        ..TextTable::default()
    }
}
