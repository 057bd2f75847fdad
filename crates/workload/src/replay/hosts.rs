//! Reading the nodes of ranks from a file: a line for each rank.

use super::trace::TraceError;

/// Reads the numbers of nodes, rank by rank.
///
/// # Errors
/// The first line that holds no number of a node.
pub fn read_hosts(text: &str) -> Result<Vec<u32>, TraceError> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let lines = lines.zip(1..).filter(|(text, _)| !text.is_empty());
    let number = |(text, line): (&str, usize)| {
        let message = || format!("`{text}` is not the number of a node: a line has that of a rank, rank 0 first");
        text.parse().map_err(|_| TraceError { line, message: message() })
    };
    lines.map(number).collect()
}
