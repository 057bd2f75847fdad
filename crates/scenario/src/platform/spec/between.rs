//! The keys of links between clusters: sites, all pairs, and single pairs.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use crate::fault::FaultProfile;
use crate::platform::power::LinkPowerSpec;
use crate::schema::INHERITS;
use crate::steps::StepsSpec;
use hetsim_base::units::Seconds;
use hetsim_cluster::network::Parameters;

/// Clusters that are nearer to each other than to the rest.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SiteSpec {
    /// The clusters of the site; a cluster belongs to at most one site.
    #[schemars(length(min = 1))]
    pub clusters: Vec<String>,
    /// The network between any two of them, instead of that of `platform.between` (including its matrix).
    pub network: Parameters,
    /// The power of the link of each ordered pair of clusters. Only with `fair`.
    #[serde(default)]
    pub network_power: Option<LinkPowerSpec>,
    /// A factor on the latency over time.
    #[serde(default)]
    pub latency_factor: Option<StepsSpec>,
    /// A factor on the bandwidth over time.
    #[serde(default)]
    pub bandwidth_factor: Option<StepsSpec>,
    /// The standard deviation of a factor on each message's flight time, log-normal with mean 1.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3.0))]
    pub jitter: f64,
    /// The outages of the links between any two of them: messages on a failed link wait until it is up. Each link fails
    /// independently. Only with `fair`.
    #[serde(default)]
    pub fault: Vec<FaultProfile>,
}

/// The link between any two clusters.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BetweenSpec {
    /// The network; keys that every `link` or a matrix gives may be omitted.
    pub network: PartialNetwork,
    /// Latencies from each cluster (row) to each cluster (column) in their order, ignoring the diagonal; or the name of
    /// a CSV file with the cluster names in its first row and first column.
    #[serde(default)]
    pub latency: Option<Matrix>,
    /// The power of the link of each ordered pair of clusters. Only with `fair`.
    #[serde(default)]
    pub network_power: Option<LinkPowerSpec>,
    /// A factor on the latency over time.
    #[serde(default)]
    pub latency_factor: Option<StepsSpec>,
    /// A factor on the bandwidth over time.
    #[serde(default)]
    pub bandwidth_factor: Option<StepsSpec>,
    /// The standard deviation of a factor on each message's flight time, log-normal with mean 1.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3.0))]
    pub jitter: f64,
    /// The outages of links between clusters: messages on a failed link wait until it is up. Each link fails
    /// independently. Only with `fair`.
    #[serde(default)]
    pub fault: Vec<FaultProfile>,
}

/// The link of one pair of clusters.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkSpec {
    /// The two clusters, in both directions unless `one_way`.
    #[schemars(length(min = 2, max = 2))]
    pub between: Vec<String>,
    /// Whether only the direction from the first to the second is meant.
    #[serde(default)]
    pub one_way: bool,
    /// Keys of the network; they override those of `platform.between` or of the common site.
    #[serde(default)]
    pub network: PartialNetwork,
    /// The power of the link in each direction. Only with `fair`.
    #[serde(default)]
    pub network_power: Option<LinkPowerSpec>,
    /// A factor on the latency over time.
    #[serde(default)]
    pub latency_factor: Option<StepsSpec>,
    /// A factor on the bandwidth over time.
    #[serde(default)]
    pub bandwidth_factor: Option<StepsSpec>,
    /// The standard deviation of a factor on each message's flight time, log-normal with mean 1.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3.0))]
    pub jitter: Option<f64>,
    /// The outages of the link, instead of those of `platform.between` or the site. Only with `fair`.
    #[serde(default)]
    pub fault: Vec<FaultProfile>,
}

/// A subset of a network model's keys.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct PartialNetwork(pub serde_json::Map<String, serde_json::Value>);

impl JsonSchema for PartialNetwork {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PartialNetwork".into()
    }

    /// The keys of all models, all optional and without defaults (an omitted key comes from the table below). A key
    /// with several meanings allows all its forms. The combination of keys is checked after merging.
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut whole = Parameters::json_schema(generator).to_value();
        let mut forms: BTreeMap<String, Vec<Json>> = BTreeMap::new();
        for model in whole["oneOf"].as_array_mut().into_iter().flatten() {
            let Json::Object(properties) = model["properties"].take() else { continue };
            for (key, mut form) in properties {
                let known = forms.entry(key).or_default();
                if !known.iter().any(|other| same_form(other, &form)) {
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
                let mut form = serde_json::Map::new();
                form.insert("anyOf".to_owned(), forms.into());
                form.insert("description".to_owned(), about.into());
                (key, form.into())
            })
            .collect();
        properties.insert("model".to_owned(), model);
        let mut schema = schemars::json_schema!({ "type": "object", "additionalProperties": false });
        schema.insert("properties".to_owned(), properties.into());
        schema.insert(INHERITS.to_owned(), true.into());
        schema
    }
}

/// Whether two schemas accept the same values, apart from annotations.
fn same_form(a: &Json, b: &Json) -> bool {
    fn form(schema: &Json) -> BTreeMap<&String, &Json> {
        let about = ["description", "default", "examples", "title"];
        schema.as_object().into_iter().flatten().filter(|(key, _)| !about.contains(&key.as_str())).collect()
    }
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
