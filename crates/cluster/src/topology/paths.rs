//! Paths between named points: given routes, or shortest paths over them.

mod simgrid;

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;

use thiserror::Error;

/// The maximum number of points for a search: the table of next steps then takes 16 MiB.
pub const MOST_SEARCHED: u32 = 2048;

/// A given route, in one direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// The start.
    pub from: u32,
    /// The end; may equal the start, for messages of a point to itself.
    pub to: u32,
    /// The cost, zero or more; a path adds up the costs of its edges. It is the latency in seconds for
    /// [`Choose::LeastLatency`], the number of links (or 1) for the other searches.
    pub cost: f64,
}

hetsim_base::registry::names! {
    /// How the path from one point to another is chosen.
    "way to choose a path": Choose {
        #[default]
        Given "given" = "only a route that is given for the two points",
        FewestLinks "fewest_links" = "the given routes, one after the other, with the fewest links",
        SimgridFloyd "simgrid_floyd" = "as `fewest_links`; of equal paths that of SimGrid's routing Floyd",
        SimgridDijkstra "simgrid_dijkstra" = "as `fewest_links`; of equal paths that of SimGrid's routing Dijkstra",
        LeastLatency "least_latency" = "the given routes, one after the other, of the least latency",
    }
}

/// Why paths cannot be built.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PathsError {
    /// Two routes have the same ends.
    #[error("the route from point {from} to point {to} is given twice")]
    GivenTwice {
        /// The common start.
        from: u32,
        /// The common end.
        to: u32,
    },
    /// An edge ends at a point that does not exist.
    #[error("a route has an end at point {point}, but there are {points} points")]
    NoSuchPoint {
        /// The end.
        point: u32,
        /// The number of points.
        points: u32,
    },
    /// A route uses a link that does not exist.
    #[error("a route uses link {link}, but there are {links} links")]
    NoSuchLink {
        /// The number of the link.
        link: u32,
        /// The number of links.
        links: usize,
    },
    /// The cost of a route is negative or not finite.
    #[error("the route from point {from} to point {to} has a cost of {cost}; it must be zero or more, and finite")]
    Cost {
        /// The start.
        from: u32,
        /// The end.
        to: u32,
        /// Its cost.
        cost: f64,
    },
    /// A search would need too large a table.
    #[error("there are {points} points; paths are searched among at most {MOST_SEARCHED}")]
    TooManyPoints {
        /// The number of points.
        points: u32,
    },
}

/// The paths between points.
#[derive(Debug, Clone, PartialEq)]
pub struct Paths {
    table: PathTable,
}

