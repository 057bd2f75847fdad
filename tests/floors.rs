//! Crates use only those before them in `crates/README.md`, modules of a crate those below (docs/architecture.md), and
//! files import each other in no circle: these tests read the `use` lines and paths of every source.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "integration/sources.rs"]
mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use sources::{all_sources, crates, root, sources};

/// The floor of each module of `src/`. A module may use those below its own floor, and itself; cargo sees to it that
/// crates don't import each other in a circle.
const FLOORS: &[(&str, u32)] = &[("cli", 3), ("report", 2), ("accuracy", 1), ("batch", 1), ("model", 0)];

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

/// The names in a column of `crates/README.md`, in the order of publishing.
fn publishing() -> Vec<String> {
    let readme = fs::read_to_string(root().join("crates/README.md")).unwrap();
    let rows = readme.lines().filter_map(|line| line.strip_prefix("| [`")?.split_once('`'));
    rows.map(|(name, _)| name.to_owned()).collect()
}

/// The page of the crates names each, after those that it uses.
#[test]
fn crates_are_published_after_what_they_use() {
    let order = publishing();
    let mut known: Vec<String> = crates().into_iter().map(|(name, _)| name).filter(|name| name != "hetsim").collect();
    known.sort();
    let mut named = order.clone();
    named.sort();
    assert_eq!(named, known);
    for (place, name) in order.iter().enumerate() {
        let manifest = fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).unwrap();
        for used in manifest.lines().filter_map(|line| line.strip_prefix("hetsim-")?.split_once('.')) {
            assert!(order[..place].iter().any(|before| before == used.0), "{name} uses {}, which comes later", used.0);
        }
    }
}

/// What the first table of each crate's README says that one uses is in its code.
#[test]
fn readmes_name_what_there_is() {
    let mut seen = 0;
    for name in publishing() {
        let folder = root().join("crates").join(&name);
        let code: Vec<String> =
            sources(&folder.join("src")).iter().map(|file| fs::read_to_string(file).unwrap()).collect();
        let lines = code.iter().flat_map(|text| text.lines()).map(|line| line.split("//").next().unwrap_or_default());
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let words: BTreeSet<&str> = lines.flat_map(|line| line.split(|c| !is_word(c))).collect();
        let readme = fs::read_to_string(folder.join("README.md")).unwrap();
        let rows = readme.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
        for item in rows.flat_map(|(items, _)| items.split(", ")).filter(|item| *item != "…") {
            let item = item.rsplit("::").next().unwrap().trim_end_matches('!');
            assert!(words.contains(item), "crates/{name}/README.md names `{item}`, which is not there");
            seen += 1;
        }
    }
    assert!(seen > 100, "the test has lost its eyes: {seen} items");
}

#[test]
fn a_climb_would_be_seen() {
    assert_eq!(named("use crate::batch::run; // crate::cli").collect::<Vec<_>>(), ["batch"]);
    assert_eq!(named("use crate::{engine::Engine, cli};").collect::<Vec<_>>(), ["engine", "cli"]);
    assert!(floor("batch") > floor("model"));
}

/// The code of each module without its tests, and the items that modules re-export, by the paths that they have there.
struct Modules {
    code: BTreeMap<String, String>,
    reexports: BTreeMap<String, String>,
}

impl Modules {
    /// All modules, each after the name of its crate: `cluster::platform`.
    fn read() -> Self {
        let mut code = BTreeMap::new();
        for (name, file) in
            crates().iter().flat_map(|(name, root)| sources(root).into_iter().map(move |file| (name, file)))
        {
            let (_, relative) = file.to_str().unwrap().rsplit_once("/src/").unwrap();
            let module = format!("{name}::{}", relative.trim_end_matches(".rs").replace('/', "::"));
            let module = module.strip_suffix("::mod").or(module.strip_suffix("::lib")).unwrap_or(&module).to_owned();
            let text = fs::read_to_string(&file).unwrap();
            let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let uncommented = text.lines().map(|line| line.split("//").next().unwrap_or_default());
            code.insert(module, uncommented.collect::<Vec<_>>().join("\n"));
        }
        code.retain(|module, _| !module.ends_with("tests"));
        let reexports = code.iter().flat_map(|(module, code)| {
            let public = paths(module, code).into_iter().filter(|(_, is_public)| *is_public);
            public.map(move |(path, _)| (format!("{module}::{}", path.rsplit("::").next().unwrap_or_default()), path))
        });
        Self { reexports: reexports.filter(|(here, path)| here != path).collect(), code }
    }

    /// The module whose file declares what a path names.
    fn declares<'a>(&'a self, mut path: &'a str) -> Option<&'a str> {
        loop {
            if self.code.contains_key(path) {
                return Some(path);
            }
            if let Some(original) = self.reexports.get(path) {
                return self.declares(original);
            }
            path = path.rsplit_once("::")?.0;
        }
    }

