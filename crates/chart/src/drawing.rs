//! Pictures that can be drawn on any sheet.

use super::canvas::Picture;
use super::legend::Swatch;
use super::paper::{Ends, Paper};

/// A picture that can be drawn on any sheet.
pub trait Drawing {
    /// The picture on this sheet.
    fn picture(&self, paper: &Paper) -> Picture;

    /// From where to where its axes reach, for panels that share them.
    fn reach(&self, _paper: &Paper) -> (Ends, Ends) {
        (Ends::default(), Ends::default())
    }

    /// Whether its bars or boxes lie on this sheet, so that those of other panels do, too.
    fn lies(&self, _paper: &Paper) -> bool {
        false
    }

    /// What it says below itself, for panels that say it together.
    fn notes(&self, _paper: &Paper) -> Vec<String> {
        Vec::new()
    }

    /// What the legend names, for panels that share it.
    fn entries(&self, _paper: &Paper) -> Vec<(Swatch, String)> {
        Vec::new()
    }
}
