//! All that results say: tables, charts, comparisons, verdicts and validations.

use super::chart::{Picture, draw};
use super::compare::{self, Compared};
use super::expect::{self, Verdict};
use super::results::Results;
use super::tables::tables;
use super::text::TextTable;
use super::validation::{Validated, validations};
use super::{certainty, contention, critical, doubts, missing, replicas, tolerance};
use crate::report::Reported as _;

/// What a report contains: all that the scenario asks of its results.
#[derive(Debug)]
pub struct Contents<'a> {
    /// The runs.
    pub results: &'a Results<'a>,
    /// The verdicts on expectations.
    pub verdicts: Vec<Verdict>,
    /// The comparisons.
    pub comparisons: Vec<Compared>,
    /// The tables, with those of the validations.
    pub tables: Vec<TextTable>,
    /// The pictures, with those of the validations.
    pub pictures: Vec<Picture>,
    /// The validations.
    pub validations: Vec<Validated>,
}

impl<'a> Contents<'a> {
    /// All that the scenario asks of these results.
    ///
    /// # Errors
    /// A chart cannot be drawn, or a collective of a validation cannot be predicted.
    pub fn of(results: &'a Results<'a>) -> Result<Self, String> {
        let spec = results.scenario().report();
        let mut verdicts = expect::check(results, &spec.expect);
        let mut tables = tables(results, &spec.table, &spec.sensitivity);
        let mut pictures = draw(results, &spec.chart, &spec.sensitivity)?;
        let validations = validations(results.scenario(), &spec.validate)?;
        for validated in &validations {
            verdicts.extend(validated.verdicts.iter().cloned());
            tables.extend(validated.tables());
            pictures.extend(validated.pictures());
        }
        let comparisons = compare::all(results, &spec.compare);
        Ok(Self { results, verdicts, comparisons, tables, pictures, validations })
    }

    /// What is said below the tables: on missing and doubtful runs, on replicas, on the critical path, on tolerances
    /// and on contended links.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let results = self.results;
        let of_machine = [critical::sentence(results), tolerance::sentence(results), contention::sentence(results)];
        let of_runs = [missing::sentences(results), doubts::sentences(results)];
        of_runs
            .into_iter()
            .flatten()
            .chain(replicas::sentence(results))
            .chain(of_machine.into_iter().flatten())
            .chain(compare::unanswered(&results.scenario().report().compare, &self.comparisons))
            .collect()
    }

    /// How sure the answer is, in a line at its end.
    #[must_use]
    pub fn certainty(&self) -> String {
        certainty::sentence(self.results, &self.verdicts)
    }

    /// The number of missed expectations, without those on a clock.
    #[must_use]
    pub fn missed(&self) -> usize {
        self.verdicts.iter().filter(|verdict| !verdict.met && !verdict.clocked).count()
    }
}
