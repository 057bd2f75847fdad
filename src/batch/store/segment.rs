//! A segment of the store: the format of its lines, scanning a segment, and appending to one's own.

use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use xxhash_rust::xxh3::xxh3_64;

use super::{Key, lock};
use crate::batch::subfolder;
use crate::record::{Record, stored};

/// The file extension of segments; other files in the folder are ignored.
const EXTENSION: &str = "seg";

/// The maximum length of a line, including its newline. It limits the memory for reading a damaged segment, and keeps
/// lengths within 32 bits.
pub(super) const LONGEST: usize = 1 << 30;

/// The interval between syncs; a power loss costs at most the records of this time.
const SYNC_EVERY: Duration = Duration::from_secs(1);

const CHECKSUM: usize = 16;

/// Adds the line of a record, including the newline.
pub(super) fn encode(key: &str, record: &Record, lines: &mut Vec<u8>) -> serde_json::Result<()> {
    let start = lines.len();
    lines.extend([b' '; CHECKSUM + 1]);
    stored::write(lines, key, record)?;
    let checksum = checksum(&lines[start + CHECKSUM + 1..]);
    lines[start..start + CHECKSUM].copy_from_slice(&checksum);
    lines.push(b'\n');
    Ok(())
}

/// The JSON within a line, if its checksum is valid.
pub(super) fn decode(line: &[u8]) -> Option<&[u8]> {
    let (written, rest) = line.strip_suffix(b"\n")?.split_at_checked(CHECKSUM)?;
    let body = rest.strip_prefix(b" ")?;
    (*written == checksum(body)).then_some(body)
}

fn checksum(body: &[u8]) -> [u8; CHECKSUM] {
    let hash = xxh3_64(body);
    std::array::from_fn(|digit| b"0123456789abcdef"[(hash >> (60 - 4 * digit)) as usize & 15])
}

fn key<K: Key>(line: &[u8]) -> Option<K> {
    stored::key(decode(line)?)?.parse().ok()
}

/// The lines dropped from a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Damage {
    pub(super) torn: bool,
    pub(super) corrupt: usize,
}

/// The segments in a folder, which is no link, in the order of their names; none if there is no folder.
pub(super) fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    subfolder::refuse_link(folder)?;
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut segments = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == EXTENSION) && path.is_file() {
            segments.push(path);
        }
    }
    segments.sort_unstable();
    Ok(segments)
}

/// Scans a segment and reports the key, the offset and the length of each intact line. It holds at most `longest` bytes
/// at a time; a longer line counts as damage.
pub(super) fn scan<K: Key>(path: &Path, longest: usize, mut found: impl FnMut(K, u64, u32)) -> io::Result<Damage> {
    let mut reader = BufReader::with_capacity(1 << 16, File::open(path)?);
    let mut damage = Damage::default();
    let mut offset = 0;
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut length = reader.by_ref().take(longest as u64).read_until(b'\n', &mut line)?;
        if length == 0 {
            return Ok(damage);
        }
        if line.last() == Some(&b'\n') {
            match key(&line) {
                Some(key) => found(key, offset, length as u32),
                None => damage.corrupt += 1,
            }
        } else if length == longest {
            damage.corrupt += 1;
            length += reader.skip_until(b'\n')?;
        } else {
            damage.torn = true;
        }
        offset += length as u64;
        line.shrink_to(1 << 20);
    }
}

/// What stands in errors for the path of a segment in memory.
pub(super) const MEMORY: &str = "memory";

/// Where the lines of a segment are.
#[derive(Debug, Clone)]
pub(super) enum Segment {
    File(PathBuf),
    Memory(Arc<Mutex<Vec<u8>>>),
}

impl Segment {
    /// The path, for errors.
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::File(path) => path,
            Self::Memory(_) => Path::new(MEMORY),
        }
    }
}

/// The segment to which this process appends.
#[derive(Debug)]
pub(super) struct OwnSegment {
    pub(super) segment: Segment,
    /// Its index in the store's list, set by the store.
    pub(super) number: u32,
    out: Out,
    /// The end of the intact part.
    end: u64,
}

/// What an own segment writes to.
#[derive(Debug)]
enum Out {
    File { file: Arc<File>, synced: Instant },
    Memory(Arc<Mutex<Vec<u8>>>),
}

