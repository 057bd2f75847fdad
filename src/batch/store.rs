//! Where finished runs are kept: a folder of segments, one for each process that ever appended to it.
//!
//! A record is one line, written by one call: its checksum (XXH3, 64 bits, in hex), a space, the key and the record as
//! JSON, a newline. So
//!
//! - kill -9 at any instant loses nothing that [`Store::append`] has returned for: the system has it then;
//! - power loss costs what was appended within one second at most: while records come, they are forced to the disk
//!   once a second, and when the store is closed;
//! - a line that a crash or a full disk cut short, or that a disk damaged, is dropped by its checksum when the store is
//!   opened, and that is said in [`Loaded::notes`]; only its own run is computed again;
//! - processes on any number of hosts share a folder without locks, because none appends to the segment of another.
//!   What others append after [`Store::open`] is seen at the next opening. A run that two of them computed is there
//!   twice; the first in the order of the segments' names counts.
//!
//! Threads of one process do not wait for each other: each of rayon's threads has a segment of its own, and so has
//! everybody else together.
//!
//! The store holds the keys and the places of the records in memory (32 bytes a record with a key of 16 bytes), and reads
//! records when they are asked for: one by one, or many at once, a piece of a segment at a time.

mod error;
mod index;
mod lines;
mod segment;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use rayon::prelude::*;

use crate::record::Record;
pub use error::StoreError;
use index::{Index, Place};
pub use lines::{Line, Lines};
use segment::{LONGEST, Own};

/// What names a run: small, and the same after it was written and read as text.
pub trait Key: Copy + Ord + Display + FromStr + Send + Sync {}

impl<K: Copy + Ord + Display + FromStr + Send + Sync> Key for K {}

/// How many segments are kept open for reading.
const OPEN_FILES: usize = 32;

/// How many threads append without waiting for each other; of more, some share a segment.
const SLOTS: usize = 64;

/// The finished runs in a folder. See the [module](self).
///
/// All of it may be used from several threads at once.
#[derive(Debug)]
pub struct Store<K> {
    folder: PathBuf,
    // Locks are taken in this order where several are.
    slots: Vec<Mutex<Slot<K>>>,
    index: RwLock<Index<K>>,
    /// Whether a slot has places that the index lacks.
    unsettled: AtomicBool,
    readers: Mutex<Vec<(u32, File)>>,
}

/// What a thread has appended.
#[derive(Debug)]
struct Slot<K> {
    own: Option<Own>,
    /// What the index does not have yet.
    places: BTreeMap<K, Place>,
}

/// What opening a store found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Loaded {
    /// Runs that are there.
    pub records: usize,
    /// Records that were passed over because their run was there already.
    pub duplicates: usize,
    /// Files that were read.
    pub segments: usize,
    /// What was dropped, one note for each damaged segment.
    pub notes: Vec<Note>,
}

