//! A plan of steps: an ordered list of them for each rank, counted from the root, which is nowhere written.
//!
//! A plan is a few numbers, whatever the number of ranks: each step follows from its rank and its number when somebody
//! asks for it. So a scenario is checked, and a run begins, without anything being made of its plans; what a run takes
//! is what is under way.

use std::sync::Arc;

use super::bine::{self, Numbering};
use super::fold::Fold;
use super::grid::Grid;
use super::moves::{After, Data, LocalWork, MoveKind};
use super::pattern::Pattern;
use super::shifts::Shifts;
use super::slots::{Blocks, Slots};
use super::unequal::{PairLengths, are_single_blocks};

/// What a rank does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Hands a message over and goes on.
    Send {
        /// To whom.
        to: u32,
        /// What is in it.
        blocks: Blocks,
        /// How long it is.
        bytes: u64,
        /// The number of the receiver's step that receives it.
        receive: u32,
    },
    /// Waits for a message.
    Receive {
        /// From whom.
        from: u32,
        /// What is in it.
        blocks: Blocks,
        /// How long it is.
        bytes: u64,
        /// How many bytes are combined with what is in the slots; none where it takes their place.
        combine: Option<u64>,
    },
    /// Handles its own memory.
    Local {
        /// What it does.
        work: LocalWork,
        /// To how many bytes.
        bytes: u64,
    },
}

/// As many steps are looked at where it is estimated how many are messages.
const COUNTED: usize = 1 << 12;

impl Step {
    /// The length of the message that is sent; none for other steps.
    #[must_use]
    pub const fn sent_bytes(&self) -> Option<u64> {
        if let Self::Send { bytes, .. } = self { Some(*bytes) } else { None }
    }

    /// The same with another partner.
    pub(super) const fn with(self, other: u32) -> Self {
        match self {
            Self::Send { blocks, bytes, receive, .. } => Self::Send { to: other, blocks, bytes, receive },
            Self::Receive { blocks, bytes, combine, .. } => Self::Receive { from: other, blocks, bytes, combine },
            Self::Local { .. } => self,
        }
    }

    /// The same step of a rank with the block that it is for.
    fn with_length(self, rank: u32, lengths: &PairLengths) -> Self {
        match self {
            Self::Send { to, blocks, receive, .. } => {
                Self::Send { to, blocks, bytes: lengths.between(rank, to), receive }
            }
            Self::Receive { from, blocks, combine, .. } => {
                Self::Receive { from, blocks, bytes: lengths.between(from, rank), combine }
            }
            Self::Local { work, .. } => Self::Local { work, bytes: lengths.between(rank, rank) },
        }
    }
}

/// What the ranks do: for each of them a list of steps, numbered from zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepPlan {
    ranks: u32,
    slots: Slots,
    fold: Fold,
    /// Whether what is to be combined is; a barrier's messages say only that someone has come.
    combines: bool,
    parts: Parts,
}

/// What a plan is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Parts {
    /// Patterns among all ranks, one after the other.
    Stages(Vec<Pattern>),
    /// Plans among some of the ranks, one after the other.
    Layers(Arc<[Layer]>),
    /// Each of two ranks does what rank 0 of this plan does, with the other one as its only partner.
    Pair(Arc<StepPlan>),
    /// An all-to-all whose blocks differ from pair to pair.
    Unequal(Arc<StepPlan>, PairLengths),
}

/// Plans that go on side by side, each among ranks of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layer {
    groups: Vec<(Vec<u32>, StepPlan)>,
    /// By rank: its group and its number there; nothing where it has no part.
    places: Vec<Option<(u32, u32)>>,
}

impl Layer {
    /// Each plan with the ranks that take part, of `ranks` there are.
    pub(crate) fn new(ranks: u32, groups: Vec<(Vec<u32>, StepPlan)>) -> Self {
        let mut places = vec![None; ranks as usize];
        for ((members, _), group) in groups.iter().zip(0..) {
            for (&member, place) in members.iter().zip(0..) {
                places[member as usize] = Some((group, place));
            }
        }
        Self { groups, places }
    }

