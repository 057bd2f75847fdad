//! The map of an operation: the fastest algorithm by size and number of ranks.

use super::{Choice, KNOWN, along, on_nodes, ranks_of, size, source};
use crate::communication::Operation;
use crate::report::chart::{Border, Cells, Heatmap};

/// The map of one operation; the most ranks are above.
///
/// `choices` go by operation, rising ranks and rising size; `platform` is its name.
#[must_use]
pub fn map(choices: &[Choice], operation: Operation, platform: &str) -> Heatmap {
    let mut ranks = ranks_of(choices, operation);
    ranks.reverse();
    let bytes: Vec<u64> = ranks
        .first()
        .map(|&most| along(choices, operation, most).map(|choice| choice.bytes).collect())
        .unwrap_or_default();
    let mut cells = Vec::new();
    for &ranks in &ranks {
        let mut row = vec![None; bytes.len()];
        for choice in along(choices, operation, ranks) {
            let place = bytes.iter().position(|&bytes| bytes == choice.bytes);
            if let (Some(fastest), Some(place)) = (choice.fastest(), place) {
                row[place] = Some(fastest.candidate.method.to_string());
            }
        }
        cells.push(row);
    }
    let mut borders = Vec::new();
    for (row, &ranks) in ranks.iter().enumerate() {
        for (_, library) in KNOWN {
            let own = |bytes: u64| library.choose(operation, ranks, bytes).algorithm;
            let changes = (1..bytes.len()).filter(|&column| own(bytes[column - 1]) != own(bytes[column]));
            borders.extend(changes.map(|column| Border { label: library.about().to_owned(), column, row: Some(row) }));
        }
    }
    // One order of the labels, so that a library has the same line on every map.
    borders.sort_by(|a, b| a.label.cmp(&b.label));
    let lines = if borders.is_empty() { "" } else { "; lines: where MPI libraries change their algorithm" };
    let columns = match operation {
        Operation::Barrier => vec!["any".to_owned(); bytes.len()],
        _ => bytes.iter().map(|&bytes| size(bytes)).collect(),
    };
    let is_tied = |choice: &Choice| choice.operation == operation && !choice.rivals().is_empty();
    let (ties, all) =
        (choices.iter().filter(|choice| is_tied(choice)).count(), cells.iter().flatten().flatten().count());
    let ties = if ties > 0 { format!("; no clear winner in {ties} of {all}") } else { String::new() };
    Heatmap {
        title: format!("The fastest {} on {platform}", operation.name().replace('_', "-")),
        subtitle: Some(format!("{}{}{ties}{lines}", source(choices), on_nodes(choices))),
        x_label: of_size(operation).to_owned(),
        y_label: "ranks".to_owned(),
        columns,
        rows: ranks.iter().map(ToString::to_string).collect(),
        cells: Cells::named(cells),
        borders,
        frames: Vec::new(),
    }
}

/// What the size of an operation is the size of.
const fn of_size(operation: Operation) -> &'static str {
    match operation {
        Operation::AllReduce | Operation::Reduce => "vector",
        Operation::Broadcast => "message",
        Operation::AllGather | Operation::Gather => "block of a rank",
        Operation::AllToAll | Operation::Scatter => "block for each rank",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::communication::Algorithm;
    use crate::report::advise::tests::choice;

    /// As the tables of the libraries say: Open MPI 4.1 leaves recursive doubling for an all-reduce of 4 KiB among 16 ranks,
    /// MPICH 4.2 takes another one from 64 B on, four bytes a rank.
    #[test]
    fn lines_are_where_the_tables_of_libraries_change() {
        let choices: Vec<Choice> =
            (4..14).map(|power| choice(Operation::AllReduce, 16, 1 << power, &[(Algorithm::Ring, 1.0)])).collect();
        let map = map(&choices, Operation::AllReduce, "lab");
        let lines: Vec<(&str, &str)> =
            map.borders.iter().map(|border| (border.label.as_str(), map.columns[border.column].as_str())).collect();
        assert_eq!(lines, [("MPICH 4.2", "64\u{a0}B"), ("Open MPI 4.1", "4\u{a0}KiB")]);
    }
}
