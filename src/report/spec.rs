//! What a scenario asks of its report: the tables of its file on derived metrics, tables, charts and expectations.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;

use super::chart::{self, Chart};
use super::compare::CompareSpec;
use super::derive::{self, Derivation};
use super::expect::ExpectSpec;
use super::formats;
use super::sensitivity::SensitivitySpec;
use super::tables::TableSpec;
use super::validation::ValidateSpec;
use crate::scenario::{Notation, Problems, References, Scenario, Source, Tables};

/// What a scenario asks of its report.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct ReportSpec {
    /// Metrics derived from several points.
    #[serde(default)]
    pub derive: Vec<Derivation>,
    /// Which of the design's keys matter for a metric.
    #[serde(default)]
    pub sensitivity: Vec<SensitivitySpec>,
    /// Tables on the terminal and in the report.
    #[serde(default)]
    pub table: Vec<TableSpec>,
    /// Charts.
    #[serde(default)]
    pub chart: Vec<Chart>,
    /// Choices that are compared, in words.
    #[serde(default)]
    pub compare: Vec<CompareSpec>,
    /// Metrics that a paper or a measurement gives, checked after the run.
    #[serde(default)]
    pub expect: Vec<ExpectSpec>,
    /// Measured collectives, predicted on the platform.
    #[serde(default)]
    pub validate: Vec<ValidateSpec>,
}

/// How scenarios with reports are written.
pub static NOTATION: Notation = Notation::with::<ReportSpec>(include_str!("keys.tsv"));

/// What is asked where a scenario was read in another notation.
pub(super) static NOTHING: ReportSpec = ReportSpec {
    derive: Vec::new(),
    sensitivity: Vec::new(),
    table: Vec::new(),
    chart: Vec::new(),
    compare: Vec::new(),
    expect: Vec::new(),
    validate: Vec::new(),
};

impl Tables for ReportSpec {
    fn derived(&self) -> Vec<&str> {
        self.derive.iter().map(super::derive::Derivation::metric).collect()
    }

    fn check(&self, references: &mut References<'_>) {
        if let Some((place, message, help)) = formats::fault(&references.file.output.format) {
            references.wrong(&format!("output.format.{place}"), message, Some(help.to_owned()));
        }
        derive::check(&self.derive, references);
        for (number, spec) in self.sensitivity.iter().enumerate() {
            spec.check(&format!("sensitivity.{number}"), &self.sensitivity[..number], references);
        }
        for (number, spec) in self.table.iter().enumerate() {
            spec.check(&format!("table.{number}"), references);
        }
        chart::check(&self.chart, references, &self.sensitivity);
        for (number, spec) in self.compare.iter().enumerate() {
            let at = format!("compare.{number}");
            spec.check(&at, references);
            if self.derive.iter().any(|derivation| derivation.is_share() && derivation.metric() == spec.metric) {
                let message = format!("`{}` is one share of all replicas, and has no pairs", spec.metric);
                let help = "compare the metric that it is a share of";
                references.wrong(&format!("{at}.metric"), message, Some(help.to_owned()));
            }
        }
        for (number, spec) in self.expect.iter().enumerate() {
            spec.check(&format!("expect.{number}"), references);
        }
        for (number, spec) in self.validate.iter().enumerate() {
            spec.check(&format!("validate.{number}"), references);
        }
    }
}

/// Scenarios with the tables of their reports. A trait, since [`Scenario`] stands below reports.
pub trait Reported: Sized {
    /// Reads a scenario from a file, with values put over it as `key=value`.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    fn load(path: &Path, overrides: &[String]) -> Result<Self, Problems>;

    /// Reads a scenario from a text.
    ///
    /// The name is that of the folder of its results, so it is one part of a path.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    fn read(name: String, source: Source, overrides: &[String]) -> Result<Self, Problems>;

    /// What the scenario asks of its report.
    fn report(&self) -> &ReportSpec;
}

impl Reported for Scenario {
    fn load(path: &Path, overrides: &[String]) -> Result<Self, Problems> {
        Self::load_in(&NOTATION, path, overrides)
    }

    fn read(name: String, source: Source, overrides: &[String]) -> Result<Self, Problems> {
        Self::read_in(&NOTATION, name, source, overrides)
    }

    fn report(&self) -> &ReportSpec {
        self.tables().unwrap_or(&NOTHING)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::tables_as_text;

    /// `HETSIM_BLESS=1 cargo test -p hetsim -p hetsim-scenario --lib built_in_schema` writes it anew.
    #[test]
    fn the_built_in_schema_of_tables_is_what_the_types_say() {
        let (made, path) =
            (tables_as_text::<ReportSpec>(), concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/keys.tsv"));
        if std::env::var_os("HETSIM_BLESS").is_some() {
            return std::fs::write(path, &made).unwrap();
        }
        let bless = "HETSIM_BLESS=1 cargo test -p hetsim -p hetsim-scenario --lib built_in_schema";
        assert!(made == include_str!("keys.tsv"), "keys have changed; write the schema anew: {bless}");
    }
}
