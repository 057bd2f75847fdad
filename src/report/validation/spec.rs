//! `[[validate]]`: measured collectives, predicted on the scenario's platform.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{pictures, tables};
use crate::accuracy::validate::{Bounds, KeptPredictions, Request, Validation};
use crate::accuracy::{Machine, Selection};
use crate::fit::read::collectives::{GivenColumns, MeasuredCollectives, read, repeated};
use crate::record::Value;
use crate::report::chart::Picture;
use crate::report::expect::Verdict;
use crate::report::text::TextTable;
use crate::scenario::{References, Scenario, Source};

/// `[[validate]]`: predictions of measured collectives on the platform, whose only cluster takes the number of nodes of
/// each measurement. What `hetsim validate` shows joins the report.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ValidateSpec {
    /// The file with the measurements.
    #[schemars(extend("format" = "file"))]
    pub file: String,
    /// The points that count, such as `"operation=bcast,nodes=32"`; all by default.
    #[serde(default, rename = "use")]
    pub used: Vec<String>,
    /// The points whose errors do not count; they remain candidates of choices.
    #[serde(default)]
    pub leave_out: Vec<String>,
    /// Bounds in per cent, checked as expectations: `"median=15,within25=80,regret=4"`.
    #[serde(default)]
    pub within: Option<String>,
    /// What the file does not say, by column: `"nodes=16,algorithm=binomial"`.
    #[serde(default)]
    pub with: Option<String>,
}

/// A validation that a scenario asks for.
#[derive(Debug)]
pub struct Validated {
    /// The name of the measurements: the stem of their file.
    pub name: String,
    /// What came out.
    pub validation: Validation,
    /// The verdicts on its bounds.
    pub verdicts: Vec<Verdict>,
}

impl ValidateSpec {
    /// A validation has a platform, a file that can be read, and selections and bounds that mean something.
    pub(in crate::report) fn check(&self, at: &str, references: &mut References<'_>) {
        if !references.has_platform() {
            references.wrong(at, "a validation needs a `platform`".to_owned(), None);
        }
        for (key, texts) in [("use", &self.used), ("leave_out", &self.leave_out)] {
            for (number, text) in texts.iter().enumerate() {
                if let Err(error) = text.parse::<Selection>() {
                    references.wrong(&format!("{at}.{key}.{number}"), error.to_string(), None);
                }
            }
        }
        if let Some(Err(error)) = self.within.as_ref().map(|text| text.parse::<Bounds>()) {
            references.wrong(&format!("{at}.within"), error, None);
        }
        let given = match self.given() {
            Ok(given) => given,
            Err(error) => return references.wrong(&format!("{at}.with"), error, None),
        };
        let path = format!("{at}.file");
        let Some(source) = references.text(&path) else { return };
        if let Err(error) = self.read(&source) {
            references.wrong(&path, error, None);
        } else if let Some((column, part)) = repeated(&source.text, &given).first() {
            let message = format!("`{column}` is given, and the file says it itself, by its {part}");
            references.wrong(&format!("{at}.with"), message, None);
        }
    }

    fn given(&self) -> Result<GivenColumns, String> {
        self.with.as_deref().map_or_else(|| Ok(GivenColumns::default()), str::parse)
    }

    fn read(&self, source: &Source) -> Result<MeasuredCollectives, String> {
        read(&source.text, &self.given()?).map_err(|error| format!("{}: {error}", source.name))
    }

    /// The validation, which is the `number`th of a scenario.
    fn validate(&self, scenario: &Scenario, number: usize) -> Result<Validated, String> {
        let tree = scenario.platform_tree().ok_or("a validation needs a `platform`")?;
        let file = scenario.named_file(&format!("validate.{number}.file")).ok_or("a validation needs a `file`")?;
        let measured = self.read(&Source::read(&file).map_err(|error| error.to_string())?)?;
        let request =
            Request::parse(&self.used, &self.leave_out, scenario.file.seed).map_err(|error| error.to_string())?;
        let validation = Validation::of(&Machine { tree }, &measured, &request, &KeptPredictions::default(), &|| true);
        let validation = validation.ok_or("the validation was stopped")?;
        let bounds: Bounds = self.within.as_deref().map_or_else(|| Ok(Bounds::default()), str::parse)?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let verdict = |verdict: &crate::accuracy::validate::Verdict| Verdict {
            metric: format!("{} of {name}, in per cent", verdict.name),
            expected: verdict.bound.clone(),
            shown: verdict.bound.clone(),
            simulated: verdict.found.map(|found| format!("{found:.1}")).into(),
            difference_percent: Value::default(),
            tolerance: "a bound".to_owned(),
            met: verdict.kept,
            source: self.file.clone(),
            ..Verdict::default()
        };
        let verdicts = bounds.verdicts(&validation).iter().map(verdict).collect();
        Ok(Validated { name, validation, verdicts })
    }
}

/// All validations that a scenario asks for.
///
/// # Errors
/// A sentence about a file that has changed since the scenario was read.
pub fn validations(scenario: &Scenario, specs: &[ValidateSpec]) -> Result<Vec<Validated>, String> {
    specs.iter().enumerate().map(|(number, spec)| spec.validate(scenario, number)).collect()
}

impl Validated {
    /// Its tables, with its name in their titles.
    #[must_use]
    pub fn tables(&self) -> Vec<TextTable> {
        let named = |table: TextTable| TextTable { title: format!("{} ({})", table.title, self.name), ..table };
        tables(&self.validation).into_iter().map(named).collect()
    }

    /// Its pictures, with its name before theirs.
    #[must_use]
    pub fn pictures(&self) -> Vec<Picture> {
        let named = |picture: Picture| Picture { name: format!("validate-{}-{}", self.name, picture.name), ..picture };
        pictures(&self.validation, &self.name).into_iter().map(named).collect()
    }
}
