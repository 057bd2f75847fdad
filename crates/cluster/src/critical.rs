//! The critical path of a run: why it took so long.
//!
//! Every event of a run has one predecessor that determined its instant, the *binding* one: the end of an overhead, a
//! byte that had to cross a link first, the handler that asked for it. From the completion of the run its chain leads
//! back to the start. The [segments](Segment) of that chain follow each other without a gap, so their lengths add up to
//! the completion time to the tick.
//!
//! What waits for a processor or a port is bound by the operation that holds it: the path goes through the holder,
//! whose time has a cause of its own. So waiting is no part of a path, but where nothing that ran can be named.

use serde::Serialize;

use super::program::NodeId;
use hetsim_base::units::Time;

/// What a segment of a critical path is spent on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// A computation, at the full speed of its node.
    Computing,
    /// A processor that sends or receives a message, or copies it.
    Overhead,
    /// A message in flight, for what does not depend on its length: latency, handshakes, confirmations.
    Latency,
    /// The bytes of a message on an idle link or in a port, and gaps between messages.
    Transmission,
    /// Time beyond what a message or a computation takes alone: other messages on its links, other computations or
    /// external load on its processor, a link below its full bandwidth.
    Sharing,
    /// A message that has come waits for a busy processor.
    Processor,
    /// A timer of the program runs: it waits by a decision.
    Decision,
    /// A node goes down, and comes up again: both instants are given from outside.
    Outage,
}

impl Part {
    /// All parts, in the order in which tables and charts have them.
    pub const ALL: [Self; 8] = [
        Self::Computing,
        Self::Overhead,
        Self::Latency,
        Self::Transmission,
        Self::Sharing,
        Self::Processor,
        Self::Decision,
        Self::Outage,
    ];

    /// Its name in tables: `"computing"`, `"overhead"`, …
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Computing => "computing",
            Self::Overhead => "overhead",
            Self::Latency => "latency",
            Self::Transmission => "transmission",
            Self::Sharing => "sharing",
            Self::Processor => "processor",
            Self::Decision => "decision",
            Self::Outage => "outage",
        }
    }
}

/// A stretch of a critical path that is spent on one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// What it is spent on.
    pub part: Part,
    /// The node, or the sender of the message.
    pub from: NodeId,
    /// The same node, or the receiver of the message.
    pub to: NodeId,
    /// The program's name of the message; empty if there is none.
    pub message: &'static str,
    /// The number of the program's phase that it belongs to.
    pub phase: Option<u32>,
    /// The start: the end of the segment before, or zero.
    pub start: Time,
    /// The end, after the start.
    pub end: Time,
}

impl Segment {
    /// The length.
    #[must_use]
    pub fn length(&self) -> Time {
        self.end - self.start
    }

    /// Whether another segment goes on with the same.
    fn continues(&self, next: &Self) -> bool {
        let what = |segment: &Self| (segment.part, segment.from, segment.to, segment.message, segment.phase);
        what(self) == what(next)
    }
}

/// The critical path of a run: segments that follow each other from zero to the completion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CriticalPath {
    segments: Vec<Segment>,
}

impl CriticalPath {
    /// The path of segments from the last one to the first one. Neighbours of one kind become one.
    pub(super) fn backwards(segments: impl Iterator<Item = Segment>) -> Self {
        let mut merged: Vec<Segment> = Vec::new();
        for segment in segments {
            match merged.last_mut() {
                Some(next) if segment.continues(next) => next.start = segment.start,
                _ => merged.push(segment),
            }
        }
        merged.reverse();
        Self { segments: merged }
    }

    /// The segments in the order of time; none if the run completed at time zero.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The completion of the run: the end of the last segment.
    #[must_use]
    pub fn end(&self) -> Time {
        self.segments.last().map_or(Time::ZERO, |segment| segment.end)
    }

    /// How much of the path is spent on a part.
    #[must_use]
    pub fn total(&self, part: Part) -> Time {
        let lengths = self.segments.iter().filter(|segment| segment.part == part).map(Segment::length);
        lengths.fold(Time::ZERO, |sum, length| sum + length)
    }
}
