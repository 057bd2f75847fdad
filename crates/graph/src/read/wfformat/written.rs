//! The parts of WfFormat that a task graph needs. All other keys are ignored.

use std::borrow::Cow;
use std::ops::Deref;

use serde::Deserialize;
use serde_json::Number;

use super::super::number::json_bytes;

/// A string that borrows from the text, unless it contains escapes. Serde borrows a `Cow` only as a direct field, not
/// within an option or a list.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize)]
#[serde(expecting = "tuple struct Text")]
pub(super) struct WrittenText<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

impl Deref for WrittenText<'_> {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

/// The version only.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Version<'a> {
    #[serde(borrow, default)]
    pub(super) name: Option<WrittenText<'a>>,
    #[serde(borrow, default)]
    pub(super) schema_version: Option<WrittenText<'a>>,
}

/// The whole file.
#[derive(Debug, Deserialize)]
pub(super) struct Root<'a> {
    #[serde(borrow)]
    pub(super) workflow: Workflow<'a>,
}

/// The workflow: flat up to 1.4, in two parts from 1.5 on.
#[derive(Debug, Deserialize)]
pub(super) struct Workflow<'a> {
    #[serde(borrow, default)]
    pub(super) jobs: Option<Vec<WrittenTask<'a>>>,
    #[serde(borrow, default)]
    pub(super) tasks: Option<Vec<WrittenTask<'a>>>,
    #[serde(borrow, default)]
    pub(super) machines: Option<Vec<Machine<'a>>>,
    #[serde(borrow, default)]
    pub(super) specification: Option<Specification<'a>>,
    #[serde(borrow, default)]
    pub(super) execution: Option<Execution<'a>>,
}

/// The tasks and files, from 1.5 on.
#[derive(Debug, Deserialize)]
pub(super) struct Specification<'a> {
    #[serde(borrow)]
    pub(super) tasks: Vec<WrittenTask<'a>>,
    #[serde(borrow, default)]
    pub(super) files: Vec<SizedFile<'a>>,
}

/// The measurements, from 1.5 on.
#[derive(Debug, Deserialize)]
pub(super) struct Execution<'a> {
    #[serde(borrow)]
    pub(super) tasks: Vec<WrittenRun<'a>>,
    #[serde(borrow, default)]
    pub(super) machines: Option<Vec<Machine<'a>>>,
}

/// A machine of the recorded run.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Machine<'a> {
    #[serde(borrow, default)]
    pub(super) node_name: Option<WrittenText<'a>>,
}

/// The measured run of a task.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "struct Run")]
pub(super) struct WrittenRun<'a> {
    #[serde(borrow)]
    pub(super) id: Cow<'a, str>,
    pub(super) runtime_in_seconds: f64,
    #[serde(borrow, default)]
    pub(super) machines: Option<Vec<WrittenText<'a>>>,
    #[serde(borrow, default)]
    pub(super) command: Option<WrittenCommand<'a>>,
}

/// What a task ran.
#[derive(Debug, Deserialize)]
pub(super) struct WrittenCommand<'a> {
    #[serde(borrow, default)]
    pub(super) program: Option<WrittenText<'a>>,
}

/// A task in any version.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "struct Task")]
pub(super) struct WrittenTask<'a> {
    #[serde(borrow, default)]
    pub(super) id: Option<WrittenText<'a>>,
    #[serde(borrow, default)]
    pub(super) name: Option<WrittenText<'a>>,
    #[serde(borrow, default)]
    pub(super) parents: Vec<WrittenText<'a>>,
    #[serde(borrow, default)]
    pub(super) children: Vec<WrittenText<'a>>,
    #[serde(borrow, default)]
    pub(super) input_files: Vec<WrittenText<'a>>,
    #[serde(borrow, default)]
    pub(super) output_files: Vec<WrittenText<'a>>,
    #[serde(borrow, default)]
    pub(super) files: Vec<UsedFile<'a>>,
    /// The machine on which it ran, up to 1.4.
    #[serde(borrow, default)]
    pub(super) machine: Option<WrittenText<'a>>,
    /// What it ran, up to 1.4.
    #[serde(borrow, default)]
    pub(super) command: Option<WrittenCommand<'a>>,
    runtime: Option<f64>,
    runtime_in_seconds: Option<f64>,
}

impl WrittenTask<'_> {
    /// The run time in seconds, if the task itself gives it.
    pub(super) fn seconds(&self) -> Option<f64> {
        self.runtime_in_seconds.or(self.runtime)
    }
}

/// A file that a task uses, up to 1.4.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UsedFile<'a> {
    #[serde(borrow, alias = "name")]
    pub(super) id: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) link: Cow<'a, str>,
    size: Option<Number>,
    size_in_bytes: Option<Number>,
}

impl UsedFile<'_> {
    /// The size in bytes, if it is given.
    pub(super) fn bytes(&self) -> Option<Result<u64, String>> {
        self.size_in_bytes.as_ref().or(self.size.as_ref()).map(json_bytes)
    }
}

/// A file with its size, from 1.5 on.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SizedFile<'a> {
    #[serde(borrow)]
    pub(super) id: Cow<'a, str>,
    size_in_bytes: Number,
}

impl SizedFile<'_> {
    /// The size in bytes.
    pub(super) fn bytes(&self) -> Result<u64, String> {
        json_bytes(&self.size_in_bytes)
    }
}
