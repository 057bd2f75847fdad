//! Sites: groups of clusters whose common connections are given once.

use rustc_hash::FxHashMap;

use super::spec::PlatformSpec;
use hetsim_text::{Node, Problem, suggest};

/// The sites of a platform.
pub(super) struct Sites<'a> {
    /// The link tables of the sites.
    tables: Vec<&'a Node>,
    /// The site of each cluster.
    of: Vec<Option<u32>>,
}

impl<'a> Sites<'a> {
    /// Reads the sites of a platform's table; `names` are the clusters.
    pub(super) fn read(table: &'a Node, spec: &PlatformSpec, names: &[&str]) -> Result<Self, Vec<Problem>> {
        let mut sites = Self { tables: Vec::new(), of: vec![None; names.len()] };
        let mut problems = Vec::new();
        let numbers = numbers(names);
        let entries = table.get("site").map_or(&[][..], Node::entries);
        let mut site_names: Vec<&str> = Vec::new();
        for entry in entries {
            let clusters = spec.site.get(&entry.key).map_or(&[][..], |site| site.clusters.as_slice());
            for (index, cluster) in clusters.iter().enumerate() {
                let place = entry.value.at(&format!("clusters.{index}")).map_or(&entry.place, |node| &node.place);
                let Some(&number) = numbers.get(cluster.as_str()) else {
                    let message = format!("there is no cluster `{cluster}`");
                    problems.push(Problem::at(place, message).with_help(suggest(cluster, names)));
                    continue;
                };
                if let Some(site) = sites.of[number].replace(sites.tables.len() as u32) {
                    let other = site_names.get(site as usize).map_or("this site", |name| name);
                    let message = if other == "this site" {
                        format!("cluster `{cluster}` is named twice")
                    } else {
                        format!("cluster `{cluster}` already belongs to site `{other}`")
                    };
                    problems.push(Problem::at(place, message));
                }
            }
            sites.tables.push(&entry.value);
            site_names.push(&entry.key);
        }
        if problems.is_empty() { Ok(sites) } else { Err(problems) }
    }

    /// The site that two clusters share, if there is one.
    pub(super) fn shared(&self, one: usize, other: usize) -> Option<u32> {
        self.of[one].filter(|_| self.of[one] == self.of[other])
    }

    /// The table of a site.
    pub(super) fn table(&self, site: u32) -> Option<&'a Node> {
        self.tables.get(site as usize).copied()
    }

    /// The site index of each cluster.
    pub(super) fn numbers(&self) -> Vec<Option<u32>> {
        self.of.clone()
    }
}

/// The numbers of clusters by their names.
pub(super) fn numbers<'n>(names: &[&'n str]) -> FxHashMap<&'n str, usize> {
    names.iter().copied().zip(0..).collect()
}
