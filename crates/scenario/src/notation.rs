//! How scenarios are written, together with the tables that evaluate runs, such as charts. A floor above, which this
//! one does not know, declares and checks these tables.

use std::sync::OnceLock;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::kinds::registered_schemas;
use super::references::{References, Tables};
use super::schema::Schema;

/// The notation without tables that evaluate runs.
pub static PLAIN: Notation = Notation::with::<NoTables>("");

/// No tables.
#[derive(Debug, Deserialize)]
struct NoTables {}

impl Tables for NoTables {
    fn derived(&self) -> Vec<&str> {
        Vec::new()
    }

    fn check(&self, _: &mut References<'_>) {}
}

type Read = fn(Json) -> Result<Box<dyn Tables>, serde_json::Error>;

/// The keys of this floor, and the tables that evaluate runs.
#[derive(Debug)]
pub struct Notation {
    tables: &'static str,
    read: Read,
    schema: OnceLock<Schema>,
}

impl Notation {
    /// The notation with the tables that are the fields of `T`; `schema` is what
    /// [`tables_as_text`](crate::tables_as_text) makes of them.
    #[must_use]
    pub const fn with<T: Tables + DeserializeOwned>(schema: &'static str) -> Self {
        let read: Read = |json| Ok(Box::new(serde_json::from_value::<T>(json)?));
        Self { tables: schema, read, schema: OnceLock::new() }
    }

    /// The schema of scenarios.
    pub fn schema(&self) -> &Schema {
        self.schema.get_or_init(|| Schema::of_scenarios(self.tables, registered_schemas()))
    }

    /// The tables of a text that has passed the schema.
    pub(super) fn tables(&self, text: Json) -> Result<Box<dyn Tables>, serde_json::Error> {
        (self.read)(text)
    }
}

#[cfg(test)]
mod tests {
    use schemars::{JsonSchema as _, SchemaGenerator};

    use crate::file::ScenarioFile;
    use crate::platform_file::PlatformFile;
    use crate::schema::{BUILT_IN, PLATFORM, SCENARIO, as_text};

    /// `HETSIM_BLESS=1 cargo test -p hetsim -p hetsim-scenario --lib built_in_schema` writes it anew.
    #[test]
    fn the_built_in_schema_is_what_the_types_say() {
        let mut generator = SchemaGenerator::default();
        let scenario = ScenarioFile::json_schema(&mut generator).to_value();
        let platform = PlatformFile::json_schema(&mut generator).to_value();
        let made = as_text(vec![(SCENARIO, scenario), (PLATFORM, platform)], generator);
        if std::env::var_os("HETSIM_BLESS").is_some() {
            return std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/schema/keys.tsv"), &made).unwrap();
        }
        let bless = "HETSIM_BLESS=1 cargo test -p hetsim -p hetsim-scenario --lib built_in_schema";
        assert!(made == BUILT_IN, "keys have changed; write the schema anew: {bless}");
    }
}
