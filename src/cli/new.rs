//! `hetsim new`: prints a commented scenario to start from.

use super::Failure;
use super::arguments::New;
use super::bad_input;
use super::say::print_data;
use crate::scenario::template;

pub(super) fn new(new: &New) -> Result<(), Failure> {
    let text = template(&new.kind).ok_or_else(|| bad_input(format!("there is no kind `{}`", new.kind)))?;
    print_data(|out| out.write_all(text.as_bytes()))
}
