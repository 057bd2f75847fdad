//! `hetsim calibrate`: values of a platform's keys that explain measured collectives.

mod doubts;
mod points;
mod profile;
mod regimes;
mod tables;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::arguments::Calibrate;
use super::computing::{interruptible, left_in, progress_bar, terminable, to_be_continued};
use super::console::Console;
use super::replaced::check_kept;
use super::{Failure, bad_input};
use crate::accuracy::Machine;
use crate::accuracy::calibrate::{
    Calibration, Evaluations, Halt, Key, Measured, Simulated, Stage, calibrate as search, percent, replaced,
};
use crate::batch::threads::Threads;
use crate::batch::write::write_text;
use crate::scenario::{Problems, Source, simgrid};
use points::CalibrationPoints;
use tables::Report;

/// The number of steps of the progress bar.
const STEPS: f64 = 1000.0;

pub(super) fn calibrate(console: &Console, arguments: &Calibrate) -> Result<(), Failure> {
    let interruption = interruptible(console);
    let machine = Machine::load(&arguments.platform)?;
    let mut source = Source::read(&arguments.platform).map_err(bad_input)?;
    if simgrid::is_platform(&source.text) {
        source = simgrid::as_toml(&source)?;
    }
    let keys = Key::find_all(&arguments.free, &source.text)
        .map_err(|problems| Problems::new(problems, std::slice::from_ref(&source)))?;
    profile::check(&source.text)?;
    let measured = arguments.with.read(&arguments.files)?.points;
    let progress = progress_file(arguments)?;
    let threads = Threads::new(arguments.jobs);
    let points = threads.share(usize::MAX, || CalibrationPoints::sorted(&measured, arguments, &machine, &keys))?;
    if !arguments.quiet {
        points.notes.iter().for_each(|note| console.say(note));
    }
    if let Some(warning) = machine.warning(points.used.iter().copied()) {
        log::warn!("{warning}");
    }
    let stop = terminable(interruption);
    let (found, predicted) =
        threads.share(usize::MAX, || searched(console, arguments, &machine, &keys, &points, (&progress, &stop)))?;
    let tells =
        threads.share(usize::MAX, || doubts::telling((&machine, &keys), &found, &points, (arguments.seed, &stop)));
    let regimes =
        threads.share(usize::MAX, || regimes::regimes((&machine, &keys), &found, &points, (arguments.seed, &stop)));
    let mut report = Report::of(&keys, &points, (found, tells, regimes), &predicted);
    let text = profile::without_table(&replaced(&source.text, &keys, report.values()));
    let files: Vec<String> = arguments.files.iter().map(|file| file_name(file)).collect();
    let write = |report: &Report<'_>| {
        let [used, left_out] = report.ratios();
        let profile = profile::table(&points, &files, arguments.date.as_deref(), [&used, &left_out]);
        let text = report.head(&files) + tables::without_head(&text) + &profile;
        write_text(&arguments.out, &text).map_err(|error| Failure::Run(error.to_string()))
    };
    // The points left out may take much longer than the search.
    write(&report)?;
    // A file that stays does no harm: it is used for the same calibration only.
    let _ = fs::remove_file(&progress);
    if !points.left_out.is_empty() {
        let judged = Simulated::new(&machine, &keys, points.left_out.iter().copied(), arguments.seed).until(&stop);
        let predicted = threads.share(usize::MAX, || judged.predict(report.values()));
        if stop.load(Ordering::Relaxed) {
            let out = arguments.out.display();
            let message = format!("interrupted; {out} is written, without the errors of the points left out");
            return Err(Failure::Interrupted(message));
        }
        report.judge(&points, &predicted);
        write(&report)?;
    }
    if arguments.quiet { Ok(()) } else { console.print(&report.text(&arguments.out)) }
}

/// The name of a file in what is written, in printable characters.
fn file_name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().escape_debug().to_string()
}

/// The file with the evaluations of a calibration that is not done.
fn progress_file(arguments: &Calibrate) -> Result<PathBuf, Failure> {
    let out = &arguments.out;
    check_kept("--out", out, arguments.files.iter().chain([&arguments.platform]))?;
    if out.file_name().is_none() || out.is_dir() {
        return Err(bad_input(format!("--out {}: --out names the file of the calibrated platform", out.display())));
    }
    let mut name = out.clone().into_os_string();
    name.push(".progress");
    Ok(name.into())
}

/// The calibration, and what is predicted of the points used with its values.
fn searched(
    console: &Console,
    arguments: &Calibrate,
    machine: &Machine,
    keys: &[Key],
    points: &CalibrationPoints<'_>,
    (file, stop): (&Path, &AtomicBool),
) -> Result<(Calibration, Arc<[f64]>), Failure> {
    let simulated = Simulated::new(machine, keys, points.used.iter().copied(), arguments.seed).until(stop);
    let times = Measured::new(points.used.iter().map(|point| (point.median, points::group(point))));
    let predict = |values: &[f64]| simulated.predict(values);
    let save = |lines: &str| write_text(file, lines).map_err(|error| named(&error, file, &arguments.out));
    let saved = left_in(file)?;
    let mut evaluations = Evaluations::new(&predict, stop).kept(&saved, simulated.identity(), &save);
    if evaluations.count() > 0 && !arguments.quiet {
        console.say(&format!("continuing from {} evaluations in {}", evaluations.count(), file.display()));
    }
    // A folder that can't be written is found before the search.
    evaluations.save().map_err(|halt| match halt {
        Halt::Failed(message) => bad_input(message),
        halt @ Halt::Interrupted => failure(halt, file),
    })?;
    let bar = progress_bar(console, STEPS as u64, "{bar:24} {percent:>3}%  {msg}", arguments.quiet);
    let mut progress = |stage, share: f64, error: f64| {
        let (from, part, what) = match stage {
            Stage::Globally => (0.0, 0.5, "global search"),
            Stage::Locally => (0.5, 0.3, "local search"),
            Stage::Ranges => (0.8, 0.2, "ranges"),
        };
        bar.set_position(((from + part * share) * STEPS) as u64);
        bar.set_message(format!("{what}, typical error {:.1} %", percent(error)));
    };
    let seed = (!arguments.locally).then_some(arguments.seed);
    let found = search(keys, &times, &mut evaluations, seed, &mut progress);
    bar.finish_and_clear();
    let predicted = |found: Calibration| {
        let predicted = evaluations.of(std::slice::from_ref(&found.values))?;
        Ok((found, Arc::clone(&predicted[0])))
    };
    found.and_then(predicted).map_err(|halt| failure(halt, file))
}

/// An error at the file of evaluations as one at the output beside it.
fn named(error: &io::Error, file: &Path, out: &Path) -> io::Error {
    let message = error.to_string();
    let why = message.strip_prefix(&format!("{}: ", file.display())).unwrap_or(&message);
    io::Error::new(error.kind(), format!("--out {}: {why}", out.display()))
}

fn failure(halt: Halt, file: &Path) -> Failure {
    match halt {
        Halt::Interrupted => to_be_continued(file),
        Halt::Failed(message) => Failure::Run(message),
    }
}
