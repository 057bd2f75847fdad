//! `hetsim fit`: finds formulas for measured run times.

mod charts;
mod tables;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::arguments::Fit;
use super::computing::{interruptible, progress_bar};
use super::console::Console;
use super::out::results_folder;
use super::terminal;
use super::{Failure, bad_input};
use crate::batch::write::{write_atomically, write_text};
use crate::fit::runtime::data::{Data, Reading, Repeats};
use crate::fit::runtime::error::Deviations;
use crate::fit::runtime::{FittedFormulas, Method, Request, Status, fit as search, given};
use crate::formula::{Expression, Formula, Notation, Variable, print};
use crate::input::Input;
use crate::printable::printable;
use crate::report::folder::create_charts;

/// The number of steps of the progress bar.
const STEPS: u64 = 1000;

/// The maximum length of the formula in the progress bar.
const SHOWN: usize = 60;

/// A formula with its origin.
struct Approach {
    name: String,
    expression: Expression,
    /// The deviations on points that were held out of the fit, where the method is validated.
    held_out: Option<Deviations>,
}

impl Approach {
    /// The formula to predict with.
    fn chosen(name: String, found: &FittedFormulas) -> Self {
        let expression = found.front[found.chosen].expression.clone();
        Self { name, expression, held_out: found.held_out.clone() }
    }
}

pub(super) fn fit(console: &Console, arguments: &Fit) -> Result<(), Failure> {
    let interruption = interruptible(console);
    let data = read(arguments)?;
    let given = given(arguments.method, arguments.formula.as_deref(), &data.names).map_err(bad_input)?;
    let folder = folder(console, arguments)?;
    if !arguments.quiet {
        let (train, test) = (data.train.len(), data.test.len());
        console.say(&format!("{}: {train} training points, {test} held out", arguments.data.display()));
        data.notes.iter().for_each(|note| console.say(&format!("note: {note}")));
    }
    let stop = interruption.flag();
    let found = searched(console, arguments, &data, given, &stop)?;
    let approaches = approaches(arguments.method, &found, &data);
    let tables = tables::Tables::of(&found, &approaches, &data);
    write(&folder, &found, &tables, &approaches, &data)
        .map_err(|error| Failure::Run(format!("{} cannot be written: {error}", folder.display())))?;
    if !arguments.quiet {
        let mut text = tables.text();
        text.push_str(&in_words(&found, &data));
        let _ = writeln!(text, "Written: {}", folder.join("formula.toml").display());
        text.push_str("  beside it formulas.csv, deviations.csv, formulas.txt, and charts/\n");
        console.print(&text)?;
    }
    if stop.load(Ordering::Relaxed) {
        return Err(Failure::Interrupted("interrupted; the best formulas so far are kept".to_owned()));
    }
    Ok(())
}

fn read(arguments: &Fit) -> Result<Data, Failure> {
    let path = &arguments.data;
    if !(0.0..1.0).contains(&arguments.held_back) {
        return Err(bad_input(format!("--held-back must be a share in [0, 1), not {}", arguments.held_back)));
    }
    let file = Input::open(path).map_err(|error| bad_input(error.to_string()))?;
    let reading = Reading {
        target: arguments.target.clone(),
        by: arguments.by.clone(),
        categories: arguments.category.clone(),
        weights: arguments.weights.clone(),
        split: arguments.split.clone(),
        repeats: if arguments.repeats == "all" { Repeats::All } else { Repeats::Median },
        held_back: arguments.held_back,
        seed: arguments.seed,
        ..Reading::default()
    };
    let data = Data::read(std::io::BufReader::new(file), &reading)
        .map_err(|error| bad_input(format!("{}: {error}", path.display())))?;
    arguments.method.check(&data.names, &data.train).map_err(|error| bad_input(error.to_string()))?;
    Ok(data)
}

/// Creates the results folder before a long search.
fn folder(console: &Console, arguments: &Fit) -> Result<PathBuf, Failure> {
    let name = arguments.data.file_stem().unwrap_or_default().to_string_lossy();
    let name = if name.starts_with("fit-") { name.into_owned() } else { format!("fit-{name}") };
    let folder = results_folder(console, &arguments.out, &name, "formula.toml", Some("formula.toml"))?;
    create_charts(&folder)?;
    Ok(folder)
}

