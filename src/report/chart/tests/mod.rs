//! Tests of all pictures.

mod gallery;
mod inspect;
mod labels;

use super::draw::style::text_width;
