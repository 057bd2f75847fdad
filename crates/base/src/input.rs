//! The only place that opens files named by users: scenarios, their includes, graphs, traces, tables, measurements.
//!
//! Only regular files are read, since a pipe may wait for ever and a device never end. Files that the kernel generates
//! (`/proc`, `/sys`) are refused too: their length is not known beforehand. A file may have up to 1 GiB; the
//! environment variable `HETSIM_MAX_FILE_SIZE` sets another limit.
//!
//! A program without a disk, such as one in a browser, brings its files along by [`carry`].

mod carried;

use std::fs::{File, Metadata};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::units::Bytes;

pub use carried::carry;

/// The environment variable with the largest file size: a number of bytes, or a quantity such as `4GiB`.
pub const LIMIT: &str = "HETSIM_MAX_FILE_SIZE";

/// The default limit of a file's size.
const DEFAULT_LIMIT: Bytes = Bytes::new(1 << 30);

/// The size of a piece where a file is read piece by piece, in bytes.
const PIECE: usize = 1 << 16;

/// What may stand before a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The same in UTF-16.
const UTF_16: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// The error of a system that has no files.
const WITHOUT_DISK: io::ErrorKind = io::ErrorKind::Unsupported;

/// Why a file is not read.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.about(&.path.display().to_string()))]
pub struct InputError {
    path: PathBuf,
    fault: Fault,
}

/// What is wrong with a file.
#[derive(Debug)]
enum Fault {
    Missing,
    /// It is not a regular file; the text says what it is.
    Special(&'static str),
    /// It is longer than the limit; its length, if known.
    TooLong {
        length: Option<u64>,
        limit: Bytes,
    },
    NotText {
        /// Whether it is text as Windows writes some.
        is_utf16: bool,
    },
    /// The limit is not a size.
    BadLimit(String),
    Failed(io::Error),
}

impl InputError {
    /// The error as a sentence that gives the file another name, such as the one in a scenario.
    #[must_use]
    pub fn about(&self, name: &str) -> String {
        match &self.fault {
            Fault::Missing => format!("there is no file {name}"),
            Fault::Special(what) => format!("{name} is {what}; only regular files are read"),
            Fault::TooLong { length, limit } => {
                let length = length.map_or_else(String::new, |length| format!(" has {} and", Bytes::new(length)));
                format!("{name}{length} is longer than {limit}; the environment variable {LIMIT} raises this limit")
            }
            Fault::NotText { is_utf16: false } => format!("{name} is not UTF-8 text"),
            Fault::NotText { is_utf16: true } => format!("{name} is UTF-16 text: save it as UTF-8"),
            Fault::BadLimit(fault) => fault.clone(),
            Fault::Failed(error) => format!("{name} can't be read: {error}"),
        }
    }

    /// Whether the file does not exist.
    #[must_use]
    pub const fn is_missing(&self) -> bool {
        matches!(self.fault, Fault::Missing)
    }
}

impl From<InputError> for io::Error {
    fn from(error: InputError) -> Self {
        let kind = match &error.fault {
            Fault::Missing => io::ErrorKind::NotFound,
            Fault::NotText { .. } => io::ErrorKind::InvalidData,
            Fault::Failed(error) => error.kind(),
            Fault::Special(_) | Fault::TooLong { .. } | Fault::BadLimit(_) => io::ErrorKind::Other,
        };
        Self::new(kind, error)
    }
}

/// An open file, read up to the limit.
#[derive(Debug)]
pub struct Input {
    content: Content,
    path: PathBuf,
    limit: Bytes,
    length: u64,
    left: u64,
}

/// Where the bytes of an open file come from.
#[derive(Debug)]
enum Content {
    Disk(File),
    Memory(Cursor<Arc<[u8]>>),
}

impl Input {
    /// Opens a file.
    ///
    /// # Errors
    /// If it does not exist, is not a regular file, or exceeds the limit.
    pub fn open(path: &Path) -> Result<Self, InputError> {
        let fault = |fault| InputError { path: path.to_owned(), fault };
        let limit = limit().map_err(|message| fault(Fault::BadLimit(message)))?;
        Self::open_within(path, limit).map_err(fault)
    }

    /// Opens a file that hetsim itself wrote, of any length.
    ///
    /// # Errors
    /// If it does not exist or is not a regular file.
    pub fn open_own(path: &Path) -> Result<Self, InputError> {
        Self::open_within(path, Bytes::new(u64::MAX)).map_err(|fault| InputError { path: path.to_owned(), fault })
    }

