//! The files of a results folder.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::chart::Picture;
use super::compare::{Compared, compare_csv};
use super::csv_file::{KeyCells, write_header, write_rows};
use super::expect::{Verdict, expect_csv};
use super::formats::content;
use super::page::Page;
use super::results::{Results, Row};
use super::sensitivity::{sensitivities, sensitivity_csv};
use super::summary::summary_csv;
use super::tables::best_csv;
use super::text::TextTable;
use super::validation::{Validated, choices_csv, points_csv};
use super::written::{CHARTS, Files, Folder};
use super::{contention, critical, replicas};
use crate::batch::write::{read_json, write_json};
use crate::record::Value;
use crate::scenario::Format;

/// What is known of a run of a scenario besides its results.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of hetsim.
    pub version: String,
    /// The model's version.
    pub model_code: String,
    /// The scenario's file.
    pub scenario: String,
    /// The text of the scenario.
    #[serde(default)]
    pub text: String,
    /// The seed.
    pub seed: u64,
    /// Values put over the scenario on the command line.
    pub overrides: Vec<String>,
    /// How many runs there are in all.
    pub runs: usize,
    /// How many of them were computed this time.
    pub computed: usize,
    /// Wall seconds of the simulations, summed over the threads and over the sessions since the last `--fresh`.
    pub simulation_wall_s: f64,
    /// Events of all runs.
    pub events: u64,
    /// Messages of all runs.
    pub messages: u64,
    /// The most memory that the process has held; nothing where the system does not tell.
    pub peak_memory_bytes: Option<u64>,
    /// The files beside this one, with the digests (XXH3, 128 bits) of what was written into them.
    #[serde(default)]
    pub files: Files,
}

impl Manifest {
    /// The manifest of a results folder.
    ///
    /// # Errors
    /// Where there is none, or it is not one of hetsim's.
    pub fn read(folder: &Path) -> io::Result<Self> {
        let path = folder.join(MANIFEST);
        let missing = || io::Error::new(io::ErrorKind::NotFound, format!("there is no file {}", path.display()));
        read_json(&path)?.ok_or_else(missing)
    }
}

/// Everything that is written.
#[derive(Debug)]
pub struct Report<'a> {
    /// The runs.
    pub results: &'a Results<'a>,
    /// The verdicts on expectations.
    pub verdicts: &'a [Verdict],
    /// The comparisons.
    pub comparisons: &'a [Compared],
    /// The tables.
    pub tables: &'a [TextTable],
    /// The pictures.
    pub pictures: &'a [Picture],
    /// The validations.
    pub validations: &'a [Validated],
    /// The rest.
    pub manifest: &'a Manifest,
}

/// Writes all files into `folder` and gives their paths. Each is written whole under another name and then renamed.
/// What was written there the last time that all was, and is not written any more, such as a chart that is called
/// otherwise now, is removed.
///
/// # Errors
/// Where a file can't be written; those before it are whole, and nothing is removed.
pub fn write(folder: &Path, report: &Report<'_>) -> io::Result<Vec<PathBuf>> {
    let earlier = Manifest::read(folder).map(|manifest| manifest.files).unwrap_or_default();
    let mut files = Folder::new(folder);
    write_tables(&mut files, report)?;
    if !report.pictures.is_empty() {
        std::fs::create_dir_all(folder.join(CHARTS))?;
    }
    let formats = formats(&report.results.scenario().file.output.format);
    for picture in report.pictures {
        for &format in &formats {
            let content = content(report.results, picture, format, &formats).map_err(io::Error::other)?;
            files.write(&format!("{CHARTS}/{}.{}", picture.name, format.name()), |out| out.write_all(&content))?;
        }
    }
    files.write_text("scenario.resolved.toml", &report.results.scenario().resolved().map_err(io::Error::other)?)?;
    let beside = files.names().chain(traces(folder)).collect();
    files.write_text("report.html", &page(report, beside).html())?;
    files.remove_stale(&earlier);
    let (files, mut written) = files.done();
    let manifest = Manifest { files, ..report.manifest.clone() };
    let path = folder.join(MANIFEST);
    write_json(&path, &manifest)?;
    written.push(path);
    Ok(written)
}

/// The formats of charts: SVG, and those that are asked for besides it.
fn formats(asked: &[Format]) -> Vec<Format> {
    let others = Format::ALL.iter().filter(|format| **format != Format::Svg && asked.contains(format));
    [Format::Svg].into_iter().chain(others.copied()).collect()
}

