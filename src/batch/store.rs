//! The store of completed runs: a folder of segments, one for each process that ever appended to it.
//!
//! A record is one line, and some records at a time are written by one call: its checksum (XXH3, 64 bits, in hex), a space, the key and the record as
//! JSON, a newline. Therefore:
//!
//! - kill -9 at any instant loses nothing for which [`Store::append`] has returned, since the system has it then;
//! - power loss costs at most the records of one second: while records arrive, they are forced to disk once a second,
//!   and when the store is closed;
//! - a line that was truncated by a crash or a full disk, or damaged by a disk, fails its checksum when the store is
//!   opened and is dropped with a note in [`Loaded::notes`]; only its own run is computed again;
//! - processes on any number of hosts share a folder without locks, because none appends to the segment of another.
//!   Records that others append after [`Store::open`] are visible at the next opening. If two processes computed a run,
//!   the record in the first segment by name counts.
//!
//! Threads of one process do not wait for each other: each rayon thread has its own segment; all other threads share
//! one.
//!
//! The store keeps the keys and positions of the records in memory (32 bytes per record with a key of 16 bytes). It
//! reads records on demand: one by one, or many at once, a piece of a segment at a time.
//!
//! [`Store::in_memory`] has its segments in memory, for a process without a disk: the same lines, read and checked in the
//! same way, that end with the store.

mod error;
mod index;
mod lines;
mod segment;
#[cfg(test)]
mod tests;

use std::borrow::Borrow;
use std::fmt::{self, Display};
use std::fs::{self, File};
use std::hash::Hash;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::subfolder;
use crate::record::Record;
pub use error::StoreError;
use index::{Index, LinePosition};
pub use lines::{Line, Lines};
use segment::{LONGEST, MEMORY, OwnSegment, Segment};

/// The name of a run: small, and unchanged by writing it as text and reading it back.
pub trait Key: Copy + Ord + Hash + Display + FromStr + Send + Sync {}

impl<K: Copy + Ord + Hash + Display + FromStr + Send + Sync> Key for K {}

/// The maximum number of segments kept open for reading.
const OPEN_FILES: usize = 32;

/// The maximum number of threads that append independently; beyond that, some share a segment.
const SLOTS: usize = 64;

/// The completed runs in a folder, or in memory. See the [module](self).
///
/// It is safe to use from several threads at once.
#[derive(Debug)]
pub struct Store<K> {
    /// None in memory.
    folder: Option<PathBuf>,
    // If several locks are needed, they are taken in this order.
    slots: Vec<Mutex<Slot<K>>>,
    index: RwLock<Index<K>>,
    /// Whether a slot has positions that are missing from the index.
    unsettled: AtomicBool,
    readers: Mutex<Vec<(u32, File)>>,
}

/// The records that a thread has appended.
#[derive(Debug)]
struct Slot<K> {
    own: Option<OwnSegment>,
    /// The positions not yet in the index.
    places: FxHashMap<K, LinePosition>,
}

/// The result of opening a store.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Loaded {
    /// The number of stored runs.
    pub records: usize,
    /// The number of records ignored as duplicates.
    pub duplicates: usize,
    /// The number of segments read.
    pub segments: usize,
    /// The dropped lines, one note for each damaged segment.
    pub notes: Vec<Note>,
}

/// The lines dropped from one segment. It displays as a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The file.
    pub segment: PathBuf,
    /// Whether the last line is incomplete: its process was killed, its disk was full, or it is being written.
    pub torn: bool,
    /// The number of damaged lines.
    pub corrupt: usize,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: dropped ", self.segment.display())?;
        match (self.corrupt, self.torn) {
            (0, _) => f.write_str("an unfinished line at the end")?,
            (1, false) => f.write_str("a damaged line")?,
            (count, false) => write!(f, "{count} damaged lines")?,
            (1, true) => f.write_str("a damaged line and an unfinished one at the end")?,
            (count, true) => write!(f, "{count} damaged lines and an unfinished one at the end")?,
        }
        f.write_str("; what they held is computed again")
    }
}

