//! What a rank does in one step of a pattern.

/// What a rank does in a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Move {
    /// To whom it sends, or from whom it receives.
    pub(super) other: u32,
    pub(super) data: Data,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It sends what the other receives in that one's step of this number.
    Send(u32),
    Receive,
    Combine,
}

/// What is in a message.
#[derive(Debug, Clone, Copy)]
pub(super) enum Data {
    /// All that there is.
    All,
    /// What belongs to so many members from this one on, in a circle.
    Members(u32, u32),
    /// What belongs to a rank alone.
    Own(u32),
    /// What belongs to all others.
    Others(u32),
    /// The slots whose number has this binary digit set.
    Digit(u32),
}

impl Move {
    pub(super) const fn send(to: u32, data: Data, receive: u32) -> Self {
        Self { other: to, data, kind: Kind::Send(receive) }
    }

    pub(super) const fn receive(from: u32, data: Data, combine: bool) -> Self {
        Self { other: from, data, kind: if combine { Kind::Combine } else { Kind::Receive } }
    }
}
