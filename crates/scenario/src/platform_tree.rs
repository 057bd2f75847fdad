//! A platform file as a tree whose keys can be set, for programs that search for the values of some.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use super::canonical::base_value;
use super::check::Checker;
use super::file_name::resolve_file;
use super::platform::{CalibrationSpec, PlatformPlan};
use super::platform_file::schema;
use super::resolve::TableReader;
use super::schema::Schema;
use super::{Scenario, formulas, read_below};
use hetsim_base::units::{
    Bytes, BytesPerSecond, Operations, OperationsPerSecond, Quantity, QuantityError, Seconds, SecondsPerByte, Watts,
};
use hetsim_text::{Entry, Node, Place, Problem, Problems, Source, Value};

/// A platform file, as a scenario includes one: a tree of keys and values that remembers where each stands.
#[derive(Debug, Clone)]
pub struct PlatformTree {
    /// The keys, under `platform`.
    tree: Node,
    sources: Vec<Source>,
}

impl PlatformTree {
    /// Reads a TOML file with the keys of `[platform]`, or an XML platform file of SimGrid.
    ///
    /// # Errors
    /// Every fault of the file, with its line and column.
    pub fn load(path: &Path) -> Result<Self, Problems> {
        let source = Source::read(path).map_err(|error| Problems::general(error.to_string()))?;
        let is_xml = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("xml"));
        Self::read(source, is_xml)
    }

    /// Reads a TOML text with the keys of `[platform]`.
    ///
    /// # Errors
    /// Every fault of the text, with its line and column.
    pub fn parse(source: Source) -> Result<Self, Problems> {
        Self::read(source, false)
    }

    fn read(source: Source, is_xml: bool) -> Result<Self, Problems> {
        let mut sources = vec![source];
        let read = |sources: &mut Vec<Source>| {
            let below = read_below(sources, 0, is_xml)?;
            let place = below.place.clone();
            let mut tree = Node { value: Value::Table(Vec::new()), place: place.clone() };
            tree.set("platform", below).map_err(|message| vec![Problem::at(&place, message)])?;
            formulas::spell_out(&mut tree);
            Ok(tree)
        };
        match read(&mut sources) {
            Ok(tree) => {
                let read = Self { tree, sources };
                read.plan().map(|_| read)
            }
            Err(problems) => Err(Problems::new(problems, &sources)),
        }
    }

    /// The platform of these keys.
    ///
    /// # Errors
    /// Everything that is wrong with them.
    pub fn plan(&self) -> Result<PlatformPlan, Problems> {
        let mut checker = Checker::new(schema(), &self.sources);
        checker.check(&self.tree, schema(), "");
        let read = || {
            if !checker.problems.is_empty() {
                return Err(checker.problems);
            }
            // The tree was made with the table.
            let table = self.tree.get("platform").unwrap_or(&self.tree);
            TableReader::new(schema(), &self.sources).platform(table)
        };
        read().map_err(|problems| Problems::new(problems, &self.sources))
    }

    /// By what the platform was calibrated, if it was.
    #[must_use]
    pub fn calibration(&self) -> Option<CalibrationSpec> {
        self.plan().ok()?.calibration().cloned()
    }

    /// The names of the clusters.
    pub fn clusters(&self) -> impl Iterator<Item = &str> {
        let clusters = self.tree.at("platform.cluster").map_or(&[][..], Node::entries);
        clusters.iter().map(|entry| entry.key.as_str())
    }

    /// The whole path of a key, which may be one of the platform's (`transport.window`) or, where there is one cluster
    /// only, one of the cluster's (`network.latency`).
    fn path(&self, key: &str) -> Result<String, String> {
        let schema = Schema::new(schema());
        let own = format!("platform.{key}");
        if schema.at(&own, &self.tree).is_some() {
            return Ok(own);
        }
        let mut clusters = self.clusters();
        if let (Some(only), None) = (clusters.next(), clusters.next()) {
            let within = format!("platform.cluster.{only}.{key}");
            return match schema.at(&within, &self.tree) {
                Some(_) => Ok(within),
                None => Err(format!("there is no key `{key}`: {}", schema.advise(&self.tree, &within))),
            };
        }
        Err(format!("there is no key `{key}`: {}", schema.advise(&self.tree, &own)))
    }

    /// What the schema says of a key; of an optional one, what it says of its value.
    fn schema_at(&self, path: &str) -> Option<&'static Json> {
        let schema = Schema::new(schema());
        let found = schema.at(path, &self.tree)?;
        Some(schema.alternative(found, None).unwrap_or(found))
    }

    /// The number under a dotted key: a quantity in its base unit. Nothing if the key is not set or has no number.
    ///
    /// # Errors
    /// There can be no such key.
    pub fn number(&self, key: &str) -> Result<Option<f64>, String> {
        let path = self.path(key)?;
        let schema = self.schema_at(&path);
        Ok(self.tree.at(&path).and_then(|node| match &node.value {
            Value::Integer(number) => Some(*number as f64),
            Value::Float(number) => Some(*number),
            Value::Text(text) => schema.and_then(|schema| base_value(schema, text)?.ok()),
            _ => None,
        }))
    }

    /// Whether only whole numbers can stand under a dotted key.
    ///
    /// # Errors
    /// There can be no such key.
    pub fn is_whole(&self, key: &str) -> Result<bool, String> {
        let path = self.path(key)?;
        let schema = self.schema_at(&path);
        let is = |name: &str, word: &str| schema.is_some_and(|schema| schema[name] == word);
        Ok(is("type", "integer") || is("format", Bytes::KIND))
    }

    /// Sets a dotted key to a number, a quantity in its base unit.
    ///
    /// # Errors
    /// There can be no such key, or no such number under it.
    pub fn set_number(&mut self, key: &str, base: f64) -> Result<(), String> {
        let path = self.path(key)?;
        let wrong = |why: &str| Err(format!("`{key}` can't be {base}: {why}"));
        let Some(schema) = self.schema_at(&path) else { return wrong("there is no such key") };
        let value = match schema.get("format").and_then(|format| quantity(format.as_str()?, base)) {
            Some(Ok(text)) => Value::Text(text),
            Some(Err(error)) => return wrong(&error.to_string()),
            None if super::schema::first_type(&schema["type"]) == "integer" => {
                if base.fract() != 0.0 || base.abs() > 9e15 {
                    return wrong("it must be a whole number");
                }
                Value::Integer(base as i64)
            }
            None if super::schema::first_type(&schema["type"]) == "number" => Value::Float(base),
            None => return wrong("the value there is not a number"),
        };
        let place = self.tree.at(&path).map_or_else(Place::default, |node| node.place.clone());
        self.tree.set(&path, Node { value, place })
    }

    /// The same platform with another number of nodes in its only cluster. Where several ranks are on a node, each is a
    /// node of hetsim. Those of a real node are a group of the cluster's innermost `level`; or, if the levels tell the
    /// `domain`s of a node, they fill its cores in their order.
    ///
    /// # Errors
    /// The platform has several clusters, or no level for the ranks of a node, or they do not fit its domains.
    pub fn resized(&self, nodes: u32, ranks_per_node: u32) -> Result<Self, String> {
        let mut clusters = self.clusters();
        let (Some(name), None) = (clusters.next(), clusters.next()) else {
            return Err("the platform has several clusters: which of them was measured is unknown".to_owned());
        };
        let cluster = format!("platform.cluster.{name}");
        let mut resized = self.clone();
        let place = self.tree.at(&cluster).map_or_else(Place::default, |node| node.place.clone());
        let integer = |number: u64| Node {
            value: Value::Integer(i64::try_from(number).unwrap_or(i64::MAX)),
            place: place.clone(),
        };
        let ranks = u64::from(nodes) * u64::from(ranks_per_node);
        resized.tree.set(&format!("{cluster}.nodes"), integer(ranks))?;
        let level = format!("{cluster}.level");
        let levels = match self.tree.at(&level).map(|levels| &levels.value) {
            Some(Value::Array(levels)) => levels.as_slice(),
            _ => &[],
        };
        let mut kept = Vec::new();
        for (index, size) in sizes_for(levels, ranks_per_node)? {
            let mut level = levels[index].clone();
            level.set("size", integer(size))?;
            kept.push(level);
        }
        if kept.is_empty() {
            resized.tree.remove(&level);
        } else {
            resized.tree.set(&level, Node { value: Value::Array(kept), place: place.clone() })?;
        }
        Ok(resized)
    }

    /// The keys as TOML, to be included by a scenario.
    ///
    /// # Errors
    /// Where TOML can't hold them, which no file that was read brings about.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        let table = self.tree.get("platform").unwrap_or(&self.tree);
        toml::to_string_pretty(&table.to_json())
    }
}