    /// The plan of a rank, with its members and its number there.
    fn of(&self, rank: u32) -> Option<(&[u32], &StepPlan, u32)> {
        let (group, place) = self.places[rank as usize]?;
        let (members, plan) = &self.groups[group as usize];
        Some((members, plan, place))
    }

    fn steps_of(&self, rank: u32) -> u32 {
        self.of(rank).map_or(0, |(_, plan, place)| plan.steps_of(place))
    }
}

impl StepPlan {
    /// The plan of these stages among the members of `fold`.
    pub(crate) const fn new(ranks: u32, slots: Slots, fold: Fold, combines: bool, stages: Vec<Pattern>) -> Self {
        Self { ranks, slots, fold, combines, parts: Parts::Stages(stages) }
    }

    /// Every rank of a grid sends `face` bytes to each of its neighbours, then waits for as much from each.
    #[must_use]
    pub fn exchange(grid: Grid, face: u64) -> Self {
        let ranks = grid.ranks();
        Self::new(ranks, Slots::each(1, face), Fold::none(ranks), false, vec![Pattern::Halo(grid)])
    }

    /// Plans one after the other: a rank goes from each in which it has a part to the next.
    pub(crate) fn layered(ranks: u32, layers: Vec<Layer>) -> Self {
        let (slots, fold) = (Slots::each(1, 0), Fold::none(ranks));
        Self { ranks, slots, fold, combines: false, parts: Parts::Layers(layers.into()) }
    }

    /// The same all-to-all among the same ranks, with a block of its own length for each pair of them: in bytes, sender
    /// after sender, that of a rank for itself among them. Nothing where a message is not one block, which goes straight
    /// to its receiver.
    #[must_use]
    pub fn with_lengths_of_pairs(&self, lengths: &[u64]) -> Option<Self> {
        let ranks = self.ranks as usize;
        if ranks < 2 {
            return Some(self.clone());
        }
        let Parts::Stages(stages) = &self.parts else { return None };
        if lengths.len() != ranks * ranks || !are_single_blocks(stages) {
            return None;
        }
        let sum = |row: &&[u64]| row.iter().fold(0, |sum: u64, &bytes| sum.saturating_add(bytes));
        let most = lengths.chunks(ranks).max_by_key(sum).unwrap_or_default();
        let parts = Parts::Unequal(Arc::new(self.clone()), PairLengths::new(self.ranks, lengths));
        Some(Self { slots: Slots::listed(most.iter().copied()), parts, ..*self })
    }

    /// The same where nothing is combined: messages say only that someone has come.
    pub(crate) fn without_combining(self) -> Self {
        Self { combines: false, ..self }
    }

    /// How many ranks take part.
    #[must_use]
    pub const fn ranks(&self) -> u32 {
        self.ranks
    }

    /// In what a rank holds its data.
    #[must_use]
    pub const fn slots(&self) -> &Slots {
        &self.slots
    }

    /// The bytes that a rank holds at most.
    #[must_use]
    pub fn working_set(&self) -> u64 {
        let of_layer = |layer: &Layer| layer.groups.iter().map(|(_, plan)| plan.working_set()).max();
        match &self.parts {
            Parts::Layers(layers) => layers.iter().filter_map(of_layer).max().unwrap_or(0),
            Parts::Pair(plan) => plan.working_set(),
            Parts::Stages(_) | Parts::Unequal(..) => {
                self.slots.bytes(Blocks::Range { first: 0, count: self.slots.count() })
            }
        }
    }

    /// How many steps a rank has.
    #[must_use]
    pub fn steps_of(&self, rank: u32) -> u32 {
        match &self.parts {
            Parts::Stages(stages) => stages.iter().map(|stage| stage.steps(rank, self.ranks, self.fold)).sum(),
            Parts::Layers(layers) => layers.iter().map(|layer| layer.steps_of(rank)).sum(),
            Parts::Pair(plan) => plan.steps_of(0),
            Parts::Unequal(plan, _) => plan.steps_of(rank),
        }
    }

