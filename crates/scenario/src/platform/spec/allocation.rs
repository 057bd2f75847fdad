//! Which nodes of a larger machine a job has.

use rand::RngExt;
use schemars::JsonSchema;
use serde::Deserialize;

/// Which nodes of a larger machine a cluster has: those that a batch system has allocated to a job. A `topology` and
/// `level`s join the machine's nodes, of which the others are idle.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AllocationSpec {
    /// The number of nodes of the machine, at least `nodes`.
    #[schemars(range(min = 1))]
    pub of: u32,
    /// Where the nodes are in the machine, counted from 0 in rising order: `["0 to 31", 40]`. Only the first `nodes` of them
    /// are used. By default the first `nodes` of the machine, unless `fragments` draws them.
    #[serde(default)]
    pub at: Option<Vec<AllocatedSpec>>,
    /// Draws where the nodes are, anew in each replica: at most this many blocks of adjacent nodes, of about equal size. 1 is
    /// a compact job somewhere in the machine, `nodes` a scattered one.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub fragments: Option<u32>,
}

/// A node of the machine, or several beside each other.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum AllocatedSpec {
    /// One.
    One(u32),
    /// From one to another: `0 to 31`.
    Several(String),
}

impl AllocationSpec {
    /// The places of so many nodes in the machine; empty if they are the first ones, or drawn.
    ///
    /// # Errors
    /// The key at fault, and what is wrong.
    pub(crate) fn places(&self, nodes: u32) -> Result<Vec<u32>, (String, String)> {
        if self.of < nodes {
            return Err(("of".to_owned(), format!("`of` is {}, and the cluster has {nodes} nodes", self.of)));
        }
        let Some(at) = &self.at else { return Ok(Vec::new()) };
        if self.fragments.is_some() {
            return Err(("fragments".to_owned(), "give either `at` or `fragments`".to_owned()));
        }
        let (mut places, mut before): (Vec<u32>, Option<u32>) = (Vec::new(), None);
        for (index, allocated) in at.iter().enumerate() {
            let fault = |message: String| (format!("at.{index}"), message);
            let (first, last) = allocated.ends().map_err(fault)?;
            if last >= self.of {
                return Err(fault(format!("there is no node {last}: the machine's nodes are 0 to {}", self.of - 1)));
            }
            if let Some(before) = before.replace(last).filter(|before| *before >= first) {
                return Err(fault(format!("node {first} comes after node {before}: places must rise")));
            }
            // What is not needed is checked, too.
            places.extend((first..=last).take(nodes as usize - places.len()));
        }
        if places.len() < nodes as usize {
            return Err(("at".to_owned(), format!("`at` has {} places for {nodes} nodes", places.len())));
        }
        Ok(places)
    }

    /// The places of so many nodes, drawn; nothing if they are not.
    pub(crate) fn draw(&self, nodes: u32, stream: &mut impl RngExt) -> Option<Vec<u32>> {
        let fragments = self.fragments?.min(nodes);
        // Each way to put the idle nodes before, between and behind the fragments is equally likely: fragments are some
        // of as many things as there are idle nodes and fragments.
        let things = self.of - nodes + fragments;
        let mut chosen = rand::seq::index::sample(stream, things as usize, fragments as usize).into_vec();
        chosen.sort_unstable();
        let mut places = Vec::with_capacity(nodes as usize);
        for (before, thing) in (0..fragments).zip(chosen) {
            let first = thing as u32 - before + places.len() as u32;
            let size = nodes / fragments + u32::from(before < nodes % fragments);
            places.extend(first..first + size);
        }
        Some(places)
    }
}

impl AllocatedSpec {
    fn ends(&self) -> Result<(u32, u32), String> {
        match self {
            &Self::One(place) => Ok((place, place)),
            Self::Several(text) => {
                let number = |text: &str| text.trim().parse::<u32>().ok();
                let (first, last) = text.split_once(" to ").unwrap_or((text, text));
                let ends = number(first).zip(number(last)).filter(|(first, last)| first <= last);
                ends.ok_or_else(|| format!("{text:?} is not a range of nodes, such as \"0 to 31\""))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use hetsim_base::engine::Streams;

    use super::*;

    fn drawn(of: u32, nodes: u32, fragments: u32, replica: u64) -> Vec<u32> {
        let spec = AllocationSpec { of, at: None, fragments: Some(fragments) };
        spec.draw(nodes, &mut Streams::new(1, replica).stream("nodes of the machine", 0)).unwrap()
    }

    #[test]
    fn fragments_are_as_many_as_asked_and_nearly_equal() {
        for (of, nodes, fragments) in [(100, 10, 3), (10, 10, 4), (7, 3, 3), (1000, 64, 64), (50, 5, 9), (12, 5, 1)] {
            for replica in 0..50 {
                let places = drawn(of, nodes, fragments, replica);
                assert!(places.len() == nodes as usize && places.is_sorted_by(|a, b| a < b), "{places:?}");
                assert!(places.last().is_some_and(|last| *last < of), "{places:?}");
                let sizes: Vec<usize> = places.chunk_by(|a, b| a + 1 == *b).map(<[u32]>::len).collect();
                // Fragments may touch.
                assert!(sizes.len() <= fragments as usize, "{places:?}");
                let least = (nodes / fragments.min(nodes)) as usize;
                assert!(sizes.iter().all(|size| *size >= least), "{places:?}");
            }
        }
    }

    /// Two single nodes among four are each of the six pairs equally often.
    #[test]
    fn all_places_are_equally_likely() {
        let mut counts: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
        (0..6000).for_each(|replica| *counts.entry(drawn(4, 2, 2, replica)).or_default() += 1);
        assert_eq!(counts.len(), 6);
        // Five standard deviations of a binomial with p = 1/6.
        assert!(counts.values().all(|count| count.abs_diff(1000) < 150), "{counts:?}");
    }
}
