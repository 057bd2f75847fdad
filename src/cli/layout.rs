//! Lays out tables as text of a given width. Words and numbers are never broken: if there is not enough room, headings
//! and word cells wrap, and then further columns move to a block below, which repeats the key columns.

use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle, Width};

use crate::report::text::TextTable;

/// A rule under the headings, and no other lines.
const RULED: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// The padding of a column on both sides together.
const SIDES: usize = 2;

/// The padding plus the separator of two columns.
const GAP: usize = SIDES + 1;

/// A table as text, in lines of at most `width` characters where words are short enough; where it is not to be split
/// into blocks, and its words and numbers need more, its lines are longer.
pub(super) fn layout(table: &TextTable, width: usize, is_split: bool) -> String {
    let columns: Vec<ColumnWidth> =
        (0..table.columns.len()).map(|index| ColumnWidth::of(table, index, width)).collect();
    let keys = table.key_columns().min(columns.len());
    let blocks = if is_split { blocks(&columns, keys, width) } else { vec![(0..columns.len()).collect()] };
    let text: Vec<String> = blocks.iter().map(|block| rendered(table, &columns, block, keys, width)).collect();
    text.join("\n\n")
}

/// The room that a column needs, without its padding.
#[derive(Debug, Clone)]
struct ColumnWidth {
    /// The length of its longest word, or number with its unit.
    least: usize,
    /// The cost of wrapping at the least width and at each larger one until nothing wraps or there is no more room: the
    /// sum of the squared numbers of lines, so that a tall heading costs more than several cells of two lines.
    broken: Vec<usize>,
    /// Whether its cells are numbers.
    is_numeric: bool,
}

impl ColumnWidth {
    fn of(table: &TextTable, index: usize, room: usize) -> Self {
        let cells = || table.rows.iter().filter_map(|row| row.get(index)).map(String::as_str);
        let heading = table.columns[index].as_str();
        let longest_word = |text: &str| text.split(' ').map(length).max().unwrap_or(0);
        // Numeric cells are never broken, even at blanks.
        let is_numeric = is_numeric(cells());
        let least_cell = |text: &str| if is_numeric { length(text) } else { longest_word(text) };
        let least = cells().map(least_cell).chain([longest_word(heading)]).max().unwrap_or(0);
        let most = cells().chain([heading]).map(length).max().unwrap_or(0).max(least);
        let lines = |text: &str, width: usize| in_lines(text, width).matches('\n').count() + 1;
        let broken = |width: usize| cells().chain([heading]).map(|text| lines(text, width).pow(2)).sum();
        let widest = most.min(room).max(least);
        Self { least, broken: (least..=widest).map(broken).collect(), is_numeric }
    }

    /// The widening from a width, within some room, with the greatest gain per character, and that gain.
    fn widening(&self, width: usize, room: usize) -> Option<(f64, usize)> {
        let from = &self.broken[width - self.least..];
        let gain = |step: usize| (from[0].saturating_sub(from[step]) as f64 / step as f64, step);
        let gains = (1..from.len().min(room + 1)).map(gain).filter(|(gain, _)| *gain > 0.0);
        gains.max_by(|a, b| a.0.total_cmp(&b.0))
    }
}

fn length(text: &str) -> usize {
    text.chars().count()
}

fn is_numeric<'a>(cells: impl Iterator<Item = &'a str>) -> bool {
    let mut cells = cells.filter(|cell| !cell.is_empty()).peekable();
    let is_number =
        |cell: &str| cell.starts_with(|c: char| c.is_ascii_digit() || "+-−(".contains(c)) && !cell.contains(['=', '≈']);
    cells.peek().is_some() && cells.all(is_number)
}

/// The columns of each block by their indices: the key columns, and as many of the others as fit beside them.
fn blocks(columns: &[ColumnWidth], keys: usize, width: usize) -> Vec<Vec<usize>> {
    // There is no gap behind the last column.
    let (least, width) = (|index: usize| columns[index].least + GAP, width + 1);
    let of_keys: usize = (0..keys).map(least).sum();
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    let mut room = 0;
    for index in keys..columns.len() {
        match blocks.last_mut() {
            Some(block) if least(index) <= room => {
                block.push(index);
                room -= least(index);
            }
            _ => {
                blocks.push((0..keys).chain([index]).collect());
                room = width.saturating_sub(of_keys + least(index));
            }
        }
    }
    if blocks.is_empty() { vec![(0..columns.len()).collect()] } else { blocks }
}

