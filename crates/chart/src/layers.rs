//! Layouts of directed graphs in layers (Sugiyama, Tagawa and Toda, "Methods for visual understanding of hierarchical
//! system structures", IEEE Transactions on Systems, Man and Cybernetics 11, 1981): every edge leads to a later layer,
//! long edges bend in each layer between, orders in layers have few crossings, and everything stands near what it is
//! joined to.

/// A graph in layers. Items are its nodes and, after them, the bends of long edges.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layers {
    /// The items of each layer, from left to right.
    pub(crate) rows: Vec<Vec<usize>>,
    /// For each edge that was kept its number, and its items from above.
    pub(crate) routes: Vec<(usize, Vec<usize>)>,
    /// How many of the items are nodes.
    nodes: usize,
    /// For each item those that it is joined to, a layer above and a layer below.
    above: Vec<Vec<usize>>,
    below: Vec<Vec<usize>>,
}

/// How often all layers are put in order.
const SWEEPS: usize = 24;
/// How often all places are moved towards their neighbours.
const ROUNDS: usize = 30;

impl Layers {
    /// The layers of a graph: a node is as deep as the longest way to it. An edge to a node that does not exist, to
    /// itself, or that closes a cycle, is left out.
    pub(crate) fn new(nodes: usize, edges: &[(usize, usize)]) -> Self {
        let (depths, kept) = depths(nodes, edges);
        let mut layers = Self {
            rows: vec![Vec::new(); depths.iter().max().map_or(0, |depth| depth + 1)],
            routes: Vec::new(),
            nodes,
            above: vec![Vec::new(); nodes],
            below: vec![Vec::new(); nodes],
        };
        for (node, &depth) in depths.iter().enumerate() {
            layers.rows[depth].push(node);
        }
        for (edge, &(from, to)) in edges.iter().enumerate().filter(|(edge, _)| kept[*edge]) {
            let mut route = vec![from];
            for depth in depths[from] + 1..depths[to] {
                let bend = layers.above.len();
                layers.rows[depth].push(bend);
                layers.above.push(Vec::new());
                layers.below.push(Vec::new());
                route.push(bend);
            }
            route.push(to);
            for pair in route.windows(2) {
                layers.below[pair[0]].push(pair[1]);
                layers.above[pair[1]].push(pair[0]);
            }
            layers.routes.push((edge, route));
        }
        layers.order();
        layers
    }

    /// Whether an item is a bend of an edge.
    pub(crate) fn is_bend(&self, item: usize) -> bool {
        item >= self.nodes
    }

    /// How many pairs of edges cross.
    pub(crate) fn crossings(&self) -> usize {
        let mut places = vec![0; self.above.len()];
        let mut crossings = 0;
        for pair in self.rows.windows(2) {
            for (place, &item) in pair[1].iter().enumerate() {
                places[item] = place;
            }
            // Numbers of ends to the right of each new one, by a tree of sums over the places (Fenwick).
            let mut sums = vec![0usize; pair[1].len() + 1];
            let mut total = 0;
            for &item in &pair[0] {
                let mut ends: Vec<usize> = self.below[item].iter().map(|&to| places[to]).collect();
                ends.sort_unstable();
                for &end in &ends {
                    let (mut index, mut before) = (end + 1, 0);
                    while index > 0 {
                        before += sums[index];
                        index &= index - 1;
                    }
                    crossings += total - before;
                }
                for end in ends {
                    let mut index = end + 1;
                    while index < sums.len() {
                        sums[index] += 1;
                        index += index & index.wrapping_neg();
                    }
                    total += 1;
                }
            }
        }
        crossings
    }

    /// Puts the layers in orders with few crossings: down and up in turn, each item at the mean place of its
    /// neighbours.
    fn order(&mut self) {
        let mut places = vec![0.0; self.above.len()];
        let (mut best, mut least) = (self.rows.clone(), self.crossings());
        for sweep in 0..SWEEPS {
            if least == 0 {
                break;
            }
            let down = sweep % 2 == 0;
            let count = self.rows.len();
            for step in 0..count {
                let layer = if down { step } else { count - 1 - step };
                let neighbours = if down { &self.above } else { &self.below };
                let row = &mut self.rows[layer];
                let centre = |(place, &item): (usize, &usize)| {
                    let joined = &neighbours[item];
                    let sum: f64 = joined.iter().map(|&other| places[other]).sum();
                    // What has no neighbour on this side stays where it is.
                    (if joined.is_empty() { place as f64 } else { sum / joined.len() as f64 }, item)
                };
                let mut wanted: Vec<(f64, usize)> = row.iter().enumerate().map(centre).collect();
                wanted.sort_by(|a, b| a.0.total_cmp(&b.0));
                *row = wanted.into_iter().map(|(_, item)| item).collect();
                for (place, &item) in row.iter().enumerate() {
                    places[item] = place as f64;
                }
            }
            let crossings = self.crossings();
            if crossings < least {
                (best, least) = (self.rows.clone(), crossings);
            }
        }
        self.rows = best;
    }

