//! How a folder lists its alternatives, in two forms: alternatives with keys of their own (network models, workloads,
//! loads), and plain names, each with a file that implements it (algorithms, policies).
//!
//! A scenario names one alternative under a fixed key (`model = "loggp"`) and puts that alternative's own keys beside
//! it. [`registry!`](crate::registry!) makes the enum from one line per alternative: the name, the type of the
//! parameters, and the sentence that `hetsim list` prints. Its JSON schema carries `x-choice`, by which the scenario
//! reader picks the alternative before it checks the keys (serde's own tagging would lose the position of an error).
//! `names!` makes an enum of plain names, chosen by the value of one key.

use std::fmt;

use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value};

/// The key in a schema that names the choosing key.
pub const CHOICE: &str = "x-choice";

/// The key in a schema that names the alternative which is meant where the choosing key is not given.
pub const DEFAULT_CHOICE: &str = "x-default-choice";

/// An alternative: its name, its description, and the schema of its own keys.
pub type Alternative<'a> = (&'a str, &'a str, fn(&mut SchemaGenerator) -> Schema);

/// The schema of a choice: each alternative's own object, with the choosing key added; the default alternative can do
/// without the key.
#[doc(hidden)]
pub fn choice_schema(
    generator: &mut SchemaGenerator,
    key: &str,
    default: Option<&str>,
    alternatives: &[Alternative<'_>],
) -> Schema {
    let one_of: Vec<Value> = alternatives
        .iter()
        .map(|(name, summary, schema)| {
            let mut object = match schema(generator).to_value() {
                Value::Object(object) => object,
                _ => Map::new(),
            };
            object.remove("$schema");
            object.insert("title".into(), (*name).into());
            object.insert("description".into(), (*summary).into());
            object.entry("additionalProperties").or_insert(false.into());
            let properties = object.entry("properties").or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(properties) = properties {
                properties.insert(key.into(), serde_json::json!({ "const": name, "description": summary }));
            }
            let required = object.entry("required").or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(required) = required
                && default != Some(name)
            {
                required.insert(0, key.into());
            }
            Value::Object(object)
        })
        .collect();
    // `json_schema!` would copy the alternatives, each level of them once more: that took most of a short run's time.
    let mut schema = Schema::default();
    schema.insert(CHOICE.to_owned(), key.into());
    schema.insert("oneOf".to_owned(), one_of.into());
    if let Some(default) = default {
        schema.insert(DEFAULT_CHOICE.to_owned(), default.into());
    }
    schema
}

/// Makes an enum of alternatives, chosen in a scenario by the value of one key. With `or "name"` that alternative is
/// meant where the key is not given; with `of Trait` the types of the parameters implement the trait, and `entry()`
/// gives them as it.
#[macro_export]
macro_rules! registry {
    (
        $(#[$doc:meta])*
        pub enum $registry:ident by $key:literal $(or $default:literal)? $(of $Trait:ident)? {
            $($name:literal => $variant:ident($parameters:ty): $summary:literal,)+
        }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq)]
        pub enum $registry {
            $(#[doc = $summary] $variant($parameters),)+
        }

        $crate::registry! { @entry $registry $($Trait)? { $($variant,)+ } }

        impl $registry {
            /// The key whose value names the alternative.
            pub const KEY: &'static str = $key;
            /// Every alternative: its name and its description.
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
                let default: Option<&str> = [$($default)?].first().copied();
                let name = table.remove($key).or_else(|| default.map(serde_json::Value::from));
                let name = name.ok_or_else(|| D::Error::missing_field($key))?;
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
                $crate::registry::choice_schema(generator, $key, [$($default)?].first().copied(), &[
                    $(($name, $summary, <$parameters as schemars::JsonSchema>::json_schema),)+
                ])
            }
        }
    };
    (@entry $registry:ident { $($variant:ident,)+ }) => {};
    (@entry $registry:ident $Trait:ident { $($variant:ident,)+ }) => {
        impl $registry {
            fn entry(&self) -> &dyn $Trait {
                match self { $(Self::$variant(parameters) => parameters),+ }
            }

            #[allow(dead_code, reason = "few registries change an entry")]
            fn entry_mut(&mut self) -> &mut dyn $Trait {
                match self { $(Self::$variant(parameters) => parameters),+ }
            }
        }
    };
}

