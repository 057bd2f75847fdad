//! What charts are drawn of: axes, ticks, frames and legends; and the pictures that several kinds of charts share.

pub(crate) mod annotation;
pub(crate) mod axis;
pub(crate) mod bars;
pub(crate) mod canvas;
pub(crate) mod category;
mod cells;
pub(crate) mod clip;
pub(crate) mod coincide;
pub(crate) mod dag;
pub(crate) mod detail;
pub(crate) mod drawing;
pub(crate) mod frame;
pub(crate) mod frames;
pub(crate) mod histogram;
pub(crate) mod lanes;
pub(crate) mod layers;
pub(crate) mod legend;
pub(crate) mod lines;
pub(crate) mod marker;
pub(crate) mod matrix;
pub(crate) mod names;
pub(crate) mod palette;
pub(crate) mod paper;
pub(crate) mod senses;
pub(crate) mod spread;
pub(crate) mod style;
pub(crate) mod ticks;
