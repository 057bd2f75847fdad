//! A list of quantities, one for each node, in which equal ones may be counted: `["8 of 1Gop/s", "2Gop/s"]`.

use std::borrow::Cow;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::schema::{COUNTED, counted};
use hetsim_base::units::Quantity;

/// The values of the nodes, in their order: runs of equal ones.
#[derive(Debug, Clone)]
pub(crate) struct PerNode<Q> {
    runs: Vec<(u32, Q)>,
}

impl<Q: Quantity> PerNode<Q> {
    /// The number of values.
    pub(crate) fn len(&self) -> u64 {
        self.runs.iter().map(|(count, _)| u64::from(*count)).sum()
    }

    /// The values, one for each node.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Q> {
        self.runs.iter().flat_map(|&(count, value)| std::iter::repeat_n(value, count as usize))
    }

    /// The values, each once for all nodes beside each other that have it.
    pub(crate) fn distinct(&self) -> impl Iterator<Item = Q> {
        self.runs.iter().map(|(_, value)| *value)
    }
}

impl<'de, Q: Quantity> Deserialize<'de> for PerNode<Q> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Runs<Q>(PhantomData<Q>);
        impl<'de, Q: Quantity> Visitor<'de> for Runs<Q> {
            type Value = PerNode<Q>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "a list of quantities such as {:?}", Q::EXAMPLE)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<PerNode<Q>, A::Error> {
                let mut runs = Vec::new();
                while let Some(item) = items.next_element::<Cow<'de, str>>()? {
                    let (count, value) = counted(&item).map_err(A::Error::custom)?;
                    runs.push((count.unwrap_or(1), value.parse().map_err(A::Error::custom)?));
                }
                Ok(PerNode { runs })
            }
        }
        deserializer.deserialize_seq(Runs(PhantomData))
    }
}

impl<Q: JsonSchema> JsonSchema for PerNode<Q> {
    fn schema_name() -> Cow<'static, str> {
        format!("PerNode{}", Q::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut items = Q::json_schema(generator);
        items.insert(COUNTED.to_owned(), true.into());
        schemars::json_schema!({ "type": "array", "items": items })
    }
}
