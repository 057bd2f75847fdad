//! An all-to-all in which each rank has a block of another length for each other: `MPI_Alltoallv`.

use std::sync::Arc;

use super::pattern::Pattern;
use super::shifts::Shifts;

/// The length of the block that each rank has for each other, and for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PairLengths {
    ranks: u32,
    /// In bytes, sender after sender.
    bytes: Arc<[u64]>,
}

impl PairLengths {
    pub(super) fn new(ranks: u32, bytes: &[u64]) -> Self {
        Self { ranks, bytes: bytes.into() }
    }

    /// The bytes that one rank has for another, or for itself.
    pub(super) fn between(&self, from: u32, to: u32) -> u64 {
        self.bytes[from as usize * self.ranks as usize + to as usize]
    }
}

/// Whether each message of these patterns is one block, which goes straight to its receiver, and a rank handles no more
/// than its own block otherwise.
pub(super) fn are_single_blocks(stages: &[Pattern]) -> bool {
    stages.iter().all(|stage| match stage {
        Pattern::Shifts(shifts) => matches!(shifts, Shifts::Pairwise | Shifts::AllAtOnce | Shifts::Window(_)),
        Pattern::Local(local) => local.is_own(),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::super::Step;
    use crate::{Algorithm, Collective, Operation};

    /// Each pair's block goes once, with its own length, and is received as that; a rank copies its own.
    #[test]
    fn each_block_goes_to_its_receiver() {
        for algorithm in [Algorithm::Linear, Algorithm::Pairwise, Algorithm::LinearSynchronised] {
            for ranks in 2..9_u32 {
                let lengths: Vec<u64> = (0..u64::from(ranks * ranks)).map(|pair| pair * pair % 17).collect();
                let of = |from: u32, to: u32| lengths[(from * ranks + to) as usize];
                let call = Collective { window: 3, ..Collective::new(Operation::AllToAll, ranks, 1) };
                let plan = algorithm.steps(&call).unwrap().with_lengths_of_pairs(&lengths).unwrap();
                for rank in 0..ranks {
                    let mut sent: Vec<(u32, u64)> = Vec::new();
                    for step in plan.of(rank) {
                        match step {
                            Step::Send { to, bytes, receive, .. } => {
                                sent.push((to, bytes));
                                let there = plan.step(to, receive);
                                assert!(matches!(there, Some(Step::Receive { from, bytes: same, .. })
                                    if (from, same) == (rank, bytes)));
                            }
                            Step::Receive { from, bytes, .. } => assert_eq!(bytes, of(from, rank)),
                            Step::Local { bytes, .. } => assert_eq!(bytes, of(rank, rank)),
                        }
                    }
                    sent.sort_unstable();
                    let others = (0..ranks).filter(|&to| to != rank);
                    assert_eq!(sent, others.map(|to| (to, of(rank, to))).collect::<Vec<_>>(), "{algorithm} {ranks}");
                }
                let most = (0..ranks).map(|from| (0..ranks).map(|to| of(from, to)).sum()).max();
                assert_eq!(Some(plan.working_set()), most);
            }
        }
    }

    #[test]
    fn blocks_that_go_by_others_have_no_lengths_of_their_own() {
        let plan = Algorithm::Bruck.steps(&Collective::new(Operation::AllToAll, 4, 1)).unwrap();
        assert_eq!(plan.with_lengths_of_pairs(&[1; 16]), None);
        let plan = Algorithm::Linear.steps(&Collective::new(Operation::AllToAll, 4, 1)).unwrap();
        assert_eq!(plan.with_lengths_of_pairs(&[1; 15]), None);
    }
}
