//! The arguments of a line of a trace.

use super::trace::{ANY, Operated, TraceError};
use crate::call::KernelCall;
use hetsim_communication::Operation;

/// The bytes of SimGrid's datatypes on 64-bit machines, by their numbers (`smpi_datatype.cpp`).
pub(super) const DATATYPES: [u64; 60] = [
    8, 4, 1, 2, 8, 4, 1, 8, 1, 1, 2, 4, 8, 8, 16, 4, 1, 1, 2, 4, 8, 1, 2, 4, 8, 8, 16, 32, 8, 8, 8, 16, 16, 8, 8, 8,
    16, 16, 4, 4, 8, 16, 8, 16, 16, 4, 2, 4, 8, 16, 32, 1, 8, 16, 32, 0, 0, 1, 8, 8,
];

/// What SimGrid writes for any sender, any tag and no partner.
pub(super) const ANY_SOURCE: [i64; 2] = [-1, -555];
pub(super) const ANY_TAG: [i64; 2] = [-1, -444];
pub(super) const NOBODY: i64 = -666;

/// What SimGrid 3.32 writes instead of the last two partners: "not in the group". It writes no blocking receive from
/// nobody, so that such a receive is from any sender.
pub(super) const UNTOLD: i64 = -333;

/// A sender that is any or none, until the whole trace says which.
pub(super) const OPEN: u32 = u32::MAX - 1;

/// What a line says of a collective operation.
pub(super) struct Said {
    pub(super) operated: Operated,
    /// What the rank computes in it.
    pub(super) work: f64,
    /// What the rank knows of it.
    pub(super) told: Told,
}

/// What a rank knows of a collective operation.
pub(super) enum Told {
    /// All there is to know.
    All,
    /// Its own block, where the root has the lengths of all: those in `operated` are not known.
    Own(u64),
    /// The bytes for each rank, and from each; nor are those in `operated` known then.
    Pairs { sent: Vec<u64>, received: Vec<u64> },
}

/// The arguments of an action.
pub(super) struct Arguments<'a> {
    pub(super) name: &'a str,
    pub(super) words: &'a [&'a str],
    pub(super) line: usize,
    pub(super) usual: u64,
}