impl OwnSegment {
    /// Creates a segment with a name that no other process on any host uses.
    pub(super) fn create(folder: &Path) -> io::Result<Self> {
        subfolder::make(folder)?;
        loop {
            let path = folder.join(name());
            let file = match OpenOptions::new().append(true).create_new(true).open(&path) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            };
            // Keeps a power loss from removing the name of a segment whose content survives. Not every file system
            // supports this, and none requires it.
            #[cfg(unix)]
            let _ = File::open(folder).and_then(|folder| folder.sync_all());
            let out = Out::File { file: Arc::new(file), synced: Instant::now() };
            return Ok(Self { segment: Segment::File(path), number: 0, out, end: 0 });
        }
    }

    /// A segment in memory.
    pub(super) fn in_memory() -> Self {
        let lines = Arc::default();
        Self { segment: Segment::Memory(Arc::clone(&lines)), number: 0, out: Out::Memory(lines), end: 0 }
    }

    /// Appends lines and returns the offset of the first. After an error this segment must not be appended to.
    pub(super) fn append(&mut self, lines: &[u8]) -> io::Result<u64> {
        match &self.out {
            Out::Memory(written) => lock(written).extend_from_slice(lines),
            Out::File { file, .. } => {
                let path = self.segment.path();
                // One system `write`, unless that stops short: a full disk, or an interruption.
                if let Err(error) = (&**file).write_all(lines) {
                    take_back(path, file, self.end);
                    return Err(error);
                }
                // If the file was removed, writing to it still succeeds, but the data are lost.
                if !path.try_exists()? {
                    return Err(io::ErrorKind::NotFound.into());
                }
            }
        }
        let offset = self.end;
        self.end += lines.len() as u64;
        Ok(offset)
    }

    /// The file, if a sync is due.
    pub(super) fn due(&mut self) -> Option<Arc<File>> {
        let Out::File { file, synced } = &mut self.out else { return None };
        let now = Instant::now();
        (now - *synced >= SYNC_EVERY).then(|| {
            *synced = now;
            Arc::clone(file)
        })
    }

    /// Forces all appended lines to disk, if they are to go there.
    pub(super) fn sync(&self) -> io::Result<()> {
        match &self.out {
            Out::File { file, .. } => file.sync_data(),
            Out::Memory(_) => Ok(()),
        }
    }
}

/// Removes the lines of which not all could be written after the intact part, if possible; otherwise readers drop the
/// incomplete one.
fn take_back(path: &Path, file: &File, end: u64) {
    let _ = if end == 0 {
        fs::remove_file(path)
    } else {
        match file.metadata() {
            Ok(metadata) if metadata.len() > end => file.set_len(end),
            _ => Ok(()),
        }
    };
}

impl Drop for OwnSegment {
    fn drop(&mut self) {
        // Also if an error ends this segment: its lines remain.
        if let Err(error) = self.sync() {
            log::warn!("{}: {error}", self.segment.path().display());
        }
    }
}

/// The name starts with the time, so that segments are read roughly in the order of their creation.
fn name() -> String {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    // The keys of a new `RandomState` come from the system's random source.
    let random = RandomState::new().build_hasher().finish();
    format!("{time:012x}-{}-{}-{random:016x}.{EXTENSION}", host(), std::process::id())
}

fn host() -> String {
    let name = ["/proc/sys/kernel/hostname", "/etc/hostname"].iter().find_map(|file| fs::read_to_string(file).ok());
    let name = name.or_else(|| std::env::var("COMPUTERNAME").ok()).unwrap_or_default();
    let name: String = name.chars().filter(char::is_ascii_alphanumeric).take(32).collect();
    if name.is_empty() { "host".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(key: &str, record: &Record) -> Vec<u8> {
        let mut line = Vec::new();
        encode(key, record, &mut line).unwrap();
        line
    }

    #[test]
    fn a_line_is_readable_by_eye() {
        let mut record = Record::default();
        record.metric("completion_s", 3.0);
        let line = line("2a", &record);
        let (sum, body) = line.split_at(17);
        assert_eq!(body, b"{\"key\":\"2a\",\"record\":{\"figures\":[[\"completion_s\",3.0]]}}\n");
        assert_eq!(sum, format!("{:016x} ", xxh3_64(body.trim_ascii_end())).as_bytes());
        assert_eq!(key(&self::line("42", &record)), Some(42_u64));
        assert_eq!(key(&self::line("\"\\\n", &record)), None::<u64>);
        assert_eq!(key(&self::line("\"", &record)), Some('"'));
    }

    #[test]
    fn a_line_that_is_too_long_costs_no_memory() {
        let line = line("42", &Record::default());
        let noise = vec![0; 1000];
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), [&line[..], &noise, b"\n", &line, &noise].concat()).unwrap();
        let mut found = Vec::new();
        let damage =
            scan(file.path(), line.len(), |key: u64, offset, length| found.push((key, offset, length))).unwrap();
        let (length, second) = (line.len() as u32, (line.len() + noise.len() + 1) as u64);
        assert_eq!(found, [(42, 0, length), (42, second, length)]);
        assert_eq!(damage, Damage { torn: false, corrupt: 2 });
    }

    #[test]
    fn names_differ_and_are_plain() {
        let names: std::collections::BTreeSet<String> = (0..1000).map(|_| name()).collect();
        assert_eq!(names.len(), 1000);
        assert!(
            names.iter().all(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte)))
        );
    }
}
