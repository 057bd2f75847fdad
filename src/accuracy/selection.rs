//! Selects measured points: `operation=bcast,algorithm=binomial`.

use std::fmt;
use std::str::FromStr;

use crate::fit::read::collectives::{Measurement, operation_name};
use crate::units::Bytes;

/// Conditions that a point meets all of.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Selection {
    conditions: Vec<Condition>,
    text: String,
}

/// A column, and the values of which it has one.
#[derive(Debug, Clone, PartialEq)]
struct Condition {
    column: Criterion,
    values: Vec<Values>,
}

/// What can be selected by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Criterion {
    System,
    Run,
    Library,
    Operation,
    Algorithm,
    Nodes,
    RanksPerNode,
    Ranks,
    Bytes,
}

const COLUMNS: &[(&str, Criterion)] = &[
    ("system", Criterion::System),
    ("run", Criterion::Run),
    ("library", Criterion::Library),
    ("operation", Criterion::Operation),
    ("algorithm", Criterion::Algorithm),
    ("nodes", Criterion::Nodes),
    ("ranks_per_node", Criterion::RanksPerNode),
    ("ranks", Criterion::Ranks),
    ("bytes", Criterion::Bytes),
];

/// A value, or all between two.
#[derive(Debug, Clone, PartialEq)]
enum Values {
    /// A name; a `*` at its end stands for any rest.
    Name(String),
    /// Numbers from one to another, both included.
    Numbers(u64, u64),
}

/// A text that selects nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} selects no points: {why}")]
pub struct SelectionError {
    text: String,
    why: String,
}

impl Selection {
    /// Whether a point meets all conditions.
    #[must_use]
    pub fn takes(&self, point: &Measurement) -> bool {
        self.conditions.iter().all(|condition| condition.takes(point))
    }
}

/// Whether one of several selections takes a point; without any, all are taken.
#[must_use]
pub fn selected(selections: &[Selection], point: &Measurement) -> bool {
    selections.is_empty() || selections.iter().any(|selection| selection.takes(point))
}

impl Condition {
    fn takes(&self, point: &Measurement) -> bool {
        let name = |text: &str| {
            self.values.iter().any(|value| match value {
                Values::Name(name) => name.strip_suffix('*').map_or(text == name, |start| text.starts_with(start)),
                Values::Numbers(..) => false,
            })
        };
        let number = |number: u64| {
            self.values
                .iter()
                .any(|value| matches!(value, Values::Numbers(low, high) if (*low..=*high).contains(&number)))
        };
        match self.column {
            Criterion::System => name(&point.system),
            Criterion::Run => name(&point.run),
            Criterion::Library => name(&point.library),
            Criterion::Operation => name(&point.operation),
            Criterion::Algorithm => {
                let measured = name(&point.algorithm) || name(point.bare_algorithm());
                measured || point.model.as_ref().is_some_and(|model| name(model.algorithm()))
            }
            Criterion::Nodes => number(point.nodes.into()),
            Criterion::RanksPerNode => number(point.ranks_per_node.into()),
            Criterion::Ranks => number(point.ranks()),
            Criterion::Bytes => number(point.bytes),
        }
    }
}

impl Criterion {
    const fn is_number(self) -> bool {
        matches!(self, Self::Nodes | Self::RanksPerNode | Self::Ranks | Self::Bytes)
    }

    fn number(self, text: &str) -> Result<u64, String> {
        let plain = text.parse::<u64>().ok();
        let bytes = || text.parse::<Bytes>().ok().filter(|_| self == Self::Bytes).map(Bytes::count);
        plain.or_else(bytes).ok_or_else(|| match self {
            Self::Bytes => format!("{text:?} is not a number of bytes, such as 64KiB"),
            _ => format!("{text:?} is not a whole number"),
        })
    }

