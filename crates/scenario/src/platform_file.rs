//! A `[platform]` without a scenario around it: for programs of the library.

use std::path::Path;
use std::sync::OnceLock;

use schemars::JsonSchema;

use super::check::Checker;
use super::platform::{PlatformPlan, PlatformSpec};
use super::resolve::TableReader;
use super::schema::Schema;
use super::{Notation, Scenario, formulas, include, simgrid};
use hetsim_base::engine::Streams;
use hetsim_base::printable::toml_string;
use hetsim_cluster::Platform;
use hetsim_text::{Node, Problem, Problems, Source};

/// What makes a scenario of a platform; it is never run.
const WORKLOAD: &str = "\n[workload]\nkind = \"collective\"\noperation = \"barrier\"\nalgorithm = \"dissemination\"\n";

impl Scenario {
    /// The scenario in a text, or one around the platform in it, which is a table `platform`, or the clusters of a file
    /// for `platform.include`, such as one of SimGrid. The workload around a platform is of no interest.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn of_platform(
        notation: &'static Notation,
        name: String,
        source: Source,
        overrides: &[String],
    ) -> Result<Self, Problems> {
        if simgrid::is_platform(&source.text) {
            return Self::read_in(notation, name, around(source), overrides);
        }
        // The scenario reader reports errors.
        let Ok(tree) = Node::parse(&source, 0) else { return Self::read_in(notation, name, source, overrides) };
        let has = |key: &str| tree.get(key).is_some();
        let mut overrides = overrides.to_vec();
        let source = match (has("platform"), has("workload")) {
            (true, true) => source,
            (true, false) => {
                if !has("version") {
                    overrides.insert(0, "version=1".to_owned());
                }
                Source { text: format!("{}{WORKLOAD}", source.text).into(), ..source }
            }
            (false, _) if has("cluster") => around(source),
            (false, _) => {
                return Err(Problems::general(format!(
                    "{} has no platform: it contains neither [platform.cluster.NAME] nor [cluster.NAME]",
                    source.name
                )));
            }
        };
        Self::read_in(notation, name, source, &overrides)
    }
}

/// Whether a text is TOML with a platform, alone or in a scenario.
#[must_use]
pub fn has_platform(source: &Source) -> bool {
    Node::parse(source, 0).is_ok_and(|tree| tree.get("platform").or_else(|| tree.get("cluster")).is_some())
}

/// A scenario around the platform in a file for `platform.include`.
fn around(source: Source) -> Source {
    let path = Path::new(&source.name);
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let named = toml_string(&whole.to_string_lossy());
    Source { text: format!("version = 1\n[platform]\ninclude = {named}\n{WORKLOAD}").into(), ..source }
}

/// A text that describes a platform.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "describes the schema only")]
pub(super) struct PlatformFile {
    /// The platform.
    platform: PlatformSpec,
}

/// The schema of a text with a table `platform`.
pub(super) fn schema() -> &'static Schema {
    static SCHEMA: OnceLock<Schema> = OnceLock::new();
    SCHEMA.get_or_init(Schema::of_platforms)
}

/// Reading from a TOML text. A trait, since [`Platform`] stands below scenarios.
///
/// ```
/// use hetsim_cluster::Platform;
/// use hetsim_scenario::FromToml as _;
///
/// let platform = Platform::from_toml(
///     r#"
///     [platform.cluster.lab]
///     nodes = 16
///     speed = "2Gop/s"
///     network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }
///     "#,
/// )?;
/// assert_eq!(platform.nodes(), 16);
/// # Ok::<(), hetsim_scenario::Problems>(())
/// ```
pub trait FromToml: Sized {
    /// Reads the table `platform` of a scenario, with all its keys. Files that it names are read from the current
    /// folder.
    ///
    /// # Errors
    /// Every fault of the text, with its line and column.
    fn from_toml(text: &str) -> Result<Self, Problems>;
}

/// The random parts are drawn as for seed 0 and replica 0; a [`PlatformPlan`] draws others.
impl FromToml for Platform {
    fn from_toml(text: &str) -> Result<Self, Problems> {
        let plan = PlatformPlan::from_toml(text)?;
        let drawn = plan.drawn(&Streams::new(0, 0)).map_err(|error| Problems::general(error.to_string()))?;
        Ok(drawn.unwrap_or_else(|| plan.platform().clone()))
    }
}

/// The random parts are drawn later.
impl FromToml for PlatformPlan {
    fn from_toml(text: &str) -> Result<Self, Problems> {
        let mut sources = vec![Source { name: "platform".to_owned(), folder: ".".into(), text: text.into() }];
        read(&mut sources).map_err(|problems| Problems::new(problems, &sources))
    }
}

fn read(sources: &mut Vec<Source>) -> Result<PlatformPlan, Vec<Problem>> {
    let mut tree = Node::parse(&sources[0], 0)?;
    include(&mut tree, sources)?;
    formulas::spell_out(&mut tree);
    let mut checker = Checker::new(schema(), sources);
    checker.check(&tree, schema().root(), "");
    if !checker.problems.is_empty() {
        return Err(checker.problems);
    }
    // The schema asks for the table.
    let table = tree.get("platform").unwrap_or(&tree);
    TableReader::new(schema(), sources).platform(table)
}
