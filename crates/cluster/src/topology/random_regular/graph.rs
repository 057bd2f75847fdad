//! A connected random regular graph with the distances between its points.

use std::ops::Range;

use rand::RngExt;

use hetsim_base::engine::{Stream, Streams};

/// Swaps tried per edge before the graph counts as random. Each edge is thus drawn about forty times; by then all small
/// graphs are equally likely, as a test below shows.
const SWAPS_PER_EDGE: usize = 20;

/// Point numbers are below 4096, and no edge is duplicated.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Graph {
    degree: usize,
    /// The lower and the higher point of each edge, in ascending order.
    edges: Box<[(u16, u16)]>,
    /// The neighbours of each point, in ascending order.
    neighbours: Box<[u16]>,
    /// The distance from each point to each other, by the target.
    distances: Box<[u16]>,
}

impl Graph {
    /// A graph drawn from `seed`. The degree must be below the number of points, their product even, and the degree 1
    /// only for two points.
    pub(super) fn draw(points: u32, degree: u32, seed: u64) -> Self {
        let (points, degree) = (points as usize, degree as usize);
        let mut stream = Streams::new(seed, 0).stream("random_regular", 0);
        let mut edges = Edges::circle(points, degree);
        loop {
            edges.shuffle(&mut stream);
            let neighbours = edges.neighbours(degree);
            // Regular graphs of degree 3 and more are hardly ever disconnected, and those of degree 2 often enough
            // connected.
            if let Some(distances) = distances(points, degree, &neighbours) {
                edges.list.sort_unstable();
                return Self { degree, edges: edges.list.into(), neighbours, distances };
            }
        }
    }

    fn points(&self) -> usize {
        self.neighbours.len() / self.degree
    }

    /// The next point from `at` on a shortest path to another point; `pick` chooses among several.
    pub(super) fn next(&self, at: u32, to: u32, pick: u32) -> u32 {
        let row = &self.distances[to as usize * self.points()..];
        let closer = self.neighbours[row_of(at as usize, self.degree)]
            .iter()
            .filter(|&&neighbour| row[usize::from(neighbour)] < row[at as usize]);
        let place = pick as usize % closer.clone().count().max(1);
        // A connected graph has a closer neighbour.
        closer.clone().nth(place).map_or(to, |&next| next.into())
    }

    /// The number of the edge between two neighbours.
    pub(super) fn edge(&self, a: u32, b: u32) -> u32 {
        let edge = (a.min(b) as u16, a.max(b) as u16);
        self.edges.partition_point(|&other| other < edge) as u32
    }

    /// The lower and the higher point of an edge.
    pub(super) fn joined(&self, edge: u32) -> (u32, u32) {
        let (low, high) = self.edges[edge as usize];
        (low.into(), high.into())
    }

    /// Its size in bytes.
    #[cfg(test)]
    pub(super) fn heap(&self) -> usize {
        size_of_val(&*self.edges) + size_of_val(&*self.neighbours) + size_of_val(&*self.distances)
    }
}

/// The row of a point in a table with rows of `width`.
const fn row_of(point: usize, width: usize) -> Range<usize> {
    point * width..(point + 1) * width
}

/// A graph while it is drawn.
struct Edges {
    points: usize,
    list: Vec<(u16, u16)>,
    /// Whether two points are connected: a bit for each ordered pair.
    joined: Vec<u64>,
}

impl Edges {
    /// Points on a circle, each connected to the nearest ones and, if the degree is odd, to the opposite one.
    fn circle(points: usize, degree: usize) -> Self {
        let near = (0..points).flat_map(|from| (1..=degree / 2).map(move |step| (from, (from + step) % points)));
        let opposite = (0..points / 2 * (degree % 2)).map(|from| (from, from + points / 2));
        let list: Vec<_> = near.chain(opposite).map(|(a, b)| (a.min(b) as u16, a.max(b) as u16)).collect();
        let mut edges = Self { points, list: Vec::new(), joined: vec![0; (points * points).div_ceil(64)] };
        for &edge in &list {
            edges.flip(edge);
        }
        Self { list, ..edges }
    }

    fn bit(&self, a: u16, b: u16) -> (usize, u64) {
        let bit = usize::from(a) * self.points + usize::from(b);
        (bit / 64, 1 << (bit % 64))
    }

    fn are_joined(&self, a: u16, b: u16) -> bool {
        let (word, bit) = self.bit(a, b);
        self.joined[word] & bit != 0
    }

