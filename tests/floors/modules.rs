//! Modules of `src/` import only those below them.

use std::fs;

use super::sources::{root, sources};

/// The floor of each module of `src/`. A module may use those below its own floor, and itself; cargo sees to it that
/// crates don't import each other in a circle.
const FLOORS: &[(&str, u32)] =
    &[("cli", 4), ("advice", 3), ("report", 2), ("accuracy", 1), ("batch", 1), ("failure", 0), ("model", 0)];

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
    let root = root().join("src");
    let files = sources(&root);
    let mut climbs = Vec::new();
    let mut seen = 0;
    for file in &files {
        let relative = file.strip_prefix(&root).unwrap();
        let module = relative.iter().next().unwrap().to_string_lossy().replace(".rs", "");
        let Some(own) = floor(&module) else {
            assert!(["main", "lib"].contains(&module.as_str()), "{module} stands on no floor: add it to FLOORS");
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
    assert_eq!(named("use crate::batch::run; // crate::cli").collect::<Vec<_>>(), ["batch"]);
    assert_eq!(named("use crate::{engine::Engine, cli};").collect::<Vec<_>>(), ["engine", "cli"]);
    assert!(floor("batch") > floor("model"));
}
