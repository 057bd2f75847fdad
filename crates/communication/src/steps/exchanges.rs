//! Rounds of messages, in each of which a rank sends some and receives some, all at once.

use std::sync::Arc;

use super::bine::{self, Distances};
use super::fold::Fold;
use super::moves::{Data, Move, Piece};
use crate::rounds::rounds;

/// Rounds of exchanges among all ranks, or those that take part. A rank goes on when all of a round is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rounds {
    /// Everyone sends what it has to the one at distance 1, then 2, 4, … after it, which combines it with its own.
    Prefix,
    /// Blocks go one by one to the rank at the greatest distance, then half of it, and so on.
    Sparbit,
    /// What a rank has goes to those at distances d, 2d, …, (k − 1)d before it, d = 1, k, k², …
    Bruck {
        /// k, 2 or more.
        radix: u32,
    },
    /// Partners of Bine butterflies, at doubling distances, exchange what they know of, contiguous in a circle.
    Runs {
        /// Whether what goes beyond the last slot is a message of its own; else it is packed into one.
        split: bool,
    },
    /// The same at halving distances (with `combine`, at doubling ones), every block in a message of its own.
    Blocks {
        /// Which blocks, in which step.
        distances: Arc<Distances>,
        /// Whether what comes is combined: a reduce-scatter, not an all-gather.
        combine: bool,
    },
    /// Members exchange halves of what they have, in segments, as in [`Halving`](super::Pattern::Halving).
    Halves {
        /// The bytes of a segment; 0 leaves a half in one piece.
        segment: u64,
        /// The bytes of a member's part.
        part: u64,
    },
}

/// A machine's ranks, as a pattern sees them.
#[derive(Clone, Copy)]
pub(super) struct Ranks {
    pub(super) all: u32,
    pub(super) fold: Fold,
}

impl Rounds {
    /// How many rounds there are.
    fn count(&self, ranks: Ranks) -> u32 {
        match self {
            Self::Prefix | Self::Sparbit | Self::Runs { .. } | Self::Blocks { .. } => rounds(ranks.all),
            Self::Bruck { radix } => ranks.all.saturating_sub(1).checked_ilog(*radix).map_or(0, |log| log + 1),
            Self::Halves { .. } => ranks.fold.members.trailing_zeros(),
        }
    }

    /// Whether sends and receives alternate, and each pair is waited for.
    const fn in_pairs(&self) -> bool {
        matches!(self, Self::Halves { .. })
    }

    /// How many messages a rank sends in a round.
    fn sends(&self, rank: u32, round: u32, ranks: Ranks) -> u32 {
        match self {
            Self::Prefix => u32::from(u64::from(rank) + (1 << round) < u64::from(ranks.all)),
            Self::Sparbit => Sparbit::at(round, ranks.all).blocks,
            Self::Bruck { radix } => (radix - 1).min((ranks.all - 1) / radix.pow(round)),
            Self::Runs { split } => 1 + u32::from(*split && wraps(rank, round, ranks.all)),
            Self::Blocks { distances, .. } => distances.of(self.bit(round, ranks.all)).len() as u32,
            Self::Halves { segment, part } => {
                let bytes = part.saturating_mul(u64::from(ranks.fold.members >> (round + 1)));
                if *segment == 0 { 1 } else { bytes.div_ceil(*segment).max(1) as u32 }
            }
        }
    }

    /// How many it receives.
    fn receives(&self, rank: u32, round: u32, ranks: Ranks) -> u32 {
        match self {
            Self::Prefix => u32::from(u64::from(rank) >= 1 << round),
            Self::Runs { .. } => self.sends(self.source(rank, round, 0, ranks), round, ranks),
            Self::Sparbit | Self::Bruck { .. } | Self::Blocks { .. } | Self::Halves { .. } => {
                self.sends(rank, round, ranks)
            }
        }
    }

    /// Which [distances](Distances) belong to a round.
    fn bit(&self, round: u32, ranks: u32) -> u32 {
        if let Self::Blocks { combine: true, .. } = self { rounds(ranks) - 1 - round } else { round }
    }

