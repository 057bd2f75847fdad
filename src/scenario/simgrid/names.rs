//! What the names of a file mean: zones and clusters, hosts and routers, and the nodes of clusters without listing them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::{ReadError, Word};

/// The most nodes of all clusters together, as hetsim has it.
pub(super) const MOST_NODES: u64 = 1 << 26;

/// The longest name of a host, router or node, in bytes: each number in it is looked up.
const LONGEST: usize = 1024;

/// The longest name that a near one is looked for.
const LONGEST_NEAR: usize = 64;

/// A place that a message can start at, end at or pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Point {
    /// The zone or cluster that it is in.
    pub(super) part: usize,
    /// What it is there.
    pub(super) kind: PointKind,
}

/// What a point is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PointKind {
    /// The node of that number.
    Node(u32),
    /// A router among the hosts of a zone.
    Router,
    /// The router that a cluster brings along.
    Exit,
}

/// Numbered nodes of a cluster, such as 3 to 7.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Numbers {
    first: u32,
    last: u32,
    part: usize,
    /// Which node of the cluster the first of them is.
    node: u32,
}

/// The names of a file.
#[derive(Debug, Default)]
pub(super) struct Names<'e> {
    parts: HashMap<&'e str, usize>,
    points: HashMap<String, Point>,
    /// By what stands before and behind the number.
    numbered: HashMap<(&'e str, &'e str), Vec<Numbers>>,
    nodes: u64,
}

impl<'e> Names<'e> {
    /// Names a zone or a cluster.
    ///
    /// # Errors
    /// Where there is another of that name, or hetsim could not tell it from a gateway.
    pub(super) fn part(&mut self, id: Word<'e>, part: usize) -> Result<(), ReadError> {
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

    /// Names a host or a router.
    ///
    /// # Errors
    /// Where there is another of that name.
    pub(super) fn point(&mut self, name: String, word: Word<'_>, point: Point) -> Result<(), ReadError> {
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

    /// Names the router that a cluster brings along, at the attribute that names it.
    ///
    /// # Errors
    /// Where there is a host or router of that name.
    pub(super) fn exit(&mut self, name: String, word: Word<'_>, part: usize) -> Result<(), ReadError> {
        self.point(name, word, Point { part, kind: PointKind::Exit })
    }

    /// Counts nodes.
    ///
    /// # Errors
    /// Where there are too many.
    pub(super) fn count(&mut self, nodes: u64, word: Word<'_>) -> Result<(), ReadError> {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes > MOST_NODES {
            return Err(word.fault(format!("there are more than {MOST_NODES} nodes")));
        }
        Ok(())
    }

    /// Names the nodes of a cluster: `prefix`, each number of `radical`, `suffix`. Gives how many they are.
    ///
    /// # Errors
    /// Where `radical` is no list of numbers and ranges, or there are too many, or the same one twice.
    pub(super) fn nodes(
        &mut self,
        (prefix, suffix): (&'e str, &'e str),
        radical: Word<'e>,
        part: usize,
    ) -> Result<u32, ReadError> {
        if prefix.len() + suffix.len() + 10 > LONGEST {
            return Err(radical.fault(format!("the names of nodes are longer than {LONGEST} bytes")));
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
        // Below the most nodes, which `count` has seen to.
        Ok(node as u32)
    }

    /// Puts the nodes of clusters in order, after the last of them.
    ///
    /// # Errors
    /// The number of a part with a node that has the name of another, and a sentence.
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

    /// The zone or cluster of a name.
    ///
    /// # Errors
    /// Where there is none.
    pub(super) fn find_part(&self, name: Word<'_>) -> Result<usize, ReadError> {
        self.parts.get(name.text).copied().ok_or_else(|| {
            let message = format!("there is no zone or cluster {:?}", name.text);
            name.fault(message).with_help(near(name.text, self.parts.keys().copied()))
        })
    }

    /// The host, router or node of a name.
    ///
    /// # Errors
    /// Where there is none.
    pub(super) fn find_point(&self, name: Word<'_>) -> Result<Point, ReadError> {
        self.look_up(name.text).ok_or_else(|| {
            let message = format!("there is no host or router {:?}", name.text);
            name.fault(message).with_help(near(name.text, self.points.keys().map(String::as_str)))
        })
    }

    /// The host, router or node of a name, if there is one.
    pub(super) fn look_up(&self, name: &str) -> Option<Point> {
        self.points.get(name).copied().or_else(|| self.node(name))
    }

    /// The node of a cluster of a name, if there is one.
    fn node(&self, name: &str) -> Option<Point> {
        if self.numbered.is_empty() || name.len() > LONGEST {
            return None;
        }
        // Prefixes and suffixes may end and start with digits: every number in the name may be the one.
        let digits = |from: usize| name[from..].bytes().take_while(u8::is_ascii_digit).count();
        (0..name.len()).filter(|&from| name.is_char_boundary(from)).find_map(|from| {
            let most = digits(from).min(10);
            (1..=most)
                .find_map(|length| self.numbered(&name[..from], &name[from..from + length], &name[from + length..]))
        })
    }

    fn numbered(&self, prefix: &str, number: &str, suffix: &str) -> Option<Point> {
        if number.starts_with('0') && number.len() > 1 {
            return None;
        }
        let all = self.numbered.get(&(prefix, suffix))?;
        let number: u32 = number.parse().ok()?;
        let numbers = all[..all.partition_point(|numbers| numbers.first <= number)].last()?;
        let node = numbers.node + (number - numbers.first);
        (number <= numbers.last).then_some(Point { part: numbers.part, kind: PointKind::Node(node) })
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

/// Advice on a name that is not known: the nearest, if one is near enough to be meant.
pub(super) fn near<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    if name.len() > LONGEST_NEAR {
        return None;
    }
    let lower = name.to_lowercase();
    let close = |candidate: &str| candidate.len().abs_diff(name.len()) <= candidate.len().max(name.len()) / 3;
    known
        .filter(|candidate| close(candidate))
        .map(|candidate| (strsim::damerau_levenshtein(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.len().max(name.len()) / 3)
        // The order of a hash table must not show.
        .min_by_key(|(distance, candidate)| (*distance, *candidate))
        .map(|(_, candidate)| format!("did you mean `{candidate}`?"))
}
