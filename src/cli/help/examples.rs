//! The examples below the help of a command, laid out for a width.

use std::fmt::Write;

/// How every example begins.
const EXAMPLE: &str = "  hetsim ";

/// The column up to which descriptions stay beside their examples where they do not fit into a line.
const BESIDE: usize = 40;

/// The indentation of what continues an example, and of a description below it.
const BELOW: usize = 6;

/// A text with its examples in lines of at most `width` characters: descriptions are wrapped, and long commands continue
/// behind a backslash, as a shell reads them.
pub(super) fn fitted(text: &str, width: usize) -> String {
    let mut lines = String::new();
    for line in text.lines() {
        if !line.starts_with(EXAMPLE) || line.chars().count() <= width {
            let _ = writeln!(lines, "{line}");
            continue;
        }
        let (command, described) = line.trim_start().split_once("  ").unwrap_or((line.trim_start(), ""));
        let description = described.trim_start();
        let column = line.chars().count() - description.chars().count();
        if column <= BESIDE {
            let wrapped = wrapped(description.split(' '), width, column, "");
            let _ = writeln!(lines, "  {command:0$}{1}", column - 2, wrapped.trim_start());
            continue;
        }
        // An option stays with its value.
        let options = command.match_indices(" --").map(|(at, _)| at);
        let starts = std::iter::once(0).chain(options.clone().map(|at| at + 1));
        let parts = starts.zip(options.chain([command.len()])).map(|(start, end)| &command[start..end]);
        let _ = writeln!(lines, "  {}", wrapped(parts, width - 2, BELOW, " \\").trim_start());
        if !description.is_empty() {
            let _ = writeln!(lines, "{}", wrapped(description.split(' '), width, BELOW, ""));
        }
    }
    lines
}

/// Wraps parts of a text to lines of at most `width` characters, each indented by `indent` and all but the last with an `end`.
fn wrapped<'a>(parts: impl Iterator<Item = &'a str>, width: usize, indent: usize, end: &str) -> String {
    let (mut lines, mut column) = (String::new(), usize::MAX);
    for part in parts {
        let length = part.chars().count();
        if column.saturating_add(1 + length) <= width {
            lines.push(' ');
            column += 1 + length;
        } else {
            if !lines.is_empty() {
                let _ = writeln!(lines, "{end}");
            }
            let _ = write!(lines, "{:indent$}", "");
            column = indent + length;
        }
        lines.push_str(part);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_fit_the_width() {
        let text = "Examples:\n  hetsim list metrics   what runs measure: unit, and whether less or more is better\n  \
            hetsim calibrate measured.csv --platform p.toml --free network.latency   a platform that explains\n  \
            hetsim list           everything\n\nText of any length stays as it is, since it is wrapped by the parser of arguments.\n";
        assert_eq!(
            fitted(text, 60),
            "Examples:\n  hetsim list metrics   what runs measure: unit, and whether\n                        less or more is better\n  \
             hetsim calibrate measured.csv --platform p.toml \\\n      --free network.latency\n      a platform that explains\n  \
             hetsim list           everything\n\nText of any length stays as it is, since it is wrapped by the parser of arguments.\n"
        );
    }
}