    /// A step of a rank by its number; none after its last.
    #[must_use]
    #[inline]
    pub fn step(&self, rank: u32, mut number: u32) -> Option<Step> {
        let stages = match &self.parts {
            Parts::Stages(stages) => stages,
            Parts::Layers(layers) => return step_in(layers, rank, number),
            Parts::Pair(plan) => return plan.step(0, number).map(|step| step.with(1 - rank)),
            Parts::Unequal(plan, lengths) => {
                return plan.step(rank, number).map(|step| step.with_length(rank, lengths));
            }
        };
        for (index, stage) in stages.iter().enumerate() {
            let steps = stage.steps(rank, self.ranks, self.fold);
            if number >= steps {
                number -= steps;
                continue;
            }
            let step = stage.step(rank, number, self.ranks, self.fold);
            let (other, blocks) = (step.other, self.blocks(step.data));
            let bytes = step.piece.bytes(self.slots.bytes(blocks));
            let blocks = if step.piece.completes() { blocks } else { Blocks::NONE };
            return Some(match step.kind {
                MoveKind::Send(receive) => {
                    let before = stages[..index].iter();
                    let before: u32 = before.map(|stage| stage.steps(step.other, self.ranks, self.fold)).sum();
                    Step::Send { to: other, blocks, bytes, receive: before + receive }
                }
                MoveKind::Local(work) => Step::Local { work, bytes },
                kind => {
                    let combine = (self.combines && kind == MoveKind::Combine).then_some(bytes);
                    Step::Receive { from: other, blocks, bytes, combine }
                }
            });
        }
        None
    }

    /// What a rank does after a step. The steps between two waits begin together: receives are posted first.
    #[must_use]
    pub fn after(&self, rank: u32, mut number: u32) -> After {
        let stages = match &self.parts {
            Parts::Stages(stages) => stages,
            Parts::Layers(layers) => {
                for (_, plan, place) in layers.iter().filter_map(|layer| layer.of(rank)) {
                    let steps = plan.steps_of(place);
                    if number < steps {
                        return plan.after(place, number);
                    }
                    number -= steps;
                }
                return After::Waits;
            }
            Parts::Pair(plan) => return plan.after(0, number),
            Parts::Unequal(plan, _) => return plan.after(rank, number),
        };
        for stage in stages {
            let steps = stage.steps(rank, self.ranks, self.fold);
            if number < steps {
                return stage.after(rank, number, steps, self.ranks, self.fold);
            }
            number -= steps;
        }
        After::Waits
    }

    /// The steps of a rank in their order.
    pub fn of(&self, rank: u32) -> impl Iterator<Item = Step> {
        (0..).map_while(move |number| self.step(rank, number))
    }

    /// The steps of all ranks, rank after rank.
    pub fn steps(&self) -> impl Iterator<Item = Step> {
        (0..self.ranks).flat_map(|rank| self.of(rank))
    }

    /// About how many messages are sent: half of the steps, but for those within a rank, whose share is that of the first
    /// steps.
    #[must_use]
    pub fn expected_messages(&self) -> f64 {
        let all: f64 = (0..self.ranks).map(|rank| f64::from(self.steps_of(rank))).sum();
        let (mut seen, mut within) = (0, 0);
        for step in self.steps().take(COUNTED) {
            seen += 1;
            within += u32::from(matches!(step, Step::Local { .. }));
        }
        all / 2.0 * (1.0 - f64::from(within) / f64::from(seen.max(1)))
    }