/// What was dropped from one segment. It displays as a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The file.
    pub segment: PathBuf,
    /// Whether the last line was cut short: its process was killed or its disk was full, or it is writing just now.
    pub torn: bool,
    /// Lines that are not what was written.
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
    /// Opens the store in a folder and reads through all its segments, one line at a time. Where there is no such
    /// folder the store is empty; nothing is created before the first record.
    ///
    /// # Errors
    ///
    /// The folder, or a segment in it, can't be read. Damage within a segment is no error, but a note.
    pub fn open(folder: impl Into<PathBuf>) -> Result<(Self, Loaded), StoreError> {
        let folder = folder.into();
        let segments = segment::list(&folder).map_err(|cause| StoreError::Folder { folder: folder.clone(), cause })?;
        let mut loaded = Loaded::default();
        let mut index = Index::new(segments);
        // Segments are read side by side, and taken up in their order.
        let scanned: Vec<_> = index.segments.par_iter().enumerate().map(|(number, path)| scan(number, path)).collect();
        for (scanned, path) in scanned.into_iter().zip(index.segments.clone()) {
            match scanned {
                Ok((damage, places)) => {
                    loaded.segments += 1;
                    index.places.extend(places);
                    if damage.torn || damage.corrupt > 0 {
                        let (torn, corrupt) = (damage.torn, damage.corrupt);
                        loaded.notes.push(Note { segment: path, torn, corrupt });
                    }
                }
                // Removed since it was listed, so it isn't part of the store.
                Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
                Err(cause) => return Err(StoreError::Read { segment: path, cause }),
            }
        }
        loaded.duplicates = index.arrange();
        loaded.records = index.places.len();
        let slots = (0..SLOTS).map(|_| Mutex::new(Slot { own: None, places: BTreeMap::new() })).collect();
        let (index, unsettled) = (RwLock::new(index), AtomicBool::new(false));
        Ok((Self { folder, slots, index, unsettled, readers: Mutex::default() }, loaded))
    }

    /// Removes every segment in a folder, which no process may be using. Other files stay.
    ///
    /// # Errors
    ///
    /// The folder can't be read, or a segment can't be removed.
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

    /// Makes the folder and tries to create a file in it, so that hours of computing don't end in a record that can't
    /// be written.
    ///
    /// # Errors
    ///
    /// The folder can't be made or written.
    pub fn check_writable(&self) -> Result<(), StoreError> {
        fs::create_dir_all(&self.folder)
            .and_then(|()| tempfile::tempfile_in(&self.folder))
            .map(drop)
            .map_err(|cause| StoreError::Folder { folder: self.folder.clone(), cause })
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How many runs are there.
    #[must_use]
    pub fn len(&self) -> usize {
        self.with_index(|index| index.places.len())
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether that run is there.
    #[must_use]
    pub fn contains(&self, key: K) -> bool {
        self.with_index(|index| index.find(key).is_some())
    }

    /// All runs that are there, as they follow each other on disk: who reads them in this order goes through each
    /// segment once. The order says nothing else, and depends on which process computed what.
    #[must_use]
    pub fn keys(&self) -> Vec<K> {
        let mut keys: Vec<(Place, K)> =
            self.with_index(|index| index.places.iter().map(|&(key, place)| (place, key)).collect());
        keys.sort_unstable();
        keys.into_iter().map(|(_, key)| key).collect()
    }

    /// The record of a run, if it is there.
    ///
    /// # Errors
    ///
    /// Its segment can't be read, or isn't any more what it was when the store was opened.
    pub fn get(&self, key: K) -> Result<Option<Record>, StoreError> {
        self.lines(&[key])?.line(0)?.map(|line| line.record()).transpose()
    }

    /// Keeps the record of a run. Once this returns, only the loss of power may lose it. A run that is there already
    /// stays as it is.
    ///
    /// # Errors
    ///
    /// The folder can't be written or is full, or somebody removed the segment. The store remains usable: what was
    /// appended before is kept, and the next record goes to a segment of its own.
    pub fn append(&self, key: K, record: &Record) -> Result<(), StoreError> {
        if self.index().find(key).is_some() {
            return Ok(());
        }
        let name = key.to_string();
        let failed = |segment: &Path, cause: io::Error| match cause.kind() {
            io::ErrorKind::NotFound => StoreError::Vanished { segment: segment.to_owned() },
            _ => StoreError::Write { segment: segment.to_owned(), cause },
        };
        let line = segment::encode(&name, record).map_err(|cause| failed(&self.folder, cause.into()))?;
        if line.len() > LONGEST {
            return Err(StoreError::TooLong { key: name, length: line.len() });
        }

        let number = rayon::current_thread_index().map_or(0, |thread| 1 + thread % (SLOTS - 1));
        let mut slot = lock(&self.slots[number]);
        if slot.places.contains_key(&key) {
            return Ok(());
        }
        // Put back only when all went well: after an error (or a panic) the next record starts a new segment.
        let mut own = slot.own.take().map_or_else(|| self.create(), Ok)?;
        let offset = own.append(&line).map_err(|cause| failed(&own.path, cause))?;
        slot.places.insert(key, Place { segment: own.number, length: line.len() as u32, offset });
        self.unsettled.store(true, Ordering::Release);
        if let Some(file) = own.due()
            && let Err(cause) = file.sync_data()
        {
            return Err(failed(&own.path, cause));
        }
        slot.own = Some(own);
        Ok(())
    }

    /// Forces to the disk what this process appended. Dropping a store does so too, but can't say if that failed.
    ///
    /// # Errors
    ///
    /// The system can't write all of it, so that the loss of power could lose some.
    pub fn close(self) -> Result<(), StoreError> {
        for slot in &self.slots {
            if let Some(own) = lock(slot).own.take() {
                own.sync().map_err(|cause| StoreError::Write { segment: own.path.clone(), cause })?;
            }
        }
        Ok(())
    }

    fn create(&self) -> Result<Own, StoreError> {
        let own = Own::create(&self.folder);
        let mut own = own.map_err(|cause| StoreError::Folder { folder: self.folder.clone(), cause })?;
        let mut index = self.index.write().unwrap_or_else(PoisonError::into_inner);
        own.number = index.segments.len() as u32;
        index.segments.push(own.path.clone());
        Ok(own)
    }

    /// Reads the index, with all in it that was appended before.
    fn with_index<T>(&self, read: impl FnOnce(&Index<K>) -> T) -> T {
        if self.unsettled.load(Ordering::Acquire) {
            // All slots are held until the index is in order: another reader that comes in between waits here, or it
            // would miss what is on its way from the slots to the index.
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

/// The places of the records in a segment, and what is damaged there.
fn scan<K: Key>(number: usize, path: &Path) -> io::Result<(segment::Damage, Vec<(K, Place)>)> {
    let mut places = Vec::new();
    let damage = segment::scan(path, LONGEST, |key, offset, length| {
        places.push((key, Place { segment: number as u32, length, offset }));
    })?;
    Ok((damage, places))
}

/// A thread that panicked with the lock left nothing half done: see where it is taken.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
