//! Puts the versions of the crates that draw random numbers or compute results into `HETSIM_MODEL_CRATES`, as
//! `Cargo.lock` names them: they are part of what a run is by (`src/model.rs`). The sources themselves don't count;
//! their floors have versions that are raised by hand.

use std::env;
use std::fs;

/// The crates whose results reach a run.
const CRATES: [&str; 5] = ["rand", "rand_core", "rand_distr", "rand_pcg", "statrs"];

/// A crate of the lock: its name, its version, and what it depends on.
struct Locked<'a> {
    name: &'a str,
    version: &'a str,
    dependencies: Vec<&'a str>,
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=Cargo.lock");
    // Cargo names this file to the compiler by its path from the workspace's root. Elsewhere than at that root, as where
    // another crate uses hetsim, Cargo resolves by another lock than the one beside this file.
    let lock = match file!() {
        "build.rs" => fs::read_to_string("Cargo.lock").ok(),
        _ => None,
    };
    let versions = lock.and_then(|lock| versions(&lock));
    let unlocked = || format!("crates unlocked, hetsim {}", env::var("CARGO_PKG_VERSION").unwrap_or_default());
    println!("cargo::rustc-env=HETSIM_MODEL_CRATES={}", versions.unwrap_or_else(unlocked));
}

/// `rand 0.10.3, rand_core 0.10.1, …`; nothing where the lock is not hetsim's.
fn versions(lock: &str) -> Option<String> {
    let packages: Vec<Locked<'_>> = lock.split("[[package]]").skip(1).filter_map(package).collect();
    // Of several versions of a crate the one counts that a crate of hetsim, or what that depends on, uses.
    let own = packages.iter().filter(|package| package.name.starts_with("hetsim-"));
    let direct: Vec<&Locked<'_>> =
        own.flat_map(|package| &package.dependencies).filter_map(|named| find(&packages, named)).collect();
    let version = |name: &str| {
        let of_direct = direct.iter().filter(|package| CRATES.contains(&package.name));
        let indirect = of_direct.flat_map(|package| &package.dependencies).filter_map(|named| find(&packages, named));
        let mut reached = direct.iter().copied().chain(indirect);
        reached.find(|package| package.name == name).map(|package| format!("{name} {}", package.version))
    };
    CRATES.iter().map(|name| version(name)).collect::<Option<Vec<_>>>().map(|versions| versions.join(", "))
}

fn package(text: &str) -> Option<Locked<'_>> {
    let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = ")).map(unquoted);
    let list = text.split_once("dependencies = [").map_or("", |(_, rest)| rest.split(']').next().unwrap_or(""));
    let dependencies = list.lines().map(unquoted).filter(|name| !name.is_empty()).collect();
    Some(Locked { name: value("name")?, version: value("version")?, dependencies })
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_end_matches(',').trim_matches('"')
}

/// The crate that a dependency names: `name`, or `name version` where there are several.
fn find<'a, 'b>(packages: &'b [Locked<'a>], named: &str) -> Option<&'b Locked<'a>> {
    let mut words = named.split(' ');
    let (name, version) = (words.next()?, words.next());
    packages.iter().find(|package| package.name == name && version.is_none_or(|version| package.version == version))
}
