//! `hetsim measure`: shows real measurements, the models fitted to them, and a platform with the network that predicts
//! best; measured calls of routines, and a platform with the kernels fitted to them; or logs of tasks,
//! and a platform with the machines that they show, with the farm or the workflow that ran there.

pub(super) mod exact;
mod kernels;
mod platform;
pub(super) mod tasks;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::arguments::Measure;
use super::console::Console;
use super::out::results_folder;
use super::{Failure, bad_input, terminal};
use crate::batch::write::write_text;
use crate::fit::{Fitted, Model, PairSamples, Poly, read};
use crate::report::folder::create;
use crate::report::text::{TextTable, humane};
use crate::scenario::Source;
use crate::units::Bytes;

/// The minimum number of sizes for a validation on half of them.
const HALVED: usize = 6;

/// The maximum number of table points shown; the file has all.
const MOST_POINTS: usize = 3;

/// A fitted model with its errors in per cent.
struct ModelFit {
    fitted: Fitted,
    /// The error on the sizes used for fitting.
    own: Option<f64>,
    /// The error on the other half of the sizes, when fitted to one half.
    unseen: Option<f64>,
}

/// The platform file in the results folder.
const PLATFORM: &str = "platform.toml";

impl ModelFit {
    /// The error on unseen sizes if known, else the error on the fitted ones.
    fn error(&self) -> Option<f64> {
        self.unseen.or(self.own)
    }
}

pub(super) fn measure(console: &Console, measure: &Measure) -> Result<(), Failure> {
    measure.logs.check(measure.tasks)?;
    if measure.kernels {
        return kernels::measure(console, measure);
    }
    if measure.tasks {
        return tasks::measure(console, measure);
    }
    let folder = |out: &Path| results_folder(console, out, &folder_name(measure), PLATFORM, None);
    let path = measure.out.as_deref().map(|out| folder(out).map(|folder| folder.join(PLATFORM))).transpose()?;
    let mut samples: Option<PairSamples> = None;
    for file in &measure.files {
        let source = Source::read(file).map_err(bad_input)?;
        let read = read::read(&source.text)
            .map_err(|error| bad_input(format!("{}: {error}{}", source.name, advice(&source.text))))?;
        match &mut samples {
            Some(samples) => samples.pool(&read),
            None => samples = Some(read),
        }
    }
    let samples = samples.unwrap_or_default();
    let mut text = String::new();
    describe(&samples, &mut text);
    let derived = samples.with_derived_gaps();
    if derived.is_some() {
        text.push_str(
            "No gaps were measured: they are derived as half a round trip minus a latency (see docs/measuring.md).\n",
        );
    }
    let samples = derived.unwrap_or(samples);
    let rows = fits(&measure.models, &samples, &mut text)?;
    // Report an impossible platform before printing anything.
    let platform = |path: PathBuf| platform::platform(&rows, &path, &measure.files).map(|text| (text, path));
    let platform = path.map(platform).transpose()?;
    if measure.json {
        text = exact::json(&rows, poly_errors(&rows, &samples))?;
    } else if measure.csv {
        text = exact::csv(&rows)?;
    } else {
        text.push('\n');
        for table in [parameters(&rows), errors(&rows, &samples)] {
            text.push_str(&terminal::text_table(&table));
        }
    }
    // Write the file first, so that an error on standard output does not prevent it.
    let written = platform.map_or(Ok(()), |(platform, path)| write_file(console, &path, &platform));
    console.print(&text)?;
    written
}

/// The models that are asked for, or else all that can be fitted; `text` gets the reasons why others cannot.
fn fits(asked: &[Model], samples: &PairSamples, text: &mut String) -> Result<Vec<ModelFit>, Failure> {
    if !asked.is_empty() {
        let fit = |model: &Model| Fitted::fit(*model, samples).map(|fitted| row(fitted, samples));
        return asked.iter().map(|model| fit(model).map_err(|error| bad_input(error.to_string()))).collect();
    }
    let (mut rows, mut reasons) = (Vec::new(), Vec::new());
    for model in Model::ALL.iter().copied().filter(|model| *model != Model::Lmo) {
        match Fitted::fit(model, samples) {
            Ok(fitted) => rows.push(row(fitted, samples)),
            Err(error) => reasons.push(error.to_string()),
        }
    }
    // Tables without rows would look like an answer.
    if rows.is_empty() {
        return Err(bad_input(format!("no model can be fitted to these measurements: {}", reasons.join("; "))));
    }
    for reason in reasons {
        let _ = writeln!(text, "Omitted: {reason}.");
    }
    Ok(rows)
}

/// Advice on a file that has measured calls of routines.
fn advice(text: &str) -> &'static str {
    let first = text.lines().find(|line| !line.starts_with('#')).unwrap_or_default();
    let has = |name: &str| first.split(',').any(|title| title.trim().eq_ignore_ascii_case(name));
    if has("node") && has("seconds") { "; --kernels reads calls of routines" } else { "" }
}

/// Writes a file of results, and says so.
fn write_file(console: &Console, path: &Path, text: &str) -> Result<(), Failure> {
    path.parent().map_or(Ok(()), create)?;
    write_text(path, text).map_err(|error| Failure::Run(format!("{} cannot be written: {error}", path.display())))?;
    console.say(&format!("wrote {}", path.display()));
    Ok(())
}

