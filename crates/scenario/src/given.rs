//! Values that a CSV file gives for points of a sweep, such as the known optima of instances: what a `[[derive]]`
//! compares a metric with.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::csv::records;
use super::filter::axis_number;
use super::references::References;
use super::scalar::Scalar;
use super::sweep::{Axis, Choices};
use hetsim_text::{Node, Problem, suggest};

/// The values of a file, by the values of some swept keys.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Given {
    /// The axes by which a value is found.
    axes: Vec<usize>,
    /// The number of the value on each of these axes, to what is given there.
    values: HashMap<Vec<u32>, f64>,
}

impl Given {
    /// What is given for a point: by the number of its value on every axis of the sweep.
    #[must_use]
    pub fn at(&self, choices: &Choices) -> Option<f64> {
        let key: Option<Vec<u32>> = self.axes.iter().map(|&axis| choices.get(axis).copied()).collect();
        self.values.get(&key?).copied()
    }
}

impl References<'_> {
    /// Reads the file that the key `file` of a table names: the values in a column, found by the swept keys to columns
    /// of `by`, or by all columns that are named like a swept key.
    pub fn given(&mut self, at: &str, column: &str, by: &BTreeMap<String, String>) -> Option<Given> {
        let (path, named) = self.file_at(&format!("{at}.file"))?;
        let read = read(&path, named, (column, by), self.axes);
        read.map_err(|problem| self.push(problem)).ok()
    }
}

fn read(
    path: &Path,
    named: &Node,
    (of, by): (&str, &BTreeMap<String, String>),
    axes: &[Axis],
) -> Result<Given, Problem> {
    let fault = |what: String| Problem::at(&named.place, format!("{}{what}", path.display()));
    let records = records(path, named)?;
    let Some(((_, header), rows)) = records.split_first() else { return Err(fault(": the file is empty".to_owned())) };
    let columns: Vec<&str> = header.iter().collect();
    let column = |name: &str| {
        let unknown = || fault(format!(": there is no column `{name}`")).with_help(suggest(name, &columns));
        columns.iter().position(|column| *column == name).ok_or_else(unknown)
    };
    let value = column(of)?;
    let keys: Vec<(usize, usize)> = if by.is_empty() {
        let named = |(column, name): (usize, &&str)| Some((axis_number(axes, name)?, column));
        columns.iter().enumerate().filter_map(named).collect()
    } else {
        let named = by.iter().filter_map(|(key, name)| Some((axis_number(axes, key)?, name)));
        named.map(|(axis, name)| Ok((axis, column(name)?))).collect::<Result<_, Problem>>()?
    };
    if keys.is_empty() {
        let swept: Vec<&str> = axes.iter().map(|axis| axis.name.as_str()).collect();
        let help = format!("say by = {{ key = \"column\" }}; swept keys are: {}", swept.join(", "));
        return Err(fault(": no column is named like a swept key".to_owned()).with_help(help));
    }
    let mut values = HashMap::new();
    for (line, record) in rows {
        if record.len() != header.len() {
            let message = format!(", line {line}: {} cells where the header has {}", record.len(), header.len());
            return Err(fault(message));
        }
        if record[value].is_empty() {
            continue;
        }
        let number = record[value].parse::<f64>().ok().filter(|number| number.is_finite());
        let number = number.ok_or_else(|| fault(format!(", line {line}: `{}` is not a number", &record[value])))?;
        // A row for values that the sweep does not have is of no concern here.
        let place: Option<Vec<u32>> =
            keys.iter().map(|&(axis, column)| Some(choice(&axes[axis], &record[column])? as u32)).collect();
        if let Some(place) = place
            && values.insert(place, number).is_some()
        {
            return Err(fault(format!(", line {line}: there is a row for the same values before")));
        }
    }
    if values.is_empty() {
        let by: Vec<&str> = keys.iter().map(|&(_, column)| columns[column]).collect();
        let message = format!(": no row is one of a point of the sweep, by {}", by.join(" and "));
        return Err(fault(message));
    }
    Ok(Given { axes: keys.into_iter().map(|(axis, _)| axis).collect(), values })
}

/// The number of the value of an axis that a cell means.
fn choice(axis: &Axis, cell: &str) -> Option<usize> {
    let number = cell.parse().ok().filter(|_| axis.is_numeric()).map(Scalar::Number);
    let written = number.unwrap_or_else(|| Scalar::Text(cell.to_owned()));
    axis.values.iter().position(|value| axis.is(value, &written))
}
