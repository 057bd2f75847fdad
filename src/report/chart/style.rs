//! What all charts share: colours, sizes, strokes, and how wide a text will be.

use std::borrow::Cow;

/// The width of every chart, in pixels.
pub(super) const WIDTH: f64 = 880.0;
/// The height of charts whose content does not ask for another one.
pub(super) const HEIGHT: f64 = 520.0;
/// The space that stays free at every edge.
pub(super) const MARGIN: f64 = 18.0;

/// The fonts, most wanted first.
pub(super) const FONT: &str = "Helvetica, Arial, sans-serif";
/// The font size of titles.
pub(super) const TITLE_SIZE: f64 = 17.0;
/// The font size of subtitles and of axis labels.
pub(super) const LABEL_SIZE: f64 = 12.5;
/// The font size of ticks, legends and the names of series.
pub(super) const TICK_SIZE: f64 = 12.0;
/// The font size of what should stay in the background, or is many.
pub(super) const SMALL_SIZE: f64 = 10.0;
/// The smallest font size that is still read without effort.
pub(super) const TINY_SIZE: f64 = 8.0;

/// A colour without transparency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Colour(pub(super) u8, pub(super) u8, pub(super) u8);

impl Colour {
    pub(super) const WHITE: Self = Self(255, 255, 255);
    pub(super) const BLACK: Self = Self(0, 0, 0);
    /// Titles and names.
    pub(super) const INK: Self = Self(34, 34, 34);
    /// Subtitles, ticks and axis labels.
    pub(super) const GREY: Self = Self(96, 96, 96);
    /// Reference lines and leaders.
    pub(super) const SILVER: Self = Self(140, 140, 140);
    /// Grid lines, and cells without a value.
    pub(super) const MIST: Self = Self(228, 228, 228);

    /// A colour on the way from `self` (0) to `other` (1).
    pub(super) fn mix(self, other: Self, share: f64) -> Self {
        let channel = |from: u8, to: u8| (f64::from(from) + (f64::from(to) - f64::from(from)) * share).round() as u8;
        Self(channel(self.0, other.0), channel(self.1, other.1), channel(self.2, other.2))
    }

    /// Dark enough to be read as text on white.
    pub(super) fn as_text(self) -> Self {
        self.mix(Self::BLACK, 0.3)
    }

    /// Black or white, whichever is easier to read on `self`.
    pub(super) fn contrast(self) -> Self {
        let luminance = 0.299 * f64::from(self.0) + 0.587 * f64::from(self.1) + 0.114 * f64::from(self.2);
        if luminance > 140.0 { Self::INK } else { Self::WHITE }
    }
}

/// The palette of Okabe and Ito (2008), easiest to tell apart first. Their yellow is left out: it vanishes on white.
const PALETTE: [Colour; 7] = [
    Colour(0, 114, 178),
    Colour(213, 94, 0),
    Colour(0, 158, 115),
    Colour(204, 121, 167),
    Colour(230, 159, 0),
    Colour(86, 180, 233),
    Colour(60, 60, 60),
];

/// How many colours [`fill_colour`] has before it turns to tints.
pub(super) const PURE_COLOURS: usize = PALETTE.len();

/// The colour of the `index`-th line; from the eighth on the colours return, with another [`dash`] and marker.
pub(super) fn line_colour(index: usize) -> Colour {
    PALETTE[index % PALETTE.len()]
}

/// The colour of the `index`-th kind of area: the palette, then lighter tints of it, then darker shades.
pub(super) fn fill_colour(index: usize) -> Colour {
    let colour = PALETTE[index % PALETTE.len()];
    match index / PALETTE.len() % 3 {
        0 => colour,
        1 => colour.mix(Colour::WHITE, 0.5),
        _ => colour.mix(Colour::BLACK, 0.4),
    }
}

/// How often the colours have returned when the `index`-th series is drawn.
pub(super) const fn cycle(index: usize) -> usize {
    index / PALETTE.len()
}

/// The `index`-th dash pattern: lengths of ink and gap in turn, none for a solid line, which is the first.
pub(super) const fn dash(index: usize) -> &'static [f64] {
    match index % 4 {
        0 => &[],
        1 => &[7.0, 3.0],
        2 => &[2.0, 2.5],
        _ => &[9.0, 3.0, 2.0, 3.0],
    }
}