impl Arguments<'_> {
    pub(super) fn wrong(&self, message: String) -> TraceError {
        TraceError { line: self.line, message }
    }

    pub(super) fn word(&self, place: usize) -> Result<&str, TraceError> {
        let missing = || self.wrong(format!("`{}` needs more than {} arguments", self.name, self.words.len()));
        self.words.get(place).copied().ok_or_else(missing)
    }

    /// Nothing may follow so many arguments: a number with a blank in it would be another number.
    pub(super) fn at_most(&self, count: usize) -> Result<(), TraceError> {
        let more = |word| self.wrong(format!("`{word}` is one argument too many for `{}`", self.name));
        self.words.get(count).map_or(Ok(()), |word| Err(more(word)))
    }

    /// A number of zero or more.
    pub(super) fn number(&self, place: usize) -> Result<f64, TraceError> {
        let word = self.word(place)?;
        let number = word.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
        number.ok_or_else(|| self.wrong(format!("`{word}` is not a number of zero or more")))
    }

    pub(super) fn integer(&self, place: usize) -> Result<i64, TraceError> {
        let word = self.word(place)?;
        word.parse().map_err(|_| self.wrong(format!("`{word}` is not a whole number")))
    }

    /// The call of a kernel, where the first word is a name: its sizes follow, at most three.
    pub(super) fn kernel(&self) -> Result<Option<KernelCall>, TraceError> {
        let word = self.word(0)?;
        let is_name = word.starts_with(|c: char| c.is_alphabetic() || c == '_') && word.parse::<f64>().is_err();
        if !is_name {
            return Ok(None);
        }
        if self.words.len() > 4 {
            return Err(self.wrong(format!("a call of `{word}` has at most three sizes: m, n and k")));
        }
        let size = |place| if place < self.words.len() { self.number(place) } else { Ok(1.0) };
        Ok(Some(KernelCall { m: Some(size(1)?), n: size(2)?, k: size(3)?, ..KernelCall::of(word) }))
    }

    pub(super) fn rank(&self, place: usize) -> Result<u32, TraceError> {
        let number = self.integer(place)?;
        u32::try_from(number).map_err(|_| self.wrong(format!("`{number}` is not a rank")))
    }

    pub(super) fn source(&self, place: usize) -> Result<u32, TraceError> {
        match self.integer(place)? {
            UNTOLD => Ok(OPEN),
            number if ANY_SOURCE.contains(&number) => Ok(ANY),
            _ => self.rank(place),
        }
    }

    pub(super) fn tag(&self, place: usize) -> Result<u32, TraceError> {
        if ANY_TAG.contains(&self.integer(place)?) { Ok(ANY) } else { self.rank(place) }
    }

    /// The bytes of an element, by the datatype at a place where one may be.
    pub(super) fn element(&self, place: usize) -> Result<u64, TraceError> {
        let Some(word) = self.words.get(place) else { return Ok(self.usual) };
        let known = word.parse::<usize>().ok().and_then(|number| DATATYPES.get(number).copied());
        known.ok_or_else(|| self.wrong(format!("`{word}` is not the number of a datatype: they are 0 to 59")))
    }

    /// The bytes of as many elements as one place says, of the datatype at another.
    pub(super) fn bytes(&self, count: usize, datatype: usize) -> Result<u64, TraceError> {
        let word = self.word(count)?;
        if word.starts_with('-') {
            return Err(self.wrong(format!("the length {word} is not known")));
        }
        Ok((self.number(count)?.trunc() as u64).saturating_mul(self.element(datatype)?))
    }

    /// The same of a receive, whose length may be left to its message by a negative number.
    pub(super) fn bytes_if_told(&self, count: usize, datatype: usize) -> Result<Option<u64>, TraceError> {
        if self.word(count)?.starts_with('-') { Ok(None) } else { self.bytes(count, datatype).map(Some) }
    }

    /// What a rank says of a collective operation among `ranks`, of the first communicator.
    pub(super) fn collective(&self, rank: usize, ranks: usize) -> Result<Said, TraceError> {
        let of = |operation, size, root, work| {
            Ok(Said { operated: Operated::new(operation, root, size), work, told: Told::All })
        };
        let own =
            |operation, root, bytes| of(operation, 0, root, 0.0).map(|said| Said { told: Told::Own(bytes), ..said });
        let root = |place: usize| if place < self.words.len() { self.rank(place) } else { Ok(0) };
        match self.name {
            "barrier" => of(Operation::Barrier, 0, 0, 0.0),
            "bcast" => of(Operation::Broadcast, self.bytes(0, 2)?, root(1)?, 0.0),
            "reduce" => of(Operation::Reduce, self.bytes(0, 3)?, root(2)?, self.number(1)?),
            "allreduce" => of(Operation::AllReduce, self.bytes(0, 2)?, 0, self.number(1)?),
            // An exclusive scan has the messages of a scan.
            "scan" | "exscan" => of(Operation::Scan, self.bytes(0, 2)?, 0, self.number(1)?),
            "alltoall" => of(Operation::AllToAll, self.bytes(0, 2)?, 0, 0.0),
            "alltoallv" => self.pairs(ranks),
            "allgather" => of(Operation::AllGather, self.bytes(0, 2)?, 0, 0.0),
            // SimGrid does not write what is received if it is nothing: four arguments are without it.
            "gather" | "scatter" => {
                let given = usize::from(self.words.len() != 4);
                let root = root(1 + given)?;
                let sent = || self.bytes(0, 2 + given);
                let received = || if given == 1 { self.bytes(1, 4) } else { Ok(0) };
                let is_root = rank == root as usize;
                let size = if (self.name == "gather") == is_root { received()? } else { sent()? };
                let operation = if self.name == "gather" { Operation::Gather } else { Operation::Scatter };
                if is_root { of(operation, size, root, 0.0) } else { own(operation, root, size) }
            }
            "gatherv" => match root(1 + ranks)? {
                root if root as usize == rank => self.blocks(Operation::Gather, 1, ranks, root, 3 + ranks),
                root => own(Operation::Gather, root, self.bytes(0, 2 + ranks)?),
            },
            "allgatherv" => self.blocks(Operation::AllGather, 1, ranks, 0, 2 + ranks),
            "scatterv" => match root(1 + ranks)? {
                root if root as usize == rank => self.blocks(Operation::Scatter, 0, ranks, root, 2 + ranks),
                root => own(Operation::Scatter, root, self.bytes(ranks, 3 + ranks)?),
            },
            "reducescatter" => {
                let said = self.blocks(Operation::ReduceScatter, 0, ranks, 0, 1 + ranks)?;
                Ok(Said { work: self.number(ranks)?, ..said })
            }
            other => Err(self.wrong(format!("the action `{other}` is not known"))),
        }
    }

    /// An operation with a block for each rank, whose lengths stand from a place on.
    pub(super) fn blocks(
        &self,
        operation: Operation,
        first: usize,
        ranks: usize,
        root: u32,
        datatype: usize,
    ) -> Result<Said, TraceError> {
        // Where blocks begin may stand behind their lengths, without a datatype.
        let displaced = self.name == "allgatherv" && ranks > 2 && self.words.len() == 1 + 2 * ranks;
        let datatype = if displaced { usize::MAX } else { datatype };
        let lengths = self.lengths(first, ranks, datatype)?;
        let size = lengths.iter().copied().max().unwrap_or(0);
        let lengths = if lengths.iter().all(|&bytes| bytes == size) { Vec::new() } else { lengths };
        let operated = Operated { lengths, ..Operated::new(operation, root, size) };
        Ok(Said { operated, work: 0.0, told: Told::All })
    }

    /// An all-to-all whose blocks differ: how much the rank sends, then to each rank, and the same of what it receives.
    fn pairs(&self, ranks: usize) -> Result<Said, TraceError> {
        let sent = self.lengths(1, ranks, 2 * ranks + 2)?;
        let received = self.lengths(ranks + 2, ranks, 2 * ranks + 3)?;
        let operated = Operated::new(Operation::AllToAll, 0, 0);
        Ok(Said { operated, work: 0.0, told: Told::Pairs { sent, received } })
    }

    /// The bytes of as many elements for each of `ranks` as places from `first` on say.
    fn lengths(&self, first: usize, ranks: usize, datatype: usize) -> Result<Vec<u64>, TraceError> {
        (first..first + ranks).map(|place| self.bytes(place, datatype)).collect()
    }
}
