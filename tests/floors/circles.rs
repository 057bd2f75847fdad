//! No files import each other in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::sources::{all_sources, crates, sources};

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
