//! Imports go down the floors only (docs/architecture.md): this test reads the `use` lines and paths of every source.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "integration/sources.rs"]
mod sources;

use std::fs;
use std::path::Path;

use sources::sources;

/// Each module's floor. A module may use those below its own floor, and itself.
const FLOORS: &[(&str, u32)] = &[
    ("cli", 9),
    ("report", 8),
    ("batch", 7),
    ("scenario", 6),
    ("study", 5),
    ("workload", 4),
    ("adapt", 3),
    ("partition", 3),
    ("policy", 3),
    ("metrics", 3),
    ("search", 3),
    ("schedule", 3),
    ("fit", 3),
    ("design", 3),
    ("graph", 2),
    ("statistics", 2),
    ("communication", 2),
    ("cluster", 2),
    ("engine", 1),
    ("units", 0),
    ("formula", 0),
    ("record", 0),
    ("registry", 0),
    ("printable", 0),
    ("model", 0),
    ("input", 0),
];

fn floor(module: &str) -> Option<u32> {
    FLOORS.iter().find(|(name, _)| *name == module).map(|(_, floor)| *floor)
}

/// The modules that a line of code names by `crate::`.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split("//").next().unwrap_or_default();
    code.split("crate::").skip(1).flat_map(|rest| {
        // `use crate::{a::x, b}` names every module that starts one of the parts.
        let parts: Vec<&str> = rest.strip_prefix('{').map_or_else(|| vec![rest], |list| list.split(", ").collect());
        parts.into_iter().map(|part| part.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(""))
    })
}

#[test]
fn imports_go_down_the_floors() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = sources(&root);
    let mut climbs = Vec::new();
    let mut seen = 0;
    for file in &files {
        let relative = file.strip_prefix(&root).unwrap();
        let module = relative.iter().next().unwrap().to_string_lossy().replace(".rs", "");
        let Some(own) = floor(&module) else {
            assert!(
                ["main", "lib", "core"].contains(&module.as_str()),
                "{module} stands on no floor: add it to FLOORS"
            );
            continue;
        };
        for (number, line) in fs::read_to_string(file).unwrap().lines().enumerate() {
            for other in named(line) {
                // A macro of the crate, or a path through a re-export, is no module.
                let Some(floor) = floor(other) else { continue };
                seen += 1;
                // Modules on the same floor don't know each other, but for the ground floor.
                if other != module && (floor > own || (floor == own && own > 0)) {
                    climbs.push(format!("{}:{}: {module} uses {other}", relative.display(), number + 1));
                }
            }
        }
    }
    assert!(seen > 100, "the test has lost its eyes: {seen} imports seen");
    assert!(climbs.is_empty(), "imports climb the floors:\n{}", climbs.join("\n"));
}

#[test]
fn a_climb_would_be_seen() {
    assert_eq!(named("use crate::scenario::Scenario; // crate::cli").collect::<Vec<_>>(), ["scenario"]);
    assert_eq!(named("use crate::{engine::Engine, cli};").collect::<Vec<_>>(), ["engine", "cli"]);
    assert!(floor("scenario") > floor("engine"));
}
