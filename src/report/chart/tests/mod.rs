//! Tests of all pictures.

mod gallery;
mod inspect;
mod labels;
mod samples;

use hetsim_chart::style::text_width;