    fn open_within(path: &Path, limit: Bytes) -> Result<Self, Fault> {
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound | WITHOUT_DISK => Fault::Missing,
            _ => Fault::Failed(error),
        };
        let carried = carried::find(path);
        let length = if let Some(bytes) = &carried {
            bytes.len() as u64
        } else {
            // Checked before opening: opening a pipe waits for its other end.
            let data = std::fs::metadata(path).map_err(failed)?;
            if let Some(what) = special(path, &data) {
                return Err(Fault::Special(what));
            }
            data.len()
        };
        if length > limit.count() {
            return Err(Fault::TooLong { length: Some(length), limit });
        }
        let content = match carried {
            Some(bytes) => Content::Memory(Cursor::new(bytes)),
            None => Content::Disk(File::open(path).map_err(failed)?),
        };
        Ok(Self { content, path: path.to_owned(), limit, length, left: limit.count() })
    }

    /// The whole content.
    ///
    /// # Errors
    /// If it can't be read or grows beyond the limit meanwhile.
    pub fn bytes(mut self) -> Result<Vec<u8>, InputError> {
        let mut content = Vec::new();
        let capacity = usize::try_from(self.length).unwrap_or(0);
        let read = match content.try_reserve_exact(capacity) {
            Ok(()) => self.read_to_end(&mut content),
            Err(error) => Err(io::Error::new(io::ErrorKind::OutOfMemory, error)),
        };
        read.map_err(|error| self.failed(error))?;
        Ok(content)
    }

    /// Passes on the content piece by piece, so that it need not fit into memory.
    ///
    /// # Errors
    /// As [`Self::bytes`].
    pub fn pieces(mut self, mut take: impl FnMut(&[u8])) -> Result<(), InputError> {
        let mut piece = vec![0; PIECE];
        loop {
            match self.read(&mut piece) {
                Ok(0) => return Ok(()),
                Ok(length) => take(&piece[..length]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failed(error)),
            }
        }
    }

    fn failed(&self, error: io::Error) -> InputError {
        let fault = match error.kind() {
            io::ErrorKind::FileTooLarge => Fault::TooLong { length: None, limit: self.limit },
            _ => Fault::Failed(error),
        };
        InputError { path: self.path.clone(), fault }
    }

    /// The whole content as text, without the mark that editors on Windows put before it.
    ///
    /// # Errors
    /// As [`Self::bytes`], and if it is not UTF-8.
    pub fn text(self) -> Result<String, InputError> {
        let path = self.path.clone();
        let mut text = String::from_utf8(self.bytes()?).map_err(|error| {
            let is_utf16 = UTF_16.iter().any(|mark| error.as_bytes().starts_with(mark));
            InputError { path, fault: Fault::NotText { is_utf16 } }
        })?;
        if text.starts_with(BYTE_ORDER_MARK) {
            text.remove(0);
        }
        Ok(text)
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // One byte beyond the limit tells a file that ends at the limit from a longer one.
        let most = usize::try_from(self.left.saturating_add(1)).unwrap_or(usize::MAX).min(buffer.len());
        let read = match &mut self.content {
            Content::Disk(file) => file.read(&mut buffer[..most])?,
            Content::Memory(bytes) => bytes.read(&mut buffer[..most])?,
        };
        let beyond = || io::Error::new(io::ErrorKind::FileTooLarge, format!("it is longer than {}", self.limit));
        self.left = self.left.checked_sub(read as u64).ok_or_else(beyond)?;
        Ok(read)
    }
}

/// Reads a whole file.
///
/// # Errors
/// As [`Input::open`] and [`Input::bytes`].
pub fn read(path: &Path) -> Result<Vec<u8>, InputError> {
    Input::open(path)?.bytes()
}

/// Reads a whole text file.
///
/// # Errors
/// As [`Input::open`] and [`Input::text`].
pub fn read_text(path: &Path) -> Result<String, InputError> {
    Input::open(path)?.text()
}

/// The names of the regular files in a folder that are meant, in no order; a link counts as what it leads to. Names
/// that are not UTF-8 are left out.
///
/// # Errors
/// The folder does not exist or cannot be read, or a name that is meant leads nowhere.
pub fn names_in(folder: &Path, is_meant: impl Fn(&str) -> bool) -> io::Result<Vec<String>> {
    let mut carried = carried::names_in(folder);
    if !carried.is_empty() {
        carried.retain(|name| is_meant(name));
        return Ok(carried);
    }
    let mut names = Vec::new();
    let entries = std::fs::read_dir(folder).map_err(|error| match error.kind() {
        WITHOUT_DISK => io::ErrorKind::NotFound.into(),
        _ => error,
    })?;
    for entry in entries {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if is_meant(&name) && std::fs::metadata(entry.path())?.is_file() {
            names.push(name);
        }
    }
    Ok(names)
}

