//! The keys of a platform that say what messages take, and how they become worse.

use serde_json::Value as Json;

use super::canonical::{base_value, in_unit};
use super::schema::Schema;
use hetsim_base::units::{BytesPerSecond, Quantity, Seconds, SecondsPerByte};
use hetsim_text::{Entry, Node, Value};

/// A key of a network that holds a single quantity: a duration, a bandwidth, or a time a byte.
#[derive(Debug)]
pub(super) struct NetworkKey {
    /// The dotted key.
    pub(super) key: String,
    node: Node,
    schema: Json,
    /// In its base unit.
    base: f64,
}

impl NetworkKey {
    /// Its value when it is worse by a factor, in its base unit: a duration is longer, a bandwidth less.
    pub(super) fn value(&self, factor: f64) -> f64 {
        let is_rate = self.schema["format"] == BytesPerSecond::KIND;
        if is_rate { self.base / factor } else { self.base * factor }
    }

    /// The same as a scenario would write it.
    pub(super) fn worse(&self, factor: f64) -> Node {
        let text = in_unit(&self.schema, self.value(factor)).unwrap_or_default();
        Node { value: Value::Text(text), ..self.node.clone() }
    }
}

/// The keys of a scenario's platform that say what messages take and are above zero.
pub(super) fn network_keys(scenario: &Node, schema: &Schema) -> Vec<NetworkKey> {
    let mut texts = Vec::new();
    if let Some(platform) = scenario.get("platform") {
        collect_texts("platform", platform, &mut texts);
    }
    let network = |(key, node): (String, &Node)| {
        let schema = schema.at(&key, scenario).filter(|schema| concerns_messages(&key, schema))?;
        let base = base_value(schema, node.text()?)?.ok().filter(|base| *base > 0.0 && base.is_finite())?;
        Some(NetworkKey { key, node: node.clone(), schema: schema.clone(), base })
    };
    texts.into_iter().filter_map(network).collect()
}

/// Whether a key says what messages take.
fn concerns_messages(path: &str, schema: &Json) -> bool {
    let of_network = path.contains(".network.") || [".latency", ".bandwidth"].iter().any(|end| path.ends_with(end));
    let kinds = [Seconds::KIND, BytesPerSecond::KIND, SecondsPerByte::KIND];
    of_network && kinds.iter().any(|kind| schema["format"] == *kind)
}

/// Collects the texts in a node at a dotted path.
fn collect_texts<'n>(path: &str, node: &'n Node, texts: &mut Vec<(String, &'n Node)>) {
    match &node.value {
        Value::Text(_) => texts.push((path.to_owned(), node)),
        Value::Table(entries) => {
            for Entry { key, value, .. } in entries {
                collect_texts(&format!("{path}.{key}"), value, texts);
            }
        }
        Value::Array(items) => {
            for (item, node) in items.iter().enumerate() {
                collect_texts(&format!("{path}.{item}"), node, texts);
            }
        }
        _ => {}
    }
}
