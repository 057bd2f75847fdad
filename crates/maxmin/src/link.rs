//! The solver's state of one link.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::demand::LinkKind;
use hetsim_base::units::Time;

/// A full link holds about two to this power units of rate. Sums of whole units do not depend on their order and never
/// drift. A flow's units fit into 64 bits at up to four times the capacity, and saturate beyond.
const UNIT_BITS: i32 = 60;

/// The excess over its capacity above which a link counts as overfull, in units: 2⁻⁴³ of the capacity.
///
/// The bound is the same for members and for crossing flows. The members' fair share is rounded to some 2⁻⁵² and is kept
/// within [`SAME_FAIR_SHARE`], 2⁻⁴⁶, since their summed weight never holds more rounding than they bring
/// ([`loses_digits`]).
const OVERFULL: i128 = 1 << 17;

/// The largest difference in capacity between two equal fair shares, in units: 2⁻⁴⁹ of the capacity.
const SAME: f64 = 2048.0;

/// The largest relative difference between two equal fair shares.
pub(crate) const SAME_FAIR_SHARE: f64 = 1e-14;

/// The relative excess below which a fair share does not exceed another one.
const SLACK: f64 = 1e-12;

/// Whether `fair_share` is above `other` by more than rounding.
pub(crate) fn exceeds(fair_share: f64, other: f64) -> bool {
    fair_share > other * (1.0 + SLACK)
}

/// The lowest fair share that `fair_share` does not exceed.
pub(crate) fn reach(fair_share: f64) -> f64 {
    fair_share / (1.0 + SLACK)
}

/// Whether a sum of weights must be added up again: `stays` of it after `left` was subtracted. The sum was rounded to a
/// digit of the larger part, and where that has left, the rounding counts more in the rest. Equal weights never need it.
pub(crate) fn loses_digits(stays: f64, left: f64) -> bool {
    stays < left
}

/// Links that wait for an update, the lowest fair share first; ties go to the lowest number.
///
/// An entry is one number, since that is compared without branches: the bits of the fair share, which have the same
/// order as it, above those of the link's number.
#[derive(Debug, Default)]
pub(crate) struct Queue(BinaryHeap<Reverse<u128>>);

impl Queue {
    pub(crate) fn push(&mut self, fair_share: f64, number: u32) {
        self.0.push(Reverse(u128::from(fair_share.to_bits()) << u32::BITS | u128::from(number)));
    }

