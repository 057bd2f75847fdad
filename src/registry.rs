//! The one way in which a folder lists what it offers, in two forms: alternatives that have keys of their own (network
//! models, workloads, loads), and plain names, each with a file that does what the name says (algorithms, policies).
//!
//! A scenario names one of several alternatives under a fixed key (`model = "loggp"`) with that alternative's own keys
//! beside it. [`registry!`](crate::registry!) makes the enum of them from one line each: the name, the type of the
//! parameters, and the sentence that `hetsim list` prints. The JSON schema it makes carries `x-choice`, by which the
//! reader of scenarios picks the alternative before it checks the keys (serde's own tagging would lose the place of an
//! error). `names!` makes an enum of plain names, by which one key's value chooses.

use std::fmt;

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
        #[non_exhaustive]
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

/// A name that is not in a list of names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    /// What the name should name, such as "broadcast algorithm".
    pub kind: &'static str,
    /// The text in the name's place.
    pub name: String,
    /// The names that are known.
    pub known: Vec<&'static str>,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not a {}; known are {}", self.name, self.kind, self.known.join(", "))
    }
}

impl std::error::Error for UnknownName {}

/// Declares an enum of names, in one of two forms.
///
/// `file::Entry = "what it is"` takes in `file.rs`, whose struct `Entry` does what is meant; the file's name is the entry's
/// name in scenarios. With `of Trait`, `Entry` is a unit struct that implements the trait, and `entry()` gives it.
///
/// `Entry "name" = "what it is"` gives the name itself; one of the entries is marked `#[default]`.
macro_rules! names {
    ($(#[$doc:meta])* $kind:literal: $Names:ident of $Trait:ident {
        $($file:ident :: $Entry:ident = $about:literal,)+
    }) => {
        $crate::registry::names! { $(#[$doc])* $kind: $Names { $($file :: $Entry = $about,)+ } }

        impl $Names {
            fn entry(self) -> &'static dyn $Trait {
                match self { $(Self::$Entry => &$file::$Entry),+ }
            }
        }
    };
    ($(#[$doc:meta])* $kind:literal: $Names:ident {
        $($file:ident :: $Entry:ident = $about:literal,)+
    }) => {
        $(mod $file;)+

        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
            schemars::JsonSchema,
        )]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum $Names {
            $(#[doc = $about] $Entry,)+
        }

        $crate::registry::names! { @named $kind: $Names { $($Entry (stringify!($file)) $about,)+ } }
    };
    ($(#[$doc:meta])* $kind:literal: $Names:ident {
        $($(#[$attribute:meta])* $Entry:ident $name:literal = $about:literal,)+
    }) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Serialize, serde::Deserialize,
            schemars::JsonSchema,
        )]
        #[non_exhaustive]
        pub enum $Names {
            $(#[doc = $about] $(#[$attribute])* #[serde(rename = $name)] $Entry,)+
        }

        $crate::registry::names! { @named $kind: $Names { $($Entry ($name) $about,)+ } }
    };
    (@named $kind:literal: $Names:ident { $($Entry:ident ($name:expr) $about:literal,)+ }) => {
        impl $Names {
            /// Every entry, in the order of the list that users see.
            pub const ALL: &'static [Self] = &[$(Self::$Entry),+];

            /// The name in scenarios and results.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$Entry => $name),+ }
            }

            /// What it is or does, in one line.
            #[must_use]
            pub const fn about(self) -> &'static str {
                match self { $(Self::$Entry => $about),+ }
            }
        }

        impl std::fmt::Display for $Names {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $Names {
            type Err = $crate::registry::UnknownName;
            fn from_str(name: &str) -> Result<Self, Self::Err> {
                Self::ALL.iter().copied().find(|entry| entry.name() == name).ok_or_else(|| $crate::registry::UnknownName {
                    kind: $kind,
                    name: name.to_owned(),
                    known: Self::ALL.iter().map(|entry| entry.name()).collect(),
                })
            }
        }
    };
}

pub(crate) use names;
