//! A `[platform]` without a scenario around it: a machine for programs from the library.

use std::sync::OnceLock;

use schemars::JsonSchema;
use serde_json::Value as Json;

use super::check::Checker;
use super::node::Node;
use super::platform::{PlatformPlan, PlatformSpec};
use super::problem::{Problem, Problems, Source};
use super::resolve::Resolver;
use super::{formulas, include};
use crate::cluster::Platform;
use crate::engine::Streams;

/// A text that describes a machine.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "describes the schema only")]
struct PlatformFile {
    /// The machine.
    platform: PlatformSpec,
}

fn schema() -> &'static Json {
    static SCHEMA: OnceLock<Json> = OnceLock::new();
    SCHEMA.get_or_init(|| schemars::schema_for!(PlatformFile).to_value())
}

impl Platform {
    /// Reads a machine from TOML: the table `platform` of a scenario, with all its keys. Files that it names are read from
    /// the current folder. What it leaves to chance is drawn as for seed 0 and replica 0; [`PlatformPlan`] draws others.
    ///
    /// ```
    /// use hetsim::cluster::Platform;
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
    /// # Ok::<(), hetsim::scenario::Problems>(())
    /// ```
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its line and column.
    pub fn from_toml(text: &str) -> Result<Self, Problems> {
        let plan = PlatformPlan::from_toml(text)?;
        let drawn = plan.drawn(&Streams::new(0, 0)).map_err(|error| Problems::general(error.to_string()))?;
        Ok(drawn.unwrap_or_else(|| plan.platform().clone()))
    }
}

impl PlatformPlan {
    /// Reads a machine from TOML as [`Platform::from_toml`] does, whose random parts are still to be drawn.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its line and column.
    pub fn from_toml(text: &str) -> Result<Self, Problems> {
        let mut sources = vec![Source { name: "platform".to_owned(), folder: ".".into(), text: text.into() }];
        read(&mut sources).map_err(|problems| Problems::new(problems, &sources))
    }
}

fn read(sources: &mut Vec<Source>) -> Result<PlatformPlan, Vec<Problem>> {
    let mut tree = Node::parse(&sources[0], 0)?;
    include(&mut tree, sources)?;
    formulas::spell_out(&mut tree);
    let mut checker = Checker::new(schema(), sources);
    checker.check(&tree, schema(), "");
    if !checker.problems.is_empty() {
        return Err(checker.problems);
    }
    // The schema asks for the table.
    let table = tree.get("platform").unwrap_or(&tree);
    Resolver::new(&tree, sources, Vec::new()).platform(table)
}
