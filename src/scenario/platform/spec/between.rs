//! The keys of what holds between clusters: sites, all pairs, single pairs.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use crate::cluster::network::Parameters;
use crate::scenario::fault::FaultProfile;
use crate::scenario::platform::power::LinkPowerSpec;
use crate::scenario::steps::StepsSpec;
use crate::units::Seconds;

/// Clusters that are nearer to each other than to the rest.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SiteSpec {
    /// Its clusters; a cluster belongs to one site at most.
    #[schemars(length(min = 1))]
    pub clusters: Vec<String>,
    /// The network between any two of them, instead of that of `platform.between` (its matrix included).
    pub network: Parameters,
    /// What the link from one cluster to another draws, of each ordered pair. Only with `fair`.
    #[serde(default)]
    pub network_power: Option<LinkPowerSpec>,
    /// A factor on the latency, over time.
    #[serde(default)]
    pub latency_factor: Option<StepsSpec>,
    /// A factor on the bandwidth, over time.
    #[serde(default)]
    pub bandwidth_factor: Option<StepsSpec>,
    /// Standard deviation of a factor on each message's flight, log-normal with mean 1.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3.0))]
    pub jitter: f64,
    /// When the links between any two of them are down: what crosses one waits until it is up. Each link has faults of
    /// its own. Only under `fair`.
    #[serde(default)]
    pub fault: Vec<FaultProfile>,
}

/// What holds between any two clusters.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BetweenSpec {
    /// The network; keys that every `link` or a matrix gives may be left out.
    pub network: PartialNetwork,
    /// Latencies from each cluster (row) to each cluster (column) in their order; the diagonal is not read. Or the
    /// name of a CSV file with the clusters' names in its first row and first column.
    #[serde(default)]
    pub latency: Option<Matrix>,
    /// What the link from one cluster to another draws, of each ordered pair. Only with `fair`.
    #[serde(default)]
    pub network_power: Option<LinkPowerSpec>,
    /// A factor on the latency, over time.
    #[serde(default)]
    pub latency_factor: Option<StepsSpec>,
    /// A factor on the bandwidth, over time.
    #[serde(default)]
    pub bandwidth_factor: Option<StepsSpec>,
    /// Standard deviation of a factor on each message's flight, log-normal with mean 1.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3.0))]
    pub jitter: f64,
    /// When links between clusters are down: what crosses one waits until it is up. Each link has faults of its own. Only
    /// under `fair`.
    #[serde(default)]
    pub fault: Vec<FaultProfile>,
}

/// One pair of clusters.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkSpec {
    /// The two clusters, in both directions unless `one_way`.
    #[schemars(length(min = 2, max = 2))]
    pub between: Vec<String>,
    /// Whether only the direction from the first to the second is meant.
    #[serde(default)]
    pub one_way: bool,
    /// The network's keys, put over those of `platform.between` or of the site that both are in.
    #[serde(default)]
    pub network: PartialNetwork,
    /// What the link from one cluster to another draws, of each ordered pair. Only with `fair`.
    #[serde(default)]
    pub network_power: Option<LinkPowerSpec>,
    /// A factor on the latency, over time.
    #[serde(default)]
    pub latency_factor: Option<StepsSpec>,
    /// A factor on the bandwidth, over time.
    #[serde(default)]
    pub bandwidth_factor: Option<StepsSpec>,
    /// Standard deviation of a factor on each message's flight, log-normal with mean 1.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3.0))]
    pub jitter: Option<f64>,
    /// When the link is down, instead of what `platform.between` or the site says. Only under `fair`.
    #[serde(default)]
    pub fault: Vec<FaultProfile>,
}

/// Some of a network model's keys.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct PartialNetwork(pub serde_json::Map<String, serde_json::Value>);

impl JsonSchema for PartialNetwork {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PartialNetwork".into()
    }

    /// The keys of all models, none of them required and none with a default (left out, a key is that of the table
    /// below): a key that means different things has all its forms. Which keys go together is checked when the parts
    /// have been put together.
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let whole = Parameters::json_schema(generator).to_value();
        let mut forms: BTreeMap<String, Vec<Json>> = BTreeMap::new();
        for model in whole["oneOf"].as_array().into_iter().flatten() {
            for (key, form) in model["properties"].as_object().into_iter().flatten() {
                let known = forms.entry(key.clone()).or_default();
                if !known.iter().any(|other| same_form(other, form)) {
                    let mut form = form.clone();
                    form.as_object_mut().and_then(|form| form.remove("default"));
                    known.push(form);
                }
            }
        }
        let names: Vec<&Json> = forms.get("model").into_iter().flatten().map(|form| &form["const"]).collect();
        let model = serde_json::json!({ "enum": names, "description": "The network model." });
        let mut properties: serde_json::Map<String, Json> = forms
            .into_iter()
            .map(|(key, mut forms)| {
                if forms.len() == 1 {
                    return (key, forms.remove(0));
                }
                let about: Vec<&str> = forms.iter().filter_map(|form| form["description"].as_str()).collect();
                let about = about.join(" Or: ");
                (key, serde_json::json!({ "anyOf": forms, "description": about }))
            })
            .collect();
        properties.insert("model".to_owned(), model);
        schemars::json_schema!({ "type": "object", "properties": properties, "additionalProperties": false })
    }
}

/// Whether two schemas take the same values, whatever they say about them.
fn same_form(a: &Json, b: &Json) -> bool {
    let form = |schema: &Json| -> BTreeMap<String, Json> {
        let keys = schema.as_object().into_iter().flatten();
        let about = ["description", "default", "examples", "title"];
        keys.filter(|(key, _)| !about.contains(&key.as_str())).map(|(k, v)| (k.clone(), v.clone())).collect()
    };
    form(a) == form(b)
}

/// A matrix over the clusters.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Matrix {
    /// Row by row.
    Rows(Vec<Vec<Seconds>>),
    /// A CSV file.
    File(#[schemars(extend("format" = "file"))] String),
}
