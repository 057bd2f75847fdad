//! Files that a command writes, of which none may take the place of one that it reads.

use std::path::{Path, PathBuf};

use super::{Failure, bad_input};

/// Refuses an output that is one of the inputs; `option` is how the command line names it.
///
/// # Errors
/// The input would be replaced.
pub(super) fn check_kept<'i>(
    option: &str,
    out: &Path,
    inputs: impl IntoIterator<Item = &'i PathBuf>,
) -> Result<(), Failure> {
    let file = spelt(out);
    if inputs.into_iter().any(|input| spelt(input) == file) {
        return Err(bad_input(format!("{option} {}: the input would be replaced", out.display())));
    }
    Ok(())
}

/// The path of a file that need not exist, as any other way to write it leads to.
pub(super) fn spelt(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let known = path.canonicalize().ok();
    let new = || Some(folder.canonicalize().ok()?.join(path.file_name()?));
    known.or_else(new).unwrap_or_else(|| path.to_path_buf())
}
