//! What differs between a scenario and the one that results were made of.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{Failure, bad_input};
use crate::batch::shard::digest;
use crate::report::Reported as _;
use crate::scenario::{Scenario, Source};

/// Tables and keys that reach the runs.
const OF_RUNS: [&str; 8] =
    ["platform", "workload", "study", "sweep", "seed", "replicas", "output.tables", "output.replicas"];
/// What charts are drawn by.
const OF_CHARTS: [&str; 5] = ["version", "chart", "derive", "sensitivity", "output.interval"];
/// The most keys that are named.
const MOST_NAMED: usize = 4;

/// The dotted keys whose values differ, those of lists of tables by the list.
#[derive(Debug, Default)]
pub(super) struct Changes {
    runs: Vec<String>,
    others: Vec<String>,
    /// Whether other runs are described, if only by a file that the scenario names.
    are_others: bool,
}

impl Changes {
    /// What differs between a scenario and the one that the results in a folder were made of.
    pub(super) fn since(folder: &Path, now: &Scenario) -> Result<Self, Failure> {
        let path = folder.join("scenario.resolved.toml");
        let unreadable = |error: String| bad_input(format!("{}: {error}", path.display()));
        let before = Source::read_own(&path).map_err(|error| unreadable(error.to_string()))?;
        let then = Scenario::read(now.name.clone(), before.clone(), &[])?;
        let text = now.resolved().map_err(|error| unreadable(error.to_string()))?;
        let parsed = |text: &str| text.parse::<toml::Table>().map_err(|error| unreadable(error.to_string()));
        let changes = Self::between(&parsed(&before.text)?, &parsed(&text)?);
        Ok(Self { are_others: digest(&then) != digest(now), ..changes })
    }

    fn between(then: &toml::Table, now: &toml::Table) -> Self {
        let (then, now) = (leaves(then), leaves(now));
        let keys: BTreeSet<&String> = then.keys().chain(now.keys()).collect();
        let mut changes = Self::default();
        for key in keys.into_iter().filter(|key| then.get(*key) != now.get(*key)) {
            if is_within(key, &OF_RUNS) {
                changes.runs.push(key.clone());
            } else if !is_within(key, &OF_CHARTS) {
                changes.others.push(key.clone());
            }
        }
        changes
    }

    /// Whether the runs are other ones.
    pub(super) const fn reach_runs(&self) -> bool {
        self.are_others
    }

    /// What makes them others, in words.
    pub(super) fn of_runs(&self) -> String {
        if self.runs.is_empty() {
            "a file that it names differs".to_owned()
        } else {
            format!("{} differ", named(&self.runs))
        }
    }

    /// What differs that is neither of runs nor of charts.
    pub(super) fn of_others(&self) -> Option<String> {
        (!self.others.is_empty()).then(|| named(&self.others))
    }
}

fn named(keys: &[String]) -> String {
    let mut words: Vec<String> = keys.iter().take(MOST_NAMED).map(|key| format!("`{key}`")).collect();
    if keys.len() > MOST_NAMED {
        words.push(format!("{} more", keys.len() - MOST_NAMED));
    }
    words.join(", ")
}

/// Whether a dotted key is one of these or within one.
fn is_within(key: &str, tables: &[&str]) -> bool {
    tables.iter().any(|table| key.strip_prefix(table).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

/// The values of a document by their dotted keys.
fn leaves(table: &toml::Table) -> BTreeMap<String, toml::Value> {
    fn walk(path: &str, table: &toml::Table, leaves: &mut BTreeMap<String, toml::Value>) {
        for (key, value) in table {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            match value {
                toml::Value::Table(table) => walk(&path, table, leaves),
                value => {
                    leaves.insert(path, value.clone());
                }
            }
        }
    }
    let mut found = BTreeMap::new();
    walk("", table, &mut found);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_by_what_they_reach() {
        let read = |text: &str| text.parse::<toml::Table>().unwrap();
        let then = read(
            "version = 1\nquestion = \"a\"\n[workload]\nsize = 1\nroot = 0\n[output]\ntables = []\n[[chart]]\nname = \"a\"\n",
        );
        let now = read(
            "version = 1\nseed = 2\n[workload]\nsize = 2\nroot = 0\n[output]\nquantiles = [0.5]\ntables = [\"nodes\"]\n\
             [[chart]]\nname = \"b\"\n",
        );
        let changes = Changes::between(&then, &now);
        assert_eq!(changes.of_runs(), "`output.tables`, `seed`, `workload.size` differ");
        assert_eq!(changes.of_others().unwrap(), "`output.quantiles`, `question`");
        assert!(Changes::between(&now, &now).of_others().is_none());
    }
}
