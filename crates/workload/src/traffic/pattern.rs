//! Who sends to whom.

use rand::RngExt;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::KeyError;
use hetsim_base::engine::Streams;
use hetsim_base::units::defaults::count;

hetsim_base::registry! {
    /// Who sends to whom. Nobody sends to itself.
    pub enum Pattern by "kind" {
        "random" => Random(Random): "So many messages, each between two different nodes drawn with equal chances.",
        "incast" => Incast(Incast): "All nodes send to one.",
        "outcast" => Outcast(Outcast): "One node sends to all others: a flood.",
        "all_to_all" => AllToAll(Plain): "Every node sends to every other one, first to the next, then to the next but one.",
        "ring" => Ring(Ring): "Every node sends to the one so many places on.",
        "pairs" => Pairs(Plain): "Every node sends to the one half of all nodes away: all cross the middle.",
        "permutation" => Permutation(Plain): "Every node sends to one and gets from one, by a drawn cycle through all.",
        "bit_reversal" => BitReversal(Plain): "Every node sends to the one whose number has the same bits in reverse.",
        "transpose" => Transpose(Plain): "Nodes as a square, row by row: each sends to its mirror image at the diagonal.",
    }
}

/// A pattern without keys of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plain {}

/// `kind = "random"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Random {
    /// The number of messages.
    #[schemars(range(min = 1))]
    pub messages: u32,
}

/// `kind = "incast"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Incast {
    /// The number of the node that all send to.
    #[serde(default)]
    pub to: u32,
}

/// `kind = "outcast"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Outcast {
    /// The number of the node that sends to all.
    #[serde(default)]
    pub from: u32,
}

/// `kind = "ring"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ring {
    /// The distance from the sender's number to the receiver's.
    #[serde(default = "count::<1>")]
    #[schemars(range(min = 1))]
    pub shift: u32,
}

impl Pattern {
    /// How many messages a round has on so many nodes, at most.
    pub(super) fn most(&self, nodes: u32) -> u64 {
        match self {
            Self::Random(random) => u64::from(random.messages),
            Self::AllToAll(_) => u64::from(nodes) * u64::from(nodes - 1),
            Self::Incast(_)
            | Self::Outcast(_)
            | Self::Ring(_)
            | Self::Pairs(_)
            | Self::Permutation(_)
            | Self::BitReversal(_)
            | Self::Transpose(_) => u64::from(nodes),
        }
    }

    /// Says what is wrong with it on so many nodes.
    pub(super) fn check(&self, nodes: u32) -> Result<(), KeyError> {
        let fault = |key: &str, message: String| Err(KeyError { key: format!("pattern.{key}"), message });
        if nodes < 2 {
            return fault("kind", "messages need at least two nodes".to_owned());
        }
        match self {
            Self::Incast(Incast { to: node }) | Self::Outcast(Outcast { from: node }) if *node >= nodes => {
                let key = if matches!(self, Self::Incast(_)) { "to" } else { "from" };
                fault(key, format!("there is no node {node}: they are 0 to {}", nodes - 1))
            }
            Self::Ring(Ring { shift }) if shift % nodes == 0 => {
                fault("shift", format!("{shift} places on is each of the {nodes} nodes itself"))
            }
            Self::Pairs(_) if nodes % 2 == 1 => {
                fault("kind", format!("`pairs` needs an even number of nodes, not {nodes}"))
            }
            Self::BitReversal(_) if !nodes.is_power_of_two() || nodes < 4 => {
                fault("kind", format!("`bit_reversal` needs a power of two of nodes from 4 on, not {nodes}"))
            }
            Self::Transpose(_) if nodes.isqrt().pow(2) != nodes => {
                fault("kind", format!("`transpose` needs a square number of nodes, not {nodes}"))
            }
            _ => Ok(()),
        }
    }

    /// Calls `send` with the sender and the receiver of each message of a round, in order, on so many nodes, with which
    /// the pattern has been [checked](Self::check). Draws are told apart by the number of the round and of the message.
    pub(super) fn each(&self, nodes: u32, round: u32, streams: &Streams, mut send: impl FnMut(u32, u32)) {
        let mut by = |to: &dyn Fn(u32) -> u32| {
            let different = (0..nodes).map(|from| (from, to(from))).filter(|(from, to)| from != to);
            different.for_each(|(from, to)| send(from, to));
        };
        let shifted = |from: u32, shift: u32| ((u64::from(from) + u64::from(shift)) % u64::from(nodes)) as u32;
        match self {
            Self::Random(Random { messages }) => {
                for message in 0..u64::from(*messages) {
                    let number = u64::from(round) * u64::from(*messages) + message;
                    let mut stream = streams.stream("pair", number);
                    let (from, other) = (stream.random_range(0..nodes), stream.random_range(0..nodes - 1));
                    send(from, other + u32::from(other >= from));
                }
            }
            Self::Incast(Incast { to }) => by(&|_| *to),
            Self::Outcast(Outcast { from }) => (0..nodes).filter(|to| to != from).for_each(|to| send(*from, to)),
            Self::AllToAll(_) => (1..nodes).for_each(|shift| by(&|from| shifted(from, shift))),
            Self::Ring(Ring { shift }) => by(&|from| shifted(from, *shift)),
            Self::Pairs(_) => by(&|from| shifted(from, nodes / 2)),
            Self::Permutation(_) => {
                let next = cycle(nodes, round, streams);
                by(&|from| next[from as usize]);
            }
            Self::BitReversal(_) => by(&|from| from.reverse_bits() >> (u32::BITS - nodes.ilog2())),
            Self::Transpose(_) => {
                let side = nodes.isqrt();
                by(&|from| from % side * side + from / side);
            }
        }
    }
}

