//! Writing a results folder, and removing what an earlier run has left in it.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

use crate::batch::subfolder;
use crate::batch::write::write_atomically;
use crate::input::Input;

/// The folder of the pictures.
pub(super) const CHARTS: &str = "charts";

/// Files with their digests, by their paths within the folder.
pub type FileDigests = BTreeMap<String, String>;

/// Where the files of a results folder go.
pub(super) trait Sink {
    /// Writes a file whole.
    fn write(&mut self, name: &str, fill: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>) -> io::Result<()>;

    /// The paths of what is written so far, within the folder.
    fn names(&self) -> Vec<String>;
}

impl Sink for BTreeMap<String, Vec<u8>> {
    fn write(&mut self, name: &str, fill: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>) -> io::Result<()> {
        let mut content = Vec::new();
        fill(&mut content)?;
        self.insert(name.to_owned(), content);
        Ok(())
    }

    fn names(&self) -> Vec<String> {
        self.keys().cloned().collect()
    }
}

/// A results folder that is being written.
#[derive(Debug)]
pub(super) struct Folder<'a> {
    root: &'a Path,
    files: FileDigests,
    paths: Vec<PathBuf>,
}

impl<'a> Folder<'a> {
    pub(super) const fn new(root: &'a Path) -> Self {
        Self { root, files: FileDigests::new(), paths: Vec::new() }
    }

    /// Removes what was written earlier and is not written any more, such as the chart of a scenario that has it no
    /// longer. A file that somebody has changed since then stays.
    pub(super) fn remove_stale(&self, earlier: &FileDigests) {
        // Where case does not count, one name has the file of the other.
        let kept: Vec<String> = self.files.keys().map(|name| name.to_lowercase()).collect();
        for (name, digest) in earlier {
            let path = self.root.join(name);
            if !kept.contains(&name.to_lowercase())
                && self.holds(name)
                && digest_of(&path).is_ok_and(|own| own == *digest)
            {
                // What can't be removed stays; the new files are whole all the same.
                let _ = std::fs::remove_file(path);
            }
        }
        // Gone if it is empty.
        let _ = std::fs::remove_dir(self.root.join(CHARTS));
    }

    /// Whether a path in a manifest stays inside the folder; links lead elsewhere.
    fn holds(&self, name: &str) -> bool {
        let mut parts = Path::new(name).components();
        let path = self.root.join(name);
        let mut around = path.ancestors().skip(1).take_while(|folder| *folder != self.root);
        !name.is_empty()
            && parts.all(|part| matches!(part, Component::Normal(_)))
            && around.all(|folder| subfolder::refuse_link(folder).is_ok())
    }

    /// The files, and their paths in the order in which they were written.
    pub(super) fn done(self) -> (FileDigests, Vec<PathBuf>) {
        (self.files, self.paths)
    }
}

impl Sink for Folder<'_> {
    /// Writes a file whole and remembers its digest.
    fn write(&mut self, name: &str, fill: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>) -> io::Result<()> {
        let path = self.root.join(name);
        std::fs::create_dir_all(self.root)?;
        if let Some(folder) = path.parent().filter(|folder| *folder != self.root) {
            subfolder::make(folder)?;
        }
        let mut hash = Xxh3::new();
        write_atomically(&path, |out| fill(&mut Digested { out, hash: &mut hash }))?;
        self.files.insert(name.to_owned(), hexadecimal(&hash));
        self.paths.push(path);
        Ok(())
    }

    fn names(&self) -> Vec<String> {
        self.files.keys().cloned().collect()
    }
}

fn hexadecimal(hash: &Xxh3) -> String {
    format!("{:032x}", hash.digest128())
}

/// The digest of a file; links are not followed.
fn digest_of(path: &Path) -> io::Result<String> {
    if !std::fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::other("no file"));
    }
    let mut file = Input::open_own(path)?;
    let (mut hash, mut buffer) = (Xxh3::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hexadecimal(&hash)),
            read => hash.update(&buffer[..read]),
        }
    }
}

/// A writer that passes on what is written and digests it.
struct Digested<'w> {
    out: &'w mut (dyn Write + Send),
    hash: &'w mut Xxh3,
}

impl Write for Digested<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_written_any_more_goes_and_what_is_somebodys_stays() {
        let folder = tempfile::tempdir().unwrap();
        let root = &folder.path().join("results");
        std::fs::create_dir_all(root.join("charts")).unwrap();
        std::fs::write(root.join("charts/own.svg"), "mine").unwrap();
        std::fs::write(folder.path().join("outside.svg"), "old").unwrap();
        let mut before = Folder::new(root);
        for name in ["charts/old.svg", "charts/edited.svg", "charts/kept.svg", "expect.csv"] {
            before.write(name, |out| out.write_all(b"old")).unwrap();
        }
        let (mut files, _) = before.done();
        std::fs::write(root.join("charts/edited.svg"), "retouched").unwrap();
        let digest = files["charts/old.svg"].clone();
        files.insert("../outside.svg".to_owned(), digest.clone());
        files.insert("charts/gone.svg".to_owned(), digest);
        let mut now = Folder::new(root);
        now.write("charts/Kept.svg", |out| out.write_all(b"new")).unwrap();
        now.remove_stale(&files);
        for (name, is_there) in [
            ("charts/old.svg", false),
            ("expect.csv", false),
            ("charts/edited.svg", true),
            ("charts/own.svg", true),
            ("charts/Kept.svg", true),
            ("../outside.svg", true),
        ] {
            assert_eq!(root.join(name).exists(), is_there, "{name}");
        }
    }
}