/// The largest allowed file size.
fn limit() -> Result<Bytes, String> {
    Ok(Bytes::from_environment(LIMIT)?.unwrap_or(DEFAULT_LIMIT))
}

/// What a file is, in words, if it is not regular.
fn special(path: &Path, data: &Metadata) -> Option<&'static str> {
    if data.is_dir() {
        return Some("a folder");
    }
    if !data.is_file() {
        return Some(kind(data));
    }
    // These look regular, but have no length or a meaningless one.
    let made_up = |whole: PathBuf| ["/proc", "/sys"].iter().any(|root| whole.starts_with(root));
    path.canonicalize().is_ok_and(made_up).then_some("made up by the kernel as it is read")
}

#[cfg(unix)]
fn kind(data: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    let kind = data.file_type();
    if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn kind(_: &Metadata) -> &'static str {
    "a device"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(content: &[u8]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("x");
        std::fs::write(&path, content).unwrap();
        (folder, path)
    }

    #[test]
    fn a_file_may_be_as_long_as_the_limit() {
        let (_folder, path) = of(b"12345");
        assert_eq!(Input::open_within(&path, Bytes::new(5)).unwrap().bytes().unwrap(), b"12345");
        let Err(fault) = Input::open_within(&path, Bytes::new(4)) else { panic!("it is too long") };
        let error = InputError { path, fault };
        assert_eq!(
            error.about("x"),
            "x has 5B and is longer than 4B; the environment variable HETSIM_MAX_FILE_SIZE raises this limit"
        );
    }

    #[test]
    fn a_carried_file_is_found_before_the_disk() {
        let (folder, path) = of(b"on disk");
        carry(&path, *b"in memory");
        assert_eq!(read_text(&path).unwrap(), "in memory");
        assert!(matches!(Input::open_within(&path, Bytes::new(8)), Err(Fault::TooLong { length: Some(9), .. })));
        assert_eq!(names_in(folder.path(), |_| true).unwrap(), ["x"]);

        carry("./carried/of a test", *b"");
        assert_eq!(read("carried/of a test".as_ref()).unwrap(), b"");
        assert_eq!(names_in("./carried".as_ref(), |_| true).unwrap(), ["of a test"]);
        assert_eq!(names_in("carried/of a test".as_ref(), |_| true).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    #[cfg(unix)]
    fn only_names_that_are_meant_must_lead_somewhere() {
        let (folder, _path) = of(b"");
        std::os::unix::fs::symlink("nowhere", folder.path().join("dangling")).unwrap();
        assert_eq!(names_in(folder.path(), |name| name == "x").unwrap(), ["x"]);
        assert_eq!(names_in(folder.path(), |_| true).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_file_that_grows_is_read_up_to_the_limit() {
        let (_folder, path) = of(b"1234");
        let input = Input::open_within(&path, Bytes::new(4)).unwrap();
        std::fs::write(&path, b"123456").unwrap();
        assert!(matches!(input.bytes().unwrap_err().fault, Fault::TooLong { length: None, .. }));
    }

    #[test]
    fn a_mark_before_a_text_is_left_out() {
        let (_folder, path) = of("\u{feff}a\u{feff}".as_bytes());
        assert_eq!(read_text(&path).unwrap(), "a\u{feff}");
    }

    #[test]
    fn what_is_no_file_is_called_by_its_name() {
        let (folder, path) = of(b"\xff");
        assert!(read(&folder.path().join("none")).unwrap_err().is_missing());
        assert!(read(folder.path()).unwrap_err().to_string().ends_with("is a folder; only regular files are read"));
        assert!(read_text(&path).unwrap_err().to_string().ends_with("is not UTF-8 text"));
        let (_folder, utf_16) = of(b"\xff\xfea\0");
        assert!(read_text(&utf_16).unwrap_err().to_string().ends_with("is UTF-16 text: save it as UTF-8"));
        #[cfg(unix)]
        for (path, what) in [("/dev/zero", "a device"), ("/proc/self/status", "made up by the kernel")] {
            let message = read(Path::new(path)).unwrap_err().to_string();
            assert!(message.starts_with(&format!("{path} is {what}")), "{message}");
        }
    }
}