    pub(crate) fn pop(&mut self) -> Option<u32> {
        self.0.pop().map(|Reverse(entry)| entry as u32)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

/// A direction of a link: that of a pair, or the only one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Row(pub(crate) u32);

impl Row {
    pub(crate) const fn new(link: u32, direction: u8) -> Self {
        Self(link << 1 | direction as u32)
    }

    /// The number of the link.
    pub(crate) const fn link(self) -> u32 {
        self.0 >> 1
    }

    /// 0 or 1.
    pub(crate) const fn direction(self) -> usize {
        (self.0 & 1) as usize
    }

    /// The same direction of another link.
    pub(crate) const fn of(self, link: u32) -> Self {
        Self(link << 1 | self.0 & 1)
    }
}

/// The part of a link that the solver accesses at each change: one cache line, but for pairs.
///
/// A pair is one link with two directions, since each flow loads both: its own with its rate, the other one with its
/// rate times `back`. So all flows that a pair limits have one fair share.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Link {
    /// The capacity of each direction in units.
    pub(crate) capacity: i64,
    /// Units per byte per tick: a power of two, or zero for a link that is not shared.
    pub(crate) scale: f64,
    /// The rate per weight of its members; infinite without members.
    pub(crate) fair_share: f64,
    /// An upper bound of the crossing flows' rates per weight.
    pub(crate) crossing_maximum: f64,
    /// The usage, in units, above which a change by a crossing flow needs more than a new sum ([`armed`](Self::armed)).
    pub(crate) alarm: i64,
    /// The number of flows that this link limits: the first ones of its list.
    pub(crate) members: u32,
    /// Whether some members are new and use nothing yet.
    pub(crate) has_new: bool,
    /// Whether it waits for an update.
    pub(crate) queued: bool,
    /// Whether its members or their fair share have changed since the last solution.
    pub(crate) touched: bool,
    /// Whether the rates of the flows add up on it.
    pub(crate) kind: LinkKind,
    /// The usage by the flows of each direction, in units, without what flows of the other one load.
    pub(crate) usage: [i128; 2],
    /// The load on the other direction per byte; zero if there is none.
    pub(crate) back: f64,
}

/// The part of a link that is seldom accessed.
#[derive(Debug, Default)]
pub(crate) struct LinkRest {
    /// Its number among all added links.
    pub(crate) added: u32,
    /// The flows on the link: first its members, then the crossing flows, which other links or bounds limit.
    pub(crate) flows: Vec<LinkFlow>,
    /// For each of them, in the same order, what is to be known of a plain flow.
    pub(crate) others: Vec<Other>,
    /// The remaining bytes per weight of its members, in the same order, with those that they have [sent](Self::sent).
    pub(crate) remaining: Vec<f64>,
    /// What each member has sent, in bytes per weight, until `since` from when `remaining` was written: a new fair share
    /// changes this number alone.
    pub(crate) sent: f64,
    /// The least of `remaining`, while the members stay the same.
    pub(crate) least: f64,
    /// Whether members have joined or left since `remaining` was written.
    pub(crate) is_changed: bool,
    /// The solution in which the last one became a member.
    pub(crate) joined: u32,
    /// The usage by the members of each direction, in units.
    pub(crate) member_usage: [i128; 2],
    /// The sum of the weights of these members, each times the member's share: their usage per fair share.
    pub(crate) member_weight: [f64; 2],
    /// The tick to which the remaining bytes of its members, less those sent, refer.
    pub(crate) since: Time,
    /// Its fair share at the last solution, while it is touched.
    pub(crate) before: f64,
}

/// A flow in a link's list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LinkFlow {
    /// The flow.
    pub(crate) flow: u32,
    /// The number of its hop over the link.
    pub(crate) hop: u32,
}

impl LinkRest {
    /// Adds a crossing flow of which nothing is known yet. Returns its place in the list.
    pub(crate) fn add(&mut self, flow: u32, hop: u32) -> u32 {
        self.flows.push(LinkFlow { flow, hop });
        self.others.push(Other::MANY);
        self.flows.len() as u32 - 1
    }

    pub(crate) fn swap(&mut self, one: usize, other: usize) {
        self.flows.swap(one, other);
        self.others.swap(one, other);
    }

    /// Removes a crossing flow; the last one takes its place.
    pub(crate) fn remove(&mut self, place: usize) {
        self.flows.swap_remove(place);
        self.others.swap_remove(place);
    }
}

/// A crossing flow above the fair share of a link.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Above {
    pub(crate) flow: u32,
    pub(crate) fair_share: f64,
    pub(crate) direction: usize,
    /// Its weight times its share of the link.
    pub(crate) weight: f64,
    pub(crate) units: i128,
}

/// What a link knows of a plain flow, so that its route and demand need no look-up. A plain flow has one or two
/// contended links, shares of one, no bound, and the [usual weight](super::Solver::usual_weight).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Other(u32);

impl Other {
    /// The flow is not plain.
    pub(crate) const MANY: Self = Self(u32::MAX);

    /// Stands for the other link of a flow that has none.
    const NO_LINK: u32 = (u32::MAX >> 2) - 1;

    /// A plain flow in a direction of this link, with a row of another one.
    pub(crate) const fn new(own: Row, other: Row) -> Self {
        Self(other.0 << 1 | own.0 & 1)
    }

    /// A plain flow that has no other contended link.
    pub(crate) const fn free(own: Row) -> Self {
        Self::new(own, Row::new(Self::NO_LINK, 0))
    }

    pub(crate) const fn is_free(self) -> bool {
        self.0 >> 2 == Self::NO_LINK
    }

    /// The number of the other link; of no link if there is none.
    pub(crate) const fn link(self) -> u32 {
        self.0 >> 2
    }

    /// The other link with the flow's direction there.
    pub(crate) const fn row(self) -> Row {
        Row(self.0 >> 1)
    }

