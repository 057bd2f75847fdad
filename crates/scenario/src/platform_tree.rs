//! A platform file as a tree whose keys can be set, for programs that search for the values of some.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use super::canonical::{base_value, kind};
use super::check::Checker;
use super::file_name::resolve_file;
use super::fingerprint::Fingerprint;
use super::platform::{CalibrationSpec, PlatformPlan};
use super::platform_file::schema;
use super::resolve::TableReader;
use super::{Scenario, formulas, read_below};
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
        let checker = self.checked();
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

    /// The identity of all values, and of what the files hold that they name.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.checked().leaves)
    }

    fn checked(&self) -> Checker<'_> {
        let mut checker = Checker::new(schema(), &self.sources);
        checker.check(&self.tree, schema().root(), "");
        checker
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
        let schema = schema();
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
        let schema = schema();
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
        Ok(is("type", "integer") || schema.and_then(kind).is_some_and(|kind| kind.is_whole))
    }

    /// Sets a dotted key to a number, a quantity in its base unit.
    ///
    /// # Errors
    /// There can be no such key, or no such number under it.
    pub fn set_number(&mut self, key: &str, base: f64) -> Result<(), String> {
        let path = self.path(key)?;
        let wrong = |why: &str| Err(format!("`{key}` can't be {base}: {why}"));
        let Some(schema) = self.schema_at(&path) else { return wrong("there is no such key") };
        let value = match kind(schema).map(|kind| kind.write(base)) {
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

    /// The same platform with so many nodes in its only cluster, and so many ranks on each of them.
    ///
    /// # Errors
    /// The platform has several clusters, or places of its nodes that count ranks.
    pub fn resized(&self, nodes: u32, ranks_per_node: u32) -> Result<Self, String> {
        self.with_nodes(nodes, Value::Integer(ranks_per_node.into()))
    }

    /// The same platform with a node in its only cluster for each of these numbers of ranks.
    ///
    /// # Errors
    /// The platform has several clusters, or draws the places of more nodes.
    pub fn with_ranks(&self, ranks: &[u32]) -> Result<Self, String> {
        let cluster = self.only_cluster()?;
        let has_more = |nodes: &Node| matches!(nodes.value, Value::Integer(all) if all as u64 > ranks.len() as u64);
        if self.has(&format!("{cluster}.allocation.fragments"))
            && self.tree.at(&format!("{cluster}.nodes")).is_some_and(has_more)
        {
            return Err("`fragments` would draw other places for fewer nodes: give `at`".to_owned());
        }
        let number = |&ranks: &u32| Node { value: Value::Integer(ranks.into()), place: Place::default() };
        self.with_nodes(ranks.len() as u32, Value::Array(ranks.iter().map(number).collect()))
    }

    /// The dotted key of the only cluster.
    fn only_cluster(&self) -> Result<String, String> {
        let mut clusters = self.clusters();
        match (clusters.next(), clusters.next()) {
            (Some(name), None) => Ok(format!("platform.cluster.{name}")),
            _ => Err("the platform has several clusters: which of them was measured is unknown".to_owned()),
        }
    }

    /// The level that is taken for the nodes though nothing says so, by the key of the levels and the size of its groups: the
    /// innermost of the only cluster, where no level has a `domain` and `ranks_per_node` is missing.
    #[must_use]
    pub fn level_taken_for_nodes(&self) -> Option<(String, i64)> {
        let cluster = self.only_cluster().ok()?;
        let key = format!("{cluster}.level");
        let Value::Array(levels) = &self.tree.at(&key)?.value else { return None };
        let says_nodes = self.has(&format!("{cluster}.ranks_per_node"));
        if says_nodes || levels.iter().any(|level| level.get("domain").is_some()) {
            return None;
        }
        match levels.last()?.get("size")?.value {
            Value::Integer(size) if size > 1 => Some((key.trim_start_matches("platform.").to_owned(), size)),
            _ => None,
        }
    }

    fn has(&self, path: &str) -> bool {
        self.tree.at(path).is_some()
    }

    fn with_nodes(&self, nodes: u32, ranks: Value) -> Result<Self, String> {
        let cluster = self.only_cluster()?;
        let [allocation, level, on_each] =
            ["allocation", "level", "ranks_per_node"].map(|key| self.has(&format!("{cluster}.{key}")));
        if allocation && level && !on_each {
            return Err(
                "`allocation` counts ranks where `ranks_per_node` is missing: add it to the platform".to_owned()
            );
        }
        let mut resized = self.clone();
        for (key, value) in [("nodes", Value::Integer(nodes.into())), ("ranks_per_node", ranks)] {
            let path = format!("{cluster}.{key}");
            // Faults of a number that the file does not give stand at the cluster.
            let place = self.tree.at(&path).or_else(|| self.tree.at(&cluster)).map(|node| node.place.clone());
            resized.tree.set(&path, Node { value, place: place.unwrap_or_default() })?;
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
        self.resolved.get("platform").map(|platform| self.tree_of(platform.clone()))
    }

    /// The same with the first value of what a sweep varies.
    #[must_use]
    pub fn first_platform_tree(&self) -> Option<PlatformTree> {
        self.resolved
            .get("platform")
            .and_then(|_| self.resolver.varied("platform", 0).ok())
            .map(|one| self.tree_of(one))
    }

    fn tree_of(&self, platform: Node) -> PlatformTree {
        let place = platform.place.clone();
        let entry = Entry { key: "platform".to_owned(), place: place.clone(), value: platform };
        let tree = Node { value: Value::Table(vec![entry]), place };
        PlatformTree { tree, sources: self.resolver.reader.sources.clone() }
    }

    /// The file that a key outside of the platform and the workload names, such as `validate.0.file`.
    #[must_use]
    pub fn named_file(&self, key: &str) -> Option<PathBuf> {
        let node = self.resolved.at(key)?;
        Some(resolve_file(&self.resolver.reader.sources, node, node.text()?))
    }
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

    /// The nodes of hetsim and the levels of a platform: the latency of each in nanoseconds, and its size.
    fn shape(tree: &PlatformTree) -> (u32, Vec<(u64, u32)>) {
        let plan = tree.plan().unwrap();
        let platform = plan.platform();
        let level = |(size, link): (u32, &hetsim_cluster::Connection)| {
            let latency = platform.tick().seconds(link.model.transfer(0).hop());
            ((latency * 1e9).round() as u64, size)
        };
        (platform.nodes(), platform.levels(0).map(level).collect())
    }

    fn why_not(tree: &PlatformTree, nodes: u32, ranks_per_node: u32) -> String {
        tree.resized(nodes, ranks_per_node).unwrap().plan().unwrap_err().to_string()
    }

    #[test]
    fn ranks_of_a_node_are_a_group() {
        let lab = tree(LAB).unwrap();
        let resized = |nodes: u32, ranks: u32| shape(&lab.resized(nodes, ranks).unwrap());
        assert_eq!(resized(16, 8), (128, vec![(1000, 16), (200, 8)]));
        assert_eq!(resized(16, 1), (16, vec![(1000, 2)]));
        assert_eq!(lab.plan().unwrap().whole_nodes(), Ok(2));
        assert_eq!(lab.resized(16, 8).unwrap().plan().unwrap().whole_nodes(), Ok(16));
        let flat = tree(LAB.split("[[").next().unwrap()).unwrap();
        assert!(why_not(&flat, 16, 2).contains("no `level`"));
        assert_eq!(shape(&flat.resized(16, 1).unwrap()), (16, vec![]));
        assert_eq!(flat.plan().unwrap().whole_nodes(), Ok(4));
    }

    #[test]
    fn ranks_fill_the_cores_of_a_node() {
        let level = |domain: &str, size: u32| {
            let latency = 1000 + size;
            format!(
                "[[cluster.lab.level]]\ndomain = \"{domain}\"\nsize = {size}\n\
                 network = {{ model = \"hockney\", latency = \"{latency}ns\", bandwidth = \"5GB/s\" }}\n"
            )
        };
        let head = LAB.split("[[").next().unwrap().replace("nodes = 4", "nodes = 64").replace("fair", "hockney");
        let inner = format!("{}{}{}", level("node", 16), level("socket", 8), level("l3", 4));
        let lab = tree(&format!("{head}{inner}")).unwrap();
        let resized = |nodes: u32, ranks: u32| shape(&lab.resized(nodes, ranks).unwrap());
        assert_eq!(resized(3, 16), (48, vec![(1016, 16), (1008, 8), (1004, 4)]));
        assert_eq!(resized(1, 8), (8, vec![(1008, 8), (1004, 4)]));
        assert_eq!(resized(3, 2), (6, vec![(1004, 2)]));
        assert_eq!(resized(3, 1), (3, vec![]));
        assert_eq!(lab.plan().unwrap().whole_nodes(), Ok(4));
        assert!(why_not(&lab, 2, 17).contains("do not fit on a node of 16 cores"));
        // Twelve ranks leave half of a socket empty.
        assert_eq!(resized(3, 12), (36, resized(3, 16).1));
        let listed = lab.with_ranks(&[12, 2]).unwrap();
        assert_eq!((listed.plan().unwrap().whole_nodes(), shape(&listed)), (Ok(2), (14, resized(2, 16).1)));
        let turned = format!("{head}{}{}{}", level("node", 16), level("l3", 8), level("socket", 4));
        let fault = tree(&turned).unwrap_err().to_string();
        assert!(fault.contains("a `socket` cannot be inside a `l3`"), "{fault}");
        let nodeless = tree(&format!("{head}{}", level("socket", 8))).unwrap();
        assert!(why_not(&nodeless, 1, 4).contains("none has the domain `node`"));
        // Racks of nodes around them keep their number of nodes.
        let racks = level("node", 32).replace("domain = \"node\"\n", "");
        let racks = tree(&format!("{head}{racks}{inner}")).unwrap();
        assert_eq!(shape(&racks.resized(8, 2).unwrap()), (16, vec![(1032, 4), (1004, 2)]));
    }

    /// Four cards of four cores each; the memory is that of the node where the sockets have none.
    #[test]
    fn ranks_share_the_cards_and_the_memory_of_their_node() {
        let network = "network = { model = \"fair\", latency = \"1us\", bandwidth = \"5GB/s\" }";
        let level = |keys: &str| format!("[[cluster.lab.level]]\n{keys}\n{network}\n");
        let head = LAB.split("[[").next().unwrap().replace("nodes = 4", "nodes = 64");
        let node = level("domain = \"node\"\nsize = 16\ncards = 4\nmemory_bandwidth = \"80GB/s\"");
        let socket = level("domain = \"socket\"\nsize = 8\nallocate_bandwidth = \"2GB/s\"");
        let text = format!("{head}{node}{socket}{}", level("domain = \"l3\"\nsize = 4"));
        let shared = |text: &str, ranks: u32| -> Vec<(u32, u32, Option<f64>, Option<f64>)> {
            let plan = tree(text).unwrap().resized(2, ranks).unwrap().plan().unwrap();
            let levels = plan.platform().levels_as_given(0).into_iter();
            levels.map(|level| (level.size, level.cards, level.memory.bandwidth, level.memory.allocate)).collect()
        };
        let (node, socket) = ((16, 4, Some(80e9), None), (8, 1, None, Some(2e9)));
        assert_eq!(shared(&text, 16), [node, socket, (4, 1, None, None)]);
        assert_eq!(shared(&text, 8), [(8, 2, Some(80e9), Some(2e9)), (4, 1, None, None)]);
        assert_eq!(shared(&text, 2), [(2, 1, Some(80e9), Some(2e9))]);
        assert_eq!(shared(&text, 1), []);
        // By socket the first card of each serves two ranks, which share new pages with these only.
        let by_socket = text.replacen("nodes = 64", "nodes = 64\nmap_by = \"socket\"\nranks_per_node = 1", 1);
        assert_eq!(shared(&by_socket, 4), [(4, 2, Some(80e9), None), (2, 1, None, Some(2e9))]);
        assert_eq!(shared(&by_socket, 2), [(2, 2, Some(80e9), None)]);
        // Two cards serve four ranks and two.
        assert_eq!(shared(&text, 6), shared(&text, 8));
        // Without domains all cards have as many ranks,
        let plain = format!("{head}{}", level("size = 16\ncards = 4"));
        assert_eq!([8, 2].map(|ranks| shared(&plain, ranks)[0].1), [4, 2]);
        // or the first ones have them.
        assert_eq!(shared(&plain, 6), shared(&plain, 8));
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
