//! The one way in which a folder lists what it offers: network models, workloads, loads.
//!
//! A scenario names one of several alternatives under a fixed key (`model = "loggp"`) with that alternative's own keys
//! beside it. [`registry!`](crate::registry!) makes the enum of them from one line each: the name, the type of the
//! parameters, and the sentence that `hetsim list` prints. The JSON schema it makes carries `x-choice`, by which the
//! reader of scenarios picks the alternative before it checks the keys (serde's own tagging would lose the place of an
//! error).

use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value};

/// The key in a schema that names the key by which an alternative is chosen.
pub const CHOICE: &str = "x-choice";

/// An alternative: its name, what it is, and the schema of its own keys.
pub type Alternative<'a> = (&'a str, &'a str, fn(&mut SchemaGenerator) -> Schema);

/// The schema of a choice: each alternative's own object with the choosing key in it.
pub fn choice_schema(generator: &mut SchemaGenerator, key: &str, alternatives: &[Alternative<'_>]) -> Schema {
    let one_of: Vec<Value> = alternatives
        .iter()
        .map(|(name, summary, schema)| {
            let mut object: Map<String, Value> = schema(generator).as_object().cloned().unwrap_or_default();
            object.remove("$schema");
            object.insert("title".into(), (*name).into());
            object.insert("description".into(), (*summary).into());
            object.entry("additionalProperties").or_insert(false.into());
            let properties = object.entry("properties").or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(properties) = properties {
                properties.insert(key.into(), serde_json::json!({ "const": name, "description": summary }));
            }
            let required = object.entry("required").or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(required) = required {
                required.insert(0, key.into());
            }
            Value::Object(object)
        })
        .collect();
    json_schema!({ CHOICE: key, "oneOf": one_of })
}

/// Makes an enum of alternatives, chosen in a scenario by the value of one key.
#[macro_export]
macro_rules! registry {
    (
        $(#[$doc:meta])*
        pub enum $registry:ident by $key:literal {
            $($name:literal => $variant:ident($parameters:ty): $summary:literal,)+
        }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq)]
        pub enum $registry {
            $(#[doc = $summary] $variant($parameters),)+
        }

        impl $registry {
            /// The key whose value names the alternative.
            pub const KEY: &'static str = $key;
            /// Every alternative: its name and what it is.
            pub const ALL: &'static [(&'static str, &'static str)] = &[$(($name, $summary)),+];

            /// The name of this alternative.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name),+ }
            }
        }

        impl<'de> serde::Deserialize<'de> for $registry {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                use serde::de::Error as _;
                let mut table = serde_json::Map::deserialize(deserializer)?;
                let name = table.remove($key).ok_or_else(|| D::Error::missing_field($key))?;
                let rest = serde_json::Value::Object(table);
                match name.as_str() {
                    $(Some($name) => <$parameters as serde::Deserialize>::deserialize(rest)
                        .map(Self::$variant).map_err(D::Error::custom),)+
                    _ => Err(D::Error::custom(format_args!("{name} is not a {}", $key))),
                }
            }
        }

        impl schemars::JsonSchema for $registry {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($registry).into()
            }
            fn schema_id() -> std::borrow::Cow<'static, str> {
                concat!(module_path!(), "::", stringify!($registry)).into()
            }
            fn inline_schema() -> bool {
                true
            }
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $crate::registry::choice_schema(generator, $key, &[
                    $(($name, $summary, <$parameters as schemars::JsonSchema>::json_schema),)+
                ])
            }
        }
    };
}