    /// The width that the widest layer needs.
    pub(crate) fn width(&self, width_of: impl Fn(usize) -> f64, gap: f64) -> f64 {
        let row = |row: &Vec<usize>| row.iter().map(|&item| width_of(item) + gap).sum::<f64>() - gap;
        self.rows.iter().map(row).fold(0.0, f64::max)
    }

    /// The middle of each item between 0 and `room`, such that neighbours in a layer are `gap` apart; closer, all
    /// alike, where that has no room.
    pub(crate) fn places(&self, width_of: impl Fn(usize) -> f64, gap: f64, room: f64) -> Vec<f64> {
        let shrink = (room / self.width(&width_of, gap)).min(1.0);
        let mut places = vec![room / 2.0; self.above.len()];
        // For each layer the middle of each item if all stood close together at the left.
        let mut packed: Vec<Vec<f64>> = Vec::new();
        for row in &self.rows {
            let mut end = 0.0;
            let mut middles = Vec::with_capacity(row.len());
            for &item in row {
                let width = width_of(item);
                middles.push((end + width / 2.0) * shrink);
                end += width + gap;
            }
            let left = (room - (end - gap) * shrink) / 2.0;
            for (&item, middle) in row.iter().zip(&middles) {
                places[item] = left + middle;
            }
            packed.push(middles);
        }
        for round in 0..ROUNDS {
            let count = self.rows.len();
            for step in 0..count {
                let layer = if round % 2 == 0 { step } else { count - 1 - step };
                let wish = |item: usize| {
                    let joined = || self.above[item].iter().chain(&self.below[item]);
                    let sum: f64 = joined().map(|&other| places[other]).sum();
                    let number = joined().count();
                    // Bends hold on to each other, so that long edges are straight.
                    let weight = if self.is_bend(item) { 4.0 } else { number.max(1) as f64 };
                    (if number == 0 { places[item] } else { sum / number as f64 }, weight)
                };
                let wishes: Vec<(f64, f64)> = self.rows[layer].iter().map(|&item| wish(item)).collect();
                let row = &self.rows[layer];
                let (Some(&first), Some(&last)) = (row.first(), row.last()) else { continue };
                let ends = (width_of(first) / 2.0 * shrink, room - width_of(last) / 2.0 * shrink);
                for (&item, place) in row.iter().zip(settle(&wishes, &packed[layer], ends)) {
                    places[item] = place;
                }
            }
        }
        places
    }
}

/// Places as near as possible to what is wished (place and weight each), in the order given, with at least the
/// distances that `packed` has, from the first at `ends.0` or later to the last at `ends.1` or before (pool adjacent
/// violators).
fn settle(wishes: &[(f64, f64)], packed: &[f64], ends: (f64, f64)) -> Vec<f64> {
    // A block is a run of items that touch: the weighted sum of their wishes, the weight, and how many they are.
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    let offset = |index: usize| packed[index] - packed[0];
    for (index, &(wish, weight)) in wishes.iter().enumerate() {
        let mut block = ((wish - offset(index)) * weight, weight, 1);
        while let Some(&(sum, weight, count)) = blocks.last() {
            if sum / weight <= block.0 / block.1 {
                break;
            }
            block = (sum + block.0, weight + block.1, count + block.2);
            blocks.pop();
        }
        blocks.push(block);
    }
    let last = wishes.len().saturating_sub(1);
    let highest = (ends.1 - if wishes.is_empty() { 0.0 } else { offset(last) }).max(ends.0);
    let mut places = Vec::with_capacity(wishes.len());
    for (sum, weight, count) in blocks {
        let base = (sum / weight).clamp(ends.0, highest);
        for _ in 0..count {
            places.push(base + offset(places.len()));
        }
    }
    places
}

