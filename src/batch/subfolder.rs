//! Folders within a results folder: what is written and removed there stays within it.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Makes a folder within a results folder, unless it is there.
///
/// # Errors
/// It cannot be made, or a symbolic link stands there.
pub fn make(folder: &Path) -> io::Result<()> {
    refuse_link(folder)?;
    fs::create_dir_all(folder)
}

/// Refuses a symbolic link in the place of a folder.
///
/// # Errors
/// A symbolic link stands there.
pub fn refuse_link(folder: &Path) -> io::Result<()> {
    if folder.is_symlink() {
        let message = "it is a symbolic link, and hetsim writes and removes only what is within the results folder";
        return Err(io::Error::new(ErrorKind::NotADirectory, message));
    }
    Ok(())
}