/// The dashes of reference lines.
pub(super) const REFERENCE_DASH: &[f64] = &[5.0, 4.0];

/// How a line is drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stroke {
    pub(super) colour: Colour,
    pub(super) width: f64,
    pub(super) alpha: f64,
    pub(super) dash: &'static [f64],
}

impl Stroke {
    pub(super) const fn new(colour: Colour, width: f64) -> Self {
        Self { colour, width, alpha: 1.0, dash: &[] }
    }

    pub(super) const fn dashed(self, dash: &'static [f64]) -> Self {
        Self { dash, ..self }
    }

    pub(super) const fn alpha(self, alpha: f64) -> Self {
        Self { alpha, ..self }
    }
}

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
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    let thousandths: u32 = text.chars().map(character_width).sum();
    f64::from(thousandths) / 1000.0 * size * SAFETY
}

fn character_width(character: char) -> u32 {
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

/// `text`, or as much of it as fits into `width`, with an ellipsis in place of what is left out before its end: names of one
/// family begin alike and differ at the end.
pub(super) fn shorten_inside(text: &str, size: f64, width: f64) -> Cow<'_, str> {
    if text_width(text, size) <= width {
        return text.into();
    }
    let characters: Vec<char> = text.chars().collect();
    // The last two fifths of the room are the end's.
    let mut end = String::new();
    for &character in characters.iter().rev() {
        let longer: String = std::iter::once(character).chain(end.chars()).collect();
        if text_width(&longer, size) > width * 0.4 {
            break;
        }
        end = longer;
    }
    let start = shorten(text, size, width - text_width(&end, size));
    format!("{start}{end}").into()
}

/// `text`, or as much of it as fits into `width`, with an ellipsis.
pub(super) fn shorten(text: &str, size: f64, width: f64) -> Cow<'_, str> {
    if text_width(text, size) <= width {
        return text.into();
    }
    let room = width - text_width("…", size);
    let mut used = 0.0;
    let kept: String = text
        .chars()
        .take_while(|&character| {
            used += f64::from(character_width(character)) / 1000.0 * size * SAFETY;
            used <= room
        })
        .collect();
    format!("{}…", kept.trim_end()).into()
}

/// `text` in at most `lines` lines of `width`, broken at spaces; what does not fit ends in an ellipsis.
pub(super) fn wrap(text: &str, size: f64, width: f64, lines: usize) -> Vec<String> {
    let mut wrapped: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let full = wrapped.len() == lines;
        match wrapped.last_mut() {
            Some(line) if full || text_width(line, size) + text_width(" ", size) + text_width(word, size) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => wrapped.push(word.to_owned()),
        }
    }
    wrapped.iter().map(|line| shorten(line, size, width).into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_shortened() {
        assert_eq!(shorten("short", 12.0, 100.0), "short");
        let long = "a very long name of an algorithm";
        let cut = shorten(long, 12.0, 100.0);
        assert!(cut.ends_with('…') && text_width(&cut, 12.0) <= 100.0, "{cut}");
        let policies =
            ["adaptive_weighted_factoring_batch", "adaptive_weighted_factoring_chunk", "adaptive_weighted_factoring"];
        let cut = policies.map(|policy| shorten_inside(policy, 12.0, 120.0).into_owned());
        assert!(cut.iter().all(|cut| text_width(cut, 12.0) <= 120.0) && cut[0].ends_with("batch"), "{cut:?}");
        assert!(cut[0] != cut[1] && cut[0] != cut[2] && cut[1] != cut[2], "{cut:?}");
        assert_eq!(shorten_inside("short", 12.0, 100.0), "short");
        assert_eq!(wrap("two words", 12.0, 40.0, 2), ["two", "words"]);
        assert_eq!(wrap(long, 12.0, 90.0, 2).len(), 2);
        assert!(wrap("", 12.0, 90.0, 2).is_empty());
    }

    #[test]
    fn many_areas_have_colours_of_their_own() {
        for a in 0..21 {
            assert!((0..a).all(|b| fill_colour(a) != fill_colour(b)), "{a}");
        }
    }
}
