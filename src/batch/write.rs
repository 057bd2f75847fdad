//! temporary
use std::io;
use std::path::Path;
pub fn write_atomically(path: &Path, write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) -> io::Result<()> {
    let mut f = std::fs::File::create(path)?;
    write(&mut f)
}
pub fn write_text(path: &Path, text: &str) -> io::Result<()> {
    std::fs::write(path, text)
}
