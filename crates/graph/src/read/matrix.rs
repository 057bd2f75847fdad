//! JSON of weights and edges, the form in which examples of papers circulate. The text is an object, or a list of
//! objects, with `edges` (a list of `[from, to, communication]`) and either `w` (a row of seconds for each task with an
//! entry for each of `processors`) or `weights` (one number per task). Other keys, such as published makespans, are
//! ignored.
//!
//! The operations of a task with a row are the mean of the row: seconds on a reference processor of one operation per
//! second. Communication becomes bytes, rounded to the nearest integer.

use serde::Deserialize;
use serde_json::Number;

use super::collector::Collector;
use super::error::NOWHERE;
use super::number::json_bytes;
use super::{Instance, ReadError, Reader};
use crate::CostMatrix;

/// The format's reader.
#[derive(Debug)]
pub(super) struct Matrix;

/// The JSON object of a graph.
#[derive(Debug, Deserialize)]
struct Document {
    name: Option<String>,
    processors: Option<u32>,
    w: Option<Vec<Vec<f64>>>,
    weights: Option<Vec<f64>>,
    edges: Vec<(u32, u32, Number)>,
}

impl Reader for Matrix {
    fn read(&self, text: &str) -> Result<Vec<Instance>, ReadError> {
        // Two attempts instead of one untagged type: serde would lose the position of errors.
        let json = |error: serde_json::Error| ReadError::json(text, &error);
        if text.trim_start().starts_with('[') {
            let all: Vec<Document> = serde_json::from_str(text).map_err(json)?;
            if all.is_empty() {
                return Err(ReadError::general("there is no graph in the list"));
            }
            let numbered = all.into_iter().enumerate();
            let read = numbered.map(|(index, written)| {
                let prefix = match &written.name {
                    Some(name) => format!("graph {name:?}"),
                    None => format!("graph {index} of the list"),
                };
                instance(text, written).map_err(|error| ReadError::general(format!("{prefix}: {}", error.message())))
            });
            return read.collect();
        }
        let written: Document = serde_json::from_str(text).map_err(json)?;
        Ok(vec![instance(text, written)?])
    }
}

/// Converts one graph. Errors name an edge or a row by its number, since serde_json keeps no positions.
fn instance(text: &str, written: Document) -> Result<Instance, ReadError> {
    let mut graph = Collector::new(text);
    let general = |what: &str, index: usize, message: &str| {
        ReadError::general(format!("`{what}`, item {index} (from 0): {message}"))
    };
    let matrix = match (written.w, written.weights) {
        (Some(rows), None) => Some(matrix(&rows, written.processors)?),
        (None, Some(weights)) => {
            for (index, &weight) in weights.iter().enumerate() {
                graph.task(weight, NOWHERE).map_err(|error| general("weights", index, error.message()))?;
            }
            None
        }
        _ => return Err(ReadError::general("expected either `w`, the matrix of costs, or `weights`")),
    };
    if let Some(matrix) = &matrix {
        for task in 0..matrix.tasks() as u32 {
            graph.task(matrix.mean(task), NOWHERE).map_err(|error| general("w", task as usize, error.message()))?;
        }
    }
    let tasks = graph.tasks();
    for (index, (from, to, data)) in written.edges.into_iter().enumerate() {
        if let Some(task) = [from, to].into_iter().find(|&task| task as usize >= tasks) {
            return Err(general(
                "edges",
                index,
                &format!("there is no task {task}; there are {tasks}, numbered from 0"),
            ));
        }
        let bytes = json_bytes(&data).map_err(|message| general("edges", index, &message))?;
        graph.edge(from, to, bytes, NOWHERE);
    }
    let graph = graph.build(&[], matrix)?;
    Ok(Instance { name: written.name, graph, notes: Vec::new(), timed: None, worked: None })
}

fn matrix(rows: &[Vec<f64>], processors: Option<u32>) -> Result<CostMatrix, ReadError> {
    let columns = rows.first().map_or(0, Vec::len);
    let columns = processors.map_or(columns, |processors| processors as usize);
    if let Some(index) = rows.iter().position(|row| row.len() != columns) {
        let message = format!("row {index} of `w` has {} values, not {columns}", rows[index].len());
        return Err(ReadError::general(message));
    }
    CostMatrix::new(columns as u32, rows.concat()).map_err(|error| ReadError::graph(&error))
}
