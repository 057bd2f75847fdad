//! Makes external texts safe to display: a terminal obeys control characters, and bidirectional marks change the order
//! in which a text is shown.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

/// `text` with a visible sign in place of each character that a terminal would obey instead of showing. Line feeds,
/// tabs, and carriage returns before line feeds stay.
///
/// A character stays one character, so columns and widths do not change.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|character| character == '\r' || is_obeyed(character)) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let ends_line = character == '\r' && characters.peek() == Some(&'\n');
        shown.push(if ends_line { character } else { visible(character) });
    }
    shown.into()
}

/// `text` for HTML and XML, safe in content and in quoted attributes: characters with a meaning there are replaced, and
/// those that neither allows become visible.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in printable(text).chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// A key of TOML: bare where it may be.
#[must_use]
pub fn toml_key(name: &str) -> String {
    let is_bare = |character: char| character.is_ascii_alphanumeric() || character == '_' || character == '-';
    if !name.is_empty() && name.chars().all(is_bare) { name.to_owned() } else { toml_string(name) }
}

/// A TOML basic string on one line.
#[must_use]
pub fn toml_string(string: &str) -> String {
    let mut text = String::from("\"");
    for character in string.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            control if control.is_control() => {
                // Writing to a string does not fail.
                let _ = write!(text, "\\u{:04X}", control as u32);
            }
            other => text.push(other),
        }
    }
    text.push('"');
    text
}

/// The whole characters of `text` that a span of bytes touches, wherever it begins and ends.
#[must_use]
pub fn characters(text: &str, span: &Range<usize>) -> Range<usize> {
    let start = text.floor_char_boundary(span.start);
    start..text.ceil_char_boundary(span.end).max(start)
}

/// `text` without its middle if it has more than `most` bytes: what it quotes may be of any length.
#[must_use]
pub fn shortened(text: String, most: usize) -> String {
    if text.len() <= most {
        return text;
    }
    let (start, end) = (text.floor_char_boundary(most * 2 / 3), text.ceil_char_boundary(text.len() - most / 3));
    format!("{} … {}", &text[..start], &text[end..])
}

/// A count with its noun, whose plural ends in s.
#[must_use]
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Whether a terminal or a page obeys a character instead of showing it. Characters that lay out a text are excluded.
#[must_use]
pub fn is_obeyed(character: char) -> bool {
    match character {
        '\n' | '\t' | '\r' => false,
        // Bidirectional marks, line separators, and characters that XML does not allow.
        '\u{61c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{feff}'
        | '\u{fffe}'
        | '\u{ffff}' => true,
        other => other.is_control(),
    }
}

/// The sign for a character: Unicode has pictures of the first 32 characters of ASCII and of the last.
fn visible(character: char) -> char {
    let pictured = match character {
        '\u{7f}' => Some('\u{2421}'),
        '\n' | '\t' => None,
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(character)),
        other if is_obeyed(other) => Some('\u{fffd}'),
        _ => None,
    };
    pictured.unwrap_or(character)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_shown() {
        assert_eq!(printable("\u{1b}[31mred\u{1b}[0m \u{7}\u{7f}\u{9b}2J"), "␛[31mred␛[0m ␇␡\u{fffd}2J");
        assert_eq!(printable("safe\rlies"), "safe␍lies");
        assert_eq!(printable("a\r\nb\tc\r"), "a\r\nb\tc␍");
        assert_eq!(printable("\u{202e}txt.exe\u{2066}"), "\u{fffd}txt.exe\u{fffd}");
        assert!(matches!(printable("plain: é ⁻¹ 東京 👩\u{200d}💻"), Cow::Borrowed(_)));
    }

    #[test]
    fn spans_become_whole_characters() {
        let text = "aé東";
        assert_eq!(
            [0..1, 1..2, 2..2, 2..4, 9..9, Range { start: 3, end: 2 }].map(|span| characters(text, &span)),
            [0..1, 1..3, 1..3, 1..6, 6..6, 3..3]
        );
        assert_eq!(characters("", &(1..2)), 0..0);
    }

    #[test]
    fn long_texts_lose_their_middle() {
        assert_eq!(shortened("é".repeat(6), 12), "é".repeat(6));
        assert_eq!(shortened(format!("a{}b", "é".repeat(6)), 12), "aééé … éb");
    }

    proptest! {
        #[test]
        fn nothing_obeyed_is_left_and_no_column_moves(text in "(\\PC|[\u{0}-\u{1f}\u{7f}-\u{9f}\u{2028}-\u{202e}]){0,40}") {
            let shown = printable(&text);
            prop_assert!(!shown.chars().any(is_obeyed));
            prop_assert_eq!(shown.chars().count(), text.chars().count());
            prop_assert!(matches!(printable(&shown), Cow::Borrowed(_)) || shown.contains('\r'));
        }
    }
}
