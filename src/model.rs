//! Which model this hetsim computes by: what tells its runs from those of another one.
//!
//! Every floor that reaches a run has a version here. It is raised by hand, by one, in the change that lets some run of
//! that floor come out otherwise; a change that moves no result (words, names, speed, messages) raises nothing, and
//! runs that are stored stay good. `tests/golden.rs` runs a little of everything and fails when a result has moved and
//! no version has.
//!
//! `communication/` has two versions under the names of the floors that it was, `tree` for broadcasts and `collective` for the
//! rest: a run keeps its identity when a folder moves.
//!
//! Behind the floors stand the crates that draw random numbers or compute results, with the versions that `Cargo.lock`
//! names, put there by `build.rs`: an update of one of them is another model too. Cargo heeds the lock of a published
//! crate only with `cargo install --locked`. Where there is no lock at all, as in a crate that uses hetsim as a
//! library, the version of hetsim itself stands there, marked as unlocked, so that its runs are never mixed with those
//! of a locked one.

macro_rules! versions {
    ($($floor:literal: $version:literal),+ $(,)?) => {
        /// The version of each floor that reaches a run.
        pub const FLOORS: &[(&str, u32)] = &[$(($floor, $version)),+];

        /// All of it in words: the floors with their versions, then the crates with theirs. It is part of the identity
        /// of every run.
        pub const CODE: &str = concat!($($floor, " ", $version, ", ",)+ env!("HETSIM_MODEL_CRATES"));
    };
}

versions! {
    "units": 1,
    "formula": 1,
    "engine": 1,
    "cluster": 2,
    "tree": 1,
    "graph": 2,
    "collective": 1,
    "partition": 2,
    "adapt": 1,
    "policy": 1,
    "metrics": 1,
    "search": 1,
    "schedule": 1,
    "fit": 1,
    "workload": 2,
    "scenario": 2,
}