fn searched(
    console: &Console,
    arguments: &Fit,
    data: &Data,
    given: Option<Expression>,
    stop: &AtomicBool,
) -> Result<FittedFormulas, Failure> {
    let mut request = Request { method: arguments.method, folds: arguments.folds, given, ..Request::default() };
    request.genetic.seed = arguments.seed;
    if let Some(generations) = arguments.generations {
        (request.genetic.generations, request.paper.generations) = (generations, generations);
    }
    let bar = progress_bar(console, STEPS, "{bar:24} {percent:>3}%  {msg}", arguments.quiet);
    let names = data.names.iter().map(String::as_str).collect::<Vec<_>>();
    let found = search(&data.train, &request, stop, &mut |status: &Status<'_>| {
        bar.set_position((status.done * STEPS as f64) as u64);
        let formula = print(&status.best.rounded(3), &names, Notation::Text);
        let message = format!("{:.2} %  {}", status.error, tables::shortened(&formula, SHOWN));
        bar.set_message(printable(&message).into_owned());
    });
    bar.finish_and_clear();
    found.ok_or_else(|| match request.given.as_ref().and_then(|formula| data.without_value(formula, &data.train)) {
        Some(point) => bad_input(format!("the formula has no value at {point}")),
        None => Failure::Run(format!("{} found no formula that has a value at all points", arguments.method.name())),
    })
}

/// The formulas to compare: curve fitting, the paper's counterpart, the models of single messages if the data may be
/// such, and the found ones.
fn approaches(method: Method, found: &FittedFormulas, data: &Data) -> Vec<Approach> {
    let curve =
        [(Method::Ols, "curve fitting"), (Method::Relative, "relative least squares"), (Method::Poly, "poly-model")];
    let others = curve.into_iter().filter(|(other, _)| *other != method);
    let possible = others.filter(|(other, _)| other.check(&data.names, &data.train).is_ok());
    let fitted = possible.filter_map(|(method, name)| {
        let request = Request { method, ..Request::default() };
        let found = search(&data.train, &request, &AtomicBool::new(false), &mut |_| {})?;
        Some(Approach::chosen(name.to_owned(), &found))
    });
    let mut all: Vec<Approach> = fitted.collect();
    if found.knee != found.chosen {
        let name = format!("{}, knee", method.name());
        all.push(Approach { name, expression: found.front[found.knee].expression.clone(), held_out: None });
    }
    all.push(Approach::chosen(method.name().to_owned(), found));
    all
}

/// The formulas at the knee and to predict with, rounded to significant digits.
fn in_words(found: &FittedFormulas, data: &Data) -> String {
    let names: Vec<&str> = data.names.iter().map(String::as_str).collect();
    let write = |at: usize| print(&found.front[at].expression.rounded(4), &names, Notation::Text);
    let mut text = format!("{} =\n{}\n\n", data.target, terminal::wrapped(&write(found.chosen), 2, 2));
    if found.knee != found.chosen {
        text = format!(
            "Knee: {} =\n{}\n\nTo predict with: {text}",
            data.target,
            terminal::wrapped(&write(found.knee), 2, 2)
        );
    }
    text
}

/// A formula with the names and ranges of its variables and its errors.
fn formula(expression: &Expression, data: &Data) -> Formula {
    let extreme = |column: &[f64], start: f64, choose: fn(f64, f64) -> f64| column.iter().copied().fold(start, choose);
    let variable = |(name, column): (&String, &Vec<f64>)| Variable {
        name: name.clone(),
        least: extreme(column, f64::INFINITY, f64::min),
        greatest: extreme(column, f64::NEG_INFINITY, f64::max),
    };
    Formula {
        target: data.target.clone(),
        variables: data.names.iter().zip(&data.train.columns).map(variable).collect(),
        expression: expression.clone(),
        error: Deviations::of(expression, &data.train).map(|deviations| deviations.mean),
        unseen_error: Deviations::of(expression, &data.test).map(|deviations| deviations.mean),
    }
}

fn write(
    folder: &Path,
    found: &FittedFormulas,
    tables: &tables::Tables,
    approaches: &[Approach],
    data: &Data,
) -> std::io::Result<()> {
    write_text(&folder.join("formula.toml"), &formula(&found.front[found.chosen].expression, data).to_toml())?;
    write_text(&folder.join("knee.toml"), &formula(&found.front[found.knee].expression, data).to_toml())?;
    write_text(&folder.join("formulas.txt"), &tables::notations(found, data))?;
    write_atomically(&folder.join("formulas.csv"), |writer| tables.write_front(writer))?;
    write_atomically(&folder.join("deviations.csv"), |writer| tables.write_deviations(writer))?;
    for (name, svg) in charts::charts(found, approaches, data) {
        write_text(&folder.join("charts").join(format!("{name}.svg")), &svg)?;
    }
    Ok(())
}
