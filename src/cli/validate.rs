//! `hetsim validate`: predictions of measured collectives beside the measurements.

mod document;

use std::fs::{File, remove_file};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use indicatif::ProgressBar;

use super::arguments::Validate as Arguments;
use super::computing::{Interruption, interruptible, left_in, progress_bar, terminable, to_be_continued};
use super::console::Console;
use super::measured::check_selections;
use super::out::{remove_stale, results_folder};
use super::terminal::{text_table, wrapped};
use super::{Failure, bad_input};
use crate::accuracy::validate::{KeptPredictions, Request, Validation};
use crate::accuracy::{Machine, Selection};
use crate::batch::threads::Threads;
use crate::batch::write::{write_atomically, write_text};
use crate::fit::read::collectives::MeasuredCollectives;
use crate::report::folder::create_charts;
use crate::report::text::TextTable;
use crate::report::validation::{UNPREDICTED, choices_csv, page, pictures, points_csv, summary_csv, tables};
use crate::scenario::Source;

pub(super) fn validate(console: &Console, arguments: &Arguments) -> Result<(), Failure> {
    let interruption = interruptible(console);
    if let [plan] = arguments.files.as_slice()
        && plan.extension().is_some_and(|extension| extension == "toml")
    {
        let of_tables = [
            ("--platform", arguments.platform.is_some()),
            ("--use", !arguments.used.is_empty()),
            ("--leave-out", !arguments.leave_out.is_empty()),
            ("--within", arguments.within.is_some()),
        ];
        if let Some((option, _)) = of_tables.iter().find(|(_, is_given)| *is_given) {
            return Err(bad_input(format!("{option} has no effect on a plan: its sections and cases say that")));
        }
        return document::print(console, plan, arguments, interruption);
    }
    let Some(platform) = &arguments.platform else {
        return Err(bad_input("give the file of the platform by --platform"));
    };
    let measured = arguments.with.read(&arguments.files)?;
    check_selections(&measured.points, [("--use", &arguments.used), ("--leave-out", &arguments.leave_out)])?;
    let machine = Machine::load(platform)?;
    let request = Request {
        used: arguments.used.clone(),
        left_out: arguments.leave_out.clone(),
        seed: arguments.seed,
        most_messages: arguments.max_messages,
    };
    if let Some(warning) = machine.warning(measured.points.iter().filter(|point| request.takes(point))) {
        log::warn!("{warning}");
    }
    let name = stem(arguments.files.first().map_or(Path::new("measured"), PathBuf::as_path));
    let folder = results_folder(console, &arguments.out, &format!("validate-{name}"), "points.csv", None)?;
    let charts = create_charts(&folder)?;
    let points = points(&measured, &request);
    let unfinished = folder.join("points.progress");
    let kept = kept(console, &unfinished, arguments.quiet)?;
    let bar = progress_bar(console, points, PROGRESS, arguments.quiet);
    let goes_on = goes_on(&bar, interruption);
    let predict = || Validation::of(&machine, &measured, &request, &kept, &goes_on);
    let validation = Threads::new(arguments.jobs).share(points as usize, predict);
    bar.finish_and_clear();
    let validation = validation.ok_or_else(|| to_be_continued(&unfinished))?;
    let written = write((&folder, &charts), &validation, (&name, platform), arguments)
        .map_err(|error| Failure::Run(format!("{} cannot be written: {error}", folder.display())))?;
    remove_stale(&charts, is_chart, &written)?;
    // A file that stays does no harm: its predictions are used only where they hold.
    let _ = remove_file(&unfinished);
    if !arguments.quiet {
        let mut text: String = tables(&validation).into_iter().map(shortened).map(|table| text_table(&table)).collect();
        text.push_str(&wrapped(&format!("Written: {}", folder.join("report.html").display()), 0, 2));
        text.push_str(&wrapped("beside it points.csv, summary.csv, choices.csv, and charts/", 2, 2));
        console.print(&text)?;
    }
    if !validation.points.iter().any(|point| point.predicted.is_ok()) {
        return Err(Failure::Run("none of the points could be predicted; points.csv says why".to_owned()));
    }
    let missed = arguments.within.as_ref().map(|bounds| bounds.missed(&validation)).unwrap_or_default();
    let missed: Vec<String> = missed.iter().map(ToString::to_string).collect();
    if missed.is_empty() { Ok(()) } else { Err(Failure::Run(missed.join("\n"))) }
}

