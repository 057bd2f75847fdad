//! Hashes the sources of the model into `HETSIM_MODEL_CODE`, so that results of another model are never taken for
//! results of this one. Reports, batches and the command line don't reach a run, nor do designs but by the
//! values that they give; they are left out.

use std::fs;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

const OUTSIDE: [&str; 6] = ["main.rs", "cli", "report", "batch", "design", "statistics"];

fn main() {
    println!("cargo::rerun-if-changed=src");
    let mut files = Vec::new();
    collect(Path::new("src"), &mut files);
    files.sort();
    let mut hash = Xxh3::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        hash.update(file.to_string_lossy().replace('\\', "/").as_bytes());
        hash.update(text.replace("\r\n", "\n").as_bytes());
    }
    println!("cargo::rustc-env=HETSIM_MODEL_CODE={:016x}", hash.digest());
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.unwrap_or_else(|error| panic!("{}: {error}", folder.display())).path();
        let outside = folder == Path::new("src") && OUTSIDE.iter().any(|name| path.ends_with(name));
        if path.is_dir() && !outside {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !outside {
            files.push(path);
        }
    }
}
