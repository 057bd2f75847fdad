//! Disjoint sets of machines.

use super::Partition;

/// Disjoint sets of machines (union by size, path halving).
#[derive(Debug)]
pub(super) struct Groups {
    parent: Vec<u32>,
    size: Vec<u32>,
}

impl Groups {
    /// One set per machine.
    pub(super) fn alone(machines: u32) -> Self {
        Self { parent: (0..machines).collect(), size: vec![1; machines as usize] }
    }

    /// The representative of the set of `machine`.
    pub(super) fn root(&mut self, machine: u32) -> u32 {
        let mut at = machine;
        while self.parent[at as usize] != at {
            self.parent[at as usize] = self.parent[self.parent[at as usize] as usize];
            at = self.parent[at as usize];
        }
        at
    }

    /// Unites the sets of two roots and returns the root of the union.
    pub(super) fn unite(&mut self, a: u32, b: u32) -> u32 {
        let (large, small) = if self.size[a as usize] < self.size[b as usize] { (b, a) } else { (a, b) };
        if large != small {
            self.parent[small as usize] = large;
            self.size[large as usize] += self.size[small as usize];
        }
        large
    }

    /// The sets as a partition.
    pub(super) fn partition(mut self) -> Partition {
        let machines = self.parent.len() as u32;
        let labels: Vec<usize> = (0..machines).map(|machine| self.root(machine) as usize).collect();
        Partition::from_labels(labels)
    }
}