impl Scenario {
    /// The platform's keys, without what a sweep varies; nothing for a scenario without a platform.
    #[must_use]
    pub fn platform_tree(&self) -> Option<PlatformTree> {
        let platform = self.resolved.get("platform")?;
        let entry = Entry { key: "platform".to_owned(), place: platform.place.clone(), value: platform.clone() };
        let tree = Node { value: Value::Table(vec![entry]), place: platform.place.clone() };
        Some(PlatformTree { tree, sources: self.resolver.reader.sources.clone() })
    }

    /// The file that a key outside of the platform and the workload names, such as `validate.0.file`.
    #[must_use]
    pub fn named_file(&self, key: &str) -> Option<PathBuf> {
        let node = self.resolved.at(key)?;
        Some(resolve_file(&self.resolver.reader.sources, node, node.text()?))
    }
}

/// The levels that remain for so many ranks on a real node, outermost first: the place of each, and its new size.
fn sizes_for(levels: &[Node], ranks_per_node: u32) -> Result<Vec<(usize, u64)>, String> {
    let ranks = u64::from(ranks_per_node);
    let size = |level: &Node| match level.get("size").map(|size| &size.value) {
        Some(Value::Integer(size)) => u64::try_from(*size).ok().filter(|size| *size > 0),
        _ => None,
    };
    let sizes: Option<Vec<u64>> = levels.iter().map(size).collect();
    let sizes = sizes.ok_or("the platform's `level` has no size")?;
    let domain = |level: &Node| level.get("domain").and_then(Node::text).map(str::to_owned);
    let domains: Vec<Option<String>> = levels.iter().map(domain).collect();
    let node = if domains.iter().all(Option::is_none) {
        // The ranks of a node are the innermost level, whatever its size.
        levels.len().checked_sub(1)
    } else {
        let node = domains.iter().position(|domain| domain.as_deref() == Some("node"));
        let node = node.ok_or("a `level` has a `domain`, and none has the domain `node`")?;
        if sizes[node] < ranks {
            return Err(format!("{ranks} ranks do not fit on a node of {} cores", sizes[node]));
        }
        Some(node)
    };
    let Some(node) = node else {
        return if ranks == 1 {
            Ok(Vec::new())
        } else {
            Err(format!("the platform has no `level` for {ranks} ranks on a node"))
        };
    };
    let mut kept: Vec<(usize, u64)> =
        sizes[..node].iter().enumerate().map(|(index, size)| (index, size / sizes[node] * ranks)).collect();
    if ranks > 1 {
        // The smallest domain that holds all ranks joins them; those around it join nothing.
        let holds = (node + 1..levels.len()).rev().find(|&index| sizes[index] >= ranks).unwrap_or(node);
        kept.push((holds, ranks));
        for (index, &size) in sizes.iter().enumerate().skip(holds + 1).filter(|(_, size)| **size > 1) {
            if !ranks.is_multiple_of(size) {
                return Err(format!("{ranks} ranks on a node do not fill its groups of {size} cores"));
            }
            kept.push((index, size));
        }
    }
    Ok(kept)
}

