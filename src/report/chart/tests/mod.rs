//! Tests of all pictures.

mod gallery;
mod inspect;
mod labels;

use hetsim_chart::style::text_width;
