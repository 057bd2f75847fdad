//! What can go wrong with a store, in words that say what to do.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::segment::LONGEST;

/// Why a store can't be read or written, and what to do about it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The folder is none, or may not be used.
    #[error("cannot use the folder {}: {cause}; {}", .folder.display(),
            cure(.cause, "make sure that it is a folder that you may read and write, or choose another with --out"))]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// A segment can't be read.
    #[error("cannot read {}: {cause}; make sure that you may read it, or remove it to compute its runs again",
            .segment.display())]
    Read {
        /// The file.
        segment: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// A record could not be written.
    #[error("cannot write to {}: {cause}; {}", .segment.display(),
            cure(.cause, "once that is solved, run again: what was finished before is kept"))]
    Write {
        /// The file.
        segment: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// A segment was removed by somebody else while the store was open.
    #[error("{} was removed while it was in use; run again to compute what it held", .segment.display())]
    Vanished {
        /// The file.
        segment: PathBuf,
    },
    /// A segment was changed by somebody else while the store was open.
    #[error("{} was changed at byte {offset} while it was in use; run again to compute what it held there",
            .segment.display())]
    Changed {
        /// The file.
        segment: PathBuf,
        /// Where the line begins.
        offset: u64,
    },
    /// What was written is whole, but not a record as this version knows it.
    #[error("{} holds at byte {offset} what this version of hetsim cannot read ({cause}); compute anew with --fresh",
            .segment.display())]
    Foreign {
        /// The file.
        segment: PathBuf,
        /// Where the line begins.
        offset: u64,
        /// What is wrong with it.
        cause: serde_json::Error,
    },
    /// A record is too long to be kept.
    #[error(
        "the record of run {key} takes {length} bytes, more than a store keeps of one run ({LONGEST}); \
             ask for fewer or shorter tables"
    )]
    TooLong {
        /// The run.
        key: String,
        /// The length of its line.
        length: usize,
    },
}

/// What to do about a failure to write: the usual, unless the disk is full.
fn cure(cause: &io::Error, usual: &'static str) -> &'static str {
    match cause.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "make room and run again: what was finished before is kept"
        }
        _ => usual,
    }
}
