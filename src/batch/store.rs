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
//! The store holds the keys and the places of the records in memory (32 bytes a record with a key of 16 bytes, some 50
//! with what the tree around them costs), and reads a record when it is asked for.

mod error;
mod segment;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::record::{Record, Value};
pub use error::StoreError;
use segment::{LONGEST, Own};

/// What names a run: small, and the same after it was written and read as text.
pub trait Key: Copy + Ord + Display + FromStr {}

impl<K: Copy + Ord + Display + FromStr> Key for K {}

/// How many segments are kept open for reading.
const OPEN_FILES: usize = 32;

/// The finished runs in a folder. See the [module](self).
///
/// All of it may be used from several threads at once.
#[derive(Debug)]
pub struct Store<K> {
    folder: PathBuf,
    // Taken in this order where both are.
    own: Mutex<Option<Own>>,
    index: RwLock<Index<K>>,
    readers: Mutex<Vec<(u32, File)>>,
}

#[derive(Debug)]
struct Index<K> {
    segments: Vec<PathBuf>,
    places: BTreeMap<K, Place>,
}

/// Where a line is. Ordered as the lines are on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    segment: u32,
    offset: u64,
    length: u32,
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

/// The figures of a record, without its tables.
#[derive(Deserialize)]
struct Figures {
    figures: Vec<(String, Value)>,
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
        let mut places = BTreeMap::new();
        for (number, path) in segments.iter().enumerate() {
            let scanned = segment::scan(path, LONGEST, |key, offset, length| {
                let known = places.len();
                places.entry(key).or_insert(Place { segment: number as u32, length, offset });
                loaded.duplicates += usize::from(places.len() == known);
            });
            match scanned {
                Ok(damage) => {
                    loaded.segments += 1;
                    if damage.torn || damage.corrupt > 0 {
                        let (torn, corrupt) = (damage.torn, damage.corrupt);
                        loaded.notes.push(Note { segment: path.clone(), torn, corrupt });
                    }
                }
                // Removed since it was listed, so it isn't part of the store.
                Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
                Err(cause) => return Err(StoreError::Read { segment: path.clone(), cause }),
            }
        }
        loaded.records = places.len();
        let index = RwLock::new(Index { segments, places });
        Ok((Self { folder, own: Mutex::default(), index, readers: Mutex::default() }, loaded))
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
        self.with_index(|index| index.places.contains_key(&key))
    }

    /// All runs that are there, as they follow each other on disk: who reads them in this order goes through each
    /// segment once. The order says nothing else, and depends on which process computed what.
    #[must_use]
    pub fn keys(&self) -> Vec<K> {
        let mut keys: Vec<(Place, K)> =
            self.with_index(|index| index.places.iter().map(|(&key, &place)| (place, key)).collect());
        keys.sort_unstable();
        keys.into_iter().map(|(_, key)| key).collect()
    }

    /// The record of a run, if it is there.
    ///
    /// # Errors
    ///
    /// Its segment can't be read, or isn't any more what it was when the store was opened.
    pub fn get(&self, key: K) -> Result<Option<Record>, StoreError> {
        self.read(key)
    }

    /// The figures of a run, if it is there: [`get`](Self::get) without the tables, which may be long.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    pub fn figures(&self, key: K) -> Result<Option<Vec<(String, Value)>>, StoreError> {
        Ok(self.read::<Figures>(key)?.map(|record| record.figures))
    }

    /// Keeps the record of a run. Once this returns, only the loss of power may lose it. A run that is there already
    /// stays as it is.
    ///
    /// # Errors
    ///
    /// The folder can't be written or is full, or somebody removed the segment. The store remains usable: what was
    /// appended before is kept, and the next record goes to a segment of its own.
    pub fn append(&self, key: K, record: &Record) -> Result<(), StoreError> {
        if self.contains(key) {
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

        let mut guard = lock(&self.own);
        // Put back only when all went well: after an error (or a panic) the next record starts a new segment.
        let mut own = guard.take().map_or_else(|| self.create(), Ok)?;
        let offset = own.append(&line).map_err(|cause| failed(&own.path, cause))?;
        let place = Place { segment: own.number, length: line.len() as u32, offset };
        self.with_index_mut(|index| *index.places.entry(key).or_insert(place));
        let due = own.due().map(|file| (file, own.path.clone()));
        *guard = Some(own);
        drop(guard);

        // The others go on appending meanwhile.
        if let Some((file, path)) = due
            && let Err(cause) = file.sync_data()
        {
            *lock(&self.own) = None;
            return Err(failed(&path, cause));
        }
        Ok(())
    }

    /// Forces to the disk what this process appended. Dropping a store does so too, but can't say if that failed.
    ///
    /// # Errors
    ///
    /// The system can't write all of it, so that the loss of power could lose some.
    pub fn close(self) -> Result<(), StoreError> {
        match lock(&self.own).take() {
            Some(own) => own.sync().map_err(|cause| StoreError::Write { segment: own.path.clone(), cause }),
            None => Ok(()),
        }
    }

    fn create(&self) -> Result<Own, StoreError> {
        let number = self.with_index(|index| index.segments.len() as u32);
        let own = Own::create(&self.folder, number)
            .map_err(|cause| StoreError::Folder { folder: self.folder.clone(), cause })?;
        self.with_index_mut(|index| index.segments.push(own.path.clone()));
        Ok(own)
    }

    fn read<T: DeserializeOwned>(&self, key: K) -> Result<Option<T>, StoreError> {
        let found = self.with_index(|index| {
            let place = *index.places.get(&key)?;
            Some((place, index.segments[place.segment as usize].clone()))
        });
        let Some((place, segment)) = found else { return Ok(None) };
        let offset = place.offset;
        let line = match self.line(&segment, place) {
            Ok(line) => line,
            Err(cause) => {
                return Err(match cause.kind() {
                    io::ErrorKind::NotFound => StoreError::Vanished { segment },
                    io::ErrorKind::UnexpectedEof => StoreError::Changed { segment, offset },
                    _ => StoreError::Read { segment, cause },
                });
            }
        };
        let Some(body) = segment::decode(&line) else { return Err(StoreError::Changed { segment, offset }) };
        match serde_json::from_slice::<segment::Content<T>>(body) {
            Ok(content) => Ok(Some(content.record)),
            Err(cause) => Err(StoreError::Foreign { segment, offset, cause }),
        }
    }

    /// The bytes at a place, through one of a few files that stay open: those used last are at the end.
    fn line(&self, path: &Path, place: Place) -> io::Result<Vec<u8>> {
        let mut line = vec![0; place.length as usize];
        let mut readers = lock(&self.readers);
        let (_, mut file) = match readers.iter().rposition(|(number, _)| *number == place.segment) {
            Some(open) => readers.remove(open),
            None => (place.segment, File::open(path)?),
        };
        file.seek(SeekFrom::Start(place.offset))?;
        file.read_exact(&mut line)?;
        if readers.len() == OPEN_FILES {
            readers.remove(0);
        }
        readers.push((place.segment, file));
        Ok(line)
    }

    fn with_index<T>(&self, read: impl FnOnce(&Index<K>) -> T) -> T {
        read(&self.index.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn with_index_mut<T>(&self, change: impl FnOnce(&mut Index<K>) -> T) -> T {
        change(&mut self.index.write().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A thread that panicked with the lock left nothing half done: see where it is taken.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
