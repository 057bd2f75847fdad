//! The solver's state of one link.

use super::demand::LinkKind;
use super::queue::Marker;
use hetsim_base::units::Time;

/// A full link holds about two to this power units of rate. Sums of whole units do not depend on their order and never
/// drift. A flow's units fit into 64 bits at up to four times the capacity, and saturate beyond; a sum that does not fit is
/// told ([`Link::add`]).
const UNIT_BITS: i32 = 60;

/// The excess over its capacity above which a link counts as overfull, in units: 2⁻⁴³ of the capacity.
///
/// The bound is the same for members and for crossing flows. The members' fair share is rounded to some 2⁻⁵² and is kept
/// within [`SAME_FAIR_SHARE`], 2⁻⁴⁶, since their summed weight never holds more rounding than they bring
/// ([`loses_digits`]).
const OVERFULL: i64 = 1 << 17;

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

/// A direction of a link: that of a pair, or the only one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lane(pub(crate) u32);

/// Marks the last lane of a flow.
const LAST: u32 = 1 << 31;

impl Lane {
    pub(crate) const fn new(link: u32, direction: u8) -> Self {
        Self(link << 1 | direction as u32)
    }

    /// The number of the link.
    pub(crate) const fn link(self) -> u32 {
        (self.0 & !LAST) >> 1
    }

    /// The same one as the last of a [long](Other::long) flow.
    pub(crate) const fn as_last(self) -> Self {
        Self(self.0 | LAST)
    }

    /// Whether it is the last of a long flow.
    pub(crate) const fn is_last(self) -> bool {
        self.0 & LAST != 0
    }

    /// 0 or 1.
    pub(crate) const fn direction(self) -> usize {
        (self.0 & 1) as usize
    }

    /// The number under which callers know it, if its link's is the one that was added.
    pub(crate) const fn added(self) -> u32 {
        self.link() + self.direction() as u32
    }

    /// The same direction of another link.
    pub(crate) const fn of(self, link: u32) -> Self {
        Self(link << 1 | self.0 & 1)
    }
}

/// The part of a link that the solver accesses at each change: one cache line.
///
/// A pair is one link with two directions, since each flow loads both: its own with its rate, the other one with its
/// rate times `back`. So all flows that a pair limits have one fair share.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Link {
    /// The usage by the flows of each direction, in units, without what flows of the other one load.
    pub(crate) usage: [i64; 2],
    /// An upper bound of the crossing flows' rates per weight.
    pub(crate) crossing_maximum: f64,
    /// Units per byte per tick: a power of two, or zero for a link that is not shared.
    pub(crate) scale: f64,
    /// The rate per weight of its members; infinite without members.
    pub(crate) fair_share: f64,
    /// The capacity of each direction in units.
    pub(crate) capacity: i64,
    /// The load on the other direction per byte; zero if there is none.
    pub(crate) back: f64,
    /// The number of flows that this link limits: the first ones of its list.
    pub(crate) members: u32,
    /// Its rank in the queue.
    pub(crate) rank: u32,
}

/// The part of a link that is seldom accessed.
#[derive(Debug)]
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
    /// Whether the rates of the flows add up on it.
    pub(crate) kind: LinkKind,
    /// Whether some members are new and use nothing yet.
    pub(crate) has_new: bool,
    /// Whether its members or their fair share have changed since the last solution.
    pub(crate) touched: bool,
    /// The usage by the members of each direction, in units.
    pub(crate) member_usage: [i64; 2],
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
    /// That of an added link, without flows.
    pub(crate) fn new(added: u32, kind: LinkKind) -> Self {
        Self {
            added,
            flows: Vec::new(),
            others: Vec::new(),
            remaining: Vec::new(),
            sent: 0.0,
            least: 0.0,
            is_changed: false,
            joined: 0,
            kind,
            has_new: false,
            touched: false,
            member_usage: [0; 2],
            member_weight: [0.0; 2],
            since: Time::ZERO,
            before: 0.0,
        }
    }

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
    pub(crate) units: i64,
}

/// What a link knows of a plain flow, so that its route and demand need no look-up. A plain flow has one or two
/// contended links, shares of one, no bound, and the [usual weight](super::Solver::usual_weight).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Other(u32);

impl Other {
    /// The flow is not plain.
    pub(crate) const MANY: Self = Self(u32::MAX);

    /// Stands for the other link of a flow that has none.
    const NO_LINK: u32 = (1 << 29) - 1;

    /// Marks a long flow.
    const LONG: u32 = 1 << 31;

    /// A plain flow in a direction of this link, with a lane of another one.
    pub(crate) const fn new(own: Lane, other: Lane) -> Self {
        Self(other.0 << 1 | own.0 & 1)
    }

    /// A plain flow that has no other contended link.
    pub(crate) const fn free(own: Lane) -> Self {
        Self::new(own, Lane::new(Self::NO_LINK, 0))
    }

    /// A flow that is plain but for having more than two contended links: the place of its lanes in
    /// [`Routes::lanes`](super::routes::Routes::lanes).
    pub(crate) const fn long(start: u32) -> Self {
        Self(Self::LONG | start)
    }

    /// Whether the flow is not plain, but may be long.
    pub(crate) const fn is_many(self) -> bool {
        self.0 & Self::LONG != 0
    }

    /// The place of the lanes of a long flow.
    pub(crate) fn lanes(self) -> Option<usize> {
        let is_long = self.0 & Self::LONG != 0 && self != Self::MANY;
        is_long.then_some((self.0 & !Self::LONG) as usize)
    }

