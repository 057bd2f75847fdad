//! The exact times of a broadcast that is forwarded down a tree.

use super::children::Children;
use super::shape::Tree;
use crate::Cost;
use crate::Segments;
use hetsim_base::units::Time;

/// When each rank of `tree` has the whole message.
///
/// A rank that receives a segment queues it for each of its children in order; its queue is first in, first out, and
/// every send holds the port for its gap. `cost` gives what a segment of so many bytes costs. O(P·k) time; memory
/// beyond the result is k times a path of branching ranks, so a chain needs no more than a bush.
pub fn arrivals(tree: &Tree, segments: Segments, cost: impl Fn(u64) -> Cost) -> Vec<Time> {
    let mut arrivals = vec![Time::ZERO; tree.len() as usize];
    broadcast(tree, segments, cost, |rank, informed| arrivals[rank as usize] = informed.at);
    arrivals
}

/// When the last rank of `tree` has the whole message, by the rules of [`arrivals`] but without a time for each rank.
pub fn completion(tree: &Tree, segments: Segments, cost: impl Fn(u64) -> Cost) -> Time {
    let mut last = Time::ZERO;
    broadcast(tree, segments, cost, |_, informed| last = last.max(informed.at));
    last
}

fn broadcast(tree: &Tree, segments: Segments, cost: impl Fn(u64) -> Cost, visit: impl FnMut(u32, Informed)) {
    let costs = SegmentCosts::new(segments, cost);
    let children = tree.children(0);
    let mut queue = (0..segments.count()).map(|segment| (Time::ZERO, segment)).collect::<Vec<_>>();
    costs.serve(&mut queue, children.len());
    forward(tree, Sender::new(children, queue), costs, visit);
}

/// When a rank has all it was to receive, and when its port has sent all it was to forward.
#[derive(Debug, Clone, Copy)]
pub(super) struct Informed {
    pub(super) at: Time,
    pub(super) port_free: Time,
}

/// What the segments of one message cost: all the same, but for the last.
#[derive(Debug, Clone, Copy)]
pub(super) struct SegmentCosts {
    full: Cost,
    last: Cost,
    last_segment: u64,
}

impl SegmentCosts {
    pub(super) fn new(segments: Segments, cost: impl Fn(u64) -> Cost) -> Self {
        Self { full: cost(segments.full()), last: cost(segments.last()), last_segment: segments.count() - 1 }
    }

    pub(super) fn of(&self, segment: u64) -> Cost {
        if segment == self.last_segment { self.last } else { self.full }
    }

    /// Turns the times at which segments are received, in order, into those at which the first copy of each leaves,
    /// when each is sent `copies` times; gives the time the port is free again.
    fn serve(&self, queue: &mut [(Time, u64)], copies: usize) -> Time {
        let mut free = Time::ZERO;
        for (time, segment) in queue {
            *time = free.max(*time);
            free = *time + self.of(*segment).gap * copies as u64;
        }
        free
    }
}

/// A rank that forwards: the children still to serve, and when the first copy of each segment left.
#[derive(Debug)]
pub(super) struct Sender<'t> {
    children: Children<'t>,
    queue: Vec<(Time, u64)>,
    served: u64,
}

impl<'t> Sender<'t> {
    /// A rank that starts to send the segments of `queue` to the first of `children` at the times given there.
    pub(super) const fn new(children: Children<'t>, queue: Vec<(Time, u64)>) -> Self {
        Self { children, queue, served: 0 }
    }
}

/// Follows the message from `root` down `tree` and calls `visit` for every rank below `root`.
///
/// Depth first, with the senders that still have children to serve on a stack. Segments of one size never overtake each
/// other; a shorter last one can where the gap is small, so each rank sorts what it receives (stably: of two that
/// arrive together, the one sent first counts as first).
pub(super) fn forward(tree: &Tree, root: Sender<'_>, costs: SegmentCosts, mut visit: impl FnMut(u32, Informed)) {
    let mut stack = vec![root];
    let mut spare: Vec<Vec<(Time, u64)>> = Vec::new();
    while let Some(mut sender) = stack.pop() {
        let Some(rank) = sender.children.next() else { continue };
        let mut queue = spare.pop().unwrap_or_default();
        queue.clear();
        queue.extend(sender.queue.iter().map(|&(start, segment)| {
            let cost = costs.of(segment);
            (start + cost.gap * sender.served + cost.hop, segment)
        }));
        sender.served += 1;
        // A sender that is done leaves before its last child comes: the stack of a chain stays flat.
        if sender.children.len() == 0 {
            spare.push(sender.queue);
        } else {
            stack.push(sender);
        }

        queue.sort_by_key(|&(received, _)| received);
        let at = queue.last().map_or(Time::ZERO, |&(received, _)| received);
        let children = tree.children(rank);
        let port_free = costs.serve(&mut queue, children.len());
        visit(rank, Informed { at, port_free });
        if children.len() == 0 { spare.push(queue) } else { stack.push(Sender::new(children, queue)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::ExplicitTree;

    const LINK: Cost = Cost { gap: Time(100), hop: Time(150) };

    /// pLogP with L = 50 and g = 100, worked by hand from the rule that arrival = start + gap + latency.
    #[test]
    fn binomial_orders_take_different_times() {
        let times = |tree: fn(u32) -> Tree, ranks: [u32; 4]| {
            ranks.map(|ranks| completion(&tree(ranks), Segments::whole(1), |_| LINK))
        };
        assert_eq!(times(Tree::Binomial, [5, 8, 20, 88]), [350, 450, 650, 950].map(Time));
        assert_eq!(times(Tree::BinomialFarthestFirst, [5, 8, 20, 88])[..1], [Time(400)]);
        assert_eq!(times(Tree::BinomialFarthestFirst, [5, 8, 20, 88])[2..], [700, 1000].map(Time));
        assert_eq!(times(Tree::Binary, [1, 2, 3, 7]), [0, 150, 250, 500].map(Time));
    }

    #[test]
    fn a_pipeline_overlaps_its_segments() {
        let cost = |_| Cost::plogp(Time(10), Time(50));
        assert_eq!(completion(&Tree::Chain(8), Segments::new(16, 1), cost), Time(570));
        assert_eq!(completion(&Tree::Chain(88), Segments::new(16, 1), cost), Time(5370));
    }

    #[test]
    fn a_queue_is_first_in_first_out() {
        // Rank 1 gets segments at 10 and 13. It sends the first at 10, 13 and 16, and only then the second: 19, 22, 25.
        let tree = ExplicitTree::new(5, 0, &[(0, 1), (1, 2), (1, 3), (1, 4)]).unwrap();
        let cost = |_| Cost { gap: Time(3), hop: Time(10) };
        let informed = arrivals(&Tree::Explicit(tree), Segments::new(2, 1), cost);
        assert_eq!(informed, [0, 13, 29, 32, 35].map(Time));
    }

    #[test]
    fn a_short_last_segment_may_overtake() {
        // With a free port, both leave at once; the long one arrives last everywhere.
        let cost = |bytes| Cost { gap: Time::ZERO, hop: Time(bytes) };
        assert_eq!(arrivals(&Tree::Chain(3), Segments::new(12, 10), cost), [0, 10, 20].map(Time));
    }

    #[test]
    fn a_long_chain_needs_no_deep_stack() {
        let ranks = 200_000;
        let time = completion(&Tree::Chain(ranks), Segments::new(32, 1), |_| LINK);
        assert_eq!(time, Time(u64::from(ranks - 1) * 150 + 31 * 100));
    }
}
