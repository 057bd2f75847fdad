//! A CSV with a row per test.

use super::{GivenColumns, Measurement, ReadError, is_default, modelled, names, number, size, spread};
use crate::read::table::{RowLength, TableReader, doubled};

/// A column of the file, or what is given in its place.
enum ColumnSource<'g> {
    /// Its place, from 0; its name; how many of its unit are a second.
    Place {
        place: usize,
        name: String,
        unit: f64,
    },
    Given(&'g str),
    Absent,
}

/// Names of columns, as in a file's first row.
fn titles<'t>(row: impl Iterator<Item = &'t str>) -> Vec<String> {
    row.map(|name| name.trim().trim_matches('"').to_lowercase()).collect()
}

/// Whether the first row of a file has a column of operations.
fn names_operations(first: &str) -> bool {
    titles(first.split(',')).iter().any(|title| names().columns["operation"].contains(title))
}

/// Whether the row of a file's columns begins a table that [`read`] reads.
pub(super) fn is_table(first: &str, given: &GivenColumns) -> bool {
    first.contains(',') && (names_operations(first) || given.get("operation").is_some())
}

/// The given columns that a file with this first row has itself, each with the part of the file that says it.
pub(super) fn repeated(first: &str, given: &GivenColumns) -> Vec<(&'static str, String)> {
    let titles = titles(first.split(','));
    let title = |column: &str| {
        let mut accepted = names().columns.get(column).into_iter().flatten();
        accepted.find(|name| titles.contains(name)).map(|name| format!("column `{name}`"))
    };
    given.columns.iter().filter_map(|(column, _)| Some((*column, title(column)?))).collect()
}

/// Whether a column of this title is read.
fn is_known(title: &str) -> bool {
    let is_time = |unit: &String| {
        let bare = title.strip_suffix(unit.as_str());
        bare.is_some_and(|bare| names().times.values().flatten().any(|name| name == bare))
    };
    names().columns.values().flatten().any(|name| name == title) || names().units.keys().any(is_time)
}

/// Columns that decide what is predicted.
const DECISIVE: [&str; 6] = ["operation", "algorithm", "buffer_bytes", "nodes", "ranks_per_node", "ranks"];

/// The titles of each thing that has one column only: a decisive one, and a time in any unit.
fn alternatives() -> impl Iterator<Item = Vec<String>> {
    let decisive = DECISIVE.iter().filter_map(|column| names().columns.get(*column).cloned());
    let in_units = |name: &String| names().units.keys().map(|unit| format!("{name}{unit}")).collect();
    decisive.chain(names().times.values().flatten().map(in_units))
}

/// The columns of a file.
struct CollectiveColumns<'g> {
    titles: Vec<String>,
    given: &'g GivenColumns,
    heading: usize,
}

impl<'g> CollectiveColumns<'g> {
    /// Refuses two columns of one title or for one thing: nothing says which of them is meant.
    fn check(&self) -> Result<(), ReadError> {
        for (place, title) in self.titles.iter().enumerate().filter(|(_, title)| is_known(title)) {
            if let Some(first) = self.titles[..place].iter().position(|other| other == title) {
                let message = format!("columns {} and {} are both called `{title}`", first + 1, place + 1);
                return Err(ReadError::at(self.heading, message));
            }
        }
        let found = alternatives().find_map(|one| doubled(&self.titles, |title| one.iter().any(|name| name == title)));
        found.map_or(Ok(()), |message| Err(ReadError::at(self.heading, message)))
    }

    /// The column without a unit.
    fn plain(&self, column: &str) -> ColumnSource<'g> {
        // Of several accepted names the first that the file has.
        let mut accepted = names().columns.get(column).into_iter().flatten();
        let found = accepted.find_map(|name| self.titles.iter().position(|title| title == name));
        match (found, self.given.get(column)) {
            (Some(place), _) => ColumnSource::Place { place, name: self.titles[place].clone(), unit: 1.0 },
            (None, Some(value)) => ColumnSource::Given(value),
            (None, None) => ColumnSource::Absent,
        }
    }

    /// The column of times.
    fn time(&self, column: &str) -> Result<ColumnSource<'g>, ReadError> {
        let accepted = names().times.get(column).into_iter().flatten();
        for name in accepted {
            for (unit, factor) in &names().units {
                let titled = format!("{name}{unit}");
                if let Some(place) = self.titles.iter().position(|title| *title == titled) {
                    return Ok(ColumnSource::Place { place, name: titled, unit: *factor });
                }
            }
            if self.titles.contains(name) {
                let message = format!(
                    "the column `{name}` does not end with a unit: {name}_s, {name}_ms, {name}_us or {name}_ns"
                );
                return Err(ReadError::at(self.heading, message));
            }
        }
        Ok(ColumnSource::Absent)
    }

    /// The same of a column that the file must have.
    fn needed(&self, column: &str, found: ColumnSource<'g>, unit: &str) -> Result<ColumnSource<'g>, ReadError> {
        match found {
            ColumnSource::Absent => {
                let message = format!("there is no column `{column}{unit}`, and it is not given");
                Err(ReadError::at(self.heading, message))
            }
            found => Ok(found),
        }
    }
}

/// The row that the table is at.
struct CollectiveRow<'t, 'x>(&'t TableReader<&'x [u8]>);