    /// Whom a rank has as its partner in a round of a butterfly.
    fn partner(&self, rank: u32, round: u32, ranks: Ranks) -> u32 {
        match self {
            Self::Blocks { combine: false, .. } => bine::partner(rank, rounds(ranks.all) - 1 - round, ranks.all),
            Self::Halves { .. } => {
                let member = ranks.fold.member(rank).unwrap_or(0);
                ranks.fold.across(member, ranks.fold.members >> (round + 1))
            }
            Self::Prefix
            | Self::Sparbit
            | Self::Bruck { .. }
            | Self::Runs { .. }
            | Self::Blocks { combine: true, .. } => bine::partner(rank, round, ranks.all),
        }
    }

    /// From whom a rank receives its n-th message of a round.
    fn source(&self, rank: u32, round: u32, number: u32, ranks: Ranks) -> u32 {
        let all = u64::from(ranks.all);
        match self {
            Self::Prefix => rank - (1 << round),
            Self::Sparbit => ((u64::from(rank) + all - Sparbit::at(round, ranks.all).distance) % all) as u32,
            Self::Bruck { radix } => ((u64::from(rank) + distance(*radix, round, number)) % all) as u32,
            Self::Runs { .. } | Self::Blocks { .. } | Self::Halves { .. } => self.partner(rank, round, ranks),
        }
    }

    /// To whom a rank sends its n-th message of a round, and what.
    fn sent(&self, rank: u32, round: u32, number: u32, ranks: Ranks) -> (u32, Data, Piece) {
        let (all, own) = (u64::from(ranks.all), u64::from(rank));
        let whole = |to: u64, data| (to as u32, data, Piece::Whole);
        match self {
            Self::Prefix => whole(own + (1 << round), Data::All),
            Self::Sparbit => {
                let Sparbit { distance, .. } = Sparbit::at(round, ranks.all);
                let behind = 2 * u64::from(number) * distance % all;
                whole((own + distance) % all, Data::Span(((own + all - behind) % all) as u32, 1))
            }
            Self::Bruck { radix } => {
                let away = distance(*radix, round, number);
                let held = u64::from(radix.pow(round)).min(all - away);
                whole((own + all - away) % all, Data::Span(rank, held as u32))
            }
            Self::Runs { split } => {
                let (to, first, length) =
                    (self.partner(rank, round, ranks), bine::run(rank, round, ranks.all), 1 << round);
                let room = ranks.all - first;
                let data = match number {
                    _ if !split || room >= length => Data::Span(first, length),
                    0 => Data::Span(0, length - room),
                    _ => Data::Span(first, room),
                };
                whole(u64::from(to), data)
            }
            Self::Blocks { distances, combine } => {
                let to = self.partner(rank, round, ranks);
                let distance = u64::from(distances.of(self.bit(round, ranks.all))[number as usize]);
                // What the partner is to have, counted from the rank; or what it lacks, counted from the partner.
                let (from, on) = if *combine { (rank, rank.is_multiple_of(2)) } else { (to, rank % 2 == 1) };
                let block = u64::from(from) + if on { distance } else { all - distance };
                whole(u64::from(to), Data::Span((block % all) as u32, 1))
            }
            Self::Halves { segment, .. } => {
                let to = self.partner(rank, round, ranks);
                let mask = ranks.fold.members >> (round + 1);
                let other = ranks.fold.member(to).unwrap_or(0);
                let last = number + 1 == self.sends(rank, round, ranks);
                let length = if *segment == 0 { u64::MAX } else { *segment };
                let piece = Piece::Of { start: u64::from(number).saturating_mul(*segment), length, last };
                (to, Data::Members(other & !(mask - 1), mask), piece)
            }
        }
    }

    /// Whether what a rank sends in a round is packed, which its receiver unpacks.
    fn packs(&self, rank: u32, round: u32, ranks: Ranks) -> bool {
        matches!(self, Self::Runs { split: false }) && wraps(rank, round, ranks.all)
    }

    /// Whether a rank packs before its messages of a round, and unpacks behind them.
    fn packing(&self, rank: u32, round: u32, ranks: Ranks) -> [bool; 2] {
        if let Self::Runs { split: false } = self {
            [rank, self.partner(rank, round, ranks)].map(|rank| self.packs(rank, round, ranks))
        } else {
            [false; 2]
        }
    }

    /// How many steps a rank has in a round.
    fn in_round(&self, rank: u32, round: u32, ranks: Ranks) -> u32 {
        let copies: u32 = self.packing(rank, round, ranks).map(u32::from).iter().sum();
        self.sends(rank, round, ranks) + self.receives(rank, round, ranks) + copies
    }