/// How deep each node lies, and which of the edges count.
fn depths(nodes: usize, edges: &[(usize, usize)]) -> (Vec<usize>, Vec<bool>) {
    let mut kept: Vec<bool> = edges.iter().map(|&(from, to)| from < nodes && to < nodes && from != to).collect();
    let (mut outgoing, mut waiting) = (vec![Vec::new(); nodes], vec![0usize; nodes]);
    for (edge, &(from, to)) in edges.iter().enumerate().filter(|(edge, _)| kept[*edge]) {
        outgoing[from].push(edge);
        waiting[to] += 1;
    }
    let (mut depths, mut done) = (vec![0; nodes], vec![false; nodes]);
    let mut ready: Vec<usize> = (0..nodes).rev().filter(|&node| waiting[node] == 0).collect();
    let mut next = 0;
    loop {
        let Some(node) = ready.pop() else {
            // What remains waits for itself: the first of it waits no longer.
            let Some(cut) = (next..nodes).find(|&node| !done[node]) else { break };
            next = cut;
            for (edge, &(from, to)) in edges.iter().enumerate() {
                kept[edge] &= to != cut || (from < nodes && done[from]);
            }
            ready.push(cut);
            continue;
        };
        done[node] = true;
        for &edge in &outgoing[node] {
            let to = edges[edge].1;
            if done[to] || !kept[edge] {
                continue;
            }
            depths[to] = depths[to].max(depths[node] + 1);
            waiting[to] -= 1;
            if waiting[to] == 0 {
                ready.push(to);
            }
        }
    }
    (depths, kept)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn long_edges_bend_in_each_layer_between() {
        let layers = Layers::new(4, &[(0, 1), (1, 2), (2, 3), (0, 3)]);
        assert_eq!(layers.rows.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2, 2, 1]);
        assert_eq!(layers.routes[3].1.len(), 4);
        assert_eq!(layers.crossings(), 0);
    }

    #[test]
    fn crossings_that_need_not_be_are_not() {
        // Two pairs that cross in the order of their numbers.
        let layers = Layers::new(4, &[(0, 3), (1, 2)]);
        assert_eq!(layers.crossings(), 0);
        // Three and three all joined: nine crossings in any order.
        let edges: Vec<_> = (0..3).flat_map(|from| (3..6).map(move |to| (from, to))).collect();
        assert_eq!(Layers::new(6, &edges).crossings(), 9);
    }

    #[test]
    fn cycles_are_cut() {
        let layers = Layers::new(3, &[(0, 1), (1, 2), (2, 0), (1, 1), (0, 9)]);
        let kept: Vec<usize> = layers.routes.iter().map(|(edge, _)| *edge).collect();
        assert_eq!(kept, [0, 1]);
        assert_eq!(layers.rows.len(), 3);
    }

    proptest! {
        /// Every edge leads down, and nothing in a layer overlaps or leaves the sheet.
        #[test]
        fn layouts_are_sound(nodes in 1usize..40, edges in prop::collection::vec((0usize..40, 0usize..40), 0..90)) {
            let layers = Layers::new(nodes, &edges);
            let mut layer_of = vec![0; layers.above.len()];
            for (layer, row) in layers.rows.iter().enumerate() {
                for &item in row {
                    layer_of[item] = layer;
                }
            }
            prop_assert_eq!(layers.rows.iter().map(Vec::len).sum::<usize>(), layers.above.len());
            for (edge, route) in &layers.routes {
                prop_assert_eq!((route[0], route[route.len() - 1]), edges[*edge]);
                prop_assert!(route.windows(2).all(|pair| layer_of[pair[1]] == layer_of[pair[0]] + 1));
            }
            if edges.iter().all(|(from, to)| from < to && *to < nodes) {
                prop_assert_eq!(layers.routes.len(), edges.len());
            }
            let width_of = |item: usize| if layers.is_bend(item) { 4.0 } else { 20.0 };
            let room = 900.0;
            let shrink = (room / layers.width(width_of, 10.0)).min(1.0);
            let places = layers.places(width_of, 10.0, room);
            for row in &layers.rows {
                for pair in row.windows(2) {
                    let apart = (f64::midpoint(width_of(pair[0]), width_of(pair[1])) + 10.0) * shrink;
                    prop_assert!(places[pair[1]] - places[pair[0]] >= apart - 1e-6);
                }
                for &item in row {
                    let half = width_of(item) / 2.0 * shrink;
                    prop_assert!(places[item] >= half - 1e-6 && places[item] <= room - half + 1e-6);
                }
            }
        }
    }
}