/// The progress bar.
const PROGRESS: &str = "{bar:32} {pos}/{len} points  {per_sec}  {eta} left";

/// Moves the bar by a point, and says whether to go on with the next.
fn goes_on(bar: &ProgressBar, interruption: Interruption) -> impl Fn() -> bool + Sync {
    let stop = terminable(interruption);
    move || {
        bar.inc(1);
        !stop.load(Ordering::Relaxed)
    }
}

/// The predictions that an interrupted run has left in a file, to which this one adds its own.
///
/// # Errors
/// The file can't be read or written.
fn kept(console: &Console, file: &Path, quiet: bool) -> Result<KeptPredictions, Failure> {
    let left = left_in(file)?;
    let open = File::options().create(true).append(true).open(file);
    let kept = open
        .and_then(|open| KeptPredictions::new(&left, open))
        .map_err(|error| Failure::Run(format!("{} cannot be written: {error}", file.display())))?;
    if !kept.is_empty() && !quiet {
        console.say(&format!("continuing from the predictions in {} that still hold", file.display()));
    }
    Ok(kept)
}

/// How many points are predicted.
fn points(measured: &MeasuredCollectives, request: &Request) -> u64 {
    measured.points.iter().filter(|point| request.takes(point)).count() as u64
}

/// The most rows of points without a prediction that are shown.
const MOST_ROWS: usize = 12;

/// The same table, if it lists points without a prediction with fewer rows: points.csv has all.
fn shortened(mut table: TextTable) -> TextTable {
    if table.title == UNPREDICTED && table.rows.len() > MOST_ROWS {
        table.notes.push(format!("… and {} more rows in report.html", table.rows.len() - MOST_ROWS));
        table.rows.truncate(MOST_ROWS);
    }
    table
}

/// A file's name without its extensions.
fn stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    stem.strip_suffix(".platform").unwrap_or(&stem).to_owned()
}

/// Whether a validation writes a chart of this name.
fn is_chart(file: &str) -> bool {
    let stem = file.strip_suffix(".svg");
    stem.is_some_and(|stem| ["predicted", "regret"].contains(&stem) || stem.starts_with("errors-"))
}

/// Writes all files, and returns the names of the charts.
fn write(
    (folder, charts): (&Path, &Path),
    validation: &Validation,
    (name, platform): (&str, &Path),
    arguments: &Arguments,
) -> std::io::Result<Vec<String>> {
    write_atomically(&folder.join("points.csv"), |out| points_csv(validation, out))?;
    write_atomically(&folder.join("summary.csv"), |out| summary_csv(validation, out))?;
    write_atomically(&folder.join("choices.csv"), |out| choices_csv(validation, out))?;
    let pictures = pictures(validation, name);
    let written: Vec<String> = pictures.iter().map(|picture| format!("{}.svg", picture.name)).collect();
    for (file, picture) in written.iter().zip(&pictures) {
        write_text(&charts.join(file), &picture.svg)?;
    }
    let listed = |selections: &[Selection]| selections.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    let files: Vec<String> = arguments.files.iter().map(|file| file.display().to_string()).collect();
    let facts = [
        ("hetsim", env!("CARGO_PKG_VERSION").to_owned()),
        ("measurements", files.join(", ")),
        ("platform", platform.display().to_string()),
        ("used", listed(&arguments.used)),
        ("left out of errors", listed(&arguments.leave_out)),
    ];
    let facts = facts.into_iter().filter(|(_, value)| !value.is_empty()).collect();
    let platform = Source::read(platform).map_err(std::io::Error::other)?;
    let title = format!("Validation on {name}");
    write_text(&folder.join("report.html"), &page(&title, validation, &pictures, &platform.text, facts))?;
    Ok(written)
}
