//! A workload or study of a scenario, read with the files that it names, and made ready for a platform.

use std::sync::Arc;

use super::csv::read_numbers;
use super::file_name::resolve_file;
use super::formulas::Files as FileCache;
use super::kinds::{Keys, Kind, Ready, Unready};
use super::platform::{Context, PlatformPlan};
use super::{Scenario, unmade};
use hetsim_base::input::read_text;
use hetsim_fit::runtime::data::{Data, Reading};
use hetsim_formula::NamedFormula;
use hetsim_graph::TaskGraph;
use hetsim_text::{Node, Problem, Source};
use hetsim_workload::replay::{Trace, read_hosts};
use hetsim_workload::{Files, KeyError, RunFailure};

/// A workload or study with its keys, for any platform.
#[derive(Debug)]
pub(super) struct Subject {
    kind: &'static Kind,
    keys: Box<dyn Keys>,
}

/// A workload or study of a point, ready to run.
#[derive(Debug)]
pub(super) struct Resolved {
    /// Its kind.
    pub(super) kind: &'static Kind,
    /// What runs.
    pub(super) ready: Box<dyn Ready>,
}

/// The files that a `[workload]` or `[study]` names.
struct NamedFiles<'a> {
    table: &'a Node,
    sources: &'a [Source],
    cache: &'a FileCache,
    /// What is wrong with a file, which says more than the error that the workload gets.
    problem: Option<Problem>,
}

impl NamedFiles<'_> {
    fn read<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(&Node, &FileCache, &[Source]) -> Result<T, Problem>,
    ) -> Result<T, KeyError> {
        let wrong = |message: String| KeyError { key: key.to_owned(), message };
        let Some(named) = self.table.at(key) else { return Err(wrong(format!("`{key}` names no file"))) };
        read(named, self.cache, self.sources).map_err(|problem| {
            let error = wrong(problem.message.clone());
            self.problem = Some(problem);
            error
        })
    }
}

impl Files for NamedFiles<'_> {
    fn graph(&mut self, key: &str, instance: &str, factor: &str) -> Result<Arc<TaskGraph>, KeyError> {
        let (instance, factor) = (self.table.at(instance), (factor, self.table.at(factor).is_some()));
        self.read(key, |named, cache, sources| cache.graphs.read(named, instance, factor, sources))
    }

    fn formula(&mut self, key: &str) -> Result<Arc<NamedFormula>, KeyError> {
        self.read(key, |named, cache, sources| cache.formulas.read(named, sources))
    }

    fn measured(&mut self, key: &str, reading: &Reading) -> Result<Arc<Data>, KeyError> {
        let table = self.table;
        self.read(key, |named, cache, sources| cache.measured.read(named, table, reading, sources))
    }

    fn trace(&mut self, key: &str) -> Result<Arc<Trace>, KeyError> {
        self.read(key, |named, cache, sources| cache.traces.read(named, sources))
    }

    fn hosts(&mut self, key: &str) -> Result<Vec<u32>, KeyError> {
        self.read(key, |named, _, sources| {
            let path = resolve_file(sources, named, named.text().unwrap_or_default());
            let text = read_text(&path).map_err(|error| Problem::at(&named.place, error.to_string()))?;
            let fault = |error| Problem::at(&named.place, format!("{}, {error}", path.display()));
            read_hosts(&text).map_err(fault)
        })
    }

    fn numbers(&mut self, key: &str) -> Result<Vec<f64>, KeyError> {
        self.read(key, |named, _, sources| {
            read_numbers(&resolve_file(sources, named, named.text().unwrap_or_default()), named)
        })
    }
}

impl Subject {
    /// Reads a `[workload]` or `[study]` that has passed the schema.
    pub(super) fn read(kinds: &'static [Kind], table: &Node, context: &Context<'_>) -> Result<Self, Problem> {
        let mut json = table.to_json();
        let name = json.as_object_mut().and_then(|keys| keys.remove("kind"));
        let name = name.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default();
        let kind = kinds.iter().find(|kind| kind.name == name);
        let kind = kind.ok_or_else(|| wrong(table, format!("there is no kind `{name}`")))?;
        let mut files = NamedFiles { table, sources: context.sources, cache: context.files, problem: None };
        let keys = kind.read(json, &mut files);
        let keys = keys.map_err(|unready| files.problem.unwrap_or_else(|| unready.problem(table)))?;
        Ok(Self { kind, keys })
    }

    /// Makes it ready for a platform, if the scenario has one.
    pub(super) fn prepare(&self, platform: Option<&PlatformPlan>) -> Result<Resolved, Unready> {
        Ok(Resolved { kind: self.kind, ready: self.keys.prepare(platform)? })
    }

    /// Keys that play no part, whatever their values: paths from its table on.
    pub(super) fn unused(&self) -> Vec<&'static str> {
        self.keys.unused()
    }

    /// Its keys, if they are of this type.
    pub(super) fn keys<K: Clone + 'static>(&self) -> Option<K> {
        self.keys.keys().downcast_ref().cloned()
    }
}

fn wrong(table: &Node, message: String) -> Problem {
    Problem::at(&table.place, message).labelled("in this table")
}

impl Scenario {
    /// The keys of a point's workload with what is in the files that they name, for each of so many replicas; `None` if
    /// they are not of this type. Where no value is drawn, all share them.
    ///
    /// # Errors
    /// A sentence, if a replica draws values that cannot be.
    pub fn workload_keys<K: Clone + 'static>(
        &self,
        point: usize,
        replicas: u32,
    ) -> Result<Option<Vec<Arc<K>>>, RunFailure> {
        let of_replica = |replica| {
            let subject = self.resolver.subject_with(point, &self.drawn_values(replica));
            let (subject, _) = subject.map_err(|problems| unmade("the keys of the workload", &problems))?;
            Ok(subject.keys().map(Arc::new))
        };
        if self.drawn_values(0).is_empty() {
            return Ok(of_replica(0)?.map(|keys| vec![keys; replicas as usize]));
        }
        (0..replicas).map(of_replica).collect()
    }
}

impl Unready {
    /// The same at its place in the table that the keys are of.
    pub(super) fn problem(self, table: &Node) -> Problem {
        match self {
            Self::Key(error) => {
                // A key that is left out is looked for in the table that it belongs to.
                let above = || error.key.rsplit_once('.').and_then(|(above, _)| table.at(above));
                let place = table.at(&error.key).or_else(above).map_or(&table.place, |node| &node.place);
                Problem::at(place, error.message)
            }
            Self::Unread(error) => wrong(table, error.to_string()),
            Self::Server(server) => {
                wrong(table, format!("the diversity counts node {server}, the server, which computes no tasks"))
                    .with_help(
                        "put the server into a cluster of its own, and name the workers' clusters in \
                         `platform.diversity_over`",
                    )
            }
        }
    }
}