    /// The flow's direction on the other link.
    pub(crate) const fn direction(self) -> usize {
        (self.0 >> 1 & 1) as usize
    }

    /// The flow's direction on this link.
    pub(crate) const fn own(self) -> u32 {
        self.0 & 1
    }
}

impl Link {
    /// A link with a capacity in bytes per tick, without flows. That of a pair has a load `back` on the other direction.
    pub(crate) fn new(capacity: f64, kind: LinkKind, back: f64) -> Self {
        let mut link = Self {
            capacity: i64::MAX,
            usage: [0; 2],
            back,
            scale: 0.0,
            fair_share: f64::INFINITY,
            crossing_maximum: 0.0,
            alarm: i64::MAX,
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

    /// Sets the capacity, in bytes per tick, and units that can also represent a usage of `most`.
    pub(crate) fn measure(&mut self, capacity: f64, most: f64) {
        let top = capacity.max(most).max(f64::MIN_POSITIVE * 1e30);
        self.scale = if top.is_finite() { f64::exp2(f64::from(UNIT_BITS) - top.log2().ceil()) } else { 0.0 };
        self.capacity = if top.is_finite() { (capacity * self.scale) as i64 } else { i64::MAX };
        self.arm();
    }

    /// Sets the alarm after a change of the capacity, of the members or of whether the link is queued.
    #[inline]
    pub(crate) fn arm(&mut self) {
        self.alarm = self.armed();
    }

    /// The usage above which a change by a crossing flow needs more than a new sum: a link that has members and is not
    /// queued must be queued, and a link without members fills up.
    pub(crate) fn armed(&self) -> i64 {
        match (self.members, self.queued) {
            // Each direction counts.
            (0, _) if self.back > 0.0 => i64::MIN,
            (0, _) => self.capacity.saturating_add(OVERFULL as i64),
            (_, false) => i64::MIN,
            (_, true) => i64::MAX,
        }
    }

    /// Marks the link as queued, or not.
    #[inline]
    pub(crate) fn set_queued(&mut self, queued: bool) {
        self.queued = queued;
        self.arm();
    }

    /// Converts a rate in bytes per tick to units of this link.
    pub(crate) fn units(&self, rate: f64) -> i128 {
        i128::from((rate * self.scale) as i64)
    }

    /// The load on each direction by flows that use so much, in units.
    pub(crate) fn loads(&self, usage: [i128; 2]) -> [i128; 2] {
        let back = |usage: i128| if self.back > 0.0 { (usage as f64 * self.back) as i128 } else { 0 };
        [usage[0] + back(usage[1]), usage[1] + back(usage[0])]
    }

    /// Whether the flows would exceed the capacity if the usage of a direction grew by `more` units.
    pub(crate) fn is_overfull(&self, direction: usize, more: i128) -> bool {
        let most = i128::from(self.capacity) + OVERFULL;
        if self.back == 0.0 {
            return self.usage[0] + more > most;
        }
        let mut usage = self.usage;
        usage[direction] += more;
        self.loads(usage).into_iter().any(|load| load > most)
    }

    /// The fair share of flows of summed weights (times their shares) that now use `used` units and share the capacity
    /// that the others leave; not negative.
    pub(crate) fn compute_fair_share(&self, used: [i128; 2], weights: [f64; 2]) -> f64 {
        if self.scale == 0.0 {
            return f64::INFINITY;
        }
        let fair_share = |load: i128, weight: f64| {
            let room = (i128::from(self.capacity) - load).clamp(0, i128::from(i64::MAX)) as i64;
            room as f64 / (self.scale * weight)
        };
        if self.back == 0.0 {
            return fair_share(self.usage[0] - used[0], weights[0]);
        }
        let loads = self.loads([self.usage[0] - used[0], self.usage[1] - used[1]]);
        let weight = |own: usize| weights[own] + self.back * weights[1 - own];
        fair_share(loads[0], weight(0)).min(fair_share(loads[1], weight(1)))
    }

    /// Whether two fair shares of its members, of these summed weights, differ by rounding only.
    pub(crate) fn is_same(&self, fair_share: f64, other: f64, weights: [f64; 2]) -> bool {
        let difference = (fair_share - other).abs();
        let weight = weights[0] + weights[1];
        difference.is_finite() && (difference <= SAME_FAIR_SHARE * other || difference * weight * self.scale <= SAME)
    }

    /// The highest rate per weight that the link allows to a rising crossing flow with a weight (times its share).
    #[inline]
    pub(crate) fn follow(&self, direction: usize, weight: f64, step: &mut RateStep) -> f64 {
        if self.members > 0 {
            return self.fair_share;
        }
        step.measure(weight, self.scale);
        // A link that fills up gets a fair share of its own from here on, which is computed when its turn comes.
        if self.is_overfull(direction, i128::from(step.after - step.before)) { step.old } else { f64::INFINITY }
    }

    /// Applies a crossing flow's new rate per weight and its change of usage; `row` is the link's, for the queue.
    #[inline]
    pub(crate) fn change_crossing(&mut self, row: Row, fair_share: f64, change: i64, queue: &mut Queue) {
        self.usage[row.direction()] += i128::from(change);
        let number = row.link();
        if fair_share > self.crossing_maximum {
            self.crossing_maximum = fair_share;
        }
        self.request_update(number, fair_share, queue);
    }

    /// Queues the link with number `number` if a change of usage requires an update; a link that fills up is queued at
    /// `fair_share`.
    #[inline]
    pub(crate) fn request_update(&mut self, number: u32, fair_share: f64, queue: &mut Queue) {
        if !self.queued && (self.members > 0 || self.is_overfull(0, 0)) {
            self.push(number, fair_share, queue);
        }
    }

    #[inline(never)]
    fn push(&mut self, number: u32, fair_share: f64, queue: &mut Queue) {
        self.set_queued(true);
        let key = if self.members > 0 { self.fair_share } else { fair_share };
        queue.push(key, number);
    }
}

/// A change of fair share, in the units of the link queried last: most links and weights are equal.
#[derive(Clone)]
pub(crate) struct RateStep {
    old: f64,
    new: f64,
    weight: f64,
    scale: f64,
    pub(crate) before: i64,
    pub(crate) after: i64,
}

impl RateStep {
    pub(crate) fn new(old: f64, new: f64) -> Self {
        Self { old, new, weight: 0.0, scale: 0.0, before: 0, after: 0 }
    }

    /// The scale of the last units.
    pub(crate) fn scale(&self) -> f64 {
        self.scale
    }

    /// Computes the units that a flow with a weight (times its share) uses before and after.
    pub(crate) fn measure(&mut self, weight: f64, scale: f64) {
        if weight != self.weight || scale != self.scale {
            (self.weight, self.scale) = (weight, scale);
            self.before = (weight * self.old * scale) as i64;
            self.after = (weight * self.new * scale) as i64;
        }
    }
}

/// Recent fair shares. A value that differs from one of them by rounding only is replaced by it, so that equal flows
/// have equal rates even if their links' sums were rounded differently.
#[derive(Debug)]
pub(crate) struct RecentShares {
    fair_shares: [f64; 1 << RECENT_BITS],
}

/// The number of stored fair shares, as a power of two.
const RECENT_BITS: u32 = 8;

/// Fair shares whose bits differ only here are stored in the same slot.
const ROUNDED_BITS: u32 = 8;

impl RecentShares {
    pub(crate) fn new() -> Self {
        Self { fair_shares: [0.0; 1 << RECENT_BITS] }
    }

    /// A stored fair share that equals this one except for rounding; otherwise stores and returns this one.
    pub(crate) fn same(&mut self, fair_share: f64) -> f64 {
        let place = (fair_share.to_bits() >> ROUNDED_BITS) as usize;
        let mask = self.fair_shares.len() - 1;
        for near in [place, place.wrapping_sub(1), place + 1] {
            let recent = self.fair_shares[near & mask];
            let difference = (fair_share - recent).abs();
            if difference.is_finite() && difference <= SAME_FAIR_SHARE * fair_share {
                return recent;
            }
        }
        self.fair_shares[place & mask] = fair_share;
        fair_share
    }
}
