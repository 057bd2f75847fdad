//! `--out`, which has the same meaning for every command that makes a results folder: its parent.

use std::fs;
use std::path::{Path, PathBuf};

use super::console::Console;
use super::{Failure, bad_input};

/// The results folder of a command in the folder given by `--out`; `own` is a file that it contains. In earlier
/// versions `--out` of some commands named a file, or the results folder itself, which held the file `former`; an old
/// use gives an error with the new form.
///
/// # Errors
/// `--out` names a file, or a folder that is itself a results folder.
pub(super) fn results_folder(
    console: &Console,
    out: &Path,
    name: &str,
    own: &str,
    former: Option<&str>,
) -> Result<PathBuf, Failure> {
    let above = out.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let now = |out: &Path| format!("--out {} writes {}", out.display(), out.join(name).join(own).display());
    let looks_like_file =
        out.extension().is_some_and(|end| ["toml", "csv", "svg", "json"].iter().any(|own| end == *own));
    if out.is_file() || (looks_like_file && !out.is_dir()) {
        let message = format!(
            "--out {}: --out names the folder in which a results folder is made, and not a file; {}",
            out.display(),
            now(above)
        );
        return Err(bad_input(message));
    }
    if former.is_some_and(|former| out.join(former).is_file()) {
        let message = format!(
            "--out {}: there are results in that folder itself, and --out names the folder in which a results folder is made; \
             {}; {}, once the old files are gone",
            out.display(),
            now(above),
            now(out)
        );
        return Err(bad_input(message));
    }
    let folder = out.join(name);
    console.keep_folder(&folder);
    Ok(folder)
}

/// Removes files in a folder that an earlier command of the same kind has written and this one has not, since they would be
/// taken for a part of its results, and returns their names. `is_own` tells by its name what such a command writes.
///
/// # Errors
/// The folder can't be read, or a file not removed.
pub(super) fn remove_stale(
    folder: &Path,
    is_own: impl Fn(&str) -> bool,
    written: &[String],
) -> Result<Vec<String>, Failure> {
    let failed = |error: std::io::Error| Failure::Run(format!("{}: {error}", folder.display()));
    let mut removed = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if is_own(&name) && !written.contains(&name) && entry.file_type().map_err(failed)?.is_file() {
            fs::remove_file(entry.path()).map_err(failed)?;
            removed.push(name);
        }
    }
    removed.sort_unstable();
    Ok(removed)
}