/// The widths of the columns in a block: their minimum, plus the remaining room where it saves the most lines. If they are
/// too wide even so, the widest column is not counted: the others can have the room that it would not leave them.
fn widths(columns: &[ColumnWidth], block: &[usize], width: usize) -> Vec<usize> {
    let mut widths: Vec<usize> = block.iter().map(|&index| columns[index].least).collect();
    let needed: usize = widths.iter().map(|width| width + GAP).sum();
    let widest = (0..widths.len()).max_by_key(|&place| widths[place]).filter(|_| needed > width + 1);
    let mut room = (width + 1).saturating_sub(needed - widest.map_or(0, |place| widths[place] + GAP));
    loop {
        let others = widths.iter().enumerate().filter(|(place, _)| Some(*place) != widest);
        let gains = others.filter_map(|(place, &width)| {
            columns[block[place]].widening(width, room).map(|(gain, step)| (gain, place, step))
        });
        let Some((_, place, step)) = gains.max_by(|a, b| a.0.total_cmp(&b.0)) else { return widths };
        widths[place] += step;
        room -= step;
    }
}

/// A block of columns as text.
fn rendered(table: &TextTable, columns: &[ColumnWidth], block: &[usize], keys: usize, width: usize) -> String {
    let widths = widths(columns, block, width);
    let mut sheet = Table::new();
    sheet.load_style(RULED).set_content_arrangement(ContentArrangement::Disabled);
    let cell = |row: &[String], (&index, &width): (&usize, &usize)| {
        Cell::new(row.get(index).map(|text| in_lines(text, width)).unwrap_or_default())
    };
    sheet.set_header(block.iter().zip(&widths).map(|column| cell(&table.columns, column)));
    for row in &table.rows {
        sheet.add_row(block.iter().zip(&widths).map(|column| cell(row, column)));
    }
    for (place, column) in sheet.column_iter_mut().enumerate() {
        if let Some(width) = widths.get(place).and_then(|&width| u16::try_from(width + SIDES).ok()) {
            column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(width)));
        }
        if place > 0 && columns[block[place]].is_numeric {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let text = sheet.to_string();
    let lines = text.lines().map(str::trim_end);
    let head = table.over.as_ref().map(|over| {
        let keys: usize = widths.iter().take(keys).map(|width| width + GAP).sum();
        format!("{}{over}", " ".repeat(keys + 1))
    });
    head.iter().map(String::as_str).chain(lines).collect::<Vec<_>>().join("\n")
}

/// Wraps text to this many characters; longer words stay whole.
fn in_lines(text: &str, width: usize) -> String {
    let mut lines = String::new();
    let mut room = 0;
    for word in text.split(' ') {
        let needed = length(word);
        if lines.is_empty() {
            room = width.saturating_sub(needed);
        } else if needed < room {
            lines.push(' ');
            room -= needed + 1;
        } else {
            lines.push('\n');
            room = width.saturating_sub(needed);
        }
        lines.push_str(word);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| word.replace('_', "\u{a0}")).collect()
    }

    fn wide() -> TextTable {
        TextTable {
            columns: words(&["topology", "false", "true", "a heading of words", "speedup", "late", "last"]),
            rows: vec![
                words(&["ring", "12.35_±_0.41_ms", "9.8_ms", "factoring2 ≈ guided ≈ static", "0.985", "1_ms", "2"]),
                words(&["complete", "7_ms", "", "adaptive", "10.5", "100_ms", "3"]),
            ],
            over: Some("synchronous".to_owned()),
            ..TextTable::default()
        }
    }

    /// A number of 90 characters is too wide for any terminal: narrowing the column before it would help nobody.
    #[test]
    fn a_column_that_is_too_wide_leaves_the_others_theirs() {
        let table = TextTable {
            columns: words(&["what", "value"]),
            rows: vec![words(&["the formula of least squares", &"1_+_".repeat(30)]), words(&["its error", "3_%"])],
            ..TextTable::default()
        };
        for is_split in [false, true] {
            let text = layout(&table, 80, is_split);
            assert_eq!((text.lines().count(), text.contains("the formula of least squares")), (4, true), "{text}");
        }
    }

    #[test]
    fn no_width_breaks_a_number_or_a_word() {
        let table = wide();
        let pieces: Vec<&str> =
            table.rows.iter().flatten().chain(&table.columns).flat_map(|cell| cell.split(' ')).collect();
        assert_eq!(layout(&table, 10, false).matches("topology").count(), 1, "one block");
        for width in 10..120 {
            let text = layout(&table, width, true);
            for piece in &pieces {
                assert!(text.contains(piece), "{piece} at {width}:\n{text}");
            }
            let longest = text.lines().map(length).max().unwrap_or(0);
            // The key column, and the longest cell beside it.
            assert!(longest <= width.max(11 + 17), "{longest} at {width}:\n{text}");
        }
    }
}
