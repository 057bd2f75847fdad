//! The files of Rust below a folder, for tests that read the sources.

use std::path::{Path, PathBuf};

/// All files of Rust below a folder.
pub(crate) fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let rust = files.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    folders.iter().flat_map(|folder| sources(folder)).chain(rust).collect()
}
