//! The files of Rust below a folder, for tests that read the sources.

use std::path::{Path, PathBuf};

/// The folder of the repository.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The crates that hetsim is of, each with the folder of its sources.
pub(crate) fn crates() -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap());
    let folders = entries.filter(|entry| entry.path().is_dir());
    let others = folders.map(|entry| (entry.file_name().into_string().unwrap(), entry.path().join("src")));
    let mut crates: Vec<_> = [("hetsim".to_owned(), root().join("src"))].into_iter().chain(others).collect();
    crates.sort();
    crates
}

/// All files of Rust below a folder.
pub(crate) fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let rust = files.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    folders.iter().flat_map(|folder| sources(folder)).chain(rust).collect()
}

/// All files of Rust that hetsim is of.
pub(crate) fn all_sources() -> Vec<PathBuf> {
    crates().iter().flat_map(|(_, folder)| sources(folder)).collect()
}