/// The report: what the terminal shows, the pictures and the scenario on one page.
fn page<'a>(report: &Report<'a>, files: Vec<String>) -> Page<'a> {
    let (results, manifest) = (report.results, report.manifest);
    let scenario = results.scenario();
    let mut facts = vec![
        ("hetsim", manifest.version.clone()),
        ("seed", scenario.file.seed.to_string()),
        ("points", scenario.points.len().to_string()),
        ("replicas", replicas::counts(results)),
        ("events", manifest.events.to_string()),
        ("messages", manifest.messages.to_string()),
    ];
    let (there, all) = (results.rows().len(), scenario.runs());
    if there < all {
        facts.insert(0, ("partial", format!("{there} of {all} runs; the others failed or were not computed")));
    }
    facts.extend(scenario.file.notes.iter().map(|notes| ("notes", notes.trim().to_owned())));
    let sentences = [replicas::sentence(results), critical::sentence(results), contention::sentence(results)];
    let sentences = sentences.into_iter().flatten();
    Page {
        title: scenario.name.replace(['_', '-'], " "),
        question: scenario.file.question.as_deref(),
        tables: report.tables,
        sentences: sentences.chain(report.comparisons.iter().map(Compared::words)).collect(),
        pictures: report.pictures,
        verdicts: report.verdicts,
        scenario: &scenario.text,
        files,
        facts,
    }
}

/// The traces that somebody has put into the folder, by their names: `trace.json`, `trace-17.json`.
fn traces(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let mut names: Vec<String> = names.filter_map(|name| name.into_string().ok()).collect();
    let is_json = |name: &str| Path::new(name).extension().is_some_and(|kind| kind == "json");
    names.retain(|name| is_json(name) && name.starts_with("trace"));
    names.sort();
    names
}

/// The manifest's file.
const MANIFEST: &str = "manifest.json";

/// The tables in CSV, those of them that have something to say.
fn write_tables(files: &mut Folder<'_>, report: &Report<'_>) -> io::Result<()> {
    files.write("results.csv", |out| results_csv(report.results, out))?;
    #[cfg(feature = "parquet")]
    files.write("results.parquet", |out| super::parquet::results_parquet(report.results, out))?;
    if !report.results.timings().is_empty() {
        files.write("timings.csv", |out| timings_csv(report.results, out))?;
    }
    files.write("summary.csv", |out| summary_csv(report.results, out))?;
    for name in table_names(report.results) {
        files.write(&format!("{name}.csv"), |out| long_table_csv(report.results, &name, out))?;
    }
    let spec = report.results.scenario().report();
    let sensitivities = sensitivities(report.results, &spec.sensitivity);
    if !sensitivities.is_empty() {
        files.write("sensitivity.csv", |out| sensitivity_csv(report.results, &sensitivities, out))?;
    }
    if spec.table.iter().any(|table| table.best.is_some()) {
        files.write("best.csv", |out| best_csv(report.results, &spec.table, out))?;
    }
    if !report.verdicts.is_empty() {
        files.write("expect.csv", |out| expect_csv(report.verdicts, out))?;
    }
    for Validated { name, validation, .. } in report.validations {
        files.write(&format!("validate-{name}.csv"), |out| points_csv(validation, out))?;
        files.write(&format!("validate-{name}-choices.csv"), |out| choices_csv(validation, out))?;
    }
    if !report.comparisons.is_empty() {
        files.write("compare.csv", |out| compare_csv(report.comparisons, out))?;
    }
    Ok(())
}

/// One row a run: its identity, the swept keys, replica, seed, and the metrics that it gave.
///
/// # Errors
/// Where `out` fails.
pub fn results_csv(results: &Results<'_>, out: &mut dyn Write) -> io::Result<()> {
    runs_csv(results, results.measured(), 0, out)
}

/// One row a run, with the metrics that a clock measured.
fn timings_csv(results: &Results<'_>, out: &mut dyn Write) -> io::Result<()> {
    runs_csv(results, results.timings(), results.measured().len(), out)
}

/// One row a run, with these metrics, whose columns begin at `from`.
fn runs_csv(results: &Results<'_>, metrics: &[String], from: usize, out: &mut dyn Write) -> io::Result<()> {
    let scenario = results.scenario();
    let axes = scenario.axes.iter().map(|axis| axis.name.as_str());
    let header = ["run"].into_iter().chain(axes).chain(["replica", "seed"]);
    write_header(header.chain(metrics.iter().map(String::as_str)), out)?;
    let keys = KeyCells::new(scenario);
    write_rows(results.rows().len(), out, |number, row| {
        let Row { point, replica } = results.rows()[number];
        row.plain(&results.run(number));
        keys.write(point as usize, row);
        row.plain(&replica);
        row.plain(&scenario.file.seed);
        (from..from + metrics.len()).for_each(|column| results.write_cell(number, column, row));
    })
}

fn table_names(results: &Results<'_>) -> Vec<String> {
    let mut names: Vec<String> = results.tables().iter().map(|(_, table)| table.name.clone()).collect();
    names.sort();
    names.dedup();
    names
}

/// The rows of one long table of all runs, each with its run.
fn long_table_csv(results: &Results<'_>, name: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    let mut tables = results.tables().iter().filter(|(_, table)| table.name == name).peekable();
    if let Some((_, first)) = tables.peek() {
        csv.write_record(["run"].into_iter().chain(first.columns.iter().map(String::as_str)))?;
    }
    for (run, table) in tables {
        for row in &table.rows {
            csv.write_record([run.to_string()].into_iter().chain(row.iter().map(Value::to_string)))?;
        }
    }
    csv.flush()
}
