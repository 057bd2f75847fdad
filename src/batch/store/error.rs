//! The errors of a store, with advice.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::segment::LONGEST;

/// The reason why a store cannot be read or written, with advice.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The folder is not a folder, or permission is missing.
    #[error("cannot use the folder {}: {cause}; {}", .folder.display(),
            cure(.cause, "make sure that it is a folder that you may read and write, or choose another with --out"))]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// A segment cannot be read.
    #[error("cannot read {}: {cause}; make sure that you may read it, or remove it to compute its runs again",
            .segment.display())]
    Read {
        /// The file.
        segment: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// A record could not be written.
    #[error("cannot write to {}: {cause}; {}", .segment.display(),
            cure(.cause, "once that is solved, run again: what was finished before is kept"))]
    Write {
        /// The file.
        segment: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// A segment was removed while the store was open.
    #[error("{} was removed while it was in use; run again to compute what it held", .segment.display())]
    Vanished {
        /// The file.
        segment: PathBuf,
    },
    /// A segment was changed while the store was open.
    #[error("{} was changed at byte {offset} while it was in use; run again to compute what it held there",
            .segment.display())]
    Changed {
        /// The file.
        segment: PathBuf,
        /// The start of the line in bytes.
        offset: u64,
    },
    /// The line is intact, but not a record of this version.
    #[error("{} holds at byte {offset} what this version of hetsim cannot read ({cause}); compute anew with --fresh",
            .segment.display())]
    Foreign {
        /// The file.
        segment: PathBuf,
        /// The start of the line in bytes.
        offset: u64,
        /// What is wrong with it.
        cause: serde_json::Error,
    },
    /// A record is too long to be stored.
    #[error(
        "the record of run {key} takes {length} bytes, more than a store keeps of one run ({LONGEST}); \
             ask for fewer or shorter tables"
    )]
    TooLong {
        /// The key of the run.
        key: String,
        /// The length of its line in bytes.
        length: usize,
    },
}

/// The advice for a failed write: the usual one, unless the disk is full.
fn cure(cause: &io::Error, usual: &'static str) -> &'static str {
    match cause.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "free some space and run again: completed runs are kept"
        }
        _ => usual,
    }
}