    /// Adds or removes the edge between two points.
    fn flip(&mut self, (a, b): (u16, u16)) {
        for (word, bit) in [self.bit(a, b), self.bit(b, a)] {
            self.joined[word] ^= bit;
        }
    }

    /// Swaps the ends of random pairs of edges, unless that duplicates an edge or connects a point to itself: a walk
    /// over the simple graphs of these degrees with symmetric steps, so that in the long run all are equally likely
    /// (Cooper, Dyer and Greenhill, Combinatorics, Probability and Computing 16, 2007).
    fn shuffle(&mut self, stream: &mut Stream) {
        let count = self.list.len();
        for _ in 0..SWAPS_PER_EDGE * count {
            let (first, second) = (stream.random_range(0..count), stream.random_range(0..count));
            let ((a, b), (mut c, mut d)) = (self.list[first], self.list[second]);
            if stream.random() {
                (c, d) = (d, c);
            }
            if a == d || c == b || self.are_joined(a, d) || self.are_joined(c, b) {
                continue;
            }
            let made = [(a.min(d), a.max(d)), (b.min(c), b.max(c))];
            for edge in [self.list[first], self.list[second], made[0], made[1]] {
                self.flip(edge);
            }
            (self.list[first], self.list[second]) = (made[0], made[1]);
        }
    }

    fn neighbours(&self, degree: usize) -> Box<[u16]> {
        let mut neighbours = vec![0; self.points * degree];
        let mut found = vec![0; self.points];
        for (from, to) in self.list.iter().flat_map(|&(a, b)| [(a, b), (b, a)]) {
            let from = usize::from(from);
            neighbours[from * degree + found[from]] = to;
            found[from] += 1;
        }
        neighbours.chunks_mut(degree).for_each(<[u16]>::sort_unstable);
        neighbours.into()
    }
}

/// The distance from each point to each other; `None` if the graph is disconnected.
fn distances(points: usize, degree: usize, neighbours: &[u16]) -> Option<Box<[u16]>> {
    const FAR: u16 = u16::MAX;
    let mut distances = vec![FAR; points * points];
    let mut reached = Vec::with_capacity(points);
    for (target, row) in distances.chunks_mut(points).enumerate() {
        row[target] = 0;
        reached.clear();
        reached.push(target);
        let mut next = 0;
        // The search ends as soon as all points are reached: in a dense graph long before all edges have been seen.
        while reached.len() < points {
            let &at = reached.get(next)?;
            next += 1;
            for neighbour in neighbours[row_of(at, degree)].iter().map(|&neighbour| usize::from(neighbour)) {
                if row[neighbour] == FAR {
                    row[neighbour] = row[at] + 1;
                    reached.push(neighbour);
                }
            }
        }
    }
    Some(distances.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All 70 labelled cubic graphs on six points are connected: 60 prisms and 10 of K₃,₃ (e.g. Wormald's counts, OEIS
    /// A002829). Each should be drawn equally often.
    #[test]
    fn all_graphs_are_equally_likely() {
        let mut counts = std::collections::HashMap::new();
        let draws = 14_000;
        for seed in 0..draws {
            *counts.entry(Graph::draw(6, 3, seed).edges).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 70);
        let expected = draws as f64 / 70.0;
        let chi_square: f64 = counts.values().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
        // The 99.9 % point of χ² with 69 degrees of freedom.
        assert!(chi_square < 111.1, "{chi_square}");
    }

    #[test]
    fn a_circle_is_whole_and_the_complete_graph_stays() {
        let circle = Graph::draw(500, 2, 3);
        assert_eq!(circle.distances[..500].iter().max(), Some(&250));
        let complete = Graph::draw(9, 8, 0);
        assert_eq!(complete.edges.len(), 36);
        assert_eq!(complete.distances.iter().map(|&steps| u32::from(steps)).sum::<u32>(), 72);
    }

    // Jellyfish's point: a random regular graph is nearly as short as possible. The Moore bound lets a point of degree
    // r reach r (r − 1)^(k − 1) others in k steps.
    #[test]
    fn paths_are_short() {
        let graph = Graph::draw(400, 7, 1);
        let mean = graph.distances.iter().map(|&steps| f64::from(steps)).sum::<f64>() / (400.0 * 399.0);
        // 7 in one step, 42 in two, 252 in three, the other 98 in four.
        let bound = (7.0 + 2.0 * 42.0 + 3.0 * 252.0 + 4.0 * 98.0) / 399.0;
        assert!(mean >= bound && mean < 1.12 * bound, "{mean} where {bound} is the least");
    }
}
