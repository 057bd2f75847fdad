//! What the solver knows of one link.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::demand::LinkKind;
use crate::units::Time;

/// A full link holds about two to this power units of rate. Sums of whole units don't depend on their order and never
/// drift. A flow's units fit 64 bits at up to four times the capacity, and count as the most that fits beyond.
const UNIT_BITS: i32 = 60;

/// How far above its capacity a link may be used before it counts as overfull, in units: 2⁻⁴³ of the capacity.
const OVERFULL: i128 = 1 << 17;

/// How far apart the rooms of two levels may be and still count as the same, in units: 2⁻⁴⁹ of the capacity.
const SAME: f64 = 2048.0;

/// How far apart two levels may be, relative, and still count as the same.
pub(crate) const SAME_LEVEL: f64 = 1e-14;

/// A level above another by less than this part doesn't exceed it.
const SLACK: f64 = 1e-12;

/// Whether `level` is above `other`, by more than rounding.
pub(crate) fn exceeds(level: f64, other: f64) -> bool {
    level > other * (1.0 + SLACK)
}

/// The lowest level that `level` doesn't exceed.
pub(crate) fn reach(level: f64) -> f64 {
    level / (1.0 + SLACK)
}

/// Links that wait to be settled: their level, as bits, which are in the same order, and their number.
pub(crate) type Queue = BinaryHeap<Reverse<(u64, u32)>>;

/// The part of a link that the solver reads and writes at each change.
#[derive(Debug)]
pub(crate) struct Link {
    /// The capacity in units.
    pub(crate) capacity: i64,
    /// What all its flows use, in units.
    pub(crate) usage: i128,
    /// What its members use, in units.
    pub(crate) member_usage: i128,
    /// Units per byte a tick: a power of two, or zero for a link that isn't shared.
    pub(crate) scale: f64,
    /// The rate per weight of its members; infinite where it has none.
    pub(crate) level: f64,
    /// The sum of its members' weights, each times the member's share: what they use per level.
    pub(crate) member_weight: f64,
    /// No visitor's rate per weight is above this.
    pub(crate) visitor_level: f64,
    /// How many flows this link holds back: those at the front of its list.
    pub(crate) members: u32,
    /// Whether some members are new and use nothing yet.
    pub(crate) has_new: bool,
    /// Whether it waits to be settled.
    pub(crate) queued: bool,
    /// Whether its members or their level changed since the last solution.
    pub(crate) touched: bool,
    /// Whether the flows' rates add up on it.
    pub(crate) kind: LinkKind,
}

/// The part of a link that is seldom touched.
#[derive(Debug, Default)]
pub(crate) struct LinkRest {
    /// The capacity, in bytes a tick.
    pub(crate) capacity: f64,
    /// The flows that cross it: first its members, then the visitors, which other links or bounds hold back.
    pub(crate) flows: Vec<Crossing>,
    /// The tick at which its members' remaining bytes are told.
    pub(crate) since: Time,
    /// Its level at the last solution, while it is touched.
    pub(crate) before: f64,
}

/// A flow in a link's list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Crossing {
    /// The flow.
    pub(crate) flow: u32,
    /// The number of its hop across the link.
    pub(crate) hop: u32,
    /// The other link of a plain flow, which has two shared links, weight and shares of one and no bound, so that its
    /// route and demand needn't be looked up; [`MANY`] for any other flow.
    pub(crate) other: u32,
}

/// Stands for the other links of a flow that isn't plain.
pub(crate) const MANY: u32 = u32::MAX;

impl Link {
    /// A link of some capacity, in bytes a tick, without flows.
    pub(crate) fn new(capacity: f64, kind: LinkKind) -> Self {
        let mut link = Self {
            capacity: i64::MAX,
            usage: 0,
            member_usage: 0,
            scale: 0.0,
            level: f64::INFINITY,
            member_weight: 0.0,
            visitor_level: 0.0,
            members: 0,
            has_new: false,
            queued: false,
            touched: false,
            kind,
        };
        if kind == LinkKind::Shared {
            link.measure(capacity, 0.0);
        }
        link
    }

    /// Sets the capacity, in bytes a tick, and the units, which are also fit to tell a usage of `most`.
    pub(crate) fn measure(&mut self, capacity: f64, most: f64) {
        let top = capacity.max(most).max(f64::MIN_POSITIVE * 1e30);
        self.scale = if top.is_finite() { f64::exp2(f64::from(UNIT_BITS) - top.log2().ceil()) } else { 0.0 };
        self.capacity = if top.is_finite() { (capacity * self.scale) as i64 } else { i64::MAX };
    }

    /// A rate in bytes a tick as units of this link.
    pub(crate) fn units(&self, rate: f64) -> i128 {
        i128::from((rate * self.scale) as i64)
    }

