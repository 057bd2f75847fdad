//! Writes files atomically: they exist as a whole or not at all.
//!
//! A reader, or the next run after a crash, finds the old file or the new one, never half of one. Files are not forced
//! to disk: they can be made again from the store.
//!
//! A killed process leaves its temporary file behind. The next process that writes into the folder removes it, unless
//! it is locked: then its writer is alive, here or on another host. On a file system without locks nothing is removed.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;
use tempfile::{Builder, NamedTempFile};

use crate::input::Input;

/// Replaces `path` by what `fill` writes. On any error the old file stays unchanged and nothing is left over.
///
/// The content goes to a file in the same folder first, which is then renamed. The folder must exist. A symbolic link
/// at `path` is replaced, not followed.
///
/// # Errors
///
/// Any error of `fill`, or that the folder cannot be written, is full, or does not exist; the message names `path`.
pub fn write_atomically(path: &Path, fill: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>) -> io::Result<()> {
    replace(path, fill).map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

/// Replaces `path` by `text`, as [`write_atomically`].
///
/// # Errors
///
/// As [`write_atomically`].
pub fn write_text(path: &Path, text: &str) -> io::Result<()> {
    write_atomically(path, |writer| writer.write_all(text.as_bytes()))
}

/// Replaces `path` by a value as JSON, as [`write_atomically`] does.
///
/// # Errors
///
/// As [`write_atomically`].
pub fn write_json(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_string_pretty(value).map_err(io::Error::other)?;
    write_text(path, &format!("{text}\n"))
}

/// What [`write_json`] wrote, of whatever length; nothing where there is no such file.
///
/// # Errors
///
/// It can't be read, or is none of ours; the message names `path`.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> io::Result<Option<T>> {
    match Input::open_own(path).and_then(Input::text) {
        Err(error) if error.is_missing() => Ok(None),
        Err(error) => Err(error.into()),
        Ok(text) => serde_json::from_str(&text)
            .map(Some)
            .map_err(|error| io::Error::other(format!("{}: {error}", path.display()))),
    }
}

fn replace(path: &Path, fill: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>) -> io::Result<()> {
    if path.file_name().is_none() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not the name of a file"));
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    clear_once(folder);
    let mut temporary = create_locked(folder)?;
    let mut writer = BufWriter::new(temporary.as_file_mut());
    fill(&mut writer)?;
    writer.flush()?;
    drop(writer);
    temporary.persist(path)?;
    Ok(())
}

/// Names of temporary files consist of this prefix, random letters and a suffix. No other program would choose them.
const PREFIX: &str = ".hetsim-";
const LETTERS: usize = 12;
const SUFFIX: &str = ".tmp";

/// Whether a name is that of a temporary file of hetsim.
fn is_ours(name: &str) -> bool {
    let letters = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX));
    letters
        .is_some_and(|letters| letters.len() == LETTERS && letters.bytes().all(|letter| letter.is_ascii_alphanumeric()))
}

/// The number of attempts to create a file. Another process can mistake it for a leftover only in the instant before it
/// is locked.
const TRIES: usize = 16;

/// Creates a temporary file, locked so that no process mistakes it for a leftover.
fn create_locked(folder: &Path) -> io::Result<NamedTempFile> {
    for _ in 0..TRIES {
        let mut builder = Builder::new();
        let temporary = create(builder.prefix(PREFIX).rand_bytes(LETTERS).suffix(SUFFIX), folder)
            .map_err(|error| without_path(&error))?;
        // Without locks, no other process gets one either.
        let is_ours = !matches!(temporary.as_file().try_lock(), Err(TryLockError::WouldBlock));
        if is_ours && temporary.path().exists() {
            return Ok(temporary);
        }
    }
    Err(io::Error::other("another process removes new files from this folder"))
}

/// The error without the temporary file's name, of which users know nothing and which the library puts at the end.
fn without_path(error: &io::Error) -> io::Error {
    let text = error.to_string();
    io::Error::new(error.kind(), text.split(" at path ").next().unwrap_or(&text))
}

/// Removes the leftovers of killed processes in a folder, when this process first writes there.
fn clear_once(folder: &Path) {
    static CLEARED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    if CLEARED.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_path_buf()) {
        clear(folder);
    }
}

