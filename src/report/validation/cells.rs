//! What the cells of tables of validations have in common.

use crate::report::text::TextTable;

/// A share in per cent, with a minus as people write it; nothing for none.
pub(super) fn percent(share: Option<f64>) -> String {
    share.map_or_else(String::new, |share| {
        let percent = 100.0 * share;
        // What is rounded to zero has no sign.
        let digits = usize::from(percent.abs() < 99.95);
        let percent = if percent.abs() < 0.05 { 0.0 } else { percent };
        format!("{percent:.digits$}").replace('-', "−")
    })
}

/// The same without columns that no row has a value for.
pub(super) fn without_blank_columns(mut table: TextTable) -> TextTable {
    let is_kept: Vec<bool> =
        (0..table.columns.len()).map(|column| table.rows.iter().any(|row| !row[column].is_empty())).collect();
    for cells in table.rows.iter_mut().chain([&mut table.columns]) {
        let mut kept = is_kept.iter();
        cells.retain(|_| kept.next().is_some_and(|kept| *kept));
    }
    table
}
