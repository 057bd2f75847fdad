//! Enums of bare names, as scenarios write them.

use std::fmt;

/// A name that nothing has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    /// What the name should name, such as "objective".
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

/// Makes an enum of names: `Variant "name" = "what it is"`, one line each. One of them is marked `#[default]`.
macro_rules! names {
    ($(#[$doc:meta])* $kind:literal: $Names:ident {
        $($(#[$attribute:meta])* $Variant:ident $name:literal = $about:literal,)+
    }) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Serialize, serde::Deserialize,
            schemars::JsonSchema,
        )]
        pub enum $Names {
            $(#[doc = $about] $(#[$attribute])* #[serde(rename = $name)] $Variant,)+
        }

        impl $Names {
            /// Every one, in the order of the list that users see.
            pub const ALL: &'static [Self] = &[$(Self::$Variant),+];

            /// The name in scenarios and results.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$Variant => $name),+ }
            }

            /// What it is, in one line.
            #[must_use]
            pub const fn about(self) -> &'static str {
                match self { $(Self::$Variant => $about),+ }
            }
        }

        impl std::fmt::Display for $Names {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $Names {
            type Err = $crate::search::UnknownName;
            fn from_str(name: &str) -> Result<Self, Self::Err> {
                Self::ALL.iter().copied().find(|entry| entry.name() == name).ok_or_else(|| {
                    $crate::search::UnknownName {
                        kind: $kind,
                        name: name.to_owned(),
                        known: Self::ALL.iter().map(|entry| entry.name()).collect(),
                    }
                })
            }
        }
    };
}

pub(super) use names;
