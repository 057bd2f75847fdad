//! The names in a file: zones and clusters, hosts and routers, and nodes of clusters without listing them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::Word;
use hetsim_text::Problem;

/// The maximum number of nodes in all clusters together, as elsewhere in hetsim.
pub(super) const MOST_NODES: u64 = 1 << 26;

/// The maximum length in bytes of the name of a host, router or node: each number in it is looked up.
const LONGEST: usize = 1024;

/// A point at which a message can start, end or pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NetPoint {
    /// The zone or cluster of the point.
    pub(super) part: usize,
    /// The kind of the point.
    pub(super) kind: PointKind,
}

/// The kind of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PointKind {
    /// The node with this number.
    Node(u32),
    /// A router among the hosts of a zone.
    Router,
    /// The router of a cluster.
    Exit,
}

/// A range of numbered nodes of a cluster, such as 3 to 7.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Numbers {
    first: u32,
    last: u32,
    part: usize,
    /// The node index of the first of them.
    node: u32,
}

/// The names in a file.
#[derive(Debug, Default)]
pub(super) struct Names<'e> {
    parts: HashMap<&'e str, usize>,
    points: HashMap<String, NetPoint>,
    /// Node ranges by prefix and suffix.
    numbered: HashMap<(&'e str, &'e str), Vec<Numbers>>,
    nodes: u64,
}

impl<'e> Names<'e> {
    /// Registers a zone or a cluster.
    ///
    /// # Errors
    /// The name is already used, or resembles a gateway of hetsim.
    pub(super) fn part(&mut self, id: Word<'e>, part: usize) -> Result<(), Problem> {
        if id.text.contains(':') {
            return Err(
                id.fault("expected no `:` in the name of a zone or cluster: it separates a cluster from its node")
            );
        }
        match self.parts.insert(id.text, part) {
            None => Ok(()),
            Some(_) => Err(id.fault(format!("there are two zones or clusters named {:?}", id.text))),
        }
    }

    /// Registers a host or a router.
    ///
    /// # Errors
    /// The name is already used.
    pub(super) fn point(&mut self, name: String, word: Word<'_>, point: NetPoint) -> Result<(), Problem> {
        if name.len() > LONGEST {
            return Err(word.fault(format!("the name is longer than {LONGEST} bytes")));
        }
        match self.points.entry(name) {
            Entry::Vacant(place) => {
                place.insert(point);
                Ok(())
            }
            Entry::Occupied(place) => {
                Err(word.fault(format!("there are two hosts or routers named {:?}", place.key())))
            }
        }
    }

    /// Registers the router of a cluster at the attribute that names it.
    ///
    /// # Errors
    /// A host or router already has that name.
    pub(super) fn exit(&mut self, name: String, word: Word<'_>, part: usize) -> Result<(), Problem> {
        self.point(name, word, NetPoint { part, kind: PointKind::Exit })
    }

