//! Tests of all pictures.

mod gallery;
mod inspect;
mod shipped;
