//! Which network models and which algorithm a scenario names.

use super::Scenario;
use hetsim_text::{Node, Value};

impl Scenario {
    /// The network models of its platforms by their names, in the order in which they stand in the file; none without a
    /// platform.
    #[must_use]
    pub fn network_models(&self) -> Vec<String> {
        let mut models = Vec::new();
        if let Some(platform) = self.resolved.get("platform") {
            self.add_models(platform, "platform", &mut models);
        }
        for axis in self.axes.iter().filter(|axis| axis.key.starts_with("platform.")) {
            for node in axis.values.iter().filter_map(|value| value.node.as_ref()) {
                if axis.key.ends_with("network.model") {
                    add(&mut models, node.text());
                }
                self.add_models(node, &axis.key, &mut models);
            }
        }
        models
    }

    /// The name of the algorithm of its workload, where the file gives one.
    #[must_use]
    pub fn algorithm(&self) -> Option<&str> {
        self.resolved.at("workload.algorithm").and_then(Node::text)
    }

    /// Adds the models in a value at a dotted path, but for those in its parts that vary.
    fn add_models(&self, node: &Node, path: &str, models: &mut Vec<String>) {
        if path.ends_with("network") && !self.varies(&format!("{path}.model")) {
            add(models, node.get("model").and_then(Node::text));
        }
        match &node.value {
            Value::Array(items) => items.iter().for_each(|item| self.add_models(item, path, models)),
            _ => {
                for entry in node.entries() {
                    let path = format!("{path}.{}", entry.key);
                    if !self.varies(&path) {
                        self.add_models(&entry.value, &path, models);
                    }
                }
            }
        }
    }

    fn varies(&self, path: &str) -> bool {
        self.axes.iter().any(|axis| axis.key == path)
    }
}

fn add(models: &mut Vec<String>, model: Option<&str>) {
    if let Some(model) = model.filter(|model| !models.iter().any(|known| known == model)) {
        models.push(model.to_owned());
    }
}