    pub(crate) const fn is_free(self) -> bool {
        self.0 >> 2 == Self::NO_LINK
    }

    /// The number of the other link; of no link if there is none.
    pub(crate) const fn link(self) -> u32 {
        self.0 >> 2
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
    pub(crate) fn new(capacity: f64, kind: LinkKind, back: f64, rank: u32) -> Self {
        let mut link = Self {
            usage: [0; 2],
            crossing_maximum: 0.0,
            scale: 0.0,
            fair_share: f64::INFINITY,
            capacity: i64::MAX,
            back,
            members: 0,
            rank,
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
    }

    /// Converts a rate in bytes per tick to units of this link.
    pub(crate) fn units(&self, rate: f64) -> i64 {
        (rate * self.scale) as i64
    }

    /// Adds to the usage of a direction. Returns true if the sum is beyond the numbers, some eight times the capacity: the
    /// solution must be found from scratch then.
    #[must_use]
    pub(crate) fn add(&mut self, direction: usize, units: i64) -> bool {
        let (usage, is_beyond) = self.usage[direction].overflowing_add(units);
        self.usage[direction] = usage;
        is_beyond
    }

    /// The load on each direction by flows that use so much, in units.
    pub(crate) fn loads(&self, usage: [i64; 2]) -> [i64; 2] {
        if self.back == 0.0 {
            return usage;
        }
        let load = |own: usize| usage[own].saturating_add((usage[1 - own] as f64 * self.back) as i64);
        [load(0), load(1)]
    }

    /// Whether the flows would exceed the capacity if the usage of a direction grew by `more` units.
    pub(crate) fn is_overfull(&self, direction: usize, more: i64) -> bool {
        let mut usage = self.usage;
        usage[direction] = usage[direction].saturating_add(more);
        self.loads(usage).into_iter().any(|load| load > self.capacity.saturating_add(OVERFULL))
    }

    /// The fair share of flows of summed weights (times their shares) that now use `used` units and share the capacity
    /// that the others leave; not negative.
    pub(crate) fn compute_fair_share(&self, used: [i64; 2], weights: [f64; 2]) -> f64 {
        if self.scale == 0.0 {
            return f64::INFINITY;
        }
        let fair_share = |load: i64, weight: f64| {
            let room = self.capacity.saturating_sub(load).max(0);
            room as f64 / (self.scale * weight)
        };
        let rest = |direction: usize| self.usage[direction].saturating_sub(used[direction]);
        if self.back == 0.0 {
            return fair_share(rest(0), weights[0]);
        }
        let loads = self.loads([rest(0), rest(1)]);
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
    pub(crate) fn follow(&self, direction: usize, weight: f64, step: &mut RateStep) -> f64 {
        if self.members > 0 {
            return self.fair_share;
        }
        step.measure(weight, self.scale);
        // A link that fills up gets a fair share of its own from here on, which is computed when its turn comes.
        if self.is_overfull(direction, step.after - step.before) { step.old } else { f64::INFINITY }
    }

    /// Notes a crossing flow's new rate per weight after its change of usage, and marks the link for an update where it may
    /// need more than a new sum: not without members while it is not full. Without `PAIRS` it has one direction.
    #[inline]
    pub(crate) fn cross<const PAIRS: bool>(&mut self, direction: usize, fair_share: f64, marker: &mut Marker<'_>) {
        self.crossing_maximum = if fair_share > self.crossing_maximum { fair_share } else { self.crossing_maximum };
        // Without branches: a wrong guess of one costs more than the comparisons.
        let mut must = self.members > 0;
        must |= self.usage[direction] > self.capacity;
        must |= PAIRS && self.back > 0.0;
        marker.mark_if(must, self.rank);
    }
}

/// A change of fair share, in the units of the link queried last: most links and weights are equal.
#[derive(Clone)]
pub(crate) struct RateStep {
    old: f64,
    pub(crate) new: f64,
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
    /// Empty until the first one.
    fair_shares: Vec<f64>,
}

/// The number of stored fair shares, as a power of two.
const RECENT_BITS: u32 = 10;

/// Fair shares whose bits differ only here are stored in the same slot.
const ROUNDED_BITS: u32 = 8;

impl RecentShares {
    pub(crate) fn new() -> Self {
        Self { fair_shares: Vec::new() }
    }

    /// A stored fair share that equals this one except for rounding; otherwise stores and returns this one.
    pub(crate) fn same(&mut self, fair_share: f64) -> f64 {
        if self.fair_shares.is_empty() {
            self.fair_shares = vec![0.0; 1 << RECENT_BITS];
        }
        let rounded = fair_share.to_bits() >> ROUNDED_BITS;
        for near in [rounded, rounded.wrapping_sub(1), rounded + 1] {
            let recent = self.fair_shares[slot(near)];
            let difference = (fair_share - recent).abs();
            if difference.is_finite() && difference <= SAME_FAIR_SHARE * fair_share {
                return recent;
            }
        }
        self.fair_shares[slot(rounded)] = fair_share;
        fair_share
    }
}

/// The slot of a rounded fair share: thirds, say, differ in a few bits only, so these are spread (Knuth, The Art of
/// Computer Programming, vol. 3, §6.4).
const fn slot(rounded: u64) -> usize {
    (rounded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - RECENT_BITS)) as usize
}
