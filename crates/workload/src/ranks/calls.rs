//! What each rank of a program called, as a time-independent trace: for `kind = "replay"`, and for SimGrid.

use std::io::{self, Write};

use super::Tag;

/// A call that a rank has made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RankCall {
    /// It sent a message, and waited until its buffer was free.
    Send {
        /// The receiver.
        to: u32,
        /// The message's tag.
        tag: Tag,
        /// Its length.
        bytes: u64,
    },
    /// It posted a receive.
    Post {
        /// The sender.
        from: u32,
        /// The message's tag.
        tag: Tag,
        /// Its length.
        bytes: u64,
    },
    /// It waited for the message of a receive that it had posted.
    Wait {
        /// The sender.
        from: u32,
        /// The message's tag.
        tag: Tag,
    },
    /// It computed so many operations.
    Compute(f64),
    /// It waited for other ranks without a message, as a program does that takes several steps as one.
    Woken,
}

/// Whether all ranks waited for nothing but messages, so that a trace tells all that they did.
#[must_use]
pub fn are_complete(calls: &[Vec<RankCall>]) -> bool {
    !calls.iter().flatten().any(|call| *call == RankCall::Woken)
}

/// Writes the calls of all ranks as SimGrid's time-independent trace, rank after rank. Lengths are in bytes. Of a program
/// that looks for messages between other work, it tells what came of that: the work first, then the message.
///
/// # Errors
/// Any error of the writer.
pub fn write_calls(calls: &[Vec<RankCall>], out: &mut dyn Write) -> io::Result<()> {
    for (rank, calls) in calls.iter().enumerate() {
        writeln!(out, "{rank} init")?;
        for call in calls {
            match *call {
                RankCall::Send { to, tag, bytes } => writeln!(out, "{rank} send {to} {tag} {bytes}")?,
                RankCall::Post { from, tag, bytes } => writeln!(out, "{rank} irecv {from} {tag} {bytes}")?,
                RankCall::Wait { from, tag } => writeln!(out, "{rank} wait {from} {rank} {tag}")?,
                RankCall::Compute(operations) => writeln!(out, "{rank} compute {operations}")?,
                RankCall::Woken => {}
            }
        }
        writeln!(out, "{rank} finalize")?;
    }
    Ok(())
}
