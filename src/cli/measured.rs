//! Files of measured collectives, and what the command line says of them.

use std::collections::HashMap;
use std::path::PathBuf;
use std::slice;

use clap::Args;

use super::{Failure, bad_input};
use crate::accuracy::Selection;
use crate::communication::{Algorithm, Operation};
use crate::fit::read::ReadError;
use crate::fit::read::collectives::{GivenColumns, MeasuredCollectives, Measurement, read, repeated};
use crate::scenario::{Place, Problem, Problems, Source, suggest};

/// What files of measurements do not say.
#[derive(Debug, Default, Args)]
pub(super) struct With {
    /// What the files of measurements do not say, by column: nodes=16,algorithm=binomial; once for all files, or once
    /// for each in their order
    #[arg(long = "with", value_name = "COLUMN=VALUE,...")]
    given: Vec<GivenColumns>,
}

impl From<GivenColumns> for With {
    /// The same for all files.
    fn from(given: GivenColumns) -> Self {
        Self { given: vec![given] }
    }
}

impl With {
    /// The measurements in all files.
    pub(super) fn read(&self, files: &[PathBuf]) -> Result<MeasuredCollectives, Failure> {
        if self.given.len() > 1 && self.given.len() != files.len() || files.is_empty() && !self.given.is_empty() {
            let plural = |count: usize| if count == 1 { "" } else { "s" };
            return Err(bad_input(format!(
                "--with is given {} time{} for {} file{} of measurements: give it once for all files, or once for each",
                self.given.len(),
                plural(self.given.len()),
                files.len(),
                plural(files.len())
            )));
        }
        let of_all = self.given.first().cloned().unwrap_or_default();
        let mut all = MeasuredCollectives::default();
        let (mut known, mut own) = (HashMap::new(), Vec::new());
        for (number, file) in files.iter().enumerate() {
            let source = Source::read(file).map_err(bad_input)?;
            let given = self.given.get(number).unwrap_or(&of_all);
            let points = read(&source.text, given).map_err(|error| fault(&source, &error))?.points;
            own.push((source.name, repeated(&source.text, given)));
            check_algorithm(given, &points)?;
            if self.given.len() == 1 {
                warn_of_repeated(&mut known, files, number, &points);
            }
            all.points.extend(points);
        }
        // One for all files may be for those of them that do not have the column.
        let together = if self.given.len() == 1 { files.len() } else { 1 };
        own.chunks(together.max(1)).try_for_each(check_columns)?;
        Ok(all)
    }
}

/// What is wrong with a file, with the line that it is about.
fn fault(source: &Source, error: &ReadError) -> Failure {
    let message = format!("{}: {error}", source.name);
    let Some(before) = error.line.checked_sub(1) else { return bad_input(message) };
    let mut lines = source.text.split_inclusive('\n');
    let start = lines.by_ref().take(before).map(str::len).sum();
    let end = start + lines.next().unwrap_or_default().trim_end().len();
    let place = Place { source: 0, span: start..end };
    Problems::new(vec![Problem::at(&place, message)], slice::from_ref(source)).into()
}

/// Refuses a given column that each of these files has itself, so that what is given of it says nothing. A file has its
/// name and such columns, each with the part of the file that says it.
fn check_columns(files: &[(String, Vec<(&'static str, String)>)]) -> Result<(), Failure> {
    let Some(((name, columns), others)) = files.split_first() else { return Ok(()) };
    let is_everywhere = |column: &str| others.iter().all(|(_, own)| own.iter().any(|(other, _)| *other == column));
    match columns.iter().find(|(column, _)| is_everywhere(column)) {
        None => Ok(()),
        Some((column, part)) => Err(bad_input(format!(
            "--with {column}: {name} says it itself, by its {part}; `--with` is for what a file does not say"
        ))),
    }
}

/// Refuses an algorithm that hetsim does not know for any of the points, such as a misspelt one.
fn check_algorithm(given: &GivenColumns, points: &[Measurement]) -> Result<(), Failure> {
    let Some(name) = given.algorithm() else { return Ok(()) };
    let mut of_given = points.iter().filter(|point| point.algorithm == name).peekable();
    let Some(first) = of_given.peek().copied() else { return Ok(()) };
    if of_given.any(|point| point.model.is_some() || point.is_default) {
        return Ok(());
    }
    let operation = first.operation.parse::<Operation>().ok();
    let known: Vec<&str> = operation.into_iter().flat_map(Operation::algorithms).map(Algorithm::name).collect();
    let advice = suggest(name, &known);
    Err(bad_input(format!("--with algorithm={name}: hetsim has no such algorithm of {}; {advice}", first.operation)))
}

/// A test without its times.
type Test = (String, String, String, u32, u32, u64);

/// Warns if one `--with` for all files makes tests of different files the same: most often those of several numbers of
/// nodes. `known` has the file of each test so far.
fn warn_of_repeated(known: &mut HashMap<Test, usize>, files: &[PathBuf], number: usize, points: &[Measurement]) {
    let test = |point: &Measurement| {
        let Measurement { run, operation, algorithm, nodes, ranks_per_node, bytes, .. } = point;
        (run.clone(), operation.clone(), algorithm.clone(), *nodes, *ranks_per_node, *bytes)
    };
    let repeated = points.iter().find_map(|point| Some((point, *known.get(&test(point))?)));
    if let Some((Measurement { operation, algorithm, nodes, bytes, .. }, other)) = repeated {
        log::warn!(
            "{} and {} both have {operation} by {algorithm} of {bytes} B on {nodes} nodes; if their tests differ, give \
             --with once for each file, in their order",
            files[other].display(),
            files[number].display()
        );
    }
    for point in points {
        known.entry(test(point)).or_insert(number);
    }
}

/// Refuses selections that no point meets, such as misspelled ones.
pub(super) fn check_selections(measured: &[Measurement], given: [(&str, &[Selection]); 2]) -> Result<(), Failure> {
    for (key, selections) in given {
        if let Some(none) = selections.iter().find(|one| !measured.iter().any(|point| one.takes(point))) {
            return Err(bad_input(format!("{key} {none}: there are no such points")));
        }
    }
    Ok(())
}