    fn values(self, text: &str) -> Result<Values, String> {
        if !self.is_number() {
            let known = (self == Self::Operation).then(|| operation_name(text)).flatten();
            return Ok(Values::Name(known.unwrap_or(text).to_owned()));
        }
        match text.split_once("..") {
            None => self.number(text).map(|number| Values::Numbers(number, number)),
            Some((low, high)) => {
                let low = if low.is_empty() { 0 } else { self.number(low)? };
                let high = if high.is_empty() { u64::MAX } else { self.number(high)? };
                if low <= high { Ok(Values::Numbers(low, high)) } else { Err(format!("{text:?} is empty")) }
            }
        }
    }
}

impl FromStr for Selection {
    type Err = SelectionError;

    /// Reads `column=value,…`; a value may be several (`bcast|reduce`), a name with any rest (`binomial*`), or numbers
    /// from one to another (`64KiB..1MiB`, both included, each of which may be left out).
    fn from_str(text: &str) -> Result<Self, SelectionError> {
        let condition = |part: &str| {
            let Some((column, values)) = part.split_once('=') else {
                return Err(format!("{part:?} is not column=value"));
            };
            let found = COLUMNS.iter().find(|(name, _)| *name == column.trim());
            let Some(&(_, column)) = found else {
                let known: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
                return Err(format!("there is no column {:?}; expected one of {}", column.trim(), known.join(", ")));
            };
            let values = values.split('|').map(|value| column.values(value.trim())).collect::<Result<_, _>>()?;
            Ok(Condition { column, values })
        };
        let conditions = text.split(',').map(condition).collect::<Result<_, _>>();
        let conditions = conditions.map_err(|why| SelectionError { text: text.to_owned(), why })?;
        Ok(Self { conditions, text: text.to_owned() })
    }
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::read::collectives::{GivenColumns, read};

    #[test]
    fn columns_values_and_ranges() {
        let rows = "system,operation,algorithm,nodes,ranks_per_node,bytes,time_s\nmn5,bcast,binomial_ompi,32,1,65536,1\n\
            mn5,bcast,knomial_ompi,32,2,8,1\nlumi,allgather,ring_ompi,100,1,1048576,1\nlumi,gossip,x,8,1,0,1\n";
        let points = read(rows, &GivenColumns::default()).unwrap().points;
        let taken = |text: &str| -> Vec<usize> {
            let selection: Selection = text.parse().unwrap();
            points.iter().filter(|point| selection.takes(point)).map(|point| point.line - 2).collect()
        };
        assert_eq!(taken("operation=bcast"), [0, 1]);
        assert_eq!(taken("operation=broadcast|all_gather, nodes=32..100"), [0, 1, 2]);
        assert_eq!(taken("operation=gossip"), [3]);
        // By hetsim's name, by the file's, and by a beginning.
        assert_eq!(taken("algorithm=binomial"), [0]);
        assert_eq!(taken("algorithm=k_nomial|ring_ompi"), [1, 2]);
        assert_eq!(taken("algorithm=bin*"), [0]);
        assert_eq!(taken("bytes=64KiB..1MiB"), [0, 2]);
        assert_eq!(taken("bytes=..8"), [1, 3]);
        assert_eq!(taken("ranks=64.."), [1, 2]);
        assert_eq!(taken("system=lumi,bytes=1.."), [2]);
        assert!(selected(&[], &points[0]));
        let two: Vec<Selection> = ["operation=gossip", "bytes=8"].iter().map(|text| text.parse().unwrap()).collect();
        assert_eq!(points.iter().filter(|point| selected(&two, point)).count(), 2);
    }

    #[test]
    fn what_selects_nothing_says_why() {
        for (text, word) in [
            ("bcast", "column=value"),
            ("colour=red", "expected one of system, run"),
            ("nodes=many", "whole number"),
            ("bytes=1..big", "number of bytes"),
            ("bytes=9..8", "empty"),
        ] {
            let error = text.parse::<Selection>().unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }
}
