//! Colours, dashes and hatches in the order in which series take them.

use schemars::JsonSchema;
use serde::Deserialize;

use super::style::Colour;

/// Colours by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Palette {
    /// Those of Okabe and Ito (2008), which colour-blind readers can tell apart.
    #[default]
    OkabeIto,
    /// "Bright" of Paul Tol's notes on colour schemes (2021).
    TolBright,
    /// Greys, with a dash or a hatch each.
    Grey,
}

/// Okabe and Ito, in an order in which neighbours can be told apart without colours, too. Their yellow is left out: it
/// vanishes on white.
const OKABE_ITO: [Colour; 7] = [
    Colour(0, 114, 178),
    Colour(213, 94, 0),
    Colour(230, 159, 0),
    Colour(0, 158, 115),
    Colour(86, 180, 233),
    Colour(60, 60, 60),
    Colour(204, 121, 167),
];

const TOL_BRIGHT: [Colour; 7] = [
    Colour(68, 119, 170),
    Colour(238, 102, 119),
    Colour(204, 187, 68),
    Colour(170, 51, 119),
    Colour(102, 204, 238),
    Colour(34, 136, 51),
    Colour(187, 187, 187),
];

const GREYS: [Colour; 4] = [Colour(30, 30, 30), Colour(150, 150, 150), Colour(90, 90, 90), Colour(200, 200, 200)];

/// What lies over the colour of an area.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Hatch {
    /// Nothing.
    None,
    /// Lines that rise to the right.
    Rising,
    /// Lines that fall to the right.
    Falling,
    /// Both.
    Crossed,
}

/// How an area is filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fill {
    /// Its colour.
    pub colour: Colour,
    /// What lies over it.
    pub hatch: Hatch,
}

impl Fill {
    /// A colour without a hatch.
    #[must_use]
    pub const fn plain(colour: Colour) -> Self {
        Self { colour, hatch: Hatch::None }
    }
}

impl Palette {
    fn colours(self) -> &'static [Colour] {
        match self {
            Self::OkabeIto => &OKABE_ITO,
            Self::TolBright => &TOL_BRIGHT,
            Self::Grey => &GREYS,
        }
    }

    /// The colour of this number; after the last one they return.
    pub(crate) fn colour(self, number: usize) -> Colour {
        let colours = self.colours();
        colours[number % colours.len()]
    }

    /// The number of the dash of the line of this number: a new one each time that the colours return. Greys are hard
    /// to tell apart, so that each of them has its own.
    pub(crate) fn dash(self, number: usize) -> usize {
        if self == Self::Grey { number } else { number / self.colours().len() }
    }

    /// The area of this number: plain as long as there are colours, then hatched.
    pub(crate) fn fill(self, number: usize) -> Fill {
        let hatches = [Hatch::None, Hatch::Rising, Hatch::Falling, Hatch::Crossed];
        let hatch = hatches[number / self.colours().len() % hatches.len()];
        Fill { colour: self.colour(number), hatch }
    }
}

/// As many groups have colours of their own.
pub(crate) const GROUP_COLOURS: usize = 3 * OKABE_ITO.len();

/// The colour of the `index`-th group of nodes: the palette, then lighter tints of it, then darker shades.
#[must_use]
pub fn group_colour(index: usize) -> Colour {
    let colour = OKABE_ITO[index % OKABE_ITO.len()];
    match index / OKABE_ITO.len() % 3 {
        0 => colour,
        1 => colour.mix(Colour::WHITE, 0.5),
        _ => colour.mix(Colour::BLACK, 0.4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_areas_look_different() {
        for (palette, count) in [(Palette::OkabeIto, 28), (Palette::TolBright, 28), (Palette::Grey, 16)] {
            for a in 0..count {
                assert!((0..a).all(|b| palette.fill(a) != palette.fill(b)), "{palette:?} {a}");
            }
        }
        assert!((0..7).all(|number| Palette::OkabeIto.fill(number).hatch == Hatch::None));
        assert_eq!(Palette::OkabeIto.fill(7).hatch, Hatch::Rising);
    }

    /// Of a colour in grey: the signal that screens and most printers make of it, and the lightness that eyes see
    /// (CIE 1976).
    fn greys(Colour(red, green, blue): Colour) -> [f64; 2] {
        let parts = [red, green, blue].map(|part| f64::from(part) / 255.0);
        let sum = |parts: [f64; 3], weights: [f64; 3]| parts.iter().zip(weights).map(|(a, b)| a * b).sum::<f64>();
        let linear = |part: f64| if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) };
        let luminance = sum(parts.map(linear), [0.2126, 0.7152, 0.0722]);
        [sum(parts, [0.299, 0.587, 0.114]), 1.16 * luminance.cbrt() - 0.16]
    }

    #[test]
    fn neighbours_differ_in_grey() {
        let differ =
            |a: Colour, b: Colour| greys(a).into_iter().zip(greys(b)).all(|(a, b)| (a - b).abs() >= 0.15 * a.max(b));
        // As white and black do; the vermilion and the green of Okabe and Ito don't.
        assert!(differ(Colour::WHITE, Colour::BLACK));
        assert!(!differ(Colour(213, 94, 0), Colour(0, 158, 115)));
        for palette in [Palette::OkabeIto, Palette::TolBright, Palette::Grey] {
            for number in 0..28 {
                let (one, next) = (palette.fill(number), palette.fill(number + 1));
                assert!(one.hatch != next.hatch || differ(one.colour, next.colour), "{palette:?} {number}");
            }
        }
    }

    #[test]
    fn many_groups_have_colours_of_their_own() {
        for a in 0..21 {
            assert!((0..a).all(|b| group_colour(a) != group_colour(b)), "{a}");
        }
    }
}
