//! The model version of this hetsim, which tells its runs from those of another version.
//!
//! Every floor that affects a run has a version here. A change that can alter some run of a floor raises its version by
//! one, by hand. A change that alters no result (words, names, speed, messages) raises none, and stored runs remain
//! valid. `tests/golden.rs` runs a little of everything and fails if a result changes without a version.
//!
//! `communication/` has two versions under the names of the floors that it was, `tree` for broadcasts and `collective`
//! for the rest; `study/` has that of `workload`, and `simgrid/` and `text/` have that of `scenario`, of which they were
//! parts: a run keeps its identity when a folder moves.
//!
//! After the floors stand the crates that draw random numbers or compute results, with their versions from
//! `Cargo.lock`, put there by `build.rs`: an update of one of them is another model too. In a crate that uses hetsim as a
//! library another lock counts: the version of hetsim itself stands there, marked as unlocked, so that its runs are never
//! mixed with those of a locked build. Only `cargo install` without `--locked` passes the lock by unseen.

macro_rules! versions {
    ($($floor:literal: $version:literal),+ $(,)?) => {
        /// The version of each floor that affects a run.
        pub const FLOORS: &[(&str, u32)] = &[$(($floor, $version)),+];

        /// All versions in words: the floors, then the crates. The text is part of the identity of every run.
        pub const CODE: &str = concat!($($floor, " ", $version, ", ",)+ env!("HETSIM_MODEL_CRATES"));
    };
}

versions! {
    "units": 1,
    "formula": 1,
    "engine": 1,
    "cluster": 9,
    "tree": 2,
    "graph": 3,
    "collective": 5,
    "partition": 2,
    "adapt": 1,
    "policy": 2,
    "metrics": 1,
    "search": 2,
    "schedule": 4,
    "fit": 3,
    "workload": 17,
    "scenario": 3,
}