    /// How many steps a rank has.
    pub(super) fn steps(&self, rank: u32, ranks: Ranks) -> u32 {
        if let (Self::Halves { .. }, None) = (self, ranks.fold.member(rank)) {
            return 0;
        }
        (0..self.count(ranks)).map(|round| self.in_round(rank, round, ranks)).sum()
    }

    /// The round in which a step is, and its number there.
    fn place(&self, rank: u32, mut number: u32, ranks: Ranks) -> (u32, u32) {
        let mut round = 0;
        loop {
            let steps = self.in_round(rank, round, ranks);
            if number < steps {
                return (round, number);
            }
            number -= steps;
            round += 1;
        }
    }

    /// A step by its number, which is below the rank's [steps](Self::steps).
    pub(super) fn step(&self, rank: u32, number: u32, ranks: Ranks) -> Move {
        let (round, number) = self.place(rank, number, ranks);
        let sends = self.sends(rank, round, ranks);
        let run = |of: u32| Move::copy(rank, Data::Span(bine::run(of, round, ranks.all), 1 << round));
        let packs = self.packs(rank, round, ranks);
        let Some(number) = number.checked_sub(u32::from(packs)) else { return run(rank) };
        if number == sends + self.receives(rank, round, ranks) {
            return run(self.partner(rank, round, ranks));
        }
        let (number, is_send) = match self.in_pairs() {
            true => (number / 2, number % 2 == 0),
            false if number < sends => (number, true),
            false => (number - sends, false),
        };
        if is_send {
            let (to, data, piece) = self.sent(rank, round, number, ranks);
            let before: u32 = (0..round).map(|round| self.in_round(to, round, ranks)).sum();
            let among = if self.in_pairs() { 2 * number + 1 } else { self.sends(to, round, ranks) + number };
            let among = among + u32::from(self.packs(to, round, ranks));
            return Move::send(to, data, before + among).of(piece);
        }
        let from = self.source(rank, round, number, ranks);
        let (_, data, piece) = self.sent(from, round, number, ranks);
        let combine = match self {
            Self::Prefix | Self::Halves { .. } => true,
            Self::Blocks { combine, .. } => *combine,
            Self::Sparbit | Self::Bruck { .. } | Self::Runs { .. } => false,
        };
        Move::receive(from, data, combine).of(piece)
    }

    /// Whether a rank waits after a step.
    pub(super) fn ends(&self, rank: u32, number: u32, ranks: Ranks) -> bool {
        let (round, number) = self.place(rank, number, ranks);
        let [packs, unpacks] = self.packing(rank, round, ranks);
        let last = self.in_round(rank, round, ranks) - u32::from(unpacks);
        number + 1 >= last || (packs && number == 0) || (self.in_pairs() && number % 2 == 1)
    }
}

/// How far Bruck's n-th message of a round goes back.
fn distance(radix: u32, round: u32, number: u32) -> u64 {
    u64::from(radix).pow(round) * u64::from(number + 1)
}

/// Whether what a rank knows of goes beyond the last one.
const fn wraps(rank: u32, steps: u32, ranks: u32) -> bool {
    bine::run(rank, steps, ranks) as u64 + (1 << steps) > ranks as u64
}

/// A round of Sparbit: W. L. Jesus, M. A. da Silva et al., *Sparbit: a new logarithmic-cost and data locality-aware MPI
/// Allgather algorithm*, CCGrid 2021.
struct Sparbit {
    distance: u64,
    /// How many blocks go out: those that a rank has, less one where the receiver would get it twice.
    blocks: u32,
}

impl Sparbit {
    fn at(round: u32, ranks: u32) -> Self {
        let mut distance = 1u64 << (rounds(ranks) - 1);
        let zeros = ranks.trailing_zeros();
        let ignored = (!(u64::from(ranks) >> zeros) | 1) << zeros;
        let mut held = 1u64;
        for left in (0..=round).rev() {
            let excluded = u64::from(distance & ignored == distance);
            if left == 0 {
                return Self { distance, blocks: (held - excluded) as u32 };
            }
            held = 2 * held - excluded;
            distance /= 2;
        }
        Self { distance, blocks: 0 }
    }
}
