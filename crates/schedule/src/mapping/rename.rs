//! Names of processors in two mappings, made alike where processors are equal.

use std::cmp::Reverse;

use super::Problem;

/// Gives the processors of one mapping the names of those of another that have most tasks in common, and keeps its
/// buffers for the next pair.
pub(super) struct Renaming {
    /// The class of each processor; those of a class can swap names.
    class: Vec<u32>,
    /// Pairs of processors that have tasks in common: how many, then the name to take and the processor.
    common: Vec<(Reverse<u32>, u32, u32)>,
    pairs: Vec<(u32, u32)>,
    /// The new name of each processor, and whether a name is taken.
    name: Vec<Option<u32>>,
    taken: Vec<bool>,
    renamed: Vec<u32>,
}

impl Renaming {
    pub(super) fn new(problem: &Problem<'_>) -> Self {
        let costs = problem.costs();
        let edges = 0..problem.graph().edge_count() as u32;
        let equal_links = edges.map(|edge| costs.uniform_transfer(edge)).all(|transfer| transfer.is_some());
        let class = if equal_links { costs.kinds().to_vec() } else { (0..costs.processors()).collect() };
        let (count, tasks) = (class.len(), problem.graph().tasks());
        Self {
            class,
            common: Vec::with_capacity(tasks),
            pairs: Vec::with_capacity(tasks),
            name: vec![None; count],
            taken: vec![false; count],
            renamed: vec![0; tasks],
        }
    }

    /// `mapping` with its processors renamed after those of `model`: the pair with most tasks in common first, then the
    /// next one whose names are free; what is left keeps the order of its numbers. Ties go to the lowest numbers.
    pub(super) fn after(&mut self, model: &[u32], mapping: &[u32]) -> &[u32] {
        self.pairs.clear();
        self.pairs.extend(model.iter().copied().zip(mapping.iter().copied()));
        self.pairs.sort_unstable();
        self.common.clear();
        for same in self.pairs.chunk_by(|a, b| a == b) {
            self.common.push((Reverse(same.len() as u32), same[0].0, same[0].1));
        }
        self.common.sort_unstable();
        self.name.fill(None);
        self.taken.fill(false);
        for &(_, name, processor) in &self.common {
            let (to, from) = (name as usize, processor as usize);
            if self.class[to] == self.class[from] && self.name[from].is_none() && !self.taken[to] {
                (self.name[from], self.taken[to]) = (Some(name), true);
            }
        }
        for (renamed, &processor) in self.renamed.iter_mut().zip(mapping) {
            *renamed = *self.name[processor as usize].get_or_insert_with(|| {
                let class = self.class[processor as usize];
                let free = (0..self.class.len()).find(|&name| self.class[name] == class && !self.taken[name]);
                // A class has as many names as processors, and each takes one.
                let free = free.unwrap_or(processor as usize);
                self.taken[free] = true;
                free as u32
            });
        }
        &self.renamed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::Objective;
    use crate::samples::graph;
    use crate::{Costs, Layout};
    use hetsim_base::units::{Tick, Time};

    /// The renamed mapping on four processors, the last of another kind.
    fn renamed(model: &[u32], mapping: &[u32]) -> Vec<u32> {
        let graph = graph(&vec![1.0; model.len()], &[]);
        let layout = Layout::by_kind(4, |processor| processor / 3);
        let costs = Costs::new(&graph, layout, |_, processor| Time(1 + u64::from(processor / 3)), |_, _, _| Time(1));
        let costs = costs.unwrap();
        let problem = Problem::new(&graph, &costs, Tick::new(1).unwrap(), Objective::Cut).unwrap();
        Renaming::new(&problem).after(model, mapping).to_vec()
    }

    #[test]
    fn equal_processors_take_the_names_that_fit_best() {
        // The same partition under other names is the same mapping.
        assert_eq!(renamed(&[0, 0, 1, 1, 2], &[2, 2, 0, 0, 1]), [0, 0, 1, 1, 2]);
        // 2 and 1 share two tasks, 0 and 0 one; 2 takes the name 1, and 1 the one that is left.
        assert_eq!(renamed(&[1, 1, 0, 0, 2], &[2, 2, 2, 0, 1]), [1, 1, 1, 0, 2]);
        // A processor of another kind keeps its name, and no other takes it.
        assert_eq!(renamed(&[3, 3, 0, 0], &[1, 1, 3, 3]), [0, 0, 3, 3]);
    }
}
