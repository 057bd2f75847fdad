//! What all charts share: colours, sizes, strokes, and how wide a text will be.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

pub use super::letters::text_width;

/// The width of a chart that asks for no other one, in pixels.
pub(crate) const WIDTH: f64 = 880.0;
/// The height of charts whose content does not ask for another one.
pub(crate) const HEIGHT: f64 = 520.0;
/// The space that stays free at every edge.
pub(crate) const MARGIN: f64 = 18.0;

/// The fonts, most wanted first.
pub(crate) const FONT: &str = "Helvetica, Arial, sans-serif";
/// The font size of titles.
pub(crate) const TITLE_SIZE: f64 = 17.0;
/// The font size of subtitles and of axis labels.
pub const LABEL_SIZE: f64 = 12.5;
/// The font size of ticks, legends and the names of series.
pub(crate) const TICK_SIZE: f64 = 12.0;
/// The font size of what should stay in the background, or is many.
pub const SMALL_SIZE: f64 = 10.0;
/// The smallest font size that is still read without effort.
pub(crate) const TINY_SIZE: f64 = 8.0;

/// A colour without transparency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour(pub u8, pub u8, pub u8);

impl Colour {
    /// White.
    pub const WHITE: Self = Self(255, 255, 255);
    /// Black.
    pub const BLACK: Self = Self(0, 0, 0);
    /// Titles and names.
    pub const INK: Self = Self(34, 34, 34);
    /// Subtitles, ticks and axis labels.
    pub const GREY: Self = Self(96, 96, 96);
    /// Reference lines and leaders.
    pub const SILVER: Self = Self(140, 140, 140);
    /// Grid lines, and cells without a value.
    pub const MIST: Self = Self(228, 228, 228);

    /// The colour that is written as `#rrggbb`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.is_ascii())?;
        let channel = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).ok();
        Some(Self(channel(0)?, channel(2)?, channel(4)?))
    }

    /// A colour on the way from `self` (0) to `other` (1).
    #[must_use]
    pub fn mix(self, other: Self, share: f64) -> Self {
        let channel = |from: u8, to: u8| (f64::from(from) + (f64::from(to) - f64::from(from)) * share).round() as u8;
        Self(channel(self.0, other.0), channel(self.1, other.1), channel(self.2, other.2))
    }

    /// Dark enough to be read as text on white.
    pub(crate) fn as_text(self) -> Self {
        let darker = [0.3, 0.4, 0.5, 0.6, 0.8].map(|share| self.mix(Self::BLACK, share));
        darker.into_iter().find(|picture| contrast_ratio(*picture, Self::WHITE) >= 4.5).unwrap_or(Self::BLACK)
    }

    /// Picture, white or black on `self`: the first of them that has a contrast of 4.5, which one of them has.
    #[must_use]
    pub fn contrast(self) -> Self {
        let is_read = |picture: &Self| contrast_ratio(*picture, self) >= 4.5;
        [Self::INK, Self::WHITE].into_iter().find(is_read).unwrap_or(Self::BLACK)
    }

    /// The relative luminance of WCAG 2.1, from 0 for black to 1 for white.
    fn luminance(self) -> f64 {
        let linear = |channel: u8| {
            let share = f64::from(channel) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }
}

/// The contrast of two colours by WCAG 2.1, from 1 to 21; text needs 4.5.
pub(crate) fn contrast_ratio(a: Colour, b: Colour) -> f64 {
    let (a, b) = (a.luminance(), b.luminance());
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// The `index`-th dash pattern: lengths of ink and gap in turn, none for a solid line, which is the first.
pub(crate) const fn dash(index: usize) -> &'static [f64] {
    match index % 4 {
        0 => &[],
        1 => &[7.0, 3.0],
        2 => &[2.0, 2.5],
        _ => &[9.0, 3.0, 2.0, 3.0],
    }
}

/// The dashes of lines to compare with, the first of them also that of other lines that are none of the data.
pub(crate) const REFERENCE_DASH: &[f64] = REFERENCE_DASHES[0];
pub(crate) const REFERENCE_DASHES: [&[f64]; 3] = [&[5.0, 4.0], &[1.5, 3.0], &[10.0, 4.0]];

/// How a line is drawn.
#[derive(Debug, Clone, Copy)]
pub struct Stroke {
    /// Its colour.
    pub colour: Colour,
    /// Its width, in pixels.
    pub width: f64,
    /// How opaque it is, from 0 to 1.
    pub alpha: f64,
    /// The lengths of dashes and gaps in turn, in pixels; none for a line without gaps.
    pub dash: &'static [f64],
}

impl Stroke {
    /// An opaque line without gaps.
    #[must_use]
    pub const fn new(colour: Colour, width: f64) -> Self {
        Self { colour, width, alpha: 1.0, dash: &[] }
    }

    pub(crate) const fn dashed(self, dash: &'static [f64]) -> Self {
        Self { dash, ..self }
    }

    pub(crate) const fn alpha(self, alpha: f64) -> Self {
        Self { alpha, ..self }
    }
}

