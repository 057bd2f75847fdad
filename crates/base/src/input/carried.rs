//! Files in memory, by their paths. They come before those on disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

static FILES: RwLock<BTreeMap<PathBuf, Arc<[u8]>>> = RwLock::new(BTreeMap::new());

/// Keeps a file in memory, for this process: whoever opens its path from now on reads these bytes.
///
/// The path is the one that is opened: a name that a scenario writes, after the folder of the scenario.
pub fn carry(path: impl AsRef<Path>, content: impl Into<Arc<[u8]>>) {
    let mut files = FILES.write().unwrap_or_else(PoisonError::into_inner);
    files.insert(plain(path.as_ref()).to_owned(), content.into());
}

/// The content of a file in memory.
pub(super) fn find(path: &Path) -> Option<Arc<[u8]>> {
    FILES.read().unwrap_or_else(PoisonError::into_inner).get(plain(path)).cloned()
}

/// The names of the files in memory that are in a folder.
pub(super) fn names_in(folder: &Path) -> Vec<String> {
    let files = FILES.read().unwrap_or_else(PoisonError::into_inner);
    let within = files.keys().filter(|path| path.parent() == Some(plain(folder)));
    within.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect()
}

/// The path without a leading `./`.
fn plain(path: &Path) -> &Path {
    path.strip_prefix(".").unwrap_or(path)
}
