//! Registries: an enum of names, each with a file that does what the name says.

use std::fmt;

/// A name that is not in a registry.
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

/// Declares a registry. `file::Entry = "what it is"` takes in `file.rs`, whose unit struct `Entry` implements the
/// registry's trait; the file's name is the entry's name in scenarios.
macro_rules! registry {
    ($(#[$doc:meta])* $kind:literal: $Registry:ident of $Trait:ident {
        $($file:ident :: $Entry:ident = $about:literal,)+
    }) => {
        $(mod $file;)+

        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
            schemars::JsonSchema,
        )]
        #[serde(rename_all = "snake_case")]
        pub enum $Registry {
            $(#[doc = $about] $Entry,)+
        }

        impl $Registry {
            /// Every entry, in the order of the list that users see.
            pub const ALL: &'static [Self] = &[$(Self::$Entry),+];

            /// The name in scenarios and results.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$Entry => stringify!($file)),+ }
            }

            /// What it does, in one line.
            #[must_use]
            pub const fn about(self) -> &'static str {
                match self { $(Self::$Entry => $about),+ }
            }

            fn entry(self) -> &'static dyn $Trait {
                match self { $(Self::$Entry => &$file::$Entry),+ }
            }
        }

        impl std::fmt::Display for $Registry {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $Registry {
            type Err = $crate::tree::UnknownName;
            fn from_str(name: &str) -> Result<Self, Self::Err> {
                Self::ALL.iter().copied().find(|entry| entry.name() == name).ok_or_else(|| $crate::tree::UnknownName {
                    kind: $kind,
                    name: name.to_owned(),
                    known: Self::ALL.iter().map(|entry| entry.name()).collect(),
                })
            }
        }
    };
}

pub(crate) use registry;
