//! The fastest algorithm for each operation, number of ranks and size on a platform.

use std::path::Path;

use super::Watcher;
use super::machine::Machine;
use super::question::questions;
use super::request::CollectiveRequest;
use super::search::search;
use crate::accuracy::USUAL_ERROR;
use crate::batch::write::{write_atomically, write_text};
use crate::communication::Operation;
use crate::failure::Failure;
use crate::report::advise::{
    Choice, Uncertainty, correct, map, rules, rules_json, selection_json, settings, write_csv,
};
use crate::report::folder::create;
use crate::scenario::{CalibrationSpec, Scenario};

/// The times of the candidates for all that is asked.
#[derive(Debug, Clone)]
pub struct CollectiveAdvice {
    /// A choice for each number of ranks on a node, operation, number of ranks and size, in this order.
    pub choices: Vec<Choice>,
    /// The operations, in the registry's order.
    pub operations: Vec<Operation>,
    /// How many of the times are measured.
    pub measured: usize,
}

/// Finds the fastest algorithm for each operation, number of ranks and size on a platform.
///
/// # Errors
/// The platform cannot be drawn or does not have the ranks, a candidate fails, or the watcher stops.
pub fn advise_collectives(
    platform: &Scenario,
    mut request: CollectiveRequest,
    watcher: &dyn Watcher,
) -> Result<CollectiveAdvice, Failure> {
    let is_asked = |operation: &Operation| request.operations.contains(operation);
    request.operations = Operation::ALL.iter().copied().filter(is_asked).collect();
    request.sizes.sort_unstable();
    request.sizes.dedup();
    let machines = Machine::all(platform, &request, watcher)?;
    let questions = questions(platform, &request, &machines, watcher)?;
    if let Some(calibration) = platform.calibration() {
        let phrases = questions.iter().flat_map(|question| question.beyond(calibration));
        if let Some(warning) = CalibrationSpec::warning(phrases) {
            watcher.hear(&format!("warning: {warning}"));
        }
    }
    let error = request.error.unwrap_or_else(|| Uncertainty::Equal(assumed_error(platform)));
    let mut choices: Vec<Choice> = questions.iter().map(|question| question.open(&error)).collect();
    let measured = correct(&mut choices, &request.measured);
    let choices = search(&questions, choices, request.threads, watcher)?;
    Ok(CollectiveAdvice { choices, operations: request.operations, measured })
}

/// How far off simulated times on a platform are taken to be, as a share: what its calibration tells, or else what is usual.
#[must_use]
pub fn assumed_error(platform: &Scenario) -> f64 {
    platform.calibration().map_or(USUAL_ERROR, CalibrationSpec::expected_error)
}

impl CollectiveAdvice {
    /// The choices for each number of ranks on a node.
    pub fn by_machine(&self) -> impl Iterator<Item = &[Choice]> {
        self.choices.chunk_by(|a, b| a.ranks_per_node == b.ranks_per_node)
    }

    /// Writes all choices, files of rules for MPI libraries and a map of each operation into a folder, and returns the
    /// names of the files. `name` is the platform's.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&self, folder: &Path, name: &str) -> Result<Vec<String>, Failure> {
        let failed = |error: std::io::Error| Failure::Run(error.to_string());
        create(folder)?;
        let mut written = vec!["choices.csv".to_owned()];
        write_atomically(&folder.join(&written[0]), |writer| write_csv(&self.choices, writer)).map_err(failed)?;
        for choices in self.by_machine() {
            // A job has one number of ranks on each of its nodes, and so has a file of rules.
            let on_each = choices.first().and_then(|choice| choice.ranks_per_node);
            let suffix = on_each.map_or_else(String::new, |ranks| format!("-{ranks}-per-node"));
            let texts =
                [Some(rules(choices, name)), rules_json(choices), selection_json(choices), settings(choices, name)];
            let rules = RULES.into_iter().zip(texts).map(|((stem, extension), text)| (stem, extension, text));
            let maps = self.operations.iter().map(|&operation| {
                let map = map(choices, operation, name);
                (operation.name(), "svg", Some(map.svg()))
            });
            for (stem, extension, text) in rules.chain(maps) {
                let file = format!("{stem}{suffix}.{extension}");
                if let Some(text) = text {
                    write_text(&folder.join(&file), &text).map_err(failed)?;
                    written.push(file);
                }
            }
        }
        Ok(written)
    }

    /// Whether advice [writes](Self::write) a file of this name, whatever it is about: rules or a map, for any number of
    /// ranks on a node.
    #[must_use]
    pub fn writes(file: &str) -> bool {
        let Some((stem, extension)) = file.rsplit_once('.') else { return false };
        let per_node = stem.strip_suffix("-per-node").and_then(|stem| stem.rsplit_once('-'));
        let stem = per_node.filter(|(_, ranks)| ranks.parse::<u32>().is_ok()).map_or(stem, |(stem, _)| stem);
        let is_map = extension == "svg" && Operation::ALL.iter().any(|operation| operation.name() == stem);
        is_map || RULES.contains(&(stem, extension))
    }
}

/// The files of rules: stems and extensions.
const RULES: [(&str, &str); 4] = [("openmpi", "rules"), ("openmpi", "json"), ("mpich", "json"), ("ucc", "sh")];