impl<K: Key> Store<K> {
    /// Opens the store in a folder and scans all its segments, one line at a time. Without such a folder the store is
    /// empty; nothing is created before the first record.
    ///
    /// # Errors
    ///
    /// The folder, or a segment in it, cannot be read. Damage within a segment gives a note instead of an error.
    pub fn open(folder: impl Into<PathBuf>) -> Result<(Self, Loaded), StoreError> {
        let folder = folder.into();
        let segments = segment::list(&folder).map_err(|cause| StoreError::Folder { folder: folder.clone(), cause })?;
        let mut loaded = Loaded::default();
        let mut index = Index::new(segments.iter().cloned().map(Segment::File).collect());
        // Segments are scanned in parallel and added in order.
        let scanned: Vec<_> = segments.par_iter().enumerate().map(|(number, path)| scan(number, path)).collect();
        for (scanned, path) in scanned.into_iter().zip(segments) {
            match scanned {
                Ok((damage, places)) => {
                    loaded.segments += 1;
                    index.places.extend(places);
                    if damage.torn || damage.corrupt > 0 {
                        let (torn, corrupt) = (damage.torn, damage.corrupt);
                        loaded.notes.push(Note { segment: path, torn, corrupt });
                    }
                }
                // It was removed since it was listed, so it is not part of the store.
                Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
                Err(cause) => return Err(StoreError::Read { segment: path, cause }),
            }
        }
        loaded.duplicates = index.arrange();
        loaded.records = index.places.len();
        Ok((Self::new(Some(folder), index), loaded))
    }

    /// An empty store in memory.
    #[must_use]
    pub fn in_memory() -> Self {
        Self::new(None, Index::new(Vec::new()))
    }

    fn new(folder: Option<PathBuf>, index: Index<K>) -> Self {
        let slots = (0..SLOTS).map(|_| Mutex::new(Slot { own: None, places: FxHashMap::default() })).collect();
        let (index, unsettled) = (RwLock::new(index), AtomicBool::new(false));
        Self { folder, slots, index, unsettled, readers: Mutex::default() }
    }

    /// Removes every segment in a folder, which no process may be using. Other files remain.
    ///
    /// # Errors
    ///
    /// The folder cannot be read, or a segment cannot be removed.
    pub fn discard(folder: &Path) -> Result<(), StoreError> {
        let error = |cause| StoreError::Folder { folder: folder.to_owned(), cause };
        for path in segment::list(folder).map_err(error)? {
            match fs::remove_file(path) {
                Err(cause) if cause.kind() != io::ErrorKind::NotFound => return Err(error(cause)),
                _ => {}
            }
        }
        Ok(())
    }

    /// Creates the folder and tries to create a file in it, so that hours of computing do not end with a record that
    /// cannot be written.
    ///
    /// # Errors
    ///
    /// The folder cannot be created or written.
    pub fn check_writable(&self) -> Result<(), StoreError> {
        let Some(folder) = &self.folder else { return Ok(()) };
        subfolder::make(folder)
            .and_then(|()| tempfile::tempfile_in(folder))
            .map(drop)
            .map_err(|cause| StoreError::Folder { folder: folder.clone(), cause })
    }

