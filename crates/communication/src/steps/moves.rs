//! What a rank does in one step of a pattern.

use crate::rounds::bit_length;

/// What a rank does to its own memory, as the libraries' sources have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocalWork {
    /// It copies data from one place to another, such as its own block, or those that it shuffles.
    Copy,
    /// It obtains a temporary buffer.
    Allocate,
}

/// What a rank does after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    /// It goes on at once.
    GoesOn,
    /// It waits until all messages that it has begun have left and come, as behind a blocking call, a send–receive pair,
    /// or a wait for all.
    Waits,
    /// The same, but before it waits it posts the receive behind the step together with those up to there.
    PostsAndWaits,
}

impl After {
    pub(super) const fn waits_if(waits: bool) -> Self {
        if waits { Self::Waits } else { Self::GoesOn }
    }
}

/// What a rank does in a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Move {
    /// To whom it sends, or from whom it receives.
    pub(super) other: u32,
    pub(super) data: Data,
    pub(super) kind: MoveKind,
    pub(super) piece: Piece,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MoveKind {
    /// It sends what the other receives in that one's step of this number.
    Send(u32),
    Receive,
    Combine,
    /// It handles its own memory.
    Local(LocalWork),
}

/// What is in a message.
#[derive(Debug, Clone, Copy)]
pub(super) enum Data {
    /// All that there is.
    All,
    /// The first half of it.
    Half,
    /// What belongs to so many members from this one on, in a circle.
    Members(u32, u32),
    /// So many slots from this one on, in a circle, whomever they belong to.
    Span(u32, u32),
    /// What belongs to a rank alone.
    Own(u32),
    /// What belongs to all others.
    Others(u32),
    /// The slots whose number has this binary digit set.
    Digit(u32),
}

/// How much of its data a message carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// All of it.
    Whole,
    /// At most `length` bytes from `start` on. What is in the slots is there with the last piece of it.
    Of { start: u64, length: u64, last: bool },
    /// So many times as much: blocks of others that travel with it.
    Times(u32),
}

impl Piece {
    /// A message without data.
    pub(super) const NOTHING: Self = Self::Of { start: 0, length: 0, last: false };

    /// How many of so many bytes.
    pub(super) fn bytes(self, all: u64) -> u64 {
        match self {
            Self::Whole => all,
            Self::Of { start, length, .. } => all.saturating_sub(start).min(length),
            Self::Times(times) => all.saturating_mul(u64::from(times)),
        }
    }

    /// Whether its data are there when it is.
    pub(super) const fn completes(self) -> bool {
        !matches!(self, Self::Of { last: false, .. })
    }
}

impl Move {
    pub(super) const fn send(to: u32, data: Data, receive: u32) -> Self {
        Self { other: to, data, kind: MoveKind::Send(receive), piece: Piece::Whole }
    }

    pub(super) const fn receive(from: u32, data: Data, combine: bool) -> Self {
        Self {
            other: from,
            data,
            kind: if combine { MoveKind::Combine } else { MoveKind::Receive },
            piece: Piece::Whole,
        }
    }

    pub(super) const fn copy(rank: u32, data: Data) -> Self {
        Self { other: rank, data, kind: MoveKind::Local(LocalWork::Copy), piece: Piece::Whole }
    }

    /// The same of a piece of the data.
    pub(super) const fn of(self, piece: Piece) -> Self {
        Self { piece, ..self }
    }
}

/// The rank so many places on, in a circle.
pub(super) const fn on(rank: u32, by: u32, ranks: u32) -> u32 {
    let (there, room) = (rank.wrapping_add(by), ranks - rank);
    if by >= room { by - room } else { there }
}

/// The rank so many places back, in a circle.
pub(super) const fn back(rank: u32, by: u32, ranks: u32) -> u32 {
    if rank >= by { rank - by } else { rank + (ranks - by) }
}

/// The children of a member in the binomial tree of `members`: those 1, 2, 4, … after it, so many.
pub(super) const fn children(member: u32, members: u32) -> u32 {
    let room = bit_length(members.saturating_sub(member).saturating_sub(1));
    let free = member.trailing_zeros();
    if room < free { room } else { free }
}

/// What belongs to the subtree of a member.
pub(super) fn subtree(member: u32, members: u32) -> Data {
    Data::Members(member, (1 << member.trailing_zeros()).min(members - member))
}