/// Removes hetsim's unlocked temporary files in a folder. Files that cannot be removed stay; they are harmless.
fn clear(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if !is_file || !entry.file_name().to_str().is_some_and(is_ours) {
            continue;
        }
        // Opened for writing: file systems of other hosts lock nothing else.
        let Ok(file) = OpenOptions::new().write(true).open(entry.path()) else { continue };
        if file.try_lock().is_ok() {
            // The lock is held during removal, so no writer can have it.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Creates a file with the permissions of any new file; a temporary file usually belongs to its owner alone.
#[cfg(unix)]
fn create(builder: &mut Builder<'_, '_>, folder: &Path) -> io::Result<NamedTempFile<File>> {
    use std::os::unix::fs::PermissionsExt as _;
    // The umask restricts these, as for `File::create`.
    builder.permissions(std::fs::Permissions::from_mode(0o666)).tempfile_in(folder)
}

#[cfg(not(unix))]
fn create(builder: &mut Builder<'_, '_>, folder: &Path) -> io::Result<NamedTempFile<File>> {
    builder.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// The next process removes the leftovers of a killed one; files in use and other files stay.
    #[test]
    fn only_what_was_left_behind_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let ours = [".hetsim-aB3dE6gH9jK0.tmp", ".hetsim-zzzzzzzzzzzz.tmp"];
        let others =
            [".hetsim-notes.tmp", "hetsim-aB3dE6gH9jK0.tmp", ".hetsim-aB3dE6gH9jK0.csv", ".results.csv.Ab3.tmp"];
        for name in ours.iter().chain(&others) {
            fs::write(path(name), "half of it").unwrap();
        }
        fs::create_dir(path(".hetsim-abcdefghijkl.tmp")).unwrap();
        let alive = File::open(path(ours[1])).unwrap();
        alive.lock().unwrap();
        write_text(&path("results.csv"), "whole").unwrap();
        let mut left = names(folder.path());
        left.sort();
        let mut expected: Vec<&str> = others.to_vec();
        expected.extend([ours[1], ".hetsim-abcdefghijkl.tmp", "results.csv"]);
        expected.sort_unstable();
        assert_eq!(left, expected);
        drop(alive);
        clear(folder.path());
        assert!(!path(ours[1]).exists());
    }

    /// Nobody mistakes files for leftovers while they are written.
    #[test]
    fn who_clears_while_others_write_harms_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let stop = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            let writers: Vec<_> = (0..3)
                .map(|number| {
                    let path = folder.path().join(format!("{number}.csv"));
                    scope.spawn(move || (0..200).try_for_each(|round| write_text(&path, &format!("{round}\n"))))
                })
                .collect();
            scope.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    clear(folder.path());
                }
            });
            let written: Vec<_> = writers.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
            // Also where a writer has panicked, or the scope would wait for the other thread for ever.
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
            assert!(written.iter().all(|written| matches!(written, Ok(Ok(())))), "{written:?}");
        });
        let mut left = names(folder.path());
        left.sort();
        assert_eq!(left, ["0.csv", "1.csv", "2.csv"]);
    }

    fn names(folder: &Path) -> Vec<String> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn replaces_the_whole_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.csv");
        write_text(&path, "a much longer first version\n").unwrap();
        write_text(&path, "short\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "short\n");
        assert_eq!(names(folder.path()), ["results.csv"]);
    }

    #[test]
    fn an_error_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.csv");
        write_text(&path, "old").unwrap();
        let error = write_atomically(&path, |writer| {
            writer.write_all(b"half of the new")?;
            Err(io::Error::new(io::ErrorKind::StorageFull, "no space"))
        })
        .unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert!(error.to_string().contains("results.csv"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names(folder.path()), ["results.csv"]);
    }

    #[test]
    fn a_panic_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.csv");
        write_text(&path, "old").unwrap();
        let result = std::panic::catch_unwind(|| write_atomically(&path, |_| panic!("a bug in a chart")));
        assert!(result.is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names(folder.path()), ["results.csv"]);
    }

    #[test]
    fn a_folder_in_the_way_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("results.csv")).unwrap();
        assert!(write_text(&folder.path().join("results.csv"), "text").is_err());
        assert_eq!(names(folder.path()), ["results.csv"]);
        assert!(write_text(&folder.path().join("missing/results.csv"), "text").is_err());
        assert!(write_text(Path::new("/"), "text").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn has_the_permissions_of_any_new_file() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("usual"), "").unwrap();
        write_text(&folder.path().join("ours"), "").unwrap();
        let mode = |name| fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode("ours"), mode("usual"));
    }
}