    /// The folder; none in memory.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The number of stored runs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.with_index(|index| index.places.len())
    }

    /// Whether no run is stored.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a run is stored.
    #[must_use]
    pub fn contains(&self, key: K) -> bool {
        self.with_index(|index| index.find(key).is_some())
    }

    /// The keys of all stored runs in disk order, which reads each segment once. The order has no other meaning; it
    /// depends on which process computed what.
    #[must_use]
    pub fn keys(&self) -> Vec<K> {
        let mut keys: Vec<(LinePosition, K)> =
            self.with_index(|index| index.places.iter().map(|&(key, place)| (place, key)).collect());
        keys.sort_unstable();
        keys.into_iter().map(|(_, key)| key).collect()
    }

    /// The record of a run, if it is stored.
    ///
    /// # Errors
    ///
    /// Its segment cannot be read, or has changed since the store was opened.
    pub fn get(&self, key: K) -> Result<Option<Record>, StoreError> {
        self.lines(&[key])?.line(0)?.map(|line| line.record()).transpose()
    }

    /// Stores the record of a run. Once this returns, only a power loss may lose it. An existing record stays
    /// unchanged.
    ///
    /// # Errors
    ///
    /// The folder cannot be written or is full, or the segment was removed. The store remains usable: earlier records
    /// are kept, and the next record goes to a new segment.
    pub fn append(&self, key: K, record: &Record) -> Result<(), StoreError> {
        self.append_all(&[(key, record)])
    }

    /// Stores the records of several runs by one call to the system, as [`append`](Self::append) does each of them.
    ///
    /// # Errors
    ///
    /// As [`append`](Self::append); some of the records may be stored then.
    pub fn append_all<R: Borrow<Record>>(&self, records: &[(K, R)]) -> Result<(), StoreError> {
        let failed = |segment: &Path, cause: io::Error| match cause.kind() {
            io::ErrorKind::NotFound => StoreError::Vanished { segment: segment.to_owned() },
            _ => StoreError::Write { segment: segment.to_owned(), cause },
        };
        let number = rayon::current_thread_index().map_or(0, |thread| 1 + thread % (SLOTS - 1));
        let mut slot = lock(&self.slots[number]);
        let (mut lines, mut places) = (Vec::new(), Vec::new());
        for (key, record) in records {
            if slot.places.contains_key(key) || self.index().find(*key).is_some() {
                continue;
            }
            let (name, start) = (key.to_string(), lines.len());
            segment::encode(&name, record.borrow(), &mut lines)
                .map_err(|cause| failed(self.folder().unwrap_or_else(|| Path::new(MEMORY)), cause.into()))?;
            let length = lines.len() - start;
            if length > LONGEST {
                return Err(StoreError::TooLong { key: name, length });
            }
            places.push((*key, LinePosition { segment: 0, length: length as u32, offset: start as u64 }));
        }
        if places.is_empty() {
            return Ok(());
        }
        // Put back only on success: after an error (or a panic) the next record starts a new segment.
        let mut own = slot.own.take().map_or_else(|| self.create(), Ok)?;
        let offset = own.append(&lines).map_err(|cause| failed(own.segment.path(), cause))?;
        for (key, place) in places {
            slot.places.entry(key).or_insert(LinePosition {
                segment: own.number,
                offset: offset + place.offset,
                ..place
            });
        }
        self.unsettled.store(true, Ordering::Release);
        if let Some(file) = own.due()
            && let Err(cause) = file.sync_data()
        {
            return Err(failed(own.segment.path(), cause));
        }
        slot.own = Some(own);
        Ok(())
    }

    /// Forces the records of this process to disk. Dropping a store does so too, but cannot report a failure.
    ///
    /// # Errors
    ///
    /// The system cannot write all of it, so that a power loss could lose some.
    pub fn close(self) -> Result<(), StoreError> {
        for slot in &self.slots {
            if let Some(own) = lock(slot).own.take() {
                own.sync().map_err(|cause| StoreError::Write { segment: own.segment.path().to_owned(), cause })?;
            }
        }
        Ok(())
    }

    fn create(&self) -> Result<OwnSegment, StoreError> {
        let mut own = match &self.folder {
            Some(folder) => {
                OwnSegment::create(folder).map_err(|cause| StoreError::Folder { folder: folder.clone(), cause })?
            }
            None => OwnSegment::in_memory(),
        };
        let mut index = self.index.write().unwrap_or_else(PoisonError::into_inner);
        own.number = index.segments.len() as u32;
        index.segments.push(own.segment.clone());
        Ok(own)
    }

    /// Reads the index with all earlier appended records.
    fn with_index<T>(&self, read: impl FnOnce(&Index<K>) -> T) -> T {
        if self.unsettled.load(Ordering::Acquire) {
            // All slots are held until the index is in order: a concurrent reader waits here; otherwise it would miss
            // what is moving from the slots to the index.
            let mut slots: Vec<_> = self.slots.iter().map(lock).collect();
            let mut index = self.index.write().unwrap_or_else(PoisonError::into_inner);
            for slot in &mut slots {
                index.places.extend(std::mem::take(&mut slot.places));
            }
            index.arrange();
            self.unsettled.store(false, Ordering::Release);
        }
        read(&self.index())
    }

    /// The index as it is.
    fn index(&self) -> RwLockReadGuard<'_, Index<K>> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The positions of the records in a segment, and its damage.
fn scan<K: Key>(number: usize, path: &Path) -> io::Result<(segment::Damage, Vec<(K, LinePosition)>)> {
    let mut places = Vec::new();
    let damage = segment::scan(path, LONGEST, |key, offset, length| {
        places.push((key, LinePosition { segment: number as u32, length, offset }));
    })?;
    Ok((damage, places))
}

/// A thread that panicked with the lock left nothing inconsistent: see where it is taken.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