    /// Counts nodes.
    ///
    /// # Errors
    /// There are too many nodes.
    pub(super) fn count(&mut self, nodes: u64, word: Word<'_>) -> Result<(), Problem> {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes > MOST_NODES {
            return Err(word.fault(format!("there are more than {MOST_NODES} nodes")));
        }
        Ok(())
    }

    /// Registers the nodes of a cluster: `prefix`, each number of `radical`, `suffix`. Returns their number.
    ///
    /// # Errors
    /// `radical` is not a list of numbers and ranges, has too many, or repeats one.
    pub(super) fn nodes(
        &mut self,
        (prefix, suffix): (&'e str, &'e str),
        radical: Word<'e>,
        part: usize,
    ) -> Result<u32, Problem> {
        if prefix.len() + suffix.len() + 10 > LONGEST {
            return Err(radical.fault(format!("the names of nodes have more than {LONGEST} bytes")));
        }
        let mut node = 0u64;
        for group in radical.text.split(',') {
            let (first, last) = radical.parse(|_| range(group))?;
            let count = u64::from(last - first) + 1;
            self.count(count, radical)?;
            let numbers = Numbers { first, last, part, node: node as u32 };
            self.numbered.entry((prefix, suffix)).or_default().push(numbers);
            node += count;
        }
        // `count` has checked the maximum.
        Ok(node as u32)
    }

    /// Sorts the nodes of clusters after the last of them.
    ///
    /// # Errors
    /// The index of a part with a node whose name is already used, and a sentence.
    pub(super) fn seal(&mut self) -> Result<(), (usize, String)> {
        for ((prefix, suffix), all) in &mut self.numbered {
            all.sort_unstable();
            if let Some(two) = all.windows(2).find(|two| two[1].first <= two[0].last) {
                let number = two[1].first;
                return Err((two[1].part, format!("there are two nodes named \"{prefix}{number}{suffix}\"")));
            }
        }
        let taken = self.points.iter().filter_map(|(name, point)| Some((name, point.part, self.node(name)?)));
        match taken.min() {
            Some((name, part, _)) => Err((part, format!("{name:?} is also the name of a node of a cluster"))),
            None => Ok(()),
        }
    }

    /// The zone or cluster with this name.
    ///
    /// # Errors
    /// There is none.
    pub(super) fn find_part(&self, name: Word<'_>) -> Result<usize, Problem> {
        self.parts.get(name.text).copied().ok_or_else(|| {
            let message = format!("there is no zone or cluster {:?}", name.text);
            name.fault(message).with_near(name.text, self.parts.keys().copied())
        })
    }

    /// The host, router or node with this name.
    ///
    /// # Errors
    /// There is none.
    pub(super) fn find_point(&self, name: Word<'_>) -> Result<NetPoint, Problem> {
        self.look_up(name.text).ok_or_else(|| {
            let message = format!("there is no host or router {:?}", name.text);
            name.fault(message).with_near(name.text, self.points.keys().map(String::as_str))
        })
    }

    /// The host, router or node with this name, if there is one.
    pub(super) fn look_up(&self, name: &str) -> Option<NetPoint> {
        self.points.get(name).copied().or_else(|| self.node(name))
    }

    /// The node of a cluster with this name, if there is one.
    fn node(&self, name: &str) -> Option<NetPoint> {
        if self.numbered.is_empty() || name.len() > LONGEST {
            return None;
        }
        // Prefixes may end with digits and suffixes start with them, so every number in the name is a candidate.
        let digits = |from: usize| name[from..].bytes().take_while(u8::is_ascii_digit).count();
        (0..name.len()).filter(|&from| name.is_char_boundary(from)).find_map(|from| {
            let most = digits(from).min(10);
            (1..=most)
                .find_map(|length| self.numbered(&name[..from], &name[from..from + length], &name[from + length..]))
        })
    }

    fn numbered(&self, prefix: &str, number: &str, suffix: &str) -> Option<NetPoint> {
        if number.starts_with('0') && number.len() > 1 {
            return None;
        }
        let all = self.numbered.get(&(prefix, suffix))?;
        let number: u32 = number.parse().ok()?;
        let numbers = all[..all.partition_point(|numbers| numbers.first <= number)].last()?;
        let node = numbers.node + (number - numbers.first);
        (number <= numbers.last).then_some(NetPoint { part: numbers.part, kind: PointKind::Node(node) })
    }
}

/// A group of a radical: a number, or the first and the last of a range.
fn range(group: &str) -> Result<(u32, u32), String> {
    let wrong = || format!("expected numbers and ranges such as \"1-29,58,59\", not {group:?}");
    let number = |text: &str| {
        let text = text.trim();
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u32>().ok().filter(|number| digits && i32::try_from(*number).is_ok()).ok_or_else(wrong)
    };
    let (first, last) = group.split_once('-').unwrap_or((group, group));
    let (first, last) = (number(first)?, number(last)?);
    if last < first {
        return Err(format!("the range {group:?} is empty: it ends before it starts"));
    }
    Ok((first, last))
}
