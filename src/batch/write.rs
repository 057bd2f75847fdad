//! Files that are there as a whole or not at all.
//!
//! A reader, or the next run after a crash, finds the old file or the new one, never half of one. Nothing is forced to
//! the disk: what these files hold can be made again from the store.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

/// Replaces `path` by what `fill` writes; where anything fails, the old file stays as it is and nothing is left over.
///
/// The content goes to a file in the same folder first, which is then renamed. The folder must exist. A symbolic link
/// at `path` is replaced, not followed.
///
/// # Errors
///
/// What `fill` returned, or that the folder can't be written, is full, or doesn't exist; the message names `path`.
pub fn write_atomically(path: &Path, fill: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>) -> io::Result<()> {
    replace(path, fill).map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

/// Replaces `path` by `text`, as [`write_atomically`] does.
///
/// # Errors
///
/// As [`write_atomically`].
pub fn write_text(path: &Path, text: &str) -> io::Result<()> {
    write_atomically(path, |writer| writer.write_all(text.as_bytes()))
}

fn replace(path: &Path, fill: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>) -> io::Result<()> {
    let name = path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not the name of a file"))?;
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let prefix = format!(".{}.", name.to_string_lossy());
    let mut temporary = create(Builder::new().prefix(&prefix).suffix(".tmp"), folder)?;
    let mut writer = BufWriter::new(temporary.as_file_mut());
    fill(&mut writer)?;
    writer.flush()?;
    drop(writer);
    temporary.persist(path)?;
    Ok(())
}

/// With the permissions that any new file gets: a temporary file is usually for its owner alone.
#[cfg(unix)]
fn create(builder: &mut Builder<'_, '_>, folder: &Path) -> io::Result<NamedTempFile<File>> {
    use std::os::unix::fs::PermissionsExt as _;
    // The umask takes away from these, as it does for `File::create`.
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
