//! `hetsim plot`: redraws the charts of a results folder from its stored runs.

use std::path::Path;

use super::arguments::Plot;
use super::changes::Changes;
use super::console::Console;
use super::folder::{load_results, open_shared_store};
use super::known::KnownRun;
use super::run::finish;
use super::terminal::wrapped;
use super::{Failure, bad_input};
use crate::batch::identity::RunId;
use crate::batch::replication::Replication;
use crate::batch::store::Store;
use crate::batch::write::write_atomically;
use crate::report::Reported as _;
use crate::report::Results;
use crate::report::chart::{Chart, Picture, draw_some, fault_of_width};
use crate::report::folder::{create, create_charts, open_store};
use crate::report::formats::fault;
use crate::report::manifest::Manifest;
use crate::report::picture_file::content;
use crate::report::validation::{Validated, validations};
use crate::scenario::{Format, suggest};

pub(super) fn plot(console: &Console, plot: &Plot) -> Result<(), Failure> {
    let folder = &plot.results.folder;
    let manifest = Manifest::read(folder)
        .map_err(|error| bad_input(format!("{} is not a results folder: {error}", folder.display())))?;
    if plot.is_of_charts() { charts(console, plot) } else { everything(console, plot, &manifest) }
}

/// Makes all files of the folder again.
fn everything(console: &Console, plot: &Plot, manifest: &Manifest) -> Result<(), Failure> {
    let (folder, path) = (&plot.results.folder, Path::new(&manifest.scenario));
    let known = if path.exists() {
        KnownRun::as_given(folder, path, &manifest.overrides)?
    } else {
        KnownRun::of(console, &plot.results)?
    };
    let store = open_store(folder)?;
    let results = load_results(&known.scenario, &store)?;
    tell_changes(console, folder, &known, &results, &store)?;
    let Manifest { scenario, overrides, computed, simulation_wall_s, peak_memory_bytes, .. } = manifest.clone();
    let runs = Replication::of(&known.scenario, &store)?.runs().count();
    let own = Manifest::of(&results, runs);
    let manifest = Manifest { scenario, overrides, computed, simulation_wall_s, peak_memory_bytes, ..own };
    finish(console, folder, &results, &manifest, false)?.end(console, false).map(|_| ())
}

/// Draws charts only, as the options ask for them.
fn charts(console: &Console, plot: &Plot) -> Result<(), Failure> {
    let formats = if plot.formats.is_empty() { vec![Format::Svg] } else { plot.formats.clone() };
    if let Some((_, message, help)) = fault(&formats) {
        return Err(bad_input(format!("--format: {message}; {help}")));
    }
    if let Some((message, help)) = plot.width.as_deref().and_then(fault_of_width) {
        return Err(bad_input(format!("--width: {message}; {help}")));
    }
    let known = KnownRun::of(console, &plot.results)?;
    let store = open_shared_store(&plot.results.folder)?;
    let results = load_results(&known.scenario, &store)?;
    if let Some(others) = tell_changes(console, &plot.results.folder, &known, &results, &store)?.of_others() {
        let path = known.path.display();
        console.say(&format!(
            "note: {others} differ from the results too; that is no part of charts, and needs `hetsim run {path}`"
        ));
    }
    let spec = known.scenario.report();
    let mut charts = spec.chart.clone();
    let validated = validated(console, plot, &known)?;
    check_names(&plot.charts, &charts, &validated, &known)?;
    for chart in &mut charts {
        if let Some(width) = &plot.width {
            chart.set_width(width);
        }
    }
    let is_drawn = |chart: &Chart| plot.charts.is_empty() || plot.charts.contains(&chart.common().name);
    if let Some((message, help)) = charts.iter().filter(|chart| is_drawn(chart)).find_map(Chart::fault_of_width) {
        return Err(bad_input(format!("--width: {message}; {help}")));
    }
    let mut pictures = draw_some(&results, &charts, &spec.sensitivity, is_drawn).map_err(Failure::Run)?;
    pictures
        .extend(validated.into_iter().filter(|picture| plot.charts.is_empty() || plot.charts.contains(&picture.name)));
    let out = match &plot.out {
        Some(out) => create(out).map(|()| out.clone())?,
        None => create_charts(&plot.results.folder)?,
    };
    let mut written = Vec::new();
    for picture in &pictures {
        for &format in &formats {
            let path = out.join(format!("{}.{}", picture.name, format.name()));
            let content = content(&results, picture, format, &formats).map_err(Failure::Run)?;
            write_atomically(&path, |file| file.write_all(&content)).map_err(|error| bad_input(error.to_string()))?;
            written.push(path.display().to_string());
        }
    }
    console.print(&wrapped(&format!("Written: {}", written.join(", ")), 0, 2))
}

/// The pictures of `[[validate]]`, which are no runs of the scenario: the measurements are predicted again, unless only
/// charts of the scenario are wanted. They have one width.
fn validated(console: &Console, plot: &Plot, known: &KnownRun) -> Result<Vec<Picture>, Failure> {
    let specs = &known.scenario.report().validate;
    let is_chart = |name: &String| known.scenario.report().chart.iter().any(|chart| chart.common().name == *name);
    if specs.is_empty() || !plot.charts.is_empty() && plot.charts.iter().all(is_chart) {
        return Ok(Vec::new());
    }
    if plot.width.is_some() {
        console.say("note: charts of [[validate]] keep their width: --width is for those of [[chart]]");
    }
    let validations = validations(&known.scenario, specs).map_err(Failure::Run)?;
    Ok(validations.iter().flat_map(Validated::pictures).collect())
}

/// Refuses names that no chart has.
fn check_names(wanted: &[String], charts: &[Chart], others: &[Picture], run: &KnownRun) -> Result<(), Failure> {
    let own = charts.iter().map(|chart| chart.common().name.as_str());
    let known: Vec<&str> = own.chain(others.iter().map(|picture| picture.name.as_str())).collect();
    if known.is_empty() {
        return Err(bad_input(format!("{} asks for no [[chart]] and no [[validate]]", run.path.display())));
    }
    match wanted.iter().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(bad_input(format!("--chart: there is no chart `{name}`; {}", suggest(name, &known)))),
        None => Ok(()),
    }
}

/// Refuses a scenario whose runs are not all there because it describes other ones, and says which others it chooses.
fn tell_changes(
    console: &Console,
    folder: &Path,
    known: &KnownRun,
    results: &Results<'_>,
    store: &Store<RunId>,
) -> Result<Changes, Failure> {
    let changes = Changes::since(folder, &known.scenario)?;
    let (folder, path) = (folder.display(), known.path.display());
    let mut replication = Replication::new(&known.scenario);
    let missing = replication.missing(store, |_| true)?.len();
    let all = replication.runs().count();
    if missing > 0 && changes.reach_runs() {
        return Err(bad_input(format!(
            "{missing} of the {all} runs of {path} are missing in {folder}: {}; a run is needed: `hetsim run {path}`",
            changes.of_runs()
        )));
    }
    if results.rows().is_empty() {
        let reason = known.other_model.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
        return Err(bad_input(format!("{folder} holds no run of {path}{reason}")));
    }
    if missing > 0 {
        console.say(&format!("note: these results are partial: {} of {all} runs are stored", results.rows().len()));
    }
    if changes.reach_runs() {
        console.say(&format!(
            "note: {path} chooses other runs than the results ({}); all of them are stored",
            changes.of_runs()
        ));
    }
    Ok(changes)
}
