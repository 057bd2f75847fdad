//! What libraries choose by themselves, and where that is good enough to be kept.

use super::{Choice, Timed};
use crate::communication::Library;
use crate::fit::read::collectives::Maker;

/// The libraries whose own choices are known, by whose algorithms they are.
pub const KNOWN: [(Maker, Library); 2] = [(Maker::OpenMpi, Library::OpenMpi41), (Maker::Mpich, Library::Mpich42)];

/// What a library runs by its own choice.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnChoice {
    /// Whose choice it is.
    pub maker: Maker,
    /// What it runs, and how long that takes.
    pub timed: Timed,
}

impl Choice {
    /// The longest time in seconds at which a library's own choice is kept: what its fastest algorithm saves is then
    /// within the error. Nothing where the error is not known, or where the library has none of the algorithms.
    #[must_use]
    pub fn kept_until(&self, maker: Maker) -> Option<f64> {
        let fastest = match maker {
            Maker::OpenMpi => self.fastest_for_open_mpi()?.0,
            Maker::Mpich => self.fastest_for_mpich(true)?.0,
            Maker::Other => return None,
        };
        Some(fastest.seconds * (1.0 + self.error?))
    }

    /// What a library runs by its own choice, if that is to be kept.
    pub(super) fn kept(&self, maker: Maker) -> Option<&Timed> {
        let (own, most) = (self.own.iter().find(|own| own.maker == maker)?, self.kept_until(maker)?);
        (own.timed.seconds <= most).then_some(&own.timed)
    }
}
