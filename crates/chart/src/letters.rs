//! The widths of letters. Nothing here needs the rest of the crate, so tests outside of it measure as charts do.

/// Widths of the characters from space to tilde in Helvetica, in thousandths of the font size.
#[rustfmt::skip]
const HELVETICA: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// Other fonts of the family are a little wider than Helvetica, and bold is wider still.
const SAFETY: f64 = 1.07;

/// The width of `text` in pixels, estimated on the safe side.
pub fn text_width(text: &str, size: f64) -> f64 {
    let sum: u32 = text.chars().map(thousandths).sum();
    f64::from(sum) / 1000.0 * size * SAFETY
}

fn thousandths(character: char) -> u32 {
    let ascii = (character as usize).checked_sub(' ' as usize).and_then(|index| HELVETICA.get(index));
    match (ascii, character) {
        (Some(&width), _) => u32::from(width),
        (None, '⁰'..='⁹' | '¹' | '²' | '³' | '⁻') => 400,
        (None, '\u{a0}' | '\u{2009}') => 278,
        (None, '\0'..='\u{2e7f}') => 620,
        // Ideographs and symbols fill a square, some emoji more.
        _ => 1300,
    }
}