/// The name of the results folder, after the first file.
fn folder_name(measure: &Measure) -> String {
    let stem = measure.files.first().and_then(|file| file.file_stem()).unwrap_or_default();
    format!("measure-{}", stem.to_string_lossy())
}

/// Describes the content of the files.
fn describe(samples: &PairSamples, text: &mut String) {
    let names = ["round trips", "gaps", "sender's overheads", "receiver's overheads"];
    let found = names.iter().zip(samples.lists()).filter(|(_, list)| !list.is_empty());
    let sizes = |count: usize| if count == 1 { "1 size".to_owned() } else { format!("{count} sizes") };
    let found: Vec<String> = found.map(|(name, list)| format!("{name} of {}", sizes(list.len()))).collect();
    let _ = writeln!(text, "Read: {}.", found.join(", "));
}

fn row(fitted: Fitted, samples: &PairSamples) -> ModelFit {
    let own = samples.mean_percentage_error(|bytes| fitted.hop(bytes));
    let unseen = halves(samples).and_then(|(half, others)| {
        let half = Fitted::fit(fitted.model(), &half).ok()?;
        others.mean_percentage_error(|bytes| half.hop(bytes))
    });
    ModelFit { fitted, own, unseen }
}

/// Every other size, and the rest; `None` if there are too few.
fn halves(samples: &PairSamples) -> Option<(PairSamples, PairSamples)> {
    let sizes: Vec<u64> = samples.round_trips.iter().map(|series| series.bytes).collect();
    let even = |bytes: u64| sizes.partition_point(|&size| size < bytes) % 2 == 0;
    (sizes.len() >= HALVED).then(|| (samples.of_sizes(even), samples.of_sizes(|bytes| !even(bytes))))
}

/// The errors of the poly-model of these models: on all sizes, and on unseen ones.
fn poly_errors(rows: &[ModelFit], samples: &PairSamples) -> [Option<f64>; 2] {
    let models = || rows.iter().map(|row| row.fitted.model());
    let error = |fitted_to: &PairSamples, on: &PairSamples| {
        let fitted = models().filter_map(|model| Fitted::fit(model, fitted_to).ok()).collect();
        let poly = Poly::choose(fitted, fitted_to, 0.0)?;
        on.mean_percentage_error(|bytes| poly.hop(bytes))
    };
    [error(samples, samples), halves(samples).and_then(|(half, others)| error(&half, &others))]
}

fn parameters(rows: &[ModelFit]) -> TextTable {
    let mut cells = Vec::new();
    for ModelFit { fitted, .. } in rows {
        let all = fitted.parameters();
        let mut shown = 0;
        for (index, parameter) in all.iter().enumerate() {
            let first = index == 0 || all[index - 1].name != parameter.name;
            shown = if first { 0 } else { shown + 1 };
            if shown >= MOST_POINTS {
                if all.get(index + 1).is_none_or(|next| next.name != parameter.name) {
                    let more = format!("… and {} more sizes", shown + 1 - MOST_POINTS);
                    cells.push(vec![String::new(), more, String::new(), String::new(), String::new()]);
                }
                continue;
            }
            let name = parameter.name.trim_end_matches("_s").replace('_', " ");
            let size = parameter.bytes.map(|bytes| format!(" at {}", Bytes::new(bytes))).unwrap_or_default();
            let interval = parameter.estimate.interval();
            let cell = |value: Option<f64>| value.map_or(String::new(), |value| humane(parameter.name, value));
            cells.push(vec![
                if index == 0 { fitted.model().name().to_owned() } else { String::new() },
                format!("{name}{size}"),
                cell(Some(parameter.estimate.value)),
                cell(interval.map(|interval| interval.0)),
                cell(interval.map(|interval| interval.1)),
            ]);
        }
    }
    let fault = |row: &ModelFit| Some(format!("Not available: {}.", row.fitted.network().err()?));
    TextTable {
        title: "Parameters, with 95 % intervals where the measurements allow them".to_owned(),
        columns: ["model", "parameter", "value", "low", "high"].map(str::to_owned).to_vec(),
        rows: cells,
        notes: rows.iter().filter_map(fault).collect(),
        ..TextTable::default()
    }
}

fn errors(rows: &[ModelFit], samples: &PairSamples) -> TextTable {
    let percent = |error: Option<f64>| error.map_or(String::new(), |error| format!("{error:.1} %"));
    let cells = rows.iter().map(|row| {
        let model = row.fitted.model().name().to_owned();
        vec![model, percent(row.own), percent(row.unseen)]
    });
    // With a single model there is no choice.
    let poly = (rows.len() > 1).then(|| {
        let [own, unseen] = poly_errors(rows, samples);
        vec!["the nearest at each size".to_owned(), percent(own), percent(unseen)]
    });
    TextTable {
        title: "Mean percentage error of half round trips: fitted to all sizes, and fitted to every other size and \
                predicting the rest"
            .to_owned(),
        columns: ["model", "all sizes", "unseen sizes"].map(str::to_owned).to_vec(),
        rows: cells.chain(poly).collect(),
        ..TextTable::default()
    }
}