/// `text`, or as much of it as fits into `width`, with an ellipsis: at the end of a sentence, but inside a name, since
/// long names often differ at their ends only.
#[must_use]
pub fn shorten(text: &str, size: f64, width: f64) -> Cow<'_, str> {
    if text_width(text, size) <= width {
        return text.into();
    }
    let room = width - text_width("…", size);
    if text.contains(' ') {
        let kept = as_much_as_fits(text.chars(), size, room);
        return format!("{}…", kept.trim_end()).into();
    }
    let end: String = as_much_as_fits(text.chars().rev(), size, room / 2.0).chars().rev().collect();
    let start = as_much_as_fits(text.chars(), size, room - text_width(&end, size));
    format!("{start}…{end}").into()
}

/// Each of `texts`, or as much of it as fits into `width`; texts that differ look different. Where [`shorten`] would
/// cut away what tells two of them apart, they are cut before it, and where that is no help, numbered.
pub fn shorten_all<T: AsRef<str>>(texts: &[T], size: f64, width: f64) -> Vec<String> {
    let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
    let mut shown: Vec<String> = texts.iter().map(|text| shorten(text, size, width).into_owned()).collect();
    for alike in alike(&texts, &shown) {
        let from = first_difference(alike.iter().map(|&index| texts[index]));
        for index in alike {
            shown[index] = around(texts[index], from, size, width);
        }
    }
    // Each text that is still shown like another has a number of its own, with which it is like no other either.
    let alike: Vec<usize> = alike(&texts, &shown).into_iter().flatten().collect();
    let mut taken: HashSet<String> = shown.iter().cloned().collect();
    let mut numbered: HashMap<&str, String> = HashMap::new();
    let mut numbers = (1..).map(|number: u32| format!(" ({number})"));
    let mut with_number = |text: &str| {
        let mut texts =
            numbers.by_ref().map(|end| format!("{}{end}", shorten(text, size, width - text_width(&end, size))));
        // There are more numbers than texts.
        texts.find(|text| taken.insert(text.clone())).unwrap_or_default()
    };
    for index in alike {
        let text = numbered.entry(texts[index]).or_insert_with_key(|text| with_number(text));
        shown[index].clone_from(text);
    }
    shown
}

/// The names of links, and the words that all of them began with and have lost, if any is wider than `width`: `node 0 →
/// switch 1.0` instead of `lab node 0 to switch 1.0`, and `node 0 → 1` of two alike.
#[must_use]
pub fn compact<'a>(names: &[&'a str], size: f64, width: f64) -> (&'a str, Vec<String>) {
    if names.iter().all(|name| text_width(name, size) <= width) {
        return ("", names.iter().map(|name| (*name).to_owned()).collect());
    }
    let first = names[0];
    let is_shared = |end: usize| names.iter().all(|name| name.len() > end && name.starts_with(&first[..end]));
    let shared = match [" node ", " switch "].into_iter().filter_map(|word| first.find(word)).min() {
        Some(end) if names.len() > 1 && is_shared(end + 1) => &first[..=end],
        _ => "",
    };
    let arrow = |name: &&str| {
        let name = &name[shared.len()..];
        let Some((from, to)) = name.split_once(" to ") else { return name.to_owned() };
        let alike = from.split_once(' ').zip(to.split_once(' ')).filter(|((one, _), (other, _))| one == other);
        format!("{from} → {}", alike.map_or(to, |(_, (_, number))| number))
    };
    (shared.trim_end(), names.iter().map(arrow).collect())
}

/// Groups of the numbers of different texts that are shown alike.
fn alike(texts: &[&str], shown: &[String]) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, text) in shown.iter().enumerate() {
        groups.entry(text).or_default().push(index);
    }
    groups.into_values().filter(|group| group.iter().any(|&index| texts[index] != texts[group[0]])).collect()
}

/// How many characters different texts begin with in common.
fn first_difference<'a>(mut texts: impl Iterator<Item = &'a str>) -> usize {
    let first = texts.next().unwrap_or_default();
    let common = |text: &str| first.chars().zip(text.chars()).take_while(|(a, b)| a == b).count();
    texts.filter(|text| *text != first).map(common).min().unwrap_or_default()
}

/// `text` cut at both sides of its character number `from`: its start, an ellipsis, and what follows there.
fn around(text: &str, from: usize, size: f64, width: f64) -> String {
    let room = width - text_width("…", size);
    // With the word in which the difference is, if it begins shortly before.
    let characters: Vec<char> = text.chars().collect();
    let start = (from.saturating_sub(8)..from).rev().find(|&index| characters[index] == ' ').unwrap_or(from);
    let tail: String = characters[start..].iter().collect();
    let tail = if text_width(&tail, size) <= 0.7 * room {
        tail
    } else {
        format!("{}…", as_much_as_fits(tail.chars(), size, 0.7 * room - text_width("…", size)))
    };
    let head = as_much_as_fits(text.chars(), size, room - text_width(&tail, size));
    format!("{}…{tail}", head.trim_end_matches([' ', ',']))
}

