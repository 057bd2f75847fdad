//! The files of a results folder.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::compare::{Compared, compare_csv};
use super::contents::Contents;
use super::csv_file::{KeyCells, column_of, write_header, write_rows};
use super::expect::expect_csv;
use super::manifest::{MANIFEST, Manifest, set_over};
use super::page::Page;
use super::picture_file::content;
use super::replicas;
use super::results::{Results, Row};
use super::sensitivity::{sensitivities, sensitivity_csv};
use super::summary::summary_csv;
use super::tables::best_csv;
use super::typed::long_table_names;
use super::validation::{Validated, choices_csv, points_csv};
use super::written::{CHARTS, Folder, Sink};
use crate::batch::write::write_json;
use crate::record::Value;
use crate::report::Reported as _;
use crate::scenario::Format;

/// Writes all files into `folder` and returns their paths. Each is written whole under another name and then renamed.
/// Files that the last complete write left and that are not written any more, such as a renamed chart, are removed.
///
/// # Errors
/// A file cannot be written; those before it are whole, and nothing is removed.
pub fn write(folder: &Path, contents: &Contents<'_>, manifest: &Manifest) -> io::Result<Vec<PathBuf>> {
    let earlier = Manifest::read(folder).map(|manifest| manifest.files).unwrap_or_default();
    let mut files = Folder::new(folder);
    write_into(&mut files, contents, manifest, traces(folder))?;
    files.remove_stale(&earlier);
    let (files, mut written) = files.done();
    // Another folder may have a scenario of the same name.
    let scenario =
        std::path::absolute(&manifest.scenario).map_or(manifest.scenario.clone(), |path| path.display().to_string());
    let manifest = Manifest { scenario, files, ..manifest.clone() };
    let path = folder.join(MANIFEST);
    write_json(&path, &manifest)?;
    written.push(path);
    Ok(written)
}

/// The files of a results folder in memory, by their paths within it; the store of runs and the manifest are missing.
///
/// # Errors
/// A chart cannot be made in a format that the scenario asks for.
pub fn in_memory(contents: &Contents<'_>, manifest: &Manifest) -> io::Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    write_into(&mut files, contents, manifest, Vec::new())?;
    Ok(files)
}

/// Writes all files but the manifest. The page names them, and `others` beside them.
fn write_into(
    files: &mut impl Sink,
    contents: &Contents<'_>,
    manifest: &Manifest,
    others: Vec<String>,
) -> io::Result<()> {
    let results = contents.results;
    write_tables(files, contents)?;
    let formats = formats(&results.scenario().file.output.format);
    for picture in &contents.pictures {
        for &format in &formats {
            let content = content(results, picture, format, &formats).map_err(io::Error::other)?;
            files.write(&format!("{CHARTS}/{}.{}", picture.name, format.name()), |out| out.write_all(&content))?;
        }
    }
    let resolved = results.scenario().resolved().map_err(io::Error::other)?;
    files.write("scenario.resolved.toml", |out| out.write_all(resolved.as_bytes()))?;
    let beside = files.names().into_iter().chain(others).collect();
    let page = page(contents, manifest, (&resolved, beside)).html();
    files.write("report.html", |out| out.write_all(page.as_bytes()))
}

/// The formats of charts: SVG, and those that are asked for besides it.
fn formats(asked: &[Format]) -> Vec<Format> {
    let others = Format::ALL.iter().filter(|format| **format != Format::Svg && asked.contains(format));
    [Format::Svg].into_iter().chain(others.copied()).collect()
}

/// The report: what the terminal shows, the pictures and the scenario on one page.
fn page<'a>(contents: &'a Contents<'a>, manifest: &Manifest, (resolved, files): (&'a str, Vec<String>)) -> Page<'a> {
    let results = contents.results;
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
    Page {
        title: scenario.name.replace(['_', '-'], " "),
        question: scenario.file.question.as_deref(),
        set: set_over(&manifest.overrides),
        tables: &contents.tables,
        sentences: sentences(contents),
        pictures: &contents.pictures,
        verdicts: &contents.verdicts,
        // The file has other values than those that ran where some were set over it.
        scenario: if manifest.overrides.is_empty() { &scenario.text } else { resolved },
        files,
        facts,
    }
}

/// What the page says below the tables.
fn sentences(contents: &Contents<'_>) -> Vec<String> {
    let comparisons = contents.comparisons.iter().map(Compared::words);
    contents.sentences().into_iter().chain(comparisons).chain([contents.certainty()]).collect()
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

/// The tables in CSV, those of them that have something to say.
fn write_tables(files: &mut impl Sink, contents: &Contents<'_>) -> io::Result<()> {
    let results = contents.results;
    files.write("results.csv", |out| results_csv(results, out))?;
    #[cfg(feature = "parquet")]
    files.write("results.parquet", |out| super::parquet::results_parquet(results, out))?;
    if !results.timings().is_empty() {
        files.write("timings.csv", |out| timings_csv(results, out))?;
    }
    files.write("summary.csv", |out| summary_csv(results, out))?;
    for name in long_table_names(results) {
        files.write(&format!("{name}.csv"), |out| long_table_csv(results, &name, out))?;
    }
    let spec = results.scenario().report();
    let sensitivities = sensitivities(results, &spec.sensitivity);
    if !sensitivities.is_empty() {
        files.write("sensitivity.csv", |out| sensitivity_csv(results, &sensitivities, out))?;
    }
    if spec.table.iter().any(|table| table.best.is_some()) {
        files.write("best.csv", |out| best_csv(results, &spec.table, out))?;
    }
    if !contents.verdicts.is_empty() {
        files.write("expect.csv", |out| expect_csv(&contents.verdicts, out))?;
    }
    for Validated { name, validation, .. } in &contents.validations {
        files.write(&format!("validate-{name}.csv"), |out| points_csv(validation, out))?;
        files.write(&format!("validate-{name}-choices.csv"), |out| choices_csv(validation, out))?;
    }
    if !contents.comparisons.is_empty() {
        files.write("compare.csv", |out| compare_csv(&contents.comparisons, out))?;
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
    let axes = scenario.axes.iter().map(|axis| column_of(axis, metrics));
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
