//! What ranks do to their own memory between messages, as the libraries' sources have it.

use super::fold::Fold;
use super::moves::{Data, LocalWork, Move, MoveKind, Piece, children, subtree};

/// Who does it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Every rank.
    All,
    /// The root.
    Root,
    /// All but the root.
    Others,
    /// Ranks that take part, not those that stand aside.
    Members,
    /// Ranks, other than the root, that have children in the binomial tree of the members.
    Inner,
    /// Ranks that have at least so many children in that tree.
    Parents(u32),
    /// Ranks whose number is their own.
    Fixed,
}

/// How much of what a rank holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Portion {
    /// All of it.
    All,
    /// Half of it.
    Half,
    /// What belongs to the rank.
    Own,
    /// What belongs to its subtree in the binomial tree of the members.
    Subtree,
    /// What belongs to it and to those after it.
    FromOwn,
    /// What belongs to those before it.
    BeforeOwn,
}

/// Local work of some ranks: one step for each of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Local {
    /// What they do.
    pub work: LocalWork,
    /// Which of them.
    pub who: Who,
    /// To what.
    pub part: Portion,
}

impl Local {
    /// They copy it.
    #[must_use]
    pub const fn copy(who: Who, part: Portion) -> Self {
        Self { work: LocalWork::Copy, who, part }
    }

    /// They obtain a buffer for it.
    #[must_use]
    pub const fn allocate(who: Who, part: Portion) -> Self {
        Self { work: LocalWork::Allocate, who, part }
    }

    pub(super) fn steps(self, rank: u32, fold: Fold) -> u32 {
        let member = fold.member(rank);
        let has_children = |least| member.is_some_and(|member| children(member, fold.members) >= least);
        u32::from(match self.who {
            Who::All => true,
            Who::Root => rank == 0,
            Who::Others => rank > 0,
            Who::Members => member.is_some(),
            Who::Inner => rank > 0 && has_children(1),
            Who::Parents(least) => has_children(least),
            Who::Fixed => member == Some(rank),
        })
    }

    /// Whether it is about what belongs to a rank.
    pub(super) const fn is_own(self) -> bool {
        matches!(self.part, Portion::Own)
    }

    /// Whether all ranks do the same.
    pub(super) const fn is_alike(self, fold: Fold) -> bool {
        let by_all = match self.who {
            Who::All => true,
            Who::Members => fold.aside == 0,
            Who::Root | Who::Others | Who::Inner | Who::Parents(_) | Who::Fixed => false,
        };
        by_all && matches!(self.part, Portion::All | Portion::Half | Portion::Own)
    }

    pub(super) fn step(self, rank: u32, ranks: u32, fold: Fold) -> Move {
        let data = match self.part {
            Portion::All => Data::All,
            Portion::Half => Data::Half,
            Portion::Own => Data::Own(rank),
            Portion::Subtree => fold.member(rank).map_or(Data::Own(rank), |member| subtree(member, fold.members)),
            Portion::FromOwn => Data::Span(rank, ranks - rank),
            Portion::BeforeOwn => Data::Span(0, rank),
        };
        Move { other: rank, data, kind: MoveKind::Local(self.work), piece: Piece::Whole }
    }
}