/// The first characters, as long as they fit into `room`.
fn as_much_as_fits(text: impl Iterator<Item = char>, size: f64, room: f64) -> String {
    let mut used = 0.0;
    text.take_while(|&character| {
        used += text_width(character.encode_utf8(&mut [0; 4]), size);
        used <= room
    })
    .collect()
}

/// `text` in at most `lines` lines of `width`, broken at spaces; what does not fit ends in an ellipsis.
pub(crate) fn wrap(text: &str, size: f64, width: f64, lines: usize) -> Vec<String> {
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
    fn names_of_links_lose_what_they_share() {
        let links = ["lab node 0 to switch 1.0", "lab switch 1.0 to switch 2.1", "lab node 3 to node 12"];
        let short = ["node 0 → switch 1.0", "switch 1.0 → 2.1", "node 3 → 12"].map(str::to_owned).to_vec();
        assert_eq!(compact(&links, 9.0, 80.0), ("lab", short));
        // Where all fit, where clusters differ, and where the names are the user's.
        assert_eq!(compact(&links, 9.0, 300.0), ("", links.map(str::to_owned).to_vec()));
        let (shared, names) = compact(&["lab node 0 up", "far node 0 to node 1"], 9.0, 20.0);
        assert_eq!((shared, &*names), ("", &["lab node 0 up", "far node 0 → node 1"].map(str::to_owned)[..]));
        assert_eq!(compact(&["backbone of the grid", "bus"], 9.0, 20.0).1, ["backbone of the grid", "bus"]);
        assert_eq!(compact(&[], 9.0, 20.0), ("", Vec::new()));
    }

    #[test]
    fn what_is_too_long_is_shortened() {
        assert_eq!(shorten("short", 12.0, 100.0), "short");
        let long = "a very long name of an algorithm";
        let cut = shorten(long, 12.0, 100.0);
        assert!(cut.ends_with('…') && text_width(&cut, 12.0) <= 100.0, "{cut}");
        let cut = shorten("adaptive_weighted_factoring_batch", 12.0, 120.0);
        assert!(cut.starts_with("adaptive") && cut.ends_with("batch") && text_width(&cut, 12.0) <= 120.0, "{cut}");
        assert_eq!(wrap("two words", 12.0, 40.0, 2), ["two", "words"]);
        assert_eq!(wrap(long, 12.0, 90.0, 2).len(), 2);
        assert!(wrap("", 12.0, 90.0, 2).is_empty());
    }

    #[test]
    fn names_that_differ_never_look_alike() {
        let long = "genetic programming as printed";
        let names = [format!("{long}, fitted"), format!("{long}, unseen"), "curve fitting".to_owned()];
        let shown = shorten_all(&names, 12.0, 190.0);
        assert!(shown[0].ends_with("fitted") && shown[1].ends_with("unseen"), "{shown:?}");
        assert_eq!(shown[2], "curve fitting");
        let middles = ["x".repeat(60) + "1" + &"y".repeat(60), "x".repeat(60) + "2" + &"y".repeat(60)];
        let shown = shorten_all(&middles, 12.0, 120.0);
        assert_ne!(shown[0], shown[1]);
        let equal = ["a very long name of an algorithm"; 2];
        let shown = shorten_all(&equal, 12.0, 60.0);
        assert_eq!(shown[0], shown[1]);
        assert!(shorten_all::<&str>(&[], 12.0, 60.0).is_empty());
        // A name may end like a number that is given.
        let two = ["x".repeat(60) + "1" + &"y".repeat(60), "x".repeat(60) + "2" + &"y".repeat(60)];
        let numbered = shorten_all(&two, 12.0, 60.0);
        let [a, b] = two;
        let shown = shorten_all(&[a, b, numbered[0].clone()], 12.0, 60.0);
        assert!(shown[0] != shown[2] && shown[1] != shown[2] && shown[0] != shown[1], "{shown:?}");
    }

    proptest::proptest! {
        #[test]
        fn shortening_is_injective(texts in proptest::collection::vec("a{20,23}[bc ]{0,3}d{18,20}[ef]{0,2}", 1..12)) {
            let shown = shorten_all(&texts, 12.0, 100.0);
            for (a, text) in shown.iter().zip(&texts) {
                proptest::prop_assert!(text_width(a, 12.0) <= 100.001, "{}", a);
                for (b, other) in shown.iter().zip(&texts) {
                    proptest::prop_assert_eq!(a == b, text == other, "{:?} {:?}", text, other);
                }
            }
        }
    }

    #[test]
    fn text_is_read_on_every_colour() {
        assert!((contrast_ratio(Colour::WHITE, Colour::BLACK) - 21.0).abs() < 1e-9);
        let levels = || (0..=255).step_by(15).map(|level: u16| level as u8);
        for red in levels() {
            for green in levels() {
                for blue in levels() {
                    let back = Colour(red, green, blue);
                    assert!(contrast_ratio(back.contrast(), back) >= 4.5, "{back:?}");
                }
            }
        }
    }
}
