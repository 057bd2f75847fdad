//! Where the ranks of a cluster are: which core of a node each takes.

use super::ranks::EqualNodes;

/// The places for ranks on a node: the cores that ranks take on some node, and further ones where these would not fill
/// the groups of the node evenly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Places {
    pub(crate) count: u32,
    /// The number of parts of the node to which ranks go in turn.
    pub(crate) parts: u32,
    /// The cores of such a part, and of a processor.
    pub(crate) cores_of_part: u32,
    pub(crate) cores_of_socket: Option<u32>,
}

impl Default for Places {
    /// One rank on each node.
    fn default() -> Self {
        Self { count: 1, parts: 1, cores_of_part: 1, cores_of_socket: None }
    }
}

/// The ranks of a cluster on the places of its nodes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seating {
    /// The places that have a rank, numbered over all nodes, in rising order; empty if none before the last is empty.
    pub(crate) places: Vec<u32>,
    /// For each rank in the order of their numbers, which of these places it has; empty if that is the order of places.
    pub(crate) order: Vec<u32>,
}

impl Places {
    /// The place of a node's rank.
    const fn of_rank(self, rank: u32) -> u32 {
        rank % self.parts * (self.count / self.parts) + rank / self.parts
    }

    /// The processor of a node that a place is on.
    pub(crate) fn socket(self, place: u32) -> u32 {
        let of_part = self.count / self.parts;
        let core = place / of_part * self.cores_of_part + place % of_part;
        self.cores_of_socket.map_or(0, |cores| core / cores)
    }
}

impl Seating {
    /// Seats the ranks of some nodes, which go to each node in turn, or else node after node. The nodes have these places
    /// among those of the machine, or the first ones if none are given.
    pub(crate) fn new(runs: &[EqualNodes], places: Places, nodes_in_turn: bool, allocated: &[u32]) -> Self {
        let Places { count, parts, .. } = places;
        let is_full = runs.iter().all(|run| run.ranks == count);
        let is_dealt = nodes_in_turn && count > 1 || parts > 1 && parts < count;
        if is_full && !is_dealt && allocated.is_empty() {
            return Self::default();
        }
        let nodes = runs.iter().flat_map(|run| std::iter::repeat_n(run.ranks, run.nodes as usize));
        let first = |node: usize| allocated.get(node).map_or(node as u32, |at| *at) * count;
        let nodes: Vec<(u32, u32)> = nodes.zip(0..).map(|(ranks, node)| (first(node), ranks)).collect();
        let dealt: Vec<u32> = if nodes_in_turn {
            in_turn(nodes)
        } else {
            nodes
                .into_iter()
                .flat_map(|(first, ranks)| (0..ranks).map(move |rank| first + places.of_rank(rank)))
                .collect()
        };
        let mut taken = dealt.clone();
        taken.sort_unstable();
        let mut order = Vec::new();
        if !dealt.is_sorted() {
            order = dealt.iter().map(|place| taken.partition_point(|other| other < place) as u32).collect();
        }
        let has_gaps = taken.last().is_some_and(|last| *last as usize >= taken.len());
        Self { places: if has_gaps { taken } else { Vec::new() }, order }
    }
}

/// The places of ranks that go to nodes in turn, to each as many as it takes: the node's first place, and its ranks.
fn in_turn(mut nodes: Vec<(u32, u32)>) -> Vec<u32> {
    let mut dealt = Vec::new();
    for round in 0.. {
        nodes.retain(|(_, ranks)| *ranks > round);
        if nodes.is_empty() {
            break;
        }
        dealt.extend(nodes.iter().map(|(first, _)| first + round));
    }
    dealt
}