/// A name that is not in a list of names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    /// The kind of name, such as "broadcast algorithm".
    pub kind: &'static str,
    /// The text in place of the name.
    pub name: String,
    /// The known names.
    pub known: Vec<&'static str>,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not a {}; expected one of {}", self.name, self.kind, self.known.join(", "))
    }
}

impl std::error::Error for UnknownName {}

/// Makes an enum of names, in one of two forms.
///
/// `file::Entry = "description"` is implemented by the struct `Entry` of the module `file`, whose name is the entry's
/// name in scenarios. With `of Trait`, `Entry` is a unit struct that implements the trait, and `entry()` returns it.
///
/// `Entry "name" = "description"` gives the name itself; one entry is marked `#[default]`.
#[doc(hidden)]
#[macro_export]
macro_rules! names {
    ($(#[$doc:meta])* $kind:literal: $Names:ident $(of $Trait:ident)? {
        $($file:ident :: $Entry:ident = $about:literal,)+
    }) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
            schemars::JsonSchema,
        )]
        #[serde(rename_all = "snake_case")]
        pub enum $Names {
            $(#[doc = $about] $Entry,)+
        }

        $crate::registry::names! { @named $kind: $Names { $($Entry (stringify!($file)) $about,)+ } }
        $crate::registry::names! { @entry $Names $($Trait)? { $($file :: $Entry,)+ } }
    };
    ($(#[$doc:meta])* $kind:literal: $Names:ident {
        $($(#[$attribute:meta])* $Entry:ident $name:literal = $about:literal,)+
    }) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Serialize, serde::Deserialize,
            schemars::JsonSchema,
        )]
        pub enum $Names {
            $(#[doc = $about] $(#[$attribute])* #[serde(rename = $name)] $Entry,)+
        }

        $crate::registry::names! { @named $kind: $Names { $($Entry ($name) $about,)+ } }
    };
    (@entry $Names:ident { $($file:ident :: $Entry:ident,)+ }) => {};
    (@entry $Names:ident $Trait:ident { $($file:ident :: $Entry:ident,)+ }) => {
        impl $Names {
            fn entry(self) -> &'static dyn $Trait {
                match self { $(Self::$Entry => &$file::$Entry),+ }
            }
        }
    };
    (@named $kind:literal: $Names:ident { $($Entry:ident ($name:expr) $about:literal,)+ }) => {
        impl $Names {
            /// Every entry, in the order that users see.
            pub const ALL: &'static [Self] = &[$(Self::$Entry),+];

            /// The name in scenarios and results.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$Entry => $name),+ }
            }

            /// A description in one line.
            #[must_use]
            pub const fn about(self) -> &'static str {
                match self { $(Self::$Entry => $about),+ }
            }
        }

        $crate::registry::named! { @text $kind: $Names from Self::ALL.iter().copied() }
    };
}

#[doc(hidden)]
pub use names;

/// Gives a type whose values are names the traits by which scenarios read and write it. It has `all()`, an iterator
/// over every value, and `name()`.
#[doc(hidden)]
#[macro_export]
macro_rules! named {
    ($kind:literal, $schema:literal: $Type:ident) => {
        $crate::registry::named! { @text $kind: $Type from Self::all() }

        impl serde::Serialize for $Type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for $Type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                std::borrow::Cow::<str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }

        impl schemars::JsonSchema for $Type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $schema.into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "enum": Self::all().map(Self::name).collect::<Vec<_>>() })
            }
        }
    };
    (@text $kind:literal: $Type:ident from $all:expr) => {
        impl std::fmt::Display for $Type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $Type {
            type Err = $crate::registry::UnknownName;
            fn from_str(name: &str) -> Result<Self, Self::Err> {
                $all.find(|value: &Self| value.name() == name).ok_or_else(|| $crate::registry::UnknownName {
                    kind: $kind,
                    name: name.to_owned(),
                    known: $all.map(Self::name).collect(),
                })
            }
        }
    };
}

#[doc(hidden)]
pub use named;