    /// The modules that each module imports from, but for those around it: a file may use what its folder declares.
    fn imports(&self) -> BTreeMap<&str, BTreeSet<String>> {
        let imports = self.code.iter().map(|(module, code)| {
            let used = paths(module, code).into_iter().filter(|(_, is_public)| !is_public);
            let declaring = used.filter_map(|(path, _)| self.declares(&path).map(str::to_owned));
            let around = |other: &str| format!("{module}::").starts_with(&format!("{other}::"));
            (module.as_str(), declaring.filter(|other| !around(other)).collect())
        });
        imports.collect()
    }
}

/// The absolute paths in a module's code: those of `use`, with whether it is public, and those that start with `crate`
/// or `super`.
fn paths(module: &str, code: &str) -> Vec<(String, bool)> {
    let mut paths = Vec::new();
    let mut lines = code.lines();
    while let Some(line) = lines.next() {
        let line = line.trim();
        if line.starts_with("use ") || line.starts_with("pub") && line.contains(" use ") {
            let mut tree = line.split_once("use ").unwrap().1.to_owned();
            while !tree.ends_with(';') {
                tree.push_str(lines.next().unwrap().trim());
            }
            paths
                .extend(expand("", tree.trim_end_matches(';')).into_iter().map(|path| (path, line.starts_with("pub"))));
            continue;
        }
        for start in ["crate::", "super::"] {
            for (at, _) in line.match_indices(start).filter(|(at, _)| !line[..*at].ends_with([':', '$'])) {
                let end = line[at..].find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
                paths.push((line[at..end.map_or(line.len(), |end| at + end)].to_owned(), false));
            }
        }
    }
    paths.into_iter().map(|(path, is_public)| (absolute(module, &path), is_public)).collect()
}

/// The paths of a tree such as `a::{b, c::d}`, behind `before`.
fn expand(before: &str, tree: &str) -> Vec<String> {
    let Some((stem, list)) = tree.trim().split_once('{') else {
        let name = tree.split_whitespace().next();
        return name.map(|name| format!("{before}{name}")).into_iter().collect();
    };
    let mut depth = 0;
    let parts = list.trim_end().strip_suffix('}').unwrap().split(|c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    parts.flat_map(|part| expand(&format!("{before}{stem}"), part)).collect()
}

/// A path with the name of its crate in front.
fn absolute(module: &str, path: &str) -> String {
    let mut own: Vec<&str> = module.split("::").collect();
    for name in path.split("::").filter(|name| !name.is_empty()) {
        match name {
            "crate" => own.truncate(1),
            "super" => drop(own.pop()),
            "self" => {}
            name => own.push(name),
        }
    }
    own.join("::")
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let modules = Modules::read();
    let imports = modules.imports();
    // Most files are code, the others are tests.
    assert!(imports.len() > all_sources().len() / 2, "the test has lost its eyes");
    assert!(imports.values().map(BTreeSet::len).sum::<usize>() > 1000, "the test has lost its eyes");
    let reached = |from: &str| {
        let (mut reached, mut open) = (BTreeSet::new(), vec![from.to_owned()]);
        while let Some(next) = open.pop() {
            open.extend(imports[next.as_str()].iter().filter(|&other| reached.insert(other.clone())).cloned());
        }
        reached
    };
    let reached: BTreeMap<&str, BTreeSet<String>> = imports.keys().map(|&from| (from, reached(from))).collect();
    let circle = |from: &str| -> Vec<&str> {
        let others = reached[from].iter().map(String::as_str);
        others.filter(|&other| reached[other].contains(from)).collect()
    };
    let circles: BTreeSet<Vec<&str>> = imports.keys().map(|&from| circle(from)).filter(|all| !all.is_empty()).collect();
    let circles: Vec<String> = circles.iter().map(|circle| circle.join(", ")).collect();
    assert!(circles.is_empty(), "files import each other in a circle:\n{}", circles.join("\n"));
}

#[test]
fn a_circle_would_be_seen() {
    let code = "use super::{b::{self, C}, d as e};\npub use f::G;\nlet h = crate::i::J::new();";
    let found = paths("a::k", code);
    let found: Vec<(&str, bool)> = found.iter().map(|(path, is_public)| (path.as_str(), *is_public)).collect();
    assert_eq!(
        found,
        [("a::b", false), ("a::b::C", false), ("a::d", false), ("a::k::f::G", true), ("a::i::J::new", false)]
    );
    let code = [("a", "pub use b::C;"), ("a::b", "use super::d::E;"), ("a::d", "use crate::C;")];
    let code = code.map(|(module, code)| (module.to_owned(), code.to_owned())).into();
    let modules = Modules { code, reexports: [("a::C".to_owned(), "a::b::C".to_owned())].into() };
    assert_eq!(modules.imports()["a::b"], ["a::d".to_owned()].into());
    assert_eq!(modules.imports()["a::d"], ["a::b".to_owned()].into());
}
