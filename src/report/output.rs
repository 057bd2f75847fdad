//! The files of a results folder.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::expect::Verdict;
use super::pictures::Picture;
use super::results::Results;
use super::statistics::Summary;
use super::tables::TextTable;
use crate::batch::write::{write_atomically, write_text};
use crate::record::Value;

/// What is known of a run of a scenario besides its results.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of hetsim.
    pub version: String,
    /// The hash of the model's code.
    pub model_code: String,
    /// The scenario's file.
    pub scenario: String,
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
}

impl Manifest {
    /// The manifest of a results folder.
    ///
    /// # Errors
    /// Where there is none, or it is not one of hetsim's.
    pub fn read(folder: &Path) -> io::Result<Self> {
        let text = std::fs::read_to_string(folder.join("manifest.json"))?;
        serde_json::from_str(&text).map_err(io::Error::other)
    }
}

/// Everything that is written.
#[derive(Debug)]
pub struct Report<'a> {
    /// The runs.
    pub results: &'a Results<'a>,
    /// The verdicts on expectations.
    pub verdicts: &'a [Verdict],
    /// The tables.
    pub tables: &'a [TextTable],
    /// The pictures.
    pub pictures: &'a [Picture],
    /// The rest.
    pub manifest: &'a Manifest,
}

/// Writes all files into `folder` and gives their paths. Each is written whole under another name and then renamed.
///
/// # Errors
/// Where a file can't be written; those before it are whole.
pub fn write(folder: &Path, report: &Report<'_>) -> io::Result<Vec<PathBuf>> {
    let mut written = Vec::new();
    let mut add = |path: PathBuf| {
        written.push(path.clone());
        path
    };
    write_atomically(&add(folder.join("results.csv")), |out| results_csv(report.results, out))?;
    if !report.results.timings().is_empty() {
        write_atomically(&add(folder.join("timings.csv")), |out| timings_csv(report.results, out))?;
    }
    write_atomically(&add(folder.join("summary.csv")), |out| summary_csv(report.results, out))?;
    for name in table_names(report.results) {
        write_atomically(&add(folder.join(format!("{name}.csv"))), |out| long_table_csv(report.results, &name, out))?;
    }
    if !report.verdicts.is_empty() {
        write_atomically(&add(folder.join("expect.csv")), |out| expect_csv(report.verdicts, out))?;
    }
    let charts = folder.join("charts");
    if !report.pictures.is_empty() {
        std::fs::create_dir_all(&charts)?;
    }
    for picture in report.pictures {
        write_text(&add(charts.join(format!("{}.svg", picture.name))), &picture.svg)?;
    }
    write_text(&add(folder.join("report.html")), &super::page::page(report))?;
    write_text(
        &add(folder.join("scenario.resolved.toml")),
        &report.results.scenario().resolved().map_err(io::Error::other)?,
    )?;
    let manifest = serde_json::to_string_pretty(report.manifest).map_err(io::Error::other)?;
    write_text(&add(folder.join("manifest.json")), &format!("{manifest}\n"))?;
    Ok(written)
}

/// One row a run: its identity, the swept keys, replica, seed, and the figures that it gave.
///
/// # Errors
/// Where `out` fails.
pub fn results_csv(results: &Results<'_>, out: &mut dyn Write) -> io::Result<()> {
    runs_csv(results, results.measured(), 0, out)
}

/// The same with what a clock measured in each run.
fn timings_csv(results: &Results<'_>, out: &mut dyn Write) -> io::Result<()> {
    runs_csv(results, results.timings(), results.measured().len(), out)
}

/// A row a run, with these figures, which stand one after the other from a column on.
fn runs_csv(results: &Results<'_>, figures: &[String], from: usize, out: &mut dyn Write) -> io::Result<()> {
    let scenario = results.scenario();
    let mut csv = csv::Writer::from_writer(out);
    let axes = scenario.axes.iter().map(|axis| axis.name.as_str());
    let header = ["run"].into_iter().chain(axes).chain(["replica", "seed"]);
    csv.write_record(header.chain(figures.iter().map(String::as_str)))?;
    for row in results.rows() {
        let keys = scenario.values(row.point).map(|(_, value)| value.cell.to_string());
        let cells = [row.run.to_string()].into_iter().chain(keys);
        let cells = cells.chain([row.replica.to_string(), scenario.file.seed.to_string()]);
        csv.write_record(cells.chain(row.values[from..from + figures.len()].iter().map(Value::to_string)))?;
    }
    csv.flush()
}

/// One row a point: the swept keys, the number of replicas, and for each figure its mean, 95 % interval, least and
/// greatest value; for a figure that is a name, the name where all replicas agree. Without what a clock measured, so that
/// it can be made again.
fn summary_csv(results: &Results<'_>, out: &mut dyn Write) -> io::Result<()> {
    let scenario = results.scenario();
    let mut csv = csv::Writer::from_writer(out);
    let is_name = |column: usize| results.rows().iter().any(|row| matches!(row.values[column], Value::Text(_)));
    let names: Vec<bool> = (0..results.figures().len()).map(is_name).collect();
    let mut header: Vec<String> = scenario.axes.iter().map(|axis| axis.name.clone()).collect();
    header.push("n".to_owned());
    let stays = |figure: &String| !results.is_clocked(figure);
    for (figure, name) in results.figures().iter().zip(&names).filter(|(figure, _)| stays(figure)) {
        if *name {
            header.push(figure.clone());
        } else {
            header.extend(["mean", "low95", "high95", "min", "max"].map(|what| format!("{figure}_{what}")));
        }
    }
    csv.write_record(&header)?;
    for point in 0..scenario.points.len() {
        let rows = results.rows_of(point);
        if rows.is_empty() {
            continue;
        }
        let mut cells: Vec<String> = scenario.values(point).map(|(_, value)| value.cell.to_string()).collect();
        cells.push(rows.len().to_string());
        for (column, (figure, name)) in results.figures().iter().zip(&names).enumerate() {
            if !stays(figure) {
                continue;
            }
            if *name {
                let first = &rows[0].values[column];
                let agreed = rows.iter().all(|row| row.values[column] == *first);
                cells.push(if agreed { first.to_string() } else { String::new() });
                continue;
            }
            let summary = Summary::of(&results.numbers(point, figure));
            let number = |pick: fn(&Summary) -> Option<f64>| Value::from(summary.as_ref().and_then(pick)).to_string();
            cells.push(number(|s| Some(s.mean)));
            cells.push(number(|s| s.interval.map(|(low, _)| low)));
            cells.push(number(|s| s.interval.map(|(_, high)| high)));
            cells.push(number(|s| Some(s.minimum)));
            cells.push(number(|s| Some(s.maximum)));
        }
        csv.write_record(&cells)?;
    }
    csv.flush()
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

fn expect_csv(verdicts: &[Verdict], out: &mut dyn Write) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record([
        "metric",
        "where",
        "expected",
        "simulated",
        "difference_percent",
        "tolerance",
        "ok",
        "source",
        "note",
    ])?;
    for verdict in verdicts {
        csv.write_record([
            verdict.metric.as_str(),
            &verdict.place,
            &verdict.expected,
            &verdict.simulated.to_string(),
            &verdict.difference_percent.to_string(),
            &verdict.tolerance,
            if verdict.met { "true" } else { "false" },
            &verdict.source,
            &verdict.note,
        ])?;
    }
    csv.flush()
}