/// Every node's next one on a cycle through all of them, each cycle with the same chance (Sattolo, "An algorithm to
/// generate a random cyclic permutation", Information Processing Letters 22, 1986).
fn cycle(nodes: u32, round: u32, streams: &Streams) -> Vec<u32> {
    let mut stream = streams.stream("permutation", u64::from(round));
    let mut next: Vec<u32> = (0..nodes).collect();
    for place in (1..nodes as usize).rev() {
        next.swap(place, stream.random_range(0..place));
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(pattern: &Pattern, nodes: u32) -> Vec<(u32, u32)> {
        pattern.check(nodes).unwrap();
        let mut pairs = Vec::new();
        pattern.each(nodes, 0, &Streams::new(1, 0), |from, to| pairs.push((from, to)));
        assert!(pairs.len() as u64 <= pattern.most(nodes));
        assert!(pairs.iter().all(|&(from, to)| from != to && from < nodes && to < nodes), "{pattern:?}: {pairs:?}");
        pairs
    }

    #[test]
    fn small_patterns_by_hand() {
        assert_eq!(pairs(&Pattern::Incast(Incast { to: 1 }), 3), [(0, 1), (2, 1)]);
        assert_eq!(pairs(&Pattern::Outcast(Outcast { from: 1 }), 3), [(1, 0), (1, 2)]);
        assert_eq!(
            pairs(&Pattern::AllToAll(Plain {}), 3),
            [(0, 1), (1, 2), (2, 0), (0, 2), (1, 0), (2, 1)],
            "each node sends once before any sends twice"
        );
        assert_eq!(pairs(&Pattern::Ring(Ring { shift: 5 }), 3), [(0, 2), (1, 0), (2, 1)]);
        assert_eq!(pairs(&Pattern::Pairs(Plain {}), 4), [(0, 2), (1, 3), (2, 0), (3, 1)]);
        // 001 and 100, 011 and 110; 000, 010, 101 and 111 are their own reverse.
        assert_eq!(pairs(&Pattern::BitReversal(Plain {}), 8), [(1, 4), (3, 6), (4, 1), (6, 3)]);
        assert_eq!(pairs(&Pattern::Transpose(Plain {}), 4), [(1, 2), (2, 1)]);
    }

    #[test]
    fn a_permutation_is_one_cycle_through_all() {
        for nodes in [2, 3, 10, 1000] {
            let pairs = pairs(&Pattern::Permutation(Plain {}), nodes);
            let mut at = 0;
            let length = (1..=nodes).find(|_| {
                at = pairs[at as usize].1;
                at == 0
            });
            assert_eq!(length, Some(nodes));
        }
    }

    /// 60 000 messages over 3 nodes: each of the 6 pairs has its tenth of thousands, by five standard deviations of 91.
    #[test]
    fn random_pairs_have_equal_chances() {
        let all = pairs(&Pattern::Random(Random { messages: 60_000 }), 3);
        for pair in [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)] {
            let count = all.iter().filter(|&&other| other == pair).count();
            assert!(count.abs_diff(10_000) < 460, "{pair:?}: {count}");
        }
    }

    #[test]
    fn patterns_that_do_not_fit_are_refused() {
        for (pattern, nodes, key) in [
            (Pattern::AllToAll(Plain {}), 1, "pattern.kind"),
            (Pattern::Incast(Incast { to: 4 }), 4, "pattern.to"),
            (Pattern::Outcast(Outcast { from: 4 }), 4, "pattern.from"),
            (Pattern::Ring(Ring { shift: 8 }), 4, "pattern.shift"),
            (Pattern::Pairs(Plain {}), 5, "pattern.kind"),
            (Pattern::BitReversal(Plain {}), 6, "pattern.kind"),
            (Pattern::Transpose(Plain {}), 8, "pattern.kind"),
        ] {
            assert_eq!(pattern.check(nodes).map_err(|error| error.key), Err(key.to_owned()), "{pattern:?}");
        }
    }
}