    /// How many messages are sent.
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.steps().filter(|step| matches!(step, Step::Send { .. })).count() as u64
    }

    /// The most messages that are handed over before anybody waits for one, where these are many.
    pub(crate) fn at_once(&self) -> u64 {
        let all = u64::from(self.ranks) * u64::from(self.ranks.saturating_sub(1));
        let is_all = |stage: &Pattern| {
            matches!(stage, Pattern::Shifts(Shifts::AllAtOnce | Shifts::OwnToAll) | Pattern::ToAllAfter)
        };
        if self.stages().iter().any(is_all) { all } else { 0 }
    }

    /// Whether partners get on alike, so that no message meets another at its receiver.
    #[must_use]
    pub fn keeps_step(&self) -> bool {
        !self.stages().iter().any(|stage| stage.meets(self.slots.are_even(), self.fold))
    }

    /// Two ranks that stand for all, if all are alike: in each step everyone does the same, sends as much, and sends it
    /// for the same step of its partner; nobody is sent a message before the one of the step before has come. Where
    /// their nodes and links are alike too, they go on together: what happens to one of the two happens to all.
    #[must_use]
    pub fn pair(&self) -> Option<Self> {
        let Parts::Stages(stages) = &self.parts else { return None };
        let are_alike = self.slots.are_even() && stages.iter().all(|stage| stage.is_alike(self.fold));
        (are_alike && self.ranks > 2).then(|| Self {
            ranks: 2,
            slots: self.slots.clone(),
            parts: Parts::Pair(Arc::new(self.clone())),
            ..*self
        })
    }

    /// The patterns among all ranks, where it is made of such.
    fn stages(&self) -> &[Pattern] {
        match &self.parts {
            Parts::Stages(stages) => stages,
            Parts::Unequal(plan, _) => plan.stages(),
            Parts::Layers(_) | Parts::Pair(_) => &[],
        }
    }

    /// The slots in which data lie.
    #[inline]
    fn blocks(&self, data: Data) -> Blocks {
        let (slots, range) = (self.slots.count(), |first, count| Blocks::Range { first, count });
        if slots == 1 {
            return Blocks::WHOLE;
        }
        let by_rank = self.slots.by_rank();
        match data {
            Data::Members(first, count) if by_rank && self.fold.numbering() == Numbering::BineDoubling => {
                Blocks::Bine { first, count }
            }
            Data::Members(first, count) if by_rank && self.fold.numbering() == Numbering::BineHalving => {
                // A subtree.
                range(bine::run(self.fold.rank(first), count.trailing_zeros(), self.ranks), count)
            }
            Data::Members(first, count) if by_rank => {
                // It may go beyond the last member, and begin anew.
                let around = (first + count).checked_sub(self.fold.members);
                let end = match around {
                    Some(around) => self.ranks + self.fold.start(around),
                    None => self.fold.start(first + count),
                };
                range(self.fold.start(first), end - self.fold.start(first))
            }
            Data::Members(first, count) | Data::Span(first, count) => range(first, count),
            Data::Half => range(0, slots.div_ceil(2)),
            Data::Own(place) => range(place, 1),
            Data::Others(place) if by_rank => range((place + 1) % self.ranks, self.ranks - 1),
            Data::All | Data::Others(_) => range(0, slots),
            Data::Digit(digit) => Blocks::Digit(digit),
        }
    }
}

/// A step of a rank in layers, with ranks and numbers counted over all of them.
fn step_in(layers: &[Layer], rank: u32, mut number: u32) -> Option<Step> {
    for (index, layer) in layers.iter().enumerate() {
        let Some((members, plan, place)) = layer.of(rank) else { continue };
        let steps = plan.steps_of(place);
        if number >= steps {
            number -= steps;
            continue;
        }
        return plan.step(place, number).map(|step| match step {
            Step::Send { to, blocks, bytes, receive } => {
                let to = members[to as usize];
                let before: u32 = layers[..index].iter().map(|layer| layer.steps_of(to)).sum();
                Step::Send { to, blocks, bytes, receive: before + receive }
            }
            Step::Receive { from, blocks, bytes, combine } => {
                Step::Receive { from: members[from as usize], blocks, bytes, combine }
            }
            Step::Local { .. } => step,
        });
    }
    None
}