/// A quantity of the schema's format as text; nothing if the format is no quantity.
fn quantity(format: &str, base: f64) -> Option<Result<String, QuantityError>> {
    fn text<Q: Quantity>(base: f64) -> Result<String, QuantityError> {
        Q::from_base(base).map(|quantity| quantity.to_string())
    }
    Some(match format {
        Seconds::KIND => text::<Seconds>(base),
        Bytes::KIND => text::<Bytes>(base),
        BytesPerSecond::KIND => text::<BytesPerSecond>(base),
        SecondsPerByte::KIND => text::<SecondsPerByte>(base),
        OperationsPerSecond::KIND => text::<OperationsPerSecond>(base),
        Operations::KIND => text::<Operations>(base),
        Watts::KIND => text::<Watts>(base),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> Result<PlatformTree, Problems> {
        PlatformTree::parse(Source { name: "p.toml".to_owned(), folder: ".".into(), text: text.into() })
    }

    const LAB: &str = "[cluster.lab]\nnodes = 4\nnetwork = { model = \"fair\", latency = \"4us\", bandwidth = \"20GB/s\" }\n\
        [[cluster.lab.level]]\nsize = 4\nnetwork = { model = \"fair\", latency = \"1us\", bandwidth = \"5GB/s\" }\n\
        [[cluster.lab.level]]\nsize = 2\nnetwork = { model = \"fair\", latency = \"200ns\", bandwidth = \"50GB/s\" }\n";

    #[test]
    fn keys_are_numbers_in_base_units() {
        let mut lab = tree(LAB).unwrap();
        assert_eq!(lab.number("network.latency"), Ok(Some(4e-6)));
        assert_eq!(lab.number("cluster.lab.network.bandwidth"), Ok(Some(20e9)));
        assert_eq!(lab.number("level.1.network.latency"), Ok(Some(200e-9)));
        assert_eq!(lab.number("tick"), Ok(None));
        // Optional keys, in tables that are not there yet.
        lab.set_number("memory.copy_bandwidth", 8e9).unwrap();
        assert_eq!(lab.number("memory.copy_bandwidth"), Ok(Some(8e9)));
        lab.set_number("network.latency", 3.25e-6).unwrap();
        assert_eq!(lab.number("network.latency"), Ok(Some(3.25e-6)));
        assert_eq!((lab.is_whole("network.latency"), lab.is_whole("nodes")), (Ok(false), Ok(true)));
        lab.set_number("nodes", 8.0).unwrap();
        assert_eq!(lab.plan().unwrap().platform().nodes(), 8);
        // What was written reads back.
        let written = tree(&lab.to_toml().unwrap()).unwrap();
        assert_eq!(written.number("network.latency"), Ok(Some(3.25e-6)));
        for (key, value, word) in [
            ("network.latencyy", 1.0, "did you mean `latency`"),
            ("colour", 1.0, "no key `colour`"),
            ("nodes", 1.5, "whole"),
            ("network.bandwidth", -1.0, "zero or more"),
            ("network.model", 1.0, "not a number"),
        ] {
            let error = lab.set_number(key, value).unwrap_err();
            assert!(error.contains(word), "{key}: {error}");
        }
    }

    #[test]
    fn ranks_of_a_node_are_a_group() {
        let lab = tree(LAB).unwrap();
        let sizes = |tree: &PlatformTree| -> Vec<Option<f64>> {
            ["nodes", "level.0.size", "level.1.size"].iter().map(|key| tree.number(key).unwrap_or(None)).collect()
        };
        assert_eq!(sizes(&lab.resized(16, 8).unwrap()), [Some(128.0), Some(16.0), Some(8.0)]);
        assert_eq!(sizes(&lab.resized(16, 1).unwrap()), [Some(16.0), Some(2.0), None]);
        assert_eq!(lab.resized(16, 8).unwrap().plan().unwrap().platform().nodes(), 128);
        let flat = tree(LAB.split("[[").next().unwrap()).unwrap();
        assert!(flat.resized(16, 2).unwrap_err().contains("no `level`"));
        assert_eq!(flat.resized(16, 1).unwrap().plan().unwrap().platform().nodes(), 16);
    }

    #[test]
    fn ranks_fill_the_cores_of_a_node() {
        let level = |domain: &str, size: u32| {
            format!(
                "[[cluster.lab.level]]\ndomain = \"{domain}\"\nsize = {size}\n\
                 network = {{ model = \"fair\", latency = \"1us\", bandwidth = \"5GB/s\" }}\n"
            )
        };
        let head = LAB.split("[[").next().unwrap().replace("nodes = 4", "nodes = 64");
        let inner = format!("{}{}{}", level("node", 16), level("socket", 8), level("l3", 4));
        let lab = tree(&format!("{head}{inner}")).unwrap();
        let levels = |nodes: u32, ranks: u32| -> Vec<(String, u32)> {
            let resized = lab.resized(nodes, ranks).unwrap();
            assert_eq!(resized.plan().unwrap().platform().nodes(), nodes * ranks);
            let Some(Value::Array(levels)) = resized.tree.at("platform.cluster.lab.level").map(|levels| &levels.value)
            else {
                return Vec::new();
            };
            let of = |level: &Node| match (level.get("domain"), level.get("size").map(|size| &size.value)) {
                (Some(domain), Some(Value::Integer(size))) => (domain.text().unwrap().to_owned(), *size as u32),
                _ => panic!("a level without a domain or a size"),
            };
            levels.iter().map(of).collect()
        };
        let named = |levels: &[(&str, u32)]| -> Vec<(String, u32)> {
            levels.iter().map(|&(domain, size)| (domain.to_owned(), size)).collect()
        };
        assert_eq!(levels(3, 16), named(&[("node", 16), ("socket", 8), ("l3", 4)]));
        assert_eq!(levels(1, 8), named(&[("socket", 8), ("l3", 4)]));
        assert_eq!(levels(3, 2), named(&[("l3", 2)]));
        assert_eq!(levels(3, 1), []);
        for (ranks, word) in [(17, "do not fit on a node of 16 cores"), (12, "do not fill its groups of 8 cores")] {
            assert!(lab.resized(2, ranks).unwrap_err().contains(word));
        }
        let turned = format!("{head}{}{}{}", level("node", 16), level("l3", 8), level("socket", 4));
        let fault = tree(&turned).unwrap_err().to_string();
        assert!(fault.contains("a `socket` cannot be inside a `l3`"), "{fault}");
        let nodeless = tree(&format!("{head}{}", level("socket", 8))).unwrap();
        assert!(nodeless.resized(1, 4).unwrap_err().contains("none has the domain `node`"));
        // Racks of nodes around them keep their number of nodes.
        let racks = level("node", 32).replace("domain = \"node\"\n", "");
        let racks = tree(&format!("{head}{racks}{inner}")).unwrap();
        assert_eq!(racks.resized(8, 2).unwrap().number("level.0.size"), Ok(Some(4.0)));
    }

    #[test]
    fn faults_have_their_places() {
        for (text, place) in [
            ("[cluster.lab]\nnodes = 4\nnetwork = { model = \"fair\", latency = \"4us\" }\n", "p.toml:3:11: "),
            ("[cluster.lab]\nnodes = x\n", "p.toml:2:9: "),
            ("[platform.cluster.lab]\nnodes = 3\n", "p.toml:1:2: "),
        ] {
            let error = tree(text).unwrap_err().to_string();
            assert!(error.starts_with(place), "{error}");
        }
    }
}