#[derive(Debug, Clone, PartialEq)]
enum PathTable {
    /// The edges, sorted by their ends.
    Given(Box<[GivenEdge]>),
    /// For each target, from each point: the next edge and the point to which it leads.
    Searched { points: u32, steps: Box<[Option<PathStep>]> },
    /// From each point, to each other: the last edge and the point at which it starts.
    Followed { points: u32, steps: Box<[Option<PathStep>]> },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct GivenEdge {
    ends: (u32, u32),
    edge: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PathStep {
    edge: u32,
    /// The other end of the edge, one of at most [`MOST_SEARCHED`] points.
    to: u16,
}

impl Paths {
    /// The paths over `edges` among `points` points.
    ///
    /// A search finds a path of the least cost; among equal ones, a path with the fewest edges; and among these the one
    /// whose next edge comes first in `edges`. [`Choose::SimgridFloyd`] and [`Choose::SimgridDijkstra`] have rules of
    /// their own, which depend on the order of points and edges. A route given for the two points is a path like any
    /// other.
    ///
    /// # Errors
    /// If a pair is given twice, an end does not exist, a cost is negative or not a number, or a search has more than
    /// [`MOST_SEARCHED`] points.
    pub fn new(points: u32, edges: &[Edge], choose: Choose) -> Result<Self, PathsError> {
        let mut given = Vec::with_capacity(edges.len());
        for (number, &Edge { from, to, cost }) in (0..).zip(edges) {
            let point = from.max(to);
            if point >= points {
                return Err(PathsError::NoSuchPoint { point, points });
            }
            if !(cost >= 0.0 && cost.is_finite()) {
                return Err(PathsError::Cost { from, to, cost });
            }
            given.push(GivenEdge { ends: (from, to), edge: number });
        }
        given.sort_unstable();
        if let Some(&[GivenEdge { ends: (from, to), .. }, _]) = given.array_windows().find(|[a, b]| a.ends == b.ends) {
            return Err(PathsError::GivenTwice { from, to });
        }
        if choose == Choose::Given {
            return Ok(Self { table: PathTable::Given(given.into()) });
        }
        if points > MOST_SEARCHED {
            return Err(PathsError::TooManyPoints { points });
        }
        let table = match choose {
            Choose::SimgridFloyd => PathTable::Followed { points, steps: simgrid::floyd(points, edges) },
            Choose::SimgridDijkstra => PathTable::Followed { points, steps: simgrid::dijkstra(points, edges) },
            _ => PathTable::Searched { points, steps: search(points, edges) },
        };
        Ok(Self { table })
    }

    /// Appends the numbers of the edges from one point to another, in order. Returns false, and appends nothing, if
    /// there is no path. From a point to itself the path is the edge given for it, or empty; it is always empty under
    /// SimGrid's choices, whose searches ignore such edges.
    pub fn append(&self, from: u32, to: u32, edges: &mut Vec<u32>) -> bool {
        if from == to && matches!(self.table, PathTable::Followed { .. }) {
            // The search tables may contain a cycle back to the point.
            return true;
        }
        let Some(first) = self.step(from, to) else { return from == to };
        let start = edges.len();
        edges.push(first.0);
        // Forwards along the path, or backwards if the table holds last steps.
        let is_back = matches!(self.table, PathTable::Followed { .. });
        let (mut at, end) = (first.1, if is_back { from } else { to });
        while at != end {
            // The next step of an existing path.
            let Some((edge, next)) = (if is_back { self.step(from, at) } else { self.step(at, to) }) else {
                return false;
            };
            edges.push(edge);
            at = next;
        }
        if is_back {
            edges[start..].reverse();
        }
        true
    }

    /// The first edge of a path and the point to which it leads, or the last edge and the point at which it starts.
    fn step(&self, from: u32, to: u32) -> Option<(u32, u32)> {
        let (steps, place) = match &self.table {
            PathTable::Given(given) => {
                let place = given.binary_search_by_key(&(from, to), |given| given.ends).ok()?;
                return Some((given[place].edge, to));
            }
            PathTable::Searched { points, steps } => (steps, to as usize * *points as usize + from as usize),
            PathTable::Followed { points, steps } => (steps, from as usize * *points as usize + to as usize),
        };
        steps[place].map(|step| (step.edge, step.to.into()))
    }

    /// The first pair of these points, by the start and then the end, without a path.
    #[must_use]
    pub fn missing(&self, among: Range<u32>) -> Option<(u32, u32)> {
        among
            .clone()
            .flat_map(|from| among.clone().map(move |to| (from, to)))
            .find(|&(from, to)| from != to && self.step(from, to).is_none())
    }
}

/// The best known path from a point to the target.
#[derive(Debug, Clone, Copy, PartialEq)]
struct PartialPath {
    cost: f64,
    edges: u32,
    /// The first edge.
    first: u32,
}

impl PartialPath {
    fn order(&self, other: &Self) -> Ordering {
        let by_length = self.cost.total_cmp(&other.cost).then(self.edges.cmp(&other.edges));
        by_length.then(self.first.cmp(&other.first))
    }
}

/// A point with a path, in a heap: the best path is the greatest.
#[derive(Debug, Clone, Copy)]
struct Reached {
    path: PartialPath,
    point: u32,
}

impl Ord for Reached {
    fn cmp(&self, other: &Self) -> Ordering {
        other.path.order(&self.path).then(other.point.cmp(&self.point))
    }
}

impl PartialOrd for Reached {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Reached {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Reached {}

/// The next steps to every target, by Dijkstra's algorithm against the direction of the edges.
fn search(points: u32, edges: &[Edge]) -> Box<[Option<PathStep>]> {
    let mut into = vec![Vec::new(); points as usize];
    for (number, edge) in (0u32..).zip(edges) {
        into[edge.to as usize].push((number, *edge));
    }
    let mut steps = vec![None; points as usize * points as usize];
    for (target, row) in (0..points).zip(steps.chunks_mut(points.max(1) as usize)) {
        to_target(target, &into, row);
        let own = into[target as usize].iter().find(|(_, edge)| edge.from == target);
        row[target as usize] = own.map(|&(edge, _)| PathStep { edge, to: target as u16 });
    }
    steps.into()
}

/// The next steps to one target; `into` holds the edges that end at each point.
fn to_target(target: u32, into: &[Vec<(u32, Edge)>], row: &mut [Option<PathStep>]) {
    let start = PartialPath { cost: 0.0, edges: 0, first: 0 };
    let mut known_paths: Vec<Option<PartialPath>> = vec![None; row.len()];
    known_paths[target as usize] = Some(start);
    let mut heap = BinaryHeap::from([Reached { path: start, point: target }]);
    while let Some(Reached { path, point }) = heap.pop() {
        if known_paths[point as usize] != Some(path) {
            continue;
        }
        for &(number, edge) in &into[point as usize] {
            let longer = PartialPath { cost: path.cost + edge.cost, edges: path.edges + 1, first: number };
            // A longer path has more edges even if it costs nothing, so a finished point never changes.
            if known_paths[edge.from as usize].is_none_or(|known| longer.order(&known).is_lt()) {
                known_paths[edge.from as usize] = Some(longer);
                row[edge.from as usize] = Some(PathStep { edge: number, to: point as u16 });
                heap.push(Reached { path: longer, point: edge.from });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn edge(from: u32, to: u32, cost: f64) -> Edge {
        Edge { from, to, cost }
    }

    fn path(paths: &Paths, from: u32, to: u32) -> Option<Vec<u32>> {
        let mut edges = Vec::new();
        paths.append(from, to, &mut edges).then_some(edges)
    }

    #[test]
    fn only_what_is_given_is_given() {
        let edges = [edge(0, 1, 1.0), edge(1, 2, 1.0), edge(2, 2, 1.0)];
        let paths = Paths::new(3, &edges, Choose::Given).unwrap();
        assert_eq!([(0, 1), (1, 0), (0, 2)].map(|(from, to)| path(&paths, from, to)), [Some(vec![0]), None, None]);
        assert_eq!((path(&paths, 0, 0), path(&paths, 2, 2)), (Some(vec![]), Some(vec![2])));
        assert_eq!((paths.missing(0..3), paths.missing(1..2)), (Some((0, 2)), None));
        let paths = Paths::new(3, &edges, Choose::FewestLinks).unwrap();
        assert_eq!(
            (path(&paths, 0, 2), path(&paths, 2, 2), path(&paths, 1, 1)),
            (Some(vec![0, 1]), Some(vec![2]), Some(vec![]))
        );
        assert_eq!(paths.missing(0..3), Some((1, 0)));
    }

    #[test]
    fn a_given_route_is_one_of_many() {
        // The direct path costs 5, the indirect one 4.
        let edges = [edge(0, 2, 5.0), edge(0, 1, 2.0), edge(1, 2, 2.0), edge(1, 0, 1.0)];
        let choose = |choose| path(&Paths::new(3, &edges, choose).unwrap(), 0, 2);
        assert_eq!((choose(Choose::Given), choose(Choose::LeastLatency)), (Some(vec![0]), Some(vec![1, 2])));
        // Among equal paths, the one with the fewest edges; among these, the one whose first edge is listed first.
        let equal = [edge(0, 1, 1.0), edge(1, 3, 1.0), edge(0, 2, 1.0), edge(2, 3, 1.0), edge(0, 3, 2.0)];
        assert_eq!(path(&Paths::new(4, &equal, Choose::LeastLatency).unwrap(), 0, 3), Some(vec![4]));
        assert_eq!(path(&Paths::new(4, &equal[..4], Choose::LeastLatency).unwrap(), 0, 3), Some(vec![0, 1]));
    }

    proptest! {
        // The closed form: the least cost of a path obeys Floyd and Warshall's recurrence. Whole costs add up exactly.
        #[test]
        fn searched_paths_are_walks_of_the_least_cost(
            points in 1u32..9, wanted in prop::collection::btree_map((0u32..9, 0u32..9), 0u32..4, 0..30),
            choose in prop::sample::select(&[Choose::LeastLatency, Choose::SimgridFloyd, Choose::SimgridDijkstra]),
        ) {
            let edges: Vec<Edge> = wanted
                .into_iter()
                .filter(|((from, to), _)| *from < points && *to < points)
                .map(|((from, to), cost)| edge(from, to, cost.into()))
                .collect();
            let paths = Paths::new(points, &edges, choose).unwrap();
            let size = points as usize;
            let mut least = vec![vec![f64::INFINITY; size]; size];
            (0..size).for_each(|point| least[point][point] = 0.0);
            for edge in edges.iter().filter(|edge| edge.from != edge.to) {
                least[edge.from as usize][edge.to as usize] = edge.cost;
            }
            for over in 0..size {
                for from in 0..size {
                    for to in 0..size {
                        least[from][to] = least[from][to].min(least[from][over] + least[over][to]);
                    }
                }
            }
            let all = || (0..points).flat_map(|from| (0..points).map(move |to| (from, to)));
            for (from, to) in all().filter(|(from, to)| from != to) {
                let least = least[from as usize][to as usize];
                match path(&paths, from, to) {
                    None => prop_assert_eq!(least, f64::INFINITY),
                    Some(found) => {
                        let mut at = from;
                        for edge in found.iter().map(|&edge| edges[edge as usize]) {
                            prop_assert_eq!(edge.from, at);
                            at = edge.to;
                        }
                        prop_assert_eq!(at, to);
                        prop_assert_eq!(found.iter().map(|&edge| edges[edge as usize].cost).sum::<f64>(), least);
                    }
                }
            }
            let first = all().find(|&(from, to)| least[from as usize][to as usize] == f64::INFINITY);
            prop_assert_eq!(paths.missing(0..points), first);
        }
    }

    /// Paths of two edges from 0 to 3, over 1 or 2: Floyd uses the lower number, Dijkstra the point that is named
    /// first. The same holds for three edges from 0 to 3, over 1 and 2 or over 4 and 5. An edge to the point itself is
    /// not a path.
    #[test]
    fn simgrid_has_its_own_equal_ways() {
        let pairs = |pairs: &[(u32, u32)]| pairs.iter().map(|&(from, to)| edge(from, to, 1.0)).collect::<Vec<_>>();
        let two = pairs(&[(0, 2), (2, 3), (0, 1), (1, 3), (0, 0)]);
        let known_paths = |points, edges: &[Edge]| {
            [Choose::SimgridFloyd, Choose::SimgridDijkstra].map(|choose| {
                let paths = Paths::new(points, edges, choose).unwrap();
                assert_eq!(path(&paths, 0, 0), Some(vec![]));
                assert_eq!((path(&paths, 3, 0), paths.missing(0..2)), (None, Some((1, 0))));
                path(&paths, 0, 3).unwrap()
            })
        };
        assert_eq!(known_paths(4, &two), [[2, 3], [0, 1]]);
        let three = pairs(&[(0, 4), (4, 5), (5, 3), (0, 2), (2, 1), (1, 3)]);
        assert_eq!(known_paths(6, &three), [[3, 4, 5], [0, 1, 2]]);
        // A shorter path precedes either rule.
        let short = [two.as_slice(), &pairs(&[(0, 3)])].concat();
        assert_eq!(known_paths(4, &short), [[5], [5]]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let new = |points, edges: &[Edge]| Paths::new(points, edges, Choose::FewestLinks).map(|_| ());
        let twice = [edge(0, 1, 1.0), edge(1, 0, 1.0), edge(0, 1, 2.0)];
        assert_eq!(new(2, &twice), Err(PathsError::GivenTwice { from: 0, to: 1 }));
        assert_eq!(new(1, &twice[..1]), Err(PathsError::NoSuchPoint { point: 1, points: 1 }));
        assert_eq!(new(2, &[edge(0, 1, -1.0)]), Err(PathsError::Cost { from: 0, to: 1, cost: -1.0 }));
        assert!(matches!(new(2, &[edge(0, 1, f64::NAN)]), Err(PathsError::Cost { .. })));
        assert_eq!(new(MOST_SEARCHED + 1, &[]), Err(PathsError::TooManyPoints { points: MOST_SEARCHED + 1 }));
        assert_eq!((new(MOST_SEARCHED, &[]), new(0, &[])), (Ok(()), Ok(())));
        assert_eq!(Paths::new(100_000, &[edge(7, 99_999, 0.0)], Choose::Given).unwrap().missing(7..8), None);
    }
}