impl CollectiveRow<'_, '_> {
    /// The text of a column, blank if the file has no such column.
    fn text<'a>(&'a self, column: &'a ColumnSource<'_>) -> Result<&'a str, ReadError> {
        match column {
            ColumnSource::Absent => Ok(""),
            ColumnSource::Given(value) => Ok(value),
            ColumnSource::Place { place, .. } => self.0.given(*place),
        }
    }

    /// How a message names a column.
    fn name(column: &ColumnSource<'_>) -> String {
        match column {
            ColumnSource::Place { place, name, .. } => format!("column {} (`{name}`)", place + 1),
            ColumnSource::Given(_) | ColumnSource::Absent => "the given value".to_owned(),
        }
    }

    fn seconds(&self, column: &ColumnSource<'_>) -> Result<Option<f64>, ReadError> {
        let (text, unit) = match column {
            ColumnSource::Place { unit, .. } => (self.text(column)?, *unit),
            ColumnSource::Given(_) | ColumnSource::Absent => return Ok(None),
        };
        if text.is_empty() { Ok(None) } else { Ok(Some(number(text, &Self::name(column), self.0.line())? / unit)) }
    }

    /// A whole number of at least `least`; nothing if the cell is blank.
    fn count(&self, column: &ColumnSource<'_>, least: u64) -> Result<Option<u64>, ReadError> {
        let text = self.text(column)?;
        match text.parse::<u64>() {
            _ if text.is_empty() => Ok(None),
            Ok(count) if count >= least => Ok(Some(count)),
            _ => {
                let message = format!("{} is not a whole number from {least}: {text:?}", Self::name(column));
                Err(self.0.error(message))
            }
        }
    }

    /// The same, of nodes or ranks.
    fn some_ranks(&self, column: &ColumnSource<'_>) -> Result<Option<u32>, ReadError> {
        let Some(count) = self.count(column, 1)? else { return Ok(None) };
        let too_many = |_| self.0.error(format!("{} is more than hetsim can number: {count}", Self::name(column)));
        u32::try_from(count).map(Some).map_err(too_many)
    }

    /// The same; 1 if the cell is blank.
    fn ranks(&self, column: &ColumnSource<'_>) -> Result<u32, ReadError> {
        Ok(self.some_ranks(column)?.unwrap_or(1))
    }

    /// What must be there.
    fn needed<T>(&self, column: &ColumnSource<'_>, found: Option<T>) -> Result<T, ReadError> {
        found.ok_or_else(|| self.0.error(format!("{} is blank", Self::name(column))))
    }

    /// The ranks on each of so many nodes: of a column of their own, or a part of all ranks.
    fn ranks_per_node(
        &self,
        ranks_per_node: &ColumnSource<'_>,
        ranks: &ColumnSource<'_>,
        nodes: u32,
    ) -> Result<u32, ReadError> {
        if !matches!(ranks_per_node, ColumnSource::Absent) || matches!(ranks, ColumnSource::Absent) {
            return self.ranks(ranks_per_node);
        }
        let all = self.ranks(ranks)?;
        spread(all, nodes).map_err(|message| self.0.error(format!("{}: {message}", Self::name(ranks))))
    }
}

/// Reads the rows.
pub(super) fn read(text: &str, given: &GivenColumns) -> Result<Vec<Measurement>, ReadError> {
    let mut table = TableReader::of_commas(text.as_bytes(), RowLength::TitlesOrFewer)?;
    let columns =
        CollectiveColumns { titles: titles(table.titles().iter().map(String::as_str)), given, heading: table.line() };
    columns.check()?;
    let needed = |name: &str| columns.needed(name, columns.plain(name), "");
    let (operation, bytes, nodes) = (needed("operation")?, needed("buffer_bytes")?, needed("nodes")?);
    let median = columns.needed("median", columns.time("median")?, "_us")?;
    let (p10, p90) = (columns.time("p10")?, columns.time("p90")?);
    let [system, run, library, algorithm, ranks_per_node, ranks, iterations, over_ranks] =
        ["system", "run", "library", "algorithm", "ranks_per_node", "ranks", "iterations", "over_ranks"]
            .map(|name| columns.plain(name));
    let mut points = Vec::new();
    while table.advance()? {
        let (row, line) = (CollectiveRow(&table), table.line());
        let (measured, named) = (row.text(&operation)?, row.text(&algorithm)?);
        let algorithm = if named.is_empty() { "default" } else { named };
        let nodes = row.needed(&nodes, row.some_ranks(&nodes)?)?;
        let ranks_per_node = row.ranks_per_node(&ranks_per_node, &ranks, nodes)?;
        let ranks = u64::from(nodes) * u64::from(ranks_per_node);
        let over_ranks = row
            .text(&over_ranks)?
            .parse()
            .map_err(|error| table.error(format!("{}: {error}", CollectiveRow::name(&over_ranks))))?;
        let bytes = size(row.text(&bytes)?, line)
            .map_err(|error| table.error(format!("{}: {}", CollectiveRow::name(&bytes), error.message)))?;
        let known = names().operation(measured);
        let model = known.and_then(|(name, entry)| modelled((name, entry), algorithm, bytes, ranks, over_ranks));
        points.push(Measurement {
            line,
            system: row.text(&system)?.to_owned(),
            run: row.text(&run)?.to_owned(),
            nodes,
            ranks_per_node,
            library: row.text(&library)?.to_owned(),
            operation: known.map_or(measured, |(name, _)| name).to_owned(),
            algorithm: algorithm.to_owned(),
            bytes,
            median: row.needed(&median, row.seconds(&median)?)?,
            p10: row.seconds(&p10)?,
            p90: row.seconds(&p90)?,
            iterations: row.count(&iterations, 1)?,
            over_ranks,
            model,
            is_default: is_default(algorithm),
        });
    }
    Ok(points)
}
