//! Reads many records from a store at once.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use super::index::LinePosition;
use super::segment::Segment;
use super::{Key, OPEN_FILES, Store, StoreError, lock, segment};
use crate::record::Record;
use crate::record::stored::{self, Borrowed};

/// Lines no farther apart than this are read in one piece.
const GAP: u64 = 1 << 14;

/// The maximum length of a piece, except for a single longer line.
const PIECE: u64 = 1 << 22;

/// The raw records of some runs.
#[derive(Debug)]
pub struct Lines {
    bytes: Vec<u8>,
    found: Vec<Option<Found>>,
    segments: Vec<Segment>,
}

/// A line within the bytes.
#[derive(Debug, Clone, Copy)]
struct Found {
    start: usize,
    place: LinePosition,
}

/// A raw record with a valid checksum.
#[derive(Debug)]
pub struct Line<'a> {
    body: &'a [u8],
    segment: &'a Path,
    offset: u64,
}

impl<K: Key> Store<K> {
    /// Reads the records of those of these runs that are stored. Runs that are adjacent on disk are read in one piece.
    ///
    /// # Errors
    ///
    /// A segment cannot be read, or has changed since the store was opened.
    pub fn lines(&self, keys: &[K]) -> Result<Lines, StoreError> {
        let (mut places, segments) = self.with_index(|index| {
            let find = |(number, &key): (usize, &K)| Some((index.find(key)?, number));
            let places: Vec<(LinePosition, usize)> = keys.iter().enumerate().filter_map(find).collect();
            (places, index.segments.clone())
        });
        places.sort_unstable();
        let mut lines = Lines { bytes: Vec::new(), found: vec![None; keys.len()], segments };
        let end = |place: &LinePosition| place.offset + u64::from(place.length);
        let mut rest = places.as_slice();
        while let Some(&(first, _)) = rest.first() {
            let in_one_piece = |pair: &[(LinePosition, usize)]| {
                let (last, next) = (pair[0].0, pair[1].0);
                next.segment == last.segment && next.offset <= end(&last) + GAP && end(&next) - first.offset <= PIECE
            };
            let count = 1 + rest.windows(2).take_while(|pair| in_one_piece(pair)).count();
            let (piece, others) = rest.split_at(count);
            rest = others;
            let start = lines.bytes.len();
            let length = piece.last().map_or(0, |(last, _)| end(last) - first.offset) as usize;
            lines.bytes.resize(start + length, 0);
            self.fill(first, &lines.segments[first.segment as usize], &mut lines.bytes[start..])?;
            for &(place, number) in piece {
                lines.found[number] = Some(Found { start: start + (place.offset - first.offset) as usize, place });
            }
        }
        Ok(lines)
    }

    /// Reads the bytes at a position of a segment.
    fn fill(&self, place: LinePosition, segment: &Segment, bytes: &mut [u8]) -> Result<(), StoreError> {
        let read = match segment {
            Segment::File(path) => self.read(place, path, bytes),
            Segment::Memory(written) => {
                // What was appended stays, so every position is within.
                let start = place.offset as usize;
                bytes.copy_from_slice(&lock(written)[start..start + bytes.len()]);
                Ok(())
            }
        };
        read.map_err(|cause| {
            let segment = segment.path().to_owned();
            match cause.kind() {
                io::ErrorKind::NotFound => StoreError::Vanished { segment },
                io::ErrorKind::UnexpectedEof => StoreError::Changed { segment, offset: place.offset },
                _ => StoreError::Read { segment, cause },
            }
        })
    }

    /// Reads the bytes at a position through one of a few open files; those used last are at the end.
    fn read(&self, place: LinePosition, path: &Path, bytes: &mut [u8]) -> io::Result<()> {
        let take = || {
            let mut readers = lock(&self.readers);
            let open = readers.iter().rposition(|(number, _)| *number == place.segment)?;
            Some(readers.remove(open))
        };
        let (_, mut file) = take().map_or_else(|| Ok((0, File::open(path)?)), io::Result::Ok)?;
        file.seek(SeekFrom::Start(place.offset))?;
        file.read_exact(bytes)?;
        let mut readers = lock(&self.readers);
        if readers.len() == OPEN_FILES {
            readers.remove(0);
        }
        readers.push((place.segment, file));
        Ok(())
    }
}

impl Lines {
    /// The record of the run with this index among those requested, if it is stored.
    ///
    /// # Errors
    ///
    /// The line has changed since the store was opened.
    pub fn line(&self, number: usize) -> Result<Option<Line<'_>>, StoreError> {
        let Some(Found { start, place }) = self.found[number] else { return Ok(None) };
        let segment = self.segments[place.segment as usize].path();
        let line = &self.bytes[start..start + place.length as usize];
        let Some(body) = segment::decode(line) else {
            return Err(StoreError::Changed { segment: segment.to_owned(), offset: place.offset });
        };
        Ok(Some(Line { body, segment, offset: place.offset }))
    }
}

impl<'a> Line<'a> {
    /// The parsed record.
    ///
    /// # Errors
    ///
    /// It belongs to another version.
    pub fn record(&self) -> Result<Record, StoreError> {
        self.parsed(stored::record)
    }

    /// The parsed record, with names that are not copied.
    ///
    /// # Errors
    ///
    /// As [`record`](Self::record).
    pub fn borrowed(&self) -> Result<Borrowed<'a>, StoreError> {
        self.parsed(stored::borrowed)
    }

    fn parsed<T>(&self, read: impl Fn(&'a [u8]) -> serde_json::Result<T>) -> Result<T, StoreError> {
        let foreign = |cause| StoreError::Foreign { segment: self.segment.to_owned(), offset: self.offset, cause };
        read(self.body).map_err(foreign)
    }
}
