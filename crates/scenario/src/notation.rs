//! How scenarios are written, together with the tables that evaluate runs, such as charts. A floor above, which this
//! one does not know, declares and checks these tables.

use std::sync::OnceLock;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::file::ScenarioFile;
use super::references::{References, Tables};

/// The notation without tables that evaluate runs.
pub static PLAIN: Notation = Notation::with::<NoTables>();

/// No tables.
#[derive(Debug, Deserialize, JsonSchema)]
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
    tables: fn(&mut SchemaGenerator) -> Schema,
    read: Read,
    schema: OnceLock<Json>,
}

impl Notation {
    /// The notation with the tables that are the fields of `T`.
    #[must_use]
    pub const fn with<T: Tables + DeserializeOwned + JsonSchema>() -> Self {
        let read: Read = |json| Ok(Box::new(serde_json::from_value::<T>(json)?));
        Self { tables: T::json_schema, read, schema: OnceLock::new() }
    }

    /// The JSON schema of scenarios, made once.
    pub fn schema(&self) -> &Json {
        self.schema.get_or_init(|| {
            let mut generator = SchemaGenerator::default();
            let tables = (self.tables)(&mut generator);
            let mut schema = generator.into_root_schema_for::<ScenarioFile>().to_value();
            schema["title"] = "hetsim scenario".into();
            let more = tables.get("properties").and_then(Json::as_object).into_iter().flatten();
            let more = more.map(|(key, property)| (key.clone(), property.clone()));
            if let Some(properties) = schema["properties"].as_object_mut() {
                let output = properties.shift_remove("output");
                properties.extend(more);
                properties.extend(output.map(|output| ("output".to_owned(), output)));
            }
            schema
        })
    }

    /// The tables of a text that has passed the schema.
    pub(super) fn tables(&self, text: Json) -> Result<Box<dyn Tables>, serde_json::Error> {
        (self.read)(text)
    }
}