    /// Whether the flows would use more than there is, were their usage to grow by `more`.
    pub(crate) fn is_overfull(&self, more: i128) -> bool {
        self.usage + more > i128::from(self.capacity) + OVERFULL
    }

    /// The level of flows of summed `weight` (times their shares) that now use `used` units and share what the others leave; not negative.
    pub(crate) fn fair_level(&self, used: i128, weight: f64) -> f64 {
        if self.scale == 0.0 {
            return f64::INFINITY;
        }
        let room = i128::from(self.capacity) - self.usage + used;
        let room = room.clamp(0, i128::from(i64::MAX)) as i64;
        room as f64 / (self.scale * weight)
    }

    /// Whether two levels of its members differ by no more than rounding.
    pub(crate) fn is_same(&self, level: f64, other: f64) -> bool {
        let difference = (level - other).abs();
        difference.is_finite()
            && (difference <= SAME_LEVEL * other || difference * self.member_weight * self.scale <= SAME)
    }

    /// Up to which level the link lets a visitor of some weight (times its share) rise.
    #[inline]
    pub(crate) fn follow(&self, weight: f64, step: &mut Step) -> f64 {
        if self.members > 0 {
            return self.level;
        }
        step.measure(weight, self.scale);
        // One that fills up has a level of its own from here on, which is settled when its turn comes.
        if self.is_overfull(i128::from(step.after - step.before)) { step.old } else { f64::INFINITY }
    }

    /// Accounts for a visitor's new level and the units more that it uses; the link's number is given to queue it by.
    #[inline]
    pub(crate) fn visit(&mut self, number: u32, level: f64, change: i64, queue: &mut Queue) {
        self.usage += i128::from(change);
        if level > self.visitor_level {
            self.visitor_level = level;
        }
        if !self.queued {
            self.unsettle(number, level, queue);
        }
    }

    /// Queues the link, whose number is given, where a change of usage unsettles it; one that fills up does at `level`.
    #[inline(never)]
    pub(crate) fn unsettle(&mut self, number: u32, level: f64, queue: &mut Queue) {
        if !self.queued && (self.members > 0 || self.is_overfull(0)) {
            self.queued = true;
            let key = if self.members > 0 { self.level } else { level };
            queue.push(Reverse((key.to_bits(), number)));
        }
    }

    /// Forgets sums over members when the last one has left.
    pub(crate) fn close_if_empty(&mut self) {
        if self.members == 0 {
            (self.level, self.member_usage, self.member_weight) = (f64::INFINITY, 0, 0.0);
            self.has_new = false;
        }
    }
}

/// A change of level, in the units of the link that was asked for last: most links and weights are alike.
#[derive(Clone)]
pub(crate) struct Step {
    old: f64,
    new: f64,
    weight: f64,
    scale: f64,
    pub(crate) before: i64,
    pub(crate) after: i64,
}

impl Step {
    pub(crate) fn new(old: f64, new: f64) -> Self {
        Self { old, new, weight: 0.0, scale: 0.0, before: 0, after: 0 }
    }

    /// The units that it was told in last.
    pub(crate) fn scale(&self) -> f64 {
        self.scale
    }

    /// Tells the units that a flow of some weight (times its share) uses before and after.
    pub(crate) fn measure(&mut self, weight: f64, scale: f64) {
        if weight != self.weight || scale != self.scale {
            (self.weight, self.scale) = (weight, scale);
            self.before = (weight * self.old * scale) as i64;
            self.after = (weight * self.new * scale) as i64;
        }
    }
}

/// Levels seen of late: one that differs from such a one by rounding only is taken for it, so that flows that are alike
/// have equal rates even where their links' sums were rounded in another way.
#[derive(Debug)]
pub(crate) struct Seen {
    levels: [f64; 1 << SEEN_BITS],
}

/// How many levels are remembered, as a power of two.
const SEEN_BITS: u32 = 8;

/// Levels whose bits differ only here are remembered in the same place.
const ROUNDED_BITS: u32 = 8;

impl Seen {
    pub(crate) fn new() -> Self {
        Self { levels: [0.0; 1 << SEEN_BITS] }
    }

    /// A level seen before that is the same but for rounding, or else this one, which counts as seen from now on.
    pub(crate) fn same(&mut self, level: f64) -> f64 {
        let place = (level.to_bits() >> ROUNDED_BITS) as usize;
        let mask = self.levels.len() - 1;
        for near in [place, place.wrapping_sub(1), place + 1] {
            let seen = self.levels[near & mask];
            let difference = (level - seen).abs();
            if difference.is_finite() && difference <= SAME_LEVEL * level {
                return seen;
            }
        }
        self.levels[place & mask] = level;
        level
    }
}
